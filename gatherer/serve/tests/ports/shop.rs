//! A store with whatever a test puts into it, and both ports open.

use gatherer_collect::{Approach, Collected, Gatherer, Place, Round, Wish};
use gatherer_pipeline::life::Patience;
use gatherer_pipeline::{AccessRule, Departure, Md5, Right, Standing, Times, UnixTime, Who};
use gatherer_serve::{Ahead, Certificate, House, HttpRights, Identity, Limits, Port, Service};
use gatherer_soif::{Attribute, Object};
use gatherer_store::{Adopted, Body, Head, Hearing, Memory, Production, Record, Store};
use std::collections::BTreeMap;
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use url::Url;

const SMALL: Memory = Memory { block_cache: 4 << 20, write_buffers: 8 << 20 };
const PATIENCE: Patience = Patience { retry: Duration::ZERO, gone_count: 1, gone_apart: Duration::ZERO };
const TIMES: Times = Times { refresh_rate: Duration::ZERO, time_to_live: Duration::from_secs(1_000), range: 1 };

pub(crate) struct Shop {
    // Closed before its directory is removed: fields are dropped in this order.
    pub(crate) store: Arc<Store>,
    now: AtomicU64,
    directory: TempDir,
}

pub(crate) fn url(number: usize) -> Url {
    Url::parse(&format!("http://host{}.example.org/{number}", number % 7)).expect("a URL")
}

impl Shop {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let store = Arc::new(Store::open(directory.path(), SMALL).expect("a store"));
        Self { store, now: AtomicU64::new(1_000), directory }
    }

    fn hear(&self, adopted: Vec<Adopted>) {
        let now = UnixTime(self.now.fetch_add(1, Ordering::Relaxed));
        let hearing = Hearing { source: "shop", now, run: 1, patience: &PATIENCE };
        self.store.adopt(hearing, adopted, None).expect("a store");
    }

    /// Puts a record there with this text, about so many bytes of it.
    pub(crate) fn put(&self, number: usize, text: &str, size: usize) {
        let updated = UnixTime(self.now.load(Ordering::Relaxed));
        let mut soif = Vec::new();
        let filling = text.repeat(size / text.len().max(1) + 1);
        for (name, value) in [("Title", text), ("Full-Text", &filling)] {
            gatherer_soif::write_attributes(&mut soif, [&Attribute::new(name, value)]).expect("good names");
        }
        let head = Head {
            url: url(number),
            origin: url(number),
            template: "FILE".to_owned(),
            root: "shop".to_owned(),
            kind: if number.is_multiple_of(3) { "Text" } else { "HTML" }.to_owned(),
            md5: Md5::of(text.as_bytes()),
            updated,
            times: TIMES,
            update: 0,
            change: 0,
            body: 0,
            former_roots: Vec::new(),
        };
        let provenance = vec![("Title".to_owned(), "test".to_owned()), ("Full-Text".to_owned(), "test".to_owned())];
        self.hear(vec![Adopted::Record(Box::new(Record { head, body: Body { provenance, soif } }))]);
    }

    pub(crate) fn renew(&self, number: usize) {
        let updated = UnixTime(self.now.load(Ordering::Relaxed));
        self.hear(vec![Adopted::Renewal { url: url(number), updated, times: TIMES }]);
    }

    pub(crate) fn drop_one(&self, number: usize) {
        self.hear(vec![Adopted::Gone {
            url: url(number),
            reason: Departure::Withdrawn { source_name: "shop".to_owned() },
        }]);
    }

    /// Folds a chunk, or everything.
    pub(crate) fn fold(&self, most: Option<usize>) {
        let now = UnixTime(self.now.load(Ordering::Relaxed));
        loop {
            let folding = self.store.fold_chunk(most.unwrap_or(100), now).expect("a fold");
            if folding.is_empty() || most.is_some() {
                break;
            }
        }
        if most.is_none() {
            let deletions = self.store.deletions().expect("deletions");
            self.store.delete(&deletions, true, now).expect("a deletion");
        }
    }

    /// All there is, by URL.
    pub(crate) fn all(&self) -> BTreeMap<String, Object> {
        let view = self.store.view();
        view.records().map(|record| record.expect("a record").object()).map(|one| (one.url.clone(), one)).collect()
    }

    /// The folder of what lies ready.
    pub(crate) fn transfers(&self) -> PathBuf {
        self.directory.path().join("transfers")
    }

    pub(crate) async fn open(&self, limits: Limits) -> Open {
        self.open_with(limits, None).await
    }

    pub(crate) async fn open_with(&self, limits: Limits, mut certificate: Option<[Certificate; 2]>) -> Open {
        let identity = Identity { name: "test".into(), host: "here".into(), version: "0".into() };
        let ready_made = Some(Ahead { folder: self.transfers(), limit: 1 << 30, pause: Duration::ZERO });
        let service = Service { ready_made, ..Service::new(Production::new(self.store.clone()), identity, limits) };
        let house = House::new(service);
        let mut tasks = Vec::new();
        let mut addresses = Vec::new();
        let mut stops = Vec::new();
        let everybody = || vec![AccessRule { who: Who::Everybody, standing: Standing::Welcome }];
        let (one, other) = certificate.take().map_or((None, None), |[one, other]| (Some(one), Some(other)));
        for (is_http, certificate) in [(false, one), (true, other)] {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            addresses.push(listener.local_addr().expect("an address").to_string());
            let port = Port { listener, access: everybody().into(), certificate };
            let (stop, stopped) = oneshot::channel::<()>();
            stops.push(stop);
            let house = house.clone();
            let rights = HttpRights { anonymous: vec![Right::Records, Right::Metrics], ..HttpRights::default() };
            tasks.push(tokio::spawn(async move {
                // Whoever holds the other end drops it.
                let stopped = async move { drop(stopped.await) };
                if is_http {
                    house.serve_http(port, rights, stopped).await;
                } else {
                    house.serve_brokers(port, stopped).await;
                }
            }));
        }
        Open { brokers: addresses[0].clone(), http: format!("http://{}", addresses[1]), stops, tasks }
    }
}

/// Both ports, open.
pub(crate) struct Open {
    pub(crate) brokers: String,
    pub(crate) http: String,
    stops: Vec<oneshot::Sender<()>>,
    tasks: Vec<JoinHandle<()>>,
}

impl Open {
    /// Asks both ports to end, and waits until nobody comes in any more.
    pub(crate) fn ask_to_end(&mut self) {
        self.stops.clear();
        while TcpStream::connect(&self.brokers).is_ok() {
            std::thread::yield_now();
        }
    }

    /// Asks both ports to end, and waits until they have.
    pub(crate) async fn close(self) {
        drop(self.stops);
        for task in self.tasks {
            task.await.expect("an end");
        }
    }
}

/// A broker with a copy.
pub(crate) struct Broker {
    address: String,
    pub(crate) compression: bool,
    place: Place,
    pub(crate) copy: BTreeMap<String, Object>,
}

impl Broker {
    pub(crate) fn new(address: &str) -> Self {
        let compression = address.len().is_multiple_of(2);
        Self { address: address.to_owned(), compression, place: Place::default(), copy: BTreeMap::new() }
    }

    /// Collects what is new; returns how much that was.
    pub(crate) fn poll(&mut self) -> u64 {
        let mut gatherer = Gatherer::connect(&self.address, &Approach::default()).expect("a connection");
        let copy = &mut self.copy;
        let wish = Wish { compression: self.compression, ..Wish::default() };
        let Round { tally, place } = gatherer
            .collect(&self.place, &wish, |item, _| {
                match item {
                    Collected::Update(object) => drop(copy.insert(object.url.clone(), object)),
                    Collected::Delete(object) => drop(copy.remove(&object.url)),
                    Collected::Refresh(times) => {
                        let known = copy.get_mut(&times.url).expect("a refresh is of what is there");
                        times.iter().for_each(|one| known.set(one.name.clone(), one.value.clone()));
                    }
                }
                Ok(())
            })
            .expect("a whole round");
        assert_eq!(tally.damaged, 0);
        self.place = place;
        tally.total()
    }
}

/// Attributes in one order: over the wire they have none.
pub(crate) fn sorted(objects: &BTreeMap<String, Object>) -> BTreeMap<String, BTreeMap<String, Vec<u8>>> {
    let attributes = |object: &Object| object.iter().map(|one| (one.name.clone(), one.value.clone())).collect();
    objects.iter().map(|(url, object)| (url.clone(), attributes(object))).collect()
}
