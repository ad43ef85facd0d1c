//! A little web on loopback: three sites in German and English with all the troubles of the real one.
//!
//! `gatherer demo` gathers it; tests serve their own small [`Site`]s through the same server. A site is a set of
//! files plus a `site.toml` that says which paths misbehave, and how. Every request is noted, so that a test can
//! ask what a visitor really did.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! use gatherer_demo::{Site, Web};
//!
//! let site = Site::new("tiny").with("/index.html", "<title>Tiny</title>");
//! let web = Web::start(vec![site]).await?;
//! assert!(web.origin("tiny").starts_with("http://127."));
//! # Ok(())
//! # }
//! ```

mod dns;
mod ftp;
mod site;
mod web;

pub use dns::{DnsAnswer, DnsServer};
pub use ftp::{FtpHabits, FtpRequest, FtpSite};
pub use site::{Page, Site};
pub use web::{Request, Web};

use include_dir::{Dir, include_dir};

static BUNDLED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/web");

/// The three sites that travel inside the program.
pub fn bundled() -> Vec<Site> {
    BUNDLED.dirs().map(|folder| Site::from_folder(folder)).collect()
}
