//! Types of the variables of an image ([`VariableTypes`]).

use std::fmt;
use std::sync::Arc;

use crate::image::variables::array_lengths::FrameLengths;
use crate::image::variables::image_variables::{ImageVariables, catch_panic};
use crate::image::variables::types::{TypeDescription, TypeReader, TypeShape, VariableType};

/// The types of an image, with the lengths of the arrays in a frame.
#[derive(Clone)]
pub struct VariableTypes {
    pub(super) image: Arc<ImageVariables>,
    pub(super) lengths: Arc<FrameLengths>,
}

impl fmt::Debug for VariableTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VariableTypes").finish_non_exhaustive()
    }
}

impl VariableTypes {
    fn reader(&self) -> Option<TypeReader<'_>> {
        Some(self.image.loaded()?.types(&self.lengths))
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
