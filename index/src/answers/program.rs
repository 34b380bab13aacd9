//! Contents of the program images of a trace.
//!
//! They are not part of the index file. A byte that nothing wrote and no access shows comes from
//! them and is marked inferred. A read that differs is no external change, since a loader or DMA
//! may have written before the trace began.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use stepback_machine::flow::FlowKind;
use stepback_machine::{Address, CodeSite, Encoding, Endian, InstructionSet, decode};

/// Binary logarithm of the block size in bytes.
const BLOCK_BITS: u32 = 6;
/// Length of the longest instruction, in bytes.
const LONGEST: u8 = 15;

/// Contents of the program images of a trace: initial memory and the locations of functions.
///
/// ```
/// use stepback_index::answer::Program;
/// use stepback_machine::Address;
///
/// let mut program = Program::default();
/// program.load(Address(0x1000), [1, 2, 3].into(), 5);
/// program.load(Address(0x1001), [9].into(), 1);
/// let bytes = (0xfff..0x1006).map(|address| program.byte(Address(address)));
/// assert_eq!(bytes.collect::<Vec<_>>(), [None, Some(1), Some(9), Some(3), Some(0), Some(0), None]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Loaded ranges by first address, without overlap.
    pieces: BTreeMap<u64, ImageSpan>,
    functions: Vec<FunctionPart>,
    /// Unordered.
    kernel_pages: Vec<Range<u64>>,
    /// Byte order of code, on processors that support both.
    code_endian: Endian,
}

/// A contiguous part of a function's code. An empty range extends to the start of the next
/// function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionPart {
    /// Address of the first byte.
    pub start: u64,
    /// Address after the last byte.
    pub end: u64,
    /// Start address of the function.
    pub function: u64,
}

/// A contiguous range of loaded memory.
#[derive(Clone, Debug)]
struct ImageSpan {
    /// Last address.
    last: u64,
    /// Backing bytes; memory beyond their end is zero.
    bytes: Arc<[u8]>,
    /// Offset of the first byte in `bytes`.
    offset: u64,
    /// True if the program cannot modify it.
    is_constant: bool,
}

impl Program {
    /// Loads a segment: `bytes`, then zeros up to a length. A later segment overrides earlier ones,
    /// as in a loader. Bytes beyond the end of the address space are dropped.
    pub fn load(&mut self, address: Address, bytes: Arc<[u8]>, len_bytes: u64) {
        self.insert(
            address,
            len_bytes,
            ImageSpan {
                last: 0,
                bytes,
                offset: 0,
                is_constant: false,
            },
        );
    }

    /// Loads a segment that the program cannot write: its bytes are those of the executed
    /// instructions.
    pub fn load_constant(&mut self, address: Address, bytes: Arc<[u8]>, len_bytes: u64) {
        self.insert(
            address,
            len_bytes,
            ImageSpan {
                last: 0,
                bytes,
                offset: 0,
                is_constant: true,
            },
        );
    }

    fn insert(&mut self, address: Address, len_bytes: u64, piece: ImageSpan) {
        let Some(rest) = len_bytes.checked_sub(1) else {
            return;
        };
        let last = address.0.saturating_add(rest);
        self.clear(address.0, last);
        self.pieces.insert(address.0, ImageSpan { last, ..piece });
    }

    /// Removes a range from the loaded memory.
    fn clear(&mut self, first: u64, last: u64) {
        while let Some((&start, _)) = self
            .pieces
            .range(..=last)
            .next_back()
            .filter(|(_, piece)| piece.last >= first)
        {
            let Some(piece) = self.pieces.remove(&start) else {
                return;
            };
            if let Some(after) = last.checked_add(1).filter(|after| *after <= piece.last) {
                let offset = piece.offset.saturating_add(after - start);
                self.pieces.insert(
                    after,
                    ImageSpan {
                        offset,
                        ..piece.clone()
                    },
                );
            }
            if let Some(before) = first.checked_sub(1).filter(|before| *before >= start) {
                self.pieces.insert(
                    start,
                    ImageSpan {
                        last: before,
                        ..piece
                    },
                );
            }
        }
    }

    /// Returns the loaded byte at an address. O(log n).
    pub fn byte(&self, address: Address) -> Option<u8> {
        let (piece, place) = self.piece(address)?;
        Some(piece.bytes.get(place).copied().unwrap_or(0))
    }

    /// Returns the loaded byte at an address that the program cannot modify. O(log n).
    pub fn constant_byte(&self, address: Address) -> Option<u8> {
        let (piece, place) = self.piece(address).filter(|(piece, _)| piece.is_constant)?;
        Some(piece.bytes.get(place).copied().unwrap_or(0))
    }

    /// Discards the loaded bytes from `first` to `last`, inclusive: they are unknown afterwards.
    pub fn forget(&mut self, first: Address, last: Address) {
        self.clear(first.0, last.0);
    }

    /// Sets the byte order of code, for processors that support both.
    pub fn set_code_endian(&mut self, endian: Endian) {
        self.code_endian = endian;
    }

    /// Returns the bytes of an instruction in memory order.
    pub fn in_memory(&self, set: InstructionSet, encoding: Encoding) -> Encoding {
        set.in_code_order(encoding, self.code_endian)
    }

    /// Returns the bytes of an instruction from the program's files, if the program cannot have
    /// modified them. `None` if they do not decode to an instruction of that length, because the
    /// files are then not those that ran. O(log n).
    pub fn instruction(
        &self,
        pc: Address,
        length_bytes: u8,
        set: InstructionSet,
    ) -> Option<Encoding> {
        let (piece, place) = self.piece(pc).filter(|(piece, _)| piece.is_constant)?;
        let end = place.checked_add(usize::from(length_bytes))?;
        let is_inside = pc.0.checked_add(u64::from(length_bytes).checked_sub(1)?)? <= piece.last;
        let encoding = Encoding::new(piece.bytes.get(place..end).filter(|_| is_inside)?)?;
        let encoding = set.in_code_order(encoding, self.code_endian);
        decode(encoding, pc, set).is_decoded().then_some(encoding)
    }

    /// Returns the bytes of the instruction of a step. Some traces do not record its length: they
    /// have none, or take the distance to the next step, which a jump may skip. O(log n).
    pub fn executed_instruction(
        &self,
        pc: Address,
        length_bytes: u8,
        set: InstructionSet,
    ) -> Option<Encoding> {
        let exact = self.instruction(pc, length_bytes, set);
        exact.or_else(|| {
            let encoding = self.instruction_at(pc, set)?;
            let control = set.control(&CodeSite { pc, encoding });
            let next = pc.0.wrapping_add(u64::from(length_bytes));
            let is_meant = length_bytes == 0
                || control.flow == FlowKind::Return
                || control.target.address() == Some(next);
            is_meant.then_some(encoding)
        })
    }

    /// Returns the bytes of the instruction at an address, whatever its length.
    pub(crate) fn instruction_at(&self, pc: Address, set: InstructionSet) -> Option<Encoding> {
        self.piece(pc)?;
        (1..=LONGEST).find_map(|length_bytes| self.instruction(pc, length_bytes, set))
    }

    /// Returns the range that contains an address, and the offset of the address in its bytes.
    fn piece(&self, address: Address) -> Option<(&ImageSpan, usize)> {
        let (start, piece) = self
            .pieces
            .range(..=address.0)
            .next_back()
            .filter(|(_, piece)| address.0 <= piece.last)?;
        let place = piece.offset.saturating_add(address.0 - start);
        Some((piece, usize::try_from(place).unwrap_or(usize::MAX)))
    }

    /// Adds a function with the given range, without a Thumb bit. Functions may overlap or share a
    /// start. An empty range extends to the start of the next function.
    pub fn add_function(&mut self, bytes: Range<u64>) {
        let function = bytes.start;
        self.add_part(bytes, function);
    }

    /// Adds code outside the main range of the function that starts at `function`, such as a cold
    /// part that the compiler moved. A jump to it stays within the function.
    pub fn add_part(&mut self, bytes: Range<u64>, function: u64) {
        self.functions.push(FunctionPart {
            start: bytes.start,
            end: bytes.end,
            function,
        });
    }

    /// Returns the functions and their parts, unordered.
    pub fn functions(&self) -> &[FunctionPart] {
        &self.functions
    }

    /// Adds memory that is read-only for the program and that the kernel changes at any time, such
    /// as the clock page.
    pub fn add_kernel_pages(&mut self, addresses: Range<u64>) {
        self.kernel_pages.push(addresses);
    }

    /// Returns the memory that the kernel changes at any time, unordered.
    pub fn kernel_pages(&self) -> &[Range<u64>] {
        &self.kernel_pages
    }

    /// Returns true if no memory was loaded.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the first 64-byte block, from block number `from` on, that contains loaded memory.
    pub(crate) fn next_granule(&self, from: u64) -> Option<u64> {
        let first = from.checked_shl(BLOCK_BITS)?;
        let around = self
            .pieces
            .range(..=first)
            .next_back()
            .filter(|(_, piece)| piece.last >= first);
        match around {
            Some(_) => Some(from),
            None => self
                .pieces
                .range(first..)
                .next()
                .map(|(start, _)| start >> BLOCK_BITS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(program: &Program, (first, last): (u64, u64), expected: &str) {
        let letter = |address| match program.byte(Address(address)) {
            Some(byte) => char::from(byte.max(b'0')),
            None => '?',
        };
        assert_eq!((first..=last).map(letter).collect::<String>(), expected);
    }

    #[test]
    fn a_later_segment_wins_and_leaves_what_it_does_not_cover() {
        let mut program = Program::default();
        program.load(Address(4), (*b"abcdef").into(), 8);
        check(&program, (2, 13), "??abcdef00??");
        program.load(Address(6), (*b"XY").into(), 2);
        check(&program, (2, 13), "??abXYef00??");
        program.load(Address(0), (*b"12345").into(), 5);
        check(&program, (0, 13), "12345bXYef00??");
        program.load(Address(11), (*b"Z").into(), 2);
        check(&program, (0, 13), "12345bXYef0Z0?");
        program.load(Address(0), Arc::default(), 14);
        check(&program, (0, 14), "00000000000000?");
    }

    #[test]
    fn a_segment_may_lie_at_the_end_of_the_address_space_and_be_as_long_as_it() {
        let mut program = Program::default();
        program.load(Address(u64::MAX - 1), (*b"abc").into(), 3);
        check(&program, (u64::MAX - 2, u64::MAX), "?ab");
        program.load(Address(0), Arc::default(), u64::MAX);
        check(&program, (u64::MAX - 2, u64::MAX), "00b");
        program.load(Address(0), Arc::default(), 0);
        assert!(!program.is_empty() && Program::default().is_empty());
    }

    #[test]
    fn instructions_are_bytes_of_a_file_that_the_program_cannot_write_to() {
        let mut program = Program::default();
        program.load_constant(Address(0x100), (*b"\x48\x89\xe5\xc3").into(), 8);
        program.load(Address(0x200), (*b"\xc3\xc3").into(), 2);
        let bytes = |program: &Program, pc, length| {
            let found = program.instruction(Address(pc), length, InstructionSet::X86_64);
            found.map(|found| found.bytes().to_vec())
        };
        assert_eq!(bytes(&program, 0x100, 3), Some(vec![0x48, 0x89, 0xe5]));
        assert_eq!(bytes(&program, 0x103, 1), Some(vec![0xc3]));
        // Half an instruction, and more than one.
        assert_eq!(
            (bytes(&program, 0x100, 2), bytes(&program, 0x100, 4)),
            (None, None)
        );
        // Beyond the bytes of the file, outside of any segment, in writable memory, and of zero
        // length.
        assert_eq!(
            [(0x103, 2), (0xff, 1), (0x200, 1), (0x100, 0)]
                .map(|(pc, length)| bytes(&program, pc, length)),
            [const { None }; 4]
        );
        program.load(Address(0x102), (*b"\x90").into(), 1);
        assert_eq!(
            (bytes(&program, 0x100, 3), bytes(&program, 0x103, 1)),
            (None, Some(vec![0xc3]))
        );
    }

    #[test]
    fn instructions_whose_length_is_a_guess_are_those_of_the_file() {
        let mut program = Program::default();
        // je 0x10c; ret 8; mov rbp, rsp
        let code = *b"\x74\x0a\xc2\x08\x00\x48\x89\xe5";
        program.load_constant(Address(0x100), code.into(), 8);
        let bytes = |pc, length| {
            let found = program.executed_instruction(Address(pc), length, InstructionSet::X86_64);
            found.map(|found| found.bytes().to_vec())
        };
        // Taken: the next step is 12 bytes further, or anywhere.
        for length in [0, 2, 12] {
            assert_eq!(bytes(0x100, length), Some(vec![0x74, 0x0a]), "{length}");
        }
        assert_eq!(bytes(0x100, 11), None);
        // A return is taken to be a byte long.
        assert_eq!(bytes(0x102, 1), Some(vec![0xc2, 8, 0]));
        assert_eq!(bytes(0x105, 0), Some(vec![0x48, 0x89, 0xe5]));
        assert_eq!((bytes(0x105, 2), bytes(0x108, 0)), (None, None));
    }

    #[test]
    fn blocks_are_found_from_within_and_from_before_a_segment() {
        let mut program = Program::default();
        program.load(Address(0x1010), Arc::default(), 0x100);
        let found = [0, 0x40, 0x41, 0x44, 0x45].map(|from| program.next_granule(from));
        assert_eq!(
            found,
            [Some(0x40), Some(0x40), Some(0x41), Some(0x44), None]
        );
        assert_eq!(program.next_granule(u64::MAX), None);
    }
}
