//! Times and sizes for people.

use gatherer_pipeline::UnixTime;
use jiff::Timestamp;

/// `2026-11-16 03:04:05 UTC`.
pub(super) fn moment(time: UnixTime) -> String {
    time.moment()
}

/// `2026-11-16T03:04:05Z`.
pub(super) fn xml_moment(time: UnixTime) -> String {
    let timestamp = i64::try_from(time.0).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    timestamp.unwrap_or_default().to_string()
}

/// `2026-11-16T03-04-05Z`, for names of files.
pub(super) fn file_moment(time: UnixTime) -> String {
    xml_moment(time).replace(':', "-")
}

/// `1.5 MB`.
#[expect(clippy::cast_precision_loss, reason = "one digit behind the point is shown")]
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_read_well() {
        assert_eq!(moment(UnixTime(781_478_043)), "1994-10-06 21:14:03 UTC");
        assert_eq!(moment(UnixTime(u64::MAX)), u64::MAX.to_string());
        assert_eq!([size(999), size(1_500), size(2_000_000)], ["999 bytes", "1.5 kB", "2.0 MB"]);
    }
}
