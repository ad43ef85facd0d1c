use super::*;
use crate::Rules;
use crate::programs::tests::Stage;
use crate::rules::tests::summary;
use proptest::prelude::*;
use std::fmt::Write;

/// The rules in one line each: name, condition, instructions.
fn shown(rules: &[RuleSource]) -> String {
    let mut lines = String::new();
    for rule in rules {
        write!(lines, "{}: {}", rule.name, rule.when).expect("a string takes all");
        for instruction in &rule.instructions {
            let text = match instruction {
                Instruction::Set { attribute, value } => format!("{attribute}={value}"),
                Instruction::Filter { attribute, command } => {
                    format!("{attribute}|{}|{}", command.program.display(), command.arguments.join("|"))
                }
                Instruction::Pass { attributes, command } => {
                    format!("{}!{}", attributes.join(","), command.program.display())
                }
                other => format!("{other:?}"),
            };
            write!(lines, "; {text}").expect("a string takes all");
        }
        lines.push('\n');
    }
    lines
}

fn check(text: &str, expected: &str) {
    let rules = read_harvest(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(shown(&rules), expected, "{text}");
}

fn check_errors(text: &str, expected: &[(usize, &str)]) {
    let errors = read_harvest(text).expect_err(text);
    let found: Vec<_> = errors.iter().map(|error| (error.line, error.message.as_str())).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn the_manuals_example_is_read_as_it_is() {
    let text = "type == 'HTML'\n\tpartial-text | cleanup-html-text.pl\nURL ~ /users/\n\ttime-to-live = \"86400\"\n\
                \tpartial-text ! extract-owner.sh\ncity == 'New York' && state != 'NY'\n\
                \taddress,city,state,zip ! cleanup-address.pl\ntype == 'SOIFStream'\n\tdelete()\n";
    check(
        text,
        "line 1: type == 'HTML'; partial-text|cleanup-html-text.pl|\n\
         line 3: URL ~ /users/; TimeToLive(86400s); partial-text!extract-owner.sh\n\
         line 6: city == 'New York' && state != 'NY'; address,city,state,zip!cleanup-address.pl\n\
         line 8: type == 'SOIFStream'; Delete\n",
    );
}

#[test]
fn spaces_comments_blank_lines_and_other_line_ends_do_no_harm() {
    let text = "\u{feff}# mine\r\n\r\ntrue\r\n  # why\r\n    Title = 'a {b}'  \r\n\r\n  Refresh-Rate=\"60\"\r\n\t\r\n \
                a , b!./c 'd e'\r\n  url | x y \"z 1\"\r\n delete ( )";
    check(text, "line 3: true; Title=a {{b}; RefreshRate(60s); a,b!./c; url|x|y|z 1; Delete\n");
    check("", "");
    check("# nothing\n\n", "");
}

#[test]
fn nothing_is_passed_over() {
    check_errors(" delete()\n", &[(1, "expected a condition in column 1 before any instruction")]);
    check_errors(
        "type == 'A'\n\ntype == 'B'\n",
        &[
            (1, "expected an indented instruction below this condition"),
            (3, "expected an indented instruction below this condition"),
        ],
    );
    check_errors(
        "type = 'A'\n\tx = \"1\"\ntrue\ntime-to-live = \"60\"\n\tdelete()\n",
        &[
            (1, "expected == != ~ or !~ after `type` at character 6; an instruction must be indented"),
            (3, "expected an indented instruction below this condition"),
            (4, "expected == != ~ or !~ after `time-to-live` at character 14; an instruction must be indented"),
        ],
    );
    check_errors("a ~ /(/\n delete()\n", &[(1, "unclosed group in the regex at character 5")]);
}

#[test]
fn bad_instructions_say_what_was_expected() {
    let of = |instruction: &str, message: &str| check_errors(&format!("true\n\t{instruction}\n"), &[(2, message)]);
    of("remove(x)", EXPECTED);
    of("delete", EXPECTED);
    of("delete(x)", EXPECTED);
    of("city != 'NY'", &format!("{EXPECTED}; a condition begins in column 1"));
    of("city == 'NY'", &format!("{EXPECTED}; a condition begins in column 1"));
    of("url ~ /a|b/", &format!("\"url ~ /a\" is no attribute name; {EXPECTED}"));
    of("= \"x\"", &format!("\"\" is no attribute name; {EXPECTED}"));
    of("a, = \"x\"", &format!("\"\" is no attribute name; {EXPECTED}"));
    of("a,b = \"x\"", "expected one attribute before =; several go before !");
    of("a,b | x", "expected one attribute before |; several go before !");
    of("a = x", "expected a value in quotes after =");
    of("a = \"x", "no closing \" for the value");
    of("a = \"x\" # why", "expected nothing after the closing \"");
    of("a |", "expected a program");
    of("a ! x 'y", "no closing '");
    of("time-to-live = \"1 day\"", "expected seconds, such as \"86400\", up to 4294967295");
    of("refresh-rate = \"+1\"", "expected seconds, such as \"86400\", up to 4294967295");
    of("refresh-rate = \"4294967296\"", "expected seconds, such as \"86400\", up to 4294967295");
    of("md5 = \"x\"", "a rule cannot set md5");
    of("url = \"x\"", "a rule cannot set url; to rewrite it, give a pattern or a program");
    of("update-time = \"1\"", "a rule cannot set update-time; it can change `time-to-live` and `refresh-rate`");
}

/// Pieces of the language in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece =
        "(type|true| |\t|\n|\r\n|==|~|&&|\\(|\\)|'|\"|/|\\\\|'x'|/x/|ä|=|\\||!|,|delete\\(\\)|#|\n\ta \\| x\ntrue\n)";
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_rules_that_compile_or_errors_within_it(text in prop_oneof![any::<String>(), pieces()]) {
        match read_harvest(&text) {
            Ok(rules) => prop_assert!(Rules::compile(rules).is_ok()),
            Err(errors) => {
                let lines = text.lines().count();
                prop_assert!(!errors.is_empty() && errors.iter().all(|error| (1..=lines).contains(&error.line)));
            }
        }
    }

    #[test]
    fn any_value_without_its_quote_is_set_as_it_stands(value in "[^'\n\r]{0,20}") {
        let rules = read_harvest(&format!("true\n\tA = '{value}'")).expect("sound");
        let rules = Rules::compile(rules).expect("sound");
        let changed = rules.apply(summary(&[]), &Stage).expect("not deleted");
        prop_assert_eq!(changed.get("A").unwrap_or_default(), value);
    }
}
