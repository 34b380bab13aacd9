//! Looks up names in an index and its images.

use std::cell::OnceCell;

use stepback_index::answer::{RegisterFile, ThreadId, Value};
use stepback_index::query::{
    MemoryAt, MemoryOf, NearestVisit, NextAccessedBlock, PlainAddress, RegistersAt,
};
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, InstructionSet, RegisterView, Registers};
use stepback_parsers::Position;

use super::{LookupFailure, NameLookup, SymbolAbsence, ValueLookup, Width, bare_hex};
use crate::image::Images;

/// Lookup of registers of a thread, memory at a position, and symbols of the images.
pub struct IndexLookup<'a> {
    index: &'a Index,
    images: &'a Images,
    position: Position,
    thread: Option<ThreadId>,
    cancel: &'a Cancel,
    /// Queried when the first register is named.
    registers: OnceCell<Result<RegisterFile, LookupFailure>>,
}

impl<'a> IndexLookup<'a> {
    /// Creates a lookup. Without a thread, that of the last step before the position is used.
    pub fn new(
        index: &'a Index,
        images: &'a Images,
        position: Position,
        thread: Option<ThreadId>,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            index,
            images,
            position,
            thread,
            cancel,
            registers: OnceCell::new(),
        }
    }

    fn registers(&self) -> &Result<RegisterFile, LookupFailure> {
        let query = RegistersAt {
            position: self.position,
            thread: self.thread,
        };
        self.registers
            .get_or_init(|| Ok(query.run(self.index, self.cancel)?))
    }

    fn thread(&self) -> Result<ThreadId, QueryError> {
        self.thread
            .map_or_else(|| SlotReader(self.index).thread_at(self.position), Ok)
    }

    /// Returns the pointer size in the state at the position: a core may switch to a state of
    /// another width.
    fn pointer_bytes(&self) -> Result<u64, QueryError> {
        let set = NameReader(self.index).set_at(self.thread()?, self.position)?;
        Ok(u64::from(set.word_bytes()))
    }

    /// Returns the memory address of a pointer, without a tag that the processor ignores.
    pub fn plain_address(&self, pointer: u64) -> Result<u64, QueryError> {
        let question = PlainAddress {
            thread: self.thread()?,
            pointer: Address(pointer),
        };
        Ok(question.run(self.index, self.cancel)?.0)
    }

    /// Returns the address of the symbol that a name means although a register has it: the trace never
    /// shows that register.
    pub fn symbol_of_register(&self, name: &str) -> Option<u64> {
        let names = NameReader(self.index);
        let thread = self.thread().ok()?;
        let view = names.register_view_at(name, thread, self.position).ok()??;
        match self.symbols(name)[..] {
            [address] if !names.is_shown(view, thread) => Some(address),
            _ => None,
        }
    }

    fn load(&self, address: u64, width: Width) -> Result<Option<u64>, QueryError> {
        let len_bytes = match width {
            Width::Bytes(bytes) => u64::from(bytes),
            Width::Pointer => self.pointer_bytes()?,
        };
        let address = Address(self.plain_address(address)?);
        let question = MemoryAt {
            position: self.position,
            address,
            len_bytes,
        };
        let memory = MemoryOf {
            thread: self.thread,
            question,
        };
        let mut bytes: Vec<Option<u8>> = memory
            .run(self.index, self.cancel)?
            .iter()
            .map(|state| state.value)
            .collect();
        if self.index.info().is_big_endian {
            bytes.reverse();
        }
        // Bytes beyond the end of the address space are missing.
        let is_whole = bytes.len() as u64 == len_bytes;
        Ok(Value(bytes).to_u64().filter(|_| is_whole))
    }
}

impl NameLookup for IndexLookup<'_> {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        let thread = match self.thread() {
            Ok(thread) => thread,
            Err(error) => return Some(ValueLookup::Failed(error.into())),
        };
        let view = match NameReader(self.index).register_view_at(name, thread, self.position) {
            Ok(view) => view?,
            Err(error) => return Some(ValueLookup::Failed(error.into())),
        };
        Some(match self.registers() {
            Ok(file) => value_of(file, view),
            Err(failure) => ValueLookup::Failed(failure.clone()),
        })
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        self.images.addresses_of(name)
    }

    fn absence(&self, name: &str) -> Option<SymbolAbsence> {
        absence(name, self.images)
    }

    fn full_names(&self, name: &str) -> Vec<String> {
        self.images.full_names_of(name)
    }

    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        match self.load(address, width) {
            Ok(value) => value.map_or(ValueLookup::Unknown, ValueLookup::Known),
            Err(error) => ValueLookup::Failed(error.into()),
        }
    }

    fn is_used(&self, address: u64) -> bool {
        is_used(self.index, address, self.cancel)
    }

    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        let address = || bare_hex(name).filter(|address| self.is_used(*address));
        self.symbol_of_register(name).or_else(address)
    }
}

/// Returns true if the trace executes or accesses an address, or an image has it. A failed lookup
/// counts as unused. Cost: two lookups.
pub fn is_used(index: &Index, address: u64, cancel: &Cancel) -> bool {
    let is_accessed = || {
        let block = NextAccessedBlock {
            from: Address(address),
        }
        .run(index, cancel);
        block.is_ok_and(|block| block.is_some_and(|block| block.0 <= address))
    };
    let is_executed = |pc: u64| {
        let visit = NearestVisit::next(Address(pc), Position(0)).run(index, cancel);
        visit.is_ok_and(|visit| visit.is_some())
    };
    // Bit 0 of a code address may say how to decode it.
    is_accessed() || is_executed(address) || (address % 2 == 1 && is_executed(address - 1))
}

/// Returns the reason that the images have no symbol of a name, if there is one.
pub fn absence(name: &str, images: &Images) -> Option<SymbolAbsence> {
    match (images.is_thread_local(name), images.is_empty()) {
        (true, _) => Some(SymbolAbsence::ThreadLocal),
        (false, true) => Some(SymbolAbsence::NoImages),
        (false, false) => None,
    }
}

/// Returns the value of a view, from a displayed register that contains all its bytes.
fn value_of(file: &RegisterFile, view: RegisterView) -> ValueLookup {
    let bytes = file.registers.iter().find_map(|state| {
        let start = usize::from(view.offset.checked_sub(state.view.offset)?);
        let end = start.checked_add(usize::from(view.size_bytes))?;
        state
            .value
            .0
            .get(start..end)
            .filter(|_| state.view.register == view.register)
    });
    let low_half = bytes.map(|bytes| bytes.get(..8).unwrap_or(bytes));
    let number = low_half.and_then(|bytes| Value(bytes.to_vec()).to_u64());
    number.map_or(ValueLookup::Unknown, ValueLookup::Known)
}

const NO_POSITION: &str = "no position is given";

/// Lookup of symbols only: there is no position for registers and memory.
pub struct SymbolLookup<'a> {
    /// Index of the trace, to decide whether an address is used.
    pub index: &'a Index,
    pub images: &'a Images,
    pub cancel: &'a Cancel,
}

impl NameLookup for SymbolLookup<'_> {
    /// Reports a register name that is no symbol as a register without a value, not as an unknown
    /// name.
    fn register(&self, name: &str) -> Option<ValueLookup> {
        let is_register = InstructionSet::ALL
            .iter()
            .any(|set| Registers::view(name, *set).is_some());
        let is_address = || bare_hex(name).is_some_and(|address| self.is_used(address));
        let is_meant = is_register && self.symbols(name).is_empty() && !is_address();
        is_meant.then(|| ValueLookup::Failed(NO_POSITION.into()))
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        self.images.addresses_of(name)
    }

    fn absence(&self, name: &str) -> Option<SymbolAbsence> {
        absence(name, self.images)
    }

    fn full_names(&self, name: &str) -> Vec<String> {
        self.images.full_names_of(name)
    }

    fn memory(&self, _: u64, _: Width) -> ValueLookup {
        ValueLookup::Failed(NO_POSITION.into())
    }

    fn is_used(&self, address: u64) -> bool {
        is_used(self.index, address, self.cancel)
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::{RegisterState, ValueSource};

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
            reason: None,
        };
        RegisterFile {
            thread: ThreadId(0),
            instruction_set: InstructionSet::A64,
            registers: vec![state],
        }
    }

    #[track_caller]
    fn check(file: &RegisterFile, name: &str, expected: ValueLookup) {
        let view = Registers::view(name, InstructionSet::A64).expect("a register");
        assert_eq!(value_of(file, view), expected, "{name}");
    }

    #[test]
    fn a_part_of_a_shown_register_has_a_value_of_its_own() {
        let bytes = [1, 2, 3, 4, 0, 0, 0, 0x80].map(Some);
        check(&file("x3", &bytes), "w3", ValueLookup::Known(0x0403_0201));
        check(
            &file("x3", &bytes),
            "x3",
            ValueLookup::Known(0x8000_0000_0403_0201),
        );
        check(&file("x3", &bytes), "x4", ValueLookup::Unknown);
    }

    #[test]
    fn a_register_with_an_unknown_byte_is_unknown_and_its_known_part_is_not() {
        let bytes = [Some(7), Some(0), Some(0), Some(0), None, None, None, None];
        check(&file("x3", &bytes), "x3", ValueLookup::Unknown);
        check(&file("x3", &bytes), "w3", ValueLookup::Known(7));
    }

    #[test]
    fn a_vector_register_gives_its_low_half() {
        check(
            &file("v0", &[Some(1); 16]),
            "v0",
            ValueLookup::Known(0x0101_0101_0101_0101),
        );
    }
}
