//! The written forms of values, as in `schemas/abstract/README.md`, section 6.

use crate::ontology::Datatype;
use regex::Regex;
use std::sync::LazyLock;

const DATE: &str = r"(?:\d{4}-\d\d(?:-\d\d)?|--\d\d(?:-\d\d)?|\d{4})";
const DURATION: &str = r"P(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?";
const DAYS: &str = r"(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)(?:-(?:Mo|Tu|We|Th|Fr|Sa|Su))?";
const MONTHS: &str = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const TIMES: &str = r"\d\d:\d\d(?:-\d\d:\d\d|\+)?";

/// Each type and its form, which must be all of the value.
static FORMS: LazyLock<Vec<(Datatype, Regex)>> = LazyLock::new(|| {
    let amount = r"\d+\.\d\d";
    let number = r"\d+(?:\.\d+)?";
    let group = format!(
        r"(?:{MONTHS}(?:-{MONTHS})?(?:,{MONTHS}(?:-{MONTHS})?)* ?)?(?:{DAYS}(?:,{DAYS})*)?(?: ?{TIMES}(?:,{TIMES})*)?"
    );
    let forms = [
        (Datatype::Integer, r"-?\d+".to_owned()),
        (Datatype::Decimal, format!("-?{number}")),
        (Datatype::Boolean, "true|false".to_owned()),
        (Datatype::Date, r"\d{4}-\d\d-\d\d|--\d\d-\d\d".to_owned()),
        (Datatype::Time, r"\d\d:\d\d(?::\d\d)?".to_owned()),
        (Datatype::DateTime, r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?".to_owned()),
        (Datatype::Year, r"\d{4}".to_owned()),
        (Datatype::Duration, format!("{DURATION}(?:-{DURATION})?")),
        (Datatype::Uri, r"[A-Za-z][A-Za-z0-9+.-]*:\S+".to_owned()),
        (Datatype::Money, format!("(?:{amount}-?|{amount}-{amount}|-{amount}) [A-Z]{{3}}")),
        (Datatype::Length, format!("{number}(?:-{number})? (?:m|km|mi|yd|ft)")),
        (Datatype::Area, format!("{number}(?:-{number})? (?:m2|ha|km2|sqft|acre)")),
        (Datatype::Phone, r"\+\d{3,15}(?:;ext=\d{1,8})?".to_owned()),
        (Datatype::Count, format!("{number}(?:-(?:{number})?)?|-{number}")),
        (Datatype::Period, format!(r"(?:{DATE}|\.\.)(?:/(?:{DATE}|\.\.))?")),
        (Datatype::Hours, format!("24/7|{group}(?:; {group})*")),
    ];
    let compile =
        |(datatype, form): (Datatype, String)| Regex::new(&format!("^(?:{form})$")).ok().map(|one| (datatype, one));
    forms.into_iter().filter_map(compile).collect()
});

/// Whether a value is written as values of its type are.
pub(crate) fn has_form(datatype: Datatype, value: &str) -> bool {
    if value.trim() != value || value.is_empty() {
        return false;
    }
    FORMS.iter().find(|(one, _)| *one == datatype).is_none_or(|(_, form)| form.is_match(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_the_schema() {
        assert_eq!(FORMS.len(), 16, "every form can be compiled");
        for (datatype, good, bad) in [
            (
                Datatype::Money,
                "95.00-125.00 DEM|48.00 EUR|45.00- GBP|-60.00 EUR|0.00 XXX",
                "48 EUR|48.00|48,00 EUR|48.00 Euro",
            ),
            (Datatype::Length, "5 km|300 m|1.5 mi|5-6 km", "5km|5 Kilometer|km"),
            (Datatype::Area, "65 m2|3.5 ha", "65 qm|65"),
            (Datatype::Phone, "+49381550123|+441632960123;ext=7", "0381550123|+49 381"),
            (Datatype::Count, "59|2-4|3.5|-40|40-", "neun|2 - 4|x"),
            (Datatype::Period, "2025-07-11/2025-07-13|--04-01/--10-31|--05/--09|2025-06-01/..|--05", "11.7.-13.7.|/"),
            (
                Datatype::Hours,
                "Mo-Fr 10:00-18:00; Sa,Su 10:00-16:00|We-Su 11:30-14:00,17:30-22:00|Apr-Oct Mo-Su 09:00-18:00|Mo-Su 17:00+|08:00-20:00|Mo|24/7",
                "Mo-Fr 10-18|täglich|Mon",
            ),
            (Datatype::Date, "2025-07-11|--07-11", "11.7.2025|2025"),
            (Datatype::Time, "19:30|14:00", "7pm|7:30"),
            (Datatype::Duration, "PT10M|PT1H30M|P3D|PT5M-PT10M", "10 Minuten|T10M"),
            (Datatype::Year, "1287", "87"),
            (Datatype::Boolean, "true|false", "yes|1"),
            (Datatype::Uri, "http://www.moewe.example/|mailto:a@b.example", "www.moewe.example|http:// x"),
            (Datatype::Text, "Strandweg 7", " x"),
            (Datatype::Integer, "7|-7", "7.5"),
        ] {
            good.split('|').for_each(|value| assert!(has_form(datatype, value), "{datatype:?} {value}"));
            bad.split('|').for_each(|value| assert!(!has_form(datatype, value), "{datatype:?} {value}"));
        }
        assert!(!has_form(Datatype::Text, ""));
    }
}
