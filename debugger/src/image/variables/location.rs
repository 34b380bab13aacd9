//! Locations of variables: evaluation of DWARF expressions with the state of a frame (DWARF 5, 2.5
//! "DWARF Expressions", 2.6 "Location Descriptions").
//!
//! A value that depends on something unknown is unknown, never 0.

use gimli::{
    AttributeValue, Encoding, Evaluation, EvaluationResult, Expression, Location, Piece,
    Reader as _, UnitOffset, Value, ValueType,
};
use stepback_index::QueryError;
use stepback_index::answer::{ByteState, ValueSource};

use crate::image::lines::SectionReader;
use crate::image::variables::debug_entries::{DebugEntries, Entry};
use crate::image::variables::frame_rules::{CfaPlace, FrameRules};
use crate::image::variables::frame_values::{FrameValues, KnownNumber};

/// Maximum number of operations of an expression.
const OPERATIONS: u32 = 1 << 12;

/// Maximum number of values that an expression requests.
const REQUESTS: usize = 1 << 10;

/// Maximum depth of expressions that need others: frame bases and values at the entry.
const LEVELS: usize = 4;

/// Maximum size of a value that is assembled from registers and pieces.
const ASSEMBLED_BYTES: u64 = 1 << 16;

/// Maximum number of entries of a location list.
const LIST_ENTRIES: usize = 1 << 14;

/// Location of a variable, or its content if it is not in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VariablePlace {
    /// In memory from this address on.
    Memory(u64),
    /// These bytes, in memory order.
    Content(Vec<ByteState>),
    /// The compiler left the variable out here.
    OptimisedAway,
    /// It cannot be known.
    Unknown,
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
}

/// Result of an expression.
struct Evaluated {
    pieces: Vec<Piece<SectionReader>>,
    /// Source of the values that it used.
    source: ValueSource,
}

/// State of registers that an expression refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RegisterTime {
    Now,
    Entry,
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
                Some(expression) => {
                    self.place_by(expression, found.entry.unit.unit.encoding(), size_bytes)
                }
                None => Ok(VariablePlace::OptimisedAway),
            };
        }
        let constant = self.entries.inherited(variable, gimli::DW_AT_const_value);
        Ok(constant.map_or(VariablePlace::OptimisedAway, |found| {
            self.constant(&found.value, size_bytes)
        }))
    }

    /// Returns the expression of a location attribute that is valid at the address.
    fn expression_of(
        &self,
        entry: &Entry,
        value: AttributeValue<SectionReader>,
    ) -> Option<Expression<SectionReader>> {
        if let Some(expression) = value.exprloc_value() {
            return Some(expression).filter(|expression| !expression.0.is_empty());
        }
        let lists = self.entries.dwarf.attr_locations(&entry.unit.unit, value);
        let mut list = lists.ok().flatten()?;
        for _ in 0..LIST_ENTRIES {
            let one = list.next().ok().flatten()?;
            if (one.range.begin..one.range.end).contains(&self.address) {
                return Some(one.data).filter(|expression| !expression.0.is_empty());
            }
        }
        None
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
            return VariablePlace::Content(bytes.iter().copied().map(known).collect());
        }
        if let AttributeValue::String(_) | AttributeValue::DebugStrRef(_) = value {
            return VariablePlace::Unknown;
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
        VariablePlace::Content(bytes)
    }

    fn place_by(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        size_bytes: Option<u64>,
    ) -> Result<VariablePlace, QueryError> {
        let evaluated = self.evaluate(expression, encoding, RegisterTime::Now, LEVELS)?;
        let Some(Evaluated { pieces, source }) = evaluated else {
            return Ok(VariablePlace::Unknown);
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
            let size = size_bytes.filter(|size| *size <= ASSEMBLED_BYTES);
            let Some(size) = size else {
                return Ok(VariablePlace::Unknown);
            };
            let bytes = self.piece(piece, size, source)?;
            return Ok(bytes.map_or(VariablePlace::Unknown, VariablePlace::Content));
        }
        let mut content = Vec::new();
        for piece in &pieces {
            let bits = piece.size_in_bits.filter(|bits| bits.is_multiple_of(8));
            let size = bits.map(|bits| bits / 8);
            let is_small = |size: &u64| content.len() as u64 + size <= ASSEMBLED_BYTES;
            let Some(size) = size.filter(is_small) else {
                return Ok(VariablePlace::Unknown);
            };
            match self.piece(piece, size, source)? {
                Some(bytes) => content.extend(bytes),
                None => content.extend(unknown_bytes(size)),
            }
        }
        Ok(VariablePlace::Content(content))
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
        let low = low.into_iter().skip(skipped).take(size).collect();
        let mut bytes = padded(low, size);
        if self.frame.is_big_endian() {
            bytes.reverse();
        }
        Ok(Some(bytes))
    }

    fn address_bytes(&self) -> u8 {
        self.function.unit.unit.encoding().address_size
    }

    fn truncated(&self, address: u64, encoding: Encoding) -> u64 {
        address & mask_of(encoding.address_size)
    }

    /// Evaluates an expression; none if its value cannot be known.
    fn evaluate(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        time: RegisterTime,
        levels: usize,
    ) -> Result<Option<Evaluated>, QueryError> {
        let mut evaluation = expression.evaluation(encoding);
        evaluation.set_max_iterations(OPERATIONS);
        let mut source = ValueSource::Recorded;
        let mut state = evaluation.evaluate();
        for _ in 0..REQUESTS {
            let request = match state {
                Ok(EvaluationResult::Complete) => {
                    let pieces = evaluation.result();
                    return Ok(Some(Evaluated { pieces, source }));
                }
                Ok(request) => request,
                Err(_) => return Ok(None),
            };
            let request = ValueRequest {
                request,
                encoding,
                time,
                levels,
            };
            let Some(resumed) = self.resume(&mut evaluation, request, &mut source)? else {
                return Ok(None);
            };
            state = resumed;
        }
        Ok(None)
    }

    /// Continues an evaluation with what it requests; none if that cannot be known.
    fn resume(
        &self,
        evaluation: &mut Evaluation<SectionReader>,
        wanted: ValueRequest,
        source: &mut ValueSource,
    ) -> Result<Option<gimli::Result<EvaluationResult<SectionReader>>>, QueryError> {
        let ValueRequest {
            request,
            encoding,
            time,
            levels,
        } = wanted;
        let mut used = |number: KnownNumber| {
            *source = (*source).max(number.source);
            number.value
        };
        Ok(match request {
            EvaluationResult::RequiresRegister {
                register,
                base_type,
            } => {
                let number = self.register_number(register.0, time)?;
                number.and_then(|number| {
                    let value = self.typed(used(number), base_type)?;
                    Some(evaluation.resume_with_register(value))
                })
            }
            EvaluationResult::RequiresMemory {
                address,
                size,
                space: None,
                base_type,
            } if time == RegisterTime::Now => {
                let address = self.truncated(address, encoding);
                let mut bytes = self.frame.memory(address, size.into())?;
                if self.frame.is_big_endian() {
                    bytes.reverse();
                }
                let is_whole = bytes.len() == usize::from(size);
                let number = KnownNumber::of_bytes(&bytes).filter(|_| is_whole);
                number.and_then(|number| {
                    let value = self.typed(used(number), base_type)?;
                    Some(evaluation.resume_with_memory(value))
                })
            }
            EvaluationResult::RequiresFrameBase if levels > 0 => {
                let base = self.frame_base(levels - 1)?;
                base.map(|base| evaluation.resume_with_frame_base(used(base)))
            }
            EvaluationResult::RequiresCallFrameCfa if levels > 0 => {
                let cfa = self.cfa(levels - 1)?;
                cfa.map(|cfa| evaluation.resume_with_call_frame_cfa(used(cfa)))
            }
            EvaluationResult::RequiresEntryValue(expression) if levels > 0 => {
                let value = self.entry_value(expression, encoding, levels - 1)?;
                value.map(|value| evaluation.resume_with_entry_value(Value::Generic(used(value))))
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                let moved = address.wrapping_add(self.offset);
                Some(evaluation.resume_with_relocated_address(moved))
            }
            EvaluationResult::RequiresIndexedAddress { index, relocate } => {
                let unit = &self.function.unit.unit;
                let address = self.entries.dwarf.address(unit, index).ok();
                let moved = if relocate { self.offset } else { 0 };
                address.map(|address| {
                    evaluation.resume_with_indexed_address(address.wrapping_add(moved))
                })
            }
            EvaluationResult::RequiresBaseType(offset) => {
                let base = self.base_type(offset);
                base.map(|base| evaluation.resume_with_base_type(base))
            }
            // Thread-local storage, other debug entries and the caller's parameters.
            _ => None,
        })
    }

    fn register_number(
        &self,
        number: u16,
        time: RegisterTime,
    ) -> Result<Option<KnownNumber>, QueryError> {
        let bytes = match time {
            RegisterTime::Now => self.frame.register(number)?,
            RegisterTime::Entry => self.frame.entry_register(number)?,
        };
        Ok(bytes.and_then(|bytes| KnownNumber::of_bytes(&bytes)))
    }

    fn typed(&self, number: u64, base: UnitOffset) -> Option<Value> {
        if base == UnitOffset(0) {
            return Some(Value::Generic(number));
        }
        let bytes = number.to_le_bytes();
        let reader = SectionReader::new(bytes.to_vec(), gimli::RunTimeEndian::Little);
        Value::parse(self.base_type(base)?, reader).ok()
    }

    fn base_type(&self, offset: UnitOffset) -> Option<ValueType> {
        if offset == UnitOffset(0) {
            return Some(ValueType::Generic);
        }
        let die = self.function.unit.unit.entry(offset).ok()?;
        ValueType::from_entry(&die).ok().flatten()
    }

    /// Returns the frame base of the function.
    fn frame_base(&self, levels: usize) -> Result<Option<KnownNumber>, QueryError> {
        let base = self
            .entries
            .inherited(self.function, gimli::DW_AT_frame_base);
        let Some(base) = base else {
            return Ok(None);
        };
        let encoding = base.entry.unit.unit.encoding();
        match self.expression_of(&base.entry, base.value) {
            Some(expression) => self.number(expression, encoding, RegisterTime::Now, levels),
            None => Ok(None),
        }
    }

    /// Returns the value of a register at the entry of the function, or of an expression of such
    /// values.
    fn entry_value(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        levels: usize,
    ) -> Result<Option<KnownNumber>, QueryError> {
        self.number(expression, encoding, RegisterTime::Entry, levels)
    }

    /// Evaluates an expression to a number: an address, a value, or the value of a register.
    fn number(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        time: RegisterTime,
        levels: usize,
    ) -> Result<Option<KnownNumber>, QueryError> {
        let Some(evaluated) = self.evaluate(expression, encoding, time, levels)? else {
            return Ok(None);
        };
        let source = evaluated.source;
        let [piece] = &*evaluated.pieces else {
            return Ok(None);
        };
        Ok(match &piece.location {
            Location::Register { register } => self.register_number(register.0, time)?,
            Location::Address { address } => Some(KnownNumber {
                value: *address,
                source,
            }),
            Location::Value { value } => {
                let value = value.to_u64(mask_of(encoding.address_size)).ok();
                value.map(|value| KnownNumber { value, source })
            }
            Location::Empty | Location::Bytes { .. } | Location::ImplicitPointer { .. } => None,
        })
    }

    /// Returns the canonical frame address.
    fn cfa(&self, levels: usize) -> Result<Option<KnownNumber>, QueryError> {
        match self.rules.cfa_at(self.address) {
            Some(CfaPlace::RegisterOffset { register, offset }) => {
                let base = self.register_number(register.0, RegisterTime::Now)?;
                Ok(base.map(|base| KnownNumber {
                    value: base.value.wrapping_add_signed(offset),
                    ..base
                }))
            }
            Some(CfaPlace::Expression {
                expression,
                encoding,
            }) => self.number(expression, encoding, RegisterTime::Now, levels),
            None => self.frame.entry_stack(),
        }
    }
}

/// A request of an evaluation with its surroundings.
struct ValueRequest {
    request: EvaluationResult<SectionReader>,
    encoding: Encoding,
    time: RegisterTime,
    levels: usize,
}

fn mask_of(address_bytes: u8) -> u64 {
    match address_bytes {
        1..8 => (1 << (8 * u32::from(address_bytes))) - 1,
        _ => u64::MAX,
    }
}

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

/// Adds unknown bytes up to a size.
fn padded(mut bytes: Vec<ByteState>, size: usize) -> Vec<ByteState> {
    bytes.resize(size, ByteState::default());
    bytes
}
