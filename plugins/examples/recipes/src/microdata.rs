//! Recipes in microdata: `itemscope`, `itemtype`, `itemprop`.

use crate::recipe::Recipe;
use crate::text;
use crate::tokens::Tag;

/// What is nested more deeply inside of a recipe is taken for part of what is around it.
const DEPTH_MOST: usize = 256;
/// So many properties may be open at once.
const OPEN_MOST: usize = 8;
/// Longest text of a property, in bytes.
const TEXT_MOST: usize = 100_000;

/// Elements that end where the next of their kind begins.
const SIBLINGS: &[&[&str]] = &[&["li"], &["p"], &["dt", "dd"], &["tr"], &["td", "th"], &["option"]];

/// The recipes of a page, while it is read.
#[derive(Debug, Default)]
pub(crate) struct Microdata {
    recipe: Recipe,
    count: usize,
    /// Elements inside of the recipe that are open, the recipe itself first.
    open: Vec<Element>,
}

/// An open element.
#[derive(Debug)]
struct Element {
    name: String,
    /// It is a thing of its own, to which this property of the recipe belongs: an author, a step.
    thing: Option<String>,
    /// Its text is a property.
    property: Option<(String, String)>,
}

impl Microdata {
    /// The first recipe, and how many there are.
    pub(crate) fn found(&self) -> (Option<Recipe>, usize) {
        (Some(self.recipe.clone()).filter(Recipe::is_one), self.count)
    }

    pub(crate) fn start(&mut self, tag: &Tag<'_>) {
        if self.open.is_empty() {
            if is_recipe(tag) {
                self.count += 1;
                self.open.push(Element { name: tag.name.clone(), thing: None, property: None });
            }
            return;
        }
        self.end_sibling(&tag.name);
        if text::is_block(&tag.name) {
            self.end_line();
        }
        let is_thing = tag.get("itemscope").is_some();
        let properties = tag.get("itemprop").unwrap_or_default();
        let property = properties.split_ascii_whitespace().find_map(|property| self.wanted(property, is_thing));
        let value = property.as_ref().filter(|_| !is_thing).and_then(|_| value(tag));
        if let (Some(property), Some(value)) = (&property, &value) {
            self.take(property, value);
        }
        if tag.is_void() || self.open.len() == DEPTH_MOST {
            return;
        }
        let is_text = property.is_some() && value.is_none() && !is_thing && self.open_properties() < OPEN_MOST;
        let (thing, property) = match property {
            _ if is_thing => (Some(property.unwrap_or_default()), None),
            property => (None, property.filter(|_| is_text).map(|property| (property, String::new()))),
        };
        self.open.push(Element { name: tag.name.clone(), thing, property });
    }

    pub(crate) fn end(&mut self, name: &str) {
        if self.open.is_empty() {
            return;
        }
        if text::is_block(name) {
            self.end_line();
        }
        if let Some(place) = self.open.iter().rposition(|element| element.name == name) {
            self.close(place);
        }
    }

    /// Closes what no tag has closed.
    pub(crate) fn end_of_page(&mut self) {
        self.close(0);
    }

    /// Text without entities.
    pub(crate) fn text(&mut self, part: &str) {
        for (_, text) in self.open.iter_mut().filter_map(|element| element.property.as_mut()) {
            let room = TEXT_MOST - text.len().min(TEXT_MOST);
            text.push_str(text::cut(part, room));
        }
    }

    fn end_line(&mut self) {
        for (_, text) in self.open.iter_mut().filter_map(|element| element.property.as_mut()) {
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
    }

    fn open_properties(&self) -> usize {
        self.open.iter().filter(|element| element.property.is_some()).count()
    }

    /// Which property of the recipe this is, if it is one that counts. Inside of a thing that belongs to the recipe it
    /// is the one that the thing belongs to.
    fn wanted(&self, property: &str, is_thing: bool) -> Option<String> {
        let around = self.open.iter().rev().find_map(|element| element.thing.as_deref());
        match (around, property) {
            (None, property) => Some(property.to_owned()),
            (Some("author"), "name") => Some("author".to_owned()),
            (Some("image"), "url" | "contentUrl") => Some("image".to_owned()),
            (Some("recipeInstructions"), "text") => Some("recipeInstructions".to_owned()),
            (Some("recipeInstructions"), "itemListElement") if is_thing => Some("recipeInstructions".to_owned()),
            (Some(_), _) => None,
        }
    }

    /// Ends an element that has no end tag, if one like it begins.
    fn end_sibling(&mut self, name: &str) {
        let Some(siblings) = SIBLINGS.iter().find(|siblings| siblings.contains(&name)) else { return };
        let is_list = |element: &Element| matches!(element.name.as_str(), "ul" | "ol" | "dl" | "table" | "select");
        let place = self.open.iter().rposition(|element| is_list(element) || siblings.contains(&element.name.as_str()));
        if let Some(place) = place.filter(|place| !is_list(&self.open[*place]) && *place > 0) {
            self.close(place);
        }
    }

    /// Closes an element and what is open in it.
    fn close(&mut self, place: usize) {
        for element in self.open.split_off(place) {
            if let Some((property, text)) = element.property {
                self.take(&property, &text);
            }
        }
    }

    fn take(&mut self, property: &str, value: &str) {
        if self.count > 1 {
            return;
        }
        let lines = match property {
            "recipeInstructions" | "description" => text::split(value),
            "recipeIngredient" | "ingredients" | "author" => vec![text::squeeze(value)],
            _ => vec![text::squeeze(value)].into_iter().filter(|line| !line.is_empty()).collect(),
        };
        self.recipe.take(property, lines);
    }
}

fn is_recipe(tag: &Tag<'_>) -> bool {
    let types = tag.get("itemtype").unwrap_or_default();
    let is_one = |name: &str| {
        let name = name.strip_prefix("https://").or_else(|| name.strip_prefix("http://")).unwrap_or_default();
        matches!(name, "schema.org/Recipe" | "www.schema.org/Recipe")
    };
    tag.get("itemscope").is_some() && types.split_ascii_whitespace().any(is_one)
}

/// The value that an attribute of the element holds; nothing if it is the element's text.
fn value(tag: &Tag<'_>) -> Option<String> {
    let attribute = match tag.name.as_str() {
        "img" | "audio" | "embed" | "iframe" | "source" | "track" | "video" => "src",
        "a" | "area" | "link" => "href",
        "object" => "data",
        "data" | "meter" => "value",
        "time" => "datetime",
        _ => "content",
    };
    let is_link = matches!(tag.name.as_str(), "a" | "area");
    // A link with a name in it is meant for its text.
    let names_somebody = is_link && !tag.get("itemprop").is_some_and(|property| property.contains("image"));
    tag.get(attribute).filter(|_| !names_somebody).map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests;
