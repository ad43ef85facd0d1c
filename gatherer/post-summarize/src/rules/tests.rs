use super::*;
use gatherer_pipeline::{Admission, Candidate, Draft, Fetched, Kind, Known, Prepared, Recognized, Times};
use gatherer_pipeline::{UnixTime, Validators};
use url::Url;

/// A summary of the HTML page `http://example.org/users/jo` with attributes by `html 0.1`.
pub(crate) fn summary(attributes: &[(&str, &str)]) -> Summary {
    let url = Url::parse("http://example.org/users/jo").expect("a URL");
    let admission = Admission { scope: "test".to_owned(), robots: "test".to_owned() };
    let fetched = Fetched {
        prepared: Prepared::new(Candidate::start(url, "docs"), admission, Known::default()),
        content_type: None,
        body: b"<html>".to_vec(),
        cut_from: None,
        robots_tag: String::new(),
        canonical: None,
        validators: Validators::default(),
        modified: None,
        at: UnixTime(1_000),
    };
    let mut draft = Draft::new();
    for (name, value) in attributes {
        draft.add(name, value);
    }
    let leaf = Recognized::new(fetched, Kind::HTML, Vec::new());
    let times = Times { refresh_rate: Duration::from_secs(7), time_to_live: Duration::from_secs(28), range: 1 };
    Summary::new(&leaf, &draft, "html 0.1", times)
}

fn rule(when: &str, set: &[(&str, &str)]) -> RuleSource {
    let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    RuleSource { name: "corn".to_owned(), when: when.to_owned(), set, ..RuleSource::default() }
}

fn apply(sources: Vec<RuleSource>, attributes: &[(&str, &str)]) -> Result<Summary, Departure> {
    Rules::compile(sources).expect("rules without errors").apply(summary(attributes))
}

/// Value and maker of `Title` after the rules, over a page titled "Corn".
fn check(sources: Vec<RuleSource>, expected: Option<(&str, &str)>) {
    let changed = apply(sources, &[("Title", "Corn"), ("Owner", "jo")]).expect("not deleted");
    let title = changed.attributes().iter().find(|known| known.name.eq_ignore_ascii_case("title"));
    assert_eq!(title.map(|title| (title.value.as_str(), title.by.as_str())), expected);
}

fn check_errors(sources: Vec<RuleSource>, expected: &[(usize, &str, usize)]) {
    let errors = Rules::compile(sources).expect_err("errors");
    let found: Vec<_> = errors.iter().map(|error| (error.index, error.message.as_str(), error.at)).collect();
    assert_eq!(found, expected);
}

#[test]
fn without_rules_nothing_changes() {
    check(Vec::new(), Some(("Corn", "html 0.1")));
    assert!(Rules::default().apply(summary(&[])).is_ok());
}

#[test]
fn what_a_rule_sets_says_so() {
    check(vec![rule("type == 'HTML'", &[("title", "{Title} by {Owner}")])], Some(("Corn by jo", "rule corn")));
    check(vec![rule("type == 'PDF'", &[("title", "no")])], Some(("Corn", "html 0.1")));
}

#[test]
fn every_rule_that_holds_applies_and_sees_what_was_done_before() {
    let rules = vec![rule("", &[("Title", "{Title}+")]), rule("Title == 'Corn+'", &[("Title", "{title}+")])];
    check(rules, Some(("Corn++", "rule corn")));
    check(vec![rule("true", &[("X", "1"), ("Title", "{X}"), ("X", "2")])], Some(("1", "rule corn")));
}

#[test]
fn attributes_can_be_removed_even_after_being_used() {
    let mut rules = vec![rule("", &[("Note", "{Title}")])];
    rules[0].remove = vec!["TITLE".to_owned(), "absent".to_owned()];
    let changed = apply(rules.clone(), &[("Title", "Corn")]).expect("not deleted");
    assert_eq!((changed.get("title"), changed.get("note")), (None, Some("Corn")));
    check(rules, None);
    check(vec![rule("", &[("Title", "{Absent}")])], None);
}

#[test]
fn a_deleting_rule_ends_at_once() {
    let delete = RuleSource { delete: true, name: "no drafts".to_owned(), ..rule("title ~ /Draft/", &[]) };
    let bad = rule("true", &[("Title", "Draft")]);
    let verdict = apply(vec![bad.clone(), delete.clone(), bad], &[]).map(|_| ());
    assert_eq!(verdict, Err(Departure::RuledOut { rule: "no drafts".to_owned() }));
    check(vec![delete], Some(("Corn", "html 0.1")));
}

#[test]
fn life_spans_change_where_a_rule_says_so() {
    let day = Duration::from_hours(24);
    let first = RuleSource { time_to_live: Some(day), ..rule("url ~ /users/", &[]) };
    let second = RuleSource { refresh_rate: Some(day), ..rule("url ~ /nowhere/", &[]) };
    let times = apply(vec![first, second], &[]).expect("not deleted").times;
    assert_eq!((times.time_to_live, times.refresh_rate), (day, Duration::from_secs(7)));
}

#[test]
fn the_gatherers_own_attributes_may_be_set_but_not_url_and_md5() {
    assert_eq!(apply(vec![rule("", &[("Type", "FAQ")])], &[]).expect("kept").get("type"), Some("FAQ"));
    let mut source = rule("", &[("md5", "x"), ("Url", "http://example.org/")]);
    source.remove = vec!["MD5".to_owned()];
    let [set_md5, set_url, remove] = ["a rule cannot set md5", "a rule cannot set Url", "a rule cannot remove MD5"];
    check_errors(vec![source], &[(0, set_md5, 0), (0, set_url, 0), (0, remove, 0)]);
}

#[test]
fn all_errors_are_given_at_once() {
    let sources = vec![
        rule("type 'x'", &[("two words", "{")]),
        rule("true", &[("Title", "fine")]),
        rule("(true", &[]),
        rule("a ~ /[/", &[]),
    ];
    let expected = [
        (0, "expected == != ~ or !~ after `type` at character 6", 5),
        (0, "attribute name \"two words\" is not well formed", 0),
        (0, "value of two words: no } for a {; write {{ for a brace", 0),
        (2, "expected && or || or ) at character 6, for the ( at character 1", 5),
        (3, "unclosed character class in the regex at character 5", 4),
    ];
    check_errors(sources, &expected);
}
