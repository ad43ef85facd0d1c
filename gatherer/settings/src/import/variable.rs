//! The variables of a Harvest gatherer's configuration, one by one.

use super::cf::{Cf, Variable};
use super::{Importer, list, span};
use crate::value::quoted;
use std::fmt::Write;
use std::path::Path;
use url::{Host, Url};

/// Variables without a counterpart, and why they need none.
const NO_COUNTERPART: &[(&str, &str)] = &[
    ("gatherer-version", "records say by which version of this gatherer they were made"),
    ("data-directory", "Harvest's databases are not read; records are gathered anew into `data-directory`"),
    ("working-directory", "nothing is written but to `data-directory` and the caches"),
    ("keep-cache", "what was fetched is kept by `[store] keep-bodies = true`, compressed"),
    ("debug-options", "`-v` and `-vv` say more on standard error; `gatherer explain URL` answers for one URL"),
    ("errorlog-file", "all talk goes to standard error; let systemd or a shell keep it"),
    ("log-file", "all talk goes to standard error; let systemd or a shell keep it"),
    ("gatherd-inetd", "`gatherer serve` listens itself"),
    ("gatherer-options", "its options were about the preparation of databases that are not there any more"),
    ("locale", "text is kept as UTF-8 whatever the locale; languages are recognized document by document"),
];

impl Cf {
    /// The last word on a variable.
    pub(super) fn last(&self, name: &str) -> Option<&str> {
        let variable = self.variables.iter().rfind(|variable| variable.name.eq_ignore_ascii_case(name))?;
        Some(&*variable.value).filter(|value| !value.is_empty())
    }
}

impl Importer<'_> {
    pub(super) fn variable(&mut self, variable: &Variable) {
        let Variable { line, name, value } = variable;
        let (line, lower) = (*line, name.to_ascii_lowercase());
        if value.is_empty() {
            return self.remark(line, format!("{name} has no value; left out"));
        }
        match &*lower {
            "gatherer-name" => {
                let _ = writeln!(self.gatherer, "name = {}", quoted(value));
            }
            "gatherer-host" => {
                let _ = writeln!(self.gatherer, "host = {}", quoted(value));
            }
            "gatherer-port" => self.port(line, value),
            "access-delay" => {
                if let Some(delay) = self.number(line, "Access-Delay: ", value) {
                    let _ = writeln!(self.defaults, "delay = {}", span(delay));
                }
            }
            "refresh-rate" => self.refresh_rate = self.number(line, "Refresh-Rate: ", value),
            "time-to-live" => self.time_to_live = self.number(line, "Time-To-Live: ", value),
            "http-proxy" => self.proxy(line, value),
            "local-mapping" => self.local_mapping(line, value),
            "post-summarizing" => self.post_summarizing(line, value),
            "essence-options" => self.essence_options(line, value),
            "ftp-auth" | "http-basic-auth" => self.auth(line, &lower, value),
            // Where files are looked for.
            "top-directory" | "lib-directory" => {
                if !Path::new(value).is_dir() && !self.directory.join(value).is_dir() {
                    self.remark(
                        line,
                        format!(
                            "{name}: there is no directory {value} here; files are looked for beside the configuration"
                        ),
                    );
                }
            }
            other => match NO_COUNTERPART.iter().find(|(known, _)| *known == other) {
                Some((_, why)) => self.remark(line, format!("{name} has no counterpart: {why}")),
                None => {
                    self.remark(line, format!("{name} is no variable of Harvest's gatherer that we know; left out"));
                }
            },
        }
    }

    fn port(&mut self, line: usize, value: &str) {
        match value.parse::<u16>() {
            Ok(port) if port > 0 => {
                self.broker.push_str("# Harvest listened to everybody. Write 0.0.0.0 for 127.0.0.1 when brokers are on other machines.\n");
                let _ = writeln!(self.broker, "listen = \"127.0.0.1:{port}\"");
                self.remark(line, format!("Gatherer-Port: port {port} is opened to this machine only, until you write [broker] listen = \"0.0.0.0:{port}\""));
            }
            _ => self.remark(line, format!("Gatherer-Port: {value} is no port; left out")),
        }
    }

    /// Both times, once both are known.
    pub(super) fn times(&mut self) {
        // What Harvest took where nothing was said: a week and four.
        let rate = self.refresh_rate.unwrap_or(604_800);
        let life = self.time_to_live.unwrap_or(2_419_200);
        if self.refresh_rate.is_none() && self.time_to_live.is_none() {
            return;
        }
        let _ = writeln!(self.defaults, "refresh-rate = {}", span(rate));
        if life < rate {
            let _ = writeln!(
                self.defaults,
                "# It was {}, shorter than the refresh-rate: records would have expired before their next visit.",
                span(life)
            );
            self.remark(0, "Time-To-Live was shorter than Refresh-Rate, and is as long as that now");
        }
        let _ = writeln!(self.defaults, "time-to-live = {}", span(life.max(rate)));
    }

    fn proxy(&mut self, line: usize, value: &str) {
        let text = if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
        match Url::parse(&text) {
            Ok(url)
                if url.scheme() == "http"
                    && url.has_host()
                    && url.username().is_empty()
                    && url.password().is_none() =>
            {
                let _ = writeln!(self.defaults, "proxy = {}", quoted(&text));
            }
            _ => self.remark(line, format!("HTTP-Proxy: {value} is no host:port; left out")),
        }
    }

    fn local_mapping(&mut self, line: usize, value: &str) {
        let mut words = value.split_whitespace();
        let (Some(prefix), Some(path)) = (words.next(), words.next()) else {
            return self.remark(line, "Local-Mapping needs the beginning of a URL and a directory; left out");
        };
        match Url::parse(prefix) {
            Ok(url) if matches!(url.scheme(), "http" | "https" | "ftp") => {}
            _ => return self.remark(line, format!("Local-Mapping: `{prefix}` is no beginning of a URL; left out")),
        }
        match self.find(path).filter(|path| path.is_dir()) {
            Some(_) if self.mapping.iter().any(|(known, _)| known == prefix) => {
                self.remark(line, format!("Local-Mapping: {prefix} is mapped already; left out"));
            }
            Some(found) => self.mapping.push((prefix.to_owned(), found.to_string_lossy().into_owned())),
            None => self.remark(
                line,
                format!(
                    "Local-Mapping: there is no directory {path} here; left out, so these files come from the network"
                ),
            ),
        }
    }

    fn post_summarizing(&mut self, line: usize, value: &str) {
        match self.find(value).filter(|path| path.is_file()) {
            Some(path) => {
                let _ = write!(
                    self.tables,
                    "\n# Post-Summarizing.\n[[rule]]\nfile = {}\n",
                    quoted(&path.to_string_lossy())
                );
            }
            None => self.remark(
                line,
                format!("Post-Summarizing: the rule file {value} is not here; write [[rule]] with `file` when it is"),
            ),
        }
    }

    fn essence_options(&mut self, line: usize, value: &str) {
        let mut words = value.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "--allowlist" => {
                    let kinds = words.next().and_then(|file| self.kinds_in(file, line));
                    if let Some(kinds) = kinds.filter(|_| !self.selection.contains("allow-kinds")) {
                        self.selection.push_str("# References in documents that are left out are not followed: see that HTML is among them.\n");
                        let _ = writeln!(self.selection, "allow-kinds = {}", list(&kinds));
                    }
                }
                "--full-text" if self.summaries.is_empty() => self.summaries.push_str("text = \"full\"\n"),
                "--full-text" => {}
                "--max-deletions" => {
                    let most = words.next().unwrap_or_default();
                    self.remark(
                        line,
                        format!(
                            "--max-deletions {most}: deletions are held back by share, see [run] deletion-brake-share"
                        ),
                    );
                }
                other => self.remark(line, format!("Essence-Options: {other} has no counterpart; left out")),
            }
        }
    }

    /// Never copies the password.
    fn auth(&mut self, line: usize, name: &str, value: &str) {
        let mut words = value.split_whitespace();
        let (place, user) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let host = place.split(':').next().unwrap_or_default().to_owned();
        let is_ftp = name == "ftp-auth";
        if is_ftp && Host::parse(&host).is_ok() {
            self.remark(
                line,
                format!("FTP-Auth: the password for {host} was not copied: set `user` and `password` at its root node"),
            );
            self.logins.push((host, user.to_owned()));
        } else {
            let what = if is_ftp { "FTP-Auth" } else { "HTTP-Basic-Auth" };
            self.remark(line, format!("{what}: logins belong to root nodes here, not to realms: set `user` and `password` at the one that needs it; the password was not copied"));
        }
    }

    /// A program with its arguments, where it is here.
    pub(super) fn program(&mut self, line: usize, mut words: Vec<String>) -> Vec<String> {
        let Some(first) = words.first().cloned() else { return words };
        let found = self.find(&first).or_else(|| self.find(&format!("bin/{first}")));
        match found.filter(|path| path.is_file()) {
            Some(path) => words[0] = path.to_string_lossy().into_owned(),
            None => self.remark(
                line,
                format!("the program {first} is not here: put it there, or into PATH, before the next run"),
            ),
        }
        words
    }
}
