//! One tiny site a behaviour: `tests/sites/<behaviour>/` holds the site, the config and what must come out.
//! `BLESS=1 cargo test` writes what comes out now; read the difference before you commit it.

use super::stage::Stage;
use gatherer_demo::Site;
use std::path::Path;

async fn check(behaviour: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites").join(behaviour);
    let site = Site::read("site", &folder.join("site")).expect("a site");
    let config = std::fs::read_to_string(folder.join("gatherer.toml")).expect("a config");
    let stage = Stage::with(site, &config).await;
    stage.run().await;
    let found = stage.store().await;
    let path = folder.join("expected.soif");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &found).expect("a place to write");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{behaviour}");
}

macro_rules! behaviours {
    ($($test:ident: $folder:literal,)*) => {
        $(#[tokio::test]
        async fn $test() {
            check($folder).await;
        })*

        #[test]
        fn every_folder_is_tested() {
            let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sites").read_dir().expect("a folder");
            let mut found: Vec<_> = folders.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
            found.sort();
            assert_eq!(found, [$($folder),*], "each folder in tests/sites has its line in this file, sorted");
        }
    };
}

behaviours! {
    charsets_become_utf_8: "charsets-become-utf-8",
    redirect_leads_to_one_record: "redirect-leads-to-one-record",
    robots_forbid_a_subtree: "robots-forbid-a-subtree",
    rules_change_records: "rules-change-records",
    scope_leaves_out_the_rest: "scope-leaves-out-the-rest",
    troubles_cost_one_page: "troubles-cost-one-page",
    wrong_type_does_not_win: "wrong-type-does-not-win",
}
