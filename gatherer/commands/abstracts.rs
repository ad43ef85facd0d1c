//! Abstracts in all their forms; and `gatherer abstracts`, which makes them of what another gatherer has.

use super::{print, say};
use crate::arguments::{AbstractForm, AbstractsWish};
use anyhow::{Context, Result, anyhow, bail};
use gatherer_abstracts::model::{Abstract, Limits, Meta, Told, list};
use gatherer_collect::{Approach, Collected, Gatherer, Place, PlaceFile, Wish};
use gatherer_engine::{ABSTRACT_ATTRIBUTE, Reader, ontology_of};
use gatherer_settings::{Overrides, Settings};
use gatherer_soif::Object;
use gatherer_store::Record;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The abstract of a record, with the times that the record has now.
pub(super) fn print_of(settings: &Settings, record: &Record, form: AbstractForm) -> Result<()> {
    let object = record.object();
    let Some(xml) = object.text(ABSTRACT_ATTRIBUTE) else {
        bail!("the record of {} has no abstract\n`gatherer show {0}` may say why under Complaints", record.head.url);
    };
    let mut made = read(&xml)?;
    let head = &record.head;
    made.meta.refresh_rate = Some(head.times.refresh_rate.as_secs());
    made.meta.time_to_live = Some(head.times.time_to_live.as_secs());
    made.meta.update_time = Some(super::time::xml_moment(head.updated));
    print(&written(settings, &made, form)?)
}

/// An abstract as it stands in a summary.
pub(super) fn print_abstract(settings: &Settings, xml: &str, form: AbstractForm) -> Result<()> {
    print(&written(settings, &read(xml)?, form)?)
}

fn read(xml: &str) -> Result<Abstract> {
    Abstract::from_xml(xml.as_bytes(), Limits::default())
        .map_err(|error| anyhow!("the abstract cannot be read: {error}"))
}

fn written(settings: &Settings, made: &Abstract, form: AbstractForm) -> Result<String> {
    let hash = &made.meta.ontology.hash;
    let ontology = || {
        let unknown =
            || format!("the ontology {} {hash} is not known here\nname it in a [[parser]]", made.meta.ontology.iri);
        ontology_of(settings, hash).with_context(unknown)
    };
    Ok(match form {
        AbstractForm::Xml => made.to_xml(),
        AbstractForm::Json => serde_json::to_string_pretty(&made.to_json())?,
        AbstractForm::Turtle => made.to_turtle(&*ontology()?, Told { links: true, evidence: true }),
        AbstractForm::JsonLd => {
            serde_json::to_string_pretty(&made.to_json_ld(&*ontology()?, Told { links: true, evidence: false }))?
        }
        AbstractForm::List => list::write(Some(&made.meta.url), &list::tuples(made, &*ontology()?)),
    })
}

pub(crate) fn abstracts(wish: &AbstractsWish) -> Result<ExitCode> {
    let settings = super::settings(&wish.config, &Overrides::default())?;
    let reader = Reader::new(&settings)?;
    fs::create_dir_all(&wish.output).with_context(|| format!("cannot make {}", wish.output.display()))?;
    let token = wish.token_file.as_deref().map(fs::read_to_string).transpose().context("cannot read the token")?;
    let approach = Approach { token: token.map(|token| token.trim().to_owned()), ..Approach::default() };
    let file = wish.cursor.as_ref().map(|path| PlaceFile::new(path, format!("abstracts of {}", wish.from)));
    let place = file.as_ref().map(PlaceFile::read).transpose()?.map_or_else(Place::default, |(place, _)| place);
    let mut work =
        Work { wish, settings: &settings, reader: &reader, made: 0, empty: 0, gone: 0, troubles: Vec::new() };
    let mut gatherer = Gatherer::connect(&wish.from, &approach)?;
    let round = gatherer.collect(&place, &Wish::default(), |item, _| work.take(item))?;
    let Work { made, empty, gone, troubles, .. } = work;
    // What a parser that is down has not read would be lost if the place moved on.
    if let (Some(file), false) = (&file, troubles.iter().any(|(_, is_later)| *is_later)) {
        file.write(&round.place, None)?;
    }
    say(&format!("{made} abstracts, {empty} documents that say nothing, {gone} gone, {} in trouble", troubles.len()));
    troubles.iter().take(10).for_each(|(trouble, _)| say(trouble));
    Ok(if troubles.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Work<'a> {
    wish: &'a AbstractsWish,
    settings: &'a Settings,
    reader: &'a Reader,
    made: u64,
    empty: u64,
    gone: u64,
    /// What went wrong, and whether it may go well later.
    troubles: Vec<(String, bool)>,
}

impl Work<'_> {
    fn take(&mut self, item: Collected) -> io::Result<()> {
        match item {
            Collected::Update(object) => self.make(&object),
            // The words are the same.
            Collected::Refresh(_) => Ok(()),
            Collected::Delete(object) => {
                self.gone += 1;
                remove(&self.path(&object.url))
            }
        }
    }

    fn make(&mut self, object: &Object) -> io::Result<()> {
        let said = |name: &str| object.text(name).map(std::borrow::Cow::into_owned);
        let text = said("Full-Text").or_else(|| said("Partial-Text")).unwrap_or_default();
        let number = |name: &str| said(name).and_then(|text| text.trim().parse().ok());
        let known = Meta {
            url: object.url.clone(),
            title: said("Title"),
            kind: said("Type"),
            md5: said("MD5"),
            size: number("File-Size"),
            refresh_rate: number("Refresh-Rate"),
            time_to_live: number("Time-to-Live"),
            ..Meta::default()
        };
        let language = said("Language").unwrap_or_else(|| "auto".to_owned());
        // The title stands for the layout that a text has lost.
        let text = known.title.as_ref().map_or_else(|| text.clone(), |title| format!("{title}\n\n{text}"));
        match self.reader.read(&known, language.split_whitespace().next().unwrap_or("auto"), &text) {
            Ok(made) if made.instances.is_empty() => {
                self.empty += 1;
                remove(&self.path(&object.url))
            }
            Ok(made) => {
                self.made += 1;
                let written = written(self.settings, &made, self.wish.form).map_err(io::Error::other)?;
                fs::write(self.path(&object.url), written)
            }
            Err((trouble, is_later)) => {
                self.troubles.push((format!("{}: {trouble}", object.url), is_later));
                Ok(())
            }
        }
    }

    /// The file of a document: its URL, as far as a file system bears it.
    fn path(&self, url: &str) -> PathBuf {
        let legal = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' };
        let name: String = url.chars().map(legal).take(120).collect();
        let digest = gatherer_pipeline::Md5::of(url.as_bytes()).to_string();
        let ending = match self.wish.form {
            AbstractForm::Xml | AbstractForm::List => "xml",
            AbstractForm::Json => "json",
            AbstractForm::Turtle => "ttl",
            AbstractForm::JsonLd => "jsonld",
        };
        self.wish.output.join(format!("{name}-{}.{ending}", &digest[..8]))
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
