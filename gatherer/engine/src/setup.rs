//! Settings -> rooms. Each room gets its own part and nothing else.

use gatherer_fetch::{LocalMapping, Manners, host_and_port};
use gatherer_pipeline::{Failure, Md5, RootNode};
use gatherer_post_summarize::{RuleSource, Rules};
use gatherer_recognize::{OperatorRule, Recognizer};
use gatherer_settings::{Complaints, ProgramText, RuleText, Settings, TextPart};
use gatherer_store::{Memory, Store, StoreError};
use gatherer_summarize::{Program, Summarizers};
use gatherer_summarizers::TextSetting;
use std::sync::Arc;

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

/// Checks all that settings alone cannot know: whether the operator's rules compile and programs are there.
///
/// # Errors
/// All complaints at once.
pub fn check(settings: &Settings) -> Result<(), Complaints> {
    let absent = |program: &&ProgramText| program.program.components().count() > 1 && !program.program.is_file();
    let complain = |program: &ProgramText| {
        Settings::complain(&program.place, format!("there is no program at {}", program.program.display()))
    };
    let programs = settings.programs.iter().filter(absent).map(complain);
    programs.chain(rules(settings).err()).reduce(Complaints::and).map_or(Ok(()), Err)
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

pub(crate) fn desk_mark(settings: &Settings) -> Md5 {
    let Settings { kinds, rules, selecting, programs, summarizing, .. } = settings;
    let programs: Vec<_> =
        programs.iter().map(|text| (&text.name, &text.kinds, &text.program, &text.arguments)).collect();
    // Where a rule or a program stands in the file makes no difference to records.
    let rules: Vec<_> = rules.iter().map(rule_source).collect();
    Md5::of(format!("{VERSION}{kinds:?}{rules:?}{selecting:?}{programs:?}{summarizing:?}").as_bytes())
}

pub(crate) fn recognizer(settings: &Settings) -> Result<Recognizer, Failure> {
    let voter = |voter| match voter {
        gatherer_settings::Voter::Url => gatherer_recognize::Voter::Url,
        gatherer_settings::Voter::Name => gatherer_recognize::Voter::Name,
        gatherer_settings::Voter::Content => gatherer_recognize::Voter::Content,
    };
    let rule = |rule: &gatherer_settings::KindRule| OperatorRule {
        voter: voter(rule.voter),
        pattern: rule.pattern.clone(),
        kind: rule.kind.clone(),
    };
    let rules = settings.kinds.iter().map(rule).collect();
    Recognizer::new(rules).map_err(|error| Failure::new("the built-in kinds cannot be read", error))
}

pub(crate) fn summarizers(settings: &Settings) -> Summarizers {
    let summarizing = &settings.summarizing;
    let builtin = Summarizers::new(match summarizing.text {
        TextPart::Full => TextSetting::Full,
        TextPart::Partial => TextSetting::Partial(summarizing.partial_limit),
        TextPart::None => TextSetting::None,
    });
    settings.programs.iter().fold(builtin, |summarizers, text| {
        let program = Program {
            name: text.name.clone(),
            program: text.program.clone(),
            arguments: text.arguments.clone(),
            limit: text.limit.unwrap_or(summarizing.program_limit),
            output_limit: text.output_limit.unwrap_or(summarizing.program_output_limit),
        };
        summarizers.with(text.kinds.clone(), program)
    })
}

pub(crate) fn rules(settings: &Settings) -> Result<Rules, Complaints> {
    Rules::compile(settings.rules.iter().map(rule_source).collect()).map_err(|errors| {
        let complaints = errors.into_iter().filter_map(|error| {
            let rule = settings.rules.get(error.index)?;
            Some(Settings::complain(&rule.place, error.message))
        });
        complaints.reduce(Complaints::and).expect("compiling fails with an error at least")
    })
}

fn rule_source(rule: &RuleText) -> RuleSource {
    RuleSource {
        name: rule.name.clone(),
        when: rule.when.clone(),
        set: rule.set.clone(),
        remove: rule.remove.clone(),
        delete: rule.delete,
        time_to_live: rule.time_to_live,
        refresh_rate: rule.refresh_rate,
    }
}
