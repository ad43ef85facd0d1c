//! The types that pass between the stages, and the reasons why a resource leaves the line.
//!
//! A document travels as [`Candidate`] -> [`Prepared`] -> [`Fetched`] -> [`Recognized`] -> [`Draft`]
//! -> [`Summary`] -> [`Folded`]. Each type has one constructor, and what that constructor asks for is
//! the proof that the stage before was passed. What does not get through becomes a [`Departure`],
//! which the [`ledger`] keeps, so that "what became of this URL" always has an answer.
//!
//! Nothing here touches network, disk or the machine's clock (apart from [`SystemClock`], which the
//! program hands to the engine once).
//!
//! ```
//! use gatherer_pipeline::{Candidate, Departure, Stop};
//! use url::Url;
//!
//! let found = Candidate::start(Url::parse("http://example.org/")?, "docs");
//! let child = found.child(Url::parse("http://example.org/a")?);
//! assert_eq!(child.depth(), 1);
//!
//! let stop = Stop::from(Departure::TooDeep { limit: 0 });
//! assert!(matches!(stop, Stop::Left(_)));
//! # Ok::<(), url::ParseError>(())
//! ```

mod access;
mod candidate;
mod departure;
pub mod events;
mod fetched;
mod host;
mod kind;
pub mod ledger;
pub mod life;
mod node;
pub mod quantity;
pub mod report;
pub mod schedule;
mod summarizer;
mod summary;
mod time;
mod visitor;

pub use access::{AccessRule, Right, Source, Standing, Token, Who};
pub use candidate::{Admission, Candidate, Hint, Known, Prepared, Role};
pub use departure::{Departure, Failure, Step, Stop, Unchanged, sentence};
pub use fetched::{Fetched, Md5, Packed, Validators};
pub use host::{HostNews, HostState};
pub use kind::{Kind, Recognized, Vote};
pub use ledger::{Entry, Fate, Glance, Outcome};
pub use life::State;
pub use node::{
    Access, EnumerationProgram, Enumerator, FilterRule, Order, PriorityRule, QueryPolicy, RootNode, UrlRules, Verdict,
    derived_name, host_name, host_of_server, origin, parent_name, server_name,
};
pub use summarizer::{Child, Draft, Facts, Leaf, Reference, Refusal, Summarizer, guarded};
pub use summary::{Attribute, Folded, Summary, Times};
pub use time::{Clock, ManualClock, SystemClock, UnixTime};
pub use visitor::{Login, Secret, Visitor};
