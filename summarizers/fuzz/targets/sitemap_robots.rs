//! Any bytes as what a site says of itself: its sitemap, its robots.txt, what its pages and headers say to robots.

use gatherer_pipeline::UnixTime;
use gatherer_prepare::{DELAY_LIMIT, PageRules, Robots, canonical, read_sitemap, trap_in};
use url::Url;

/// Small, so that it is reached.
const MOST: usize = 20;

pub(crate) fn run(bytes: &[u8]) {
    let url = Url::parse("http://example.org/dir/sitemap.xml").expect("a URL");
    let reading = read_sitemap(bytes, &url, MOST);
    assert_eq!(reading, read_sitemap(bytes, &url, MOST), "the same bytes give the same entries");
    assert!(reading.found.len() <= MOST);
    assert!(reading.found.iter().filter_map(|mapped| mapped.priority).all(|priority| (0.0..=1.0).contains(&priority)));

    let robots = Robots::parse(bytes, "gatherer");
    assert!(robots.crawl_delay().is_none_or(|delay| delay <= DELAY_LIMIT));
    let text = String::from_utf8_lossy(bytes);
    drop(PageRules::read([text.as_ref()], &text, "gatherer", UnixTime(1_700_000_000)));
    for url in text.lines().take(20).filter_map(|line| canonical(line, Some(&url)).ok()) {
        drop((robots.judge(&url.url), trap_in(&url.url, 2024)));
        let again = canonical(url.url.as_str(), None).expect("a canonical URL");
        assert_eq!(again.url, url.url, "canonical once is canonical for ever");
    }
}
