//! Several at once, and too little of everything: processes, signals, descriptors, threads.

use super::stage::{Ended, Stage, pages};
use super::web::{ask, blocking};
use std::fs::{self, Permissions};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;

const ROOT: &str = "[run]\nfold-chunk = 1\n[[root-node]]\nname = \"pages\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\nrefresh-range = 1\n";
const PAGES: usize = 24;

async fn undisturbed() -> String {
    let stage = Stage::with(pages(PAGES), ROOT).await;
    stage.run().await;
    stage.store().await
}

/// The program under a limit of the shell's.
async fn under(stage: &Stage, limit: &str, command: &str) -> Ended {
    shell(stage, &format!("ulimit {limit} && exec \"$0\" {command}")).await
}

/// A line of the shell's, in which `$0` is the program.
#[expect(clippy::disallowed_methods, reason = "a shell sets the limits")]
async fn shell(stage: &Stage, line: &str) -> Ended {
    let child = Command::new("bash")
        .args(["-c", line, env!("CARGO_BIN_EXE_gatherer")])
        .current_dir(stage.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = child.await.expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ended { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
}

#[expect(clippy::disallowed_methods, reason = "the shell's kill sends the signal")]
fn signal(child: &tokio::process::Child, name: &str) {
    let id = child.id().expect("a running process").to_string();
    assert!(std::process::Command::new("kill").args([name, &id]).status().expect("kill").success());
}

#[tokio::test]
async fn of_many_processes_one_has_the_store() {
    let expected = undisturbed().await;
    let stage = Stage::with(pages(PAGES), ROOT).await;
    let command = ["run", "--json"];
    let ended = tokio::join!(
        stage.gatherer(&command),
        stage.gatherer(&command),
        stage.gatherer(&command),
        stage.gatherer(&command)
    );
    let ended = [ended.0, ended.1, ended.2, ended.3];
    for one in ended.iter().filter(|one| one.code != Some(0)) {
        assert!(one.code == Some(1) && one.err.contains("in use by another process"), "{one:?}");
    }
    assert!(ended.iter().any(|one| one.code == Some(0)), "{ended:?}");
    assert_eq!(stage.store().await, expected);
    // Whoever serves does for others what they ask for, and is not in their way when they only look.
    let (server, _, _) = stage.serve_with(&["serve"]).await;
    assert!(stage.good(&["run"]).await.contains("was asked"));
    let second = stage.gatherer(&["serve", "--no-run"]).await;
    assert!(second.code == Some(1) && second.err.contains("in use by another process"), "{second:?}");
    assert_eq!(stage.store().await, expected);
    Stage::terminate(&server);
    assert!(server.wait_with_output().await.expect("an end").status.success());
}

/// Configs good and bad, taken up in the middle of visits and folds, faster than anybody can read them.
#[tokio::test]
async fn a_storm_of_hangups_changes_nothing() {
    let stage = Stage::with(pages(PAGES), ROOT).await;
    let (server, _, http) = stage.serve_with(&["serve"]).await;
    for round in 0..60 {
        match round % 3 {
            0 => stage.configure(ROOT),
            1 => stage.configure(&ROOT.replace("fold-chunk = 1", "fold-chunk = 3")),
            _ => stage.configure("[[root-node]]\nname = 7\n"),
        }
        signal(&server, "-HUP");
        stage.web.reached(stage.web.requests().len() + 1).await;
    }
    stage.configure(ROOT);
    assert!(stage.good(&["reload"]).await.contains("taken up"));
    let place = http.clone();
    let status = blocking(move || ask(&place, "/status", &[("accept", "application/json")]).status).await;
    assert_eq!(status, 200);
    Stage::terminate(&server);
    let ended = server.wait_with_output().await.expect("an end");
    assert!(ended.status.success(), "{ended:?}");
    stage.run().await;
    assert_eq!(stage.store().await, undisturbed().await);
    assert!(stage.good(&["store", "check"]).await.contains("all is well"));
}

#[tokio::test]
async fn asked_to_end_at_any_moment_it_ends_in_order() {
    let expected = undisturbed().await;
    for command in ["run", "serve"] {
        for requests in [0, 1, 2, 9, PAGES, PAGES + 1] {
            let stage = Stage::with(pages(PAGES), ROOT).await;
            let child = stage.start(&[command]);
            stage.web.reached(requests).await;
            if child.id().is_some() {
                Stage::terminate(&child);
            }
            let ended = child.wait_with_output().await.expect("an end");
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            // Before it listens to signals, one ends it without a word.
            let is_early = ended.status.code().is_none() && requests == 0;
            assert!(
                (ended.status.success() || is_early) && !said.contains("panicked"),
                "{command} at {requests}: {ended:?}"
            );
            let seen = stage.gatherer(&["store", "check"]).await;
            assert!(
                seen.code == Some(0) || seen.err.contains("there is no store"),
                "{command} at {requests}: {seen:?}"
            );
            stage.run().await;
            assert_eq!(stage.store().await, expected, "{command} at {requests}");
        }
    }
}

#[tokio::test]
async fn too_few_descriptors_are_told_and_few_are_enough() {
    let expected = undisturbed().await;
    let stage = Stage::with(pages(PAGES), ROOT).await;
    for limit in [20, 40, 100] {
        for command in ["run", "serve"] {
            let ended = under(&stage, &format!("-n {limit}"), command).await;
            assert!(ended.code == Some(1) && ended.err.contains("ulimit -n"), "{command}, {limit}: {ended:?}");
        }
    }
    assert!(!stage.path().join("data").exists(), "nothing has begun");
    let ended = under(&stage, "-n 128", "run").await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(stage.store().await, expected);
    // Who only looks needs fewer, and says what is missing if even those are not there.
    let ended = under(&stage, "-n 12", "export").await;
    assert!(ended.code == Some(1) && ended.err.contains("ulimit -n"), "{ended:?}");
}

#[tokio::test]
async fn a_file_that_may_not_grow_is_an_error_with_a_name() {
    let stage = Stage::with(pages(3), ROOT).await;
    let ended = under(&stage, "-f 30", "run").await;
    assert!(ended.code == Some(1) && ended.err.contains("File too large"), "{ended:?}");
    assert_eq!(stage.run().await["updated"], 4, "and with more room everything goes on");
}

/// More connections than descriptors: who is there waits, and whoever comes later is served.
#[tokio::test]
async fn connections_without_end_stop_nobody_for_good() {
    let stage = Stage::with(pages(PAGES), ROOT).await;
    stage.run().await;
    let (server, brokers, http) = stage.serve_with(&["serve", "--no-run"]).await;
    limit_files(&server, 140);
    // Until nobody takes their calls any more.
    let call = |place: &str| TcpStream::connect_timeout(&place.parse().ok()?, Duration::from_millis(300)).ok();
    let places = [brokers.as_str(), http.trim_start_matches("http://")];
    let crowd: Vec<_> = places.iter().flat_map(|place| (0..200).map_while(move |_| call(place))).collect();
    assert!(crowd.len() > 140, "{}", crowd.len());
    drop(crowd);
    for address in [&brokers, &http] {
        assert_eq!(stage.good(&["collect", address]).await.matches("@FILE").count(), PAGES + 1);
    }
}

/// Lowers the limit of a process that runs already.
#[expect(clippy::disallowed_methods, reason = "the system's own tool does it")]
fn limit_files(child: &tokio::process::Child, files: u32) {
    let id = child.id().expect("a running process").to_string();
    let limited =
        std::process::Command::new("prlimit").args(["--pid", &id, &format!("--nofile={files}:{files}")]).status();
    assert!(limited.expect("prlimit").success());
}

/// The limit counts what a user has everywhere, and root has none: then somebody else is asked, who has nothing yet.
#[tokio::test]
async fn too_few_threads_are_told() {
    let stage = Stage::with(pages(2), ROOT).await;
    fs::set_permissions(stage.path(), Permissions::from_mode(0o777)).expect("a directory for everybody");
    let somebody =
        "exec 3<\"$0\"; ulimit -u 8; exec setpriv --reuid=54321 --regid=54321 --clear-groups /proc/self/fd/3";
    let line = if rustix::process::getuid().is_root() { somebody } else { "ulimit -u 1; exec \"$0\"" };
    for command in ["run", "serve"] {
        let ended = shell(&stage, &format!("{line} {command}")).await;
        assert!(ended.code == Some(1) && ended.err.contains("threads") && ended.err.contains("ulimit -u"), "{ended:?}");
    }
    assert!(!stage.path().join("data").exists(), "nothing has begun");
}
