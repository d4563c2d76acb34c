//! The link between two namespaces does to the kernel's packets what it is told: the ground that every figure here
//! stands on.

use std::io;
use std::net::UdpSocket;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use afterimage_tests::impair::{Bridge, End, FAR, Lateness, NEAR, hurry, measured};
use netsim::LinkConfig;
use wire::Micros;

/// As late as a machine may be that is to tell 40 ms from 42: what is asked is a tenth and a half of all messages, so a
/// few that had to wait are no obstacle, and the queue of a device lasts for most of a second.
const FIT: Lateness = Lateness {
    p50: Duration::from_micros(400),
    p99: Duration::from_millis(20),
    worst: Duration::from_millis(300),
};

/// How long nothing must have come, once everything was sent and nothing is under way, until nothing more will. The
/// machine may be busy with something else, so it is asked twice.
const QUIET: Duration = Duration::from_millis(100);

/// What an echo was like.
struct Echo {
    /// How long each message took that came back, ms, sorted.
    took: Vec<f64>,
    /// How many were sent.
    sent: usize,
}

impl Echo {
    /// What so many per cent did not exceed, ms; NaN where none came back.
    fn at(&self, percent: usize) -> f64 {
        let last = self.took.len().checked_sub(1);
        last.map_or(f64::NAN, |last| self.took[last * percent / 100])
    }

    fn lost_percent(&self) -> f64 {
        100.0 * (1.0 - self.took.len() as f64 / self.sent as f64)
    }
}

/// Sends `count` messages of `len` bytes, `every` so often, and hears each again from an echo. Whoever hears does so until
/// everything was said and nothing is under way any more, however long the machine takes to say it.
fn udp_echo(bridge: &Bridge, count: u32, len: usize, every: Duration) -> Echo {
    let near = bridge.at(End::Near, || UdpSocket::bind((NEAR, 0)).unwrap());
    let far = bridge.at(End::Far, || UdpSocket::bind((FAR, 0)).unwrap());
    far.connect(near.local_addr().unwrap()).unwrap();
    for socket in [&near, &far] {
        socket.set_read_timeout(Some(QUIET)).unwrap();
    }
    let (ready, said, heard) = (
        Barrier::new(3),
        AtomicBool::new(false),
        AtomicBool::new(false),
    );
    let began = Instant::now();
    let now = || began.elapsed().as_nanos() as u64;
    thread::scope(|scope| {
        scope.spawn(|| {
            hurry();
            ready.wait();
            let mut buf = [0; 2_000];
            while !heard.load(Ordering::Relaxed) {
                if let Some((len, from)) = in_time(|| near.recv_from(&mut buf)) {
                    near.send_to(&buf[..len], from).unwrap();
                }
            }
        });
        scope.spawn(|| {
            hurry();
            ready.wait();
            let first = Instant::now();
            for number in 0..count {
                let due = first + every * number;
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let mut message = vec![0; len];
                message[..8].copy_from_slice(&now().to_le_bytes());
                far.send(&message).unwrap();
            }
            said.store(true, Ordering::Relaxed);
        });
        hurry();
        ready.wait();
        let mut buf = [0; 2_000];
        let mut took = Vec::new();
        let mut quiet = 0;
        while quiet < 2 {
            // Both before it listens: what is sent later is heard then.
            let over = said.load(Ordering::Relaxed) && bridge.is_idle();
            if let Some(got) = in_time(|| far.recv(&mut buf)) {
                assert_eq!(got, len);
                let sent = u64::from_le_bytes(buf[..8].try_into().unwrap());
                took.push((now() - sent) as f64 / 1e6);
                quiet = 0;
            } else if over {
                quiet += 1;
            }
        }
        heard.store(true, Ordering::Relaxed);
        took.sort_unstable_by(f64::total_cmp);
        let sent = count as usize;
        Echo { took, sent }
    })
}

/// What was read; `None` if nothing was there to read for [`QUIET`].
fn in_time<T>(mut read: impl FnMut() -> io::Result<T>) -> Option<T> {
    loop {
        match read() {
            Ok(read) => return Some(read),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => return None,
                // Somebody had stopped the whole process for a while.
                io::ErrorKind::Interrupted => {}
                _ => panic!("{error}"),
            },
        }
    }
}

/// A link without faults, then one that loses, then one that is uneven; or what of it is not as it was told, and what the
/// bridge itself knows of it.
fn as_told(bridge: &Bridge) -> Result<(), String> {
    const EVERY: Duration = Duration::from_millis(2);
    bridge.set(LinkConfig::default());
    // A perfect link first: what the machine itself adds.
    let plain = udp_echo(bridge, 200, 100, EVERY);
    bridge.weather(20, 0.1);
    let lossy = udp_echo(bridge, 600, 100, EVERY);
    bridge.set(LinkConfig {
        latency: Micros::from_millis(10),
        jitter: Micros::from_millis(10),
        ..LinkConfig::default()
    });
    // 28 bytes of headers make the largest packet.
    let large = udp_echo(bridge, 300, 1_472, EVERY);
    let figures = format!(
        "plain {:.2} / {:.2}, lossy {:.2} / {:.2} / {:.2}, uneven {:.2} / {:.2} / {:.2} / {:.2} ms; {} of {}, \
         {} of {} and {} of {} were heard; the bridge handed on late by {:?}, in all {:?}",
        plain.at(50),
        plain.at(99),
        lossy.at(0),
        lossy.at(10),
        lossy.at(50),
        large.at(0),
        large.at(25),
        large.at(75),
        large.at(100),
        plain.took.len(),
        plain.sent,
        lossy.took.len(),
        lossy.sent,
        large.took.len(),
        large.sent,
        bridge.lateness(),
        bridge.counters(),
    );
    println!("{figures}");
    let must = |holds: bool, what: &str| {
        if holds {
            Ok(())
        } else {
            Err(format!("{what}: {figures}"))
        }
    };
    must(plain.took.len() == plain.sent, "a perfect link lost some")?;
    must(lossy.at(0) >= 40.0, "some were early")?;
    // On a machine that is busy with something else the echo itself is late, but never all the time.
    must(lossy.at(10) < 42.0, "most were late")?;
    // A tenth each way: 19 in a hundred, and three deviations (1.6 for 600) either side.
    must(
        (lossy.lost_percent() - 19.0).abs() < 5.0,
        "not a tenth was lost each way",
    )?;
    // Twice 10 ms and twice up to 10 more: the sum of two even draws. Its middle half is 5.9 ms wide, whatever the machine
    // adds to all of them.
    must(large.took.len() == large.sent, "1500 bytes do not fit")?;
    must(
        large.at(0) >= 20.0 && large.at(0) < 30.0 && large.at(25) > 25.5,
        "the uneven came too early or late",
    )?;
    must(
        large.at(75) - large.at(25) > 3.0,
        "the uneven came too evenly",
    )
}

#[test]
fn datagrams_take_as_long_and_are_lost_as_often_as_it_is_told() {
    let what = "datagrams over a real link";
    if let Some(bridge) = Bridge::or_skip(what, 1) {
        measured(what, &FIT, || as_told(&bridge));
    }
}

#[test]
fn a_link_that_is_not_as_it_was_told_is_found_out() {
    let Some(bridge) = Bridge::or_skip("a link that loses everything", 2) else {
        return;
    };
    bridge.weather(5, 1.0);
    let echo = udp_echo(&bridge, 20, 100, Duration::from_millis(1));
    assert!(echo.at(50).is_nan(), "nothing came back");
    assert_eq!(echo.lost_percent(), 100.0);
}
