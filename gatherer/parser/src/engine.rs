//! The whole way: bytes in, abstract out.

use crate::about::learn::{Label, Lesson};
use crate::about::{Families, Reason};
use crate::attach::{Attach, Material};
use crate::bare::Hosts;
use crate::domain::{Domain, DomainError};
use crate::entries::{Entry, entries};
use crate::focus::{Chooser, Outline};
use crate::language::{Languages, Tongue};
use crate::layout::{Page, decode};
use crate::literals::Finder;
use crate::mentions::{Mention, Reader, What};
use crate::names::Namer;
use crate::overlay::{Entities, lay};
use crate::persons::Names;
use crate::programme::Programme;
use crate::roles;
use crate::tokens::{Kind, Tokens};
use gatherer_abstracts::client::{Annotator, Trouble};
use gatherer_abstracts::model::{Abstract, Coverage, Meta, Offsets, OntologyMark, ParserMark, walk};
use gatherer_abstracts::ontology::ClassId;
use gatherer_abstracts::score::gold::Named;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::sync::Arc;

/// The name of this parser, as it goes into abstracts.
pub const NAME: &str = env!("CARGO_PKG_NAME");
/// Its version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The longest document that is read.
pub const MAX_BYTES: usize = 4 << 20;

/// A document to read.
#[derive(Debug, Clone, Default)]
pub struct Document<'a> {
    /// Its address.
    pub url: &'a str,
    /// Its media type, without parameters.
    pub kind: &'a str,
    /// Its encoding, if that is known.
    pub charset: Option<&'a str>,
    /// Its language, if that is known.
    pub language: Option<&'a str>,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// Why there is no abstract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Neither hypertext nor plain text.
    #[error("{0} is not read: only text/html, application/xhtml+xml and text/plain")]
    Type(String),
    /// Neither German nor English.
    #[error("the language is neither German nor English")]
    Language,
    /// More than [`MAX_BYTES`].
    #[error("{0} bytes are more than {MAX_BYTES}")]
    TooLong(usize),
    /// No text at all.
    #[error("this is no text")]
    NoText,
    /// The engine that gives words and grammar did not.
    #[error("without words and grammar: {0}")]
    Grammar(String),
}

/// What came out.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The abstract; without instances if the document says nothing that the domain knows.
    pub result: Abstract,
    /// Whether only part of the document was read.
    pub is_partial: bool,
    /// For people who extend the lexicon.
    pub report: Report,
}

/// What was understood, and what not.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Words with capitals that no lexicon knows, with their number, the most frequent first.
    pub unknown: Vec<(String, usize)>,
    /// Sentences that gave no fact.
    pub barren: Vec<String>,
    /// Concepts found, with their number.
    pub concepts: Vec<(String, usize)>,
}

/// A document that was read, before anybody asks what it says.
struct Text {
    page: Page,
    main: Tongue,
    tokens: Tokens,
    entities: Entities,
    entries: Vec<Vec<Entry>>,
    country: &'static str,
}

/// A parser with its domain. It is never changed after it was made, so that many may use it at once.
#[derive(Debug)]
pub struct Engine {
    languages: Languages,
    domain: Domain,
    finder: Finder,
    names: Names,
    annotator: Option<Arc<Annotator>>,
    fingerprint: String,
}

/// "Zwei Ferienwohnungen", "die größere Wohnung": a word for a unit that may mean the same as another on the page means it.
fn say_the_same(domain: &Domain, mentions: &mut [Mention]) {
    let is_unit = |class: ClassId| domain.rules.counted.first().is_some_and(|unit| domain.ontology.is_a(class, *unit));
    let plain = mentions.iter().filter(|other| other.flags.focus.is_none());
    let said: HashSet<ClassId> = plain.filter_map(Mention::class).filter(|class| is_unit(*class)).collect();
    for mention in mentions.iter_mut().filter(|mention| mention.class().is_some_and(is_unit)) {
        if let Some(class) = mention.flags.focus.filter(|class| said.contains(class)) {
            mention.what = What::Thing(class);
        }
    }
}

impl Engine {
    /// Loads a domain, by the name of a shipped one or from a folder.
    ///
    /// # Errors
    /// What is wrong with the domain.
    pub fn new(domain: &str) -> Result<Self, DomainError> {
        let languages = Languages::shipped();
        let domain = Domain::load(domain, &languages)?;
        let finder = Finder::new(&languages);
        let fingerprint = marked(&[
            VERSION,
            &domain.hash,
            include_str!("../languages/de.toml"),
            include_str!("../languages/en.toml"),
            include_str!("../languages/literals.toml"),
            include_str!("../languages/chunks.txt"),
            include_str!("../languages/firstnames.txt"),
            include_str!("../languages/adjectives.txt"),
            include_str!("../languages/about.tsv"),
        ]);
        Ok(Self { languages, domain, finder, names: Names::shipped(), annotator: None, fingerprint })
    }

    /// The same, with words and grammar from a foreign engine: the seam `annotate` of `schemas/abstract/protocol.md`.
    ///
    /// # Errors
    /// If the engine cannot be reached: without it nobody knows what answers will be made of.
    pub fn with_annotator(mut self, annotator: Arc<Annotator>) -> Result<Self, Trouble> {
        let hello = annotator.hello()?;
        self.fingerprint = marked(&[&self.fingerprint, &hello.name, &hello.version, &hello.fingerprint]);
        self.annotator = Some(annotator);
        Ok(self)
    }

    /// The domain it reads for.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Changes with everything that may change answers.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Reads a document.
    ///
    /// # Errors
    /// Why it is not for this parser.
    pub fn parse(&self, document: &Document<'_>) -> Result<Answer, Refused> {
        let text = self.text(document)?;
        Ok(self.read(document, &text))
    }

    /// What a document may be about, the likeliest first, and why.
    ///
    /// # Errors
    /// Why it is not for this parser.
    pub fn reasons(&self, document: &Document<'_>, count: usize) -> Result<Vec<Reason>, Refused> {
        let text = self.text(document)?;
        let mentions = self.mentions(&text);
        Ok(self.chooser(document, &text, &mentions).reasons(count))
    }

    /// A page whose answer is known, to learn from, with the families of all domains that are learnt from.
    ///
    /// # Errors
    /// Why it is not for this parser.
    pub fn lesson(&self, document: &Document<'_>, families: &Families, label: &Label) -> Result<Lesson, Refused> {
        let text = self.text(document)?;
        let mentions = self.mentions(&text);
        let chooser = self.chooser(document, &text, &mentions);
        Ok(Lesson::new(&chooser.answers(), &self.domain.ontology, &self.domain.families, families, label))
    }

    /// A page whose names are known by its facts, to learn which part a name plays.
    ///
    /// # Errors
    /// Why it is not for this parser.
    pub fn role_lesson(&self, document: &Document<'_>, named: &[Named]) -> Result<roles::learn::Lesson, Refused> {
        let text = self.text(document)?;
        let (mentions, outline) = self.outlined(document, &text);
        let examples = Attach::new(self.material(&text, &mentions, &outline)).examples();
        Ok(roles::learn::Lesson::new(examples, named, &self.domain))
    }

    /// The classes at the top of those that pages may be about.
    pub fn families(&self) -> &Families {
        &self.domain.families
    }

    fn text(&self, document: &Document<'_>) -> Result<Text, Refused> {
        if document.bytes.len() > MAX_BYTES {
            return Err(Refused::TooLong(document.bytes.len()));
        }
        let source = decode(document.bytes, document.charset);
        if !source.is_text {
            return Err(Refused::NoText);
        }
        let mut page = match document.kind {
            "text/html" | "application/xhtml+xml" => Page::html(&source.text),
            "text/plain" => Page::plain(&source.text),
            other => return Err(Refused::Type(other.to_owned())),
        };
        let claimed = document.language.filter(|language| *language != "auto").or(page.language.as_deref());
        let main = self.languages.of_page(&page.text, claimed);
        let Some(main) = main.or_else(|| page.text.trim().is_empty().then_some(Tongue::German)) else {
            return Err(Refused::Language);
        };
        let language = self.languages.of(main);
        page.crown(|word| {
            language.greetings.contains(word) || language.headings.contains(word) || language.is_small(word)
        });
        let mut tokens = Tokens::read(&page, &self.languages, main);
        let entities = self.annotated(document, &page, main, &mut tokens)?;
        let country = self.finder.country(document.url, main, page.language.as_deref(), &page.text);
        let entries = entries(&page);
        Ok(Text { page, main, tokens, entities, entries, country })
    }

    /// Asks the foreign engine, if there is one. A language that it does not know is read without it.
    fn annotated(
        &self,
        document: &Document<'_>,
        page: &Page,
        main: Tongue,
        tokens: &mut Tokens,
    ) -> Result<Entities, Refused> {
        let Some(annotator) = &self.annotator else { return Ok(Entities::new()) };
        match annotator.annotation(document.url, main.code(), &page.text) {
            Ok(Some((annotation, _))) => Ok(lay(&annotation, page, tokens)),
            Ok(None) => Ok(Entities::new()),
            Err(trouble) => Err(Refused::Grammar(trouble.to_string())),
        }
    }

    /// All that the text speaks of.
    fn mentions(&self, text: &Text) -> Vec<Mention> {
        let Text { page, tokens, .. } = text;
        let reader = Reader {
            page,
            tokens,
            domain: &self.domain,
            languages: &self.languages,
            finder: &self.finder,
            names: &self.names,
            entities: &text.entities,
            country: text.country,
        };
        let mut mentions = reader.read();
        Namer { page, tokens, domain: &self.domain, languages: &self.languages }.name_all(&mut mentions);
        mentions
    }

    fn chooser<'a>(&'a self, document: &Document<'a>, text: &'a Text, mentions: &'a [Mention]) -> Chooser<'a> {
        Chooser {
            page: &text.page,
            tokens: &text.tokens,
            domain: &self.domain,
            mentions,
            languages: &self.languages,
            url: document.url,
            hosts: Hosts::read(document.url, mentions),
            entries: &text.entries,
        }
    }

    /// What the text speaks of, and what it is about.
    fn outlined(&self, document: &Document<'_>, text: &Text) -> (Vec<Mention>, Outline) {
        let mut mentions = self.mentions(text);
        let mut outline = self.chooser(document, text, &mentions).choose();
        let Text { page, tokens, entries, .. } = text;
        let (domain, languages) = (&self.domain, &self.languages);
        let programme = Programme { page, tokens, domain, languages, entries, outline: &outline };
        (outline.pieces, outline.slots) = programme.add_titles(&mut mentions);
        say_the_same(domain, &mut mentions);
        (mentions, outline)
    }

    fn material<'a>(&'a self, text: &'a Text, mentions: &'a [Mention], outline: &'a Outline) -> Material<'a> {
        Material {
            page: &text.page,
            tokens: &text.tokens,
            mentions,
            outline,
            domain: &self.domain,
            languages: &self.languages,
            finder: &self.finder,
            names: &self.names,
            entries: &text.entries,
            country: text.country,
        }
    }

    fn read(&self, document: &Document<'_>, text: &Text) -> Answer {
        let Text { page, main, tokens, .. } = text;
        let main = *main;
        let (mentions, outline) = self.outlined(document, text);
        let (instances, fruitful) = Attach::new(self.material(text, &mentions, &outline)).run();
        let (coverage, report) = self.coverage(page, tokens, &mentions, &fruitful);
        let result = Abstract {
            lang: main.code().to_owned(),
            offsets: Some(Offsets::Source),
            meta: self.meta(document, tokens, main, coverage, &instances),
            instances,
        };
        Answer { result, is_partial: page.is_cut, report }
    }

    fn meta(
        &self,
        document: &Document<'_>,
        tokens: &Tokens,
        main: Tongue,
        coverage: Coverage,
        instances: &[gatherer_abstracts::model::Instance],
    ) -> Meta {
        let mut languages = vec![main.code().to_owned()];
        let count = |tongue: Tongue| tokens.tongues.iter().filter(|one| **one == tongue).count();
        if count(main.other()) * 5 > tokens.tongues.len() {
            languages.push(main.other().code().to_owned());
        }
        let mut concepts = 0;
        walk(instances, &mut |_| concepts += 1);
        Meta {
            url: document.url.to_owned(),
            languages,
            parser: ParserMark {
                name: NAME.to_owned(),
                version: VERSION.to_owned(),
                fingerprint: self.fingerprint.clone(),
            },
            ontology: OntologyMark::from(&self.domain.ontology),
            coverage: Some(Coverage { concepts, ..coverage }),
            ..Meta::default()
        }
    }

    fn coverage(
        &self,
        page: &Page,
        tokens: &Tokens,
        mentions: &[Mention],
        fruitful: &HashSet<u32>,
    ) -> (Coverage, Report) {
        let mut known = vec![false; tokens.all.len()];
        for mention in mentions {
            known[mention.tokens.clone()].fill(true);
        }
        let (mut words, mut known_words) = (0, 0);
        let mut unknown: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
        for (place, token) in tokens.all.iter().enumerate().filter(|(_, token)| token.kind == Kind::Word) {
            words += 1;
            let tongue = tokens.tongues[token.line as usize];
            let is_known = known[place]
                || self.languages.of(tongue).classes.contains_key(&*token.lower)
                || self.domain.lexicon(tongue).knows(&token.lower);
            known_words += u64::from(is_known);
            if !is_known && token.lower.chars().count() > 3 && (token.is_capital || tongue == Tongue::English) {
                *unknown.entry(&page.text[token.span.clone()]).or_default() += 1;
            }
        }
        let mut unknown: Vec<_> = unknown.into_iter().map(|(word, count)| (word.to_owned(), count)).collect();
        unknown.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        let sentences = u64::from(tokens.sentences);
        let coverage = Coverage {
            words,
            known_words,
            concepts: 0,
            sentences,
            empty_sentences: sentences.saturating_sub(fruitful.len() as u64),
        };
        (coverage, Report { unknown, barren: barren(page, tokens, fruitful), concepts: self.concepts(mentions) })
    }

    fn concepts(&self, mentions: &[Mention]) -> Vec<(String, usize)> {
        let mut found: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
        for class in mentions.iter().filter_map(Mention::class) {
            *found.entry(self.domain.ontology.class_at(class).name().to_owned()).or_default() += 1;
        }
        found.into_iter().collect()
    }
}

/// A short hash over all of these.
fn marked(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// The texts of sentences without a fact.
fn barren(page: &Page, tokens: &Tokens, fruitful: &HashSet<u32>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut start = 0;
    while start < tokens.all.len() {
        let sentence = tokens.all[start].sentence;
        let end = start + tokens.all[start..].iter().take_while(|token| token.sentence == sentence).count();
        if !fruitful.contains(&sentence) && end - start > 1 {
            texts.push(page.text[tokens.all[start].span.start..tokens.all[end - 1].span.end].to_owned());
        }
        start = end;
    }
    texts
}

/// What a page of tourism says, for tests of the rules.
#[cfg(test)]
pub(crate) fn read(page: &str) -> Abstract {
    let document =
        Document { url: "http://a.example/", kind: "text/html", bytes: page.as_bytes(), ..Document::default() };
    Engine::new("tourism").expect("it ships").parse(&document).expect("it is read").result
}
