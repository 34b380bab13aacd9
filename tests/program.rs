//! The program from outside: command-line output, pictures of the panels, and rules for the
//! sources.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod cli;
mod conformance;
#[cfg(unix)]
mod guide;
mod rooms;
#[cfg(feature = "window")]
mod snapshots;
