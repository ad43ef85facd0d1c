//! Recipes in JSON-LD, wherever they stand in it.

use crate::recipe::Recipe;
use crate::text;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashMap;

/// Properties that are lists of lines.
const LINES: &[&str] = &[
    "description",
    "recipeYield",
    "yield",
    "recipeCategory",
    "recipeCuisine",
    "keywords",
    "recipeIngredient",
    "ingredients",
    "prepTime",
    "cookTime",
    "totalTime",
];

/// What is nested more deeply says nothing.
const DEPTH_MOST: usize = 16;
/// References by `@id` may lead in circles, and many to the same large thing: no more than these are followed.
const REFERENCES_MOST: usize = 20;

type Object = Map<String, Value>;

/// The things of a page that have a name of their own.
struct Things<'a> {
    by_id: HashMap<&'a str, &'a Object>,
    to_follow: Cell<usize>,
}

impl<'a> Things<'a> {
    /// The thing that an object only refers to.
    fn referred(&self, object: &Object) -> Option<&'a Object> {
        let thing = self.by_id.get(object.get("@id")?.as_str()?)?;
        self.to_follow.set(self.to_follow.get().checked_sub(1)?);
        Some(thing)
    }
}

/// All blocks of a page.
pub(crate) struct Blocks {
    values: Vec<Value>,
    /// What could not be read.
    pub(crate) complaints: Vec<String>,
}

impl Blocks {
    pub(crate) fn read(scripts: &[&str]) -> Self {
        let mut blocks = Self { values: Vec::new(), complaints: Vec::new() };
        for script in scripts {
            match parse(script) {
                Ok(value) => blocks.values.push(value),
                Err(error) => blocks.complaints.push(format!("a block of JSON-LD is damaged: {error}")),
            }
        }
        blocks
    }

    /// The first recipe, and how many there are.
    pub(crate) fn recipes(&self) -> (Option<Recipe>, usize) {
        let (mut by_id, mut recipes) = (HashMap::new(), Vec::new());
        self.values.iter().for_each(|value| walk(value, &mut by_id, &mut recipes));
        let things = Things { by_id, to_follow: Cell::new(REFERENCES_MOST) };
        let mut found = recipes.iter().map(|recipe| read(recipe, &things)).filter(Recipe::is_one);
        (found.next(), 1 + found.count())
    }

    /// Why there is no recipe.
    pub(crate) fn why_none(&self) -> String {
        self.complaints
            .first()
            .map_or_else(|| "no recipe in it".to_owned(), |first| format!("no recipe in it; {first}"))
    }
}

/// Reads JSON as pages write it: line breaks in the middle of texts, wrapped in comments, a semicolon at the end.
fn parse(script: &str) -> Result<Value, serde_json::Error> {
    let strict = serde_json::from_str(script);
    let Err(error) = strict else { return strict };
    let marks = ["//", "/*", "*/", "<!--", "-->", "<![CDATA[", "]]>", ";"];
    let mut inside = script.trim();
    // Each round takes something off, so that this ends.
    while let Some(less) = marks.iter().find_map(|mark| inside.strip_prefix(mark).or_else(|| inside.strip_suffix(mark)))
    {
        inside = less.trim();
    }
    let tame = inside.replace(|next: char| next.is_ascii_control(), " ");
    serde_json::from_str(&tame).map_err(|_| error)
}

/// Notes what has a name of its own, and what is a recipe. The parser has seen to it that nothing is nested too deeply.
fn walk<'a>(value: &'a Value, by_id: &mut HashMap<&'a str, &'a Object>, recipes: &mut Vec<&'a Object>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| walk(value, by_id, recipes)),
        Value::Object(object) => {
            if let Some(id) = object.get("@id").and_then(Value::as_str).filter(|_| object.len() > 1) {
                by_id.entry(id).or_insert(object);
            }
            if is_a(object, "Recipe") {
                recipes.push(object);
            }
            object.values().for_each(|value| walk(value, by_id, recipes));
        }
        _ => {}
    }
}

/// Whether a thing has a type, with or without the address of its vocabulary.
fn is_a(object: &Object, name: &str) -> bool {
    let is_name = |value: &Value| {
        let written = value.as_str().unwrap_or_default();
        written.rsplit(['/', ':', '#']).next() == Some(name)
    };
    match object.get("@type") {
        Some(Value::Array(types)) => types.iter().any(is_name),
        Some(one) => is_name(one),
        None => false,
    }
}

fn read(object: &Object, things: &Things<'_>) -> Recipe {
    let mut recipe = Recipe::default();
    let name = object.get("name").or_else(|| object.get("headline"));
    recipe.take("name", name.map(|name| texts(name, things, 0).join(" ")).into_iter().collect());
    for property in LINES {
        if let Some(value) = object.get(*property) {
            recipe.take(property, texts(value, things, 0));
        }
    }
    let author = object.get("author").or_else(|| object.get("creator"));
    recipe.take("author", author.map(|author| texts(author, things, 0)).unwrap_or_default());
    let image = object.get("image").and_then(|image| address(image, things, 0));
    recipe.take("image", image.into_iter().collect());
    let steps = object.get("recipeInstructions");
    recipe.take("recipeInstructions", steps.map(|value| self::steps(value, things, 0)).unwrap_or_default());
    recipe
}

/// What a value says in words: itself, or what it calls itself.
fn texts(value: &Value, things: &Things<'_>, depth: usize) -> Vec<String> {
    match value {
        _ if depth > DEPTH_MOST => Vec::new(),
        Value::String(text) => text::lines(text),
        Value::Number(number) => vec![number.to_string()],
        Value::Array(values) => values.iter().flat_map(|value| texts(value, things, depth + 1)).collect(),
        Value::Object(object) => {
            let said = ["@value", "name", "text", "value"].iter().find_map(|key| object.get(*key));
            let unit = object.get("unitText").and_then(Value::as_str);
            match (said, unit) {
                (Some(said), None) => texts(said, things, depth + 1),
                (Some(said), Some(unit)) => vec![format!("{} {unit}", texts(said, things, depth + 1).join(" "))],
                (None, _) => things.referred(object).map_or_else(Vec::new, |thing| {
                    let name = thing.get("name");
                    name.map(|name| texts(name, things, depth + 1)).unwrap_or_default()
                }),
            }
        }
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

/// Steps of a recipe: texts, steps, lists of them, sections of lists.
fn steps(value: &Value, things: &Things<'_>, depth: usize) -> Vec<String> {
    match value {
        _ if depth > DEPTH_MOST => Vec::new(),
        Value::String(text) => text::lines(text),
        Value::Array(values) => values.iter().flat_map(|value| steps(value, things, depth + 1)).collect(),
        Value::Object(object) => {
            let inside = |key: &str| object.get(key).map(|value| steps(value, things, depth + 1));
            let name = object.get("name").map(|name| texts(name, things, depth + 1)).unwrap_or_default();
            let text = inside("text").filter(|text| !text.is_empty());
            let list = || inside("itemListElement").or_else(|| inside("item"));
            match text.or_else(list) {
                Some(lines) if is_a(object, "HowToSection") => {
                    let heading = name.into_iter().map(|name| format!("{}:", name.trim_end_matches(':')));
                    heading.chain(lines).collect()
                }
                Some(lines) => lines,
                None => name,
            }
        }
        _ => Vec::new(),
    }
}

/// The address of a picture: itself, or of the thing that it is.
fn address(value: &Value, things: &Things<'_>, depth: usize) -> Option<String> {
    match value {
        _ if depth > DEPTH_MOST => None,
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Array(values) => values.iter().find_map(|value| address(value, things, depth + 1)),
        Value::Object(object) => {
            let said = ["url", "contentUrl"].iter().find_map(|key| object.get(*key));
            let said =
                said.or_else(|| things.referred(object).and_then(|thing| thing.get("url").or(thing.get("contentUrl"))));
            said.and_then(|value| address(value, things, depth + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
