//! Commands in rule files: words with quotes as in a shell, and no shell.

use crate::programs::Command;
use std::path::PathBuf;
use std::str::Chars;

/// What a shell would act on outside quotes. Passing it on as an argument would silently do something else.
const SHELL: &str = "|&;<>()$`*?";

/// Reads a program and its arguments.
pub(crate) fn command(text: &str) -> Result<Command, String> {
    let mut words = split(text)?.into_iter();
    match words.next().filter(|program| !program.is_empty()) {
        Some(program) => Ok(Command { program: PathBuf::from(program), arguments: words.collect() }),
        None => Err("expected a program".to_owned()),
    }
}

/// Words between white space. `'...'` is taken as it stands, within `"..."` and outside `\` takes the next character.
fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let is_comment = character == '#' && word.is_none();
        let word = word.get_or_insert_default();
        match character {
            '\'' | '"' => quoted(character, &mut characters, word)?,
            '\\' => word.push(characters.next().ok_or("nothing behind the \\ at the end")?),
            _ if is_comment || SHELL.contains(character) => return Err(shell(character)),
            _ => word.push(character),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Up to the closing quote.
fn quoted(quote: char, characters: &mut Chars<'_>, word: &mut String) -> Result<(), String> {
    let missing = || format!("no closing {quote}");
    loop {
        match characters.next().ok_or_else(missing)? {
            end if end == quote => return Ok(()),
            '\\' if quote == '"' => match characters.next().ok_or_else(missing)? {
                escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                other => word.extend(['\\', other]),
            },
            active @ ('$' | '`') if quote == '"' => return Err(shell(active)),
            other => word.push(other),
        }
    }
}

fn shell(character: char) -> String {
    format!("no shell is there to understand {character}; put it in single quotes, or all of it in a script")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(text: &str, expected: Result<&[&str], &str>) {
        let words = split(text);
        let words = words.as_ref().map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(words.as_deref().map_err(|problem| problem.as_str()), expected, "{text}");
    }

    #[test]
    fn words_are_parted_by_space_and_joined_by_quotes() {
        check(" cleanup.pl  -x\ty ", Ok(&["cleanup.pl", "-x", "y"]));
        check("sed 's/a b*/\\1/' \"it's \\\"so\\\" \\n\"", Ok(&["sed", "s/a b*/\\1/", "it's \"so\" \\n"]));
        check("a\\ b''c '' \"\"d x#y", Ok(&["a bc", "", "d", "x#y"]));
        check("", Ok(&[]));
    }

    #[test]
    fn what_only_a_shell_understands_is_refused() {
        let refused = |character: char| shell(character);
        for (text, character) in
            [("a | b", '|'), ("a > b", '>'), ("echo $HOME", '$'), ("a \"$b\"", '$'), ("a *.pl", '*'), ("a # b", '#')]
        {
            check(text, Err(&refused(character)));
        }
        check("a '$b' \"\\$c\" \\$d", Ok(&["a", "$b", "$c", "$d"]));
    }

    #[test]
    fn open_ends_are_mistakes() {
        check("a 'b", Err("no closing '"));
        check("a \"b\\\"", Err("no closing \""));
        check("a \\", Err("nothing behind the \\ at the end"));
        assert_eq!(command(" "), Err("expected a program".to_owned()));
        assert_eq!(command("'' x"), Err("expected a program".to_owned()));
    }

    proptest! {
        #[test]
        fn any_text_is_words_or_a_mistake(text in prop_oneof![any::<String>(), "['\"\\\\ a$#|]{0,20}"]) {
            let _ = command(&text);
        }

        #[test]
        fn single_quotes_write_any_word(word in "[^']{0,20}") {
            let quoted = format!("'{word}'");
            prop_assert_eq!(split(&quoted), Ok(vec![word]));
        }
    }
}
