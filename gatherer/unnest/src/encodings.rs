//! Bytes written as text: base64 and quoted-printable.

/// Decodes base64 with or without line breaks. Other characters are left out, as mail programs do; the second value
/// says whether all was as it should be.
pub(crate) fn base64(text: &[u8]) -> (Vec<u8>, bool) {
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count, mut is_clean) = (0_u32, 0_u32, true);
    for byte in text.iter().filter(|byte| !byte.is_ascii_whitespace()) {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => {
                // The end of a piece; encoded pieces may have been put together.
                is_clean &= count != 6;
                (bits, count) = (0, 0);
                continue;
            }
            _ => {
                is_clean = false;
                continue;
            }
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count & 0xff) as u8);
        }
    }
    // A single character at the end, or bits that say something, were part of a byte.
    is_clean &= count < 6 && bits & ((1 << count) - 1) == 0;
    (decoded, is_clean)
}

/// Decodes quoted-printable. What is no escape stays as it is.
pub(crate) fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match (first, behind) {
            (b'=', [b'\n', after @ ..] | [b'\r', b'\n', after @ ..]) => rest = after,
            (b'=', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    decoded.push(high << 4 | low);
                    rest = after;
                }
                _ => decoded.push(b'='),
            },
            _ => decoded.push(*first),
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded() {
        for (text, expected, is_clean) in [
            ("", "", true),
            ("Q2F0", "Cat", true),
            ("Q2\r\nE=", "Ca", true),
            ("Qw==", "C", true),
            ("Qw", "C", true),
            ("Qw==Q2F0", "CCat", true),
            ("Q2F0Q", "Cat", false),
            ("Q!2F0", "Cat", false),
        ] {
            assert_eq!(base64(text.as_bytes()), (expected.as_bytes().to_vec(), is_clean), "{text:?}");
        }
    }

    #[test]
    fn quoted_printable_is_decoded() {
        for (text, expected) in
            [("a=3Db", "a=b"), ("a=\r\nb=\nc", "abc"), ("=C3=BC", "ü"), ("50=%", "50=%"), ("x=", "x="), ("=4", "=4")]
        {
            assert_eq!(quoted_printable(text.as_bytes()), expected.as_bytes(), "{text:?}");
        }
    }
}
