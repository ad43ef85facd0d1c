//! One summary in memory.

use std::borrow::Cow;

/// A name and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The name as it was written; names compare without regard to ASCII case.
    pub name: String,
    /// The value: any bytes. An empty value is never written.
    pub value: Vec<u8>,
}

impl Attribute {
    /// An attribute of this name and value.
    pub fn new(name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        let (name, value) = (name.into(), value.into());
        Self { name, value }
    }

    /// The value as text; what is not UTF-8 shows as U+FFFD.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.value)
    }

    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// A SOIF object: template type, URL and attributes in order.
///
/// The order carries no meaning but is kept. Objects built here have one attribute of a name;
/// one that was read may have several, as Harvest's parser does not look for duplicates either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The template type; `FILE` for a summary.
    pub template: String,
    /// What the object describes.
    pub url: String,
    attributes: Vec<Attribute>,
}

impl Object {
    /// An object without attributes.
    pub fn new(template: impl Into<String>, url: impl Into<String>) -> Self {
        let (template, url) = (template.into(), url.into());
        Self { template, url, attributes: Vec::new() }
    }

    /// The same object with this attribute [`set`](Self::set).
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) -> Self {
        self.set(name, value);
        self
    }

    /// The value of the (first) attribute of this name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.find(name).map(|attribute| attribute.value.as_slice())
    }

    /// The value of the (first) attribute of this name as text, see [`Attribute::text`].
    pub fn text(&self, name: &str) -> Option<Cow<'_, str>> {
        self.find(name).map(Attribute::text)
    }

    /// Puts the attribute in the place of the first one of the same name, or at the end. Further
    /// ones of the same name go.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) {
        let attribute = Attribute::new(name, value);
        let Some(place) = self.attributes.iter().position(|old| old.is(&attribute.name)) else {
            return self.attributes.push(attribute);
        };
        let mut later = self.attributes.split_off(place + 1);
        later.retain(|other| !other.is(&attribute.name));
        self.attributes[place] = attribute;
        self.attributes.append(&mut later);
    }

    /// Adds a value to the attribute of this name: one more line. Nothing is joined to an empty
    /// value, and an empty value adds no line.
    pub fn append(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) {
        let mut added = Attribute::new(name, value);
        let Some(old) = self.attributes.iter_mut().find(|old| old.is(&added.name)) else {
            return self.attributes.push(added);
        };
        if !old.value.is_empty() && !added.value.is_empty() {
            old.value.push(b'\n');
        }
        old.value.append(&mut added.value);
    }

    /// Takes all attributes of this name out and returns the value of the first.
    pub fn remove(&mut self, name: &str) -> Option<Vec<u8>> {
        let place = self.attributes.iter().position(|attribute| attribute.is(name))?;
        let removed = self.attributes.remove(place);
        self.attributes.retain(|attribute| !attribute.is(name));
        Some(removed.value)
    }

    /// All attributes in order.
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// All attributes in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Attribute> {
        self.attributes.iter()
    }

    /// The list itself, for those in this crate that keep or mend its order.
    pub(crate) fn list_mut(&mut self) -> &mut Vec<Attribute> {
        &mut self.attributes
    }

    fn find(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.is(name))
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a Attribute;
    type IntoIter = std::slice::Iter<'a, Attribute>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corn() -> Object {
        Object::new("FILE", "http://x/").with("Title", "Corn").with("Author", "Ann").with("Type", "HTML")
    }

    /// The attributes as `name=value`, separated by blanks.
    fn check(object: &Object, expected: &str) {
        let shown: Vec<_> = object.iter().map(|a| format!("{}={}", a.name, a.text())).collect();
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn names_compare_without_case() {
        let object = corn();
        assert_eq!(object.get("TITLE"), Some(b"Corn".as_slice()));
        assert_eq!(object.text("author").as_deref(), Some("Ann"));
        assert_eq!(object.get("Titl"), None);
    }

    #[test]
    fn set_replaces_in_place() {
        check(&corn().with("author", "Bob"), "Title=Corn author=Bob Type=HTML");
    }

    #[test]
    fn set_leaves_one_of_a_name() {
        let mut object = corn();
        object.list_mut().push(Attribute::new("title", "Maize"));
        object.set("Title", "Wheat");
        check(&object, "Title=Wheat Author=Ann Type=HTML");
    }

    #[test]
    fn append_joins_with_one_line_break() {
        for (old, added, joined) in [("a", "b", "a\nb"), ("", "b", "b"), ("a", "", "a"), ("a\n", "b", "a\n\nb")] {
            let mut object = Object::new("FILE", "u").with("K", old);
            object.append("k", added);
            check(&object, &format!("K={joined}"));
        }
    }

    #[test]
    fn append_adds_what_is_not_there() {
        let mut object = corn();
        object.append("Keywords", "maize");
        check(&object, "Title=Corn Author=Ann Type=HTML Keywords=maize");
    }

    #[test]
    fn remove_takes_all_of_a_name() {
        let mut object = corn();
        object.list_mut().push(Attribute::new("TITLE", "Maize"));
        assert_eq!(object.remove("title"), Some(b"Corn".to_vec()));
        assert_eq!(object.remove("title"), None);
        check(&object, "Author=Ann Type=HTML");
    }

    #[test]
    fn text_is_lossy() {
        assert_eq!(Attribute::new("A", b"caf\xe9".to_vec()).text(), "caf\u{fffd}");
    }
}
