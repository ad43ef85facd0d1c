//! The gatherer's store on RocksDB: the only room that knows keys and column families.
//!
//! It offers the life of a record as whole steps, each of them one atomic batch: [`Store::offer`] takes candidates
//! up, [`Store::finish`] writes down a visit with all that it leaves behind, [`Store::fold_chunk`] and
//! [`Store::delete`] move results to where brokers see them, and a [`View`] shows that from one moment.
//! A process that dies between two steps has lost nothing and doubled nothing; the next run goes on from there.
//! What to visit, when to delete and how to serve is decided elsewhere.
//!
//! ```
//! use gatherer_store::{Memory, Store};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let directory = tempfile::tempdir()?;
//! let store = Store::open(directory.path(), Memory::default())?;
//! assert_eq!(store.view().records().count(), 0);
//! # Ok(())
//! # }
//! ```

mod adopt;
mod bodies;
mod clock;
mod disk;
mod error;
mod fault;
mod fold;
mod frontier;
mod hosts;
mod identity;
mod keys;
mod members;
mod options;
mod packing;
mod parsers;
mod recent;
mod record;
mod reports;
mod roots;
mod store;
#[cfg(test)]
mod tests;
mod timetable;
mod told;
mod upkeep;
mod view;
mod visit;

pub use adopt::{Adopted, Adoption, Hearing, SourcePlace};
pub use bodies::KeptBody;

pub use error::StoreError;
pub use fold::Folding;
pub use frontier::{Lane, Ticket, Work};
pub use hosts::{Alias, RobotsCopy};
pub use members::{Opened, Reading, Within};
pub use options::Memory;
pub use record::{Body, Change, ChangeKind, Head, Raw, RawHead, Record};
pub use roots::Holding;
pub use store::{Deletion, DerivedNode, Offer, Run, Store, Terms};
pub use upkeep::{
    Backup, Finding, Forgetting, Forgotten, Inspection, Mending, PartSize, Restored, SiteSize, Statistics, Watch,
    back_up, backups, restore,
};
pub use view::{Place, Production, Range, View, Walk};
pub use visit::Visit;
