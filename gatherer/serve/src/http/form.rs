//! Forms of records and changes, and which one a client wants.

use super::answer::Problem;
use crate::cursor::Cursor;
use crate::feed::{Entry, News};
use crate::filter::Filter;
use axum::http::{HeaderMap, StatusCode, header};
use gatherer_soif::{Object, Wrapper, Writer, to_json, write_xml};
use quick_xml::events::{BytesStart, Event};
use serde_json::{Value, json};
use std::io::{self, Write};

/// How records are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Lines,
    /// As brokers of the Harvest family read them.
    Soif,
    /// One XML document.
    Xml,
    /// Events, for changes only.
    Events,
    /// For people, not for changes.
    Page,
}

/// Each form, its name in a query, and the media types under which it is asked for; the first is the one that is sent.
const FORMS: [Choice<Form>; 6] = [
    (Form::Json, "json", &["application/json"]),
    (
        Form::Lines,
        "jsonl",
        &["application/jsonl", "application/x-ndjson", "application/ndjson", "application/x-jsonlines"],
    ),
    (Form::Soif, "soif", &["application/x-soif", "application/soif", "text/x-soif"]),
    (Form::Xml, "xml", &["application/xml", "text/xml"]),
    (Form::Events, "events", &["text/event-stream"]),
    (Form::Page, "html", &["text/html", "application/xhtml+xml"]),
];

/// A form, its name in a query, and its media types.
pub(super) type Choice<T> = (T, &'static str, &'static [&'static str]);

/// The form that a request wants most: by its query, else by its `Accept`, else the first.
pub(super) fn chosen<T: Copy>(query: Option<&str>, headers: &HeaderMap, forms: &[Choice<T>]) -> Result<T, Problem> {
    if let Some(query) = query {
        let names: Vec<_> = forms.iter().map(|(_, name, _)| *name).collect();
        let found = forms.iter().find(|(_, name, _)| *name == query);
        let unknown = || Problem::bad(format!("there is no form {query:?} here, but {}", names.join(", ")));
        return found.map(|(form, ..)| *form).ok_or_else(unknown);
    }
    let accept: Vec<_> = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let accept = accept.join(",");
    let accept = if accept.trim().is_empty() { "*/*" } else { &accept };
    let liked = forms.iter().map(|(form, _, types)| (*form, liking(types, accept))).filter(|(_, liking)| *liking > 0.0);
    let best = liked.reduce(|best, one| if one.1 > best.1 { one } else { best });
    best.map(|(form, _)| form).ok_or_else(|| {
        let types: Vec<_> = forms.iter().map(|(.., types)| types[0]).collect();
        Problem::new(StatusCode::NOT_ACCEPTABLE, format!("this can be had as {}", types.join(", ")))
    })
}

/// Whether a request wants a page rather than JSON.
pub(super) fn is_for_people(headers: &HeaderMap) -> bool {
    let forms = [FORMS[0], FORMS[5]];
    chosen(None, headers, &forms).is_ok_and(|form| form == Form::Page)
}

/// How much an `Accept` wants one of these media types, from 0 to 1; what is named exactly counts before `*`.
fn liking(types: &[&str], accept: &str) -> f32 {
    let mut found = (0, 0.0);
    for part in accept.split(',') {
        let mut words = part.split(';').map(str::trim);
        let range = words.next().unwrap_or_default().to_ascii_lowercase();
        let weight = words.find_map(|word| word.strip_prefix("q=")).map_or(1.0, |q| q.parse().unwrap_or(0.0));
        let exactness = match range.as_str() {
            "*/*" => 1,
            range if types.contains(&range) => 3,
            range => {
                let is_kind = |kind: &str| types[0].strip_prefix(kind).is_some_and(|rest| rest.starts_with('/'));
                if range.strip_suffix("/*").is_some_and(is_kind) { 2 } else { 0 }
            }
        };
        if exactness > found.0 {
            found = (exactness, weight);
        }
    }
    found.1
}

impl Form {
    /// The form that a request wants most among some of them.
    pub(super) fn wanted(
        query: Option<&str>,
        headers: &HeaderMap,
        among: &[Self],
        otherwise: Self,
    ) -> Result<Self, Problem> {
        // The form of ours goes first among those that the client likes equally well.
        let (first, others): (Vec<_>, Vec<_>) =
            FORMS.into_iter().filter(|(form, ..)| among.contains(form)).partition(|(form, ..)| *form == otherwise);
        chosen(query, headers, &[first, others].concat())
    }

    pub(super) fn media_type(self) -> &'static str {
        FORMS.iter().find(|(form, ..)| *form == self).map_or("", |(.., types)| types[0])
    }

    /// What stands before the first record,
    pub(super) fn begin_records(self) -> &'static str {
        match self {
            Self::Json => "{\"records\":[\n",
            Self::Xml => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<objects>\n",
            _ => "",
        }
    }

    /// each record,
    pub(super) fn record(self, object: &Object, is_first: bool, out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Json => writeln!(out, "{}{}", if is_first { "" } else { "," }, to_json(object)),
            Self::Lines | Self::Events | Self::Page => writeln!(out, "{}", to_json(object)),
            Self::Soif => {
                out.extend_from_slice(&gatherer_soif::to_bytes(object).map_err(io::Error::other)?);
                writeln!(out)
            }
            Self::Xml => {
                write_xml(object, out)?;
                writeln!(out)
            }
        }
    }

    /// and what behind the last. `next` is where to go on, if there is more.
    pub(super) fn end_records(self, next: Option<&str>) -> String {
        match self {
            Self::Json => format!("],\"next\":{}}}\n", json!(next)),
            Self::Xml => "</objects>\n".to_owned(),
            _ => String::new(),
        }
    }

    /// What stands before the first change,
    pub(super) fn begin_changes(self) -> &'static str {
        match self {
            Self::Json => "{\"changes\":[\n",
            Self::Xml => "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<changes>\n",
            _ => "",
        }
    }

    /// each change,
    pub(super) fn change(
        self,
        entry: &Entry,
        (cursor, is_first): (Cursor, bool),
        filter: &Filter,
        out: &mut Vec<u8>,
    ) -> io::Result<()> {
        let change = Change::new(entry, cursor, filter);
        match self {
            Self::Json => writeln!(out, "{}{}", if is_first { "" } else { "," }, change.json()),
            Self::Lines | Self::Page => writeln!(out, "{}", change.json()),
            Self::Events => writeln!(out, "id: {cursor}\nevent: {}\ndata: {}\n", change.name(), change.json()),
            Self::Soif => change.soif(out),
            Self::Xml => change.xml(out),
        }
    }

    /// and what behind the last: where the broker stands then, and whether there was more.
    pub(super) fn end_changes(self, cursor: Cursor, more: bool) -> String {
        match self {
            Self::Json => format!("],\"cursor\":\"{cursor}\",\"more\":{more}}}\n"),
            Self::Lines | Self::Page => {
                format!("{}\n", json!({"change": "end", "cursor": cursor.to_string(), "more": more}))
            }
            // The stream goes on.
            Self::Events if more => String::new(),
            Self::Events => {
                format!("id: {cursor}\nevent: end\ndata: {{\"change\":\"end\",\"cursor\":\"{cursor}\"}}\n\n")
            }
            Self::Soif => format!("@CURSOR {{ {cursor}\n}}\n"),
            Self::Xml => format!("<end cursor=\"{cursor}\" more=\"{more}\"/>\n</changes>\n"),
        }
    }
}

/// A change, ready to be written.
struct Change {
    wrapper: Wrapper,
    object: Object,
    cursor: Cursor,
    at: u64,
}

impl Change {
    fn new(entry: &Entry, cursor: Cursor, filter: &Filter) -> Self {
        let (wrapper, object) = match &entry.news {
            News::Update(record) => {
                let mut object = record.object();
                filter.trim(&mut object);
                (Wrapper::Update, object)
            }
            News::Refresh(head) => {
                let object = Object::new(head.template.clone(), head.url.as_str());
                let timing = head.timing().into_iter();
                (Wrapper::Refresh, timing.fold(object, |object, (name, value)| object.with(name, value.to_string())))
            }
            News::Delete(url) => (Wrapper::Delete, Object::new("FILE", url.as_str())),
        };
        Self { wrapper, object, cursor, at: entry.at.0 }
    }

    fn name(&self) -> &'static str {
        match self.wrapper {
            Wrapper::Update => "update",
            Wrapper::Refresh => "refresh",
            Wrapper::Delete => "delete",
        }
    }

    fn json(&self) -> Value {
        let mut change = json!({
            "change": self.name(), "cursor": self.cursor.to_string(), "time": self.at, "url": self.object.url,
        });
        match self.wrapper {
            Wrapper::Update => change["record"] = to_json(&self.object),
            Wrapper::Refresh => change["attributes"] = to_json(&self.object)["attributes"].take(),
            Wrapper::Delete => {}
        }
        change
    }

    fn soif(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let mut writer = Writer::new(out);
        let written = writer
            .begin_wrapper(self.wrapper)
            .and_then(|()| writer.object(&self.object))
            .and_then(|()| writer.end_wrapper());
        written.map_err(io::Error::other)
    }

    fn xml(&self, out: &mut Vec<u8>) -> io::Result<()> {
        let (cursor, at) = (self.cursor.to_string(), self.at.to_string());
        let start = BytesStart::new(self.name()).with_attributes([("cursor", &*cursor), ("time", &*at)]);
        quick_xml::Writer::new(&mut *out).write_event(Event::Start(start))?;
        write_xml(&self.object, out)?;
        writeln!(out, "</{}>", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_get_the_form_they_like_best() {
        let all = [Form::Json, Form::Lines, Form::Soif, Form::Xml];
        for (accept, expected) in [
            ("", Some(Form::Lines)),
            ("*/*", Some(Form::Lines)),
            ("application/json", Some(Form::Json)),
            ("application/x-ndjson", Some(Form::Lines)),
            ("application/x-soif;q=0.5, text/xml", Some(Form::Xml)),
            ("text/html,application/xml;q=0.9,*/*;q=0.8", Some(Form::Xml)),
            ("text/*", None),
            ("application/*;q=0.3, application/json;q=0", Some(Form::Lines)),
            ("text/html", None),
            ("text/event-stream", None),
        ] {
            let mut headers = HeaderMap::new();
            if let Ok(value) = accept.parse() {
                headers.insert(header::ACCEPT, value);
            }
            assert_eq!(Form::wanted(None, &headers, &all, Form::Lines).ok(), expected, "{accept:?}");
        }
        let asked = |name| Form::wanted(Some(name), &HeaderMap::new(), &all, Form::Lines).ok();
        assert_eq!((asked("xml"), asked("events"), asked("yaml")), (Some(Form::Xml), None, None));
    }

    #[test]
    fn people_get_pages_and_programs_do_not() {
        const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        for (accept, expected) in [
            (BROWSER, true),
            ("text/html", true),
            ("*/*", false),
            ("application/json", false),
            ("application/json, text/html;q=0.9", false),
            ("text/html, application/json", false),
            ("text/*", true),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().expect("a value"))]);
            assert_eq!(is_for_people(&headers), expected, "{accept}");
        }
        assert!(!is_for_people(&HeaderMap::new()));
    }
}
