//! Places on the globe: the smallest box around them.

/// West, south, east and north of all places seen.
#[derive(Debug, Default)]
pub(super) struct Bounds(Option<[f64; 4]>);

impl Bounds {
    /// Takes a place, if both are numbers of degrees.
    pub(super) fn add(&mut self, longitude: &str, latitude: &str) {
        let (Ok(x), Ok(y)) = (longitude.trim().parse::<f64>(), latitude.trim().parse::<f64>()) else { return };
        if x.abs() > 180.0 || y.abs() > 90.0 || x.is_nan() || y.is_nan() {
            return;
        }
        let [west, south, east, north] = self.0.unwrap_or([x, y, x, y]);
        self.0 = Some([west.min(x), south.min(y), east.max(x), north.max(y)]);
    }

    /// Takes places as KML writes them: longitude, latitude and height with commas, the next one behind a blank.
    pub(super) fn add_list(&mut self, list: &str) {
        for place in list.split_ascii_whitespace() {
            let mut parts = place.split(',');
            if let (Some(longitude), Some(latitude)) = (parts.next(), parts.next()) {
                self.add(longitude, latitude);
            }
        }
    }

    /// The four numbers; empty if there was no place.
    pub(super) fn text(&self) -> String {
        self.0.map_or_else(String::new, |[west, south, east, north]| format!("{west} {south} {east} {north}"))
    }
}
