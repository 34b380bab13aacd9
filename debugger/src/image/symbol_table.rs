//! The symbols of all images, by address and by name.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use stepback_machine::Address;

use super::extents::{AddressExtent, Extents};
use super::names::NameQuery;
use super::{Symbol, SymbolKind};

/// Maximum number of names that are remembered with their symbols.
const REMEMBERED: usize = 256;

/// The symbols of all images.
///
/// Its parts are built when a query first needs them, and copies share them. Cost: the first query
/// for an address sorts the symbols, and the first for a name compares all names.
#[derive(Clone, Debug, Default)]
pub struct SymbolTable(Arc<SymbolTableContent>);

#[derive(Debug, Default)]
struct SymbolTableContent {
    symbols: Vec<Symbol>,
    by_address: OnceLock<Extents>,
    code_by_address: OnceLock<Extents>,
    /// Indexes of the symbols of queried names, preferred ones first.
    by_name: Mutex<HashMap<Box<str>, Arc<[usize]>>>,
}

impl SymbolTable {
    /// Creates the table of some symbols. A symbol without a size ends at the start of the next
    /// one.
    pub fn new(mut symbols: Vec<Symbol>) -> Self {
        end_sizeless_symbols(&mut symbols);
        Self(Arc::new(SymbolTableContent {
            symbols,
            ..SymbolTableContent::default()
        }))
    }

    /// Returns all symbols; those of a file in the order of their addresses.
    pub fn all(&self) -> &[Symbol] {
        &self.0.symbols
    }

    /// Returns the innermost symbol that contains an address. If no symbol's size covers it,
    /// returns the nearest symbol without a size before it in its section, up to the next symbol.
    /// O(log n).
    pub fn at(&self, address: Address) -> Option<&Symbol> {
        let extents = self
            .0
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
        self.places_of(name)
            .iter()
            .filter_map(|place| self.all().get(*place))
            .collect()
    }

    fn place_of_code(&self, address: Address) -> Option<usize> {
        self.0
            .code_by_address
            .get_or_init(|| extents_of(self.all(), Symbol::is_code))
            .owner_of(address.0)
    }

    fn places_of(&self, name: &str) -> Arc<[usize]> {
        let known = || {
            self.0
                .by_name
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        if let Some(places) = known().get(name) {
            return Arc::clone(places);
        }
        let query = NameQuery::new(name);
        let mut found: Vec<(usize, &Symbol)> = self
            .all()
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.names.has(&query))
            .collect();
        found.sort_by_key(|(_, symbol)| (Reverse(symbol.preference()), symbol.address));
        let places: Arc<[usize]> = found.into_iter().map(|(place, _)| place).collect();
        let mut known = known();
        if known.len() >= REMEMBERED {
            known.clear();
        }
        known.insert(name.into(), Arc::clone(&places));
        places
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
