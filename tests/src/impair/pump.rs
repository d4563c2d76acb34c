//! One direction: a thread that carries packets from one device to the other through a link.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use netsim::{Link, LinkConfig, LinkCounters};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use nix::unistd::gettid;
use wire::Micros;

use super::{MTU, Missing, Tun};

/// The longest that the thread sleeps without looking whether it is to end.
const NAP: Duration = Duration::from_millis(20);

/// A direction that runs until it is dropped.
#[derive(Debug)]
pub(super) struct Pump {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    began: Instant,
    ended: AtomicBool,
    way: Mutex<Way>,
}

#[derive(Debug)]
struct Way {
    link: Link,
    /// For each packet handed on, how long after it was due.
    late: Vec<Duration>,
}

impl Pump {
    /// Begins to carry, without faults.
    pub(super) fn start(seed: u64, from: &Tun, to: &Tun) -> Result<Self, Missing> {
        let same = |tun: &Tun| {
            let file = tun.0.try_clone();
            file.map_err(|error| Missing::new("a TUN device", error))
        };
        let (from, to) = (same(from)?, same(to)?);
        let way = Way {
            link: Link::new(seed, LinkConfig::default()),
            late: Vec::new(),
        };
        let shared = Arc::new(Shared {
            began: Instant::now(),
            ended: AtomicBool::new(false),
            way: Mutex::new(way),
        });
        let held = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("link".to_owned())
            .spawn(move || held.run(from, to))
            .map_err(|error| Missing::new("a thread", error))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    pub(super) fn set(&self, config: LinkConfig) {
        let now = self.shared.now();
        self.shared.with(|way| way.link.set_config(now, config));
    }

    pub(super) fn counters(&self) -> LinkCounters {
        self.shared.with(|way| *way.link.counters())
    }

    /// Whether the link holds nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.shared.with(|way| way.link.next_at().is_none())
    }

    pub(super) fn lateness(&self) -> Vec<Duration> {
        self.shared.with(|way| way.late.clone())
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn now(&self) -> Micros {
        Micros::new(self.began.elapsed().as_micros() as u64)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Way) -> T) -> T {
        work(&mut self.way.lock().expect("no thread of ours panics with it"))
    }

    fn run(&self, mut from: File, mut to: File) {
        // Before those at its ends, too.
        before_others(20);
        let (mut buf, mut packet) = ([0; MTU], Vec::new());
        while !self.ended.load(Ordering::Relaxed) {
            let wait = self.with(|way| {
                // Everything that the kernel has sent by now, and everything that is due: neither file waits.
                while let Ok(len) = from.read(&mut buf) {
                    way.link.send(self.now(), &buf[..len]);
                }
                loop {
                    let now = self.now();
                    let due = way.link.next_at();
                    if way.link.receive(now, &mut packet).is_none() {
                        return due.map_or(NAP, |due| Duration::from_micros((due - now).get()));
                    }
                    let late = due.map_or(0, |due| (now - due).get());
                    way.late.push(Duration::from_micros(late));
                    hand_on(&mut to, &packet);
                }
            });
            // It tells of packets to read and of time that is over; the next round looks for both.
            let mut readable = [PollFd::new(from.as_fd(), PollFlags::POLLIN)];
            let _ = ppoll(
                &mut readable,
                Some(TimeSpec::from_duration(wait.min(NAP))),
                None,
            );
        }
    }
}

/// Writes a packet. A device whose queue is full drops it, as any other would, and so does one that is no longer up.
fn hand_on(to: &mut File, packet: &[u8]) {
    while let Err(error) = to.write(packet) {
        if error.kind() != io::ErrorKind::Interrupted {
            return;
        }
    }
}

/// Puts the calling thread before whatever else the machine has to do: a link that is late because a compiler runs
/// measures the compiler, and so does whoever takes the time at its ends. Such a thread must sleep most of the time.
/// Where it cannot be had the figures are as good as the machine.
pub fn hurry() {
    before_others(10);
}

/// The real-time priority of the calling thread.
fn before_others(priority: u8) {
    let _ = Command::new("chrt")
        .args(["--fifo", "--pid", &priority.to_string()])
        .arg(gettid().to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}
