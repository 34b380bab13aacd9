//! Stubs for systems without signals: the console restores itself, and no shell suspends programs.

use std::io;

use super::signal::Signal;

/// Does nothing: there are no signals.
///
/// # Errors
/// Never.
pub fn listen(_tell: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Returns at once: the program cannot be suspended.
///
/// # Errors
/// Never.
pub fn stop() -> io::Result<()> {
    Ok(())
}

/// Ends the program.
///
/// # Errors
/// Never returns one.
pub fn die_of(signal: i32) -> io::Result<()> {
    std::process::exit(signal)
}

/// Does nothing: the console reports its events one by one.
///
/// # Errors
/// Never.
pub fn signal_unread_input() -> io::Result<()> {
    Ok(())
}
