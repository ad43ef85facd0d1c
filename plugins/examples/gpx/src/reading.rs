//! From XML to what it says of a tour.

use crate::earth::{Area, Climb, Place, Way};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Most names of anything, most links.
const LINES_MOST: usize = 2000;
/// Longest text of one element, in bytes.
const TEXT_MOST: usize = 4000;
/// Most of all texts together. A record holds them twice.
const ALL_MOST: usize = 256 << 10;
/// What is nested more deeply says nothing.
const DEPTH_MOST: usize = 32;

/// What a file says.
#[derive(Debug)]
pub(crate) struct Tour {
    pub(crate) titles: Vec<String>,
    pub(crate) descriptions: Vec<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) generator: Vec<String>,
    pub(crate) created: Vec<String>,
    /// Of tracks and routes.
    pub(crate) names: Vec<String>,
    /// Names of waypoints and what is said of them.
    pub(crate) places: Vec<String>,
    /// Addresses and what they are called.
    pub(crate) links: Vec<(String, String)>,
    pub(crate) tracks: usize,
    pub(crate) routes: usize,
    pub(crate) waypoints: usize,
    pub(crate) start: Option<String>,
    pub(crate) end: Option<String>,
    pub(crate) area: Area,
    track: Way,
    route: Way,
    climb: Climb,
    nowhere: usize,
    damage: Option<String>,
    /// Bytes that texts may still have, and whether some had to be left out.
    room: usize,
    is_cut: bool,
    /// Names of the elements that are open, as deep as they are kept.
    path: Vec<String>,
    depth: usize,
    /// Text of the element that began last.
    text: String,
}

impl Tour {
    /// Reads as far as the file can be read.
    ///
    /// # Errors
    /// It is no GPX.
    pub(crate) fn read(xml: &str, noise: f64) -> Result<Self, String> {
        let mut reader = Reader::from_str(xml);
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        config.expand_empty_elements = true;
        let mut tour = Self::new(noise);
        let mut is_gpx = false;
        loop {
            match reader.read_event() {
                Ok(Event::Start(element)) => {
                    if !is_gpx && element.local_name().as_ref() != "gpx" {
                        return Err(format!("it is {}, not gpx", element.local_name().as_ref()));
                    }
                    is_gpx = true;
                    tour.begin(&element);
                }
                Ok(Event::End(_)) => tour.end(),
                Ok(Event::Text(text)) => tour.add_text(&text.xml10_content()),
                Ok(Event::CData(text)) => tour.add_text(&text.xml10_content()),
                Ok(Event::GeneralRef(reference)) => tour.add_reference(&reference),
                Ok(Event::Eof) => break,
                Ok(_) => {}
                Err(error) => {
                    tour.damage = Some(format!("damaged at byte {}: {error}", reader.error_position()));
                    break;
                }
            }
        }
        if tour.depth > 0 && tour.damage.is_none() {
            tour.damage = Some("it ends too early".to_owned());
        }
        if is_gpx { Ok(tour) } else { Err("it is no XML".to_owned()) }
    }

    fn new(noise: f64) -> Self {
        Self {
            titles: Vec::new(),
            descriptions: Vec::new(),
            authors: Vec::new(),
            keywords: Vec::new(),
            generator: Vec::new(),
            created: Vec::new(),
            names: Vec::new(),
            places: Vec::new(),
            links: Vec::new(),
            tracks: 0,
            routes: 0,
            waypoints: 0,
            start: None,
            end: None,
            area: Area::default(),
            track: Way::default(),
            route: Way::default(),
            climb: Climb::new(noise),
            nowhere: 0,
            damage: None,
            room: ALL_MOST,
            is_cut: false,
            path: Vec::new(),
            depth: 0,
            text: String::new(),
        }
    }

    pub(crate) fn points(&self) -> usize {
        self.track.points + self.route.points + self.waypoints
    }

    /// Kilometres of all tracks; of the routes if there is no track.
    pub(crate) fn length(&self) -> Option<f64> {
        [&self.track, &self.route].into_iter().find(|way| way.points > 0).map(|way| way.length)
    }

    pub(crate) fn climb(&self) -> Option<f64> {
        self.climb.total
    }

    /// What a reader of the record should know.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let nowhere = (self.nowhere > 0).then(|| format!("{} points are nowhere on earth", self.nowhere));
        let cut = self.is_cut.then(|| "there are more names and links than are kept".to_owned());
        self.damage.iter().cloned().chain(nowhere).chain(cut).collect()
    }

    fn begin(&mut self, element: &BytesStart<'_>) {
        self.text.clear();
        let name = element.local_name();
        let attribute = |name: &str| {
            let found = element.try_get_attribute(name).ok().flatten()?;
            found.normalized_value(XmlVersion::Explicit1_0).ok().map(|value| squeeze(&value))
        };
        match name.as_ref() {
            "gpx" => self.keep(attribute("creator").unwrap_or_default(), |tour| &mut tour.generator),
            "trk" => self.tracks += 1,
            "rte" => self.routes += 1,
            "link" => self.link(attribute("href")),
            name @ ("trkpt" | "rtept" | "wpt") => {
                let place = attribute("lat").zip(attribute("lon"));
                match place.and_then(|(latitude, longitude)| Place::new(&latitude, &longitude)) {
                    Some(place) => self.point(name, place),
                    None => self.nowhere += 1,
                }
            }
            _ => {}
        }
        self.depth += 1;
        if self.depth <= DEPTH_MOST {
            self.path.push(name.as_ref().to_owned());
        }
    }

    fn end(&mut self) {
        if self.depth == 0 {
            return;
        }
        self.depth -= 1;
        if self.depth >= DEPTH_MOST {
            return;
        }
        let name = self.path.pop().unwrap_or_default();
        let around = self.path.last().cloned().unwrap_or_default();
        let text = squeeze(&std::mem::take(&mut self.text));
        match (around.as_str(), name.as_str()) {
            (_, "trkseg" | "trk") => {
                self.track.interrupt();
                self.climb.interrupt();
            }
            (_, "rte") => self.route.interrupt(),
            ("trkpt", "ele") => self.height(&text),
            ("trkpt", "time") => self.time(text),
            _ => self.say(&around, &name, text),
        }
    }

    /// What is said in words.
    fn say(&mut self, around: &str, name: &str, text: String) {
        match (around, name) {
            ("metadata" | "gpx", "name") => self.keep(text, |tour| &mut tour.titles),
            ("metadata" | "gpx" | "trk" | "rte", "desc") => self.keep(text, |tour| &mut tour.descriptions),
            ("metadata" | "gpx", "time") => self.keep(text, |tour| &mut tour.created),
            ("author", "name") | ("gpx", "author") => self.keep(text, |tour| &mut tour.authors),
            ("metadata" | "gpx", "keywords") => {
                text.split(',').for_each(|word| self.keep(squeeze(word), |tour| &mut tour.keywords));
            }
            ("trk" | "rte", "name") => self.keep(text, |tour| &mut tour.names),
            ("wpt", "name" | "desc" | "cmt") => self.keep(text, |tour| &mut tour.places),
            ("link", "text") | (_, "urlname") => {
                let is_new = self.links.last().is_some_and(|(_, called)| called.is_empty());
                if is_new && self.has_room(text.len(), 0) {
                    self.links.last_mut().into_iter().for_each(|link| link.1.clone_from(&text));
                }
            }
            (_, "url") => self.link(Some(text)),
            _ => {}
        }
    }

    fn point(&mut self, name: &str, place: Place) {
        self.area.add(place);
        match name {
            "trkpt" => self.track.go_to(place),
            "rtept" => self.route.go_to(place),
            _ => self.waypoints += 1,
        }
    }

    fn height(&mut self, text: &str) {
        if let Some(metres) = text.parse().ok().filter(|metres: &f64| metres.is_finite()) {
            self.climb.go_to(metres);
        }
    }

    /// Times are all in the same zone and form, so that the letters tell which is earlier.
    fn time(&mut self, text: String) {
        let is_time = text.len() <= 35 && text.get(4..5) == Some("-") && text.get(10..11) == Some("T");
        if !is_time {
            return;
        }
        if self.start.as_ref().is_none_or(|start| text < *start) {
            self.start = Some(text.clone());
        }
        if self.end.as_ref().is_none_or(|end| text > *end) {
            self.end = Some(text);
        }
    }

    fn link(&mut self, href: Option<String>) {
        let Some(href) = href.filter(|href| !href.is_empty()) else { return };
        if self.has_room(href.len(), self.links.len()) {
            self.links.push((href, String::new()));
        }
    }

    fn keep(&mut self, text: String, lines: fn(&mut Self) -> &mut Vec<String>) {
        let count = lines(self).len();
        if !text.is_empty() && self.has_room(text.len(), count) {
            lines(self).push(text);
        }
    }

    /// Whether there is room for so many bytes beside so many others of their sort.
    fn has_room(&mut self, length: usize, count: usize) -> bool {
        let less = self.room.checked_sub(length).filter(|_| count < LINES_MOST);
        self.room = less.unwrap_or(self.room);
        self.is_cut |= less.is_none();
        less.is_some()
    }

    fn add_text(&mut self, text: &str) {
        let room = TEXT_MOST.saturating_sub(self.text.len());
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }

    /// Entities that the document itself defines are passed over.
    fn add_reference(&mut self, reference: &BytesRef<'_>) {
        let character = reference.resolve_char_ref().ok().flatten();
        let known = match &*reference.xml10_content() {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => None,
        };
        if let Some(character) = character.or(known) {
            self.add_text(character.encode_utf8(&mut [0; 4]));
        }
    }
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
