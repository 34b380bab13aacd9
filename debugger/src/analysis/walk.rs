//! Iterates over the hits of a query, forward or backward.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

use stepback_index::answer::{
    AccessKinds, Cell, CellAccess, Direction, Hit, MemoryRange, ThreadId, ValueSource,
};
use stepback_index::query::{
    Accesses, AccessesOf, ExternalChanges, MemoryOf, NearestAccess, NearestVisit, RegisterViewsAt,
};
use stepback_index::read::SlotReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{AccessKind, Address};
use stepback_parsers::{Line, Position, RegisterSource};

/// Hits per query of a search. The number starts small, so that the first hit appears soon.
const BLOCKS: RangeInclusive<usize> = 8..=1024;

/// Hits of one position per query: a step may have a million, at about 500 bytes each.
const PART: usize = 1 << 16;

/// A search for hits in one direction.
#[derive(Clone, Debug)]
pub struct HitQuery {
    /// Events that count.
    pub subject: Subject,
    /// Direction of the search.
    pub direction: Direction,
}

/// Events that a search looks for.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The nearest accesses of a cell.
    Accesses(Cell, AccessKinds),
    /// Every access of a range of memory, also where a step has several. Forward only.
    EveryAccess(MemoryRange, AccessKinds),
    /// Steps at any of these addresses.
    Visits(Vec<Address>),
    /// Reads of a range, or of any memory, that contradict the known value.
    ExternalChanges(Option<MemoryRange>),
}

impl Subject {
    /// Returns a subject that lists all accesses of a cell. If accesses are the only source of
    /// memory values, it lists both the reads and the writes of a step. Forward only.
    pub fn each_access(cell: Cell, kinds: AccessKinds, index: &Index) -> Self {
        let registers = index.source().traits().registers;
        match cell {
            Cell::Memory { address, len_bytes } if registers == RegisterSource::Operands => {
                Self::EveryAccess(MemoryRange { address, len_bytes }, kinds)
            }
            _ => Self::Accesses(cell, kinds),
        }
    }
}

impl HitQuery {
    /// A search towards the start.
    pub fn back(subject: Subject) -> Self {
        Self {
            subject,
            direction: Direction::Back,
        }
    }

    /// A search towards the end.
    pub fn forward(subject: Subject) -> Self {
        Self {
            subject,
            direction: Direction::Forward,
        }
    }
}

/// An item of the iteration.
#[derive(Clone, Debug)]
pub enum HitOutcome {
    /// A step.
    Hit(Box<Hit>),
    /// A line that records state of a thread before its first step.
    Initial(Line),
    /// End of the iteration.
    Nothing,
}

/// Maximum number of hits whose values are inferred: each inference follows up to a thousand steps.
const INFERRED_HITS: usize = 1024;

/// Iterator over hits.
pub struct HitCursor<'a> {
    sought: HitQuery,
    /// Position to continue from; `None` at the end.
    at: Option<Position>,
    /// Next position that has hits, and the number of them that were returned; there may be more.
    passed: Option<(Position, usize)>,
    index: &'a Index,
    cancel: &'a Cancel,
    /// Results that are not yet returned.
    pending: VecDeque<HitOutcome>,
    block: usize,
    /// Maximum number of hits still wanted, so that a search does not read the trace for more.
    wanted: usize,
    /// Thread to search; `None` for all.
    whose: Option<ThreadId>,
    /// Thread whose address space is meant, in a trace of several processes. Set at the first
    /// query.
    seen_by: Option<ThreadId>,
    /// Position whose hits are skipped.
    left: Option<Position>,
    /// Number of hits for which values may still be inferred.
    inferences_left: usize,
}

impl<'a> HitCursor<'a> {
    /// Creates an iterator that starts at a position and ends after `wanted` hits.
    pub fn new(
        sought: HitQuery,
        at: Position,
        wanted: usize,
        index: &'a Index,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            sought,
            at: Some(at),
            passed: None,
            index,
            cancel,
            pending: VecDeque::new(),
            block: *BLOCKS.start(),
            wanted,
            whose: None,
            seen_by: None,
            left: None,
            inferences_left: INFERRED_HITS,
        }
    }

    /// Restricts the hits to a thread.
    pub fn of_thread(self, whose: Option<ThreadId>) -> Self {
        Self { whose, ..self }
    }

    /// Skips hits that are visible at a position: navigating there from there would be no move.
    pub fn leaving(self, position: Position) -> Self {
        Self {
            left: Some(position),
            ..self
        }
    }

    /// Returns the query.
    pub fn sought(&self) -> &HitQuery {
        &self.sought
    }

    /// Returns the next item. Only hits count towards the maximum.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_hit(&mut self) -> Result<HitOutcome, QueryError> {
        while self.wanted > 0 {
            if self.pending.is_empty() {
                self.find()?;
            }
            match self.pending.pop_front() {
                Some(HitOutcome::Hit(hit)) if self.left == Some(hit.position) => {
                    self.leave(hit.position)
                }
                Some(HitOutcome::Hit(mut hit)) => {
                    self.wanted -= 1;
                    self.infer_value(&mut hit)?;
                    return Ok(HitOutcome::Hit(hit));
                }
                Some(found) => return Ok(found),
                None => break,
            }
        }
        Ok(HitOutcome::Nothing)
    }

    /// Fills in a register value that the trace does not record, if its steps determine it: after a
    /// write, before a read.
    fn infer_value(&mut self, hit: &mut Hit) -> Result<(), QueryError> {
        let Subject::Accesses(Cell::Register { thread, view }, _) = self.sought.subject else {
            return Ok(());
        };
        // In another register window the name means another cell.
        let has_windows = || self.index.instruction_set(thread).has_windows();
        let Some(access) = hit
            .access
            .as_mut()
            .filter(|access| access.value.is_unknown() && !has_windows())
        else {
            return Ok(());
        };
        let Some(left) = self.inferences_left.checked_sub(1) else {
            return Ok(());
        };
        self.inferences_left = left;
        let position = if access.kind == AccessKind::Write {
            hit.position
        } else {
            Position(hit.record.step.0)
        };
        let views = vec![(String::new(), view)];
        let states = RegisterViewsAt {
            position,
            thread,
            views,
        }
        .run(self.index, self.cancel)?;
        if let Some(state) = states
            .into_iter()
            .next()
            .filter(|state| state.source == ValueSource::Inferred)
        {
            (access.value, access.is_inferred) = (state.value, true);
        }
        Ok(())
    }

    /// Skips the remaining hits at a position.
    fn leave(&mut self, position: Position) {
        if self
            .passed
            .take_if(|(passed, _)| *passed == position)
            .is_some()
        {
            self.at = self.after(position);
        }
    }

    /// Queries the next items; adds none at the end.
    fn find(&mut self) -> Result<(), QueryError> {
        let Some(at) = self.at else { return Ok(()) };
        if self.seen_by.is_none() {
            self.seen_by = Some(
                self.whose
                    .map_or_else(|| SlotReader(self.index).thread_at(at), Ok)?,
            );
        }
        let seen_by = self.seen_by;
        let (thread, limit, skip) = (
            self.whose,
            self.wanted.min(PART),
            self.passed.map_or(0, |(_, count)| count),
        );
        let direction = self.sought.direction;
        let found: Vec<HitOutcome> = match &self.sought.subject {
            Subject::Accesses(cell, kinds) => {
                let question = Accesses {
                    nearest: NearestAccess {
                        cell: *cell,
                        kinds: *kinds,
                        at,
                        direction,
                    },
                    thread,
                    skip,
                    limit,
                };
                let nearest = MemoryOf {
                    thread: seen_by,
                    question,
                }
                .run(self.index, self.cancel)?;
                let found = nearest.as_ref();
                self.go_on_from(found.map(|found| (found.position, found.accesses.len())));
                let accesses = nearest.into_iter().flat_map(|nearest| nearest.accesses);
                accesses.map(HitOutcome::from).collect()
            }
            Subject::Visits(code) => {
                let visit = |pc: &Address| NearestVisit {
                    pc: *pc,
                    thread,
                    at,
                    direction,
                };
                let visits: Vec<Option<Hit>> = code
                    .iter()
                    .map(|pc| visit(pc).run(self.index, self.cancel))
                    .collect::<Result<_, _>>()?;
                let visits = visits.into_iter().flatten();
                let nearest = match direction {
                    Direction::Back => visits.max_by_key(|hit| hit.position),
                    Direction::Forward => visits.min_by_key(|hit| hit.position),
                };
                self.at = nearest.as_ref().and_then(|hit| self.after(hit.position));
                nearest.into_iter().map(HitOutcome::from).collect()
            }
            Subject::EveryAccess(..) | Subject::ExternalChanges(_) => self
                .next_block(at, skip)?
                .into_iter()
                .map(HitOutcome::from)
                .collect(),
        };
        self.pending = found.into();
        Ok(())
    }

    /// Continues after hits that are all at one position, or at that position if there may be more.
    fn go_on_from(&mut self, found: Option<(Position, usize)>) {
        let before = self.passed.take();
        let Some((position, count)) = found else {
            self.at = None;
            return;
        };
        if count < self.wanted.min(PART) {
            self.at = self.after(position);
            return;
        }
        // The query position stays, since the meaning of a register name depends on it.
        let known = match before {
            Some((before, known)) if before == position => known,
            Some((before, _)) => {
                self.at = self.after(before);
                0
            }
            None => 0,
        };
        self.passed = Some((position, known.saturating_add(count)));
    }

    /// Returns the next hits of a search from a position, after skipping some.
    fn next_block(&mut self, from: Position, skip: usize) -> Result<Vec<Hit>, QueryError> {
        let limit = self.block.min(self.wanted);
        let hits = self.search(from, skip, limit)?;
        let before = self.passed.take();
        let Some((first, last)) = hits
            .first()
            .zip(hits.last())
            .map(|(first, last)| (first.position, last.position))
        else {
            self.at = None;
            return Ok(hits);
        };
        if hits.len() < limit {
            self.at = self.after(last);
            return Ok(hits);
        }
        // There may be more hits at the last position.
        let known = before
            .filter(|(before, _)| *before == last)
            .map_or(0, |(_, count)| count);
        let count = hits
            .iter()
            .rev()
            .take_while(|hit| hit.position == last)
            .count();
        self.passed = Some((last, known.saturating_add(count)));
        self.at = match self.sought.direction {
            Direction::Back => Some(last),
            Direction::Forward => before_position(last),
        };
        // A position with many hits is read again for each part.
        self.block = if first == last {
            PART
        } else {
            self.block.saturating_mul(2).min(*BLOCKS.end())
        };
        Ok(hits)
    }

    /// Returns the position to continue from after all hits of a position.
    fn after(&self, position: Position) -> Option<Position> {
        match self.sought.direction {
            Direction::Back => before_position(position),
            Direction::Forward => Some(position),
        }
    }

    fn search(&self, from: Position, skip: usize, limit: usize) -> Result<Vec<Hit>, QueryError> {
        let thread = self.whose;
        match &self.sought.subject {
            Subject::EveryAccess(range, kinds) => {
                let question = AccessesOf {
                    range: *range,
                    kinds: *kinds,
                    thread,
                    from,
                    skip,
                    limit,
                };
                MemoryOf {
                    thread: self.seen_by,
                    question,
                }
                .run(self.index, self.cancel)
            }
            Subject::ExternalChanges(range) => {
                let changes = ExternalChanges {
                    range: *range,
                    thread,
                    at: from,
                    direction: self.sought.direction,
                    skip,
                    limit,
                }
                .run(self.index, self.cancel)?;
                Ok(changes.into_iter().map(|change| change.hit).collect())
            }
            Subject::Accesses(..) | Subject::Visits(_) => Ok(Vec::new()),
        }
    }
}

/// Returns the preceding position; `None` for position 0.
fn before_position(position: Position) -> Option<Position> {
    position.0.checked_sub(1).map(Position)
}

impl From<Hit> for HitOutcome {
    fn from(hit: Hit) -> Self {
        Self::Hit(Box::new(hit))
    }
}

impl From<CellAccess> for HitOutcome {
    fn from(accessed: CellAccess) -> Self {
        match accessed {
            CellAccess::Step(hit) => Self::Hit(hit),
            CellAccess::Initial(line) => Self::Initial(line),
        }
    }
}
