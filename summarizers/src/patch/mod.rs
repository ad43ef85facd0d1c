//! Patches, and the files of the revision control systems RCS and SCCS.

mod mail;
mod rcs;
mod sccs;
#[cfg(test)]
mod tests;

use crate::text::{self, Lines};
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};

pub(crate) const KINDS: &[&str] = &["Patch", "RCS", "SCCS"];

/// Most files of one patch.
const FILES: usize = 2_000;

/// Which files a patch changes and by how much; what the head of a mailed patch says.
pub(crate) struct Patch;

impl Summarizer for Patch {
    fn name(&self) -> &'static str {
        concat!("patch ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let (text, mut draft) = text::read(leaf);
        match leaf.kind.name() {
            "RCS" => rcs::write(&text, &mut draft)?,
            "SCCS" => sccs::write(&text, &mut draft)?,
            _ => write(&text, &mut draft),
        }
        Ok(draft)
    }
}

fn write(text: &str, draft: &mut Draft) {
    let mut reading = Reading { files: Lines::new(FILES), ..Reading::default() };
    let mut head = 0;
    for line in text.lines() {
        if Reading::begins(line) {
            break;
        }
        head += line.len() + 1;
    }
    let (head, diff) = text.split_at(head.min(text.len()));
    mail::write(head, draft);
    diff.lines().for_each(|line| reading.line(line));
    if reading.hunks == 0 && reading.files.len() == 0 {
        draft.complain("no change was found in the patch");
    }
    draft.add("Files", &reading.files.into_text());
    for (name, count) in
        [("Hunks", reading.hunks), ("Insertions", reading.insertions), ("Deletions", reading.deletions)]
    {
        draft.add(name, &count.to_string());
    }
    draft.set_text(text);
}

/// What has been read of the changes so far.
#[derive(Debug)]
struct Reading {
    files: Lines,
    hunks: usize,
    insertions: usize,
    deletions: usize,
    /// Lines of the old and of the new file that this unified hunk still has.
    left: (u64, u64),
    /// Within a hunk of a context diff: lines of the old file, or of the new.
    context: Option<Side>,
    /// The old file's name, until the new one is known.
    old: String,
}

impl Default for Reading {
    fn default() -> Self {
        let files = Lines::new(FILES);
        Self { files, hunks: 0, insertions: 0, deletions: 0, left: (0, 0), context: None, old: String::new() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Side {
    Old,
    New,
}

impl Reading {
    /// Whether the changes begin with this line.
    fn begins(line: &str) -> bool {
        ["diff ", "--- a/", "*** ", "Index: ", "@@ -", "Only in "].iter().any(|start| line.starts_with(start))
            || (line.starts_with("--- ") && line.contains('\t'))
            || normal(line)
    }

    fn line(&mut self, line: &str) {
        if self.left != (0, 0) {
            return self.unified(line);
        }
        if let Some(counts) = line.strip_prefix("@@ -").and_then(counts) {
            self.hunks += 1;
            self.left = counts;
        } else if line == "***************" {
            self.hunks += 1;
            self.context = Some(Side::Old);
        } else if self.context.is_some() {
            self.context_line(line);
        } else if normal(line) {
            self.hunks += 1;
        } else {
            self.header(line);
        }
    }

    fn unified(&mut self, line: &str) {
        let (old, new) = self.left;
        match line.bytes().next() {
            Some(b'+') => {
                self.insertions += 1;
                self.left = (old, new.saturating_sub(1));
            }
            Some(b'-') => {
                self.deletions += 1;
                self.left = (old.saturating_sub(1), new);
            }
            // `\ No newline at end of file`
            Some(b'\\') => {}
            // Some mailers cut the space of an empty line.
            Some(b' ' | b'\t') | None => self.left = (old.saturating_sub(1), new.saturating_sub(1)),
            // Less came than was promised.
            Some(_) => {
                self.left = (0, 0);
                self.header(line);
            }
        }
    }

    fn context_line(&mut self, line: &str) {
        let side = self.context;
        match line.get(..2) {
            // A changed line stands on both sides.
            Some("! " | "- ") if side == Some(Side::Old) => self.deletions += 1,
            Some("! " | "+ ") => self.insertions += 1,
            Some("  " | "\\ ") | None => {}
            _ if line.starts_with("*** ") && line.ends_with(" ****") => self.context = Some(Side::Old),
            _ if line.starts_with("--- ") && line.ends_with(" ----") => self.context = Some(Side::New),
            _ => {
                self.context = None;
                self.header(line);
            }
        }
    }

    /// What stands between hunks: names of files, mostly. In plain diffs the changed lines stand here too.
    fn header(&mut self, line: &str) {
        if let Some(names) = line.strip_prefix("diff --git ") {
            // Renamed, empty and binary files have no other line; names with spaces cannot be parted safely.
            if let Some((old, new)) = names.split_once(' ').filter(|(_, new)| !new.contains(' ')) {
                self.file(old, new);
            }
        } else if let Some(name) = line.strip_prefix("--- ").or_else(|| line.strip_prefix("*** ")) {
            // A context diff has `***` and then `---`, a unified one `---` and then `+++`.
            if self.old.is_empty() || line.starts_with("***") {
                name.clone_into(&mut self.old);
            } else {
                self.new_file(name);
            }
        } else if let Some(name) = line.strip_prefix("+++ ") {
            self.new_file(name);
        } else if let Some(name) = line.strip_prefix("Index: ") {
            self.file(name, name);
        } else if line.starts_with("diff ") {
            let mut names = line.split_whitespace().rev();
            let (new, old) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
            self.file(old, new);
        } else if line.starts_with("> ") {
            self.insertions += 1;
        } else if line.starts_with("< ") {
            self.deletions += 1;
        }
    }

    fn new_file(&mut self, name: &str) {
        let old = std::mem::take(&mut self.old);
        self.file(&old, name);
    }

    /// The new name, and the old one if it is another. What was deleted keeps its old name.
    fn file(&mut self, old: &str, new: &str) {
        let (old, new) = (bare(old), bare(new));
        match (old, new) {
            (old, "/dev/null") => self.files.push(old),
            ("/dev/null" | "", new) => self.files.push(new),
            (old, new) => {
                self.files.push(new);
                // Backups made for the patch are no files of their own.
                if old != new && !old.starts_with(new) && !old.ends_with(new) && !new.ends_with(old) {
                    self.files.push(old);
                }
            }
        }
    }
}

/// A file's name without its time, and without the `a/` and `b/` of git.
fn bare(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim().trim_matches('"');
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// How many lines of both files a hunk has: `12,3 +14,5 @@`.
fn counts(rest: &str) -> Option<(u64, u64)> {
    let (old, rest) = rest.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let count = |range: &str| range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok());
    Some((count(old)?, count(new)?))
}

/// Whether the line is a command of a plain diff: `5,7c8`, `3a4`, `9d8`.
fn normal(line: &str) -> bool {
    let Some(place) = line.find(['a', 'c', 'd']).filter(|_| line.len() <= 50) else { return false };
    let is_range = |range: &str| {
        !range.is_empty()
            && range.split(',').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_range(&line[..place]) && is_range(&line[place + 1..])
}
