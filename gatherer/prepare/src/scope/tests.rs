use super::*;
use gatherer_pipeline::{Order, UrlRules, Visitor};
use regex::Regex;
use std::time::Duration;

fn url(text: &str) -> Url {
    Url::parse(text).expect("a URL")
}

/// Rules as an operator writes them: `deny \.gif$`.
fn filter(rules: &[&str]) -> Vec<FilterRule> {
    let rule = |text: &&str| {
        let (verdict, pattern) = text.split_once(' ').expect("a verdict and a pattern");
        let verdict = if verdict == "allow" { Verdict::Allow } else { Verdict::Deny };
        FilterRule { verdict, pattern: Regex::new(pattern).expect("a regex") }
    };
    rules.iter().map(rule).collect()
}

fn root(start: &[&str]) -> RootNode {
    RootNode {
        name: "docs".to_owned(),
        start: start.iter().map(|start| url(start)).collect(),
        leaves: Vec::new(),
        url_max: 250,
        url_filter: Vec::new(),
        host_max: 1,
        host_filter: Vec::new(),
        access: vec![Access::Http],
        delay: Duration::from_secs(1),
        connections: 1,
        url_rules: UrlRules::default(),
        robots_sitemaps: false,
        sitemaps: Vec::new(),
        priority: Vec::new(),
        trap_defence: true,
        refresh_range: 1,
        depth: None,
        order: Order::Breadth,
        enumeration: None,
        enumerator: None,
        schedule: None,
        quiet_hours: Vec::new(),
        is_private: false,
        refresh_rate: Duration::from_hours(168),
        time_to_live: Duration::from_hours(672),
        visitor: Visitor::default(),
    }
}

fn check(root: &RootNode, found: &str, expected: Result<&str, &str>) {
    let verdict = Scope::new(root).judge(&url(found), 1).map_err(|departure| departure.to_string());
    assert_eq!(verdict.as_deref().map_err(String::as_str), expected, "{found}");
}

fn check_from(root: &RootNode, from: &str, found: &str, expected: Result<&str, &str>) {
    let candidate = Candidate::start(url(from), "docs").child(url(found));
    let verdict = Scope::new(root).admit(&candidate).map_err(|departure| departure.to_string());
    assert_eq!(verdict.as_deref().map_err(String::as_str), expected, "{found} on {from}");
}

#[test]
fn without_rules_the_named_hosts_are_in_scope() {
    let mut root = root(&["http://example.org/"]);
    root.leaves.push(url("http://leaf.org/one"));
    check(&root, "http://example.org/a", Ok("host example.org is one that the root node names"));
    check(&root, "https://EXAMPLE.org:443/a", Ok("host example.org is one that the root node names"));
    check(&root, "http://leaf.org/two", Ok("host leaf.org is one that the root node names"));
    let denied = "out of scope: host other.org is not one that the root node names";
    check(&root, "http://other.org/", Err(denied));
    let port = "out of scope: host example.org:8080 is not one that the root node names";
    check(&root, "http://example.org:8080/x", Err(port));
    let evil = "out of scope: host example.org.evil.org is not one that the root node names";
    check(&root, "http://example.org.evil.org/", Err(evil));
}

#[test]
fn the_first_host_rule_that_matches_decides() {
    let mut root = root(&["http://example.org/"]);
    root.host_filter = filter(&["deny ^old\\.", "allow \\.example\\.org:(80|443)$"]);
    check(&root, "http://www.example.org/", Ok("host-filter: allow \\.example\\.org:(80|443)$"));
    check(&root, "https://www.example.org/", Ok("host-filter: allow \\.example\\.org:(80|443)$"));
    check(&root, "http://old.example.org/", Err("out of scope: host-filter: deny ^old\\."));
    let none = "out of scope: host-filter: no rule matches www.example.org:8080";
    check(&root, "http://www.example.org:8080/", Err(none));
    check(&root, "http://example.org/x", Err("out of scope: host-filter: no rule matches example.org:80"));
}

#[test]
fn the_first_url_rule_that_matches_decides() {
    let mut root = root(&["http://example.org/"]);
    let host = "host example.org is one that the root node names";
    root.url_filter = filter(&["deny \\.gif$", "deny [?&]sort="]);
    check(&root, "http://example.org/a.html", Ok(host));
    check(&root, "http://example.org/a.gif", Err("out of scope: url-filter: deny \\.gif$"));
    check(&root, "http://example.org/a?x=1&sort=up", Err("out of scope: url-filter: deny [?&]sort="));
    root.url_filter = filter(&["deny /old/", "allow ^/docs/"]);
    check(&root, "http://example.org/docs/a", Ok(&format!("{host}; url-filter: allow ^/docs/")));
    check(&root, "http://example.org/docs/old/a", Err("out of scope: url-filter: deny /old/"));
    check(&root, "http://example.org/blog/a", Err("out of scope: url-filter: no rule allows /blog/a"));
}

#[test]
fn filters_see_the_canonical_form() {
    let mut root = root(&["http://example.org/"]);
    root.url_filter = filter(&["deny ^/~jack/"]);
    check(&root, "http://example.org/%7Ejack/x#y", Err("out of scope: url-filter: deny ^/~jack/"));
    check(&root, "http://example.org/a/..//../~jack/", Err("out of scope: url-filter: deny ^/~jack/"));
}

#[test]
fn what_the_operator_named_is_in_scope_whatever_the_rules_say() {
    let mut root = root(&["http://example.org/index.gif", "file:///docs/"]);
    root.leaves.push(url("http://other.org/%7Ejack?a#b"));
    root.url_filter = filter(&["deny ."]);
    root.host_filter = filter(&["deny ."]);
    root.depth = Some(0);
    for named in ["http://example.org/index.gif", "file:///docs/", "http://jo:pw@other.org/~jack?a"] {
        check(&root, named, Ok("the root node names it"));
    }
}

#[test]
fn schemes_must_be_known_and_listed() {
    let root = root(&["http://example.org/"]);
    check(&root, "mailto:jo@example.org", Err("no access method for mailto: URLs"));
    check(&root, "gopher://example.org/", Err("no access method for gopher: URLs"));
    let unlisted = "out of scope: access method file is not one that the root node lists";
    check(&root, "file:///etc/passwd", Err(unlisted));
}

#[test]
fn depth_counts_references() {
    let mut root = root(&["http://example.org/"]);
    root.depth = Some(2);
    let scope = Scope::new(&root);
    assert!(scope.judge(&url("http://example.org/a"), 2).is_ok());
    assert_eq!(scope.judge(&url("http://example.org/a"), 3), Err(Departure::TooDeep { limit: 2 }));
    assert!(scope.judge(&url("http://example.org/"), 3).is_ok());
}

#[test]
fn a_long_url_is_out_of_scope() {
    let long = format!("http://example.org/{}", "a".repeat(crate::URL_LIMIT));
    check(&root(&["http://example.org/"]), &long, Err("out of scope: URL longer than 8190 bytes"));
}

#[test]
fn files_stay_below_the_start_directories() {
    let mut root = root(&["file:///srv/docs/", "file:///srv/%7Ejack"]);
    root.access = vec![Access::File];
    check(&root, "file:///srv/docs/a/b.html", Ok("below file:///srv/docs/"));
    check(&root, "file://localhost/srv/docs/a", Ok("below file:///srv/docs/"));
    check(&root, "file:///srv/~jack/x", Ok("below file:///srv/~jack/"));
    let outside = "out of scope: file URL not below a directory where the root node starts";
    for trick in [
        "file:///etc/passwd",
        "file:///srv/docs2/a",
        "file:///srv/docs",
        "file:///srv/docs/../x",
        "file:///srv/docs/%2e%2E/x",
        "file:///srv/docs/.%2e/%2e./etc/passwd",
        "file:///srv/jack",
        "file://server/srv/docs/a",
    ] {
        check(&root, trick, Err(outside));
    }
    let encoded = "out of scope: file URL with an encoded separator";
    for trick in ["..%2fx", "%2e%2e%2Fx", "..%5cx", "a%00.html", "a/%2e%2e%2f%2e%2e%2fetc/passwd"] {
        check(&root, &format!("file:///srv/docs/{trick}"), Err(encoded));
    }
    check(&root, "file:///srv/docs/%252e%252e%252fx", Ok("below file:///srv/docs/"));
}

#[test]
fn files_are_not_followed_from_the_web() {
    let mut root = root(&["http://example.org/", "file:///srv/docs/"]);
    root.access = vec![Access::Http, Access::File];
    let web = "out of scope: file URLs are not followed from the web";
    check_from(&root, "http://example.org/", "file:///srv/docs/a", Err(web));
    check_from(&root, "file:///srv/docs/", "file:///srv/docs/a", Ok("below file:///srv/docs/"));
    check(&root, "file:///srv/docs/a", Err(web));
    let host = "host example.org is one that the root node names";
    check_from(&root, "file:///srv/docs/", "http://example.org/a", Ok(host));
}

#[test]
fn a_file_start_does_not_name_the_web_server_of_this_machine() {
    let mut root = root(&["file:///srv/docs/"]);
    root.access = vec![Access::Http, Access::File];
    let denied = "out of scope: host localhost is not one that the root node names";
    check_from(&root, "file:///srv/docs/", "http://localhost/", Err(denied));
}
