//! Root nodes -> first candidates: their own URLs, leaf nodes and sitemaps, and what an enumeration program names.

use crate::{Engine, RunOptions, tables};
use gatherer_pipeline::{
    Access, Candidate, Departure, EnumerationProgram, Enumerator, Failure, FilterRule, Md5, Role, RootNode, UnixTime,
    Verdict, derived_name,
};
use gatherer_plugin::{Call, Sandbox};
use gatherer_store::{Record, Run};
use regex::Regex;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// Most bytes read from an enumeration program.
const OUTPUT_LIMIT: usize = 16 << 20;

/// When each enumeration program was last asked. A daemon makes many small runs, and not each of them needs a new list.
#[derive(Default)]
pub(crate) struct Enumerated(Mutex<HashMap<String, UnixTime>>);

impl Enumerated {
    /// By its schedule, if it has one and that counts; else once an hour at most.
    fn is_time(&self, node: &RootNode, now: UnixTime, options: &RunOptions) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = asked.get(&node.name).copied();
        let is_time = options.by_hand
            || match (node.schedule.as_ref().filter(|_| options.keeps_schedule()), last) {
                (Some(schedule), Some(last)) => schedule.last(now) > Some(last),
                (None, Some(last)) => now.since(last) >= node.refresh_rate.min(Duration::from_hours(1)),
                (_, None) => true,
            };
        if !is_time {
            return false;
        }
        asked.insert(node.name.clone(), now);
        true
    }
}

/// What an enumeration program has named.
#[derive(Default)]
struct Named {
    urls: Vec<Url>,
    /// Lines in Harvest's form, with limits of their own.
    nodes: Vec<(RootNode, String)>,
    complaints: Vec<String>,
}

impl Engine {
    /// Where every root node starts. A program that fails is a warning: nothing is taken for gone because of it.
    pub(crate) async fn enumerate(&self, options: &RunOptions) -> Result<Vec<Candidate>, Failure> {
        let mut starts = self.starts(options);
        for (name, why) in self.roots.broken() {
            self.progress.warn(format!("root node {name} cannot be read, so nothing of it is touched: {why}"));
        }
        for root in self.roots.all() {
            let node = &root.node;
            let has_more = node.enumeration.is_some() || node.enumerator.is_some();
            if !has_more || !options.wants(&node.name) || !self.enumerated.is_time(node, self.clock.now(), options) {
                continue;
            }
            let by_program = match &node.enumeration {
                Some(program) => Some(ask(program, node).await),
                None => None,
            };
            let by_plugin = match &node.enumerator {
                Some(enumerator) => Some(self.ask_plugin(enumerator, node).await),
                None => None,
            };
            for Named { urls, nodes, complaints } in by_program.into_iter().chain(by_plugin) {
                starts.extend(urls.into_iter().map(|url| Candidate::leaf(url, &node.name)));
                for (derived, line) in nodes {
                    self.store.keep_derived_node(&derived.name, &node.name, &line)?;
                    starts.extend(derived.start.iter().map(|url| Candidate::start(url.clone(), &derived.name)));
                    self.roots.add(derived);
                }
                let warning = |complaint| format!("enumeration of {}: {complaint}", node.name);
                complaints.into_iter().for_each(|complaint| self.progress.warn(warning(complaint)));
            }
        }
        Ok(starts)
    }

    /// What the config itself names.
    pub(crate) fn starts(&self, options: &RunOptions) -> Vec<Candidate> {
        let mut starts = Vec::new();
        for root in self.roots.all().iter().filter(|root| options.wants(&root.node.name)) {
            let node = &root.node;
            starts.extend(node.start.iter().map(|url| Candidate::start(url.clone(), &node.name)));
            starts.extend(node.leaves.iter().map(|url| Candidate::leaf(url.clone(), &node.name)));
            starts.extend(node.sitemaps.iter().map(|url| Candidate::map(url.clone(), &node.name)));
        }
        starts
    }
}

impl Engine {
    /// Has a plugin name what to gather.
    async fn ask_plugin(&self, enumerator: &Enumerator, node: &RootNode) -> Named {
        let name = enumerator.plugin.clone();
        let failed = |complaint| Named { complaints: vec![complaint], ..Named::default() };
        let plugin = match self.desk().shelf.enumerator(&name) {
            Ok(plugin) => plugin.clone(),
            Err(why) => return failed(why),
        };
        let (root, options, url_max) = (node.name.clone(), enumerator.options.clone(), node.url_max);
        let urls = node.start.iter().map(Url::to_string).collect();
        let asked = tokio::task::spawn_blocking(move || plugin.enumerate(&root, urls, url_max, &options)).await;
        match asked {
            Ok(Ok(urls)) => take_urls(&name, node, &urls),
            Ok(Err(why)) => failed(format!("{name}: {why}")),
            Err(error) => failed(format!("{name}: {error}")),
        }
    }

    /// When the operator has changed a scope, references that were left out before may be wanted now, and records may be
    /// unwanted. No page need be fetched to see that: the records know where they lead.
    pub(crate) fn judge_again(&self, run: &Run) -> Result<(), Failure> {
        let mut changed = Vec::new();
        for (root, holding) in self.store.holdings() {
            let mark = match self.roots.find(&root) {
                Ok(root) => scope_mark(&root.node),
                Err(Departure::RootGone { .. }) => GONE,
                Err(_) => continue,
            };
            if holding.records > 0 && self.store.scope_mark(&root)? != Some(mark) {
                changed.push(root);
            }
        }
        if !changed.is_empty() {
            for record in self.store.view().records() {
                let record = record?;
                if changed.contains(&record.head.root) {
                    self.judge_record(run, &record)?;
                }
            }
        }
        // Judged once, whatever comes of it: what is held back is looked at again by other rules.
        for root in changed.iter().filter(|root| self.roots.get(root).is_none()) {
            self.store.set_scope_mark(root, GONE)?;
        }
        for root in self.roots.all() {
            self.store.set_scope_mark(&root.node.name, scope_mark(&root.node))?;
        }
        Ok(())
    }

    fn judge_record(&self, run: &Run, record: &Record) -> Result<(), Failure> {
        let Some(entry) = self.store.entry(&record.head.origin)? else { return Ok(()) };
        // Its container is judged for it.
        if matches!(entry.role, Role::Member | Role::Collected) {
            return Ok(());
        }
        let again = self.again(&entry, true);
        let is_wanted = self.root(&again.0).is_ok_and(|root| root.scope.admit(&again.0).is_ok());
        if !is_wanted || again.0.root() != entry.root {
            self.offer(run, vec![again])?;
        }
        let found = self.judge_found(self.references(record)?.into_iter());
        if !found.is_empty() {
            self.offer(run, found)?;
        }
        Ok(())
    }

    fn references(&self, record: &Record) -> Result<Vec<Candidate>, Failure> {
        let Some(entry) = self.store.entry(&record.head.origin)?.filter(|entry| entry.role == Role::Page) else {
            return Ok(Vec::new());
        };
        let page = entry.candidate();
        let object = record.object();
        let targets = object.text("URL-References").unwrap_or_default();
        let unvouched = object.text(crate::gather::UNVOUCHED).unwrap_or_default();
        let unvouched: HashSet<_> = unvouched.lines().collect();
        let vouched = targets.lines().filter(|line| !unvouched.contains(line));
        Ok(vouched.filter_map(|line| Url::parse(line).ok()).map(|url| page.child(url)).collect())
    }
}

/// Stands for the scope of a root node that is no longer in the config.
const GONE: Md5 = Md5([0; 16]);

/// A digest of all that decides what is in scope.
pub(crate) fn scope_mark(node: &RootNode) -> Md5 {
    let RootNode { start, leaves, url_max, url_filter, host_max, host_filter, access, depth, url_rules, .. } = node;
    let limits = format!("{url_max}{host_max}{access:?}{depth:?}{url_rules:?}");
    Md5::of(format!("{start:?}{leaves:?}{url_filter:?}{host_filter:?}{limits}").as_bytes())
}

/// Gives the root node's URLs to the program, one a line, and takes lines from it: URLs, or root nodes in Harvest's
/// nine fields.
async fn ask(enumeration: &EnumerationProgram, node: &RootNode) -> Named {
    let name = enumeration.program.display();
    let failed = |complaint| Named { complaints: vec![complaint], ..Named::default() };
    let urls: String = node.start.iter().map(|url| format!("{url}\n")).collect();
    let asked = enumeration.clone();
    let run = tokio::task::spawn_blocking(move || {
        let arguments: Vec<_> = asked.arguments.iter().map(OsString::from).collect();
        let call = Call {
            program: &asked.program,
            arguments: &arguments,
            environment: &[],
            limit: asked.limit,
            output_limit: OUTPUT_LIMIT,
            memory: tables::PROGRAM_MEMORY,
            inherits: true,
            // It reads nothing of strangers, and has to ask others for what it names.
            sandbox: Sandbox::Off,
            scratch: None,
        };
        call.run_anyway(Some(urls.as_bytes()))
    });
    let (text, trouble) = match run.await {
        Ok(ended) => ended,
        Err(error) => return failed(format!("{name}: {error}")),
    };
    // What it named before it failed counts.
    let mut named = take_lines(&name, node, &String::from_utf8_lossy(&text));
    named.complaints.extend(trouble.map(|why| format!("{name}: {why}")));
    named
}

/// What a plugin has named. Each is one URL and nothing else: the nine fields could name a program, and a plugin need not be
/// trusted.
fn take_urls(name: &str, node: &RootNode, urls: &[String]) -> Named {
    let mut named = Named::default();
    let most = usize::try_from(node.url_max).unwrap_or(usize::MAX);
    for (number, url) in urls.iter().enumerate().take(most) {
        match Url::parse(url.trim()) {
            Ok(url) => named.urls.push(url),
            Err(error) if named.complaints.len() < 5 => {
                named.complaints.push(format!("answer {} of {name}: no URL ({error}): {url:?}", number + 1));
            }
            Err(_) => {}
        }
    }
    if urls.len() > most {
        named.complaints.push(format!("{name} names more than url-max ({most}) URLs; the rest is passed over"));
    }
    named
}

/// What a program has named, line by line.
fn take_lines(name: &impl Display, node: &RootNode, text: &str) -> Named {
    let mut named = Named::default();
    for (number, line) in text.lines().enumerate() {
        if (named.urls.len() + named.nodes.len()) as u64 >= node.url_max {
            let complaint = format!("{name} names more than url-max ({}) URLs; the rest is passed over", node.url_max);
            named.complaints.push(complaint);
            break;
        }
        if let Err(error) = take_line(node, line, &mut named)
            && named.complaints.len() < 5
        {
            named.complaints.push(format!("line {} of {name}: {error}: {line:?}", number + 1));
        }
    }
    named
}

fn take_line(node: &RootNode, line: &str, named: &mut Named) -> Result<(), String> {
    match line.split_whitespace().count() {
        0 => {}
        9 => named.nodes.push((nine_fields(node, line)?, line.to_owned())),
        _ => {
            let word = line.split_whitespace().next().unwrap_or_default();
            named.urls.push(Url::parse(word).map_err(|error| format!("no URL ({error})"))?);
        }
    }
    Ok(())
}

/// A root node as Harvest's enumerators write it: URL, URL-Max, URL-filter file, Host-Max, host-filter file, access
/// methods, delay, depth, enumeration program. What the fields do not say is as in the root node whose program it is.
pub(crate) fn nine_fields(parent: &RootNode, line: &str) -> Result<RootNode, String> {
    let fields: Vec<_> = line.split_whitespace().collect();
    let [url, url_max, url_filter, host_max, host_filter, access, delay, depth, program] = fields[..] else {
        return Err("not nine fields".to_owned());
    };
    let url = Url::parse(url).map_err(|error| format!("no URL ({error})"))?;
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
    let depth = u32::try_from(number(depth)?).unwrap_or(u32::MAX);
    let enumeration = (!["/dev/null", "/bin/false", "false", "-"].contains(&program)).then(|| EnumerationProgram {
        program: program.into(),
        arguments: Vec::new(),
        limit: parent.enumeration.as_ref().map_or(Duration::from_mins(5), |program| program.limit),
    });
    Ok(RootNode {
        name: derived_name(&parent.name, &url),
        start: vec![url],
        leaves: Vec::new(),
        sitemaps: Vec::new(),
        url_max: number(url_max)?,
        url_filter: filter_file(url_filter)?,
        host_max: number(host_max)?,
        host_filter: filter_file(host_filter)?,
        access: methods(access)?,
        delay: Duration::from_secs(number(delay)?).max(parent.delay),
        depth: (depth > 0).then_some(depth),
        enumeration,
        enumerator: None,
        ..parent.clone()
    })
}

fn methods(text: &str) -> Result<Vec<Access>, String> {
    let method = |name: &str| match name.to_ascii_lowercase().as_str() {
        "http" | "https" => Ok(Access::Http),
        "file" => Ok(Access::File),
        "ftp" | "ftps" => Ok(Access::Ftp),
        _ => Err(format!("no access method {name}")),
    };
    text.split('|').map(method).collect()
}

/// A filter file of Harvest: `Allow` or `Deny` and a regular expression a line.
fn filter_file(path: &str) -> Result<Vec<FilterRule>, String> {
    if path == "/dev/null" || path == "-" {
        return Ok(Vec::new());
    }
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read the filter file {path} ({error})"))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rule = |line: &str| {
        let (word, pattern) = line.split_once(char::is_whitespace).ok_or_else(|| format!("{path}: {line:?}"))?;
        let verdict = match word.to_ascii_lowercase().as_str() {
            "allow" => Verdict::Allow,
            "deny" => Verdict::Deny,
            _ => return Err(format!("{path}: {line:?} begins with neither Allow nor Deny")),
        };
        let pattern =
            Regex::new(pattern.trim()).map_err(|_| format!("{path}: {pattern:?} is no regular expression"))?;
        Ok(FilterRule { verdict, pattern })
    };
    lines.map(rule).collect()
}
