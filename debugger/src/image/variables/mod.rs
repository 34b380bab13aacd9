//! Local variables and arguments, from the DWARF information of an image: which are in scope at an
//! address, where each is, and what type it has.
//!
//! The information is read at the first query, and kept. All queries are bounded, whatever the file
//! contains.

mod array_lengths;
mod code_ranges;
mod content;
mod debug_entries;
mod evaluation;
mod frame_rules;
mod frame_values;
mod frame_variables;
mod global_names;
mod global_variables;
mod image_variables;
mod inlined_instances;
mod location;
mod prologue;
mod record_members;
mod scopes;
#[cfg(test)]
mod test_unit;
#[cfg(test)]
mod tests;
mod type_names;
mod types;
mod variable_types;

pub use array_lengths::ArrayLength;
pub use evaluation::{EvaluationState, UnsupportedLocation};
pub use frame_values::{FrameValues, KnownNumber, sign_extended};
pub use frame_variables::{FrameVariables, PlacedVariable};
pub use global_variables::UnitName;
pub use image_variables::ImageVariables;
pub use location::VariablePlace;
pub use scopes::{FUNCTIONS, ScopedVariable, VariableKind};
pub use types::{
    EnumerationName, FieldBits, FloatKind, MemberKind, Signedness, TypeDescription, TypeMember,
    TypeShape, TypeVariant, VariableType, VariantPart,
};
pub use variable_types::VariableTypes;
