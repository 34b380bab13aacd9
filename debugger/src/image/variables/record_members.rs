//! Members of structures, classes and unions, with their variants (DWARF 5, 5.7).

use std::ops::RangeInclusive;

use gimli::{AttributeValue, DwAt, EndianSlice, Reader as _, RunTimeEndian};

use crate::image::lines::SectionReader;
use crate::image::variables::debug_entries::{Entry, number_of};
use crate::image::variables::types::{
    FieldBits, MEMBERS, MemberKind, Signedness, TypeMember, TypeReader, TypeShape, TypeVariant,
    VariableType, VariantPart,
};

/// Maximum number of discriminants that select a variant.
const DISCRIMINANTS: usize = 256;

/// Maximum number of operations of the offset of a member.
const OPERATIONS: u32 = 16;

impl TypeReader<'_> {
    pub(super) fn record(&self, entry: &Entry) -> TypeShape {
        let children = self.entries.children_of(entry, MEMBERS);
        let part = children
            .iter()
            .find(|child| child.tag() == gimli::DW_TAG_variant_part);
        TypeShape::Record {
            members: self.members(&children),
            variants: part.map(|part| self.variant_part(part)),
        }
    }

    fn members(&self, children: &[Entry]) -> Vec<TypeMember> {
        let member = |child: &Entry| match child.tag() {
            gimli::DW_TAG_member if !is_static(child) => Some(self.field(child)),
            gimli::DW_TAG_inheritance => {
                let base = VariableType::of(self.entries.type_of(child));
                Some(TypeMember {
                    name: Some(self.name_of(base)),
                    kind: MemberKind::Base,
                    ..self.field(child)
                })
            }
            _ => None,
        };
        children.iter().filter_map(member).collect()
    }

    fn field(&self, entry: &Entry) -> TypeMember {
        let of_type = VariableType::of(self.entries.type_of(entry));
        let offset_bytes = match entry.die.attr_value(gimli::DW_AT_data_member_location) {
            None => Some(0),
            Some(value) => member_offset(entry, &value),
        };
        TypeMember {
            name: self.entries.name_of(entry),
            kind: MemberKind::Field,
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

    fn variant_part(&self, part: &Entry) -> VariantPart {
        let discriminant = self
            .entries
            .reference(part, gimli::DW_AT_discr)
            .and_then(|id| self.entries.entry(id))
            .map(|entry| self.field(&entry));
        let signedness = discriminant
            .as_ref()
            .map_or(Signedness::Unsigned, |member| {
                self.signedness(member.of_type)
            });
        let children = self.entries.children_of(part, MEMBERS).into_iter();
        let variants = children.filter(|child| child.tag() == gimli::DW_TAG_variant);
        let variants = variants.map(|variant| TypeVariant {
            selected_by: self.selected_by(&variant, signedness),
            members: self.members(&self.entries.children_of(&variant, MEMBERS)),
        });
        VariantPart {
            variants: variants.collect(),
            discriminant,
        }
    }

    fn signedness(&self, of_type: VariableType) -> Signedness {
        match self.describe(of_type).shape {
            TypeShape::Integer(signedness)
            | TypeShape::Character(signedness)
            | TypeShape::Enumeration { signedness, .. } => signedness,
            _ => Signedness::Unsigned,
        }
    }

    /// Returns the discriminants that select a variant; none for the variant of all others.
    fn selected_by(
        &self,
        variant: &Entry,
        signedness: Signedness,
    ) -> Option<Vec<RangeInclusive<i128>>> {
        if let Some(value) = variant.die.attr_value(gimli::DW_AT_discr_value) {
            let value = match &value {
                AttributeValue::Block(bytes) => wide_number(bytes),
                value => number_of(value),
            };
            return Some(value.map(|value| value..=value).into_iter().collect());
        }
        let Some(AttributeValue::Block(list)) = variant.die.attr_value(gimli::DW_AT_discr_list)
        else {
            return None;
        };
        let bytes = list.to_slice().ok()?;
        Some(discriminants(&bytes, signedness).unwrap_or_default())
    }
}

impl VariantPart {
    /// Returns the variant that a discriminant of a size selects.
    pub fn selected_by(&self, discriminant: u128, size_bytes: usize) -> Option<&TypeVariant> {
        // Compilers do not agree on the sign of the numbers.
        let unused = 128 - 8 * u32::try_from(size_bytes.clamp(1, 16)).unwrap_or(16);
        let distance =
            |from: i128, to: u128| to.wrapping_sub(from.cast_unsigned()) & (u128::MAX >> unused);
        let contains = |range: &RangeInclusive<i128>| {
            let (first, last) = (*range.start(), range.end().cast_unsigned());
            distance(first, discriminant) <= distance(first, last)
        };
        let selected = self.variants.iter().find(|variant| {
            let ranges = variant.selected_by.iter().flatten();
            ranges.into_iter().any(contains)
        });
        let mut others = self.variants.iter();
        selected.or_else(|| others.find(|variant| variant.selected_by.is_none()))
    }
}

/// Reads a number of 16 bytes in the byte order of the processor.
fn wide_number(bytes: &SectionReader) -> Option<i128> {
    let content: [u8; 16] = bytes.to_slice().ok()?.as_ref().try_into().ok()?;
    Some(match bytes.endian() == RunTimeEndian::Big {
        true => i128::from_be_bytes(content),
        false => i128::from_le_bytes(content),
    })
}

/// Reads a list of discriminants (DWARF 5, 7.5.5 "discr_list").
fn discriminants(
    bytes: &[u8],
    signedness: Signedness,
) -> Result<Vec<RangeInclusive<i128>>, gimli::Error> {
    let mut list = EndianSlice::new(bytes, RunTimeEndian::Little);
    let mut ranges = Vec::new();
    while !list.is_empty() && ranges.len() < DISCRIMINANTS {
        let kind = gimli::DwDsc(list.read_u8()?);
        let mut next = || match signedness {
            Signedness::Signed => list.read_sleb128().map(i128::from),
            Signedness::Unsigned => list.read_uleb128().map(i128::from),
        };
        let first = next()?;
        let last = match kind {
            gimli::DW_DSC_range => next()?,
            _ => first,
        };
        ranges.push(first..=last);
    }
    Ok(ranges)
}

fn is_static(entry: &Entry) -> bool {
    let flags: [DwAt; 2] = [gimli::DW_AT_external, gimli::DW_AT_declaration];
    flags.iter().any(|flag| entry.has_flag(*flag))
}

/// Returns the offset of a member: a constant, or an expression that adds to the address of the
/// structure.
fn member_offset(entry: &Entry, value: &AttributeValue<SectionReader>) -> Option<u64> {
    if let Some(number) = number_of(value) {
        return u64::try_from(number).ok();
    }
    let mut evaluation = value
        .exprloc_value()?
        .evaluation(entry.unit.unit.encoding());
    evaluation.set_initial_value(0);
    evaluation.set_max_iterations(OPERATIONS);
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
