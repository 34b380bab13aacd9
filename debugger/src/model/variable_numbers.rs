//! Values as numbers of expressions, with their types of C.

use stepback_index::QueryError;

use crate::expression::{IntegerType, NoNumber, TypedNumber, ValueLookup};
use crate::image::{Signedness, TypeShape, VariablePlace, VariableType};
use crate::messages::say;
use crate::model::typed_value::TypedValue;
use crate::model::variable_values::ValueReader;

/// Number of bits of `int`. Narrower bit fields are promoted to it, and others have their types.
const INT_BITS: u64 = 32;

/// Returns a variable that has no number because of its type.
pub fn no_number(reason: &str) -> ValueLookup {
    ValueLookup::NoNumber(NoNumber {
        reason: reason.to_owned(),
        depends_on_position: false,
    })
}

/// Returns the number of a value that is no reference. That of an array is the address of its first
/// element.
///
/// # Errors
/// See [`QueryError`].
pub fn number_of(reader: &ValueReader<'_>, value: &TypedValue) -> Result<ValueLookup, QueryError> {
    let signedness = match value.description().shape {
        TypeShape::Array { element, .. } => {
            let target_bytes = size_of_target(value, element);
            return Ok(in_memory(value, |address| {
                TypedNumber::pointer(address, target_bytes)
            }));
        }
        TypeShape::Float(_) => return Ok(no_number(say!("local-floating-point"))),
        TypeShape::Record { .. } => return Ok(no_number(say!("local-structure"))),
        TypeShape::Opaque | TypeShape::Function | TypeShape::Reference(_) => {
            return Ok(no_number(say!("local-no-integer")));
        }
        TypeShape::Pointer(target) => {
            let target_bytes = size_of_target(value, target);
            return Ok(match (missing(value), reader.signed_number(value)?) {
                (Some(missing), _) => missing,
                (None, Some(address)) => {
                    ValueLookup::Typed(TypedNumber::pointer(address, target_bytes))
                }
                (None, None) => ValueLookup::Unknown,
            });
        }
        TypeShape::Integer(signedness) | TypeShape::Character(signedness) => signedness,
        TypeShape::Enumeration { signedness, .. } => signedness,
        TypeShape::Boolean => Signedness::Unsigned,
    };
    let bits = match (value.bits, value.size_bytes()) {
        (Some(field), _) if field.count < INT_BITS => field.count,
        (_, Some(size)) if size <= 8 => 8 * size,
        (_, Some(_)) => return Ok(no_number(say!("local-too-wide"))),
        (_, None) => return Ok(no_number(say!("local-unknown-size"))),
    };
    if let Some(missing) = missing(value) {
        return Ok(missing);
    }
    let number = reader.signed_number(value)?;
    let of_type = IntegerType {
        bits: u32::try_from(bits).unwrap_or(u64::BITS),
        signedness,
    };
    Ok(number.map_or(ValueLookup::Unknown, |number| {
        ValueLookup::Typed(TypedNumber::integer(number, of_type))
    }))
}

/// Returns the address of a value.
pub fn address_of(value: &TypedValue) -> ValueLookup {
    let size = value.size_bytes();
    in_memory(value, |address| TypedNumber::pointer(address, size))
}

/// Returns the number that the address of a value is.
fn in_memory(value: &TypedValue, number: impl FnOnce(u64) -> TypedNumber) -> ValueLookup {
    match (missing(value), value.address()) {
        (Some(missing), _) => missing,
        (None, Some(address)) => ValueLookup::Typed(number(address.0)),
        (None, None) if value.place == VariablePlace::Unknown => ValueLookup::Unknown,
        (None, None) => absent(say!("local-not-in-memory")),
    }
}

/// Returns the reason why a value has no place here.
fn missing(value: &TypedValue) -> Option<ValueLookup> {
    Some(absent(match value.place {
        VariablePlace::OptimisedAway => say!("local-optimised-away"),
        VariablePlace::Unsupported(_) => say!("local-unsupported-place"),
        VariablePlace::Unreadable => say!("local-unreadable-place"),
        VariablePlace::Memory(_) | VariablePlace::Content(_) | VariablePlace::Unknown => {
            return None;
        }
    }))
}

/// Returns a variable that has no number at a position.
fn absent(reason: &str) -> ValueLookup {
    ValueLookup::NoNumber(NoNumber {
        reason: reason.to_owned(),
        depends_on_position: true,
    })
}

/// Returns the size by which a pointer to a type moves. As in gdb, that of `void` and of functions
/// is 1.
fn size_of_target(value: &TypedValue, target: VariableType) -> Option<u64> {
    let is_code = matches!(value.types.describe(target).shape, TypeShape::Function);
    match is_code || target.is_void() {
        true => Some(1),
        false => value.types.size_of(target),
    }
}
