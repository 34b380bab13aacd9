//! Walks from hit to hit of a question, onward or back.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use stepback_index::{
    AccessKinds, AccessesOf, Cancel, Cell, ExternalChange, Hit, LastAccess, LastAccessAnswer, LastExternalChanges,
    LastVisit, MemoryRange, NextAccess, NextExternalChanges, NextVisit, Query as _, QueryError, ThreadId,
};
use stepback_machine::Address;
use stepback_parsers::{Line, Position};

use super::trace_index::TraceIndex;

/// Hits of a search asked for at once: few at first, so that the first shows soon.
const BLOCKS: RangeInclusive<usize> = 8..=1024;

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

impl Sought {
    /// Whether accesses of memory are sought.
    pub fn is_of_memory(&self) -> bool {
        match self {
            Self::LastAccess(cell, _) | Self::NextAccess(cell, _) => matches!(cell, Cell::Memory { .. }),
            Self::Accesses(..) => true,
            _ => false,
        }
    }
}

/// What comes next on the way.
#[derive(Clone, Debug)]
pub enum Found {
    /// A step.
    Hit(Box<Hit>),
    /// What the trace states before its first step: the end of the way back.
    Initial(Line),
    /// Nothing more.
    Nothing,
}

/// A way from hit to hit.
pub struct Walk<'a> {
    sought: Sought,
    at: Position,
    index: &'a TraceIndex,
    cancel: &'a Cancel,
    /// Hits of the last block that were not handed out yet.
    pending: VecDeque<Hit>,
    block: usize,
    /// How many hits are wanted in all: a search that reads the trace should not read on for more.
    wanted: usize,
    /// Whose accesses of memory are meant; without it, those of all threads.
    whose: Option<ThreadId>,
    /// Hits that show here are passed over.
    left: Option<Position>,
}

impl<'a> Walk<'a> {
    /// A way that begins at a position and ends after so many hits.
    pub fn new(sought: Sought, at: Position, wanted: usize, index: &'a TraceIndex, cancel: &'a Cancel) -> Self {
        Self {
            sought,
            at,
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

    /// The next hit.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_hit(&mut self) -> Result<Found, QueryError> {
        loop {
            if self.wanted == 0 {
                return Ok(Found::Nothing);
            }
            let found = self.any_next()?;
            let is_meant = if let Found::Hit(hit) = &found { self.is_meant(hit) } else { true };
            self.go_on(&found);
            self.wanted -= usize::from(is_meant);
            if is_meant {
                return Ok(found);
            }
        }
    }

    fn is_meant(&self, hit: &Hit) -> bool {
        self.whose.is_none_or(|thread| thread == hit.record.thread) && self.left != Some(hit.position)
    }

    fn any_next(&mut self) -> Result<Found, QueryError> {
        let found = match self.sought {
            Sought::LastAccess(cell, kinds) => {
                let question = LastAccess { cell, kinds, before: self.at };
                match question.run(self.index, self.cancel)? {
                    LastAccessAnswer::Step(hit) => Found::Hit(hit),
                    LastAccessAnswer::Initial(line) => Found::Initial(line),
                    LastAccessAnswer::Never => Found::Nothing,
                }
            }
            Sought::NextAccess(cell, kinds) => {
                found(NextAccess { cell, kinds, from: self.at }.run(self.index, self.cancel)?)
            }
            Sought::LastVisit(pc) => found(LastVisit { pc, before: self.at }.run(self.index, self.cancel)?),
            Sought::NextVisit(pc) => found(NextVisit { pc, from: self.at }.run(self.index, self.cancel)?),
            Sought::Accesses(..) | Sought::NextExternal(_) | Sought::LastExternal(_) => found(self.next_of_search()?),
        };
        Ok(found)
    }

    /// Goes on from the position at which the hit shows, so that no hit is skipped or found twice:
    /// with several threads the effect of a step may show later than right after it.
    fn go_on(&mut self, found: &Found) {
        match found {
            Found::Hit(hit) if self.is_backward() => self.at = Position(hit.position.0.saturating_sub(1)),
            Found::Hit(hit) => self.at = hit.position,
            Found::Initial(_) | Found::Nothing => self.wanted = 1,
        }
    }

    fn is_backward(&self) -> bool {
        matches!(self.sought, Sought::LastAccess(..) | Sought::LastVisit(_) | Sought::LastExternal(_))
    }

    fn next_of_search(&mut self) -> Result<Option<Hit>, QueryError> {
        while self.pending.is_empty() {
            let limit = self.block.min(self.wanted);
            let mut hits = self.search(limit)?;
            self.block = self.block.saturating_mul(2);
            let is_cut_short = hits.len() == limit && limit < self.wanted;
            if !is_cut_short {
                self.pending = hits.into();
                break;
            }
            // There may be more hits at the last position, and the next block begins after a position.
            let last = hits.last().map(|hit| hit.position);
            hits.retain(|hit| Some(hit.position) != last);
            self.pending = hits.into();
        }
        // Only a position with more hits than this may make a block larger.
        self.block = self.block.min(*BLOCKS.end());
        Ok(self.pending.pop_front())
    }

    fn search(&self, limit: usize) -> Result<Vec<Hit>, QueryError> {
        let from = self.at;
        Ok(match &self.sought {
            Sought::Accesses(range, kinds) => {
                let (range, kinds, thread) = (*range, *kinds, self.whose);
                AccessesOf { range, kinds, thread, from, limit }.run(self.index, self.cancel)?
            }
            Sought::NextExternal(range) => {
                hits_of(NextExternalChanges { range: *range, from, limit }.run(self.index, self.cancel)?)
            }
            Sought::LastExternal(range) => {
                hits_of(LastExternalChanges { range: *range, before: from, limit }.run(self.index, self.cancel)?)
            }
            _ => Vec::new(),
        })
    }
}

fn hits_of(changes: Vec<ExternalChange>) -> Vec<Hit> {
    changes.into_iter().map(|change| change.hit).collect()
}

fn found(hit: Option<Hit>) -> Found {
    hit.map_or(Found::Nothing, |hit| Found::Hit(Box::new(hit)))
}
