//! Letters of TeX's fonts, and accents that stand before their letters.

use std::borrow::Cow;

/// The first codes of TeX's text fonts in their old order (OT1); those after them are ASCII.
#[rustfmt::skip]
const OLD: [&str; 32] = [
    "Γ", "Δ", "Θ", "Λ", "Ξ", "Π", "Σ", "Υ", "Φ", "Ψ", "Ω", "ff", "fi", "fl", "ffi", "ffl",
    "ı", "ȷ", "`", "´", "ˇ", "˘", "¯", "˚", "¸", "ß", "æ", "œ", "ø", "Æ", "Œ", "Ø",
];

/// The same in the Cork order (T1).
#[rustfmt::skip]
const CORK: [&str; 32] = [
    "`", "´", "ˆ", "˜", "¨", "˝", "˚", "ˇ", "˘", "¯", "˙", "¸", "˛", "‚", "‹", "›",
    "“", "”", "„", "«", "»", "–", "—", "", "", "ı", "ȷ", "ff", "fi", "fl", "ffi", "ffl",
];

/// The Cork order from 0x80 to 0xbf; what follows is near to Latin-1.
const CORK_UPPER: &str = "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£";

/// What a code of one of TeX's text fonts reads as.
pub(crate) fn tex(code: u8, is_cork: bool) -> Cow<'static, str> {
    let low = if is_cork { CORK } else { OLD };
    match code {
        0..=31 => low[usize::from(code)].into(),
        b'\\' if !is_cork => "“".into(),
        b'"' if !is_cork => "”".into(),
        b'{' if !is_cork => "–".into(),
        b'|' if !is_cork => "—".into(),
        b'^' if !is_cork => "ˆ".into(),
        b'_' if !is_cork => "˙".into(),
        b'}' if !is_cork => "˝".into(),
        b'~' if !is_cork => "˜".into(),
        0x7f => if is_cork { "" } else { "¨" }.into(),
        0x80..=0xbf if is_cork => {
            CORK_UPPER.chars().nth(usize::from(code - 0x80)).map(String::from).unwrap_or_default().into()
        }
        0xd7 if is_cork => "Œ".into(),
        0xf7 if is_cork => "œ".into(),
        0xdf if is_cork => "SS".into(),
        0xff if is_cork => "ß".into(),
        other => char::from(other).to_string().into(),
    }
}

/// Puts accents that stand alone onto the letters behind them, here and across pieces: `accent` is the one at the end
/// of the piece before, `goes_on` says whether this piece follows it without a gap.
pub(crate) fn accented<'a>(piece: &'a str, accent: &mut Option<char>, goes_on: bool) -> Cow<'a, str> {
    if accent.is_none() && !piece.contains(|character| combining(character).is_some()) {
        return piece.into();
    }
    let mut text = String::new();
    if !goes_on {
        text.extend(accent.take());
    }
    for character in piece.chars() {
        match (accent.take(), character) {
            (Some(mark), letter) if letter.is_alphabetic() && combining(letter).is_none() => {
                text.push(match letter {
                    'ı' => 'i',
                    'ȷ' => 'j',
                    other => other,
                });
                text.extend(combining(mark));
            }
            (before, character) => {
                text.extend(before);
                if combining(character).is_some() {
                    *accent = Some(character);
                } else {
                    text.push(character);
                }
            }
        }
    }
    text.into()
}

/// The mark for a letter that an accent of its own stands for. The grave accent is a quote as often.
fn combining(accent: char) -> Option<char> {
    Some(match accent {
        '´' => '\u{301}',
        'ˆ' => '\u{302}',
        '˜' => '\u{303}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_go_onto_their_letters() {
        let mut accent = None;
        assert_eq!(accented("caf´e na¨ıve", &mut accent, true), "cafe\u{301} nai\u{308}ve");
        assert_eq!((&*accented("Olˇ", &mut accent, true), accent), ("Ol", Some('ˇ')));
        assert_eq!((&*accented("s´ak", &mut accent, true), accent), ("s\u{30c}a\u{301}k", None));
        assert_eq!((&*accented("x¨", &mut accent, true), &*accented("y", &mut accent, false)), ("x", "¨y"));
        assert_eq!(accented("´ ´´a", &mut accent, true), "´ ´a\u{301}");
    }

    #[test]
    fn fonts_of_tex_have_two_orders() {
        assert_eq!((tex(14, false), tex(30, true), tex(b'a', true)), ("ffi".into(), "ffi".into(), "a".into()));
        assert_eq!((tex(0xe4, true), tex(0x92, true), tex(0xbf, true)), ("ä".into(), "Š".into(), "£".into()));
    }
}
