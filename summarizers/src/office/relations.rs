//! How the parts of an Office Open XML package refer to each other and to the world.

use super::package::Package;
use super::xml::{Token, attribute};

/// Most relations of one part.
const LIMIT: usize = 100_000;

/// A relation of a part.
#[derive(Debug)]
pub(super) struct Relation {
    pub(super) id: String,
    /// The last word of its type, such as `hyperlink`; two standards differ in what stands before.
    pub(super) kind: String,
    /// A part of the package, or a URL.
    pub(super) target: String,
}

/// The relations of one part, sorted by their ids.
#[derive(Debug, Default)]
pub(super) struct Relations(Vec<Relation>);

impl Relations {
    /// Reads those of a part; those of the package itself if `part` is empty.
    pub(super) fn of(package: &mut Package<'_>, part: &str) -> Self {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let mut found = Vec::new();
        package.visit(&format!("{folder}/_rels/{name}.rels"), |token| {
            if let Token::Start(tag) = token
                && tag.local_name().as_ref() == "Relationship"
                && let (Some(id), Some(kind)) = (attribute(&tag, "Id"), attribute(&tag, "Type"))
                && let Some(target) = attribute(&tag, "Target")
            {
                let is_external = attribute(&tag, "TargetMode").is_some_and(|mode| mode == "External");
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let target = if is_external { target } else { resolved(folder, &target) };
                found.push(Relation { id, kind, target });
            }
            found.len() < LIMIT
        });
        found.sort_by(|one, other| one.id.cmp(&other.id));
        Self(found)
    }

    /// Where the relation of this id leads.
    pub(super) fn target(&self, id: &str) -> Option<&str> {
        let place = self.0.binary_search_by(|relation| relation.id.as_str().cmp(id)).ok()?;
        self.0.get(place).map(|relation| relation.target.as_str())
    }

    /// Where the relations of a kind lead, each place once, in the order of their names.
    pub(super) fn all(&self, kind: &str) -> Vec<String> {
        let mut targets: Vec<_> =
            self.0.iter().filter(|relation| relation.kind == kind).map(|relation| relation.target.clone()).collect();
        targets.sort_by(|one, other| one.len().cmp(&other.len()).then_with(|| one.cmp(other)));
        targets.dedup();
        targets
    }
}

/// The part that a target names, seen from a folder.
pub(crate) fn resolved(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            step => path.push(step),
        }
    }
    path.join("/")
}
