//! What the registers of a CPU hold.

use std::ops::Range;

use stepback_index::RegisterFile;
use stepback_machine::{BankedRegister, InstructionSet, Mode, RegisterId, RegisterView, State};
use stepback_parsers::{RegisterWrite, WrittenName};

/// No signal shows more of a register.
const SHOWN_BYTES: u16 = 16;

/// The values of the registers of the architecture's table, as far as signals show them.
#[derive(Clone, Debug, Default)]
pub struct RegisterState {
    /// By register; none where nothing is known yet.
    bytes: Vec<[Option<u8>; SHOWN_BYTES as usize]>,
    /// What plain names mean, once a step told it.
    state: Option<State>,
}

/// The registers that banks share names with.
const BANKED: [RegisterId; 7] =
    [RegisterId::SP, RegisterId::LR, RegisterId(8), RegisterId(9), RegisterId(10), RegisterId(11), RegisterId(12)];

impl RegisterState {
    /// The values that a register file states.
    pub fn load(&mut self, file: &RegisterFile) {
        for register in &file.registers {
            for (place, byte) in (0..register.view.size_bytes).zip(&register.value.0) {
                let view = RegisterView::new(register.view.register, register.view.offset.saturating_add(place), 1);
                if let Some(byte) = byte {
                    let bank = InstructionSet::banked_anywhere(&register.name);
                    let home = bank.and_then(home_of).unwrap_or(view.register);
                    self.write(RegisterView { register: home, ..view }, Some(&[*byte]));
                }
            }
        }
    }

    /// Takes the state of a step. Returns the plain registers that show something else from there on.
    pub fn enter(&mut self, state: State) -> Vec<RegisterView> {
        if self.state == Some(state) {
            return Vec::new();
        }
        let before = self.state.replace(state);
        if before.is_none() {
            // What was loaded under a plain name is of the mode that holds.
            for plain in BANKED {
                let home = state.mode.home(plain);
                if self.held(home).iter().all(Option::is_none) {
                    self.hold(home, self.held(plain));
                }
            }
        }
        let before = before.map_or(Mode::Other, |before| before.mode);
        let is_changed = |plain: &RegisterId| {
            let (from, to) = (before.home(*plain), state.mode.home(*plain));
            from != to && self.held(from) != self.held(to)
        };
        BANKED.into_iter().filter(is_changed).map(|plain| RegisterView::new(plain, 0, SHOWN_BYTES)).collect()
    }

    /// Takes a write, of a bank where its name is one's. Returns what else shows something else from there on.
    pub fn take(&mut self, write: &RegisterWrite<'_>, bank: Option<BankedRegister>) -> Vec<RegisterView> {
        let plain = bank.map_or(write.view.register, |bank| bank.plain.register);
        let home = match bank {
            Some(bank) => home_of(bank),
            None => write.home().map(|home| home.register),
        };
        let mut homes: Vec<RegisterId> = home.into_iter().collect();
        let set = self.state.map_or_else(InstructionSet::default, |state| state.set);
        if !set.is_own_bank(plain) {
            homes.push(plain);
            // In an unknown mode it may be any of them.
            homes.extend(
                set.banks(plain)
                    .filter(|_| bank.is_none() && write.mode == Mode::Other && write.name == WrittenName::Own),
            );
        }
        for register in homes {
            self.write(RegisterView { register, ..write.view }, write.bytes);
        }
        let status = write.bytes.and_then(|bytes| bytes.first_chunk()).filter(|_| write.view == STATUS);
        let state = self.state.zip(status).and_then(|(state, status)| state.set.state_of(u32::from_le_bytes(*status)));
        state.map_or_else(Vec::new, |state| self.enter(state))
    }

    fn held(&self, register: RegisterId) -> [Option<u8>; SHOWN_BYTES as usize] {
        self.bytes.get(usize::from(register.0)).copied().unwrap_or_default()
    }

    fn hold(&mut self, register: RegisterId, held: [Option<u8>; SHOWN_BYTES as usize]) {
        for (place, byte) in (0..).zip(held) {
            if let Some(byte) = byte {
                self.write(RegisterView::new(register, place, 1), Some(&[byte]));
            }
        }
    }

    /// A register got a value, or one that is not known.
    pub fn write(&mut self, view: RegisterView, value: Option<&[u8]>) {
        if view.register >= RegisterId::FIRST_NAMED {
            return;
        }
        let place = usize::from(view.register.0);
        if self.bytes.len() <= place {
            self.bytes.resize(place + 1, Default::default());
        }
        let Some(room) = self.bytes.get_mut(place).and_then(|bytes| bytes.get_mut(shown(view))) else { return };
        for (number, byte) in room.iter_mut().enumerate() {
            *byte = value.and_then(|value| value.get(number).copied());
        }
    }

    /// The bytes of a view, least significant first.
    pub fn read(&self, view: RegisterView) -> impl DoubleEndedIterator<Item = Option<u8>> + '_ {
        let register = self.state.map_or(view.register, |state| state.mode.home(view.register));
        let known = self.bytes.get(usize::from(register.0)).and_then(|bytes| bytes.get(shown(view)));
        (0..usize::from(view.size_bytes)).map(move |number| known.and_then(|known| *known.get(number)?))
    }
}

/// The status register.
const STATUS: RegisterView = RegisterView::new(RegisterId::PSR, 0, 4);

/// The register that a bank is; none where no mode tells that it is in use.
fn home_of(bank: BankedRegister) -> Option<RegisterId> {
    bank.bank.mode().map(|mode| mode.home(bank.plain.register))
}

/// The part of a view that is kept.
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
        assert_eq!(state.read(view(2, 4)).collect::<Vec<_>>(), [Some(3), Some(4), None, None]);
        state.write(view(3, 1), None);
        assert_eq!(state.read(view(2, 2)).collect::<Vec<_>>(), [Some(3), None]);
    }

    #[test]
    fn what_no_signal_shows_is_dropped() {
        let mut state = RegisterState::default();
        let vector = RegisterView::new(RegisterId::V0, 0, 256);
        state.write(vector, Some(&[7; 256]));
        state.write(RegisterView::new(RegisterId::FIRST_NAMED, 0, 8), Some(&[7; 8]));
        assert_eq!(state.read(vector).filter(Option::is_some).count(), 16);
        assert_eq!(state.bytes.len(), 41);
    }
}
