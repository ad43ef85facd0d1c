//! What a line printer or a terminal does to text for emphasis: struck twice, underlined, coloured.

use std::borrow::Cow;

/// Most characters of one sequence for a terminal; longer ones are none.
const SEQUENCE: usize = 64;

/// The text without it.
pub(super) fn removed(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{8}', '\u{1b}']) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\u{1b}' => rest = after_sequence(rest),
            '\u{8}' => rest = strike(&mut plain, rest),
            other => plain.push(other),
        }
    }
    Cow::Owned(plain)
}

/// Of two characters in one place the letter counts, and not the line under it; of two letters the second.
fn strike<'a>(plain: &mut String, rest: &'a str) -> &'a str {
    let Some(above) = rest.chars().next().filter(|above| !above.is_control()) else { return rest };
    if plain.ends_with('\n') {
        return rest;
    }
    let below = plain.pop();
    let kept = if above == '_' { below.unwrap_or(above) } else { above };
    plain.push(kept);
    &rest[above.len_utf8()..]
}

/// What follows a sequence such as `[1m`.
fn after_sequence(rest: &str) -> &str {
    let Some(parameters) = rest.strip_prefix('[') else { return rest };
    let end = parameters.bytes().take(SEQUENCE).position(|byte| (0x40..=0x7e).contains(&byte));
    end.map_or(rest, |end| &parameters[end + 1..])
}
