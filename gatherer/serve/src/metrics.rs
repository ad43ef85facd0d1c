//! What is counted, and how Prometheus reads it.

use crate::port::TurnedAway;
use crate::{IsPrivate, Service};
use gatherer_store::Production;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelSet, EncodeLabelValue, EncodeMetric, LabelValueEncoder, MetricEncoder,
};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::registry::{Registry, Unit};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::Arc;

/// One number of somebody else's.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What it is called, without `gatherer_` in front,
    pub name: &'static str,
    /// and what that means.
    pub help: &'static str,
    /// Of which part it is the number.
    pub labels: Vec<(&'static str, String)>,
    /// The number.
    pub value: f64,
    /// Whether it only ever grows.
    pub is_counter: bool,
}

/// Whoever is asked for further numbers.
pub type Measure = Arc<dyn Fn() -> Vec<Sample> + Send + Sync>;

/// Which port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Door {
    Daemon,
    Http,
}

impl EncodeLabelValue for Door {
    fn encode(&self, encoder: &mut LabelValueEncoder<'_>) -> Result<(), fmt::Error> {
        encoder.write_str(match self {
            Self::Daemon => "daemon",
            Self::Http => "http",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct At {
    port: Door,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Because {
    port: Door,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    port: Door,
    what: &'static str,
    answer: u16,
}

/// All counters of this room.
pub(crate) struct Metrics {
    registry: Registry,
    connections: Family<At, Gauge>,
    turned_away: Family<Because, Counter>,
    requests: Family<Asked, Counter>,
    objects: Family<At, Counter>,
    bytes: Family<At, Counter>,
}

impl Metrics {
    pub(crate) fn new(service: &Service) -> Self {
        let mut registry = Registry::with_prefix("gatherer");
        let (connections, turned_away, requests) = (Family::default(), Family::default(), Family::default());
        let (objects, bytes) = (Family::default(), Family::default());
        registry.register("broker_connections", "Brokers connected now", connections.clone());
        registry.register("broker_turned_away", "Brokers turned away, by reason", turned_away.clone());
        registry.register("broker_requests", "Commands and requests, by what was answered", requests.clone());
        registry.register("broker_objects", "Objects sent in transfers", objects.clone());
        registry.register_with_unit("broker_sent", "Sent in transfers", Unit::Bytes, bytes.clone());
        registry.register_collector(Box::new(Store(service.production.clone(), service.is_private.clone())));
        registry.register_collector(Box::new(Others(service.measures.clone())));
        Self { registry, connections, turned_away, requests, objects, bytes }
    }

    /// Counts somebody for as long as the answer lives.
    pub(crate) fn connected(&self, port: Door) -> Connected {
        let gauge = self.connections.get_or_create_owned(&At { port });
        gauge.inc();
        Connected(gauge)
    }

    pub(crate) fn turned_away(&self, port: Door, reason: TurnedAway) {
        let reason = match reason {
            TurnedAway::Denied => "denied",
            TurnedAway::Full => "full",
        };
        self.turned_away.get_or_create(&Because { port, reason }).inc();
    }

    pub(crate) fn answered(&self, port: Door, what: &'static str, answer: u16) {
        self.requests.get_or_create(&Asked { port, what, answer }).inc();
    }

    /// Where objects sent are counted,
    pub(crate) fn objects(&self, port: Door) -> Counter {
        self.objects.get_or_create_owned(&At { port })
    }

    /// and where their bytes are.
    pub(crate) fn bytes(&self, port: Door) -> Counter {
        self.bytes.get_or_create_owned(&At { port })
    }

    /// All of it as text.
    pub(crate) fn write(&self) -> Result<String, fmt::Error> {
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

/// Somebody who is counted.
pub(crate) struct Connected(Gauge);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// What the store holds; private root nodes have no names here.
struct Store(Production, IsPrivate);

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl Collector for Store {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let (changes, changed) = self.0.view().last_change().map_err(|_| fmt::Error)?;
        let last = ConstCounter::new(changes);
        last.encode(encoder.encode_descriptor("changes", "Changes folded", None, last.metric_type())?)?;
        let at = ConstGauge::new(number(changed.0));
        let help = "When the last change was folded";
        at.encode(encoder.encode_descriptor("last_change_timestamp", help, Some(&Unit::Seconds), at.metric_type())?)?;
        let help = "Records that brokers can see, by root node";
        let kind = ConstGauge::new(0_i64).metric_type();
        let mut records = encoder.encode_descriptor("records", help, None, kind)?;
        let mut counts = BTreeMap::new();
        for (root, holding) in self.0.holdings() {
            let name = if (self.1)(&root) { "(private)".to_owned() } else { root };
            *counts.entry(name).or_insert(0) += holding.records;
        }
        for (root, count) in counts {
            ConstGauge::new(number(count)).encode(records.encode_family(&[("root", root)])?)?;
        }
        Ok(())
    }
}

/// Numbers of other rooms.
struct Others(Measure);

impl fmt::Debug for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Others")
    }
}

impl Sample {
    fn encode(&self, encoder: MetricEncoder<'_>) -> Result<(), fmt::Error> {
        if self.is_counter {
            ConstCounter::new(self.value).encode(encoder)
        } else {
            ConstGauge::new(self.value).encode(encoder)
        }
    }
}

impl Collector for Others {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let samples = (self.0)();
        for same in samples.chunk_by(|one, other| one.name == other.name) {
            let Some(first) = same.first() else { continue };
            let kind = if first.is_counter {
                ConstCounter::new(0_f64).metric_type()
            } else {
                ConstGauge::new(0_f64).metric_type()
            };
            let mut family = encoder.encode_descriptor(first.name, first.help, None, kind)?;
            for sample in same {
                let labels = sample.labels.as_slice();
                if labels.is_empty() {
                    sample.encode(family)?;
                    break;
                }
                sample.encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}
