//! Where the program is put on stage: a web, a directory, a config, and the program itself as a child process.

use gatherer_demo::{Site, Web};
use gatherer_soif::{Object, Reader, to_bytes};
use std::path::Path;
use std::process::{Output, Stdio};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};

/// A web and a gatherer that knows it.
pub(crate) struct Stage {
    pub(crate) web: Web,
    directory: TempDir,
}

/// What a command left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Stage {
    /// One site named `site`, and a config with one root node for it. `{{site}}` in `more` is its address.
    pub(crate) async fn with(site: Site, more: &str) -> Self {
        Self::with_all(vec![site], more).await
    }

    pub(crate) async fn with_all(sites: Vec<Site>, more: &str) -> Self {
        let web = Web::start(sites).await.expect("a web");
        let stage = Self { web, directory: tempfile::tempdir().expect("a directory") };
        stage.configure(more);
        stage
    }

    /// Writes the config anew: a gatherer that is in no hurry with nobody but its own test.
    pub(crate) fn configure(&self, more: &str) {
        let mut text = String::from(
            "[gatherer]\nname = \"test\"\ncontact = \"test@example.org\"\nhost = \"here\"\n\
             [broker]\nlisten = \"127.0.0.1:0\"\n[http]\nlisten = \"127.0.0.1:0\"\n",
        );
        text.push_str(more);
        for (name, origin) in self.web.origins() {
            text = text.replace(&format!("{{{{{name}}}}}"), origin);
        }
        std::fs::write(self.directory.path().join("gatherer.toml"), text).expect("a config");
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.web.origin("site"))
    }

    /// Who answers for the site: host and port.
    pub(crate) fn server(&self) -> &str {
        self.web.origin("site").trim_start_matches("http://")
    }

    /// Starts the program.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.start_with(arguments, &[])
    }

    /// Starts the program with more in its environment.
    #[expect(clippy::disallowed_methods, reason = "tests run the real program")]
    fn start_with(&self, arguments: &[&str], environment: &[(&str, &Path)]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_gatherer"))
            .args(arguments)
            .current_dir(self.directory.path())
            .env_remove("GATHERER_LOG")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the program starts")
    }

    /// Runs the program to its end.
    pub(crate) async fn gatherer(&self, arguments: &[&str]) -> Ended {
        self.gatherer_with(arguments, &[]).await
    }

    /// Runs the program to its end with more in its environment.
    pub(crate) async fn gatherer_with(&self, arguments: &[&str], environment: &[(&str, &Path)]) -> Ended {
        let child = self.start_with(arguments, environment);
        let Output { status, stdout, stderr } = child.wait_with_output().await.expect("an end");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Ended { code: status.code(), out: text(&stdout), err: text(&stderr) }
    }

    /// Runs the program to a good end and returns what it printed.
    pub(crate) async fn good(&self, arguments: &[&str]) -> String {
        let ended = self.gatherer(arguments).await;
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended.out
    }

    /// One run; its report.
    pub(crate) async fn run(&self) -> serde_json::Value {
        serde_json::from_str(&self.good(&["run", "--json"]).await).expect("JSON")
    }

    /// Serves brokers; the process and where it listens.
    pub(crate) async fn serve(&self) -> (Child, String) {
        let (child, address, _) = self.serve_with(&["serve", "--no-run"]).await;
        (child, address)
    }

    /// Serves brokers; the process and where it listens, for brokers and for HTTP.
    pub(crate) async fn serve_with(&self, arguments: &[&str]) -> (Child, String, String) {
        let mut child = self.start(arguments);
        let mut lines = lines(&mut child);
        let line = lines.next_line().await.expect("a line").expect("a greeting");
        let (address, http) = addresses(&line).unwrap_or_else(|| panic!("addresses in {line:?}"));
        // What it says later must not stop it.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        (child, address, http)
    }

    /// Asks a process to end.
    #[expect(clippy::disallowed_methods, reason = "the shell's kill sends the signal")]
    pub(crate) fn terminate(child: &Child) {
        let id = child.id().expect("a running process").to_string();
        let killed = std::process::Command::new("kill").args(["-TERM", &id]).status().expect("kill");
        assert!(killed.success());
    }

    /// Everything in production, without what differs from run to run.
    pub(crate) async fn store(&self) -> String {
        let origins: Vec<_> = self.web.origins().collect();
        steady(&self.good(&["export"]).await, &origins)
    }
}

/// Where it serves, as it says itself: brokers, and HTTP.
pub(crate) fn addresses(line: &str) -> Option<(String, String)> {
    let (brokers, http) = line.strip_prefix("serving brokers on ")?.split_once("; on ")?;
    let brokers = brokers.split(',').next()?;
    Some((brokers.to_owned(), http.split(';').next()?.trim_end_matches('/').to_owned()))
}

pub(crate) fn lines(child: &mut Child) -> Lines<BufReader<ChildStderr>> {
    BufReader::new(child.stderr.take().expect("stderr is piped")).lines()
}

/// Objects sorted by URL, addresses replaced by names, without times.
pub(crate) fn steady(soif: &str, origins: &[(&str, &str)]) -> String {
    let rename = |text: &str| {
        origins.iter().fold(text.to_owned(), |text, (name, origin)| text.replace(origin, &format!("http://{name}")))
    };
    let mut reader = Reader::new(soif.as_bytes());
    let mut objects: Vec<_> = reader.objects().map(|object| object.expect("valid SOIF")).collect();
    objects.sort_by_key(|object| rename(&object.url));
    let mut text = String::new();
    for object in objects {
        let mut renamed = Object::new(object.template.clone(), rename(&object.url));
        for attribute in &object {
            // A page that names its own address has another size and digest on every port.
            let is_steady =
                !["Update-Time", "Last-Modification-Time", "MD5", "File-Size"].contains(&attribute.name.as_str());
            if is_steady {
                renamed.append(&attribute.name, rename(&attribute.text()));
            }
        }
        text.push_str(&String::from_utf8_lossy(&to_bytes(&renamed).expect("valid SOIF")));
        text.push('\n');
    }
    text
}

/// A start page and so many others that it leads to.
pub(crate) fn pages(count: usize) -> Site {
    let links: String = (0..count).map(|number| format!("<a href=\"/p{number}.html\">page {number}</a>\n")).collect();
    let site = Site::new("site").with("/index.html", format!("<title>Start</title>{links}"));
    (0..count).fold(site, |site, number| {
        site.with(&format!("/p{number}.html"), format!("<title>Page {number}</title><p>Text of page {number}."))
    })
}

/// Number of visits that ended so, in a report.
pub(crate) fn outcomes(report: &serde_json::Value, code: &str) -> u64 {
    report["outcomes"][code]["count"].as_u64().unwrap_or(0)
}
