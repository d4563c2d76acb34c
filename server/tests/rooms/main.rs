//! Rooms from the first word to the last, over carriers in memory and in the time of the test; and over HTTP.

#[path = "../common/mod.rs"]
mod common;

mod api;
mod host;
mod limits;
mod seats;
mod time;
