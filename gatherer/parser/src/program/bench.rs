//! How many documents a CPU second is enough for.

use super::say;
use gatherer_parser::engine::{Document, Engine};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

pub(super) fn bench(engine: &Engine, files: &[PathBuf], rounds: usize) -> Result<ExitCode, String> {
    let read = |path: &PathBuf| std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()));
    let documents: Vec<_> = files.iter().map(read).collect::<Result<_, _>>()?;
    let parse = |bytes: &[u8]| {
        let document = Document { url: "http://bench.example/", kind: "text/html", bytes, ..Document::default() };
        engine.parse(&document).map(|answer| answer.result.to_xml().len())
    };
    documents.iter().for_each(|bytes| drop(parse(bytes)));
    let start = cpu_time()?;
    let mut written = 0;
    for bytes in (0..rounds).flat_map(|_| &documents) {
        written += parse(bytes).unwrap_or(0);
    }
    let spent = cpu_time()?.saturating_sub(start);
    let count = rounds * documents.len();
    let size: usize = documents.iter().map(Vec::len).sum::<usize>() / documents.len();
    #[expect(clippy::cast_precision_loss, reason = "a few digits are enough")]
    let rate = count as f64 / spent.as_secs_f64().max(0.001);
    say(&format!("{count} documents of {size} bytes on average: {rate:.0} a CPU second ({written} bytes written)"));
    Ok(ExitCode::SUCCESS)
}

/// CPU time of this process, as the kernel counts it, in ticks of a hundredth of a second.
fn cpu_time() -> Result<Duration, String> {
    let stat =
        std::fs::read_to_string("/proc/self/stat").map_err(|error| format!("cannot read the CPU time: {error}"))?;
    let fields: Vec<_> = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    Ok(Duration::from_millis((ticks(11) + ticks(12)) * 10))
}
