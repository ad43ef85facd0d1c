//! The gold itself: every page is there and in order, and its facts are in the words of its ontology.

use gatherer_abstracts::ontology::Ontology;
use gatherer_abstracts::score::gold;
use std::path::Path;

#[test]
fn every_page_has_facts_that_could_be_found() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = top.join("tests/gold");
    let pages = gold::pages(&folder).expect("an order");
    assert!(pages.len() >= 40, "{} pages are too few", pages.len());
    let mut complaints = Vec::new();
    for page in &pages {
        let path = top.join("config/domains").join(&page.domain).join("ontology.ttl");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let ontology = Ontology::read(&text, &|_| None).unwrap_or_else(|error| panic!("{error}"));
        match gold::facts(&folder, page, &ontology) {
            Ok(facts) if page.kind == "foreign" && !facts.is_empty() => {
                complaints.push(format!("{} is foreign, but has facts", page.path));
            }
            Ok(facts) if page.kind != "foreign" && facts.len() < 5 => {
                complaints.push(format!("{} has only {} facts", page.path, facts.len()));
            }
            Ok(_) => {}
            Err(wrong) => complaints.push(wrong),
        }
        if let Err(wrong) = gold::bytes(&folder, page) {
            complaints.push(wrong);
        }
    }
    let folder = folder.display().to_string();
    assert!(complaints.is_empty(), "{}", complaints.join("\n").replace(&folder, "tests/gold"));
}
