//! Program images: the symbols of ELF files, by address and by name.
//!
//! ```
//! use stepback::image::{ImageSpec, Images};
//! use stepback_parsers::Address;
//!
//! let spec: ImageSpec = "assets/demo/overflow_bare.elf".parse()?;
//! let images = Images::load(&[spec])?;
//! assert_eq!(images.name_at(Address(0x8000_08a0)).as_deref(), Some("main+0x8"));
//! assert_eq!(images.address_of("dispatch"), Some(Address(0x8000_087c)));
//! # Ok::<(), anyhow::Error>(())
//! ```

mod demangle;
mod elf;
mod extents;
mod images;
mod spec;
mod symbol;
#[cfg(test)]
mod tests;

pub use images::{ImageInfo, Images};
pub use spec::ImageSpec;
pub use symbol::{Symbol, SymbolAt, SymbolKind};
