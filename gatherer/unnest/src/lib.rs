//! Opens what is nested: compression, archives, mailboxes, mail with attachments, and XML or feeds by rule.
//!
//! Bytes in, members out, under [`Limits`]. [`form`] says whether and how a kind is opened, [`open`] hands out the
//! members one by one. Whoever calls them recognizes each member and opens it in turn with the same [`Budget`], one
//! level deeper; so the limits hold over a document with all that is in it, and no archive can be deeper than they say.
//!
//! What it is not for: it knows no recognition, no store and no network, and never runs anything it finds.
//!
//! Limits hold while unpacking: no declared size is believed, and no bomb is unpacked further than its limit. Names are
//! relative paths without `..`. What cannot be had is told as [`Lost`], with its reason, so that it gets its fate too.
//!
//! ```
//! use gatherer_pipeline::Kind;
//! use gatherer_unnest::{Budget, Document, Form, Limits, Rules, form, open};
//!
//! let body = b"begin 644 notes.txt\n#0V%T\n`\nend\n";
//! let kind = Kind::new("Uuencoded");
//! let rules = Rules::default();
//! assert_eq!(form(&kind, body, &rules), Some(Form::Wrapper));
//!
//! let budget = Budget::new(Limits::default(), body.len());
//! let document = Document { kind: &kind, name: "notes.uu", body, depth: 0 };
//! let mut members = Vec::new();
//! open(&document, &rules, &budget, &mut |member| members.push(member))?;
//!
//! let member = members.remove(0).expect("it was whole");
//! assert_eq!((member.name.as_str(), member.body.as_slice()), ("notes.txt", b"Cat".as_slice()));
//! # Ok::<(), gatherer_unnest::Trouble>(())
//! ```

mod ar;
mod budget;
mod compress;
mod cpio;
mod encodings;
mod feed;
mod mailbox;
mod mime;
mod names;
mod outlet;
mod seven_zip;
mod shar;
mod tar;
mod trouble;
mod uuencode;
mod wrappers;
mod xml;
mod zip;

#[cfg(test)]
mod tests;

pub use budget::{Budget, FREE_OF_RATIO, Limit, Limits};
pub use trouble::Trouble;

use gatherer_pipeline::{Child, Kind, UnixTime};
use outlet::{Found, Outlet};
use wrappers::Packing;

/// Something to be opened.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// What it was recognized as.
    pub kind: &'a Kind,
    /// Its name or path; what comes out of a wrapper is named after it.
    pub name: &'a str,
    /// All of its bytes.
    pub body: &'a [u8],
    /// How deep it lies: 0 was fetched, 1 came out of that, and so on.
    pub depth: u32,
}

/// Something that came out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// A relative path, unique within its container: no `..`, no control characters. It is not percent-encoded.
    pub name: String,
    /// Its bytes, all of them unless the complaint says otherwise.
    pub body: Vec<u8>,
    /// When it was last changed, if the container knows.
    pub modified: Option<UnixTime>,
    /// What the container knows of its kind.
    pub hint: Hint,
    /// What is wrong with it, if it could be had nevertheless.
    pub complaint: Option<String>,
}

/// What a container knows of the kind of a member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Hint {
    /// Nothing.
    #[default]
    None,
    /// A media type with its charset, as the header of a mail part says: a claim, not a proof.
    MediaType(String),
    /// A kind that follows from the form of the container, such as `Mail` for the messages of a mailbox.
    Kind(Kind),
}

/// A member that is there but cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// Its name, made safe as far as it goes; for showing, not unique.
    pub name: String,
    /// Why: encrypted, damaged, a link, over a limit.
    pub reason: String,
}

/// How a kind is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// There is one thing inside, and it takes the place of what it is wrapped in.
    Wrapper,
    /// There are members inside; what holds them is no document of its own.
    Container,
    /// It is a document of its own, to be summarized, and has others with it: mail with attachments.
    Carrier,
}

/// What the operator wants opened besides archives and compression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Whether mailboxes are split into their messages.
    pub mailboxes: bool,
    /// Whether attachments are taken out of mail.
    pub attachments: bool,
    /// Whether feeds are split into their entries.
    pub feeds: bool,
    /// Elements at which XML is split, by their name with or without prefix; the outermost of them count.
    pub xml_elements: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self { mailboxes: true, attachments: true, feeds: false, xml_elements: Vec::new() }
    }
}

/// Whether and how something of this kind is opened.
pub fn form(kind: &Kind, body: &[u8], rules: &Rules) -> Option<Form> {
    if Packing::of(kind, body).is_some() {
        return Some(if is_packed_tar(kind) { Form::Container } else { Form::Wrapper });
    }
    match kind.name() {
        "Tar" | "Zip" | "JavaArchive" | "SevenZip" | "ShellArchive" => Some(Form::Container),
        "Archive" => (ar::is_ar(body) || cpio::is_cpio(body)).then_some(Form::Container),
        "Uuencoded" => Some(if uuencode::is_single(body) { Form::Wrapper } else { Form::Container }),
        "Mail" | "Mailbox" if mailbox::is_mailbox(body) => rules.mailboxes.then_some(Form::Container),
        "Mail" => (rules.attachments && mime::may_carry(body)).then_some(Form::Carrier),
        "XML" => xml::may_split(body, rules).then_some(Form::Container),
        "Feed" => rules.feeds.then_some(Form::Container),
        _ => None,
    }
}

/// Calls `each` for every member in order, also for those that cannot be had. What was handed out before trouble came
/// stays valid.
pub fn open(
    document: &Document<'_>,
    rules: &Rules,
    budget: &Budget,
    each: &mut dyn FnMut(Result<Member, Lost>),
) -> Result<(), Trouble> {
    let Document { kind, name, body, depth } = *document;
    budget.allow_depth(depth)?;
    let mut outlet = Outlet::new(budget, each);
    if let Some(packing) = Packing::of(kind, body) {
        return wrappers::open(packing, document, is_packed_tar(kind), &mut outlet);
    }
    match kind.name() {
        "Tar" => tar::open(kind, body, &mut outlet),
        "Zip" | "JavaArchive" => zip::open(kind, body, &mut outlet),
        "SevenZip" => seven_zip::open(kind, body, &mut outlet),
        "Archive" if ar::is_ar(body) => ar::open(body, &mut outlet),
        "Archive" if cpio::is_cpio(body) => cpio::open(body, &mut outlet),
        "Archive" => Err(Trouble::NoWay("an archive of another form than ar and cpio".to_owned())),
        "Uuencoded" => uuencode::open(kind, body, &mut outlet),
        "ShellArchive" => shar::open(kind, body, &mut outlet),
        "Mail" | "Mailbox" if mailbox::is_mailbox(body) => mailbox::open(body, &mut outlet),
        "Mail" => mime::open(kind, body, &mut outlet),
        "XML" => xml::open(body, rules, &mut outlet),
        "Feed" => feed::open(kind, body, &mut outlet),
        _ => Err(Trouble::NoWay(format!("{name} is of the kind {kind}, which has nothing inside"))),
    }
}

/// Whether there can be members in something of this kind: if they would be made otherwise now, it has to be opened again.
pub fn may_hold(kind: &str) -> bool {
    let archives = ["Zip", "JavaArchive", "SevenZip", "ShellArchive", "Archive", "Uuencoded"];
    let texts = ["Mail", "Mailbox", "XML", "Feed"];
    kind.ends_with("Tar") || archives.contains(&kind) || texts.contains(&kind)
}

/// Calls `each` for every child that a summarizer has taken out of a document, under the same limits and with names made
/// safe as for any member.
///
/// # Errors
/// Which limit was reached.
pub fn take(
    children: Vec<Child>,
    depth: u32,
    budget: &Budget,
    each: &mut dyn FnMut(Result<Member, Lost>),
) -> Result<(), Trouble> {
    budget.allow_depth(depth)?;
    let mut outlet = Outlet::new(budget, each);
    for Child { name, kind, media_type, modified, content } in children {
        let hint = match (kind, media_type) {
            (Some(kind), _) => Hint::Kind(kind),
            (None, Some(media_type)) => Hint::MediaType(media_type),
            (None, None) => Hint::None,
        };
        outlet.give(Found { name, modified, hint, complaint: None }, content)?;
    }
    Ok(())
}

fn is_packed_tar(kind: &Kind) -> bool {
    kind.name() != "Tar" && kind.name().ends_with("Tar")
}
