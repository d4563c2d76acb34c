//! `relay`: one binary that serves the page, and the matches that are played on it.

use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser;
use server::{AppState, Assets, Relay, Settings, app, bind, run};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// Serves the Afterimage page, and the matches that are played on it.
#[derive(Parser, Debug)]
#[command(name = "relay", version)]
struct Cli {
    #[command(flatten)]
    settings: Settings,
}

#[tokio::main]
async fn main() -> ExitCode {
    // `RUST_LOG=debug` or `RUST_LOG=server=trace`; what cannot be read is as if it were not there.
    let wanted = std::env::var("RUST_LOG")
        .ok()
        .and_then(|wanted| wanted.parse().ok());
    let filter = wanted.unwrap_or_else(|| Targets::new().with_default(Level::INFO));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    tracing_subscriber::registry()
        .with(lines)
        .with(filter)
        .init();
    match serve(Cli::parse().settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("relay: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: Settings) -> Result<(), Box<dyn std::error::Error>> {
    let place = &settings.place;
    let assets = match (&place.dist, Assets::embedded()) {
        (Some(dist), _) => Assets::from_dir(dist)?,
        (None, Some(embedded)) => embedded,
        (None, None) => Assets::from_dir("web/dist".as_ref())?,
    };
    let listeners = bind(place).await?;
    let scheme = if place.cert.is_some() {
        "https"
    } else {
        "http"
    };
    println!(
        "Afterimage is at {scheme}://{} (Ctrl-C ends it)",
        listeners.address()?
    );
    let relay = Relay::new(settings);
    let app = app(AppState::new(assets, relay.clone()));
    run(listeners, app, relay, stop()).await?;
    Ok(())
}

/// Ready when the terminal or the system asks the relay to end.
async fn stop() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            // Without a handler the system ends us itself.
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut hangup)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::hangup()),
        ) else {
            return interrupt.await;
        };
        tokio::select! {
            () = interrupt => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
    #[cfg(not(unix))]
    interrupt.await;
}
