//! Which addresses no stranger's link may lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address belongs to this machine, this network or nobody: loopback, private, link-local (cloud
/// metadata among them), shared, multicast, reserved, and all of these behind IPv6 disguises.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => is_private_v6(v6),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || a >= 240
        || (a == 100 && (64..128).contains(&b)) // shared between providers and customers, RFC 6598
        || (a == 192 && b == 0 && c == 0) // protocol assignments, RFC 6890
        || (a == 198 && (b == 18 || b == 19)) // benchmarking, RFC 2544
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let embedded = address.to_ipv4_mapped().or_else(|| translated(address));
    if let Some(v4) = embedded {
        return is_private_v4(v4);
    }
    let [first, second, ..] = address.segments();
    address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || (first & 0xfe00) == 0xfc00 // unique local
        || (first & 0xffc0) == 0xfe80 // link-local
        || (first & 0xffc0) == 0xfec0 // site-local, old
        || (first == 0x2001 && (second == 0x0db8 || second == 0)) // documentation; Teredo tunnels
        || (first == 0x64 && second == 0xff9b) // local NAT64; the well-known one is looked into above
}

/// The IPv4 address inside a NAT64 (`64:ff9b::/96`), 6to4 (`2002::/16`) or deprecated compatible (`::/96`) one.
fn translated(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let (high, low) = match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => (high, low),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => (high, low),
        _ => return None,
    };
    Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: &str, expected: bool) {
        assert_eq!(is_private(address.parse().expect("a literal address")), expected, "{address}");
    }

    #[test]
    fn private_addresses_are_known_in_every_disguise() {
        for address in [
            "127.0.0.1",
            "127.8.8.8",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "240.0.0.1",
            "198.18.0.1",
            "::1",
            "::",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "::7f00:1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001:db8::1",
            "2001:0:1::1",
            "64:ff9b:1::1",
        ] {
            check(address, true);
        }
    }

    #[test]
    fn public_addresses_pass() {
        for address in ["8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:2800:220:1::1", "::ffff:8.8.8.8"]
        {
            check(address, false);
        }
    }
}
