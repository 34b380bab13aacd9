//! Register values of a CPU.

use std::ops::Range;

use stepback_index::QueryError;
use stepback_index::answer::{RegisterFile, RegisterState as StatedRegister, ThreadId};
use stepback_index::read::NameReader;
use stepback_machine::banks::{
    BankedRegister, ExecutionState, RegisterAlias, SecurityState, StackChoice, StackChoices,
};
use stepback_machine::{InstructionSet, Mode, RegisterId, RegisterView};
use stepback_parsers::{Position, RegisterWrite, WrittenName};

/// Maximum number of bytes of a register that signals show.
pub const SHOWN_BYTES: u16 = 16;

/// Values of the registers of the architecture's table, limited to the bytes that signals show.
#[derive(Clone, Debug, Default)]
pub struct RegisterState {
    /// By register; `None` if unknown. The entries of `sp` and `lr` themselves apply if the mode is
    /// unknown.
    bytes: Vec<[Option<u8>; SHOWN_BYTES as usize]>,
    /// State that determines the meaning of plain names, from mode words and the status register.
    state: Option<ExecutionState>,
    /// Registers that select the stack pointer of M-profile's thread mode.
    choices: StackChoices,
    /// The only banks of `sp` and `lr` that the trace writes.
    only: [Option<RegisterId>; 2],
    /// True if the status register selects no banks.
    lacks_modes: bool,
}

/// Meaning of a register outside the architecture's table for the signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NamedRegister {
    /// A bank of a displayed register.
    Bank(BankedRegister),
    /// A register that selects between the two stack pointers of a security state.
    StackChoice(SecurityState),
    /// No meaning.
    #[default]
    Other,
}

impl NamedRegister {
    /// Classifies a register by its lower-case name.
    pub fn of(name: &str) -> Self {
        let choice = || InstructionSet::stack_choice_anywhere(name).map(Self::StackChoice);
        let bank = InstructionSet::banked_anywhere(name).map(Self::Bank);
        bank.or_else(choice).unwrap_or_default()
    }
}

/// Registers whose names banks share.
const BANKED: [RegisterId; 7] = [
    RegisterId::SP,
    RegisterId::LR,
    RegisterId(8),
    RegisterId(9),
    RegisterId(10),
    RegisterId(11),
    RegisterId(12),
];

/// Displayed values of [`BANKED`].
type ShownValues = [[Option<u8>; SHOWN_BYTES as usize]; BANKED.len()];

impl RegisterState {
    /// Returns the state of a thread at a position, without values.
    pub fn at(names: &NameReader<'_>, thread: ThreadId, at: Position) -> Result<Self, QueryError> {
        let only = [RegisterId::SP, RegisterId::LR].map(|plain| names.only_bank(thread, plain));
        Ok(Self {
            state: names.state_at(thread, at)?,
            only,
            lacks_modes: names.0.source().lacks_modes(),
            ..Self::default()
        })
    }

    /// Returns the current instruction set; `None` if it is not known yet.
    pub fn set(&self) -> Option<InstructionSet> {
        self.state.map(|state| state.set)
    }

    /// Loads the values of a register file.
    pub fn load(&mut self, file: &RegisterFile) {
        let named = |register: &StatedRegister| match register.view.register {
            outside if outside >= RegisterId::FIRST_NAMED => NamedRegister::of(&register.name),
            _ => NamedRegister::Other,
        };
        // The stack selectors come first: they determine which stack the other registers belong to.
        for known in &file.registers {
            if let NamedRegister::StackChoice(security) = named(known) {
                let choice = StackChoice {
                    register: known.view.register,
                    security,
                };
                self.choices
                    .note(choice, known.value.0.first().copied().flatten());
            }
        }
        for register in &file.registers {
            let home = match named(register) {
                NamedRegister::Bank(bank) => home_of(bank),
                _ => Some(self.home(register.view.register)),
            };
            for (place, byte) in (0..register.view.size_bytes).zip(&register.value.0) {
                if let (Some(byte), Some(home)) = (byte, home) {
                    let offset = register.view.offset.saturating_add(place);
                    self.write(RegisterView::new(home, offset, 1), Some(&[*byte]));
                }
            }
        }
    }

    /// Enters the state of a step. Returns the plain registers whose displayed value changes.
    pub fn enter(&mut self, state: ExecutionState) -> Vec<RegisterView> {
        if self.state == Some(state) {
            return Vec::new();
        }
        let shown = self.shown();
        self.state = Some(state);
        self.changed_since(&shown)
    }

    /// Stores a write. Returns the other registers whose displayed value changes.
    pub fn take(&mut self, write: &RegisterWrite<'_>, named: NamedRegister) -> Vec<RegisterView> {
        match named {
            NamedRegister::Bank(bank) => {
                let shown = self.shown();
                if let Some(mode) = bank.bank.mode() {
                    let view = RegisterView {
                        register: bank.plain.register,
                        ..write.view
                    };
                    self.write_in(mode, view, write.bytes);
                }
                self.changed_since(&shown)
            }
            NamedRegister::StackChoice(security) if write.view.offset == 0 => {
                let shown = self.shown();
                let lowest = write.bytes.and_then(|bytes| bytes.first().copied());
                self.choices.note(
                    StackChoice {
                        register: write.view.register,
                        security,
                    },
                    lowest,
                );
                self.changed_since(&shown)
            }
            NamedRegister::StackChoice(_) => Vec::new(),
            NamedRegister::Other => self.take_plain(write),
        }
    }

    /// Stores a write of a register of the architecture's table.
    fn take_plain(&mut self, write: &RegisterWrite<'_>) -> Vec<RegisterView> {
        // The second write of the line is that of the bank.
        if write.name != WrittenName::OfBank {
            let mode = if write.mode.tells(write.view.register) {
                write.mode
            } else {
                self.mode()
            };
            self.write_in(mode, write.view, write.bytes);
        }
        let status = write
            .bytes
            .and_then(|bytes| bytes.first_chunk())
            .filter(|_| write.view == STATUS);
        let state = self
            .state
            .zip(status)
            .and_then(|(state, status)| state.set.state_of(u32::from_le_bytes(*status)))
            .map(|state| match self.lacks_modes {
                true => state.without_mode(),
                false => state,
            });
        state.map_or_else(Vec::new, |state| self.enter(state.after(self.state)))
    }

    /// Writes the register that a plain name means in a mode.
    fn write_in(&mut self, mode: Mode, view: RegisterView, value: Option<&[u8]>) {
        let (plain, home) = (view.register, mode.home(view.register));
        self.write(
            RegisterView {
                register: home,
                ..view
            },
            value,
        );
        if let Some(RegisterAlias { register, mode }) = mode.twin(plain) {
            self.write(
                RegisterView {
                    register: mode.home(register),
                    ..view
                },
                value,
            );
        }
        let set = self
            .state
            .map_or_else(InstructionSet::default, |state| state.set);
        if set.is_own_bank(plain) {
            return;
        }
        if !mode.tells(plain) {
            // It may be any of the banks.
            set.banks(plain)
                .for_each(|register| self.write(RegisterView { register, ..view }, None));
        } else if home != plain {
            let value = value.filter(|_| self.only.contains(&Some(home)));
            self.write(view, value);
        }
    }

    fn mode(&self) -> Mode {
        self.state
            .map_or(Mode::Other, |state| self.choices.chosen(state.mode))
    }

    /// Returns the register that a plain name means.
    fn home(&self, plain: RegisterId) -> RegisterId {
        self.mode().home(plain)
    }

    fn shown(&self) -> ShownValues {
        BANKED.map(|plain| self.held(self.home(plain)))
    }

    /// Returns the registers with shared names whose displayed value changed.
    fn changed_since(&self, shown: &ShownValues) -> Vec<RegisterView> {
        let changed = BANKED
            .into_iter()
            .zip(shown)
            .filter(|(plain, before)| self.held(self.home(*plain)) != **before);
        changed
            .map(|(plain, _)| RegisterView::new(plain, 0, SHOWN_BYTES))
            .collect()
    }

    fn held(&self, register: RegisterId) -> [Option<u8>; SHOWN_BYTES as usize] {
        self.bytes
            .get(usize::from(register.0))
            .copied()
            .unwrap_or_default()
    }

    /// Stores a value; `None` if it is unknown.
    fn write(&mut self, view: RegisterView, value: Option<&[u8]>) {
        if view.register >= RegisterId::FIRST_NAMED {
            return;
        }
        let place = usize::from(view.register.0);
        if self.bytes.len() <= place {
            self.bytes.resize(place + 1, Default::default());
        }
        let Some(room) = self
            .bytes
            .get_mut(place)
            .and_then(|bytes| bytes.get_mut(shown(view)))
        else {
            return;
        };
        for (number, byte) in room.iter_mut().enumerate() {
            *byte = value.and_then(|value| value.get(number).copied());
        }
    }

    /// Iterates over the bytes of a view, least significant first.
    pub fn read(&self, view: RegisterView) -> impl DoubleEndedIterator<Item = Option<u8>> + '_ {
        let register = self.home(view.register);
        let known = self
            .bytes
            .get(usize::from(register.0))
            .and_then(|bytes| bytes.get(shown(view)));
        (0..usize::from(view.size_bytes))
            .map(move |number| known.and_then(|known| *known.get(number)?))
    }
}

/// The status register.
const STATUS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);

/// Returns the register of a bank; `None` if no mode indicates that it is active.
fn home_of(bank: BankedRegister) -> Option<RegisterId> {
    bank.bank.mode().map(|mode| mode.home(bank.plain.register))
}

/// Returns the range of a view's bytes that is kept.
fn shown(view: RegisterView) -> Range<usize> {
    let end = view.offset.saturating_add(view.size_bytes).min(SHOWN_BYTES);
    usize::from(view.offset.min(end))..usize::from(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_register_are_known_one_by_one() {
        let mut state = RegisterState::default();
        let view = |offset, size_bytes| RegisterView::new(RegisterId(3), offset, size_bytes);
        state.write(view(0, 4), Some(&[1, 2, 3, 4]));
        assert_eq!(
            state.read(view(2, 4)).collect::<Vec<_>>(),
            [Some(3), Some(4), None, None]
        );
        state.write(view(3, 1), None);
        assert_eq!(state.read(view(2, 2)).collect::<Vec<_>>(), [Some(3), None]);
    }

    #[test]
    fn what_no_signal_shows_is_dropped() {
        let mut state = RegisterState::default();
        let vector = RegisterView::new(RegisterId::V0, 0, 256);
        state.write(vector, Some(&[7; 256]));
        state.write(
            RegisterView::new(RegisterId::FIRST_NAMED, 0, 8),
            Some(&[7; 8]),
        );
        assert_eq!(state.read(vector).filter(Option::is_some).count(), 16);
        assert_eq!(state.bytes.len(), 41);
    }
}
