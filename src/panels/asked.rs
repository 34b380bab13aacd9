//! What a part of a panel hands back.

use crate::action::Action;

/// What was done in this frame, to the panel and to the program.
pub struct Asked<'a, T> {
    /// What was done to the panel's own state.
    pub touched: &'a mut T,
    /// What the program is to do.
    pub out: &'a mut Vec<Action>,
}
