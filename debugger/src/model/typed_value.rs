//! Values of variables with their types ([`TypedValue`]).

use stepback_index::answer::MemoryRange;
use stepback_machine::Address;

use crate::image::{
    FieldBits, TypeDescription, TypeMember, TypeShape, UnsupportedLocation, VariablePlace,
    VariableType, VariableTypes,
};

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

    /// Returns the size of the type in bytes; none if the debug information does not have it.
    pub fn size_bytes(&self) -> Option<u64> {
        self.types.size_of(self.of_type)
    }

    /// Returns true for a pointer.
    pub fn is_pointer(&self) -> bool {
        matches!(self.description().shape, TypeShape::Pointer(_))
    }

    /// Returns true for a borrowed text of Rust: `&str`.
    pub fn is_text(&self) -> bool {
        matches!(&*self.type_name(), "&str" | "&mut str")
    }

    /// Returns the target of an unknown pointer or reference, which has no place either; another
    /// value itself.
    pub(super) fn assumed_target(&self) -> Self {
        let (TypeShape::Pointer(target) | TypeShape::Reference(target)) = self.description().shape
        else {
            return self.clone();
        };
        Self {
            types: self.types.clone(),
            of_type: target,
            place: match &self.place {
                VariablePlace::Memory(_) | VariablePlace::Content(_) => VariablePlace::Unknown,
                other => other.clone(),
            },
            bits: None,
        }
    }

    /// Returns the address of a value in memory.
    pub fn address(&self) -> Option<Address> {
        match self.place {
            VariablePlace::Memory(address) if self.bits.is_none() => Some(Address(address)),
            _ => None,
        }
    }

    /// Returns the memory of a value: for a bit field, the bytes that contain it.
    pub fn memory(&self) -> Option<MemoryRange> {
        let VariablePlace::Memory(start) = self.place else {
            return None;
        };
        let (offset_bytes, len_bytes) = match self.bits {
            Some(bits) => {
                let end = bits.first.checked_add(bits.count)?.div_ceil(8);
                (bits.first / 8, end - bits.first / 8)
            }
            None => (0, self.size_bytes()?),
        };
        Some(MemoryRange {
            address: Address(start.wrapping_add(offset_bytes)),
            len_bytes,
        })
        .filter(|range| range.len_bytes > 0)
    }

    /// Returns the DWARF number of the register that contains a value.
    pub fn register(&self) -> Option<u16> {
        match &self.place {
            VariablePlace::Content(content) => content.register(),
            _ => None,
        }
    }

    /// Returns a value in memory with the types of this one.
    pub(super) fn at(&self, address: u64, of_type: VariableType) -> Self {
        Self {
            types: self.types.clone(),
            of_type,
            place: VariablePlace::Memory(address),
            bits: None,
        }
    }

    /// Returns the part of a value at an offset.
    pub(super) fn part(&self, offset_bytes: u64, of_type: VariableType) -> Self {
        let place = match &self.place {
            VariablePlace::Memory(address) => {
                VariablePlace::Memory(address.wrapping_add(offset_bytes))
            }
            VariablePlace::Content(content) => {
                VariablePlace::Content(content.part(offset_bytes, self.types.size_of(of_type)))
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

    /// Returns an element of this array, or of the array that begins with this value.
    pub(super) fn element(&self, index: u64, of_type: VariableType) -> Self {
        let size = self.types.size_of(of_type).unwrap_or(0);
        self.part(index.wrapping_mul(size), of_type)
    }

    /// Returns a member of a structure.
    pub(super) fn member(&self, member: TypeMember) -> NamedValue {
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
                place: VariablePlace::Unsupported(UnsupportedLocation::ComputedMember),
                bits: None,
            },
        };
        NamedValue {
            name: member.name.unwrap_or_default(),
            value,
        }
    }
}
