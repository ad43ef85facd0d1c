//! As whom, and by which way, the hosts of a root node are visited.

use std::fmt;
use url::Url;

/// Something that must reach no store, log, report or summary.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text. Only who sends it asks for it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

/// How a visitor says who it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Login {
    /// With a name and a password; for FTP too.
    Basic {
        /// The name.
        user: String,
        /// The password.
        password: Secret,
    },
    /// With a token.
    Bearer(Secret),
}

/// As whom, and by which way, the hosts of a root node are visited. Login, headers and cookies go only to the hosts
/// and ports that the root node itself names, however far its references lead.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Visitor {
    /// Who it says it is.
    pub login: Option<Login>,
    /// Further headers, by name.
    pub headers: Vec<(String, Secret)>,
    /// Cookies to begin with, in the form of Netscape's cookie file.
    pub cookies: Option<Secret>,
    /// Whether cookies that servers set are sent back to them, for as long as the process lives.
    pub keep_cookies: bool,
    /// A proxy: `http:`, `https:`, `socks5:` (names looked up here) or `socks5h:` (looked up there).
    pub proxy: Option<Url>,
    /// Name and password for the proxy.
    pub proxy_login: Option<(String, Secret)>,
    /// A client certificate and its key, as PEM.
    pub client_certificate: Option<Secret>,
    /// Further certificates to trust, as PEM.
    pub trusted: Option<String>,
    /// Take any certificate: for hosts that cannot mend theirs.
    pub any_certificate: bool,
}
