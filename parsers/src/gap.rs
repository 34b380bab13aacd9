//! What is missing between two steps of a thread.
//!
//! ```
//! use stepback_parsers::{Gap, GapReason};
//!
//! let gap = Gap { reason: GapReason::Lost, instructions: Some(23) };
//! assert_eq!(Gap::of(gap.marker()), Some(gap));
//! ```

use crate::marker::{Marker, MarkerKind};

/// A stretch that a thread went through and the trace does not show.
///
/// A source pushes it as a marker ([`Gap::marker`]) behind the last step before the stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Why it is missing.
    pub reason: GapReason,
    /// How many instructions are missing; none when nothing tells.
    pub instructions: Option<u64>,
}

/// Why instructions are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// Records were lost: a buffer overflowed, or was never written.
    Lost,
    /// Tracing was switched off.
    Off,
    /// Control went where no file of the program tells the instructions.
    Unmapped,
    /// The records contradict the program's files.
    Contradiction,
}

impl GapReason {
    /// All reasons, in the order of their marker kinds.
    pub const ALL: [Self; 4] = [Self::Lost, Self::Off, Self::Unmapped, Self::Contradiction];

    /// The kind of the markers of such gaps.
    pub const fn kind(self) -> MarkerKind {
        MarkerKind(MarkerKind::FIRST_GAP.0 + self as u16)
    }

    /// The reason as a clause: `records were lost`.
    pub const fn clause(self) -> &'static str {
        match self {
            Self::Lost => "records were lost",
            Self::Off => "tracing was off",
            Self::Unmapped => "no program file has the instructions",
            Self::Contradiction => "the records contradict the program files",
        }
    }
}

impl Gap {
    /// The value of a marker that does not know the size.
    const UNKNOWN: u64 = u64::MAX;

    /// The gap as a marker.
    pub fn marker(self) -> Marker {
        Marker {
            kind: self.reason.kind(),
            value: self.instructions.unwrap_or(Self::UNKNOWN),
        }
    }

    /// The gap that a marker tells of; none for other markers.
    pub fn of(marker: Marker) -> Option<Self> {
        let reason = GapReason::ALL
            .into_iter()
            .find(|reason| reason.kind() == marker.kind)?;
        Some(Self {
            reason,
            instructions: Some(marker.value).filter(|value| *value != Self::UNKNOWN),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_gap_is_a_marker_and_back() {
        for reason in GapReason::ALL {
            for instructions in [None, Some(0), Some(u64::MAX - 1)] {
                let gap = Gap {
                    reason,
                    instructions,
                };
                assert_eq!(Gap::of(gap.marker()), Some(gap));
            }
        }
        assert_eq!(
            Gap::of(Marker {
                kind: MarkerKind::LEFT_OUT,
                value: 3
            }),
            None
        );
        assert_eq!(
            Gap::of(Marker {
                kind: MarkerKind::KERNEL_EVENT,
                value: 3
            }),
            None
        );
    }
}
