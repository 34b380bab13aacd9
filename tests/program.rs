//! The program from outside: what the command line prints, what panels look like, and the rules of its own sources.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod cli;
mod rooms;
#[cfg(feature = "window")]
mod snapshots;
