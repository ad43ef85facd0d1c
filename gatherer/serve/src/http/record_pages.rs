//! Records as pages: lists that lead on, and one record in all its forms.

use super::answer::Problem;
use super::gate::Pass;
use super::people::{frame, page};
use crate::House;
use crate::filter::{Filter, Traits};
use crate::pages::{RecordPage, RecordRow, RecordsPage, Shown, View, attributes, encoded, text, tree};
use axum::response::Response;
use gatherer_abstracts::model::{Abstract, Limits};
use gatherer_soif::Object;
use gatherer_store::{Range, Record};
use url::Url;

/// Records on one page,
const ROWS: usize = 100;
/// and so many are looked at for them: rare ones are found page by page, not by one look through everything.
const LOOKED_AT: usize = 20_000;

/// Some records.
pub(super) fn list(
    house: &House,
    pass: &Pass,
    filter: &Filter,
    after: Option<&Url>,
    query: &str,
) -> Result<Response, Problem> {
    let view = house.service.production.view();
    let mut walk = view.walk(&after.into_iter().fold(filter.range(), Range::after));
    let (mut rows, mut last, mut looked_at) = (Vec::new(), None, 0);
    let mut is_more = false;
    while let Some(record) = walk.step()? {
        if rows.len() == ROWS || looked_at == LOOKED_AT {
            is_more = true;
            break;
        }
        looked_at += 1;
        last = Some(record.head.url.to_owned());
        if !filter.may_see(record.head.root) || !filter.wants(&Traits::from(&record.head)) {
            continue;
        }
        let object = record.object();
        let head = &record.head;
        let title = object.text("Title");
        rows.push(RecordRow::new(head.url, title.as_deref(), (head.kind, head.root), head.updated));
    }
    let words = words(query);
    let holdings = house.service.production.holdings();
    let seen = holdings.into_iter().filter(|(root, one)| one.records > 0 && filter.may_see(root));
    let roots = seen.map(|(root, _)| (root.clone(), filter.roots.contains(&root))).collect();
    let of =
        |name: &str| words.iter().find(|(known, _)| known == name).map_or_else(String::new, |(_, one)| one.clone());
    let next = last.filter(|_| is_more).map(|last| address(&words, Some(&last)));
    Ok(page(&RecordsPage {
        frame: frame(house, Some(pass), "records", "Records"),
        roots,
        site: of("site"),
        kind: of("kind"),
        caption: caption(rows.len(), is_more, after.is_some()),
        is_cut: is_more,
        is_later: after.is_some(),
        rows,
        first: after.map(|_| address(&words, None)),
        next,
    }))
}

fn caption(count: usize, is_more: bool, is_later: bool) -> String {
    let count = if count == 1 { "1 record".to_owned() } else { format!("{count} records") };
    match (is_more, is_later) {
        (false, false) => format!("{count}, by host and path"),
        (true, false) => format!("The first {count}, by host and path"),
        (true, true) => format!("{count} further on, by host and path"),
        (false, true) => format!("The last {count}, by host and path"),
    }
}

/// The words of a query that say which records are wanted.
fn words(query: &str) -> Vec<(String, String)> {
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let pairs = pairs.filter(|(name, value)| name != "after" && name != "form" && !value.is_empty());
    pairs.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn address(words: &[(String, String)], after: Option<&str>) -> String {
    let after = after.map(|after| ("after".to_owned(), after.to_owned()));
    let words: Vec<_> =
        words.iter().chain(after.iter()).map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if words.is_empty() { "/records".to_owned() } else { format!("/records?{}", words.join("&")) }
}

/// Drops the words of a form that say nothing.
pub(super) fn without_empty(query: &str) -> String {
    let kept = query.split('&').filter(|pair| pair.split_once('=').is_none_or(|(_, value)| !value.is_empty()));
    kept.collect::<Vec<_>>().join("&")
}

const VIEWS: [&str; 5] = ["Attributes", "SOIF", "JSON", "XML", "Abstract"];

/// One record, in the form that `view` names.
pub(super) fn one(house: &House, pass: &Pass, record: &Record, view: Option<&str>) -> Result<Response, Problem> {
    let object = record.object();
    let has_abstract = object.text(super::abstracts::ATTRIBUTE).is_some();
    let here = view.unwrap_or("attributes");
    let name = VIEWS.iter().copied().find(|name| name.eq_ignore_ascii_case(here));
    let name = name.filter(|name| has_abstract || *name != "Abstract");
    let name = name.ok_or_else(|| Problem::bad(format!("there is no view {here:?} of this record")))?;
    let path = encoded(record.head.url.as_str());
    let to = |name: &'static str, is_here| View {
        name,
        href: format!("/records/{path}?view={}", name.to_lowercase()),
        is_here,
    };
    let shown_views = VIEWS.iter().filter(|name| has_abstract || **name != "Abstract");
    let views = shown_views.map(|one| to(one, *one == name)).collect();
    let title = frame(house, Some(pass), "records", record.head.url.as_str());
    Ok(page(&RecordPage::new(title, record, &object, views, shown(record, &object, name))))
}

fn shown(record: &Record, object: &Object, name: &'static str) -> (Shown, String) {
    let none = String::new();
    match name {
        "SOIF" => {
            let mut bytes = Vec::new();
            record.write_soif(&mut bytes);
            (text(name, &bytes), none)
        }
        "JSON" => (text(name, &serde_json::to_vec_pretty(&gatherer_soif::to_json(object)).unwrap_or_default()), none),
        "XML" => {
            let mut bytes = Vec::new();
            // Writing to memory cannot fail.
            let _ = gatherer_soif::write_xml(object, &mut bytes);
            (text(name, &bytes), none)
        }
        "Abstract" => {
            let xml = object.text(super::abstracts::ATTRIBUTE).unwrap_or_default();
            match Abstract::from_xml(xml.as_bytes(), Limits::default()) {
                Ok(made) => (Shown::Tree(tree(&made)), told(&made)),
                Err(error) => (Shown::Trouble(format!("The abstract cannot be read: {error}")), none),
            }
        }
        _ => (attributes(record, object), none),
    }
}

fn told(made: &Abstract) -> String {
    let (parser, ontology) = (&made.meta.parser, &made.meta.ontology);
    format!(
        "By the parser {} {}, in the words of {}; language {}.",
        parser.name, parser.version, ontology.iri, made.lang
    )
}
