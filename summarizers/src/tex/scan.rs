//! Reads LaTeX and plain TeX in one pass. Nothing is expanded: what commands do is known by their names or not at all.
//!
//! Braces are matched by a stack, so that no argument is looked for twice: what a command does with its argument is
//! done where the argument ends.

use super::paper::Paper;
use super::symbols;
use std::collections::BTreeMap;

/// Deepest braces that are told apart; below, they are only counted.
const DEPTH: usize = 10_000;
/// Longest argument that is taken as it stands, in bytes: a URL, or a list of packages.
const RAW: usize = 4_000;
/// Longest optional argument.
const OPTION: usize = 1_000;
/// Parts the authors, until all are known.
pub(super) const AND: char = '\u{1}';

/// What happens to an argument at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// It is text.
    Text,
    /// It is text, and what follows in braces is a further argument of the same command.
    Argument,
    /// It is left out, and so are as many arguments after it.
    Hidden(usize),
    Title,
    /// A line in the middle: the title of a paper in plain TeX.
    Centred,
    Author,
    Date,
    Keywords,
    Heading,
    Link(String),
}

/// Commands whose arguments are not for readers, and how many there are.
#[rustfmt::skip]
const HIDDEN: &[(&str, usize)] = &[
    ("label", 1), ("ref", 1), ("eqref", 1), ("pageref", 1), ("autoref", 1), ("cref", 1), ("Cref", 1),
    ("cite", 1), ("citep", 1), ("citet", 1), ("citeauthor", 1), ("citeyear", 1), ("nocite", 1),
    ("bibliography", 1), ("bibliographystyle", 1), ("input", 1), ("include", 1), ("includegraphics", 1),
    ("graphicspath", 1), ("vspace", 1), ("hspace", 1), ("setlength", 2), ("addtolength", 2), ("setcounter", 2),
    ("addtocounter", 2), ("pagestyle", 1), ("thispagestyle", 1), ("pagenumbering", 1), ("hypersetup", 1),
    ("index", 1), ("thanks", 1), ("color", 1), ("textcolor", 1), ("definecolor", 3), ("newtheorem", 2),
    ("newenvironment", 3), ("renewenvironment", 3), ("DeclareMathOperator", 2), ("bibitem", 1),
    ("hyphenation", 1), ("fontsize", 2), ("geometry", 1), ("theoremstyle", 1), ("addbibresource", 1),
    ("newcounter", 1), ("newlength", 1), ("rule", 2), ("cline", 1), ("multicolumn", 2), ("phantom", 1),
    ("orcid", 1), ("email", 1), ("selectlanguage", 1), ("captionsetup", 1), ("PassOptionsToPackage", 2),
];

/// Environments whose arguments are not for readers, and how many there are.
const HIDDEN_IN: &[(&str, usize)] = &[
    ("tabular", 1),
    ("tabular*", 2),
    ("tabularx", 2),
    ("array", 1),
    ("longtable", 1),
    ("minipage", 1),
    ("thebibliography", 1),
    ("multicols", 1),
    ("wrapfigure", 2),
];

/// Environments whose text stands as it is.
const VERBATIM: &[&str] = &["verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt"];
/// Environments that are left out.
const LEFT_OUT: &[&str] = &["comment", "filecontents", "filecontents*", "tikzpicture", "picture"];

/// Reads everything.
pub(super) fn scan(text: &str) -> Paper {
    let mut scanner = Scanner {
        text,
        place: 0,
        paper: Paper::default(),
        frames: Vec::new(),
        lost: 0,
        accent: None,
        environments: BTreeMap::new(),
    };
    while scanner.place < text.len() {
        scanner.step();
    }
    scanner.paper
}

struct Scanner<'a> {
    text: &'a str,
    place: usize,
    paper: Paper,
    /// Open braces: what they are for, and where their text begins.
    frames: Vec<(What, usize)>,
    /// Open braces that are too deep.
    lost: usize,
    /// An accent that waits for its letter.
    accent: Option<char>,
    /// Where the text of an environment begins that is kept.
    environments: BTreeMap<&'static str, usize>,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.place..]
    }

    fn step(&mut self) {
        let rest = self.rest();
        let run = rest.find(['\\', '{', '}', '%', '$', '~', '-', '`', '\'', '\n', '&']).unwrap_or(rest.len());
        if run > 0 {
            self.place += run;
            return self.put(&rest[..run]);
        }
        self.place += 1;
        match rest.as_bytes().first() {
            Some(b'\\') => self.command(),
            Some(b'{') => self.open(What::Text),
            Some(b'}') => self.close(),
            Some(b'%') => {
                let comment = self.rest();
                self.place += comment.find('\n').map_or(comment.len(), |end| end + 1);
                self.skip_blanks();
            }
            Some(b'~' | b'&') => self.put(" "),
            Some(b'\n') => {
                let gap = self.rest().trim_start_matches([' ', '\t']).starts_with('\n');
                self.put(if gap { "\n" } else { " " });
            }
            Some(b'$') | None => {}
            Some(mark) => self.ligature(rest, *mark),
        }
    }

    /// Dashes and quotes of several signs.
    fn ligature(&mut self, rest: &str, mark: u8) {
        let run = rest.bytes().take(3).take_while(|byte| *byte == mark).count();
        let (sign, taken) = match (mark, run) {
            (b'-', 3) => ("—", 3),
            (b'-', 2) => ("–", 2),
            (b'`', 2..) => ("“", 2),
            (b'\'', 2..) => ("”", 2),
            (b'`', _) => ("‘", 1),
            _ => (&rest[..1], 1),
        };
        self.place += taken - 1;
        self.put(sign);
    }

    /// Text; the accent that waits goes onto its first letter.
    fn put(&mut self, words: &str) {
        let mut characters = words.chars();
        if let Some(accent) = self.accent.take_if(|_| words.starts_with(char::is_alphanumeric)) {
            match characters.next() {
                Some('ı') => self.paper.out.push('i'),
                Some('ȷ') => self.paper.out.push('j'),
                first => self.paper.out.extend(first),
            }
            self.paper.out.push(accent);
        }
        self.paper.out.push_str(characters.as_str());
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.place += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// Blanks and at most one line break: what TeX passes over behind a command.
    fn skip_space(&mut self) {
        self.skip_blanks();
        let after = self.rest().strip_prefix('\n').map(|rest| rest.trim_start_matches([' ', '\t']));
        if after.is_some_and(|after| !after.starts_with('\n')) {
            self.place += 1;
            self.skip_blanks();
        }
    }

    /// Optional arguments in brackets.
    fn skip_options(&mut self) {
        for _ in 0..4 {
            let rest = self.rest();
            let near = &rest[..rest.floor_char_boundary(OPTION)];
            let Some(end) = near.starts_with('[').then(|| near.find(']')).flatten() else { return };
            self.place += end + 1;
        }
    }

    /// An argument as it stands.
    fn raw(&mut self) -> Option<&'a str> {
        self.skip_space();
        self.skip_options();
        let rest = self.rest();
        let near = rest[..rest.floor_char_boundary(RAW)].strip_prefix('{')?;
        let end = near.find('}')?;
        self.place += end + 2;
        Some(&near[..end])
    }

    fn open(&mut self, what: What) {
        if self.frames.len() < DEPTH {
            self.frames.push((what, self.paper.out.len()));
        } else {
            self.lost += 1;
        }
    }

    fn close(&mut self) {
        self.accent = None;
        if self.lost > 0 {
            self.lost -= 1;
            return;
        }
        let Some((what, start)) = self.frames.pop() else { return };
        let argument = what == What::Argument;
        let hidden = if let What::Hidden(more) = what { Some(more) } else { None };
        self.paper.keep(what, start);
        match hidden {
            Some(more) if more > 0 => self.argument(What::Hidden(more - 1)),
            // What the command does with two arguments is not known, but they are two.
            None if argument && self.rest().starts_with('{') => {
                self.put(" ");
                self.argument(What::Argument);
            }
            _ => {}
        }
    }

    /// Begins the argument of a command, if there is one.
    fn argument(&mut self, what: What) {
        self.skip_space();
        self.skip_options();
        if self.rest().starts_with('{') {
            self.place += 1;
            self.open(what);
        }
    }

    fn command(&mut self) {
        let rest = self.rest();
        let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        if letters == 0 {
            return self.sign();
        }
        let name = &rest[..letters];
        self.place += letters;
        if self.rest().starts_with('*') {
            self.place += 1;
        }
        if name == "verb" || name == "lstinline" {
            return self.verb();
        }
        self.skip_space();
        if let Some(accent) = symbols::accent(name) {
            self.accent = Some(accent);
        } else if let Some(symbol) = symbols::symbol(name) {
            self.put(symbol);
        } else {
            self.named(name);
        }
    }

    /// A command of one sign.
    fn sign(&mut self) {
        let rest = self.rest();
        let Some(sign) = rest.chars().next() else { return };
        self.place += sign.len_utf8();
        match sign {
            '\\' => {
                self.skip_options();
                self.put("\n");
            }
            '[' | ']' => self.put("\n"),
            ' ' | '\n' | '\t' | ',' | ';' | ':' | '>' => self.put(" "),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => self.put(&rest[..1]),
            '(' | ')' | '!' | '/' | '-' | '@' | '<' | '+' => {}
            other => match symbols::accent(other.encode_utf8(&mut [0; 4])) {
                Some(accent) => {
                    self.skip_blanks();
                    self.accent = Some(accent);
                }
                None => self.put(&rest[..sign.len_utf8()]),
            },
        }
    }

    fn named(&mut self, name: &str) {
        match name {
            "title" | "icmltitle" => self.argument(What::Title),
            "author" => self.argument(What::Author),
            "date" => self.argument(What::Date),
            "keywords" => self.argument(What::Keywords),
            "centerline" => self.argument(What::Centred),
            "part" | "chapter" | "section" | "subsection" | "subsubsection" | "paragraph" | "subparagraph" => {
                self.put("\n");
                self.argument(What::Heading);
            }
            "beginsection" => self.plain_heading(),
            "and" | "And" | "AND" => self.paper.out.push(AND),
            "par" | "newline" | "linebreak" | "item" | "bigskip" | "medskip" | "smallskip" | "newpage"
            | "clearpage" => {
                self.put("\n");
            }
            "href" => {
                if let Some(url) = self.raw() {
                    self.argument(What::Link(url.to_owned()));
                }
            }
            "url" | "nolinkurl" => {
                if let Some(url) = self.raw() {
                    self.put(url);
                    self.paper.link(url, "");
                }
            }
            "usepackage" | "RequirePackage" | "documentclass" | "documentstyle" | "LoadClass" => {
                self.paper.latex |= name.starts_with("document");
                let packages = self.raw().unwrap_or_default();
                packages.split(',').for_each(|package| self.paper.packages.push(package));
            }
            "begin" => self.begin(),
            "end" => self.end(),
            "newcommand" | "renewcommand" | "providecommand" | "def" | "gdef" | "edef" | "xdef" => self.definition(),
            "let" => {
                self.skip_command();
                self.place += usize::from(self.rest().starts_with('='));
                self.skip_command();
            }
            _ => {
                self.paper.items += usize::from(name == "bibitem");
                match name {
                    "bibitem" => self.put("\n"),
                    "footnote" | "caption" => self.put(" "),
                    _ => {}
                }
                match HIDDEN.iter().find(|(known, _)| *known == name) {
                    Some((_, count)) => self.argument(What::Hidden(count - 1)),
                    None => self.argument(What::Argument),
                }
            }
        }
    }

    /// `\beginsection Seeds.\par`, up to an empty line.
    fn plain_heading(&mut self) {
        let rest = self.rest();
        let end = rest[..rest.floor_char_boundary(OPTION)].find(['\n', '\\']).unwrap_or(0);
        let start = self.paper.out.len();
        self.place += end;
        self.put(&rest[..end]);
        self.paper.keep(What::Heading, start);
    }

    /// `\verb|...|`
    fn verb(&mut self) {
        let rest = self.rest();
        let Some(mark) = rest.chars().next().filter(|mark| !mark.is_whitespace()) else { return };
        let body = &rest[mark.len_utf8()..];
        let line = &body[..body.find('\n').unwrap_or(body.len())];
        let end = line.find(if mark == '{' { '}' } else { mark }).unwrap_or(line.len());
        self.put(&line[..end]);
        self.place += mark.len_utf8() + (end + mark.len_utf8()).min(line.len());
    }

    fn skip_command(&mut self) {
        self.skip_space();
        if let Some(rest) = self.rest().strip_prefix('\\') {
            let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
            let one = rest.chars().next().map_or(0, char::len_utf8);
            self.place += 1 + if letters > 0 { letters } else { one };
        }
        self.skip_blanks();
    }

    /// `\newcommand{\a}[1]{...}`, `\newcommand\a{...}` and `\def\a#1{...}`
    fn definition(&mut self) {
        if self.rest().starts_with('{') {
            return self.argument(What::Hidden(1));
        }
        self.skip_command();
        self.skip_options();
        let rest = self.rest();
        let parameters = rest[..rest.floor_char_boundary(50)].find(['{', '\n']).unwrap_or(0);
        self.place += parameters;
        self.argument(What::Hidden(0));
    }

    fn begin(&mut self) {
        let Some(name) = self.raw() else { return };
        self.put("\n");
        match name {
            "document" => {
                // What stands before has no text of its own.
                self.paper.out.clear();
                self.frames.clear();
            }
            "abstract" => drop(self.environments.insert("abstract", self.paper.out.len())),
            "keyword" | "keywords" | "IEEEkeywords" => drop(self.environments.insert("keywords", self.paper.out.len())),
            verbatim if VERBATIM.contains(&verbatim) || LEFT_OUT.contains(&verbatim) => {
                let rest = self.rest();
                let end = rest.find(&format!("\\end{{{verbatim}}}")).unwrap_or(rest.len());
                self.place += end;
                if VERBATIM.contains(&verbatim) {
                    self.put(&rest[..end]);
                }
            }
            other => {
                if let Some((_, count)) = HIDDEN_IN.iter().find(|(known, _)| *known == other) {
                    self.argument(What::Hidden(count - 1));
                }
            }
        }
    }

    fn end(&mut self) {
        match self.raw() {
            Some("abstract") => {
                if let Some(start) = self.environments.remove("abstract") {
                    self.paper.keep_abstract(start);
                }
            }
            Some("keyword" | "keywords" | "IEEEkeywords") => {
                if let Some(start) = self.environments.remove("keywords") {
                    self.paper.keep(What::Keywords, start);
                }
            }
            _ => {}
        }
        self.put("\n");
    }
}
