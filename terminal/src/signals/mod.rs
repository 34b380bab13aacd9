//! Signals of the operating system: terminate, suspend, resume, and bytes that wait to be read.

#[cfg(not(unix))]
mod other;
mod signal;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use other::{die_of, listen, signal_unread_input, stop};

pub use signal::Signal;

#[cfg(unix)]
pub use unix::{die_of, listen, signal_unread_input, stop};
