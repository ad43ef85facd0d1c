//! Shell archives: files as here-documents between commands. The commands are read, never run.
//!
//! Known are `sed 's/^X//'` and `cat` into a file, and `uudecode` behind a pipe, in the spellings that the programs
//! named `shar` have written. Whatever else the script would do is left out.

use crate::names::decoded;
use crate::outlet::{Found, Outlet};
use crate::{Trouble, uuencode};
use gatherer_pipeline::Kind;

/// A command that takes a here-document.
#[derive(Debug, PartialEq, Eq)]
struct Command {
    /// What stands before every line.
    prefix: String,
    into: Target,
    /// The line behind the last one.
    end: String,
    /// Whether tabs before lines do not count (`<<-`).
    drops_tabs: bool,
    /// Whether the shell would have replaced `$`, backquotes and backslashes in the lines.
    expands: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Target {
    File(String),
    Uudecode,
}

pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let mut lines = body.split_inclusive(|byte| *byte == b'\n');
    let mut has_any = false;
    while let Some(line) = lines.next() {
        let Some(command) = Command::read(&decoded(line)) else { continue };
        has_any = true;
        let mut content = Vec::new();
        let mut is_whole = false;
        for line in lines.by_ref() {
            let line = if command.drops_tabs { line.trim_ascii_start_tabs() } else { line };
            if line.trim_line_end() == command.end.as_bytes() {
                is_whole = true;
                break;
            }
            content.extend_from_slice(line.strip_prefix(command.prefix.as_bytes()).unwrap_or(line));
        }
        command.finish(content, is_whole, outlet)?;
    }
    if has_any { Ok(()) } else { Err(Trouble::WrongKind(kind.clone())) }
}

/// The two ways in which lines are looked at.
trait Line {
    fn trim_ascii_start_tabs(&self) -> &[u8];
    fn trim_line_end(&self) -> &[u8];
}

impl Line for [u8] {
    fn trim_ascii_start_tabs(&self) -> &[u8] {
        let tabs = self.iter().take_while(|byte| **byte == b'\t').count();
        self.get(tabs..).unwrap_or_default()
    }

    fn trim_line_end(&self) -> &[u8] {
        let line = self.strip_suffix(b"\n").unwrap_or(self);
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

impl Command {
    fn finish(self, content: Vec<u8>, is_whole: bool, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
        match self.into {
            Target::Uudecode if is_whole => uuencode::open_all(&content, outlet).map(|_| ()),
            Target::File(name) if is_whole => {
                let is_changed = self.expands && content.iter().any(|byte| matches!(byte, b'$' | b'`' | b'\\'));
                let complaint = is_changed.then(|| "what a shell would have replaced in it stands as it is".to_owned());
                outlet.give(Found { complaint, ..Found::named(name) }, content)
            }
            Target::File(name) => {
                outlet.lose(&name, "damaged: its end is missing")?;
                Err(Trouble::damaged("it ends within a file"))
            }
            Target::Uudecode => Err(Trouble::damaged("it ends within a file")),
        }
    }

    /// Reads a line such as `sed 's/^X//' << 'SHAR_EOF' > 'name' &&`.
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        if !line.contains("<<") || !(line.starts_with("sed") || line.starts_with("cat")) {
            return None;
        }
        let words = words(line)?;
        let mut command = Self {
            prefix: String::new(),
            into: Target::File(String::new()),
            end: String::new(),
            drops_tabs: false,
            expands: false,
        };
        let mut words = words.into_iter();
        let program = words.next()?;
        while let Some(word) = words.next() {
            match word.text.as_str() {
                "<<" | "<<-" if !word.is_quoted => {
                    command.drops_tabs = word.text == "<<-";
                    let end = words.next()?;
                    (command.end, command.expands) = (end.text, !end.is_quoted);
                }
                ">" | ">>" if !word.is_quoted => command.into = Target::File(words.next()?.text),
                "|" if !word.is_quoted => match words.next()?.text.as_str() {
                    "uudecode" => command.into = Target::Uudecode,
                    _ => return None,
                },
                "&&" | ";" if !word.is_quoted => break,
                text if program.text == "sed" => command.prefix = prefix(text).unwrap_or(command.prefix),
                _ => {}
            }
        }
        let has_target = command.into != Target::File(String::new());
        (has_target && !command.end.is_empty() && matches!(program.text.as_str(), "sed" | "cat")).then_some(command)
    }
}

/// `X` of `s/^X//`.
fn prefix(script: &str) -> Option<String> {
    Some(script.strip_prefix("s/^")?.strip_suffix("//")?.to_owned())
}

#[derive(Debug, Default)]
struct Word {
    text: String,
    is_quoted: bool,
}

/// The words of a command as a shell splits them; nothing if a quote stays open.
fn words(line: &str) -> Option<Vec<Word>> {
    let mut words = vec![Word::default()];
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                let word = words.last_mut()?;
                word.is_quoted = true;
                loop {
                    match characters.next()? {
                        end if end == character => break,
                        other => word.text.push(other),
                    }
                }
            }
            '\\' => {
                let word = words.last_mut()?;
                word.is_quoted = true;
                word.text.extend(characters.next());
            }
            '>' | '<' | '|' | '&' | ';' => {
                let mut text = String::from(character);
                while let Some(same) = characters.next_if_eq(&character) {
                    text.push(same);
                }
                if text == "<<" {
                    text.extend(characters.next_if_eq(&'-'));
                }
                words.push(Word { text, is_quoted: false });
                words.push(Word::default());
            }
            blank if blank.is_whitespace() => words.push(Word::default()),
            other => words.last_mut()?.text.push(other),
        }
    }
    words.retain(|word| word.is_quoted || !word.text.is_empty());
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, prefix: &str, name: &str, end: &str) {
        let command = Command::read(line).expect(line);
        let expected = (prefix, &Target::File(name.to_owned()), end);
        assert_eq!((command.prefix.as_str(), &command.into, command.end.as_str()), expected, "{line}");
    }

    #[test]
    fn commands_of_many_programs_are_read() {
        check("sed 's/^X//' > 'a b.c' << 'END'", "X", "a b.c", "END");
        check("  sed 's/^X//' << 'SHAR_EOF' > 'a.c' &&", "X", "a.c", "SHAR_EOF");
        check("sed \"s/^X//\" >a.c <<'END_OF_FILE'", "X", "a.c", "END_OF_FILE");
        check("sed -e 's/^-//' >dir/a.c <<\\EOF", "-", "dir/a.c", "EOF");
        check("cat > a.c << \\END", "", "a.c", "END");
        check("cat <<EOF >a.c; chmod 644 a.c", "", "a.c", "EOF");
        let uudecode = Command::read("  sed 's/^X//' << 'SHAR_EOF' | uudecode &&").expect("a command");
        assert_eq!(uudecode.into, Target::Uudecode);
    }

    #[test]
    fn other_commands_are_left_alone() {
        for line in ["cat << EOF", "cat > x", "catalog > x << END", "sed 's/x > y << z", "cat x | sh << END", "", "sed"]
        {
            assert_eq!(Command::read(line), None, "{line}");
        }
    }
}
