//! Names that the user gave to addresses. They have priority over those of the files.

use std::cmp::Reverse;

use stepback_machine::Address;

use super::extents::{AddressExtent, Extents};
use super::names::SymbolNames;
use super::symbol::Binding;
use super::{Symbol, SymbolKind};

/// Maximum extent in bytes of a name without a size and without a symbol around it, as for labels
/// of assembly code.
const REACH: u64 = 0x1000;

/// A name that the user gave to an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressName {
    pub address: Address,
    /// Number of bytes; 1 for a name without a size.
    pub len_bytes: u64,
    pub name: String,
}

/// The names that the user gave to addresses of a trace.
#[derive(Clone, Debug, Default)]
pub struct UserNameTable {
    symbols: Vec<Symbol>,
    by_address: Extents,
}

impl UserNameTable {
    /// Creates the table. `known` returns the files' symbol at an address, which determines the
    /// extent of a name without a size, and whether it is code.
    pub fn new<'a>(names: &[AddressName], known: impl Fn(Address) -> Option<&'a Symbol>) -> Self {
        let mut starts: Vec<u64> = names.iter().map(|name| name.address.0).collect();
        starts.sort_unstable();
        let symbols: Vec<Symbol> = names
            .iter()
            .map(|given| {
                let around = known(given.address);
                let start = given.address.0;
                let next = starts
                    .get(starts.partition_point(|other| *other <= start))
                    .copied();
                let last = match (given.len_bytes, around.and_then(|symbol| symbol.last)) {
                    (0 | 1, Some(last)) => last.0,
                    (0 | 1, None) => {
                        // Up to the next name, of the user or of a file.
                        let end = start.saturating_add(REACH).min(next.unwrap_or(u64::MAX));
                        let is_free = |address: &u64| known(Address(*address)).is_none();
                        (start..end)
                            .step_by(4)
                            .take_while(is_free)
                            .last()
                            .map_or(start, |free| free.saturating_add(3))
                    }
                    (length, _) => start.saturating_add(length - 1),
                };
                let is_code = given.len_bytes <= 1 && around.is_none_or(Symbol::is_code);
                Symbol {
                    names: SymbolNames::plain(&given.name),
                    address: given.address,
                    size_bytes: given.len_bytes,
                    kind: if is_code {
                        SymbolKind::Function
                    } else {
                        SymbolKind::Object
                    },
                    place: 0,
                    binding: Binding::Global,
                    last: Some(Address(last.max(start))),
                }
            })
            .collect();
        let extents = symbols
            .iter()
            .enumerate()
            .map(|(owner, symbol)| AddressExtent {
                first: symbol.address.0,
                last: symbol.last.unwrap_or(symbol.address).0,
                rank: (symbol.address.0, Reverse(symbol.last), owner),
                owner,
            });
        Self {
            by_address: Extents::new(extents.collect()),
            symbols,
        }
    }

    /// Returns the name that covers an address. O(log n).
    pub fn at(&self, address: Address) -> Option<&Symbol> {
        self.symbols.get(self.by_address.owner_of(address.0)?)
    }

    /// Returns the symbol of a name. Cost: all names.
    pub fn named(&self, name: &str) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name() == name)
    }

    /// Returns all names as symbols.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }
}
