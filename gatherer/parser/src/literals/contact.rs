//! Mail addresses, addresses of the web, telephone numbers.

use super::{Found, Kind, Setting, compiled};
use regex::Regex;
use std::collections::BTreeMap;

#[derive(Debug)]
pub(super) struct Contact {
    mail: Regex,
    web: Regex,
    phone: Regex,
    short: Regex,
    extension: Regex,
    /// Numbers as they are written in America.
    american_phone: Regex,
    /// Prefix of a country, fewest and most digits of a whole number.
    countries: BTreeMap<String, [u32; 3]>,
    /// With what numbers begin that are carried along.
    mobiles: Vec<String>,
}

/// Where the nought is dialled from everywhere.
const ITALY: u32 = 39;

impl Contact {
    pub(super) fn new(countries: BTreeMap<String, [u32; 3]>, mobiles: &BTreeMap<String, String>) -> Self {
        let begins = |(country, starts): (&String, &String)| {
            let [prefix, ..] = countries.get(country).copied().unwrap_or_default();
            starts.split_whitespace().map(|start| format!("+{prefix}{start}")).collect::<Vec<_>>()
        };
        Self {
            mobiles: mobiles.iter().flat_map(begins).collect(),
            american_phone: compiled(r"(?:\+?1[-.\s]?)?\(?\b[2-9]\d{2}\)?[-.\s]\s?[2-9]\d{2}[-.\s]\d{4}\b"),
            mail: compiled(
                r"(?i)[a-z0-9][a-z0-9._%+-]*(?:\s?(?:@|\(at\)|\[at\]|\(a\))\s?[a-z0-9-]+(?:(?:\.|\s?\(dot\)\s?|\s?\[dot\]\s?|\s?\(punkt\)\s?)[a-z0-9-]+)*\.?[a-z]{2,}|\sat\s[a-z0-9-]+(?:\sdot\s[a-z0-9-]+)+)",
            ),
            web: compiled(
                r"(?i)(?:https?://|\bwww\.)[a-z0-9äöüß-]+(?:\.[a-z0-9äöüß-]+)*(?:/[^\s<>(),;]*)?|\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:example|test)(?:/[^\s<>(),;]*)?",
            ),
            phone: compiled(r"(?:\+|\b00|\(\+|\(?\b0|\()(?:[\d \u{a0}()/\-–—]|\.\d){4,}\d"),
            extension: compiled(r"(?i)\bfax\b\s?[:.]?\s?(?:durchwahl\s?)?[-–](?P<digits>\d{1,4})\b"),
            short: compiled(r"(?i)\b(?:tele)?fax\b\s?[:.]?\s?(?P<digits>\d(?:[ -]?\d){2,9})\b"),
            countries,
        }
    }

    pub(super) fn is_mobile(&self, phone: &str) -> bool {
        self.mobiles.iter().any(|start| phone.starts_with(start))
    }

    pub(super) fn mail_and_web(&self, found: &mut Found<'_>) {
        for mail in self.mail.find_iter(found.line) {
            let mut text = mail.as_str().to_lowercase();
            for (written, meant) in [
                ("(at)", "@"),
                ("[at]", "@"),
                ("(a)", "@"),
                (" at ", "@"),
                (" dot ", "."),
                ("(dot)", "."),
                ("[dot]", "."),
                ("(punkt)", "."),
            ] {
                text = text.replace(written, meant);
            }
            text.retain(|letter| !letter.is_whitespace());
            let is_whole = text.split_once('@').is_some_and(|(_, host)| host.contains('.') && !host.ends_with('.'));
            if is_whole {
                found.add(mail.range(), Kind::Mail, text);
            }
        }
        for web in self.web.find_iter(found.line) {
            let text = web.as_str().trim_end_matches(['.', '-', '!', '?', '\'', '"']);
            let span = web.start()..web.start() + text.len();
            if found.line[..web.start()].ends_with('@') {
                continue;
            }
            found.add(span, Kind::Web, web_address(text));
        }
    }

    pub(super) fn phones(&self, found: &mut Found<'_>, setting: Setting<'_>) {
        let mut last_base = None;
        if matches!(setting.country, "us" | "ca") {
            for phone in self.american_phone.find_iter(found.line) {
                let digits: String = phone.as_str().chars().filter(char::is_ascii_digit).collect();
                let number = digits.strip_prefix('1').filter(|rest| rest.len() == 10).unwrap_or(&digits);
                found.add(phone.range(), Kind::Phone, format!("+1{number}"));
            }
        }
        for phone in self.phone.find_iter(found.line) {
            let mut start = phone.start();
            // A second number behind a slash or a sentence end is a number of its own.
            for part in split(phone.as_str()) {
                let span =
                    start + part.0..start + part.0 + part.1.trim_end_matches([' ', '(', '-', '–', '/', '.']).len();
                let text = &found.line[span.clone()];
                if let Some(number) = self.normalised(text, setting)
                    && found.add(span, Kind::Phone, &number)
                {
                    last_base = base(text, &number);
                }
            }
            start = phone.end();
            let _ = start;
        }
        self.short_numbers(found);
        // "Fax -222": another extension of the number before.
        if let (Some(base), Some(captures)) = (last_base, self.extension.captures(found.line))
            && let Some(digits) = captures.name("digits")
        {
            found.add(digits.range(), Kind::Phone, format!("{base}{}", digits.as_str()));
        }
    }

    /// "Tel. (0 63 45) 95 32 10, Fax 95 32 11": the second has the area of the first.
    fn short_numbers(&self, found: &mut Found<'_>) {
        let Some(first) = found.all.iter().find(|literal| literal.kind == Kind::Phone) else { return };
        let text = &found.line[first.span.clone()];
        let Some(border) = text.find([')', '/']).or_else(|| text.find([' ', '-'])) else { return };
        let local = text[border..].chars().filter(char::is_ascii_digit).count();
        let Some(area) = first.value.get(..first.value.len() - local.min(first.value.len())).map(str::to_owned) else {
            return;
        };
        let from = first.span.end;
        for captures in self.short.captures_iter(found.line) {
            let Some(number) = captures.name("digits").filter(|number| number.start() >= from) else { continue };
            let digits: String = number.as_str().chars().filter(char::is_ascii_digit).collect();
            if digits.len() >= 3 && !digits.starts_with('0') && area.len() > 3 {
                found.add(number.range(), Kind::Phone, format!("{area}{digits}"));
            }
        }
    }

    /// E.164, if it can be a number.
    fn normalised(&self, text: &str, setting: Setting<'_>) -> Option<String> {
        let is_inside = text.len() > 40;
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let is_foreign = text.trim_start_matches('(').starts_with('+') || digits.starts_with("00");
        let local = self.countries.get(setting.country)?;
        let (prefix, rest) = if is_foreign {
            let digits = digits.trim_start_matches('0');
            let own = self.countries.values().find(|[prefix, ..]| digits.starts_with(&prefix.to_string()));
            match own {
                Some(country) => (*country, digits[country[0].to_string().len()..].to_owned()),
                None => ([0, 8, 15], digits.to_owned()),
            }
        } else {
            (*local, digits.strip_prefix('0').map(|rest| if local[0] == ITALY { &digits } else { rest })?.to_owned())
        };
        // "+49 (0) 381": the nought is for callers inside the country, but in Italy.
        let rest = rest.strip_prefix('0').filter(|_| prefix[0] != ITALY).unwrap_or(&rest);
        let number = match prefix[0] {
            0 => rest.to_owned(),
            code => format!("{code}{rest}"),
        };
        let count = u32::try_from(number.len()).ok()?;
        // Dates and house numbers are shorter.
        let long_enough = digits.len() >= 7;
        (!is_inside && long_enough && (prefix[1]..=prefix[2].max(prefix[1])).contains(&count))
            .then(|| format!("+{number}"))
    }
}

/// The parts of what may be several numbers.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut parts = Vec::new();
    let mut start = 0;
    for sign in [" / 0", " - 0", " – 0", " / +"] {
        if let Some(place) = text.find(sign)
            && text[..place].chars().filter(char::is_ascii_digit).count() >= 7
        {
            parts.push((start, &text[start..place]));
            start = place + sign.len() - 1;
        }
    }
    parts.push((start, &text[start..]));
    parts
}

/// The number without its extension.
fn base(text: &str, number: &str) -> Option<String> {
    let (_, extension) = text.rsplit_once(['-', '–'])?;
    let digits = extension.trim();
    (digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| number.strip_suffix(digits).unwrap_or(number).to_owned())
}

/// An address of the web in its whole form.
pub(super) fn web_address(text: &str) -> String {
    let whole = match text.split_once("://") {
        Some((scheme, rest)) => format!("{}://{rest}", scheme.to_ascii_lowercase()),
        None => format!("http://{text}"),
    };
    let (scheme, rest) = whole.split_once("://").unwrap_or(("http", &whole));
    let (host, path) = rest.find('/').map_or((rest, "/"), |place| rest.split_at(place));
    format!("{scheme}://{}{path}", host.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::super::tests::{check, check_english};

    #[test]
    fn telephone_numbers_in_all_their_spellings() {
        let phone = |text: &str, expected: &[&str]| check(text, Kind::Phone, expected);
        phone("Tel: (0381) 12 88-0", &["+4938112880"]);
        phone("Tel. +49 (0)381/1288 200", &["+493811288200"]);
        phone("0381 / 12 88 200", &["+493811288200"]);
        phone("Tel. 0381/1288-0, Fax -222", &["+4938112880", "+493811288222"]);
        phone("0049 381 128820", &["+49381128820"]);
        phone("038293-550123 / 0172-5550123", &["+4938293550123", "+491725550123"]);
        phone("18069 Rostock", &[]);
        check_english("Tel: 01947 960123", Kind::Phone, &["+441947960123"]);
        check_english("+44 (0)1632 960 123", Kind::Phone, &["+441632960123"]);
    }

    #[test]
    fn mail_and_web() {
        check("info@Hotel-Moewe.example, www.moewe.example.", Kind::Mail, &["info@hotel-moewe.example"]);
        check("info@moewe.example, www.moewe.example.", Kind::Web, &["http://www.moewe.example/"]);
        check("info (at) moewe.example", Kind::Mail, &["info@moewe.example"]);
        check("http://www.moewe.example/preise.html", Kind::Web, &["http://www.moewe.example/preise.html"]);
    }
}
