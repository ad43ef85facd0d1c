use super::*;
use crate::Setting;

/// Does what the body tells it.
struct Puppet;

impl Plugin for Puppet {
    const NAME: &str = "puppet";
    const VERSION: &str = "1.2.3";
    const KINDS: &[&str] = &["Text", "HTML"];
    const OPTIONS: &[Setting] =
        &[Setting::new("voice", "high or low").default("high"), Setting::new("strings", "how many")];
}

impl Summarizer for Puppet {
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
        let mut draft = Draft::new();
        match call.content {
            b"refuse" => return Err(Trouble::refused("told to")),
            b"fail" => return Err(Trouble::failed("told to")),
            b"log" => call.log(Level::Info, "a word"),
            b"bad name" => drop(draft.attribute("Bad Name", "")),
            _ => {}
        }
        draft.attribute("Voice", call.option("voice").unwrap_or("none"));
        draft.attribute("Strings", call.option("strings").unwrap_or("none"));
        draft.attribute("Size", call.body().len().to_string());
        draft.attribute("Tail", call.read(call.document.size - call.document.size.min(1), 5));
        draft.attribute("Language", call.document.header("content-language").unwrap_or("none"));
        Ok(draft)
    }
}

impl Recognizer for Puppet {
    fn recognize(call: &Call<'_>) -> Result<Vec<Guess>, Trouble> {
        Ok(vec![Guess::new(call.document.kind.to_uppercase(), "told to")])
    }
}

impl Enumerator for Puppet {
    fn enumerate(call: &RootCall<'_>) -> Result<Vec<String>, Trouble> {
        Ok(call.root.urls.iter().map(|url| format!("{url}{}", call.option("voice").unwrap_or_default())).collect())
    }
}

impl PostSummarizer for Puppet {
    fn correct(call: &SummaryCall<'_>, attributes: Vec<Attribute>) -> Result<Correction, Trouble> {
        assert!(call.time_left() > Some(Duration::ZERO));
        Ok(if attributes.is_empty() { Correction::LeaveOut("empty".into()) } else { Correction::Keep(attributes) })
    }
}

#[test]
fn options_have_their_defaults() {
    let draft = summarize::<Puppet>("http://example.org/", "Text", "a").expect("an answer");
    expect(&draft, "Voice: high\nStrings: none");
    let sample = Sample::new("http://example.org/", "Text", "a").option("voice", "low").option("strings", "6");
    expect(&sample.summarize::<Puppet>().expect("an answer"), "Voice: low\nStrings: 6");
}

#[test]
fn long_bodies_are_read_on() {
    let body: Vec<u8> = std::iter::repeat_n(b'x', 3 * BEGINNING).chain(*b"y").collect();
    let draft = summarize::<Puppet>("http://example.org/", "Text", body).expect("an answer");
    expect(&draft, "Size: 3145729\nTail: y");
}

#[test]
fn headers_and_words_for_the_operator_pass() {
    let sample = Sample::new("http://example.org/", "Text", "log").header("content-language", "de");
    expect(&sample.summarize::<Puppet>().expect("an answer"), "Language: de");
    assert_eq!(sample.logged(), [(Level::Info, "a word".to_owned())]);
}

#[test]
fn all_roles_can_be_tried() {
    assert_eq!(recognize::<Puppet>("http://example.org/", "Text", ""), Ok(vec![Guess::new("TEXT", "told to")]));
    assert_eq!(enumerate::<Puppet>(&["a", "b"], &[("voice", "!")]), Ok(vec!["a!".into(), "b!".into()]));
    assert_eq!(correct::<Puppet>(&[]), Ok(Correction::LeaveOut("empty".into())));
    assert_eq!(correct::<Puppet>(&[("A", "b")]), Ok(Correction::Keep(vec![Attribute::new("A", "b")])));
}

#[test]
fn a_good_plugin_endures() {
    endure::<Puppet>("Text", "refuse");
    endure::<Puppet>("Text", "");
}

#[test]
#[should_panic(expected = "never the plugin's own trouble")]
fn a_document_is_no_reason_to_fail() {
    endure::<Puppet>("Text", "fail");
}

#[test]
#[should_panic(expected = "is no name for an attribute")]
fn names_are_checked() {
    endure::<Puppet>("Text", "bad name");
}

#[test]
#[should_panic(expected = "Voice: low is expected, high is there")]
fn what_is_different_is_named() {
    let draft = summarize::<Puppet>("http://example.org/", "Text", "a").expect("an answer");
    expect(&draft, "Voice: low");
}

const MANIFEST: &str = r#"
# name = "other"
name = "puppet"    # a name
version = '1.2.3'
kinds = ["Text", "HTML"] # and "more"

[options.voice]
about = "high or low"
default = "high"

[options.strings]
about = "how many"
"#;

#[test]
fn a_manifest_that_agrees() {
    manifest::<Puppet>(MANIFEST);
}

#[test]
#[should_panic(expected = "the kinds")]
fn a_manifest_with_other_kinds() {
    manifest::<Puppet>(&MANIFEST.replace(", \"HTML\"", ""));
}

#[test]
#[should_panic(expected = "the number of options")]
fn a_manifest_with_more_options() {
    manifest::<Puppet>(&format!("{MANIFEST}[options.hat]\n"));
}
