//! Types of variables (DWARF 5, chapter 5).

use std::ops::RangeInclusive;

use gimli::{AttributeValue, DwAt, DwTag};

use crate::image::variables::array_lengths::{ArrayLength, FrameLengths, is_strided};
use crate::image::variables::debug_entries::{DebugEntries, Entry, EntryId};
use crate::image::variables::type_names;

/// Maximum number of type definitions and qualifiers around a type.
const QUALIFIERS: usize = 64;

/// Maximum number of members of a structure, and of values of an enumeration.
pub(super) const MEMBERS: usize = 1 << 12;

/// Maximum number of arrays inside one another.
const ARRAYS: usize = 32;

/// A type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariableType {
    /// Its entry; none for `void`.
    pub(super) entry: Option<EntryId>,
    /// Number of dimensions of the array that an index has removed.
    pub(super) dimensions: usize,
}

/// Description of a type, without its name and its qualifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDescription {
    /// Size in bytes; none if the debug information does not have it.
    pub size_bytes: Option<u64>,
    pub shape: TypeShape,
}

/// Structure of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeShape {
    Integer(Signedness),
    Character(Signedness),
    Boolean,
    Float(FloatKind),
    Pointer(VariableType),
    /// A reference of C++.
    Reference(VariableType),
    Enumeration {
        signedness: Signedness,
        names: Vec<EnumerationName>,
    },
    /// A structure, class or union.
    Record {
        members: Vec<TypeMember>,
        variants: Option<VariantPart>,
    },
    Array {
        element: VariableType,
        length: ArrayLength,
    },
    Function,
    /// Something else, whose bytes have no other meaning.
    Opaque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signedness {
    Signed,
    Unsigned,
}

/// Kind of a floating-point type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    /// A format of IEEE 754 with the size of the type.
    Standard,
    /// `long double` of C, whose format depends on the processor.
    LongDouble,
}

/// A named value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationName {
    pub name: String,
    pub value: i128,
}

/// A part of a structure whose members depend on a discriminant, as in the enumerations of Rust
/// (DWARF 5, 5.7.10 "Variant Entries").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantPart {
    /// Member that selects the variant; none if there is only one.
    pub discriminant: Option<TypeMember>,
    pub variants: Vec<TypeVariant>,
}

/// A variant of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeVariant {
    /// Discriminants that select it; none for the variant of all others.
    pub selected_by: Option<Vec<RangeInclusive<i128>>>,
    pub members: Vec<TypeMember>,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMember {
    /// Name; none for anonymous structures and unions.
    pub name: Option<String>,
    pub kind: MemberKind,
    pub of_type: VariableType,
    /// Offset in bytes from the start of the structure; none if it is not constant.
    pub offset_bytes: Option<u64>,
    /// Bits of a bit field, from the start of the structure.
    pub bits: Option<FieldBits>,
}

impl TypeMember {
    /// Returns true if a program calls the member by this name. Rust numbers the members of tuples,
    /// and its compiler writes `__0` for `0`.
    pub fn has_name(&self, name: &str) -> bool {
        let Some(own) = self.name.as_deref() else {
            return false;
        };
        own == name
            || own
                .strip_prefix("__")
                .is_some_and(|number| is_number(number) && number == name)
    }

    /// Returns true for a member of a tuple.
    pub fn is_numbered(&self) -> bool {
        let number = self
            .name
            .as_deref()
            .and_then(|name| name.strip_prefix("__"));
        number.is_some_and(is_number)
    }

    /// Returns true if the members of the member count as those of the structure.
    pub fn is_transparent(&self) -> bool {
        self.name.is_none() || self.kind == MemberKind::Base
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberKind {
    Field,
    /// The part of a base class, named like the class.
    Base,
}

/// Bits of a bit field. They are counted from the start of the structure in the order of its bytes,
/// from the least significant bit of each on little-endian processors and from the most significant
/// one on big-endian ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldBits {
    pub first: u64,
    pub count: u64,
}

impl VariableType {
    /// Returns true for `void`.
    pub fn is_void(self) -> bool {
        self.entry.is_none()
    }

    pub(super) fn of(entry: Option<EntryId>) -> Self {
        Self {
            entry,
            dimensions: 0,
        }
    }
}

/// Reads types.
pub struct TypeReader<'a> {
    pub entries: &'a DebugEntries,
    pub is_big_endian: bool,
    /// Lengths of the arrays whose bounds a frame determines.
    pub lengths: &'a FrameLengths,
}

impl TypeReader<'_> {
    /// Returns the name of a type in C syntax.
    pub fn name_of(&self, of_type: VariableType) -> String {
        type_names::name_of(self, of_type)
    }

    /// Describes a type, without its qualifiers.
    pub fn describe(&self, of_type: VariableType) -> TypeDescription {
        let entry = self.plain(of_type);
        TypeDescription {
            size_bytes: self.size_of(of_type),
            shape: entry.map_or(TypeShape::Opaque, |entry| {
                self.shape(&entry, of_type.dimensions)
            }),
        }
    }

    /// Returns the entry of a type without names and qualifiers around it.
    pub(super) fn plain(&self, of_type: VariableType) -> Option<Entry> {
        let mut entry = self.entries.entry(of_type.entry?)?;
        for _ in 0..QUALIFIERS {
            if !is_qualifier(entry.tag()) {
                return Some(self.complete(entry));
            }
            entry = self.entries.entry(self.entries.type_of(&entry)?)?;
        }
        None
    }

    /// Returns the definition of a type that is only declared here, if the unit refers to it.
    pub(super) fn complete(&self, entry: Entry) -> Entry {
        let signature = self.entries.reference(&entry, gimli::DW_AT_signature);
        signature
            .and_then(|id| self.entries.entry(id))
            .unwrap_or(entry)
    }

    /// Returns the size of a type in bytes; none if the debug information does not have it.
    pub fn size_of(&self, of_type: VariableType) -> Option<u64> {
        let mut entry = self.plain(of_type)?;
        let mut removed = of_type.dimensions;
        let mut elements = 1_u64;
        for _ in 0..ARRAYS {
            match entry.tag() {
                gimli::DW_TAG_array_type if is_strided(&entry) => {
                    let size_bytes = entry.count(gimli::DW_AT_byte_size)?;
                    return elements.checked_mul(size_bytes);
                }
                gimli::DW_TAG_array_type => {
                    for length in self.lengths_of(&entry).into_iter().skip(removed) {
                        elements = elements.checked_mul(length.known()?)?;
                    }
                    removed = 0;
                    entry = self.plain(VariableType::of(self.entries.type_of(&entry)))?;
                }
                tag => {
                    if let Some(size_bytes) = entry.count(gimli::DW_AT_byte_size) {
                        return elements.checked_mul(size_bytes);
                    }
                    if let Some(size_bytes) = self.size_of_pointer(&entry) {
                        return elements.checked_mul(size_bytes);
                    }
                    if tag != gimli::DW_TAG_enumeration_type {
                        return None;
                    }
                    entry = self.plain(VariableType::of(self.entries.type_of(&entry)))?;
                }
            }
        }
        None
    }

    /// Returns the size of a pointer, a reference, a pointer to a member or `nullptr_t`; none for
    /// another type.
    fn size_of_pointer(&self, entry: &Entry) -> Option<u64> {
        let bytes = u64::from(entry.unit.unit.encoding().address_size);
        match entry.tag() {
            // A pointer to a function of a class has an adjustment of the object (Itanium C++ ABI,
            // 2.3 "Member Function Pointers").
            gimli::DW_TAG_ptr_to_member_type => {
                let target = self.plain(VariableType::of(self.entries.type_of(entry)))?;
                let is_function = target.tag() == gimli::DW_TAG_subroutine_type;
                Some(if is_function { 2 * bytes } else { bytes })
            }
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_unspecified_type => Some(bytes),
            tag => is_reference(tag).then_some(bytes),
        }
    }

    /// Returns true for an entry of a unit in C, which has words before the names of structures.
    pub(super) fn is_c(&self, entry: &Entry) -> bool {
        matches!(
            language_of(entry),
            Some(
                gimli::DW_LANG_C
                    | gimli::DW_LANG_C89
                    | gimli::DW_LANG_C99
                    | gimli::DW_LANG_C11
                    | gimli::DW_LANG_C17
                    | gimli::DW_LANG_ObjC
            )
        )
    }

    fn shape(&self, entry: &Entry, dimensions: usize) -> TypeShape {
        let target = || VariableType::of(self.entries.type_of(entry));
        match entry.tag() {
            gimli::DW_TAG_base_type => self.base(entry),
            gimli::DW_TAG_pointer_type => TypeShape::Pointer(target()),
            tag if is_reference(tag) => TypeShape::Reference(target()),
            // `nullptr_t` of C++.
            gimli::DW_TAG_unspecified_type => TypeShape::Pointer(VariableType::of(None)),
            gimli::DW_TAG_enumeration_type => self.enumeration(entry, target()),
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_interface_type => self.record(entry),
            gimli::DW_TAG_array_type => self.array(entry, dimensions),
            gimli::DW_TAG_subroutine_type => TypeShape::Function,
            _ => TypeShape::Opaque,
        }
    }

    fn base(&self, entry: &Entry) -> TypeShape {
        // Bytes in another byte order, or of which some bits are unused, are not converted.
        let special = [gimli::DW_AT_endianity, gimli::DW_AT_bit_size];
        if has_any(entry, &special) {
            return TypeShape::Opaque;
        }
        let encoding = match entry.die.attr_value(gimli::DW_AT_encoding) {
            Some(AttributeValue::Encoding(encoding)) => encoding,
            _ => return TypeShape::Opaque,
        };
        match encoding {
            gimli::DW_ATE_signed => TypeShape::Integer(Signedness::Signed),
            gimli::DW_ATE_unsigned | gimli::DW_ATE_address => {
                TypeShape::Integer(Signedness::Unsigned)
            }
            gimli::DW_ATE_signed_char => TypeShape::Character(Signedness::Signed),
            gimli::DW_ATE_unsigned_char | gimli::DW_ATE_UTF | gimli::DW_ATE_ASCII => {
                TypeShape::Character(Signedness::Unsigned)
            }
            gimli::DW_ATE_boolean => TypeShape::Boolean,
            gimli::DW_ATE_float => TypeShape::Float(match self.entries.name_of(entry).as_deref() {
                Some("long double") => FloatKind::LongDouble,
                _ => FloatKind::Standard,
            }),
            _ => TypeShape::Opaque,
        }
    }

    fn enumeration(&self, entry: &Entry, underlying: VariableType) -> TypeShape {
        let children = self.entries.children_of(entry, MEMBERS).into_iter();
        let names: Vec<EnumerationName> = children
            .filter(|child| child.tag() == gimli::DW_TAG_enumerator)
            .filter_map(|child| {
                Some(EnumerationName {
                    name: self.entries.name_of(&child)?,
                    value: child.number(gimli::DW_AT_const_value)?,
                })
            })
            .collect();
        let is_negative = names.iter().any(|name| name.value < 0);
        let underlying = self
            .plain(underlying)
            .filter(|entry| entry.tag() == gimli::DW_TAG_base_type);
        let signedness = match underlying.map(|entry| self.base(&entry)) {
            Some(TypeShape::Integer(signedness) | TypeShape::Character(signedness)) => signedness,
            _ if is_negative => Signedness::Signed,
            _ => Signedness::Unsigned,
        };
        TypeShape::Enumeration { signedness, names }
    }
}

pub(super) fn has_any(entry: &Entry, attributes: &[DwAt]) -> bool {
    attributes
        .iter()
        .any(|name| entry.die.attr_value(*name).is_some())
}

/// Returns the language of an entry's unit.
pub(super) fn language_of(entry: &Entry) -> Option<gimli::DwLang> {
    let unit = &entry.unit.unit;
    let root = unit.entry(unit.header.root_offset()).ok()?;
    match root.attr_value(gimli::DW_AT_language)? {
        AttributeValue::Language(language) => Some(language),
        _ => None,
    }
}

fn is_reference(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type
    )
}

fn is_qualifier(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_immutable_type
            | gimli::DW_TAG_packed_type
            | gimli::DW_TAG_template_alias
    )
}
