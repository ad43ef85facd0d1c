//! What is wrong is told, with its line, and all of it at once.

use super::{completed, load, load_under};
use crate::{DEFAULTS, Overrides, Settings};
use std::path::Path;

/// `part` of a config gives one complaint, on `line`, with all the `words` in it.
fn check(part: &str, line: usize, words: &[&str]) {
    let complaints = load(&completed(part)).expect_err(part);
    let text = complaints.to_string();
    assert_eq!(complaints.len(), 1, "{text}");
    let place = format!("[gatherer.toml:{line}:");
    for word in words.iter().chain(&[&*place, "gatherer.toml: 1 complaint"]) {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
}

#[test]
fn the_operator_can_be_reached() {
    check("[gatherer]", 1, &["[gatherer] contact: missing", "webmasters must be able to reach you"]);
    check("[gatherer]\ncontact = ''", 2, &["[gatherer] contact: missing"]);
    check("[gatherer]\ncontact = 'Jack'", 2, &["neither a mail address nor a URL", "'Jack'"]);
    check("[gatherer]\ncontact = 'jack@ home'", 2, &["neither a mail address nor a URL"]);
    check("[gatherer]\ncontact = 5", 2, &["expected text in quotes", "this is a number"]);
}

#[test]
fn numbers() {
    check("[run]\n\nworkers = 0", 3, &["[run] workers: expected a whole number, 1 or more", "workers = 0"]);
    check("[run]\nworkers = 'four'", 2, &["expected a whole number", "this is text"]);
    check("[run]\ndeletion-brake-share = 20", 2, &["share from 0 to 1, such as 0.2"]);
    check("[run]\ndeletion-brake-share = -0.1", 2, &["outside 0 to 1"]);
    check("[life]\ngone-count = 0", 2, &["1 or more"]);
}

#[test]
fn durations_and_sizes() {
    check("[life]\nretry = '1 fortnight'", 2, &["[life] retry: expected a duration", "\"7d\"", "not a duration"]);
    check("[fetch]\nconnect-limit = 10", 2, &["expected a duration", "this is a number"]);
    check("[fetch]\nanswer-limit = '0s'", 2, &["longer than nothing"]);
    check("[fetch]\nbody-limit = 'lots'", 2, &["[fetch] body-limit: expected a size", "\"16MiB\"", "not a size"]);
    check("[store]\nblock-cache = 64", 2, &["expected a size", "this is a number"]);
}

#[test]
fn words() {
    check("[fetch]\nagent = 'my robot/1.0'", 2, &["letters, digits, `_` and `-`"]);
    check("[fetch]\nrobots = 'no'", 2, &["expected true or false"]);
    check("[summaries]\ntext = 'half'", 2, &["expected \"full\" or \"partial\" or \"none\""]);
    check("[broker]\nlisten = '8500'", 2, &["expected host:port", "127.0.0.1:8500"]);
    check("[broker]\nlisten = '::1:8500'", 2, &["not host:port"]);
    check("[broker]\nlisten = 'localhost:85000'", 2, &["not host:port"]);
    check("[http]\nlisten = '127.0.0.1:8500'", 2, &["[broker] listens there already", "a port of its own"]);
    check("[broker]\naccess = []", 2, &["at least one rule", "nobody could connect"]);
    check("[http]\naccess = ['allow all', 'deny 192.0.2.1']", 2, &["never heard", "the one before it is about `all`"]);
    check("[broker]\nclients = 0", 2, &["1 or more"]);
    check("[broker]\nidle-limit = '0s'", 2, &["longer than nothing"]);
    check("[http]\ncertificate = 'a.pem'", 2, &["a certificate needs its key"]);
    let token = "[[http-token]]\nsecret = { env = 'PATH' }\nrights = []";
    check(token, 3, &["at least one right", "opens nothing"]);
    check("[selection]\nstop-kinds = ['Image', 3]", 2, &["this is a number"]);
}

#[test]
fn root_nodes() {
    check(
        "[[root-node]]\nurl = 'example.org'",
        2,
        &["[root-node] url: expected a URL", "did you mean `https://example.org/`?"],
    );
    check("[[root-node]]\nurl = 'gopher://x/'", 2, &["cannot gather by `gopher:`", "http, https, ftp, ftps or file"]);
    check("[[root-node]]\nurl = ['http://x/', 'news:y']", 2, &["cannot gather by `news:`"]);
    check("[[root-node]]\nurl = []", 2, &["at least one URL"]);
    check("[[root-node]]\nurl = 'http://x/'\npriority = ['9 /x']", 3, &["points from -5 to 5", "no such number"]);
    check("[[root-node]]\nurl = 'http://x/'\npriority = ['+1']", 3, &["two words, please"]);
    check("[[root-node]]\nurl = 'http://x/'\nquery = 'lose'", 3, &["\"keep\" or \"sort\" or \"drop\" or \"refuse\""]);
    check("[fetch]\nname-servers = ['here']", 2, &["no address"]);
    check("[fetch]\nlocal-mapping = { 'www' = '/srv' }", 2, &["is no beginning of a URL"]);
    check(
        "[[root-node]]\ndepth = 2",
        1,
        &["a root node needs a `url`, `leaves`, `sitemaps`, an `enumeration` or an `enumerator`"],
    );
    check("[[root-node]]\nenumeration = []", 1, &["a root node needs a `url`"]);
    check("[[root-node]]\nurl = 'http://x/'\norder = 'width'", 3, &["\"breadth\" or \"depth\""]);
    check("[[root-node]]\nurl = 'http://x/'\naccess = ['gopher']", 3, &["\"http\" or \"file\" or \"ftp\""]);
    check("[[root-node]]\nurl = 'http://x/'\nurl-max = 0", 3, &["1 or more"]);
    let twice = "[[root-node]]\nurl = 'http://x/'\n[[root-node]]\nurl = 'https://x'";
    check(twice, 3, &["the root node on line 1 is named `x` already", "another `name`"]);
    check("#[[root-node]]\n[root-node]\nurl = 'http://x/'", 2, &["each is written [[root-node]]"]);
}

#[test]
fn filters() {
    let root_node = |key: &str| format!("[[root-node]]\nurl = 'http://x/'\n{key}");
    check(&root_node("url-filter = ['^/old/']"), 3, &["[root-node] url-filter: expected a rule", "two words"]);
    check(&root_node("host-filter = ['reject x']"), 3, &["begins with neither `allow` nor `deny`"]);
    check(
        &root_node("url-filter = [\n 'allow a',\n 'deny (b',\n]"),
        5,
        &["`(b` is no regular expression", "unclosed group"],
    );
    check("[root-node-defaults]\nurl-filter = ['deny *']", 2, &["repetition operator missing expression"]);
}

#[test]
fn a_record_outlives_the_wait_for_its_next_visit() {
    let why = "records would expire before their next visit";
    let root_node = |keys: &str| format!("[[root-node]]\nurl = 'http://x/'\n{keys}");
    check(&root_node("time-to-live = '1d'"), 3, &["shorter than the refresh-rate, which is \"7d\"", why]);
    check(&root_node("refresh-rate = '8w'"), 3, &["longer than the time-to-live, which is \"28d\"", why]);
    check("[root-node-defaults]\ntime-to-live = '1h'", 2, &["[root-node-defaults] time-to-live: shorter", why]);
    check("[[rule]]\nwhen = 'x'\ntime-to-live = '1h'\nrefresh-rate = '1d'", 3, &["[rule] time-to-live: shorter", why]);
}

#[test]
fn parsers() {
    let root = "[[root-node]]\nname = 'hotels'\nurl = 'http://x/'\n[[parser]]\nconnect = 'h:1'\n";
    let with = |keys: &str| format!("{root}{keys}");
    check(&with("root-nodes = ['hotls']"), 6, &["there is no root node `hotls`", "did you mean `hotels`?"]);
    check(&with("root-nodes = ['hotels', 'elsewhere']"), 6, &["there is no root node `elsewhere`", "there are hotels"]);
    let twice = "name = 'one'\n[[parser]]\nname = 'one'\nconnect = 'h:2'";
    check(&with(twice), 7, &["the parser on line 4 is named `one` already", "another `name`"]);
}

#[test]
fn kinds_and_rules() {
    let kind = |keys: &str| format!("[[kind]]\nvoter = 'url'\n{keys}");
    check(&kind("pattern = '['\nkind = 'X'"), 3, &["unclosed character class"]);
    check(&kind("pattern = 'x'"), 1, &["[[kind]] needs `kind`"]);
    check("[[kind]]\nvoter = 'nose'\npattern = 'x'\nkind = 'X'", 2, &["\"url\" or \"name\" or \"content\""]);
    check("[[rule]]\ndelete = true", 1, &["[[rule]] needs `when`"]);
    check("[[rule]]\nwhen = 'x'", 1, &["this rule does nothing"]);
    check("[[rule]]\nwhen = 'x'\nset = { A = 1 }", 3, &["[rule] set: expected text"]);
}

#[test]
fn unknown_keys_are_told_with_the_nearest_known_one() {
    check("[run]\nworkres = 4", 2, &["[run] has no key `workres`", "did you mean `workers`?", "fold-chunk"]);
    let parser = "\n[[parser]]\nworker = ['sh']";
    check(&format!("[run]\nworker = 4{parser}"), 2, &["did you mean `workers`?"]);
    check(&format!("[run]\nworkers = 2\nworker = 4{parser}"), 3, &["did you mean `workers`?"]);
    check("[run]\ndata_directory = 'x'", 2, &["[run] has no key `data_directory`", "its keys are"]);
    check("[fetch]\ndelay = '1s'", 2, &["did you mean `delay` of [root-node]?"]);
    check("[brokr]\nlisten = 'x:1'", 1, &["there is no section [brokr]", "did you mean [broker]?"]);
    check("contact = 'me@example.org'", 1, &["did you mean `contact` of [gatherer]?"]);
    check("[[root-node]]\nurl = 'http://x/'\nurlmax = 3", 3, &["did you mean `url-max`?"]);
    check("fetch = 3", 1, &["fetch is a section with keys of its own"]);
}

#[test]
fn what_is_not_toml_is_told_once_and_the_rest_is_read() {
    check("[broker]\nlisten = 127.0.0.1:8500", 2, &["this is not TOML: invalid float"]);
    check("[life]\nretry = 1h", 2, &["this is not TOML: string values must be quoted"]);
    check("[run]\nworkers = 4\nworkers = 5", 3, &["this is not TOML: duplicate key"]);
    check("[run\nworkers = 4", 1, &["this is not TOML: unclosed table", "expected `]`"]);
    let two = load("[run]\nworkers = 'x\nfold-chunk = 0\n").expect_err("both are wrong");
    assert_eq!(two.len(), 2, "what is missing is not told of a broken file:\n{two}");
}

#[test]
fn all_at_once_in_the_order_of_the_file() {
    let config = "[gatherer]\nnam = 'x'\n[run]\nworkers = 0\n[fetch]\nbody-limit = 1\n[root-node-defaults]\ndelay = 'x'\n\
                  url-filter = ['nix da', 'deny (']\n[[root-node]]\nurl = 'http://x/'\n[[root-node]]\nurl = 'http://y/'\n";
    let text = load(config).expect_err("much is wrong").to_string();
    let places: Vec<_> =
        text.lines().filter_map(|line| line.split("[gatherer.toml:").nth(1)?.split(':').next()).collect();
    assert_eq!(places, ["1", "2", "4", "6", "8", "9", "9"], "{text}");
    assert!(text.ends_with("\ngatherer.toml: 7 complaints"), "{text}");
}

#[test]
fn nothing_to_gather_comes_with_an_example() {
    let text = load("[gatherer]\ncontact = 'me@example.org'").expect_err("no root node").to_string();
    for word in ["there is no root node", "[[root-node]]", "url = \"https://www.example.org/\"", "1 complaint"] {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
}

#[test]
fn no_config_points_to_init() {
    let path = Path::new("/nowhere/gatherer.toml");
    let text = Settings::load(path, &Overrides::default()).expect_err("not there").to_string();
    assert!(text.contains("there is no config at /nowhere/gatherer.toml"), "{text}");
    assert!(text.contains("`gatherer init` writes one"), "{text}");
}

#[test]
fn the_command_line_is_checked_too() {
    let overrides = Overrides::default().set("broker.listen", "8500").set("run.worker", "4").set("x", "1");
    let text = load_under(&completed(""), &overrides).expect_err("three slips").to_string();
    for word in [
        "[--set broker.listen:1:1]",
        "--set run.worker: there",
        "`run.workers`?",
        "`gatherer config` prints",
        "3 complaints",
    ] {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
}

#[test]
fn a_later_stage_complains_in_the_same_form() {
    let settings = load(&completed("[[rule]]\nwhen = 'type = HTML'\ndelete = true")).expect("good so far");
    let text = Settings::complain(&settings.rules[0].place, "expected `==`").to_string();
    assert!(text.contains("expected `==`") && text.contains("[gatherer.toml:2:8]"), "{text}");
}

#[test]
fn a_file_cut_anywhere_only_brings_complaints() {
    for end in (0..DEFAULTS.len()).step_by(53).filter(|end| DEFAULTS.is_char_boundary(*end)) {
        let text = load(&DEFAULTS[..end]).expect_err("no root node").to_string();
        assert!(text.contains("[gatherer] contact: missing") || text.contains("not TOML"), "cut at {end}:\n{text}");
    }
}
