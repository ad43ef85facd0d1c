use super::*;
use proptest::prelude::*;

fn check(when: &str, message: &str, at: usize) {
    let mistake = parse(when).expect_err("a mistake");
    assert_eq!((mistake.message.as_str(), mistake.at), (message, at), "{when}");
}

#[test]
fn mistakes_name_what_was_expected_and_where() {
    check("type 'HTML'", "expected == != ~ or !~ after `type` at character 6", 5);
    check("type = 'HTML'", "expected == != ~ or !~ after `type` at character 6", 5);
    check("type", "expected == != ~ or !~ after `type` at character 5", 4);
    check("type ==", "expected a text in quotes after == at character 8", 7);
    check("type == HTML", "expected a text in quotes after == at character 9", 8);
    check("type == /HTML/", "expected a text in quotes after == at character 9", 8);
    check("type !~ HTML", "expected a regex as /regex/ or in quotes after !~ at character 9", 8);
    check("== 'x'", "expected an attribute name, `true` or ( at character 1", 0);
    check("a == 'x' b == 'y'", "expected && or || or the end at character 10", 9);
    check("a ~ /x/i", "expected && or || or the end at character 8", 7);
    check("a == 'x' & b == 'y'", "expected && or || or the end at character 10", 9);
    check("a == 'x' &&", "expected an attribute name, `true` or ( at character 12", 11);
    check("a == 'x' || || true", "expected an attribute name, `true` or ( at character 13", 12);
}

#[test]
fn open_ends_are_shown_where_they_begin() {
    check("a == 'x", "no closing ' for the text that starts at character 6", 5);
    check("a == \"x'", "no closing \" for the text that starts at character 6", 5);
    check("a ~ /x\\/", "no closing / for the regex that starts at character 5", 4);
    check("a ~ /x\\", "no closing / for the regex that starts at character 5", 4);
    check("(a == 'x'", "expected && or || or ) at character 10, for the ( at character 1", 9);
    check("(true b)", "expected && or || or ) at character 7, for the ( at character 1", 6);
    check("()", "expected an attribute name, `true` or ( at character 2", 1);
    check("true)", "expected && or || or the end at character 5", 4);
}

#[test]
fn places_count_characters_for_people_and_bytes_for_machines() {
    check("a == 'äöü' b", "expected && or || or the end at character 12", 14);
    check("ä == 'x'", "expected an attribute name, `true` or ( at character 1", 0);
}

#[test]
fn a_bad_regex_says_what_is_wrong_with_it() {
    check("a ~ /(x/", "unclosed group in the regex at character 5", 4);
    check("a ~ '*'", "repetition operator missing expression in the regex at character 5", 4);
    let large = parse("a ~ /x{1000}{1000}{1000}/").expect_err("a mistake");
    assert_eq!(large.message, "Compiled regex exceeds size limit of 10485760 bytes in the regex at character 5");
}

#[test]
fn brackets_nest_to_a_limit() {
    let nested = |depth: usize| format!("{}true{}", "(".repeat(depth), ")".repeat(depth));
    assert!(parse(&nested(DEPTH_LIMIT)).is_ok());
    check(&nested(DEPTH_LIMIT + 1), "brackets nested deeper than 64 at character 65", 64);
    assert!(parse(&"(".repeat(1_000_000)).is_err());
    assert!(parse(&format!("true{}", " && (true)".repeat(1_000))).is_ok());
}

/// Pieces of the language in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = "(type|URL|true| |==|!=|~|!~|&&|\\|\\||\\(|\\)|'|\"|/|\\\\|'x'|/x/|ä|\\[|\\*|\n)";
    proptest::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_a_condition_or_a_mistake_within_it(text in prop_oneof![any::<String>(), pieces()]) {
        if let Err(mistake) = parse(&text) {
            prop_assert!(text.is_char_boundary(mistake.at));
            prop_assert!(!mistake.message.is_empty());
        }
    }

    #[test]
    fn any_text_without_its_quote_can_be_compared(text in "[^']{0,20}") {
        let condition = format!("a == '{text}'");
        prop_assert!(parse(&condition).is_ok());
    }

    #[test]
    fn any_literal_can_stand_between_slashes(text in ".{0,20}") {
        let escaped = regex::escape(&text).replace('/', "\\/");
        let condition = format!("a ~ /{escaped}/");
        prop_assert!(parse(&condition).is_ok());
    }
}
