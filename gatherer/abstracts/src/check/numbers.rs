//! Whether the numbers of a value can be read in the words that are said to say it.

use super::text::compared;
use crate::ontology::Datatype;

/// Articles stand for one: an hour, ein Kilometer.
const ARTICLES: &[&str] = &["a", "an", "ein", "eine", "einen", "einem", "einer", "eines"];

/// Words for numbers, in the form in which words are compared: German, then English.
const NUMBER_WORDS: &[(&str, f64)] = &[
    ("ein", 1.0),
    ("zwei", 2.0),
    ("beide", 2.0),
    ("drei", 3.0),
    ("vier", 4.0),
    ("fünf", 5.0),
    ("sechs", 6.0),
    ("sieben", 7.0),
    ("acht", 8.0),
    ("neun", 9.0),
    ("zehn", 10.0),
    ("elf", 11.0),
    ("zwölf", 12.0),
    ("dreizehn", 13.0),
    ("vierzehn", 14.0),
    ("fünfzehn", 15.0),
    ("sechzehn", 16.0),
    ("siebzehn", 17.0),
    ("achtzehn", 18.0),
    ("neunzehn", 19.0),
    ("zwanzig", 20.0),
    ("dreißig", 30.0),
    ("dreissig", 30.0),
    ("vierzig", 40.0),
    ("fünfzig", 50.0),
    ("sechzig", 60.0),
    ("siebzig", 70.0),
    ("achtzig", 80.0),
    ("neunzig", 90.0),
    ("hundert", 100.0),
    ("tausend", 1_000.0),
    ("dutzend", 12.0),
    ("halb", 0.5),
    ("halb", 30.0),
    ("viertel", 15.0),
    ("one", 1.0),
    ("single", 1.0),
    ("two", 2.0),
    ("both", 2.0),
    ("double", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("eleven", 11.0),
    ("twelve", 12.0),
    ("thirteen", 13.0),
    ("fourteen", 14.0),
    ("fifteen", 15.0),
    ("sixteen", 16.0),
    ("seventeen", 17.0),
    ("eighteen", 18.0),
    ("nineteen", 19.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("seventy", 70.0),
    ("eighty", 80.0),
    ("ninety", 90.0),
    ("hundred", 100.0),
    ("thousand", 1_000.0),
    ("dozen", 12.0),
    ("half", 0.5),
    ("half", 30.0),
    ("quarter", 15.0),
    ("erst", 1.0),
    ("dritt", 3.0),
    ("erdgescho", 0.0),
    ("obergescho", 1.0),
    ("ebenerdig", 0.0),
    ("parterre", 0.0),
    ("first", 1.0),
    ("second", 2.0),
    ("third", 3.0),
    ("ground", 0.0),
    ("noon", 12.0),
    ("mittag", 12.0),
    ("mitternacht", 24.0),
    ("midnight", 24.0),
];

/// Beginnings of the names of months, German and English.
const MONTHS: &[(&str, f64)] = &[
    ("jan", 1.0),
    ("jän", 1.0),
    ("feb", 2.0),
    ("mär", 3.0),
    ("mar", 3.0),
    ("apr", 4.0),
    ("mai", 5.0),
    ("may", 5.0),
    ("jun", 6.0),
    ("jul", 7.0),
    ("aug", 8.0),
    ("sep", 9.0),
    ("okt", 10.0),
    ("oct", 10.0),
    ("nov", 11.0),
    ("dez", 12.0),
    ("dec", 12.0),
];

/// Of a telephone number at least so many digits must be seen; the rest may be an area code that was added.
const SEEN_OF_PHONE: usize = 4;

/// Whether the numbers of the value stand in the quote, in digits or in words.
pub(super) fn can_be_read(value: &str, datatypes: &[Datatype], quote: &str) -> bool {
    match datatypes.first() {
        Some(Datatype::Phone) => phone_is_seen(value, quote),
        // A duration may be counted in other units than it is written in; a year may be said elsewhere.
        Some(Datatype::Duration) => !readable(quote).is_empty(),
        Some(Datatype::Boolean) | None => true,
        Some(Datatype::Date | Datatype::DateTime | Datatype::Period) => {
            all_are_in(&dates_without_years(value), &readable(quote))
        }
        Some(Datatype::Hours | Datatype::Time) => hours_are_seen(value, quote),
        // The figure in m2 is no number.
        Some(Datatype::Length | Datatype::Area) => {
            all_are_in(&numbers(value.split(' ').next().unwrap_or_default()), &readable(quote))
        }
        // Nothing needs to be said for nothing.
        Some(Datatype::Money) if value.starts_with("0.00 ") => true,
        Some(Datatype::Money) if is_in_pence(quote) => {
            all_are_in(&numbers(value).iter().map(|number| number * 100.0).collect::<Vec<_>>(), &readable(quote))
        }
        _ => all_are_in(&numbers(value), &readable(quote)),
    }
}

/// "50p", "80 Cent"
fn is_in_pence(quote: &str) -> bool {
    let text = quote.trim_end().to_lowercase();
    let unit = text.trim_start_matches(|letter: char| !letter.is_alphabetic());
    matches!(unit, "p" | "pence" | "cent" | "cents" | "ct") && text.len() > unit.len()
}

fn all_are_in(wanted: &[f64], readable: &[f64]) -> bool {
    wanted.iter().all(|number| readable.iter().any(|one| (one - number).abs() < 1e-6))
}

/// The numbers in a normalised text.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|one: char| !one.is_ascii_digit() && one != '.');
    parts.filter_map(|part| part.trim_matches('.').parse().ok()).collect()
}

/// Months and days: of `2025-07-11/..` 7 and 11.
fn dates_without_years(text: &str) -> Vec<f64> {
    let parts = text.split(|one: char| !one.is_ascii_digit());
    parts.filter(|part| part.len() == 2).filter_map(|part| part.parse().ok()).filter(|number| *number > 0.0).collect()
}

/// Hours may be told in twelves, and full ones without minutes.
fn hours_are_seen(value: &str, quote: &str) -> bool {
    let seen = readable(quote);
    let is_seen = |number: f64| all_are_in(&[number], &seen);
    let wanted = numbers(&value.replace("24/7", ""));
    wanted.into_iter().all(|number| {
        let other_half = if number > 12.0 { number - 12.0 } else { number + 12.0 };
        // 24:00 may be called 0, and half past or quarter to are words.
        number == 0.0
            || is_seen(number)
            || (number <= 24.0 && is_seen(other_half))
            || ((number - 45.0).abs() < 0.5 && is_seen(15.0))
    })
}

fn phone_is_seen(value: &str, quote: &str) -> bool {
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let number = digits(value.split(';').next().unwrap_or_default());
    let seen = digits(&quote.replace("(0)", ""));
    let tail = &number[number.len().saturating_sub(SEEN_OF_PHONE)..];
    let last = &number[number.len().saturating_sub(7)..];
    // The last seven, if so many are said; else as many as there are.
    if seen.len() >= last.len() {
        seen.contains(last) || shared_tail(&seen, &number)
    } else {
        seen.contains(tail) && number.ends_with(&seen)
    }
}

/// Whether what is said, without zeros in front, ends the number: short numbers with their area code.
fn shared_tail(seen: &str, number: &str) -> bool {
    let bare = seen.trim_start_matches('0');
    bare.len() >= SEEN_OF_PHONE && number.ends_with(bare)
}

/// All numbers that can be read in a text, in digits of either spelling or in words.
fn readable(quote: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let is_part = |one: char| one.is_ascii_digit() || matches!(one, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{202f}');
    for part in quote.split(|one: char| !is_part(one)) {
        let part = part.trim_matches(|one: char| !one.is_ascii_digit());
        found.extend(plain(part).parse::<f64>().ok());
        // A point may also part two numbers: 7.30, 11.7.2025.
        found.extend(part.split(|one: char| !one.is_ascii_digit()).filter_map(|one| one.parse::<f64>().ok()));
        // Years of two digits, times without a point.
        if part.len() == 4 && part.bytes().all(|one| one.is_ascii_digit()) {
            found.extend([&part[..2], &part[2..]].iter().filter_map(|half| half.parse::<f64>().ok()));
        }
    }
    let words = compared(quote);
    found.extend(NUMBER_WORDS.iter().chain(MONTHS).filter(|(word, _)| words.contains(word)).map(|(_, number)| *number));
    let is_article = |word: &str| ARTICLES.contains(&word.to_lowercase().as_str());
    found.extend(quote.split_whitespace().any(is_article).then_some(1.0));
    // Stars are counted.
    let stars = u32::try_from(quote.matches(['*', '★', '☆']).count()).unwrap_or(0);
    found.extend((stars > 0).then(|| f64::from(stars)));
    // Tens and ones that stand together: twenty-five, fünfundzwanzig.
    let tens: Vec<f64> = found.iter().copied().filter(|number| *number >= 20.0 && *number % 10.0 == 0.0).collect();
    let ones: Vec<f64> = found.iter().copied().filter(|number| (1.0..10.0).contains(number)).collect();
    let is_worded = NUMBER_WORDS.iter().any(|(word, number)| *number >= 20.0 && words.contains(word));
    if is_worded {
        found.extend(tens.iter().flat_map(|ten| ones.iter().map(move |one| ten + one)));
    }
    found.extend(words.contains("anderthalb").then_some(1.5));
    let parts = [("½", 0.5), ("¼", 0.25), ("¾", 0.75), ("1/2", 0.5), ("1/4", 0.25), ("3/4", 0.75)];
    let words_for_parts = [("and a half", 0.5), ("einhalb", 0.5)];
    for (sign, number) in parts.into_iter().chain(words_for_parts) {
        if quote.contains(sign) {
            found.push(number);
            let whole: Vec<f64> = found.iter().map(|one| one + number).collect();
            found.extend(whole);
        }
    }
    found
}

/// A number in one spelling, whatever its separators: `1.250,00`, `1,250.00` and `1 250` are `1250`.
pub(super) fn plain(digits: &str) -> String {
    let last = digits.rfind(['.', ',']);
    let groups = |mark: char| digits.matches(mark).count();
    // The last mark parts the fraction, unless three digits follow it or it comes twice.
    let fraction = last.filter(|place| {
        let behind = digits.len() - place - 1;
        let mark = if digits.as_bytes()[*place] == b'.' { '.' } else { ',' };
        behind != 3 && groups(mark) == 1
    });
    let (whole, fraction) = fraction.map_or((digits, ""), |place| (&digits[..place], &digits[place + 1..]));
    let only_digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let whole = only_digits(whole);
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() && !digits.is_empty() { "0" } else { whole };
    let fraction = only_digits(fraction);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_spelling() {
        for (text, expected) in [
            ("1.250,00", "1250"),
            ("1,250.00", "1250"),
            ("1.250", "1250"),
            ("95,00", "95"),
            ("1.5", "1.5"),
            ("007", "7"),
            ("1.000.000", "1000000"),
            ("0,5", "0.5"),
            ("0", "0"),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn values_are_read_in_quotes() {
        for (value, datatype, quote, expected) in [
            ("95.00-125.00 DEM", Datatype::Money, "von 95,00 - 125,00 DM", true),
            ("95.00-135.00 DEM", Datatype::Money, "von 95,00 - 125,00 DM", false),
            ("1250.00 CHF", Datatype::Money, "Fr. 1'250.–", true),
            ("55.00 EUR", Datatype::Money, "55,-", true),
            ("0.00 XXX", Datatype::Money, "children free", true),
            ("0.50 GBP", Datatype::Money, "50p", true),
            ("0.05 GBP", Datatype::Money, "50p", false),
            ("50.00 GBP", Datatype::Money, "50p", false),
            ("5 km", Datatype::Length, "5 km entfernt", true),
            ("1.5 mi", Datatype::Length, "1½ miles", true),
            ("1.5 mi", Datatype::Length, "a mile and a half", true),
            ("2.5 mi", Datatype::Length, "a mile and a half", false),
            ("2.5 km", Datatype::Length, "zweieinhalb Kilometer", true),
            ("500 m", Datatype::Length, "5 km entfernt", false),
            ("120 m2", Datatype::Area, "120 qm", true),
            ("130 m2", Datatype::Area, "120 qm", false),
            ("1 km", Datatype::Length, "a kilometre", true),
            ("3", Datatype::Count, "***", true),
            ("1", Datatype::Integer, "im ersten Stock", true),
            ("0", Datatype::Integer, "Erdgeschoss", true),
            ("PT1H", Datatype::Duration, "an hour", true),
            ("59", Datatype::Count, "59 Komfortzimmer", true),
            ("25", Datatype::Count, "fünfundzwanzig Zimmer", true),
            ("12", Datatype::Count, "a dozen rooms", true),
            ("3.5", Datatype::Count, "dreieinhalb Zimmer", true),
            ("+49381550123", Datatype::Phone, "(0381) 55 01 23", true),
            ("+49381550123", Datatype::Phone, "55 01 23", true),
            ("+49381550123", Datatype::Phone, "+49 (0)381 550123", true),
            ("+49381550124", Datatype::Phone, "(0381) 55 01 23", false),
            ("+49381550123", Datatype::Phone, "Telefon", false),
            ("+441632960", Datatype::Phone, "01632 960", true),
            ("2025-07-11", Datatype::Date, "Friday 11 July", true),
            ("2025-07-12", Datatype::Date, "Friday 11 July", false),
            ("--04-01/--10-31", Datatype::Period, "1.4. bis 31.10.", true),
            ("--05/--09", Datatype::Period, "May to September", true),
            ("Mo-Fr 10:00-18:00; Sa,Su 10:00-16:00", Datatype::Hours, "Mo-Fr 10-18, Sa/So 10-16 Uhr", true),
            ("17:30-22:00", Datatype::Hours, "5.30pm to 10pm", true),
            ("17:30-23:00", Datatype::Hours, "5.30pm to 10pm", false),
            ("24/7", Datatype::Hours, "rund um die Uhr", true),
            ("19:30", Datatype::Time, "7.30pm", true),
            ("PT1H30M", Datatype::Duration, "90 Minuten", true),
            ("PT1H30M", Datatype::Duration, "kurz", false),
            ("1287", Datatype::Year, "seit 1287", true),
            ("Strandweg 7", Datatype::Text, "Strandweg 7", true),
            ("Strandweg 9", Datatype::Text, "Strandweg 7", false),
            ("true", Datatype::Boolean, "Hunde willkommen", true),
        ] {
            assert_eq!(can_be_read(value, &[datatype], quote), expected, "{value} in {quote:?}");
        }
    }
}
