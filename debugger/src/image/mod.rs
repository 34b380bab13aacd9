//! Program images: the symbols of ELF files, by address and by name, and the source lines by
//! address.
//!
//! ```
//! use stepback_debugger::image::{ImageSpec, Images};
//! use stepback_machine::Address;
//!
//! let spec: ImageSpec = "../assets/demo/overflow_bare.elf".parse()?;
//! let images = Images::load(&[spec])?;
//! assert_eq!(images.name_at(Address(0x8000_08a0)).as_deref(), Some("main+0x8"));
//! assert_eq!(images.address_of("dispatch"), Some(Address(0x8000_087c)));
//! let line = images.source_at(Address(0x8000_08a0));
//! assert_eq!(line.map(|line| line.short()).as_deref(), Some("overflow.c:96"));
//! # Ok::<(), anyhow::Error>(())
//! ```

mod elf;
mod extents;
mod fit;
mod function_query;
mod header_tables;
mod identity;
mod images;
mod line_name;
mod lines;
#[cfg(test)]
mod loader_tests;
mod memory_view;
mod modules;
#[cfg(test)]
mod modules_tests;
mod names;
mod segments;
mod spec;
mod symbol;
#[cfg(test)]
mod tests;
mod variables;

pub use crate::image::elf::program_file;
pub use crate::image::fit::{MismatchCause, bytes_text};
pub use crate::image::header_tables::machine_of;
pub use crate::image::line_name::{SourceLineName, is_called, line_code};
pub use crate::image::memory_view::{LinkerView, ProgramStarts};
pub use crate::image::segments::MappedRange;
pub use crate::image::symbol::AddressName;
pub use crate::image::variables::{
    ArrayLength, EnumerationName, EvaluationState, FUNCTIONS, FieldBits, FloatKind, FrameValues,
    FrameVariables, KnownNumber, MemberKind, PlacedVariable, ScopedVariable, Signedness,
    TypeDescription, TypeMember, TypeShape, TypeVariant, UnitName, UnsupportedLocation,
    VariableKind, VariablePlace, VariableType, VariableTypes, VariantPart, sign_extended,
};
pub use fit::{CheckedImage, ImageFit, ImageMismatch, fits_of};
pub use function_query::FunctionQuery;
pub use images::{ImageInfo, ImageOrigin, Images, function_name};
pub use lines::{CodeOrigin, InlineSite, LineRange, SourceLine};
pub use modules::ModuleSearch;
pub use spec::ImageSpec;
pub use symbol::{Symbol, SymbolAt, SymbolKind};
