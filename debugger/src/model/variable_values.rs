//! Values of variables with their types ([`TypedValue`]): their bytes, and the members of
//! structures, arrays and pointers.

use stepback_index::answer::{ByteState, ValueSource};
use stepback_index::query::MemoryAt;
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, Endian};

use crate::image::{
    FieldBits, KnownNumber, Signedness, TypeDescription, TypeMember, TypeShape, VariablePlace,
    VariableType, VariableTypes,
};
use crate::model::frame_place::FramePlace;
use crate::model::local_variables::thread_memory;
use crate::session::Session;

/// Maximum size of a bit field in bits.
const FIELD_BITS: u64 = 64;

/// Maximum number of elements of an array in an answer.
const ELEMENTS: u64 = 1 << 16;

/// Maximum size in bytes of a content that is brought to the size of a member.
const CONTENT_BYTES: u64 = 1 << 16;

/// Name of the memory that a pointer points to.
const TARGET: &str = "*";

/// A value with its type.
#[derive(Clone, Debug)]
pub struct TypedValue {
    pub types: VariableTypes,
    pub of_type: VariableType,
    pub place: VariablePlace,
    /// Bits of the place that a bit field has. They are counted from the start of the place.
    pub bits: Option<FieldBits>,
}

/// A member of a value.
#[derive(Clone, Debug)]
pub struct NamedValue {
    /// Name; `[2]` for an element, `*` for the target of a pointer.
    pub name: String,
    pub value: TypedValue,
}

impl TypedValue {
    /// Describes the type.
    pub fn description(&self) -> TypeDescription {
        self.types.describe(self.of_type)
    }

    /// Returns the name of the type.
    pub fn type_name(&self) -> String {
        self.types.name_of(self.of_type)
    }

    /// Returns true for a pointer or a reference.
    pub fn is_pointer(&self) -> bool {
        matches!(self.description().shape, TypeShape::Pointer(_))
    }

    /// Returns the address of a value in memory.
    pub fn address(&self) -> Option<Address> {
        match self.place {
            VariablePlace::Memory(address) if self.bits.is_none() => Some(Address(address)),
            _ => None,
        }
    }

    fn part(&self, offset_bytes: u64, of_type: VariableType) -> Self {
        let place = match &self.place {
            VariablePlace::Memory(address) => {
                VariablePlace::Memory(address.wrapping_add(offset_bytes))
            }
            VariablePlace::Content(bytes) => {
                let start = usize::try_from(offset_bytes).unwrap_or(usize::MAX);
                let rest = bytes.get(start..).unwrap_or_default();
                let size = self.types.size_of(of_type);
                let size = size.filter(|size| *size <= CONTENT_BYTES);
                VariablePlace::Content(rest.to_vec()).of_size(size)
            }
            other => other.clone(),
        };
        Self {
            types: self.types.clone(),
            of_type,
            place,
            bits: None,
        }
    }

    /// Returns a member of a structure.
    pub(crate) fn member(&self, member: TypeMember) -> NamedValue {
        let value = match (member.bits, member.offset_bytes) {
            // The bits are counted from the start of the structure.
            (Some(bits), _) => Self {
                of_type: member.of_type,
                bits: Some(bits),
                ..self.clone()
            },
            (None, Some(offset_bytes)) => self.part(offset_bytes, member.of_type),
            (None, None) => Self {
                types: self.types.clone(),
                of_type: member.of_type,
                place: VariablePlace::Unsupported,
                bits: None,
            },
        };
        NamedValue {
            name: member.name.unwrap_or_default(),
            value,
        }
    }
}

/// Reads values in a frame.
pub struct ValueReader<'a> {
    pub session: &'a Session,
    pub place: &'a FramePlace,
    pub cancel: &'a Cancel,
}

impl ValueReader<'_> {
    /// Reads the bytes of a value in memory order, at most `limit` of them. None if the value has no
    /// place, or if its size is unknown.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn bytes(
        &self,
        value: &TypedValue,
        limit: u64,
    ) -> Result<Option<Vec<ByteState>>, QueryError> {
        let size = value.types.size_of(value.of_type);
        if let Some(bits) = value.bits {
            return self.field(value, bits);
        }
        match &value.place {
            VariablePlace::OptimisedAway
            | VariablePlace::Unsupported
            | VariablePlace::Unreadable
            | VariablePlace::Unknown => Ok(None),
            VariablePlace::Content(bytes) => {
                let len = usize::try_from(limit)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
                Ok(bytes.get(..len).map(<[ByteState]>::to_vec))
            }
            VariablePlace::Memory(address) => match size {
                Some(size) => self.memory(*address, size.min(limit)).map(Some),
                None => Ok(None),
            },
        }
    }

    /// Reads memory as the thread of the frame sees it.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn memory(&self, address: u64, len_bytes: u64) -> Result<Vec<ByteState>, QueryError> {
        let range = MemoryAt {
            position: self.place.position,
            address: Address(address),
            len_bytes,
        };
        thread_memory(self.session, self.place, range, self.cancel)
    }

    /// Reads a bit field as the bytes of its type.
    fn field(
        &self,
        value: &TypedValue,
        bits: FieldBits,
    ) -> Result<Option<Vec<ByteState>>, QueryError> {
        let FieldBits { first, count } = bits;
        let end = first.checked_add(count);
        let (Some(end), 1..=FIELD_BITS) = (end, count) else {
            return Ok(None);
        };
        let (start, end) = (first / 8, end.div_ceil(8));
        let covering = match &value.place {
            VariablePlace::Memory(address) => {
                self.memory(address.wrapping_add(start), end - start)?
            }
            VariablePlace::Content(bytes) => {
                let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
                let part = range.and_then(|(start, end)| bytes.get(start..end));
                part.unwrap_or_default().to_vec()
            }
            VariablePlace::OptimisedAway
            | VariablePlace::Unsupported
            | VariablePlace::Unreadable
            | VariablePlace::Unknown => return Ok(None),
        };
        let description = value.description();
        let size = usize::try_from(description.size_bytes.unwrap_or(0)).unwrap_or(0);
        let field = FieldBits {
            first: first % 8,
            count,
        };
        let number = field_number(&covering, field, self.endian());
        let Some(FieldNumber { bits, source }) = number.filter(|_| (1..=8).contains(&size)) else {
            return Ok(Some(vec![ByteState::default(); size]));
        };
        let unused = 64 - u32::try_from(count).unwrap_or(64);
        let number = match is_signed(&description.shape) {
            true => ((bits << unused).cast_signed() >> unused).cast_unsigned(),
            false => bits,
        };
        let mut bytes: Vec<ByteState> = number
            .to_le_bytes()
            .into_iter()
            .take(size)
            .map(|byte| ByteState {
                value: Some(byte),
                source,
                seen_at: None,
            })
            .collect();
        if self.endian() == Endian::Big {
            bytes.reverse();
        }
        Ok(Some(bytes))
    }

    fn endian(&self) -> Endian {
        match self.session.index.info().is_big_endian {
            true => Endian::Big,
            false => Endian::Little,
        }
    }

    /// Returns the number in the bytes of a value; none if one of them is unknown.
    pub fn number(&self, bytes: &[ByteState]) -> Option<KnownNumber> {
        let mut bytes = bytes.to_vec();
        if self.endian() == Endian::Big {
            bytes.reverse();
        }
        KnownNumber::of_bytes(&bytes).filter(|_| (1..=8).contains(&bytes.len()))
    }

    /// Returns the number in a value, extended to 64 bits with its sign; none if it is unknown.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn signed_number(&self, value: &TypedValue) -> Result<Option<u64>, QueryError> {
        let Some(bytes) = self.bytes(value, 8)? else {
            return Ok(None);
        };
        let unused = 64 - 8 * u32::try_from(bytes.len().clamp(1, 8)).unwrap_or(8);
        let number = self.number(&bytes).map(|number| number.value);
        Ok(
            number.map(|number| match is_signed(&value.description().shape) {
                true => ((number << unused).cast_signed() >> unused).cast_unsigned(),
                false => number,
            }),
        )
    }

    /// Returns an element of an array, or of the memory that a known pointer points to.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn element(
        &self,
        value: &TypedValue,
        index: u64,
    ) -> Result<Option<TypedValue>, QueryError> {
        let found = match value.description().shape {
            TypeShape::Pointer(target) => self.target(value, target)?.map(|first| {
                let size = value.types.size_of(target).unwrap_or(0);
                first.value.part(index.wrapping_mul(size), target)
            }),
            _ => self.members(value, index, 1)?.pop().map(|one| one.value),
        };
        Ok(found)
    }

    /// Returns the number of members of a value.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn member_count(&self, value: &TypedValue) -> Result<u64, QueryError> {
        Ok(match value.description().shape {
            TypeShape::Record(members) => members.len() as u64,
            TypeShape::Array { count, .. } => count.unwrap_or(0),
            TypeShape::Pointer(target) => match self.target(value, target)? {
                Some(_) => 1,
                None => 0,
            },
            TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float
            | TypeShape::Enumeration { .. }
            | TypeShape::Function
            | TypeShape::Opaque => 0,
        })
    }

    /// Returns some members of a value: of a structure, an array or a pointer. An answer has at most
    /// 65,536 elements of an array.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn members(
        &self,
        value: &TypedValue,
        skipped: u64,
        count: u64,
    ) -> Result<Vec<NamedValue>, QueryError> {
        let take = usize::try_from(count).unwrap_or(usize::MAX);
        let skip = usize::try_from(skipped).unwrap_or(usize::MAX);
        Ok(match value.description().shape {
            TypeShape::Record(members) => {
                let members = members.into_iter().skip(skip).take(take);
                members.map(|member| value.member(member)).collect()
            }
            TypeShape::Array {
                element,
                count: Some(all),
            } => {
                let size = value.types.size_of(element).unwrap_or(0);
                let last = all.min(skipped.saturating_add(count.min(ELEMENTS)));
                let at = |index: u64| NamedValue {
                    name: format!("[{index}]"),
                    value: value.part(index.saturating_mul(size), element),
                };
                (skipped..last).map(at).collect()
            }
            TypeShape::Pointer(target) => {
                let target = self.target(value, target)?.into_iter();
                target.skip(skip).take(take).collect()
            }
            TypeShape::Array { count: None, .. }
            | TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float
            | TypeShape::Enumeration { .. }
            | TypeShape::Function
            | TypeShape::Opaque => Vec::new(),
        })
    }

    /// Returns the value to which a known pointer points.
    fn target(
        &self,
        value: &TypedValue,
        target: VariableType,
    ) -> Result<Option<NamedValue>, QueryError> {
        if value.types.size_of(target).is_none() {
            return Ok(None);
        }
        let bytes = self.bytes(value, 8)?;
        let address = bytes.and_then(|bytes| self.number(&bytes));
        let address = address.filter(|address| address.value != 0);
        Ok(address.map(|address| NamedValue {
            name: TARGET.to_owned(),
            value: TypedValue {
                types: value.types.clone(),
                of_type: target,
                place: VariablePlace::Memory(address.value),
                bits: None,
            },
        }))
    }
}

fn is_signed(shape: &TypeShape) -> bool {
    matches!(
        shape,
        TypeShape::Integer(Signedness::Signed)
            | TypeShape::Character(Signedness::Signed)
            | TypeShape::Enumeration {
                signedness: Signedness::Signed,
                ..
            }
    )
}

/// Bits of a field with the source of their bytes.
struct FieldNumber {
    bits: u64,
    source: ValueSource,
}

/// Reads a bit field from the bytes that contain it; none if one of them is unknown.
fn field_number(covering: &[ByteState], field: FieldBits, endian: Endian) -> Option<FieldNumber> {
    let mut bits: u128 = 0;
    let mut source = ValueSource::Recorded;
    let mut bytes: Vec<ByteState> = covering.to_vec();
    if endian == Endian::Little {
        bytes.reverse();
    }
    for byte in bytes.iter().take(16) {
        bits = bits << 8 | u128::from(byte.value?);
        source = source.max(byte.source);
    }
    let all = 8 * covering.len() as u64;
    let end = field.first.checked_add(field.count)?;
    let low = match endian {
        Endian::Big => all.checked_sub(end)?,
        Endian::Little => Some(field.first).filter(|_| end <= all)?,
    };
    let mask = u128::MAX >> (128 - u32::try_from(field.count).ok()?);
    let bits = u64::try_from(bits.checked_shr(u32::try_from(low).ok()?)? & mask).ok()?;
    Some(FieldNumber { bits, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(bytes: &[u8]) -> Vec<ByteState> {
        let state = |byte: &u8| ByteState {
            value: Some(*byte),
            source: ValueSource::Recorded,
            seen_at: None,
        };
        bytes.iter().map(state).collect()
    }

    /// Fields of `struct { unsigned a : 3; unsigned b : 7; unsigned c : 6; }` with the values 5, 100
    /// and 33, as the ABIs of little-endian and big-endian processors lay them out.
    #[test]
    fn fields_are_counted_from_either_end() {
        let number: u16 = 5 | 100 << 3 | 33 << 10;
        let little = states(&number.to_le_bytes());
        let number: u16 = 5 << 13 | 100 << 6 | 33;
        let big = states(&number.to_be_bytes());
        for (first, count, expected) in [(0, 3, 5), (3, 7, 100), (10, 6, 33)] {
            let field = FieldBits { first, count };
            let read = |bytes: &[ByteState], endian: Endian| {
                field_number(bytes, field, endian).map(|field| field.bits)
            };
            assert_eq!(read(&little, Endian::Little), Some(expected));
            assert_eq!(read(&big, Endian::Big), Some(expected));
        }
    }

    #[test]
    fn an_unknown_byte_makes_a_field_unknown() {
        let mut bytes = states(&[1, 2]);
        bytes[1] = ByteState::default();
        let field = FieldBits { first: 4, count: 8 };
        assert!(field_number(&bytes, field, Endian::Little).is_none());
        let outside = FieldBits { first: 9, count: 8 };
        assert!(field_number(&states(&[1, 2]), outside, Endian::Little).is_none());
    }
}
