//! In: a stream taken apart, a piece at a time.

use std::io::{self, BufRead, Write};
use std::mem;

use crate::head::{Head, head};
use crate::input::{Flaw, Input, Line};
use crate::legal::{self, bars_url, ends_template, excerpt, is_space};
use crate::{Event, Limits, ReadError, Wrapper};

/// Reads a stream of objects, whole ([`next_item`](Self::next_item),
/// [`next_object`](Self::next_object), [`objects`](Self::objects)) or piece by piece
/// ([`next_event`](Self::next_event)).
///
/// It is as lenient as Harvest's C library, and takes `@FILE{ url` without a space as well. It is
/// stricter where leniency only hides damage: a header needs its `{`, a URL does not start with
/// `@` or `}`, a size is a number, and a name holds no `}` and no control character, which is how
/// sizes that are too small show. Wrappers do not nest: one that starts inside another ends it.
#[derive(Debug)]
pub struct Reader<R> {
    input: Input<R>,
    limits: Limits,
    state: State,
    wrapper: Option<Wrapper>,
    object: Current,
}

#[derive(Debug)]
enum State {
    /// Outside objects; inside or outside a wrapper.
    Between,
    /// Behind `@TEMPLATE {`.
    Header(String),
    /// Where a name or the end of the object is expected.
    Inside,
    /// Inside a value with so many bytes left.
    Value(u64),
    /// Inside something malformed.
    Lost,
    Ended,
}

/// What is known about the object being read.
#[derive(Debug)]
struct Current {
    /// How errors name it.
    label: String,
    bytes: u64,
    attributes: usize,
    /// An error was given for it: the rest of it is nobody's concern.
    abandoned: bool,
}

impl Current {
    fn new(label: &str) -> Self {
        let label = excerpt(label).replace(char::is_control, "\u{fffd}");
        Self { label, bytes: 0, attributes: 0, abandoned: false }
    }
}

impl<R: BufRead> Reader<R> {
    /// A reader with the default [`Limits`].
    pub fn new(source: R) -> Self {
        Self::with_limits(source, Limits::default())
    }

    /// A reader that takes in no more than this.
    pub fn with_limits(source: R, limits: Limits) -> Self {
        let object = Current::new("header");
        Self { input: Input::new(source), limits, state: State::Between, wrapper: None, object }
    }

    /// The next piece of the stream, or `None` at its end and ever after. A value that was not
    /// taken with [`value`](Self::value) or [`copy_value`](Self::copy_value) is skipped.
    ///
    /// # Errors
    /// Any [`ReadError`] but `Sink`. An error inside an object ends that object: the next piece
    /// is behind it, and there is no [`Event::End`].
    pub fn next_event(&mut self) -> Result<Option<Event>, ReadError> {
        while !matches!(self.state, State::Ended) {
            match self.step() {
                Ok(None) => {}
                Ok(event) => return Ok(event),
                Err(flaw) => {
                    let known = self.object.abandoned;
                    let error = self.explain(flaw);
                    if !known || !error.can_go_on() {
                        return Err(error);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The value of the attribute just given, or what is left of it: empty if it has been taken.
    ///
    /// # Errors
    /// [`ReadError::Source`] and [`ReadError::Cut`].
    pub fn value(&mut self) -> Result<Vec<u8>, ReadError> {
        let mut value = Vec::new();
        self.copy_value(&mut value)?;
        Ok(value)
    }

    /// Copies the value of the attribute just given, or what is left of it, and counts its
    /// bytes. It holds no more of it than the source's buffer does.
    ///
    /// # Errors
    /// [`ReadError::Source`], [`ReadError::Cut`] and [`ReadError::Sink`].
    pub fn copy_value<W: Write + ?Sized>(&mut self, sink: &mut W) -> Result<u64, ReadError> {
        let before = self.input.offset();
        if self.object.abandoned {
            return Ok(0); // a value over the limit is nobody's
        }
        while let State::Value(left @ 1..) = &mut self.state {
            if let Err(flaw) = self.input.copy(left, sink) {
                return Err(self.explain(flaw));
            }
        }
        Ok(self.input.offset() - before)
    }

    /// One step on. The state is lost unless the step finds its way.
    fn step(&mut self) -> Result<Option<Event>, Flaw> {
        match mem::replace(&mut self.state, State::Lost) {
            State::Between => self.between(),
            State::Header(template) => self.header(template),
            State::Inside => self.inside(),
            State::Value(left) => self.skip_value(left),
            State::Lost => self.resynchronize(),
            State::Ended => self.finish(),
        }
    }

    /// Skips what is no structure, then reads `@TEMPLATE {` or the end of a wrapper.
    fn between(&mut self) -> Result<Option<Event>, Flaw> {
        self.object = Current::new("header");
        let wrapped = self.wrapper.is_some();
        let Some(byte) = self.input.skip_while(|byte| byte != b'@' && !(wrapped && byte == b'}'))? else {
            return self.finish();
        };
        self.input.pass(byte);
        if byte == b'}' {
            self.state = State::Between;
            return Ok(self.wrapper.take().map(Event::WrapperEnd));
        }
        let template = self.input.token("template", self.limits.name, ends_template)?;
        legal::template(&template, self.limits.name).map_err(|error| Flaw::Bad(error.to_string()))?;
        self.input.skip_while(is_space)?;
        self.input.expect(b'{', || format!("no brace after {:?}", excerpt(&template)))?;
        self.state = State::Header(template);
        Ok(None)
    }

    fn header(&mut self, template: String) -> Result<Option<Event>, Flaw> {
        self.object = Current::new(&format!("@{template}"));
        let next = self.input.skip_while(|byte| is_space(byte) || byte == b'{')?;
        if next.is_some_and(bars_url) {
            let Some(wrapper) = Wrapper::named(&template) else {
                return Err(Flaw::Bad(format!("no URL after {:?}", excerpt(&template))));
            };
            return Ok(Some(self.open(wrapper, template)));
        }
        let url = self.url()?;
        self.object = Current::new(&url);
        self.state = State::Inside;
        Ok(Some(Event::Begin { template, url }))
    }

    /// Starts a wrapper, or first ends the one that is open and comes again.
    fn open(&mut self, wrapper: Wrapper, template: String) -> Event {
        if let Some(open) = self.wrapper.take() {
            self.state = State::Header(template);
            return Event::WrapperEnd(open);
        }
        self.wrapper = Some(wrapper);
        self.state = State::Between;
        Event::WrapperStart(wrapper)
    }

    fn url(&mut self) -> Result<String, Flaw> {
        let read = self.input.token("URL", self.limits.url, is_space);
        if matches!(read, Err(Flaw::TooLarge { .. })) {
            self.input.skip_while(|byte| !is_space(byte))?;
            self.state = State::Inside;
        }
        let url = read?;
        legal::url(&url, self.limits.url).map_err(|error| Flaw::Bad(error.to_string()))?;
        Ok(url)
    }

    fn inside(&mut self) -> Result<Option<Event>, Flaw> {
        if let Some(brace @ b'}') = self.input.skip_while(is_space)? {
            self.input.pass(brace);
            self.state = State::Between;
            return Ok((!self.object.abandoned).then_some(Event::End));
        }
        let Head { name, size } = head(&mut self.input, self.limits.name)?;
        self.state = State::Value(size);
        if self.object.abandoned {
            return Ok(None);
        }
        self.admit(&name, size)?;
        Ok(Some(Event::Attribute { name, size }))
    }

    /// Holds one more attribute against the limits.
    fn admit(&mut self, name: &str, size: u64) -> Result<(), Flaw> {
        self.object.attributes += 1;
        self.object.bytes = self.object.bytes.saturating_add(size).saturating_add(name.len() as u64);
        let too_large = |what: String, limit| Err(Flaw::TooLarge { what, limit });
        match self.limits {
            Limits { value, .. } if size > value => too_large(format!("{size} bytes of {:?}", excerpt(name)), value),
            Limits { object, .. } if self.object.bytes > object => too_large("all attributes together".into(), object),
            Limits { attributes, .. } if self.object.attributes > attributes => {
                too_large("number of attributes".into(), attributes as u64)
            }
            _ => Ok(()),
        }
    }

    fn skip_value(&mut self, mut left: u64) -> Result<Option<Event>, Flaw> {
        while left > 0 {
            self.input.copy(&mut left, &mut io::sink())?;
        }
        self.state = State::Inside;
        Ok(None)
    }

    /// Skips to the next line that starts with `@`. At the end of the stream a wrapper counts as
    /// closed if the last two lines were closing braces: that of the lost object and its own.
    fn resynchronize(&mut self) -> Result<Option<Event>, Flaw> {
        let mut braces = 0;
        self.state = State::Between;
        loop {
            match self.input.peek()? {
                Some(b'@') if self.input.at_line_start() => return Ok(None),
                None if braces >= 2 => return Ok(self.wrapper.take().map(Event::WrapperEnd)),
                None => return Ok(None),
                Some(_) => {}
            }
            match self.input.skip_line()? {
                Line::Blank => {}
                Line::Brace => braces += 1,
                Line::Other => braces = 0,
            }
        }
    }

    /// The end of the stream, which is too early inside a wrapper.
    fn finish(&mut self) -> Result<Option<Event>, Flaw> {
        self.state = State::Ended;
        let Some(wrapper) = self.wrapper.take() else { return Ok(None) };
        self.object = Current::new(&format!("wrapper @{}", wrapper.name()));
        Err(Flaw::End)
    }

    /// Adds place and culprit to a flaw, and sets how reading goes on.
    fn explain(&mut self, flaw: Flaw) -> ReadError {
        let (offset, inside) = (self.input.offset(), self.object.label.clone());
        let problem = flaw.to_string();
        match flaw {
            Flaw::Source(_) | Flaw::End => self.state = State::Ended,
            Flaw::Bad(_) | Flaw::TooLarge { .. } => self.object.abandoned = true,
            Flaw::Unclosed(ref template) => self.state = State::Header(template.clone()),
            Flaw::Sink(_) => {}
        }
        match flaw {
            Flaw::Source(source) => ReadError::Source { offset, inside, source },
            Flaw::End => ReadError::Cut { offset, inside },
            Flaw::Bad(_) | Flaw::Unclosed(_) => ReadError::Malformed { offset, inside, problem },
            Flaw::TooLarge { what, limit } => ReadError::TooLarge { offset, inside, what, limit },
            Flaw::Sink(source) => ReadError::Sink { offset, inside, source },
        }
    }
}
