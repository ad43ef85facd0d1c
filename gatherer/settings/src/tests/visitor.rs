//! As whom: secrets come from outside, and nothing here ever shows one.

use super::CONTACT;
use crate::{Complaints, Overrides, Settings};
use gatherer_pipeline::{Login, Secret, Visitor};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;
use url::Url;

/// A variable that every test has, and what is in it.
const VARIABLE: (&str, &str) = ("CARGO_PKG_NAME", "gatherer-settings");

/// A directory with `secret` (only ours) and `open` (everybody's).
fn files() -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, text, mode) in [("secret", "s3cret\n", 0o600), ("open", "0pen\n", 0o644), ("empty", "\n", 0o600)] {
        let path = directory.path().join(name);
        fs::write(&path, text).expect("a file");
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    }
    directory
}

fn load_in(directory: &Path, defaults: &str, keys: &str) -> Result<Settings, Complaints> {
    let config = format!("[[root-node]]\nurl = 'http://x/'\n{keys}\n[root-node-defaults]\n{defaults}\n{CONTACT}");
    Settings::from_text(&config, "gatherer.toml", directory, &Overrides::default())
}

fn visitor(defaults: &str, keys: &str) -> Visitor {
    let settings = load_in(files().path(), defaults, keys).unwrap_or_else(|complaints| panic!("{complaints}"));
    settings.root_nodes[0].visitor.clone()
}

/// `keys` of a root node give one complaint, in the third line of the file, with all the `words` in it.
fn check(keys: &str, words: &[&str]) {
    let complaints = load_in(files().path(), "", keys).expect_err(keys);
    let text = complaints.to_string();
    assert_eq!(complaints.len(), 1, "{text}");
    for word in words.iter().chain(&["[gatherer.toml:3:"]) {
        assert!(text.contains(word), "{word:?} in\n{text}");
    }
    assert!(!text.contains("s3cret") && !text.contains("0pen"), "{text}");
}

#[test]
fn nobody_special_by_default() {
    assert_eq!(visitor("", ""), Visitor::default());
}

#[test]
fn secrets_come_from_variables_and_files() {
    let login = visitor("", "user = 'jack'\npassword = { file = 'secret' }").login;
    let Some(Login::Basic { user, password }) = login else { panic!("expected name and password") };
    assert_eq!((&*user, password.reveal()), ("jack", "s3cret"));
    let login = visitor("", &format!("token = {{ env = '{}' }}", VARIABLE.0)).login;
    let Some(Login::Bearer(token)) = login else { panic!("expected a token") };
    assert_eq!(token.reveal(), VARIABLE.1);
}

#[test]
fn headers_are_text_or_secrets_in_their_order() {
    let headers = visitor("", "headers = { X-Key = { file = 'secret' }, Accept-Language = 'en' }").headers;
    let headers: Vec<_> = headers.iter().map(|(name, value)| (&**name, value.reveal())).collect();
    assert_eq!(headers, [("X-Key", "s3cret"), ("Accept-Language", "en")]);
}

#[test]
fn cookies_and_certificates_are_files() {
    let found = visitor(
        "",
        "cookies = { file = 'secret' }\nkeep-cookies = true\nclient-certificate = 'secret'\ntrust = 'open'\nany-certificate = true",
    );
    assert_eq!(found.cookies.as_ref().map(Secret::reveal), Some("s3cret"));
    assert_eq!(found.client_certificate.as_ref().map(Secret::reveal), Some("s3cret"));
    assert_eq!(found.trusted.as_deref(), Some("0pen"));
    assert!(found.keep_cookies && found.any_certificate);
}

#[test]
fn a_root_node_says_otherwise_than_the_defaults() {
    let defaults = "proxy = 'socks5h://proxy:1080'\nproxy-user = 'jack'\nproxy-password = { file = 'secret' }";
    let found = visitor(defaults, "");
    assert_eq!(found.proxy.as_ref().map(Url::as_str), Some("socks5h://proxy:1080"));
    let (user, password) = found.proxy_login.expect("a login");
    assert_eq!((&*user, password.reveal()), ("jack", "s3cret"));
    assert_eq!(visitor(defaults, "proxy = ''"), Visitor::default());
    assert!(visitor("user = 'jack'", "password = { file = 'secret' }").login.is_some(), "each from its place");
    let token = visitor("token = { file = 'secret' }", "user = 'a'\npassword = { file = 'secret' }\ntoken = ''").login;
    assert!(matches!(token, Some(Login::Basic { .. })), "{token:?}");
}

#[test]
fn what_is_printed_holds_no_secret() {
    let keys = format!(
        "user = 'jack'\npassword = {{ env = '{}' }}\nheaders = {{ X-Key = {{ file = 'secret' }} }}",
        VARIABLE.0
    );
    let directory = files();
    let settings = load_in(directory.path(), "", &keys).expect("good");
    let value = |key: &str| {
        let key = format!("root-node.x.{key}");
        settings.report().iter().find(|setting| setting.key == key).map(|setting| setting.value.clone())
    };
    assert_eq!(value("password").as_deref(), Some("{ env = \"CARGO_PKG_NAME\" }"));
    assert_eq!(value("headers").as_deref(), Some("{ X-Key = { file = \"secret\" } }"));
    let debug = format!("{:?}", settings.root_nodes);
    assert!(!debug.contains(VARIABLE.1) && !debug.contains("s3cret"), "{debug}");
}

#[test]
fn secrets_do_not_stand_in_the_config() {
    for key in ["token", "cookies"] {
        check(
            &format!("{key} = 'x'"),
            &["expected a secret: { env = \"NAME\" } or { file = \"path\" }", "do not stand"],
        );
    }
    check("password = 'x'\nuser = 'jack'", &["[root-node] password: expected a secret"]);
    check("token = { variable = 'X' }", &["none of these"]);
    check("token = { env = 'A', file = 'b' }", &["none of these"]);
    check("token = { env = 5 }", &["expected text in quotes"]);
    check("headers = { Authorization = 'x' }", &["[root-node] headers: expected a secret"]);
    check("headers = { 'X Key' = 'x' }", &["`X Key` is no name of a header"]);
    check("headers = 'x'", &["expected headers, such as"]);
}

#[test]
fn a_secret_that_cannot_be_had_is_named() {
    check("token = { env = 'NO_SUCH_VARIABLE' }", &["[root-node] token: the variable NO_SUCH_VARIABLE is not set"]);
    check("token = { file = 'none' }", &["cannot read /", "/none: No such file"]);
    check("token = { file = 'empty' }", &["/empty is empty"]);
    check("token = { file = 'open' }", &["/open is open to others", "mode 644", "chmod 600 /"]);
    check("client-certificate = 'open'", &["chmod 600 /"]);
    check("trust = 'none'", &["[root-node] trust: cannot read /"]);
    check("headers = { X-Key = { file = 'open' } }", &["[root-node] headers: /", "chmod 600 /"]);
}

#[test]
fn what_belongs_together_is_there_together() {
    check("user = 'jack'", &["[root-node] user: needs a `password`"]);
    check("password = { file = 'secret' }", &["[root-node] password: needs a `user`"]);
    check("proxy-user = 'jack'\nproxy = 'http://x:1'", &["[root-node] proxy-user: needs a `proxy-password`"]);
    let both = "token = { file = 'secret' }\nuser = 'jack'\npassword = { file = 'secret' }";
    check(both, &["[root-node] token: a host takes either"]);
}

#[test]
fn a_proxy_is_a_url_without_secrets() {
    check("proxy = 'ftp://x/'", &["[root-node] proxy: expected a proxy", "http, https, socks5 or socks5h"]);
    check("proxy = 'localhost:8080'", &["expected a proxy"]);
    check("proxy = 'x'", &["relative URL without a base"]);
    check("proxy = 'socks5:x'", &["it names no host"]);
    check("proxy = 'http://jack:x@proxy/'", &["names and passwords in URLs are not used", "`proxy-user`"]);
}

#[test]
fn a_bad_default_is_told_once() {
    let complaints = load_in(files().path(), "user = 'jack'\ncookies = { file = 'none' }", "").expect_err("two faults");
    assert_eq!(complaints.len(), 2, "{complaints}");
}
