//! Drives the streaming parser over a page.

use super::page::Page;
use lol_html::errors::RewritingError;
use lol_html::html_content::{Element, TextChunk};
use lol_html::{HtmlRewriter, MemorySettings, Settings, doc_text, element};
use std::cell::RefCell;
use std::rc::Rc;

/// Most memory for open elements: more than 100,000 of them, where pages have a few dozen.
const MEMORY: usize = 32 << 20;

/// Reads a page, and after it what stands in `<noscript>` and the like, for its references only. What was
/// found before the parser gave up is kept, with a complaint.
pub(super) fn scan(html: &str, page: Page) -> (Page, Option<String>) {
    let page = Rc::new(RefCell::new(page));
    let mut outcome = read(html, &page);
    let fragments = page.borrow_mut().end_of_page();
    for fragment in fragments {
        outcome = outcome.and(read(&fragment, &page));
        page.borrow_mut().end_of_fragment();
    }
    // Elements left open by the page hold no handles any more: the parser is gone.
    let page = page.replace(Page::new(0));
    (page, outcome.err().map(|error| complaint(&error)))
}

fn complaint(error: &RewritingError) -> String {
    match error {
        RewritingError::MemoryLimitExceeded(_) => "page read in part: too many open elements".to_owned(),
        other => format!("page read in part: {other}"),
    }
}

fn read(html: &str, page: &Rc<RefCell<Page>>) -> Result<(), RewritingError> {
    let settings = Settings::new()
        .with_strict(false)
        .with_enable_esi_tags(false)
        .with_adjust_charset_on_meta_tag(false)
        .with_memory_settings(MemorySettings::new().with_max_allowed_memory_usage(MEMORY))
        .append_element_content_handler(element!("*", |element| {
            open(element, page);
            Ok(())
        }))
        .append_document_content_handler(doc_text!(|text| {
            take_text(text, page);
            Ok(())
        }));
    let mut rewriter = HtmlRewriter::new(settings, |_: &[u8]| {});
    rewriter.write(html.as_bytes())?;
    rewriter.end()
}

/// Tells the page of a start tag and, if it wants to know, of the end.
fn open(element: &mut Element<'_, '_>, page: &Rc<RefCell<Page>>) {
    let Some(end) = page.borrow_mut().open(element) else { return };
    let Some(handlers) = element.end_tag_handlers() else { return page.borrow_mut().close(end) };
    let page = Rc::clone(page);
    handlers.push(Box::new(move |_| {
        page.borrow_mut().close(end);
        Ok(())
    }));
}

fn take_text(text: &TextChunk<'_>, page: &Rc<RefCell<Page>>) {
    page.borrow_mut().text(text.as_str(), text.text_type(), text.last_in_text_node());
}
