//! Register window of a thread, counted from an arbitrary one.
//!
//! The recording contains neither the processor's number of windows nor the moments at which the
//! kernel spilled one to make room. So the largest possible number is assumed. If a frame returns
//! after a deeper one used its registers, their contents are unknown.

use stepback_machine::banks::WindowChange;
use stepback_machine::{Mode, RegisterId, RegisterView, Registers};

use crate::btrace::code::SET;

/// Maximum number of windows.
const COUNT: u8 = 32;
/// Size of a register in bytes.
const REGISTER: u16 = 8;

/// Register windows of a thread.
#[derive(Clone, Debug)]
pub struct WindowTracker {
    /// Depth relative to the first frame.
    depth: i64,
    /// Depth of the last frame in each window; `None` if it was not used yet.
    frames: [Option<i64>; COUNT as usize],
}

impl Default for WindowTracker {
    fn default() -> Self {
        Self {
            depth: 0,
            frames: [None; COUNT as usize],
        }
    }
}

impl WindowTracker {
    /// Returns the mode that gives plain register names their meaning.
    pub fn mode(&self) -> Mode {
        Mode::Window {
            current: self.window() as u8,
            count: COUNT,
            globals: 0,
        }
    }

    /// Applies an instruction's window change; returns true if the contents of the restored window
    /// are unknown.
    pub fn turn(&mut self, step: WindowChange) -> bool {
        self.keep();
        match step {
            WindowChange::Save => self.depth += 1,
            WindowChange::Restore => self.depth -= 1,
            WindowChange::Flush | WindowChange::Choice => return false,
        }
        let (window, depth) = (self.window(), self.depth);
        let had = self.frames.get(window).copied().flatten();
        self.keep();
        step == WindowChange::Restore && had.is_some_and(|had| had != depth)
    }

    /// Returns the registers that belong only to the current frame: locals and ins.
    pub fn cells(&self) -> impl Iterator<Item = RegisterView> {
        let mode = self.mode();
        let names = ["l", "i"]
            .into_iter()
            .flat_map(|kind| (0..8).map(move |number| format!("%{kind}{number}")));
        let register = names.filter_map(|name| Registers::view(&name, SET));
        register.map(move |view| cell_of(view.register, mode))
    }

    fn window(&self) -> usize {
        self.depth.rem_euclid(i64::from(COUNT)) as usize
    }

    /// Records that the window belongs to the current frame.
    fn keep(&mut self) {
        let (window, depth) = (self.window(), self.depth);
        if let Some(frame) = self.frames.get_mut(window) {
            *frame = Some(depth);
        }
    }
}

fn cell_of(register: RegisterId, mode: Mode) -> RegisterView {
    RegisterView::new(mode.home(register), 0, REGISTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_whose_cells_a_deeper_one_had_comes_back_unknown() {
        let mut windows = WindowTracker::default();
        let mut turn = |step, count: usize| (0..count).filter(|_| windows.turn(step)).count();
        assert_eq!(
            (
                turn(WindowChange::Save, 31),
                turn(WindowChange::Restore, 31)
            ),
            (0, 0)
        );
        assert_eq!(
            (
                turn(WindowChange::Save, 34),
                turn(WindowChange::Restore, 34)
            ),
            (0, 3)
        );
        assert_eq!(
            (turn(WindowChange::Restore, 5), turn(WindowChange::Flush, 1)),
            (5, 0)
        );
        assert_eq!(windows.cells().count(), 16);
    }
}
