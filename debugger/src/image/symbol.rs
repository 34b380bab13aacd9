//! A symbol, and an address as an offset from one.

use std::cmp::Reverse;
use std::fmt;

use stepback_machine::Address;

use super::names::SymbolNames;

/// A name for some bytes of the traced machine's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub(super) names: SymbolNames,
    /// Start address, with the load offset and without a Thumb bit.
    pub address: Address,
    /// Size in bytes that the file states; 0 if it states none (labels of assembly code).
    pub size_bytes: u64,
    pub kind: SymbolKind,
    /// Number of symbols that the file lists before it.
    pub(super) place: usize,
    pub(super) binding: Binding,
    /// Last byte, for look-ups by address; none if the symbol is only a number (`__stack_size`).
    pub(super) last: Option<Address>,
}

/// Kind of object that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    Function,
    /// A label in code, such as the entry points of assembly code.
    CodeLabel,
    /// A variable.
    Object,
    /// Another name without a type.
    Label,
    /// A mapped file, for addresses that nothing in the file names.
    Module,
}

/// Visibility of a symbol, the most trusted last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Local,
    Weak,
    Global,
}

/// An address as an offset from the symbol that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolAt<'a> {
    /// Demangled name.
    pub name: &'a str,
    /// Offset of the address from the symbol's start.
    pub offset: u64,
    pub symbol: &'a Symbol,
}

impl fmt::Display for SymbolAt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if self.offset == 0 {
            Ok(())
        } else {
            write!(f, "+{:#x}", self.offset)
        }
    }
}

impl Symbol {
    /// Returns the demangled name, or the raw name if it is not mangled. The first call demangles
    /// it.
    pub fn name(&self) -> &str {
        self.names.full()
    }

    /// Returns the name as the file has it.
    pub fn raw_name(&self) -> &str {
        self.names.raw()
    }

    /// Returns true for functions and for labels in code.
    pub fn is_code(&self) -> bool {
        matches!(self.kind, SymbolKind::Function | SymbolKind::CodeLabel)
    }

    /// Returns the mangled name of the function whose unlikely code this is. Compilers name the
    /// code that they move away `f.cold` or `f.cold.1`. None for a function, which `f.part.0` is.
    pub(super) fn cold_part_of(&self) -> Option<&str> {
        let (function, number) = self.raw_name().rsplit_once(".cold")?;
        let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        let is_part = number.is_empty() || number.strip_prefix('.').is_some_and(is_number);
        Some(function).filter(|_| is_part)
    }

    /// Returns the order of symbols for the same bytes, the greatest being the one to show: global
    /// before weak before local, then a function, then the shortest raw name.
    pub(super) fn preference(&self) -> impl Ord + use<'_> {
        let raw = self.raw_name();
        (
            self.binding,
            self.kind == SymbolKind::Function,
            Reverse(raw.len()),
            Reverse(raw),
        )
    }
}
