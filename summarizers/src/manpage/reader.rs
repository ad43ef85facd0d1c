//! Reads troff line by line: requests and macros of -man, -mdoc, -ms, -me and -mm, as far as they carry words.
//!
//! Nothing is executed: definitions are passed over, and of conditions only `n` (the output is a terminal) is known.

use super::escapes::{Strings, arguments, plain};
use super::mdoc;
use super::page::{Into, Page};
use std::collections::HashSet;

/// Most strings and macros that a document may define.
const DEFINED: usize = 1_000;
/// Most bytes of a string.
const STRING: usize = 1_000;
/// Most conditions before a request in one line.
const CONDITIONS: usize = 20;

/// What the head of a page gives.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) section: String,
    pub(super) date: String,
    pub(super) source: String,
    pub(super) manual: String,
    pub(super) includes: Vec<String>,
}

/// The state between lines.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) page: Page,
    pub(super) head: Head,
    strings: Strings,
    macros: HashSet<String>,
    /// The request that ends what is passed over.
    skip: Option<String>,
    /// Braces of a condition that does not hold.
    braces: usize,
    /// What the last `.ie` found.
    held: bool,
    mdoc: bool,
    /// What the page is about, by its first `.Nm`.
    subject: String,
    table: Option<Table>,
}

/// A table: the sign between columns, and whether its rows have begun.
#[derive(Debug)]
struct Table {
    tab: char,
    rows: bool,
}

impl Reader {
    /// Reads everything.
    pub(super) fn read(text: &str) -> Self {
        let mut reader = Self {
            page: Page::new(),
            head: Head::default(),
            strings: Strings::new(),
            macros: HashSet::new(),
            skip: None,
            braces: 0,
            held: false,
            mdoc: false,
            subject: String::new(),
            table: None,
        };
        text.lines().for_each(|line| reader.line(line));
        reader.page.end_heading();
        reader
    }

    fn line(&mut self, line: &str) {
        if let Some(end) = &self.skip {
            if line.trim_end() == end {
                self.skip = None;
            }
            return;
        }
        if self.braces > 0 {
            self.braces = (self.braces + line.matches("\\{").count()).saturating_sub(line.matches("\\}").count());
            return;
        }
        let mut line = line;
        for _ in 0..CONDITIONS {
            let Some(request) = line.strip_prefix(['.', '\'']) else { return self.words(line) };
            let request = request.trim_start();
            let end = request.find(|c: char| c.is_whitespace() || c == '\\').unwrap_or(request.len());
            let (name, rest) = request.split_at(end);
            match self.conditional(name, rest) {
                Condition::None => return self.request(name, rest),
                Condition::Holds(next) => line = next,
                Condition::Fails => return,
            }
        }
    }

    /// Takes the condition off a line.
    fn conditional<'a>(&mut self, name: &str, rest: &'a str) -> Condition<'a> {
        let (holds, body) = match name {
            "if" | "ie" => holds(rest),
            "el" => (!self.held, rest),
            _ => return Condition::None,
        };
        if name == "ie" {
            self.held = holds;
        }
        if holds {
            return Condition::Holds(body.trim_start().trim_start_matches("\\{").trim_start_matches('\\').trim_start());
        }
        self.braces = body.matches("\\{").count().saturating_sub(body.matches("\\}").count());
        Condition::Fails
    }

    fn plain(&self, text: &str) -> String {
        plain(text, &self.strings)
    }

    fn words(&mut self, line: &str) {
        if let Some(table) = &mut self.table {
            if !table.rows {
                return table.format(line);
            }
            let tab = table.tab;
            let bare = line.trim_start_matches("T}").trim_end_matches("T{");
            let cells = self.plain(bare).replace(tab, "  ");
            if cells.contains(char::is_alphanumeric) {
                self.page.words(&cells);
                self.page.end_line();
            }
            return;
        }
        if line.trim().is_empty() {
            return self.page.end_paragraph();
        }
        // Lines that begin with a space begin anew.
        if line.starts_with(' ') {
            self.page.end_line();
        }
        let words = self.plain(line);
        if !words.trim().is_empty() {
            self.page.words(&words);
        }
    }

    fn request(&mut self, name: &str, rest: &str) {
        match name {
            "de" | "am" | "de1" | "dei" | "ami" => {
                let names = arguments(rest);
                if let Some(defined) = names.first().filter(|_| self.macros.len() < DEFINED) {
                    self.macros.insert(defined.clone());
                }
                self.skip = Some(names.get(1).map_or("..".to_owned(), |end| format!(".{end}")));
            }
            "ig" => self.skip = Some(arguments(rest).first().map_or("..".to_owned(), |end| format!(".{end}"))),
            "PS" => self.skip = Some(".PE".to_owned()),
            "[" => self.skip = Some(".]".to_owned()),
            "G1" => self.skip = Some(".G2".to_owned()),
            "ds" | "as" => self.define(rest),
            "TS" => self.table = Some(Table { tab: '\t', rows: false }),
            "TE" => self.table = None,
            "T&" => {
                if let Some(table) = &mut self.table {
                    table.rows = false;
                }
            }
            _ => {
                let arguments: Vec<_> = arguments(rest).iter().map(|argument| self.plain(argument)).collect();
                self.called(name, &arguments);
            }
        }
    }

    /// A string; its own escapes are read now, so that nothing can refer to itself.
    fn define(&mut self, rest: &str) {
        let rest = rest.trim_start();
        let (name, value) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let value = value.trim_start().strip_prefix('"').unwrap_or(value.trim_start());
        let mut value = self.plain(&value[..value.floor_char_boundary(STRING)]);
        value.truncate(value.floor_char_boundary(STRING));
        if self.strings.len() < DEFINED {
            self.strings.entry(name.to_owned()).or_insert(value);
        }
    }

    fn called(&mut self, name: &str, arguments: &[String]) {
        let first = arguments.first().map(String::as_str).unwrap_or_default();
        match name {
            "TH" | "Dt" | "Dd" | "Os" | "ND" | "DA" | "so" => self.title_line(name, arguments),
            "SH" | "SS" | "Sh" | "Ss" => {
                self.mdoc |= matches!(name, "Sh");
                // In -ms the only argument is a size, or there is none.
                let words =
                    if first.bytes().all(|byte| byte.is_ascii_digit()) { String::new() } else { arguments.join(" ") };
                self.page.heading(&words);
            }
            "NH" => self.page.heading(""),
            "H" | "sh" => self.page.heading(&arguments.get(1..).unwrap_or_default().join(" ")),
            "HU" | "uh" | "+c" | "$p" => self.page.heading(&arguments.join(" ")),
            "TL" => self.page.begin(Into::Title),
            "AU" => {
                self.page.begin(Into::Author);
                if !first.is_empty() && !first.bytes().all(|byte| byte.is_ascii_digit()) {
                    self.page.words(first);
                }
            }
            "AI" => self.page.begin(Into::Organization),
            "AB" | "AS" => self.page.begin(Into::Abstract),
            "AE" => self.page.begin(Into::Nothing),
            "nf" | "EX" | "Vb" | "DS" | "Bd" | "EQ" | "CS" | "(l" => self.fill(false),
            "fi" | "EE" | "Ve" | "DE" | "Ed" | "EN" | "CE" | ")l" => self.fill(true),
            "UR" | "URL" | "Lk" => {
                self.page.link(first);
                let words = if name == "UR" { "" } else { arguments.get(1).map_or(first, String::as_str) };
                self.page.words(words);
            }
            "BR" | "BI" | "RB" | "RI" | "IB" | "IR" if !self.mdoc => self.page.words(&arguments.concat()),
            _ if self.mdoc && mdoc::is_known(name) => self.mdoc_line(name, arguments),
            "B" | "I" | "R" | "SM" | "SB" | "CW" | "UL" | "UX" | "b" | "i" | "r" | "q" | "u" | "bi" => {
                self.page.words(&arguments.join(" "));
            }
            "IP" | "ip" | "LI" | "XP" => {
                self.page.end_paragraph();
                self.page.words(first);
                self.page.end_line();
            }
            "PP" | "LP" | "P" | "Pp" | "pp" | "lp" | "TP" | "TQ" | "HP" | "sp" | "RS" | "RE" | "np" | "QP" | "Sp"
            | "bp" | "Bl" | "El" => self.page.end_paragraph(),
            "br" | "ce" | "in" | "ti" | "PD" => self.page.end_line(),
            // What the document defines mostly sets words in some font.
            _ if self.macros.contains(name) && name != "IX" => self.page.words(&arguments.join(" ")),
            _ => {}
        }
    }

    fn title_line(&mut self, name: &str, arguments: &[String]) {
        let get = |place: usize| arguments.get(place).cloned().unwrap_or_default();
        let head = &mut self.head;
        match name {
            "TH" => {
                (head.name, head.section, head.date) = (get(0), get(1), get(2));
                (head.source, head.manual) = (get(3), get(4));
            }
            "Dt" => (head.name, head.section, head.manual) = (get(0), get(1), get(2)),
            "Os" => head.source = arguments.join(" "),
            "so" if head.includes.len() < DEFINED => head.includes.push(get(0)),
            "Dd" | "ND" | "DA" => {
                head.date = arguments.join(" ");
                self.page.end_paragraph();
            }
            _ => {}
        }
        self.mdoc |= matches!(name, "Dt" | "Dd");
    }

    fn mdoc_line(&mut self, name: &str, arguments: &[String]) {
        if name == "It" || name == "Fd" || name == "An" {
            self.page.end_line();
        }
        // `.An -nosplit` and its like concern the form only.
        let form = name == "An" && arguments.first().is_some_and(|first| first.starts_with('-'));
        let words = mdoc::words(name, arguments, &mut self.subject);
        if !form {
            self.page.words(&words);
        }
        if name == "It" {
            self.page.end_line();
        }
    }

    fn fill(&mut self, fill: bool) {
        self.page.end_line();
        self.page.fill = fill;
        self.page.end_line();
    }
}

impl Table {
    /// A line of options ends with a semicolon, the last line of formats with a full stop.
    fn format(&mut self, line: &str) {
        let line = line.trim_end();
        if let Some(place) = line.find("tab(").filter(|_| line.ends_with(';')) {
            self.tab = line[place + 4..].chars().next().unwrap_or('\t');
        }
        self.rows = line.ends_with('.');
    }
}

enum Condition<'a> {
    /// There is none.
    None,
    Holds(&'a str),
    Fails,
}

/// Whether a condition holds on a terminal, and what depends on it. What cannot be known does not hold.
fn holds(text: &str) -> (bool, &str) {
    let text = text.trim_start();
    let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    let Some(first) = text.chars().next() else { return (false, "") };
    let rest = &text[first.len_utf8()..];
    let (holds, rest) = match first {
        'n' | 'o' => (true, rest),
        't' | 'e' => (false, rest),
        mark @ ('\'' | '"') => {
            let mut parts = rest.splitn(3, mark);
            let (left, right) = (parts.next(), parts.next());
            (left == right && right.is_some(), parts.next().unwrap_or_default())
        }
        _ => return (false, text.split_once(' ').map_or("", |(_, rest)| rest)),
    };
    (holds != negated, rest)
}
