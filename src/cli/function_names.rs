//! Names of functions in reports.

use clap::Args;
use stepback_machine::Address;

use super::text::printable;
use stepback_debugger::image::Images;

#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NameOptions {
    /// Demangle the names of functions.
    #[arg(long)]
    pub demangle: bool,
    /// Leave out the offset of a call from the function's start.
    #[arg(long)]
    pub no_offsets: bool,
}

/// Formats the names of functions for text reports.
#[derive(Clone, Copy)]
pub struct FunctionNames<'a> {
    images: &'a Images,
    options: NameOptions,
}

impl<'a> FunctionNames<'a> {
    /// Creates a formatter that uses the symbols of the images.
    pub fn new(images: &'a Images, options: NameOptions) -> Self {
        Self { images, options }
    }

    /// Returns `main`, or `main + 0x8` for an address after its start. None if no function is
    /// there.
    pub fn name(&self, address: Address) -> Option<String> {
        let found = match self.options.demangle {
            true => self.images.code_at(address),
            false => self.images.reported_at(address),
        }?;
        let name = printable(if self.options.demangle {
            found.name
        } else {
            found.symbol.raw_name()
        });
        Some(if found.offset == 0 || self.options.no_offsets {
            name
        } else {
            format!("{name} + {:#x}", found.offset)
        })
    }

    /// Returns the name, or the address if there is none.
    pub fn name_or_address(&self, function: Address) -> String {
        self.name(function)
            .unwrap_or_else(|| format!("{:#x}", function.0))
    }
}
