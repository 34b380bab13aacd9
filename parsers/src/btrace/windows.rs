//! Which register window a thread is in, counted from an arbitrary one.
//!
//! Nothing recorded says how many windows the processor had, and when the kernel stored one to make room: it is counted as if
//! there were as many as can be. Where a frame comes back whose cells a deeper one had meanwhile, what is in them is not known.

use stepback_machine::{Mode, RegisterId, RegisterView, Registers, WindowChange};

use crate::btrace::code::SET;

/// The most that there can be.
const COUNT: u8 = 32;
/// Bytes of a register.
const REGISTER: u16 = 8;

/// The windows of a thread.
#[derive(Clone, Debug)]
pub struct WindowTracker {
    /// How much deeper it is than where it began.
    depth: i64,
    /// By window: how deep the frame was that had it last; none where none had it so far.
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
    /// What plain names mean.
    pub fn mode(&self) -> Mode {
        Mode::Window {
            current: self.window() as u8,
            count: COUNT,
            globals: 0,
        }
    }

    /// Takes what an instruction does; true when nothing is known of the window that comes back.
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

    /// The cells of the window that frames of their own have.
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

    /// The window is that of this frame.
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
