//! Out: what Harvest's writer emits, byte for byte.

use std::io::{self, Read, Write};

use crate::{Attribute, Limits, Object, Wrapper, WriteError, legal};

/// Values are copied from a source in pieces of this size.
const PIECE: usize = 8192;

/// Writes a stream of objects, whole or piece by piece.
///
/// It makes many small writes: give it something buffered. Names, templates and URLs are checked
/// against the rules and default [`Limits`] of reading before anything is written; values may be
/// of any size. After a write that failed half-way every further call is refused, so a damaged
/// stream does not go on looking whole.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    limits: Limits,
    wrapped: bool,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Between,
    Object,
    /// An earlier write failed; what is out is cut.
    Broken,
}

impl<W: Write> Writer<W> {
    /// A writer at the start of a stream.
    pub fn new(out: W) -> Self {
        Self { out, limits: Limits::default(), wrapped: false, place: Place::Between }
    }

    /// Writes a whole object. Attributes with an empty value are left out, as everywhere.
    ///
    /// # Errors
    /// As [`begin`](Self::begin) and [`attribute`](Self::attribute), and all names are checked
    /// before the first byte is written.
    pub fn object(&mut self, object: &Object) -> Result<(), WriteError> {
        for attribute in object {
            legal::name(&attribute.name, self.limits.name)?;
        }
        self.begin(&object.template, &object.url)?;
        for attribute in object {
            self.attribute(&attribute.name, &attribute.value)?;
        }
        self.end()
    }

    /// Writes the header of an object; its attributes and [`end`](Self::end) follow.
    ///
    /// # Errors
    /// [`WriteError::Illegal`] for a template or URL that could not be read back,
    /// [`WriteError::Misplaced`] inside an object, [`WriteError::Sink`].
    pub fn begin(&mut self, template: &str, url: &str) -> Result<(), WriteError> {
        self.expect(Place::Between, "begin an object")?;
        legal::template(template, self.limits.name)?;
        legal::url(url, self.limits.url)?;
        self.put(format!("@{template} {{ {url}\n").as_bytes())?;
        self.place = Place::Object;
        Ok(())
    }

    /// Writes one attribute, or nothing if the value is empty.
    ///
    /// # Errors
    /// [`WriteError::Illegal`] for a name that could not be read back, [`WriteError::Misplaced`]
    /// outside an object, [`WriteError::Sink`].
    pub fn attribute(&mut self, name: &str, value: &[u8]) -> Result<(), WriteError> {
        if !self.head(name, value.len() as u64)? {
            return Ok(());
        }
        self.put(value)?;
        self.put(b"\n")
    }

    /// Writes one attribute of exactly `size` bytes from `source`, or nothing if that is 0.
    ///
    /// # Errors
    /// As [`attribute`](Self::attribute); [`WriteError::Short`] or [`WriteError::Source`] if
    /// the source ends early or fails, which leaves the output cut.
    pub fn attribute_from(&mut self, name: &str, size: u64, source: &mut dyn Read) -> Result<(), WriteError> {
        if !self.head(name, size)? {
            return Ok(());
        }
        self.copy(name, size, source).inspect_err(|_| self.place = Place::Broken)?;
        self.put(b"\n")
    }

    /// Ends the object; inside a wrapper a blank line follows.
    ///
    /// # Errors
    /// [`WriteError::Misplaced`] outside an object, [`WriteError::Sink`].
    pub fn end(&mut self) -> Result<(), WriteError> {
        self.expect(Place::Object, "end an object")?;
        self.place = Place::Between;
        self.put(if self.wrapped { b"}\n\n" } else { b"}\n" })
    }

    /// Opens a wrapper around the objects up to [`end_wrapper`](Self::end_wrapper).
    ///
    /// # Errors
    /// [`WriteError::Misplaced`] inside an object or another wrapper, [`WriteError::Sink`].
    pub fn begin_wrapper(&mut self, wrapper: Wrapper) -> Result<(), WriteError> {
        self.expect_wrapped(false, "begin a wrapper")?;
        self.put(format!("@{} {{\n", wrapper.name()).as_bytes())?;
        self.wrapped = true;
        Ok(())
    }

    /// Closes the open wrapper.
    ///
    /// # Errors
    /// [`WriteError::Misplaced`] inside an object or outside a wrapper, [`WriteError::Sink`].
    pub fn end_wrapper(&mut self) -> Result<(), WriteError> {
        self.expect_wrapped(true, "end a wrapper")?;
        self.wrapped = false;
        self.put(b"}\n")
    }

    /// Writes a wrapper with nothing in it, on one line.
    ///
    /// # Errors
    /// As [`begin_wrapper`](Self::begin_wrapper).
    pub fn empty_wrapper(&mut self, wrapper: Wrapper) -> Result<(), WriteError> {
        self.expect_wrapped(false, "write a wrapper")?;
        self.put(format!("@{} {{ }}\n", wrapper.name()).as_bytes())
    }

    /// Gives the output back, not flushed and with nothing added: what was begun stays open.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn expect(&self, wanted: Place, call: &'static str) -> Result<(), WriteError> {
        let place = match self.place {
            place if place == wanted => return Ok(()),
            Place::Between => "outside an object",
            Place::Object => "inside an object",
            Place::Broken => "after a failed write",
        };
        Err(WriteError::Misplaced { call, place })
    }

    fn expect_wrapped(&self, wrapped: bool, call: &'static str) -> Result<(), WriteError> {
        self.expect(Place::Between, call)?;
        if self.wrapped == wrapped {
            return Ok(());
        }
        let place = if wrapped { "outside a wrapper" } else { "inside a wrapper" };
        Err(WriteError::Misplaced { call, place })
    }

    /// Writes the head of an attribute if there is a value to follow.
    fn head(&mut self, name: &str, size: u64) -> Result<bool, WriteError> {
        self.expect(Place::Object, "write an attribute")?;
        legal::name(name, self.limits.name)?;
        if size > 0 {
            self.put(head(name, size).as_bytes())?;
        }
        Ok(size > 0)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.out.write_all(bytes).map_err(|source| {
            self.place = Place::Broken;
            WriteError::Sink { source }
        })
    }

    fn copy(&mut self, name: &str, size: u64, source: &mut dyn Read) -> Result<(), WriteError> {
        let mut piece = [0; PIECE];
        let mut left = size;
        while left > 0 {
            let most = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
            match source.read(&mut piece[..most]) {
                Ok(0) => return Err(WriteError::Short { name: name.into(), size, got: size - left }),
                Ok(read) => {
                    self.put(&piece[..read])?;
                    left -= read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(WriteError::Source { name: name.into(), source }),
            }
        }
        Ok(())
    }
}

/// The bytes of one object.
///
/// # Errors
/// [`WriteError::Illegal`] for a template, URL or name that could not be read back.
pub fn to_bytes(object: &Object) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer::new(Vec::new());
    writer.object(object)?;
    Ok(writer.into_inner())
}

/// Adds attributes to `out` without header and closing brace, the form that summarizer programs
/// print and read; see [`attributes`](crate::attributes) for the way back.
///
/// # Errors
/// [`WriteError::Illegal`] for a name that could not be read back; `out` is as before then.
pub fn write_attributes<'a>(
    out: &mut Vec<u8>,
    attributes: impl IntoIterator<Item = &'a Attribute>,
) -> Result<(), WriteError> {
    let before = out.len();
    for attribute in attributes {
        legal::name(&attribute.name, Limits::default().name).inspect_err(|_| out.truncate(before))?;
        if !attribute.value.is_empty() {
            out.extend(head(&attribute.name, attribute.value.len() as u64).bytes());
            out.extend(&attribute.value);
            out.push(b'\n');
        }
    }
    Ok(())
}

fn head(name: &str, size: u64) -> String {
    format!("{name}{{{size}}}:\t")
}
