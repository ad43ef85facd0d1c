//! A copy of `plugins/` in which everything is built, kept from one test run to the next.

use crate::Skipped;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};

pub(crate) const GATHERER: &str = env!("CARGO_BIN_EXE_gatherer");

/// Where everything is built.
pub(crate) struct Kit {
    root: PathBuf,
    /// What was built, or why not. Cargo would wait for itself, and two C compilers are no faster than one.
    built: Mutex<HashMap<PathBuf, Result<(), String>>>,
}

impl Kit {
    /// Copies what is in the repository; what has not changed keeps its age, so that it is not built again.
    pub(crate) fn lay_out() -> Self {
        let top = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kit");
        let listed = run(command("git", top).args(["ls-files", "-co", "--exclude-standard", "plugins", "schemas"]));
        assert!(listed.status.success(), "{listed:?}");
        for path in String::from_utf8_lossy(&listed.stdout).lines() {
            let (from, to) = (top.join(path), root.join(path));
            if fs::read(&from).ok() != fs::read(&to).ok() && from.is_file() {
                fs::create_dir_all(to.parent().expect("a parent")).expect("a directory");
                fs::copy(&from, &to).expect("a copy");
            }
        }
        Self { root, built: Mutex::default() }
    }

    /// A folder in `plugins/`.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        self.root.join("plugins").join(name)
    }

    /// Builds what is in a folder by its own script, once.
    pub(crate) fn build(&self, folder: &Path) -> Result<(), Skipped> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let result = built.entry(folder.to_owned()).or_insert_with(|| self.build_anew(folder));
        result.clone().map_err(Skipped)
    }

    /// Runs the tests that an author has written.
    pub(crate) fn test_crate(&self, folder: &str) {
        // Cargo would wait for itself.
        let _one_at_a_time = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let output = run(command("cargo", &self.folder(folder))
            .args(["test", "--quiet", "--locked", "--offline"])
            .env("CARGO_TARGET_DIR", self.root.join("target")));
        let (said, talk) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{folder}: {said}{talk}");
    }

    fn build_anew(&self, folder: &Path) -> Result<(), String> {
        let text = fs::read_to_string(folder.join("build.sh")).unwrap_or_default();
        let needs_network = text.contains("npm ") || text.contains("pip ");
        let has_tools = folder.join("node_modules").exists() || folder.join(".venv").exists();
        if needs_network && !has_tools && !has_artifact(folder) {
            return Err(
                "it was not built by `.ci/setup tests`: npm or python3 is missing, or the registries".to_owned()
            );
        }
        let output = run(command("sh", folder)
            .arg("build.sh")
            .env("GATHERER", GATHERER)
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .env_remove("RUSTFLAGS"));
        let said = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0) => Ok(()),
            Some(3) => Err(said.lines().last().unwrap_or_default().trim_start_matches("SKIPPED: ").to_owned()),
            _ => panic!("{}: build.sh failed: {said}", folder.display()),
        }
    }
}

/// Whether what the manifest names is there.
fn has_artifact(folder: &Path) -> bool {
    let manifest = fs::read_to_string(folder.join("plugin.toml")).unwrap_or_default();
    let table: toml::Table = manifest.parse().unwrap_or_default();
    table.get("artifact").and_then(toml::Value::as_str).is_some_and(|artifact| folder.join(artifact).is_file())
}

#[expect(clippy::disallowed_methods, reason = "plugins are built by their own scripts")]
pub(crate) fn command(program: &str, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory);
    command
}

pub(crate) fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Runs the program; its output, its talk, and whether it was content.
pub(crate) fn gatherer(directory: &Path, arguments: &[&str]) -> (String, String, bool) {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let output =
        run(command(GATHERER, directory).args(arguments).env("XDG_CACHE_HOME", cache).env("FAULTY_SECRET", "hush"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.success())
}

/// One runtime for all who need a web.
pub(crate) fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().expect("a runtime"))
}
