//! State of the repair of a damaged index.

use super::lookup::PlaceLookup;

/// State of the repair of a damaged index.
#[derive(Default)]
pub enum RepairState {
    /// No damage was found.
    #[default]
    Unneeded,
    /// The repair is under way. The search that met the damage waits.
    UnderWay(Option<Box<PlaceLookup>>),
    /// The repair was made. Damage that appears again so soon cannot be repaired.
    Done,
}
