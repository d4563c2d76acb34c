//! `bots`: hundreds of players that are real clients, and what they saw.

mod measure;
mod options;
mod player;
mod relay;
mod report;
mod ugly;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use netcode::session::Why;
use netcode::{Client, ClientConfig};
use scenes::{Rng, Scene, Setup};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use wire::Micros;

use crate::native::{
    AnyCarrier, Api, ApiError, Carrier as _, Clock, Doors, Ended, JoinRequest, NewRoom, OpenError,
    TlsError, play, trust,
};
use crate::process::cpu_time;
use crate::session::Transport;
use measure::{Seen, Span};
pub use options::{Carriers, MOST_PLAYERS, MOST_SEATS, MOST_SECONDS, Options, Wrong};
use player::Player;
use relay::Reading;
pub use relay::RelayFigures;
pub use report::{Figures, Joins, Own, Report, Spread, Ugly};
use report::{Place, deliveries, figures};

/// Handshakes under way at once: a crowd of people does not come in the same millisecond either.
const DOORMEN: usize = 16;

/// Between the last to come in and the first figure: clocks and delays have found their place.
const SETTLE: Micros = Micros::from_millis(2_000);

/// Whoever is not in by then is not waited for.
const LATE: Duration = Duration::from_secs(20);

/// Whoever has not left by then is stuck in a socket that takes nothing.
const LEAVING: Duration = Duration::from_secs(10);

/// Why there is no report at all.
#[derive(Debug, thiserror::Error)]
pub enum BotsError {
    /// What was asked for cannot be.
    #[error(transparent)]
    Wrong(#[from] Wrong),
    /// The file of `--ca` is of no use.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The relay's HTTP said no.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// No carrier can be had.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// What every session needs. Cheap to clone.
#[derive(Clone, Debug)]
struct Crowd {
    doors: Doors,
    clock: Clock,
    span: Arc<Span>,
    doormen: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
    single_input: bool,
}

impl Crowd {
    /// Ready when all leave.
    async fn stop(&self) {
        // Without whoever could say so, it is time as well.
        let _ = self.stopping.clone().wait_for(|stop| *stop).await;
    }
}

/// What became of one player or watcher.
struct Outcome {
    /// `Err`: why they were never in.
    place: Result<Place, String>,
    /// Why they did not stay.
    lost: Option<String>,
}

/// Plays scene `G` as `options` say, and tells what was seen. Ends when everyone has left.
///
/// # Errors
/// If what was asked for cannot be, or there is no relay. A player who could not come in is no error but a line of the
/// report.
pub async fn run<G: Scene + Send + 'static>(options: &Options) -> Result<Report, BotsError>
where
    G::Input: Send,
    G::Event: Send,
{
    options.check()?;
    let tls = trust(options.ca.as_deref())?;
    let api = Api::new(&options.url, Arc::clone(&tls))?;
    let codes = rooms::<G>(options, &api).await?;
    let rate_hz = api.rooms().await?.first().map_or(64, |room| room.rate);
    let on_wt = options.count(Transport::WebTransport);
    let (stop, stopping) = watch::channel(false);
    let crowd = Crowd {
        doors: Doors::new(api, tls, on_wt, options.udp).await?,
        clock: Clock::start(),
        span: Span::unknown(),
        doormen: Arc::new(Semaphore::new(DOORMEN)),
        stopping,
        single_input: options.single_input,
    };

    let (arrived, mut arrivals) = mpsc::unbounded_channel();
    let mut sessions = JoinSet::new();
    for index in 0..options.players + options.watch {
        let watches = index >= options.players;
        let (room, transport) = options.place(index);
        let seat = Seat {
            index,
            watches,
            room,
            code: code(&codes, room),
            transport,
            rate_hz,
            seed: options.seed,
        };
        sessions.spawn(sit::<G>(crowd.clone(), seat, arrived.clone()));
    }
    drop(arrived);
    let asked = options.players + options.watch;
    let joined = wait_for(asked, &mut arrivals).await;

    let mut rude = JoinSet::new();
    if options.ugly {
        for (kind, sessions) in ugly::spawn::<G>(options, &crowd, &codes, rate_hz) {
            rude.spawn(async move { (kind, sessions.await) });
        }
    }

    // With nobody in there is nothing to wait for.
    let seconds = if joined > 0 { options.seconds } else { 0 };
    let from = crowd.clock.now() + if joined > 0 { SETTLE } else { Micros::ZERO };
    let told = measure(&crowd, from, seconds).await;
    stop.send_replace(true);

    let mut joins = Joins {
        asked,
        joined,
        ..Joins::default()
    };
    let places = gather(sessions, &mut joins).await;
    let ugly = gather_ugly(rude).await;
    let rate_hz = places.first().map_or(rate_hz, |place| place.rate_hz);
    let relay = told.relay.map(|[before, after]| {
        RelayFigures::between(&before, &after, seconds as f64, joined, rate_hz)
    });
    Ok(Report {
        url: options.url.clone(),
        seconds: seconds as f64,
        rate: rate_hz,
        rooms: codes.len(),
        seed: options.seed,
        joins,
        transports: by_transport(&places),
        own: own(&places, told.own_cpu),
        relay,
        ugly,
    })
}

/// Waits until all have left; the places that they had, and why others had none or lost it.
async fn gather(mut sessions: JoinSet<Outcome>, joins: &mut Joins) -> Vec<Place> {
    let mut places = Vec::new();
    let give_up = tokio::time::Instant::now() + LEAVING;
    loop {
        let outcome = match tokio::time::timeout_at(give_up, sessions.join_next()).await {
            Ok(Some(outcome)) => outcome,
            Ok(None) => break,
            Err(_) => {
                *joins.lost.entry("stuck".to_owned()).or_default() += sessions.len();
                sessions.shutdown().await;
                break;
            }
        };
        // A session that panicked is one that was lost, and says so on standard error.
        let Ok(Outcome { place, lost }) = outcome else {
            *joins.lost.entry("panicked".to_owned()).or_default() += 1;
            continue;
        };
        match place {
            Ok(place) => places.push(place),
            Err(reason) => *joins.failed.entry(reason).or_default() += 1,
        }
        if let Some(reason) = lost {
            *joins.lost.entry(reason).or_default() += 1;
        }
    }
    places
}

/// Waits until the last of bad manners has left.
async fn gather_ugly(mut rude: JoinSet<(&'static str, Ugly)>) -> BTreeMap<&'static str, Ugly> {
    let mut kinds: BTreeMap<&'static str, Ugly> = BTreeMap::new();
    let give_up = tokio::time::Instant::now() + LEAVING;
    // Of one that is stuck there is nothing to tell.
    while let Ok(Some(ended)) = tokio::time::timeout_at(give_up, rude.join_next()).await {
        let Ok((kind, of_one)) = ended else { continue };
        let all = kinds.entry(kind).or_default();
        all.sessions += of_one.sessions;
        for (how, count) in of_one.ended {
            *all.ended.entry(how).or_default() += count;
        }
    }
    kinds
}

/// What relay and players took while everybody measured.
struct Told {
    /// What the relay told of itself at both ends; `None` if it did not, or nothing was measured.
    relay: Option<[Reading; 2]>,
    /// Of the cores that this process may use, percent.
    own_cpu: Option<f64>,
}

/// Lets everybody measure for so many seconds.
async fn measure(crowd: &Crowd, from: Micros, seconds: u64) -> Told {
    let until = from + Micros::from_millis(1_000 * seconds);
    crowd.span.set(from, until);
    let api = crowd.doors.api();
    crowd.clock.sleep_until(from).await;
    let (cpu_before, before) = (cpu_time(), api.metrics().await);
    crowd.clock.sleep_until(until).await;
    let (cpu_after, after) = (cpu_time(), api.metrics().await);
    // So that nobody leaves while another still measures.
    let last = until + Micros::from_millis(100);
    crowd.clock.sleep_until(last).await;
    let told = before.ok().zip(after.ok()).filter(|_| seconds > 0);
    let cores = available_parallelism().map_or(1.0, |cores| cores.get() as f64);
    let share = |(before, after)| 100.0 * (after - before) / (seconds as f64 * cores);
    let own_cpu = cpu_before.zip(cpu_after).filter(|_| seconds > 0);
    Told {
        relay: told.map(|(before, after)| [before, after].map(|text| Reading::parse(&text))),
        own_cpu: own_cpu.map(share),
    }
}

/// Makes the rooms that are needed; their codes. They are private, so that nobody else is seated in them: over UDP the relay
/// chooses among public ones, or makes them.
async fn rooms<G: Scene>(options: &Options, api: &Api) -> Result<Vec<String>, ApiError> {
    if let Some(code) = &options.room {
        return Ok(vec![code.clone()]);
    }
    if options.transport == Carriers::Udp {
        return Ok(Vec::new());
    }
    let room = NewRoom {
        scene: G::NAME,
        public: false,
        seats: options.seats() as u16,
        bots: 0,
    };
    let mut codes = Vec::new();
    for _ in 0..options.rooms() {
        codes.push(api.create(&room).await?.code);
    }
    Ok(codes)
}

/// The code of a room; over UDP there is none to be said.
fn code(codes: &[String], room: usize) -> String {
    let code = codes.get(room % codes.len().max(1));
    code.cloned().unwrap_or_default()
}

/// Waits until everybody is in or has failed, or it has been long enough; how many are in.
async fn wait_for(asked: usize, arrivals: &mut mpsc::UnboundedReceiver<bool>) -> usize {
    let (mut joined, mut answered) = (0, 0);
    let waiting = async {
        while answered < asked
            && let Some(is_in) = arrivals.recv().await
        {
            answered += 1;
            joined += usize::from(is_in);
        }
    };
    // Whoever has no answer yet is waited for no longer.
    let _ = tokio::time::timeout(LATE, waiting).await;
    joined
}

/// One player's or watcher's place.
struct Seat {
    index: usize,
    watches: bool,
    room: usize,
    code: String,
    transport: Transport,
    rate_hz: u16,
    seed: u64,
}

/// Joins, plays to the end, and tells.
async fn sit<G: Scene>(crowd: Crowd, seat: Seat, arrived: mpsc::UnboundedSender<bool>) -> Outcome {
    let transport = seat.transport.name();
    let room = (seat.transport != Transport::Udp).then_some(seat.room);
    let outside = arrived.clone();
    let never = |reason| {
        // Nobody waits any more: that came too late to matter.
        let _ = outside.send(false);
        Outcome {
            place: Err(reason),
            lost: None,
        }
    };
    let rng = Rng::fork(seat.seed, seat.index as u64);
    let entered = {
        let Ok(_permit) = crowd.doormen.acquire().await else {
            return never("closed".to_owned());
        };
        enter(&crowd, &seat, None).await
    };
    let Entered {
        mut carrier, setup, ..
    } = match entered {
        Ok(entered) => entered,
        Err(error) => return never(error.code()),
    };
    let rate_hz = setup.rate_hz;
    let config = ClientConfig {
        rate_hz,
        delivery: carrier.delivery(),
        max_packet: carrier.max_packet(),
        single_input: crowd.single_input,
        ..ClientConfig::default()
    };
    let world = G::new(&setup);
    let now = crowd.clock.now();
    let mut client = if seat.watches {
        Client::watch(world.empty(), config, now)
    } else {
        Client::join(world.empty(), config, now)
    };
    let mut player = Player::<G>::new(rng, rate_hz, Arc::clone(&crowd.span), arrived);
    let ended = play(
        &mut client,
        &mut carrier,
        crowd.clock,
        &mut player,
        crowd.stop(),
    )
    .await;
    let was_in = player.has_arrived();
    let (seen, snapshots_hz) = player.finish(&client, crowd.clock.now());
    let reason = how(&ended);
    if !was_in {
        return never(reason);
    }
    Outcome {
        place: Ok(Place {
            transport,
            room,
            rate_hz,
            snapshots_hz,
            seen,
        }),
        lost: (!matches!(ended, Ended::Client(Why::Left))).then_some(reason),
    }
}

/// A carrier to a seat that is asked for.
struct Entered {
    carrier: AnyCarrier,
    /// How the world of what is played there was made.
    setup: Setup,
    /// What gives the seat back; a seat over UDP is gone with its carrier.
    resume: Option<String>,
}

/// Asks for a seat, by `resume` for the one that was left, and opens the carrier to it.
async fn enter(crowd: &Crowd, seat: &Seat, resume: Option<&str>) -> Result<Entered, OpenError> {
    if seat.transport == Transport::Udp {
        return Ok(Entered {
            carrier: crowd.doors.open(seat.transport, None).await?,
            setup: Setup {
                rate_hz: seat.rate_hz,
                ..Setup::default()
            },
            resume: None,
        });
    }
    let request = JoinRequest {
        name: &format!("bot {}", seat.index),
        watch: seat.watches,
        resume,
        host: None,
    };
    let ticket = crowd.doors.api().join(&seat.code, &request).await?;
    let mut carrier = crowd.doors.open(seat.transport, Some(&ticket)).await?;
    carrier.word(&ticket.word()).await?;
    Ok(Entered {
        carrier,
        setup: ticket.setup(),
        resume: Some(ticket.resume),
    })
}

/// How a session ended, as a few words for a tally.
fn how(ended: &Ended) -> String {
    match ended {
        Ended::Client(Why::Refused(refusal)) => format!("refused: {refusal:?}").to_lowercase(),
        Ended::Client(Why::Goodbye(goodbye)) => format!("goodbye: {goodbye:?}").to_lowercase(),
        Ended::Client(Why::Silence) => "silence".to_owned(),
        Ended::Client(Why::Left) => "left".to_owned(),
        Ended::Refused(code) => code.clone(),
        Ended::Carrier(_) => "closed".to_owned(),
    }
}

fn by_transport(places: &[Place]) -> BTreeMap<&'static str, Figures> {
    let late = deliveries(places);
    let mut transports: BTreeMap<_, _> = Transport::ALL
        .map(Transport::name)
        .into_iter()
        .filter(|name| places.iter().any(|place| place.transport == *name))
        .map(|name| (name, figures(places, &late, Some(name))))
        .collect();
    transports.insert("all", figures(places, &late, None));
    transports
}

fn own(places: &[Place], cpu_percent: Option<f64>) -> Own {
    let seen = || places.iter().map(|place| &place.seen);
    let late = seen().flat_map(|seen: &Seen| seen.late.iter().copied());
    Own {
        cpu_percent,
        late_ms: Spread::of_micros(late.collect()),
        slipped_ticks: seen().map(|seen| seen.slipped).sum(),
    }
}
