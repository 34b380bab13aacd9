//! Places of panel windows.

use serde::{Deserialize, Serialize};

/// Size of a window that was never open, in points.
pub const SIZE: [f32; 2] = [720.0, 520.0];
/// Allowed sides of a window, in points: the maximum exceeds any screen.
const SIDES: std::ops::RangeInclusive<f32> = 160.0..=8192.0;
/// Maximum number of panels in separate windows.
pub const WINDOWS: usize = 8;

/// Place of a panel window, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TornWindowPlace {
    /// Inner width and height.
    pub size: [f32; 2],
    /// Upper left corner; none if the system does not report it.
    pub corner: Option<[f32; 2]>,
}

/// Places of a panel window: initial and current.
#[derive(Clone, Copy, Debug)]
pub struct TornWindow {
    /// Requested place, constant while the window is open, so that the user can move it.
    pub opened: TornWindowPlace,
    /// Current place.
    pub now: TornWindowPlace,
}

impl TornWindowPlace {
    /// Returns the place if it has a valid size, without a corner that is off every screen.
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
    /// Creates the state of a window that opens at a place.
    pub fn at(place: TornWindowPlace) -> Self {
        Self {
            opened: place,
            now: place,
        }
    }
}
