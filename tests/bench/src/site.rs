//! A made-up web: so many pages over so many hosts, the same for the same seed, and none of them written before somebody asks
//! for it.

use crate::words::{Chance, Words};
use std::fmt::Write as _;
use std::net::Ipv4Addr;

/// Bytes of a page, about: as many are shorter as are longer.
const MIDDLE: f64 = 10_000.0;
/// How far sizes are apart, as the spread of their logarithms.
const SPREAD: f64 = 0.7;
/// Pages that each page is the first to lead to.
const CHILDREN: u32 = 10;

/// The whole of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Site {
    pub(crate) seed: u64,
    pub(crate) pages: u32,
    pub(crate) hosts: u32,
    words: Words,
}

/// What a page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Html,
    /// HTML with the same bytes as others.
    Twin,
    Pdf,
    Archive,
    Feed,
    /// Somewhere else.
    Moved,
}

/// Where a page stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    host: u32,
    index: u32,
    /// Of all pages.
    pub(crate) number: u32,
}

/// What somebody gets.
pub(crate) enum Answer {
    Body(&'static str, Vec<u8>),
    Moved(String),
}

impl Site {
    pub(crate) fn new(seed: u64, pages: u32, hosts: u32) -> Self {
        Self { seed, pages, hosts: hosts.clamp(1, pages.max(1)), words: Words::new(seed) }
    }

    /// Every host has an address of its own on this machine.
    pub(crate) fn address(host: u32) -> Ipv4Addr {
        let part = |number: u32| u8::try_from(number % 250 + 1).unwrap_or(1);
        Ipv4Addr::new(127, part(host / 62_500), part(host / 250), part(host))
    }

    fn host(address: Ipv4Addr) -> u32 {
        let [_, high, middle, low] = address.octets().map(|part| u32::from(part).saturating_sub(1));
        high * 62_500 + middle * 250 + low
    }

    /// How many pages a host has.
    fn size(&self, host: u32) -> u32 {
        self.pages / self.hosts + u32::from(host < self.pages % self.hosts)
    }

    /// A number for each page, from 0 on.
    fn number(&self, host: u32, index: u32) -> u32 {
        index * self.hosts + host
    }

    fn chance(&self, host: u32, index: u32) -> Chance {
        Chance::new(self.seed ^ (u64::from(self.number(host, index)) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn kind(&self, host: u32, index: u32) -> Kind {
        match self.chance(host, index).below(1_000) {
            _ if index == 0 => Kind::Html,
            0..15 => Kind::Pdf,
            15..20 => Kind::Archive,
            20..30 => Kind::Feed,
            30..50 => Kind::Moved,
            50..80 => Kind::Twin,
            _ => Kind::Html,
        }
    }

    pub(crate) fn path(&self, host: u32, index: u32) -> String {
        let section = index % 17;
        match self.kind(host, index) {
            _ if index == 0 => "/".to_owned(),
            Kind::Html | Kind::Twin => format!("/section-{section}/article-{index}.html"),
            Kind::Pdf => format!("/papers/paper-{index}.pdf"),
            Kind::Archive => format!("/downloads/bundle-{index}.tar.gz"),
            Kind::Feed => format!("/news/feed-{index}.atom"),
            Kind::Moved => format!("/old/story-{index}"),
        }
    }

    /// How many bodies there are to be had.
    pub(crate) fn expected(&self) -> u32 {
        let bodies = |host: u32| (0..self.size(host)).filter(move |index| self.kind(host, *index) != Kind::Moved);
        (0..self.hosts).map(|host| u32::try_from(bodies(host).count()).unwrap_or(u32::MAX)).sum()
    }

    /// The page at a path of a host: the host's number, its own there, and its own in the whole web.
    pub(crate) fn find(&self, address: Ipv4Addr, path: &str) -> Option<Place> {
        let host = Self::host(address);
        let digits = |text: &str| text.rsplit(['-', '/']).next().and_then(|end| end.split('.').next()?.parse().ok());
        let index = if path == "/" { Some(0) } else { digits(path) };
        let is_there = |index: &u32| host < self.hosts && *index < self.size(host) && self.path(host, *index) == path;
        index.filter(is_there).map(|index| Place { host, index, number: self.number(host, index) })
    }

    /// What stands there, written only now.
    pub(crate) fn answer(&self, Place { host, index, .. }: Place, port: u16) -> Answer {
        match self.kind(host, index) {
            Kind::Html => Answer::Body("text/html; charset=utf-8", self.page(host, index, port).into_bytes()),
            Kind::Twin => Answer::Body("text/html; charset=utf-8", self.twin(index).into_bytes()),
            Kind::Pdf => Answer::Body("application/pdf", self.pdf(host, index)),
            Kind::Archive => Answer::Body("application/gzip", self.archive(host, index)),
            Kind::Feed => Answer::Body("application/atom+xml", self.feed(host, index, port).into_bytes()),
            Kind::Moved => Answer::Moved(self.path(host, self.page_below(host, index - 1))),
        }
    }

    /// The next page downwards that can lead on.
    fn page_below(&self, host: u32, index: u32) -> u32 {
        (0..=index).rev().find(|index| self.kind(host, *index) == Kind::Html).unwrap_or(0)
    }

    /// The pages that this one is the first to lead to: its own children, and those of pages behind it that cannot lead on.
    fn children(&self, host: u32, index: u32) -> Vec<u32> {
        let size = self.size(host);
        let mut children = Vec::new();
        for parent in index..size {
            if parent > index && self.kind(host, parent) == Kind::Html {
                break;
            }
            let first = parent.saturating_mul(CHILDREN);
            if first >= size {
                break;
            }
            children.extend((first..first.saturating_add(CHILDREN).min(size)).filter(|child| *child > 0));
        }
        children
    }

    fn page(&self, host: u32, index: u32, port: u16) -> String {
        let mut chance = self.chance(host, index);
        let (size, title) = (self.size(host), self.words.title(&mut chance));
        let mut links: Vec<String> =
            self.children(host, index).into_iter().map(|child| self.path(host, child)).collect();
        let wanted = 20 + chance.below(41) as usize;
        while links.len() + 2 < wanted {
            links.push(self.path(host, chance.below(size)));
        }
        // Two to other hosts, and now and then one to nothing.
        for _ in 0..2 {
            let other = chance.below(self.hosts);
            let path = self.path(other, chance.below(self.size(other)));
            links.push(format!("http://{}:{port}{path}", Self::address(other)));
        }
        if chance.below(20) == 0 {
            links.push(format!("/gone/nothing-{index}.html"));
        }
        let length = (MIDDLE * (SPREAD * chance.normal()).exp()).clamp(600.0, 400_000.0);
        let mut page = head(&title, &self.words.sentence(&mut chance), &format!("Article {index}"));
        let mut links = links.into_iter();
        navigation(&mut page, &mut links, 8);
        page.push_str("<main><article>\n<h1>");
        page.push_str(&title);
        page.push_str("</h1>\n");
        self.text(&mut page, &mut chance, &mut links, length);
        page.push_str("</article></main>\n<footer><ul>\n");
        for link in links {
            page.push_str("<li><a href=\"");
            page.push_str(&link);
            page.push_str("\">");
            self.words.some(&mut page, &mut chance, 3);
            page.push_str("</a></li>\n");
        }
        page.push_str("</ul><p>Contact &amp; imprint</p></footer>\n</body>\n</html>\n");
        page
    }

    /// Paragraphs with headings, lists and links between them, up to a length.
    #[expect(clippy::cast_precision_loss, reason = "sizes need not be exact")]
    fn text(&self, page: &mut String, chance: &mut Chance, links: &mut impl Iterator<Item = String>, length: f64) {
        let mut paragraph = 0;
        while (page.len() as f64) < length {
            if paragraph % 4 == 3 {
                page.push_str("<h2>");
                page.push_str(&self.words.title(chance));
                page.push_str("</h2>\n");
            }
            page.push_str("<p class=\"body-text\">");
            for _ in 0..3 + chance.below(4) {
                page.push_str(&self.words.sentence(chance));
                page.push(' ');
            }
            if let Some(link) = links.next().filter(|_| paragraph % 2 == 0) {
                page.push_str("See <a href=\"");
                page.push_str(&link);
                page.push_str("\" class=\"link\">");
                self.words.some(page, chance, 2);
                page.push_str("</a> and <em>more</em>.");
            }
            page.push_str("</p>\n");
            paragraph += 1;
        }
    }

    /// One of a few texts, whichever host it is on.
    fn twin(&self, index: u32) -> String {
        let mut chance = Chance::new(self.seed ^ u64::from(index % 7));
        let mut page = head(&self.words.title(&mut chance), "A page that stands in many places", "Copy");
        page.push_str("<main>\n");
        self.text(&mut page, &mut chance, &mut std::iter::empty(), 5_000.0);
        page.push_str("</main></body></html>\n");
        page
    }

    fn feed(&self, host: u32, index: u32, port: u16) -> String {
        let mut chance = self.chance(host, index);
        let origin = format!("http://{}:{port}", Self::address(host));
        let mut feed = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
             <title>{}</title><id>{origin}/feed-{index}</id><updated>2026-01-01T00:00:00Z</updated>\n",
            self.words.title(&mut chance)
        );
        for entry in 0..10 {
            let path = self.path(host, chance.below(self.size(host)));
            let (title, summary) = (self.words.title(&mut chance), self.words.sentence(&mut chance));
            let _ = writeln!(
                feed,
                "<entry><title>{title}</title><id>{origin}/{index}-{entry}</id><link href=\"{origin}{path}\"/>\
                 <updated>2026-01-01T00:00:00Z</updated><summary>{summary}</summary></entry>"
            );
        }
        feed + "</feed>\n"
    }

    fn pdf(&self, host: u32, index: u32) -> Vec<u8> {
        let mut chance = self.chance(host, index);
        let lines: Vec<_> = (0..40).map(|_| self.words.sentence(&mut chance)).collect();
        crate::documents::pdf(&self.words.title(&mut chance), &lines)
    }

    fn archive(&self, host: u32, index: u32) -> Vec<u8> {
        let mut chance = self.chance(host, index);
        let file = |name: u32| {
            let text: Vec<_> = (0..30).map(|_| self.words.sentence(&mut chance)).collect();
            (format!("bundle-{index}/part-{name}.txt"), text.join("\n"))
        };
        crate::documents::archive((0..3).map(file))
    }
}

fn head(title: &str, description: &str, section: &str) -> String {
    let mut page = String::with_capacity(16 << 10);
    page.push_str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>");
    page.push_str(title);
    page.push_str("</title>\n<meta name=\"description\" content=\"");
    page.push_str(description);
    page.push_str(
        "\">\n<meta property=\"og:type\" content=\"article\">\n<meta property=\"article:section\" content=\"",
    );
    page.push_str(section);
    page.push_str(
        "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <style>.body-text{margin:1em 0;line-height:1.5}.link{color:#036}</style>\n\
         <script>window.dataLayer=window.dataLayer||[];function track(e){dataLayer.push(e)}</script>\n</head>\n<body>\n",
    );
    page
}

fn navigation(page: &mut String, links: &mut impl Iterator<Item = String>, count: usize) {
    page.push_str("<header><nav class=\"main-menu\"><ul>\n");
    for link in links.take(count) {
        page.push_str("<li class=\"item\"><a href=\"");
        page.push_str(&link);
        page.push_str("\">Go on</a></li>\n");
    }
    page.push_str("</ul></nav></header>\n");
}
