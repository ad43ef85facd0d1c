//! The way out for members: names are made safe and unique, members and bytes counted, before anything is handed on.

use crate::budget::{Metered, read_all};
use crate::names::{Taken, safe, shown};
use crate::{Budget, Hint, Lost, Member, Trouble};
use gatherer_pipeline::UnixTime;
use std::io::Read;

/// What a container says of a member before its bytes are read.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// As it stands in the container.
    pub(crate) name: String,
    pub(crate) modified: Option<UnixTime>,
    pub(crate) hint: Hint,
    pub(crate) complaint: Option<String>,
}

impl Found {
    pub(crate) fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

pub(crate) struct Outlet<'a> {
    pub(crate) budget: &'a Budget,
    each: &'a mut dyn FnMut(Result<Member, Lost>),
    taken: Taken,
}

impl<'a> Outlet<'a> {
    pub(crate) fn new(budget: &'a Budget, each: &'a mut dyn FnMut(Result<Member, Lost>)) -> Self {
        Self { budget, each, taken: Taken::default() }
    }

    /// Gives a member whose bytes lie there already.
    pub(crate) fn copy(&mut self, found: Found, body: &[u8]) -> Result<(), Trouble> {
        self.unpack(found, &mut &*body)
    }

    /// Gives a member whose bytes are still to be unpacked. If they cannot be, the member is lost and the reason also
    /// returned: the caller knows whether the next member can be had.
    pub(crate) fn unpack(&mut self, found: Found, reader: &mut dyn Read) -> Result<(), Trouble> {
        let mut metered = Metered { inner: reader, budget: self.budget };
        self.unpack_paid(found, &mut metered)
    }

    /// The same for bytes that the reader itself counts.
    pub(crate) fn unpack_paid(&mut self, found: Found, reader: &mut dyn Read) -> Result<(), Trouble> {
        self.budget.count_member()?;
        let mut body = Vec::new();
        match read_all(reader, &mut body) {
            Ok(()) => self.hand_on(found, body),
            Err(error) => {
                let trouble = Trouble::from(error);
                self.lose_counted(&found.name, trouble.to_string());
                return Err(trouble);
            }
        }
        Ok(())
    }

    /// Gives a member that has been made here and is still to be paid for.
    pub(crate) fn give(&mut self, found: Found, body: Vec<u8>) -> Result<(), Trouble> {
        self.budget.count_member()?;
        if let Err(trouble) = self.budget.spend(body.len()) {
            self.lose_counted(&found.name, trouble.to_string());
            return Err(trouble);
        }
        self.hand_on(found, body);
        Ok(())
    }

    /// Gives a member that is there and paid for.
    pub(crate) fn give_paid(&mut self, found: Found, body: Vec<u8>) -> Result<(), Trouble> {
        self.budget.count_member()?;
        self.hand_on(found, body);
        Ok(())
    }

    /// Tells that a member cannot be had.
    pub(crate) fn lose(&mut self, name: &str, reason: impl Into<String>) -> Result<(), Trouble> {
        self.budget.count_member()?;
        self.lose_counted(name, reason.into());
        Ok(())
    }

    fn hand_on(&mut self, found: Found, body: Vec<u8>) {
        let Found { name: raw, modified, hint, complaint } = found;
        let Some(safe) = safe(&raw) else {
            let reason = format!("nothing is left of the name {:?} once it is made safe", shown(&raw));
            return (self.each)(Err(Lost { name: shown(&raw), reason }));
        };
        let about_name = safe.changed.then(|| format!("its name was {:?}", shown(&raw)));
        let complaint = match (about_name, complaint) {
            (Some(one), Some(other)) => Some(format!("{one}; {other}")),
            (one, other) => one.or(other),
        };
        let name = self.taken.unique(safe.name);
        (self.each)(Ok(Member { name, body, modified, hint, complaint }));
    }

    fn lose_counted(&mut self, raw: &str, reason: String) {
        let name = safe(raw).map_or_else(|| shown(raw), |safe| safe.name);
        (self.each)(Err(Lost { name, reason }));
    }
}
