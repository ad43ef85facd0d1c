//! One pass over all layers, section by section. Who asks for a key makes it known: no list of keys stands anywhere.

use crate::complaint::{Complaint, Complaints, Place};
use crate::former::former;
use crate::layers::{Argument, Layer, Setting};
use crate::schema::Description;
use crate::section::{Level, Section};
use crate::value::Item;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// How alike two keys must be for "did you mean", from 0 to 1. Below this, suggestions turn to guesses.
const ALIKE: f64 = 0.8;

/// So much alike, a key is more likely a slip of the pen than one that belongs elsewhere.
const SLIP: f64 = 0.92;

/// Collects what is in force and what is wrong.
pub(crate) struct Reading<'a> {
    file: Layer<'a>,
    defaults: Layer<'a>,
    pub(crate) arguments: &'a [Argument<'a>],
    /// What relative paths in the file are relative to.
    pub(crate) directory: &'a Path,
    /// Whether passwords and the like are read, from where the file says they are.
    pub(crate) wants_secrets: bool,
    /// The file is not TOML: what seems missing or unknown may be the break's doing, so that is not told.
    broken: bool,
    complaints: Vec<Complaint>,
    settings: Vec<Setting>,
    /// Keys asked for, by table. The table without a name has the sections.
    pub(crate) asked: BTreeMap<&'static str, BTreeSet<&'static str>>,
    unknown: Vec<(&'static str, String, Place)>,
    /// What values look like, for who wants to describe the config.
    pub(crate) description: Option<Description>,
}

impl<'a> Reading<'a> {
    /// Begins; `faults` are what the parser had to say of the file.
    pub(crate) fn new(
        (file, faults): (Layer<'a>, Vec<Complaint>),
        defaults: Layer<'a>,
        arguments: &'a [Argument<'a>],
        directory: &'a Path,
    ) -> Self {
        Self {
            file,
            defaults,
            arguments,
            directory,
            wants_secrets: true,
            broken: !faults.is_empty(),
            complaints: faults,
            settings: Vec::new(),
            asked: BTreeMap::new(),
            unknown: Vec::new(),
            description: None,
        }
    }

    /// Reads `[name]`. What `read` does not ask for is unknown.
    pub(crate) fn section<T>(&mut self, name: &'static str, read: impl FnOnce(&mut Section<'_, 'a>) -> T) -> T {
        let own = self.own(name);
        let header = own.map(|item| self.file.place(item));
        let level = self.level(name);
        let value = read(&mut Section { reading: self, header, level, below: None });
        self.note_unknown(name, own);
        value
    }

    /// Reads each `[[name]]`; what one does not say is looked up in the section `fallback`.
    pub(crate) fn sections<T>(
        &mut self,
        name: &'static str,
        fallback: Option<&'static str>,
        mut read: impl FnMut(&mut Section<'_, 'a>, usize) -> T,
    ) -> Vec<T> {
        let items = self.own_list(name);
        self.asked.entry(name).or_default();
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let number = index + 1;
            let header = Some(self.file.place(item));
            let level = Level { table: name, label: format!("{name}.{number}"), layers: self.opened(name, item) };
            let below = fallback.map(|table| self.level(table));
            values.push(read(&mut Section { reading: self, header, level, below }, number));
            self.note_unknown(name, Some(item));
        }
        values
    }

    /// Whether the file says anything under `name`.
    pub(crate) fn has(&self, name: &str) -> bool {
        let item = self.file.table.get(name);
        item.is_some_and(|item| item.get_ref().as_array().is_none_or(|array| !array.is_empty()))
    }

    /// What the file says under `name`.
    fn own(&mut self, name: &'static str) -> Option<&'a Item<'a>> {
        self.note_asked("", name);
        self.file.table.get(name)
    }

    fn own_list(&mut self, name: &'static str) -> &'a [Item<'a>] {
        let Some(item) = self.own(name) else { return &[] };
        let DeValue::Array(array) = item.get_ref() else {
            let complaint = Complaint::new(format!("there can be several [{name}], so each is written [[{name}]]"));
            self.complain(complaint.label("expected two brackets").at(self.file.place(item)));
            return &[];
        };
        array
    }

    /// `[name]` in the file, then in the defaults.
    fn level(&mut self, name: &'static str) -> Level<'a> {
        let mut layers = self.file.table.get(name).map(|item| self.opened(name, item)).unwrap_or_default();
        layers.extend(self.defaults.table.get(name).and_then(table).map(|table| self.defaults.with(table)));
        Level { table: name, label: name.to_owned(), layers }
    }

    /// `item`, which must be a table.
    fn opened(&mut self, name: &str, item: &'a Item<'a>) -> Vec<Layer<'a>> {
        if let Some(table) = table(item) {
            return vec![self.file.with(table)];
        }
        let complaint = Complaint::new(format!("{name} is a section with keys of its own"));
        self.complain(complaint.label("expected a table").at(self.file.place(item)));
        Vec::new()
    }

    fn note_unknown(&mut self, name: &'static str, own: Option<&'a Item<'a>>) {
        for key in own.and_then(table).into_iter().flat_map(DeTable::keys) {
            if !self.asked.get(name).is_some_and(|asked| asked.contains(&**key.get_ref())) {
                let place = Place::new(&self.file.source, key.span());
                self.unknown.push((name, key.get_ref().to_string(), place));
            }
        }
    }

    pub(crate) fn note_asked(&mut self, table: &'static str, key: &'static str) {
        self.asked.entry(table).or_default().insert(key);
    }

    pub(crate) fn note(&mut self, setting: Setting) {
        self.settings.push(setting);
    }

    /// Complains, unless this very complaint was heard before (a bad default concerns every root node) or the line
    /// is no TOML anyway.
    pub(crate) fn complain(&mut self, complaint: Complaint) {
        let line = |complaint: &Complaint| complaint.place().map(Place::to_string);
        let is_in_break = self.broken && self.complaints.iter().any(|known| line(known) == line(&complaint));
        if !is_in_break && !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    /// Whether there is a complaint at this very place.
    pub(crate) fn complains_at(&self, place: &Place) -> bool {
        self.complaints.iter().any(|complaint| complaint.place() == Some(place))
    }

    /// Complains of something that is not there.
    pub(crate) fn complain_of_absence(&mut self, complaint: Complaint) {
        if !self.broken {
            self.complain(complaint);
        }
    }

    /// What is in force, or all that is wrong.
    pub(crate) fn end(mut self) -> Result<Vec<Setting>, Complaints> {
        if !self.broken {
            let unknown = std::mem::take(&mut self.unknown);
            let keys = unknown.into_iter().map(|(table, key, place)| self.unknown_key(table, &key).at(place));
            let sections = self.unknown_sections();
            let all: Vec<_> = keys.chain(sections).chain(self.unknown_arguments()).collect();
            self.complaints.extend(all);
        }
        Complaints::collect(&self.file.source, self.complaints).map_or(Ok(self.settings), Err)
    }

    fn unknown_key(&self, table: &'static str, key: &str) -> Complaint {
        let complaint = Complaint::new(format!("[{table}] has no key `{key}`"));
        if let Some(instead) = former(table, key) {
            return complaint.label(instead);
        }
        let known: Vec<_> = self.asked[table].iter().copied().collect();
        let slip = closest_above(SLIP, key, &known);
        if let Some(home) = self.home_of(key).filter(|_| slip.is_none()) {
            return complaint.label(format!("did you mean `{key}` of [{home}]?"));
        }
        let complaint = complaint.help(format!("its keys are {}", known.join(", ")));
        match slip.or_else(|| closest(key, &known)) {
            Some(alike) => complaint.label(format!("did you mean `{alike}`?")),
            None => complaint,
        }
    }

    /// The section that has this very key.
    fn home_of(&self, key: &str) -> Option<&'static str> {
        self.asked.iter().find(|(table, keys)| !table.is_empty() && keys.contains(key)).map(|(table, _)| *table)
    }

    fn unknown_sections(&self) -> Vec<Complaint> {
        let known: Vec<_> = self.asked[""].iter().copied().collect();
        let unknown = self.file.table.iter().filter(|(key, _)| !known.contains(&&**key.get_ref()));
        unknown
            .map(|(key, _)| {
                let name = key.get_ref();
                let complaint = Complaint::new(format!("there is no section [{name}]"))
                    .at(Place::new(&self.file.source, key.span()))
                    .help(format!("the sections are {}", known.join(", ")));
                if let Some(instead) = former("", name) {
                    return complaint.label(instead);
                }
                match (self.home_of(name), closest(name, &known)) {
                    (Some(home), _) => complaint.label(format!("did you mean `{name}` of [{home}]?")),
                    (None, Some(alike)) => complaint.label(format!("did you mean [{alike}]?")),
                    (None, None) => complaint,
                }
            })
            .collect()
    }

    fn unknown_arguments(&self) -> Vec<Complaint> {
        let known: Vec<_> = self.settings.iter().map(|setting| &*setting.key).collect();
        let unknown = self.arguments.iter().filter(|argument| !known.contains(&argument.key));
        unknown
            .map(|argument| {
                let complaint = Complaint::new(format!("--set {}: there is no such key", argument.key));
                match closest(argument.key, &known) {
                    Some(alike) => complaint.help(format!("did you mean `{alike}`?")),
                    None => complaint.help("`gatherer config` prints all keys"),
                }
            })
            .collect()
    }
}

fn table<'a>(item: &'a Item<'a>) -> Option<&'a DeTable<'a>> {
    item.get_ref().as_table()
}

/// The one of these words that somebody may have meant.
pub fn closest<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    closest_above(ALIKE, key, known)
}

fn closest_above<'k>(least: f64, key: &str, known: &[&'k str]) -> Option<&'k str> {
    let alike = known.iter().map(|known| (strsim::jaro_winkler(key, known), *known));
    alike.filter(|(alike, _)| *alike > least).max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, known)| known)
}
