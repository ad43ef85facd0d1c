//! The operator's tables: `[[summarizer]]`, `[[kind]]` and `[[rule]]`.

use crate::complaint::{Complaint, Place, Source};
use crate::root_node::complain_of_short_life;
use crate::section::Section;
use crate::shape::Shape;
use crate::value::{self, Checked, Item, fault};
use gatherer_pipeline::Summary;
use regex::Regex;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What a kind rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voter {
    /// The whole URL.
    Url,
    /// The file name.
    Name,
    /// The body.
    Content,
}

/// The operator's word on what a resource is; tried before the built-in tables.
#[derive(Debug, Clone)]
pub struct KindRule {
    /// What the pattern is tried on.
    pub voter: Voter,
    /// What it looks for.
    pub pattern: Regex,
    /// The kind that a match means.
    pub kind: String,
}

impl KindRule {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, _: usize) -> Option<Self> {
        let voters = [("url", Voter::Url), ("name", Voter::Name), ("content", Voter::Content)];
        let voter = section.must("voter", value::choice(&voters));
        let pattern = section.must("pattern", value::regex);
        let kind = section.must("kind", value::some_text);
        if kind
            .as_ref()
            .is_some_and(|kind| !kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)))
        {
            section.complain_of("kind", Complaint::new("a kind is one word of letters, digits, `-`, `_` and `.`"));
        }
        Some(Self { voter: voter?, pattern: pattern?, kind: kind? })
    }
}

/// A pattern for lines that become an attribute.
#[derive(Debug, Clone)]
pub struct QuickSumText {
    /// The kind of document.
    pub kind: String,
    /// The attribute.
    pub attribute: String,
    /// What its lines look like.
    pub pattern: Regex,
}

impl QuickSumText {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, _: usize) -> Option<Self> {
        let kind = section.must("kind", value::some_text);
        let attribute = section.must("attribute", value::some_text);
        let pattern = section.must("pattern", value::regex);
        let is_name =
            |name: &String| name.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'}' | b'@'));
        if attribute.as_ref().is_some_and(|name| !is_name(name)) {
            let complaint = Complaint::new("no name that an attribute can have");
            section.complain_of("attribute", complaint.label("expected a word without braces"));
        }
        Some(Self { kind: kind?, attribute: attribute?, pattern: pattern? })
    }
}

/// A program that summarizes documents in the manner of Harvest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramText {
    /// As written into records.
    pub name: String,
    /// The kinds it takes.
    pub kinds: Vec<String>,
    /// The program,
    pub program: PathBuf,
    /// and its first arguments.
    pub arguments: Vec<String>,
    /// The longest it may take, if not what `[summaries]` says.
    pub limit: Option<Duration>,
    /// The most it may print, if not what `[summaries]` says.
    pub output_limit: Option<usize>,
    /// Whether it may open connections.
    pub network: bool,
    /// Where the program is named.
    pub place: Place,
}

impl ProgramText {
    /// None if a key is missing or bad, of which there is a complaint then.
    pub(crate) fn read(section: &mut Section<'_, '_>, number: usize) -> Option<Self> {
        let words = section.must("program", value::texts);
        let program = words.and_then(|words| section.program("program", words));
        let file_name = program.as_ref().and_then(|(program, _)| Some(program.file_name()?.to_str()?.to_owned()));
        let name = section.name(file_name.unwrap_or_else(|| format!("summarizer {number}")), "its program");
        let kinds = section.must("kinds", value::texts);
        let (limit, output_limit) = (section.maybe("limit", value::limit), section.maybe("output-limit", value::size));
        let network = section.maybe("network", value::flag).unwrap_or_default();
        let place = section.place("program").expect("a [[summarizer]] stands in a file");
        let (program, arguments) = program?;
        Some(Self { name, kinds: kinds?, program, arguments, limit, output_limit, network, place })
    }
}

/// A rule over summaries as the operator wrote it; whoever understands conditions compiles it, and complains at its
/// place with [`Settings::complain`](crate::Settings::complain). What it does is done in the order of the fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleText {
    /// For reports: the operator's name for it, that of its file, or `rule N`.
    pub name: String,
    /// The condition.
    pub when: String,
    /// Attributes to write, in the operator's order.
    pub set: Vec<(String, String)>,
    /// Attributes to let a program change, in the operator's order.
    pub filter: Vec<(String, CommandText)>,
    /// Attributes to give to a program together, in the operator's order.
    pub pass: Vec<(Vec<String>, CommandText)>,
    /// Another URL for the record: a regular expression, and what comes into the place of its match.
    pub url: Option<(String, String)>,
    /// Another SOIF template type.
    pub template: Option<String>,
    /// Attributes to take away.
    pub remove: Vec<String>,
    /// Another life for its record.
    pub time_to_live: Option<Duration>,
    /// Another pace of visits.
    pub refresh_rate: Option<Duration>,
    /// Whether the resource is left out.
    pub delete: bool,
    /// Rules of Harvest that stand in its place; then there is nothing else.
    pub file: Option<RuleFile>,
    /// Where the condition or the file stands.
    pub place: Place,
}

/// A program that a rule names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandText {
    /// The program, resolved; without a slash it is looked up in PATH.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl RuleText {
    /// What makes a rule do something.
    const DEEDS: [&str; 9] =
        ["set", "filter", "pass", "url", "template", "remove", "time-to-live", "refresh-rate", "delete"];

    /// The programs that it names; those of its file are not among them.
    pub fn commands(&self) -> impl Iterator<Item = &CommandText> {
        self.filter.iter().map(|(_, command)| command).chain(self.pass.iter().map(|(_, command)| command))
    }

    pub(crate) fn read(section: &mut Section<'_, '_>, number: usize) -> Self {
        let path = section.peek("file", value::some_text);
        let file_name = path.as_deref().and_then(|path| Path::new(path).file_name()?.to_str()).map(str::to_owned);
        let name = match file_name {
            Some(file_name) => section.name(file_name, "its file"),
            None => section.name(format!("rule {number}"), "its number"),
        };
        let is_file = section.says("file");
        let when = if is_file { section.maybe("when", value::text) } else { section.must("when", value::some_text) };
        let rule = Self {
            name,
            when: when.unwrap_or_default(),
            set: section.maybe("set", value::pairs).unwrap_or_default(),
            filter: filter(section),
            pass: pass(section),
            url: section.maybe("url", rewriting),
            template: section.maybe("template", template),
            remove: section.maybe("remove", value::texts).unwrap_or_default(),
            time_to_live: section.maybe("time-to-live", value::duration),
            refresh_rate: section.maybe("refresh-rate", value::duration),
            delete: section.maybe("delete", value::flag).unwrap_or_default(),
            file: file(section),
            place: section.place(if is_file { "file" } else { "when" }).expect("a [[rule]] stands in a file"),
        };
        rule.check(section, is_file);
        rule
    }

    fn check(&self, section: &mut Section<'_, '_>, is_file: bool) {
        if is_file {
            for key in ["when"].into_iter().chain(Self::DEEDS).filter(|key| section.says(key)).collect::<Vec<_>>() {
                let complaint = Complaint::new("a rule file has conditions and instructions of its own");
                section.complain_of(key, complaint.label("put this into the file, or into another [[rule]]"));
            }
        } else if !Self::DEEDS.into_iter().any(|key| section.says(key)) {
            let (last, others) = (Self::DEEDS[8], Self::DEEDS[..8].join("`, `"));
            let complaint = Complaint::new("this rule does nothing");
            section.complain(complaint.label(format!("expected `{others}` or `{last}`")));
        }
        if self.time_to_live.zip(self.refresh_rate).is_some_and(|(life, rate)| life < rate) {
            complain_of_short_life(section);
        }
    }
}

fn filter(section: &mut Section<'_, '_>) -> Vec<(String, CommandText)> {
    let filters = section.maybe("filter", filters).unwrap_or_default();
    filters.into_iter().filter_map(|(name, words)| Some((name, command(section, "filter", words)?))).collect()
}

fn pass(section: &mut Section<'_, '_>) -> Vec<(Vec<String>, CommandText)> {
    let passes = section.maybe("pass", passes).unwrap_or_default();
    passes.into_iter().filter_map(|(names, words)| Some((names, command(section, "pass", words)?))).collect()
}

fn command(section: &mut Section<'_, '_>, key: &'static str, words: Vec<String>) -> Option<CommandText> {
    section.program(key, words).map(|(program, arguments)| CommandText { program, arguments })
}

fn filters(item: &Item<'_>) -> Checked<Vec<(String, Vec<String>)>> {
    let Some(table) = item.get_ref().as_table() else {
        let fault =
            fault(item, "expected attributes with their programs, such as { Title = [\"./clean\"] }", "no table");
        return value::wanting(fault, || Shape::Table(Box::new(Shape::of(words))));
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start); // A TOML table sorts by name.
    value::all(entries.into_iter().map(|(name, value)| Ok((name.get_ref().to_string(), words(value)?))))
}

fn passes(item: &Item<'_>) -> Checked<Vec<(Vec<String>, Vec<String>)>> {
    const EXPECTED: &str = "{ attributes = [\"City\", \"Zip\"], program = [\"./clean\"] }";
    value::list(item, &format!("a list, such as [{EXPECTED}]"), |item| {
        let shape = || Shape::Keys(vec![("attributes", Shape::of(value::texts)), ("program", Shape::of(words))]);
        let [names, program] = value::wanting(both(item, ["attributes", "program"], EXPECTED), shape)?;
        match value::texts(names)? {
            empty if empty.is_empty() => fault(names, "expected at least one attribute", "this is empty"),
            attributes => Ok((attributes, words(program)?)),
        }
    })
}

fn rewriting(item: &Item<'_>) -> Checked<(String, String)> {
    let expected = "{ pattern = '^file:///srv/www/', with = 'https://www.example.org/' }";
    let shape = || Shape::Keys(vec![("pattern", Shape::of(value::regex)), ("with", Shape::Text)]);
    let [pattern, with] = value::wanting(both(item, ["pattern", "with"], expected), shape)?;
    Ok((value::regex(pattern)?.as_str().to_owned(), value::text(with)?))
}

/// A table with two keys and no others.
fn both<'i, 't>(item: &'i Item<'t>, keys: [&str; 2], expected: &str) -> Checked<[&'i Item<'t>; 2]> {
    let table = item.get_ref().as_table().filter(|table| table.len() == keys.len());
    match table.and_then(|table| Some([table.get(keys[0])?, table.get(keys[1])?])) {
        Some(values) => Ok(values),
        None => fault(item, format!("expected {expected}"), format!("both `{}` and `{}`, please", keys[0], keys[1])),
    }
}

/// A program and its arguments.
fn words(item: &Item<'_>) -> Checked<Vec<String>> {
    let words = value::texts(item)?;
    match words.first().map(|program| program.trim()) {
        None | Some("") => fault(item, "expected a program and its arguments, such as [\"./clean\"]", "no program"),
        Some(_) => Ok(words),
    }
}

fn template(item: &Item<'_>) -> Checked<String> {
    let template = value::text(item)?;
    if Summary::is_template(&template) {
        return Ok(template);
    }
    fault(item, "expected a template type such as \"USER\"", "one word of letters, digits, `-` and `_`, please")
}

/// A rule file of Harvest, read but not yet understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFile {
    directory: PathBuf,
    source: Arc<Source>,
}

impl RuleFile {
    /// Bytes of a rule file; what is larger is something else.
    const LARGEST: u64 = 1 << 20;

    /// What stands in it. Of Harvest's time are ISO 8859-1 and no UTF-8.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// A line of it, from 1, to complain there.
    pub fn place(&self, line: usize) -> Place {
        let mut lines = self.source.text.split_inclusive('\n');
        let start: usize = lines.by_ref().take(line.saturating_sub(1)).map(str::len).sum();
        let length = lines.next().unwrap_or_default().trim_end().len();
        Place::new(&self.source, start..start + length)
    }

    /// The program that a word of it means: one beside the file, or else one in PATH.
    pub fn program(&self, word: &Path) -> PathBuf {
        let beside = self.directory.join(word);
        let is_path = word.as_os_str().as_encoded_bytes().contains(&b'/');
        if is_path || beside.is_file() { beside } else { word.to_owned() }
    }

    pub(crate) fn read(path: &Path) -> Result<Self, Complaint> {
        let name = path.display().to_string();
        let unreadable = |error: io::Error| Complaint::new(format!("cannot read {name}: {error}"));
        let mut bytes = Vec::new();
        File::open(path).and_then(|file| file.take(Self::LARGEST + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
        if bytes.len() as u64 > Self::LARGEST {
            return Err(Complaint::new(format!("{name} is larger than 1 MiB")));
        }
        let latin = |bytes: &[u8]| bytes.iter().copied().map(char::from).collect();
        let text = String::from_utf8(bytes).unwrap_or_else(|error| latin(error.as_bytes()));
        // Never empty: a word without a slash would be looked up in PATH.
        let directory = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new(".")).to_owned();
        Ok(Self { directory, source: Source::new(name, text) })
    }
}

/// If it cannot be read, there is a complaint.
fn file(section: &mut Section<'_, '_>) -> Option<RuleFile> {
    let path = section.maybe("file", value::some_text)?;
    let path = section.resolved("file", &path);
    let unreadable = |complaint: Complaint| section.complain_of("file", complaint.label("expected a file of rules"));
    RuleFile::read(&path).map_err(unreadable).ok()
}
