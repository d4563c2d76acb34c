//! How much one may have of what there is: connections, and things that cost by the piece.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::address::household;
use crate::config::LimitSettings;

/// Why somebody is not let in. Both pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Every connection is taken.
    #[error("every connection of this relay is taken")]
    Connections,
    /// The address has all that one may have.
    #[error("this address has as many connections as one may have")]
    AddressConnections,
}

/// What is counted of whom. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Limits(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    most_of_one: usize,
    held: Mutex<Held>,
    guesses: Mutex<PerAddress>,
    rooms: Mutex<PerAddress>,
}

#[derive(Debug, Default)]
struct Held {
    all: usize,
    /// Only who holds one is in here.
    by_address: HashMap<IpAddr, usize>,
}

impl Limits {
    /// By what an operator set.
    pub fn new(settings: &LimitSettings) -> Self {
        Self(Arc::new(Inner {
            most: settings.max_connections,
            most_of_one: settings.max_connections_per_address,
            held: Mutex::default(),
            guesses: Mutex::new(PerAddress::new(settings.max_guesses)),
            rooms: Mutex::new(PerAddress::new(settings.rooms_per_minute)),
        }))
    }

    /// A connection for somebody at `address`, held until the permit is dropped.
    ///
    /// # Errors
    /// Which limit is reached.
    pub fn connection(&self, address: IpAddr) -> Result<ConnectionPermit, LimitError> {
        let address = household(address);
        let mut held = lock(&self.0.held);
        let of_one = held.by_address.get(&address).copied().unwrap_or(0);
        if of_one >= self.0.most_of_one {
            return Err(LimitError::AddressConnections);
        }
        if held.all >= self.0.most {
            return Err(LimitError::Connections);
        }
        held.all += 1;
        held.by_address.insert(address, of_one + 1);
        Ok(ConnectionPermit {
            limits: self.clone(),
            address,
        })
    }

    /// How many connections are held.
    pub fn connections(&self) -> usize {
        lock(&self.0.held).all
    }

    /// Whether an address may still try codes.
    pub fn may_guess(&self, address: IpAddr) -> bool {
        lock(&self.0.guesses).has(household(address), Instant::now())
    }

    /// An address tried a code that does not exist.
    pub fn guessed_wrong(&self, address: IpAddr) {
        lock(&self.0.guesses).take(household(address), Instant::now());
    }

    /// Whether an address may make one more room; counted if so.
    pub fn room(&self, address: IpAddr) -> bool {
        lock(&self.0.rooms).take(household(address), Instant::now())
    }
}

/// One connection's place among all. Dropping it gives the place back, whatever became of its session.
#[derive(Debug)]
pub struct ConnectionPermit {
    limits: Limits,
    address: IpAddr,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut held = lock(&self.limits.0.held);
        held.all -= 1;
        if let Some(of_one) = held.by_address.get_mut(&self.address) {
            *of_one -= 1;
            if *of_one == 0 {
                held.by_address.remove(&self.address);
            }
        }
    }
}

/// So much at once, and so much a second from then on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bucket {
    most: f64,
    a_second: f64,
    left: f64,
    at: Instant,
}

impl Bucket {
    /// Full at `now`.
    pub(crate) fn new(most: f64, a_second: f64, now: Instant) -> Self {
        Self {
            most,
            a_second,
            left: most,
            at: now,
        }
    }

    /// Takes `cost` if there is as much.
    pub(crate) fn take(&mut self, cost: f64, now: Instant) -> bool {
        self.fill(now);
        let enough = self.left >= cost;
        if enough {
            self.left -= cost;
        }
        enough
    }

    fn fill(&mut self, now: Instant) {
        let gone = now.saturating_duration_since(self.at);
        self.at = now;
        self.left = (self.left + self.a_second * gone.as_secs_f64()).min(self.most);
    }
}

/// A bucket for each address that lately took of it.
#[derive(Debug)]
struct PerAddress {
    a_minute: u32,
    buckets: HashMap<IpAddr, Bucket>,
}

/// Addresses that are remembered at most; past it everybody new is refused until some are full again, so that a flood of
/// addresses costs memory of this bound.
const REMEMBERED: usize = 10_000;
const MINUTE: Duration = Duration::from_secs(60);

impl PerAddress {
    fn new(a_minute: u32) -> Self {
        Self {
            a_minute,
            buckets: HashMap::new(),
        }
    }

    fn bucket(&mut self, address: IpAddr, now: Instant) -> Option<&mut Bucket> {
        if self.buckets.len() >= REMEMBERED && !self.buckets.contains_key(&address) {
            self.buckets
                .retain(|_, bucket| now.saturating_duration_since(bucket.at) < MINUTE);
            if self.buckets.len() >= REMEMBERED {
                return None;
            }
        }
        let most = f64::from(self.a_minute);
        let fresh = || Bucket::new(most, most / MINUTE.as_secs_f64(), now);
        Some(self.buckets.entry(address).or_insert_with(fresh))
    }

    fn take(&mut self, address: IpAddr, now: Instant) -> bool {
        self.bucket(address, now)
            .is_some_and(|bucket| bucket.take(1.0, now))
    }

    fn has(&mut self, address: IpAddr, now: Instant) -> bool {
        match self.buckets.get_mut(&address) {
            Some(bucket) => bucket.take(0.0, now) && bucket.left >= 1.0,
            None => self.a_minute > 0,
        }
    }
}

/// A counter is as good after a panic as before it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(most: usize, of_one: usize) -> Limits {
        Limits::new(&LimitSettings {
            max_connections: most,
            max_connections_per_address: of_one,
            max_guesses: 2,
            rooms_per_minute: 1,
            ..LimitSettings::default()
        })
    }

    fn v4(last: u8) -> IpAddr {
        [203, 0, 113, last].into()
    }

    #[test]
    fn a_permit_is_given_back_when_it_is_dropped() {
        let limits = limits(3, 2);
        let first = limits.connection(v4(1)).unwrap();
        let second = limits.connection(v4(1)).unwrap();
        assert_eq!(
            limits.connection(v4(1)).unwrap_err(),
            LimitError::AddressConnections
        );
        let third = limits.connection(v4(2)).unwrap();
        assert_eq!(
            limits.connection(v4(3)).unwrap_err(),
            LimitError::Connections
        );
        drop(first);
        assert!(limits.connection(v4(1)).is_ok());
        drop((second, third));
        assert_eq!(limits.connections(), 0);
        assert!(lock(&limits.0.held).by_address.is_empty());
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let limits = limits(9, 1);
        let _held = limits.connection("2001:db8::1".parse().unwrap()).unwrap();
        assert!(limits.connection("2001:db8::2".parse().unwrap()).is_err());
        assert!(
            limits
                .connection("2001:db8:0:1::1".parse().unwrap())
                .is_ok()
        );
        let _mapped = limits
            .connection("::ffff:203.0.113.7".parse().unwrap())
            .unwrap();
        assert!(limits.connection(v4(7)).is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn guesses_come_back_with_time_and_belong_to_one_address() {
        let limits = limits(1, 1);
        for _ in 0..2 {
            assert!(limits.may_guess(v4(1)));
            limits.guessed_wrong(v4(1));
        }
        assert!(!limits.may_guess(v4(1)));
        assert!(limits.may_guess(v4(2)));
        tokio::time::sleep(Duration::from_secs(31)).await;
        assert!(limits.may_guess(v4(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_of_addresses_is_remembered_up_to_a_bound() {
        let limits = limits(1, 1);
        for n in 0..REMEMBERED as u32 {
            assert!(limits.room(IpAddr::from(n.to_be_bytes())));
        }
        assert!(!limits.room(v4(1)), "no room to remember one more");
        assert_eq!(lock(&limits.0.rooms).buckets.len(), REMEMBERED);
        tokio::time::sleep(MINUTE).await;
        assert!(limits.room(v4(1)));
    }
}
