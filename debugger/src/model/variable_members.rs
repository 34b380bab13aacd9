//! Members of values: of structures and their variants, of arrays, and the targets of pointers.

use std::collections::VecDeque;

use stepback_index::QueryError;

use crate::image::{TypeMember, TypeShape, TypeVariant, VariableType, VariantPart};
use crate::model::typed_value::{NamedValue, TypedValue};
use crate::model::variable_values::{ValueReader, WIDE_BYTES};

/// Maximum number of elements of an array in an answer.
const ELEMENTS: u64 = 1 << 16;

/// Maximum number of references to references.
const REFERENCES: usize = 8;

/// Maximum number of structures inside one another in which a member is looked up.
const NESTED_RECORDS: usize = 256;

/// Name of the memory that a pointer points to.
const TARGET: &str = "*";

/// Members of a slice of Rust, as its compiler names them.
pub const SLICE_POINTER: &str = "data_ptr";
pub const SLICE_LENGTH: &str = "length";

/// Parts of a value.
enum Parts {
    None,
    Members(Vec<TypeMember>),
    Elements {
        element: VariableType,
        count: u64,
    },
    /// The memory that a known pointer points to.
    Target(Box<TypedValue>),
}

/// A value with its parts. It is no reference.
struct WithParts {
    value: TypedValue,
    parts: Parts,
}

impl ValueReader<'_> {
    /// Returns an element of an array, or of the memory that a known pointer points to.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn element(
        &self,
        value: &TypedValue,
        index: u64,
    ) -> Result<Option<TypedValue>, QueryError> {
        let Some(WithParts { value, parts }) = self.with_parts(value)? else {
            return Ok(None);
        };
        Ok(match parts {
            Parts::Elements { element, count } => {
                (index < count).then(|| value.element(index, element))
            }
            Parts::Target(first) => {
                let is_sized = first.size_bytes().is_some();
                is_sized.then(|| first.element(index, first.of_type))
            }
            Parts::None | Parts::Members(_) => None,
        })
    }

    /// Returns the number of members of a value.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn member_count(&self, value: &TypedValue) -> Result<u64, QueryError> {
        let parts = self.with_parts(value)?.map(|opened| opened.parts);
        Ok(match parts.unwrap_or(Parts::None) {
            Parts::None => 0,
            Parts::Members(members) => members.len() as u64,
            Parts::Elements { count, .. } => count,
            Parts::Target(_) => 1,
        })
    }

    /// Returns true if the members of a value are elements with indexes.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn has_elements(&self, value: &TypedValue) -> Result<bool, QueryError> {
        let parts = self.with_parts(value)?.map(|opened| opened.parts);
        Ok(matches!(parts, Some(Parts::Elements { .. })))
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
        let Some(WithParts { value, parts }) = self.with_parts(value)? else {
            return Ok(Vec::new());
        };
        let take = usize::try_from(count).unwrap_or(usize::MAX);
        let skip = usize::try_from(skipped).unwrap_or(usize::MAX);
        Ok(match parts {
            Parts::None => Vec::new(),
            Parts::Members(members) => {
                let members = members.into_iter().skip(skip).take(take);
                members.map(|member| value.member(member)).collect()
            }
            Parts::Elements {
                element,
                count: all,
            } => {
                let last = all.min(skipped.saturating_add(count.min(ELEMENTS)));
                let at = |index: u64| NamedValue {
                    name: format!("[{index}]"),
                    value: value.element(index, element),
                };
                (skipped..last).map(at).collect()
            }
            Parts::Target(target) => {
                let named = NamedValue {
                    name: TARGET.to_owned(),
                    value: *target,
                };
                std::iter::once(named).skip(skip).take(take).collect()
            }
        })
    }

    /// Returns a value with its parts, or those of the value that a reference refers to; none if the
    /// reference is unknown.
    fn with_parts(&self, value: &TypedValue) -> Result<Option<WithParts>, QueryError> {
        let Some(value) = self.referred(value)? else {
            return Ok(None);
        };
        let parts = match value.description().shape {
            TypeShape::Record { members, variants } => {
                if let Some(slice) = self.slice(&value, &members)? {
                    return Ok(Some(slice));
                }
                let selected = self.variant_members(&value, variants)?;
                Parts::Members(members.into_iter().chain(selected).collect())
            }
            TypeShape::Array { element, length } => Parts::Elements {
                element,
                count: length.known().unwrap_or(0),
            },
            TypeShape::Pointer(target) => self
                .target(&value, target)?
                .map_or(Parts::None, |target| Parts::Target(Box::new(target))),
            TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float(_)
            | TypeShape::Reference(_)
            | TypeShape::Enumeration { .. }
            | TypeShape::Function
            | TypeShape::Opaque => Parts::None,
        };
        Ok(Some(WithParts { value, parts }))
    }

    /// Returns the elements of a known slice of Rust; none for another value. A text is no slice.
    fn slice(
        &self,
        value: &TypedValue,
        members: &[TypeMember],
    ) -> Result<Option<WithParts>, QueryError> {
        let [pointer, length] = members else {
            return Ok(None);
        };
        if !pointer.has_name(SLICE_POINTER) || !length.has_name(SLICE_LENGTH) || value.is_text() {
            return Ok(None);
        }
        let pointer = value.member(pointer.clone()).value;
        let count = self.signed_number(&value.member(length.clone()).value)?;
        let first = self.pointed(&pointer)?;
        Ok(first.zip(count).map(|(first, count)| WithParts {
            parts: Parts::Elements {
                element: first.of_type,
                count,
            },
            value: first,
        }))
    }

    /// Returns the members of the selected variant of a structure.
    fn variant_members(
        &self,
        value: &TypedValue,
        variants: Option<VariantPart>,
    ) -> Result<Vec<TypeMember>, QueryError> {
        Ok(match variants {
            Some(part) => self.selected_variant(value, &part)?.members().to_vec(),
            None => Vec::new(),
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
            let selected = self.variant_members(&record, variants)?;
            let mut all = members.iter().chain(&selected);
            if let Some(found) = all.find(|member| member.has_name(name)) {
                return Ok(Some(record.member(found.clone()).value));
            }
            let inner = members.into_iter().filter(TypeMember::is_transparent);
            let room = NESTED_RECORDS.saturating_sub(open.len());
            let inner = inner.chain(selected).take(room);
            open.extend(inner.map(|member| record.member(member).value));
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
    /// Returns true if the trace shows which variant it is.
    pub fn is_known(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Returns the members of the variant.
    pub fn members(self) -> &'a [TypeMember] {
        match self {
            Self::Known(variant) => &variant.members,
            Self::None | Self::Unknown => &[],
        }
    }
}
