//! Real programs that try what they must not do. Where the kernel cannot hold them, there is nothing to see.

use super::*;
use crate::process::Call;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::ffi::OsString;
use std::net::TcpListener;
use std::time::Duration;

/// What a shell says that is kept so.
fn kept(sandbox: Sandbox, script: &str) -> Result<String, String> {
    let arguments = ["-c", script].map(OsString::from);
    let call = Call {
        program: Path::new("/bin/sh"),
        arguments: &arguments,
        environment: &[],
        limit: Duration::from_secs(60),
        output_limit: 1 << 20,
        memory: 2 << 30,
        inherits: false,
        sandbox,
        scratch: None,
    };
    call.run(None).map(|output| String::from_utf8_lossy(&output).into_owned())
}

#[test]
fn writing_ends_at_the_scratch_directory() {
    let outside = tempfile::tempdir().expect("a directory");
    let (place, dropped) = (outside.path().join("x"), outside.path().display().to_string());
    let write = format!("echo x > {dropped}/x && echo written; mkdir {dropped}/d && echo made; echo done");
    if KERNEL.files {
        assert_eq!(kept(Sandbox::On, &write).as_deref(), Ok("done\n"));
        assert!(!place.exists() && !outside.path().join("d").exists());
    }
    assert_eq!(kept(Sandbox::Off, &write).as_deref(), Ok("written\nmade\ndone\n"));
    let scratch = "cd \"$TMPDIR\" && mkdir a && echo good > a/b && mv a/b c && cat c && rm -r a c; echo x > /dev/null";
    assert_eq!(kept(Sandbox::On, scratch).as_deref(), Ok("good\n"));
    let left = kept(Sandbox::On, "echo x > \"$TMPDIR/x\"; printf %s \"$TMPDIR\"").expect("a place");
    assert!(!Path::new(&left).exists(), "{left} is gone with its program");
}

#[test]
fn reading_is_open() {
    assert_eq!(kept(Sandbox::On, "test -r /etc/passwd && ls / > /dev/null && echo read").as_deref(), Ok("read\n"));
}

#[test]
fn there_is_no_network_unless_it_is_granted() {
    if !KERNEL.calls {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    // Bash opens sockets by itself.
    let connect = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo connected || echo kept");
    assert_eq!(kept(Sandbox::On, &connect).as_deref(), Ok("kept\n"));
    assert_eq!(kept(Sandbox::WithNetwork, &connect).as_deref(), Ok("connected\n"));
    assert_eq!(kept(Sandbox::Off, &connect).as_deref(), Ok("connected\n"));
}

#[test]
fn nobody_leaves_the_group_that_is_killed() {
    if !KERNEL.calls {
        return;
    }
    assert_eq!(kept(Sandbox::On, "setsid true 2>/dev/null && echo left || echo stayed").as_deref(), Ok("stayed\n"));
    // A child that would outlive its parent ends with the group, and does not keep the answer waiting.
    let outlive = "(setsid sleep 600; sleep 600) & echo $!";
    let child = kept(Sandbox::On, outlive).expect("an answer");
    assert!(ends(child.trim().parse().expect("its number")), "{child} lives on");
}

/// Whether a process comes to its end, unless it is there already.
fn ends(number: i32) -> bool {
    let process = Pid::from_raw(number).expect("a number of a process");
    let Ok(process) = pidfd_open(process, PidfdFlags::empty()) else { return true };
    let patience = Timespec { tv_sec: 20, tv_nsec: 0 };
    poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&patience)) == Ok(1)
}

#[test]
fn other_processes_are_out_of_reach() {
    let own = std::process::id();
    if KERNEL.signals {
        let signal = format!("kill -0 {own} 2>/dev/null && echo reached || echo kept");
        assert_eq!(kept(Sandbox::On, &signal).as_deref(), Ok("kept\n"));
    }
    if KERNEL.calls {
        let limits = format!("prlimit --pid {own} --nofile=10:10 2>/dev/null && echo reached || echo kept");
        assert_eq!(kept(Sandbox::On, &limits).as_deref(), Ok("kept\n"));
    }
}

#[test]
fn descriptors_and_files_have_their_bounds() {
    let bounds = kept(Sandbox::On, "ulimit -n; ulimit -c; ulimit -f").expect("bounds");
    // The shell counts the length of files in half kilobytes.
    assert_eq!(bounds, format!("{FILES}\n0\n{}\n", FILE_SIZE / 512));
}

#[test]
fn what_is_in_force_is_said_in_a_line() {
    let said = in_force();
    assert!(said.starts_with("programs and workers ") && !said.contains('\n'), "{said}");
    assert_eq!(said.contains("kept from writing outside"), KERNEL.files, "{said}");
}
