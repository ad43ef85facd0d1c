//! Names to addresses.

use crate::is_private;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::op::Query;
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::{Hosts, TokioResolver, system_conf};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Why a name gave no address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NameError {
    /// It leads only to addresses that no stranger's link may lead to.
    #[error("{host} is at the private address {address}")]
    Private {
        /// The name.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
    /// Nobody knows it, or nobody answers.
    #[error("no address for {host}: {reason}")]
    Unknown {
        /// The name.
        host: String,
        /// What the resolver says.
        reason: String,
    },
}

/// Looks names up, within limits, and remembers the answers for as long as they are good.
#[derive(Clone)]
pub struct Names {
    inner: Arc<Inner>,
}

struct Inner {
    /// The machine's own list goes before every server.
    hosts: Hosts,
    /// Who is asked, or why nobody can be.
    resolver: Result<TokioResolver, String>,
    limit: Duration,
}

impl Names {
    /// Answers remembered at once.
    const REMEMBERED: u64 = 10_000;
    /// Further questions after one that was not answered.
    const RETRIES: usize = 2;
    /// "No such name" is remembered at least for so long, so that a page with many dead links asks once,
    const BRIEFLY: Duration = Duration::from_secs(30);
    /// and at most for so long, because names come into being.
    const AT_MOST: Duration = Duration::from_mins(5);
    /// Names of one address that are looked at.
    const MOST_NAMES: usize = 10;

    /// Asks these servers, or those that the system names; `limit` is for a whole lookup.
    pub fn new(servers: &[SocketAddr], limit: Duration) -> Self {
        let config = if servers.is_empty() {
            system_conf::read_system_conf().map(|(config, _)| config)
        } else {
            Ok(ResolverConfig::from_name_servers(servers.iter().map(server).collect()))
        };
        let hosts = Hosts::from_system().unwrap_or_default();
        Self { inner: Arc::new(Inner { hosts, resolver: resolver(config, limit), limit }) }
    }

    /// The addresses of a host name or of an address in text form. `guarded`: private ones are left out, and it is an
    /// error if none is left.
    ///
    /// # Errors
    /// [`NameError`].
    pub async fn addresses(&self, host: &str, guarded: bool) -> Result<Vec<IpAddr>, NameError> {
        let found = self.find(host).await.map_err(|reason| NameError::Unknown { host: host.to_owned(), reason })?;
        let allowed: Vec<_> = found.iter().copied().filter(|address| !guarded || !is_private(*address)).collect();
        match (allowed.is_empty(), found.first()) {
            (true, Some(address)) => Err(NameError::Private { host: host.to_owned(), address: *address }),
            _ => Ok(allowed),
        }
    }

    /// The names of an address that lead back to it: what an address says of itself alone is not to be believed.
    pub async fn names(&self, address: IpAddr) -> Vec<String> {
        let Ok(resolver) = &self.inner.resolver else { return Vec::new() };
        let looking = tokio::time::timeout(self.inner.limit, resolver.reverse_lookup(address.to_canonical()));
        let Ok(Ok(found)) = looking.await else { return Vec::new() };
        let claimed: Vec<_> = found.answers().iter().map(|record| record.data.to_string()).collect();
        let mut names = Vec::new();
        for name in claimed.into_iter().take(Self::MOST_NAMES) {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            if self.find(&name).await.is_ok_and(|addresses| addresses.contains(&address.to_canonical())) {
                names.push(name);
            }
        }
        names
    }

    /// At least one address, or why there is none.
    async fn find(&self, host: &str) -> Result<Vec<IpAddr>, String> {
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        if let Ok(address) = bare.parse() {
            return Ok(vec![address]);
        }
        let name = name(host)?;
        let listed = self.listed(&name);
        if !listed.is_empty() {
            return Ok(listed);
        }
        // Whoever else claims this name is not to be believed (RFC 6761).
        if name.iter().next_back().is_some_and(|label| label.eq_ignore_ascii_case(b"localhost")) {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let resolver = self.inner.resolver.as_ref().map_err(Clone::clone)?;
        let looking = tokio::time::timeout(self.inner.limit, resolver.lookup_ip(name));
        let found = looking.await.unwrap_or(Err(NetError::Timeout)).map_err(|error| reason(&error))?;
        let addresses: Vec<_> = found.iter().collect();
        if addresses.is_empty() { Err("it has none".to_owned()) } else { Ok(addresses) }
    }

    /// What the machine's own list says.
    fn listed(&self, name: &Name) -> Vec<IpAddr> {
        let look = |kind| self.inner.hosts.lookup_static_host(&Query::query(name.clone(), kind));
        let found = [RecordType::A, RecordType::AAAA].into_iter().filter_map(look);
        found
            .flat_map(|lookup| lookup.answers().iter().filter_map(|record| record.data.ip_addr()).collect::<Vec<_>>())
            .collect()
    }
}

/// A name with a dot in it is whole: no domain of ours is tried behind it. What has none may be of our own network.
fn name(host: &str) -> Result<Name, String> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let mut name = Name::from_ascii(host).map_err(|_| "it is no name".to_owned())?;
    name.set_fqdn(host.contains('.'));
    Ok(name)
}

/// UDP first, TCP for what does not fit.
fn server(address: &SocketAddr) -> NameServerConfig {
    let connections = [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
        connection.port = address.port();
        connection
    });
    NameServerConfig::new(address.ip(), true, connections.to_vec())
}

fn resolver(config: Result<ResolverConfig, NetError>, limit: Duration) -> Result<TokioResolver, String> {
    let config = config.map_err(|error| format!("the system does not say whom to ask ({error})"))?;
    let mut options = ResolverOpts::default();
    options.attempts = Names::RETRIES;
    // All attempts together end before the whole lookup does: then one family's silence does not cost the other's answer.
    options.timeout = limit / 4;
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    options.cache_size = Names::REMEMBERED;
    options.use_hosts_file = ResolveHosts::Never;
    options.negative_min_ttl = Some(Names::BRIEFLY);
    options.negative_max_ttl = Some(Names::AT_MOST);
    let builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    builder.with_options(options).build().map_err(|error| error.to_string())
}

fn reason(error: &NetError) -> String {
    match error {
        NetError::Timeout => "no answer in time".to_owned(),
        error if error.is_nx_domain() => "there is no such name".to_owned(),
        error if error.is_no_records_found() => "it has none".to_owned(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests;
