//! Word processing, spreadsheets and slides, of today and of old.
//!
//! Office Open XML is read here, part by part, within limits: the library that could do it makes a model of the whole
//! document first, which a small file can make too large for any machine. It reads the binary documents of old, once
//! their records are weighed.

pub(crate) mod columns;
mod compound;
mod legacy;
mod numbers;
pub(crate) mod package;
pub(crate) mod properties;
pub(crate) mod reading;
pub(crate) mod relations;
mod sheets;
mod slides;
pub(crate) mod summary;
#[cfg(test)]
mod tests;
mod weight;
mod word;
pub(crate) mod xml;

use crate::html::Html;
use crate::rtf::Rtf;
use gatherer_pipeline::{Draft, Leaf, Refusal, Summarizer};
use package::Package;
use reading::Reading;
use relations::Relations;
use xml::Token;

pub(crate) const KINDS: &[&str] = &["MSWord", "MSExcel", "MSPowerpoint"];

/// Where the main part is, if the package does not say.
const MAIN: &[&str] = &["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml", "xl/workbook.bin"];

/// Properties, text, headings, references, sheets with their columns, and slides.
pub(crate) struct Office;

impl Summarizer for Office {
    fn name(&self) -> &'static str {
        concat!("office ", env!("CARGO_PKG_VERSION"))
    }

    fn summarize(&self, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
        let body = leaf.body;
        let mut draft = if legacy::is_legacy(body) {
            legacy::summarize(leaf)?
        } else if body.starts_with(b"{\\rtf") {
            // Whatever an office suite opens under the name of a document is one to its users.
            Rtf.summarize(leaf)?
        } else if body.trim_ascii_start().starts_with(b"<") {
            Html.summarize(leaf)?
        } else {
            let package = Package::open(body);
            summarize_package(
                package.ok_or_else(|| Refusal::Cannot("no document of an office suite".to_owned()))?,
                leaf,
            )?
        };
        if leaf.cut {
            draft.complain("the document was cut and is read in part");
        }
        Ok(draft)
    }
}

fn summarize_package(mut package: Package<'_>, leaf: &Leaf<'_>) -> Result<Draft, Refusal> {
    let (mut draft, mut reading) = (Draft::new(), Reading::new());
    let main = main_part(&mut package);
    let mut root = String::new();
    package.visit(&main, |token| {
        if let Token::Start(tag) = token {
            tag.local_name().as_ref().clone_into(&mut root);
        }
        root.is_empty()
    });
    let format = match root.as_str() {
        "document" => "DOCX",
        "workbook" => "XLSX",
        "presentation" => "PPTX",
        _ if main.rsplit('.').next() == Some("bin") => "XLSB",
        // An archive cut before its main part still has its properties.
        _ if !package.has(&main) && !package.has("docProps/core.xml") && !package.is_encrypted() => {
            return Err(Refusal::Cannot("a ZIP archive without an Office document".to_owned()));
        }
        _ => "",
    };
    draft.add("Format", format);
    properties::write(&mut package, &mut draft);
    match format {
        "DOCX" => word::read(&mut package, &main, &mut reading),
        "XLSX" => sheets::read(&mut package, &main, &mut reading, &mut draft),
        "PPTX" => slides::read(&mut package, &main, &mut reading, &mut draft),
        "XLSB" => package.complain("text not read: the workbook is a binary one"),
        _ => package.complain("text not read: the main part of the document is missing or damaged"),
    }
    if package.is_encrypted() {
        draft.add("Encrypted", "yes");
    }
    package.write_complaints(&mut draft);
    reading.write(leaf.url, &mut draft);
    Ok(draft)
}

/// The part that is the document itself.
fn main_part(package: &mut Package<'_>) -> String {
    let named = Relations::of(package, "").all("officeDocument").into_iter().find(|part| package.has(part));
    let usual = || MAIN.iter().find(|part| package.has(part)).map(|part| (*part).to_owned());
    named.or_else(usual).unwrap_or_else(|| "word/document.xml".to_owned())
}
