//! A broker's side of both ports: everything, or what changed, from our own gatherers and from those of the Harvest family.
//!
//! [`Gatherer::connect`] takes the address as people write it: `HOST[:PORT]` is the daemon port, `tls://HOST[:PORT]` the
//! same encrypted, `http://...` and `https://...` the HTTP port. It trusts nothing: replies are checked by code, objects
//! are read within limits, counts are compared, and a transfer that does not come to its end is an error.
//!
//! ```no_run
//! use gatherer_collect::{Approach, Collected, Gatherer, Place, Wish};
//!
//! let mut gatherer = Gatherer::connect("127.0.0.1:8500", &Approach::default())?;
//! let mut place = Place::default();
//! let round = gatherer.collect(&place, &Wish::default(), |item, _| {
//!     if let Collected::Update(object) = item {
//!         assert!(!object.url.is_empty());
//!     }
//!     Ok(())
//! })?;
//! place = round.place; // where the next round begins
//! # Ok::<(), gatherer_collect::CollectError>(())
//! ```

mod daemon;
mod place;
mod socket;
mod web;

pub use daemon::Collector;
pub use place::{Place, PlaceError, PlaceFile};

use gatherer_soif::{Object, ReadError};
use std::io;
use std::time::Duration;
use thiserror::Error;
use web::Web;

/// Why collecting ended early.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CollectError {
    /// Nobody there.
    #[error("cannot connect to {address}\ncheck host and port, and that `gatherer serve` is running there")]
    Connect {
        /// Where.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Somebody is there who does not greet.
    #[error(
        "{address} does not greet as a gatherer does\ncheck the port: `gatherer serve` says where it listens; an encrypted one is asked as tls://HOST:PORT"
    )]
    Silent {
        /// Where.
        address: String,
    },
    /// Somebody is there who takes a question and never answers.
    #[error(
        "{address} takes questions and does not answer\ncheck the address: `gatherer serve` says where it listens; an encrypted port is asked with https://"
    )]
    Mute {
        /// Where.
        address: String,
    },
    /// The other side said something else than expected.
    #[error("expected a {expected:03} reply from {address}, got {found:?}")]
    Reply {
        /// Who.
        address: String,
        /// The code that should have come.
        expected: u16,
        /// What came.
        found: String,
    },
    /// The other side refused, in its own words.
    #[error("{address} answers {status}: {detail}")]
    Refused {
        /// Who.
        address: String,
        /// With which status.
        status: u16,
        /// Why.
        detail: String,
    },
    /// The place we were at means nothing there any more.
    #[error("{address} cannot go on from where we were: {detail}\nremove the cursor file to collect everything anew")]
    Lost {
        /// Who.
        address: String,
        /// In its own words.
        detail: String,
    },
    /// The connection broke.
    #[error("the connection to {address} broke off: {source}")]
    Broken {
        /// Who.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// The stream of objects is damaged beyond going on, or stops in the middle.
    #[error("the transfer from {address} cannot be read to its end: {source}")]
    Damaged {
        /// Who.
        address: String,
        /// Where and why.
        source: ReadError,
    },
    /// The stream of changes is not what it should be.
    #[error("what {address} sends cannot be understood: {what}")]
    Nonsense {
        /// Who.
        address: String,
        /// What.
        what: String,
    },
    /// Fewer or more objects than the other side says it sent.
    #[error("{address} says it sent {sent} objects, {received} arrived")]
    Count {
        /// Who.
        address: String,
        /// Its count.
        sent: u64,
        /// Ours.
        received: u64,
    },
    /// The caller could not take an object.
    #[error("cannot write what was collected")]
    Taker(#[source] io::Error),
    /// Something is wrong with how it was to be approached.
    #[error("{0}")]
    Approach(String),
}

impl CollectError {
    /// Whether the same may go well later: the network, or the other side, is in trouble.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Connect { .. }
            | Self::Silent { .. }
            | Self::Mute { .. }
            | Self::Broken { .. }
            | Self::Count { .. } => true,
            Self::Damaged { source, .. } => !source.can_go_on(),
            Self::Refused { status, .. } => matches!(status, 429 | 500..=599 | 904),
            // Too many at once, too often, or a store in trouble.
            Self::Reply { expected, found, .. } => {
                *expected == 499 || ["904 ", "908 ", "909 "].iter().any(|code| found.starts_with(code))
            }
            _ => false,
        }
    }
}

/// How a gatherer is approached.
#[derive(Debug, Clone)]
pub struct Approach {
    /// A word that gives rights, over HTTP.
    pub token: Option<String>,
    /// Certificates to trust beside the system's, as PEM.
    pub trusted: Option<Vec<u8>>,
    /// Longest silence of the other side.
    pub limit: Duration,
}

impl Default for Approach {
    fn default() -> Self {
        Self { token: None, trusted: None, limit: Duration::from_mins(2) }
    }
}

/// What to collect, and how.
#[derive(Debug, Clone)]
pub struct Wish {
    /// Packed instead of plain.
    pub compression: bool,
    /// Ask for deletions and refreshes, too. (What goes by cursor always has them.)
    pub deletions: bool,
    /// These kinds only,
    pub kinds: Vec<String>,
    /// of this root node,
    pub root: Option<String>,
    /// of this host and those below it,
    pub site: Option<String>,
    /// with these attributes.
    pub attributes: Vec<String>,
    /// If there is nothing new, wait so long for it. Over HTTP only.
    pub wait: Duration,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            compression: true,
            deletions: true,
            kinds: Vec::new(),
            root: None,
            site: None,
            attributes: Vec::new(),
            wait: Duration::ZERO,
        }
    }
}

impl Wish {
    /// Whether only a part of what is there is wanted.
    pub fn is_partial(&self) -> bool {
        !self.kinds.is_empty() || self.root.is_some() || self.site.is_some() || !self.attributes.is_empty()
    }
}

/// One thing collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Collected {
    /// A new or changed object, or all we have.
    Update(Object),
    /// New times for an object whose content is the same.
    Refresh(Object),
    /// An object is gone.
    Delete(Object),
}

impl Collected {
    /// Of what.
    pub fn object(&self) -> &Object {
        let (Self::Update(object) | Self::Refresh(object) | Self::Delete(object)) = self;
        object
    }
}

/// How much was collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Whole objects.
    pub updated: u64,
    /// Refreshes.
    pub refreshed: u64,
    /// Deletions.
    pub deleted: u64,
    /// Objects that could not be read and were passed over.
    pub damaged: u64,
}

impl Tally {
    fn count(&mut self, item: &Collected) {
        match item {
            Collected::Update(_) => self.updated += 1,
            Collected::Refresh(_) => self.refreshed += 1,
            Collected::Delete(_) => self.deleted += 1,
        }
    }

    /// All of it.
    pub fn total(self) -> u64 {
        self.updated + self.refreshed + self.deleted + self.damaged
    }
}

/// What one round of collecting came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// How much came.
    pub tally: Tally,
    /// Where the next round begins.
    pub place: Place,
}

/// Takes what is collected, and where that stands if the other side says so.
pub(crate) type Take<'a> = &'a mut dyn FnMut(Collected, Option<&str>) -> io::Result<()>;

/// A gatherer to collect from, by either of its ports.
pub enum Gatherer {
    /// By the protocol of Harvest.
    Daemon(Box<Collector>),
    /// By HTTP.
    Web(Web),
}

impl Gatherer {
    /// Where gatherers have always listened.
    pub const PORT: u16 = 8500;

    /// Connects.
    ///
    /// # Errors
    /// When nobody is there, or somebody who is no gatherer.
    pub fn connect(address: &str, approach: &Approach) -> Result<Self, CollectError> {
        if address.starts_with("http://") || address.starts_with("https://") {
            return Web::new(address, approach).map(Self::Web);
        }
        Collector::connect(address, approach).map(|collector| Self::Daemon(Box::new(collector)))
    }

    /// The gatherer's description of itself.
    ///
    /// # Errors
    /// When the session breaks or the answer is no object.
    pub fn info(&mut self) -> Result<Option<Object>, CollectError> {
        match self {
            Self::Daemon(collector) => collector.info(),
            Self::Web(web) => web.info().map(Some),
        }
    }

    /// One round: what is new behind `place`, handed to `take` as it arrives, each item perhaps with its cursor.
    ///
    /// # Errors
    /// When it does not come whole; what was taken before is then only a part.
    pub fn collect(
        &mut self,
        place: &Place,
        wish: &Wish,
        mut take: impl FnMut(Collected, Option<&str>) -> io::Result<()>,
    ) -> Result<Round, CollectError> {
        match self {
            Self::Daemon(collector) => collector.collect(place, wish, &mut take),
            Self::Web(web) => web.collect(place, wish, &mut take),
        }
    }
}
