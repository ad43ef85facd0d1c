//! Files of SCCS: who changed what and when, in their own words, and the newest text.

use crate::text::Lines;
use gatherer_pipeline::{Draft, Refusal};
use std::collections::HashSet;

/// Most authors.
const NAMES: usize = 2_000;

/// Writes what the file tells of its deltas. Control lines begin with the character 1.
pub(super) fn write(text: &str, draft: &mut Draft) -> Result<(), Refusal> {
    if !text.starts_with("\u{1}h") {
        return Err(Refusal::Cannot("no SCCS file: it does not begin with its checksum".to_owned()));
    }
    let mut authors = Lines::new(NAMES);
    let (mut dates, mut out, mut description, mut body) = (Vec::new(), String::new(), String::new(), String::new());
    let (mut describing, mut deleted) = (false, HashSet::new());
    for line in text.lines().skip(1) {
        let Some(control) = line.strip_prefix('\u{1}') else {
            if describing {
                description.push_str(line);
                description.push('\n');
            } else if deleted.is_empty() {
                body.push_str(line);
                body.push('\n');
            }
            continue;
        };
        let (control, rest) = control.split_at_checked(1).unwrap_or((control, ""));
        match control {
            "d" => delta(rest, &mut authors, &mut dates, &mut out, draft),
            "c" => out.extend([rest.trim(), "\n"]),
            "t" => describing = true,
            "T" => describing = false,
            // Lines between these were taken out by a delta. The newest text is what no delta took out.
            "D" => drop(deleted.insert(rest.trim())),
            "E" => drop(deleted.remove(rest.trim())),
            _ => {}
        }
    }
    dates.sort_unstable();
    draft.add("Author", &authors.into_text());
    draft.add("Created", dates.first().map_or("", String::as_str));
    draft.add("Modified", dates.last().map_or("", String::as_str));
    draft.add("Description", &description);
    out.push_str(&body);
    draft.set_text(&out);
    Ok(())
}

/// ` D 1.2 94/05/01 12:00:00 ann 2 1`; the newest comes first. The time is that of the machine, wherever it was.
fn delta(line: &str, authors: &mut Lines, dates: &mut Vec<String>, out: &mut String, draft: &mut Draft) {
    let parts: Vec<_> = line.split_whitespace().take(5).collect();
    let &["D", revision, day, time, author] = parts.as_slice() else { return };
    if draft.get("Revision").is_none() {
        draft.add("Revision", revision);
    }
    authors.push(author);
    if let [year @ ("7" | "8" | "9"), rest] = [day.get(..1).unwrap_or_default(), day.get(1..).unwrap_or_default()] {
        dates.push(format!("19{year}{}T{time}", rest.replace('/', "-")));
    } else {
        dates.push(format!("20{}T{time}", day.replace('/', "-")));
    }
    out.extend([revision, ": "]);
}
