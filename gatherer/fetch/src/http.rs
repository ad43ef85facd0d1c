//! HTTP and HTTPS.

use crate::{Answer, Manners, is_private};
use gatherer_pipeline::{Departure, UnixTime, Validators};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
    RETRY_AFTER,
};
use reqwest::{Client, Response, redirect};
use std::collections::HashSet;
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use thiserror::Error;
use url::{Host, Url};

pub(crate) struct Http {
    /// Connects to public addresses only.
    guarded: Client,
    /// Connects to any address: for what the operator named.
    open: Client,
    named_hosts: HashSet<(String, u16)>,
}

impl Http {
    pub(crate) fn new(manners: &Manners) -> Result<Self, reqwest::Error> {
        // The first call in a process chooses the TLS library; a second one changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Ok(Self {
            guarded: client(manners, true)?,
            open: client(manners, false)?,
            named_hosts: manners.named_hosts.clone(),
        })
    }

    pub(crate) async fn get(&self, url: &Url, conditional: &Validators, limit: usize) -> Result<Answer, Departure> {
        let client = if self.is_named(url) { &self.open } else { &self.guarded };
        if !self.is_named(url) {
            check_literal_address(url)?;
        }
        let mut request = client.get(url.clone());
        for (name, value) in [(IF_NONE_MATCH, &conditional.etag), (IF_MODIFIED_SINCE, &conditional.last_modified)] {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let response = request.send().await.map_err(|error| departure(url, &error))?;
        let mut answer = head(&response);
        let claimed = header(&response, &CONTENT_LENGTH).and_then(|length| length.parse().ok());
        read_body(response, &mut answer, limit, claimed).await.map_err(|error| departure(url, &error))?;
        Ok(answer)
    }

    fn is_named(&self, url: &Url) -> bool {
        let named = url.host_str().zip(url.port_or_known_default());
        named.is_some_and(|(host, port)| self.named_hosts.contains(&(host.to_owned(), port)))
    }
}

fn client(manners: &Manners, guarded: bool) -> Result<Client, reqwest::Error> {
    Client::builder()
        .user_agent(&manners.user_agent)
        .connect_timeout(manners.connect_limit)
        .redirect(redirect::Policy::none())
        .referer(false)
        // A proxy in the environment would hide the address that is really connected to.
        .no_proxy()
        .dns_resolver(Arc::new(Resolver { guarded }))
        .build()
}

/// Addresses written in the URL itself never reach the resolver, so they are checked here.
fn check_literal_address(url: &Url) -> Result<(), Departure> {
    let address = match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
        _ => return Ok(()),
    };
    if is_private(address) {
        let host = url.host_str().unwrap_or_default().to_owned();
        return Err(Departure::PrivateAddress { host, address: address.to_string() });
    }
    Ok(())
}

fn head(response: &Response) -> Answer {
    let last_modified = header(response, &LAST_MODIFIED);
    Answer {
        location: header(response, &LOCATION),
        content_type: header(response, &CONTENT_TYPE),
        modified: last_modified.as_deref().and_then(|date| httpdate::parse_http_date(date).ok()).map(UnixTime::from),
        retry_after: header(response, &RETRY_AFTER).and_then(|after| after.trim().parse().ok()),
        robots_tag: robots_tag(response),
        validators: Validators { etag: header(response, &ETAG), last_modified },
        ..Answer::empty(response.status().as_u16())
    }
}

/// Reads up to `limit` bytes, counted after unpacking. One byte more means that the body is cut.
async fn read_body(
    mut response: Response,
    answer: &mut Answer,
    limit: usize,
    claimed: Option<u64>,
) -> Result<(), reqwest::Error> {
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

fn robots_tag(response: &Response) -> String {
    let tags = response.headers().get_all("x-robots-tag").iter();
    tags.map(|tag| String::from_utf8_lossy(tag.as_bytes()).into_owned()).collect::<Vec<_>>().join("\n")
}

/// A header as text; bytes outside ASCII are kept as far as they are UTF-8.
fn header(response: &Response, name: &HeaderName) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Looks names up with the system's resolver and, if guarded, leaves private addresses out. The connection is made to
/// exactly the addresses that were checked.
struct Resolver {
    guarded: bool,
}

/// A name that leads only to private addresses.
#[derive(Debug, Error)]
#[error("{host} is at the private address {address}")]
struct PrivateAnswer {
    host: String,
    address: IpAddr,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let guarded = self.guarded;
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            let allowed: Vec<_> =
                found.iter().copied().filter(|address| !guarded || !is_private(address.ip())).collect();
            match (allowed.is_empty(), found.first()) {
                (true, Some(address)) => Err(PrivateAnswer { host, address: address.ip() }.into()),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

/// What went wrong, as a sentence without the URL (the ledger has it already).
fn departure(url: &Url, error: &reqwest::Error) -> Departure {
    if let Some(private) = find::<PrivateAnswer>(error) {
        return Departure::PrivateAddress { host: private.host.clone(), address: private.address.to_string() };
    }
    let host = url.host_str().unwrap_or_default();
    let what = if error.is_connect() && error.is_timeout() {
        format!("no connection to {host} in time")
    } else if error.is_connect() {
        format!("cannot connect to {host}: {}", innermost(error))
    } else if error.is_body() || error.is_decode() {
        format!("the answer broke off or cannot be unpacked: {}", innermost(error))
    } else {
        format!("no proper answer from {host}: {}", innermost(error))
    };
    Departure::Unreachable { reason: what }
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(Some(error as &(dyn Error + 'static)), |error| (*error).source())
}

fn find<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    chain(error).find_map(|error| error.downcast_ref())
}

fn innermost(error: &reqwest::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
