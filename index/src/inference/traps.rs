//! Traps whose handlers are recorded step by step, such as window spills and fills: taking such a
//! trap and returning from it changes no computation registers.

use stepback_parsers::{Marker, MarkerKind};

use crate::inference::path::ControlPath;
use crate::inference::run::RunStep;

/// Maximum nesting depth of traps.
const NESTED: usize = 8;

/// A trap whose handler is running.
#[derive(Clone, Copy, Debug)]
struct ActiveTrap {
    /// Address at which control resumes.
    resumed: u64,
    path: ControlPath,
}

/// Effect of a control transfer on the known values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrapCrossing {
    /// They remain valid.
    Kept,
    /// Anything may have changed.
    Lost,
}

/// The traps whose handlers contain the current step, outermost first.
#[derive(Clone, Debug, Default)]
pub(super) struct Traps(Vec<ActiveTrap>);

impl Traps {
    /// Discards all traps.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Processes the start or the end of a trap after a step, and updates the path. Values are lost
    /// if the program called the kernel, whose work need not be traced, or if control returns
    /// elsewhere.
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
