//! A list along the trace with bounded length: entries too close to keep apart are merged.

/// An entry of a list along the trace.
pub trait LanePiece {
    /// Position at which it begins.
    fn first(&self) -> u64;
    /// Position at which it ends.
    fn end(&self) -> u64;
    /// Returns true if the next entry continues this one.
    fn continues(&self, next: &Self) -> bool;
    /// Merges a later entry into this one.
    fn absorb(&mut self, next: Self);
}

/// Entries in trace order, with a maximum length.
///
/// When the list is full, all entries within one cell of the trace are merged. Cells double in size
/// until that suffices.
#[derive(Clone, Debug)]
pub struct BoundedList<T> {
    list: Vec<T>,
    cell: u64,
    limit: usize,
}

impl<T> Default for BoundedList<T> {
    fn default() -> Self {
        Self::with_limit(1 << 16)
    }
}

impl<T> BoundedList<T> {
    /// Creates an empty list of at most `limit` entries.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            list: Vec::new(),
            cell: 1,
            limit: limit.max(2),
        }
    }

    pub fn list(&self) -> &[T] {
        &self.list
    }

    /// Returns the last entry, for extension.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.list.last_mut()
    }
}

impl<T: LanePiece> BoundedList<T> {
    /// Adds an entry that does not begin before the last one.
    pub fn push(&mut self, next: T) {
        put(&mut self.list, next, self.cell);
        while self.list.len() > self.limit && self.cell < u64::MAX / 2 {
            self.cell *= 2;
            let pieces = std::mem::take(&mut self.list);
            pieces
                .into_iter()
                .for_each(|piece| put(&mut self.list, piece, self.cell));
        }
    }

    /// Returns the last entry that begins at or before a position. O(log n).
    pub fn last_at(&self, position: u64) -> Option<&T> {
        let after = self.list.partition_point(|piece| piece.first() <= position);
        self.list.get(after.checked_sub(1)?)
    }
}

fn put<T: LanePiece>(list: &mut Vec<T>, next: T, cell: u64) {
    let is_near = |last: &T| cell > 1 && last.first() / cell == next.end().saturating_sub(1) / cell;
    match list.last_mut() {
        Some(last) if last.continues(&next) || is_near(last) => last.absorb(next),
        _ => list.push(next),
    }
}
