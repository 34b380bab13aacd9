//! Walks from hit to hit of a question, onward or back.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use stepback_index::{
    AccessKinds, Accessed, AccessesOf, Cancel, Cell, ExternalChange, Hit, LastAccesses, LastExternalChanges, LastVisit,
    LastVisitBy, MemoryRange, NextAccesses, NextExternalChanges, NextVisit, NextVisitBy, Query as _, QueryError,
    ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::{Line, Position};

use super::trace_index::TraceIndex;

/// Hits of a search asked for at once: few at first, so that the first shows soon.
const BLOCKS: RangeInclusive<usize> = 8..=1024;

/// Hits of one position asked for at once: a step may have a million, some 500 bytes each.
const PART: usize = 1 << 16;

/// What is sought.
#[derive(Clone, Debug)]
pub enum Sought {
    /// Accesses of a cell by earlier steps.
    LastAccess(Cell, AccessKinds),
    /// Accesses of a cell by later steps.
    NextAccess(Cell, AccessKinds),
    /// Every later access of a range of memory, also where a step has several.
    Accesses(MemoryRange, AccessKinds),
    /// Earlier steps at an address.
    LastVisit(Address),
    /// Later steps at an address.
    NextVisit(Address),
    /// Later reads that contradicted what was known.
    NextExternal(Option<MemoryRange>),
    /// Earlier ones.
    LastExternal(Option<MemoryRange>),
}

/// What comes next on the way.
#[derive(Clone, Debug)]
pub enum Found {
    /// A step.
    Hit(Box<Hit>),
    /// What the trace states of a thread before its first step.
    Initial(Line),
    /// Nothing more.
    Nothing,
}

/// A way from hit to hit.
pub struct Walk<'a> {
    sought: Sought,
    /// The way goes on from here; none at its end.
    at: Option<Position>,
    /// So many hits of the next position that has some were handed out.
    passed: usize,
    index: &'a TraceIndex,
    cancel: &'a Cancel,
    /// What was found and is not handed out yet.
    pending: VecDeque<Found>,
    block: usize,
    /// How many hits are wanted in all: a search that reads the trace should not read on for more.
    wanted: usize,
    /// Whose steps are meant; without it, those of all threads.
    whose: Option<ThreadId>,
    /// Hits that show here are passed over.
    left: Option<Position>,
}

impl<'a> Walk<'a> {
    /// A way that begins at a position and ends after so many hits.
    pub fn new(sought: Sought, at: Position, wanted: usize, index: &'a TraceIndex, cancel: &'a Cancel) -> Self {
        Self {
            sought,
            at: Some(at),
            passed: 0,
            index,
            cancel,
            pending: VecDeque::new(),
            block: *BLOCKS.start(),
            wanted,
            whose: None,
            left: None,
        }
    }

    /// The same by a thread alone.
    pub fn of_thread(self, whose: Option<ThreadId>) -> Self {
        Self { whose, ..self }
    }

    /// The same without hits that show at a position: to go there from there would be no move.
    pub fn leaving(self, position: Position) -> Self {
        Self { left: Some(position), ..self }
    }

    /// The next hit. What is no hit does not count as one of those that are wanted.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_hit(&mut self) -> Result<Found, QueryError> {
        while self.wanted > 0 {
            if self.pending.is_empty() {
                self.find()?;
            }
            match self.pending.pop_front() {
                Some(Found::Hit(hit)) if self.left == Some(hit.position) => {}
                Some(Found::Hit(hit)) => {
                    self.wanted -= 1;
                    return Ok(Found::Hit(hit));
                }
                Some(found) => return Ok(found),
                None => break,
            }
        }
        Ok(Found::Nothing)
    }

    /// Finds what comes next; nothing more at the end of the way.
    fn find(&mut self) -> Result<(), QueryError> {
        let Some(at) = self.at else { return Ok(()) };
        let (thread, limit, skip) = (self.whose, self.wanted.min(PART), self.passed);
        let found: Vec<Found> = match self.sought {
            Sought::LastAccess(cell, kinds) => {
                let last =
                    LastAccesses { cell, kinds, thread, before: at, skip, limit }.run(self.index, self.cancel)?;
                match &last {
                    Some(last) if last.accesses.len() >= limit => self.passed += last.accesses.len(),
                    last => (self.at, self.passed) = (last.as_ref().and_then(|last| before(last.position)), 0),
                }
                last.into_iter().flat_map(|last| last.accesses).map(Found::from).collect()
            }
            Sought::NextAccess(cell, kinds) => {
                let next = NextAccesses { cell, kinds, thread, from: at, skip, limit }.run(self.index, self.cancel)?;
                match next.first() {
                    Some(_) if next.len() >= limit => self.passed += next.len(),
                    first => (self.at, self.passed) = (first.map(|hit| hit.position), 0),
                }
                next.into_iter().map(Found::from).collect()
            }
            Sought::LastVisit(pc) => {
                let last = LastVisitBy { thread, visit: LastVisit { pc, before: at } }.run(self.index, self.cancel)?;
                self.at = last.as_ref().and_then(|hit| before(hit.position));
                last.into_iter().map(Found::from).collect()
            }
            Sought::NextVisit(pc) => {
                let next = NextVisitBy { thread, visit: NextVisit { pc, from: at } }.run(self.index, self.cancel)?;
                self.at = next.as_ref().map(|hit| hit.position);
                next.into_iter().map(Found::from).collect()
            }
            Sought::Accesses(..) => {
                let limit = self.block.min(self.wanted);
                let next = self.search(at, limit)?;
                self.block = self.block.saturating_mul(2).min(*BLOCKS.end());
                let last = next.last().map(|hit| hit.position);
                if next.len() < limit {
                    (self.at, self.passed) = (last, 0);
                } else if next.first().map(|hit| hit.position) == last {
                    // There may be more hits at this position.
                    self.passed += next.len();
                    self.block = PART;
                } else {
                    self.at = last.and_then(before);
                    self.passed = next.iter().rev().take_while(|hit| Some(hit.position) == last).count();
                }
                next.into_iter().map(Found::from).collect()
            }
            Sought::NextExternal(_) => {
                let next = self.next_block(at)?;
                self.at = next.last().map(|hit| hit.position);
                next.into_iter().map(Found::from).collect()
            }
            Sought::LastExternal(_) => {
                let last = self.next_block(at)?;
                self.at = last.last().and_then(|hit| before(hit.position));
                last.into_iter().map(Found::from).collect()
            }
        };
        self.pending = found.into();
        Ok(())
    }

    /// The next hits of a search from a position: all those of each position that has some.
    fn next_block(&mut self, from: Position) -> Result<Vec<Hit>, QueryError> {
        loop {
            let limit = self.block.min(self.wanted);
            let mut hits = self.search(from, limit)?;
            self.block = self.block.saturating_mul(2);
            if hits.len() == limit && limit < self.wanted {
                // There may be more hits at the last position, and the next block begins behind it.
                let last = hits.last().map(|hit| hit.position);
                hits.retain(|hit| Some(hit.position) != last);
                if hits.is_empty() {
                    continue;
                }
            }
            // Only a position with more hits than this may make a block larger.
            self.block = self.block.min(*BLOCKS.end());
            return Ok(hits);
        }
    }

    fn search(&self, from: Position, limit: usize) -> Result<Vec<Hit>, QueryError> {
        let thread = self.whose;
        Ok(match &self.sought {
            Sought::Accesses(range, kinds) => {
                let (range, kinds) = (*range, *kinds);
                AccessesOf { range, kinds, thread, from, skip: self.passed, limit }.run(self.index, self.cancel)?
            }
            Sought::NextExternal(range) => {
                hits_of(NextExternalChanges { range: *range, thread, from, limit }.run(self.index, self.cancel)?)
            }
            Sought::LastExternal(range) => hits_of(
                LastExternalChanges { range: *range, thread, before: from, limit }.run(self.index, self.cancel)?,
            ),
            _ => Vec::new(),
        })
    }
}

fn hits_of(changes: Vec<ExternalChange>) -> Vec<Hit> {
    changes.into_iter().map(|change| change.hit).collect()
}

/// Just before a position; none before the first.
fn before(position: Position) -> Option<Position> {
    position.0.checked_sub(1).map(Position)
}

impl From<Hit> for Found {
    fn from(hit: Hit) -> Self {
        Self::Hit(Box::new(hit))
    }
}

impl From<Accessed> for Found {
    fn from(accessed: Accessed) -> Self {
        match accessed {
            Accessed::Step(hit) => Self::Hit(hit),
            Accessed::Initial(line) => Self::Initial(line),
        }
    }
}
