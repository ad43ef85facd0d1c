//! The archives of `ar`: libraries, and Debian packages, whose members are tar archives.

use crate::Trouble;
use crate::names::decoded;
use crate::outlet::{Found, Outlet};
use gatherer_pipeline::UnixTime;

const MAGIC: &[u8] = b"!<arch>\n";

pub(crate) fn is_ar(body: &[u8]) -> bool {
    body.starts_with(MAGIC)
}

/// The name of a member as its header has it.
enum Name {
    Plain(String),
    /// The form of GNU: where it begins in the table of long names.
    InTable(usize),
    /// The form of BSD: so many bytes before the content.
    Before(usize),
    /// The table of long names itself.
    Table,
    /// The list of symbols in a library, which is no member.
    Symbols,
}

pub(crate) fn open(body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let mut rest = body.strip_prefix(MAGIC).unwrap_or_default();
    let mut long_names: &[u8] = &[];
    while !rest.is_empty() {
        let (header, behind) = rest.split_at_checked(60).ok_or_else(|| Trouble::damaged("it ends within a header"))?;
        let (name, modified, size) = read_header(header).ok_or_else(|| Trouble::damaged("a header is no header"))?;
        let content = behind.get(..size);
        match (name, content) {
            (Name::Table, Some(content)) => long_names = content,
            (Name::Symbols, _) => {}
            (name, None) => {
                outlet.lose(&full_name(name, long_names, behind).0, "the archive ends within it")?;
                return Err(Trouble::damaged("it ends within a member"));
            }
            (name, Some(content)) => {
                let (name, content) = full_name(name, long_names, content);
                // Not documents: the table of symbols, and what a Debian package says to its installer.
                let is_administration =
                    name.starts_with("__.SYMDEF") || name == "debian-binary" || name.starts_with("control.tar");
                if !is_administration {
                    outlet.copy(Found { modified, ..Found::named(name) }, content)?;
                }
            }
        }
        // Members begin at even places.
        rest = behind.get(size.saturating_add(size % 2)..).unwrap_or_default();
    }
    Ok(())
}

fn read_header(header: &[u8]) -> Option<(Name, Option<UnixTime>, usize)> {
    let field = |from: usize, to: usize| Some(decoded(header.get(from..to)?).trim_end().to_owned());
    if header.get(58..60)? != b"`\n" {
        return None;
    }
    let size = field(48, 58)?.parse().ok()?;
    let modified = field(16, 28)?.parse().ok().filter(|seconds| *seconds > 0).map(UnixTime);
    let name = field(0, 16)?;
    let name = match name.as_str() {
        "//" => Name::Table,
        "/" | "/SYM64/" => Name::Symbols,
        _ => match (name.strip_prefix('/'), name.strip_prefix("#1/")) {
            (Some(place), _) => Name::InTable(place.parse().ok()?),
            (_, Some(length)) => Name::Before(length.parse().ok()?),
            _ => Name::Plain(name.strip_suffix('/').unwrap_or(&name).to_owned()),
        },
    };
    Some((name, modified, size))
}

/// The name wherever it stands, and the content without it.
fn full_name<'a>(name: Name, long_names: &[u8], content: &'a [u8]) -> (String, &'a [u8]) {
    match name {
        Name::Plain(name) => (name, content),
        Name::InTable(place) => {
            let from = long_names.get(place..).unwrap_or_default();
            let line = from.split(|byte| *byte == b'\n').next().unwrap_or_default();
            (decoded(line.strip_suffix(b"/").unwrap_or(line)), content)
        }
        Name::Before(length) => {
            let (name, content) = content.split_at_checked(length).unwrap_or((content, &[]));
            (decoded(name).trim_end_matches('\0').to_owned(), content)
        }
        Name::Table | Name::Symbols => (String::new(), content),
    }
}
