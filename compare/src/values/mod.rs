//! Values: what matched steps did differently, and what differs after regions without partners.

pub(crate) mod block;
pub(crate) mod blocks;
pub(crate) mod difference;
pub(crate) mod distances;
pub(crate) mod expected;
pub(crate) mod kept;
pub(crate) mod moved;
pub(crate) mod pass;
pub(crate) mod pointers;
pub(crate) mod registers;
pub(crate) mod states;
pub(crate) mod step;
