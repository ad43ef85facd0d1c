//! A Harvest gatherer's configuration, read line by line: variables, root nodes, leaf nodes, and what is none of these.

use super::Remark;

/// A line that means something; continued ones are one.
pub(super) struct Line {
    pub(super) number: usize,
    pub(super) text: String,
}

/// `Name: value`.
pub(super) struct Variable {
    pub(super) line: usize,
    pub(super) name: String,
    pub(super) value: String,
}

impl Variable {
    /// Whether it can be said more than once.
    pub(super) fn is_repeatable(&self) -> bool {
        ["local-mapping", "ftp-auth", "http-basic-auth"].iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }
}

/// What stands in the file.
#[derive(Default)]
pub(super) struct Cf {
    pub(super) variables: Vec<Variable>,
    pub(super) root_nodes: Vec<Line>,
    pub(super) leaf_nodes: Vec<Line>,
    /// What could not be understood.
    pub(super) faults: Vec<Remark>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Top,
    RootNodes,
    LeafNodes,
}

impl Cf {
    pub(super) fn read(text: &str) -> Self {
        let mut cf = Self::default();
        let mut part = (Part::Top, 0);
        for line in lines(text) {
            match tag(&line.text) {
                Some(("rootnodes", true)) => part = (Part::RootNodes, line.number),
                Some(("leafnodes", true)) => part = (Part::LeafNodes, line.number),
                Some(("rootnodes" | "leafnodes", false)) => part = (Part::Top, 0),
                Some(_) => cf.fault(line.number, "this is no section that Harvest's gatherer had; left out"),
                None => match part.0 {
                    Part::Top => cf.variable(line),
                    Part::RootNodes => cf.root_nodes.push(line),
                    Part::LeafNodes => cf.leaf_nodes.push(line),
                },
            }
        }
        if part.0 != Part::Top {
            cf.fault(part.1, "this begins a section that never ends; all lines up to the end are taken as part of it");
        }
        cf
    }

    fn variable(&mut self, line: Line) {
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        match line.text.split_once(':') {
            Some((name, value)) if is_name(name.trim()) => {
                let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
                self.variables.push(Variable { line: line.number, name, value });
            }
            _ => self
                .fault(line.number, "this line is neither `Name: value` nor in <RootNodes> or <LeafNodes>; left out"),
        }
    }

    fn fault(&mut self, line: usize, text: &str) {
        self.faults.push(Remark { line, text: text.to_owned() });
    }
}

/// The name of a tag in small letters, and whether it opens something.
fn tag(text: &str) -> Option<(&'static str, bool)> {
    let inner = text.trim().strip_prefix('<')?.strip_suffix('>')?.trim().to_ascii_lowercase();
    let (name, opens) = inner.strip_prefix('/').map_or((&*inner, true), |name| (name, false));
    Some(match name.trim() {
        "rootnodes" => ("rootnodes", opens),
        "leafnodes" => ("leafnodes", opens),
        _ => ("", opens),
    })
}

/// Lines without comments; a backslash at the end continues one.
fn lines(text: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let line = without_comment(line);
        let (line, continues) = match line.trim_end().strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.text.push(' ');
                last.text.push_str(line.trim());
            }
            None => lines.push(Line { number: index + 1, text: line.trim_end().to_owned() }),
        }
        goes_on = continues;
    }
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

/// A `#` inside of a word is part of a URL.
fn without_comment(line: &str) -> &str {
    let begins = |place: usize| line[..place].chars().next_back().is_none_or(char::is_whitespace);
    let comment = line.match_indices('#').map(|(place, _)| place).find(|place| begins(*place));
    comment.map_or(line, |place| &line[..place])
}
