//! Durations of ISO 8601: `PT1H30M`.

/// A duration in whole minutes, rounded up. Years and months have no certain length, and no dish takes so long.
pub(crate) fn minutes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_uppercase();
    let (date, time) = match text.strip_prefix('P')?.split_once('T') {
        Some((date, time)) => (date, time),
        None => (text.strip_prefix('P')?, ""),
    };
    let seconds =
        sum(date, &[('W', 604_800.0), ('D', 86_400.0)])? + sum(time, &[('H', 3600.0), ('M', 60.0), ('S', 1.0)])?;
    let minutes = (seconds / 60.0).ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is checked to be a small number")]
    (minutes > 0.0 && minutes < 1e9).then_some(minutes as u64)
}

/// The sum of numbers with units. Those that mean nothing may be there, as long as they are nothing: `P0Y0M0DT20M`.
fn sum(text: &str, units: &[(char, f64)]) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|next: char| next.is_ascii_alphabetic())?;
        let number: f64 = rest[..end].replace(',', ".").parse().ok()?;
        let unit = rest[end..].chars().next()?;
        total += match units.iter().find(|(name, _)| *name == unit) {
            Some((_, seconds)) => number * seconds,
            None if number == 0.0 => 0.0,
            None => return None,
        };
        rest = &rest[end + 1..];
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_become_minutes() {
        for (text, expected) in [
            ("PT30M", Some(30)),
            ("PT1H30M", Some(90)),
            ("pt1h", Some(60)),
            ("PT1.5H", Some(90)),
            ("PT0,5H", Some(30)),
            ("P1DT2H", Some(1560)),
            ("P1W", Some(10_080)),
            ("PT90S", Some(2)),
            ("P0Y0M0DT0H20M0.000S", Some(20)),
            (" PT5M ", Some(5)),
            ("PT0M", None),
            ("P1Y", None),
            ("PT", None),
            ("P", None),
            ("T5M", None),
            ("PT5", None),
            ("PT-5M", None),
            ("PT1e99M", None),
            ("PT5Mü", None),
            ("30 minutes", None),
            ("", None),
        ] {
            assert_eq!(minutes(text), expected, "{text}");
        }
    }
}
