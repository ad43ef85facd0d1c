use super::*;
use crate::page::Page;

fn found(html: &str) -> (Option<Recipe>, usize) {
    Page::read(html).microdata.found()
}

/// The markup, in a recipe that is otherwise whole.
fn with(html: &str) -> Recipe {
    let html = format!(
        "<body><div itemscope itemtype='https://schema.org/Recipe'><h1 itemprop=name>Corn &amp;\n soup</h1>\
         <span itemprop=ingredients>corn</span>{html}</div><i itemprop=author>Nobody</i>"
    );
    found(&html).0.expect("a recipe")
}

#[test]
fn what_is_inside_counts() {
    let recipe = with("");
    assert_eq!(recipe.name, "Corn & soup");
    assert_eq!(recipe.ingredients, ["corn"]);
    assert_eq!(recipe.authors, [""; 0]);
}

#[test]
fn other_things_are_no_recipes() {
    assert_eq!(found("<p itemprop=name>Soup"), (None, 0));
    assert_eq!(found("<p itemscope itemtype='http://schema.org/Thing'><b itemprop=name>Soup</b>").0, None);
    assert_eq!(found("<p itemtype='http://schema.org/Recipe'><b itemprop=name>Soup</b>").0, None);
}

#[test]
fn values_in_attributes() {
    let recipe = with(
        "<meta itemprop=prepTime content=PT10M><time itemprop=cookTime datetime=PT1H>an hour</time>\
         <img itemprop='photo image' src='a.jpg?x=1&amp;y=2'><span itemprop=recipeYield content='4 plates'>four</span>",
    );
    assert_eq!((recipe.preparation, recipe.cooking), (Some(10), Some(60)));
    assert_eq!(recipe.servings, ["4 plates"]);
    assert_eq!(with("<img itemprop=image src='a.jpg?x=1&amp;y=2'>").image.as_deref(), Some("a.jpg?x=1&y=2"));
    assert_eq!(with("<a itemprop=author href=/ann>Ann</a>").authors, ["Ann"]);
}

#[test]
fn lists_without_end_tags() {
    let html = "<ul><li itemprop=recipeIngredient>1 l <b>milk</b><li itemprop=recipeIngredient>salt</ul>";
    assert_eq!(with(html).ingredients, ["corn", "1 l milk", "salt"]);
    let html = "<ol itemprop=recipeInstructions><li>Cut<li>Cook<ul><li>slowly</ul><li>Eat</ol>";
    assert_eq!(with(html).steps, ["Cut", "Cook", "slowly", "Eat"]);
}

#[test]
fn things_inside_of_the_recipe() {
    let html = "<div itemprop=author itemscope itemtype=x><b itemprop=name>Ann</b><b itemprop=description>no</b></div>\
                <div itemprop=review itemscope><b itemprop=name>no</b><b itemprop=author>no</b></div>\
                <div itemprop=recipeInstructions itemscope><p itemprop=name>no</p>\
                <div itemprop=itemListElement itemscope><p itemprop=text>Cut</p></div></div>\
                <div itemprop=image itemscope><link itemprop=url href=a.jpg></div>";
    let recipe = with(html);
    assert_eq!((recipe.authors, recipe.steps), (vec!["Ann".to_owned()], vec!["Cut".to_owned()]));
    assert_eq!((recipe.image.as_deref(), recipe.description), (Some("a.jpg"), Vec::new()));
}

#[test]
fn the_first_of_several_counts() {
    let soup =
        "<div itemscope itemtype='http://schema.org/Recipe'><b itemprop=name>Soup</b><b itemprop=ingredients>corn</b>";
    let (recipe, count) = found(&format!("{soup}</div>{}</div>", soup.replace("Soup", "Cake")));
    assert_eq!((recipe.expect("a recipe").name.as_str(), count), ("Soup", 2));
    assert_eq!(found(soup).0.expect("a recipe that nobody closed").name, "Soup");
}

#[test]
fn depth_is_limited() {
    let html = format!("{}<b itemprop=recipeCuisine>deep</b>", "<div itemprop=description>".repeat(100_000));
    assert_eq!(with(&html).description, ["deep", "Nobody"].repeat(OPEN_MOST));
}
