//! The link between two namespaces does to the kernel's packets what it is told: the ground that every figure here
//! stands on.

use std::net::UdpSocket;
use std::thread;
use std::time::{Duration, Instant};

use afterimage_tests::impair::{Bridge, End, FAR, NEAR, hurry};
use netsim::LinkConfig;
use wire::Micros;

/// Sorted durations, in ms, at so many per cent.
fn at(sorted: &[Duration], percent: usize) -> f64 {
    sorted[(sorted.len() - 1) * percent / 100].as_secs_f64() * 1_000.0
}

/// Sends `count` messages of `len` bytes, `every` so often, and hears each again from an echo. How long each took, sorted.
fn udp_echo(bridge: &Bridge, count: u32, len: usize, every: Duration) -> Vec<Duration> {
    let near = bridge.at(End::Near, || UdpSocket::bind((NEAR, 0)).unwrap());
    let far = bridge.at(End::Far, || UdpSocket::bind((FAR, 0)).unwrap());
    far.connect(near.local_addr().unwrap()).unwrap();
    for socket in [&near, &far] {
        socket
            .set_read_timeout(Some(Duration::from_millis(500)))
            .unwrap();
    }
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            hurry();
            let mut buf = [0; 2_000];
            while let Ok((len, from)) = near.recv_from(&mut buf) {
                near.send_to(&buf[..len], from).unwrap();
            }
        });
        scope.spawn(|| {
            hurry();
            for number in 0..count {
                let due = began + every * number;
                thread::sleep(due.saturating_duration_since(Instant::now()));
                let mut message = vec![0; len];
                let now = began.elapsed().as_nanos() as u64;
                message[..8].copy_from_slice(&now.to_le_bytes());
                far.send(&message).unwrap();
            }
        });
        hurry();
        let mut buf = [0; 2_000];
        let mut took = Vec::new();
        while let Ok(got) = far.recv(&mut buf) {
            assert_eq!(got, len);
            let sent = u64::from_le_bytes(buf[..8].try_into().unwrap());
            took.push(began.elapsed() - Duration::from_nanos(sent));
        }
        took.sort_unstable();
        took
    })
}

#[test]
fn datagrams_take_as_long_and_are_lost_as_often_as_it_is_told() {
    let Some(bridge) = Bridge::or_skip("datagrams over a real link", 1) else {
        return;
    };
    // A perfect link first: what the machine itself adds.
    let plain = udp_echo(&bridge, 200, 100, Duration::from_millis(2));
    assert_eq!(plain.len(), 200);

    bridge.weather(20, 0.1);
    let lossy = udp_echo(&bridge, 600, 100, Duration::from_millis(2));
    // 28 bytes of headers make the largest packet.
    bridge.set(LinkConfig {
        latency: Micros::from_millis(10),
        jitter: Micros::from_millis(10),
        ..LinkConfig::default()
    });
    let large = udp_echo(&bridge, 300, 1_472, Duration::from_millis(2));
    let late = bridge.lateness();
    println!(
        "plain {:.2} / {:.2}, lossy {:.2} / {:.2}, uneven {:.2} / {:.2} / {:.2} ms; late {late:?}",
        at(&plain, 50),
        at(&plain, 99),
        at(&lossy, 50),
        at(&lossy, 99),
        at(&large, 0),
        at(&large, 50),
        at(&large, 100),
    );

    assert!(at(&lossy, 0) >= 40.0, "nothing is early");
    // On a machine that is busy with something else the echo itself is late, but never all the time.
    assert!(at(&lossy, 10) < 42.0, "{}", at(&lossy, 10));
    assert!(late[0] < Duration::from_millis(1), "{late:?}");
    // A tenth each way: 19 in a hundred, and three deviations (1.6 for 600) either side.
    let lost = 100.0 - lossy.len() as f64 / 6.0;
    assert!((lost - 19.0).abs() < 5.0, "{lost} % lost");
    // Twice 10 ms and twice up to 10 more: the sum of two even draws. Its middle half is 5.9 ms wide, whatever the machine
    // adds to all of them.
    assert_eq!(large.len(), 300, "1500 bytes fit");
    assert!(at(&large, 0) >= 20.0 && at(&large, 0) < 30.0);
    assert!(at(&large, 25) > 25.5, "{}", at(&large, 25));
    assert!(at(&large, 75) - at(&large, 25) > 3.0);
}
