//! What the registers of a CPU hold.

use std::ops::Range;

use stepback_index::RegisterFile;
use stepback_machine::{RegisterId, RegisterView};

/// No signal shows more of a register.
const SHOWN_BYTES: u16 = 16;

/// The values of the registers of the architecture's table, as far as signals show them.
#[derive(Clone, Debug, Default)]
pub struct RegisterState {
    /// By register; none where nothing is known yet.
    bytes: Vec<[Option<u8>; SHOWN_BYTES as usize]>,
}

impl RegisterState {
    /// The values that a register file states.
    pub fn load(&mut self, file: &RegisterFile) {
        for register in &file.registers {
            for (place, byte) in (0..register.view.size_bytes).zip(&register.value.0) {
                let view = RegisterView::new(register.view.register, register.view.offset.saturating_add(place), 1);
                if let Some(byte) = byte {
                    self.write(view, Some(&[*byte]));
                }
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
        let known = self.bytes.get(usize::from(view.register.0)).and_then(|bytes| bytes.get(shown(view)));
        (0..usize::from(view.size_bytes)).map(move |number| known.and_then(|known| *known.get(number)?))
    }
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
