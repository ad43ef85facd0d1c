//! References, images and mail addresses of a document: collected as written, resolved at the end, because a
//! `<base>` counts for the whole page.

use crate::{fold::Folded, metadata::percent_decoded};
use gatherer_pipeline::Draft;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Longest URL that is a reference. Longer ones are data in disguise.
const URL_LIMIT: usize = 16 << 10;
/// Most different references or images kept while reading.
const LIMIT: usize = 2 * Draft::REFERENCE_LIMIT;
/// Most bytes of what a page calls a reference.
pub(crate) const TEXT_LIMIT: usize = 1_000;

/// Most canonical URLs kept while reading; two that differ are one too many.
const CANONICALS: usize = 10;
/// Most URLs that are attributes.
const TOLD: usize = 500;

/// Schemes that lead to no leaf.
const NO_LEAF: &[&str] = &["about", "blob", "callto", "data", "javascript", "mailto", "sms", "tel", "vbscript"];

/// What a page calls something.
#[derive(Debug, Clone, Default)]
pub(crate) struct Name {
    /// By its own words.
    text: String,
    /// By a tooltip or by what an image shows: counts if there are no words.
    otherwise: String,
}

impl Name {
    fn of(text: &str) -> Self {
        Self { text: Folded::line(text, TEXT_LIMIT), otherwise: String::new() }
    }

    /// By words that are folded already, or else by others.
    pub(crate) fn new(text: String, otherwise: &str) -> Self {
        Self { text, otherwise: Folded::line(otherwise, TEXT_LIMIT) }
    }

    /// The first words count, and the first that stand for words.
    fn add(&mut self, other: Self) {
        for (known, new) in [(&mut self.text, other.text), (&mut self.otherwise, other.otherwise)] {
            if known.is_empty() {
                *known = new;
            }
        }
    }

    fn into_text(self) -> String {
        if self.text.is_empty() { self.otherwise } else { self.text }
    }
}

/// A reference or an image: `U` is its URL, as written or absolute.
#[derive(Debug)]
struct Link<U> {
    url: U,
    name: Name,
    follow: bool,
}

/// URLs as written, each once, with what the page calls them.
#[derive(Debug, Default)]
struct Named {
    found: Vec<Link<String>>,
    places: HashMap<String, usize>,
    too_long: usize,
    too_many: bool,
}

impl Named {
    fn add(&mut self, href: &str, name: Name, follow: bool) -> Option<usize> {
        let href = without_fragment(href.trim());
        if let Some(place) = self.places.get(href).copied() {
            self.name(place, name);
            self.found[place].follow |= follow;
            return Some(place);
        }
        if href.len() > URL_LIMIT {
            self.too_long += usize::from(!has_scheme(href, "data"));
            return None;
        }
        if self.found.len() >= LIMIT {
            self.too_many = true;
            return None;
        }
        self.found.push(Link { url: href.to_owned(), name, follow });
        self.places.insert(href.to_owned(), self.found.len() - 1);
        Some(self.found.len() - 1)
    }

    fn name(&mut self, place: usize, name: Name) {
        if let Some(known) = self.found.get_mut(place) {
            known.name.add(name);
        }
    }

    /// The same with absolute URLs: those that can be read, each once, and followed if it is so once.
    fn resolved(self, base: &Url) -> Vec<Link<Url>> {
        let mut resolved: Vec<Link<Url>> = Vec::with_capacity(self.found.len());
        let mut places = HashMap::with_capacity(self.found.len());
        for Link { url: href, name, follow } in self.found {
            let Some(url) = absolute(base, &href) else { continue };
            let place = *places.entry(url.clone()).or_insert(resolved.len());
            match resolved.get_mut(place) {
                Some(known) => {
                    known.name.add(name);
                    known.follow |= follow;
                }
                None => resolved.push(Link { url, name, follow }),
            }
        }
        resolved
    }

    fn complain(&self, what: &str, draft: &mut Draft) {
        if self.too_long > 0 {
            draft.complain(format!("{} {what} longer than {URL_LIMIT} bytes left out", self.too_long));
        }
        if self.too_many {
            draft.complain(format!("more than {LIMIT} {what}"));
        }
    }
}

/// Everything on a page that leads elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Links {
    base: Option<String>,
    references: Named,
    images: Named,
    canonicals: Vec<String>,
    mail: Vec<String>,
    /// URLs that are attributes: the attribute, what stands before the URL in its line, and the URL as written.
    told: Vec<(&'static str, String, String)>,
}

impl Links {
    /// The first `<base>` counts.
    pub(crate) fn base(&mut self, href: String) {
        self.base.get_or_insert(href);
    }

    /// Takes a reference; the place returned can be named later.
    pub(crate) fn refer(&mut self, href: &str, text: &str) -> Option<usize> {
        self.take(href, text, true)
    }

    /// Takes a reference for the record only.
    pub(crate) fn refer_only(&mut self, href: &str, text: &str) -> Option<usize> {
        self.take(href, text, false)
    }

    fn take(&mut self, href: &str, text: &str, follow: bool) -> Option<usize> {
        if has_scheme(href.trim_start(), "mailto") {
            self.mail_to(&href.trim()["mailto:".len()..]);
            return None;
        }
        self.references.add(href, Name::of(text), follow)
    }

    /// Gives a reference its name, unless it has one.
    pub(crate) fn name(&mut self, place: usize, name: Name) {
        self.references.name(place, name);
    }

    /// Takes an image.
    pub(crate) fn image(&mut self, source: &str, alternative: &str) {
        self.images.add(source, Name::of(alternative), false);
    }

    /// Takes the URL under which the page wants to be known.
    pub(crate) fn canonical(&mut self, href: &str) {
        let href = href.trim();
        let fits = !href.is_empty() && href.len() <= URL_LIMIT && self.canonicals.len() < CANONICALS;
        if fits && !self.canonicals.iter().any(|known| known == href) {
            self.canonicals.push(href.to_owned());
        }
    }

    /// Takes the URL of the page's author.
    pub(crate) fn name_author(&mut self, href: &str) {
        if has_scheme(href.trim_start(), "mailto") {
            return self.mail_to(&href.trim()["mailto:".len()..]);
        }
        self.tell("Author-Link", "", href);
    }

    /// Takes the URL of the terms under which the page may be used.
    pub(crate) fn license(&mut self, href: &str) {
        self.tell("License", "", href);
    }

    /// Takes the URL of the page in another language.
    pub(crate) fn alternate(&mut self, language: &str, href: &str) {
        if !language.is_empty() {
            self.tell("Alternate-Languages", language, href);
        }
    }

    fn tell(&mut self, attribute: &'static str, before: &str, href: &str) {
        if href.len() <= URL_LIMIT && self.told.len() < TOLD {
            self.told.push((attribute, before.to_owned(), href.trim().to_owned()));
        }
    }

    /// Writes references, images, mail addresses and the canonical URL.
    pub(crate) fn write(self, page: &Url, draft: &mut Draft) {
        let base = self.base.and_then(|href| page.join(href.trim()).ok()).filter(|base| !base.cannot_be_a_base());
        let base = base.as_ref().unwrap_or(page);
        draft.add("Mail-Addresses", &self.mail.join("\n"));
        self.images.complain("images", draft);
        write_images(self.images.resolved(base), draft);
        write_canonical(&self.canonicals, base, draft);
        write_told(&self.told, base, draft);
        let mut own = page.clone();
        own.set_fragment(None);
        self.references.complain("references", draft);
        for Link { url, name, follow } in self.references.resolved(base) {
            match name.into_text() {
                _ if url == own => {}
                text if follow => draft.refer(url, &text),
                text => draft.refer_only(url, &text),
            }
        }
    }

    fn mail_to(&mut self, addresses: &str) {
        let addresses = addresses.split('?').next().unwrap_or_default();
        for address in percent_decoded(addresses).split(',').map(str::trim) {
            let fits = address.contains('@') && address.len() <= 254 && self.mail.len() < 1_000;
            if fits && !self.mail.iter().any(|known| known == address) {
                self.mail.push(address.to_owned());
            }
        }
    }
}

/// One image a line, and in the same line of the other attribute what it shows. A dash stands for nothing: a
/// blank first line would get lost.
fn write_images(images: Vec<Link<Url>>, draft: &mut Draft) {
    let (urls, texts): (Vec<_>, Vec<_>) = images.into_iter().map(|image| (image.url, image.name.into_text())).unzip();
    let named = texts.iter().any(|text| !text.is_empty());
    let urls: Vec<_> = urls.iter().map(Url::as_str).collect();
    let texts: Vec<_> = texts.iter().map(|text| if text.is_empty() { "-" } else { text.as_str() }).collect();
    draft.add("Images", &urls.join("\n"));
    if named {
        draft.add("Image-Texts", &texts.join("\n"));
    }
}

/// Each line once.
fn write_told(told: &[(&'static str, String, String)], base: &Url, draft: &mut Draft) {
    let mut seen = HashSet::new();
    for (attribute, before, href) in told {
        let Some(url) = absolute(base, href) else { continue };
        let line = format!("{before} {url}");
        if seen.insert((attribute, line.clone())) {
            draft.add(attribute, &line);
        }
    }
}

/// Whoever names two does not know: neither counts.
fn write_canonical(hrefs: &[String], base: &Url, draft: &mut Draft) {
    let urls: HashSet<_> = hrefs.iter().filter_map(|href| absolute(base, href)).collect();
    if urls.len() > 1 {
        draft.complain("names several canonical URLs, none of them taken");
    } else if let Some(url) = urls.into_iter().next() {
        draft.set_canonical(url);
    }
}

/// The URL without its fragment, if it leads to a leaf. One letter before the colon is a drive, not a scheme.
fn absolute(base: &Url, href: &str) -> Option<Url> {
    let mut url = base.join(href).ok()?;
    url.set_fragment(None);
    let leads = url.scheme().len() > 1 && !NO_LEAF.contains(&url.scheme()) && url.as_str().len() <= URL_LIMIT;
    leads.then_some(url)
}

/// The URL as written up to its fragment, which counts for nobody but browsers. Where a space comes before it, the
/// space is part of the URL as long as something follows.
fn without_fragment(href: &str) -> &str {
    href.split_once('#').map(|(before, _)| before).filter(|before| !before.ends_with(' ')).unwrap_or(href)
}

fn has_scheme(href: &str, scheme: &str) -> bool {
    let Some((before, after)) = href.split_at_checked(scheme.len()) else { return false };
    before.eq_ignore_ascii_case(scheme) && after.starts_with(':')
}
