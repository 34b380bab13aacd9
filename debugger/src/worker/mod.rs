//! Questions are answered off the UI thread: a small pool of threads, and slots that hold the newest answer.
//!
//! A panel keeps one [`Slot`] for each question that it asks and polls it while it draws.
//! A slot asks again when its key changes, cancels the question that was superseded,
//! and shows the old answer until the new one is there.
//!
//! Questions that a person waits for and passes through the whole trace are asked in different lanes ([`Lane`]),
//! so that a panel never waits until a pass ends.

mod pool;
mod slot;
#[cfg(test)]
mod tests;
mod ticket;

pub use pool::{JobLane, Worker};
pub use slot::{Answer, LATE_AFTER, Slot};
pub use ticket::Ticket;
