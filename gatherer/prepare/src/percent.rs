//! Percent-encoding: one spelling for equal escapes (RFC 3986, section 6.2.2), and plain decoding.

/// Writes escapes in upper case and decodes those of unreserved characters. What normalizing gives, normalizing
/// leaves alone.
pub(crate) fn normalize(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut normal = String::with_capacity(text.len());
    normal.push_str(pieces.next().unwrap_or_default());
    // In `%%37E` and `%4%31` a decoded digit would make an escape out of a stray `%`, so it stays encoded.
    let mut stray_before = false;
    for piece in pieces {
        let (byte, tail) = split_escape(piece);
        match byte {
            Some(byte) if is_unreserved(byte) && !stray_before => normal.push(char::from(byte)),
            Some(_) => normal.extend(['%'].into_iter().chain(piece[..2].to_ascii_uppercase().chars())),
            None => normal.push('%'),
        }
        normal.push_str(tail);
        stray_before = byte.is_none() && piece.len() < 2;
    }
    normal
}

/// Decodes every escape; bytes that are no UTF-8 become replacement characters.
pub(crate) fn decode(text: &str) -> String {
    let mut pieces = text.split('%');
    let mut plain = pieces.next().unwrap_or_default().as_bytes().to_vec();
    for piece in pieces {
        let (byte, tail) = split_escape(piece);
        plain.push(byte.unwrap_or(b'%'));
        plain.extend_from_slice(tail.as_bytes());
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// The byte that the text behind a `%` stands for, if it begins with two digits, and what follows.
fn split_escape(piece: &str) -> (Option<u8>, &str) {
    let digit = |at: usize| piece.as_bytes().get(at).and_then(|byte| char::from(*byte).to_digit(16));
    match (digit(0), digit(1)) {
        (Some(high), Some(low)) => (u8::try_from(high * 16 + low).ok(), &piece[2..]),
        _ => (None, piece),
    }
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(normalize(text), expected, "{text}");
        assert_eq!(normalize(expected), expected, "{text}, twice");
    }

    #[test]
    fn unreserved_characters_are_decoded() {
        check("/%7Ejack/%41%2d%2E%5f%30", "/~jack/A-._0");
    }

    #[test]
    fn other_escapes_get_upper_case_digits() {
        check("/a%2fb%c3%a4%20%25", "/a%2Fb%C3%A4%20%25");
    }

    #[test]
    fn nothing_is_decoded_twice() {
        check("/%257e/%252e", "/%257e/%252e");
    }

    #[test]
    fn stray_percent_signs_stay_and_never_become_escapes() {
        check("100%", "100%");
        check("%zz%4", "%zz%4");
        check("%%37E", "%%37E");
        check("%4%31", "%4%31");
        check("%%31%32", "%%312");
        check("%%%37%37E", "%%%377E");
        check("%ä%41", "%äA");
    }

    #[test]
    fn decoding_takes_every_escape_once() {
        assert_eq!(decode("a%40b%3a%2525+%"), "a@b:%25+%");
        assert_eq!(decode("%ff"), "\u{fffd}");
    }

    proptest! {
        #[test]
        fn normalizing_twice_is_normalizing_once(text in "[%0-9a-fA-Fg~/.ä]{0,40}") {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }
    }
}
