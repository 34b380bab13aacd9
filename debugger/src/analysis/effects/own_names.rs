//! What the names of registers mean to a function that was called, where they move with register windows.

use stepback_index::{Cancel, Index, NameReader, PointReader, QueryError, RegisterEffect};
use stepback_machine::{Mode, RegisterId, RegisterView, WindowChange};

use super::own_path::FramePath;
use super::scope::EffectScope;

/// A `save` is looked for among so many steps of the function's own: it comes before what a function computes, and one that
/// needs no window may go round a loop for long.
const SAVE_WITHIN: usize = 256;

/// The registers of a call as the function names them in the window that it runs in: behind its `save`, where it does one.
/// So two calls of a function name alike what is the same to it, in whichever windows they lie.
///
/// ```text
/// called in window 7, `save` leads to 0: what the caller wrote as %o0, and w0.i0 is, it names %i0
/// called in window 3, `save` leads to 4: there it is w4.i0
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WindowNames {
    /// At the first step.
    entry: Mode,
    /// Behind the `save`.
    own: Mode,
    /// The register that holds the number of the window.
    number: Option<RegisterId>,
}

impl WindowNames {
    /// Without windows names mean the same everywhere. Cost with them: the steps of the function's own up to its `save`, but at
    /// most [`SAVE_WITHIN`].
    pub fn of(scope: EffectScope, index: &Index, cancel: &Cancel) -> Result<Self, QueryError> {
        let plain = Self {
            entry: Mode::Other,
            own: Mode::Other,
            number: None,
        };
        let set = index.instruction_set(scope.thread);
        if !set.has_windows() {
            return Ok(plain);
        }
        let number = NameReader(index)
            .view_in("cwp", set)
            .map(|view| view.register);
        let Some(mut path) = scope.call.and_then(|id| FramePath::of(id, index, cancel)) else {
            return Ok(plain);
        };
        let steps = std::iter::from_fn(|| path.next_step().transpose());
        let modes = steps.map(|step| Ok(PointReader(index).point_of(step?.step)?.mode));
        Ok(Self::among(modes, number)?.unwrap_or(plain))
    }

    /// The same by the modes of the steps; none without a step.
    fn among(
        modes: impl Iterator<Item = Result<Mode, QueryError>>,
        number: Option<RegisterId>,
    ) -> Result<Option<Self>, QueryError> {
        let mut modes = modes.take(SAVE_WITHIN);
        let Some(entry) = modes.next().transpose()? else {
            return Ok(None);
        };
        let names = Self {
            entry,
            own: entry,
            number,
        };
        for mode in modes {
            let mode = mode?;
            if window_of(mode) == window_of(names.after_save()) {
                return Ok(Some(Self { own: mode, ..names }));
            }
        }
        Ok(Some(names))
    }

    /// Two calls of a function, named alike: one may have gone a way on which the function needs no window of its own.
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

    /// The view by which the function names what was used; none of cells of other windows, which calls inside it and the
    /// kernel turned to, and of what tells which window it is: that is a matter of where the call lies.
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
        let is_windowed = !Mode::names_of_cell(effect.cell).is_empty();
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

    /// The same of a register as it is named at the entry, as conventions name arguments.
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

    /// What the function calls so, whatever the window at the position that is asked about.
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
        self.entry.behind(Some(WindowChange::Save))
    }
}

fn window_of(mode: Mode) -> Option<u8> {
    match mode {
        Mode::Window { current, .. } => Some(current),
        _ => None,
    }
}

/// The status register behind the bytes that tell the window; none where it has nothing else.
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
        let save = entry.behind(Some(WindowChange::Save));
        let (read, steps) = (std::cell::Cell::new(0), [entry; 10_000]);
        let leaf = steps
            .into_iter()
            .inspect(|_| read.set(read.get() + 1))
            .map(Ok);
        let names = WindowNames::among(leaf, None).unwrap().unwrap();
        assert_eq!((names.has_saved(), read.get()), (false, SAVE_WITHIN));
        let names = WindowNames::among([entry, entry, save, entry].into_iter().map(Ok), None)
            .unwrap()
            .unwrap();
        assert_eq!((names.has_saved(), names.own), (true, save));
        assert_eq!(WindowNames::among(std::iter::empty(), None).unwrap(), None);
    }
}
