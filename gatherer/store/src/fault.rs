//! Deaths and failures by order, at a write of one's choice: no test could bring them about at the right moment otherwise.
//!
//! `GATHERER_STORE_FAULT=kill:17` lets the process die right before its 17th write, `killed:17` right behind it, and `fail:17`
//! lets that write and all behind it fail, as on a full disk. Builds for users know nothing of it.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is to go wrong, and when.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    order: Option<(Deed, u64)>,
    writes: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Kill,
    Killed,
    Fail,
}

impl Fault {
    /// What the environment orders; nothing in a build for users.
    pub(crate) fn ordered() -> Self {
        let order = std::env::var("GATHERER_STORE_FAULT").ok().filter(|_| cfg!(debug_assertions));
        Self { order: order.as_deref().and_then(read), writes: AtomicU64::new(0) }
    }

    /// Does a write, or what was ordered in its place. Nothing of this process comes to its end in order when it dies.
    ///
    /// # Errors
    /// The write's own, or the one that was ordered.
    pub(crate) fn around<E>(
        &self,
        write: impl FnOnce() -> Result<(), E>,
        failed: impl FnOnce(io::Error) -> E,
    ) -> Result<(), E> {
        let Some((deed, at)) = self.order else { return write() };
        let number = self.writes.fetch_add(1, Ordering::SeqCst) + 1;
        match deed {
            Deed::Kill if number == at => std::process::abort(),
            Deed::Fail if number >= at => Err(failed(io::ErrorKind::StorageFull.into())),
            _ => {
                write()?;
                if deed == Deed::Killed && number == at {
                    std::process::abort();
                }
                Ok(())
            }
        }
    }
}

fn read(order: &str) -> Option<(Deed, u64)> {
    let (deed, at) = order.split_once(':')?;
    let deed = match deed {
        "kill" => Deed::Kill,
        "killed" => Deed::Killed,
        "fail" => Deed::Fail,
        _ => return None,
    };
    Some((deed, at.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read() {
        assert_eq!(read("kill:17"), Some((Deed::Kill, 17)));
        assert_eq!(read("killed:1"), Some((Deed::Killed, 1)));
        for nonsense in ["", "kill", "kill:", "kill:-1", "dance:3"] {
            assert_eq!(read(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn a_full_disk_stays_full() {
        let fault = Fault { order: Some((Deed::Fail, 2)), writes: AtomicU64::new(0) };
        let writes = [(); 4].map(|()| fault.around(|| Ok(()), |error| error.kind()).is_ok());
        assert_eq!(writes, [true, false, false, false]);
    }
}
