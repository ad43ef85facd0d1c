//! What a program has cost, with all that it started: time of the processors, memory, bytes.

use std::fs;
use std::io;
use std::process::{Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// In which the kernel counts time, a second; the same on all machines that Linux is common on.
const TICKS: f64 = 100.0;
/// Between two looks at a program's memory.
const LOOK: Duration = Duration::from_millis(20);

/// What it came to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    pub(crate) cpu: f64,
    /// Megabytes resident at most, of the program and those that it started together.
    pub(crate) peak: f64,
    /// Megabytes that it read from files and wrote to them, as the kernel counts them for the program itself.
    pub(crate) read: f64,
    pub(crate) written: f64,
}

/// Runs a program to its end.
pub(crate) fn measure(command: &mut Command) -> io::Result<(ExitStatus, Cost)> {
    let before = children_seconds()?;
    let began = Instant::now();
    let mut child = command.spawn()?;
    let mut cost = Cost::default();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        look(child.id(), &mut cost);
        sleep(LOOK);
    };
    cost.seconds = began.elapsed().as_secs_f64();
    cost.cpu = children_seconds()? - before;
    Ok((status, cost))
}

/// What all that we have started and seen end has taken of the processors.
fn children_seconds() -> io::Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // Fields 16 and 17. They are counted from behind the program's name, the second field, which may hold spaces.
    let behind_name = stat.rsplit_once(") ").map_or("", |(_, fields)| fields);
    let ticks = behind_name.split(' ').skip(13).take(2).filter_map(|field| field.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() / TICKS)
}

/// What can be seen of a running program. One that has just ended shows nothing more, and what was seen stays.
fn look(process: u32, cost: &mut Cost) {
    // What the children share with the program, such as its code, is counted once.
    let of = |one: u32| line(&format!("/proc/{one}/status"), if one == process { "VmRSS:" } else { "RssAnon:" });
    let resident: f64 = family(process).into_iter().map(|one| of(one) * 1.024e-3).sum();
    cost.peak = cost.peak.max(resident);
    let io = format!("/proc/{process}/io");
    cost.read = cost.read.max(line(&io, "rchar:") / 1e6);
    cost.written = cost.written.max(line(&io, "wchar:") / 1e6);
}

fn line(path: &str, name: &str) -> f64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok());
    value.unwrap_or(0.0)
}

/// A process, and all that descend from it.
fn family(process: u32) -> Vec<u32> {
    let mut all = vec![process];
    let mut next = 0;
    while let Some(one) = all.get(next).copied() {
        let children = fs::read_to_string(format!("/proc/{one}/task/{one}/children")).unwrap_or_default();
        all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        next += 1;
    }
    all
}
