//! Traps whose handlers a thread executes step by step, as those that store and load register windows:
//! a processor that takes one, and comes back from it, changes no register that instructions compute with.

use stepback_parsers::{Marker, MarkerKind};

use crate::inference::control::is_trap;
use crate::inference::engine::Engine;
use crate::inference::path::Path;
use crate::inference::run::RunStep;

/// Traps inside of each other.
const NESTED: usize = 8;

/// A trap that was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrapTaken {
    /// Where control is to come back.
    resumed: u64,
    path: Path,
}

/// What becomes of what is known where control is taken elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Crossing {
    /// It holds.
    Kept,
    /// Anything may have changed.
    Lost,
}

impl Engine<'_> {
    /// Goes over the begin or the end of a trap that comes behind a step.
    /// What the kernel does for a program that asks it need not be traced, nor what it does before control comes to
    /// somewhere else than it was taken from.
    pub fn cross(&mut self, step: &RunStep, marker: Marker) -> Crossing {
        if !step.mode.has_windows() || step.is_lost {
            return Crossing::Lost;
        }
        match marker.kind {
            MarkerKind::HARDWARE_EVENT => self.enter(step, marker.value),
            MarkerKind::HARDWARE_RETURN => match self.traps.pop().filter(|taken| taken.resumed == marker.value) {
                Some(taken) => {
                    self.path = taken.path;
                    Crossing::Kept
                }
                None => Crossing::Lost,
            },
            _ => Crossing::Lost,
        }
    }

    fn enter(&mut self, step: &RunStep, resumed: u64) -> Crossing {
        let is_asked_for = is_trap(step) && step.is_executed;
        let path = self.path.behind_trap(step, resumed).filter(|_| !is_asked_for && self.traps.len() < NESTED);
        let Some(path) = path else { return Crossing::Lost };
        self.traps.push(TrapTaken { resumed, path });
        self.path.lose();
        Crossing::Kept
    }
}
