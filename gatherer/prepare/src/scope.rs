//! The scope of a root node: which URLs may be gathered under it.

use crate::canonical::{canonical_url, within_limit};
use gatherer_pipeline::{Access, Candidate, Departure, FilterRule, RootNode, Verdict, server_name};
use std::collections::HashSet;
use url::{Position, Url};

/// The rules of one root node, in the order in which they are asked.
///
/// What the operator named (start and leaves) is in scope whatever the rules say. Anything else must have a listed
/// access method, lie within the depth, belong to an allowed host (or, for files, lie below a start directory), and
/// pass the URL filter. A URL filter that has an allow rule leaves out what no rule matches; one of deny rules only
/// lets it in.
#[derive(Debug, Clone)]
pub struct Scope {
    named: HashSet<Url>,
    /// Hosts of named web URLs, with their ports unless those are their schemes' own. Files do not count: `file:///docs/` does not open `http://localhost/`.
    hosts: HashSet<String>,
    /// Paths of file start directories, each with a slash at its end.
    directories: Vec<String>,
    access: Vec<Access>,
    depth: Option<u32>,
    host_filter: Vec<FilterRule>,
    url_filter: Vec<FilterRule>,
}

impl Scope {
    /// The scope of a root node.
    pub fn new(root: &RootNode) -> Self {
        let canonical = |url: &Url| canonical_url(url.clone()).url;
        let named: HashSet<_> = root.start.iter().chain(&root.leaves).map(canonical).collect();
        let maps: Vec<_> = root.sitemaps.iter().map(canonical).collect();
        let web = named.iter().chain(&maps).filter(|url| Access::of(url) != Some(Access::File));
        Self {
            hosts: web.map(|url| server_name(url).into_owned()).collect(),
            directories: root.start.iter().map(canonical).filter_map(|url| directory(&url)).collect(),
            named,
            access: root.access.clone(),
            depth: root.depth,
            host_filter: root.host_filter.clone(),
            url_filter: root.url_filter.clone(),
        }
    }

    /// Judges a candidate; gives the rules that let it in, in words.
    ///
    /// # Errors
    /// The departure that names the rule against it.
    pub fn admit(&self, candidate: &Candidate) -> Result<String, Departure> {
        self.weigh(candidate.url(), candidate.depth(), candidate.found_on())
    }

    /// Judges a URL without knowing where it was found. Since a web page could have named it, files are let in only
    /// if no web page can be in scope; [`admit`](Self::admit) knows better.
    ///
    /// # Errors
    /// The departure that names the rule against it.
    pub fn judge(&self, url: &Url, depth: u32) -> Result<String, Departure> {
        self.weigh(url, depth, None)
    }

    fn weigh(&self, url: &Url, depth: u32, found_on: Option<&Url>) -> Result<String, Departure> {
        let url = canonical_url(url.clone()).url;
        within_limit(&url)?;
        let access = Access::of(&url).ok_or_else(|| Departure::Scheme { scheme: url.scheme().to_owned() })?;
        if self.named.contains(&url) {
            return Ok("the root node names it".to_owned());
        }
        self.judge_access(access)?;
        self.judge_depth(depth)?;
        let place = match access {
            Access::Http | Access::Ftp => self.judge_host(&url)?,
            Access::File => self.judge_file(&url, found_on)?,
        };
        Ok(match self.judge_path(&url)? {
            Some(rule) => format!("{place}; url-filter: {rule}"),
            None => place,
        })
    }

    fn judge_access(&self, access: Access) -> Result<(), Departure> {
        if self.access.contains(&access) {
            return Ok(());
        }
        out(format!("access method {} is not one that the root node lists", access.name()))
    }

    fn judge_depth(&self, depth: u32) -> Result<(), Departure> {
        match self.depth {
            Some(limit) if depth > limit => Err(Departure::TooDeep { limit }),
            _ => Ok(()),
        }
    }

    fn judge_host(&self, url: &Url) -> Result<String, Departure> {
        let (host, server) = (url.host_str().unwrap_or_default(), server_name(url));
        if self.host_filter.is_empty() {
            let named = self.hosts.contains(&*server);
            let rule = format!("host {server} is {}one that the root node names", if named { "" } else { "not " });
            return if named { Ok(rule) } else { out(rule) };
        }
        let address = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        match first_match(&self.host_filter, &address) {
            Some(rule) if rule.verdict == Verdict::Allow => Ok(format!("host-filter: {rule}")),
            Some(rule) => out(format!("host-filter: {rule}")),
            None => out(format!("host-filter: no rule matches {address}")),
        }
    }

    fn judge_file(&self, url: &Url, found_on: Option<&Url>) -> Result<String, Departure> {
        let by_file = match found_on {
            Some(from) => Access::of(from) == Some(Access::File),
            None => self.hosts.is_empty() && !self.access.contains(&Access::Http),
        };
        if !by_file {
            return out("file URLs are not followed from the web".to_owned());
        }
        // Decoded by the file system's side, these would be separators: `..%2F` would climb.
        if ["%2F", "%5C", "%00"].iter().any(|escape| url.path().contains(escape)) {
            return out("file URL with an encoded separator".to_owned());
        }
        match self.directories.iter().find(|start| !url.has_host() && url.path().starts_with(start.as_str())) {
            Some(start) => Ok(format!("below file://{start}")),
            None => out("file URL not below a directory where the root node starts".to_owned()),
        }
    }

    /// The allow rule that matched, if it took one.
    fn judge_path(&self, url: &Url) -> Result<Option<&FilterRule>, Departure> {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        match first_match(&self.url_filter, path) {
            Some(rule) if rule.verdict == Verdict::Allow => Ok(Some(rule)),
            Some(rule) => out(format!("url-filter: {rule}")),
            None if self.url_filter.iter().any(|rule| rule.verdict == Verdict::Allow) => {
                out(format!("url-filter: no rule allows {path}"))
            }
            None => Ok(None),
        }
    }
}

fn out<T>(rule: String) -> Result<T, Departure> {
    Err(Departure::OutOfScope { rule })
}

fn first_match<'a>(rules: &'a [FilterRule], text: &str) -> Option<&'a FilterRule> {
    rules.iter().find(|rule| rule.pattern.is_match(text))
}

/// The directory that a start URL opens. Without a look at the disk, `file:///docs` may be a directory or a file;
/// as a file it opens nothing but itself.
fn directory(start: &Url) -> Option<String> {
    let local = Access::of(start) == Some(Access::File) && !start.has_host();
    local.then(|| format!("{}/", start.path().trim_end_matches('/')))
}

#[cfg(test)]
mod tests;
