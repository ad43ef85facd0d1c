//! Recipes in web pages, as far as their markup says so: JSON-LD first, microdata if there is none.
//!
//! A page without a recipe is refused, and the summarizer for all other pages takes over. Everything here is linear in
//! the size of the page, and what a page can put into its record is limited.

mod address;
mod charset;
mod duration;
mod entities;
mod json_ld;
mod microdata;
mod page;
mod recipe;
mod text;
mod tokens;
mod units;

use gatherer_sdk::{Attribute, Call, Draft, Plugin, Reference, Setting, Summarizer, Trouble, export};
use json_ld::Blocks;
use page::Page;
use recipe::Recipe;
use units::Units;

/// Most bytes of all references together. A page that has more has no more readers.
const REFERENCES_MOST: usize = 256 << 10;

/// Larger pages are left to others: no recipe needs them.
const PAGE_MOST: u64 = 8 << 20;

struct Recipes;

impl Plugin for Recipes {
    const NAME: &str = env!("CARGO_PKG_NAME");
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    const KINDS: &[&str] = &["HTML"];
    const OPTIONS: &[Setting] = &[Setting::new(
        "units",
        "metric or imperial: adds such units where a recipe has others; as-written leaves it alone",
    )
    .default("as-written")];
    const PANICS_TO_LOG: bool = true;
}

impl Summarizer for Recipes {
    fn summarize(call: &Call<'_>) -> Result<Draft, Trouble> {
        if call.document.size > PAGE_MOST {
            return Err(Trouble::refused("too large for a page with a recipe"));
        }
        let units = Units::named(call.option("units")).map_err(Trouble::failed)?;
        let body = call.body();
        let html = charset::decode(&body, call.document.charset.as_deref()).map_err(Trouble::refused)?;
        let page = Page::read(&html);
        let blocks = Blocks::read(&page.json_ld);
        let (recipe, count) = match blocks.recipes() {
            found @ (Some(_), _) => found,
            (None, _) => page.microdata.found(),
        };
        let Some(mut recipe) = recipe else { return Err(Trouble::refused(blocks.why_none())) };
        recipe.add_units(units);
        let mut draft = Draft::new();
        describe(&mut draft, &recipe, &page, &call.document.url);
        refer(&mut draft, &recipe, &page, &call.document.url);
        draft.complaints.extend(blocks.complaints);
        draft.complaints.extend(recipe.complaints);
        if count > 1 {
            draft.complain(format!("the page has {count} recipes, this is the first"));
        }
        Ok(draft)
    }
}

export!(summarizer: Recipes);

fn describe(draft: &mut Draft, recipe: &Recipe, page: &Page<'_>, url: &str) {
    let title = if page.title.is_empty() { &recipe.name } else { &page.title };
    draft.attributes.push(Attribute::new("Title", title.as_str()).weight(2.0));
    draft.attributes.push(Attribute::new("Recipe-Name", recipe.name.as_str()).weight(3.0));
    let minutes = |time: Option<u64>| time.map(|minutes| minutes.to_string()).into_iter().collect::<Vec<_>>();
    let image = recipe.image.iter().map(|image| address::join(&page.base(url), image)).collect();
    for (name, lines) in [
        ("Description", &recipe.description),
        ("Author", &recipe.authors),
        ("Recipe-Yield", &recipe.servings),
        ("Recipe-Category", &recipe.categories),
        ("Recipe-Cuisine", &recipe.cuisines),
        ("Keywords", &recipe.keywords),
        ("Ingredients", &recipe.ingredients),
        ("Steps", &recipe.steps),
        ("Preparation-Time", &minutes(recipe.preparation)),
        ("Cooking-Time", &minutes(recipe.cooking_time())),
        ("Total-Time", &minutes(recipe.total)),
        ("Images", &image),
    ] {
        if !lines.is_empty() {
            draft.attribute(name, lines.join("\n"));
        }
    }
    if !page.language.is_empty() {
        draft.attribute("Language", page.language.as_str());
    }
    // The gatherer looks here for what the page says to robots.
    for (name, content) in &page.robots {
        draft.attribute(name.as_str(), content.as_str());
    }
    let parts = [std::slice::from_ref(&recipe.name), &recipe.description, &recipe.ingredients, &recipe.steps];
    draft.text(parts.concat().join("\n"));
}

fn refer(draft: &mut Draft, recipe: &Recipe, page: &Page<'_>, url: &str) {
    // Relative references are the gatherer's business, unless the page says that they are relative to something else.
    let resolve = |reference: &str| match &page.base_href {
        Some(_) => address::join(&page.base(url), reference),
        None => reference.to_owned(),
    };
    if let Some(image) = &recipe.image {
        draft.mention(resolve(image), recipe.name.as_str());
    }
    let mut room = REFERENCES_MOST;
    for link in &page.links {
        let (url, text, follow) = (resolve(&link.url), link.text.clone(), link.follow);
        let Some(less) = room.checked_sub(url.len() + text.len()) else {
            draft.complain(format!("of {} links the first {} are kept", page.links.len(), draft.references.len()));
            break;
        };
        room = less;
        draft.references.push(Reference { url, text, follow });
    }
    if let Some(canonical) = &page.canonical {
        draft.canonical(resolve(canonical));
    }
    draft.complaints.extend(page.complaints.iter().cloned());
}

#[cfg(test)]
mod tests;
