//! User-agent lines brought into the form that RFC 9309 asks for.
//!
//! Many files write `User-agent: OurBot/1.0` or `OurBot 2`. The RFC knows only product tokens and robotxt compares
//! them exactly, so such groups would be overlooked and we would be ruder than others.

use robotxt::BYTE_LIMIT;

/// Spellings that robotxt takes for `User-agent`.
const SPELLINGS: [&str; 3] = ["user-agent", "user agent", "useragent"];

/// The product token at the beginning of a name.
pub(super) fn token(name: &str) -> &str {
    let end = name.bytes().position(|byte| !is_token(byte)).unwrap_or(name.len());
    &name[..end]
}

/// The file within its limit, with each User-agent value cut to its product token.
pub(super) fn cut(body: &[u8]) -> Vec<u8> {
    let body = within_limit(body);
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let mut cut = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|byte| is_line_end(*byte)) {
        match agent_value(line) {
            Some(value) => {
                cut.extend_from_slice(&line[..line.len() - value.len()]);
                cut.extend_from_slice(product(value));
                cut.push(b'\n');
            }
            None => cut.extend_from_slice(line),
        }
    }
    cut
}

/// Counted before anything is cut away. The line across the limit is dropped: half a rule is another rule.
fn within_limit(body: &[u8]) -> &[u8] {
    let Some(window) = body.get(..=BYTE_LIMIT) else { return body };
    let end = window.iter().rposition(|byte| is_line_end(*byte)).unwrap_or(0);
    &body[..end]
}

/// What follows `User-agent:`, to the end of the line.
fn agent_value(line: &[u8]) -> Option<&[u8]> {
    let line = trim_blanks(line);
    let is_key = |key: &&str| line.get(..key.len()).is_some_and(|start| start.eq_ignore_ascii_case(key.as_bytes()));
    let rest = &line[SPELLINGS.iter().find(|key| is_key(key))?.len()..];
    let value = trim_blanks(rest);
    match value.strip_prefix(b":") {
        Some(value) => Some(trim_blanks(value)),
        None => (value.len() < rest.len()).then_some(value),
    }
}

fn product(value: &[u8]) -> &[u8] {
    match value {
        // `*` alone or before a blank is everybody; `*bot` is nobody.
        [b'*'] => value,
        [b'*', next, ..] if next.is_ascii_whitespace() || matches!(next, b'#' | 0) => &value[..1],
        _ => &value[..value.iter().position(|byte| !is_token(*byte)).unwrap_or(value.len())],
    }
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-')
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r' | 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(body: &[u8], expected: &[u8]) {
        assert_eq!(cut(body).escape_ascii().to_string(), expected.escape_ascii().to_string());
    }

    #[test]
    fn values_end_with_their_product_token() {
        check(b"User-agent: OurBot/1.0\n", b"User-agent: OurBot\n");
        check(b"USER-AGENT:OurBot 2 # x\n", b"USER-AGENT:OurBot\n");
        check(b"\t useragent \t: our_bot-x7\n", b"\t useragent \t: our_bot-x\n");
        check(b"User agent ourbot;x", b"User agent ourbot\n");
        check(b"user-agent:\xc3\xa4\n", b"user-agent:\n");
    }

    #[test]
    fn the_star_stays_when_it_stands_alone() {
        check(b"User-agent: *\n", b"User-agent: *\n");
        check(b"User-agent: *", b"User-agent: *\n");
        check(b"User-agent: * all\n", b"User-agent: *\n");
        check(b"User-agent: *#all\n", b"User-agent: *\n");
        check(b"User-agent: *bot\n", b"User-agent: \n");
    }

    #[test]
    fn other_bytes_are_kept() {
        let file = b"# User-agent: a/1\r\nDisallow: /a b\xff\0user-agents: a/1\rAllow: /x/1\n\n";
        check(file, file);
        check(b"User-agent: a/1\r\nAllow: /", b"User-agent: a\n\nAllow: /");
        check(b"\xef\xbb\xbfUser-agent: a/1\n", b"User-agent: a\n");
    }

    #[test]
    fn the_limit_counts_the_bytes_that_came() {
        let mut body = b"User-agent: a/1\n".repeat(BYTE_LIMIT / 16);
        body.extend_from_slice(b"Disallow: /cut");
        assert!(!cut(&body).windows(3).any(|three| three == b"Dis"));
        assert!(cut(&vec![b'x'; BYTE_LIMIT + 1]).is_empty());
        assert_eq!(cut(&vec![b'x'; BYTE_LIMIT]).len(), BYTE_LIMIT);
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken_and_never_grow_by_more_than_a_line_end(body: Vec<u8>) {
            prop_assert!(cut(&body).len() <= body.len() + 1);
        }
    }
}
