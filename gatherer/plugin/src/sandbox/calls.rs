//! The system calls that are refused, by their numbers.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule, TargetArch};
use std::collections::BTreeMap;

/// Marks the numbers of programs with short pointers, which are the same machine to the kernel.
const X32: i64 = 0x4000_0000;

/// Sockets of any kind: also those on this machine lead to who may do more. Pairs of them are pipes, and stay.
const SOCKETS: &[Call] = &[
    Call("socket", 41, 198),
    // A way to make system calls, sockets among them, that no filter sees.
    Call("io_uring_setup", 425, 425),
];

/// What nobody needs who reads a document.
const OTHERS: &[Call] = &[
    // Out of the group in which all are killed together.
    Call("setsid", 112, 157),
    Call("setpgid", 109, 154),
    // Into other processes.
    Call("ptrace", 101, 117),
    Call("process_vm_readv", 310, 270),
    Call("process_vm_writev", 311, 271),
    Call("pidfd_getfd", 438, 438),
    // Around the rules for files.
    Call("open_by_handle_at", 304, 265),
    Call("mount", 165, 40),
    Call("umount2", 166, 39),
    Call("pivot_root", 155, 41),
    Call("chroot", 161, 51),
    Call("unshare", 272, 97),
    Call("setns", 308, 268),
    // Into the kernel, and what is everybody's.
    Call("bpf", 321, 280),
    Call("perf_event_open", 298, 241),
    Call("userfaultfd", 323, 282),
    Call("add_key", 248, 217),
    Call("request_key", 249, 218),
    Call("keyctl", 250, 219),
    Call("init_module", 175, 105),
    Call("finit_module", 313, 273),
    Call("delete_module", 176, 106),
    Call("kexec_load", 246, 104),
    Call("kexec_file_load", 320, 294),
    Call("reboot", 169, 142),
    Call("swapon", 167, 224),
    Call("swapoff", 168, 225),
    Call("acct", 163, 89),
    Call("quotactl", 179, 60),
    Call("settimeofday", 164, 170),
    Call("clock_settime", 227, 112),
    Call("adjtimex", 159, 171),
    Call("sethostname", 170, 161),
    Call("setdomainname", 171, 162),
    Call("syslog", 103, 116),
];

/// Limits of other processes; one's own are one's own business.
const LIMITS: Call = Call("prlimit64", 302, 261);

/// A call, its number on `x86_64`, and the one that newer machines share.
struct Call(#[expect(dead_code, reason = "for whoever reads the table")] &'static str, i64, i64);

/// Rules for this machine.
pub(super) struct Calls {
    pub(super) rules: BTreeMap<i64, Vec<SeccompRule>>,
    pub(super) machine: TargetArch,
}

/// What is refused; nothing on machines whose numbers are not known here.
pub(super) fn refused(has_network: bool) -> Option<Calls> {
    let machine = TargetArch::try_from(std::env::consts::ARCH).ok()?;
    let numbers = |Call(_, old, new): &Call| match machine {
        TargetArch::x86_64 => vec![*old, *old | X32],
        TargetArch::aarch64 | TargetArch::riscv64 => vec![*new],
    };
    let sockets = if has_network { &[] } else { SOCKETS };
    let plain = sockets.iter().chain(OTHERS).flat_map(numbers).map(|number| (number, Vec::new()));
    let of_others = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0);
    let of_others = of_others.and_then(|condition| SeccompRule::new(vec![condition])).ok()?;
    let limits = numbers(&LIMITS).into_iter().map(|number| (number, vec![of_others.clone()]));
    Some(Calls { rules: plain.chain(limits).collect(), machine })
}
