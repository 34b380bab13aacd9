//! The browser in a terminal, driven by keys; whole screens are compared.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod differences;
mod growing;
mod panes;
mod peer_cells;
mod peer_trace;
mod prompts;
mod screens;
mod support;
mod why;
