//! A relay in this process.

use std::fs;
use std::time::{Duration, Instant};

use server::{AppState, Assets, Relay, Settings, app, bind, run};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::Door;

/// A relay on a free port of this machine, until it is dropped.
#[derive(Debug)]
pub struct Host {
    /// Where it is.
    pub door: Door,
    /// What its parts share.
    pub relay: Relay,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Host {
    /// Starts one by these settings, but on a free port and with a page of one word.
    pub async fn start(mut settings: Settings) -> Self {
        settings.place.port = 0;
        let page = std::env::temp_dir().join(format!("afterimage-page-{}", std::process::id()));
        fs::create_dir_all(&page).expect("a folder for the page");
        fs::write(page.join("index.html"), "page").expect("a page");
        let listeners = bind(&settings.place).await.expect("a free port");
        let door = Door::new(listeners.address().expect("an address"));
        let relay = Relay::new(settings);
        let assets = Assets::from_dir(&page).expect("a page");
        let app = app(AppState::new(assets, relay.clone()));
        let (stop, stopped) = oneshot::channel();
        let running = run(listeners, app, relay.clone(), async move {
            // Whoever drops the host stops it as well.
            let _ = stopped.await;
        });
        let task = tokio::spawn(async move { running.await.expect("the relay runs") });
        Self {
            door,
            relay,
            stop: Some(stop),
            task,
        }
    }

    /// Stops it in order; how long that took.
    pub async fn stop(mut self) -> Duration {
        let began = Instant::now();
        drop(self.stop.take());
        let ended = tokio::time::timeout(Duration::from_secs(10), &mut self.task).await;
        ended.expect("it ends").expect("without a panic");
        began.elapsed()
    }
}
