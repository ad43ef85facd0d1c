//! Places that a domain knows by name.

use crate::words::WordMap;
use gatherer_abstracts::ontology::{ClassId, Ontology};
use std::collections::HashSet;

/// Names of towns. They decide nothing alone, for a station may be called like its town, and a man like another.
#[derive(Debug, Default)]
pub(crate) struct Towns(HashSet<String>);

impl Towns {
    pub(super) fn read(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#') && !line.is_empty());
        Self(lines.map(str::to_owned).collect())
    }

    /// Whether one of them is called like this.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Named places.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// First word of a name, then whole names in tokens, longest first.
    by_first: WordMap<Vec<(Vec<String>, ClassId)>>,
}

impl Places {
    pub(super) fn read(text: &str, ontology: &Ontology) -> Result<Self, String> {
        let mut places = Self::default();
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        {
            let (name, class) = line.split_once('\t').ok_or_else(|| format!("line {} has no class", number + 1))?;
            let class = ontology
                .class(class.trim())
                .ok_or_else(|| format!("line {}: there is no class {class}", number + 1))?;
            let words: Vec<_> = name.replace('.', " . ").split_whitespace().map(str::to_owned).collect();
            let Some(first) = words.first() else { continue };
            places.by_first.entry(first.clone()).or_default().push((words, class));
        }
        for names in places.by_first.values_mut() {
            names.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        Ok(places)
    }

    /// All classes that places have.
    pub(crate) fn classes(&self) -> impl Iterator<Item = ClassId> + '_ {
        self.by_first.values().flatten().map(|(_, class)| *class)
    }

    /// The place whose name begins with these words, and how many they are.
    pub(crate) fn find<'t>(&self, words: impl Iterator<Item = &'t str> + Clone) -> Option<(usize, ClassId)> {
        let first = words.clone().next()?;
        let names = self.by_first.get(first)?;
        names
            .iter()
            .find(|(name, _)| {
                let mut there = words.clone();
                name.iter().all(|word| there.next().is_some_and(|one| one == word))
            })
            .map(|(name, class)| (name.len(), *class))
    }
}
