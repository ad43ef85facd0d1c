//! `gatherer plugin`: for those who use plugins, and for those who write them.

mod bench;
mod new;

use super::time::size;
use super::{print, say, summarize};
use crate::arguments::{CheckWish, ComponentWish, PluginDeed, Source, TryWish, WorkerWish, World as WorldName};
use anyhow::{Context, Result, bail};
use gatherer_engine::Desk;
use gatherer_pipeline::{Fetched, Kind};
use gatherer_plugin::{Finding, Grants, Manifest, Out, Plugin, Policy, Role, Samples, Shelf, Wish, World};
use gatherer_settings::Settings;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn plugin(deed: &PluginDeed) -> Result<ExitCode> {
    match deed {
        PluginDeed::List(source) => list(source),
        PluginDeed::New(wish) => new::new(wish),
        PluginDeed::Check(wish) => check(wish),
        PluginDeed::Run(wish) => run(wish),
        PluginDeed::Bench(wish) => bench::bench(wish),
        PluginDeed::Component(wish) => component(wish),
    }
}

/// The worker's end of the line.
pub(crate) fn work(wish: &WorkerWish) -> Result<ExitCode> {
    match &wish.dylib {
        Some(library) => gatherer_plugin::work_with_library(library).map_err(anyhow::Error::msg)?,
        None => gatherer_engine::work()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(source: &Source) -> Result<ExitCode> {
    let settings = source.settings()?;
    if settings.plugging.folders.is_empty() {
        say("no plugins: `[plugins] folders` in the config names no folder");
    }
    let desk = Desk::new(&settings)?;
    let shelf = desk.shelf();
    for plugin in shelf.plugins() {
        let manifest = plugin.manifest();
        let kinds = if plugin.kinds().is_empty() { "-".to_owned() } else { plugin.kinds().join(" ") };
        let (role, form) = (manifest.role.interface(), manifest.form);
        print(&format!("in   {:<24} {role:<15} {form:<8} {kinds:<20} {}", manifest.label(), plugin.about()))?;
        for (name, value) in plugin.options() {
            print(&format!("       {name} = {value}"))?;
        }
    }
    for Out { name, reason, .. } in shelf.out() {
        print(&format!("out  {name:<24} {reason}"))?;
    }
    print(&format!("sandbox: {}", gatherer_engine::sandbox_in_force(&settings)))?;
    let taken = shelf.of(Role::Summarizer).flat_map(|plugin| plugin.kinds()).filter(|kind| *kind != "*");
    for kind in taken.collect::<BTreeSet<_>>() {
        print(&format!("order {kind}: {}", desk.summarizers_of(&Kind::new(kind)).join(", then ")))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// As an author tries it: all that it asks for is granted.
fn policy(name: &str, options: &[(String, String)]) -> Policy {
    let settings = super::with_worker(Settings::defaults());
    let wish = Wish { name: name.to_owned(), options: options.to_vec(), ..Wish::default() };
    Policy {
        grants: Grants::NAMES.map(str::to_owned).to_vec(),
        wishes: vec![wish],
        cache: cache(),
        worker: settings.summarizing.worker,
        ..Policy::default()
    }
}

/// Where compiled components of somebody without a config are kept.
fn cache() -> Option<PathBuf> {
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home)?;
    Some(base.join("gatherer/plugins"))
}

fn load(folder: &Path, options: &[(String, String)], in_process: bool) -> Result<Plugin> {
    let manifest = Manifest::read(folder).map_err(anyhow::Error::msg)?;
    let mut policy = policy(&manifest.name, options);
    policy.wishes.iter_mut().for_each(|wish| wish.in_process = in_process);
    let plugin = Shelf::one(folder, &policy).map_err(anyhow::Error::msg);
    plugin.with_context(|| format!("{} cannot be used", manifest.label()))
}

fn check(wish: &CheckWish) -> Result<ExitCode> {
    let folder = folder_of(&wish.folder);
    let plugin = load(&folder, &[], false)?;
    let manifest = plugin.manifest();
    print(&format!("{}, {}, {}", manifest.label(), manifest.role.interface(), plugin.about()))?;
    let limit = manifest.limits().map_err(anyhow::Error::msg)?.deadline + Duration::from_secs(1);
    for kind in manifest.kinds.iter().filter(|kind| *kind != "*") {
        let is_own = manifest.kind_rules.iter().any(|rule| rule.kind.eq_ignore_ascii_case(kind));
        if !is_own && !gatherer_engine::is_known_kind(kind) {
            say(&format!(
                "note: nothing is ever recognized as {kind}, unless a [[kind]] of the plugin or the config says so"
            ));
        }
    }
    let mut findings = plugin.examine(&samples(&folder)?, limit);
    findings.extend(expectations(&folder, &plugin)?);
    for Finding { promise, outcome } in &findings {
        match outcome {
            Ok(said) => print(&format!("ok    {promise}: {said}"))?,
            Err(why) => print(&format!("FAIL  {promise}: {why}"))?,
        }
    }
    let broken = findings.iter().filter(|finding| finding.outcome.is_err()).count();
    print(&format!("{} promises kept, {broken} broken", findings.len() - broken))?;
    Ok(if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The folder of a plugin, also if somebody names the manifest in it.
fn folder_of(named: &Path) -> PathBuf {
    match named.file_name() {
        Some(name) if name == gatherer_plugin::FILE && named.is_file() => {
            named.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new(".")).to_owned()
        }
        _ => named.to_owned(),
    }
}

/// Whether samples give what their `.expected` files say: a line `Attribute: value` each, or a URL each of an enumerator.
fn expectations(folder: &Path, plugin: &Plugin) -> Result<Vec<Finding>> {
    const PROMISE: &str = "its samples give what is expected of them";
    let Ok(entries) = fs::read_dir(folder.join("samples")) else { return Ok(Vec::new()) };
    let mut findings = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "expected") {
            continue;
        }
        let expected = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let sample = path.with_extension("");
        let name = sample.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = found_in(folder, plugin, &sample);
        let outcome = found.and_then(|found| {
            let missing = expected.lines().find(|line| !line.trim().is_empty() && !found.iter().any(|one| one == line));
            missing.map_or(Ok(()), |line| bail!("there is no {line:?}"))
        });
        let outcome = outcome.map(|()| name.clone()).map_err(|error| format!("{name}: {}", super::sentence(&error)));
        findings.push(Finding { promise: PROMISE, outcome });
    }
    findings.sort_by(|one, other| format!("{:?}", one.outcome).cmp(&format!("{:?}", other.outcome)));
    Ok(findings)
}

/// What comes of a sample: attributes with the first line of their values, or URLs.
fn found_in(folder: &Path, plugin: &Plugin, sample: &Path) -> Result<Vec<String>> {
    if plugin.manifest().role == Role::Enumerator {
        return plugin.try_root_node(&fs::read(sample)?).map_err(anyhow::Error::msg);
    }
    let (desk, fetched) = workplace(folder, plugin, &sample.to_string_lossy(), &[], None)?;
    let summary = desk.summarize(fetched)?.summary;
    let line = |name: &str, value: &str| format!("{name}: {}", value.lines().next().unwrap_or_default());
    Ok(summary.attributes().iter().map(|one| line(&one.name, &one.value)).collect())
}

/// The documents beside the plugin that it is to take.
fn samples(folder: &Path) -> Result<Samples> {
    let Ok(entries) = fs::read_dir(folder.join("samples")) else { return Ok(Samples::default()) };
    let mut samples = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_ours = path.extension().is_some_and(|ending| ending == "expected" || ending == "py" || ending == "sh");
        if path.is_file() && !is_ours {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            samples.push((name, fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?));
        }
    }
    samples.sort();
    Ok(Samples(samples))
}

fn run(wish: &TryWish) -> Result<ExitCode> {
    let folder = folder_of(&wish.folder);
    let plugin = load(&folder, &wish.options, false)?;
    if plugin.manifest().role == Role::Enumerator {
        let start = wish.document.iter().cloned().collect();
        let urls = plugin.enumerate("plugin run", start, u64::MAX, &wish.options).map_err(anyhow::Error::msg)?;
        urls.iter().try_for_each(|url| print(url))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(document) = &wish.document else { bail!("name a file or a URL for it to work on") };
    let (desk, fetched) =
        workplace(&folder, &plugin, document, &wish.options, summarize::config_or_here(wish.config.as_deref()))?;
    let url = fetched.url().clone();
    let made = desk.summarize(fetched).with_context(|| format!("no record of {url}"))?;
    made.votes.iter().for_each(|vote| say(vote));
    summarize::show(&made, wish.form)?;
    Ok(tell_deeds(&desk))
}

/// What plugins have done, on standard error; content if none has failed.
fn tell_deeds(desk: &Desk) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for deeds in desk.deeds() {
        let memory =
            deeds.peak.map_or_else(|| "memory not known".to_owned(), |peak| format!("{} of memory", size(peak)));
        let counts = format!("asked {} times, not for it {}, failed {}", deeds.asked, deeds.refused, deeds.failed);
        say(&format!("{}: {:.1} ms, {memory}; {counts}", deeds.label, millis(deeds.time)));
        if deeds.failed > 0 {
            code = ExitCode::FAILURE;
        }
    }
    code
}

/// A desk with this plugin on it, and a document.
fn workplace(
    folder: &Path,
    plugin: &Plugin,
    document: &str,
    options: &[(String, String)],
    config: Option<&Path>,
) -> Result<(Desk, Fetched)> {
    let mut settings = summarize::settings(config)?;
    let is_remote = !document.starts_with("file:") && url::Url::parse(document).is_ok_and(|url| url.has_host());
    if is_remote && config.is_none() {
        bail!("fetching from a site needs your contact\nname a config file with --config; `gatherer init` writes one");
    }
    let url = summarize::document_url(document)?;
    let name = &plugin.manifest().name;
    settings.plugging.folders = vec![folder.to_owned()];
    settings.plugging.cache = cache();
    settings.plugging.grants = Grants::NAMES.map(str::to_owned).to_vec();
    settings.plugging.order = Vec::new();
    settings.plugins = Vec::new();
    settings.set_plugin(name, None, options);
    let fetched = summarize::fetch(&settings, &url).with_context(|| format!("cannot fetch {document}"))?;
    let desk = Desk::new(&settings)?;
    let kind = desk.recognize(fetched.clone()).kind().clone();
    if plugin.manifest().role != Role::Summarizer || plugin.takes(kind.name()) {
        return Ok((desk, fetched));
    }
    say(&format!("{document} is recognized as {kind}, which the plugin does not take; it is asked all the same"));
    settings.set_plugin(name, Some(vec!["*".to_owned()]), options);
    Ok((Desk::new(&settings)?, fetched))
}

fn millis(span: Duration) -> f64 {
    span.as_secs_f64() * 1e3
}

fn component(wish: &ComponentWish) -> Result<ExitCode> {
    let module = fs::read(&wish.module).with_context(|| format!("cannot read {}", wish.module.display()))?;
    let role = match wish.world {
        WorldName::Summarizer => Role::Summarizer,
        WorldName::Recognizer => Role::Recognizer,
        WorldName::Enumerator => Role::Enumerator,
        WorldName::PostSummarizer => Role::PostSummarizer,
    };
    let made = gatherer_plugin::encode(&module, World(role)).with_context(|| wish.module.display().to_string())?;
    fs::write(&wish.output, made).with_context(|| format!("cannot write {}", wish.output.display()))?;
    Ok(ExitCode::SUCCESS)
}
