//! Requests of the operating system.

/// Request of the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Terminate, with the signal's number.
    End(i32),
    /// Stop until the user continues the program.
    Suspend,
    /// Resume after a stop.
    Resume,
}
