//! One section of the config, asked for its keys one by one.

use crate::complaint::{Complaint, Place};
use crate::layers::{Argument, Layer, Origin, Setting};
use crate::reading::Reading;
use crate::shape::Shape;
use crate::value::{self, Checked, Item};
use std::path::PathBuf;

/// A section, as its reader sees it. A bad value becomes a complaint and the next layer's value stands in for it, so
/// that reading goes on to the end.
pub(crate) struct Section<'r, 'a> {
    pub(crate) reading: &'r mut Reading<'a>,
    /// Where it begins in the file, if it is there.
    pub(crate) header: Option<Place>,
    /// Where its values are looked up.
    pub(crate) level: Level<'a>,
    /// Where they are looked up when that does not say.
    pub(crate) below: Option<Level<'a>>,
}

/// A table with its layers.
pub(crate) struct Level<'a> {
    /// The name in the brackets.
    pub(crate) table: &'static str,
    /// The name in reports and on the command line.
    pub(crate) label: String,
    /// The file's table and the default one, as far as they are there.
    pub(crate) layers: Vec<Layer<'a>>,
}

/// A value that one layer gives.
struct Given<'a> {
    item: &'a Item<'a>,
    /// On the command line: the same without a look at TOML.
    plain: Option<&'a Item<'a>>,
    table: &'static str,
    place: Place,
    origin: Origin,
}

impl<'a> Section<'_, 'a> {
    /// The value of a key that has a default.
    pub(crate) fn get<T>(&mut self, key: &'static str, read: impl Fn(&Item<'_>) -> Checked<T>) -> T {
        self.maybe(key, read).expect("config/gatherer.toml has a good value for every key")
    }

    /// The value of a key that need not be said.
    pub(crate) fn maybe<T>(&mut self, key: &'static str, read: impl Fn(&Item<'_>) -> Checked<T>) -> Option<T> {
        if let Some(description) = &mut self.reading.description {
            description.optional.insert((self.level.table, key));
        }
        self.take(key, read)
    }

    fn take<T>(&mut self, key: &'static str, read: impl Fn(&Item<'_>) -> Checked<T>) -> Option<T> {
        let (value, given) = self.find(key, read)?;
        self.note(key, value::written(given.item.get_ref()), given.origin);
        Some(value)
    }

    /// The value of a key that must be said.
    pub(crate) fn must<T>(&mut self, key: &'static str, read: impl Fn(&Item<'_>) -> Checked<T>) -> Option<T> {
        if let Some(description) = &mut self.reading.description {
            description.needed.insert((self.level.table, key));
        }
        if !self.says(key) {
            let message = format!("[[{}]] needs `{key}`", self.level.table);
            self.complain(Complaint::new(message).label(format!("`{key}` is missing")));
        }
        self.take(key, read)
    }

    /// The value, without a note for the report: a look ahead.
    pub(crate) fn peek<T>(&mut self, key: &'static str, read: impl Fn(&Item<'_>) -> Checked<T>) -> Option<T> {
        self.find(key, read).map(|(value, _)| value)
    }

    /// A path, resolved: the file's are relative to its directory, the command line's to where we are.
    pub(crate) fn path(&mut self, key: &'static str) -> PathBuf {
        let (path, given) = self.find(key, value::some_text).expect("config/gatherer.toml has a path for this key");
        let path = self.resolved(key, &path);
        self.note(key, value::quoted(&path.to_string_lossy()), given.origin);
        path
    }

    /// A path that the value of a key has in it.
    pub(crate) fn resolved(&mut self, key: &'static str, path: &str) -> PathBuf {
        match self.said(key).map(|given| given.origin) {
            Some(Origin::CommandLine) => PathBuf::from(path),
            _ => self.reading.directory.join(path),
        }
    }

    /// A program and its arguments. One without a slash is looked up in PATH, as a shell does.
    pub(crate) fn program(&mut self, key: &'static str, words: Vec<String>) -> Option<(PathBuf, Vec<String>)> {
        let mut words = words.into_iter();
        let program = words.next()?;
        let program = if program.contains('/') { self.resolved(key, &program) } else { PathBuf::from(program) };
        Some((program, words.collect()))
    }

    /// The section's own name, said or else `derived`. From here on, reports and the command line know it by that.
    pub(crate) fn name(&mut self, derived: String, from: &'static str) -> String {
        let said = self.peek("name", value::some_text);
        self.level.label = format!("{}.{}", self.level.table, said.as_ref().unwrap_or(&derived));
        self.maybe("name", value::some_text).unwrap_or_else(|| {
            self.derive("name", value::quoted(&derived), from);
            derived
        })
    }

    /// Complains of a name that another section of this sort has taken; to be asked after [`Self::name`].
    pub(crate) fn claim(&mut self, sort: &str, taken: &mut Vec<(String, Option<Place>)>) {
        let name = self.level.label[self.level.table.len() + 1..].to_owned();
        if let Some((_, first)) = taken.iter().find(|(known, _)| *known == name) {
            let line = first.as_ref().map_or(0, Place::line);
            let complaint = Complaint::new(format!("the {sort} on line {line} is named `{name}` already"));
            self.complain(complaint.label("give one of them another `name`"));
            return;
        }
        taken.push((name, self.header.clone()));
    }

    /// Notes for the report a value that is worked out from something else.
    pub(crate) fn derive(&mut self, key: &'static str, value: String, from: &'static str) {
        self.note(key, value, Origin::Derived(from));
    }

    /// Whether the operator says anything about a key, here or in the section below.
    pub(crate) fn says(&mut self, key: &'static str) -> bool {
        self.said(key).is_some()
    }

    /// The value in force as it is written, for complaints.
    pub(crate) fn wording(&mut self, key: &'static str) -> String {
        self.ask(key).first().map(|given| value::written(given.item.get_ref())).unwrap_or_default()
    }

    /// Where the operator says something about a key; else where the section begins.
    pub(crate) fn place(&mut self, key: &'static str) -> Option<Place> {
        self.said(key).map(|given| given.place).or_else(|| self.header.clone())
    }

    /// Complains of the section as a whole: something is missing.
    pub(crate) fn complain(&mut self, complaint: Complaint) {
        let complaint = match &self.header {
            Some(place) => complaint.at(place.clone()),
            None => complaint,
        };
        self.reading.complain_of_absence(complaint);
    }

    /// Complains of what the operator says about a key, or that nothing is said.
    pub(crate) fn complain_of(&mut self, key: &'static str, complaint: Complaint) {
        match self.said(key) {
            // A second word on a bad value would only speak of what stands in for it.
            Some(given) if self.reading.complains_at(&given.place) => {}
            Some(given) => self.reading.complain(complaint.about(given.table, key).at(given.place)),
            None => self.complain(complaint.about(self.level.table, key)),
        }
    }

    /// The first good value, with complaints about the bad ones before it.
    fn find<T>(&mut self, key: &'static str, read: impl Fn(&Item<'_>) -> Checked<T>) -> Option<(T, Given<'a>)> {
        if let Some(description) = &mut self.reading.description {
            description.note(self.level.table, key, Shape::wanted(&read));
        }
        for given in self.ask(key) {
            let faults = match read(given.item) {
                Ok(value) => return Some((value, given)),
                Err(faults) => faults,
            };
            if let Some((item, value)) = given.plain.and_then(|plain| Some((plain, read(plain).ok()?))) {
                return Some((value, Given { item, ..given }));
            }
            for fault in faults {
                let complaint = Complaint::new(fault.message).about(given.table, key).label(fault.label);
                self.reading.complain(complaint.at(given.place.at(fault.span)));
            }
        }
        None
    }

    fn said(&mut self, key: &'static str) -> Option<Given<'a>> {
        self.ask(key).into_iter().find(|given| given.origin != Origin::Default)
    }

    /// What each layer says about a key, the strongest first.
    fn ask(&mut self, key: &'static str) -> Vec<Given<'a>> {
        self.reading.note_asked(self.level.table, key);
        let arguments = self.reading.arguments;
        [&self.level].into_iter().chain(&self.below).flat_map(|level| level.ask(key, arguments)).collect()
    }

    fn note(&mut self, key: &str, value: String, origin: Origin) {
        let key = format!("{}.{key}", self.level.label);
        self.reading.note(Setting { key, value, origin });
    }
}

impl<'a> Level<'a> {
    fn ask(&self, key: &str, arguments: &'a [Argument<'a>]) -> Vec<Given<'a>> {
        let full = format!("{}.{key}", self.label);
        let argument = arguments.iter().rfind(|argument| argument.key == full).map(|argument| Given {
            item: &argument.value,
            plain: Some(&argument.plain),
            table: self.table,
            place: Place::new(&argument.source, argument.value.span()),
            origin: Origin::CommandLine,
        });
        let layers = self.layers.iter().filter_map(|layer| {
            let item = layer.table.get(key)?;
            let (place, origin) = (layer.place(item), layer.origin(item));
            Some(Given { item, plain: None, table: self.table, place, origin })
        });
        argument.into_iter().chain(layers).collect()
    }
}
