//! Members: the summaries of what was inside a container, kept under the container's URL as
//! attributes named `Embed<k>-Name`. Members may have members: `Embed<1>-Embed<2>-Name`.

use std::collections::BTreeMap;

use crate::{Attribute, Object};

impl Object {
    /// Takes all attributes of `inner` in as member `number`, in the place of what that member
    /// had before. Template and URL of `inner` are not kept; its name inside the container
    /// belongs into `Nested-Filename`.
    pub fn embed(&mut self, number: u32, inner: &Object) {
        let list = self.list_mut();
        list.retain(|attribute| split(&attribute.name).is_none_or(|(other, _)| other != number));
        list.extend(inner.iter().map(|attribute| {
            let name = format!("Embed<{number}>-{}", attribute.name);
            Attribute::new(name, attribute.value.clone())
        }));
    }

    /// Member `number` with its attributes under their own names and the container's template
    /// and URL, if there is such a member.
    pub fn member(&self, number: u32) -> Option<Object> {
        let mut member = Object::new(&self.template, &self.url);
        for attribute in self {
            if let Some((other, name)) = split(&attribute.name)
                && other == number
            {
                member.list_mut().push(Attribute::new(name, attribute.value.clone()));
            }
        }
        (!member.attributes().is_empty()).then_some(member)
    }

    /// All members in the order of their numbers, each as [`member`](Self::member) gives it.
    pub fn members(&self) -> impl Iterator<Item = (u32, Object)> + use<> {
        let mut members = BTreeMap::new();
        for attribute in self {
            if let Some((number, name)) = split(&attribute.name) {
                let member = members.entry(number).or_insert_with(|| Object::new(&self.template, &self.url));
                member.list_mut().push(Attribute::new(name, attribute.value.clone()));
            }
        }
        members.into_iter()
    }

    /// Sorts the attributes by name; those of members come last, by number and then by name.
    pub fn sort(&mut self) {
        self.list_mut().sort_by_cached_key(|attribute| rank(&attribute.name));
    }
}

/// `Embed<7>-Title` is `Title` of member 7.
fn split(name: &str) -> Option<(u32, &str)> {
    let (prefix, rest) = name.split_at_checked("Embed<".len())?;
    let (number, inner) = rest.split_once(">-")?;
    let decimal = number.bytes().all(|byte| byte.is_ascii_digit());
    if !prefix.eq_ignore_ascii_case("Embed<") || !decimal || inner.is_empty() {
        return None;
    }
    Some((number.parse().ok()?, inner))
}

/// Member numbers from the outside in, then the name without regard to case, then as written.
fn rank(name: &str) -> (Vec<u32>, String, String) {
    let mut numbers = Vec::new();
    let mut inner = name;
    while let Some((number, rest)) = split(inner) {
        numbers.push(number);
        inner = rest;
    }
    (numbers, inner.to_ascii_lowercase(), name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Object {
        names.iter().fold(Object::new("FILE", "ftp://h/a.tar"), |object, name| object.with(*name, "v"))
    }

    fn check(object: &Object, expected: &[&str]) {
        let names: Vec<_> = object.iter().map(|attribute| attribute.name.as_str()).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn only_whole_prefixes_name_members() {
        for (name, expected) in [
            ("Embed<1>-Title", Some((1, "Title"))),
            ("embed<12>-Nested-Filename", Some((12, "Nested-Filename"))),
            ("Embed<1>-Embed<2>-Title", Some((1, "Embed<2>-Title"))),
            ("Embed<4294967295>-T", Some((u32::MAX, "T"))),
            ("Embed<4294967296>-T", None),
            ("Embed<+1>-T", None),
            ("Embed<>-T", None),
            ("Embed<1>-", None),
            ("Embed<1>T", None),
            ("Embedded", None),
            ("Ümbéd<1>-T", None),
            ("", None),
        ] {
            assert_eq!(split(name), expected, "{name}");
        }
    }

    #[test]
    fn sorting_puts_members_last_by_number() {
        let names = [
            "Embed<10>-A",
            "Embed<2>-B",
            "type",
            "Embed<2>-Embed<1>-A",
            "Embed<2>-a",
            "Title",
            "Abstract",
            "Embedding",
        ];
        let mut object = named(&names);
        object.sort();
        check(
            &object,
            &[
                "Abstract",
                "Embedding",
                "Title",
                "type",
                "Embed<2>-a",
                "Embed<2>-B",
                "Embed<2>-Embed<1>-A",
                "Embed<10>-A",
            ],
        );
    }

    #[test]
    fn a_member_comes_out_as_it_went_in() {
        let inner = named(&["Title", "Nested-Filename"]);
        let mut outer = named(&["Type"]);
        outer.embed(3, &inner);
        check(&outer, &["Type", "Embed<3>-Title", "Embed<3>-Nested-Filename"]);
        assert_eq!(outer.member(3), Some(inner));
        assert_eq!(outer.member(1), None);
    }

    #[test]
    fn embedding_again_replaces_the_member() {
        let mut outer = named(&["Embed<1>-Title", "Embed<1>-Type", "Embed<2>-Title"]);
        outer.embed(1, &named(&["Author"]));
        check(&outer, &["Embed<2>-Title", "Embed<1>-Author"]);
    }

    #[test]
    fn members_nest_and_come_in_order() {
        let mut inner = named(&["Type"]);
        inner.embed(1, &named(&["Title"]));
        let mut outer = named(&["Type"]);
        outer.embed(10, &named(&["Title"]));
        outer.embed(2, &inner);
        assert_eq!(outer.members().collect::<Vec<_>>(), [(2, inner), (10, named(&["Title"]))]);
        let innermost = outer.member(2).and_then(|member| member.member(1));
        assert_eq!(innermost, Some(named(&["Title"])));
    }
}
