//! Files that are made from a trace once and kept beside its index.
//!
//! Each belongs to one state of its input and says so; it is disposable: whatever is wrong with it, it is made anew.

mod partial;
mod places;
mod store;

pub(crate) use partial::Partial;
pub(crate) use places::{Begun, Kept, NewFile};
pub use places::{Identity, KeptOptions, KeptPlace};
pub(crate) use store::Store;
