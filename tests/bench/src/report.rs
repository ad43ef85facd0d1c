//! The results, for people and for machines.

use crate::meter::Cost;
use crate::server::Counts;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What one visit came to.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) what: String,
    pub(crate) pages: u32,
    pub(crate) expected: u32,
    pub(crate) counts: Counts,
    pub(crate) cost: Cost,
    /// It ended without complaint.
    pub(crate) is_good: bool,
}

impl Line {
    pub(crate) fn is_complete(&self) -> bool {
        self.is_good && self.counts.distinct == u64::from(self.expected)
    }

    pub(crate) fn rate(&self) -> f64 {
        f64::from(self.expected) / self.cost.seconds
    }

    /// CPU seconds for a thousand pages: as many milliseconds for one.
    pub(crate) fn cpu(&self) -> f64 {
        self.cost.cpu * 1_000.0 / f64::from(self.expected)
    }
}

/// What a store takes.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pub(crate) pages: u32,
    pub(crate) bytes: u64,
    /// All records as SOIF,
    pub(crate) soif: u64,
    /// and those packed.
    pub(crate) packed: u64,
    pub(crate) export_seconds: f64,
}

/// All of it.
#[derive(Debug, Default)]
pub(crate) struct Results {
    pub(crate) lines: Vec<Line>,
    pub(crate) stores: Vec<Store>,
    /// How our server does beside nginx, in words.
    pub(crate) server: Option<String>,
    absent: BTreeSet<String>,
}

impl Results {
    pub(crate) fn add(&mut self, line: Line) {
        self.lines.push(line);
    }

    /// This one is not installed.
    pub(crate) fn absent(&mut self, name: &str) {
        self.absent.insert(name.to_owned());
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = String::from(
            "| | pages | fetched | CPU s per 1,000 pages | pages/s | peak MB | file MB read | file MB written | first request |\n\
             |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
        );
        for line in &self.lines {
            let Line { what, pages, expected, counts, cost, .. } = line;
            let Cost { peak, read, written, .. } = cost;
            let (cpu, rate) = if line.is_complete() {
                (format!("{:.2}", line.cpu()), format!("{:.0}", line.rate()))
            } else {
                ("incomplete".to_owned(), String::new())
            };
            let _ = writeln!(
                text,
                "| {what} | {pages} | {} of {expected} | {cpu} | {rate} | {peak:.0} | {read:.0} | {written:.0} | {} ms |",
                counts.distinct, counts.first_ms
            );
        }
        for store in &self.stores {
            let Store { pages, bytes, soif, packed, export_seconds } = store;
            let _ = writeln!(
                text,
                "\nStore of {pages} pages: {:.1} MB, {:.2} of its records packed with zstd ({:.1} MB of {:.1} MB SOIF, \
                 exported in {export_seconds:.1} s).",
                megabytes(*bytes),
                megabytes(*bytes) / megabytes(*packed),
                megabytes(*packed),
                megabytes(*soif),
            );
        }
        if let Some(server) = &self.server {
            let _ = writeln!(text, "\n{server}");
        }
        if !self.absent.is_empty() {
            let names: Vec<_> = self.absent.iter().map(String::as_str).collect();
            let _ = writeln!(text, "\nNot installed, so not measured: {}.", names.join(", "));
        }
        text
    }

    pub(crate) fn json(&self) -> Value {
        let line = |line: &Line| {
            let Line { what, pages, expected, counts, cost, .. } = line;
            json!({
                "what": what,
                "pages": pages,
                "expected": expected,
                "fetched": counts.distinct,
                "complete": line.is_complete(),
                "requests": counts.requests,
                "unchanged": counts.unchanged,
                "served_bytes": counts.bytes,
                "first_request_ms": counts.first_ms,
                "seconds": cost.seconds,
                "cpu_seconds": cost.cpu,
                "peak_megabytes": cost.peak,
                "read_megabytes": cost.read,
                "written_megabytes": cost.written,
            })
        };
        let store = |store: &Store| {
            let Store { pages, bytes, soif, packed, export_seconds } = store;
            json!({ "pages": pages, "bytes": bytes, "soif": soif, "zstd": packed, "export_seconds": export_seconds })
        };
        json!({
            "visits": self.lines.iter().map(line).collect::<Vec<_>>(),
            "stores": self.stores.iter().map(store).collect::<Vec<_>>(),
            "server": self.server,
            "absent": self.absent,
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
