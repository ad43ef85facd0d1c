//! The robots rules of one origin, by RFC 9309.

mod agents;
#[cfg(test)]
mod golden;

use gatherer_pipeline::Departure;
use robotxt::Rule;
use std::time::Duration;
use url::{Position, Url};

/// Longest pause that a site may ask for; a longer one would only look like a site that is never visited.
pub const DELAY_LIMIT: Duration = Duration::from_mins(5);

/// Bytes of a pattern that an explanation shows.
const SHOWN: usize = 200;

/// What one robots.txt says to our agent.
#[derive(Debug, Clone)]
pub struct Robots {
    rules: robotxt::Robots,
    /// Why there is one verdict for all, if no file gave the rules.
    reason: Option<String>,
    sitemaps: Vec<String>,
}

impl Robots {
    /// Reads a robots.txt. Never fails: what is no rule is passed over, and so is all beyond 500 KiB.
    ///
    /// `agent_token` is our product token; like those in the file it ends at the first character outside
    /// `A-Z a-z _ -`, so a whole user agent string will do.
    pub fn parse(body: &[u8], agent_token: &str) -> Self {
        let rules = robotxt::Robots::parse(&agents::cut(body), agents::token(agent_token));
        let sitemaps = rules.sitemaps().iter().map(Url::to_string).collect();
        Self { rules, reason: None, sitemaps }
    }

    /// Everything is allowed, for a reason that explanations give.
    pub fn allow_all(reason: impl Into<String>) -> Self {
        Self { rules: robotxt::Robots::allow_all(), reason: Some(reason.into()), sitemaps: Vec::new() }
    }

    /// Everything but robots.txt itself is forbidden, for a reason that explanations give.
    pub fn forbid_all(reason: impl Into<String>) -> Self {
        Self { rules: robotxt::Robots::disallow_all(), reason: Some(reason.into()), sitemaps: Vec::new() }
    }

    /// Makes rules of a server's answer to the request for robots.txt, redirects already followed. 2xx is read; 4xx,
    /// or a redirect that leads nowhere, means that the site has no rules (RFC 9309, sections 2.3.1.2 and 2.3.1.3).
    ///
    /// # Errors
    /// [`Departure::RobotsUnreachable`] for anything else: use a cached copy, or leave the site alone for now. 429
    /// counts as such, since it speaks of load and not of rules, and 304, since only the cache knows what it means.
    pub fn answer(status: u16, body: &[u8], agent_token: &str) -> Result<Self, Departure> {
        match status {
            200..=299 => Ok(Self::parse(body, agent_token)),
            304 | 429 => Err(Departure::RobotsUnreachable { reason: format!("status {status}") }),
            300..=499 => Ok(Self::allow_all(format!("the site has no robots.txt ({status})"))),
            _ => Err(Departure::RobotsUnreachable { reason: format!("status {status}") }),
        }
    }

    /// Whether our agent may fetch a URL of this origin; gives the rule that lets it, in words.
    ///
    /// # Errors
    /// [`Departure::Robots`] with the rule that forbids it.
    pub fn judge(&self, url: &Url) -> Result<String, Departure> {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        let allowed = self.rules.is_allowed(path);
        let rule = match (&self.reason, self.rules.matching_rule(path)) {
            (Some(reason), _) => reason.clone(),
            (None, Some(rule)) if rule.is_allow() == allowed => words(rule),
            // RFC 9309, section 2.2.2: the one path that no rule can forbid.
            (None, Some(_)) => "robots.txt itself is always allowed".to_owned(),
            (None, None) => "no rule matches".to_owned(),
        };
        if allowed { Ok(rule) } else { Err(Departure::Robots { rule }) }
    }

    /// The pause between requests that the site asks of us, at most [`DELAY_LIMIT`].
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.rules.crawl_delay().map(|delay| delay.min(DELAY_LIMIT))
    }

    /// The sitemaps that the file names, whoever is asked about. Absolute URLs.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

fn words(rule: &Rule) -> String {
    let verb = if rule.is_allow() { "allow" } else { "disallow" };
    let pattern = rule.pattern();
    let shown = &pattern[..pattern.floor_char_boundary(SHOWN)];
    format!("{verb} {shown}{}", if shown.len() < pattern.len() { "..." } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(robots: &Robots, path: &str, expected: Result<&str, &str>) {
        let url = Url::parse("http://example.org").and_then(|base| base.join(path)).expect("a URL");
        let verdict = robots.judge(&url).map_err(|departure| departure.to_string());
        assert_eq!(verdict.as_deref().map_err(String::as_str), expected, "{path}");
    }

    #[test]
    fn verdicts_name_their_rule() {
        let robots = Robots::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b$\nDisallow: /robots", "gatherer");
        check(&robots, "/a/x", Err("robots rules forbid it (disallow /a)"));
        check(&robots, "/a/b", Ok("allow /a/b$"));
        check(&robots, "/c", Ok("no rule matches"));
        check(&robots, "/robots.txt", Ok("robots.txt itself is always allowed"));
        check(&robots, "/robots.txt?x", Err("robots rules forbid it (disallow /robots)"));
    }

    #[test]
    fn long_patterns_are_shown_in_part() {
        let file = format!("User-agent: *\nDisallow: /{}", "a".repeat(4_000));
        let robots = Robots::parse(file.as_bytes(), "gatherer");
        let shown = format!("robots rules forbid it (disallow /{}...)", "a".repeat(SHOWN - 1));
        check(&robots, &format!("/{}", "a".repeat(5_000)), Err(&shown));
    }

    #[test]
    fn one_verdict_for_all_gives_its_reason() {
        check(&Robots::allow_all("a file of this machine"), "/a", Ok("a file of this machine"));
        check(&Robots::forbid_all("not today"), "/a", Err("robots rules forbid it (not today)"));
        check(&Robots::forbid_all("not today"), "/robots.txt", Ok("not today"));
    }

    #[test]
    fn an_answer_becomes_rules_or_a_reason_to_ask_the_cache() {
        let answer = |status| Robots::answer(status, b"User-agent: *\nDisallow: /", "gatherer");
        let (read, missing) = (answer(200).expect("rules"), answer(404).expect("rules"));
        check(&read, "/a", Err("robots rules forbid it (disallow /)"));
        check(&missing, "/a", Ok("the site has no robots.txt (404)"));
        for status in [301, 307, 400, 401, 403, 410, 451] {
            assert!(answer(status).is_ok_and(|robots| robots.rules.always() == Some(true)), "{status}");
        }
        for status in [0, 304, 429, 500, 503, 599, 999] {
            let reason = format!("status {status}");
            assert_eq!(answer(status).err(), Some(Departure::RobotsUnreachable { reason }));
        }
    }

    #[test]
    fn delays_are_capped_and_sitemaps_listed() {
        let file = b"Sitemap: http://example.org/map.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: /relative\n";
        let robots = Robots::parse(file, "gatherer");
        assert_eq!(robots.crawl_delay(), Some(Duration::from_millis(2_500)));
        assert_eq!(robots.sitemaps(), ["http://example.org/map.xml"]);
        let delay = |value: &str| {
            Robots::parse(format!("User-agent: *\nCrawl-delay: {value}").as_bytes(), "gatherer").crawl_delay()
        };
        assert_eq!(delay("86400"), Some(DELAY_LIMIT));
        assert_eq!([delay("soon"), delay("-1"), delay("NaN"), delay("")], [None; 4]);
    }
}
