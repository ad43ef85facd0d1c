//! Dates as the formats here write them, in one form.

use jiff::Timestamp;

/// A date in ISO 8601, in universal time if it says its zone; nothing if it is none. Parts that are not known may be
/// missing: `2024`, `2024-05`, `2024-05-01`, `2024-05-01T12:00`.
pub(crate) fn iso(date: &str) -> Option<String> {
    let date = date.trim().replacen(' ', "T", 1);
    if let Ok(timestamp) = date.parse::<Timestamp>() {
        return format!("{timestamp:.0}").into();
    }
    let bare = date.split(['.', '+', 'Z']).next().unwrap_or_default();
    let (day, time) = bare.split_once('T').unwrap_or((bare, ""));
    let day = by_parts(day, '-', [4, 2, 2])?;
    let time = by_parts(time.split('-').next().unwrap_or_default(), ':', [2, 2, 2]).filter(|time| time.len() > 2);
    Some(match time {
        Some(time) if day.len() == 10 => format!("{day}T{time}"),
        _ => day,
    })
}

/// A date without marks between its parts: `20240501120000`, then `Z`, `+02'00'` or `+0200`.
pub(crate) fn compact(date: &str) -> Option<String> {
    let date = date.trim();
    let digits = date.bytes().take_while(u8::is_ascii_digit).count().min(14);
    let (digits, zone) = date.split_at_checked(digits)?;
    let mut iso = String::new();
    for (place, digit) in digits.chars().enumerate() {
        match place {
            4 | 6 => iso.push('-'),
            8 => iso.push('T'),
            10 | 12 => iso.push(':'),
            _ => {}
        }
        iso.push(digit);
    }
    let numbers: String = zone.chars().filter(char::is_ascii_digit).take(4).collect();
    let zone = match (zone.chars().next(), numbers.split_at_checked(2)) {
        (Some('Z' | 'z'), _) => "Z".to_owned(),
        (Some(sign @ ('+' | '-')), Some((hours, ""))) => format!("{sign}{hours}:00"),
        (Some(sign @ ('+' | '-')), Some((hours, minutes))) => format!("{sign}{hours}:{minutes}"),
        _ => String::new(),
    };
    self::iso(&(iso + &zone))
}

/// Checks parts of the given widths, as many as there are; an odd rest is left out.
fn by_parts(text: &str, mark: char, widths: [usize; 3]) -> Option<String> {
    let mut sound: Vec<&str> = Vec::new();
    for (part, width) in text.split(mark).zip(widths) {
        let is_number = part.len() == width && part.bytes().all(|byte| byte.is_ascii_digit());
        // A month or a day of zero is one not known.
        if !is_number || mark == '-' && part.bytes().all(|byte| byte == b'0') {
            break;
        }
        sound.push(part);
    }
    (!sound.is_empty()).then(|| sound.join(&mark.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_brought_into_one_form() {
        let check = |date: &str, expected: &str| assert_eq!(iso(date).unwrap_or_default(), expected, "{date}");
        check("2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00Z");
        check("2024-05-01T12:00:00.25Z", "2024-05-01T12:00:00Z");
        check("2024-05-01 12:00:00", "2024-05-01T12:00:00");
        check("2024-05-01T12:00", "2024-05-01T12:00");
        check("2024-05", "2024-05");
        check("2024-00-00", "2024");
        check("2024", "2024");
        check("yesterday", "");
        check("", "");
    }

    #[test]
    fn dates_without_marks_are_read() {
        let check = |date: &str, expected: &str| assert_eq!(compact(date).unwrap_or_default(), expected, "{date}");
        check("20240501120000+02'00'", "2024-05-01T10:00:00Z");
        check("20240501120000-0530", "2024-05-01T17:30:00Z");
        check("20240501120000+02", "2024-05-01T10:00:00Z");
        check("20240501120000Z00'00'", "2024-05-01T12:00:00Z");
        check("20240501120000", "2024-05-01T12:00:00");
        check("202405011", "2024-05-01");
        check("20240501", "2024-05-01");
        check("191021", "1910-21");
        check("ü", "");
    }
}
