//! Types of variables (DWARF 5, chapter 5).

use gimli::{AttributeValue, DwAt, DwTag};

use crate::image::variables::debug_entries::{DebugEntries, Entry, EntryId, number_of};
use crate::image::variables::type_names;

/// Maximum number of type definitions and qualifiers around a type.
const QUALIFIERS: usize = 64;

/// Maximum number of members of a structure, and of values of an enumeration.
const MEMBERS: usize = 1 << 12;

/// Maximum number of dimensions of an array.
const DIMENSIONS: usize = 32;

/// Attributes of arrays with space between the elements, or with elements of some bits.
const STRIDES: [DwAt; 2] = [gimli::DW_AT_byte_stride, gimli::DW_AT_bit_stride];

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
    Float,
    /// A pointer or a reference.
    Pointer(VariableType),
    Enumeration {
        signedness: Signedness,
        names: Vec<EnumerationName>,
    },
    /// A structure, class or union.
    Record(Vec<TypeMember>),
    Array {
        element: VariableType,
        /// Number of elements; none if the debug information does not have it.
        count: Option<u64>,
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

/// A named value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationName {
    pub name: String,
    pub value: i128,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeMember {
    /// Name; none for anonymous structures and unions.
    pub name: Option<String>,
    pub of_type: VariableType,
    /// Offset in bytes from the start of the structure; none if it is not constant.
    pub offset_bytes: Option<u64>,
    /// Bits of a bit field, from the start of the structure.
    pub bits: Option<FieldBits>,
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
}

impl TypeReader<'_> {
    /// Returns the name of a type in C syntax.
    pub fn name_of(&self, of_type: VariableType) -> String {
        type_names::name_of(self, of_type)
    }

    /// Describes a type, without its qualifiers.
    pub fn describe(&self, of_type: VariableType) -> TypeDescription {
        let opaque = TypeDescription {
            size_bytes: None,
            shape: TypeShape::Opaque,
        };
        let described = self
            .plain(of_type)
            .and_then(|entry| self.description(&entry, of_type.dimensions));
        described.unwrap_or(opaque)
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
    fn complete(&self, entry: Entry) -> Entry {
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
        for _ in 0..DIMENSIONS {
            match entry.tag() {
                gimli::DW_TAG_array_type if has_any(&entry, &STRIDES) => {
                    let size_bytes = entry.count(gimli::DW_AT_byte_size)?;
                    return elements.checked_mul(size_bytes);
                }
                gimli::DW_TAG_array_type => {
                    for count in self.counts(&entry).into_iter().skip(removed) {
                        elements = elements.checked_mul(count?)?;
                    }
                    removed = 0;
                    entry = self.plain(VariableType::of(self.entries.type_of(&entry)))?;
                }
                tag => {
                    let pointer = is_pointer(tag).then(|| address_bytes(&entry));
                    let size_bytes = entry.count(gimli::DW_AT_byte_size).or(pointer)?;
                    return elements.checked_mul(size_bytes);
                }
            }
        }
        None
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

    fn description(&self, entry: &Entry, dimensions: usize) -> Option<TypeDescription> {
        let size_bytes = entry.count(gimli::DW_AT_byte_size);
        let target = || VariableType::of(self.entries.type_of(entry));
        let (size_bytes, shape) = match entry.tag() {
            gimli::DW_TAG_base_type => (size_bytes, self.base(entry)),
            gimli::DW_TAG_unspecified_type => (None, TypeShape::Opaque),
            tag if is_pointer(tag) => {
                let size = size_bytes.unwrap_or_else(|| address_bytes(entry));
                (Some(size), TypeShape::Pointer(target()))
            }
            gimli::DW_TAG_enumeration_type => {
                let size = size_bytes.or_else(|| self.size_of(target()));
                (size, self.enumeration(entry, target()))
            }
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_interface_type => (size_bytes, TypeShape::Record(self.members(entry))),
            gimli::DW_TAG_array_type => return Some(self.array(entry, dimensions)),
            gimli::DW_TAG_subroutine_type => (None, TypeShape::Function),
            _ => (size_bytes, TypeShape::Opaque),
        };
        Some(TypeDescription { size_bytes, shape })
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
            gimli::DW_ATE_float => TypeShape::Float,
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

    fn members(&self, entry: &Entry) -> Vec<TypeMember> {
        let children = self.entries.children_of(entry, MEMBERS).into_iter();
        children
            .filter_map(|child| match child.tag() {
                gimli::DW_TAG_member if !is_static(&child) => {
                    let name = self.entries.name_of(&child);
                    Some(self.member(&child, name))
                }
                gimli::DW_TAG_inheritance => {
                    let base = VariableType::of(self.entries.type_of(&child));
                    Some(self.member(&child, Some(self.name_of(base))))
                }
                _ => None,
            })
            .collect()
    }

    fn member(&self, entry: &Entry, name: Option<String>) -> TypeMember {
        let of_type = VariableType::of(self.entries.type_of(entry));
        let offset_bytes = match entry.die.attr_value(gimli::DW_AT_data_member_location) {
            None => Some(0),
            Some(value) => member_offset(entry, &value),
        };
        TypeMember {
            name,
            of_type,
            offset_bytes,
            bits: offset_bytes.and_then(|offset| self.field_bits(entry, of_type, offset)),
        }
    }

    /// Returns the bits of a bit field (DWARF 5, 5.7.6; DWARF 3, 5.6.6).
    fn field_bits(
        &self,
        entry: &Entry,
        of_type: VariableType,
        offset_bytes: u64,
    ) -> Option<FieldBits> {
        let count = entry.count(gimli::DW_AT_bit_size)?;
        let bits = |first| Some(FieldBits { first, count });
        if let Some(first) = entry.count(gimli::DW_AT_data_bit_offset) {
            return bits(first);
        }
        let start = offset_bytes.checked_mul(8)?;
        let Some(from_top) = entry.number(gimli::DW_AT_bit_offset) else {
            return bits(start);
        };
        if self.is_big_endian {
            return bits(start.checked_add_signed(i64::try_from(from_top).ok()?)?);
        }
        let storage = entry
            .count(gimli::DW_AT_byte_size)
            .or_else(|| self.size_of(of_type))?;
        let from_bottom = i128::from(storage) * 8 - from_top - i128::from(count);
        bits(start.checked_add_signed(i64::try_from(from_bottom).ok()?)?)
    }

    fn array(&self, entry: &Entry, removed: usize) -> TypeDescription {
        if has_any(entry, &STRIDES) {
            return TypeDescription {
                size_bytes: entry.count(gimli::DW_AT_byte_size),
                shape: TypeShape::Opaque,
            };
        }
        let counts = self.counts(entry);
        let entry_type = VariableType::of(self.entries.type_of(entry));
        let (count, rest) = match counts.get(removed..) {
            Some([first, rest @ ..]) => (*first, rest),
            Some([]) | None => (None, &[][..]),
        };
        let element = match rest {
            [] => entry_type,
            _ => VariableType {
                entry: entry.id(),
                dimensions: removed + 1,
            },
        };
        let single = self.size_of(entry_type);
        let all = rest
            .iter()
            .fold(single, |size, count| size?.checked_mul((*count)?));
        TypeDescription {
            size_bytes: all.and_then(|size| size.checked_mul(count?)),
            shape: TypeShape::Array { element, count },
        }
    }

    /// Returns the number of elements in each dimension; none for unknown bounds.
    pub(super) fn counts(&self, entry: &Entry) -> Vec<Option<u64>> {
        let children = self.entries.children_of(entry, DIMENSIONS).into_iter();
        let bounds = children.filter(|child| {
            matches!(
                child.tag(),
                gimli::DW_TAG_subrange_type | gimli::DW_TAG_enumeration_type
            )
        });
        bounds.map(|bound| element_count(&bound)).collect()
    }
}

fn element_count(bound: &Entry) -> Option<u64> {
    if let Some(count) = bound.count(gimli::DW_AT_count) {
        return Some(count);
    }
    let last = bound.number(gimli::DW_AT_upper_bound)?;
    let first = match bound.die.attr_value(gimli::DW_AT_lower_bound) {
        Some(value) => number_of(&value)?,
        None => default_lower_bound(bound),
    };
    // A bound of -1 in four or eight bytes is that of an array without elements.
    let last = match [u32::MAX.into(), u64::MAX.into()].contains(&last) {
        true => -1,
        false => last,
    };
    u64::try_from(last - first + 1).ok()
}

fn has_any(entry: &Entry, attributes: &[DwAt]) -> bool {
    attributes
        .iter()
        .any(|name| entry.die.attr_value(*name).is_some())
}

/// Returns the lower bound of arrays without one (DWARF 5, table 7.17).
fn default_lower_bound(bound: &Entry) -> i128 {
    let language = language_of(bound);
    let bound = language.and_then(gimli::DwLang::default_lower_bound);
    bound.map_or(0, |bound| bound as i128)
}

/// Returns the language of an entry's unit.
fn language_of(entry: &Entry) -> Option<gimli::DwLang> {
    let unit = &entry.unit.unit;
    let root = unit.entry(unit.header.root_offset()).ok()?;
    match root.attr_value(gimli::DW_AT_language)? {
        AttributeValue::Language(language) => Some(language),
        _ => None,
    }
}

fn is_static(entry: &Entry) -> bool {
    let flags: [DwAt; 2] = [gimli::DW_AT_external, gimli::DW_AT_declaration];
    flags.iter().any(|flag| entry.has_flag(*flag))
}

fn is_pointer(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
    )
}

fn address_bytes(entry: &Entry) -> u64 {
    entry.unit.unit.encoding().address_size.into()
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

/// Returns the offset of a member: a constant, or an expression that adds to the address of the
/// structure.
fn member_offset(
    entry: &Entry,
    value: &AttributeValue<crate::image::lines::SectionReader>,
) -> Option<u64> {
    if let Some(number) = number_of(value) {
        return u64::try_from(number).ok();
    }
    let mut evaluation = value
        .exprloc_value()?
        .evaluation(entry.unit.unit.encoding());
    evaluation.set_initial_value(0);
    evaluation.set_max_iterations(16);
    match evaluation.evaluate().ok()? {
        gimli::EvaluationResult::Complete => {}
        _ => return None,
    }
    match evaluation.as_result() {
        [piece] => match piece.location {
            gimli::Location::Address { address } => Some(address),
            _ => None,
        },
        _ => None,
    }
}
