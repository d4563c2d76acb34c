//! `bots`: plays on a relay with as many real clients as one likes, and tells what they saw.

use std::process::ExitCode;

use clap::Parser as _;
use scenes::Arena;
use server::bots::{Options, run};

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
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
