//! As whom, and by which way: the clients of one visitor.

use super::cookies::Cookies;
use super::kept;
use crate::{Manners, Names};
use gatherer_pipeline::{Login, Visitor};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, ClientBuilder, Identity, Proxy, RequestBuilder, redirect};
use std::net::SocketAddr;
use std::sync::Arc;
use thiserror::Error;
use url::Url;

/// Headers of one answer. Their whole size is bounded by the library, at some 400 KiB.
const HEADERS_MOST: usize = 256;
/// The same for HTTP/2, where bytes are counted.
const HEADER_BYTES_MOST: u32 = 64 << 10;

/// Why nothing can be fetched at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The TLS library, or the system's certificates.
    #[error("cannot set up an HTTP client")]
    Client(#[source] reqwest::Error),
    /// What the operator gives for a root node's visits is of no use. The value is not told: it may be secret.
    #[error("root node {root}: {key} {fault}")]
    Visitor {
        /// The root node.
        root: String,
        /// The key in the config.
        key: String,
        /// What is wrong with its value.
        fault: String,
    },
}

/// What is wrong with the value of a key, before the root node is known.
struct Unfit(String, String);

fn unfit(key: impl Into<String>, fault: impl Into<String>) -> Unfit {
    Unfit(key.into(), fault.into())
}

/// The two clients of a visitor.
pub(super) struct Clients {
    /// For what the operator named: any address, and everything that says who we are.
    named: Client,
    /// For where references lead: public addresses, and nothing that says who we are.
    stranger: Client,
    login: Option<Login>,
    is_proxied: bool,
}

impl Clients {
    pub(super) fn new(manners: &Manners, names: &Names, root: &str, visitor: &Visitor) -> Result<Self, SetupError> {
        let told = |Unfit(key, fault)| SetupError::Visitor { root: root.to_owned(), key, fault };
        let way = |guarded| by_way(basic(manners, names, visitor, guarded), visitor);
        let named = introduced(way(false).map_err(told)?, visitor).map_err(told)?;
        let named = named.build().map_err(|error| match visitor.client_certificate {
            // The only part that is not looked into before: whether the key fits its certificate.
            Some(_) => told(unfit("client-certificate", "does not go with its key")),
            None => SetupError::Client(error),
        })?;
        check_login(visitor).map_err(told)?;
        Ok(Self {
            named,
            stranger: way(true).map_err(told)?.build().map_err(SetupError::Client)?,
            login: visitor.login.clone(),
            is_proxied: visitor.proxy.is_some(),
        })
    }

    /// Whether a proxy makes the connections, so that their addresses are not seen.
    pub(super) fn is_proxied(&self) -> bool {
        self.is_proxied
    }

    /// A request; the login goes only to what the operator named.
    pub(super) fn get(&self, url: &Url, is_named: bool) -> RequestBuilder {
        if !is_named {
            return self.stranger.get(url.clone());
        }
        let request = self.named.get(url.clone());
        match &self.login {
            Some(Login::Basic { user, password }) => request.basic_auth(user, Some(password.reveal())),
            Some(Login::Bearer(token)) => request.bearer_auth(token.reveal()),
            None => request,
        }
    }
}

/// What holds for every request.
fn basic(manners: &Manners, names: &Names, visitor: &Visitor, guarded: bool) -> ClientBuilder {
    let proxy = visitor.proxy.as_ref().and_then(Url::host_str).map(str::to_owned);
    Client::builder()
        .user_agent(&manners.user_agent)
        .connect_timeout(manners.connect_limit)
        .pool_idle_timeout(kept::FOR)
        .redirect(redirect::Policy::none())
        .referer(false)
        .http1_max_headers(HEADERS_MOST)
        .http2_max_header_list_size(HEADER_BYTES_MOST)
        // A proxy in the environment would hide the address that is really connected to.
        .no_proxy()
        .dns_resolver(Arc::new(Resolver { names: names.clone(), guarded, proxy }))
}

/// The way to all hosts of a root node: its proxy, and whose certificates are believed.
fn by_way(mut builder: ClientBuilder, visitor: &Visitor) -> Result<ClientBuilder, Unfit> {
    if let Some(url) = &visitor.proxy {
        builder = builder.proxy(proxy(url, visitor)?);
    }
    if let Some(pem) = &visitor.trusted {
        let certificates = Certificate::from_pem_bundle(pem.as_bytes()).unwrap_or_default();
        if certificates.is_empty() {
            return Err(unfit("trust", "holds no certificate in PEM form"));
        }
        builder = builder.tls_certs_merge(certificates);
    }
    Ok(builder)
}

fn proxy(url: &Url, visitor: &Visitor) -> Result<Proxy, Unfit> {
    let is_known = matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h");
    if !is_known || !url.has_host() {
        return Err(unfit("proxy", "is no URL of a proxy, such as http://host:port or socks5://host:port"));
    }
    let proxy = Proxy::all(url.as_str()).map_err(|_| unfit("proxy", "is no URL of a proxy"))?;
    Ok(match &visitor.proxy_login {
        Some((user, password)) => proxy.basic_auth(user, password.reveal()),
        None => proxy,
    })
}

/// What only the hosts that the operator named get to see, or are excused from.
fn introduced(mut builder: ClientBuilder, visitor: &Visitor) -> Result<ClientBuilder, Unfit> {
    builder = builder.default_headers(headers(visitor)?);
    if let Some(pem) = &visitor.client_certificate {
        let identity = Identity::from_pem(pem.reveal().as_bytes())
            .map_err(|_| unfit("client-certificate", "holds no certificate with its key in PEM form"))?;
        builder = builder.identity(identity);
    }
    if visitor.cookies.is_some() || visitor.keep_cookies {
        let cookies = Cookies::new(visitor).map_err(|fault| unfit("cookies", fault))?;
        builder = builder.cookie_provider(Arc::new(cookies));
    }
    Ok(builder.tls_danger_accept_invalid_certs(visitor.any_certificate))
}

fn headers(visitor: &Visitor) -> Result<HeaderMap, Unfit> {
    let mut headers = HeaderMap::new();
    for (name, value) in &visitor.headers {
        let key = || format!("headers.{name}");
        let header: HeaderName = name.parse().map_err(|_| unfit(key(), "is no name of a header"))?;
        if header == AUTHORIZATION && visitor.login.is_some() {
            return Err(unfit(key(), "says another login than `user` or `token`"));
        }
        let mut value = HeaderValue::from_bytes(value.reveal().as_bytes())
            .map_err(|_| unfit(key(), "has a character that no header can hold, such as a line break"))?;
        value.set_sensitive(true);
        headers.append(header, value);
    }
    Ok(headers)
}

/// What would only fail when it is sent.
fn check_login(visitor: &Visitor) -> Result<(), Unfit> {
    match &visitor.login {
        Some(Login::Basic { user, .. }) if user.contains(':') => Err(unfit("user", "has a colon, which ends a name")),
        Some(Login::Bearer(token)) if !token.reveal().bytes().all(|byte| byte.is_ascii_graphic()) => {
            Err(unfit("token", "has a character that no token can hold, such as a line break"))
        }
        _ => Ok(()),
    }
}

/// Looks names up and, if guarded, leaves private addresses out. The connection is made to exactly the addresses that
/// were checked.
struct Resolver {
    names: Names,
    guarded: bool,
    /// The operator named it, so it may be anywhere.
    proxy: Option<String>,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, host) = (self.names.clone(), name.as_str().to_owned());
        let is_proxy = self.proxy.as_ref().is_some_and(|proxy| proxy.eq_ignore_ascii_case(&host));
        let guarded = self.guarded && !is_proxy;
        Box::pin(async move {
            let found = names.addresses(&host, guarded).await?;
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
