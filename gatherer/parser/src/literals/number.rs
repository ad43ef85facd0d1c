//! Numbers as people write them.

/// A number with points and commas in the German or English way, in hundredths.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let text = text.trim_end_matches(['-', '–', '—']).trim_end_matches([',', '.']);
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (whole, part) = match text.rfind([',', '.']) {
        // What has three digits behind it parts thousands, unless it is the second kind of sign.
        Some(place) => {
            let tail = &text[place + 1..];
            let sign = &text[place..=place];
            let is_other = text[..place].contains([',', '.']) && !text[..place].contains(sign);
            match tail.len() {
                3 if !is_other => (digits(text), String::new()),
                1 | 2 => (digits(&text[..place]), digits(tail)),
                _ => return None,
            }
        }
        None => (digits(text), String::new()),
    };
    let whole: u64 = whole.parse().ok()?;
    let part: u64 = match part.len() {
        0 => 0,
        1 => part.parse::<u64>().ok()? * 10,
        _ => part.parse().ok()?,
    };
    whole.checked_mul(100)?.checked_add(part)
}

/// Hundredths with two places: `95.00`.
pub(crate) fn amount(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Hundredths without needless noughts: `5`, `1.5`.
pub(crate) fn plain(hundredths: u64) -> String {
    let text = amount(hundredths);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_points_and_commas() {
        let check = |text, expected| assert_eq!(parse(text).map(plain).as_deref(), expected, "{text}");
        check("95,00", Some("95"));
        check("1.250,50", Some("1250.5"));
        check("1,250.50", Some("1250.5"));
        check("1.250", Some("1250"));
        check("1,5", Some("1.5"));
        check("55,-", Some("55"));
        check("3.14159", None);
        check("99999999999999999999999", None);
        assert_eq!(amount(9500), "95.00");
    }
}
