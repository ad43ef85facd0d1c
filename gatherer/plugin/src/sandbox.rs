//! What programs and workers are kept from, as far as the kernel can hold them to it: writing anywhere but in a scratch
//! directory of their own, sockets, other processes, and leaving the group in which they are killed.
//!
//! Everything is made before the child is: between fork and exec nothing may be allocated, because another thread may have
//! held the allocator's lock at that moment. What is in force is told by [`in_force`]; `schemas/security.md` says what that is
//! worth.

mod calls;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The newest form of landlock that is asked for. An older kernel gives what it has.
const NEWEST: ABI = ABI::V6;
/// Descriptors that a process may have at once.
const FILES: u64 = 1_024;
/// The longest file that it may write.
const FILE_SIZE: u64 = 1 << 30;
/// What everybody may write to, because nothing comes of it.
const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// How a program is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sandbox {
    /// Not at all, but for bounds of memory and time.
    Off,
    /// From the network, from writing anywhere but in its scratch directory, and from other processes.
    #[default]
    On,
    /// The same, but the network is open to it.
    WithNetwork,
}

/// What this kernel can hold a process to.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a power of its own")]
struct Kernel {
    files: bool,
    tcp: bool,
    signals: bool,
    calls: bool,
}

static KERNEL: LazyLock<Kernel> = LazyLock::new(|| Kernel {
    files: is_held(|rules| rules.handle_access(AccessFs::from_all(ABI::V1))),
    tcp: is_held(|rules| rules.handle_access(AccessNet::from_all(ABI::V4))),
    signals: is_held(|rules| rules.scope(Scope::Signal)),
    calls: calls::refused(false).is_some() && can_filter(),
});

/// Whether the kernel takes a rule as it is.
fn is_held(rule: impl FnOnce(Ruleset) -> Result<Ruleset, landlock::RulesetError>) -> bool {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rule(rules).and_then(Ruleset::create).is_ok()
}

fn can_filter() -> bool {
    let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
    actions.is_ok_and(|actions| actions.split_whitespace().any(|action| action == "errno"))
}

/// What programs and workers are kept from on this kernel, and what not, in a line.
pub fn in_force() -> String {
    let Kernel { files, tcp, signals, calls } = *KERNEL;
    let parts = [
        (files, "writing outside of their scratch directory"),
        (calls, "sockets"),
        (!calls && tcp, "TCP"),
        (calls, "leaving their process group"),
        (calls, "other processes' memory"),
        (signals, "signals to others"),
    ];
    let listed = |wanted: bool| -> Vec<_> {
        let is_told = |(held, what): &&(bool, &str)| *held == wanted && (*held || *what != "TCP");
        parts.iter().filter(is_told).map(|(_, what)| *what).collect()
    };
    let (kept, open) = (listed(true), listed(false));
    let rest = if open.is_empty() {
        String::new()
    } else {
        format!("; this kernel cannot keep them from {}", open.join(", "))
    };
    if kept.is_empty() {
        return format!("programs and workers have bounded memory and time{rest}");
    }
    format!("programs and workers are kept from {}{rest}", kept.join(", "))
}

impl Sandbox {
    /// Keeps the process that the command will be, from its first instruction on. It may write in `scratch` alone.
    ///
    /// # Errors
    /// When the kernel has what is needed, and does not give it.
    pub(crate) fn put_around(self, command: &mut Command, scratch: &Path) -> io::Result<()> {
        if self == Self::Off {
            return Ok(());
        }
        let has_network = self == Self::WithNetwork;
        let mut rules = KERNEL.files.then(|| ruleset(scratch, has_network)).transpose().map_err(io::Error::other)?;
        let filter = calls::refused(has_network).filter(|_| KERNEL.calls).map(filter).transpose()?;
        let within = move || {
            bound()?;
            if let Some(rules) = rules.take() {
                rules.restrict_self().map_err(|_| io::ErrorKind::PermissionDenied)?;
            }
            if let Some(filter) = &filter {
                apply_filter(filter).map_err(|_| io::ErrorKind::PermissionDenied)?;
            }
            Ok(())
        };
        // SAFETY: between fork and exec the closure makes system calls and nothing else: limits, prctl, landlock and seccomp.
        // All that they need was made above, errors included; nothing is allocated, and no lock is taken.
        #[expect(unsafe_code, reason = "a process can be kept only by itself, before it becomes another program")]
        unsafe {
            command.pre_exec(within);
        }
        Ok(())
    }
}

/// Bounds that need no kernel of today.
fn bound() -> io::Result<()> {
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    // Where the bound is lower already, it stays.
    let _ = setrlimit(Resource::Nofile, limit(FILES));
    setrlimit(Resource::Fsize, limit(FILE_SIZE))?;
    setrlimit(Resource::Core, limit(0))?;
    Ok(())
}

fn filter(calls: calls::Calls) -> io::Result<BpfProgram> {
    const NOT_PERMITTED: u32 = 1;
    let filter =
        SeccompFilter::new(calls.rules, SeccompAction::Allow, SeccompAction::Errno(NOT_PERMITTED), calls.machine);
    filter.and_then(TryInto::try_into).map_err(io::Error::other)
}

/// Reading and running are open, writing is not.
fn ruleset(scratch: &Path, has_network: bool) -> Result<RulesetCreated, Box<dyn std::error::Error + Send + Sync>> {
    let mut rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort);
    rules = rules.handle_access(AccessFs::from_all(NEWEST))?.scope(Scope::Signal | Scope::AbstractUnixSocket)?;
    if !has_network {
        rules = rules.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let below = |path: &Path, access: BitFlags<AccessFs>| {
        Ok::<_, landlock::PathFdError>(PathBeneath::new(PathFd::new(path)?, access))
    };
    let mut created = rules.create()?;
    created = created.add_rule(below(Path::new("/"), AccessFs::from_read(NEWEST))?)?;
    created = created.add_rule(below(scratch, AccessFs::from_all(NEWEST))?)?;
    for sink in SINKS.into_iter().map(Path::new).filter(|sink| sink.exists()) {
        created = created.add_rule(below(sink, AccessFs::WriteFile | AccessFs::ReadFile)?)?;
    }
    Ok(created)
}

#[cfg(test)]
mod tests;
