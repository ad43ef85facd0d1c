//! Zip archives, and those that are zip archives under another name.

use crate::Trouble;
use crate::budget::{Metered, read_all};
use crate::names::{decoded, shown};
use crate::outlet::{Found, Outlet};
use gatherer_pipeline::{Kind, UnixTime};
use std::io::{Cursor, Read};
use zip::read::{Config, ZipFile, ZipFileEntry};
use zip::result::ZipError;
use zip::unstable::read::{ZipIterable, ZipIterableFiles};
use zip::{ExtraField, ZipReadOptions};

type Entries<'a> = ZipIterableFiles<Cursor<&'a [u8]>>;

/// The list is read entry by entry: it may be long, and names may stand in it twice, which the usual reader hides.
pub(crate) fn open(kind: &Kind, body: &[u8], outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let wrong = |error: ZipError| match error {
        _ if !body.starts_with(b"PK") => Trouble::WrongKind(kind.clone()),
        error => trouble(error),
    };
    let mut archive = ZipIterable::try_new(Cursor::new(body), Config::default()).map_err(wrong)?;
    let entries = archive.files().map_err(trouble)?;
    while let Some(entry) = entries.next() {
        member(entry.map_err(trouble)?, entries, outlet)?;
    }
    Ok(())
}

fn member(entry: ZipFileEntry<'static>, entries: &mut Entries<'_>, outlet: &mut Outlet<'_>) -> Result<(), Trouble> {
    let name = entry.name().map_or_else(|_| decoded(entry.name_raw()), std::borrow::Cow::into_owned);
    if entry.is_dir() {
        return Ok(());
    }
    if entry.encrypted() {
        return outlet.lose(&name, "encrypted");
    }
    let is_link = entry.is_symlink();
    let mut file = match entry.with_reader(entries.reader_mut(), ZipReadOptions::new()) {
        Ok(file) => file,
        Err(error) => return outlet.lose(&name, trouble(error).to_string()),
    };
    if is_link {
        let mut target = Vec::new();
        let result = read_all(&mut Metered { inner: &mut file, budget: outlet.budget }, &mut target);
        outlet.lose(&name, format!("symbolic link to {}", shown(&decoded(&target))))?;
        return result.map_err(Trouble::from).or_else(if_limit);
    }
    let modified = modified(&file);
    outlet.unpack(Found { modified, ..Found::named(name) }, &mut file).or_else(if_limit)
}

/// Each member stands for itself: a damaged one is lost, the next may be whole. Only a limit ends all.
fn if_limit(trouble: Trouble) -> Result<(), Trouble> {
    if trouble.is_limit() { Err(trouble) } else { Ok(()) }
}

/// The time with its zone where an extra field has it, or else the one without, taken as UTC.
fn modified<R: Read>(file: &ZipFile<'_, R>) -> Option<UnixTime> {
    let extra = file.extra_data_fields().find_map(|field| match field {
        ExtraField::ExtendedTimestamp(times) => times.mod_time(),
        _ => None,
    });
    if let Some(seconds) = extra {
        return Some(UnixTime(u64::from(seconds)));
    }
    let date = file.last_modified()?;
    let days = days_since_1970(u64::from(date.year()), u64::from(date.month()), u64::from(date.day()))?;
    let hours = days * 24 + u64::from(date.hour());
    Some(UnixTime((hours * 60 + u64::from(date.minute())) * 60 + u64::from(date.second())))
}

/// Days from the first of January 1970 to a day of 1980 or later, which is all that the form knows.
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    const BEFORE_MONTH: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let before = BEFORE_MONTH.get(usize::try_from(month.checked_sub(1)?).ok()?)?;
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let is_leap = leaps(year) != leaps(year.checked_sub(1)?);
    let years = year.checked_sub(1970)? * 365 + leaps(year - 1) - leaps(1969);
    Some(years + before + u64::from(is_leap && month > 2) + day.checked_sub(1)?)
}

fn trouble(error: ZipError) -> Trouble {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::CompressionMethodNotSupported(method) => Trouble::NoWay(format!("compression method {method}")),
        ZipError::UnsupportedArchive(reason) => Trouble::NoWay(reason.to_owned()),
        error => Trouble::damaged(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::days_since_1970;

    #[test]
    fn days_are_counted() {
        for (date, days) in [
            ((1980, 1, 1), 3_652),
            ((2000, 2, 29), 11_016),
            ((2000, 3, 1), 11_017),
            ((2024, 12, 31), 20_088),
            ((2107, 12, 31), 50_402),
        ] {
            assert_eq!(days_since_1970(date.0, date.1, date.2), Some(days), "{date:?}");
        }
        assert_eq!(days_since_1970(2000, 0, 1), None);
        assert_eq!(days_since_1970(2000, 1, 0), None);
    }
}
