//! The frames in the register windows of a processor.
//!
//! There are more frames than windows. A `save` without a free window has the oldest frame stored
//! in memory, and a `restore` to a frame that is there has it loaded (The SPARC Architecture
//! Manual, Version 9, 6.4 "Register Window Management"). A trace of a user program shows neither,
//! so the last known contents of a window do not hold after such a `restore`.
//!
//! ```text
//! 3 windows    save   save   restore   restore
//! window  0      1      2       1         0: the second save made the ins of window 0 its outs
//! ```

use std::sync::LazyLock;

use stepback_machine::banks::WindowChange;
use stepback_machine::{Mode, RegisterView};

use crate::rst::replay::names::view;

/// Maximum number of windows of a processor.
const WINDOWS: usize = 32;

/// Frames in the windows, identified by their depth.
#[derive(Clone, Debug, Default)]
pub struct WindowFrames {
    /// Depth of the current frame, relative to an arbitrary one.
    depth: i64,
    /// The frame whose locals and ins each window holds; none if they belong to no known frame.
    held: [Option<i64>; WINDOWS],
}

/// A window, and the number of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowPosition {
    /// Number of the window, less than `count`.
    pub window: u8,
    /// Number of windows, at least one.
    pub count: u8,
}

impl WindowPosition {
    fn back(self, windows: u8) -> usize {
        let count = usize::from(self.count.max(1));
        (usize::from(self.window) + count - usize::from(windows) % count) % count
    }
}

/// Contents of a window after turning to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowContents {
    /// The values that its frame left there.
    Kept,
    /// Unknown locals and ins.
    Loaded,
    /// Unknown outs and locals of a new frame.
    New,
}

impl WindowFrames {
    /// Initialises the windows of a processor in window `at`. `callers` is the number of `restore`s
    /// until a frame must be loaded.
    pub fn begin(&mut self, at: WindowPosition, callers: u64) {
        *self = Self::default();
        let callers = u8::try_from(callers)
            .unwrap_or(u8::MAX)
            .min(at.count.saturating_sub(2));
        for caller in 0..=callers {
            self.hold(at.back(caller), Some(-i64::from(caller)));
        }
    }

    fn hold(&mut self, window: usize, frame: Option<i64>) {
        if let Some(held) = self.held.get_mut(window) {
            *held = frame;
        }
    }

    /// Follows an instruction that affects the windows. `at` is the current window afterwards.
    pub fn follow(&mut self, step: WindowChange, at: WindowPosition) -> WindowContents {
        match step {
            WindowChange::Save => {
                self.depth += 1;
                self.hold(at.back(0), Some(self.depth));
                // The ins of the next window are the outs of the new frame.
                self.hold(at.back(at.count.saturating_sub(1)), None);
                WindowContents::New
            }
            WindowChange::Restore => {
                self.depth -= 1;
                let is_kept = self.held.get(at.back(0)).copied().flatten() == Some(self.depth);
                self.hold(at.back(0), Some(self.depth));
                if is_kept {
                    WindowContents::Kept
                } else {
                    WindowContents::Loaded
                }
            }
            WindowChange::Flush | WindowChange::Choice => {
                self.lose_others(at);
                WindowContents::Kept
            }
        }
    }

    /// Marks a window as loaded for the frame that control returns to.
    pub fn load(&mut self, at: WindowPosition) {
        self.hold(at.back(0), Some(self.depth - 1));
    }

    /// Marks all frames except the current one as possibly stored in memory.
    pub fn lose_others(&mut self, at: WindowPosition) {
        self.held = [None; WINDOWS];
        self.hold(at.back(0), Some(self.depth));
    }
}

/// Outs, locals and ins by their plain names.
static WINDOWED: LazyLock<Vec<RegisterView>> = LazyLock::new(|| {
    (8..32)
        .filter_map(|number| view(&format!("r{number}")))
        .collect()
});

/// Returns the cells that are unknown after turning to a window.
pub fn unknown_cells(contents: WindowContents, mode: Mode) -> Vec<RegisterView> {
    let (passed_over, count) = match contents {
        WindowContents::Kept => return Vec::new(),
        WindowContents::Loaded => (8, 16),
        WindowContents::New => (0, 16),
    };
    let cells = WINDOWED.iter().skip(passed_over).take(count);
    cells
        .map(|view| RegisterView {
            register: mode.home(view.register),
            ..*view
        })
        .collect()
}

/// Returns the cells of all windows, or the globals of all sets, for a choice by an unknown number.
pub fn chosen_cells(choice: RegisterView, mode: Mode) -> Vec<RegisterView> {
    let Mode::Window { count, .. } = mode else {
        return Vec::new();
    };
    let windows = (0..count).flat_map(|window| {
        let cells = ['l', 'i']
            .into_iter()
            .flat_map(|family| (0..8).map(move |number| (family, number)));
        cells.map(move |(family, number)| format!("w{window}.{family}{number}"))
    });
    let globals = (0..8).flat_map(|set| (1..8).map(move |number| format!("gl{set}.g{number}")));
    let chosen: Vec<String> = if view("cwp") == Some(choice) {
        windows.collect()
    } else {
        globals.collect()
    };
    chosen.iter().filter_map(|name| view(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(window: u8) -> WindowPosition {
        WindowPosition { window, count: 4 }
    }

    #[track_caller]
    fn check(frames: &mut WindowFrames, steps: &[(WindowChange, u8, WindowContents)]) {
        for (place, (step, window, expected)) in steps.iter().enumerate() {
            assert_eq!(
                frames.follow(*step, at(*window)),
                *expected,
                "{place}: {step:?}"
            );
        }
    }

    #[test]
    fn a_frame_is_kept_while_there_are_windows_for_those_that_it_calls() {
        use WindowChange::{Restore, Save};
        use WindowContents::{Kept, Loaded, New};
        let mut frames = WindowFrames::default();
        frames.begin(at(0), 0);
        check(
            &mut frames,
            &[
                (Save, 1, New),
                (Save, 2, New),
                (Restore, 1, Kept),
                (Restore, 0, Kept),
            ],
        );
        check(
            &mut frames,
            &[
                (Save, 1, New),
                (Save, 2, New),
                (Save, 3, New),
                (Save, 0, New),
            ],
        );
        // The third `save` took the ins of the first window, the fourth its locals and the ins of
        // the second.
        check(
            &mut frames,
            &[
                (Restore, 3, Kept),
                (Restore, 2, Kept),
                (Restore, 1, Loaded),
                (Restore, 0, Loaded),
            ],
        );
        check(&mut frames, &[(Save, 1, New), (Restore, 0, Kept)]);
    }

    #[test]
    fn callers_of_before_are_held_as_far_as_the_processor_says() {
        let mut frames = WindowFrames::default();
        frames.begin(at(1), 9);
        check(
            &mut frames,
            &[
                (WindowChange::Restore, 0, WindowContents::Kept),
                (WindowChange::Restore, 3, WindowContents::Kept),
            ],
        );
        check(
            &mut frames,
            &[(WindowChange::Restore, 2, WindowContents::Loaded)],
        );
        frames.begin(at(1), 1);
        check(
            &mut frames,
            &[
                (WindowChange::Restore, 0, WindowContents::Kept),
                (WindowChange::Restore, 3, WindowContents::Loaded),
            ],
        );
    }

    #[test]
    fn a_flush_stores_all_others() {
        let mut frames = WindowFrames::default();
        frames.begin(at(1), 9);
        check(
            &mut frames,
            &[
                (WindowChange::Save, 2, WindowContents::New),
                (WindowChange::Flush, 2, WindowContents::Kept),
            ],
        );
        check(
            &mut frames,
            &[
                (WindowChange::Restore, 1, WindowContents::Loaded),
                (WindowChange::Save, 2, WindowContents::New),
            ],
        );
        check(
            &mut frames,
            &[(WindowChange::Restore, 1, WindowContents::Kept)],
        );
        frames.load(at(0));
        check(
            &mut frames,
            &[(WindowChange::Restore, 0, WindowContents::Kept)],
        );
    }
}
