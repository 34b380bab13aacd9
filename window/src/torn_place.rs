//! Where windows of panels are.

use serde::{Deserialize, Serialize};

/// The size of a window that was never open.
pub const SIZE: [f32; 2] = [720.0, 520.0];
/// No window is smaller, or larger than any screen.
const SIDES: std::ops::RangeInclusive<f32> = 160.0..=8192.0;
/// More panels do not have windows of their own.
pub const WINDOWS: usize = 8;

/// Where a window of a panel is, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TornWindowPlace {
    /// Its inner width and height.
    pub size: [f32; 2],
    /// Its upper left corner; none where the system does not tell.
    pub corner: Option<[f32; 2]>,
}

/// A window of a panel: as it was opened, and as it is.
#[derive(Clone, Copy, Debug)]
pub struct TornWindow {
    /// The window is asked for in this place as long as it is open: it moves where the user puts it.
    pub opened: TornWindowPlace,
    /// As it is.
    pub now: TornWindowPlace,
}

impl TornWindowPlace {
    /// Where the window can be seen, if it is one that somebody made.
    pub fn usable(self) -> Option<Self> {
        let is_place = |corner: [f32; 2]| corner.iter().all(|side| side.abs() <= *SIDES.end());
        let corner = self.corner.filter(|corner| is_place(*corner));
        self.size
            .iter()
            .all(|side| SIDES.contains(side))
            .then_some(Self { corner, ..self })
    }
}

impl TornWindow {
    /// A window that opens in a place.
    pub fn at(place: TornWindowPlace) -> Self {
        Self {
            opened: place,
            now: place,
        }
    }
}
