//! One root node of Harvest: `URL URL=100,filter Host=2,filter Access=HTTP|FTP Delay=1 Depth=3 Search=Breadth Enumeration=program`.

use super::cf::Line;
use super::files::Filter;
use super::{Importer, list, span, urls_of};
use crate::value::quoted;
use gatherer_pipeline::Access;
use std::fmt::Write;
use url::Url;

/// Where a root node starts.
pub(super) enum Start {
    Url(Url),
    /// A program that prints URLs, with its arguments.
    Program(Vec<String>),
}

/// What Harvest took where nothing was said.
const URL_MAX: u64 = 250;

/// A root node as it was written.
struct Spec {
    start: Start,
    options: Vec<(String, String)>,
}

impl Importer<'_> {
    pub(super) fn root_node(&mut self, line: &Line) {
        let Some(Spec { start, options }) = self.spec(line) else { return };
        let mut out = format!("\n# Line {}.\n[[root-node]]\n", line.number);
        match &start {
            Start::Url(url) => {
                if !self.claim(url, line.number) {
                    return;
                }
                let _ = writeln!(out, "url = {}", quoted(url.as_str()));
                self.name_root_node(&mut out, url);
            }
            Start::Program(words) => {
                let _ = writeln!(out, "# Each line that it prints is a URL to gather, or a root node in nine fields.");
                let _ = writeln!(out, "enumeration = {}", list(words));
                self.name_program(&mut out, words);
            }
        }
        let own = if let Start::Url(url) = &start { Access::of(url) } else { None };
        // A program in the place of a URL is the one that names URLs.
        let options: Vec<_> = options.into_iter().filter(|(key, _)| own.is_some() || key != "enumeration").collect();
        self.limits(&mut out, (line.number, own), &options);
        let host = if let Start::Url(url) = &start { url.host_str().unwrap_or_default() } else { "" };
        self.login(&mut out, host);
        self.nodes.push_str(&out);
    }

    /// Splits a line into what it starts at and its options.
    fn spec(&mut self, line: &Line) -> Option<Spec> {
        let text = line.text.trim();
        let (is_program, text) = text.strip_prefix('|').map_or((false, text), |rest| (true, rest.trim()));
        let (mut words, mut options) = (Vec::new(), Vec::new());
        for word in text.split_whitespace() {
            match word.split_once('=') {
                Some((key, value)) if OPTIONS.iter().any(|option| key.eq_ignore_ascii_case(option)) => {
                    options.push((key.to_ascii_lowercase(), value.to_owned()));
                }
                _ => words.push(word.to_owned()),
            }
        }
        if words.is_empty() {
            self.remark(line.number, "a root node without a URL; left out");
            return None;
        }
        if is_program {
            return Some(Spec { start: Start::Program(self.program(line.number, words)), options });
        }
        for word in words.iter().skip(1) {
            self.remark(line.number, format!("`{word}` is no option that Harvest had; left out"));
        }
        let url = self.url(line.number, &words[0])?;
        Some(Spec { start: Start::Url(url), options })
    }

    fn limits(&mut self, out: &mut String, (line, own): (usize, Option<Access>), options: &[(String, String)]) {
        let said = |names: &[&str]| options.iter().rfind(|(key, _)| names.contains(&&**key)).map(|(_, value)| &**value);
        let (most, filter) = halves(said(&["url", "url-max"]));
        match most.map(|most| self.number(line, "URL=", most)) {
            Some(Some(most)) => {
                let _ = writeln!(out, "url-max = {}", most.max(1));
            }
            _ => {
                let _ = writeln!(out, "# Harvest's own limit, as nothing else was said.\nurl-max = {URL_MAX}");
            }
        }
        if let Some(rules) = filter.and_then(|file| self.filter(line, file, "url-filter", Filter::Url)) {
            let _ = writeln!(out, "{rules}");
        }
        let (most, filter) = halves(said(&["host", "host-max", "site"]));
        let most = most.and_then(|most| self.number(line, "Host=", most)).unwrap_or(1).max(1);
        let _ = writeln!(out, "host-max = {most}");
        match filter {
            Some(file) => {
                if let Some(rules) = self.filter(line, file, "host-filter", Filter::Host) {
                    let _ = writeln!(out, "{rules}");
                }
            }
            None if most > 1 => {
                let _ = writeln!(
                    out,
                    "# Harvest followed references to any host, up to that number.\nhost-filter = ['allow .']"
                );
            }
            None => {}
        }
        self.manners(out, (line, own), &said);
    }

    fn manners<'o>(
        &mut self,
        out: &mut String,
        (line, own): (usize, Option<Access>),
        said: &dyn Fn(&[&str]) -> Option<&'o str>,
    ) {
        if let Some(access) = said(&["access"]) {
            let mut methods = self.access(line, access);
            // Harvest asked this of references only, and never of where it starts.
            let own = own.map(|own| own.name().to_owned()).filter(|own| !methods.is_empty() && !methods.contains(own));
            methods.extend(own);
            if !methods.is_empty() {
                let _ = writeln!(out, "access = {}", list(&methods));
            }
        }
        if let Some(delay) = said(&["delay"]).and_then(|delay| self.number(line, "Delay=", delay)) {
            let _ = writeln!(out, "delay = {}", span(delay));
        }
        if let Some(depth) = said(&["depth"]).and_then(|depth| self.number(line, "Depth=", depth)) {
            let _ = writeln!(out, "depth = {depth}");
        }
        match said(&["search"]).map(str::to_ascii_lowercase).as_deref() {
            Some("breadth") => out.push_str("order = \"breadth\"\n"),
            Some("depth") => out.push_str("order = \"depth\"\n"),
            Some(other) => self.remark(line, format!("Search={other} is neither Breadth nor Depth; left out")),
            None => {}
        }
        if let Some(program) = said(&["enumeration"]).filter(|program| !program.is_empty()) {
            let words = self.program(line, vec![program.to_owned()]);
            let _ = writeln!(out, "enumeration = {}", list(&words));
        }
    }

    fn access(&mut self, line: usize, text: &str) -> Vec<String> {
        let mut methods: Vec<String> = Vec::new();
        for word in text.split(['|', ',']).filter(|word| !word.is_empty()) {
            match word.to_ascii_lowercase().as_str() {
                "http" | "https" => methods.push("http".to_owned()),
                "ftp" => methods.push("ftp".to_owned()),
                "file" => methods.push("file".to_owned()),
                _ => self.remark(line, format!("Access={word}: there is no such access method here; left out")),
            }
        }
        let mut once: Vec<String> = Vec::new();
        methods.into_iter().for_each(|method| {
            if !once.contains(&method) {
                once.push(method);
            }
        });
        once
    }

    /// Single documents, together in one root node, and programs that name some.
    pub(super) fn leaf_nodes(&mut self, lines: &[Line]) {
        let mut leaves: Vec<Url> = Vec::new();
        for line in lines {
            let text = line.text.trim();
            if let Some(command) = text.strip_prefix('|') {
                let words = command.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                if words.is_empty() {
                    self.remark(line.number, "a leaf node without a program; left out");
                    continue;
                }
                let words = self.program(line.number, words);
                let mut out = format!(
                    "\n# Line {}: each line that it prints is a document; nothing is followed from there.\n[[root-node]]\nenumeration = {}\ndepth = 1\n",
                    line.number,
                    list(&words)
                );
                self.name_program(&mut out, &words);
                self.nodes.push_str(&out);
                continue;
            }
            for word in text.split_whitespace().skip(1) {
                self.remark(line.number, format!("`{word}` behind a leaf node; left out"));
            }
            let word = text.split_whitespace().next().unwrap_or_default();
            if let Some(url) = self.url(line.number, word).filter(|url| !leaves.contains(url)) {
                leaves.push(url);
            }
        }
        if leaves.is_empty() {
            return;
        }
        let mut methods: Vec<_> = leaves.iter().filter_map(Access::of).map(|access| access.name().to_owned()).collect();
        methods.sort();
        methods.dedup();
        let hosts: std::collections::BTreeSet<_> = leaves.iter().filter_map(Url::host_str).collect();
        let _ = writeln!(
            self.nodes,
            "\n# Harvest's leaf nodes: single documents.\n[[root-node]]\nname = \"leaf nodes\"\nleaves = {}\naccess = {}\nurl-max = {}\nhost-max = {}",
            urls_of(&leaves),
            list(&methods),
            leaves.len().max(usize::try_from(URL_MAX).unwrap_or(250)),
            hosts.len().max(1)
        );
    }
}

/// What may stand behind a URL; `Site=` is an old name of `Host=`.
const OPTIONS: [&str; 10] =
    ["URL", "URL-Max", "Host", "Host-Max", "Site", "Access", "Delay", "Depth", "Search", "Enumeration"];

/// `100,filter` -> both halves.
fn halves(text: Option<&str>) -> (Option<&str>, Option<&str>) {
    match text.map(|text| text.split_once(',').map_or((text, None), |(most, file)| (most, Some(file)))) {
        Some((most, file)) => (Some(most).filter(|most| !most.is_empty()), file.filter(|file| !file.is_empty())),
        None => (None, None),
    }
}
