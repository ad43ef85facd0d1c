//! `[[root-node]]` over `[root-node-defaults]`.

use crate::complaint::Complaint;
use crate::reading::Reading;
use crate::scheduling::{Scheduling, check_gap, rate_of};
use crate::section::Section;
use crate::shape::Shape;
use crate::value::{self, Checked, Item, fault};
use crate::visitor;
use gatherer_pipeline::{
    Access, EnumerationProgram, Enumerator, FilterRule, Order, PriorityRule, QueryPolicy, RootNode, UrlRules, Verdict,
    host_name,
};
use std::path::Path;
use url::Url;

const DEFAULTS: &str = "root-node-defaults";

/// All root nodes; there is at least one, or a complaint.
pub(crate) fn read_all(reading: &mut Reading<'_>, scheduling: &Scheduling) -> Vec<RootNode> {
    // Read for its own sake: a bad default is one complaint, with root nodes or without.
    reading.section(DEFAULTS, |section| bounded(section, scheduling, String::new(), Vec::new(), Vec::new()));
    let mut names = Vec::new();
    let mut starts: Vec<(Url, String)> = Vec::new();
    let root_nodes = reading.sections("root-node", Some(DEFAULTS), |section, number| {
        let root_node = read(section, scheduling, number);
        section.claim("root node", &mut names);
        for url in &root_node.start {
            match starts.iter().find(|(known, _)| known == url) {
                Some((_, name)) => {
                    let complaint = Complaint::new(format!("the root node `{name}` starts at {url} already"));
                    section.complain_of("url", complaint.label("one document belongs to one root node"));
                }
                None => starts.push((url.clone(), root_node.name.clone())),
            }
        }
        root_node
    });
    if !reading.has("root-node") && !reading.has("collect") {
        let complaint = Complaint::new("there is no root node, so nothing to gather");
        reading
            .complain_of_absence(complaint.help("name a site:\n\n[[root-node]]\nurl = \"https://www.example.org/\""));
    }
    root_nodes
}

fn read(section: &mut Section<'_, '_>, scheduling: &Scheduling, number: usize) -> RootNode {
    let name = derived_name(section).unwrap_or_else(|| format!("root node {number}"));
    let name = section.name(name, "its start");
    let start = section.maybe("url", urls).unwrap_or_default();
    let leaves = section.maybe("leaves", urls).unwrap_or_default();
    let sitemaps = section.maybe("sitemaps", urls).unwrap_or_default();
    let root_node = RootNode { sitemaps, ..bounded(section, scheduling, name, start, leaves) };
    if root_node.enumeration.is_none()
        && root_node.enumerator.is_none()
        && !["url", "leaves", "sitemaps"].into_iter().any(|key| section.says(key))
    {
        let complaint =
            Complaint::new("a root node needs a `url`, `leaves`, `sitemaps`, an `enumeration` or an `enumerator`");
        section.complain(complaint.label("where does it start?"));
    }
    root_node
}

/// Host and path of the first URL, without the middle of a long path; else the name of what enumerates it.
fn derived_name(section: &mut Section<'_, '_>) -> Option<String> {
    const LONG: usize = 40;
    let urls = ["url", "leaves", "sitemaps"].into_iter().find_map(|key| section.peek(key, urls));
    let Some(url) = urls.as_ref().and_then(|urls| urls.first()) else {
        let program = section.peek("enumeration", value::texts).and_then(|words| words.into_iter().next());
        let named = program.or_else(|| section.peek("enumerator", value::text)).filter(|name| !name.is_empty())?;
        return Some(Path::new(&named).file_name()?.to_string_lossy().into_owned());
    };
    let host = url.port().map_or_else(|| host_name(url).to_owned(), |port| format!("{}:{port}", host_name(url)));
    let path = url.path().trim_end_matches('/');
    if path.len() <= LONG {
        return Some(host + path);
    }
    Some(format!("{host}/.../{}", path.rsplit('/').next().unwrap_or_default()))
}

/// A root node with every key of `[root-node-defaults]`.
fn bounded(
    section: &mut Section<'_, '_>,
    scheduling: &Scheduling,
    name: String,
    start: Vec<Url>,
    leaves: Vec<Url>,
) -> RootNode {
    let (schedule, quiet_hours) = scheduling.of(section, &name);
    let refresh_rate = match &schedule {
        Some(schedule) if !section.says("refresh-rate") => rate_of(section, schedule),
        _ => section.get("refresh-rate", value::duration),
    };
    let root_node = RootNode {
        name,
        schedule,
        quiet_hours,
        url_max: section.get("url-max", value::count(1)),
        url_filter: section.get("url-filter", filter),
        host_max: section.get("host-max", value::count(1)),
        host_filter: section.get("host-filter", filter),
        access: access(section, start.first().or(leaves.first())),
        delay: section.get("delay", value::duration),
        connections: section.get("connections", value::count(1)),
        url_rules: url_rules(section),
        robots_sitemaps: section.get("robots-sitemaps", value::flag),
        sitemaps: Vec::new(),
        depth: Some(section.get("depth", value::count(0))).filter(|depth| *depth > 0),
        order: section.get("order", value::choice(&ORDERS)),
        priority: section.get("priority", priority),
        trap_defence: section.get("trap-defence", value::flag),
        enumeration: enumeration(section),
        enumerator: enumerator(section),
        is_private: section.get("private", value::flag),
        refresh_rate,
        refresh_range: section.get("refresh-range", value::count(1)),
        time_to_live: section.get("time-to-live", value::duration),
        visitor: visitor::read(section),
        start,
        leaves,
    };
    let is_by_schedule = root_node.schedule.is_some() && !section.says("refresh-rate");
    if root_node.time_to_live < root_node.refresh_rate && !is_by_schedule {
        complain_of_short_life(section);
    } else if let Some(schedule) = &root_node.schedule {
        check_gap(section, schedule, root_node.time_to_live);
    }
    root_node
}

const ORDERS: [(&str, Order); 3] = [("breadth", Order::Breadth), ("depth", Order::Depth), ("best", Order::Best)];

fn url_rules(section: &mut Section<'_, '_>) -> UrlRules {
    let policies = [
        ("keep", QueryPolicy::Keep),
        ("sort", QueryPolicy::Sort),
        ("drop", QueryPolicy::Drop),
        ("refuse", QueryPolicy::Refuse),
    ];
    UrlRules {
        query: section.get("query", value::choice(&policies)),
        drop_parameters: section.get("drop-parameters", value::texts),
        index_names: section.get("index-names", value::texts),
    }
}

fn priority(item: &Item<'_>) -> Checked<Vec<PriorityRule>> {
    value::list(item, "a list of rules, such as [\"+5 ^/news/\", \"-5 /archive/\"]", priority_rule)
}

fn priority_rule(item: &Item<'_>) -> Checked<PriorityRule> {
    const EXPECTED: &str = "points from -5 to 5 and a pattern, such as \"+5 ^/news/\"";
    let text = value::text_as(item, EXPECTED)?.trim();
    let (points, pattern) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match points.parse() {
        _ if pattern.trim().is_empty() => fault(item, format!("expected {EXPECTED}"), "two words, please"),
        Ok(points @ -5..=5) => Ok(PriorityRule { points, pattern: value::pattern(item, pattern.trim())? }),
        _ => fault(item, format!("expected {EXPECTED}"), "begins with no such number"),
    }
}

/// Where the operator says one of the two times, preferably the life.
pub(crate) fn complain_of_short_life(section: &mut Section<'_, '_>) {
    let (life, rate) = (section.wording("time-to-live"), section.wording("refresh-rate"));
    let (key, complaint) = if section.says("time-to-live") {
        ("time-to-live", Complaint::new(format!("shorter than the refresh-rate, which is {rate}")))
    } else {
        ("refresh-rate", Complaint::new(format!("longer than the time-to-live, which is {life}")))
    };
    section.complain_of(key, complaint.label("records would expire before their next visit"));
}

/// Not said, it is the method of the first URL.
fn access(section: &mut Section<'_, '_>, first: Option<&Url>) -> Vec<Access> {
    match first.and_then(Access::of) {
        Some(access) if !section.says("access") => {
            section.derive("access", format!("[\"{}\"]", access.name()), "its first URL");
            vec![access]
        }
        _ => section.get("access", methods),
    }
}

fn methods(item: &Item<'_>) -> Checked<Vec<Access>> {
    let known = [Access::Http, Access::File, Access::Ftp].map(|access| (access.name(), access));
    value::list(item, "a list of access methods, such as [\"http\"]", value::choice(&known))
}

fn enumeration(section: &mut Section<'_, '_>) -> Option<EnumerationProgram> {
    let words = section.get("enumeration", value::texts);
    let limit = section.get("enumeration-limit", value::limit);
    let (program, arguments) = section.program("enumeration", words)?;
    Some(EnumerationProgram { program, arguments, limit })
}

fn enumerator(section: &mut Section<'_, '_>) -> Option<Enumerator> {
    let plugin = section.get("enumerator", value::text);
    let options = section.get("enumerator-options", value::pairs);
    (!plugin.is_empty()).then_some(Enumerator { plugin, options })
}

fn filter(item: &Item<'_>) -> Checked<Vec<FilterRule>> {
    value::list(item, "a list of rules, such as [\"deny ^/old/\", \"allow .\"]", filter_rule)
}

fn filter_rule(item: &Item<'_>) -> Checked<FilterRule> {
    const EXPECTED: &str = "a rule such as \"deny ^/old/\" or \"allow .\"";
    let text = value::text_as(item, EXPECTED)?.trim();
    let (word, pattern) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let verdict = match word {
        _ if pattern.trim().is_empty() => return fault(item, format!("expected {EXPECTED}"), "two words, please"),
        word if word.eq_ignore_ascii_case("allow") => Verdict::Allow,
        word if word.eq_ignore_ascii_case("deny") => Verdict::Deny,
        _ => return fault(item, format!("expected {EXPECTED}"), "begins with neither `allow` nor `deny`"),
    };
    Ok(FilterRule { verdict, pattern: value::pattern(item, pattern.trim())? })
}

/// One URL or a list of them.
fn urls(item: &Item<'_>) -> Checked<Vec<Url>> {
    if item.get_ref().is_str() {
        return Ok(vec![url(item)?]);
    }
    let shape = || Shape::Either(vec![Shape::of(url), Shape::List(Box::new(Shape::of(url)))]);
    let urls = value::wanting(value::list(item, "a URL or a list of URLs", url), shape)?;
    if urls.is_empty() { fault(item, "expected at least one URL", "this is empty") } else { Ok(urls) }
}

fn url(item: &Item<'_>) -> Checked<Url> {
    const EXPECTED: &str = "a URL such as \"https://www.example.org/\"";
    let text = value::text_as(item, EXPECTED)?;
    if let Some(whole) = value::with_scheme(text) {
        return fault(item, format!("expected {EXPECTED}"), format!("did you mean `{whole}`?"));
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return fault(item, format!("expected {EXPECTED}"), error.to_string()),
    };
    match Access::of(&url) {
        Some(_) if !url.username().is_empty() || url.password().is_some() => {
            fault(item, "user names and passwords in URLs are not used", "take them out; they would reach every record")
        }
        Some(_) => Ok(url),
        None => fault(item, format!("cannot gather by `{}:`", url.scheme()), "expected http, https, ftp, ftps or file"),
    }
}
