//! Types of the variables of an image ([`VariableTypes`]).

use std::fmt;
use std::sync::Arc;

use gimli::{Reader as _, Section as _};

use crate::image::variables::image_variables::{ImageVariables, catch_panic};
use crate::image::variables::types::{TypeDescription, TypeReader, TypeShape, VariableType};

/// The types of an image.
#[derive(Clone)]
pub struct VariableTypes(pub(super) Arc<ImageVariables>);

impl fmt::Debug for VariableTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("VariableTypes").finish_non_exhaustive()
    }
}

impl VariableTypes {
    fn reader(&self) -> Option<TypeReader<'_>> {
        let loaded = self.0.loaded()?;
        let endian = loaded.entries.dwarf.debug_info.reader().endian();
        Some(TypeReader {
            entries: &loaded.entries,
            is_big_endian: endian == gimli::RunTimeEndian::Big,
        })
    }

    /// Describes a type, without its name and its qualifiers.
    pub fn describe(&self, of_type: VariableType) -> TypeDescription {
        let described = catch_panic(|| Some(self.reader()?.describe(of_type)));
        described.flatten().unwrap_or(TypeDescription {
            size_bytes: None,
            shape: TypeShape::Opaque,
        })
    }

    /// Returns the size of a type in bytes; none if the debug information does not have it.
    pub fn size_of(&self, of_type: VariableType) -> Option<u64> {
        catch_panic(|| self.reader()?.size_of(of_type)).flatten()
    }

    /// Returns the name of a type in C syntax.
    pub fn name_of(&self, of_type: VariableType) -> String {
        let name = catch_panic(|| Some(self.reader()?.name_of(of_type)));
        name.flatten().unwrap_or_default()
    }
}
