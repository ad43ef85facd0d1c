//! Files that a Harvest gatherer's configuration names, or that lie where its programs looked for them.

use super::{Importer, list};
use crate::rules::RuleFile;
use crate::value::quoted;
use regex::Regex;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a filter is tried on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    Url,
    Host,
}

impl Importer<'_> {
    /// A file that is here: as it is named, in the gatherer's directories, or beside its configuration.
    pub(super) fn find(&self, name: &str) -> Option<PathBuf> {
        let mut places: Vec<PathBuf> = self.homes.iter().map(|home| home.join(name)).collect();
        places.insert(0, self.directory.join(name));
        let found = places.into_iter().find(|path| path.exists())?;
        Some(found.canonicalize().unwrap_or(found))
    }

    /// A file of patterns as rules of ours, one `key = [...]`.
    pub(super) fn filter(&mut self, line: usize, name: &str, key: &str, filter: Filter) -> Option<String> {
        let Some(path) = self.find(name) else {
            self.remark(
                line,
                format!("the filter file {name} is not here: without it more is gathered; write `{key}` by hand"),
            );
            return Some(format!("# {key}: the filter file {name} was not found."));
        };
        let Ok(file) = RuleFile::read(&path) else {
            self.remark(line, format!("the filter file {} cannot be read; write `{key}` by hand", path.display()));
            return None;
        };
        let mut rules = Vec::new();
        for (index, text) in file.text().lines().enumerate() {
            rules.extend(self.filter_rule(line, (&path, index + 1), text, filter));
        }
        if rules.is_empty() {
            self.remark(line, format!("the filter file {} has no rule; left out", path.display()));
            return None;
        }
        let rules: String = rules.iter().map(|rule| format!("    {},\n", quoted(rule))).collect();
        Some(format!("# From {}.\n{key} = [\n{rules}]", path.display()))
    }

    fn filter_rule(&mut self, line: usize, (path, at): (&Path, usize), text: &str, filter: Filter) -> Option<String> {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let (verdict, pattern) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (verdict, pattern) = (verdict.to_ascii_lowercase(), pattern.trim());
        let place = format!("{} line {at}", path.display());
        if !matches!(&*verdict, "allow" | "deny") || pattern.is_empty() {
            self.remark(line, format!("{place}: `{text}` is no rule; left out"));
            return None;
        }
        if let Err(error) = Regex::new(pattern) {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            self.remark(
                line,
                format!("{place}: `{pattern}` cannot be used as a regular expression here ({reason}); left out"),
            );
            return None;
        }
        let digits = pattern.trim_start_matches('^');
        if filter == Filter::Host && digits.starts_with(|c: char| c.is_ascii_digit()) {
            let what = "Harvest tried host filters on addresses too, here they see names only";
            self.remark(line, format!("{place}: `{pattern}`: {what}"));
        }
        Some(format!("{verdict} {pattern}"))
    }

    /// What lies in the gatherer's own directories counted without a word in its configuration.
    pub(super) fn lib_files(&mut self) {
        let tables = [("byurl.cf", "by-url-file"), ("byname.cf", "by-name-file"), ("bycontent.cf", "by-content-file")];
        let mut recognition = String::new();
        for (name, key) in tables {
            if let Some(path) = self.find(name).filter(|path| path.is_file()) {
                let _ = writeln!(recognition, "{key} = {}", quoted(&path.to_string_lossy()));
                if key == "by-content-file" {
                    self.remark(0, "bycontent.cf was tried on what `file` said of a document; here it is tried on the document itself");
                }
            }
        }
        if !recognition.is_empty() {
            let _ = write!(self.sections, "\n[recognition]\n{recognition}");
        }
        for (name, key) in [("HTML.sum.tbl", "html-table-file"), ("quick-sum.cf", "quick-sum-file")] {
            if let Some(path) = self.find(name).filter(|path| path.is_file()) {
                let _ = writeln!(self.summaries, "{key} = {}", quoted(&path.to_string_lossy()));
            }
        }
        if let Some(kinds) = self.kinds_in("stoplist.cf", 0) {
            let _ = writeln!(self.selection, "# From stoplist.cf.\nstop-kinds = {}", list(&kinds));
        }
        self.own_summarizers();
    }

    /// Type names of a file, one a line.
    pub(super) fn kinds_in(&mut self, name: &str, line: usize) -> Option<Vec<String>> {
        let Some(path) = self.find(name) else {
            if line > 0 {
                self.remark(line, format!("the list of types {name} is not here; left out"));
            }
            return None;
        };
        let file = RuleFile::read(&path).ok()?;
        let words = file.text().lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned());
        Some(words.filter(|word| !word.is_empty()).collect::<Vec<_>>()).filter(|kinds| !kinds.is_empty())
    }

    /// Programs that somebody has put into `bin/`.
    fn own_summarizers(&mut self) {
        let Some(bin) = self.find("bin").filter(|bin| bin.is_dir()) else { return };
        let files = std::fs::read_dir(bin).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut programs: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|ending| ending == "sum")).collect();
        programs.sort();
        for path in programs {
            let Some(kind) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            let _ = write!(
                self.tables,
                "\n# A summarizer of its own. It runs with your rights.\n[[summarizer]]\nkinds = {}\nprogram = {}\n",
                list(&[kind]),
                list(&[path.to_string_lossy()])
            );
        }
        if let Some(path) = self.find("bin/Exploder.unnest") {
            self.remark(
                0,
                format!("{} unpacked documents of a type of its own: write a plugin instead", path.display()),
            );
        }
    }

    /// Who may connect, from the daemon's own file.
    pub(super) fn daemon_access(&mut self, data: &str) {
        let Some(path) = self.find(&format!("{data}/gatherd.cf")) else { return };
        let Ok(file) = RuleFile::read(&path) else { return };
        let mut rules = Vec::new();
        for line in file.text().lines() {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let verdict = words.next().unwrap_or_default().to_ascii_lowercase();
            if matches!(&*verdict, "allow" | "deny") {
                rules.extend(words.map(|who| format!("{verdict} {}", who.to_ascii_lowercase())));
            }
        }
        // What stands behind a rule about everybody is never heard.
        if let Some(all) = rules.iter().position(|rule| rule.ends_with(" all")) {
            rules.truncate(all + 1);
        }
        if !rules.is_empty() {
            let _ = writeln!(self.broker, "# From {}.\naccess = {}", path.display(), list(&rules));
        }
    }
}
