use super::*;

fn recipe(script: &str) -> Recipe {
    Blocks::read(&[script]).recipes().0.expect("a recipe")
}

fn none(script: &str) {
    assert_eq!(Blocks::read(&[script]).recipes().0, None, "{script}");
}

/// The properties, in a recipe that is otherwise whole.
fn with(properties: &str) -> Recipe {
    recipe(&format!(r#"{{"@type": "Recipe", "name": "Soup", "recipeIngredient": ["corn"], {properties}}}"#))
}

#[test]
fn recipes_are_found_wherever_they_stand() {
    let soup = r#"{"@type": "Recipe", "name": "Soup", "recipeIngredient": "corn"}"#;
    for script in [
        soup.to_owned(),
        format!("[{{\"@type\": \"WebSite\"}}, {soup}]"),
        format!("{{\"@graph\": [{{\"@type\": \"WebPage\"}}, {soup}]}}"),
        format!("{{\"@type\": \"WebPage\", \"mainEntity\": {soup}}}"),
        soup.replace("\"Recipe\"", "[\"NewsArticle\", \"Recipe\"]"),
        soup.replace("\"Recipe\"", "\"https://schema.org/Recipe\""),
        soup.replace("\"Recipe\"", "\"schema:Recipe\""),
    ] {
        assert_eq!(recipe(&script).name, "Soup", "{script}");
    }
}

#[test]
fn other_things_are_no_recipes() {
    none("{}");
    none("null");
    none(r#"{"@type": "NotARecipe", "name": "Soup", "recipeIngredient": "corn"}"#);
    none(r#"{"@type": "Recipe", "name": "Soup"}"#);
    none(r#"{"@type": "Recipe", "recipeIngredient": "corn"}"#);
    none(r#"{"@type": 7, "name": "Soup", "recipeIngredient": "corn"}"#);
}

#[test]
fn several_recipes_are_counted() {
    let soup = r#"{"@type": "Recipe", "name": "Soup", "recipeIngredient": "corn"}"#;
    let cake = soup.replace("Soup", "Cake");
    let (first, count) = Blocks::read(&[soup, &cake, "[]"]).recipes();
    assert_eq!((first.expect("a recipe").name.as_str(), count), ("Soup", 2));
}

#[test]
fn pages_write_json_their_own_way() {
    for script in [
        "{\"@type\": \"Recipe\", \"name\": \"So\nup\", \"recipeIngredient\": [\"corn\t1\"]}",
        "<!--\n{\"@type\": \"Recipe\", \"name\": \"So up\", \"recipeIngredient\": [\"corn 1\"]}\n-->",
        "//<![CDATA[\n{\"@type\": \"Recipe\", \"name\": \"So up\", \"recipeIngredient\": [\"corn 1\"]};\n//]]>",
    ] {
        let recipe = recipe(script);
        assert_eq!((recipe.name.as_str(), recipe.ingredients), ("So up", vec!["corn 1".to_owned()]), "{script}");
    }
}

#[test]
fn damage_is_said() {
    let blocks = Blocks::read(&["{\"@type\":", "{}"]);
    assert_eq!(blocks.complaints.len(), 1);
    assert!(
        blocks.why_none().starts_with("no recipe in it; a block of JSON-LD is damaged: EOF"),
        "{}",
        blocks.why_none()
    );
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(Blocks::read(&[&deep]).complaints.len(), 1);
}

#[test]
fn authors_in_all_forms() {
    assert_eq!(with(r#""author": "Ann""#).authors, ["Ann"]);
    assert_eq!(with(r#""author": [{"name": "Ann"}, {"@type": "Person", "name": ["Ben"]}]"#).authors, ["Ann", "Ben"]);
    let graph = r##"{"@graph": [
        {"@type": "Recipe", "name": "Soup", "recipeIngredient": "corn",
         "author": {"@id": "#ann"}, "image": {"@id": "#i"}},
        {"@id": "#ann", "name": "Ann"}, {"@id": "#i", "contentUrl": "/soup.jpg"}]}"##;
    assert_eq!((recipe(graph).authors, recipe(graph).image), (vec!["Ann".to_owned()], Some("/soup.jpg".to_owned())));
}

#[test]
fn references_in_circles_end() {
    let ids = r##"{"@id": "#a"},"##.repeat(10_000);
    let graph = format!(
        r##"[{{"@type": "Recipe", "name": "Soup", "recipeIngredient": "corn", "author": {{"@id": "#a"}}}},
            {{"@id": "#a", "name": [{ids} "Ann"]}}]"##
    );
    assert!(recipe(&graph).authors.contains(&"Ann".to_owned()));
}

#[test]
fn yields_and_times() {
    assert_eq!(with(r#""recipeYield": 4"#).servings, ["4"]);
    assert_eq!(with(r#""recipeYield": ["4", "4 plates"]"#).servings, ["4 plates"]);
    assert_eq!(
        with(r#""recipeYield": {"@type": "QuantitativeValue", "value": 4, "unitText": "plates"}"#).servings,
        ["4 plates"]
    );
    let times = with(r#""prepTime": "PT10M", "cookTime": "PT1H", "totalTime": "PT1H10M""#);
    assert_eq!((times.preparation, times.cooking, times.total), (Some(10), Some(60), Some(70)));
}

#[test]
fn steps_in_all_forms() {
    assert_eq!(with(r#""recipeInstructions": "<p>Cut</p><p>Cook &amp; eat""#).steps, ["Cut", "Cook & eat"]);
    assert_eq!(
        with(r#""recipeInstructions": ["Cut", {"text": "Cook", "name": "no"}, {"name": "Eat"}]"#).steps,
        ["Cut", "Cook", "Eat"]
    );
    let list = r#""recipeInstructions": {"@type": "ItemList", "itemListElement": [
        {"@type": "HowToSection", "name": "Soup:", "itemListElement": [
            {"@type": "HowToStep", "itemListElement": [{"@type": "HowToDirection", "text": "Cut"}]},
            {"@type": "HowToStep", "text": "", "name": "Cook"}]},
        {"@type": "ListItem", "item": {"@type": "HowToStep", "text": "Eat"}}]}"#;
    assert_eq!(with(list).steps, ["Soup:", "Cut", "Cook", "Eat"]);
}

#[test]
fn pictures_in_all_forms() {
    for image in [r#""a.jpg""#, r#"["a.jpg", "b.jpg"]"#, r#"{"url": "a.jpg"}"#, r#"[{"contentUrl": ["a.jpg"]}]"#] {
        assert_eq!(with(&format!("\"image\": {image}")).image.as_deref(), Some("a.jpg"), "{image}");
    }
    assert_eq!(with("\"image\": [null, 7, \"\"]").image, None);
}
