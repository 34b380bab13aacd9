//! Symbols of all images by address and by name ([`SymbolTable`]), and names that the user gave to
//! addresses ([`UserNameTable`]), which have priority.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use stepback_machine::Address;

use crate::image::extents::{AddressExtent, Extents};
use crate::image::function_query::FunctionQuery;
use crate::image::names::{NameQuery, SymbolNames};

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

/// Maximum number of names that are remembered with their symbols.
const REMEMBERED: usize = 256;

/// The symbols of all images.
///
/// Its parts are built when a query first needs them. Cost: the first query
/// for an address sorts the symbols, and the first for a name compares all names.
#[derive(Debug, Default)]
pub struct SymbolTable {
    symbols: Vec<Symbol>,
    by_address: OnceLock<Extents>,
    code_by_address: OnceLock<Extents>,
    /// Symbols of queried names, preferred ones first.
    by_name: FoundSymbols,
    /// Functions whose names end with queried ones, preferred ones first.
    by_name_end: FoundSymbols,
}

/// Indexes of the symbols of queried names.
#[derive(Debug, Default)]
struct FoundSymbols(Mutex<HashMap<Box<str>, Arc<[usize]>>>);

impl FoundSymbols {
    /// Returns what was found for a name, or finds it.
    fn get_or_find(&self, name: &str, find: impl FnOnce() -> Vec<usize>) -> Arc<[usize]> {
        let known = || {
            self.0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        if let Some(places) = known().get(name) {
            return Arc::clone(places);
        }
        let places: Arc<[usize]> = find().into();
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(name.into(), Arc::clone(&places));
        places
    }
}

impl SymbolTable {
    /// Creates the table of some symbols. A symbol without a size ends at the start of the next
    /// one.
    pub fn new(mut symbols: Vec<Symbol>) -> Self {
        end_sizeless_symbols(&mut symbols);
        Self {
            symbols,
            ..Self::default()
        }
    }

    /// Returns all symbols; those of a file in the order of their addresses.
    pub fn all(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Returns the innermost symbol that contains an address. If no symbol's size covers it,
    /// returns the nearest symbol without a size before it in its section, up to the next symbol.
    /// O(log n).
    pub fn at(&self, address: Address) -> Option<&Symbol> {
        let extents = self
            .by_address
            .get_or_init(|| extents_of(self.all(), |_| true));
        self.all().get(extents.owner_of(address.0)?)
    }

    /// Returns the function or label in code that contains an address. O(log n).
    pub fn code_at(&self, address: Address) -> Option<&Symbol> {
        self.all().get(self.place_of_code(address)?)
    }

    /// Returns the function or label in code that contains an address, with the first name that its
    /// file lists. O(log n + aliases).
    pub fn first_code_at(&self, address: Address) -> Option<&Symbol> {
        let owner = self.place_of_code(address)?;
        let best = self.all().get(owner)?;
        let is_alias = |symbol: &&Symbol| symbol.address == best.address;
        let before = self.all().get(..owner)?.iter().rev().take_while(is_alias);
        let aliases = before.chain(self.all().get(owner..)?.iter().take_while(is_alias));
        let covering = aliases.filter(|symbol| symbol.is_code() && symbol.last >= Some(address));
        covering.min_by_key(|symbol| symbol.place)
    }

    /// Returns the symbols with a name in any of its forms, preferred ones first.
    pub fn named(&self, name: &str) -> Vec<&Symbol> {
        let query = NameQuery::new(name);
        let find = || self.places_of(|symbol| symbol.names.has(&query));
        self.symbols_at(&self.by_name.get_or_find(name, find))
    }

    /// Returns the code whose names end with the components of a name, preferred symbols first.
    pub fn functions_called(&self, name: &str) -> Vec<&Symbol> {
        let query = FunctionQuery::new(name);
        let is_called = |symbol: &Symbol| symbol.is_code() && query.matches(symbol.raw_name());
        let find = || self.places_of(is_called);
        self.symbols_at(&self.by_name_end.get_or_find(name, find))
    }

    fn symbols_at(&self, places: &[usize]) -> Vec<&Symbol> {
        let symbols = places.iter().filter_map(|place| self.all().get(*place));
        symbols.collect()
    }

    fn place_of_code(&self, address: Address) -> Option<usize> {
        self.code_by_address
            .get_or_init(|| extents_of(self.all(), Symbol::is_code))
            .owner_of(address.0)
    }

    fn places_of(&self, is_meant: impl Fn(&Symbol) -> bool) -> Vec<usize> {
        let symbols = self.all().iter().enumerate();
        let mut found: Vec<(usize, &Symbol)> =
            symbols.filter(|(_, symbol)| is_meant(symbol)).collect();
        found.sort_by_key(|(_, symbol)| (Reverse(symbol.preference()), symbol.address));
        found.into_iter().map(|(place, _)| place).collect()
    }
}

/// Ends each symbol without a size at the start of the next symbol, or at the end of one around it.
fn end_sizeless_symbols(symbols: &mut [Symbol]) {
    if symbols.iter().all(|symbol| symbol.size_bytes != 0) {
        return;
    }
    let located = symbols
        .iter()
        .filter_map(|symbol| symbol.last.map(|last| (symbol, last)));
    let ends = located
        .clone()
        .filter(|(symbol, _)| symbol.size_bytes != 0)
        .filter_map(|(_, last)| last.0.checked_add(1));
    let mut borders: Vec<u64> = located
        .map(|(symbol, _)| symbol.address.0)
        .chain(ends)
        .collect();
    borders.sort_unstable();
    for symbol in symbols.iter_mut().filter(|symbol| symbol.size_bytes == 0) {
        let next = borders.partition_point(|border| *border <= symbol.address.0);
        let before_next = borders
            .get(next)
            .map(|border| Address(border.saturating_sub(1)));
        symbol.last = symbol
            .last
            .map(|last| before_next.map_or(last, |before| last.min(before)));
    }
}

fn extents_of(symbols: &[Symbol], is_wanted: impl Fn(&Symbol) -> bool) -> Extents {
    let wanted = symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| is_wanted(symbol));
    let extents = wanted.filter_map(|(owner, symbol)| {
        let (first, last) = (symbol.address.0, symbol.last?.0);
        // Innermost: the last to begin, then the first to end. A symbol without a size only fills
        // holes, and a whole file the rest.
        let is_named = symbol.kind != SymbolKind::Module;
        let rank = (
            is_named,
            symbol.size_bytes != 0,
            first,
            Reverse(last),
            symbol.preference(),
        );
        // A load offset may have moved the end beyond the end of the address space.
        (first <= last).then_some(AddressExtent {
            first,
            last,
            rank,
            owner,
        })
    });
    Extents::new(extents.collect())
}

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
