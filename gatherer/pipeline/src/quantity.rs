//! Sizes and durations as operators and authors write them.

use jiff::{Span, SpanRelativeTo};
use std::time::Duration;

/// A span of time, such as `7d`, `90m` or `1s`.
///
/// # Errors
/// What is wrong with it, in a few words.
pub fn duration(text: &str) -> Result<Duration, &'static str> {
    match text.parse::<Span>() {
        Err(_) if text.parse::<f64>().is_ok() => Err("its unit is missing"),
        Err(_) => Err("not a duration"),
        Ok(span) => match span.to_duration(SpanRelativeTo::days_are_24_hours()).map(Duration::try_from) {
            Ok(Ok(duration)) => Ok(duration),
            Ok(Err(_)) => Err("less than nothing"),
            Err(_) => Err("months and years differ in length: count days"),
        },
    }
}

/// Bytes with their unit, such as `16MiB`, `8KiB` or `512B`.
///
/// # Errors
/// What is wrong with it, in a few words.
pub fn size(text: &str) -> Result<u64, &'static str> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        "b" => 1_u64,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "" if !digits.is_empty() => return Err("its unit is missing"),
        _ => return Err("not a size"),
    };
    digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).ok_or("not a size")
}
