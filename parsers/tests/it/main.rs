//! The parsers on whole files: fixtures, generated traces, and damaged ones.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod btrace;
mod decode;
mod drmemtrace;
mod rst;
