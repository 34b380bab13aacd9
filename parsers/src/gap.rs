//! Gaps: missing instructions between two steps of a thread.
//!
//! ```
//! use stepback_parsers::{Gap, GapReason};
//!
//! let gap = Gap { reason: GapReason::Lost, instructions: Some(23) };
//! assert_eq!(Gap::of(gap.marker()), Some(gap));
//! ```

use crate::marker::{Marker, MarkerKind};

/// Instructions that a thread executed and the trace does not contain.
///
/// A source pushes it as a marker ([`Gap::marker`]) after the last step before the gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Reason why they are missing.
    pub reason: GapReason,
    /// Number of missing instructions; `None` if unknown.
    pub instructions: Option<u64>,
}

/// Reason why instructions are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapReason {
    /// Records were lost: a buffer overflowed or was never written.
    Lost,
    /// Tracing was switched off.
    Off,
    /// Control went to an address that is in no file of the program.
    Unmapped,
    /// The records contradict the program's files.
    Contradiction,
}

impl GapReason {
    /// All reasons, in the order of their marker kinds.
    pub const ALL: [Self; 4] = [Self::Lost, Self::Off, Self::Unmapped, Self::Contradiction];

    /// Returns the marker kind of gaps with this reason.
    pub const fn kind(self) -> MarkerKind {
        MarkerKind(MarkerKind::FIRST_GAP.0 + self as u16)
    }

    /// Returns the reason as a clause: `records were lost`.
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
    /// Marker value of a gap of unknown size.
    const UNKNOWN: u64 = u64::MAX;

    /// Encodes the gap as a marker.
    pub fn marker(self) -> Marker {
        Marker {
            kind: self.reason.kind(),
            value: self.instructions.unwrap_or(Self::UNKNOWN),
        }
    }

    /// Decodes a gap from a marker; `None` for other markers.
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
