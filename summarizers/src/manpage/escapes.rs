//! The escapes of troff made readable: fonts and sizes dropped, special characters as themselves.

use std::collections::HashMap;

/// Strings that the document or its macros define.
pub(super) type Strings = HashMap<String, String>;

/// Longest name of a special character or string, and longest argument of an escape.
const NAME: usize = 100;
/// Most bytes by which strings may make one line longer.
const GROWTH: usize = 4_000;

/// Characters by their names in `\(xx` and `\[xx]`.
#[rustfmt::skip]
const SPECIAL: &[(&str, &str)] = &[
    ("em", "—"), ("en", "–"), ("hy", "-"), ("mi", "−"), ("aq", "'"), ("dq", "\""), ("lq", "“"), ("rq", "”"),
    ("oq", "‘"), ("cq", "’"), ("Bq", "„"), ("bq", "‚"), ("Fo", "«"), ("Fc", "»"), ("fo", "‹"), ("fc", "›"),
    ("bu", "•"), ("co", "©"), ("rg", "®"), ("tm", "™"), ("mu", "×"), ("di", "÷"), ("+-", "±"), ("<=", "≤"),
    (">=", "≥"), ("!=", "≠"), ("==", "≡"), ("~=", "≈"), ("->", "→"), ("<-", "←"), ("ua", "↑"), ("da", "↓"),
    ("rA", "⇒"), ("lA", "⇐"), ("de", "°"), ("sc", "§"), ("ps", "¶"), ("dg", "†"), ("dd", "‡"), ("ct", "¢"),
    ("Po", "£"), ("Ye", "¥"), ("Eu", "€"), ("eu", "€"), ("Do", "$"), ("12", "½"), ("14", "¼"), ("34", "¾"),
    ("S1", "¹"), ("S2", "²"), ("S3", "³"), ("if", "∞"), ("es", "∅"), ("mo", "∈"), ("ss", "ß"), ("ae", "æ"),
    ("AE", "Æ"), ("oe", "œ"), ("OE", "Œ"), ("/o", "ø"), ("/O", "Ø"), ("oa", "å"), ("oA", "Å"), (":a", "ä"),
    (":e", "ë"), (":i", "ï"), (":o", "ö"), (":u", "ü"), (":A", "Ä"), (":O", "Ö"), (":U", "Ü"), ("'a", "á"),
    ("'e", "é"), ("'i", "í"), ("'o", "ó"), ("'u", "ú"), ("'A", "Á"), ("'E", "É"), ("`a", "à"), ("`e", "è"),
    ("`i", "ì"), ("`o", "ò"), ("`u", "ù"), ("^a", "â"), ("^e", "ê"), ("^i", "î"), ("^o", "ô"), ("^u", "û"),
    ("'I", "Í"), ("'O", "Ó"), ("'U", "Ú"), ("`A", "À"), ("`E", "È"), ("`I", "Ì"), ("`O", "Ò"), ("`U", "Ù"),
    ("^A", "Â"), ("^E", "Ê"), ("^I", "Î"), ("^O", "Ô"), ("^U", "Û"), (":E", "Ë"), (":I", "Ï"), ("'y", "ý"),
    ("'Y", "Ý"), (":y", "ÿ"), ("~N", "Ñ"), ("~A", "Ã"), ("~O", "Õ"), ("vs", "š"), ("vS", "Š"), ("vz", "ž"),
    ("vZ", "Ž"), ("'c", "ć"), ("'C", "Ć"), ("/l", "ł"), ("/L", "Ł"), ("-D", "Ð"), ("Sd", "ð"), ("TP", "Þ"), ("Tp", "þ"),
    ("~n", "ñ"), ("~a", "ã"), ("~o", "õ"), (",c", "ç"), (",C", "Ç"), ("r?", "¿"), ("r!", "¡"), ("rs", "\\"),
    ("ha", "^"), ("ti", "~"), ("ga", "`"), ("aa", "´"), ("ul", "_"), ("ru", "_"), ("br", "|"), ("ba", "|"),
    ("or", "|"), ("bv", "|"), ("pl", "+"), ("eq", "="), ("sl", "/"), ("at", "@"), ("sh", "#"), ("lB", "["),
    ("rB", "]"), ("lC", "{"), ("rC", "}"), ("la", "⟨"), ("ra", "⟩"), ("ff", "ff"), ("fi", "fi"), ("fl", "fl"),
    ("Fi", "ffi"), ("Fl", "ffl"), ("sq", "□"), ("ci", "○"), ("OK", "✓"), ("*a", "α"), ("*b", "β"), ("*g", "γ"),
    ("*d", "δ"), ("*e", "ε"), ("*l", "λ"), ("*m", "μ"), ("*p", "π"), ("*r", "ρ"), ("*s", "σ"), ("*t", "τ"),
    ("*w", "ω"), ("*D", "Δ"), ("*S", "Σ"), ("*W", "Ω"), ("sr", "√"), ("is", "∫"), ("pd", "∂"),
];

/// Strings that the macro packages define.
#[rustfmt::skip]
const PREDEFINED: &[(&str, &str)] = &[
    ("R", "®"), ("Tm", "™"), ("lq", "“"), ("rq", "”"), ("Lq", "“"), ("Rq", "”"), ("Le", "≤"), ("Ge", "≥"),
    ("Lt", "<"), ("Gt", ">"), ("Ne", "≠"), ("Am", "&"), ("Ba", "|"), ("Pm", "±"), ("Pi", "π"), ("If", "∞"),
    ("q", "\""), ("-", "—"), ("Q", "“"), ("U", "”"), ("C+", "C++"), ("PI", "π"), ("L\"", "“"), ("R\"", "”"),
    ("C`", "\""), ("C'", "\""), ("--", "-"),
];

/// The line as it would be read.
pub(super) fn plain(line: &str, strings: &Strings) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(place) = rest.find('\\') {
        out.push_str(&rest[..place]);
        rest = escape(&rest[place + 1..], strings, line.len() + GROWTH, &mut out);
    }
    out.push_str(rest);
    out
}

/// One escape, without its backslash; returns what follows it. Strings stay out if they would pass the limit.
fn escape<'a>(text: &'a str, strings: &Strings, limit: usize, out: &mut String) -> &'a str {
    let Some(kind) = text.chars().next() else { return "" };
    let rest = &text[kind.len_utf8()..];
    match kind {
        '"' | '#' => "",
        '-' | '.' | '\'' | '`' | '_' => {
            out.push(kind);
            rest
        }
        'e' | '\\' | 'E' => {
            out.push('\\');
            rest
        }
        ' ' | '~' | '0' | 't' => {
            out.push(' ');
            rest
        }
        '(' | '[' => {
            let (name, rest) = named(text);
            special(name, out);
            rest
        }
        '*' => {
            let (name, rest) = named(rest);
            let known =
                strings.get(name).map(String::as_str).filter(|known| known.len() <= limit.saturating_sub(out.len()));
            out.push_str(known.or_else(|| find(PREDEFINED, name)).unwrap_or_default());
            rest
        }
        'f' | 'F' | 'm' | 'M' | 'n' | 'g' | 'k' | 'O' | 'V' | 'Y' | '$' => named(rest.trim_start_matches(['+', '-'])).1,
        's' => size(rest),
        'A' | 'b' | 'B' | 'D' | 'h' | 'H' | 'l' | 'L' | 'R' | 'S' | 'v' | 'w' | 'x' | 'X' | 'Z' => delimited(rest).1,
        'C' | 'N' | 'o' => {
            let (argument, rest) = delimited(rest);
            match kind {
                'C' => special(argument, out),
                'N' => out.extend(argument.parse().ok().and_then(char::from_u32)),
                _ => out.push_str(&plain_overstrike(argument)),
            }
            rest
        }
        // Spaces of no width, breaks, half lines and braces.
        _ => rest,
    }
}

/// Of several characters in one place the first counts.
fn plain_overstrike(argument: &str) -> String {
    argument.chars().find(|character| character.is_alphanumeric()).map(String::from).unwrap_or_default()
}

/// A name of one letter, of two after `(`, or of any length in brackets.
fn named(text: &str) -> (&str, &str) {
    if let Some(rest) = text.strip_prefix('(') {
        let end = rest.char_indices().nth(2).map_or(rest.len(), |(place, _)| place);
        return rest.split_at(end);
    }
    if let Some(rest) = text.strip_prefix('[') {
        let end = rest.bytes().take(NAME).position(|byte| byte == b']');
        return end.map_or(("", rest), |end| (&rest[..end], &rest[end + 1..]));
    }
    text.split_at(text.chars().next().map_or(0, char::len_utf8))
}

/// What follows `\s`: a sign, one or two digits, or any number in brackets or quotes.
fn size(text: &str) -> &str {
    if text.starts_with('[') {
        return named(text).1;
    }
    if text.starts_with('\'') {
        return delimited(text).1;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(two) = unsigned.strip_prefix('(') {
        return two.get(2..).unwrap_or_default();
    }
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    // Two digits are one size only up to 39.
    let taken = if digits > 1 && unsigned.starts_with(['1', '2', '3']) && unsigned.len() == text.len() {
        2
    } else {
        digits.min(1)
    };
    &unsigned[taken..]
}

/// An argument between two equal marks, mostly `'`.
fn delimited(text: &str) -> (&str, &str) {
    let Some(mark) = text.chars().next() else { return ("", "") };
    let rest = &text[mark.len_utf8()..];
    let limit = rest.floor_char_boundary(NAME);
    rest[..limit].find(mark).map_or(("", text), |end| (&rest[..end], &rest[end + mark.len_utf8()..]))
}

fn special(name: &str, out: &mut String) {
    let code =
        name.strip_prefix('u').filter(|code| code.len() >= 4).and_then(|code| u32::from_str_radix(code, 16).ok());
    match find(SPECIAL, name) {
        Some(known) => out.push_str(known),
        None => out.extend(code.and_then(char::from_u32)),
    }
}

fn find(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The arguments of a request: parted by blanks, unless they are quoted.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() && !rest.starts_with("\\\"") && found.len() < NAME {
        let (argument, after) = argument(rest);
        found.push(argument);
        rest = after.trim_start_matches([' ', '\t']);
    }
    found
}

fn argument(text: &str) -> (String, &str) {
    let quoted = text.strip_prefix('"');
    let mut characters = quoted.unwrap_or(text).char_indices().peekable();
    let mut found = String::new();
    let whole = quoted.unwrap_or(text);
    while let Some((place, character)) = characters.next() {
        match character {
            '\\' => {
                found.push(character);
                found.extend(characters.next().map(|(_, next)| next));
            }
            '"' if quoted.is_some() => match characters.peek() {
                Some((_, '"')) => {
                    found.push('"');
                    characters.next();
                }
                _ => return (found, &whole[place + 1..]),
            },
            ' ' | '\t' if quoted.is_none() => return (found, &whole[place..]),
            other => found.push(other),
        }
    }
    (found, "")
}
