//! Any page by any table: the table ends at an empty line; a table that cannot be read is Harvest's own.

use gatherer_pipeline::{Kind, Leaf, Summarizer};
use gatherer_summarizers::html_table::{HtmlByTable, HtmlTable};
use url::Url;

pub(crate) fn run(bytes: &[u8]) {
    let place = bytes.windows(2).position(|pair| pair == b"\n\n").unwrap_or_default();
    let (table, body) = bytes.split_at(place);
    let table = std::str::from_utf8(table).ok().and_then(|table| HtmlTable::read(table).ok());
    let table = table.unwrap_or_else(|| HtmlTable::read(HtmlTable::HARVEST).expect("Harvest's own table"));
    let url = Url::parse("http://example.org/dir/page").expect("a URL");
    let leaf = Leaf::new(&url, &Kind::HTML, body);
    let summarizer = HtmlByTable::new(table);
    let draft = summarizer.summarize(&leaf).expect("every page has a draft");
    assert_eq!(Ok(&draft), summarizer.summarize(&leaf).as_ref(), "the same bytes give the same draft");
    assert!(!draft.complaints().iter().any(|complaint| complaint.contains("is not well formed")));
    assert!(draft.references().iter().all(|reference| reference.url.fragment().is_none()));
}
