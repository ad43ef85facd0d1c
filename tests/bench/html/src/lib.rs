//! The built-in summarizer of web pages, compiled once more from the same sources, as a plugin.

#[path = "../../../../summarizers/src/charset.rs"]
mod charset;
#[path = "../../../../summarizers/src/fold.rs"]
mod fold;
#[path = "../../../../summarizers/src/html/mod.rs"]
mod html;
#[path = "../../../../summarizers/src/html_table/mod.rs"]
mod html_table;
#[path = "../../../../summarizers/src/links.rs"]
mod links;
#[path = "../../../../summarizers/src/metadata.rs"]
mod metadata;

use gatherer_pipeline::{Kind, Leaf, Summarizer as _};
use gatherer_sdk::{Attribute, Call, Draft, Plugin, Reference, Setting, Summarizer, Trouble, export};
use url::Url;

/// The plugin.
pub struct HtmlAgain;

impl Plugin for HtmlAgain {
    const NAME: &str = env!("CARGO_PKG_NAME");
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const KINDS: &[&str] = &["HTML"];
    const OPTIONS: &[Setting] = &[];
}

impl Summarizer for HtmlAgain {
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
        draft(&call.document.url, &call.body())
    }
}

/// What the built-in summarizer makes of a page, in the words of the contract.
fn draft(url: &str, body: &[u8]) -> Result<Draft, Trouble> {
    let url = Url::parse(url).map_err(|error| Trouble::failed(error.to_string()))?;
    let made = html::Html.summarize(&Leaf::new(&url, &Kind::HTML, body));
    let made = made.map_err(|refusal| Trouble::refused(refusal.to_string()))?;
    let attributes = made.attributes().iter().map(|(name, value)| Attribute::new(name.as_str(), value.as_bytes()));
    let references = made.references().iter().map(|one| Reference {
        url: one.url.to_string(),
        text: one.text.clone(),
        follow: one.follow,
    });
    Ok(Draft {
        attributes: attributes.collect(),
        text: Some(made.text().to_owned()),
        references: references.collect(),
        canonical: made.canonical().map(Url::to_string),
        complaints: made.complaints().to_vec(),
        ..Draft::default()
    })
}

export!(summarizer: HtmlAgain);
