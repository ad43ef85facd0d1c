//! Character references: `&amp;`, `&#189;`, `&#xbd;`.

use crate::charset::WINDOWS;
use std::borrow::Cow;

/// The names of U+00A0 to U+00FF, in order.
const LATIN: [&str; 96] = [
    "nbsp", "iexcl", "cent", "pound", "curren", "yen", "brvbar", "sect", "uml", "copy", "ordf", "laquo", "not", "shy",
    "reg", "macr", "deg", "plusmn", "sup2", "sup3", "acute", "micro", "para", "middot", "cedil", "sup1", "ordm",
    "raquo", "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc", "Atilde", "Auml", "Aring", "AElig",
    "Ccedil", "Egrave", "Eacute", "Ecirc", "Euml", "Igrave", "Iacute", "Icirc", "Iuml", "ETH", "Ntilde", "Ograve",
    "Oacute", "Ocirc", "Otilde", "Ouml", "times", "Oslash", "Ugrave", "Uacute", "Ucirc", "Uuml", "Yacute", "THORN",
    "szlig", "agrave", "aacute", "acirc", "atilde", "auml", "aring", "aelig", "ccedil", "egrave", "eacute", "ecirc",
    "euml", "igrave", "iacute", "icirc", "iuml", "eth", "ntilde", "ograve", "oacute", "ocirc", "otilde", "ouml",
    "divide", "oslash", "ugrave", "uacute", "ucirc", "uuml", "yacute", "thorn", "yuml",
];

/// Others that recipes use.
const FURTHER: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("ndash", '–'),
    ("mdash", '—'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("sbquo", '‚'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("bdquo", '„'),
    ("hellip", '…'),
    ("bull", '•'),
    ("prime", '′'),
    ("Prime", '″'),
    ("frasl", '⁄'),
    ("euro", '€'),
    ("trade", '™'),
    ("minus", '−'),
    ("OElig", 'Œ'),
    ("oelig", 'œ'),
    ("Scaron", 'Š'),
    ("scaron", 'š'),
    ("ensp", '\u{2002}'),
    ("emsp", '\u{2003}'),
    ("thinsp", '\u{2009}'),
    ("frac13", '⅓'),
    ("frac23", '⅔'),
    ("frac15", '⅕'),
    ("frac18", '⅛'),
    ("frac38", '⅜'),
    ("frac58", '⅝'),
    ("frac78", '⅞'),
];

/// No reference is longer.
const LONGEST: usize = 12;

/// The text without its character references. Names have to end with a semicolon, so that `?a=1&copy=2` stays what it
/// is.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('&') else { return Cow::Borrowed(text) };
    let mut decoded = text[..first].to_owned();
    let mut rest = &text[first..];
    while let Some(place) = rest.find('&') {
        decoded.push_str(&rest[..place]);
        rest = &rest[place + 1..];
        if let Some((character, length)) = reference(rest) {
            decoded.push(character);
            rest = &rest[length..];
        } else {
            decoded.push('&');
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

/// The character behind an ampersand, and how many bytes name it.
fn reference(text: &str) -> Option<(char, usize)> {
    if let Some(number) = text.strip_prefix('#') {
        return numeric(number).map(|(character, length)| (character, length + 1));
    }
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    named(&text[..end]).map(|character| (character, end + 1))
}

fn numeric(text: &str) -> Option<(char, usize)> {
    let (digits, radix, before) = match text.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (text, 10, 0),
    };
    let length = digits.bytes().take(LONGEST).take_while(|byte| char::from(*byte).is_digit(radix)).count();
    let number = u32::from_str_radix(&digits[..length], radix).ok();
    let semicolon = usize::from(digits[length..].starts_with(';'));
    // Numbers of Windows characters are taken for what was meant, as browsers do.
    let character = match number {
        None if length == 0 => return None,
        Some(number @ 0x80..=0x9f) => WINDOWS[number as usize - 0x80],
        Some(0) | None => char::REPLACEMENT_CHARACTER,
        Some(number) => char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER),
    };
    Some((character, before + length + semicolon))
}

fn named(name: &str) -> Option<char> {
    let latin = LATIN.iter().position(|latin| *latin == name);
    let latin = latin.and_then(|place| u8::try_from(0xa0 + place).ok()).map(char::from);
    latin.or_else(|| FURTHER.iter().find(|(further, _)| *further == name).map(|(_, character)| *character))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(decode(text), expected, "{text}");
    }

    #[test]
    fn names() {
        check("plain", "plain");
        check("Salz &amp; Pfeffer", "Salz & Pfeffer");
        check("&frac12;&nbsp;l &Uuml;&yuml;&szlig;", "½\u{a0}l Üÿß");
        check("&lt;&gt;&quot;&apos;", "<>\"'");
        check("&amp;amp;", "&amp;");
    }

    #[test]
    fn numbers() {
        check("&#189;&#xBD;&#Xbd;", "½½½");
        check("&#39s", "'s");
        check("&#150;", "–");
        check("&#0;&#x110000;&#99999999999999999999;", "\u{fffd}\u{fffd}\u{fffd}99999999;");
    }

    #[test]
    fn what_is_no_reference_stays() {
        for text in ["?a=1&copy=2&b", "&", "&;", "&#;", "&#x;", "&unknown;", "AT&T;", "&ü;", "&thisnameisfartoolong;"]
        {
            check(text, text);
        }
    }
}
