//! A small unit of debug information, and a frame with known contents.

use std::collections::HashMap;

use stepback_index::QueryError;
use stepback_index::answer::{ByteState, ValueSource};

use crate::image::lines::SectionReader;
use crate::image::variables::debug_entries::DebugEntries;
use crate::image::variables::frame_values::{FrameValues, KnownNumber};

/// Address of the function `outer`.
pub const OUTER: u64 = 0x1000;
/// Length of its code in bytes.
pub const OUTER_BYTES: u64 = 0x100;

/// Abbreviations by number: tag, children, and pairs of attribute and form (DWARF 4, 7.5.3).
const ABBREVIATIONS: [(u8, u8, &[u8]); 27] = [
    // Unit: name, language, low_pc, high_pc.
    (0x11, 1, &[0x03, 0x08, 0x13, 0x0b, 0x11, 0x01, 0x12, 0x07]),
    // Function: name, low_pc, high_pc, frame_base.
    (0x2e, 1, &[0x03, 0x08, 0x11, 0x01, 0x12, 0x07, 0x40, 0x18]),
    // Variable: name, type, location.
    (0x34, 0, &[0x03, 0x08, 0x49, 0x13, 0x02, 0x18]),
    // Parameter: name, type, location.
    (0x05, 0, &[0x03, 0x08, 0x49, 0x13, 0x02, 0x18]),
    // Block: low_pc, high_pc.
    (0x0b, 1, &[0x11, 0x01, 0x12, 0x07]),
    // Inlined function: abstract_origin, low_pc, high_pc.
    (0x1d, 1, &[0x31, 0x13, 0x11, 0x01, 0x12, 0x07]),
    // Base type: name, byte_size, encoding.
    (0x24, 0, &[0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b]),
    // Pointer: type.
    (0x0f, 0, &[0x49, 0x13]),
    // Definition: name, type.
    (0x16, 0, &[0x03, 0x08, 0x49, 0x13]),
    // Structure: name, byte_size.
    (0x13, 1, &[0x03, 0x08, 0x0b, 0x0b]),
    // Member: name, type, data_member_location.
    (0x0d, 0, &[0x03, 0x08, 0x49, 0x13, 0x38, 0x0b]),
    // Array: type.
    (0x01, 1, &[0x49, 0x13]),
    // Bounds: upper_bound.
    (0x21, 0, &[0x2f, 0x0b]),
    // Completion of another entry: abstract_origin.
    (0x34, 0, &[0x31, 0x13]),
    // Constant type: type.
    (0x26, 0, &[0x49, 0x13]),
    // Array: type, bit_stride.
    (0x01, 1, &[0x49, 0x13, 0x2e, 0x0b]),
    // Member: name, type, data_member_location as an expression.
    (0x0d, 0, &[0x03, 0x08, 0x49, 0x13, 0x38, 0x18]),
    // Bounds: upper_bound as an expression.
    (0x21, 0, &[0x2f, 0x18]),
    // Bounds: upper_bound as a reference to a variable.
    (0x21, 0, &[0x2f, 0x13]),
    // Bounds: count as a reference to a variable.
    (0x21, 0, &[0x37, 0x13]),
    // Variant part: discr.
    (0x33, 1, &[0x15, 0x13]),
    // Variant: discr_value.
    (0x19, 1, &[0x16, 0x0b]),
    // Variant: discr_list.
    (0x19, 1, &[0x3d, 0x0a]),
    // Variant of all other discriminants.
    (0x19, 1, &[]),
    // Base class: type, data_member_location.
    (0x1c, 0, &[0x49, 0x13, 0x38, 0x0b]),
    // Reference: type.
    (0x10, 0, &[0x49, 0x13]),
    // Structure in a type unit: declaration, signature.
    (0x13, 0, &[0x3c, 0x19, 0x69, 0x20]),
];

pub const FUNCTION: u8 = 2;
pub const VARIABLE: u8 = 3;
pub const PARAMETER: u8 = 4;
pub const BLOCK: u8 = 5;
pub const INLINED: u8 = 6;
pub const BASE: u8 = 7;
pub const POINTER: u8 = 8;
pub const DEFINITION: u8 = 9;
pub const STRUCTURE: u8 = 10;
pub const MEMBER: u8 = 11;
pub const ARRAY: u8 = 12;
pub const BOUNDS: u8 = 13;
pub const COMPLETION: u8 = 14;
pub const CONSTANT: u8 = 15;
pub const STRIDED_ARRAY: u8 = 16;
pub const COMPUTED_MEMBER: u8 = 17;
pub const COMPUTED_BOUNDS: u8 = 18;
pub const BOUNDS_IN_VARIABLE: u8 = 19;
pub const COUNT_IN_VARIABLE: u8 = 20;
pub const VARIANT_PART: u8 = 21;
pub const VARIANT: u8 = 22;
pub const LISTED_VARIANT: u8 = 23;
pub const OTHER_VARIANT: u8 = 24;
pub const BASE_CLASS: u8 = 25;
pub const REFERENCE: u8 = 26;
pub const DECLARED: u8 = 27;

/// `DW_LANG_C99`.
const C99: u8 = 0x0c;

/// A unit under construction.
pub struct TestUnit {
    bytes: Vec<u8>,
}

impl TestUnit {
    pub fn new() -> Self {
        Self::of_language(C99)
    }

    /// Begins a unit in a language of DWARF 5, table 7.17.
    pub fn of_language(language: u8) -> Self {
        let mut unit = Self { bytes: Vec::new() };
        // Length, version, abbreviations, size of an address.
        unit.bytes.extend([0; 4]);
        unit.bytes.extend(4_u16.to_le_bytes());
        unit.bytes.extend([0; 4]);
        unit.bytes.push(8);
        unit.begin(1)
            .text("test.c")
            .byte(language)
            .code(0..0x1_0000);
        unit
    }

    /// Begins a type unit of DWARF 4.
    pub fn of_type(signature: u64) -> Self {
        let mut unit = Self { bytes: Vec::new() };
        // As above, then the signature and the offset of the type, which `entries_with` fills in.
        unit.bytes.extend([0; 4]);
        unit.bytes.extend(4_u16.to_le_bytes());
        unit.bytes.extend([0; 4]);
        unit.bytes.push(8);
        unit.bytes.extend(signature.to_le_bytes());
        unit.bytes.extend([0; 4]);
        unit.begin(1).text("types.c").byte(C99).code(0..0);
        unit
    }

    /// Begins an entry.
    pub fn begin(&mut self, abbreviation: u8) -> &mut Self {
        self.byte(abbreviation)
    }

    /// Ends a list of children.
    pub fn end(&mut self) -> &mut Self {
        self.byte(0)
    }

    pub fn byte(&mut self, byte: u8) -> &mut Self {
        self.bytes.push(byte);
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self.byte(0)
    }

    /// Adds `low_pc` and `high_pc`.
    pub fn code(&mut self, code: std::ops::Range<u64>) -> &mut Self {
        self.bytes.extend(code.start.to_le_bytes());
        self.bytes.extend((code.end - code.start).to_le_bytes());
        self
    }

    /// Adds a reference to an entry.
    pub fn to(&mut self, entry: u32) -> &mut Self {
        self.bytes.extend(entry.to_le_bytes());
        self
    }

    /// Adds an expression.
    pub fn expression(&mut self, expression: &[u8]) -> &mut Self {
        self.byte(u8::try_from(expression.len()).unwrap());
        self.bytes.extend(expression);
        self
    }

    /// Returns the offset of the next entry.
    pub fn next(&self) -> u32 {
        u32::try_from(self.bytes.len()).unwrap()
    }

    /// Adds the type `int` and returns its offset.
    pub fn int(&mut self) -> u32 {
        let place = self.next();
        self.begin(BASE).text("int").byte(4).byte(5);
        place
    }

    /// Begins the function `outer`.
    pub fn outer(&mut self, frame_base: &[u8]) -> &mut Self {
        self.begin(2)
            .text("outer")
            .code(OUTER..OUTER + OUTER_BYTES)
            .expression(frame_base)
    }

    /// Ends the unit.
    pub fn entries(self) -> DebugEntries {
        let sections = [
            (gimli::SectionId::DebugInfo, self.content()),
            (gimli::SectionId::DebugAbbrev, abbreviations()),
        ];
        entries_of(sections.into())
    }

    /// Ends the unit, and a type unit whose type is at an offset.
    pub fn entries_with(self, mut types: Self, type_offset: u32) -> DebugEntries {
        types.bytes[19..23].copy_from_slice(&type_offset.to_le_bytes());
        let sections = [
            (gimli::SectionId::DebugInfo, self.content()),
            (gimli::SectionId::DebugTypes, types.content()),
            (gimli::SectionId::DebugAbbrev, abbreviations()),
        ];
        entries_of(sections.into())
    }

    fn content(mut self) -> Vec<u8> {
        self.end();
        let length = u32::try_from(self.bytes.len() - 4).unwrap();
        self.bytes[..4].copy_from_slice(&length.to_le_bytes());
        self.bytes
    }
}

/// Creates the debug information of some sections.
pub fn entries_of(mut sections: HashMap<gimli::SectionId, Vec<u8>>) -> DebugEntries {
    let load = |id: gimli::SectionId| -> Result<SectionReader, gimli::Error> {
        let bytes = sections.remove(&id).unwrap_or_default();
        Ok(SectionReader::new(bytes, gimli::RunTimeEndian::Little))
    };
    DebugEntries::new(gimli::Dwarf::load(load).unwrap())
}

fn abbreviations() -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (tag, children, attributes)) in (1..).zip(ABBREVIATIONS) {
        bytes.extend([number, tag, children]);
        bytes.extend(attributes);
        bytes.extend([0, 0]);
    }
    bytes.push(0);
    bytes
}

/// A frame in which register `n` has the value `0x1000 * n`, at the entry `0x1000 * n + 1`, and the
/// byte at address `a` below 0x8000 the value `a % 256`. Register 9 is unknown, and there are 32.
pub struct TestFrame;

/// The unknown register.
pub const UNKNOWN: u16 = 9;

fn known(value: u8) -> ByteState {
    ByteState {
        value: Some(value),
        source: ValueSource::Recorded,
        seen_at: None,
    }
}

fn register(number: u16, more: u64) -> Option<Vec<ByteState>> {
    match number {
        UNKNOWN => Some(vec![ByteState::default(); 8]),
        0..32 => {
            let value = 0x1000 * u64::from(number) + more;
            Some(value.to_le_bytes().map(known).to_vec())
        }
        _ => None,
    }
}

/// Like [`TestFrame`], on a big-endian processor.
pub struct BigEndianFrame;

impl FrameValues for BigEndianFrame {
    fn register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError> {
        TestFrame.register(number)
    }

    fn entry_register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError> {
        TestFrame.entry_register(number)
    }

    fn entry_stack(&self) -> Result<Option<KnownNumber>, QueryError> {
        TestFrame.entry_stack()
    }

    fn memory(&self, address: u64, len_bytes: u64) -> Result<Vec<ByteState>, QueryError> {
        TestFrame.memory(address, len_bytes)
    }

    fn is_big_endian(&self) -> bool {
        true
    }
}

impl FrameValues for TestFrame {
    fn register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError> {
        Ok(register(number, 0))
    }

    fn entry_register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError> {
        Ok(register(number, 1))
    }

    fn entry_stack(&self) -> Result<Option<KnownNumber>, QueryError> {
        Ok(Some(KnownNumber {
            value: 0x7000,
            source: ValueSource::Recorded,
        }))
    }

    fn memory(&self, address: u64, len_bytes: u64) -> Result<Vec<ByteState>, QueryError> {
        let byte = |address: u64| match address {
            0..0x8000 => known(address as u8),
            _ => ByteState::default(),
        };
        let addresses = (0..len_bytes).map(|place| address.wrapping_add(place));
        Ok(addresses.map(byte).collect())
    }

    fn is_big_endian(&self) -> bool {
        false
    }
}
