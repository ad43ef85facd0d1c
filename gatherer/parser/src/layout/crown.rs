//! The first heading of pages that have none: whatever stands out at their top.

use super::{Page, Region, Role};

/// The top of a page: so many lines that are read.
const TOP: usize = 8;
/// Words of the longest heading.
const LONGEST: usize = 10;

impl Page {
    /// Makes the first line that stands out at the top a first heading, if the page has none that says anything.
    /// `is_idle` knows the words of greetings and the like.
    pub(crate) fn crown(&mut self, is_idle: impl Fn(&str) -> bool) {
        let says = |text: &str| {
            let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
            words.any(|word| !is_idle(&word.to_lowercase()))
        };
        let is_crowned = |line: &super::Line| {
            line.role == Role::Heading(1) && line.region == Region::Main && says(&self.text[line.span.clone()])
        };
        if self.lines.iter().any(is_crowned) {
            return;
        }
        let read = self.lines.iter().enumerate().filter(|(_, line)| line.region == Region::Main);
        let read = read.filter(|(_, line)| !matches!(line.role, Role::Title | Role::Description | Role::Keywords));
        let top = read.take(TOP).take_while(|(_, line)| !matches!(line.role, Role::Heading(2..)));
        let mut outstanding = top.filter(|(_, line)| line.role == Role::Text && line.is_strong && line.cell.is_none());
        let found = outstanding.find(|(_, line)| {
            let text = &self.text[line.span.clone()];
            let is_plain =
                !text.contains(|letter: char| letter.is_ascii_digit()) && !text.ends_with(['.', ':', '!', '?']);
            is_plain && says(text) && text.split_whitespace().count() <= LONGEST
        });
        if let Some((place, _)) = found {
            self.lines[place].role = Role::Heading(1);
        }
    }
}
