//! A URL found, and a URL judged.

use crate::{Entry, Md5, UnixTime, Validators};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use url::Url;

/// What a resource is gathered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Role {
    /// For its record and for where it leads.
    #[default]
    Page,
    /// For its record only.
    Leaf,
    /// For what it names only: a sitemap. It gets no record.
    Map,
    /// Found inside of another resource, whose visits are its own. It lives and dies with it.
    Member,
    /// Collected from another gatherer, who visits it. It lives for as long as that one has it.
    Collected,
}

/// What others say of a resource before it is visited. Believed as far as it saves traffic, never further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hint {
    /// When it last changed.
    pub modified: Option<UnixTime>,
    /// How often it changes.
    pub interval: Option<Duration>,
    /// How important it is among its own, from -5 to 5.
    pub points: i8,
}

/// A URL found, not yet judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    url: Url,
    root: String,
    depth: u32,
    found_on: Option<Url>,
    role: Role,
    hops: u32,
    hint: Hint,
}

impl Candidate {
    /// Where a root node begins.
    pub fn start(url: Url, root: impl Into<String>) -> Self {
        let hint = Hint::default();
        Self { url, root: root.into(), depth: 0, found_on: None, role: Role::Page, hops: 0, hint }
    }

    /// A leaf node: gathered, but nothing is followed from it.
    pub fn leaf(url: Url, root: impl Into<String>) -> Self {
        Self { role: Role::Leaf, ..Self::start(url, root) }
    }

    /// A sitemap, read for what it names.
    pub fn map(url: Url, root: impl Into<String>) -> Self {
        Self { role: Role::Map, ..Self::start(url, root) }
    }

    /// A resource whose record another gatherer has made.
    pub fn collected(url: Url, source: impl Into<String>) -> Self {
        Self { role: Role::Collected, ..Self::start(url, source) }
    }

    /// A resource that the ledger knows already and that is due again.
    pub fn again(entry: &Entry) -> Self {
        Self {
            url: entry.url.clone(),
            root: entry.root.clone(),
            depth: entry.depth,
            found_on: entry.found_on.clone(),
            role: entry.role,
            hops: entry.hops,
            hint: Hint::default(),
        }
    }

    /// A reference found on this resource: one level deeper, same root node.
    #[must_use]
    pub fn child(&self, url: Url) -> Self {
        Self {
            url,
            root: self.root.clone(),
            depth: self.depth + 1,
            found_on: Some(self.url.clone()),
            role: Role::Page,
            hops: 0,
            hint: Hint::default(),
        }
    }

    /// A resource that this sitemap names, with what it says of it. All documents that a site's maps name are one level
    /// below the root node; maps themselves count their own nesting.
    #[must_use]
    pub fn mapped(&self, url: Url, role: Role, hint: Hint) -> Self {
        let depth = if role == Role::Map { self.depth + 1 } else { 1 };
        Self { depth, role, hint, ..self.child(url) }
    }

    /// What is inside of this resource, under the URL that it has there.
    #[must_use]
    pub fn member(&self, url: Url) -> Self {
        Self { role: Role::Member, depth: self.depth, ..self.child(url) }
    }

    /// Where this resource redirects to: same level, one hop more. It is judged like any other candidate.
    #[must_use]
    pub fn moved(&self, url: Url) -> Self {
        Self { url, found_on: Some(self.url.clone()), hops: self.hops + 1, hint: Hint::default(), ..self.clone() }
    }

    /// The same candidate, found on this resource.
    #[must_use]
    pub fn found_at(self, url: Url) -> Self {
        Self { found_on: Some(url), ..self }
    }

    /// The same candidate under another form of its URL.
    #[must_use]
    pub fn at(&self, url: Url) -> Self {
        Self { url, ..self.clone() }
    }

    /// The same candidate under another root node.
    #[must_use]
    pub fn under(&self, root: &str) -> Self {
        Self { root: root.to_owned(), ..self.clone() }
    }

    /// The URL as found.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Name of the root node under which it was found.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// References followed from the root node to here.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The resource that refers to it.
    pub fn found_on(&self) -> Option<&Url> {
        self.found_on.as_ref()
    }

    /// What it is gathered for.
    pub fn role(&self) -> Role {
        self.role
    }

    /// What others say of it.
    pub fn hint(&self) -> Hint {
        self.hint
    }

    /// Redirects in a row that led here.
    pub fn hops(&self) -> u32 {
        self.hops
    }
}

/// What the gatherer remembers of a resource's last visit; decides whether it has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// What to send back to the server in a conditional request.
    pub validators: Validators,
    /// Digest of the body that the present record was made from.
    pub md5: Option<Md5>,
}

/// Who let a candidate in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    /// The scope rule that matched, in words.
    pub scope: String,
    /// The robots rule that matched, in words.
    pub robots: String,
}

/// A candidate in scope, allowed by robots rules and due.
#[derive(Debug, Clone)]
pub struct Prepared {
    candidate: Candidate,
    admission: Admission,
    known: Known,
}

impl Prepared {
    /// Joins a candidate with who let it in and what is known of it.
    pub fn new(candidate: Candidate, admission: Admission, known: Known) -> Self {
        Self { candidate, admission, known }
    }

    /// The candidate behind it.
    pub fn candidate(&self) -> &Candidate {
        &self.candidate
    }

    /// Who let it in.
    pub fn admission(&self) -> &Admission {
        &self.admission
    }

    /// What the last visit left.
    pub fn known(&self) -> &Known {
        &self.known
    }
}
