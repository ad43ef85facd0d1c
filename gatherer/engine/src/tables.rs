//! The operator's tables, rules and programs, as the rooms take them; what is wrong with them is told with its place.

use crate::kept::{sandbox, sandbox_in_force};
use crate::setup::{VERSION, words};
use gatherer_pipeline::{Failure, Md5, Summarizer, events};
use gatherer_plugin::{Apart, Call, Limits, Plugin, Policy, Role, Sandbox, Shared, Shelf, Wish};
use gatherer_post_summarize::{Attributes, Command, Instruction, Programs, RuleSource, Rules, read_harvest};
use gatherer_recognize::{OperatorRule, Recognizer, Voter, known_kinds, read_harvest_table};
use gatherer_settings::{
    CommandText, Complaints, ParserPlace, Place, PluginText, ProgramText, RuleFile, RuleText, Settings, Summarizing,
    closest,
};
use gatherer_summarize::{QuickSum, Summarizers};
use gatherer_summarizers::html_table::{HtmlByTable, HtmlTable};
use regex::Regex;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// Programs that the config itself names have no bound of their own: some reserve much that they never use.
pub(crate) const PROGRAM_MEMORY: u64 = u64::MAX;

/// Checks all that settings alone cannot know: whether the operator's tables can be read, rules compile and programs are
/// there.
///
/// # Errors
/// All complaints at once.
pub fn check(settings: &Settings) -> Result<(), Complaints> {
    let is_absent = |program: &Path| program.components().count() > 1 && !program.is_file();
    let absent = |program: &Path, place: &Place| {
        is_absent(program).then(|| Settings::complain(place, format!("there is no program at {}", program.display())))
    };
    let programs = settings.programs.iter().filter_map(|text: &ProgramText| absent(&text.program, &text.place));
    let sources = rule_sources(settings).unwrap_or_default();
    let in_rules = sources.iter().flat_map(|(rule, place)| rule.instructions.iter().map(move |one| (one, place)));
    let in_rules = in_rules.filter_map(|(instruction, place)| match instruction {
        Instruction::Filter { command, .. } | Instruction::Pass { command, .. } => absent(&command.program, place),
        _ => None,
    });
    let others = [
        rules(settings).err(),
        kind_rules(settings, &Shelf::default()).err(),
        quick_sum(settings).err(),
        html_table(settings).err(),
    ];
    let parsers = settings.parsers.iter().filter_map(|text| {
        let program = match &text.place {
            ParserPlace::Worker(program, _) | ParserPlace::Command(program, _) => Some(program),
            _ => None,
        };
        let absent = program.zip(text.program_at.as_ref()).and_then(|(program, place)| absent(program, place));
        absent.or_else(|| crate::abstracts::ontology(text).err())
    });
    let programs = programs.chain(parsers);
    programs.chain(in_rules).chain(others.into_iter().flatten()).reduce(Complaints::and).map_or(Ok(()), Err)
}

/// A digest of all that decides what records of every kind look like: tables, rules, summarizers, release. Where something stands in
/// the file makes no difference.
pub(crate) fn mark(settings: &Settings, shelf: &Shelf) -> Md5 {
    let Settings { kinds, selecting, opening, wording, weights, quick_sums, programs, summarizing, .. } = settings;
    let programs: Vec<_> =
        programs.iter().map(|text| (&text.name, &text.kinds, &text.program, &text.arguments)).collect();
    let Summarizing { text, partial_limit, html_table, .. } = summarizing;
    let files = &settings.kind_files;
    let files =
        [&summarizing.html_table_file, &summarizing.quick_sum_file, &files.by_url, &files.by_name, &files.by_content];
    let files: Vec<_> = files.into_iter().map(|file| file.as_ref().map(RuleFile::text)).collect();
    let rules = rule_sources(settings).unwrap_or_default();
    let rules: Vec<_> = rules.iter().map(|(source, _)| source).collect();
    let documents = format!("{selecting:?}{opening:?}{text:?}{partial_limit}{html_table:?}{wording:?}{weights:?}");
    // Who decides what every document is; those that take some kinds only stand in the marks of those kinds.
    let recognizers: Vec<_> = shelf.of(Role::Recognizer).map(|plugin| plugin.mark()).collect();
    let tables: Vec<_> = shelf.plugins().iter().flat_map(|plugin| &plugin.manifest().kind_rules).collect();
    let plugins = format!("{recognizers:?}{tables:?}");
    Md5::of(format!("{VERSION}{kinds:?}{rules:?}{programs:?}{documents}{quick_sums:?}{files:?}{plugins}").as_bytes())
}

pub(crate) fn recognizer(settings: &Settings, shelf: &Shelf) -> Result<Recognizer, Failure> {
    let rules = kind_rules(settings, shelf).map_err(|complaints| Failure::plain(complaints.to_string()))?;
    Recognizer::new(rules).map_err(|error| Failure::new("the built-in kinds cannot be read", error))
}

/// The operator's own rules, behind them those of plugins, and behind them Harvest's tables.
fn kind_rules(settings: &Settings, shelf: &Shelf) -> Result<Vec<OperatorRule>, Complaints> {
    let voter = |voter| match voter {
        gatherer_settings::Voter::Url => Voter::Url,
        gatherer_settings::Voter::Name => Voter::Name,
        gatherer_settings::Voter::Content => Voter::Content,
    };
    let own = settings.kinds.iter().map(|rule| OperatorRule {
        voter: voter(rule.voter),
        pattern: rule.pattern.clone(),
        kind: rule.kind.clone(),
    });
    let mut rules: Vec<_> = own.collect();
    rules.extend(shelf.plugins().iter().flat_map(|plugin| &plugin.manifest().kind_rules).filter_map(|rule| {
        let voter = match rule.voter {
            gatherer_plugin::Voter::Url => Voter::Url,
            gatherer_plugin::Voter::Name => Voter::Name,
            gatherer_plugin::Voter::Content => Voter::Content,
        };
        // Its manifest was read, so the pattern is one.
        Some(OperatorRule { voter, pattern: Regex::new(&rule.pattern).ok()?, kind: rule.kind.clone() })
    }));
    let files = &settings.kind_files;
    let files = [(Voter::Url, &files.by_url), (Voter::Name, &files.by_name), (Voter::Content, &files.by_content)];
    for (voter, file) in files.into_iter().filter_map(|(voter, file)| Some((voter, file.as_ref()?))) {
        rules.extend(read_harvest_table(voter, file.text()).map_err(|faults| at_lines(file, faults))?);
    }
    Ok(rules)
}

/// Whether the built-in tables have this kind.
pub fn is_known_kind(name: &str) -> bool {
    known_kinds().iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Names of kinds in the config that nobody knows, each with one that may have been meant: likely mistakes, but an operator may
/// have plans.
pub fn unknown_kinds(settings: &Settings) -> Vec<(String, Option<String>)> {
    // A plugin may tell kinds of its own, and it takes a while to ask them all.
    if !settings.plugging.folders.is_empty() {
        return Vec::new();
    }
    let own = kind_rules(settings, &Shelf::default()).unwrap_or_default();
    let is_known = |name: &&String| is_known_kind(name) || own.iter().any(|rule| rule.kind.eq_ignore_ascii_case(name));
    let selecting = [&settings.selecting.stop_kinds, &settings.selecting.allow_kinds].into_iter().flatten();
    let programs = settings.programs.iter().flat_map(|program| &program.kinds);
    let others = settings.weights.iter().flat_map(|weights| &weights.kinds);
    let lines = settings.quick_sums.iter().map(|line| &line.kind);
    let parsers = settings.parsers.iter().flat_map(|parser| &parser.kinds).filter(|name| *name != "*");
    let named = selecting.chain(programs).chain(others).chain(lines).chain(parsers);
    let all: Vec<_> = known_kinds().into_iter().chain(own.iter().map(|rule| rule.kind.as_str())).collect();
    let alike = |name: &String| closest(name, &all).map(str::to_owned);
    named.filter(|name| !is_known(name)).map(|name| (name.clone(), alike(name))).collect()
}

/// A kind of the built-in tables that may have been meant.
pub fn kind_like(name: &str) -> Option<&'static str> {
    closest(name, &known_kinds())
}

pub(crate) fn summarizers(settings: &Settings, shelf: &Shelf) -> Result<Summarizers, Complaints> {
    let summarizing = &settings.summarizing;
    let worker = |program: &PathBuf| -> Box<dyn Summarizer> {
        Box::new(Apart::new(program.clone(), vec!["worker".into()], summarizing.program_limit))
    };
    let builtin = Summarizers::new(words(settings))
        .with_workers(summarizing.worker.as_ref().map(worker))
        .with_quick_sum(quick_sum(settings)?);
    let with_programs = settings.programs.iter().fold(builtin, |summarizers, text| {
        let limits = Limits {
            deadline: text.limit.unwrap_or(summarizing.program_limit),
            output: text.output_limit.unwrap_or(summarizing.program_output_limit),
            memory: PROGRAM_MEMORY,
            ..Limits::USUAL
        };
        let (kinds, program, arguments) = (text.kinds.clone(), text.program.clone(), text.arguments.clone());
        let sandbox = sandbox(settings, text.network);
        summarizers.with(kinds.clone(), Plugin::program(&text.name, kinds, program, arguments, limits, sandbox))
    });
    let with_plugins = shelf
        .of(Role::Summarizer)
        .fold(with_programs, |summarizers, plugin| summarizers.with(plugin.kinds().to_vec(), Shared(plugin.clone())));
    Ok(match html_table(settings)? {
        Some(table) => with_plugins.with(["HTML", "HomeHTML"].map(str::to_owned).to_vec(), HtmlByTable::new(table)),
        None => with_plugins,
    })
}

/// All plugins that the settings name.
pub fn shelf(settings: &Settings) -> Shelf {
    let is_foreign =
        !settings.plugging.folders.is_empty() || !settings.programs.is_empty() || !settings.parsers.is_empty();
    if is_foreign {
        events::sandbox(&sandbox_in_force(settings));
    }
    Shelf::read(&policy(settings))
}

/// What the operator says of plugins.
pub fn policy(settings: &Settings) -> Policy {
    let wish = |text: &PluginText| Wish {
        name: text.name.clone(),
        off: !text.enabled,
        kinds: text.kinds.clone(),
        grants: text.grants.clone(),
        options: text.options.clone(),
        deadline: text.deadline,
        memory: text.memory.map(|bytes| bytes as u64),
        output: text.output,
        in_process: text.in_process,
    };
    let plugging = &settings.plugging;
    Policy {
        folders: plugging.folders.clone(),
        order: plugging.order.clone(),
        grants: plugging.grants.clone(),
        wishes: settings.plugins.iter().map(wish).collect(),
        cache: plugging.cache.clone(),
        worker: settings.summarizing.worker.clone(),
        unguarded: !plugging.sandbox,
    }
}

fn quick_sum(settings: &Settings) -> Result<QuickSum, Complaints> {
    let own = settings.quick_sums.iter().map(|line| (line.kind.clone(), line.attribute.clone(), line.pattern.clone()));
    let own = QuickSum::new(own.collect());
    match &settings.summarizing.quick_sum_file {
        Some(file) => Ok(own.and(QuickSum::read(file.text()).map_err(|faults| at_lines(file, faults))?)),
        None => Ok(own),
    }
}

fn html_table(settings: &Settings) -> Result<Option<HtmlTable>, Complaints> {
    let Summarizing { html_table, html_table_file, html_table_place, .. } = &settings.summarizing;
    if let Some(file) = html_table_file {
        return HtmlTable::read(file.text()).map(Some).map_err(|faults| at_lines(file, faults));
    }
    if html_table.is_empty() {
        return Ok(None);
    }
    HtmlTable::new(html_table.clone()).map(Some).map_err(|faults| {
        let complain = |fault: String| match html_table_place {
            Some(place) => Settings::complain(place, fault),
            None => Settings::complain_at_large(fault),
        };
        faults.into_iter().map(complain).reduce(Complaints::and).expect("a table fails with a fault at least")
    })
}

fn at_lines(file: &RuleFile, faults: Vec<(usize, String)>) -> Complaints {
    let complaints = faults.into_iter().map(|(line, message)| Settings::complain(&file.place(line), message));
    complaints.reduce(Complaints::and).expect("a file fails with a fault at least")
}

pub(crate) fn rules(settings: &Settings) -> Result<Rules, Complaints> {
    let (sources, places): (Vec<_>, Vec<_>) = rule_sources(settings)?.into_iter().unzip();
    Rules::compile(sources).map_err(|errors| {
        let complaints =
            errors.into_iter().filter_map(|error| Some(Settings::complain(places.get(error.index)?, error.message)));
        complaints.reduce(Complaints::and).expect("compiling fails with an error at least")
    })
}

/// All rules in order, those of files among them, each with the place where it stands.
fn rule_sources(settings: &Settings) -> Result<Vec<(RuleSource, Place)>, Complaints> {
    let mut sources = Vec::new();
    for rule in &settings.rules {
        match &rule.file {
            None => sources.push((rule_source(rule), rule.place.clone())),
            Some(file) => {
                let faults = |errors: Vec<gatherer_post_summarize::FileError>| {
                    at_lines(file, errors.into_iter().map(|error| (error.line, error.message)).collect())
                };
                let read = read_harvest(file.text()).map_err(faults)?;
                sources.extend(read.into_iter().map(|source| (of_file(source, file, &rule.name), rule.place.clone())));
            }
        }
    }
    Ok(sources)
}

/// A rule of a file, with its programs where they are.
fn of_file(mut source: RuleSource, file: &RuleFile, name: &str) -> RuleSource {
    source.name = format!("{name} {}", source.name);
    for instruction in &mut source.instructions {
        if let Instruction::Filter { command, .. } | Instruction::Pass { command, .. } = instruction {
            command.program = file.program(&command.program);
        }
    }
    source
}

fn rule_source(rule: &RuleText) -> RuleSource {
    let command = |text: &CommandText| Command { program: text.program.clone(), arguments: text.arguments.clone() };
    let set =
        |(attribute, value): &(String, String)| Instruction::Set { attribute: attribute.clone(), value: value.clone() };
    let filter = |(attribute, text): &(String, CommandText)| Instruction::Filter {
        attribute: attribute.clone(),
        command: command(text),
    };
    let pass = |(attributes, text): &(Vec<String>, CommandText)| Instruction::Pass {
        attributes: attributes.clone(),
        command: command(text),
    };
    let rewrite =
        |(pattern, with): &(String, String)| Instruction::Rewrite { pattern: pattern.clone(), with: with.clone() };
    let instructions = rule.set.iter().map(set);
    let instructions = instructions.chain(rule.filter.iter().map(filter)).chain(rule.pass.iter().map(pass));
    let instructions = instructions.chain(rule.url.iter().map(rewrite));
    let instructions = instructions.chain(rule.template.iter().cloned().map(Instruction::Template));
    let instructions = instructions.chain(rule.remove.iter().cloned().map(Instruction::Remove));
    let instructions = instructions.chain(rule.time_to_live.map(Instruction::TimeToLive));
    let instructions = instructions.chain(rule.refresh_rate.map(Instruction::RefreshRate));
    let instructions = instructions.chain(rule.delete.then_some(Instruction::Delete)).collect();
    RuleSource { name: rule.name.clone(), when: rule.when.clone(), instructions }
}

/// Runs the programs that rules name.
pub(crate) struct RulePrograms {
    limit: Duration,
    output_limit: usize,
    sandbox: Sandbox,
}

impl RulePrograms {
    pub(crate) fn new(settings: &Settings) -> Self {
        let Summarizing { program_limit, program_output_limit, .. } = settings.summarizing;
        let sandbox = sandbox(settings, false);
        Self { limit: program_limit, output_limit: program_output_limit, sandbox }
    }

    fn call<T>(&self, command: &Command, url: &Url, run: impl FnOnce(&Call<'_>) -> T) -> T {
        let arguments: Vec<_> = command.arguments.iter().map(OsString::from).collect();
        run(&Call {
            program: &command.program,
            arguments: &arguments,
            environment: &[("SUMMARIZER_URL", url.as_str())],
            limit: self.limit,
            output_limit: self.output_limit,
            memory: PROGRAM_MEMORY,
            inherits: false,
            sandbox: self.sandbox,
            scratch: None,
        })
    }
}

impl Programs for RulePrograms {
    fn run(&self, command: &Command, input: &[u8], url: &Url) -> Result<Vec<u8>, String> {
        self.call(command, url, |call| call.run(Some(input)))
    }

    fn pass(&self, command: &Command, attributes: &Attributes, url: &Url) -> Result<Vec<(String, String)>, String> {
        self.call(command, url, |call| call.pass(attributes))
    }
}
