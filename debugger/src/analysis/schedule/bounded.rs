//! A list along the trace whose length is bounded: what is too fine to keep apart is put together.

/// What a list along the trace consists of.
pub trait LanePiece {
    /// The position at which it begins.
    fn first(&self) -> u64;
    /// The position at which it ends.
    fn end(&self) -> u64;
    /// Whether it and the next one are really one piece.
    fn continues(&self, next: &Self) -> bool;
    /// Takes in one that comes after it.
    fn absorb(&mut self, next: Self);
}

/// Pieces in the order of the trace, at most a number of them.
///
/// When there are more, all that lie in one cell of the trace become one, and cells grow until that is enough.
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
    /// An empty list of at most so many pieces.
    pub fn with_limit(limit: usize) -> Self {
        Self {
            list: Vec::new(),
            cell: 1,
            limit: limit.max(2),
        }
    }

    /// The pieces.
    pub fn list(&self) -> &[T] {
        &self.list
    }

    /// The last piece, to prolong it.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.list.last_mut()
    }
}

impl<T: LanePiece> BoundedList<T> {
    /// Adds a piece that does not begin before the last one.
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

    /// The last piece that begins at a position or before it. O(log n).
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
