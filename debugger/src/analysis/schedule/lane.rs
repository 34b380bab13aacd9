//! The lane of a thread, its entries, and the boxes that represent it on the screen.
//!
//! A lane is a [`BoundedList`]: entries too close to keep apart are merged, so its memory does not
//! grow with the trace. A drawn lane has at most one box per pixel column.

use std::collections::BTreeSet;
use std::ops::Range;

use stepback_parsers::Position;

/// The core on which a thread ran, or the thread that ran on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanePeer {
    /// The trace does not say.
    Unknown,
    /// A core or thread number.
    One(u64),
    /// Several, in intervals too short to keep apart.
    Several,
}

/// Positions between which a thread or a core ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneInterval {
    /// Position before its first step.
    pub first: u64,
    /// Position after its last step.
    pub end: u64,
    /// The core or thread.
    pub who: LanePeer,
}

impl LanePiece for LaneInterval {
    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.end
    }

    fn continues(&self, next: &Self) -> bool {
        self.end == next.first && self.who == next.who
    }

    fn absorb(&mut self, next: Self) {
        self.end = self.end.max(next.end);
        if self.who != next.who {
            self.who = LanePeer::Several;
        }
    }
}

/// Kind of a mark. If there is room for one only, later kinds hide earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LaneMarkKind {
    SystemCall,
    /// Instructions of the kernel.
    Kernel,
    /// A signal, or the abort of a restartable sequence.
    Signal,
}

/// An event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMark {
    /// First position at which it is visible.
    pub first: u64,
    /// End position; `first` for a mark without length.
    pub end: u64,
    pub kind: LaneMarkKind,
    /// Number of merged events; 0 for the rest of a kernel mark after another mark within it.
    pub count: u64,
}

impl LanePiece for LaneMark {
    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.end.max(self.first + 1)
    }

    fn continues(&self, _next: &Self) -> bool {
        false
    }

    fn absorb(&mut self, next: Self) {
        self.end = self.end.max(next.end);
        self.kind = self.kind.max(next.kind);
        self.count += next.count;
    }
}

/// A time that the trace states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSample {
    /// Position from which it applies.
    pub first: u64,
    /// Time in the trace's own unit.
    pub time: u64,
}

impl LanePiece for TimeSample {
    fn first(&self) -> u64 {
        self.first
    }

    fn end(&self) -> u64 {
        self.first + 1
    }

    fn continues(&self, next: &Self) -> bool {
        self.first == next.first
    }

    fn absorb(&mut self, _next: Self) {}
}

#[derive(Clone, Debug, Default)]
pub struct ThreadLane {
    /// Intervals in which it ran, with the core.
    pub stretches: BoundedList<LaneInterval>,
    /// Events of the thread.
    pub marks: BoundedList<LaneMark>,
    /// All cores that it ran on.
    pub cores: BTreeSet<u64>,
    /// Times that its markers state.
    pub times: BoundedList<TimeSample>,
    /// The last of these times.
    pub last_time: Option<u64>,
    /// Position and number of its last system call.
    pub last_call: Option<(Position, u64)>,
    /// True if the trace records that it ended.
    pub has_ended: bool,
}

impl ThreadLane {
    /// Creates a lane of at most `limit` entries of each kind.
    pub fn with_limit(limit: usize) -> Self {
        let (stretches, marks, times) = (
            BoundedList::with_limit(limit),
            BoundedList::with_limit(limit),
            BoundedList::with_limit(limit),
        );
        Self {
            stretches,
            marks,
            times,
            ..Self::default()
        }
    }

    /// Adds a mark without length.
    pub(super) fn add_mark(&mut self, at: u64, kind: LaneMarkKind, count: u64) {
        self.marks.push(LaneMark {
            first: at,
            end: at,
            kind,
            count,
        });
    }

    /// Extends the last mark. Marks do not overlap: a mark within a kernel mark divides it.
    pub(super) fn extend_mark(&mut self, to: u64) {
        if let Some(mark) = self.marks.last_mut() {
            mark.end = mark.end.max(to);
        }
    }

    /// Returns the first and last time.
    pub fn span(&self) -> Option<(u64, u64)> {
        self.times
            .list()
            .first()
            .map(|moment| moment.time)
            .zip(self.last_time)
    }
}
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

/// Entries of a lane drawn as one box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBox {
    /// First column.
    pub left: u32,
    /// Column after the last one.
    pub right: u32,
    /// Index of the first entry in the lane.
    pub place: usize,
    /// Number of entries in the box.
    pub count: usize,
}

/// Returns the boxes between two positions, for a width of `columns`. O(columns · log n).
pub fn boxes<T: LanePiece>(lane: &BoundedList<T>, view: Range<u64>, columns: u32) -> Vec<LaneBox> {
    let Range {
        start: first,
        end: last,
    } = view;
    let list = lane.list();
    let end = list.partition_point(|piece| piece.first() < last);
    let list = list.get(..end).unwrap_or_default();
    let length = u128::from(last.saturating_sub(first).max(1));
    let scaled =
        |position: u64| u128::from(position.clamp(first, last) - first) * u128::from(columns);
    let left_of = |piece: &T| u32::try_from(scaled(piece.first()) / length).unwrap_or(columns);
    let right_of =
        |piece: &T| u32::try_from(scaled(piece.end()).div_ceil(length)).unwrap_or(columns);
    let mut found = Vec::new();
    let mut place = list.partition_point(|piece| piece.end() <= first);
    while let Some((piece, rest)) = list.get(place..).and_then(<[T]>::split_first) {
        let left = left_of(piece);
        let right = right_of(piece).max(left + 1);
        // Entries that fit into the same column share its box.
        let others = if right == left + 1 {
            rest.partition_point(|other| right_of(other) <= right)
        } else {
            0
        };
        found.push(LaneBox {
            left,
            right,
            place,
            count: 1 + others,
        });
        place += 1 + others;
    }
    found
}
