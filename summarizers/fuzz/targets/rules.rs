//! Any text as the operator's rules: a condition, a file of Harvest's rules, a table of Harvest's kinds.

use gatherer_post_summarize::{Instruction, RuleSource, Rules, read_harvest};
use gatherer_recognize::{Voter, read_harvest_table};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (when, value) = text.split_once('\n').unwrap_or((text, text));
    let instructions = vec![
        Instruction::Set { attribute: "Title".to_owned(), value: value.to_owned() },
        Instruction::Rewrite { pattern: value.to_owned(), with: value.to_owned() },
        Instruction::Template(value.to_owned()),
    ];
    for error in Rules::compile(vec![RuleSource { name: "any".to_owned(), when: when.to_owned(), instructions }])
        .err()
        .unwrap_or_default()
    {
        assert!(when.is_char_boundary(error.at), "{error} at {}", error.at);
    }
    if let Ok(rules) = read_harvest(text) {
        assert!(Rules::compile(rules).is_ok(), "what a file gives compiles");
    }
    drop(read_harvest_table(Voter::Content, text));
}
