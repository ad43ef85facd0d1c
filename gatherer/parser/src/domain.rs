//! A domain: a folder with an ontology, the words of each language, places, and how they belong together.

mod cues;
mod places;

use crate::about::{Families, Weights};
use crate::chunks::{Grammar, SHIPPED as SHIPPED_GRAMMAR};
use crate::language::{Languages, Tongue};
use crate::lexicon::Lexicon;
use crate::literals::Kind;
pub(crate) use cues::{AgentCue, Cues};
use gatherer_abstracts::ontology::{ClassId, Ontology, SlotId};
use include_dir::{Dir, include_dir};
use places::{Places, Towns};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use thiserror::Error;

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../config/domains");

/// The domain that is read if none is named.
pub const DEFAULT: &str = "tourism";

/// Why a domain cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DomainError {
    /// A file is missing or cannot be read.
    #[error("cannot read {path}")]
    Missing {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no shipped domain of that name, nor a folder.
    #[error("there is no domain {name}: neither a folder, nor one of {shipped}")]
    Unknown {
        /// As it was named.
        name: String,
        /// Those that there are.
        shipped: String,
    },
    /// The ontology has faults.
    #[error("the ontology of {name} has faults:\n{complaints}")]
    Ontology {
        /// The domain.
        name: String,
        /// All of them.
        complaints: String,
    },
    /// Another file has a fault.
    #[error("{file} of {name}: {problem}")]
    File {
        /// The domain.
        name: String,
        /// The file.
        file: String,
        /// What is wrong.
        problem: String,
    },
}

/// A domain, ready for use.
#[derive(Debug)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// Its classes and slots.
    pub ontology: Ontology,
    /// Its words, by language.
    pub lexicons: [Lexicon; 2],
    /// What was odd about its words.
    pub complaints: Vec<String>,
    /// Its grammar.
    pub grammar: Grammar,
    pub(crate) places: Places,
    pub(crate) towns: Towns,
    pub(crate) rules: Rules,
    /// The classes at the top of those that pages may be about, and what tells which of them a page is about.
    pub(crate) families: Families,
    pub(crate) weights: Weights,
    /// What tells which part a name plays.
    pub(crate) roles: crate::roles::Weights,
    pub(crate) cues: Cues,
    /// Hash over all its files.
    pub hash: String,
}

/// What `domain.toml` says, with names resolved.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) literals: HashMap<Kind, Vec<LiteralSlot>>,
    pub(crate) money: Option<ClassId>,
    pub(crate) town: Option<ClassId>,
    pub(crate) district: Option<ClassId>,
    pub(crate) region: Option<ClassId>,
    pub(crate) person: Option<ClassId>,
    pub(crate) family: Option<ClassId>,
    /// Classes whose things are counted; all if there are none.
    pub(crate) counted: Vec<ClassId>,
    /// Of what it is said whether it is allowed, and the slot that says so.
    pub(crate) permission: Option<(ClassId, SlotId)>,
    /// What a line of a menu is, and the headings of menus.
    pub(crate) dish: Option<ClassId>,
    /// What it is instead, if it is measured by the litre.
    pub(crate) drink: Option<ClassId>,
    /// Other things are called after these.
    pub(crate) sight: Option<ClassId>,
    /// What is eaten, that which is eaten in the morning, and where one goes to eat.
    pub(crate) meal: Option<ClassId>,
    pub(crate) breakfast: Option<ClassId>,
    pub(crate) eatery: Option<ClassId>,
    /// How it is cooked.
    pub(crate) cuisine: Option<ClassId>,
    /// A room for many, and that for certain occasions.
    pub(crate) hall: Option<ClassId>,
    pub(crate) halls: Vec<(ClassId, ClassId)>,
    /// What is sold together.
    pub(crate) package: Option<ClassId>,
    /// Where things happen,
    pub(crate) venue: Option<ClassId>,
    /// and where in the open air.
    pub(crate) open: Option<ClassId>,
    /// What is shown for some time.
    pub(crate) show: Option<ClassId>,
    /// People by their age.
    pub(crate) young: Option<ClassId>,
    pub(crate) old: Option<ClassId>,
    pub(crate) menus: HashSet<String>,
    /// With these begin long labels of prices.
    pub(crate) pricing: HashSet<String>,
    /// They sell tickets for what happens elsewhere.
    pub(crate) sellers: Vec<ClassId>,
    /// What has a programme, beside what merely happens.
    pub(crate) programmed: Vec<ClassId>,
    /// What is led is offered, even where no hour is given.
    pub(crate) led: Option<ClassId>,
    /// What happens, by the verbs that tell of it.
    pub(crate) told: HashMap<String, ClassId>,
    /// What has a menu.
    pub(crate) menu_of: Option<ClassId>,
    pub(crate) organisation: Option<ClassId>,
    pub(crate) people: Option<SlotId>,
    pub(crate) with: Option<SlotId>,
    pub(crate) without: Option<SlotId>,
    pub(crate) free: String,
    pub(crate) near: Option<SlotId>,
    pub(crate) at: Option<SlotId>,
    pub(crate) inside: Vec<SlotId>,
    pub(crate) distance: Vec<SlotId>,
    /// A length in brackets behind one of these is how high it is.
    pub(crate) high: Vec<ClassId>,
    pub(crate) sections: HashMap<String, Vec<SlotId>>,
    pub(crate) skip_headings: HashSet<String>,
    pub(crate) skip_lines: HashSet<String>,
    pub(crate) history: HashSet<String>,
    pub(crate) foreign: HashSet<String>,
    pub(crate) foreign_text: HashSet<String>,
}

/// A slot for a kind of value, and the labels that ask for it.
#[derive(Debug)]
pub(crate) struct LiteralSlot {
    pub(crate) slot: SlotId,
    pub(crate) labels: HashSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    #[serde(default)]
    literals: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    classes: BTreeMap<String, String>,
    #[serde(default)]
    halls: BTreeMap<String, String>,
    #[serde(default)]
    told: BTreeMap<String, String>,
    #[serde(default)]
    counted: Vec<String>,
    #[serde(default)]
    menus: String,
    #[serde(default)]
    pricing: String,
    #[serde(default)]
    sellers: Vec<String>,
    #[serde(default)]
    programmed: Vec<String>,
    #[serde(default)]
    permission: Option<String>,
    #[serde(default)]
    money: MoneyFile,
    #[serde(default)]
    places: PlacesFile,
    #[serde(default)]
    sections: BTreeMap<String, String>,
    #[serde(default)]
    skip: SkipFile,
    #[serde(default)]
    foreign: ForeignFile,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct MoneyFile {
    people: Option<String>,
    with: Option<String>,
    without: Option<String>,
    free: String,
    slots: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct PlacesFile {
    near: Option<String>,
    at: Option<String>,
    inside: Vec<String>,
    distance: Vec<String>,
    high: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct SkipFile {
    headings: String,
    history: String,
    lines: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ForeignFile {
    words: String,
    text: String,
}

impl Rules {
    fn read(text: &str, ontology: &Ontology) -> Result<Self, String> {
        let file: RulesFile = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let slot = |name: &str| ontology.slot(name).ok_or_else(|| format!("there is no slot {name} in the ontology"));
        let known =
            |name: &String| ontology.class(name).ok_or_else(|| format!("there is no class {name} in the ontology"));
        let class = |key: &str| file.classes.get(key).map(known).transpose();
        let classes = |names: &[String]| names.iter().map(known).collect::<Result<Vec<_>, _>>();
        let optional = |name: &Option<String>| name.as_deref().map(slot).transpose();
        let all = |names: &[String]| names.iter().map(|name| slot(name)).collect::<Result<Vec<_>, _>>();
        all(&file.money.slots)?;
        Ok(Self {
            literals: literals(&file.literals, ontology)?,
            money: class("money")?,
            town: class("town")?,
            district: class("district")?,
            region: class("region")?,
            person: class("person")?,
            family: class("family")?,
            counted: classes(&file.counted)?,
            permission: class("permitted")?.zip(optional(&file.permission)?),
            dish: class("dish")?,
            drink: class("drink")?,
            sight: class("sight")?,
            meal: class("meal")?,
            breakfast: class("breakfast")?,
            eatery: class("eatery")?,
            cuisine: class("cuisine")?,
            hall: class("hall")?,
            halls: halls(&file.halls, ontology)?,
            package: class("package")?,
            venue: class("venue")?,
            open: class("open")?,
            show: class("show")?,
            young: class("young")?,
            old: class("old")?,
            menus: words(&file.menus),
            pricing: words(&file.pricing),
            sellers: classes(&file.sellers)?,
            programmed: classes(&file.programmed)?,
            led: class("led")?,
            told: told(&file.told, ontology)?,
            menu_of: class("menu-of")?,
            organisation: class("organisation")?,
            people: optional(&file.money.people)?,
            with: optional(&file.money.with)?,
            without: optional(&file.money.without)?,
            free: file.money.free.clone(),
            near: optional(&file.places.near)?,
            at: optional(&file.places.at)?,
            inside: all(&file.places.inside)?,
            distance: all(&file.places.distance)?,
            high: classes(&file.places.high)?,
            sections: sections(&file.sections, ontology)?,
            skip_headings: words(&file.skip.headings),
            skip_lines: words(&file.skip.lines),
            history: words(&file.skip.history),
            foreign: words(&file.foreign.words),
            foreign_text: words(&file.foreign.text),
        })
    }
}

fn words(text: &str) -> HashSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// The slots of each kind of value.
fn literals(
    names: &BTreeMap<String, Vec<String>>,
    ontology: &Ontology,
) -> Result<HashMap<Kind, Vec<LiteralSlot>>, String> {
    let mut literals = HashMap::new();
    for (name, slots) in names {
        let kind = Kind::named(name).ok_or_else(|| format!("there is no kind of value {name}"))?;
        let slots = slots.iter().map(|line| {
            let (name, labels) = line.split_once(':').unwrap_or((line, ""));
            let slot = ontology.slot(name.trim()).ok_or_else(|| format!("there is no slot {name} in the ontology"))?;
            Ok(LiteralSlot { slot, labels: labels.split_whitespace().map(str::to_owned).collect() })
        });
        literals.insert(kind, slots.collect::<Result<Vec<_>, String>>()?);
    }
    Ok(literals)
}

/// The slots that words of headings are cues for.
fn sections(names: &BTreeMap<String, String>, ontology: &Ontology) -> Result<HashMap<String, Vec<SlotId>>, String> {
    let mut sections: HashMap<String, Vec<SlotId>> = HashMap::new();
    for (name, headings) in names {
        let slot = ontology.slot(name).ok_or_else(|| format!("there is no slot {name} in the ontology"))?;
        headings.split_whitespace().for_each(|word| sections.entry(word.to_owned()).or_default().push(slot));
    }
    Ok(sections)
}

/// What happens by each of these verbs.
fn told(verbs: &BTreeMap<String, String>, ontology: &Ontology) -> Result<HashMap<String, ClassId>, String> {
    let mut told = HashMap::new();
    for (class, verbs) in verbs {
        let class = ontology.class(class).ok_or_else(|| format!("there is no class {class} in the ontology"))?;
        told.extend(verbs.split_whitespace().map(|verb| (verb.to_owned(), class)));
    }
    Ok(told)
}

/// For each kind of occasion its room.
fn halls(names: &BTreeMap<String, String>, ontology: &Ontology) -> Result<Vec<(ClassId, ClassId)>, String> {
    let class = |name: &str| ontology.class(name).ok_or_else(|| format!("there is no class {name} in the ontology"));
    names.iter().map(|(occasion, room)| Ok((class(occasion)?, class(room)?))).collect()
}

/// What tells what a page is about, for domains without weights of their own.
const SHIPPED_WEIGHTS: &str = include_str!("../languages/about.tsv");

impl Domain {
    /// The names of the domains that come with the program.
    pub fn shipped() -> Vec<String> {
        let mut names: Vec<_> =
            SHIPPED.dirs().filter_map(|dir| dir.path().file_name()?.to_str()).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Loads a shipped domain by its name, or one from a folder.
    ///
    /// # Errors
    /// What is missing or wrong, with the file.
    pub fn load(name: &str, languages: &Languages) -> Result<Self, DomainError> {
        let folder = Path::new(name);
        if folder.is_dir() {
            let read = |file: &str| match std::fs::read_to_string(folder.join(file)) {
                Ok(text) => Ok(Some(text)),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(DomainError::Missing { path: folder.join(file), source }),
            };
            let name = folder.file_name().map_or(name.to_owned(), |name| name.to_string_lossy().into_owned());
            return Self::read(&name, &read, languages);
        }
        if SHIPPED.get_dir(name).is_none() {
            let shipped = Self::shipped().join(", ");
            return Err(DomainError::Unknown { name: name.to_owned(), shipped });
        }
        let read = |file: &str| {
            Ok(SHIPPED.get_file(format!("{name}/{file}")).and_then(|file| file.contents_utf8()).map(str::to_owned))
        };
        Self::read(name, &read, languages)
    }

    fn read(
        name: &str,
        read: &dyn Fn(&str) -> Result<Option<String>, DomainError>,
        languages: &Languages,
    ) -> Result<Self, DomainError> {
        let fault =
            |file: &str, problem: String| DomainError::File { name: name.to_owned(), file: file.to_owned(), problem };
        let mut hash = Sha256::new();
        let mut get = |file: &str| -> Result<Option<String>, DomainError> {
            let text = read(file)?;
            hash.update(text.as_deref().unwrap_or_default());
            hash.update([0]);
            Ok(text)
        };
        let text = get("ontology.ttl")?.ok_or_else(|| fault("ontology.ttl", "is missing".to_owned()))?;
        let ontology = Ontology::read(&text, &|_| None).map_err(|complaints| DomainError::Ontology {
            name: name.to_owned(),
            complaints: complaints.to_string(),
        })?;
        let mut complaints = Vec::new();
        let mut lexicon = |tongue: Tongue| -> Result<Lexicon, DomainError> {
            let file = format!("lexicon.{}.tsv", tongue.code());
            let text = get(&file)?.unwrap_or_default();
            let (lexicon, found) = Lexicon::read(&text, tongue, languages, &ontology);
            complaints.extend(found.into_iter().map(|complaint| format!("{file}: {complaint}")));
            Ok(lexicon)
        };
        let lexicons = [lexicon(Tongue::German)?, lexicon(Tongue::English)?];
        let places = Places::read(&get("places.tsv")?.unwrap_or_default(), &ontology)
            .map_err(|problem| fault("places.tsv", problem))?;
        let towns = Towns::read(&get("towns.txt")?.unwrap_or_default());
        let rules = get("domain.toml")?.unwrap_or_default();
        let rules = Rules::read(&rules, &ontology).map_err(|problem| fault("domain.toml", problem))?;
        let grammar = get("chunks.txt")?;
        let grammar = Grammar::read(grammar.as_deref().unwrap_or(SHIPPED_GRAMMAR))
            .map_err(|problem| fault("chunks.txt", problem))?;
        let families = Families::new(&ontology);
        let weights = get("about.tsv")?;
        let weights = Weights::read(weights.as_deref().unwrap_or(SHIPPED_WEIGHTS), &families)
            .map_err(|problem| fault("about.tsv", problem))?;
        let roles = crate::roles::Weights::read(&get("roles.tsv")?.unwrap_or_default(), &ontology)
            .map_err(|problem| fault("roles.tsv", problem))?;
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let cues = Cues::new(&ontology, &rules);
        Ok(Self {
            name: name.to_owned(),
            ontology,
            lexicons,
            complaints,
            grammar,
            places,
            towns,
            rules,
            families,
            weights,
            roles,
            cues,
            hash,
        })
    }

    /// The words of one language.
    pub fn lexicon(&self, tongue: Tongue) -> &Lexicon {
        &self.lexicons[tongue as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_domains_load_without_complaints() {
        let languages = Languages::shipped();
        for name in Domain::shipped() {
            let domain = Domain::load(&name, &languages).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(domain.complaints, Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn unknown_domains_are_named() {
        let error = Domain::load("gardening", &Languages::shipped()).expect_err("there is none");
        assert!(error.to_string().contains("tourism"), "{error}");
    }
}
