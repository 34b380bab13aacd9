//! Queries run off the UI thread: a small pool of threads, and slots that hold the newest answer.
//!
//! A panel keeps one [`Slot`] for each of its queries and polls it while it draws.
//! A slot queries again when its key changes, cancels the query that was superseded,
//! and shows the old answer until the new one has arrived.
//!
//! Short queries that a person waits for and queries over the whole trace use different lanes
//! ([`JobLane`]), so that a panel never waits for a pass over the trace.

mod pool;
mod slot;
#[cfg(test)]
mod tests;

pub use crate::worker::pool::Ticket;
pub use pool::{JobLane, Worker};
pub use slot::{Answer, LATE_AFTER, Slot};
