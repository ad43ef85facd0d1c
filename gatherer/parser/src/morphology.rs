//! How words change their endings: tables, applied to the words of the lexicon once.

use crate::language::{Language, Tongue};

/// All forms of a noun. Some of them no speaker would say; nobody will write them either.
pub(crate) fn forms(word: &str, language: &Language, tongue: Tongue) -> Vec<String> {
    let mut all = vec![word.to_owned()];
    let mut add = |form: String| {
        if !all.contains(&form) {
            all.push(form);
        }
    };
    for rule in &language.inflection.nouns {
        let (ending, put) = rule.split_once(' ').unwrap_or((rule, ""));
        if ending == "~" {
            umlaut(word).into_iter().for_each(&mut add);
            continue;
        }
        if put == "~" {
            umlaut(word).into_iter().for_each(|stem| add(format!("{stem}{ending}")));
        } else if let Some(stem) = word.strip_suffix(put) {
            add(format!("{stem}{ending}"));
        }
    }
    if tongue == Tongue::German {
        // "Fluss" was "Fluß", and machines without umlauts wrote "Fruehstueck".
        let plain: Vec<_> =
            all.iter().filter(|form| form.contains(['ä', 'ö', 'ü', 'ß'])).map(|form| without_umlauts(form)).collect();
        let old: Vec<_> = all
            .iter()
            .filter(|form| form.ends_with("ss"))
            .map(|form| format!("{}ß", &form[..form.len() - 2]))
            .collect();
        all.extend(plain.into_iter().chain(old));
        // Adjectives as nouns: "Erwachsene" is "Erwachsener" as well.
        if let Some(stem) = word.strip_suffix('e') {
            all.extend(["er", "en", "em", "es"].map(|ending| format!("{stem}{ending}")));
        }
    }
    all
}

/// The word with its last vowel that can be changed: Haus, Häus.
fn umlaut(word: &str) -> Option<String> {
    let place = word.rfind(['a', 'o', 'u'])?;
    // "au" changes its first letter.
    let place = if word[place..].starts_with('u') && word[..place].ends_with('a') { place - 1 } else { place };
    let changed = match &word[place..=place] {
        "a" => "ä",
        "o" => "ö",
        _ => "ü",
    };
    Some(format!("{}{changed}{}", &word[..place], &word[place + 1..]))
}

fn without_umlauts(word: &str) -> String {
    word.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue").replace('ß', "ss")
}

/// Whether a word is a form of an adjective with this ending: "regionaler" of "al".
pub(crate) fn is_adjective_of(word: &str, ending: &str, language: &Language) -> bool {
    if language.classes.contains_key(word) {
        return false;
    }
    let mut stems = std::iter::once(word).chain(language.inflection.adjectives.iter().filter_map(|rule| {
        let (cut, _) = rule.split_once(' ')?;
        word.strip_suffix(cut)
    }));
    stems.any(|stem| stem.len() > ending.len() + 1 && stem.ends_with(ending))
}

/// An adjective without its ending: "regionale" is "regional".
pub(crate) fn adjective_base(word: &str, language: &Language) -> String {
    let mut endings: Vec<_> =
        language.inflection.adjectives.iter().filter_map(|rule| rule.split_once(' ')).map(|(cut, _)| cut).collect();
    endings.sort_by_key(|ending| std::cmp::Reverse(ending.len()));
    let stem = endings.into_iter().find_map(|ending| {
        word.strip_suffix(ending)
            .filter(|stem| ["isch", "al", "lich", "an", "er", "ig"].iter().any(|end| stem.ends_with(end)))
    });
    stem.unwrap_or(word).to_owned()
}

/// Whether a word parts from its verb and goes to the end of the sentence: "findet ... statt".
pub(crate) fn is_particle(word: &str, language: &Language) -> bool {
    language.inflection.particles.split_whitespace().any(|particle| particle == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_nouns() {
        let german = Language::shipped(Tongue::German);
        let check = |word: &str, form: &str| {
            assert!(forms(word, &german, Tongue::German).iter().any(|one| one == form), "{form}");
        };
        check("haus", "häuser");
        check("zimmer", "zimmern");
        check("appartement", "appartements");
        check("dusche", "duschen");
        check("parkplatz", "parkplätze");
        check("museum", "museums");
        check("fluss", "fluß");
        check("frühstück", "fruehstueck");
        let english = Language::shipped(Tongue::English);
        let check = |word: &str, form: &str| {
            assert!(forms(word, &english, Tongue::English).iter().any(|one| one == form), "{form}");
        };
        check("lobby", "lobbies");
        check("room", "rooms");
    }

    #[test]
    fn particles_part_from_their_verbs() {
        let german = Language::shipped(Tongue::German);
        assert!(is_particle("statt", &german));
        assert!(!is_particle("ruhig", &german));
    }

    #[test]
    fn adjectives_have_endings() {
        let german = Language::shipped(Tongue::German);
        assert!(is_adjective_of("regionaler", "al", &german));
        assert!(is_adjective_of("mediterrane", "an", &german));
        assert!(!is_adjective_of("unsere", "isch", &german));
    }
}
