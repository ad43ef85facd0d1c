//! What went wrong, as a sentence without the URL (the ledger has it already).

use crate::NameError;
use gatherer_pipeline::{Departure, server_name};
use rustls::{AlertDescription, CertificateError};
use std::error::Error;
use std::io;
use url::Url;

pub(super) fn departure(url: &Url, error: &reqwest::Error) -> Departure {
    let (host, server) = (url.host_str().unwrap_or_default(), server_name(url));
    if let Some(error) = find::<NameError>(error) {
        return match error {
            NameError::Private { host, address } => {
                Departure::PrivateAddress { host: host.clone(), address: address.to_string() }
            }
            NameError::Unknown { .. } => Departure::Unreachable { reason: error.to_string() },
        };
    }
    if let Some(error) = find::<rustls::Error>(error) {
        return Departure::Tls { host: host.to_owned(), reason: distrust(error) };
    }
    let what = if error.is_connect() && error.is_timeout() {
        format!("no connection to {server} in time")
    } else if error.is_connect() {
        format!("cannot connect to {server}: {}", innermost(error))
    } else if error.is_body() || error.is_decode() {
        format!("the answer broke off or cannot be unpacked: {}", innermost(error))
    } else {
        format!("no proper answer from {server}: {}", innermost(error))
    };
    Departure::Unreachable { reason: what }
}

/// The proxy is the culprit, or what it says of the host.
pub(super) fn no_proxy(proxy: &Url, error: &reqwest::Error) -> Departure {
    let place = proxy.host_str().unwrap_or_default();
    let port = proxy.port_or_known_default().map_or_else(String::new, |port| format!(":{port}"));
    Departure::Unreachable { reason: format!("no way through the proxy {place}{port}: {}", innermost(error)) }
}

/// Why there is no secure connection, in plain words as far as there are any.
fn distrust(error: &rustls::Error) -> String {
    use CertificateError as Bad;
    let words = match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::Expired | Bad::ExpiredContext { .. } => "its certificate has expired",
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => "its certificate is not valid yet",
            Bad::UnknownIssuer => "its certificate comes from an issuer that nobody here trusts",
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => "its certificate is for another name",
            Bad::Revoked => "its certificate has been revoked",
            bad => return format!("its certificate is no good ({bad})"),
        },
        rustls::Error::AlertReceived(alert) => match alert {
            AlertDescription::CertificateRequired => "it wants a client certificate",
            AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::AccessDenied => "it does not accept the client certificate",
            AlertDescription::ProtocolVersion => "it speaks no TLS that is still safe",
            AlertDescription::UnrecognisedName => "it does not know itself by this name",
            alert => return format!("it breaks off ({alert:?})"),
        },
        rustls::Error::PeerIncompatible(_) => "it speaks no TLS that is still safe",
        rustls::Error::InvalidMessage(_) => "it does not speak TLS",
        error => return error.to_string(),
    };
    words.to_owned()
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(Some(error as &(dyn Error + 'static)), |error| behind(*error))
}

/// What is behind an error. An [`io::Error`] does not name what it wraps as its source.
fn behind<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

fn find<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    chain(error).find_map(|error| error.downcast_ref())
}

fn innermost(error: &reqwest::Error) -> String {
    chain(error).last().map(ToString::to_string).unwrap_or_default()
}
