//! HTTP and HTTPS.

mod clients;
mod cookies;
mod head;
mod kept;
mod trouble;

#[cfg(test)]
mod tests;

pub use clients::SetupError;

use crate::{Answer, Ask, Manners, Method, NameError, Names, is_private};
use clients::Clients;
use futures_util::future::{BoxFuture, FutureExt};
use gatherer_pipeline::{Clock, Departure, Visitor, server_name};
use kept::Kept;
use reqwest::header::{CONNECTION, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use reqwest::{RequestBuilder, Response};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use url::{Host, Url};

pub(crate) struct Http {
    clients: HashMap<Arc<Visitor>, Clients>,
    names: Names,
    clock: Arc<dyn Clock>,
    kept: Kept,
}

impl Http {
    /// With everything ready for the visitors that `manners` knows, and for the one who has nothing special.
    pub(crate) fn new(manners: &Manners, names: Names, clock: Arc<dyn Clock>) -> Result<Self, SetupError> {
        // The first call in a process chooses the TLS library; a second one changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let nobody = Arc::<Visitor>::default();
        let mut clients = HashMap::from([(Arc::clone(&nobody), Clients::new(manners, &names, "", &nobody)?)]);
        // Sorted, so that of several faults the same one is told each time.
        for (root, visitor) in manners.visitors.iter().collect::<BTreeMap<_, _>>() {
            if !clients.contains_key(visitor) {
                clients.insert(Arc::clone(visitor), Clients::new(manners, &names, root, visitor)?);
            }
        }
        Ok(Self { clients, names, clock, kept: Kept::default() })
    }

    async fn ask(&self, ask: &Ask<'_>) -> Result<Answer, Departure> {
        let Some(clients) = self.clients.get(ask.visitor) else {
            return Err(Departure::Stumbled { what: "no HTTP client was made for this visitor".to_owned() });
        };
        if !ask.is_named {
            self.check_target(ask.url, clients.is_proxied()).await?;
        }
        let mut request = conditional(clients.get(ask.url, ask.is_named), ask);
        if !self.kept.may_stay(&server_name(ask.url), Instant::now()) {
            request = request.header(CONNECTION, "close");
        }
        let response = request.send().await.map_err(|error| match &ask.visitor.proxy {
            Some(proxy) if error.is_connect() => trouble::no_proxy(proxy, &error),
            _ => trouble::departure(ask.url, &error),
        })?;
        if !ask.is_named && !clients.is_proxied() {
            check_connected(ask.url, &response)?;
        }
        let mut answer = head::read(&response, self.clock.now());
        read_body(response, &mut answer, ask.limit).await.map_err(|error| trouble::departure(ask.url, &error))?;
        Ok(answer)
    }

    /// What the resolver of the connection never sees is checked before: addresses written in the URL itself, and,
    /// as far as they are known here, the addresses of what a proxy is asked for.
    async fn check_target(&self, url: &Url, proxied: bool) -> Result<(), Departure> {
        match url.host() {
            Some(Host::Ipv4(address)) => check_address(url, address.into()),
            Some(Host::Ipv6(address)) => check_address(url, address.into()),
            Some(Host::Domain(host)) if proxied => match self.names.addresses(host, true).await {
                Err(NameError::Private { address, .. }) => check_address(url, address),
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }
}

impl Method for Http {
    fn get<'a>(&'a self, ask: &'a Ask<'a>) -> BoxFuture<'a, Result<Answer, Departure>> {
        self.ask(ask).boxed()
    }
}

fn conditional(mut request: RequestBuilder, ask: &Ask<'_>) -> RequestBuilder {
    for (name, value) in [(IF_NONE_MATCH, &ask.known.etag), (IF_MODIFIED_SINCE, &ask.known.last_modified)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    request
}

/// A second lock: whatever the resolver said, this is who answered.
fn check_connected(url: &Url, response: &Response) -> Result<(), Departure> {
    response.remote_addr().map_or(Ok(()), |address| check_address(url, address.ip()))
}

fn check_address(url: &Url, address: IpAddr) -> Result<(), Departure> {
    if is_private(address) {
        let host = url.host_str().unwrap_or_default().to_owned();
        return Err(Departure::PrivateAddress { host, address: address.to_string() });
    }
    Ok(())
}

/// So much memory is set aside at once for a body that is yet to come.
const LIKELY: usize = 64 << 10;

/// Reads up to `limit` bytes, counted after unpacking. One byte more means that the body is cut.
async fn read_body(mut response: Response, answer: &mut Answer, limit: usize) -> Result<(), reqwest::Error> {
    let claimed = head::length(&response);
    // Whoever claims more than comes gets no more memory for it.
    let likely = claimed.and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    answer.body.reserve(likely.min(limit).min(LIKELY));
    while let Some(chunk) = response.chunk().await? {
        let room = limit - answer.body.len();
        if chunk.len() > room {
            answer.body.extend_from_slice(&chunk[..room]);
            let read = (limit + 1) as u64;
            answer.cut_from = Some(claimed.unwrap_or(read).max(read));
            break;
        }
        answer.body.extend_from_slice(&chunk);
    }
    Ok(())
}
