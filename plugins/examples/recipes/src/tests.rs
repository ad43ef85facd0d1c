use super::*;
use gatherer_sdk::testing::{self, Sample};

const URL: &str = "http://example.org/soups/corn.html";

fn summarize(html: &str) -> Result<Draft, Trouble> {
    testing::summarize::<Recipes>(URL, "HTML", html)
}

fn soup(more: &str) -> String {
    format!(
        r#"<script type="application/ld+json">{{"@type": "Recipe", "name": "Soup",
           "recipeIngredient": ["8 oz corn", "salt"], "image": "../soup.jpg"}}</script>{more}"#
    )
}

#[test]
fn samples_give_what_is_expected() {
    for (sample, expected) in [
        (include_str!("../samples/json-ld.html"), include_str!("../samples/json-ld.html.expected")),
        (include_str!("../samples/graph.html"), include_str!("../samples/graph.html.expected")),
        (include_str!("../samples/microdata.html"), include_str!("../samples/microdata.html.expected")),
    ] {
        let draft = summarize(sample).expect("a recipe");
        testing::expect(&draft, expected);
        testing::endure::<Recipes>("HTML", sample);
    }
}

#[test]
fn the_manifest_agrees() {
    testing::manifest::<Recipes>(include_str!("../plugin.toml"));
}

#[test]
fn pages_without_a_recipe_are_refused() {
    assert_eq!(summarize("<p>Corn"), Err(Trouble::refused("no recipe in it")));
    assert_eq!(summarize(""), Err(Trouble::refused("no recipe in it")));
    let damaged = summarize("<script type='application/ld+json'>{</script>").expect_err("a refusal");
    assert!(damaged.to_string().contains("damaged"), "{damaged}");
}

#[test]
fn what_a_record_holds() {
    let draft = summarize(&soup("<a href='?a=1&amp;b=2'>More</a><link rel=canonical href=/corn>")).expect("a recipe");
    testing::expect(
        &draft,
        "Title: Soup\nRecipe-Name: Soup\nIngredients: 8 oz corn\nImages: http://example.org/soup.jpg",
    );
    assert_eq!(draft.value("Ingredients").as_deref(), Some("8 oz corn\nsalt"));
    assert_eq!(draft.text.as_deref(), Some("Soup\n8 oz corn\nsalt"));
    let references = draft.references.iter().map(|reference| (reference.url.as_str(), reference.follow));
    assert_eq!(references.collect::<Vec<_>>(), [("../soup.jpg", false), ("?a=1&b=2", true)]);
    assert_eq!(draft.canonical.as_deref(), Some("/corn"));
}

#[test]
fn a_base_is_kept_to() {
    let draft = summarize(&soup("<base href='/a/'><a href=b>B</a>")).expect("a recipe");
    let references = draft.references.iter().map(|reference| reference.url.as_str());
    assert_eq!(references.collect::<Vec<_>>(), ["http://example.org/soup.jpg", "http://example.org/a/b"]);
}

#[test]
fn robots_are_told() {
    let draft = summarize(&soup("<meta name=robots content=noindex>")).expect("a recipe");
    testing::expect(&draft, "robots: noindex");
}

#[test]
fn units_are_the_operators_choice() {
    let with = |units| Sample::new(URL, "HTML", soup("")).option("units", units).summarize::<Recipes>();
    testing::expect(&with("metric").expect("a recipe"), "Ingredients: 8 oz (227 g) corn");
    testing::expect(&with("as-written").expect("a recipe"), "Ingredients: 8 oz corn");
    assert!(matches!(with("royal"), Err(Trouble::Failed(_))));
}

#[test]
fn long_pages_are_read_on_up_to_a_limit() {
    let long = |length| format!("{}{}", " ".repeat(length), soup(""));
    assert!(summarize(&long(3 << 20)).is_ok());
    assert_eq!(summarize(&long(8 << 20)), Err(Trouble::refused("too large for a page with a recipe")));
}

#[test]
fn answers_are_limited() {
    let long = "x".repeat(1900);
    let links = format!("<a href='{long}'>{long}</a>").repeat(1000);
    let steps = format!("\"8 oz {long}\",").repeat(1000);
    let page = format!(
        r#"<base href="/{long}/"><title>{long}</title>{links}<script type="application/ld+json">{{"@type": "Recipe",
           "name": "{long}", "recipeIngredient": [{steps} 1], "recipeInstructions": [{steps} 1]}}</script>"#
    );
    let sample = Sample::new(URL, "HTML", page).option("units", "metric");
    let draft = sample.summarize::<Recipes>().expect("a recipe");
    let attributes: usize = draft.attributes.iter().map(|attribute| attribute.value.len()).sum();
    let references: usize = draft.references.iter().map(|reference| reference.url.len() + reference.text.len()).sum();
    let size = attributes + references + draft.text.map_or(0, |text| text.len());
    assert!(size < 700 << 10, "{size}");
    assert_eq!(draft.complaints.len(), 3, "{:?}", draft.complaints);
}

/// Pages made to take long. The test would not end if one did.
#[test]
fn bad_pages_take_no_longer_than_good_ones() {
    let many = |piece: &str| piece.repeat((1 << 20) / piece.len());
    let recipe = "<div itemscope itemtype='http://schema.org/Recipe'>";
    for page in [
        many("<"),
        many("<!--"),
        many("<a "),
        many("<a href='"),
        many("<a b"),
        many("</a"),
        many("&"),
        many("&#"),
        many("<script>"),
        format!("<script>{}", many("</scrip ")),
        format!("{recipe}{}", many("<p itemprop=description>")),
        format!("{recipe}{}", many("<div itemscope itemprop=author>")),
        format!("{recipe}{}", many("</b>")),
        format!("<script type='application/ld+json'>{}", many("[")),
        format!("<script type='application/ld+json'>{}", many(";")),
        format!("<script type='application/ld+json'>[{} 0]", many(r#"{"@type":"Recipe","name":"a","yield":"b"},"#)),
    ] {
        drop(summarize(&page));
    }
}
