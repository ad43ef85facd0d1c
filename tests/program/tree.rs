//! A gatherer that is the broker of another: records are taken over, followed, and served on.

use super::stage::Stage;
use gatherer_demo::{Page, Site};

const ROOT: &str = "[life]\ngone-count = 1\ngone-apart = \"0s\"\n\
    [[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\n";

fn site() -> Site {
    Site::new("site")
        .with("/index.html", "<title>Start</title><a href=a.html>a</a><a href=b.html>b</a>")
        .with("/a.html", "<title>A</title>")
        .with("/b.html", "<title>B</title>")
}

/// What is exported, without where it was collected from, and times that pass.
fn content(export: &str) -> String {
    let is_moving = |line: &&str| !line.starts_with("Collected-From{") && !line.starts_with("Update-Time{");
    export.lines().filter(is_moving).collect::<Vec<_>>().join("\n")
}

async fn upper(address: &str) -> Stage {
    let stage = Stage::with(Site::new("other").with("/index.html", ""), "").await;
    stage.configure(&format!("[[collect]]\nname = \"lower\"\nfrom = \"{address}\"\n"));
    let config = std::fs::read_to_string(stage.path().join("gatherer.toml")).expect("the config");
    std::fs::write(stage.path().join("gatherer.toml"), config.replace("\"test\"", "\"upper\"")).expect("the config");
    stage
}

#[tokio::test]
async fn records_are_taken_over_followed_and_served_on_by_both_ports() {
    let lower = Stage::with(site(), ROOT).await;
    lower.run().await;
    let (mut server, brokers, http) = lower.serve_with(&["serve", "--no-run"]).await;
    let uppers = [upper(&brokers).await, upper(&http).await];
    for upper in &uppers {
        let report = upper.run().await;
        assert_eq!((&report["sources"]["lower"]["taken"], &report["updated"]), (&3.into(), &3.into()), "{report}");
        let export = upper.good(&["export"]).await;
        assert_eq!(content(&export), content(&lower.good(&["export"]).await));
        assert!(export.contains("Collected-From{5}:\tlower\n"), "{export}");
        let again = upper.run().await;
        assert_eq!((&again["sources"]["lower"]["taken"], &again["updated"]), (&0.into(), &0.into()), "{again}");
        let explained = upper.good(&["explain", &lower.url("/a.html")]).await;
        assert!(explained.contains("collected from lower") && explained.contains("current since"), "{explained}");
        let provenance = upper.good(&["show", &lower.url("/a.html"), "--provenance"]).await;
        assert!(provenance.contains("Title\tcollected from lower"), "{provenance}");
        let (_server, address) = upper.serve().await;
        let collected = upper.good(&["collect", &address]).await;
        assert_eq!(collected.matches("@FILE").count(), 3, "{collected}");
    }

    server.kill().await.expect("an end");
    let changed = site().with("/a.html", "<title>New</title>").with_page(Page {
        path: "/b.html".into(),
        status: Some(410),
        ..Page::default()
    });
    lower.web.replace(changed);
    lower.run().await;
    let (mut server, brokers_now, http_now) = lower.serve_with(&["serve", "--no-run"]).await;
    for (upper, address) in uppers.iter().zip([&brokers_now, &http_now]) {
        let config = std::fs::read_to_string(upper.path().join("gatherer.toml")).expect("the config");
        let config = config.replace(&brokers, address).replace(&http, address);
        std::fs::write(upper.path().join("gatherer.toml"), config).expect("the config");
        let report = upper.run().await;
        let source = &report["sources"]["lower"];
        assert_eq!(
            (&source["taken"], &source["renewed"], &source["gone"]),
            (&1.into(), &1.into(), &1.into()),
            "{report}"
        );
        assert_eq!(content(&upper.good(&["export"]).await), content(&lower.good(&["export"]).await));
        let explained = upper.good(&["explain", &lower.url("/b.html")]).await;
        assert!(explained.contains("lower has it no longer"), "{explained}");
    }

    // Nothing is lost when the other side is away.
    server.kill().await.expect("an end");
    for upper in &uppers {
        let alone = upper.gatherer(&["run"]).await;
        assert!(alone.code == Some(3) && alone.out.contains("cannot connect to"), "{alone:?}");
        assert_eq!(content(&upper.good(&["export"]).await), content(&lower.good(&["export"]).await));
    }
}

#[tokio::test]
async fn what_is_gathered_here_goes_before_what_is_collected_and_nothing_goes_round() {
    let lower = Stage::with(site(), ROOT).await;
    lower.run().await;
    let (_server, _, http) = lower.serve_with(&["serve", "--no-run"]).await;
    // The same name and host: these records are its own, come back on a way round.
    let own = Stage::with(Site::new("other").with("/index.html", ""), "").await;
    own.configure(&format!("[[collect]]\nname = \"lower\"\nfrom = \"{http}\"\n"));
    let report = own.run().await;
    assert_eq!((&report["sources"]["lower"]["left"], &report["updated"]), (&3.into(), &0.into()), "{report}");

    let both = upper(&http).await;
    let config = std::fs::read_to_string(both.path().join("gatherer.toml")).expect("the config");
    let root = ROOT.replace("{{site}}", lower.web.origin("site")).replace("url =", "depth = 1\nurl-max = 1\nurl =");
    let alone = config.replace(&format!("[[collect]]\nname = \"lower\"\nfrom = \"{http}\"\n"), &root);
    std::fs::write(both.path().join("gatherer.toml"), &alone).expect("the config");
    both.run().await;
    std::fs::write(both.path().join("gatherer.toml"), format!("{config}{root}")).expect("the config");
    let report = both.run().await;
    let source = &report["sources"]["lower"];
    assert_eq!((&source["taken"], &source["left"]), (&2.into(), &1.into()), "{report}");
    let export = both.good(&["export"]).await;
    assert_eq!(export.matches("Collected-From").count(), 2, "{export}");

    // Whoever takes a source out of the config takes its records out of the store; under the brake, as ever.
    std::fs::write(both.path().join("gatherer.toml"), &alone).expect("the config");
    both.run().await;
    let export = both.good(&["export"]).await;
    assert_eq!((export.matches("Collected-From").count(), export.matches("@FILE").count()), (0, 1), "{export}");
    let explained = both.good(&["explain", &lower.url("/a.html")]).await;
    assert!(explained.contains("root node lower is no longer in the config"), "{explained}");

    // Back again, with another selection each time: the records follow the config.
    for (kinds, expected) in [("", 3), ("kinds = [\"Text\"]\n", 1), ("", 3)] {
        let config = config.replace("from =", &format!("{kinds}from ="));
        std::fs::write(both.path().join("gatherer.toml"), format!("{config}{root}")).expect("the config");
        both.run().await;
        let export = both.good(&["export"]).await;
        assert_eq!(export.matches("@FILE").count(), expected, "{kinds}: {export}");
    }
}
