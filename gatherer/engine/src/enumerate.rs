//! Root nodes -> first candidates: their own URLs, their leaf nodes, and what an enumeration program names.

use crate::Engine;
use gatherer_pipeline::{Candidate, EnumerationProgram, Failure, Md5, RootNode, UnixTime};
use gatherer_store::{Record, Run};
use std::collections::HashMap;
use std::process::Stdio;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::timeout;
use url::Url;

/// Most bytes read from an enumeration program.
const OUTPUT_LIMIT: u64 = 16 << 20;

/// When each enumeration program was last asked. A daemon makes many small runs, and not each of them needs a new list.
#[derive(Default)]
pub(crate) struct Enumerated(Mutex<HashMap<String, UnixTime>>);

impl Enumerated {
    fn is_time(&self, node: &RootNode, now: UnixTime) -> bool {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = node.refresh_rate.min(Duration::from_hours(1));
        if asked.get(&node.name).is_some_and(|last| now.since(*last) < wait) {
            return false;
        }
        asked.insert(node.name.clone(), now);
        true
    }
}

impl Engine {
    /// Where every root node starts. A program that fails is a warning: nothing is taken for gone because of it.
    pub(crate) async fn enumerate(&self) -> Vec<Candidate> {
        let mut starts = Vec::new();
        for node in &self.settings.root_nodes {
            starts.extend(node.start.iter().map(|url| Candidate::start(url.clone(), &node.name)));
            starts.extend(node.leaves.iter().map(|url| Candidate::leaf(url.clone(), &node.name)));
            let program = node.enumeration.as_ref().filter(|_| self.enumerated.is_time(node, self.clock.now()));
            if let Some(program) = program {
                let (urls, complaints) = ask(program, node).await;
                starts.extend(urls.into_iter().map(|url| Candidate::leaf(url, &node.name)));
                let warning = |complaint| format!("enumeration program of {}: {complaint}", node.name);
                complaints.into_iter().for_each(|complaint| self.progress.warn(warning(complaint)));
            }
        }
        starts
    }
}

impl Engine {
    /// When the operator has changed a scope, references that were left out before may be wanted now, and records may be
    /// unwanted. No page need be fetched to see that: the records know where they lead.
    pub(crate) fn judge_again(&self, run: &Run) -> Result<(), Failure> {
        let mut changed = Vec::new();
        for (root, holding) in self.store.holdings() {
            let mark = self.roots.get(&root).map(|root| scope_mark(&root.node));
            if holding.records > 0 && self.store.scope_mark(&root)? != mark {
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
        for node in &self.settings.root_nodes {
            self.store.set_scope_mark(&node.name, scope_mark(node))?;
        }
        Ok(())
    }

    fn judge_record(&self, run: &Run, record: &Record) -> Result<(), Failure> {
        let Some(entry) = self.store.entry(&record.head.url)? else { return Ok(()) };
        let again = self.again(&entry, true);
        let is_wanted = self.root(&again.0).is_ok_and(|root| root.scope.admit(&again.0).is_ok());
        if !is_wanted || again.0.root() != entry.root {
            self.offer(run, vec![again])?;
        }
        let found = self.judge_found(self.references(record)?.into_iter());
        if found.is_empty() { Ok(()) } else { self.offer(run, found) }
    }

    fn references(&self, record: &Record) -> Result<Vec<Candidate>, Failure> {
        let Some(entry) = self.store.entry(&record.head.url)?.filter(|entry| entry.follow) else {
            return Ok(Vec::new());
        };
        let page = entry.candidate();
        let object = record.object();
        let targets = object.text("URL-References").unwrap_or_default();
        Ok(targets.lines().filter_map(|line| Url::parse(line).ok()).map(|url| page.child(url)).collect())
    }
}

/// A digest of all that decides what is in scope.
fn scope_mark(node: &RootNode) -> Md5 {
    let RootNode { start, leaves, url_max, url_filter, host_max, host_filter, access, depth, .. } = node;
    Md5::of(
        format!("{start:?}{leaves:?}{url_max}{url_filter:?}{host_max}{host_filter:?}{access:?}{depth:?}").as_bytes(),
    )
}

/// Gives the root node's URLs to the program, one a line, and takes URLs from it: the first word of each line, so
/// that both plain lists and Harvest's nine-field lines are understood.
async fn ask(enumeration: &EnumerationProgram, node: &RootNode) -> (Vec<Url>, Vec<String>) {
    let name = enumeration.program.display();
    let output = match timeout(enumeration.limit, run(enumeration, node)).await {
        Ok(Ok(output)) => output,
        Ok(Err(error)) => return (Vec::new(), vec![format!("{name} cannot be run: {error}")]),
        Err(_) => return (Vec::new(), vec![format!("{name} did not end within {} s", enumeration.limit.as_secs())]),
    };
    let (text, status) = output;
    let mut complaints = Vec::new();
    if !status.success() {
        complaints.push(format!("{name} ended with {status}"));
    }
    let mut urls = Vec::new();
    for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
        if urls.len() as u64 >= node.url_max {
            complaints.push(format!("{name} names more than url-max ({}) URLs; the rest is passed over", node.url_max));
            break;
        }
        match line.split_whitespace().next().map(Url::parse) {
            Some(Ok(url)) => urls.push(url),
            Some(Err(error)) if complaints.len() < 5 => {
                complaints.push(format!("line {} of {name} is no URL ({error}): {line:?}", number + 1));
            }
            Some(Err(_)) | None => {}
        }
    }
    (urls, complaints)
}

#[expect(clippy::disallowed_methods, reason = "this is one of the two places that start programs")]
async fn run(
    enumeration: &EnumerationProgram,
    node: &RootNode,
) -> std::io::Result<(Vec<u8>, std::process::ExitStatus)> {
    let mut child = Command::new(&enumeration.program)
        .args(&enumeration.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()?;
    let urls: String = node.start.iter().map(|url| format!("{url}\n")).collect();
    let input = child.stdin.take();
    let feeding = async {
        if let Some(mut input) = input {
            // A program that does not want them closes its end early.
            let _ = input.write_all(urls.as_bytes()).await;
        }
    };
    let output = child.stdout.take();
    let reading = async {
        let mut text = Vec::new();
        if let Some(output) = output {
            output.take(OUTPUT_LIMIT).read_to_end(&mut text).await?;
        }
        std::io::Result::Ok(text)
    };
    let ((), text) = tokio::join!(feeding, reading);
    Ok((text?, child.wait().await?))
}
