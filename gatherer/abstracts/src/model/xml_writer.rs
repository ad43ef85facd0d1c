//! Writes the XML form: the same abstract gives the same bytes everywhere.

use super::lexical::{written, written_uri};
use super::meta::Meta;
use super::xml_source::is_allowed;
use super::{Abstract, Evidence, Filler, Instance, NAMESPACE, Offsets, Place};

impl Abstract {
    /// The XML form. Characters that cannot stand in XML are replaced by U+FFFD.
    pub fn to_xml(&self) -> String {
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", self.to_record_xml())
    }

    /// The XML form as it stands in a record: without a declaration.
    pub fn to_record_xml(&self) -> String {
        let mut pen = Pen { out: String::new(), open: Vec::new() };
        pen.begin("abstract").attribute("xmlns", NAMESPACE).attribute("version", "1").attribute("lang", &self.lang);
        if let Some(offsets) = self.offsets {
            pen.attribute("offsets", if offsets == Offsets::Source { "source" } else { "text" });
        }
        pen.inside();
        meta(&mut pen, &self.meta);
        self.instances.iter().for_each(|one| instance(&mut pen, one));
        pen.end();
        pen.out
    }
}

fn meta(pen: &mut Pen, meta: &Meta) {
    pen.begin("meta").inside();
    pen.text_element("url", &written_uri(&meta.url));
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    for (name, text) in [
        ("final-url", meta.final_url.as_deref().map(written_uri)),
        ("title", meta.title.clone()),
        ("kind", meta.kind.clone()),
        ("md5", meta.md5.clone()),
        ("size", number(meta.size)),
        ("update-time", meta.update_time.clone()),
        ("refresh-rate", number(meta.refresh_rate)),
        ("time-to-live", number(meta.time_to_live)),
    ] {
        text.into_iter().for_each(|text| pen.text_element(name, &text));
    }
    meta.languages.iter().for_each(|language| pen.text_element("language", language));
    if let Some(gatherer) = &meta.gatherer {
        pen.begin("gatherer").attribute("name", &gatherer.name).attribute("version", &gatherer.version);
        gatherer.host.iter().for_each(|host| {
            pen.attribute("host", host);
        });
        gatherer.port.iter().for_each(|port| {
            pen.attribute("port", &port.to_string());
        });
        pen.close();
    }
    let (parser, ontology) = (&meta.parser, &meta.ontology);
    pen.begin("parser").attribute("name", &parser.name).attribute("version", &parser.version);
    pen.attribute("fingerprint", &parser.fingerprint).close();
    pen.begin("ontology").attribute("iri", &written_uri(&ontology.iri)).attribute("version", &ontology.version);
    pen.attribute("hash", &ontology.hash).close();
    if let Some(coverage) = &meta.coverage {
        pen.begin("coverage");
        for (name, count) in [
            ("words", coverage.words),
            ("known-words", coverage.known_words),
            ("concepts", coverage.concepts),
            ("sentences", coverage.sentences),
            ("empty-sentences", coverage.empty_sentences),
        ] {
            pen.attribute(name, &count.to_string());
        }
        pen.close();
    }
    for item in &meta.items {
        pen.begin("item").attribute("name", &item.name).holding(&item.text);
    }
    pen.end();
}

fn instance(pen: &mut Pen, instance_: &Instance) {
    pen.begin("instance").attribute("id", &instance_.id).attribute("type", &instance_.types.join(" "));
    if let Some(lemma) = &instance_.lemma {
        pen.attribute("lemma", lemma);
    }
    if instance_.name.is_none() && instance_.values.is_empty() && instance_.slots.is_empty() {
        return pen.close();
    }
    pen.inside();
    if let Some(name) = &instance_.name {
        pen.begin("name");
        place(pen, &name.place);
        pen.holding(&name.text);
    }
    for value in &instance_.values {
        pen.begin("value").attribute("name", &value.name);
        fact(pen, &value.evidence);
        pen.holding(&value.text);
    }
    for slot in &instance_.slots {
        pen.begin("slot").attribute("name", &slot.name);
        fact(pen, &slot.evidence);
        pen.inside();
        match &slot.filler {
            Filler::Instance(inner) => instance(pen, inner),
            Filler::Ref(id) => pen.begin("ref").attribute("to", id).close(),
        }
        pen.end();
    }
    pen.end();
}

fn fact(pen: &mut Pen, evidence: &Evidence) {
    pen.attribute("evidence", &evidence.heuristics.join(" "));
    pen.attribute("confidence", &written(evidence.confidence));
    place(pen, &evidence.place);
    if !evidence.also.is_empty() {
        let spans: Vec<_> = evidence.also.iter().map(|span| format!("{}-{}", span.start, span.end)).collect();
        pen.attribute("also", &spans.join(" "));
    }
}

fn place(pen: &mut Pen, place: &Place) {
    pen.attribute("start", &place.start.to_string()).attribute("end", &place.end.to_string());
    pen.attribute("quote", &place.quote);
}

/// Writes elements, each in a line of its own.
pub(super) struct Pen {
    pub(super) out: String,
    pub(super) open: Vec<&'static str>,
}

impl Pen {
    /// Begins an element; attributes may follow.
    pub(super) fn begin(&mut self, name: &'static str) -> &mut Self {
        self.indent();
        self.out.push('<');
        self.out.push_str(name);
        self.open.push(name);
        self
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) -> &mut Self {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(&mut self.out, value, true);
        self.out.push('"');
        self
    }

    /// Elements follow.
    pub(super) fn inside(&mut self) {
        self.out.push_str(">\n");
    }

    /// Text follows, and the end.
    pub(super) fn holding(&mut self, text: &str) {
        self.out.push('>');
        escape(&mut self.out, text, false);
        let name = self.open.pop().unwrap_or_default();
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    pub(super) fn text_element(&mut self, name: &'static str, text: &str) {
        self.begin(name).holding(text);
    }

    /// Nothing follows.
    pub(super) fn close(&mut self) {
        self.open.pop();
        self.out.push_str("/>\n");
    }

    /// Ends an element that held others.
    pub(super) fn end(&mut self) {
        let name = self.open.pop().unwrap_or_default();
        self.indent();
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("  ", self.open.len()));
    }
}

fn escape(out: &mut String, text: &str, in_attribute: bool) {
    for one in text.chars() {
        match one {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if in_attribute => out.push_str("&quot;"),
            // A reader makes blanks of these where they stand bare.
            '\n' if in_attribute => out.push_str("&#10;"),
            '\t' if in_attribute => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            one if is_allowed(one) => out.push(one),
            _ => out.push('\u{fffd}'),
        }
    }
}
