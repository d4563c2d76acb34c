//! A network of two ends, and between them a link that does to IP packets what [`netsim::Link`] does: latency, jitter
//! and loss for the kernel's own TCP and for anybody's QUIC, where there is no `sch_netem` to ask.
//!
//! Each end is a network namespace without a name, so that nothing is left behind, with one TUN device. What the kernel
//! routes into one device is read here, sent through a link, and written to the other when it is due. Threads, and the
//! programs that they start, live at an end once they have entered it; a socket stays where it was made.
//!
//! It needs root, `/dev/net/tun` and the program `ip`. Where they are missing, [`Bridge::new`] says which.

mod measure;
mod pump;
mod tun;

use std::fs;
use std::io::Write as _;
use std::net::Ipv4Addr;
use std::os::fd::AsRawFd as _;
use std::process::Command;
use std::thread;
use std::time::Duration;

use netsim::{Carrier, LinkConfig, LinkCounters};
use wire::Micros;

pub use measure::{Lateness, measured, watched};
pub use pump::hurry;

use pump::Pump;
use tun::{Namespace, Tun};

/// The address of the near end, where a test runs its server.
pub const NEAR: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
/// The address of the far end, where it runs its clients.
pub const FAR: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);

/// The largest packet, bytes: Ethernet's. A [`netsim::Link`] takes any length.
const MTU: usize = 1_500;

/// Why there is no bridge on this machine.
#[derive(Debug)]
pub struct Missing {
    /// What was asked of the system.
    what: &'static str,
    /// What it said.
    why: String,
}

impl Missing {
    fn new(what: &'static str, why: impl ToString) -> Self {
        let why = why.to_string();
        Self { what, why }
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

/// Which end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The one at [`NEAR`].
    Near,
    /// The one at [`FAR`].
    Far,
}

/// Two ends and the links between them, all of which end with it.
#[derive(Debug)]
pub struct Bridge {
    ends: [Namespace; 2],
    /// What leaves the near end, and what leaves the far one.
    pumps: [Pump; 2],
}

impl Bridge {
    /// Two ends with a perfect link between them, whose chance comes from `seed`.
    pub fn new(seed: u64) -> Result<Self, Missing> {
        let [near, far] = [(NEAR, FAR), (FAR, NEAR)].map(|(own, other)| {
            // A namespace is a thread's own, so it is set up by a thread that ends.
            let end = thread::spawn(move || set_up(own, other)).join();
            end.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let ((near, near_tun), (far, far_tun)) = (near?, far?);
        let pump = |way: u64, from: &Tun, to: &Tun| {
            Pump::start(seed.wrapping_mul(2).wrapping_add(way), from, to)
        };
        let pumps = [pump(0, &near_tun, &far_tun)?, pump(1, &far_tun, &near_tun)?];
        let ends = [near, far];
        Ok(Self { ends, pumps })
    }

    /// The same, or `None` after a word on standard error, past the test runner, that `test` was skipped and why.
    pub fn or_skip(test: &str, seed: u64) -> Option<Self> {
        let made = Self::new(seed);
        made.inspect_err(|missing| say(&format!("skipped {test}: {missing}")))
            .ok()
    }

    /// Changes what happens to packets that leave either end from now on. The carrier is always [`Carrier::Datagram`]: a
    /// stream is what the kernel makes of such packets.
    pub fn set(&self, config: LinkConfig) {
        let carrier = Carrier::Datagram;
        self.pumps
            .iter()
            .for_each(|pump| pump.set(LinkConfig { carrier, ..config }));
    }

    /// The usual weather of a test, the same both ways: ms each way, and the share lost, `0..=1`.
    pub fn weather(&self, latency_ms: u64, loss: f64) {
        let latency = Micros::from_millis(latency_ms);
        self.set(LinkConfig {
            latency,
            loss,
            ..LinkConfig::default()
        });
    }

    /// Gives new TCP sockets at both ends this congestion control, whatever the machine's own default. Whether the kernel
    /// has it and lets it be chosen.
    pub fn congestion(&self, name: &str) -> bool {
        let set = || fs::write("/proc/sys/net/ipv4/tcp_congestion_control", name).is_ok();
        [End::Near, End::Far].map(|end| self.at(end, set)) == [true; 2]
    }

    /// Totals of packets that left the near end, and of those that left the far one.
    pub fn counters(&self) -> [LinkCounters; 2] {
        [0, 1].map(|way| self.pumps[way].counters())
    }

    /// Whether nothing is under way, either way.
    pub fn is_idle(&self) -> bool {
        self.pumps.iter().all(Pump::is_idle)
    }

    /// How late packets were handed on after they were due, of those that left either end: at the middle, at the 99th of
    /// a hundred, and at worst. The machine's share in every figure that is taken here.
    pub fn lateness(&self) -> [Duration; 3] {
        let mut late: Vec<_> = self.pumps.iter().flat_map(Pump::lateness).collect();
        late.sort_unstable();
        let at = |percent: usize| late.get((late.len().max(1) - 1) * percent / 100);
        [50, 99, 100].map(|percent| at(percent).copied().unwrap_or_default())
    }

    /// Takes the calling thread, for good, and the programs that it starts, to an end.
    pub fn enter(&self, end: End) {
        self.ends[end as usize].enter();
    }

    /// Runs `work` at an end, on a thread of its own, to its end.
    pub fn at<T: Send>(&self, end: End, work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| {
            let done = scope.spawn(|| {
                self.enter(end);
                work()
            });
            done.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Where the kernel shows the end, for programs that enter it by themselves (`nsenter --net=…`). Valid while the
    /// bridge is.
    pub fn path(&self, end: End) -> String {
        let fd = self.ends[end as usize].as_raw_fd();
        format!("/proc/{}/fd/{fd}", std::process::id())
    }
}

/// A word on standard error, past the test runner, which keeps to itself what a passing test prints.
fn say(word: &str) {
    let _ = writeln!(std::io::stderr(), "{word}");
}

/// Makes an end of the calling thread: a namespace with a device that is up.
fn set_up(own: Ipv4Addr, other: Ipv4Addr) -> Result<(Namespace, Tun), Missing> {
    let end = Namespace::unshare()?;
    let tun = Tun::open("tun0")?;
    let (own, other, mtu) = (own.to_string(), other.to_string(), MTU.to_string());
    for words in [
        &["link", "set", "lo", "up"][..],
        &["addr", "add", &own, "peer", &other, "dev", "tun0"],
        &["link", "set", "tun0", "mtu", &mtu, "up"],
    ] {
        let output = Command::new("ip").args(words).output();
        let output = output.map_err(|error| Missing::new("starting `ip`", error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Missing::new("setting up a network device", said.trim()));
        }
    }
    for (name, value) in [
        // One connection is not to learn from the last.
        ("net/ipv4/tcp_no_metrics_save", "1"),
        // Nobody here speaks it, and its own chatter would be lost packets.
        ("net/ipv6/conf/all/disable_ipv6", "1"),
    ] {
        // A kernel without one of them is no obstacle.
        let _ = fs::write(format!("/proc/sys/{name}"), value);
    }
    Ok((end, tun))
}
