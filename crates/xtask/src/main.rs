//! Set-up, builds and checks: what `npm start`, `npm test` and their kin call.
//!
//! Every step asks first whether its output still stands for its input, so that a second start is a matter of seconds.

mod bench;
mod checks;
mod count;
mod relay;
mod relay_bench;
mod run;
mod sizes;
mod stamp;
mod tools;
mod trace;
mod version;
mod wasm;
mod web;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::wasm::Compiler;

/// Set-up, builds and checks of Afterimage.
#[derive(Parser, Debug)]
#[command(name = "xtask", version)]
struct Cli {
    #[command(subcommand)]
    task: Task,
    /// Which compiler builds the wasm module.
    #[arg(
        long,
        env = "AFTERIMAGE_WASM",
        value_enum,
        default_value_t,
        global = true
    )]
    wasm: Compiler,
}

#[derive(Subcommand, Debug)]
enum Task {
    /// Build what is needed and serve the page.
    Start(Place),
    /// Serve the page while editing: changes in web/ and crates/ show at once.
    Dev(Place),
    /// Build the page into web/dist.
    Build,
    /// Format, lints and types.
    Check,
    /// Everything that must hold.
    Test,
    /// How fast and how small it is, in tables.
    Bench {
        /// Only this.
        #[arg(value_enum)]
        only: Option<Benched>,
        /// Rows of the relay's table, as in `ws:800 mixed:200`; all of them where none is named.
        #[arg(requires = "only")]
        rows: Vec<relay_bench::Asked>,
        /// Seconds that each row measures.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
        seconds: u32,
    },
    /// Pictures of the page in target/shots, for people to look at.
    Shots {
        /// Only those whose name matches, as in `packet` or `wide dark`.
        only: Option<String>,
    },
}

/// A part of the benches that is worth a run of its own.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Benched {
    /// How many players a core of the relay holds.
    Relay,
}

/// Where the page is served.
#[derive(Args, Debug)]
struct Place {
    /// The port.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The name or address to bind; `localhost` is both 127.0.0.1 and ::1, `0.0.0.0` everybody who can reach this machine.
    #[arg(long, default_value = "localhost")]
    host: String,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("afterimage: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all that was asked for held.
fn run(Cli { task, wasm }: Cli) -> Result<bool> {
    match task {
        Task::Start(Place { port, host }) => {
            tools::check_node()?;
            relay::check_port(&host, port)?;
            web::build(wasm)?;
            relay::serve(relay::build()?, &host, port)?;
        }
        Task::Dev(Place { port, host }) => {
            tools::check_node()?;
            relay::check_port(&host, port)?;
            web::dev(wasm, &host, port)?;
        }
        Task::Build => {
            tools::check_node()?;
            web::build(wasm)?;
        }
        Task::Check => return Ok(checks::check(wasm)),
        Task::Test => return Ok(checks::test(wasm)),
        Task::Bench { only: None, .. } => return bench::run_all(wasm),
        Task::Bench {
            only: Some(Benched::Relay),
            rows,
            seconds,
        } => return relay_bench::run(rows, seconds),
        Task::Shots { only } => return checks::shots(wasm, only.as_deref()),
    }
    Ok(true)
}
