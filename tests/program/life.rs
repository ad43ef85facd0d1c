//! Runs one after another: what moves, what stays, what is deleted, and why.

use super::stage::{Stage, outcomes, pages};
use gatherer_demo::{Page, Site};
use std::time::Duration;

const ROOT: &str = "[[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n";
const ALWAYS_DUE: &str = "refresh-rate = \"0s\"\n";

#[tokio::test]
async fn a_second_run_moves_only_what_changed() {
    let changing = Page { path: "/now.html".into(), changes: true, ..Page::default() };
    let site = Site::new("site")
        .with("/index.html", "<title>Start</title><a href=now.html>now</a><a href=same.html>same</a>")
        .with("/now.html", "<title>Visit {{visit}}</title>")
        .with("/same.html", "<title>Same</title>")
        .with_page(changing);
    let stage = Stage::with(site, &format!("{ROOT}{ALWAYS_DUE}")).await;
    let first = stage.run().await;
    assert_eq!((&first["updated"], &first["refreshed"]), (&3.into(), &0.into()), "{first}");
    let second = stage.run().await;
    assert_eq!((&second["updated"], &second["refreshed"]), (&1.into(), &2.into()), "{second}");
    assert!(stage.good(&["show", &stage.url("/now.html")]).await.contains("Visit 2"));
}

#[tokio::test]
async fn equal_content_counts_as_unchanged_without_the_servers_help() {
    let stage = Stage::with(pages(3).without_validators(), &format!("{ROOT}{ALWAYS_DUE}")).await;
    stage.run().await;
    let second = stage.run().await;
    assert_eq!((&second["updated"], &second["refreshed"]), (&0.into(), &4.into()), "{second}");
    assert!(second["bytes"].as_u64() > Some(0), "bodies had to be read");
}

#[tokio::test]
async fn nothing_is_asked_for_before_it_is_due() {
    let stage = Stage::with(pages(3), ROOT).await;
    stage.run().await;
    let requests = stage.web.requests().len();
    let second = stage.run().await;
    assert_eq!(second["visited"], 0, "{second}");
    assert_eq!(stage.web.requests().len(), requests);
}

#[tokio::test]
async fn a_host_is_asked_slowly_by_a_visitor_with_a_name() {
    let stage = Stage::with(pages(4), &ROOT.replace("0s", "60ms")).await;
    stage.run().await;
    let requests = stage.web.requests();
    assert_eq!(requests.first().map(|request| request.path.as_str()), Some("/robots.txt"), "robots rules come first");
    assert!(requests.len() >= 6);
    for pair in requests.windows(2) {
        let gap = pair[1].at.duration_since(pair[0].at);
        assert!(gap >= Duration::from_millis(60), "{gap:?} between {} and {}", pair[0].path, pair[1].path);
    }
    let agent = &requests[0].user_agent;
    assert!(agent.starts_with("gatherer/") && agent.ends_with("(+test@example.org)"), "{agent}");
}

#[tokio::test]
async fn the_sites_own_pause_is_kept() {
    let site = pages(2).with("/robots.txt", "User-agent: *\nCrawl-delay: 0.08\n");
    let stage = Stage::with(site, ROOT).await;
    stage.run().await;
    let requests = stage.web.requests();
    for pair in requests.windows(2).skip(1) {
        let gap = pair[1].at.duration_since(pair[0].at);
        assert!(gap >= Duration::from_millis(80), "{gap:?} between {} and {}", pair[0].path, pair[1].path);
    }
}

#[tokio::test]
async fn an_unreachable_site_loses_nothing() {
    let mut stage = Stage::with(pages(12), &format!("{ROOT}{ALWAYS_DUE}")).await;
    stage.run().await;
    let before = stage.store().await;
    stage.web.stop().await;
    let report = stage.run().await;
    assert_eq!(report["deleted"], 0, "{report}");
    assert_eq!((outcomes(&report, "unreachable"), &report["visited"]), (5, &5.into()), "{report}");
    assert_eq!(stage.store().await, before);
}

#[tokio::test]
async fn a_missing_page_is_deleted_only_when_confirmed_and_not_in_masses() {
    let missing = |path: &str| Page { path: path.into(), status: Some(404), ..Page::default() };
    let life = "[life]\ngone-count = 2\ngone-apart = \"0s\"\n";
    let stage = Stage::with(pages(12), &format!("{life}{ROOT}{ALWAYS_DUE}")).await;
    stage.run().await;

    let mut site = pages(12);
    for number in 0..12 {
        site = site.with_page(missing(&format!("/p{number}.html")));
    }
    stage.web.replace(site);
    let report = stage.run().await;
    assert_eq!((&report["deleted"], outcomes(&report, "missing")), (&0.into(), 12), "once is not enough: {report}");
    assert_eq!(report["endangered"]["count"], 12, "{report}");

    let report = stage.run().await;
    assert_eq!(report["deleted"], 0, "the brake holds: {report}");
    assert_eq!(report["held"][0]["deletions"], 12, "{report}");
    assert!(stage.good(&["show", &stage.url("/p3.html")]).await.contains("Page 3"));

    let allowed = stage.good(&["run", "--json", "--allow-deletions"]).await;
    let allowed: serde_json::Value = serde_json::from_str(&allowed).expect("JSON");
    assert_eq!(allowed["deleted"], 12, "{allowed}");
    let shown = stage.gatherer(&["show", &stage.url("/p3.html")]).await;
    assert_eq!(shown.code, Some(1));
    assert!(shown.err.contains("gatherer explain"), "{}", shown.err);
    let why = stage.good(&["explain", &stage.url("/p3.html")]).await;
    assert!(why.contains("gone since") && why.contains("(404)"), "{why}");
}

#[tokio::test]
async fn explain_answers_before_the_first_run() {
    let stage = Stage::with(pages(1), ROOT).await;
    let why = stage.good(&["explain", &stage.url("/"), &stage.url("/p0.html")]).await;
    assert!(why.contains("in scope") && why.contains("would fetch it: the config names it"), "{why}");
    assert!(why.contains("if it reads a page that leads to it"), "{why}");
    assert!(!stage.path().join("data").exists(), "nothing is made by asking");
}

#[tokio::test]
async fn explain_answers_for_any_url() {
    let site = pages(1)
        .with("/robots.txt", "User-agent: *\nDisallow: /private/\n")
        .with("/index.html", "<a href=/p0.html>0</a><a href=/private/x>x</a><a href=/none>-</a>");
    let stage = Stage::with(site, ROOT).await;
    let report = stage.run().await;
    assert_eq!(
        (outcomes(&report, "missing"), &report["endangered"]["count"]),
        (1, &0.into()),
        "a dead link is no loss"
    );
    for (path, expected) in [
        ("/p0.html", "stored as HTML by html"),
        ("/p0.html", "content=HTML"),
        ("/p0.html", "not visit it: it is due in"),
        ("/private/x", "robots rules forbid it (disallow /private/)"),
        ("/none", "the server says it is not there (404)"),
        ("/never-seen", "unknown: no run has met it"),
    ] {
        let why = stage.good(&["explain", &stage.url(path)]).await;
        assert!(why.contains(expected), "{path}: {expected:?} in {why}");
    }
    let why = stage.good(&["explain", "http://www.example.org/"]).await;
    assert!(why.contains("is not one that the root node names"), "{why}");
}

#[tokio::test]
async fn files_below_a_directory_are_gathered() {
    let stage = Stage::with(pages(0), "").await;
    let folder = stage.path().join("documents");
    std::fs::create_dir_all(folder.join("below")).expect("a folder");
    std::fs::write(folder.join("a note.txt"), "A note about corn.").expect("a file");
    std::fs::write(folder.join("below/page.html"), "<title>Below</title>").expect("a file");
    std::fs::write(stage.path().join("outside.txt"), "secret").expect("a file");
    std::os::unix::fs::symlink(stage.path().join("outside.txt"), folder.join("link.txt")).expect("a link");
    let root = url::Url::from_directory_path(&folder).expect("a path");
    stage.configure(&format!("[[root-node]]\nname = \"files\"\nurl = \"{root}\"\n{ALWAYS_DUE}"));
    let report = stage.run().await;
    let why = stage.good(&["explain", &format!("{root}below/page.html")]).await;
    assert!(why.contains("allowed, only web sites have robots rules") && !why.contains("pause"), "{why}");
    assert_eq!(report["updated"], 4, "two files and two directories: {report}");
    assert_eq!(outcomes(&report, "out-of-scope"), 1, "{report}");
    let store = stage.good(&["export"]).await;
    assert!(store.contains("corn") && store.contains("a%20note.txt") && !store.contains("secret"), "{store}");

    std::fs::write(folder.join("a note.txt"), "A note about maize.").expect("a file");
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["refreshed"]), (&1.into(), &3.into()), "{report}");
}

#[tokio::test]
async fn an_enumeration_program_names_the_resources() {
    let stage = Stage::with(pages(5), "").await;
    let program = stage.path().join("enumerate.sh");
    let listed = format!(
        "#!/bin/sh\necho {}\necho '{} 100 /dev/null 1 /dev/null HTTP 1 1 /bin/false'\necho nonsense\n",
        stage.url("/p1.html"),
        stage.url("/p2.html")
    );
    std::fs::write(&program, listed).expect("a program");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    stage.configure("[[root-node]]\nname = \"listed\"\nenumeration = [\"./enumerate.sh\"]\ndelay = \"0s\"\n");
    let ended = stage.gatherer(&["run"]).await;
    assert!(ended.code == Some(3) && ended.out.contains("private address"), "a program does not open them: {ended:?}");

    let named = "leaves = [\"{{site}}/p0.html\"]\n";
    stage.configure(&format!(
        "[[root-node]]\nname = \"named\"\nenumeration = [\"./enumerate.sh\"]\ndelay = \"0s\"\n{named}"
    ));
    std::fs::remove_dir_all(stage.path().join("data")).expect("a fresh start");
    let report = stage.run().await;
    assert_eq!(report["updated"], 3, "{report}");
    assert!(report["warnings"][0].as_str().is_some_and(|warning| warning.contains("line 3")), "{report}");
}

#[tokio::test]
async fn a_root_node_taken_out_of_the_config_is_not_deleted_in_silence() {
    let stage = Stage::with(pages(12), &format!("{ROOT}{ALWAYS_DUE}")).await;
    stage.run().await;
    stage.configure(&format!(
        "{}{ALWAYS_DUE}",
        ROOT.replace("{{site}}/", "{{site}}/p1.html").replace("\"site\"", "\"other\"")
    ));
    let report = stage.run().await;
    assert_eq!(
        report["held"],
        serde_json::json!([]),
        "the other root node has them in scope and takes them over: {report}"
    );
    assert_eq!(
        (&report["roots"]["other"]["records"], &report["roots"]["other"]["urls"]),
        (&13.into(), &13.into()),
        "{report}"
    );

    stage.configure(&format!(
        "{}{ALWAYS_DUE}url-filter = [\"deny .\"]\n",
        ROOT.replace("{{site}}/", "{{site}}/p1.html").replace("\"site\"", "\"third\"")
    ));
    let report = stage.run().await;
    assert_eq!(
        (&report["held"][0]["root"], &report["held"][0]["deletions"]),
        (&"other".into(), &12.into()),
        "{report}"
    );
    assert!(report["held"][0]["example"].as_str().is_some_and(|e| e.contains("no longer in the config")), "{report}");
    let why = stage.good(&["explain", &stage.url("/p3.html")]).await;
    assert!(why.contains("deletion   put down") && why.contains("--allow-deletions --root other"), "{why}");
    let ended = stage.gatherer(&["run", "--allow-deletions", "--root", "another"]).await;
    assert!(ended.code == Some(2) && ended.err.contains("there is no root node \"another\""), "{ended:?}");
    let passed = stage.good(&["run", "--json", "--allow-deletions", "--root", "other"]).await;
    let passed: serde_json::Value = serde_json::from_str(&passed).expect("JSON");
    assert_eq!(passed["deleted"], 12, "{passed}");
}

#[tokio::test]
async fn a_wider_scope_finds_what_was_left_out_before() {
    let stage = Stage::with(pages(4), &format!("{ROOT}url-filter = [\"deny p[23]\", \"allow .\"]\n")).await;
    assert_eq!(stage.run().await["updated"], 3);
    stage.configure(&format!("{ROOT}url-filter = []\n"));
    let report = stage.run().await;
    assert_eq!((&report["visited"], &report["updated"]), (&2.into(), &2.into()), "only what is new: {report}");
    assert_eq!(stage.run().await["visited"], 0);
}

#[tokio::test]
async fn a_page_that_comes_back_is_found_again() {
    let life = "[life]\ngone-count = 1\ngone-apart = \"0s\"\n";
    let config = format!("{life}{ROOT}refresh-rate = \"0s\"\ntime-to-live = \"0s\"\n");
    let stage = Stage::with(pages(1), &config).await;
    stage.run().await;
    stage.web.replace(pages(1).without("/p0.html"));
    assert_eq!(stage.run().await["deleted"], 1);
    stage.web.replace(pages(1));
    let report = stage.run().await;
    assert_eq!(report["updated"], 1, "although the page that leads to it is unchanged: {report}");
}

#[tokio::test]
async fn a_summarizer_cannot_set_the_times() {
    let site = pages(0)
        .with("/index.html", "<meta name=update-time content=5><meta name=time-to-live content=1><title>x</title>");
    let stage = Stage::with(site, ROOT).await;
    stage.run().await;
    let record = stage.good(&["show", &stage.url("/")]).await;
    assert_eq!(
        (record.matches("Update-Time{10}").count(), record.to_lowercase().matches("time-to-live").count()),
        (1, 1)
    );
    stage.configure(&format!("{ROOT}[[rule]]\nwhen = \"true\"\nset = {{ Update-Time = \"5\" }}\n"));
    let checked = stage.gatherer(&["check"]).await;
    assert!(checked.code == Some(2) && checked.err.contains("a rule cannot set Update-Time"), "{checked:?}");
}

#[tokio::test]
async fn pages_that_ask_not_to_be_indexed_get_no_record() {
    let site = pages(2)
        .with("/index.html", "<a href=/p0.html>0</a><a href=/secret.html>s</a><a href=/end.html>e</a>")
        .with("/secret.html", "<meta name=robots content=noindex><title>s</title><a href=/p1.html>1</a>")
        .with("/end.html", "<meta name=gatherer content=nofollow><title>e</title><a href=/never.html>n</a>")
        .with("/never.html", "<title>n</title>");
    let stage = Stage::with(site, ROOT).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], outcomes(&report, "noindex")), (&4.into(), 1), "{report}");
    let store = stage.store().await;
    assert!(store.contains("Page 1") && !store.contains("http://site/never.html\n@"), "{store}");
    assert!(!stage.web.requests().iter().any(|request| request.path == "/never.html"));
}

#[tokio::test]
async fn a_new_rule_reaches_pages_that_have_not_changed() {
    let stage = Stage::with(pages(2), &format!("{ROOT}{ALWAYS_DUE}")).await;
    stage.run().await;
    let rule = "[[rule]]\nwhen = \"title ~ /Page/\"\nset = { Shelf = \"A\" }\nrefresh-rate = \"1h\"\n";
    stage.configure(&format!("{ROOT}{ALWAYS_DUE}{rule}"));
    assert_eq!(stage.run().await["updated"], 3, "all are made anew");
    assert!(stage.good(&["show", &stage.url("/p1.html")]).await.contains("Shelf{1}:\tA\n"));
    let report = stage.run().await;
    assert_eq!((&report["visited"], &report["refreshed"]), (&1.into(), &1.into()), "the rule's pace holds: {report}");
}

#[tokio::test]
async fn a_narrower_scope_acts_at_once_and_a_wider_one_again_too() {
    let stage = Stage::with(pages(4), ROOT).await;
    stage.run().await;
    stage.configure(&format!("{ROOT}url-filter = [\"deny p[23]\", \"allow .\"]\n"));
    assert_eq!(stage.run().await["deleted"], 2, "although nothing was due");
    stage.configure(&format!("{ROOT}url-filter = []\n"));
    assert_eq!(stage.run().await["updated"], 2);
}

#[tokio::test]
async fn a_dead_host_holds_nobody_up_for_long() {
    let trouble = |number: usize| Page { path: format!("/p{number}.html"), status: Some(502), ..Page::default() };
    let site = (0..30).fold(pages(30), |site, number| site.with_page(trouble(number)));
    let stage = Stage::with(site, ROOT).await;
    let report = stage.run().await;
    assert_eq!((outcomes(&report, "server-trouble"), &report["visited"]), (5, &6.into()), "{report}");
    assert!(report["set_aside"][stage.server()]["reason"].as_str().is_some_and(|why| why.contains("502")), "{report}");
    assert_eq!(stage.web.requests().len(), 1 + 1 + 5, "robots, start page, five tries");
    let again = stage.run().await;
    assert_eq!(
        (stage.web.requests().len(), &again["visited"]),
        (7, &0.into()),
        "a new process forgives nothing: {again}"
    );
    let why = stage.good(&["explain", &stage.url("/p29.html")]).await;
    assert!(
        why.contains(&format!("queued; {} is left alone for another", stage.server())) && why.contains("(502)"),
        "{why}"
    );
}

#[tokio::test]
async fn what_was_named_by_hand_is_tried_again_at_once() {
    let stage = Stage::with(Site::new("site"), ROOT).await;
    let ended = stage.gatherer(&["run"]).await;
    assert!(ended.code == Some(3) && ended.out.contains("(404)"), "{ended:?}");
    stage.web.replace(pages(1));
    assert_eq!(stage.run().await["updated"], 2);
}

#[tokio::test]
async fn deletions_held_back_are_looked_at_again() {
    let life = "[life]\ngone-count = 1\ngone-apart = \"0s\"\n";
    let stage = Stage::with(pages(12), &format!("{life}{ROOT}{ALWAYS_DUE}")).await;
    stage.run().await;
    stage.web.replace((0..12).fold(pages(12), |site, number| site.without(&format!("/p{number}.html"))));
    assert_eq!(stage.run().await["held"][0]["deletions"], 12);
    stage.web.replace(pages(12));
    let report: serde_json::Value =
        serde_json::from_str(&stage.good(&["run", "--json", "--allow-deletions"]).await).expect("JSON");
    assert_eq!((&report["deleted"], &report["updated"]), (&0.into(), &0.into()), "they are there again: {report}");
    assert_eq!(report["refreshed"], 13, "and are what they were: {report}");
}

#[tokio::test]
async fn the_demo_shows_what_the_readme_says() {
    let stage = Stage::with(pages(0), "").await;
    let tour = stage.good(&["demo", "--once"]).await;
    for line in [
        "run 1: 66 visited",
        "55 new or changed, 0 unchanged, 0 deleted",
        "run 2: 66 visited",
        "1 new or changed, 54 unchanged, 0 deleted",
        "Title{27}:\tThe Anchor Inn, Port Ellery\n",
        "A broker has collected 55 records",
    ] {
        assert!(tour.contains(line), "{line:?} in {tour}");
    }
}
