//! A symbol, and an address as an offset from one.

use std::cmp::Reverse;
use std::fmt;

use stepback_machine::Address;

use super::names::SymbolNames;

/// A name for some bytes of the traced machine's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// How it is called.
    pub(super) names: SymbolNames,
    /// Where it begins, the load offset added and without a Thumb bit.
    pub address: Address,
    /// Its size in bytes as the file states it; 0 where it does not (labels of assembly code).
    pub size_bytes: u64,
    /// What it names.
    pub kind: SymbolKind,
    /// How many symbols the file lists before it.
    pub(super) place: usize,
    /// How far it is visible.
    pub(super) binding: Binding,
    /// Its last byte for finding it by address; none when it is a mere number (`__stack_size`).
    pub(super) last: Option<Address>,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A function.
    Function,
    /// A label in code, such as the entry points of assembly code.
    CodeLabel,
    /// A variable.
    Object,
    /// Another name without a type.
    Label,
    /// A mapped file: what an address belongs to where nothing in the file names it.
    Module,
}

/// How far a symbol is visible, the most trusted last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Local,
    Weak,
    Global,
}

/// An address as an offset from the symbol that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolAt<'a> {
    /// The demangled name.
    pub name: &'a str,
    /// How far behind the symbol's start the address is.
    pub offset: u64,
    /// All about it.
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
    /// The name as people read it: demangled where it was mangled. The first call demangles it.
    pub fn name(&self) -> &str {
        self.names.full()
    }

    /// The name as the file has it.
    pub fn raw_name(&self) -> &str {
        self.names.raw()
    }

    /// True for functions and for labels in code.
    pub fn is_code(&self) -> bool {
        matches!(self.kind, SymbolKind::Function | SymbolKind::CodeLabel)
    }

    /// The mangled name of the function whose unlikely code this is, as compilers name what they move away
    /// (`f.cold`, `f.cold.1`); none for what is a function itself, as `f.part.0` is.
    pub(super) fn cold_part_of(&self) -> Option<&str> {
        let (function, number) = self.raw_name().rsplit_once(".cold")?;
        let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        let is_part = number.is_empty() || number.strip_prefix('.').is_some_and(is_number);
        Some(function).filter(|_| is_part)
    }

    /// Among symbols for the same bytes, the greatest is the name to show:
    /// global before weak before local, then a function, then the shortest name as the file has it.
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
