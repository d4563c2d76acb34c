//! `bots`: plays on a relay with as many real clients as one likes, and tells what they saw.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use clap::Parser as _;
use scenes::Arena;
use server::bots::{Options, run};
use tracing::Level;

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    // What it has to tell is its report; why somebody was refused is for who looks into it.
    tracing_subscriber::fmt()
        .with_max_level(Level::WARN)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(io::stderr)
        .init();
    let report = match run::<Arena>(&options).await {
        Ok(report) => report,
        Err(error) => {
            eprintln!("bots: {error}");
            return ExitCode::FAILURE;
        }
    };
    if options.json {
        let json = serde_json::to_string(&report).expect("a report is names and numbers");
        println!("{json}");
    } else {
        print!("{report}");
    }
    // Whoever starts this in a script wants to know that somebody was left outside.
    ExitCode::from(u8::from(!report.is_whole()))
}
