//! The summary object and its stream form: SOIF, the Summary Object Interchange Format that
//! Harvest's gatherers, brokers and tools exchange.
//!
//! An object is a template type, a URL and a list of attributes; each attribute carries its size
//! in bytes, so a value may hold anything:
//!
//! ```text
//! @FILE { http://example.org/corn
//! Title{4}:<TAB>Corn
//! Keywords{11}:<TAB>maize
//! sweet
//! }
//! ```
//!
//! - [`Object`] is one summary in memory; the summaries of what was inside an archive ride along
//!   as its members ([`Object::embed`], [`Object::members`]).
//! - [`Writer`] emits what Harvest's own writer emits, byte for byte, and refuses what no reader
//!   could read back.
//! - [`Reader`] takes a stream apart event by event or object by object. It accepts what Harvest's
//!   C library accepts, holds no more than its [`Limits`] allow, and goes on with the next object
//!   after a malformed one.
//! - [`attributes`] and [`write_attributes`] handle the form without header and closing brace that
//!   summarizer programs print and read.
//! - [`to_json`] and [`write_xml`] say the same in forms that programs of today read.
//!
//! What it is not for: it attaches no meaning to attributes, does no character set conversion of
//! values (SOIF knows none; a value is bytes), and speaks no protocol. It touches memory and the
//! given `Read` and `Write` only.
//!
//! # Example
//!
//! ```
//! use gatherer_soif::{Object, Reader, Wrapper, Writer};
//!
//! let corn = Object::new("FILE", "http://example.org/corn").with("Title", "Corn");
//!
//! let mut writer = Writer::new(Vec::new());
//! writer.empty_wrapper(Wrapper::Delete)?;
//! writer.begin_wrapper(Wrapper::Update)?;
//! writer.object(&corn)?;
//! writer.end_wrapper()?;
//! let stream = writer.into_inner();
//! assert_eq!(
//!     stream,
//!     b"@DELETE { }\n@UPDATE {\n@FILE { http://example.org/corn\nTitle{4}:\tCorn\n}\n\n}\n"
//! );
//!
//! let mut reader = Reader::new(stream.as_slice());
//! assert_eq!(reader.next_object()?, Some(corn));
//! assert_eq!(reader.next_object()?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What reading promises
//!
//! - Whatever the [`Reader`] gives as an object the [`Writer`] accepts (with equal limits).
//! - Memory grows with the bytes that really arrive, never with a size that is only claimed.
//! - Any input ends: after the last object, after an error of the source, or where it was cut.
//! - A template, URL or name that is not UTF-8 is taken as ISO 8859-1, the character set of
//!   Harvest's time; values stay as they are.

mod bare;
mod embed;
mod error;
mod event;
mod form;
mod head;
mod input;
mod items;
mod legal;
mod object;
mod reader;
mod writer;

pub use bare::{Complaint, attributes};
pub use error::{ReadError, WriteError};
pub use event::{Event, Item, Wrapper};
pub use form::{to_json, write_xml};
pub use legal::Limits;
pub use object::{Attribute, Object};
pub use reader::Reader;
pub use writer::{Writer, to_bytes, write_attributes};
