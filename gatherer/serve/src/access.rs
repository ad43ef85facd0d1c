//! How somebody who connects is met, by the operator's rules.

use gatherer_pipeline::{AccessRule, Standing, Who};
use std::net::IpAddr;
use std::pin::Pin;

/// Looks up the names of an address.
pub trait Names: Send + Sync {
    /// The names that an address has by its own word, and that lead back to it.
    fn names(&self, address: IpAddr) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>>;
}

/// Knows no names.
pub(crate) struct Nameless;

impl Names for Nameless {
    fn names(&self, _: IpAddr) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
        Box::pin(std::future::ready(Vec::new()))
    }
}

/// What the first rule says that is about this address. Names are looked up only when a rule asks for them before that.
/// Whom no rule is about is turned away.
pub(crate) async fn standing(rules: &[AccessRule], address: IpAddr, names: &dyn Names) -> Standing {
    let mut known: Option<Vec<String>> = None;
    for rule in rules {
        let is_meant = if matches!(rule.who, Who::Name(_)) {
            if known.is_none() {
                known = Some(names.names(address).await);
            }
            known.iter().flatten().any(|name| rule.who.covers_name(name))
        } else {
            rule.who.covers(address)
        };
        if is_meant {
            return rule.standing;
        }
    }
    Standing::Denied
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;

    impl Names for Known {
        fn names(&self, address: IpAddr) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
            let names = if address.is_loopback() { vec!["search.example.org".to_owned()] } else { Vec::new() };
            Box::pin(std::future::ready(names))
        }
    }

    #[tokio::test]
    async fn the_first_rule_that_is_about_somebody_decides() {
        let network = |text: &str| Who::Network(text.parse().expect("a network"));
        let name = |text: &str| Who::Name(text.to_owned());
        let rules = [
            (network("192.0.2.7/32"), Standing::Denied),
            (name("example.org"), Standing::Trusted),
            (network("192.0.2.0/24"), Standing::Welcome),
        ]
        .map(|(who, standing)| AccessRule { who, standing });
        for (address, expected) in [
            ("192.0.2.7", Standing::Denied),
            ("192.0.2.8", Standing::Welcome),
            ("127.0.0.1", Standing::Trusted),
            ("198.51.100.1", Standing::Denied),
        ] {
            let found = standing(&rules, address.parse().expect("an address"), &Known).await;
            assert_eq!(found, expected, "{address}");
        }
    }
}
