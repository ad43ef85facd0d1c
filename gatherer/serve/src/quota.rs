//! How much one address may ask for: connections at once, and requests a minute.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Addresses remembered before those are forgotten that have been quiet.
const REMEMBERED: usize = 10_000;

/// Requests a minute, by address.
pub(crate) struct Quota {
    limiter: DefaultKeyedRateLimiter<IpAddr>,
    clock: DefaultClock,
}

impl Quota {
    pub(crate) fn new(per_minute: u32) -> Self {
        let most = NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MAX);
        Self { limiter: RateLimiter::keyed(governor::Quota::per_minute(most)), clock: DefaultClock::default() }
    }

    /// Counts a request, or says how long to wait before the next.
    pub(crate) fn take(&self, address: IpAddr) -> Result<(), Duration> {
        if self.limiter.len() > REMEMBERED {
            self.limiter.retain_recent();
        }
        self.limiter.check_key(&whose(address)).map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

/// Connections at once, by address.
#[derive(Default)]
pub(crate) struct Seats(Mutex<HashMap<IpAddr, usize>>);

impl Seats {
    /// A seat, if there is one left for this address. It is given up when it is dropped.
    pub(crate) fn take(self: &Arc<Self>, address: IpAddr, most: usize) -> Option<Seat> {
        let address = whose(address);
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(address).or_insert(0);
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Seat { seats: self.clone(), address })
    }
}

/// A place taken.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    address: IpAddr,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.address);
            }
        }
    }
}

/// One customer has one IPv4 address, or a /64 of IPv6.
fn whose(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_counted_by_address_and_given_back() {
        let seats = Arc::new(Seats::default());
        let [one, other] = ["2001:db8::1", "2001:db8:0:1::1"].map(|text| text.parse().expect("an address"));
        let near = "2001:db8::2".parse().expect("an address");
        let first = seats.take(one, 2);
        let second = seats.take(near, 2);
        assert!(first.is_some() && second.is_some() && seats.take(one, 2).is_none());
        assert!(seats.take(other, 2).is_some());
        drop(second);
        assert!(seats.take(one, 2).is_some());
        drop(first);
        assert!(seats.0.lock().expect("a table").is_empty(), "nobody is left");
    }

    #[test]
    fn requests_over_the_quota_are_told_how_long_to_wait() {
        let quota = Quota::new(2);
        let address = "192.0.2.1".parse().expect("an address");
        assert!(quota.take(address).is_ok() && quota.take(address).is_ok());
        let wait = quota.take(address).expect_err("too many");
        assert!(wait > Duration::ZERO && wait <= Duration::from_mins(1), "{wait:?}");
    }
}
