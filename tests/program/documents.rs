//! What becomes of documents once they are here: opened, selected, summarized by tables, corrected by rules, made anew.

use super::stage::{Stage, outcomes};
use flate2::{Compression, write::GzEncoder};
use gatherer_demo::Site;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

const ROOT: &str = "[[root-node]]\nurl = \"{{site}}/\"\ndelay = \"0s\"\nrefresh-rate = \"0s\"\n";

fn tar(members: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, body) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(body.len() as u64);
        header.set_mode(0o644);
        builder.append_data(&mut header, name, body.as_bytes()).expect("a member");
    }
    builder.into_inner().expect("an archive")
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).expect("memory");
    encoder.finish().expect("memory")
}

fn site(archive: &[u8]) -> Site {
    Site::new("site")
        .with("/index.html", "<title>Start</title><a href=a.tar.gz>archive</a>")
        .with("/a.tar.gz", gzip(archive))
}

const MEMBERS: [(&str, &str); 3] = [
    ("docs/one.html", "<title>One</title><a href=two.txt>two</a><a href=/x.html>outside</a>"),
    ("docs/two.txt", "Two"),
    ("three.json", "{\"title\": \"Three\"}"),
];

#[tokio::test]
async fn members_have_records_that_live_and_die_with_their_archive() {
    let stage = Stage::with(site(&tar(&MEMBERS)), ROOT).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["members"]["stored"]["count"]), (&5.into(), &3.into()), "{report}");

    let one = stage.good(&["show", &stage.url("/a.tar.gz#docs/one.html")]).await;
    for attribute in ["Type{4}:\tHTML\n", "Title{3}:\tOne\n", "Nested-Filename{13}:\tdocs/one.html\n"] {
        assert!(one.contains(attribute), "{attribute:?} in {one}");
    }
    let inner = stage.url("/a.tar.gz#docs/two.txt");
    assert!(one.contains(&inner), "a reference to another member: {one}");
    let asked: Vec<_> = stage.web.requests().into_iter().map(|request| request.path).collect();
    assert!(!asked.iter().any(|path| path.contains("two.txt")), "there is no such resource: {asked:?}");

    let explained = stage.good(&["explain", &inner]).await;
    assert!(explained.contains("due        with its container"), "{explained}");
    let explained = stage.good(&["explain", &stage.url("/a.tar.gz")]).await;
    assert!(explained.contains("#three.json: stored as JSON"), "{explained}");

    let report = stage.run().await;
    assert_eq!((&report["refreshed"], &report["deleted"]), (&5.into(), &0.into()), "unchanged: {report}");

    stage.web.replace(site(&tar(&[MEMBERS[0], ("docs/two.txt", "Two, changed")])));
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["deleted"]), (&2.into(), &1.into()), "{report}");
    assert_eq!(report["members"]["unchanged"]["count"], 1, "the others are only renewed: {report}");
    let gone = stage.gatherer(&["show", &stage.url("/a.tar.gz#three.json")]).await;
    assert_eq!(gone.code, Some(1), "{gone:?}");

    stage.configure(&format!("[selection]\nstop-kinds = [\"GNUCompressedTar\"]\n{ROOT}"));
    stage.good(&["run", "--now", "--allow-deletions"]).await;
    assert_eq!(stage.store().await.matches("@FILE").count(), 1, "only the page is left");
}

#[tokio::test]
async fn a_damaged_archive_loses_nobody() {
    let stage = Stage::with(site(&tar(&MEMBERS)), ROOT).await;
    stage.run().await;
    let whole = gzip(&tar(&MEMBERS));
    stage.web.replace(
        Site::new("site")
            .with("/index.html", "<title>Start</title><a href=a.tar.gz>archive</a>")
            .with("/a.tar.gz", &whole[..whole.len() / 2]),
    );
    let report = stage.run().await;
    assert_eq!(report["deleted"], 0, "{report}");
    let container = stage.good(&["show", &stage.url("/a.tar.gz")]).await;
    assert!(container.contains("not opened to its end"), "{container}");
    assert_eq!(stage.store().await.matches("@FILE").count(), 5);
}

#[tokio::test]
async fn a_bomb_ends_at_its_limit() {
    let bomb = gzip(&vec![0; 50 << 20]);
    let site = Site::new("site")
        .with("/index.html", "<title>Start</title><a href=bomb.gz>bomb</a><a href=last.html>last</a>")
        .with("/bomb.gz", bomb)
        .with("/last.html", "<title>Last</title>");
    let stage = Stage::with(site, ROOT).await;
    assert_eq!(stage.run().await["updated"], 3);
    let record = stage.good(&["show", &stage.url("/bomb.gz")]).await;
    assert!(record.contains("Type{13}:\tGNUCompressed\n") && record.contains("not unpacked"), "{record}");
}

#[tokio::test]
async fn what_is_packed_is_summarized_as_what_it_is() {
    let site = Site::new("site")
        .with("/index.html", "<title>Start</title><a href=page.html.gz>packed</a>")
        .with("/page.html.gz", gzip(b"<title>Packed</title><p><a href=next.html>on</a>"))
        .with("/next.html", "<title>Next</title>");
    let stage = Stage::with(site, ROOT).await;
    assert_eq!(stage.run().await["updated"], 3, "its references are followed");
    let record = stage.good(&["show", &stage.url("/page.html.gz")]).await;
    for attribute in ["Type{4}:\tHTML\n", "Title{6}:\tPacked\n", "Unpacked-From{13}:\tGNUCompressed\n"] {
        assert!(record.contains(attribute), "{attribute:?} in {record}");
    }
    assert_eq!(stage.run().await["refreshed"], 3, "its digest is that of what was fetched");
}

#[tokio::test]
async fn records_are_made_anew_from_kept_bodies() {
    let keep = "[store]\nkeep-bodies = true\n";
    let stage = Stage::with(site(&tar(&MEMBERS)), &format!("{keep}{ROOT}")).await;
    stage.run().await;
    let told = stage.good(&["resummarize"]).await;
    assert!(told.ends_with("made as they would be made now\n"), "{told}");
    let asked = stage.web.requests().len();
    let rule = "[[rule]]\nwhen = \"true\"\nset = { Section = \"docs\" }\n";
    stage.configure(&format!("{keep}{rule}{ROOT}"));
    assert_eq!(stage.good(&["resummarize"]).await, "2 records made anew\n");
    assert_eq!(stage.web.requests().len(), asked, "nobody was asked");
    assert_eq!(stage.store().await.matches("Section{4}:\tdocs").count(), 5, "members too");
    assert_eq!(stage.run().await["refreshed"], 5, "and the next visit finds them as they should be");

    let stage = Stage::with(site(&tar(&MEMBERS)), ROOT).await;
    stage.run().await;
    stage.configure(&format!("{rule}{ROOT}"));
    let told = stage.good(&["resummarize"]).await;
    assert!(told.contains("2 are made anew at their next visit") && told.contains("store.keep-bodies"), "{told}");
    stage.run().await;
    assert_eq!(stage.store().await.matches("Section{4}:\tdocs").count(), 5);
}

#[tokio::test]
async fn operators_select_by_size_and_language() {
    let german = "Der Leuchtturm steht am Rand der Insel und ist für alle Schiffe schon von weitem zu sehen.";
    let english = "The lighthouse stands at the edge of the island, and all ships can see it from far away.";
    let links = "<title>Start</title><a href=de.txt>de</a><a href=en.txt>en</a><a href=small.txt>small</a>";
    let site = Site::new("site")
        .with("/index.html", links)
        .with("/de.txt", german)
        .with("/en.txt", english)
        .with("/small.txt", "x");
    let selection = "[selection]\nsmallest = \"10B\"\nallow-languages = [\"de\"]\n";
    let stage = Stage::with(site, &format!("{selection}{ROOT}")).await;
    let report = stage.run().await;
    assert_eq!((outcomes(&report, "language"), outcomes(&report, "size")), (1, 1), "{report}");
    assert_eq!(report["updated"], 2, "the page itself does not tell its language");
    let explained = stage.good(&["explain", &stage.url("/en.txt")]).await;
    assert!(explained.contains("language en is not selected"), "{explained}");
}

#[tokio::test]
async fn rules_of_harvest_and_programs_correct_records() {
    let site = Site::new("site")
        .with("/index.html", "<title>start page</title><a href=users/jo.html>jo</a><a href=junk.html>junk</a>")
        .with("/users/jo.html", "<title>about jo</title><meta name=City content='new york'>")
        .with("/junk.html", "<title>junk</title>");
    let rules = "[[rule]]\nfile = \"harvest.rules\"\n\
        [[rule]]\nwhen = \"url ~ /users/\"\nurl = { pattern = '/users/', with = '/people/' }\ntemplate = \"USER\"\n";
    let stage = Stage::with(site, &format!("{rules}{ROOT}")).await;
    let script = stage.path().join("shout");
    std::fs::write(&script, "#!/bin/sh\ntr a-z A-Z\n").expect("a script");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let text = "# Harvest's own form, with spaces where tabs should be\n\
        type == 'HTML' && url ~ /users/\n    title | shout\n    time-to-live = \"86400\"\n\
        title == 'junk'\n\tdelete()\n";
    std::fs::write(stage.path().join("harvest.rules"), text).expect("a file");
    let report = stage.run().await;
    assert_eq!((&report["updated"], outcomes(&report, "ruled-out")), (&2.into(), 1), "{report}");
    let record = stage.good(&["show", &stage.url("/people/jo.html")]).await;
    for part in ["@USER { ", "title{8}:\tABOUT JO\n", "Time-to-Live{5}:\t86400\n"] {
        assert!(record.contains(part), "{part:?} in {record}");
    }
    let explained = stage.good(&["explain", &stage.url("/users/jo.html")]).await;
    assert!(explained.contains(&format!("as {}", stage.url("/people/jo.html"))), "{explained}");
    assert_eq!(stage.run().await["refreshed"], 2, "found again under its own URL");

    std::fs::write(stage.path().join("harvest.rules"), "type == 'HTML'\n\ttitle ? shout\n").expect("a file");
    let checked = stage.gatherer(&["check"]).await;
    assert!(checked.code == Some(2) && checked.err.contains("harvest.rules:2"), "{checked:?}");
}

#[tokio::test]
async fn tables_of_harvest_are_read_as_they_are() {
    let site = Site::new("site")
        .with("/index.html", "<title>Start</title><h1>Head</h1><p>Text <a href=refs.ref>refs</a></p>")
        .with("/refs.ref", "%A Jo Smith\n%T On corn\n");
    let config = "[recognition]\nby-name-file = \"byname.cf\"\n\
        [summaries]\nquick-sum-file = \"quick-sum.cf\"\nhtml-table-file = \"HTML.sum.tbl\"\n";
    let stage = Stage::with(site, &format!("{config}{ROOT}")).await;
    let write = |name: &str, text: &str| std::fs::write(stage.path().join(name), text).expect("a file");
    write("byname.cf", "ReferBibliographic\t^.*\\.ref$\n");
    write("quick-sum.cf", "ReferBibliographic  Author  ^%A[ \\t]+(.*)$\n");
    write("HTML.sum.tbl", "<TITLE>\tname\n<H1>\theadings\n<A:HREF>\turl-references\n");
    assert_eq!(stage.run().await["updated"], 2);
    let refs = stage.good(&["show", &stage.url("/refs.ref")]).await;
    assert!(refs.contains("Type{18}:\tReferBibliographic\n") && refs.contains("Author{8}:\tJo Smith\n"), "{refs}");
    let provenance = stage.good(&["show", "--provenance", &stage.url("/refs.ref")]).await;
    assert!(provenance.contains("Author\tquick-sum"), "{provenance}");
    let page = stage.good(&["show", &stage.url("/")]).await;
    assert!(page.contains("name{5}:\tStart\n") && !page.contains("Title{"), "{page}");

    write("byname.cf", "ReferBibliographic\n");
    let checked = stage.gatherer(&["check"]).await;
    assert!(checked.code == Some(2) && checked.err.contains("byname.cf:1"), "{checked:?}");
}

#[tokio::test]
async fn what_may_break_is_summarized_in_a_process_that_can_be_killed() {
    let pdf = include_bytes!("../../summarizers/src/pdf/fixtures/tex.pdf");
    let site = Site::new("site")
        .with("/index.html", "<title>Start</title><a href=a.pdf>paper</a>")
        .with("/a.pdf", pdf.as_slice());
    let stage = Stage::with(site, ROOT).await;
    stage.run().await;
    let record = stage.good(&["show", &stage.url("/a.pdf")]).await;
    assert!(record.contains("Title{14}:\tCorn and maize\n"), "{record}");

    stage.configure(&format!("[summaries]\nprogram-limit = \"1us\"\n{ROOT}"));
    stage.good(&["run", "--now"]).await;
    let record = stage.good(&["summarize", "-c", "gatherer.toml", &stage.url("/a.pdf")]).await;
    assert!(record.contains("did not answer within") && record.contains("Type{3}:\tPdf\n"), "{record}");
}

#[tokio::test]
async fn held_deletions_of_members_ask_for_their_archive_once() {
    let names: Vec<_> = (0..30).map(|number| format!("{number}.txt")).collect();
    let members: Vec<_> = names.iter().map(|name| (name.as_str(), "text")).collect();
    let stage = Stage::with(site(&tar(&members)), ROOT).await;
    assert_eq!(stage.run().await["updated"], 32);
    stage.web.replace(site(&tar(&members[..10])));
    let report = stage.run().await;
    assert_eq!((&report["deleted"], &report["held"][0]["deletions"]), (&0.into(), &20.into()), "{report}");

    let asked = |stage: &Stage| stage.web.requests().iter().filter(|request| request.path == "/a.tar.gz").count();
    let before = asked(&stage);
    let deleted = stage.good(&["run", "--allow-deletions"]).await;
    assert!(deleted.contains("20 deleted"), "{deleted}");
    assert_eq!(asked(&stage) - before, 1, "members are not asked for one by one");
    assert_eq!(stage.store().await.matches("@FILE").count(), 12);
}

#[tokio::test]
async fn a_mailbox_in_a_broken_wrapping_loses_nobody() {
    let mail = |number| {
        format!("From a@example.org Mon May  6 07:08:10 2024\nFrom: a@example.org\nSubject: {number}\n\nHi\n\n")
    };
    let mailbox: String = (1..4).map(mail).collect();
    let with = |body: Vec<u8>| {
        Site::new("site")
            .with("/index.html", "<title>Start</title><a href=list.mbox.gz>list</a>")
            .with("/list.mbox.gz", body)
    };
    let stage = Stage::with(with(gzip(mailbox.as_bytes())), ROOT).await;
    assert_eq!(stage.run().await["members"]["stored"]["count"], 3);
    let mut broken = gzip(mailbox.as_bytes());
    let checksum = broken.len() - 6;
    broken[checksum] ^= 1;
    for body in [broken, gzip(mailbox.as_bytes())[..40].to_vec(), b"<title>Under maintenance</title>".to_vec()] {
        stage.web.replace(with(body));
        let report = stage.run().await;
        assert_eq!((&report["deleted"], &report["held"]), (&0.into(), &serde_json::json!([])), "{report}");
    }
    assert_eq!(stage.store().await.matches("@FILE").count(), 5);
}

#[tokio::test]
async fn bodies_are_kept_from_the_next_visit_on() {
    let stage = Stage::with(site(&tar(&MEMBERS)), ROOT).await;
    stage.run().await;
    let keep = "[store]\nkeep-bodies = true\n";
    stage.configure(&format!("{keep}{ROOT}"));
    assert_eq!(stage.run().await["refreshed"], 5, "nothing has changed for brokers");
    stage.configure(&format!("{keep}[[rule]]\nwhen = \"true\"\nset = {{ Section = \"x\" }}\n{ROOT}"));
    assert_eq!(stage.good(&["resummarize"]).await, "2 records made anew\n");
}

#[tokio::test]
async fn old_bodies_do_not_come_back() {
    let with = |text: &str| Site::new("site").with("/index.html", format!("<title>{text}</title>"));
    let stage = Stage::with(with("old"), &format!("[store]\nkeep-bodies = true\n{ROOT}")).await;
    stage.run().await;
    stage.web.replace(with("new"));
    stage.configure(ROOT);
    stage.run().await;
    stage.configure(&format!("[[rule]]\nwhen = \"true\"\nset = {{ Section = \"x\" }}\n{ROOT}"));
    let told = stage.good(&["resummarize"]).await;
    assert!(told.starts_with("0 records made anew"), "{told}");
    assert!(stage.good(&["show", &stage.url("/")]).await.contains("Title{3}:\tnew"));
}

#[tokio::test]
async fn what_counts_is_what_is_in_the_wrapping() {
    let links = "<title>Start</title><a href=a.html.gz>a</a><a href=b.csv.gz>b</a>";
    let site = Site::new("site")
        .with("/index.html", links)
        .with("/a.html.gz", gzip(b"<title>A</title>"))
        .with("/b.csv.gz", gzip(b"a,b\n1,2\n3,4\n5,6\n"));
    let stage = Stage::with(site, &format!("[selection]\nallow-kinds = [\"HTML\"]\n{ROOT}")).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], outcomes(&report, "not-selected")), (&2.into(), 1), "{report}");
}

#[tokio::test]
async fn feeds_and_xml_are_split_by_rule_and_once() {
    let feed = "<rss version='2.0'><channel><title>News</title><item><title>First</title><guid>one</guid></item></channel></rss>";
    let many = "<?xml version='1.0'?><all><record id='a'><title>A</title></record><record id='b'><title>B</title></record></all>";
    let site = Site::new("site")
        .with("/index.html", "<title>Start</title><a href=feed.rss>feed</a><a href=many.xml>many</a>")
        .with("/feed.rss", feed)
        .with("/many.xml", many);
    let stage = Stage::with(site, &format!("[unnest]\nfeeds = true\nxml-elements = [\"record\"]\n{ROOT}")).await;
    let report = stage.run().await;
    assert_eq!((&report["updated"], &report["members"]["stored"]["count"]), (&6.into(), &3.into()), "{report}");
    assert!(stage.good(&["show", &stage.url("/many.xml#b")]).await.contains("Title{1}:\tB\n"));
    assert!(stage.good(&["show", &stage.url("/feed.rss#one")]).await.contains("Title{5}:\tFirst\n"));
}

#[tokio::test]
async fn what_somebody_refuses_at_every_visit_is_no_news() {
    let broken = || {
        let site = Site::new("site").with("/index.html", "<title>Start</title><a href=broken.html>b</a>");
        site.with("/broken.html", &b"%PDF-1.4 broken garbage\xff\xff\xff"[..]).without_validators()
    };
    let stage = Stage::with(broken(), ROOT).await;
    stage.run().await;
    let record = stage.good(&["show", &stage.url("/broken.html")]).await;
    assert!(record.contains("refused: "), "{record}");
    for _ in 0..2 {
        let report: serde_json::Value =
            serde_json::from_str(&stage.good(&["run", "--now", "--json"]).await).expect("JSON");
        assert_eq!((&report["updated"], &report["refreshed"]), (&0.into(), &2.into()), "{report}");
    }
    stage.web.replace(broken().with("/broken.html", &b"%PDF-1.4 other garbage\xff\xff\xff"[..]));
    let report: serde_json::Value = serde_json::from_str(&stage.good(&["run", "--now", "--json"]).await).expect("JSON");
    assert_eq!(report["updated"], 1, "{report}");

    let nothing = stage.gatherer(&["export", "--kind", "HTLM", "--site", "nope.example"]).await;
    assert!(nothing.code == Some(0) && nothing.out.is_empty(), "{nothing:?}");
    assert!(
        nothing.err.contains("no record of the site nope.example, of the kind HTLM (did you mean HTML?)"),
        "{nothing:?}"
    );
}
