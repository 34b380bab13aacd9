//! Local variables and arguments, from the DWARF information of an image: which are in scope at an
//! address, where each is, and what type it has.
//!
//! The information is read at the first query, and kept. All queries are bounded, whatever the file
//! contains.

mod debug_entries;
mod evaluation;
mod frame_rules;
mod frame_values;
mod frame_variables;
mod image_variables;
mod location;
mod scopes;
#[cfg(test)]
mod test_unit;
#[cfg(test)]
mod tests;
mod type_names;
mod types;
mod variable_types;

pub use frame_values::{FrameValues, KnownNumber};
pub use frame_variables::FrameVariables;
pub use image_variables::ImageVariables;
pub use location::VariablePlace;
pub use scopes::{ScopedVariable, VariableKind};
pub use types::{
    EnumerationName, FieldBits, Signedness, TypeDescription, TypeMember, TypeShape, VariableType,
};
pub use variable_types::VariableTypes;
