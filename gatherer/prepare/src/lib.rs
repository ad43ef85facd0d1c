//! URL forms, scope rules, robots rules and sitemaps: what decides whether a candidate is fetched at all.
//!
//! - [`canonical`] and [`canonical_url`] bring a URL into the one form under which it is stored, so that no
//!   resource is gathered twice under two spellings.
//! - [`UrlForm`] adds what makes two URLs of one root node the same: parameters and index names that mean nothing.
//! - [`Scope`] holds the rules of one root node and says whether a URL is within them, and by which rule.
//! - [`Robots`] holds the rules of one origin (RFC 9309) and says the same for our agent.
//! - [`PageRules`] holds what a page itself says to robots.
//! - [`trap_in`] tells endless URL spaces by one URL, [`Patterns`] by what the [shapes](shape()) of a host's URLs and
//!   the hosts of a domain ([`domain_key`]) have yielded.
//! - [`says_missing`] tells pages that say "not found" with a status that says the opposite.
//! - [`read_sitemap`] reads what a site lists of itself.
//!
//! What it is not for: it fetches nothing, stores nothing and knows no clock. The engine hands it the time and what the
//! store and the robots cache know, keeps each host's [`Patterns`], counts URLs and hosts against the root node's
//! limits, and decides what is due.
//!
//! ```
//! use gatherer_prepare::{Robots, canonical};
//!
//! let found = canonical("HTTP://Example.ORG:80/%7ejack/#top", None)?;
//! assert_eq!(found.url.as_str(), "http://example.org/~jack/");
//!
//! let robots = Robots::parse(b"User-agent: *\nDisallow: /~jack/private", "gatherer");
//! assert_eq!(robots.judge(&found.url)?, "no rule matches");
//! assert!(robots.judge(&canonical("private/x", Some(&found.url))?.url).is_err());
//! # Ok::<(), gatherer_pipeline::Departure>(())
//! ```

mod canonical;
mod form;
mod page;
mod patterns;
mod percent;
mod robots;
mod scope;
mod shape;
mod sitemap;
mod soft_404;
mod traps;

pub use canonical::{Canonical, URL_LIMIT, canonical, canonical_url};
pub use form::UrlForm;
pub use page::PageRules;
pub use patterns::{Patterns, domain_key};
pub use robots::{DELAY_LIMIT, Robots};
pub use scope::Scope;
pub use shape::shape;
pub use sitemap::{Mapped, SitemapReading, read_sitemap};
pub use soft_404::says_missing;
pub use traps::trap_in;
