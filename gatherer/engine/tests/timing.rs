//! Schedules and clocks that are wrong, on a clock that the test owns. The site is a directory: nobody else is needed.

use gatherer_engine::{Daemon, Engine, Keeper, Report, RunOptions, RunWish};
use gatherer_pipeline::{Clock, ManualClock, UnixTime};
use gatherer_settings::{Overrides, Settings};
use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Noon of a day in November 2026.
const NOON: UnixTime = UnixTime(1_794_830_400);
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

struct Place {
    directory: TempDir,
    clock: Arc<ManualClock>,
    root: &'static str,
}

impl Place {
    fn new(root: &'static str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let site = directory.path().join("site");
        std::fs::create_dir(&site).expect("a site");
        for name in ["a", "b", "c"] {
            std::fs::write(site.join(format!("{name}.html")), format!("<title>{name}</title>")).expect("a page");
        }
        Self { directory, clock: Arc::new(ManualClock::at(NOON)), root }
    }

    fn settings(&self) -> Settings {
        self.settings_with(self.root)
    }

    fn settings_with(&self, root: &str) -> Settings {
        let site = self.directory.path().join("site");
        let text = format!(
            "[gatherer]\ncontact = \"test@example.org\"\n[schedule]\ntime-zone = \"UTC\"\n\
             [[root-node]]\nname = \"site\"\nurl = \"file://{}/\"\n{root}",
            site.display()
        );
        Settings::from_text(&text, "gatherer.toml", self.directory.path(), &Overrides::default()).expect("a config")
    }

    fn engine(&self) -> Arc<Engine> {
        Engine::new(self.settings(), self.clock.clone()).expect("an engine")
    }
}

async fn run(engine: &Arc<Engine>) -> Report {
    engine.run(RunOptions::default(), pending()).await.expect("a run")
}

fn hour(time: Option<u64>) -> Option<u64> {
    time.map(|time| time % DAY.as_secs() / HOUR.as_secs())
}

#[tokio::test]
async fn a_root_node_waits_for_its_moment_and_keeps_to_it() {
    let place = Place::new("schedule = \"0 2 * * *\"\nrefresh-rate = \"1d\"\nrefresh-range = 1\n");
    let engine = place.engine();
    let first = run(&engine).await;
    assert_eq!((first.visited, hour(first.next_due)), (0, Some(2)), "it is noon: {first:?}");
    place.clock.advance(HOUR * 14 + Duration::from_secs(180));
    let night = run(&engine).await;
    assert!(night.visited >= 4, "{night:?}");
    assert_eq!(hour(night.next_due), Some(2), "not three minutes later");
    place.clock.advance(HOUR * 10);
    assert_eq!(run(&engine).await.visited, 0, "nothing is due at noon");
    // Twenty-three hours and fifty-seven minutes after the last visit.
    place.clock.advance(HOUR * 13 + Duration::from_secs(57 * 60));
    assert_eq!(run(&engine).await.visited, night.visited, "everything is visited each night");
}

#[tokio::test]
async fn a_schedule_that_comes_later_holds_for_what_is_known() {
    let place = Place::new("refresh-rate = \"6h\"\nrefresh-range = 1\n");
    let engine = place.engine();
    assert!(run(&engine).await.visited >= 4);
    let nightly = place.settings_with("schedule = \"0 2 * * *\"\nrefresh-rate = \"6h\"\nrefresh-range = 1\n");
    let engine = engine.under(nightly).expect("the same gatherer");
    place.clock.advance(HOUR * 7);
    let evening = run(&engine).await;
    assert_eq!((evening.visited, hour(evening.next_due)), (0, Some(2)), "what is due waits: {evening:?}");
    place.clock.advance(HOUR * 7);
    assert!(run(&engine).await.visited >= 4);
}

#[tokio::test]
async fn a_moment_that_was_missed_is_made_up_for_or_not() {
    for (catch_up, expected) in [("once", true), ("skip", false)] {
        let place = Place::new("schedule = \"0 2 * * *\"\nrefresh-rate = \"1d\"\n");
        drop(run(&place.engine()).await);
        // Nobody is there at two.
        place.clock.advance(DAY);
        let mut settings = place.settings();
        settings.scheduling.catches_up = catch_up == "once";
        let engine = Engine::new(settings, place.clock.clone()).expect("an engine");
        assert_eq!(run(&engine).await.visited > 0, expected, "{catch_up}");
    }
}

#[tokio::test]
async fn who_names_moments_only_is_visited_at_each_of_them() {
    let place = Place::new("schedule = \"0 2 * * *\"\nrefresh-range = 1\n");
    let engine = place.engine();
    assert_eq!(run(&engine).await.visited, 0, "it is noon");
    for night in 0..3 {
        place.clock.advance(DAY);
        assert!(run(&engine).await.visited >= 4, "night {night}");
    }
}

#[tokio::test]
async fn a_person_does_not_wait_for_the_schedule() {
    let place = Place::new("schedule = \"0 2 * * *\"\n");
    let by_hand = RunOptions { by_hand: true, ..RunOptions::default() };
    let report = place.engine().run(by_hand, pending()).await.expect("a run");
    assert!(report.visited >= 4, "{report:?}");
}

#[tokio::test]
async fn a_wish_is_taken_up_by_the_next_run_and_is_known_by_its_root_node() {
    let place = Place::new("schedule = \"0 2 * * *\"\n");
    let daemon = Daemon::new(place.engine(), true, Box::new(|| Err("no file".to_owned())));
    let unknown = daemon.run(&RunWish { roots: vec!["siet".to_owned()], ..RunWish::default() });
    assert!(unknown.is_err_and(|why| why.contains("siet") && why.contains("site")));
    daemon.run(&RunWish { roots: vec!["site".to_owned()], ..RunWish::default() }).expect("it is taken up");
    assert!(run(&daemon.engine()).await.visited >= 4);
    assert_eq!(run(&daemon.engine()).await.visited, 0, "once");
    daemon.run(&RunWish { everything: true, ..RunWish::default() }).expect("it is taken up");
    assert!(run(&daemon.engine()).await.visited >= 4, "due or not");
}

#[tokio::test]
async fn hosts_are_left_alone_in_their_quiet_hours() {
    let place = Place::new("quiet-hours = [\"08:00-18:00\"]\n");
    let engine = place.engine();
    let noon = run(&engine).await;
    assert_eq!((noon.visited, hour(noon.next_due)), (0, Some(18)), "{noon:?}");
    assert!(noon.set_aside["localhost"].reason.contains("08:00-18:00"), "{noon:?}");
    place.clock.advance(HOUR * 6);
    assert!(run(&engine).await.visited >= 4);
}

#[tokio::test]
async fn a_clock_that_was_ahead_leaves_nothing_for_years() {
    let place = Place::new("");
    drop(run(&place.engine()).await);
    let mended = Arc::new(ManualClock::at(UnixTime(NOON.0 - 3 * 365 * DAY.as_secs())));
    let engine = Engine::new(place.settings(), mended.clone()).expect("an engine");
    let report = run(&engine).await;
    assert!(report.visited >= 4, "{report:?}");
    assert!(report.warnings.iter().any(|warning| warning.contains("set back")), "{report:?}");
    let due = UnixTime(report.next_due.expect("something is due"));
    assert!(due.since(mended.now()) < DAY * 40, "{report:?}");
}

#[tokio::test]
async fn after_a_long_absence_no_life_ends_for_a_day() {
    let place = Place::new("");
    drop(run(&place.engine()).await);
    place.clock.advance(DAY * 100);
    let engine = place.engine();
    drop(run(&engine).await);
    let until = engine.store().no_ends_before().expect("the store answers");
    assert_eq!(until, Some(place.clock.now().after(DAY)));
}

#[tokio::test]
async fn new_settings_are_told_apart_from_the_old() {
    let place = Place::new("");
    let next = place.settings_with("depth = 3\n");
    let next = std::sync::Mutex::new(Some(next));
    let load = move || next.lock().ok().and_then(|mut next| next.take()).ok_or_else(|| "line 1: no".to_owned());
    let daemon = Daemon::new(place.engine(), true, Box::new(load));
    let changes = daemon.reload().expect("they are good");
    assert_eq!(changes, ["root-node.site.depth = 3, was 0"]);
    assert_eq!(daemon.reload().expect_err("they are bad"), "line 1: no");
    assert!(run(&daemon.engine()).await.visited >= 4, "the old ones stay in force");
}

#[tokio::test]
async fn a_full_disk_stops_a_run_before_it_begins() {
    let place = Place::new("");
    let mut settings = place.settings();
    settings.storing.keep_free = u64::MAX;
    let engine = Engine::new(settings, place.clock.clone()).expect("an engine");
    let report = run(&engine).await;
    assert_eq!((report.visited, report.interrupted), (0, true));
    assert!(report.stopped_because.is_some_and(|why| why.contains("free")));
    assert!(Path::new(engine.store().path()).exists());
}

#[tokio::test]
async fn a_shorter_rate_acts_on_what_stands_in_the_timetable() {
    let place = Place::new("refresh-rate = \"7d\"\n");
    let first = run(&place.engine()).await;
    assert_eq!(first.next_due.map(|due| UnixTime(due).since(NOON)), Some(DAY * 7));
    place.clock.advance(DAY * 2);
    let hasty = Engine::new(place.settings_with("refresh-rate = \"1d\"\n"), place.clock.clone()).expect("an engine");
    assert_eq!(run(&hasty).await.visited, first.visited, "a week has become a day");
    drop(hasty);
    // From here on by the hour, on the dot.
    place.clock.advance(HOUR * 2);
    let root = "schedule = \"0 * * * *\"\nrefresh-range = 1\n";
    let hourly = Engine::new(place.settings_with(root), place.clock.clone()).expect("an engine");
    assert_eq!(run(&hourly).await.visited, first.visited, "a day has become an hour");
    drop(hourly);
    place.clock.advance(HOUR * 2);
    let lazy = Engine::new(place.settings_with("refresh-rate = \"14d\"\n"), place.clock.clone()).expect("an engine");
    assert_eq!(
        run(&lazy).await.visited,
        first.visited,
        "who is to be visited more rarely is visited once more as planned"
    );
    place.clock.advance(DAY * 13);
    assert_eq!(run(&lazy).await.visited, 0, "and then by the new pace");
}
