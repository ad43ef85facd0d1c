//! Places on the earth: how far they are from each other, and what is around them.

/// Mean radius, in kilometres.
const RADIUS: f64 = 6371.0088;

/// A place, in degrees.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Place {
    latitude: f64,
    longitude: f64,
}

impl Place {
    /// Nothing if there is no such place.
    pub(crate) fn new(latitude: &str, longitude: &str) -> Option<Self> {
        let within = |text: &str, most: f64| text.trim().parse().ok().filter(|degrees: &f64| degrees.abs() <= most);
        Some(Self { latitude: within(latitude, 90.0)?, longitude: within(longitude, 180.0)? })
    }

    /// Kilometres along the great circle, by the haversine formula: good for small distances too.
    pub(crate) fn distance(self, other: Self) -> f64 {
        let (from, to) = (self.latitude.to_radians(), other.latitude.to_radians());
        let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
        let chord =
            half(other.latitude - self.latitude) + from.cos() * to.cos() * half(other.longitude - self.longitude);
        2.0 * RADIUS * chord.sqrt().min(1.0).asin()
    }
}

/// A way from place to place.
#[derive(Debug, Default)]
pub(crate) struct Way {
    /// Kilometres.
    pub(crate) length: f64,
    pub(crate) points: usize,
    last: Option<Place>,
}

impl Way {
    pub(crate) fn go_to(&mut self, place: Place) {
        self.length += self.last.map_or(0.0, |last| last.distance(place));
        self.points += 1;
        self.last = Some(place);
    }

    /// What comes next is not connected to what was before.
    pub(crate) fn interrupt(&mut self) {
        self.last = None;
    }
}

/// Metres of climbing. Receivers waver, so a rise counts from a certain height on only.
#[derive(Debug)]
pub(crate) struct Climb {
    /// Metres so far; nothing if no height is known.
    pub(crate) total: Option<f64>,
    noise: f64,
    /// Where the rise that is going on began.
    low: f64,
}

impl Climb {
    pub(crate) fn new(noise: f64) -> Self {
        Self { total: None, noise, low: f64::INFINITY }
    }

    pub(crate) fn go_to(&mut self, height: f64) {
        let total = self.total.get_or_insert(0.0);
        let rise = height - self.low;
        if rise >= self.noise {
            *total += rise;
        }
        if rise >= self.noise || rise < 0.0 {
            self.low = height;
        }
    }

    /// What comes next is not connected to what was before.
    pub(crate) fn interrupt(&mut self) {
        self.low = f64::INFINITY;
    }
}

/// The smallest box around places.
#[derive(Debug, Default)]
pub(crate) struct Area(Option<[f64; 4]>);

impl Area {
    pub(crate) fn add(&mut self, place: Place) {
        let (x, y) = (place.longitude, place.latitude);
        let [west, south, east, north] = self.0.unwrap_or([x, y, x, y]);
        self.0 = Some([west.min(x), south.min(y), east.max(x), north.max(y)]);
    }

    /// West, south, east and north, for programs.
    pub(crate) fn numbers(&self) -> Option<String> {
        self.0.map(|[west, south, east, north]| format!("{west} {south} {east} {north}"))
    }

    /// The same for people: `47.35 N 8.50 E to 47.40 N 8.60 E`.
    pub(crate) fn words(&self) -> Option<String> {
        let side =
            |degrees: f64, sides: [&str; 2]| format!("{:.2} {}", degrees.abs(), sides[usize::from(degrees < 0.0)]);
        let place = |latitude, longitude| format!("{} {}", side(latitude, ["N", "S"]), side(longitude, ["E", "W"]));
        self.0.map(|[west, south, east, north]| format!("{} to {}", place(south, west), place(north, east)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(latitude: &str, longitude: &str) -> Place {
        Place::new(latitude, longitude).expect("a place")
    }

    fn check_distance(from: (&str, &str), to: (&str, &str), expected: f64) {
        let found = place(from.0, from.1).distance(place(to.0, to.1));
        assert!((found - expected).abs() < 0.01, "{found} is not {expected}");
    }

    #[test]
    fn distances() {
        check_distance(("0", "0"), ("0", "0"), 0.0);
        // A degree of the equator and of a meridian.
        check_distance(("0", "0"), ("0", "1"), 111.195);
        check_distance(("48", "11"), ("49", "11"), 111.195);
        // On the sixtieth parallel a degree is half as long.
        check_distance(("60", "10"), ("60", "11"), 55.60);
        // Across the date line, and to the other side of the earth.
        check_distance(("0", "179.5"), ("0", "-179.5"), 111.195);
        check_distance(("0", "0"), ("0", "180"), 20015.12);
    }

    #[test]
    fn some_places_are_nowhere() {
        for (latitude, longitude) in [("91", "0"), ("0", "181"), ("NaN", "0"), ("0", "inf"), ("", "0"), ("1e999", "0")]
        {
            assert_eq!(Place::new(latitude, longitude), None, "{latitude} {longitude}");
        }
    }

    #[test]
    fn small_rises_do_not_count() {
        let climb = |heights: &[f64]| {
            let mut climb = Climb::new(3.0);
            heights.iter().for_each(|height| climb.go_to(*height));
            climb.total
        };
        assert_eq!(climb(&[]), None);
        assert_eq!(climb(&[100.0]), Some(0.0));
        assert_eq!(climb(&[100.0, 102.0, 100.0, 102.0, 101.0]), Some(0.0));
        assert_eq!(climb(&[100.0, 102.0, 104.0, 106.0, 108.0]), Some(8.0));
        assert_eq!(climb(&[100.0, 150.0, 120.0, 130.0]), Some(60.0));
    }

    #[test]
    fn areas_in_numbers_and_words() {
        let mut area = Area::default();
        assert_eq!((area.numbers(), area.words()), (None, None));
        area.add(place("-33.5", "18.25"));
        area.add(place("-34", "-0.5"));
        assert_eq!(area.numbers().as_deref(), Some("-0.5 -34 18.25 -33.5"));
        assert_eq!(area.words().as_deref(), Some("34.00 S 0.50 W to 33.50 S 18.25 E"));
    }
}
