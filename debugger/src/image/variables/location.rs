//! Locations of variables in a frame (DWARF 5, 2.6 "Location Descriptions").

use gimli::{AttributeValue, Encoding, Expression, Location, Piece, Reader as _, Value};
use stepback_index::QueryError;
use stepback_index::answer::{ByteState, ValueSource};

use crate::image::lines::SectionReader;
use crate::image::variables::content::ValueContent;
use crate::image::variables::debug_entries::{DebugEntries, Entry};
use crate::image::variables::evaluation::{
    Evaluated, EvaluationState, LEVELS, LocationFault, RegisterMoment, UnsupportedLocation, mask_of,
};
use crate::image::variables::frame_rules::FrameRules;
use crate::image::variables::frame_values::FrameValues;

/// Maximum size of a value that is assembled from registers and pieces.
const ASSEMBLED_BYTES: u64 = 1 << 16;

/// Maximum size of a constant. Bytes that follow are unknown.
const CONSTANT_BYTES: usize = 1 << 16;

/// Maximum number of entries of a location list.
const LIST_ENTRIES: usize = 1 << 14;

/// Location of a variable, or its content if it is not in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariablePlace {
    /// In memory from this address on.
    Memory(u64),
    Content(ValueContent),
    /// The compiler left the variable out here.
    OptimisedAway,
    /// In a location of a kind that is not supported.
    Unsupported(UnsupportedLocation),
    /// The debug information of the location is damaged.
    Unreadable,
    /// It cannot be known.
    Unknown,
}

impl VariablePlace {
    /// Brings a content to the size of its type. Missing bytes are unknown.
    fn of_size(self, size_bytes: Option<u64>) -> Self {
        match self {
            Self::Content(content) => Self::Content(content.part(0, size_bytes)),
            other => other,
        }
    }
}

/// Evaluates locations in a frame.
pub struct LocationReader<'a> {
    pub entries: &'a DebugEntries,
    pub rules: &'a FrameRules,
    /// Function of the frame.
    pub function: &'a Entry,
    /// Address of the frame's instruction, by the image's own addresses.
    pub address: u64,
    /// Number of bytes by which the image was loaded above its own addresses.
    pub offset: u64,
    pub frame: &'a dyn FrameValues,
    pub state: &'a EvaluationState,
}

impl LocationReader<'_> {
    /// Returns the place of a variable of a size. Without a size only memory is found.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn place_of(
        &self,
        variable: &Entry,
        size_bytes: Option<u64>,
    ) -> Result<VariablePlace, QueryError> {
        if let Some(found) = self.entries.inherited(variable, gimli::DW_AT_location) {
            return match self.expression_of(&found.entry, found.value) {
                Ok(Some(expression)) => {
                    let encoding = found.entry.unit.unit.encoding();
                    let place = self.place_by(expression, encoding, size_bytes)?;
                    Ok(place.of_size(size_bytes))
                }
                Ok(None) => Ok(VariablePlace::OptimisedAway),
                Err(UnreadableLocation) => Ok(VariablePlace::Unreadable),
            };
        }
        let constant = self.entries.inherited(variable, gimli::DW_AT_const_value);
        Ok(constant.map_or(VariablePlace::OptimisedAway, |found| {
            let place = self.constant(&found.value, size_bytes);
            place.of_size(size_bytes)
        }))
    }

    /// Returns the expression of a location attribute that is valid at the address; none if there
    /// is none.
    pub(super) fn expression_of(
        &self,
        entry: &Entry,
        value: AttributeValue<SectionReader>,
    ) -> Result<Option<Expression<SectionReader>>, UnreadableLocation> {
        let filled = |expression: Expression<SectionReader>| {
            Some(expression).filter(|expression| !expression.0.is_empty())
        };
        if let Some(expression) = value.exprloc_value() {
            return Ok(filled(expression));
        }
        let lists = self.entries.dwarf.attr_locations(&entry.unit.unit, value);
        let Ok(Some(mut list)) = lists else {
            return Err(UnreadableLocation);
        };
        for _ in 0..LIST_ENTRIES {
            let Some(one) = list.next().map_err(|_| UnreadableLocation)? else {
                return Ok(None);
            };
            if (one.range.begin..one.range.end).contains(&self.address) {
                return Ok(filled(one.data));
            }
        }
        Err(UnreadableLocation)
    }

    /// Converts a constant to the bytes of a variable.
    fn constant(
        &self,
        value: &AttributeValue<SectionReader>,
        size_bytes: Option<u64>,
    ) -> VariablePlace {
        let known = |byte: u8| known_byte(byte, ValueSource::Recorded);
        if let AttributeValue::Block(block) = value {
            let Ok(bytes) = block.to_slice() else {
                return VariablePlace::Unknown;
            };
            let bytes = bytes.iter().copied().take(CONSTANT_BYTES);
            let bytes: Vec<ByteState> = bytes.map(known).collect();
            return VariablePlace::Content(bytes.into());
        }
        if let AttributeValue::String(_) | AttributeValue::DebugStrRef(_) = value {
            return VariablePlace::Unsupported(UnsupportedLocation::Other);
        }
        let number = super::debug_entries::number_of(value);
        let (Some(number), Some(size)) = (number, size_bytes.filter(|size| *size <= 16)) else {
            return VariablePlace::Unknown;
        };
        let bytes = number.to_le_bytes();
        let low = bytes.iter().take(usize::try_from(size).unwrap_or(16));
        self.in_memory_order(low.copied().map(known).collect())
    }

    fn in_memory_order(&self, mut bytes: Vec<ByteState>) -> VariablePlace {
        if self.frame.is_big_endian() {
            bytes.reverse();
        }
        VariablePlace::Content(bytes.into())
    }

    fn place_by(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        size_bytes: Option<u64>,
    ) -> Result<VariablePlace, QueryError> {
        let evaluated = self.evaluate(expression, encoding, RegisterMoment::Now, LEVELS)?;
        let Some(Evaluated { pieces, source }) = evaluated else {
            return Ok(match self.state.fault.take() {
                Some(LocationFault::Unsupported(kind)) => VariablePlace::Unsupported(kind),
                Some(LocationFault::Unreadable) => VariablePlace::Unreadable,
                None => VariablePlace::Unknown,
            });
        };
        if pieces
            .iter()
            .all(|piece| matches!(piece.location, Location::Empty))
        {
            return Ok(VariablePlace::OptimisedAway);
        }
        if let [piece] = &*pieces
            && piece.size_in_bits.is_none()
        {
            if let Location::Address { address } = piece.location {
                return Ok(VariablePlace::Memory(self.truncated(address, encoding)));
            }
            if let Location::ImplicitPointer { .. } = piece.location {
                let kind = UnsupportedLocation::ImplicitPointer;
                return Ok(VariablePlace::Unsupported(kind));
            }
            let size = size_bytes.filter(|size| *size <= ASSEMBLED_BYTES);
            let Some(size) = size else {
                return Ok(VariablePlace::Unknown);
            };
            let bytes = self.piece(piece, size, source)?;
            let content = bytes.map(ValueContent::from);
            let content = content.map(|content| match piece.location {
                Location::Register { register } => content.in_register(register.0),
                _ => content,
            });
            return Ok(content.map_or(VariablePlace::Unknown, VariablePlace::Content));
        }
        let mut content = Vec::new();
        for piece in &pieces {
            let bits = piece.size_in_bits.filter(|bits| bits.is_multiple_of(8));
            let size = bits.map(|bits| bits / 8);
            let is_small = |size: &u64| content.len() as u64 + size <= ASSEMBLED_BYTES;
            let Some(size) = size.filter(is_small) else {
                return Ok(VariablePlace::Unsupported(UnsupportedLocation::BitPieces));
            };
            match self.piece(piece, size, source)? {
                Some(bytes) => content.extend(bytes),
                None => content.extend(unknown_bytes(size)),
            }
        }
        Ok(VariablePlace::Content(content.into()))
    }

    /// Reads the bytes of a piece, in memory order; none if they cannot be known.
    fn piece(
        &self,
        piece: &Piece<SectionReader>,
        size_bytes: u64,
        source: ValueSource,
    ) -> Result<Option<Vec<ByteState>>, QueryError> {
        let size = usize::try_from(size_bytes).unwrap_or(0);
        let skipped = piece.bit_offset.unwrap_or(0);
        if !skipped.is_multiple_of(8) {
            return Ok(None);
        }
        let skipped = usize::try_from(skipped / 8).unwrap_or(usize::MAX);
        let low = match &piece.location {
            Location::Empty | Location::ImplicitPointer { .. } => return Ok(None),
            Location::Address { address } => {
                let start = address.wrapping_add(skipped as u64);
                return self.frame.memory(start, size_bytes).map(Some);
            }
            Location::Bytes { value } => {
                let Ok(bytes) = value.to_slice() else {
                    return Ok(None);
                };
                let bytes = bytes.iter().skip(skipped).take(size);
                let bytes = bytes.map(|byte| known_byte(*byte, ValueSource::Recorded));
                return Ok(Some(padded(bytes.collect(), size)));
            }
            Location::Register { register } => match self.frame.register(register.0)? {
                Some(bytes) => bytes,
                None => return Ok(None),
            },
            Location::Value { value } => value_bytes(*value, self.address_bytes())
                .into_iter()
                .map(|byte| known_byte(byte, source))
                .collect(),
        };
        let low: Vec<ByteState> = low.into_iter().skip(skipped).take(size).collect();
        if self.frame.is_big_endian() && low.len() < size {
            // A narrower register has no defined place in the value.
            return Ok(Some(unknown_bytes(size_bytes)));
        }
        let mut bytes = padded(low, size);
        if self.frame.is_big_endian() {
            bytes.reverse();
        }
        Ok(Some(bytes))
    }

    fn address_bytes(&self) -> u8 {
        self.function.unit.unit.encoding().address_size
    }

    pub(super) fn truncated(&self, address: u64, encoding: Encoding) -> u64 {
        address & mask_of(encoding.address_size)
    }
}

/// Error of a location attribute that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnreadableLocation;

/// Returns the bytes of a value of an expression, least significant first.
fn value_bytes(value: Value, address_bytes: u8) -> Vec<u8> {
    match value {
        Value::Generic(number) => {
            let bytes = number.to_le_bytes().into_iter();
            bytes.take(usize::from(address_bytes)).collect()
        }
        Value::I8(number) => number.to_le_bytes().to_vec(),
        Value::U8(number) => number.to_le_bytes().to_vec(),
        Value::I16(number) => number.to_le_bytes().to_vec(),
        Value::U16(number) => number.to_le_bytes().to_vec(),
        Value::I32(number) => number.to_le_bytes().to_vec(),
        Value::U32(number) => number.to_le_bytes().to_vec(),
        Value::I64(number) => number.to_le_bytes().to_vec(),
        Value::U64(number) => number.to_le_bytes().to_vec(),
        Value::F32(number) => number.to_le_bytes().to_vec(),
        Value::F64(number) => number.to_le_bytes().to_vec(),
    }
}

fn known_byte(value: u8, source: ValueSource) -> ByteState {
    ByteState {
        value: Some(value),
        source,
        seen_at: None,
    }
}

fn unknown_bytes(count: u64) -> Vec<ByteState> {
    vec![ByteState::default(); usize::try_from(count).unwrap_or(0)]
}

/// Cuts bytes to a size, or adds unknown ones up to it.
fn padded(mut bytes: Vec<ByteState>, size: usize) -> Vec<ByteState> {
    bytes.resize(size, ByteState::default());
    bytes
}
