//! The language of a text that does not name it.

/// So much of a text is looked at; more makes no better guess.
const SAMPLE: usize = 2 << 10;
/// Less than so many characters say too little.
const LEAST: usize = 40;

/// The detector's codes (ISO 639-3) and those that the web uses (BCP 47), where there is a shorter one.
#[rustfmt::skip]
const SHORT: &[(&str, &str)] = &[
    ("afr", "af"), ("aka", "ak"), ("amh", "am"), ("ara", "ar"), ("aze", "az"), ("bel", "be"), ("ben", "bn"),
    ("bul", "bg"), ("cat", "ca"), ("ces", "cs"), ("cmn", "zh"), ("cym", "cy"), ("dan", "da"), ("deu", "de"),
    ("ell", "el"), ("eng", "en"), ("epo", "eo"), ("est", "et"), ("fin", "fi"), ("fra", "fr"), ("guj", "gu"),
    ("heb", "he"), ("hin", "hi"), ("hrv", "hr"), ("hun", "hu"), ("hye", "hy"), ("ind", "id"), ("ita", "it"),
    ("jav", "jv"), ("jpn", "ja"), ("kan", "kn"), ("kat", "ka"), ("khm", "km"), ("kor", "ko"), ("lat", "la"),
    ("lav", "lv"), ("lit", "lt"), ("mal", "ml"), ("mar", "mr"), ("mkd", "mk"), ("mya", "my"), ("nep", "ne"),
    ("nld", "nl"), ("nob", "nb"), ("ori", "or"), ("pan", "pa"), ("pes", "fa"), ("pol", "pl"), ("por", "pt"),
    ("ron", "ro"), ("rus", "ru"), ("sin", "si"), ("slk", "sk"), ("slv", "sl"), ("sna", "sn"), ("spa", "es"),
    ("srp", "sr"), ("swe", "sv"), ("tam", "ta"), ("tel", "te"), ("tgl", "tl"), ("tha", "th"), ("tuk", "tk"),
    ("tur", "tr"), ("ukr", "uk"), ("urd", "ur"), ("uzb", "uz"), ("vie", "vi"), ("yid", "yi"), ("zul", "zu"),
];

/// The short code of a language, however it is written: `de` of `de-AT`, `deu`, `ger`, `German`. Nothing if nobody knows
/// what it means.
pub fn language_code(written: &str) -> Option<String> {
    let primary = written.split(['-', '_', ',', ';']).next().unwrap_or_default().trim().to_ascii_lowercase();
    let primary = OTHERWISE.iter().find(|(other, _)| *other == primary).map_or(primary.as_str(), |(_, long)| long);
    let by_name = || whatlang::Lang::all().iter().find(|language| language.eng_name().eq_ignore_ascii_case(primary));
    let is_code = |code: &str| matches!(code.len(), 2..=3) && code.bytes().all(|byte| byte.is_ascii_lowercase());
    let code = by_name().map_or(primary, |language| language.code());
    let short = SHORT.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| short);
    (is_code(short) && !matches!(short, "und" | "mul" | "zxx")).then(|| short.to_owned())
}

/// Codes of librarians (ISO 639-2/B), where they differ.
#[rustfmt::skip]
const OTHERWISE: &[(&str, &str)] = &[
    ("arm", "hye"), ("bur", "mya"), ("chi", "cmn"), ("cze", "ces"), ("dut", "nld"), ("fre", "fra"), ("geo", "kat"),
    ("ger", "deu"), ("gre", "ell"), ("mac", "mkd"), ("per", "pes"), ("rum", "ron"), ("slo", "slk"), ("wel", "cym"),
    ("zho", "cmn"), ("fas", "pes"), ("nor", "nob"), ("no", "nob"),
];

/// The language, if the text is long enough and the guess a good one.
pub(super) fn detect(text: &str) -> Option<String> {
    let sample = &text[..text.floor_char_boundary(SAMPLE)];
    if sample.len() < LEAST {
        return None;
    }
    let guess = whatlang::detect(sample).filter(whatlang::Info::is_reliable)?;
    let code = guess.lang().code();
    Some(SHORT.iter().find(|(long, _)| *long == code).map_or(code, |(_, short)| short).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(detect(text).as_deref(), expected, "{text}");
    }

    #[test]
    fn texts_are_told_by_their_words() {
        check(
            "The lighthouse stands at the edge of the island and can be seen from far away by all ships.",
            Some("en"),
        );
        check(
            "Der Leuchtturm steht am Rand der Insel und ist f\u{fc}r alle Schiffe schon von weitem zu sehen.",
            Some("de"),
        );
        check(
            "Le phare se dresse au bord de l'\u{ee}le et tous les navires peuvent le voir de tr\u{e8}s loin.",
            Some("fr"),
        );
        check("灯台は島の端に立っていて、すべての船から遠くからでも見ることができます。", Some("ja"));
    }

    #[test]
    fn one_language_has_one_code() {
        for written in ["de", "de-AT", "DE_de", "deu", "ger", "German", "german"] {
            assert_eq!(language_code(written).as_deref(), Some("de"), "{written}");
        }
        for unknown in ["", "und", "Klingonisch", "x"] {
            assert_eq!(language_code(unknown), None, "{unknown}");
        }
        assert_eq!(language_code("gsw").as_deref(), Some("gsw"), "not in our table, but a code");
    }

    #[test]
    fn too_little_says_nothing() {
        check("", None);
        check("OK", None);
        check("0x7f 0x45 0x4c 0x46 0x02 0x01 0x01 0x00 0x00 0x00 0x00 0x00 0x00", None);
    }

    #[test]
    fn every_language_of_the_detector_has_its_code() {
        for language in whatlang::Lang::all() {
            assert!(SHORT.iter().any(|(long, _)| *long == language.code()), "{language}");
        }
    }
}
