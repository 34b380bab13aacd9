//! Signals of the operating system: terminate, suspend, resume.

#[cfg(not(unix))]
mod other;
mod signal;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use other::{die_of, listen, stop};

pub use signal::Signal;

#[cfg(unix)]
pub use unix::{die_of, listen, stop};
