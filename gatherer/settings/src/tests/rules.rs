//! `[[rule]]`: programs, other URLs and template types, and files of Harvest.

use super::{completed, load};
use crate::{Overrides, Settings};
use std::fs;
use std::path::{Path, PathBuf};

/// `keys` of a rule give one complaint, in the third line, with all the `words` in it.
fn check(keys: &str, words: &[&str]) {
    let complaints = load(&completed(&format!("[[rule]]\nwhen = 'x'\n{keys}"))).expect_err(keys);
    let text = complaints.to_string();
    assert_eq!(complaints.len(), 1, "{text}");
    for word in words.iter().chain(&["[gatherer.toml:3:"]) {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
}

#[test]
fn programs_are_resolved_and_in_order() {
    let keys = "filter = { Title = ['./clean', '-x'], Author = ['clean'] }\n\
                pass = [{ attributes = ['City', 'Zip'], program = ['/bin/p'] }]";
    let settings = load(&completed(&format!("[[rule]]\nwhen = 'x'\n{keys}"))).expect("good");
    let rule = &settings.rules[0];
    let filters: Vec<_> = rule.filter.iter().map(|(name, command)| (&**name, &*command.program)).collect();
    assert_eq!(filters, [("Title", Path::new("/etc/gatherer/./clean")), ("Author", Path::new("clean"))]);
    assert_eq!(
        (&*rule.filter[0].1.arguments, &*rule.pass[0].0),
        (&["-x".to_owned()][..], &["City", "Zip"].map(str::to_owned)[..])
    );
    let programs: Vec<_> = rule.commands().map(|command| command.program.as_path()).collect();
    assert_eq!(programs[2..], [Path::new("/bin/p")]);
}

#[test]
fn another_url_and_another_template() {
    let keys = "url = { pattern = '^file:///(.*)', with = 'http://x/$1' }\ntemplate = 'USER'";
    let settings = load(&completed(&format!("[[rule]]\nwhen = 'x'\n{keys}"))).expect("good");
    let rule = &settings.rules[0];
    assert_eq!(rule.url, Some(("^file:///(.*)".to_owned(), "http://x/$1".to_owned())));
    assert_eq!((rule.template.as_deref(), &rule.file), (Some("USER"), &None));
}

#[test]
fn slips_are_told_where_they_stand() {
    check("filter = ['x']", &["[rule] filter: expected attributes with their programs", "no table"]);
    check("filter = { Title = [] }", &["expected a program and its arguments", "no program"]);
    check("filter = { Title = 'x' }", &["expected a list of texts"]);
    check("pass = { attributes = ['a'], program = ['x'] }", &["[rule] pass: expected a list"]);
    check("pass = [{ attributes = ['a'] }]", &["both `attributes` and `program`, please"]);
    check("pass = [{ attributes = ['a'], program = ['x'], shell = true }]", &["expected { attributes = "]);
    check("pass = [{ attributes = [], program = ['x'] }]", &["at least one attribute"]);
    check("url = { pattern = '(', with = '' }", &["`(` is no regular expression", "unclosed group"]);
    check("url = { pattern = 'x' }", &["both `pattern` and `with`, please"]);
    check("url = 'x'", &["[rule] url: expected { pattern"]);
    check("template = 'a b'", &["[rule] template: expected a template type"]);
    check("template = 'Delete'", &["[rule] template: expected a template type"]);
}

/// Settings with `keys` in a rule, beside a file `harvest.rules` with `bytes`.
fn load_beside(bytes: &[u8], keys: &str) -> Result<(Settings, PathBuf), String> {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("harvest.rules"), bytes).expect("a file");
    fs::write(directory.path().join("clean"), "").expect("a file");
    let config = completed(&format!("[[rule]]\n{keys}"));
    let settings = Settings::from_text(&config, "gatherer.toml", directory.path(), &Overrides::default());
    let settings = settings.map_err(|complaints| complaints.to_string())?;
    // Looked up while the files are there.
    let program = settings.rules[0].file.as_ref().map(|file| file.program(Path::new("clean"))).unwrap_or_default();
    let beside = directory.path().join("clean");
    assert_eq!(program, beside);
    Ok((settings, beside))
}

#[test]
fn a_rule_file_is_read_and_knows_its_lines() {
    let (settings, beside) =
        load_beside(b"city == 'Z\xfcrich'\r\n\tdelete()\r\n", "file = 'harvest.rules'").expect("good");
    let rule = &settings.rules[0];
    assert_eq!((&*rule.name, &*rule.when, rule.place.line()), ("harvest.rules", "", 2));
    let file = rule.file.as_ref().expect("a file");
    assert_eq!(file.text(), "city == 'Z\u{fc}rich'\r\n\tdelete()\r\n");
    let text = Settings::complain(&file.place(2), "expected something else").to_string();
    assert!(text.contains("harvest.rules:2:1]") && text.contains("delete()"), "{text}");
    assert_eq!(file.place(9).line(), 3, "beyond the end is the end");
    let directory = beside.parent().expect("a directory");
    assert_eq!(file.program(Path::new("no-such-program")), Path::new("no-such-program"));
    assert_eq!(file.program(Path::new("bin/clean")), directory.join("bin/clean"));
}

#[test]
fn a_rule_file_stands_alone_and_must_be_there() {
    let slip = |bytes: &[u8], keys: &str, words: &[&str]| {
        let text = load_beside(bytes, keys).expect_err(keys);
        for word in words.iter().chain(&["gatherer.toml: 1 complaint"]) {
            assert!(text.contains(word), "{word:?} in\n{text}");
        }
    };
    slip(b"", "file = 'none.rules'", &["[rule] file: cannot read /", "none.rules: No such file", "[gatherer.toml:2:"]);
    slip(b"", "file = 'harvest.rules'\nwhen = 'x'", &["[rule] when: a rule file has conditions", "[gatherer.toml:3:"]);
    slip(b"", "file = 'harvest.rules'\ndelete = true", &["[rule] delete: a rule file has conditions"]);
    slip(&vec![b'#'; (1 << 20) + 1], "file = 'harvest.rules'", &["is larger than 1 MiB"]);
    slip(b"", "file = ''", &["expected some text"]);
}
