//! When a root node is gathered, and when its hosts are left alone.
//!
//! A schedule names moments. What falls due in between waits for the nearest of them, so that a document that was visited
//! at three minutes past two last night is not left for tomorrow because it is "not due" at two sharp.

use crate::{Md5, UnixTime};
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use std::fmt;
use std::time::Duration;

/// Moments at which a root node is gathered.
#[derive(Debug, Clone)]
pub struct Schedule {
    rule: Rule,
    zone: TimeZone,
    jitter: Duration,
    /// Whose schedule it is, so that several with the same rule do not all begin at once.
    whose: String,
}

#[derive(Debug, Clone)]
enum Rule {
    /// Counted from the beginning of 1970.
    Every(Duration),
    Cron(Box<Cron>),
}

impl Schedule {
    /// Reads `every 6h`, or a cron expression such as `0 2 * * *` or `@daily`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rule = match text.trim().strip_prefix("every ") {
            Some(span) => match crate::quantity::duration(span.trim())? {
                span if span < SHORTEST => return Err("shorter than a minute".to_owned()),
                span => Rule::Every(span),
            },
            None => Rule::Cron(Box::new(cron(text.trim())?)),
        };
        let schedule = Self { rule, zone: TimeZone::UTC, jitter: Duration::ZERO, whose: String::new() };
        // Such as the thirtieth of February.
        schedule.next(UnixTime(0)).map(|_| schedule.clone()).ok_or_else(|| "a time that never comes".to_owned())
    }

    /// The same in a time zone, each moment up to `jitter` later, in a way of its own for each root node. None is moved by
    /// more than half the way to the next, so that they stay in order.
    #[must_use]
    pub fn of(self, whose: &str, zone: &TimeZone, jitter: Duration) -> Self {
        let plain = Self { zone: zone.clone(), jitter: Duration::ZERO, whose: whose.to_owned(), ..self };
        Self { jitter: jitter.min(plain.gaps(ANY_TIME).min().unwrap_or_default() / 2), ..plain }
    }

    /// The first moment after `time`.
    pub fn next(&self, time: UnixTime) -> Option<UnixTime> {
        // The moment before may have been moved beyond this time.
        let begin = UnixTime(time.0.saturating_sub(self.jitter.as_secs()));
        let mut plain = begin;
        loop {
            plain = self.plain_next(plain)?;
            let moved = self.moved(plain);
            if moved > time {
                return Some(moved);
            }
        }
    }

    /// The last moment up to `time`.
    pub fn last(&self, time: UnixTime) -> Option<UnixTime> {
        let mut plain = self.plain_last(time)?;
        while self.moved(plain) > time {
            plain = self.plain_last(UnixTime(plain.0.checked_sub(1)?))?;
        }
        Some(self.moved(plain))
    }

    /// The moment nearest to `due` that comes after `now`; the very next one for what is wanted as often as there are moments,
    /// however late after the last one it was visited.
    pub fn nearest(&self, due: UnixTime, now: UnixTime) -> UnixTime {
        let next = self.next(now);
        let gap = next.and_then(|next| Some(self.next(next)?.since(next) + self.jitter));
        if let Some(next) = next.filter(|_| gap.is_some_and(|gap| due.since(now) <= gap)) {
            return next;
        }
        let before = self.last(due).filter(|moment| *moment > now);
        let Some(behind) = self.next(due.max(now)) else { return due };
        before.filter(|before| due.since(*before) < behind.since(due)).unwrap_or(behind)
    }

    /// The longest wait between two moments, as far as the next few tell.
    pub fn longest_gap(&self, from: UnixTime) -> Duration {
        self.gaps(from).max().unwrap_or_default()
    }

    /// The waits between the next few moments.
    fn gaps(&self, from: UnixTime) -> impl Iterator<Item = Duration> {
        let first = self.next(from);
        let moments = std::iter::successors(first, |moment| self.next(*moment)).take(LOOK_AHEAD);
        moments
            .scan(None, |before: &mut Option<UnixTime>, moment| {
                Some(before.replace(moment).map(|last| moment.since(last)))
            })
            .flatten()
    }

    fn plain_next(&self, time: UnixTime) -> Option<UnixTime> {
        match &self.rule {
            Rule::Every(span) => Some(UnixTime((time.0 / span.as_secs()).checked_add(1)?.checked_mul(span.as_secs())?)),
            Rule::Cron(cron) => seconds(&cron.find_next_occurrence(&zoned(time, &self.zone)?, false).ok()?),
        }
    }

    fn plain_last(&self, time: UnixTime) -> Option<UnixTime> {
        match &self.rule {
            Rule::Every(span) => Some(UnixTime(time.0 / span.as_secs() * span.as_secs())),
            Rule::Cron(cron) => seconds(&cron.find_previous_occurrence(&zoned(time, &self.zone)?, true).ok()?),
        }
    }

    /// Later by a part of the jitter that is the same whenever one asks.
    fn moved(&self, plain: UnixTime) -> UnixTime {
        let Some(span) = self.jitter.as_secs().checked_add(1).filter(|span| *span > 1) else { return plain };
        let [a, b, c, d, ..] = Md5::of(format!("{} {plain}", self.whose).as_bytes()).0;
        UnixTime(plain.0.saturating_add(u64::from(u32::from_be_bytes([a, b, c, d])) % span))
    }
}

/// A time at which schedules are looked at, where any will do.
const ANY_TIME: UnixTime = UnixTime(1_700_000_000);
/// Nobody wants to be visited more often.
const SHORTEST: Duration = Duration::from_secs(60);
/// Moments looked at for the longest gap: a month of days.
const LOOK_AHEAD: usize = 40;

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.rule {
            Rule::Every(span) => write!(f, "every {}", words(*span)),
            Rule::Cron(cron) => {
                write!(f, "{}", cron.describe().trim_end_matches('.'))?;
                match self.zone.iana_name() {
                    Some(name) => write!(f, " ({name})"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// Minutes are the finest that cron knows, and years end.
fn cron(text: &str) -> Result<Cron, String> {
    if !text.starts_with('@') && text.split_whitespace().count() != 5 {
        return Err("it needs five fields: minute, hour, day of the month, month, day of the week".to_owned());
    }
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(text).map_err(|error| error.to_string())
}

fn words(span: Duration) -> String {
    let seconds = span.as_secs();
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    let (size, unit) = units.into_iter().find(|(size, _)| seconds.is_multiple_of(*size)).unwrap_or((1, "second"));
    match seconds / size {
        1 => unit.to_owned(),
        count => format!("{count} {unit}s"),
    }
}

fn zoned(time: UnixTime, zone: &TimeZone) -> Option<Zoned> {
    Some(Timestamp::from_second(i64::try_from(time.0).ok()?).ok()?.to_zoned(zone.clone()))
}

fn seconds(time: &Zoned) -> Option<UnixTime> {
    u64::try_from(time.timestamp().as_second()).ok().map(UnixTime)
}

/// Hours of the week in which hosts are left alone.
#[derive(Debug, Clone)]
pub struct QuietHours {
    days: Vec<Weekday>,
    from: Time,
    /// The end of the day is midnight, which is the beginning of the next.
    to: Time,
    zone: TimeZone,
    text: String,
}

const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

impl QuietHours {
    /// Reads `08:00-18:00`, with days before it if not every day is meant: `Mon-Fri 08:00-18:00`, `Sat,Sun 22:00-06:00`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (days, hours) = text.rsplit_once(char::is_whitespace).unwrap_or(("", text));
        let (from, to) = hours.split_once('-').ok_or("hours look like 08:00-18:00")?;
        let days = if days.trim().is_empty() { DAYS.map(|(_, day)| day).to_vec() } else { weekdays(days.trim())? };
        let (from, to) = (hour(from)?, hour(to)?);
        if from == to && from != Time::midnight() {
            return Err("they end when they begin; the whole day is 00:00-24:00".to_owned());
        }
        Ok(Self { days, from, to, zone: TimeZone::UTC, text: text.to_owned() })
    }

    /// The same in a time zone.
    #[must_use]
    pub fn within(self, zone: &TimeZone) -> Self {
        Self { zone: zone.clone(), ..self }
    }

    /// When the quiet ends that reigns at a moment.
    pub fn until(&self, now: UnixTime) -> Option<UnixTime> {
        let time = zoned(now, &self.zone)?;
        // Those of yesterday may reach into today.
        [time.yesterday().ok()?, time.clone()].iter().find_map(|day| {
            let (begin, end) = self.on(day)?;
            (begin <= time && time < end).then(|| seconds(&end))?
        })
    }

    fn on(&self, day: &Zoned) -> Option<(Zoned, Zoned)> {
        if !self.days.contains(&day.weekday()) {
            return None;
        }
        let begin = day.with().time(self.from).build().ok()?;
        let last = if self.to > self.from { day.clone() } else { day.tomorrow().ok()? };
        Some((begin, last.with().time(self.to).build().ok()?))
    }
}

impl fmt::Display for QuietHours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// `Mon-Fri`, `Sat,Sun`, `Fri-Mon`.
fn weekdays(text: &str) -> Result<Vec<Weekday>, String> {
    let place = |word: &str| {
        let known = |name: &str| word.trim().to_ascii_lowercase().starts_with(name);
        DAYS.iter().position(|(name, _)| known(name)).ok_or_else(|| format!("`{word}` is no day of the week"))
    };
    let mut days = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (place(first)?, place(last)?);
        let span = (last + DAYS.len() - first) % DAYS.len();
        days.extend((first..=first + span).map(|day| DAYS[day % DAYS.len()].1));
    }
    Ok(days)
}

fn hour(text: &str) -> Result<Time, String> {
    let wrong = || format!("`{}` is no time of the day, such as 08:00", text.trim());
    let (hours, minutes) = text.trim().split_once(':').ok_or_else(wrong)?;
    match (hours.parse(), minutes.parse()) {
        (Ok(24), Ok(0)) => Ok(Time::midnight()),
        (Ok(hours), Ok(minutes)) => Time::new(hours, minutes, 0, 0).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

/// The time zone of this name; the system's own where none is named.
///
/// # Errors
/// When there is no such zone.
pub fn time_zone(name: &str) -> Result<TimeZone, String> {
    if name.is_empty() {
        return Ok(TimeZone::system());
    }
    TimeZone::get(name).map_err(|_| format!("there is no time zone `{name}`"))
}

/// How far two readings of a clock are apart beyond the time that has really passed between them; nothing while that is
/// less than what a clock may be put right by.
pub fn clock_jump(before: UnixTime, now: UnixTime, passed: Duration) -> Option<SignedDuration> {
    let moved = i64::try_from(now.0).ok()?.checked_sub(i64::try_from(before.0).ok()?)?;
    let jump = SignedDuration::from_secs(moved.checked_sub(i64::try_from(passed.as_secs()).ok()?)?);
    (jump.abs() > SignedDuration::from_hours(1)).then_some(jump)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> UnixTime {
        let time: Timestamp = text.parse().expect("a time");
        UnixTime(u64::try_from(time.as_second()).expect("after 1970"))
    }

    fn berlin(rule: &str) -> Schedule {
        let zone = time_zone("Europe/Berlin").expect("it is in the list inside");
        Schedule::parse(rule).expect(rule).of("docs", &zone, Duration::ZERO)
    }

    #[track_caller]
    fn check_next(rule: &str, from: &str, expected: &str) {
        assert_eq!(berlin(rule).next(at(from)), Some(at(expected)), "{rule} after {from}");
    }

    #[test]
    fn moments_keep_to_the_time_zone_and_its_summer() {
        check_next("0 2 * * *", "2026-01-10T12:00:00Z", "2026-01-11T01:00:00Z");
        check_next("0 2 * * *", "2026-07-10T12:00:00Z", "2026-07-11T00:00:00Z");
        check_next("@daily", "2026-01-10T12:00:00Z", "2026-01-10T23:00:00Z");
        check_next("*/15 8-17 * * MON-FRI", "2026-11-13T17:00:00Z", "2026-11-16T07:00:00Z");
        check_next("every 6h", "2026-01-10T12:00:01Z", "2026-01-10T18:00:00Z");
    }

    #[test]
    fn a_moment_is_after_the_one_before() {
        for rule in ["0 2 * * *", "every 90m", "30 2 * * *"] {
            let schedule = berlin(rule).of("docs", &TimeZone::UTC, Duration::from_secs(1_800));
            let mut time = at("2026-03-27T00:00:00Z");
            for _ in 0..50 {
                let next = schedule.next(time).expect("there is always one");
                assert!(next > time, "{rule}");
                assert_eq!(schedule.last(next), Some(next), "{rule} at {next}");
                assert!(schedule.last(UnixTime(next.0 - 1)) < Some(next), "{rule} before {next}");
                time = next;
            }
        }
    }

    #[test]
    fn what_is_due_just_after_a_moment_is_visited_then() {
        let nightly = berlin("0 2 * * *");
        let visited = at("2026-01-10T01:03:00Z");
        let due = visited.after(Duration::from_hours(24));
        assert_eq!(nightly.nearest(due, visited), at("2026-01-11T01:00:00Z"));
        // A retry in an hour would be before the next moment: there is none sooner.
        assert_eq!(nightly.nearest(visited.after(Duration::from_hours(1)), visited), at("2026-01-11T01:00:00Z"));
        // Who is first visited in the afternoon is visited that night, and not only in the next one.
        let afternoon = at("2026-01-10T14:16:00Z");
        let due = afternoon.after(Duration::from_hours(24));
        assert_eq!(nightly.nearest(due, afternoon), at("2026-01-11T01:00:00Z"));
        let weekly = visited.after(Duration::from_hours(7 * 24));
        assert_eq!(nightly.nearest(weekly, visited), at("2026-01-17T01:00:00Z"));
    }

    #[test]
    fn jitter_moves_each_root_node_in_its_own_way_and_always_alike() {
        let nightly = |whose| berlin("0 2 * * *").of(whose, &TimeZone::UTC, Duration::from_hours(1));
        let from = at("2026-01-10T12:00:00Z");
        let (one, other) = (nightly("docs").next(from), nightly("news").next(from));
        assert_ne!(one, other);
        assert_eq!(one, nightly("docs").next(from));
        let plain = at("2026-01-11T02:00:00Z");
        assert!(one.is_some_and(|one| one.since(plain) <= Duration::from_hours(1) && one >= plain));
    }

    #[test]
    fn jitter_keeps_moments_in_order() {
        let often = Schedule::parse("every 10m").expect("a rule").of("docs", &TimeZone::UTC, Duration::from_hours(1));
        let mut time = at("2026-01-10T12:00:00Z");
        for _ in 0..50 {
            let next = often.next(time).expect("there is always one");
            assert!(next > time && next.since(time) <= Duration::from_mins(16), "{next} after {time}");
            assert_eq!(often.last(next), Some(next));
            time = next;
        }
    }

    #[test]
    fn nonsense_is_told() {
        for (rule, word) in [
            ("* * * * * *", ""),
            ("0 0 1 1 * 2020", ""),
            ("every 5s", "minute"),
            ("0 0 30 2 *", "never"),
            ("nightly", ""),
            ("every", ""),
        ] {
            let why = Schedule::parse(rule).expect_err(rule);
            assert!(why.contains(word), "{rule}: {why}");
        }
        for hours in ["8-18", "Mon-Foo 08:00-18:00", "08:00-08:00", "25:00-26:00", ""] {
            QuietHours::parse(hours).expect_err(hours);
        }
    }

    #[test]
    fn it_is_said_in_words() {
        assert_eq!(berlin("every 6h").to_string(), "every 6 hours");
        let words = berlin("0 2 * * *").to_string();
        assert!(words.contains("02:00") && words.ends_with("(Europe/Berlin)"), "{words}");
    }

    #[track_caller]
    fn check_quiet(hours: &str, now: &str, until: Option<&str>) {
        let zone = time_zone("Europe/Berlin").expect("it is in the list inside");
        let hours = QuietHours::parse(hours).expect(hours).within(&zone);
        assert_eq!(hours.until(at(now)), until.map(at), "{hours} at {now}");
    }

    #[test]
    fn quiet_hours_end_when_they_say() {
        // The sixteenth of November 2026 is a Monday; Berlin is an hour ahead.
        check_quiet("08:00-18:00", "2026-11-16T12:00:00Z", Some("2026-11-16T17:00:00Z"));
        check_quiet("08:00-18:00", "2026-11-16T17:00:00Z", None);
        check_quiet("Mon-Fri 08:00-18:00", "2026-11-15T12:00:00Z", None);
        check_quiet("22:00-06:00", "2026-11-16T23:00:00Z", Some("2026-11-17T05:00:00Z"));
        check_quiet("Sun 22:00-06:00", "2026-11-16T04:00:00Z", Some("2026-11-16T05:00:00Z"));
        check_quiet("Sun 22:00-06:00", "2026-11-16T23:00:00Z", None);
        check_quiet("Sat,Sun 00:00-24:00", "2026-11-15T22:59:00Z", Some("2026-11-15T23:00:00Z"));
        check_quiet("Fri-Mon 00:00-24:00", "2026-11-16T12:00:00Z", Some("2026-11-16T23:00:00Z"));
    }

    #[test]
    fn a_clock_that_is_put_right_does_not_jump() {
        let hours = |hours: i64| SignedDuration::from_hours(hours);
        let (before, passed) = (at("2026-11-16T12:00:00Z"), Duration::from_secs(60));
        assert_eq!(clock_jump(before, at("2026-11-16T12:01:30Z"), passed), None);
        assert_eq!(clock_jump(before, at("2026-11-17T12:01:00Z"), passed), Some(hours(24)));
        assert_eq!(clock_jump(before, at("2026-11-15T12:01:00Z"), passed), Some(hours(-24)));
    }
}
