//! Pages that say "not found" with a status that says the opposite.

/// A longer text has something to say, whatever its title.
const TEXT_LIMIT: usize = 4_000;
/// A longer title is a sentence about something.
const TITLE_LIMIT: usize = 200;

/// What sets a message apart from the name of the site.
const SEPARATORS: &[&str] = &[" - ", " – ", " — ", " | ", "|", " · ", " • ", " » ", " « ", " / ", " :: ", "! ", ". "];

/// What pages say where nothing is, by language. Words in lower case, without punctuation, as [`words`] gives them.
const MISSING: &[&str] = &[
    // Any
    "404",
    "http 404",
    "error 404",
    "404 error",
    // English
    "not found",
    "page not found",
    "file not found",
    "document not found",
    "object not found",
    "resource not found",
    "content not found",
    "page cannot be found",
    "page can t be found",
    "page could not be found",
    "page was not found",
    "page does not exist",
    "page doesn t exist",
    "page no longer exists",
    "page not available",
    "page you requested was not found",
    "page you requested could not be found",
    "page you are looking for was not found",
    "page you are looking for does not exist",
    "page you are looking for could not be found",
    "requested url was not found",
    "requested page was not found",
    "requested page could not be found",
    "this page isn t available",
    "nothing found",
    // German
    "nicht gefunden",
    "seite nicht gefunden",
    "seite wurde nicht gefunden",
    "seite konnte nicht gefunden werden",
    "seite existiert nicht",
    "datei nicht gefunden",
    "dokument nicht gefunden",
    "objekt nicht gefunden",
    "fehler 404",
    // French
    "page introuvable",
    "page non trouvée",
    "page inexistante",
    "document introuvable",
    "erreur 404",
    // Spanish
    "página no encontrada",
    "no encontrado",
    "no se encontró la página",
    "no se ha encontrado la página",
    // Portuguese
    "página não encontrada",
    "não encontrado",
    "erro 404",
    // Italian
    "pagina non trovata",
    "non trovato",
    "errore 404",
    // Dutch
    "pagina niet gevonden",
    "niet gevonden",
    "fout 404",
    // Scandinavian languages and Finnish
    "sidan hittades inte",
    "sidan kunde inte hittas",
    "siden blev ikke fundet",
    "siden ble ikke funnet",
    "siden findes ikke",
    "side ikke fundet",
    "sivua ei löydy",
    "sivua ei löytynyt",
    // Polish, Czech, Hungarian
    "nie znaleziono strony",
    "strona nie została znaleziona",
    "nie znaleziono",
    "stránka nenalezena",
    "stránka nebyla nalezena",
    "az oldal nem található",
    // Russian, Ukrainian, Greek, Turkish
    "страница не найдена",
    "не найдено",
    "ошибка 404",
    "сторінку не знайдено",
    "η σελίδα δεν βρέθηκε",
    "sayfa bulunamadı",
    // Chinese, Japanese, Korean
    "页面不存在",
    "找不到页面",
    "ページが見つかりません",
    "페이지를 찾을 수 없습니다",
];

/// What may stand around those words and says nothing by itself. In lower case.
const FILLERS: &[&str] = &[
    "oops", "ooops", "whoops", "sorry", "we", "re", "are", "the", "this", "that", "error", "http", "uh", "oh", "ups",
    "hoppla", "leider", "die", "diese", "désolé", "cette", "la", "lo", "sentimos", "ops", "a", "de",
];

/// Whether a page with status 200 says that nothing is there; gives its words.
///
/// Only title and first heading are looked at, and a part of one set apart by a dash or the like must say that and
/// nothing else: "Page not found | Example" does, "How to handle 404 errors" does not. `text_length` is the length of
/// the page's text in bytes; a page with much text always counts as there.
pub fn says_missing(title: &str, headings: &str, text_length: usize) -> Option<String> {
    if text_length > TEXT_LIMIT {
        return None;
    }
    let heading = headings.lines().map(str::trim).find(|line| !line.is_empty());
    [Some(title), heading].into_iter().flatten().find_map(missing_part)
}

/// The first or last part of a line, if it says that nothing is there.
fn missing_part(line: &str) -> Option<String> {
    if line.len() > TITLE_LIMIT {
        return None;
    }
    let separated = SEPARATORS.iter().fold(line.to_owned(), |line, separator| line.replace(separator, "\n"));
    let mut parts = separated.lines().map(str::trim).filter(|part| !part.is_empty());
    let ends = [parts.next(), parts.next_back()];
    ends.into_iter().flatten().find(|part| is_message(part)).map(str::to_owned)
}

/// Whether a text consists of the table's phrases, at least one of them, and fillers.
fn is_message(text: &str) -> bool {
    let text = words(text);
    let (mut rest, mut says_so) = (text.as_str(), false);
    while !rest.is_empty() {
        let longest = |phrases: &[&str]| {
            phrases.iter().filter_map(|phrase| without(rest, phrase)).min_by_key(|behind| behind.len())
        };
        rest = match longest(MISSING) {
            Some(behind) => {
                says_so = true;
                behind
            }
            None => match longest(FILLERS) {
                Some(behind) => behind,
                None => return false,
            },
        };
    }
    says_so
}

/// What stands behind a phrase of whole words.
fn without<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let behind = text.strip_prefix(phrase)?;
    if behind.is_empty() { Some(behind) } else { behind.strip_prefix(' ') }
}

/// The words of a text in lower case, one space between.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(title: &str, headings: &str, expected: Option<&str>) {
        assert_eq!(says_missing(title, headings, 500).as_deref(), expected, "{title:?} {headings:?}");
    }

    #[test]
    fn pages_that_say_so_are_missing() {
        for title in [
            "404",
            "Error 404",
            "404 Not Found",
            "Error 404: page not found",
            "Page not found (404)",
            "PAGE NOT FOUND.",
            "Sorry, this page can’t be found",
            "Oops! The page you requested could not be found.",
            "Seite nicht gefunden",
            "Fehler 404 – Seite nicht gefunden",
            "Page introuvable",
            "Página no encontrada",
            "Pagina non trovata",
            "Pagina niet gevonden",
            "Страница не найдена",
            "ページが見つかりません",
        ] {
            assert!(says_missing(title, "", 500).is_some(), "{title}");
            assert!(says_missing("Example", &format!("\n {title}\nNews"), 500).is_some(), "{title}, as a heading");
        }
    }

    #[test]
    fn the_name_of_the_site_may_stand_beside_it() {
        check("Page not found | Example", "", Some("Page not found"));
        check("Example - News - 404", "", Some("404"));
        check("Example", "Oops! Seite nicht gefunden", Some("Seite nicht gefunden"));
        check("Example · Error-404", "", Some("Error-404"));
    }

    #[test]
    fn pages_about_something_are_there() {
        for title in [
            "",
            "Example",
            "How to handle 404 errors",
            "Lost and not found: a novel review",
            "404 ways to cook an egg",
            "Page not found errors explained",
            "Peugeot 404",
            "Area code 404: Atlanta",
            "News | Not found in the ruins | Example",
            "Sorry",
            "Error - Example",
            "Founder not found guilty",
            "4040",
        ] {
            check(title, "", None);
            check("Example", title, None);
        }
        check("Example", "News\nPage not found", None);
        check(&format!("{} - 404", "Example ".repeat(40)), "", None);
    }

    #[test]
    fn much_text_is_something() {
        assert_eq!(says_missing("404", "", TEXT_LIMIT).as_deref(), Some("404"));
        assert_eq!(says_missing("404", "", TEXT_LIMIT + 1), None);
    }

    #[test]
    fn the_tables_are_written_as_texts_are_compared() {
        for phrase in MISSING.iter().chain(FILLERS) {
            assert_eq!(words(phrase), *phrase);
        }
    }
}
