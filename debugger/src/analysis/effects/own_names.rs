//! Register names from the point of view of a called function, where register windows rotate them.

use stepback_index::answer::RegisterEffect;
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::banks::WindowChange;
use stepback_machine::{InstructionSet, Mode, RegisterId, RegisterView};

use super::own_path::FramePath;
use super::scope::EffectScope;

/// Maximum number of the function's own steps searched for a `save`. A `save` precedes what a
/// function computes, and a function that needs no window may loop for long.
const SAVE_WITHIN: usize = 256;

/// Mapping of a call's registers to their names in the window that the function runs in: after its
/// `save`, if it has one. Two calls of a function then use the same name for the same value, in any
/// window.
///
/// ```text
/// called in window 7, `save` selects 0: the caller's %o0 is the cell w0.i0, named %i0
/// called in window 3, `save` selects 4: the same name means the cell w4.i0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowNames {
    set: InstructionSet,
    /// Mode at the first step.
    entry: Mode,
    /// Mode after the `save`.
    own: Mode,
    /// Register that holds the window number.
    number: Option<RegisterId>,
}

impl WindowNames {
    /// Finds the window of a call. Without register windows, names mean the same everywhere.
    ///
    /// Cost with windows: the function's own steps up to its `save`, at most [`SAVE_WITHIN`].
    pub fn of(scope: EffectScope, index: &Index, cancel: &Cancel) -> Result<Self, QueryError> {
        let set = index.instruction_set(scope.thread);
        let plain = Self {
            set,
            entry: Mode::Other,
            own: Mode::Other,
            number: None,
        };
        if !set.has_windows() {
            return Ok(plain);
        }
        let plain = Self {
            number: NameReader(index)
                .view_in("cwp", set)
                .map(|view| view.register),
            ..plain
        };
        let Some(mut path) = scope.call.and_then(|id| FramePath::of(id, index, cancel)) else {
            return Ok(plain);
        };
        let steps = std::iter::from_fn(|| path.next_step().transpose());
        let modes = steps.map(|step| Ok(SlotReader(index).point_of(step?.step)?.mode));
        Ok(plain.among(modes)?.unwrap_or(plain))
    }

    /// Finds the window from the modes of the steps; `None` without a step.
    fn among(
        self,
        modes: impl Iterator<Item = Result<Mode, QueryError>>,
    ) -> Result<Option<Self>, QueryError> {
        let mut modes = modes.take(SAVE_WITHIN);
        let Some(entry) = modes.next().transpose()? else {
            return Ok(None);
        };
        let names = Self {
            entry,
            own: entry,
            ..self
        };
        for mode in modes {
            let mode = mode?;
            if window_of(mode) == window_of(names.after_save()) {
                return Ok(Some(Self { own: mode, ..names }));
            }
        }
        Ok(Some(names))
    }

    /// Aligns two calls of a function: one may have taken a path on which the function needs no new
    /// window.
    pub fn alike(one: Self, other: Self) -> (Self, Self) {
        if !one.has_saved() && !other.has_saved() {
            return (one, other);
        }
        let saved = |names: Self| {
            if names.has_saved() {
                names
            } else {
                Self {
                    own: names.after_save(),
                    ..names
                }
            }
        };
        (saved(one), saved(other))
    }

    /// Returns the view under which the function names a used cell. `None` for cells of other
    /// windows, which callees and the kernel switched to, and for the window number. That number
    /// depends on where the call happened.
    pub fn view_of(self, effect: &RegisterEffect) -> Option<RegisterView> {
        if !self.own.has_windows() {
            return Some(effect.view);
        }
        if Some(effect.cell) == self.number {
            return None;
        }
        if effect.cell == RegisterId::PSR {
            return without_window(effect.view);
        }
        let is_windowed = !self.set.names_of_cell(effect.cell).is_empty();
        let plain = if is_windowed {
            self.own.plain_of(effect.cell)?
        } else {
            effect.view.register
        };
        Some(RegisterView {
            register: plain,
            ..effect.view
        })
    }

    /// Returns the view of an argument register. Calling conventions name it as at entry.
    pub fn view_of_argument(self, argument: RegisterView) -> Option<RegisterView> {
        let register = if self.own.has_windows() {
            self.own.plain_of(self.entry.home(argument.register))?
        } else {
            argument.register
        };
        Some(RegisterView {
            register,
            ..argument
        })
    }

    /// Returns the cell that the function names `view`, independent of the window at the queried
    /// position.
    pub fn cell_of(self, view: RegisterView) -> RegisterView {
        let register = if self.own.has_windows() {
            self.own.home(view.register)
        } else {
            view.register
        };
        RegisterView { register, ..view }
    }

    fn has_saved(self) -> bool {
        window_of(self.entry) != window_of(self.own)
    }

    fn after_save(self) -> Mode {
        self.entry.after(Some(WindowChange::Save))
    }
}

fn window_of(mode: Mode) -> Option<u8> {
    match mode {
        Mode::Window { current, .. } => Some(current),
        _ => None,
    }
}

/// Returns the status register without the bytes that hold the window; `None` if nothing else
/// remains.
fn without_window(status: RegisterView) -> Option<RegisterView> {
    let window = u16::try_from(size_of::<u32>()).ok()?;
    let end = status.offset.saturating_add(status.size_bytes);
    let offset = status.offset.max(window);
    Some(RegisterView::new(
        status.register,
        offset,
        end.checked_sub(offset).filter(|size| *size > 0)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_leaf_few_steps_are_read_in_search_of_its_save() {
        let entry = Mode::Window {
            current: 7,
            count: 8,
            globals: 0,
        };
        let save = entry.after(Some(WindowChange::Save));
        let (read, steps) = (std::cell::Cell::new(0), [entry; 10_000]);
        let leaf = steps
            .into_iter()
            .inspect(|_| read.set(read.get() + 1))
            .map(Ok);
        let plain = WindowNames {
            set: InstructionSet::Sparc64,
            entry: Mode::Other,
            own: Mode::Other,
            number: None,
        };
        let names = plain.among(leaf).unwrap().unwrap();
        assert_eq!((names.has_saved(), read.get()), (false, SAVE_WITHIN));
        let names = plain
            .among([entry, entry, save, entry].into_iter().map(Ok))
            .unwrap()
            .unwrap();
        assert_eq!((names.has_saved(), names.own), (true, save));
        assert_eq!(plain.among(std::iter::empty()).unwrap(), None);
    }
}
