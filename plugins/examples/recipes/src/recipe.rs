//! What is known of a recipe, whatever markup said it.

use crate::units::{self, Units};
use crate::{duration, text};

/// Most lines of anything.
const LINES_MOST: usize = 500;
/// Longest line, in bytes.
const LINE_MOST: usize = 4000;
/// Most of all lines together. A record holds each of them twice, and units may make them three times as long.
const ALL_MOST: usize = 64 << 10;
/// Longest address, in bytes.
const ADDRESS_MOST: usize = 2000;

/// A recipe.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Recipe {
    pub(crate) name: String,
    pub(crate) description: Vec<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) servings: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) cuisines: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) ingredients: Vec<String>,
    pub(crate) steps: Vec<String>,
    /// Times in minutes.
    pub(crate) preparation: Option<u64>,
    pub(crate) cooking: Option<u64>,
    pub(crate) total: Option<u64>,
    pub(crate) image: Option<String>,
    pub(crate) complaints: Vec<String>,
    /// Bytes of all lines so far.
    size: usize,
}

impl Recipe {
    /// Takes values of a property of schema.org. Those that are not known are passed over.
    pub(crate) fn take(&mut self, property: &str, values: Vec<String>) {
        let first = || values.first().map(|first| text::cut(first, LINE_MOST).to_owned());
        let time = || values.iter().find_map(|value| duration::minutes(value));
        match property {
            "name" if self.name.is_empty() => self.name = first().unwrap_or_default(),
            "image" => self.image = self.image.take().or_else(first).filter(|image| image.len() <= ADDRESS_MOST),
            "prepTime" => self.preparation = self.preparation.or_else(time),
            "cookTime" => self.cooking = self.cooking.or_else(time),
            "totalTime" => self.total = self.total.or_else(time),
            // Often said twice, as a number and in words: the words say more.
            "recipeYield" | "yield" => {
                let fuller = values.iter().find(|value| value.contains(char::is_alphabetic));
                let fuller = fuller.map(|fuller| text::cut(fuller, LINE_MOST).to_owned());
                self.servings.extend(fuller.or_else(first).filter(|_| self.servings.is_empty()));
            }
            "keywords" => {
                let words = values.iter().flat_map(|value| value.split([',', ';'])).map(text::squeeze);
                self.take_lines("keywords", words.collect());
            }
            property => self.take_lines(property, values),
        }
    }

    fn take_lines(&mut self, property: &str, values: Vec<String>) {
        let lines = match property {
            "description" => &mut self.description,
            "author" => &mut self.authors,
            "recipeCategory" => &mut self.categories,
            "recipeCuisine" => &mut self.cuisines,
            "keywords" => &mut self.keywords,
            "recipeIngredient" | "ingredients" => &mut self.ingredients,
            "recipeInstructions" => &mut self.steps,
            _ => return,
        };
        let mut is_cut = false;
        for value in values.into_iter().filter(|value| !value.is_empty()) {
            let line = text::cut(&value, LINE_MOST);
            if lines.len() == LINES_MOST || self.size + line.len() > ALL_MOST {
                is_cut = true;
                break;
            }
            is_cut |= line.len() < value.len();
            self.size += line.len();
            lines.push(line.to_owned());
        }
        let complaint = format!("{property} is longer than what is kept of it");
        if is_cut && !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }

    /// Whether there is enough for a recipe.
    pub(crate) fn is_one(&self) -> bool {
        let says_how = !self.ingredients.is_empty() || !self.steps.is_empty();
        says_how && !self.name.is_empty()
    }

    /// Minutes at the stove: said so, or what the preparation leaves of the whole, or the whole.
    pub(crate) fn cooking_time(&self) -> Option<u64> {
        let rest = || Some(self.total?.checked_sub(self.preparation?)?).filter(|minutes| *minutes > 0);
        self.cooking.or_else(rest).or(self.total)
    }

    /// Adds quantities in the units that the operator wants.
    pub(crate) fn add_units(&mut self, units: Units) {
        self.ingredients.iter_mut().chain(&mut self.steps).for_each(|line| *line = units::add(line, units));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(properties: &[(&str, &[&str])]) -> Recipe {
        let mut recipe = Recipe::default();
        for (property, values) in properties {
            recipe.take(property, values.iter().copied().map(str::to_owned).collect());
        }
        recipe
    }

    #[test]
    fn the_fuller_yield_counts() {
        assert_eq!(with(&[("recipeYield", &["4", "4 plates"])]).servings, ["4 plates"]);
        assert_eq!(with(&[("recipeYield", &["4", "6"])]).servings, ["4"]);
    }

    #[test]
    fn the_time_at_the_stove() {
        assert_eq!(with(&[("cookTime", &["PT5M"]), ("totalTime", &["PT1H"])]).cooking_time(), Some(5));
        assert_eq!(with(&[("prepTime", &["PT20M"]), ("totalTime", &["PT1H"])]).cooking_time(), Some(40));
        assert_eq!(with(&[("prepTime", &["PT2H"]), ("totalTime", &["PT1H"])]).cooking_time(), Some(60));
        assert_eq!(with(&[("totalTime", &["soon", "PT1H"])]).cooking_time(), Some(60));
        assert_eq!(with(&[("prepTime", &["PT20M"])]).cooking_time(), None);
    }

    #[test]
    fn keywords_stand_alone() {
        assert_eq!(with(&[("keywords", &["soup, corn ;", "quick"])]).keywords, ["soup", "corn", "quick"]);
    }

    #[test]
    fn too_much_is_cut_and_said() {
        let said = ["recipeIngredient is longer than what is kept of it"];
        let recipe = with(&[("recipeIngredient", &vec!["salt"; LINES_MOST + 1])]);
        assert_eq!(
            (recipe.ingredients.len(), recipe.complaints.as_slice()),
            (LINES_MOST, &said.map(str::to_owned)[..])
        );
        let long = "x".repeat(LINE_MOST + 1);
        let recipe = with(&[("recipeIngredient", &[&long])]);
        assert_eq!((recipe.ingredients[0].len(), recipe.complaints.len()), (LINE_MOST, 1));
        let recipe = with(&[("recipeIngredient", &[long.as_str(); 99]), ("keywords", &["a"]), ("image", &[&long])]);
        assert_eq!((recipe.ingredients.len(), recipe.keywords.len(), recipe.image), (ALL_MOST / LINE_MOST, 1, None));
    }

    #[test]
    fn a_name_alone_is_no_recipe() {
        assert!(!with(&[("name", &["Soup"])]).is_one());
        assert!(with(&[("name", &["Soup"]), ("ingredients", &["corn"])]).is_one());
    }
}
