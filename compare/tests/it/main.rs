//! The comparison of two traces against pairs whose differences are known.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod causes;
mod differences;
mod limits;
mod moved;
mod pairs;
mod support;
mod synthetic;
