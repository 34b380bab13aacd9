//! How far it is with what is damaged.

use super::lookup::PlaceLookup;

/// How far it is with what is damaged.
#[derive(Default)]
pub enum RepairState {
    /// Nothing was found damaged.
    #[default]
    Unneeded,
    /// It is being made again; the search that met it waits.
    UnderWay(Option<Box<PlaceLookup>>),
    /// It was made again: what is damaged again so soon will not become better.
    Done,
}
