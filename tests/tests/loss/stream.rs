//! The kernel's TCP beside the lab's ordered carrier, with nothing above either.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use afterimage_tests::age::{Ages, Heard};
use afterimage_tests::impair::{Bridge, End, Lateness, NEAR, hurry, measured};
use netsim::{Carrier, Link, LinkConfig};
use wire::Micros;

/// Each way.
const LATENCY: Micros = Micros::from_millis(40);
const LOSS: f64 = 0.05;
/// Messages a second, and bytes of one: the arena's snapshots.
const RATE: u64 = 64;
const BYTES: usize = 200;
/// So many streams at once, for so long: some 300 losses.
const STREAMS: u64 = 6;
const LENGTH: Micros = Micros::from_millis(15_000);

/// As late as a machine may be that is to tell stalls of 200 ms from those of 250.
const FIT: Lateness = Lateness {
    p50: Duration::from_millis(2),
    p99: Duration::from_millis(30),
    worst: Duration::from_millis(500),
};

fn when(number: u64) -> Micros {
    Micros::new(number * 1_000_000 / RATE)
}

/// Ages after the first second.
fn ages(heard: &[Heard]) -> Ages {
    Ages::new(heard, Micros::from_millis(1_000), LENGTH)
}

/// What the kernel makes of it. Something is said both ways, as in a match: acknowledgements ride on it.
fn real(bridge: &Bridge) -> Ages {
    let listener = bridge.at(End::Near, || TcpListener::bind((NEAR, 0)).unwrap());
    let address = listener.local_addr().unwrap();
    let pairs: Vec<_> = (0..STREAMS)
        .map(|_| {
            let far = bridge.at(End::Far, || TcpStream::connect(address).unwrap());
            let (near, _) = listener.accept().unwrap();
            near.set_nodelay(true).unwrap();
            far.set_nodelay(true).unwrap();
            (near, far)
        })
        .collect();
    bridge.weather(LATENCY.get() / 1_000, LOSS);
    let began = Instant::now();
    let now = move || Micros::new(began.elapsed().as_micros() as u64);
    let paced = move |say: &mut dyn FnMut()| {
        hurry();
        for number in (0..).take_while(|number| when(*number) < LENGTH) {
            thread::sleep(Duration::from_micros((when(number) - now()).get()));
            say();
        }
    };
    // Whoever reads ends once both have said everything, however late the machine was with it.
    let said = Barrier::new(2);
    let said = &said;
    thread::scope(|scope| {
        let mut heard = Vec::new();
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for (near, far) in &pairs {
            let (mut in_near, mut in_far) = (near.try_clone().unwrap(), far.try_clone().unwrap());
            down.push(near.try_clone().unwrap());
            up.push(far.try_clone().unwrap());
            scope.spawn(move || while in_near.read(&mut [0; 4_096]).is_ok_and(|len| len > 0) {});
            heard.push(scope.spawn(move || {
                hurry();
                let mut message = [0; BYTES];
                let mut heard: Vec<Heard> = Vec::new();
                while in_far.read_exact(&mut message).is_ok() {
                    let of = u64::from_le_bytes(message[..8].try_into().unwrap());
                    let of = Micros::new(of);
                    assert!(heard.last().is_none_or(|last| last.of < of), "in order");
                    heard.push(Heard { at: now(), of });
                }
                heard
            }));
        }
        scope.spawn(move || {
            paced(&mut || {
                up.iter_mut()
                    .for_each(|far| far.write_all(&[0; 44]).unwrap());
            });
            said.wait();
        });
        scope.spawn(move || {
            paced(&mut || {
                let mut message = [0; BYTES];
                message[..8].copy_from_slice(&now().get().to_le_bytes());
                down.iter_mut()
                    .for_each(|near| near.write_all(&message).unwrap());
            });
            said.wait();
            // The last are under way.
            thread::sleep(Duration::from_secs(1));
            pairs
                .iter()
                .for_each(|(near, _)| drop(near.shutdown(std::net::Shutdown::Both)));
        });
        Ages::of_all(heard.into_iter().map(|heard| ages(&heard.join().unwrap())))
    })
}

/// What the lab's carrier makes of it.
fn simulated() -> Ages {
    let config = LinkConfig {
        latency: LATENCY,
        loss: LOSS,
        carrier: Carrier::Ordered,
        ..LinkConfig::default()
    };
    Ages::of_all((0..4 * STREAMS).map(|seed| {
        let mut link = Link::new(seed, config);
        let (mut heard, mut packet) = (Vec::new(), Vec::new());
        for number in (0..).take_while(|number| when(*number) < LENGTH) {
            while let Some(at) = link.next_at().filter(|at| *at <= when(number)) {
                let id = link.receive(at, &mut packet).unwrap();
                heard.push(Heard {
                    at,
                    of: when(id.get()),
                });
            }
            link.send(when(number), &[0; BYTES]);
        }
        ages(&heard)
    }))
}

#[test]
fn the_labs_stream_is_as_old_as_the_kernels() {
    let Some(bridge) = Bridge::or_skip("a stream over a real link", 3) else {
        return;
    };
    if !bridge.congestion("bbr") {
        // With a window that halves at every loss a stream of a game is sent in lumps, which the model leaves out.
        println!("skipped: the kernel has no BBR");
        return;
    }
    let simulated = simulated();
    measured("a stream over a real link", &FIT, || {
        agrees(&bridge, &simulated)
    });
}

/// Whether the kernel's stream is as old as the lab's, or what is not.
fn agrees(bridge: &Bridge, simulated: &Ages) -> Result<(), String> {
    let before = bridge.counters()[0].lost;
    let real = real(bridge);
    let lost = bridge.counters()[0].lost - before;
    let figures = format!(
        "age: kernel {real}, lab {simulated}; {lost} packets lost, the bridge late by {:?}",
        bridge.lateness()
    );
    println!("{figures}");
    if lost <= 150 {
        return Err(format!("too few were lost to tell: {figures}"));
    }
    for (percent, within) in [(50, 0.15), (99, 0.25)] {
        let off = (simulated.at(percent) / real.at(percent) - 1.0).abs();
        // Where nothing was heard there is no figure, and none is within anything.
        if off.is_nan() || off >= within {
            return Err(format!("apart at {percent} %: {figures}"));
        }
    }
    // A loss costs at least a round trip and what it takes to notice.
    if real.at(95) <= 120.0 {
        return Err(format!("no loss shows: {figures}"));
    }
    Ok(())
}
