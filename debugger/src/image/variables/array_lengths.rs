//! Lengths of arrays (DWARF 5, 5.5 "Array Type Entries"). Those of arrays of variable length depend
//! on the state of a frame ([`FrameLengths`]).

use std::collections::HashMap;

use gimli::{AttributeValue, DwAt};
use stepback_index::QueryError;

use crate::image::lines::SectionReader;
use crate::image::variables::debug_entries::{Entry, EntryId, number_of};
use crate::image::variables::evaluation::{LEVELS, LocationFault, RegisterMoment};
use crate::image::variables::frame_values::{KnownNumber, sign_extended};
use crate::image::variables::location::{LocationReader, UnreadableLocation, VariablePlace};
use crate::image::variables::types::{
    Signedness, TypeReader, TypeShape, VariableType, has_any, language_of,
};

/// Maximum number of dimensions of an array.
const DIMENSIONS: usize = 32;

/// Maximum number of types around an array of variable length: pointers, arrays and qualifiers.
const LEVELS_AROUND: usize = 24;

/// Attributes of arrays with space between the elements, or with elements of some bits.
const STRIDES: [DwAt; 2] = [gimli::DW_AT_byte_stride, gimli::DW_AT_bit_stride];

/// Number of elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayLength {
    Known(u64),
    /// The debug information does not state it, as for a flexible array member.
    Unstated,
    /// The compiler left its value out here.
    OptimisedAway,
    /// It depends on something that is not supported.
    Unsupported,
    /// Its debug information is damaged.
    Unreadable,
    /// It depends on something that is not recorded.
    Unknown,
}

impl ArrayLength {
    /// Returns the number of elements if it is known.
    pub fn known(self) -> Option<u64> {
        match self {
            Self::Known(count) => Some(count),
            Self::Unstated
            | Self::OptimisedAway
            | Self::Unsupported
            | Self::Unreadable
            | Self::Unknown => None,
        }
    }
}

/// Lengths that depend on the state of a frame, by the entries of the dimensions.
#[derive(Clone, Debug, Default)]
pub struct FrameLengths(HashMap<EntryId, ArrayLength>);

impl TypeReader<'_> {
    pub(super) fn array(&self, entry: &Entry, removed: usize) -> TypeShape {
        if is_strided(entry) {
            return TypeShape::Opaque;
        }
        let lengths = self.lengths_of(entry);
        let (length, is_last) = match lengths.get(removed..) {
            Some([length, rest @ ..]) => (*length, rest.is_empty()),
            Some([]) | None => (ArrayLength::Unstated, true),
        };
        let element = match is_last {
            true => VariableType::of(self.entries.type_of(entry)),
            false => VariableType {
                entry: entry.id(),
                dimensions: removed + 1,
            },
        };
        TypeShape::Array { element, length }
    }

    /// Returns the number of elements in each dimension.
    pub(super) fn lengths_of(&self, entry: &Entry) -> Vec<ArrayLength> {
        let dimensions = dimensions_of(self, entry).into_iter();
        dimensions
            .map(|dimension| match constant_length(&dimension) {
                Some(length) => length,
                None => {
                    let length = dimension.id().and_then(|id| self.lengths.0.get(&id));
                    length.copied().unwrap_or(ArrayLength::Unsupported)
                }
            })
            .collect()
    }
}

fn dimensions_of(types: &TypeReader<'_>, array: &Entry) -> Vec<Entry> {
    let children = types.entries.children_of(array, DIMENSIONS).into_iter();
    let dimensions = children.filter(|child| {
        matches!(
            child.tag(),
            gimli::DW_TAG_subrange_type | gimli::DW_TAG_enumeration_type
        )
    });
    dimensions.collect()
}

/// Returns true for an array with space between the elements, or with elements of some bits.
pub(super) fn is_strided(array: &Entry) -> bool {
    has_any(array, &STRIDES)
}

/// Returns the length of a dimension if it is the same in all frames.
fn constant_length(dimension: &Entry) -> Option<ArrayLength> {
    if let Some(count) = dimension.die.attr_value(gimli::DW_AT_count) {
        let count = u64::try_from(number_of(&count)?);
        return Some(count.map_or(ArrayLength::Unreadable, ArrayLength::Known));
    }
    let Some(last) = dimension.die.attr_value(gimli::DW_AT_upper_bound) else {
        return Some(ArrayLength::Unstated);
    };
    let last = number_of(&last)?;
    let first = match dimension.die.attr_value(gimli::DW_AT_lower_bound) {
        Some(first) => number_of(&first)?,
        None => default_lower_bound(dimension),
    };
    // A bound of -1 in four or eight bytes is that of an array without elements.
    let last = match [u32::MAX.into(), u64::MAX.into()].contains(&last) {
        true => -1,
        false => last,
    };
    Some(length_between(first, last))
}

/// Returns the number of elements between two bounds. An array whose last element would be before
/// the first has none.
fn length_between(first: i128, last: i128) -> ArrayLength {
    let count = (last - first + 1).max(0);
    u64::try_from(count).map_or(ArrayLength::Unreadable, ArrayLength::Known)
}

/// Returns the lower bound of arrays without one (DWARF 5, table 7.17).
fn default_lower_bound(dimension: &Entry) -> i128 {
    let language = language_of(dimension);
    let bound = language.and_then(gimli::DwLang::default_lower_bound);
    bound.map_or(0, |bound| bound as i128)
}

/// Reads the lengths of arrays in a frame.
pub(super) struct LengthReader<'a> {
    pub types: TypeReader<'a>,
    pub locations: &'a LocationReader<'a>,
}

/// A bound of an array, or the reason why it is not known.
type Bound = Result<i128, ArrayLength>;

impl LengthReader<'_> {
    /// Reads the lengths in a type that depend on the frame: those of arrays, and of arrays to which
    /// pointers point. Members of structures have none in C.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn lengths_in(&self, of_type: VariableType) -> Result<FrameLengths, QueryError> {
        let mut lengths = FrameLengths::default();
        let mut next = of_type.entry;
        for _ in 0..LEVELS_AROUND {
            let Some(entry) = next.and_then(|id| self.types.entries.entry(id)) else {
                break;
            };
            if entry.tag() == gimli::DW_TAG_array_type {
                for dimension in dimensions_of(&self.types, &entry) {
                    if constant_length(&dimension).is_none()
                        && let Some(id) = dimension.id()
                    {
                        lengths.0.insert(id, self.length(&dimension)?);
                    }
                }
            }
            next = self.types.entries.type_of(&entry);
        }
        Ok(lengths)
    }

    fn length(&self, dimension: &Entry) -> Result<ArrayLength, QueryError> {
        if dimension.die.attr_value(gimli::DW_AT_count).is_some() {
            let count = self.bound(dimension, gimli::DW_AT_count)?;
            return Ok(count.map_or_else(|reason| reason, |count| length_between(1, count)));
        }
        let first = match dimension.die.attr_value(gimli::DW_AT_lower_bound) {
            Some(_) => self.bound(dimension, gimli::DW_AT_lower_bound)?,
            None => Ok(default_lower_bound(dimension)),
        };
        let last = self.bound(dimension, gimli::DW_AT_upper_bound)?;
        Ok(match (first, last) {
            (Ok(first), Ok(last)) => length_between(first, last),
            (Err(reason), _) | (_, Err(reason)) => reason,
        })
    }

    /// Reads a bound: a constant, the result of an expression, or the value of a variable
    /// (DWARF 5, 2.19 "Static and Dynamic Values of Attributes").
    fn bound(&self, dimension: &Entry, name: DwAt) -> Result<Bound, QueryError> {
        let Some(value) = dimension.die.attr_value(name) else {
            return Ok(Err(ArrayLength::Unstated));
        };
        if let Some(number) = number_of(&value) {
            return Ok(Ok(number));
        }
        if let Some(variable) = self.types.entries.reference(dimension, name) {
            return match self.types.entries.entry(variable) {
                Some(variable) => self.variable(&variable),
                None => Ok(Err(ArrayLength::Unreadable)),
            };
        }
        self.computed(dimension, value)
    }

    fn computed(
        &self,
        dimension: &Entry,
        value: AttributeValue<SectionReader>,
    ) -> Result<Bound, QueryError> {
        let encoding = dimension.unit.unit.encoding();
        let expression = match self.locations.expression_of(dimension, value) {
            Ok(Some(expression)) => expression,
            Ok(None) => return Ok(Err(ArrayLength::OptimisedAway)),
            Err(UnreadableLocation) => return Ok(Err(ArrayLength::Unreadable)),
        };
        let moment = RegisterMoment::Now;
        let number = self
            .locations
            .number(expression, encoding, moment, LEVELS)?;
        let fault = self.locations.state.fault.take();
        Ok(match (number, fault) {
            (Some(number), _) => {
                let bits = 8 * u32::from(encoding.address_size);
                Ok(sign_extended(number.value, bits).into())
            }
            (None, Some(LocationFault::Unsupported(_))) => Err(ArrayLength::Unsupported),
            (None, Some(LocationFault::Unreadable)) => Err(ArrayLength::Unreadable),
            (None, None) => Err(ArrayLength::Unknown),
        })
    }

    fn variable(&self, variable: &Entry) -> Result<Bound, QueryError> {
        let of_type = VariableType::of(self.types.entries.type_of(variable));
        let Some(size_bytes) = self
            .types
            .size_of(of_type)
            .filter(|size| (1..=8).contains(size))
        else {
            return Ok(Err(ArrayLength::Unsupported));
        };
        let mut bytes = match self.locations.place_of(variable, Some(size_bytes))? {
            VariablePlace::Memory(address) => self.locations.frame.memory(address, size_bytes)?,
            VariablePlace::Content(content) => content.first_bytes(size_bytes),
            VariablePlace::OptimisedAway => return Ok(Err(ArrayLength::OptimisedAway)),
            VariablePlace::Unsupported(_) => return Ok(Err(ArrayLength::Unsupported)),
            VariablePlace::Unreadable => return Ok(Err(ArrayLength::Unreadable)),
            VariablePlace::Unknown => return Ok(Err(ArrayLength::Unknown)),
        };
        if self.locations.frame.is_big_endian() {
            bytes.reverse();
        }
        let Some(number) = KnownNumber::of_bytes(&bytes) else {
            return Ok(Err(ArrayLength::Unknown));
        };
        let bits = u32::try_from(8 * size_bytes).unwrap_or(64);
        Ok(Ok(match self.types.describe(of_type).shape {
            TypeShape::Integer(Signedness::Signed) => sign_extended(number.value, bits).into(),
            // The last element of an array without elements.
            _ if number.value == u64::MAX >> (64 - bits) => -1,
            _ => number.value.into(),
        }))
    }
}
