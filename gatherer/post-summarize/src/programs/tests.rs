use super::*;
use crate::rules::tests::summary;

/// Programs that are not there: each word stands for what it does.
pub(crate) struct Stage;

impl Programs for Stage {
    fn run(&self, command: &Command, input: &[u8], url: &Url) -> Result<Vec<u8>, String> {
        let input = String::from_utf8_lossy(input);
        match command.program.to_str().unwrap_or_default() {
            "say" => Ok(command.arguments.join(" ").into_bytes()),
            "upper" => Ok(format!("\r\n{}\u{1}\n", input.to_uppercase()).into_bytes()),
            "whose" => Ok(format!("{input} of {url}").into_bytes()),
            "garbage" => Ok(vec![b'x', 0xff]),
            _ => Err("it ended with exit status: 3".to_owned()),
        }
    }

    fn pass(&self, command: &Command, given: &Attributes, _: &Url) -> Result<Vec<(String, String)>, String> {
        let word = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        match command.program.to_str().unwrap_or_default() {
            "count" => Ok(vec![word("Count", &given.len().to_string()), word("title", ""), word("Count", "lines")]),
            "echo" => Ok(given.to_vec()),
            "lie" => Ok(vec![word("MD5", "0"), word("a{", "x"), word("Update-Time", "1"), word("Title", "Maize")]),
            _ => Err("it printed more than 9 bytes and was killed".to_owned()),
        }
    }
}

pub(crate) fn command(text: &str) -> Command {
    crate::words::command(text).expect("a command")
}

/// `Title` after a filter over a page titled "Corn".
fn check_filter(program: &str, expected: Result<Option<&str>, &str>) {
    let mut summary = summary(&[("Title", "Corn")]);
    let problem = filter(&mut summary, "title", &command(program), "rule corn", &Stage);
    assert_eq!(problem.as_ref().map(|()| summary.get("Title")).map_err(String::as_str), expected, "{program}");
    if problem.is_err() {
        assert_eq!(summary.get("Title"), Some("Corn"), "{program}");
    }
}

#[test]
fn a_filter_gives_the_new_value() {
    check_filter("upper", Ok(Some("CORN")));
    check_filter("whose", Ok(Some("Corn of http://example.org/users/jo")));
    check_filter("say two words", Ok(Some("two words")));
    check_filter("say", Ok(None));
}

#[test]
fn a_bad_filter_changes_nothing_and_is_named() {
    check_filter("/opt/broken -x", Err("/opt/broken: it ended with exit status: 3"));
    check_filter("garbage", Err("garbage: it printed what is not UTF-8"));
}

#[test]
fn what_is_not_there_is_not_filtered() {
    let mut summary = summary(&[]);
    assert_eq!(filter(&mut summary, "Title", &command("broken"), "rule corn", &Stage), Ok(()));
    assert_eq!(summary.get("Title"), None);
}

#[test]
fn a_filter_of_the_url_moves_the_record() {
    let mut summary = summary(&[]);
    let mut check = |program: &str, expected: Result<&str, &str>| {
        let problem = filter_url(&mut summary, &command(program), &Stage);
        assert_eq!(problem.as_ref().map(|()| summary.url().as_str()).map_err(String::as_str), expected);
    };
    check("say http://www.example.org/jo", Ok("http://www.example.org/jo"));
    check("say jo", Err("say: \"jo\" is no URL (relative URL without a base)"));
    check("say", Err("say: \"\" is no URL (relative URL without a base)"));
    check("whose", Err("whose: \"http://www.example.org/jo of http://example.org/users/jo\" is not one URL"));
    assert_eq!(summary.url().as_str(), "http://www.example.org/jo");
    assert_eq!(summary.origin().as_str(), "http://example.org/users/jo");
}

#[test]
fn attributes_that_come_back_are_set() {
    let mut summary = summary(&[("Title", "Corn"), ("City", "Ulm")]);
    let names = ["title", "city", "absent"].map(str::to_owned);
    assert_eq!(pass(&mut summary, &names, &command("count"), "rule corn", &Stage), Ok(()));
    assert_eq!((summary.get("count"), summary.get("title")), (Some("2\nlines"), None));
    let by = summary.attributes().iter().find(|known| known.name == "Count").map(|known| known.by.as_str());
    assert_eq!((by, summary.get("City")), (Some("rule corn"), Some("Ulm")));
}

#[test]
fn what_no_rule_may_change_may_come_back_as_it_was() {
    let mut summary = summary(&[]);
    let names = ["URL", "MD5"].map(str::to_owned);
    assert_eq!(pass(&mut summary, &names, &command("echo"), "rule corn", &Stage), Ok(()));
    let problem = pass(&mut summary, &names, &command("lie"), "rule corn", &Stage);
    let expected = "lie: attribute name \"a{\" is not well formed; it cannot set MD5; it cannot set Update-Time";
    assert_eq!(problem, Err(expected.to_owned()));
    assert_eq!(summary.get("Title"), Some("Maize"), "the rest is taken");
    let problem = pass(&mut summary, &names, &command("flood"), "rule corn", &Stage);
    assert_eq!(problem, Err("flood: it printed more than 9 bytes and was killed".to_owned()));
}
