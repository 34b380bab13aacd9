//! Steps as formats that cannot be read from the middle are stored.

pub use crate::step_store::{Code, ReadEnd, StoredAccess, StoredHint, StoredMarker};
