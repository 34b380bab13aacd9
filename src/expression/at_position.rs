//! Names looked up in an index and its images.

use std::cell::OnceCell;

use stepback_index::{
    Cancel, Index, InstructionSet, Query as _, QueryError, RegisterFile, RegistersAt, ThreadId, Value,
};
use stepback_parsers::{Position, RegisterView, Registers, Source};

use super::{Lookup, RegisterLookup};
use crate::image::Images;

/// Registers of a thread at a position, and the symbols of the images.
pub struct AtPosition<'a, S> {
    index: &'a Index<S>,
    images: &'a Images,
    position: Position,
    thread: Option<ThreadId>,
    cancel: &'a Cancel,
    /// Asked for when the first register is named.
    registers: OnceCell<Result<RegisterFile, QueryError>>,
}

impl<'a, S: Source> AtPosition<'a, S> {
    /// Without a thread, that of the last step before the position is meant.
    pub fn new(
        index: &'a Index<S>,
        images: &'a Images,
        position: Position,
        thread: Option<ThreadId>,
        cancel: &'a Cancel,
    ) -> Self {
        Self { index, images, position, thread, cancel, registers: OnceCell::new() }
    }

    fn registers(&self) -> &Result<RegisterFile, QueryError> {
        let query = RegistersAt { position: self.position, thread: self.thread };
        self.registers.get_or_init(|| query.run(self.index, self.cancel))
    }
}

impl<S: Source> Lookup for AtPosition<'_, S> {
    fn register(&self, name: &str) -> Option<RegisterLookup> {
        let thread = match self.thread.map_or_else(|| self.index.thread_at(self.position), Ok) {
            Ok(thread) => thread,
            Err(error) => return Some(RegisterLookup::Failed(error.to_string())),
        };
        let view = self.index.register_view(name, thread)?;
        Some(match self.registers() {
            Ok(file) => value_of(file, view),
            Err(error) => RegisterLookup::Failed(error.to_string()),
        })
    }

    fn symbol(&self, name: &str) -> Option<u64> {
        self.images.address_of(name).map(|address| address.0)
    }
}

/// The bytes of a view out of whichever shown register has them all.
fn value_of(file: &RegisterFile, view: RegisterView) -> RegisterLookup {
    let bytes = file.registers.iter().find_map(|state| {
        let start = usize::from(view.offset.checked_sub(state.view.offset)?);
        let end = start.checked_add(usize::from(view.size_bytes))?;
        state.value.0.get(start..end).filter(|_| state.view.register == view.register)
    });
    let low_half = bytes.map(|bytes| bytes.get(..8).unwrap_or(bytes));
    let number = low_half.and_then(|bytes| Value(bytes.to_vec()).to_u64());
    number.map_or(RegisterLookup::Unknown, RegisterLookup::Known)
}

/// The symbols of the images and no registers, where there is no position to look them up at.
pub struct SymbolsOnly<'a>(pub &'a Images);

impl Lookup for SymbolsOnly<'_> {
    /// A register's name that no symbol bears is better called a register than a name that nobody knows.
    fn register(&self, name: &str) -> Option<RegisterLookup> {
        let is_register =
            [InstructionSet::A64, InstructionSet::A32].iter().any(|set| Registers::view(name, *set).is_some());
        let is_meant = is_register && self.0.address_of(name).is_none();
        is_meant.then(|| RegisterLookup::Failed("no position is given to look it up at".to_owned()))
    }

    fn symbol(&self, name: &str) -> Option<u64> {
        self.0.address_of(name).map(|address| address.0)
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::{RegisterState, ValueSource};

    use super::*;

    fn file(name: &str, bytes: &[Option<u8>]) -> RegisterFile {
        let view = Registers::view(name, InstructionSet::A64).expect("a register");
        let state = RegisterState {
            name: name.to_owned(),
            view,
            value: Value(bytes.to_vec()),
            source: ValueSource::Recorded,
            written_at: None,
            written_by: None,
        };
        RegisterFile { thread: ThreadId(0), instruction_set: InstructionSet::A64, registers: vec![state] }
    }

    #[track_caller]
    fn check(file: &RegisterFile, name: &str, expected: RegisterLookup) {
        let view = Registers::view(name, InstructionSet::A64).expect("a register");
        assert_eq!(value_of(file, view), expected, "{name}");
    }

    #[test]
    fn a_part_of_a_shown_register_has_a_value_of_its_own() {
        let bytes = [1, 2, 3, 4, 0, 0, 0, 0x80].map(Some);
        check(&file("x3", &bytes), "w3", RegisterLookup::Known(0x0403_0201));
        check(&file("x3", &bytes), "x3", RegisterLookup::Known(0x8000_0000_0403_0201));
        check(&file("x3", &bytes), "x4", RegisterLookup::Unknown);
    }

    #[test]
    fn a_register_with_an_unknown_byte_is_unknown_and_its_known_part_is_not() {
        let bytes = [Some(7), Some(0), Some(0), Some(0), None, None, None, None];
        check(&file("x3", &bytes), "x3", RegisterLookup::Unknown);
        check(&file("x3", &bytes), "w3", RegisterLookup::Known(7));
    }

    #[test]
    fn a_vector_register_gives_its_low_half() {
        check(&file("v0", &[Some(1); 16]), "v0", RegisterLookup::Known(0x0101_0101_0101_0101));
    }
}
