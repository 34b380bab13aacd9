//! What the system may ask for.

/// What the system asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// To end, by a signal of this number.
    End(i32),
    /// To stop until the user comes back.
    Suspend,
    /// To go on after it was stopped.
    Resume,
}
