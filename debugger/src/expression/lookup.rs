//! Values of the names and of the memory in an expression ([`NameLookup`]).

use super::error::{LookupFailure, NoNumber};
use super::shown::bare_hex;
use super::typed_number::TypedNumber;
use super::value_path::{ValuePath, VariableAspect};

/// Source of the values of names and memory in an expression.
pub trait NameLookup {
    /// Looks up a register, in any letter case; `None` if no register has this name.
    fn register(&self, name: &str) -> Option<ValueLookup>;

    /// Returns the addresses of the symbols with a name; several for static functions of one name,
    /// and for functions whose full names end with it.
    fn symbols(&self, name: &str) -> Vec<u64>;

    /// Returns the full names of these symbols, if they are known.
    fn full_names(&self, _name: &str) -> Vec<String> {
        Vec::new()
    }

    /// Returns the reason that no symbol has a name, if more is known than that none has it.
    fn absence(&self, _name: &str) -> Option<SymbolAbsence> {
        None
    }

    /// Looks up a variable or a part of one; `None` if no variable has its name. Variables come
    /// before registers.
    fn variable(&self, _path: &ValuePath, _aspect: VariableAspect) -> Option<ValueLookup> {
        None
    }

    /// Looks up the number in memory at an address, in the byte order of the traced CPU.
    fn memory(&self, address: u64, width: Width) -> ValueLookup;

    /// Returns true if the trace executes or accesses this address, or an image has it.
    fn is_used(&self, address: u64) -> bool;

    /// Returns the address that a name of hexadecimal digits means if the register of that name has
    /// no value: `d0`. `None` if an expression is tracked along the trace: the register may get a
    /// value there.
    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        bare_hex(name).filter(|address| self.is_used(*address))
    }
}

/// Reason that no symbol has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolAbsence {
    /// The name is that of a thread-local variable, which has an address in each thread.
    ThreadLocal,
    /// There are no images.
    NoImages,
}

/// Size of a number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Size of an address of the traced CPU: `[sp]`.
    Pointer,
    /// 1, 2, 4 or 8 bytes: `u8[sp]` to `u64[sp]`.
    Bytes(u8),
}

/// Result of looking up a register, memory or a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueLookup {
    /// The lowest 64 bits of the value.
    Known(u64),
    /// The number of a variable, with its type.
    Typed(TypedNumber),
    /// The variable has no number.
    NoNumber(NoNumber),
    /// The trace does not record all bytes.
    Unknown,
    /// The lookup failed, for this reason.
    Failed(LookupFailure),
}
