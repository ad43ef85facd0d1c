//! URL forms, scope rules and robots rules: what decides whether a candidate is fetched at all.
//!
//! - [`canonical`] and [`canonical_url`] bring a URL into the one form under which it is stored, so that no
//!   resource is gathered twice under two spellings.
//! - [`Scope`] holds the rules of one root node and says whether a URL is within them, and by which rule.
//! - [`Robots`] holds the rules of one origin (RFC 9309) and says the same for our agent.
//!
//! What it is not for: it fetches nothing, remembers nothing and knows no clock. The engine hands it what the store
//! and the robots cache know, counts URLs and hosts against the root node's limits, and decides what is due.
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
mod page;
mod percent;
mod robots;
mod scope;

pub use canonical::{Canonical, URL_LIMIT, canonical, canonical_url};
pub use page::PageRules;
pub use robots::{DELAY_LIMIT, Robots};
pub use scope::Scope;
