//! Summarizes plain text: its title, how many lines and words it has, and where it leads.

use gatherer_sdk::{Call, Draft, Plugin, Setting, Summarizer, Trouble, export};

const SIZE_MOST: u64 = 16 << 20;
const TITLE_MOST: usize = 200;
const REFERENCES_MOST: usize = 1000;
const URL_MOST: usize = 2000;

struct PlainText;

/// Has to agree with plugin.toml.
impl Plugin for PlainText {
    const NAME: &str = env!("CARGO_PKG_NAME");
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const KINDS: &[&str] = &["Text"];
    const OPTIONS: &[Setting] = &[Setting::new("words", "whether to count words").default("true")];
}

impl Summarizer for PlainText {
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
        if call.document.size > SIZE_MOST {
            return Err(Trouble::refused("it is larger than 16 MiB"));
        }
        let body = call.body();
        if body.contains(&0) {
            return Err(Trouble::refused("it holds NUL bytes"));
        }
        let text = String::from_utf8_lossy(&body);
        let mut draft = Draft::new();
        if let Some(title) = text.lines().map(str::trim).find(|line| !line.is_empty()) {
            draft.attribute("Title", title.chars().take(TITLE_MOST).collect::<String>());
        }
        draft.attribute("Lines", text.lines().count().to_string());
        if call.option("words") != Some("false") {
            draft.attribute("Words", text.split_whitespace().count().to_string());
        }
        for url in urls(&text).take(REFERENCES_MOST) {
            draft.reference(url, "");
        }
        draft.text(text);
        Ok(draft)
    }
}

export!(summarizer: PlainText);

fn urls(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| sign.is_whitespace() || "<>()\"'".contains(sign));
    let words = words.filter(|word| word.starts_with("http://") || word.starts_with("https://"));
    words.filter(|word| word.len() <= URL_MOST).map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatherer_sdk::testing;

    const NOTE: &str = include_str!("../samples/note.txt");

    #[test]
    fn a_note_is_summarized() {
        let draft = testing::summarize::<PlainText>("http://example.org/note.txt", "Text", NOTE).expect("a draft");
        testing::expect(&draft, "Title: Notes on corn\nLines: 5\nWords: 22");
        assert_eq!(draft.references[1].url, "https://corn.example/harvest?year=2026");
    }

    #[test]
    fn words_need_not_be_counted() {
        let sample = testing::Sample::new("http://example.org/note.txt", "Text", NOTE).option("words", "false");
        assert_eq!(sample.summarize::<PlainText>().expect("a draft").value("Words"), None);
    }

    #[test]
    fn it_keeps_to_the_contract() {
        testing::manifest::<PlainText>(include_str!("../plugin.toml"));
        testing::endure::<PlainText>("Text", NOTE);
    }
}
