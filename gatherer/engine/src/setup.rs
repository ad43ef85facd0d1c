//! Settings -> rooms. Each room gets its own part and nothing else.

use gatherer_fetch::{LocalMapping, Manners, host_and_port};
use gatherer_pipeline::RootNode;
use gatherer_settings::{KindWeights, Settings, TextPart, WordWeights};
use gatherer_store::{Memory, Store, StoreError};
use gatherer_summarize::{Keywords, TextSetting, Weights, Words};
use std::sync::Arc;
use std::time::Duration;

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Opens the store that the settings name.
///
/// # Errors
/// Each error names the directory and the next step.
pub fn open_store(settings: &Settings) -> Result<Store, StoreError> {
    Store::open(&settings.identity.data_directory, memory(settings))
}

/// Opens the store to look at it, while a gatherer may be using it.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn look_into_store(settings: &Settings) -> Result<Store, StoreError> {
    Store::open_for_reading(&settings.identity.data_directory, memory(settings))
}

pub(crate) fn memory(settings: &Settings) -> Memory {
    Memory { block_cache: settings.storing.block_cache, write_buffers: settings.storing.write_buffers }
}

pub(crate) fn manners(settings: &Settings) -> Manners {
    let fetching = &settings.fetching;
    let nodes = &settings.root_nodes;
    let named =
        |node: &'_ RootNode| node.start.iter().chain(&node.leaves).chain(&node.sitemaps).cloned().collect::<Vec<_>>();
    let hosts = |node: &RootNode| named(node).iter().filter_map(host_and_port).collect();
    Manners {
        user_agent: format!("{}/{VERSION} (+{})", fetching.agent, settings.identity.contact),
        contact: settings.identity.contact.clone(),
        connect_limit: fetching.connect_limit,
        answer_limit: fetching.answer_limit,
        body_limit: fetching.body_limit,
        named_hosts: nodes.iter().map(|node| (node.name.clone(), hosts(node))).collect(),
        visitors: nodes.iter().map(|node| (node.name.clone(), Arc::new(node.visitor.clone()))).collect(),
        share_addresses: fetching.share_addresses,
        name_servers: fetching.name_servers.clone(),
        local: fetching.local_mapping.iter().map(|(prefix, path)| LocalMapping::new(prefix, path)).collect(),
        named_directories: nodes.iter().flat_map(named).filter_map(|url| url.to_file_path().ok()).collect(),
    }
}

/// What is opened, and how far.
pub(crate) struct Unnesting {
    pub(crate) opens: bool,
    pub(crate) rules: gatherer_unnest::Rules,
    pub(crate) limits: gatherer_unnest::Limits,
    pub(crate) time_limit: Duration,
}

pub(crate) fn unnesting(settings: &Settings) -> Unnesting {
    let opening = &settings.opening;
    Unnesting {
        opens: opening.archives,
        rules: gatherer_unnest::Rules {
            mailboxes: opening.mailboxes,
            attachments: opening.attachments,
            feeds: opening.feeds,
            xml_elements: opening.xml_elements.clone(),
        },
        limits: gatherer_unnest::Limits {
            depth: opening.depth,
            members: opening.members,
            bytes: opening.bytes as u64,
            ratio: opening.ratio,
        },
        time_limit: opening.time_limit,
    }
}

pub(crate) fn words(settings: &Settings) -> Words {
    let Settings { summarizing, wording, .. } = settings;
    let WordWeights { title, headings, anchors, body } = wording.weights;
    let otherwise = Weights { title, headings, anchors, body };
    let own = |own: &KindWeights| Weights {
        title: own.title.unwrap_or(title),
        headings: own.headings.unwrap_or(headings),
        anchors: own.anchors.unwrap_or(anchors),
        body: own.body.unwrap_or(body),
    };
    let weights =
        settings.weights.iter().flat_map(|one| one.kinds.iter().map(move |kind| (kind.to_lowercase(), own(one))));
    let stop_words = wording.stop_words.iter().map(|(list, words)| (list.clone(), words.iter().cloned().collect()));
    Words {
        text: match summarizing.text {
            TextPart::Full => TextSetting::Full,
            TextPart::Partial => TextSetting::Partial(summarizing.partial_limit),
            TextPart::None => TextSetting::None,
        },
        keywords: Keywords {
            count: wording.count,
            weights: weights.collect(),
            otherwise,
            stop_words: stop_words.collect(),
        },
    }
}
