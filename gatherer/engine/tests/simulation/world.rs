//! A web that follows from a seed: pages that change, vanish and come back, servers that are slow, busy, broken or gone.

use crate::SimulatedClock;
use crate::dice::{Dice, mix};
use futures_util::future::BoxFuture;
use gatherer_fetch::{Answer, Ask, Method};
use gatherer_pipeline::{Clock, Departure, UnixTime, Validators};
use gatherer_store::Store;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use url::Url;

/// A page is another one after so long, perhaps.
const AGE: u64 = 20 * 3_600;
/// Longer than anybody waits.
const NEVER: Duration = Duration::from_hours(1_000);

/// One host and how it is to be visited.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) pages: u64,
    pub(crate) delay: Duration,
    /// What its robots.txt asks for.
    pub(crate) crawl_delay: Option<Duration>,
}

/// One request, as the server's own log has it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) url: Url,
    pub(crate) run: u64,
    pub(crate) began: Instant,
    /// None as long as it is under way, or if whoever asked has died.
    pub(crate) ended: Option<Instant>,
    /// When it began by the gatherer's clock, which may be wrong.
    pub(crate) by_clock: UnixTime,
    /// The status; 0 for none.
    pub(crate) status: u16,
    /// Whether whoever asked may have died before he wrote it down.
    pub(crate) is_lost: bool,
}

impl Request {
    pub(crate) fn is_for_rules(&self) -> bool {
        self.url.path() == "/robots.txt"
    }
}

pub(crate) struct World {
    seed: u64,
    pub(crate) hosts: Vec<Host>,
    clock: Arc<SimulatedClock>,
    log: Mutex<Vec<Request>>,
    store: Mutex<Option<Arc<Store>>>,
    is_calm: AtomicBool,
    asked: AtomicU64,
}

/// What a page is at a moment.
enum Page {
    Text(u64),
    Status(u16),
    Busy(u16, u64),
    Moved(u64),
    Silent,
    Refused,
}

impl World {
    pub(crate) fn new(seed: u64, dice: &mut Dice, clock: Arc<SimulatedClock>) -> Self {
        let host = |number: u64, dice: &mut Dice| Host {
            name: format!("host{number}.example"),
            pages: 2 + dice.below(8),
            delay: Duration::from_millis([500, 1_000, 3_000][usize::try_from(dice.below(3)).unwrap_or(0)]),
            crawl_delay: dice.chance(4).then_some(Duration::from_secs(4)),
        };
        let hosts = (0..=dice.below(4)).map(|number| host(number, dice)).collect();
        let (log, store, is_calm, asked) =
            (Mutex::default(), Mutex::default(), AtomicBool::new(false), AtomicU64::new(0));
        Self { seed, hosts, clock, log, store, is_calm, asked }
    }

    /// A config for a gatherer that visits it all.
    pub(crate) fn config(&self) -> String {
        let root = |host: &Host| {
            format!(
                "[[root-node]]\nname = \"{0}\"\nurl = \"http://{0}/0\"\ndelay = \"{1}ms\"\n\
                 refresh-rate = \"1d\"\ntime-to-live = \"5d\"\n",
                host.name,
                host.delay.as_millis()
            )
        };
        let roots: String = self.hosts.iter().map(root).collect();
        format!(
            "[gatherer]\ncontact = \"test@example.org\"\nhost = \"here\"\n[run]\nworkers = 4\nfold-chunk = 3\n\
             [life]\nretry = \"1h\"\ngone-count = 2\ngone-apart = \"1h\"\n[fetch]\nshare-addresses = false\n\
             answer-limit = \"20s\"\n{roots}"
        )
    }

    /// Who keeps what is found from now on, and knows which run it is.
    pub(crate) fn attach(&self, store: Option<Arc<Store>>) {
        *self.store.lock().unwrap_or_else(PoisonError::into_inner) = store;
    }

    /// From now on everything answers, and nothing changes any more.
    pub(crate) fn calm_down(&self) {
        self.is_calm.store(true, Ordering::SeqCst);
    }

    /// Whoever asked has died, or may not have written down what he heard last.
    pub(crate) fn interrupted(&self) {
        let now = Instant::now();
        for request in self.log().iter_mut() {
            request.ended.get_or_insert(now);
            request.is_lost = true;
        }
    }

    pub(crate) fn log(&self) -> MutexGuard<'_, Vec<Request>> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn url(&self, host: usize, page: u64) -> Url {
        Url::parse(&format!("http://{}/{page}", self.hosts[host].name)).expect("a URL")
    }

    /// What a calm page says, if it is there.
    pub(crate) fn calm_text(&self, host: usize, page: u64) -> Option<String> {
        match self.page(host, page, true) {
            Page::Text(version) => Some(format!("Page {page} of {host}, version {version}")),
            _ => None,
        }
    }

    /// Where a page leads: the graph never changes.
    pub(crate) fn links(&self, host: usize, page: u64) -> Vec<u64> {
        let pages = self.hosts[host].pages;
        vec![(page + 1) % pages, mix(&[self.seed, host as u64, page]) % pages]
    }

    fn page(&self, host: usize, page: u64, is_calm: bool) -> Page {
        let age = if is_calm { u64::MAX } else { self.clock.began.elapsed().as_secs() / AGE };
        let lot = mix(&[self.seed, host as u64, page, age]);
        let version = lot >> 32 & 1;
        match lot % if is_calm { 12 } else { 20 } {
            // Where everything begins is there on calm days.
            0 | 1 if !is_calm || page > 0 => Page::Status(if lot & 64 == 0 { 404 } else { 410 }),
            12 => Page::Status(500),
            13 => Page::Busy(503, lot >> 40 & 0xff),
            14 => Page::Busy(429, 5),
            15 => Page::Silent,
            16 => Page::Refused,
            17 => Page::Moved(mix(&[lot, 3]) % self.hosts[host].pages),
            18 => Page::Status(403),
            _ => Page::Text(version),
        }
    }

    fn rules(&self, host: usize) -> Page {
        let calm = self.is_calm.load(Ordering::SeqCst);
        let age = self.clock.began.elapsed().as_secs() / AGE;
        match mix(&[self.seed, host as u64, age, 5]) % 12 {
            0 if !calm => Page::Status(500),
            1 if !calm => Page::Silent,
            2 if !calm => Page::Busy(503, 30),
            _ if self.hosts[host].crawl_delay.is_some() => Page::Text(0),
            _ => Page::Status(404),
        }
    }

    fn begin(&self, url: &Url) -> usize {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let run = store.and_then(|store| store.open_run().ok().flatten()).map_or(0, |run| run.number);
        let mut log = self.log();
        let (began, by_clock) = (Instant::now(), self.clock.now());
        log.push(Request { url: url.clone(), run, began, ended: None, by_clock, status: 0, is_lost: false });
        log.len() - 1
    }

    async fn answer(&self, ask: &Ask<'_>, number: usize) -> Result<Answer, Departure> {
        let host = self.hosts.iter().position(|host| Some(host.name.as_str()) == ask.url.host_str());
        let Some(host) = host else { return Err(Departure::Unreachable { reason: "no such host".to_owned() }) };
        let asked = self.asked.fetch_add(1, Ordering::SeqCst);
        // No two things happen at one moment, so that they always happen in the same order.
        let lot = mix(&[self.seed, asked, 9]);
        sleep(Duration::from_millis(3 + lot % 900) + Duration::from_nanos(1 + asked)).await;
        let rules = ask.url.path() == "/robots.txt";
        let number_of_page = ask.url.path().trim_start_matches('/').parse().unwrap_or(0);
        let calm = self.is_calm.load(Ordering::SeqCst);
        let page = if rules { self.rules(host) } else { self.page(host, number_of_page, calm) };
        let answer = match page {
            Page::Silent => {
                sleep(NEVER).await;
                return Err(Departure::Unreachable { reason: "after a thousand hours".to_owned() });
            }
            Page::Refused => return Err(Departure::Unreachable { reason: "connection refused".to_owned() }),
            Page::Status(status) => Answer::empty(status),
            Page::Busy(status, seconds) => Answer { retry_after: Some(seconds), ..Answer::empty(status) },
            Page::Moved(to) => Answer { location: Some(format!("/{to}")), ..Answer::empty(302) },
            Page::Text(_) if rules => {
                let seconds = self.hosts[host].crawl_delay.unwrap_or_default().as_secs();
                Answer { body: format!("User-agent: *\nCrawl-delay: {seconds}\n").into_bytes(), ..Answer::empty(200) }
            }
            Page::Text(version) => self.text(host, number_of_page, version, ask.known),
        };
        if let Some(request) = self.log().get_mut(number) {
            request.status = answer.status;
        }
        Ok(answer)
    }

    fn text(&self, host: usize, page: u64, version: u64, known: &Validators) -> Answer {
        let etag = format!("\"{host}-{page}-{version}\"");
        if known.etag.as_ref() == Some(&etag) {
            return Answer::empty(304);
        }
        let links: String =
            self.links(host, page).iter().map(|page| format!("<a href=\"/{page}\">{page}</a>")).collect();
        let body = format!("<title>Page {page} of {host}, version {version}</title><p>Some text.</p>{links}");
        let validators = Validators { etag: Some(etag), last_modified: None };
        Answer { body: body.into_bytes(), content_type: Some("text/html".to_owned()), validators, ..Answer::empty(200) }
    }
}

/// Ends a request in the log when its answer is there, or when nobody waits for it any more.
struct Ending<'a>(&'a World, usize);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if let Some(request) = self.0.log().get_mut(self.1) {
            request.ended.get_or_insert_with(Instant::now);
        }
    }
}

impl Method for World {
    fn get<'a>(&'a self, ask: &'a Ask<'a>) -> BoxFuture<'a, Result<Answer, Departure>> {
        Box::pin(async move {
            let ending = Ending(self, self.begin(ask.url));
            self.answer(ask, ending.1).await
        })
    }
}
