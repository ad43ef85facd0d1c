//! Java class files (JVM specification, chapter 4): the class, what it extends, and its methods.

use super::Names;
use gatherer_pipeline::Draft;

/// Writes what the class says of itself.
pub(super) fn write(body: &[u8], draft: &mut Draft) {
    draft.add("Format", "Java class");
    let mut bytes = Bytes(body.get(6..).unwrap_or_default());
    if read(&mut bytes, draft).is_none() {
        draft.complain("the class cannot be read to its end");
    }
}

fn read(bytes: &mut Bytes<'_>, draft: &mut Draft) -> Option<()> {
    let major = bytes.two()?;
    // Version 45 was Java 1.1, and every version since then added one.
    draft.add("Architecture", &format!("Java {}", major.saturating_sub(44)));
    let pool = Pool::read(bytes)?;
    bytes.two()?;
    let own = pool.class(bytes.two()?).unwrap_or_default();
    draft.add("Title", &own);
    draft.add("Super-Class", &pool.class(bytes.two()?).unwrap_or_default());
    let mut interfaces = Names::default();
    for _ in 0..bytes.two()? {
        interfaces.add(pool.class(bytes.two()?).unwrap_or_default().as_bytes());
    }
    interfaces.write("Interfaces", draft);
    // Fields, then methods; both look alike.
    for attribute in ["Fields", "Symbols"] {
        let mut names = Names::default();
        let complete = members(bytes, &pool, &mut names);
        names.write(attribute, draft);
        complete?;
    }
    Some(())
}

fn members(bytes: &mut Bytes<'_>, pool: &Pool<'_>, names: &mut Names) -> Option<()> {
    for _ in 0..bytes.two()? {
        bytes.two()?;
        let name = pool.text(bytes.two()?).unwrap_or_default();
        if !matches!(name, b"<init>" | b"<clinit>") {
            names.add(name);
        }
        bytes.two()?;
        for _ in 0..bytes.two()? {
            bytes.two()?;
            let length = bytes.four()?;
            bytes.take(length)?;
        }
    }
    Some(())
}

enum Constant<'a> {
    Text(&'a [u8]),
    Class(usize),
    Other,
}

struct Pool<'a>(Vec<Constant<'a>>);

impl<'a> Pool<'a> {
    fn read(bytes: &mut Bytes<'a>) -> Option<Self> {
        let count = bytes.two()?;
        let mut constants = vec![Constant::Other];
        while constants.len() < count {
            let tag = *bytes.take(1)?.first()?;
            let constant = match tag {
                1 => {
                    let length = bytes.two()?;
                    Constant::Text(bytes.take(length)?)
                }
                7 => Constant::Class(bytes.two()?),
                8 | 16 | 19 | 20 => bytes.skip(2)?,
                15 => bytes.skip(3)?,
                3 | 4 | 9..=12 | 17 | 18 => bytes.skip(4)?,
                // Long numbers take two places.
                5 | 6 => {
                    constants.push(Constant::Other);
                    bytes.skip(8)?
                }
                _ => return None,
            };
            constants.push(constant);
        }
        Some(Self(constants))
    }

    fn text(&self, place: usize) -> Option<&'a [u8]> {
        match self.0.get(place)? {
            Constant::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The name of a class as it is written in programs.
    fn class(&self, place: usize) -> Option<String> {
        match self.0.get(place)? {
            Constant::Class(name) => self.text(*name).map(|name| String::from_utf8_lossy(name).replace('/', ".")),
            _ => None,
        }
    }
}

struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn skip(&mut self, length: usize) -> Option<Constant<'a>> {
        self.take(length).map(|_| Constant::Other)
    }

    fn two(&mut self) -> Option<usize> {
        self.take(2)?.first_chunk().map(|two| usize::from(u16::from_be_bytes(*two)))
    }

    fn four(&mut self) -> Option<usize> {
        self.take(4)?.first_chunk().and_then(|four| usize::try_from(u32::from_be_bytes(*four)).ok())
    }
}
