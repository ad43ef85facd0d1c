//! The ports for brokers, as the settings want them.

use crate::roots::Roots;
use crate::{Daemon, Engine, Progress, setup};
use gatherer_fetch::Names;
use gatherer_pipeline::{Failure, parent_name};
use gatherer_serve::{Ahead, Certificate, House, Identity, Limits, Port, Sample, Service};
use gatherer_settings::{Listening, Settings};
use gatherer_store::{Production, StoreError};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How long to wait for more to be folded before full transfers are made ready anew.
const PAUSE: Duration = Duration::from_secs(5);

/// Both ports, bound and ready to be opened.
pub struct Doors {
    brokers: Port,
    http: Option<Port>,
}

impl Doors {
    /// Puts the settings' rules and certificates on bound sockets.
    ///
    /// # Errors
    /// When a certificate cannot be used.
    pub fn new(settings: &Settings, brokers: TcpListener, http: Option<TcpListener>) -> Result<Self, Failure> {
        let port = |listener, listening: &Listening| {
            Ok::<_, Failure>(Port {
                listener,
                access: listening.access.clone().into(),
                certificate: certificate(listening)?,
            })
        };
        Ok(Self {
            brokers: port(brokers, &settings.brokering.port)?,
            http: http.map(|listener| port(listener, &settings.web.port)).transpose()?,
        })
    }

    /// Tries the certificates that the settings name.
    ///
    /// # Errors
    /// When one cannot be used.
    pub fn check(settings: &Settings) -> Result<(), Failure> {
        certificate(&settings.brokering.port).and(certificate(&settings.web.port)).map(drop)
    }
}

fn certificate(listening: &Listening) -> Result<Option<Certificate>, Failure> {
    let Some((certificate, key)) = &listening.certificate else { return Ok(None) };
    Certificate::load(certificate, key).map(Some).map_err(|error| Failure::new(error.to_string(), error))
}

impl Daemon {
    /// Serves brokers until `shutdown` is done.
    ///
    /// # Errors
    /// When the store fails before anybody is let in.
    pub async fn serve(self: &Arc<Self>, doors: Doors, shutdown: impl Future<Output = ()>) -> Result<(), Failure> {
        self.note_private(&self.engine())?;
        let house = House::new(self.service());
        let (end, ended) = watch::channel(false);
        let until = |mut ended: watch::Receiver<bool>| async move {
            // The other end is kept until all is over.
            let _ = ended.wait_for(|ended| *ended).await;
        };
        let Doors { mut brokers, http } = doors;
        brokers.access = self.rules.brokers.clone();
        let http = async {
            if let Some(mut port) = http {
                port.access = self.rules.http.clone();
                house.serve_http(port, self.rules.rights.clone(), until(ended.clone())).await;
            }
        };
        let stop = async {
            shutdown.await;
            end.send_replace(true);
        };
        tokio::join!(stop, house.serve_brokers(brokers, until(ended.clone())), http);
        Ok(())
    }

    /// Tells the store which root nodes are private now.
    pub(crate) fn note_private(&self, engine: &Engine) -> Result<(), StoreError> {
        let settings = &engine.settings;
        let nodes = settings.root_nodes.iter().filter(|node| node.is_private).map(|node| node.name.clone());
        let sources = settings.sources.iter().filter(|source| source.is_private).map(|source| source.name.clone());
        engine.store.set_private(&nodes.chain(sources).collect())?;
        self.once_private.set(engine.store.ever_private()?);
        Ok(())
    }

    fn service(self: &Arc<Self>) -> Service {
        let engine = self.engine();
        let identity = &engine.settings.identity;
        let brokering = &engine.settings.brokering;
        let (private, measured, ontological) = (self.clone(), engine.progress.clone(), self.clone());
        Service {
            production: Production::new(engine.store.clone()),
            identity: Identity {
                name: identity.name.clone(),
                host: identity.host.clone(),
                version: setup::VERSION.to_owned(),
            },
            limits: Limits {
                clients: brokering.clients,
                clients_per_address: brokering.clients_per_address,
                requests_per_minute: brokering.requests_per_minute,
                idle: brokering.idle_limit,
                session: brokering.session_limit,
                farewell: brokering.shutdown_limit,
            },
            is_private: Arc::new(move |root| private.is_private(root)),
            names: Arc::new(LookedUp(engine.fetcher.names().clone())),
            measures: Arc::new(move || samples(&measured)),
            keeper: Some(self.clone()),
            ready_made: brokering.ready_made.clone().map(|folder| Ahead {
                folder,
                limit: brokering.ready_made_limit as u64,
                pause: PAUSE,
            }),
            ontologies: Arc::new(move |hash| ontological.ontology(hash)),
        }
    }

    fn is_private(&self, root: &str) -> bool {
        let engine = self.engine();
        let sources = &engine.settings.sources;
        let of_source = sources.iter().find(|source| source.name == root).map(|source| source.is_private);
        // Of one that is gone, what it was counts.
        match (of_source, is_private(&engine.roots, root)) {
            (None, None) => {
                let former = self.once_private.get();
                former.contains(root) || parent_name(root).is_some_and(|name| former.contains(name))
            }
            (source, root) => source.unwrap_or(false) || root.unwrap_or(false),
        }
    }
}

/// Whether only trusted brokers may see what a root node holds; nothing if it is not in the config.
fn is_private(roots: &Roots, name: &str) -> Option<bool> {
    let node = roots.get(name).or_else(|| roots.get(parent_name(name)?));
    node.map(|root| root.node.is_private)
}

struct LookedUp(Names);

impl gatherer_serve::Names for LookedUp {
    fn names(&self, address: IpAddr) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
        Box::pin(self.0.names(address))
    }
}

/// What the present or the last run has come to.
#[expect(clippy::cast_precision_loss, reason = "counters need not be exact beyond 2^53")]
fn samples(progress: &Progress) -> Vec<Sample> {
    let report = progress.so_far();
    let sample =
        |name, help, value: u64, is_counter| Sample { name, help, labels: Vec::new(), value: value as f64, is_counter };
    let mut samples = vec![
        sample("run", "Number of the present or last run", report.run, false),
        sample("run_visited", "Resources visited in it", report.visited, false),
        sample("run_read_bytes", "Bytes of bodies read in it", report.bytes, false),
    ];
    samples.extend(report.outcomes.iter().map(|(outcome, tally)| Sample {
        name: "run_outcomes",
        help: "Visits in it, by how they ended",
        labels: vec![("outcome", outcome.clone())],
        value: tally.count as f64,
        is_counter: false,
    }));
    samples
}
