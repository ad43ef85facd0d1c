//! When root nodes are gathered: `[schedule]`, and what each of them says of it.

use crate::complaint::Complaint;
use crate::section::Section;
use crate::value::{self, Checked, Item, fault};
use gatherer_pipeline::UnixTime;
use gatherer_pipeline::schedule::{QuietHours, Schedule, time_zone};
use jiff::tz::TimeZone;
use std::time::Duration;

/// Any time will do to see how far apart moments are.
const ANY_TIME: UnixTime = UnixTime(1_700_000_000);

/// What holds for all schedules: `[schedule]`.
#[derive(Debug, Clone)]
pub struct Scheduling {
    /// In which times of the day are meant.
    pub zone: TimeZone,
    /// How much later a root node may begin, so that several do not begin at once.
    pub jitter: Duration,
    /// Whether what was missed while nobody served is made up for at once.
    pub catches_up: bool,
}

impl Scheduling {
    pub(crate) fn read(section: &mut Section<'_, '_>) -> Self {
        let catching_up = [("once", true), ("skip", false)];
        Self {
            zone: section.get("time-zone", zone),
            jitter: section.get("jitter", value::duration),
            catches_up: section.get("catch-up", value::choice(&catching_up)),
        }
    }

    /// What one root node says, in this time zone.
    pub(crate) fn of(&self, section: &mut Section<'_, '_>, whose: &str) -> (Option<Schedule>, Vec<QuietHours>) {
        let schedule = section.get("schedule", schedule);
        let quiet = section.get("quiet-hours", quiet_hours);
        let schedule = schedule.map(|schedule| schedule.of(whose, &self.zone, self.jitter));
        let quiet: Vec<_> = quiet.into_iter().map(|hours| hours.within(&self.zone)).collect();
        if schedule.as_ref().is_some_and(|schedule| is_never_welcome(schedule, &quiet)) {
            let complaint = Complaint::new("all its times lie in the quiet hours, in which its hosts are left alone");
            let key = if section.says("quiet-hours") { "quiet-hours" } else { "schedule" };
            section.complain_of(key, complaint.label("one of the two has to be another"));
        }
        (schedule, quiet)
    }
}

/// Moments looked at: a year of days, with summer and winter.
const LOOK_AHEAD: usize = 366;

/// Whether the host is left alone at each moment, so that nobody is visited when the operator wants it.
fn is_never_welcome(schedule: &Schedule, quiet: &[QuietHours]) -> bool {
    let moments = std::iter::successors(schedule.next(ANY_TIME), |last| schedule.next(*last)).take(LOOK_AHEAD);
    let mut welcome = moments.filter(|moment| quiet.iter().all(|hours| hours.until(*moment).is_none()));
    !quiet.is_empty() && welcome.next().is_none()
}

/// Who names moments, and no refresh rate, wants to be visited at each of them.
pub(crate) fn rate_of(section: &mut Section<'_, '_>, schedule: &Schedule) -> Duration {
    let gap = schedule.longest_gap(ANY_TIME);
    section.derive("refresh-rate", value::quoted(&format!("{}s", gap.as_secs())), "its schedule");
    gap
}

/// Complains of a schedule that would let records die between two visits.
pub(crate) fn check_gap(section: &mut Section<'_, '_>, schedule: &Schedule, time_to_live: Duration) {
    let gap = schedule.longest_gap(ANY_TIME);
    if gap >= time_to_live {
        let life = section.wording("time-to-live");
        let complaint = Complaint::new(format!("moments further apart than the time-to-live, which is {life}"));
        section.complain_of("schedule", complaint.label("records would expire before their next visit"));
    }
}

fn zone(item: &Item<'_>) -> Checked<TimeZone> {
    const EXPECTED: &str = "a time zone such as \"Europe/Berlin\", or \"\" for this machine's";
    time_zone(value::text_as(item, EXPECTED)?).or_else(|why| fault(item, format!("expected {EXPECTED}"), why))
}

fn schedule(item: &Item<'_>) -> Checked<Option<Schedule>> {
    const EXPECTED: &str = "\"every 6h\", or a cron expression such as \"0 2 * * *\"";
    match value::text_as(item, EXPECTED)? {
        "" => Ok(None),
        text => Schedule::parse(text).map(Some).or_else(|why| fault(item, format!("expected {EXPECTED}"), why)),
    }
}

fn quiet_hours(item: &Item<'_>) -> Checked<Vec<QuietHours>> {
    const EXPECTED: &str = "hours such as \"08:00-18:00\" or \"Mon-Fri 08:00-18:00\"";
    let hours = |item: &Item<'_>| {
        let text = value::text_as(item, EXPECTED)?;
        QuietHours::parse(text).or_else(|why| fault(item, format!("expected {EXPECTED}"), why))
    };
    value::list(item, &format!("a list of {EXPECTED}"), hours)
}
