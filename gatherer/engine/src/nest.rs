//! What is inside of a resource: taken out level by level, each member recognized, selected, summarized and corrected
//! like a resource of its own.
//!
//! A wrapper (`paper.ps.gz`) gives way to what is in it: the record is that of the paper. A container (`papers.tar`) has
//! a record of its own, and so has each member, under the container's URL with its name as the fragment. References
//! between members are told, not followed: there is no such resource at the site.

use crate::desk::{Desk, Drafted};
use gatherer_pipeline::{
    Child, Departure, Fetched, Kind, Known, Md5, Prepared, Recognized, Summary, Times, Unchanged, UnixTime, Validators,
    Vote,
};
use gatherer_unnest::{Budget, Document, Form, Hint, Lost, Member as Taken, Trouble, form};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use url::Url;

/// What was found inside of a resource.
#[derive(Default)]
pub(crate) struct Inside {
    pub(crate) members: Vec<Member>,
    /// Whether there was anything to open.
    pub(crate) is_opened: bool,
    /// Why it was not read to its end, if it was not: who is missing then may still be there.
    pub(crate) troubles: Vec<String>,
}

/// One member and its fate.
pub(crate) struct Member {
    pub(crate) url: Url,
    pub(crate) fate: Result<Box<Made>, Departure>,
}

/// A member with its summary.
pub(crate) struct Made {
    pub(crate) summary: Summary,
    pub(crate) votes: Vec<Vote>,
    pub(crate) by: String,
    pub(crate) refused: bool,
    /// Where it leads.
    pub(crate) found: Vec<Url>,
}

/// What all members of one resource share.
pub(crate) struct Opening<'a> {
    /// The resource as it was fetched.
    pub(crate) outer: &'a Fetched,
    pub(crate) times: Times,
    pub(crate) now: UnixTime,
    /// The digest behind the present record of a member, if that was made as it would be made now.
    pub(crate) known: &'a dyn Fn(&Url) -> Option<Md5>,
    pub(crate) budget: &'a Budget,
    pub(crate) patience: &'a Patience,
}

/// How long the work on one resource may take, and how large the summaries of its members may become together: what is
/// small when packed may be large in a record.
pub(crate) struct Patience {
    end: Instant,
    bytes: Cell<u64>,
    /// How long parsers have taken, which is no summarizer's time.
    parsing: Cell<Duration>,
}

impl Patience {
    pub(crate) fn new(limit: Duration, bytes: u64) -> Self {
        Self { end: Instant::now() + limit, bytes: Cell::new(bytes), parsing: Cell::default() }
    }

    /// Why nothing more can be done.
    fn is_over(&self) -> Option<&'static str> {
        if self.bytes.get() == 0 {
            return Some("the records of what is in it are too large together");
        }
        (Instant::now() > self.end).then_some("it took too long")
    }

    /// Notes what a parser has taken.
    pub(crate) fn note_parsing(&self, took: Duration) {
        self.parsing.set(self.parsing.get() + took);
    }

    /// What parsers have taken so far.
    pub(crate) fn parsing(&self) -> Duration {
        self.parsing.get()
    }

    fn spend(&self, summary: &Summary, found: &[Url]) {
        let attributes = summary.attributes().iter().map(|attribute| attribute.name.len() + attribute.value.len());
        let found = found.iter().map(|url| url.as_str().len());
        let size: usize = attributes.chain(found).sum();
        self.bytes.set(self.bytes.get().saturating_sub(size as u64));
    }
}

/// A member that has members, waiting for its turn.
struct Nested {
    path: String,
    /// Itself, if it is to be opened.
    leaf: Option<Recognized>,
    /// What its summarizer has taken out of it.
    children: Vec<Child>,
    depth: u32,
}

impl Desk {
    /// Takes a resource out of all that it is wrapped in. What cannot be unwrapped stays as it is, with a complaint.
    pub(crate) fn unwrap(&self, mut leaf: Recognized, mut depth: u32, budget: &Budget) -> (Recognized, Option<String>) {
        while self.form(&leaf) == Some(Form::Wrapper) {
            let name = file_name(leaf.fetched.url());
            let document = Document { kind: leaf.kind(), name: &name, body: &leaf.fetched.body, depth };
            let (mut found, mut lost) = (None, None);
            let opened = self.take_out(&document, budget, &mut |member| match member {
                Ok(member) => found = Some(member),
                Err(Lost { reason, .. }) => lost = Some(reason),
            });
            let trouble = opened.err().or(lost);
            let Some(member) = found else {
                let trouble = trouble.unwrap_or_else(|| "there is nothing in it".to_owned());
                return (leaf, Some(format!("not unpacked: {trouble}")));
            };
            let (kind, votes) = self.votes(&beside(leaf.fetched.url(), &member.name), &member.hint, &member.body);
            let outer = leaf.kind().clone();
            leaf = Recognized::new(leaf.fetched.unpacked(&outer, member.body), kind, votes);
            if trouble.is_some() || member.complaint.is_some() {
                return (leaf, trouble.or(member.complaint).map(|what| format!("not wholly unpacked: {what}")));
            }
            depth += 1;
        }
        (leaf, None)
    }

    /// Opens a resource and all that is nested in it.
    pub(crate) fn open(&self, leaf: &Recognized, opening: &Opening<'_>) -> Inside {
        let mut inside = Inside { is_opened: self.has_members(leaf), ..Inside::default() };
        let mut nested = Vec::new();
        if inside.is_opened {
            self.open_one("", leaf, 0, opening, &mut inside, &mut nested);
        }
        self.open_nested(nested, opening, &mut inside);
        if leaf.fetched.cut_from.is_some() && inside.is_opened {
            inside.troubles.push("it was cut at the size limit".to_owned());
        }
        inside
    }

    /// Takes in what the summarizer of a resource has found inside of it.
    pub(crate) fn take_in(&self, children: Vec<Child>, opening: &Opening<'_>, inside: &mut Inside) {
        if children.is_empty() {
            return;
        }
        inside.is_opened = true;
        if opening.outer.cut_from.is_some() {
            inside.troubles.push("it was cut at the size limit".to_owned());
        }
        let first = Nested { path: String::new(), leaf: None, children, depth: 0 };
        self.open_nested(vec![first], opening, inside);
    }

    fn open_nested(&self, mut nested: Vec<Nested>, opening: &Opening<'_>, inside: &mut Inside) {
        while let Some(Nested { path, leaf, children, depth }) = nested.pop() {
            if let Some(leaf) = leaf {
                self.open_one(&path, &leaf, depth, opening, inside, &mut nested);
            }
            if !children.is_empty() {
                let take = |each: &mut dyn FnMut(Result<Taken, Lost>)| {
                    gatherer_unnest::take(children, depth, opening.budget, each).map_err(|trouble| trouble.to_string())
                };
                self.hand_out(&path, depth, opening, inside, &mut nested, take);
            }
        }
    }

    fn open_one(
        &self,
        path: &str,
        leaf: &Recognized,
        depth: u32,
        opening: &Opening<'_>,
        inside: &mut Inside,
        nested: &mut Vec<Nested>,
    ) {
        let name = if path.is_empty() { file_name(leaf.fetched.url()) } else { path.to_owned() };
        let document = Document { kind: leaf.kind(), name: &name, body: &leaf.fetched.body, depth };
        let take = |each: &mut dyn FnMut(Result<Taken, Lost>)| self.take_out(&document, opening.budget, each);
        self.hand_out(path, depth, opening, inside, nested, take);
    }

    /// Each member that is taken out goes down the line.
    fn hand_out(
        &self,
        path: &str,
        depth: u32,
        opening: &Opening<'_>,
        inside: &mut Inside,
        nested: &mut Vec<Nested>,
        take: impl FnOnce(&mut dyn FnMut(Result<Taken, Lost>)) -> Result<(), String>,
    ) {
        let Inside { members, troubles, .. } = inside;
        let base = opening.outer.url();
        let mut unfinished = Vec::new();
        let opened = take(&mut |member| match member {
            Ok(member) => {
                let path = joined(path, &member.name);
                if let Some(reason) = opening.patience.is_over() {
                    unfinished.push(reason.to_owned());
                    let fate = Err(Departure::Packed { reason: reason.to_owned() });
                    return members.push(Member { url: member_url(base, &path), fate });
                }
                let (member, inner, trouble) = self.member(path.clone(), member, depth + 1, opening);
                members.push(member);
                unfinished.extend(trouble.map(|trouble| format!("{path}: {trouble}")));
                nested.extend(inner);
            }
            Err(Lost { name, reason }) => {
                let url = member_url(base, &joined(path, &name));
                members.push(Member { url, fate: Err(Departure::Packed { reason }) });
            }
        });
        unfinished.dedup();
        troubles.extend(unfinished);
        if let Err(trouble) = opened {
            troubles.push(if path.is_empty() { trouble } else { format!("{path}: {trouble}") });
        }
    }

    /// Takes members out of a document. A reader that panics over foreign bytes has found them damaged.
    fn take_out(
        &self,
        document: &Document<'_>,
        budget: &Budget,
        each: &mut dyn FnMut(Result<Taken, Lost>),
    ) -> Result<(), String> {
        let opened = catch_unwind(AssertUnwindSafe(|| gatherer_unnest::open(document, self.unnesting(), budget, each)));
        opened.unwrap_or_else(|_| Err(Trouble::Damaged("its reader stumbled".to_owned()))).map_err(|t| t.to_string())
    }

    /// One member down the line; what there is in it; and why that may not be all.
    fn member(
        &self,
        path: String,
        member: Taken,
        depth: u32,
        opening: &Opening<'_>,
    ) -> (Member, Option<Nested>, Option<String>) {
        let url = member_url(opening.outer.url(), &path);
        let address = below(opening.outer.url(), &path);
        let (kind, votes) = self.votes(&address, &member.hint, &member.body);
        let leaf = Recognized::new(fetched(opening.outer, address, member.body, member.modified), kind, votes);
        let leaf = if matches!(member.hint, Hint::Kind(_)) { leaf } else { self.recognize_by_plugins(leaf) };
        let (leaf, trouble) = self.unwrap(leaf, depth, opening.budget);
        let is_nested = self.has_members(&leaf);
        // What has members of its own is opened again, for theirs.
        let is_same =
            !is_nested && !self.may_have_children(leaf.kind()) && (opening.known)(&url) == Some(leaf.fetched.md5());
        let selected = self.select(leaf.kind(), leaf.fetched.size());
        if let Err(departure) = selected.and(if is_same { Err(SAME) } else { Ok(()) }) {
            let nested = is_nested.then(|| Nested { path, leaf: Some(leaf), children: Vec::new(), depth });
            return (Member { url, fate: Err(departure) }, nested, trouble);
        }
        let kind = leaf.kind().clone();
        let mut drafted = self.draft(leaf);
        let trouble = trouble.or_else(|| self.unheard(&kind, &drafted));
        let children = drafted.draft.take_children();
        let complaints = trouble.clone().into_iter().chain(member.complaint);
        complaints.for_each(|complaint| drafted.draft.complain(complaint));
        let fate = self.make(&url, &path, &mut drafted, is_nested, opening).map(Box::new);
        let leaf = is_nested.then_some(drafted.leaf);
        let nested = (leaf.is_some() || !children.is_empty()).then_some(Nested { path, leaf, children, depth });
        (Member { url, fate }, nested, trouble)
    }

    /// Why it is not known what is inside of a document whose plugin has failed: nobody is gone because of that.
    pub(crate) fn unheard(&self, kind: &Kind, drafted: &Drafted) -> Option<String> {
        let is_unheard = drafted.refused && self.may_have_children(kind);
        is_unheard.then(|| "its summarizer failed, so nobody knows what is in it".to_owned())
    }

    fn make(
        &self,
        url: &Url,
        path: &str,
        drafted: &mut Drafted,
        is_nested: bool,
        opening: &Opening<'_>,
    ) -> Result<Made, Departure> {
        let (base, inner) = (opening.outer.url(), below(opening.outer.url(), ""));
        for reference in drafted.draft.references_mut() {
            if let Some(other) = reference.url.as_str().strip_prefix(inner.as_str()) {
                // The escapes of a path are those of a fragment, too.
                let mut member = base.clone();
                member.set_fragment(Some(other.split('?').next().unwrap_or(other)));
                (reference.url, reference.follow) = (member, false);
            } else if reference.url.origin() == base.origin() {
                // Most likely it was written for the place where the archive was packed.
                reference.follow = false;
            }
        }
        let rules = self.page_rules(drafted, opening.now);
        if let Some(rule) = rules.noindex {
            return Err(Departure::NoIndex { rule });
        }
        let references = drafted.draft.references().iter().filter(|reference| reference.follow && rules.follow);
        let found: Vec<_> = references.map(|reference| reference.url.clone()).collect();
        let summary = self.correct(drafted, Some((url, base, path)), opening.times, opening.patience)?;
        if !is_nested {
            self.select_language(&summary)?;
        }
        opening.patience.spend(&summary, &found);
        let (votes, by) = (drafted.leaf.votes().to_vec(), drafted.by.clone());
        Ok(Made { summary, votes, by, refused: drafted.refused, found })
    }

    /// Whether there are members in it.
    pub(crate) fn has_members(&self, leaf: &Recognized) -> bool {
        matches!(self.form(leaf), Some(Form::Container | Form::Carrier))
    }

    fn form(&self, leaf: &Recognized) -> Option<Form> {
        // These have switches of their own.
        let is_text = matches!(leaf.kind().name(), "Mail" | "Mailbox" | "XML" | "Feed");
        form(leaf.kind(), &leaf.fetched.body, self.unnesting()).filter(|_| is_text || self.opens())
    }

    fn votes(&self, address: &Url, hint: &Hint, body: &[u8]) -> (Kind, Vec<Vote>) {
        match hint {
            Hint::Kind(kind) => {
                let because = "what its container holds".to_owned();
                (kind.clone(), vec![Vote { voter: "container".to_owned(), kind: kind.clone(), because }])
            }
            Hint::MediaType(media_type) => self.recognizer().votes(address, Some(media_type), body),
            _ => self.recognizer().votes(address, None, body),
        }
    }
}

const SAME: Departure = Departure::Unchanged(Unchanged::EqualDigest);

/// A member as if it had been fetched with its container.
fn fetched(outer: &Fetched, address: Url, body: Vec<u8>, modified: Option<UnixTime>) -> Fetched {
    let candidate = outer.prepared.candidate().member(address);
    Fetched {
        prepared: Prepared::new(candidate, outer.prepared.admission().clone(), Known::default()),
        content_type: None,
        body,
        cut_from: None,
        robots_tag: String::new(),
        canonical: None,
        validators: Validators::default(),
        modified,
        at: outer.at,
        packed: None,
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") }
}

/// The URL of a member: its container's, with its path as the fragment.
pub(crate) fn member_url(container: &Url, path: &str) -> Url {
    let mut url = container.clone();
    url.set_fragment(Some(&path.replace('%', "%25")));
    url
}

/// The address that a member would have if its container were a directory: for its name, and as the base of its
/// relative references.
fn below(container: &Url, path: &str) -> Url {
    let mut address = container.clone();
    address.set_query(None);
    address.set_fragment(None);
    if let Ok(mut segments) = address.path_segments_mut() {
        segments.pop_if_empty().extend(path.split('/'));
    }
    address
}

/// The address of something of this name in the same directory.
fn beside(url: &Url, name: &str) -> Url {
    let mut address = url.clone();
    if let Ok(mut segments) = address.path_segments_mut() {
        segments.pop().push(name.rsplit('/').next().unwrap_or(name));
    }
    address
}

fn file_name(url: &Url) -> String {
    url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn members_stand_under_their_container() {
        let container = url("http://example.org/pub/a.zip?x=1");
        assert_eq!(
            member_url(&container, "docs/b c.html").as_str(),
            "http://example.org/pub/a.zip?x=1#docs/b%20c.html"
        );
        assert_eq!(member_url(&container, "100%.txt").fragment(), Some("100%25.txt"));
        assert_eq!(below(&container, "docs/b c.html").as_str(), "http://example.org/pub/a.zip/docs/b%20c.html");
        assert_eq!(below(&container, "").as_str(), "http://example.org/pub/a.zip/");
        assert_eq!(beside(&container, "a.txt").path(), "/pub/a.txt");
    }
}
