//! Two doors to what is folded: the daemon port, where brokers of the Harvest family collect unchanged since 1994, and
//! HTTP, where a broker is twenty lines of any language, and where people find pages that tell what goes on.
//!
//! A [`House`] holds what both share. Each door takes a bound listener and runs until it is told to stop. A transfer is
//! written piece by piece from one [`View`](gatherer_store::View) of production, each piece of whole records, and no more
//! than a few pieces wait for one broker: a slow one costs nobody else anything, and none sees half a fold. Nothing here
//! can write.
//!
//! Bytes are described in `schemas/broker-protocol.md` and `schemas/http/`. Starting it takes a store and a listener:
//!
//! ```no_run
//! # async fn example(production: gatherer_store::Production) -> std::io::Result<()> {
//! use gatherer_serve::{House, Identity, Limits, Port, Service};
//!
//! let identity = Identity { name: "docs".into(), host: "gatherer.example.org".into(), version: "0.1.0".into() };
//! let house = House::new(Service::new(production, identity, Limits::default()));
//! let port = Port::open(tokio::net::TcpListener::bind("127.0.0.1:8500").await?);
//! house.serve_brokers(port, std::future::pending()).await;
//! # Ok(())
//! # }
//! ```

mod access;
mod ahead;
mod cursor;
mod feed;
mod filter;
mod gzip;
mod harvest;
mod http;
mod keeper;
mod live;
mod metrics;
mod pages;
mod pieces;
mod port;
mod quota;
mod ready;
mod sight;
mod supply;
mod tls;
mod wire;

pub use access::Names;
pub use ahead::Ahead;
pub use http::HttpRights;
pub use keeper::{Keeper, Now, Plan, RunWish, Running, Waiting};
pub use live::Live;
pub use metrics::{Measure, Sample};
pub use port::Port;
pub use tls::{Certificate, CertificateError};

use gatherer_abstracts::ontology::Ontology;
use gatherer_store::Production;
use metrics::Metrics;
use pieces::Kitchen;
use quota::Quota;
use ready::ReadyMade;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Who is serving.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The gatherer's name.
    pub name: String,
    /// Its host, as written into the banner.
    pub host: String,
    /// Its version.
    pub version: String,
}

/// What brokers may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once to one port; more are turned away.
    pub clients: usize,
    /// Connections at once from one address to one port.
    pub clients_per_address: usize,
    /// Commands or requests a minute from one address.
    pub requests_per_minute: u32,
    /// Longest silence, and longest wait for a broker to take a piece of a transfer.
    pub idle: Duration,
    /// Longest session.
    pub session: Duration,
    /// How long transfers may go on when everything ends.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            clients: 1_000,
            clients_per_address: 100,
            requests_per_minute: 6_000,
            idle: Duration::from_mins(5),
            session: Duration::from_hours(24),
            farewell: Duration::from_secs(10),
        }
    }
}

/// Whether a root node is private.
pub type IsPrivate = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The ontology with this hash.
pub type Ontologies = Arc<dyn Fn(&str) -> Option<Arc<Ontology>> + Send + Sync>;

/// What is served, and on which terms.
pub struct Service {
    /// The store, as brokers see it.
    pub production: Production,
    /// Who is serving.
    pub identity: Identity,
    /// What brokers may cost.
    pub limits: Limits,
    /// Which root nodes only trusted brokers may see.
    pub is_private: IsPrivate,
    /// Who looks up the names of those who connect.
    pub names: Arc<dyn Names>,
    /// What else there is to count.
    pub measures: Measure,
    /// Who is asked what goes on, and what shall.
    pub keeper: Option<Arc<dyn Keeper>>,
    /// The ontologies of abstracts, by their hashes.
    pub ontologies: Ontologies,
    /// Where full transfers are made ahead, if they are.
    pub ready_made: Option<Ahead>,
}

impl Service {
    /// All of it public, with nobody to look up names and nothing else to count.
    pub fn new(production: Production, identity: Identity, limits: Limits) -> Self {
        let (is_private, measures) = (Arc::new(|_: &str| false), Arc::new(Vec::new));
        let ontologies = Arc::new(|_: &str| None);
        Self {
            production,
            identity,
            limits,
            is_private,
            names: Arc::new(access::Nameless),
            measures,
            keeper: None,
            ontologies,
            ready_made: None,
        }
    }
}

/// What both doors share.
pub struct House {
    service: Service,
    metrics: Metrics,
    kitchen: Kitchen,
    quota: Quota,
    ready: ReadyMade,
    /// Moves with each fold.
    folds: watch::Receiver<u64>,
    /// Becomes true when nothing new may begin, and nobody should wait for anything,
    ending: watch::Sender<bool>,
    /// and when transfers have to end.
    cut: watch::Sender<bool>,
}

/// Done when a signal is given, or can no longer be.
async fn until(signal: &mut watch::Receiver<bool>) {
    let _ = signal.wait_for(|given| *given).await;
}

impl House {
    /// A house for this service.
    pub fn new(service: Service) -> Arc<Self> {
        let (folded, folds) = watch::channel(0);
        // A sender whose receivers are all gone only counts for itself.
        service.production.on_fold(move || folded.send_modify(|count| *count += 1));
        Arc::new(Self {
            metrics: Metrics::new(&service),
            kitchen: Kitchen::default(),
            quota: Quota::new(service.limits.requests_per_minute),
            ready: ReadyMade::new(service.ready_made.clone()),
            folds,
            ending: watch::Sender::new(false),
            cut: watch::Sender::new(false),
            service,
        })
    }
}
