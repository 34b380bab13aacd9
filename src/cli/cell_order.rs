//! Rows in the order of their cells: each block is sorted and written to an unnamed file, and the
//! blocks are merged at the end. Memory: a block for each thread, and a few rows for each block.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::Result;
use bincode::config::standard;
use bincode::serde::{decode_from_slice, encode_into_std_write};
use stepback_debugger::columns::{BLOCK_ROWS, CellRow, NameId, Names};
use stepback_index::Cancel;

/// Number of rows that are read at once when blocks are merged.
const CHUNK_ROWS: usize = 256;

/// A part of a sorted block, in the file.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    offset: u64,
    bytes: usize,
}

/// The sorted blocks of a table.
pub struct SortedBlocks<R> {
    spool: Mutex<Spool>,
    row: PhantomData<fn() -> R>,
}

struct Spool {
    file: File,
    end: u64,
    blocks: Vec<VecDeque<Chunk>>,
}

impl<R: CellRow> SortedBlocks<R> {
    /// Creates a table without blocks. They are kept in an unnamed file in `folder`.
    ///
    /// # Errors
    /// The folder takes no file.
    pub fn new(folder: &Path) -> Result<Self> {
        let spool = Spool {
            file: tempfile::tempfile_in(folder)?,
            end: 0,
            blocks: Vec::new(),
        };
        Ok(Self {
            spool: Mutex::new(spool),
            row: PhantomData,
        })
    }

    /// Sorts and keeps a block.
    pub fn add(&self, mut rows: Vec<R>, names: &Names) -> Result<()> {
        let ranks = NameRanks::new(names);
        rows.sort_by_cached_key(|row| ranks.key(row));
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for chunk in rows.chunks(CHUNK_ROWS) {
            for row in chunk {
                encode_into_std_write(row, &mut bytes, standard())?;
            }
            ends.push(bytes.len());
        }
        let mut spool = self.spool.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = 0;
        let base = spool.end;
        let chunks = ends.into_iter().map(|end| {
            let offset = base + before as u64;
            let bytes = end - before;
            before = end;
            Chunk { offset, bytes }
        });
        let chunks = chunks.collect();
        spool.file.write_all(&bytes)?;
        spool.end += bytes.len() as u64;
        spool.blocks.push(chunks);
        Ok(())
    }

    /// Merges the blocks, and hands the rows over in blocks of at most [`BLOCK_ROWS`].
    pub fn merge(
        self,
        names: &Names,
        cancel: &Cancel,
        mut take: impl FnMut(&[R]) -> Result<()>,
    ) -> Result<()> {
        let spool = self.spool.into_inner();
        let Spool {
            mut file, blocks, ..
        } = spool.unwrap_or_else(PoisonError::into_inner);
        let ranks = NameRanks::new(names);
        let mut heads = BinaryHeap::new();
        let mut readers = Vec::with_capacity(blocks.len());
        for (number, chunks) in blocks.into_iter().enumerate() {
            let mut reader = BlockReader {
                chunks,
                rows: VecDeque::new(),
            };
            let first = reader.peek(&mut file)?;
            heads.extend(first.map(|row| Reverse((ranks.key(row), number))));
            readers.push(reader);
        }
        let mut rows: Vec<R> = Vec::new();
        while let Some(Reverse((_, number))) = heads.pop() {
            let Some(reader) = readers.get_mut(number) else {
                continue;
            };
            rows.extend(reader.rows.pop_front());
            let next = reader.peek(&mut file)?;
            heads.extend(next.map(|row| Reverse((ranks.key(row), number))));
            if rows.len() == BLOCK_ROWS {
                cancel.check()?;
                take(&rows)?;
                rows.clear();
            }
        }
        take(&rows)
    }
}

/// Reads a sorted block chunk by chunk.
struct BlockReader<R> {
    chunks: VecDeque<Chunk>,
    rows: VecDeque<R>,
}

impl<R: CellRow> BlockReader<R> {
    /// Returns the next row.
    fn peek(&mut self, file: &mut File) -> Result<Option<&R>> {
        if self.rows.is_empty()
            && let Some(Chunk { offset, bytes }) = self.chunks.pop_front()
        {
            let mut chunk = vec![0; bytes];
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut chunk)?;
            let mut rest = chunk.as_slice();
            while !rest.is_empty() {
                let (row, length) = decode_from_slice(rest, standard())?;
                self.rows.push_back(row);
                rest = rest.get(length..).unwrap_or_default();
            }
        }
        Ok(self.rows.front())
    }
}

/// The order of names. Names that are added later do not change the order of others.
struct NameRanks<'a> {
    names: &'a Names,
    ranks: OnceCell<Vec<u64>>,
}

impl<'a> NameRanks<'a> {
    fn new(names: &'a Names) -> Self {
        Self {
            names,
            ranks: OnceCell::new(),
        }
    }

    /// Returns the key by which a row is sorted.
    fn key<R: CellRow>(&self, row: &R) -> (u64, u64) {
        (row.cell(&|id| self.rank(id)), row.position())
    }

    fn rank(&self, id: NameId) -> u64 {
        let ranks = self.ranks.get_or_init(|| {
            let texts = self.names.texts_from(0);
            let mut order: Vec<_> = (0..texts.len()).collect();
            order.sort_by_key(|place| texts.get(*place));
            let mut ranks = vec![0; texts.len()];
            for (rank, place) in (0..).zip(order) {
                if let Some(slot) = ranks.get_mut(place) {
                    *slot = rank;
                }
            }
            ranks
        });
        ranks.get(id.0 as usize).copied().unwrap_or(u64::MAX)
    }
}
