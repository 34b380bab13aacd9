//! Description of a table: its columns, in order, with the reader of each cell.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

/// A row type and the columns of its table.
pub trait TableRow: Sized + Send + Sync + 'static {
    /// Name of the table.
    const TABLE: &'static str;
    /// Meaning of a row.
    const MEANING: &'static str;
    /// Its columns.
    const COLUMNS: &'static [Column<Self>];
}

/// A column of a table.
pub struct Column<R: 'static> {
    /// Name.
    pub name: &'static str,
    /// Meaning and unit.
    pub meaning: &'static str,
    /// Encoding that makes it small.
    pub encoding: ColumnEncoding,
    /// Reader of its cell in a row.
    pub cell: Cell<R>,
}

/// Encoding of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnEncoding {
    /// Differences between neighbours.
    Delta,
    /// Numbers of entries in a dictionary.
    Dictionary,
    /// None: sequences that repeat compress better without one.
    Plain,
}

/// Reader of a cell, by the type of its column. Cells of the `Maybe` types may be missing.
pub enum Cell<R> {
    /// A signed 64-bit number that is never negative: a step, a count.
    Count(fn(&R) -> u64),
    /// The same, if known.
    MaybeCount(fn(&R) -> Option<u64>),
    /// An unsigned 64-bit number that may use all bits: an address.
    Bits(fn(&R) -> u64),
    /// The same, if known.
    MaybeBits(fn(&R) -> Option<u64>),
    /// A 32-bit number.
    Small(fn(&R) -> u32),
    /// The same, if known.
    MaybeSmall(fn(&R) -> Option<u32>),
    /// True or false.
    Flag(fn(&R) -> bool),
    /// A word of a fixed list.
    Word(fn(&R) -> &'static str),
    /// A text that many rows share.
    Name(fn(&R) -> NameId),
    /// The same, if known.
    MaybeName(fn(&R) -> Option<NameId>),
    /// A text, if known.
    MaybeText(fn(&R) -> Option<&str>),
    /// Bytes, if known.
    MaybeBytes(fn(&R) -> Option<&[u8]>),
}

impl<R> Column<R> {
    /// Creates a column of a few different cells.
    pub(super) const fn new(name: &'static str, cell: Cell<R>, meaning: &'static str) -> Self {
        Self {
            name,
            meaning,
            encoding: ColumnEncoding::Dictionary,
            cell,
        }
    }

    /// Creates a column of numbers that grow from row to row.
    pub(super) const fn growing(name: &'static str, cell: Cell<R>, meaning: &'static str) -> Self {
        Self {
            encoding: ColumnEncoding::Delta,
            ..Self::new(name, cell, meaning)
        }
    }

    /// Creates a column in which sequences of cells repeat.
    pub(super) const fn varied(name: &'static str, cell: Cell<R>, meaning: &'static str) -> Self {
        Self {
            encoding: ColumnEncoding::Plain,
            ..Self::new(name, cell, meaning)
        }
    }

    /// Returns the type of its cells in SQL.
    pub fn type_word(&self) -> &'static str {
        match self.cell {
            Cell::Count(_) | Cell::MaybeCount(_) => "BIGINT",
            Cell::Bits(_) | Cell::MaybeBits(_) => "UBIGINT",
            Cell::Small(_) | Cell::MaybeSmall(_) => "INTEGER",
            Cell::Flag(_) => "BOOLEAN",
            Cell::Word(_) | Cell::Name(_) | Cell::MaybeName(_) | Cell::MaybeText(_) => "VARCHAR",
            Cell::MaybeBytes(_) => "BLOB",
        }
    }

    /// Returns true if a cell may be missing.
    pub fn is_nullable(&self) -> bool {
        matches!(
            self.cell,
            Cell::MaybeCount(_)
                | Cell::MaybeBits(_)
                | Cell::MaybeSmall(_)
                | Cell::MaybeName(_)
                | Cell::MaybeText(_)
                | Cell::MaybeBytes(_)
        )
    }
}

/// A text that many rows share, by its number in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NameId(pub u32);

/// The shared texts of all rows. Threads may add texts at the same time.
#[derive(Debug, Default)]
pub struct Names(RwLock<NameTable>);

#[derive(Debug, Default)]
struct NameTable {
    texts: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, NameId>,
}

impl Names {
    /// Returns the number of a text, which is added if it is new.
    pub(super) fn id(&self, text: &str) -> NameId {
        if let Some(id) = self.table().ids.get(text) {
            return *id;
        }
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let new = NameId(u32::try_from(table.texts.len()).unwrap_or(u32::MAX));
        let text: Arc<str> = text.into();
        // Another thread may have added it meanwhile.
        let id = *table.ids.entry(Arc::clone(&text)).or_insert(new);
        if id == new {
            table.texts.push(text);
        }
        id
    }

    /// Returns the texts from a number on, in order.
    pub fn texts_from(&self, first: usize) -> Vec<Arc<str>> {
        let table = self.table();
        table.texts.get(first..).unwrap_or_default().to_vec()
    }

    fn table(&self) -> RwLockReadGuard<'_, NameTable> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}
