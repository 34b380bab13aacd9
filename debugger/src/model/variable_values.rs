//! Bytes and numbers of values, and the members of structures, arrays and pointers
//! ([`ValueReader`]).

use std::collections::VecDeque;

use stepback_index::answer::ByteState;
use stepback_index::query::MemoryAt;
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, Endian};

use crate::image::{
    FieldBits, KnownNumber, Signedness, TypeMember, TypeShape, TypeVariant, VariablePlace,
    VariableType, VariantPart, sign_extended,
};
use crate::model::bit_fields::{FieldNumber, field_number};
use crate::model::frame_place::FramePlace;
use crate::model::local_variables::thread_memory;
use crate::model::typed_value::{NamedValue, TypedValue};
use crate::session::Session;

/// Maximum size of a bit field in bits.
const FIELD_BITS: u64 = 64;

/// Maximum number of elements of an array in an answer.
const ELEMENTS: u64 = 1 << 16;

/// Maximum size of a number in bytes.
const WIDE_BYTES: u64 = 16;

/// Maximum number of references to references.
const REFERENCES: usize = 8;

/// Maximum number of structures inside one another in which a member is looked up.
const NESTED_RECORDS: usize = 256;

/// Name of the memory that a pointer points to.
const TARGET: &str = "*";

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
        if let Some(bits) = value.bits {
            return self.field(value, bits);
        }
        match &value.place {
            VariablePlace::OptimisedAway
            | VariablePlace::Unsupported(_)
            | VariablePlace::Unreadable
            | VariablePlace::Unknown => Ok(None),
            VariablePlace::Content(bytes) => {
                let len = usize::try_from(limit)
                    .unwrap_or(usize::MAX)
                    .min(bytes.len());
                Ok(bytes.get(..len).map(<[ByteState]>::to_vec))
            }
            VariablePlace::Memory(address) => match value.size_bytes() {
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
            | VariablePlace::Unsupported(_)
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
        let number = with_sign(bits, count, &description.shape);
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

    /// Returns the number in at most 16 bytes; none if one of them is unknown.
    pub fn wide_number(&self, bytes: &[ByteState]) -> Option<u128> {
        let mut known: Vec<u8> = bytes.iter().map(|byte| byte.value).collect::<Option<_>>()?;
        if self.endian() == Endian::Little {
            known.reverse();
        }
        let is_number = (1..=16).contains(&known.len());
        let number = known
            .iter()
            .fold(0, |number: u128, byte| number << 8 | u128::from(*byte));
        is_number.then_some(number)
    }

    /// Returns the number in a value, extended to 64 bits with its sign; none if it is unknown or
    /// has more bits.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn signed_number(&self, value: &TypedValue) -> Result<Option<u64>, QueryError> {
        let Some(bytes) = self.bytes(value, WIDE_BYTES)? else {
            return Ok(None);
        };
        let shape = value.description().shape;
        let number = self.number(&bytes);
        Ok(number.map(|number| with_sign(number.value, 8 * bytes.len() as u64, &shape)))
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
        let Some(value) = self.referred(value)? else {
            return Ok(None);
        };
        Ok(match value.description().shape {
            TypeShape::Pointer(target) => self.target(&value, target)?.and_then(|first| {
                let offset = index.wrapping_mul(first.size_bytes()?);
                Some(first.part(offset, target))
            }),
            TypeShape::Array { .. } => self.members(&value, index, 1)?.pop().map(|one| one.value),
            TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float
            | TypeShape::Reference(_)
            | TypeShape::Enumeration { .. }
            | TypeShape::Record { .. }
            | TypeShape::Function
            | TypeShape::Opaque => None,
        })
    }

    /// Returns the number of members of a value.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn member_count(&self, value: &TypedValue) -> Result<u64, QueryError> {
        Ok(match value.description().shape {
            TypeShape::Array { length, .. } => length.known().unwrap_or(0),
            TypeShape::Reference(_) => match self.referred(value)? {
                Some(target) => self.member_count(&target)?,
                None => 0,
            },
            TypeShape::Record { .. } | TypeShape::Pointer(_) => {
                self.members(value, 0, u64::MAX)?.len() as u64
            }
            TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float
            | TypeShape::Enumeration { .. }
            | TypeShape::Function
            | TypeShape::Opaque => 0,
        })
    }

    /// Returns some members of a value: of a structure, an array or a pointer, or of the value that
    /// a reference refers to. An answer has at most 65,536 elements of an array.
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
            TypeShape::Record { members, variants } => {
                let selected = match &variants {
                    Some(part) => self.selected_variant(value, part)?,
                    None => SelectedVariant::None,
                };
                let members = members.iter().chain(selected.members());
                let members = members.skip(skip).take(take);
                members.map(|member| value.member(member.clone())).collect()
            }
            TypeShape::Array { element, length } => {
                let size = value.types.size_of(element).unwrap_or(0);
                let all = length.known().unwrap_or(0);
                let last = all.min(skipped.saturating_add(count.min(ELEMENTS)));
                let at = |index: u64| NamedValue {
                    name: format!("[{index}]"),
                    value: value.part(index.saturating_mul(size), element),
                };
                (skipped..last).map(at).collect()
            }
            TypeShape::Pointer(target) => {
                let target = self.target(value, target)?.into_iter();
                let named = target.map(|value| NamedValue {
                    name: TARGET.to_owned(),
                    value,
                });
                named.skip(skip).take(take).collect()
            }
            TypeShape::Reference(_) => match self.referred(value)? {
                Some(target) => self.members(&target, skipped, count)?,
                None => Vec::new(),
            },
            TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float
            | TypeShape::Enumeration { .. }
            | TypeShape::Function
            | TypeShape::Opaque => Vec::new(),
        })
    }

    /// Returns the member of a structure with a name, or of the one that a pointer points to. Members
    /// of base classes, of anonymous members and of the selected variant are members too.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn named_member(
        &self,
        value: &TypedValue,
        name: &str,
    ) -> Result<Option<TypedValue>, QueryError> {
        let Some(value) = self.referred(value)? else {
            return Ok(None);
        };
        let record = match value.is_pointer() {
            true => self.pointed(&value)?,
            false => Some(value),
        };
        let mut open: VecDeque<TypedValue> = record.into_iter().collect();
        // The members of the outer structures come first.
        for _ in 0..NESTED_RECORDS {
            let Some(record) = open.pop_front() else {
                break;
            };
            let TypeShape::Record { members, variants } = record.description().shape else {
                continue;
            };
            let selected = match &variants {
                Some(part) => self.selected_variant(&record, part)?,
                None => SelectedVariant::None,
            };
            let mut all = members.iter().chain(selected.members());
            if let Some(found) = all.find(|member| member.has_name(name)) {
                return Ok(Some(record.member(found.clone()).value));
            }
            let inner = members.iter().filter(|member| member.is_transparent());
            let inner = inner.chain(selected.members());
            open.extend(inner.map(|member| record.member(member.clone()).value));
        }
        Ok(None)
    }

    /// Returns the variant that the discriminant of a structure selects.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn selected_variant<'v>(
        &self,
        value: &TypedValue,
        part: &'v VariantPart,
    ) -> Result<SelectedVariant<'v>, QueryError> {
        let found = match &part.discriminant {
            Some(member) => {
                let discriminant = value.member(member.clone()).value;
                let bytes = self.bytes(&discriminant, WIDE_BYTES)?.unwrap_or_default();
                let Some(number) = self.wide_number(&bytes) else {
                    return Ok(SelectedVariant::Unknown);
                };
                part.selected_by(number, bytes.len())
            }
            None => part.variants.first(),
        };
        Ok(found.map_or(SelectedVariant::None, SelectedVariant::Known))
    }

    /// Returns the value that a reference refers to, and any other value itself; none if the
    /// reference is unknown.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn referred(&self, value: &TypedValue) -> Result<Option<TypedValue>, QueryError> {
        let mut value = value.clone();
        for _ in 0..REFERENCES {
            let TypeShape::Reference(target) = value.description().shape else {
                return Ok(Some(value));
            };
            match self.target(&value, target)? {
                Some(target) => value = target,
                None => break,
            }
        }
        Ok(None)
    }

    /// Returns the value to which a known pointer points; none for another value.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn pointed(&self, value: &TypedValue) -> Result<Option<TypedValue>, QueryError> {
        let Some(value) = self.referred(value)? else {
            return Ok(None);
        };
        match value.description().shape {
            TypeShape::Pointer(target) => self.target(&value, target),
            _ => Ok(None),
        }
    }

    /// Returns the value to which a known pointer or reference points.
    fn target(
        &self,
        value: &TypedValue,
        target: VariableType,
    ) -> Result<Option<TypedValue>, QueryError> {
        if value.types.size_of(target).is_none() {
            return Ok(None);
        }
        let bytes = self.bytes(value, 8)?;
        let address = bytes.and_then(|bytes| self.number(&bytes));
        let address = address.filter(|address| address.value != 0);
        Ok(address.map(|address| value.at(address.value, target)))
    }
}

/// The variant of a structure that its discriminant selects.
#[derive(Clone, Copy, Debug)]
pub enum SelectedVariant<'a> {
    Known(&'a TypeVariant),
    /// The discriminant selects no variant.
    None,
    /// The discriminant is unknown.
    Unknown,
}

impl<'a> SelectedVariant<'a> {
    /// Returns the members of the variant.
    pub fn members(self) -> &'a [TypeMember] {
        match self {
            Self::Known(variant) => &variant.members,
            Self::None | Self::Unknown => &[],
        }
    }
}

/// Extends a number of some bits to 64 with the sign of its type.
fn with_sign(number: u64, bits: u64, shape: &TypeShape) -> u64 {
    match is_signed(shape) {
        true => sign_extended(number, u32::try_from(bits).unwrap_or(64)).cast_unsigned(),
        false => number,
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
