//! As whom, and by which way, the hosts of a root node are visited: keys of `[[root-node]]` over those of
//! `[root-node-defaults]`.
//!
//! Secrets stand outside the config, so that it can be shown, copied and kept under version control.

use crate::complaint::Complaint;
use crate::section::Section;
use crate::shape::Shape;
use crate::value::{self, Checked, Item, fault};
use gatherer_pipeline::{Login, Secret, Visitor};
use std::env::{self, VarError};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use url::Url;

/// Bytes of a file with a secret, a certificate or cookies; what is larger is something else.
const LARGEST: u64 = 1 << 20;

/// Headers that say who somebody is, whatever stands in them.
const TELLING: [&str; 3] = ["authorization", "proxy-authorization", "cookie"];

/// Where a value comes from.
enum Source {
    Text(String),
    Variable(String),
    File(String),
}

pub(crate) fn read(section: &mut Section<'_, '_>) -> Visitor {
    let login = login(section);
    let headers = headers(section);
    let cookies = secret(section, "cookies");
    let keep_cookies = section.get("keep-cookies", value::flag);
    let proxy = section.get("proxy", proxy);
    let proxy_login = pair(section, "proxy-user", "proxy-password");
    Visitor {
        login,
        headers,
        cookies,
        keep_cookies,
        proxy_login: proxy_login.filter(|_| proxy.is_some()),
        proxy,
        client_certificate: file(section, "client-certificate", Readers::Owner).map(Secret::new),
        trusted: file(section, "trust", Readers::All),
        any_certificate: section.get("any-certificate", value::flag),
    }
}

fn login(section: &mut Section<'_, '_>) -> Option<Login> {
    let named = pair(section, "user", "password").map(|(user, password)| Login::Basic { user, password });
    let token = secret(section, "token").map(Login::Bearer);
    if is_whole(section) && has(section, "user") && has(section, "token") {
        let complaint = Complaint::new("a host takes either a `token` or a `user` with a `password`");
        section.complain_of("token", complaint.label("take one of them away, or write \"\" for it"));
    }
    token.or(named)
}

/// A name and its password: both or none.
fn pair(section: &mut Section<'_, '_>, user: &'static str, password: &'static str) -> Option<(String, Secret)> {
    let name = section.get(user, value::text);
    let secret = secret(section, password);
    for (there, missing) in [(user, password), (password, user)] {
        if is_whole(section) && has(section, there) && !has(section, missing) {
            section.complain_of(there, Complaint::new(format!("needs a `{missing}`")).label("one is no use alone"));
        }
    }
    secret.filter(|_| !name.is_empty()).map(|secret| (name, secret))
}

/// Whether this is a root node. What is missing in the defaults may be there.
fn is_whole(section: &Section<'_, '_>) -> bool {
    section.below.is_some()
}

/// Whether anything but "none" is written in force, be it good or bad.
fn has(section: &mut Section<'_, '_>, key: &'static str) -> bool {
    section.wording(key) != value::quoted("")
}

/// A secret of a section that cannot do without one; an empty one where nobody wants to know it.
pub(crate) fn must_secret(section: &mut Section<'_, '_>, key: &'static str) -> Option<Secret> {
    let source = section.must(key, source)?;
    Some(if section.reading.wants_secrets { reveal(section, key, source) } else { Secret::default() })
}

/// A secret that need not be.
pub(crate) fn maybe_secret(section: &mut Section<'_, '_>, key: &'static str) -> Option<Secret> {
    let source = section.maybe(key, secret_source)??;
    section.reading.wants_secrets.then(|| reveal(section, key, source))
}

/// What a file holds that need not be named.
pub(crate) fn maybe_file(section: &mut Section<'_, '_>, key: &'static str) -> Option<String> {
    let path = section.maybe(key, value::text).filter(|path| !path.is_empty())?;
    let path = section.resolved(key, &path);
    Some(contents(&path, Readers::All).unwrap_or_else(|complaint| {
        section.complain_of(key, complaint);
        String::new()
    }))
}

fn secret(section: &mut Section<'_, '_>, key: &'static str) -> Option<Secret> {
    let source = section.get(key, secret_source)?;
    section.reading.wants_secrets.then(|| reveal(section, key, source))
}

fn headers(section: &mut Section<'_, '_>) -> Vec<(String, Secret)> {
    let sources = section.get("headers", header_sources);
    let wanted = sources.into_iter().filter(|_| section.reading.wants_secrets).collect::<Vec<_>>();
    wanted.into_iter().map(|(name, source)| (name, reveal(section, "headers", source))).collect()
}

/// What stands at the source. If that cannot be had, there is a complaint, and an empty secret stands in.
fn reveal(section: &mut Section<'_, '_>, key: &'static str, source: Source) -> Secret {
    let revealed = match source {
        Source::Text(text) => Ok(text),
        Source::Variable(name) => variable(&name),
        Source::File(path) => contents(&section.resolved(key, &path), Readers::Owner),
    };
    Secret::new(revealed.unwrap_or_else(|complaint| {
        section.complain_of(key, complaint);
        String::new()
    }))
}

/// A file that the key names; none if it names nothing.
fn file(section: &mut Section<'_, '_>, key: &'static str, readers: Readers) -> Option<String> {
    let path = Some(section.get(key, value::text)).filter(|path| !path.is_empty())?;
    if !section.reading.wants_secrets {
        return None;
    }
    let path = section.resolved(key, &path);
    Some(contents(&path, readers).unwrap_or_else(|complaint| {
        section.complain_of(key, complaint);
        String::new()
    }))
}

fn variable(name: &str) -> Result<String, Complaint> {
    match env::var(name) {
        Ok(text) if text.is_empty() => Err(Complaint::new(format!("the variable {name} is empty"))),
        Ok(text) => Ok(text),
        Err(VarError::NotPresent) => Err(Complaint::new(format!("the variable {name} is not set"))
            .label("the gatherer takes it from its own environment")),
        Err(VarError::NotUnicode(_)) => Err(Complaint::new(format!("the variable {name} is not UTF-8"))),
    }
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Readers {
    Owner,
    All,
}

/// A file as text, without the line break at its end.
fn contents(path: &Path, readers: Readers) -> Result<String, Complaint> {
    let name = path.display();
    let unreadable = |error: io::Error| Complaint::new(format!("cannot read {name}: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode();
    if readers == Readers::Owner && mode & 0o077 != 0 {
        let complaint = Complaint::new(format!("{name} is open to others than its owner (mode {:o})", mode & 0o777));
        return Err(complaint.help(format!("chmod 600 {name}")));
    }
    let mut text = String::new();
    let length = file.take(LARGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
    let text = text.trim_end_matches(['\r', '\n']);
    match length as u64 {
        _ if text.is_empty() => Err(Complaint::new(format!("{name} is empty"))),
        length if length > LARGEST => Err(Complaint::new(format!("{name} is larger than 1 MiB"))),
        _ => Ok(text.to_owned()),
    }
}

/// Empty text is no secret, and no other text is one.
fn secret_source(item: &Item<'_>) -> Checked<Option<Source>> {
    match item.get_ref().as_str() {
        Some("") => Ok(None),
        _ => value::wanting(source(item), || secret_shape().or_none()).map(Some),
    }
}

fn secret_shape() -> Shape {
    Shape::Either(["env", "file"].map(|key| Shape::Keys(vec![(key, Shape::SomeText)])).to_vec())
}

fn source(item: &Item<'_>) -> Checked<Source> {
    value::wanting(source_of(item), secret_shape)
}

fn source_of(item: &Item<'_>) -> Checked<Source> {
    const EXPECTED: &str = "expected a secret: { env = \"NAME\" } or { file = \"path\" }";
    if item.get_ref().is_str() {
        return fault(item, EXPECTED, "secrets do not stand in the config");
    }
    let entries: Vec<_> = item.get_ref().as_table().into_iter().flatten().collect();
    let [(key, value)] = &entries[..] else { return fault(item, EXPECTED, "this is none of these") };
    match &**key.get_ref() {
        "env" => Ok(Source::Variable(value::some_text(value)?)),
        "file" => Ok(Source::File(value::some_text(value)?)),
        _ => fault(item, EXPECTED, "this is none of these"),
    }
}

/// Headers by which webmasters know us, or by which the connection lives.
const OURS: [&str; 8] = [
    "User-Agent",
    "Host",
    "Connection",
    "Content-Length",
    "Transfer-Encoding",
    "If-None-Match",
    "If-Modified-Since",
    "Accept-Encoding",
];

fn header_sources(item: &Item<'_>) -> Checked<Vec<(String, Source)>> {
    let Some(table) = item.get_ref().as_table() else {
        let fault = fault(item, "expected headers, such as { X-Key = { env = \"KEY\" } }", "this is no table");
        return value::wanting(fault, || Shape::Table(Box::new(Shape::Either(vec![Shape::Text, secret_shape()]))));
    };
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start); // A TOML table sorts by name.
    value::all(entries.into_iter().map(|(name, value)| header_source(name.get_ref(), value)))
}

fn header_source(name: &str, item: &Item<'_>) -> Checked<(String, Source)> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return fault(item, format!("`{name}` is no name of a header"), "letters, digits and `-`, please");
    }
    if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        return fault(
            item,
            format!("`{name}` is not yours to set"),
            "who visits, and whom, is said by the gatherer itself",
        );
    }
    let is_telling = TELLING.iter().any(|telling| name.eq_ignore_ascii_case(telling));
    let source = match item.get_ref().as_str() {
        Some(text) if !is_telling => Source::Text(text.to_owned()),
        _ => source(item)?,
    };
    Ok((name.to_owned(), source))
}

/// Empty text is none.
fn proxy(item: &Item<'_>) -> Checked<Option<Url>> {
    const EXPECTED: &str = "a proxy such as \"http://host:3128\" or \"socks5://host:1080\"";
    let text = value::text_as(item, EXPECTED)?;
    if text.is_empty() {
        return Ok(None);
    }
    match Url::parse(text) {
        Err(error) => fault(item, format!("expected {EXPECTED}"), error.to_string()),
        Ok(url) if !matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") => {
            fault(item, format!("expected {EXPECTED}"), "it begins with http, https, socks5 or socks5h")
        }
        Ok(url) if !url.has_host() => fault(item, format!("expected {EXPECTED}"), "it names no host"),
        Ok(url) if !url.username().is_empty() || url.password().is_some() => {
            fault(item, "names and passwords in URLs are not used", "write them as `proxy-user` and `proxy-password`")
        }
        Ok(url) => Ok(Some(url)),
    }
}
