//! How reports name functions.

use clap::Args;
use stepback_machine::Address;

use super::text::printable;
use stepback_debugger::image::Images;

/// How functions are named.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NameOptions {
    /// Name functions as people read them, not as linkers do.
    #[arg(long)]
    pub demangle: bool,
    /// Leave out how far behind a function's start a call went.
    #[arg(long)]
    pub no_offsets: bool,
}

/// Names functions in the text of reports.
#[derive(Clone, Copy)]
pub struct FunctionNames<'a> {
    images: &'a Images,
    options: NameOptions,
}

impl<'a> FunctionNames<'a> {
    /// By the symbols of the images.
    pub fn new(images: &'a Images, options: NameOptions) -> Self {
        Self { images, options }
    }

    /// `main`, or `main + 0x8` for an address that is not its start; none when no function is there.
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

    /// Its name, else the address itself.
    pub fn name_or_address(&self, function: Address) -> String {
        self.name(function)
            .unwrap_or_else(|| format!("{:#x}", function.0))
    }
}
