//! Reads German and English pages of one domain and says what they say: the reference parser.
//!
//! Bytes go through these stages, each a module:
//!
//! 1. [`layout`]: a page as lines, each with what it is (title, heading, cell, point of a list) and where it stands in the source;
//! 2. [`language`] and [`tokens`]: the language of each line, its words and sentences;
//! 3. [`literals`]: prices, dates, hours, telephones, addresses: known by their form, and closed to all that follows;
//! 4. [`lexicon`] with the tables of endings: the words of the domain, compounds and truncated words included;
//! 5. names, and [`about`]: what the page is about; several things in a listing, nothing on pages of other domains; by weights that
//!    were learnt from pages whose answer is known. What a list, a calendar or a programme lists is found by pieces of the page that
//!    are made alike (`entries`);
//! 6. [`chunks`]: enumerations and prepositional phrases, by a grammar that is a text file;
//! 7. attachment: each thing and each value gets one governor, if the ontology has a slot between the two; names that no rule has
//!    found a place for get one by learnt weights ([`roles`]);
//! 8. the abstract, built by `gatherer-abstracts`, which knows each fact only once.
//!
//! A [`domain`] is a folder with an ontology, lexicons, places and rules; another domain needs no other program. [`serve`] answers
//! the protocol of `schemas/abstract/protocol.md`. Nothing here touches the network but the sockets that `serve` listens on.
//!
//! ```
//! use gatherer_parser::engine::{Document, Engine};
//!
//! let engine = Engine::new("tourism")?;
//! let page = "<title>Pension Anker</title><h1>Pension Anker</h1><p>Wir haben 6 Doppelzimmer mit Dusche.</p>";
//! let document = Document { url: "http://a.example/", kind: "text/html", bytes: page.as_bytes(), ..Document::default() };
//! let answer = engine.parse(&document)?;
//! assert_eq!(answer.result.instances[0].types, ["Pension"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod about;
mod addresses;
mod agents;
mod ages;
mod attach;
mod bare;
mod calendar;
mod cells;
pub mod check;
pub mod chunks;
mod clocks;
mod context;
mod counts;
mod currency;
pub mod domain;
pub mod engine;
mod entries;
mod evidence;
mod focus;
mod halls;
mod keys;
mod labelled;
pub mod language;
pub mod layout;
pub mod lexicon;
mod listing;
pub mod literals;
mod mentions;
mod morphology;
mod names;
mod overlay;
mod persons;
mod phrases;
mod programme;
pub mod roles;
mod rooms;
pub mod serve;
mod societies;
mod staged;
mod syntax;
mod tables;
pub mod tokens;
mod told_rooms;
mod unit_rows;
mod venues;
mod words;
