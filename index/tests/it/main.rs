//! The index compared with its oracle, with other tools, and with recordings of machines.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "tests are exempt, and so are the functions they share"
)]

mod banks;
mod calls;
mod control;
mod damage;
mod damaged_lines;
mod differential;
mod drmemtrace;
mod externals;
mod generated;
mod golden;
mod inference;
mod rst;
mod semihosting;
mod slices;
mod support;
mod swapped;
mod vectors;
