//! Where there are no signals: the console gives itself back, and no shell stops programs.

use std::io;

use super::signal::Signal;

/// Never tells of any.
///
/// # Errors
/// Never.
pub fn listen(_tell: impl Fn(Signal) + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// The program goes on.
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
