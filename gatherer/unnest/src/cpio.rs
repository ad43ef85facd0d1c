//! The archives of `cpio` in their portable forms: the new one with hexadecimal fields, the older one with octal ones.

use crate::Trouble;
use crate::names::{decoded, shown};
use crate::outlet::{Found, Outlet};
use gatherer_pipeline::UnixTime;

const NEW: &[u8] = b"070701";
const NEW_WITH_SUM: &[u8] = b"070702";
const OLD: &[u8] = b"070707";

pub(crate) fn is_cpio(body: &[u8]) -> bool {
    [NEW, NEW_WITH_SUM, OLD].iter().any(|magic| body.starts_with(magic))
}

struct Header {
    mode: u64,
    modified: u64,
    name_size: usize,
    size: usize,
    /// The sum of all bytes, where the form has one.
    sum: Option<u64>,
    /// Length of the header itself.
    length: usize,
    /// What name and content are padded to.
    step: usize,
}

impl Header {
    fn read(body: &[u8]) -> Option<Self> {
        if body.starts_with(OLD) {
            let field = |from: usize, to: usize| number(body.get(from..to)?, 8);
            let size = |from: usize, to: usize| usize::try_from(field(from, to)?).ok();
            let (mode, modified) = (field(18, 24)?, field(48, 59)?);
            return Some(Self {
                mode,
                modified,
                name_size: size(59, 65)?,
                size: size(65, 76)?,
                sum: None,
                length: 76,
                step: 1,
            });
        }
        if !is_cpio(body) {
            return None;
        }
        let field = |place: usize| number(body.get(6 + 8 * place..14 + 8 * place)?, 16);
        let size = |place: usize| usize::try_from(field(place)?).ok();
        let sum = if body.starts_with(NEW_WITH_SUM) { Some(field(12)?) } else { None };
        let (mode, modified) = (field(1)?, field(5)?);
        Some(Self { mode, modified, name_size: size(11)?, size: size(6)?, sum, length: 110, step: 4 })
    }
}

fn number(digits: &[u8], base: u32) -> Option<u64> {
    // `from_str_radix` would take a sign too.
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u64::from_str_radix(digits, base).ok()
}

pub(crate) fn open(body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let mut rest = body;
    loop {
        let header = Header::read(rest).ok_or_else(|| Trouble::damaged("it ends before its last member"))?;
        let name_end = header.length.saturating_add(header.name_size);
        let name = rest.get(header.length..name_end).ok_or_else(|| Trouble::damaged("it ends within a name"))?;
        let name = decoded(name.split(|byte| *byte == 0).next().unwrap_or_default());
        if name == "TRAILER!!!" {
            return Ok(());
        }
        let content = rest.get(name_end.next_multiple_of(header.step)..).unwrap_or_default();
        member(&header, &name, content, outlet)?;
        rest = content.get(header.size.next_multiple_of(header.step)..).unwrap_or_default();
    }
}

fn member(header: &Header, name: &str, content: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let Some(content) = content.get(..header.size) else {
        outlet.lose(name, "the archive ends within it")?;
        return Err(Trouble::damaged("it ends within a member"));
    };
    match header.mode & 0o170_000 {
        0o040_000 => Ok(()),
        0o120_000 => outlet.lose(name, format!("symbolic link to {}", shown(&decoded(content)))),
        0o100_000 => {
            let found = content.iter().fold(0_u32, |sum, byte| sum.wrapping_add(u32::from(*byte)));
            if header.sum.is_some_and(|sum| sum != u64::from(found)) {
                return outlet.lose(name, "damaged: its checksum is wrong");
            }
            let modified = Some(header.modified).filter(|seconds| *seconds > 0).map(UnixTime);
            outlet.copy(Found { modified, ..Found::named(name) }, content)
        }
        _ => outlet.lose(name, "neither a file nor a directory"),
    }
}
