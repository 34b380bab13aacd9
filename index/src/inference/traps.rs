//! Traps whose handlers a thread executes step by step, as those that store and load register windows:
//! a processor that takes one, and comes back from it, changes no register that instructions compute with.

use stepback_parsers::{Marker, MarkerKind};

use crate::inference::path::ControlPath;
use crate::inference::run::RunStep;

/// Traps inside of each other.
const NESTED: usize = 8;

/// A trap that was taken.
#[derive(Clone, Copy, Debug)]
struct ActiveTrap {
    /// Where control is to come back.
    resumed: u64,
    path: ControlPath,
}

/// What becomes of what is known where control is taken elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrapCrossing {
    /// It holds.
    Kept,
    /// Anything may have changed.
    Lost,
}

/// The traps whose handlers the steps are in, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Traps(Vec<ActiveTrap>);

impl Traps {
    /// Nothing is known of them any more.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Goes over the begin or the end of a trap that comes behind a step; the path goes there.
    /// What the kernel does for a program that asks it need not be traced, nor what it does before control comes to
    /// somewhere else than it was taken from.
    pub fn cross(
        &mut self,
        step: &RunStep,
        marker: Marker,
        path: &mut ControlPath,
    ) -> TrapCrossing {
        if !step.mode.has_windows() || step.is_lost {
            return TrapCrossing::Lost;
        }
        match marker.kind {
            MarkerKind::HARDWARE_EVENT => self.enter(step, marker.value, path),
            MarkerKind::HARDWARE_RETURN => {
                match self.0.pop().filter(|taken| taken.resumed == marker.value) {
                    Some(taken) => {
                        *path = taken.path;
                        TrapCrossing::Kept
                    }
                    None => TrapCrossing::Lost,
                }
            }
            _ => TrapCrossing::Lost,
        }
    }

    fn enter(&mut self, step: &RunStep, resumed: u64, path: &mut ControlPath) -> TrapCrossing {
        let is_asked_for = step.is_trap() && step.is_executed;
        let behind = path
            .behind_trap(step, resumed)
            .filter(|_| !is_asked_for && self.0.len() < NESTED);
        let Some(behind) = behind else {
            return TrapCrossing::Lost;
        };
        self.0.push(ActiveTrap {
            resumed,
            path: behind,
        });
        path.lose();
        TrapCrossing::Kept
    }
}
