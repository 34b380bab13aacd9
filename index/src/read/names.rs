//! Register names of a trace: those of the architecture, and those that the trace itself defines.

use std::ops::Range;

use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers};

use crate::answers::cell::ThreadId;
use crate::index::Index;
use crate::read::views::ViewReader;
use crate::store::contents::ViewContents;

/// Converts between registers and their names.
pub struct NameReader<'a>(pub &'a Index);

impl<'a> NameReader<'a> {
    /// Returns a register by any of its names, in any case: the architecture's, a bank's, or that
    /// of a system register that the trace wrote. If a name has a meaning in only one processor
    /// state, the instruction set of the thread's first step has precedence.
    pub fn register_view(&self, name: &str, thread: ThreadId) -> Option<RegisterView> {
        let first = self.0.instruction_set(thread);
        let others = || {
            first
                .states()
                .iter()
                .find_map(|set| Registers::view(name, *set))
        };
        self.view_in(name, first).or_else(others)
    }

    /// Returns a register by any of its names in an instruction set.
    pub fn view_in(&self, name: &str, set: InstructionSet) -> Option<RegisterView> {
        let named = || {
            let register = self.0.named_register(&name.to_ascii_lowercase())?;
            let written = self
                .0
                .contents
                .views
                .iter()
                .filter(|view| view.view.register == register);
            let size_bytes = written
                .map(|view| view.view.offset + view.view.size_bytes)
                .max()?;
            Some(RegisterView::new(register, 0, size_bytes))
        };
        // Instructions and front ends name the condition flags, which the status register holds.
        let flags = || {
            let is_flags = ["nzcv", "apsr", "flags"]
                .iter()
                .any(|flags| name.eq_ignore_ascii_case(flags));
            is_flags.then(|| Registers::view("psr", set)).flatten()
        };
        Registers::view(name, set).or_else(named).or_else(flags)
    }

    /// Returns the displayed name of a view: `x3`, `w3`, `r13_svc`, or `x3<63:32>` for a part
    /// without a name.
    pub fn register_name(&self, view: RegisterView, set: InstructionSet) -> String {
        if let Some(name) = Registers::name(view, set) {
            return name.to_owned();
        }
        let is_whole = view.offset == 0 && self.widest(view.register) == Some(view.size_bytes);
        let whole = self.whole_name(view, set);
        if is_whole && view.register >= RegisterId::FIRST_NAMED {
            return whole;
        }
        let low = 8 * u32::from(view.offset);
        format!(
            "{whole}<{}:{low}>",
            low + 8 * u32::from(view.size_bytes) - 1
        )
    }

    /// Returns the name of the whole register to which a view belongs: `x3` for `w3`.
    pub fn whole_name(&self, view: RegisterView, set: InstructionSet) -> String {
        let place = view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let outside = place.and_then(|place| {
            let names = &self.0.contents.register_names;
            names.get(usize::from(place)).cloned()
        });
        let whole = outside.or_else(|| {
            // A view that reaches beyond a NEON register is a part of an SVE register.
            let vector = if view.offset.saturating_add(view.size_bytes) > 16 {
                256
            } else {
                16
            };
            let sizes = [vector, set.word_bytes(), 4, 32, 2];
            sizes.into_iter().find_map(|size| {
                Registers::name(RegisterView::new(view.register, 0, size), set).map(str::to_owned)
            })
        });
        whole.unwrap_or_else(|| format!("register {}", view.register.0))
    }

    /// Returns the registers of a thread's register file: those of an instruction set, then others
    /// that the trace named.
    pub(crate) fn shown_registers(
        &self,
        thread: ThreadId,
        set: InstructionSet,
    ) -> Vec<(String, RegisterView)> {
        let mut shown = Registers::shown(set);
        shown.extend(self.named_registers(thread));
        shown
    }

    /// Returns true for a register that a thread's register file shows. Others, such as most system
    /// registers, do not occur in the trace.
    pub fn is_shown(&self, view: RegisterView, thread: ThreadId) -> bool {
        let set = self.0.instruction_set(thread);
        let whole = view.register..RegisterId(view.register.0.saturating_add(1));
        self.written_width(thread, whole) > 0
            || Registers::shown(set)
                .iter()
                .any(|(_, shown)| shown.register == view.register)
    }

    /// Returns the registers that the register file shows only because the trace writes them for a
    /// thread, by name: those outside the architecture's table (system registers and banks), and
    /// those of [`Registers::name_when_written`].
    pub fn named_registers(&self, thread: ThreadId) -> Vec<(String, RegisterView)> {
        let set = self.0.instruction_set(thread);
        let mut others: Vec<(String, RegisterView)> = Vec::new();
        for ViewContents { view, .. } in ViewReader(self.0).views_of(thread) {
            let named = match view.register.0.checked_sub(RegisterId::FIRST_NAMED.0) {
                Some(place) => {
                    let names = &self.0.contents.register_names;
                    names.get(usize::from(place)).map(String::as_str)
                }
                None => Registers::name_when_written(view.register, set),
            };
            let Some(name) = named else {
                continue;
            };
            let end = view.offset.saturating_add(view.size_bytes);
            // The views of a register are adjacent.
            match others
                .last_mut()
                .filter(|(_, known)| known.register == view.register)
            {
                Some((_, known)) => known.size_bytes = known.size_bytes.max(end),
                None => others.push((name.to_owned(), RegisterView::new(view.register, 0, end))),
            }
        }
        others.sort_unstable();
        others
    }

    /// Returns the SVE registers that the trace writes for a thread and the register file does not
    /// show in full: vectors of more than 16 bytes, and predicates. Each is as wide as the trace
    /// writes it.
    pub fn scalable_registers(&self, thread: ThreadId) -> Vec<(String, RegisterView)> {
        let set = self.0.instruction_set(thread);
        let tables = (RegisterId::V0.0..RegisterId::FIRST_BANK.0).map(RegisterId);
        let whole = |id: RegisterId| {
            RegisterView::new(id, 0, self.written_width(thread, id..RegisterId(id.0 + 1)))
        };
        let is_shown =
            |view: &RegisterView| view.register < RegisterId::P0 && view.size_bytes <= 16;
        let views = tables
            .map(whole)
            .filter(|view| view.size_bytes > 0 && !is_shown(view));
        views
            .filter_map(|view| Registers::name(view, set).map(|name| (name.to_owned(), view)))
            .collect()
    }

    /// Returns the width in bytes of the widest of some registers that the trace writes for a
    /// thread; 0 if it writes none.
    pub fn written_width(&self, thread: ThreadId, registers: Range<RegisterId>) -> u16 {
        let views = ViewReader(self.0)
            .views_of(thread)
            .iter()
            .map(|known| known.view);
        let inside = views.filter(|view| registers.contains(&view.register));
        inside
            .map(|view| view.offset.saturating_add(view.size_bytes))
            .max()
            .unwrap_or(0)
    }

    fn widest(&self, register: RegisterId) -> Option<u16> {
        let written = self
            .0
            .contents
            .views
            .iter()
            .filter(|view| view.view.register == register);
        written
            .map(|view| view.view.offset + view.view.size_bytes)
            .max()
    }
}
