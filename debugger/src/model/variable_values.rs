//! Bytes and numbers of values ([`ValueReader`]).

use stepback_index::answer::ByteState;
use stepback_index::query::MemoryAt;
use stepback_index::{Cancel, QueryError};
use stepback_machine::{Address, Endian};

use crate::image::{FieldBits, KnownNumber, Signedness, TypeShape, VariablePlace, sign_extended};
use crate::model::bit_fields::{FieldNumber, field_number};
use crate::model::frame_place::FramePlace;
use crate::model::local_variables::thread_memory;
use crate::model::typed_value::TypedValue;
use crate::session::Session;

/// Maximum size of a bit field in bits.
const FIELD_BITS: u64 = 64;

/// Maximum size of a number in bytes.
pub(super) const WIDE_BYTES: u64 = 16;

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
            VariablePlace::Content(content) => Ok(Some(content.first_bytes(limit))),
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
            VariablePlace::Content(content) => {
                let len_bytes = end - start;
                content.part(start, Some(len_bytes)).first_bytes(len_bytes)
            }
            VariablePlace::OptimisedAway
            | VariablePlace::Unsupported(_)
            | VariablePlace::Unreadable
            | VariablePlace::Unknown => return Ok(None),
        };
        let description = value.description();
        let size = description.size_bytes.unwrap_or(0).min(WIDE_BYTES);
        let size = usize::try_from(size).unwrap_or_default();
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
