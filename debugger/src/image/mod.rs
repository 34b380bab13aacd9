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

mod debug_file;
mod demangle;
mod elf;
mod extents;
mod fit;
mod fit_cause;
mod fit_text;
mod given;
mod header_tables;
mod identity;
mod images;
mod lines;
#[cfg(test)]
mod loader_tests;
mod machine;
mod mapped;
mod memory_view;
mod modules;
#[cfg(test)]
mod modules_tests;
mod names;
mod plt;
mod program_file;
mod segments;
mod spec;
mod symbol;
mod symbol_table;
#[cfg(test)]
mod tests;

pub use fit::{CheckedImage, ImageFit, ImageMismatch, fits_of};
pub use fit_cause::MismatchCause;
pub use fit_text::bytes_text;
pub use given::AddressName;
pub use images::{ImageInfo, ImageOrigin, Images};
pub use lines::{InlineSite, LineRange, SourceLine};
pub use machine::machine_of;
pub use mapped::MappedRange;
pub use memory_view::LinkerView;
pub use modules::ModuleSearch;
pub use program_file::program_file;
pub use spec::ImageSpec;
pub use symbol::{Symbol, SymbolAt, SymbolKind};
