use super::*;
use crate::programs::tests::{Stage, command};
use gatherer_pipeline::{Admission, Candidate, Draft, Fetched, Kind, Known, Prepared, Recognized, Times};
use gatherer_pipeline::{UnixTime, Validators};
use std::time::Duration;
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
        packed: None,
    };
    let mut draft = Draft::new();
    for (name, value) in attributes {
        draft.add(name, value);
    }
    let leaf = Recognized::new(fetched, Kind::HTML, Vec::new());
    let times = Times { refresh_rate: Duration::from_secs(7), time_to_live: Duration::from_secs(28), range: 1 };
    Summary::new(&leaf, &draft, "html 0.1", times)
}

fn set((attribute, value): &(&str, &str)) -> Instruction {
    Instruction::Set { attribute: (*attribute).to_owned(), value: (*value).to_owned() }
}

fn rule(when: &str, values: &[(&str, &str)]) -> RuleSource {
    doing(when, values.iter().map(set).collect())
}

fn doing(when: &str, instructions: Vec<Instruction>) -> RuleSource {
    RuleSource { name: "corn".to_owned(), when: when.to_owned(), instructions }
}

fn apply(sources: Vec<RuleSource>, attributes: &[(&str, &str)]) -> Result<Summary, Departure> {
    Rules::compile(sources).expect("rules without errors").apply(summary(attributes), &Stage)
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
    assert!(Rules::default().apply(summary(&[]), &Stage).is_ok());
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
    rules[0].instructions.extend(["TITLE", "absent"].map(|name| Instruction::Remove(name.to_owned())));
    let changed = apply(rules.clone(), &[("Title", "Corn")]).expect("not deleted");
    assert_eq!((changed.get("title"), changed.get("note")), (None, Some("Corn")));
    check(rules, None);
    check(vec![rule("", &[("Title", "{Absent}")])], None);
}

#[test]
fn a_deleting_rule_ends_at_once() {
    let delete = RuleSource { name: "no drafts".to_owned(), ..doing("title ~ /Draft/", vec![Instruction::Delete]) };
    let bad = rule("true", &[("Title", "Draft")]);
    let verdict = apply(vec![bad.clone(), delete.clone(), bad], &[]).map(|_| ());
    assert_eq!(verdict, Err(Departure::RuledOut { rule: "no drafts".to_owned() }));
    check(vec![delete], Some(("Corn", "html 0.1")));
}

#[test]
fn life_spans_change_where_a_rule_says_so() {
    let day = Duration::from_hours(24);
    let first = doing("url ~ /users/", vec![Instruction::TimeToLive(day)]);
    let second = doing("url ~ /nowhere/", vec![Instruction::RefreshRate(day)]);
    let times = apply(vec![first, second], &[]).expect("not deleted").times;
    assert_eq!((times.time_to_live, times.refresh_rate), (day, Duration::from_secs(7)));
}

#[test]
fn the_gatherers_own_attributes_may_be_set_but_not_url_and_md5() {
    assert_eq!(apply(vec![rule("", &[("Type", "FAQ")])], &[]).expect("kept").get("type"), Some("FAQ"));
    let mut source = rule("", &[("md5", "x"), ("Url", "http://example.org/")]);
    source.instructions.push(Instruction::Remove("MD5".to_owned()));
    source.instructions.push(Instruction::Filter { attribute: "MD5".to_owned(), command: command("x") });
    let expected = [
        (0, "a rule cannot set md5", 0),
        (0, "a rule cannot set Url; to rewrite it, give a pattern or a program", 0),
        (0, "a rule cannot remove MD5", 0),
        (0, "a rule cannot filter MD5", 0),
    ];
    check_errors(vec![source], &expected);
}

#[test]
fn instructions_are_done_in_their_order() {
    let filter = || Instruction::Filter { attribute: "title".to_owned(), command: command("upper") };
    let quote = || set(&("Title", "<a {Title}>"));
    check(vec![doing("", vec![filter(), quote()])], Some(("<a CORN>", "rule corn")));
    check(vec![doing("", vec![quote(), filter()])], Some(("<A CORN>", "rule corn")));
    let verdict = apply(vec![doing("", vec![filter(), Instruction::Delete, quote()])], &[]).map(|_| ());
    assert_eq!(verdict, Err(Departure::RuledOut { rule: "corn".to_owned() }));
}

#[test]
fn a_failing_program_is_complained_of_and_the_rest_is_done() {
    let broken =
        |attribute: &str| Instruction::Filter { attribute: attribute.to_owned(), command: command("./broken") };
    let pass = Instruction::Pass { attributes: vec!["Title".to_owned()], command: command("flood") };
    let source = doing("", vec![broken("Title"), broken("url"), pass, set(&("Note", "done"))]);
    let changed = apply(vec![source], &[("Title", "Corn")]).expect("not deleted");
    assert_eq!((changed.get("title"), changed.get("note")), (Some("Corn"), Some("done")));
    let expected = "rule corn: ./broken: it ended with exit status: 3\n\
                    rule corn: flood: it printed more than 9 bytes and was killed";
    assert_eq!(changed.get("Complaints"), Some(expected));
}

#[test]
fn a_record_can_move_and_later_rules_see_it() {
    let rewrite = |with: &str| {
        let pattern = "^http://example\\.org/users/(.*)$".to_owned();
        doing("url ~ /users/", vec![Instruction::Rewrite { pattern, with: with.to_owned() }])
    };
    let moved = apply(vec![rewrite("https://$1.example.org/"), rewrite("ftp://x/")], &[]).expect("not deleted");
    assert_eq!(moved.url().as_str(), "https://jo.example.org/");
    assert_eq!(moved.origin().as_str(), "http://example.org/users/jo");
    let kept = apply(vec![rewrite("nowhere/$1")], &[]).expect("not deleted");
    assert_eq!(kept.url(), kept.origin());
    let expected = "rule corn: \"nowhere/jo\" is no URL (relative URL without a base)";
    assert_eq!(kept.get("Complaints"), Some(expected));
}

#[test]
fn the_template_type_can_change() {
    let template = |name: &str| vec![doing("", vec![Instruction::Template(name.to_owned())])];
    assert_eq!(apply(template("USER"), &[]).expect("not deleted").template(), "USER");
    let expected = "\"a b\" is no template type; expected one word of letters, digits, - and _";
    check_errors(template("a b"), &[(0, expected, 0)]);
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
