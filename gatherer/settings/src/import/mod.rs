//! A Harvest gatherer's configuration as one of ours.
//!
//! What has a counterpart is written with it; what was decided on the way stands in comments; what has none, and why, is told in
//! [`Remark`]s by line. Whatever the file holds, something comes out.

mod cf;
mod files;
mod node;
mod variable;

use crate::value::quoted;
use cf::Cf;
use gatherer_pipeline::Access;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use url::Url;

/// A config, and what there is to say of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The config.
    pub toml: String,
    /// What has no counterpart, or not quite.
    pub remarks: Vec<Remark>,
}

/// A word on a line of the old configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The line, from 1; 0 for what stands in no line.
    pub line: usize,
    /// What there is to say.
    pub text: String,
}

/// Reads the text of a Harvest gatherer's configuration that lies in `directory`; the files that it names are looked for from
/// there.
///
/// ```
/// use gatherer_settings::import;
/// use std::path::Path;
///
/// let old = "Gatherer-Name: Docs\nKeep-Cache: yes\n<RootNodes>\nhttp://example.org/docs/ URL=100 Depth=3\n</RootNodes>\n";
/// let new = import(old, Path::new("."), Some("me@example.org"));
/// assert!(new.toml.contains("name = \"Docs\"") && new.toml.contains("url-max = 100\n"));
/// assert_eq!(new.remarks[0].line, 2);
/// ```
pub fn import(text: &str, directory: &Path, contact: Option<&str>) -> Import {
    // No config ever meant anything by them, and no TOML has them.
    let is_stray = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    let cf = Cf::read(&text.replace("\r\n", "\n").replace(is_stray, " "));
    let mut importer = Importer::new(directory, &cf);
    importer.remarks.extend(cf.faults.iter().cloned());
    for (index, variable) in cf.variables.iter().enumerate() {
        let is_same = |other: &cf::Variable| other.name.eq_ignore_ascii_case(&variable.name);
        match cf.variables[index + 1..].iter().find(|other| is_same(other)) {
            Some(later) if !variable.is_repeatable() => {
                importer
                    .remark(variable.line, format!("{} is said again in line {}; left out", variable.name, later.line));
            }
            _ => importer.variable(variable),
        }
    }
    importer.times();
    importer.lib_files();
    importer.daemon_access(cf.last("data-directory").unwrap_or("data"));
    cf.root_nodes.iter().for_each(|line| importer.root_node(line));
    importer.leaf_nodes(&cf.leaf_nodes);
    importer.end(contact)
}

/// Collects the parts of the new config.
struct Importer<'a> {
    directory: &'a Path,
    /// Where further files are looked for.
    homes: Vec<PathBuf>,
    gatherer: String,
    broker: String,
    mapping: Vec<(String, String)>,
    defaults: String,
    selection: String,
    summaries: String,
    sections: String,
    tables: String,
    nodes: String,
    remarks: Vec<Remark>,
    /// Logins by host, or by realm, without their passwords.
    logins: Vec<(String, String)>,
    starts: Vec<Url>,
    names: Vec<String>,
    refresh_rate: Option<u64>,
    time_to_live: Option<u64>,
}

impl<'a> Importer<'a> {
    fn new(directory: &'a Path, cf: &Cf) -> Self {
        let top = cf.last("top-directory").map(PathBuf::from);
        let lib = cf.last("lib-directory").unwrap_or("lib");
        let mut homes: Vec<PathBuf> = top.iter().cloned().collect();
        homes.extend(top.iter().map(|top| top.join(lib)));
        homes.push(directory.join(lib));
        Self {
            directory,
            homes,
            gatherer: String::new(),
            broker: String::new(),
            mapping: Vec::new(),
            defaults: String::new(),
            selection: String::new(),
            summaries: String::new(),
            sections: String::new(),
            tables: String::new(),
            nodes: String::new(),
            remarks: Vec::new(),
            logins: Vec::new(),
            starts: Vec::new(),
            names: Vec::new(),
            refresh_rate: None,
            time_to_live: None,
        }
    }

    fn remark(&mut self, line: usize, text: impl Into<String>) {
        self.remarks.push(Remark { line, text: text.into() });
    }

    /// A number that somebody wrote; otherwise there is a remark.
    fn number(&mut self, line: usize, what: &str, text: &str) -> Option<u64> {
        let number = text.trim().parse().ok().filter(|number| u32::try_from(*number).is_ok());
        if number.is_none() {
            self.remark(line, format!("{what}{text}: no number; left out"));
        }
        number
    }

    /// A URL that can be gathered; otherwise there is a remark.
    fn url(&mut self, line: usize, text: &str) -> Option<Url> {
        let mut url = match Url::parse(text) {
            Ok(url) => url,
            Err(error) => {
                self.remark(line, format!("`{text}` is no URL ({error}); left out"));
                return None;
            }
        };
        if Access::of(&url).is_none() {
            let what = format!("{}: cannot be gathered any more; left out", url.scheme());
            self.remark(line, format!("`{text}`: {what}"));
            return None;
        }
        if !url.username().is_empty() || url.password().is_some() {
            let user = url.username().to_owned();
            let is_stripped = url.set_username("").is_ok() && url.set_password(None).is_ok();
            if !is_stripped {
                self.remark(line, "a URL with a password that cannot be taken out of it; left out");
                return None;
            }
            let host = url.host_str().unwrap_or_default().to_owned();
            self.remark(
                line,
                format!("name and password were taken out of the URL at {host}: write `user` and `password` there"),
            );
            self.logins.push((host, user));
        }
        Some(url)
    }

    /// Whether no root node starts there yet.
    fn claim(&mut self, url: &Url, line: usize) -> bool {
        if self.starts.contains(url) {
            self.remark(line, format!("another root node starts at {url} already; left out"));
            return false;
        }
        self.starts.push(url.clone());
        true
    }

    /// A name, where the one that is taken by itself is another's.
    fn name_root_node(&mut self, out: &mut String, url: &Url) {
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let own = format!("{}{port}{}", url.host_str().unwrap_or_default(), url.path().trim_end_matches('/'));
        // Long paths are cut in names, so they are given whole ones.
        self.name(out, own, url.path().len() > 40);
    }

    fn name(&mut self, out: &mut String, own: String, is_needed: bool) {
        let count = self.names.iter().filter(|name| **name == own).count();
        if count > 0 {
            let _ = writeln!(out, "name = {}", quoted(&format!("{own} {}", count + 1)));
        } else if is_needed {
            let _ = writeln!(out, "name = {}", quoted(&own));
        }
        self.names.push(own);
    }

    /// A root node that a program names the URLs of is known by the program.
    fn name_program(&mut self, out: &mut String, words: &[String]) {
        let program = words.first().map(Path::new).and_then(Path::file_name).unwrap_or_default();
        let own = format!("by {}", program.to_string_lossy());
        self.name(out, own, true);
    }

    /// Words on a login at this host, without its password.
    fn login(&self, out: &mut String, host: &str) {
        for (_, user) in self.logins.iter().filter(|(place, _)| !host.is_empty() && place == host) {
            let _ =
                writeln!(out, "# It had a login. Put the password into a variable or a file, and take the `#` away:");
            let _ = writeln!(out, "#user = {}\n#password = {{ env = \"SITE_PASSWORD\" }}", quoted(user));
        }
    }

    fn end(mut self, contact: Option<&str>) -> Import {
        let mut toml = String::from(
            "# Made by `gatherer import` of a Harvest gatherer's configuration. Next: `gatherer check`, then `gatherer run`.\n\n[gatherer]\n",
        );
        if contact.is_none() {
            self.remark(
                0,
                "Harvest asked for no contact; here nothing starts without one: write `contact`, or use --contact",
            );
            toml.push_str("# Harvest had none. A mail address or a web page: webmasters must be able to reach you.\n");
        }
        let _ = writeln!(toml, "contact = {}", quoted(contact.unwrap_or_default()));
        toml.push_str(&self.gatherer);
        toml.push_str(
            "# Records are gathered anew: Harvest's databases are not read, and must not lie in the same place.\n",
        );
        toml.push_str("data-directory = \"gatherer-data\"\n");
        if self.nodes.is_empty() {
            self.remark(0, "no root node is left, so there is nothing to gather: write a [[root-node]]");
        }
        if !self.mapping.is_empty() {
            let pairs: Vec<_> =
                self.mapping.iter().map(|(url, path)| format!("{} = {}", quoted(url), quoted(path))).collect();
            let _ = write!(self.sections, "\n[fetch]\nlocal-mapping = {{ {} }}\n", pairs.join(", "));
        }
        for (name, keys) in [
            ("root-node-defaults", &self.defaults),
            ("selection", &self.selection),
            ("summaries", &self.summaries),
            ("broker", &self.broker),
        ] {
            if !keys.is_empty() {
                let _ = write!(toml, "\n[{name}]\n{keys}");
            }
        }
        toml.push_str(&self.sections);
        toml.push_str(&self.tables);
        toml.push_str(&self.nodes);
        self.remarks.sort_by_key(|remark| (remark.line == 0, remark.line));
        Import { toml, remarks: self.remarks }
    }
}

/// A list as TOML.
fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word.as_ref())).collect();
    format!("[{}]", words.join(", "))
}

fn urls_of(urls: &[Url]) -> String {
    let lines: String = urls.iter().map(|url| format!("    {},\n", quoted(url.as_str()))).collect();
    format!("[\n{lines}]")
}

/// Seconds as people write them.
fn span(seconds: u64) -> String {
    let units = [(604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m")];
    let unit = units.into_iter().find(|(length, _)| seconds >= *length && seconds.is_multiple_of(*length));
    unit.map_or_else(|| format!("\"{seconds}s\""), |(length, unit)| format!("\"{}{unit}\"", seconds / length))
}
