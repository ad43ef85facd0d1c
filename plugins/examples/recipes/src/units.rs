//! Quantities in the units that the operator wants, beside those that the recipe has: `8 oz butter` becomes
//! `8 oz (227 g) butter`.

/// What the operator wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Units {
    AsWritten,
    Metric,
    Imperial,
}

impl Units {
    pub(crate) fn named(name: Option<&str>) -> Result<Self, String> {
        match name {
            None | Some("as-written") => Ok(Self::AsWritten),
            Some("metric") => Ok(Self::Metric),
            Some("imperial") => Ok(Self::Imperial),
            Some(other) => Err(format!("option units is as-written, metric or imperial, not {other}")),
        }
    }
}

/// What a unit measures; the number is how many grams, millilitres or centimetres it has.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Mass(f64),
    Volume(f64),
    Length(f64),
    Heat,
}

/// Spoons are the same everywhere. A cup is that of the United States.
const IMPERIAL: &[(&[&str], Measure)] = &[
    (&["oz", "ounce", "ounces"], Measure::Mass(28.35)),
    (&["lb", "lbs", "pound", "pounds"], Measure::Mass(453.59)),
    (&["fl oz", "fluid ounce", "fluid ounces"], Measure::Volume(29.57)),
    (&["cup", "cups"], Measure::Volume(236.59)),
    (&["pint", "pints", "pt"], Measure::Volume(473.18)),
    (&["quart", "quarts", "qt"], Measure::Volume(946.35)),
    (&["gallon", "gallons"], Measure::Volume(3785.4)),
    (&["inch", "inches"], Measure::Length(2.54)),
    (&["°f", "degrees f", "degrees fahrenheit"], Measure::Heat),
];

const METRIC: &[(&[&str], Measure)] = &[
    (&["g", "gram", "grams", "gramm"], Measure::Mass(1.0)),
    (&["kg", "kilogram", "kilograms", "kilo"], Measure::Mass(1000.0)),
    (&["ml", "millilitre", "millilitres", "milliliter", "milliliters"], Measure::Volume(1.0)),
    (&["cl"], Measure::Volume(10.0)),
    (&["dl"], Measure::Volume(100.0)),
    (&["l", "litre", "litres", "liter", "liters"], Measure::Volume(1000.0)),
    (&["cm", "centimetre", "centimetres", "centimeter", "centimeters"], Measure::Length(1.0)),
    (&["°c", "degrees c", "degrees celsius"], Measure::Heat),
];

const FRACTIONS: &[(char, f64)] = &[
    ('½', 0.5),
    ('¼', 0.25),
    ('¾', 0.75),
    ('⅓', 1.0 / 3.0),
    ('⅔', 2.0 / 3.0),
    ('⅕', 0.2),
    ('⅛', 0.125),
    ('⅜', 0.375),
    ('⅝', 0.625),
    ('⅞', 0.875),
];

/// More words than these have no unit.
const UNIT_WORDS: usize = 2;

/// Adds quantities in other units to a line. What cannot be read for certain is left as it is.
pub(crate) fn add(line: &str, units: Units) -> String {
    let foreign = match units {
        Units::AsWritten => return line.to_owned(),
        Units::Metric => IMPERIAL,
        Units::Imperial => METRIC,
    };
    let mut result = String::with_capacity(line.len());
    let mut rest = line;
    let mut before = ' ';
    while let Some(next) = rest.chars().next() {
        let quantity = if before.is_alphanumeric() || "/.,-–".contains(before) { None } else { quantity(rest) };
        let length = quantity.map_or(next.len_utf8(), |(_, length)| length);
        result.push_str(&rest[..length]);
        before = rest[..length].chars().next_back().unwrap_or(' ');
        rest = &rest[length..];
        let found = quantity.and_then(|(number, _)| unit(rest, foreign).map(|(measure, end)| (number, measure, end)));
        if let Some((number, measure, end)) = found {
            result.push_str(&rest[..end]);
            rest = &rest[end..];
            before = 'x';
            // Whoever wrote the recipe may have done it already.
            if !rest.trim_start().starts_with(['(', '/']) {
                result.extend([" (", &convert(number, measure, units), ")"]);
            }
        }
    }
    result
}

/// A number at the beginning: `1`, `1.5`, `1,5`, `1/2`, `1 1/2`, `½`, `1½`, `1 ½`. And how many bytes it has.
fn quantity(text: &str) -> Option<(f64, usize)> {
    if let Some(found) = fraction(text) {
        return Some(found);
    }
    let (number, end) = decimal(text)?;
    let behind = &text[end..];
    let gap = usize::from(behind.starts_with(' '));
    match fraction(&behind[gap..]) {
        Some((part, length)) => Some((number + part, end + gap + length)),
        None => Some((number, end)),
    }
}

fn decimal(text: &str) -> Option<(f64, usize)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let part = text[whole..].strip_prefix(['.', ',']).map_or(0, digits);
    let end = if part > 0 { whole + 1 + part } else { whole };
    // A comma before three digits may part thousands or not.
    let is_doubtful = part == 3 && text[whole..].starts_with(',');
    let number = text[..end].replace(',', ".").parse().ok()?;
    (whole > 0 && end < 9 && !is_doubtful).then_some((number, end))
}

fn fraction(text: &str) -> Option<(f64, usize)> {
    let first = text.chars().next()?;
    if let Some((sign, value)) = FRACTIONS.iter().find(|(sign, _)| *sign == first) {
        return Some((*value, sign.len_utf8()));
    }
    let above = text.bytes().take_while(u8::is_ascii_digit).count();
    let slash = text[above..].chars().next().filter(|next| matches!(next, '/' | '⁄'))?;
    let behind = &text[above + slash.len_utf8()..];
    let below = behind.bytes().take_while(u8::is_ascii_digit).count();
    let numbers = (text[..above].parse::<u8>().ok()?, behind[..below].parse::<u8>().ok()?);
    let value = f64::from(numbers.0) / f64::from(numbers.1);
    value.is_finite().then_some((value, above + slash.len_utf8() + below))
}

/// The unit at the beginning, and how many bytes it has, with the space before it.
fn unit(text: &str, foreign: &[(&[&str], Measure)]) -> Option<(Measure, usize)> {
    let gap = text.len() - text.trim_start_matches([' ', '\u{a0}', '-']).len();
    let mut ends = Vec::new();
    let mut end = gap;
    for word in text[gap..].split_inclusive(' ').take(UNIT_WORDS) {
        let name = word.trim_end();
        let is_part = |next: char| next.is_alphabetic() || matches!(next, '°' | 'º' | '.');
        let length = name.find(|next: char| !is_part(next)).unwrap_or(name.len());
        ends.push(end + length);
        if length < name.len() {
            break;
        }
        end += word.len();
    }
    // Of `fl oz` and `fl` the longer one is the unit.
    ends.into_iter().rev().find_map(|end| {
        let name = text[gap..end].to_lowercase().replace('º', "°").replace("° ", "°");
        let is_name = |names: &&(&[&str], Measure)| {
            let plain = name.replace('.', "");
            names.0.contains(&plain.as_str())
        };
        let (_, measure) = foreign.iter().find(is_name)?;
        if text[end..].starts_with(char::is_alphanumeric) {
            return None;
        }
        // The full stop of a sentence is no part of the unit.
        let end = if end == text.len() && text.ends_with('.') { end - 1 } else { end };
        Some((*measure, end))
    })
}

fn convert(number: f64, measure: Measure, units: Units) -> String {
    let to_metric = units == Units::Metric;
    match measure {
        Measure::Mass(grams) if to_metric => scaled(number * grams, "g", "kg", 1000.0),
        Measure::Mass(grams) => scaled(number * grams / 28.35, "oz", "lb", 16.0),
        Measure::Volume(millilitres) if to_metric => scaled(number * millilitres, "ml", "l", 1000.0),
        Measure::Volume(millilitres) => scaled(number * millilitres / 29.57, "fl oz", "cups", 8.0),
        Measure::Length(centimetres) if to_metric => format!("{} cm", round(number * centimetres)),
        Measure::Length(centimetres) => format!("{} inches", round(number * centimetres / 2.54)),
        Measure::Heat if to_metric => format!("{} °C", ((number - 32.0) / 1.8).round()),
        Measure::Heat => format!("{} °F", (number * 1.8 + 32.0).round()),
    }
}

fn scaled(number: f64, small: &str, large: &str, factor: f64) -> String {
    if number < factor { format!("{} {small}", round(number)) } else { format!("{} {large}", round(number / factor)) }
}

/// Nobody weighs more precisely.
fn round(number: f64) -> f64 {
    if number < 10.0 { (number * 10.0).round() / 10.0 } else { number.round() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(units: Units, line: &str, expected: &str) {
        assert_eq!(add(line, units), expected);
    }

    #[test]
    fn imperial_becomes_metric() {
        for (line, expected) in [
            ("8 oz butter", "8 oz (227 g) butter"),
            ("8oz. butter", "8oz. (227 g) butter"),
            ("1 1/2 cups milk", "1 1/2 cups (355 ml) milk"),
            ("1½ cups milk", "1½ cups (355 ml) milk"),
            ("½ pound of beans", "½ pound (227 g) of beans"),
            ("3 lbs potatoes", "3 lbs (1.4 kg) potatoes"),
            ("4 fl. oz. cream", "4 fl. oz. (118 ml) cream"),
            ("Heat to 350°F.", "Heat to 350°F (177 °C)."),
            ("Heat to 350 degrees F, then wait", "Heat to 350 degrees F (177 °C), then wait"),
            ("a 9-inch tin", "a 9-inch (23 cm) tin"),
        ] {
            check(Units::Metric, line, expected);
        }
    }

    #[test]
    fn metric_becomes_imperial() {
        for (line, expected) in [
            ("250 g flour", "250 g (8.8 oz) flour"),
            ("1,5 kg potatoes", "1,5 kg (3.3 lb) potatoes"),
            ("0.5l milk", "0.5l (2.1 cups) milk"),
            ("bake at 180 °C", "bake at 180 °C (356 °F)"),
        ] {
            check(Units::Imperial, line, expected);
        }
    }

    #[test]
    fn what_is_not_certain_stays() {
        for line in [
            "1-2 cups milk",
            "2 cupfuls",
            "8 oz (230 g) butter",
            "8 oz / 230 g butter",
            "1,000 oz gold",
            "1/0 cup",
            "no. 7oz8",
            "1 pinch of salt",
            "12345678901234567890 oz",
            "",
            "½",
            "1 ",
        ] {
            check(Units::Metric, line, line);
        }
        check(Units::AsWritten, "8 oz butter", "8 oz butter");
    }
}
