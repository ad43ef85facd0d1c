//! What is installed beside the program: completions, manual pages, units of systemd, an image.

use super::stage::{Stage, pages};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;
use tokio::process::Command;

const UNITS: [&str; 3] = ["gatherer.service", "gatherer-run.service", "gatherer-run.timer"];

fn read(path: &str) -> String {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(top.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Another program, if this machine has it; otherwise the test says that it looks at less.
#[expect(clippy::disallowed_methods, reason = "tests ask the programs that files are written for")]
async fn asked(program: &str, arguments: &[&str], in_folder: &Path) -> Option<Output> {
    let output = Command::new(program).args(arguments).current_dir(in_folder).output().await;
    if output.is_err() {
        #[expect(clippy::print_stderr, reason = "what is skipped is said")]
        {
            eprintln!("SKIPPED: no {program} on this machine, so it was not asked about {arguments:?}");
        }
    }
    output.ok()
}

#[tokio::test]
async fn shells_get_completions() {
    let stage = Stage::with(pages(0), "").await;
    for (shell, word) in [("bash", "complete -F"), ("zsh", "#compdef gatherer"), ("fish", "complete -c gatherer")] {
        let script = stage.good(&["completions", shell]).await;
        assert!(script.contains(word) && script.contains("restore") && script.contains("forget"), "{shell}");
    }
    let script = stage.good(&["completions", "bash"]).await;
    std::fs::write(stage.path().join("completion"), script).expect("a file");
    let line = "source ./completion; COMP_WORDS=(gatherer store ba); COMP_CWORD=2; _gatherer gatherer ba store; echo ${COMPREPLY[@]}";
    if let Some(output) = asked("bash", &["-c", line], stage.path()).await {
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "backup", "{output:?}");
    }
    assert_eq!(stage.gatherer(&["completions", "tea"]).await.code, Some(2));
}

#[tokio::test]
async fn the_handbook_shows_every_command() {
    let stage = Stage::with(pages(0), "").await;
    let handbook = read("config/README.md");
    for (group, help) in [("", &["--help"][..]), ("store ", &["store", "--help"])] {
        let help = stage.good(help).await;
        let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
        let names: Vec<_> = listed.filter_map(|line| line.split_whitespace().next()).collect();
        assert!(names.len() > 5, "{help}");
        for name in names.into_iter().filter(|name| *name != "help") {
            let shown = format!("$ gatherer {group}{name}");
            assert!(handbook.contains(&shown), "config/README.md does not show what `{shown}` says");
        }
    }
}

#[tokio::test]
async fn every_command_has_a_manual_page() {
    let stage = Stage::with(pages(0), "").await;
    let first = stage.good(&["manual"]).await;
    assert!(first.contains("EXIT STATUS") && first.contains("gatherer\\-run(1)"), "{first}");
    stage.good(&["manual", "man"]).await;
    let folder = stage.path().join("man");
    let mut names: Vec<_> = std::fs::read_dir(&folder)
        .expect("pages")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in ["gatherer.1", "gatherer-run.1", "gatherer-store.1", "gatherer-store-backup.1", "gatherer-import.1"] {
        assert!(names.iter().any(|page| page == name), "{name} in {names:?}");
    }
    assert!(!names.iter().any(|name| name.contains("worker")), "what is hidden has no page: {names:?}");
    for name in &names {
        let Some(output) = asked("groff", &["-man", "-Tascii", "-ww", "-z", name], &folder).await else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{name}: {said}");
    }
    // Pages that are named are there.
    let printed = asked("groff", &["-man", "-Tascii", "gatherer.1"], &folder).await;
    let text = printed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    assert!(text.is_empty() || text.contains("asked to stop") || text.contains("asked"), "{text}");
}

/// Sections, keys and values of a unit; a backslash continues a line.
fn unit(text: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let text = text.replace("\\\n", " ");
    let (mut sections, mut section) = (BTreeMap::<String, Vec<_>>::new(), String::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            name.clone_into(&mut section);
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("neither section nor key: {line}"));
        assert!(!section.is_empty() && key.chars().all(char::is_alphanumeric), "{line}");
        sections.entry(section.clone()).or_default().push((key.to_owned(), value.to_owned()));
    }
    sections
}

/// Whatever command line of ours stands in a file is one that the program takes: it is tried as `check` on a good config.
async fn is_taken(stage: &Stage, words: &[&str]) {
    let (command, rest) = words.split_first().expect("a command");
    assert!(["serve", "run", "check"].contains(command), "{words:?}");
    let config = stage.path().join("gatherer.toml").to_string_lossy().into_owned();
    let rest = rest.iter().map(|word| if *word == "/etc/gatherer/gatherer.toml" { config.as_str() } else { word });
    let words: Vec<_> = ["check"].into_iter().chain(rest).collect();
    let ended = stage.gatherer(&words).await;
    assert_eq!(ended.code, Some(0), "{words:?}: {ended:?}");
}

const ROOT: &str = "[[root-node]]\nurl = \"{{site}}/\"\n";

#[tokio::test]
async fn units_start_the_program_as_it_is() {
    let stage = Stage::with(pages(0), ROOT).await;
    for name in UNITS {
        let unit = unit(&read(&format!("config/systemd/{name}")));
        let values = |section: &str, key: &str| -> Vec<String> {
            let keys = unit.get(section).into_iter().flatten();
            keys.filter(|(name, _)| name == key).map(|(_, value)| value.clone()).collect()
        };
        assert_eq!(values("Unit", "Description").len(), 1, "{name}");
        if unit.contains_key("Timer") {
            assert!(!values("Timer", "OnCalendar").is_empty() && values("Install", "WantedBy") == ["timers.target"]);
            continue;
        }
        for (key, value) in [
            ("ProtectSystem", "strict"),
            ("DynamicUser", "yes"),
            ("NoNewPrivileges", "yes"),
            ("StateDirectory", "gatherer"),
        ] {
            assert_eq!(values("Service", key), [value], "{name}: {key}");
        }
        let lines: Vec<_> =
            values("Service", "ExecStartPre").into_iter().chain(values("Service", "ExecStart")).collect();
        assert!(!lines.is_empty(), "{name}");
        for line in lines {
            let words: Vec<_> = line.split_whitespace().collect();
            assert_eq!(words[0], "/usr/local/bin/gatherer", "{name}");
            is_taken(&stage, &words[1..]).await;
        }
    }
    let service = unit(&read("config/systemd/gatherer.service"));
    let has = |key: &str, value: &str| service["Service"].contains(&(key.to_owned(), value.to_owned()));
    assert!(
        has("ExecReload", "/bin/kill -HUP $MAINPID")
            && has("Restart", "on-failure")
            && has("RestartPreventExitStatus", "2")
    );
}

#[tokio::test]
async fn systemd_takes_the_units() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in UNITS {
        // It looks for the program, too.
        let text =
            read(&format!("config/systemd/{name}")).replace("/usr/local/bin/gatherer", env!("CARGO_BIN_EXE_gatherer"));
        std::fs::write(
            folder.path().join(name),
            text.replace("man:gatherer(1) ", "").replace("Documentation=man:", "# "),
        )
        .expect("a unit");
    }
    for name in UNITS {
        let path = folder.path().join(name).to_string_lossy().into_owned();
        let Some(output) = asked("systemd-analyze", &["verify", "--man=no", &path], folder.path()).await else {
            return;
        };
        let said = String::from_utf8_lossy(&output.stderr);
        // Other units of this machine are not ours to judge.
        let ours: Vec<_> = said.lines().filter(|line| line.contains("gatherer")).collect();
        assert!(ours.is_empty(), "{name}: {said}");
    }
}

#[tokio::test]
async fn the_image_names_what_is_there() {
    let stage = Stage::with(pages(0), ROOT).await;
    let text = read("config/docker/Dockerfile").replace("\\\n", " ");
    let lines: Vec<_> = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).collect();
    let all =
        |word: &str| -> Vec<&str> { lines.iter().filter_map(|line| line.strip_prefix(word)).map(str::trim).collect() };
    let words =
        |line: &str| -> Vec<String> { serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")) };
    let command = words(all("CMD ")[0]);
    is_taken(&stage, &command.iter().map(String::as_str).collect::<Vec<_>>()).await;
    assert_eq!(all("ENTRYPOINT "), ["[\"gatherer\"]"]);
    let ports: Vec<_> = all("EXPOSE ")[0].split_whitespace().collect();
    assert_eq!(ports, ["8500", "8580"]);
    for (key, port) in [("broker.listen", ports[0]), ("http.listen", ports[1])] {
        assert!(command.contains(&format!("{key}=0.0.0.0:{port}")), "{key}");
        assert!(read("config/gatherer.toml").contains(&format!("listen = \"127.0.0.1:{port}\"")));
    }
    let volume = all("VOLUME ")[0];
    assert!(command.iter().filter(|word| word.contains("=/")).all(|word| word.contains(volume)), "{command:?}");
    assert!(!all("USER ").contains(&"root") && all("USER ").len() == 1, "not as root");
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    for line in all("COPY ").into_iter().filter(|line| !line.starts_with("--from")) {
        let from = line.split_whitespace().next().expect("a source");
        assert!(top.join(from).exists(), "{from}");
    }
    for path in text.split("--path ").skip(1).filter_map(|rest| rest.split_whitespace().next()) {
        assert!(top.join(path).join("Cargo.toml").exists(), "{path}");
    }
    assert!(text.contains(".ci/setup") && top.join(".ci/setup").exists());
    assert!(read("Cargo.toml").contains(&format!(
        "rust-version = \"{}\"",
        text.split("FROM rust:").nth(1).and_then(|rest| rest.split('-').next()).unwrap_or_default()
    )));
    let (_server, address) = stage.serve().await;
    let health = words(all("HEALTHCHECK ")[0].split_once("CMD ").expect("a command").1);
    assert_eq!((&*health[0], &*health[2]), ("gatherer", "127.0.0.1:8500"));
    let health: Vec<_> =
        health[1..].iter().map(|word| if word == "127.0.0.1:8500" { address.as_str() } else { word }).collect();
    assert!(stage.good(&health).await.contains("@GATHERER"), "a gatherer that serves is healthy");
    assert_ne!(stage.gatherer(&["collect", "127.0.0.1:1", "--info"]).await.code, Some(0), "nobody is not");
}
