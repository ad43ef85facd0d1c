//! Tracks of GPS receivers, as GPX 1.0 and 1.1 write them: how long, how high, where and when.

mod earth;
mod reading;

use gatherer_sdk::{Attribute, Call, Draft, Plugin, Setting, Summarizer, Trouble, export};
use reading::Tour;

struct Gpx;

impl Plugin for Gpx {
    const NAME: &str = env!("CARGO_PKG_NAME");
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const KINDS: &[&str] = &["GPX"];
    const OPTIONS: &[Setting] =
        &[Setting::new("noise", "metres of climbing that a receiver makes up, and that do not count").default("3")];
}

impl Summarizer for Gpx {
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
        let noise = call.option("noise").unwrap_or("3");
        let noise = noise.trim().parse().ok().filter(|metres| (0.0..1000.0).contains(metres));
        let noise = noise.ok_or_else(|| Trouble::failed("option noise is no number of metres"))?;
        let body = call.body();
        let tour = Tour::read(&String::from_utf8_lossy(&body), noise).map_err(Trouble::refused)?;
        let mut draft = draft(&tour);
        if (body.len() as u64) < call.document.size {
            draft.complain(format!("only the first {} bytes could be read", body.len()));
        }
        Ok(draft)
    }
}

export!(summarizer: Gpx);

fn draft(tour: &Tour) -> Draft {
    let mut draft = Draft::new();
    let title = tour.titles.first().or_else(|| tour.names.first());
    draft.attributes.extend(title.map(|title| Attribute::new("Title", title.as_str()).weight(3.0)));
    let number = |number: usize| (number > 0).then(|| number.to_string());
    for (name, value) in [
        ("Description", join(&tour.descriptions)),
        ("Author", join(&tour.authors)),
        ("Keywords", join(&tour.keywords)),
        ("Generator", join(&tour.generator)),
        ("Created", join(&tour.created)),
        ("Tracks", number(tour.tracks)),
        ("Routes", number(tour.routes)),
        ("Waypoints", number(tour.waypoints)),
        ("Points", number(tour.points())),
        ("Track-Names", join(&tour.names)),
        ("Length", tour.length().map(|kilometres| format!("{kilometres:.2}"))),
        ("Elevation-Gain", tour.climb().map(|metres| format!("{metres:.0}"))),
        ("Start-Time", tour.start.clone()),
        ("End-Time", tour.end.clone()),
        ("Bounding-Box", tour.area.numbers()),
        ("Area", tour.area.words()),
    ] {
        draft.attributes.extend(value.map(|value| Attribute::new(name, value)));
    }
    if let Some(text) = join(&[tour.titles.as_slice(), &tour.descriptions, &tour.names, &tour.places].concat()) {
        draft.text(text);
    }
    tour.links.iter().for_each(|(url, text)| {
        draft.reference(url.as_str(), text.as_str());
    });
    draft.complaints.extend(tour.complaints());
    draft
}

fn join(lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests;
