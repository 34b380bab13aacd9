//! Evaluation of DWARF expressions with the state of a frame (DWARF 5, 2.5 "DWARF Expressions").
//!
//! A value that depends on something unknown is unknown, never 0.

use std::cell::Cell;

use gimli::{
    Encoding, Evaluation, EvaluationResult, Expression, Location, Piece, UnitOffset, Value,
    ValueType,
};
use stepback_index::QueryError;
use stepback_index::answer::ValueSource;

use crate::image::lines::SectionReader;
use crate::image::variables::frame_rules::CfaPlace;
use crate::image::variables::frame_values::KnownNumber;
use crate::image::variables::location::{LocationReader, UnreadableLocation};

/// Maximum number of operations of an expression.
const OPERATIONS: u32 = 1 << 12;

/// Maximum number of expressions of a frame, and of values that they request.
const REQUESTS: usize = 1 << 14;

/// Maximum depth of expressions that need others: frame bases and values at the entry.
pub(super) const LEVELS: usize = 4;

/// State that the expressions of a frame share. It bounds the work for a frame, whatever its debug
/// information contains.
#[derive(Default)]
pub struct EvaluationState {
    /// Number of expressions and requests until now.
    requests: Cell<usize>,
    /// Reason why the last expression has no value; none if the value is only unknown.
    pub(super) fault: Cell<Option<LocationFault>>,
}

impl EvaluationState {
    /// Counts an expression or a request; false if there are too many.
    fn has_room(&self) -> bool {
        let requests = self.requests.get();
        if requests >= REQUESTS {
            self.fault.set(Some(LocationFault::Unreadable));
            return false;
        }
        self.requests.set(requests + 1);
        true
    }
}

/// Reason why a location has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocationFault {
    Unsupported(UnsupportedLocation),
    Unreadable,
}

/// Kind of location that is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedLocation {
    ThreadLocal,
    /// The target of a pointer that the compiler left out.
    ImplicitPointer,
    /// A part of a variable that is not a whole number of bytes.
    BitPieces,
    /// A member whose offset depends on the object, such as a virtual base class.
    ComputedMember,
    Other,
}

/// Result of an expression.
pub(super) struct Evaluated {
    pub pieces: Vec<Piece<SectionReader>>,
    /// Source of the values that it used.
    pub source: ValueSource,
}

/// State of registers that an expression refers to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RegisterMoment {
    Now,
    Entry,
}

impl LocationReader<'_> {
    /// Evaluates an expression; none if its value cannot be known.
    pub(super) fn evaluate(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        time: RegisterMoment,
        levels: usize,
    ) -> Result<Option<Evaluated>, QueryError> {
        if !self.state.has_room() {
            return Ok(None);
        }
        let mut evaluation = expression.evaluation(encoding);
        evaluation.set_max_iterations(OPERATIONS);
        let mut source = ValueSource::Recorded;
        let mut state = evaluation.evaluate();
        loop {
            let request = match state {
                Ok(EvaluationResult::Complete) => {
                    let pieces = evaluation.result();
                    return Ok(Some(Evaluated { pieces, source }));
                }
                Ok(request) => request,
                Err(gimli::Error::InvalidExpression(_)) => {
                    let kind = UnsupportedLocation::Other;
                    self.state.fault.set(Some(LocationFault::Unsupported(kind)));
                    return Ok(None);
                }
                Err(_) => {
                    self.state.fault.set(Some(LocationFault::Unreadable));
                    return Ok(None);
                }
            };
            if !self.state.has_room() {
                return Ok(None);
            }
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
            } if time == RegisterMoment::Now => {
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
            EvaluationResult::RequiresTls(_) => {
                let kind = UnsupportedLocation::ThreadLocal;
                self.state.fault.set(Some(LocationFault::Unsupported(kind)));
                None
            }
            // Other debug entries and the caller's parameters.
            EvaluationResult::RequiresAtLocation(_)
            | EvaluationResult::RequiresParameterRef(_)
            | EvaluationResult::RequiresMemory { space: Some(_), .. } => {
                let kind = UnsupportedLocation::Other;
                self.state.fault.set(Some(LocationFault::Unsupported(kind)));
                None
            }
            _ => None,
        })
    }

    fn register_number(
        &self,
        number: u16,
        time: RegisterMoment,
    ) -> Result<Option<KnownNumber>, QueryError> {
        let bytes = match time {
            RegisterMoment::Now => self.frame.register(number)?,
            RegisterMoment::Entry => self.frame.entry_register(number)?,
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
            Ok(Some(expression)) => self.number(expression, encoding, RegisterMoment::Now, levels),
            Ok(None) => Ok(None),
            Err(UnreadableLocation) => {
                self.state.fault.set(Some(LocationFault::Unreadable));
                Ok(None)
            }
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
        self.number(expression, encoding, RegisterMoment::Entry, levels)
    }

    /// Evaluates an expression to a number: an address, a value, or the value of a register.
    pub(super) fn number(
        &self,
        expression: Expression<SectionReader>,
        encoding: Encoding,
        time: RegisterMoment,
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
                let base = self.register_number(register.0, RegisterMoment::Now)?;
                Ok(base.map(|base| KnownNumber {
                    value: base.value.wrapping_add_signed(offset),
                    ..base
                }))
            }
            Some(CfaPlace::Expression {
                expression,
                encoding,
            }) => self.number(expression, encoding, RegisterMoment::Now, levels),
            None => self.frame.entry_stack(),
        }
    }
}

/// A request of an evaluation with its surroundings.
struct ValueRequest {
    request: EvaluationResult<SectionReader>,
    encoding: Encoding,
    time: RegisterMoment,
    levels: usize,
}

pub(super) fn mask_of(address_bytes: u8) -> u64 {
    match address_bytes {
        1..8 => (1 << (8 * u32::from(address_bytes))) - 1,
        _ => u64::MAX,
    }
}
