//! Expressions with their dependencies: the registers and memory that determine their value.

use std::cell::{Cell as Mutable, RefCell};

use stepback_index::{
    AccessKinds, Accesses, CellAccess, Direction, ExternalChange, ExternalChanges, Index,
    MemoryRange, NearestAccess,
};
use stepback_index::{
    Cancel, Cell, NameReader, Query as _, QueryError, SlotReader, ThreadId, Value, ValueSource,
};

use stepback_machine::{Address, RegisterId};
use stepback_parsers::Position;

use super::cell_value::cell_value;
use crate::expression::{
    ChosenReading, Expression, ExpressionError, NameLookup, ValueLookup, Width, is_used, parse,
};
use crate::image::Images;

/// Everything that the value of an expression depends on, except the position.
#[derive(Clone, Copy)]
pub struct EvaluationContext<'a> {
    pub index: &'a Index,
    /// Images with the symbols of the trace.
    pub images: &'a Images,
    /// Thread of the registers.
    pub thread: ThreadId,
    /// Cancels evaluations.
    pub cancel: &'a Cancel,
}

/// The value of an expression at a position.
#[derive(Clone, Debug)]
pub struct TrackedValue {
    /// The value, or the reason that there is none.
    pub value: Result<u64, ExpressionError>,
    /// Cells that were read. The value stays the same until one of them changes.
    pub cells: Vec<Cell>,
    /// Most doubtful source among theirs; `Recorded` if the expression names only numbers and
    /// symbols.
    pub source: ValueSource,
}

impl EvaluationContext<'_> {
    /// Evaluates an expression at a position. Cost: a lookup for each cell that it names.
    pub fn evaluate(&self, expression: &Expression, at: Position) -> TrackedValue {
        let looked = TrackingLookup {
            scene: self,
            at,
            cells: RefCell::default(),
            source: Mutable::new(ValueSource::Recorded),
        };
        let value = expression.evaluate(&looked);
        TrackedValue {
            value,
            cells: looked.cells.into_inner(),
            source: looked.source.get(),
        }
    }

    /// Returns the readings chosen for ambiguous numbers and names of an expression; empty if it is
    /// misspelt.
    pub fn readings(&self, expression: &str, at: Position) -> Vec<ChosenReading> {
        let looked = TrackingLookup {
            scene: self,
            at,
            cells: RefCell::default(),
            source: Mutable::new(ValueSource::Recorded),
        };
        parse(expression)
            .map(|expression| expression.readings(&looked))
            .unwrap_or_default()
    }

    /// Returns the nearest position at which one of some cells may change. Forward, that is the
    /// first position after `at`; backward, the last one at or before it. `None` if the cells do
    /// not change.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_write(
        &self,
        cells: &[Cell],
        at: Position,
        way: Direction,
    ) -> Result<Option<Position>, QueryError> {
        let mut nearest = None;
        for cell in cells {
            let found = match way {
                Direction::Forward => self.write_behind(*cell, at)?,
                Direction::Back => self.write_before(*cell, at)?,
            };
            nearest = match (way, nearest, found) {
                (_, None, found) => found,
                (_, nearest, None) => nearest,
                (Direction::Forward, Some(one), Some(other)) => Some(Position::min(one, other)),
                (Direction::Back, Some(one), Some(other)) => Some(Position::max(one, other)),
            };
        }
        Ok(nearest)
    }

    fn write_behind(&self, cell: Cell, at: Position) -> Result<Option<Position>, QueryError> {
        if is_program_counter(cell) {
            return Ok((at < self.index.end()).then(|| Position(at.0 + 1)));
        }
        let kinds = AccessKinds::Writes;
        let written = NearestAccess::next(cell, kinds, at)
            .hit(self.index, self.cancel)?
            .map(|hit| hit.position);
        let Some(range) = range_of(cell) else {
            return Ok(written);
        };
        let next = ExternalChanges {
            range: Some(range),
            thread: None,
            at,
            direction: Direction::Forward,
            skip: 0,
            limit: 1,
        };
        let changed = first_of(&next.run(self.index, self.cancel)?);
        Ok(written.into_iter().chain(changed).min())
    }

    fn write_before(&self, cell: Cell, at: Position) -> Result<Option<Position>, QueryError> {
        if is_program_counter(cell) {
            return Ok((at.0 > 0).then_some(at));
        }
        let last = Accesses {
            nearest: NearestAccess::last(cell, AccessKinds::Writes, at),
            thread: None,
            skip: 0,
            limit: 1,
        };
        let last = last.run(self.index, self.cancel)?;
        let written = last.map(|last| match last.accesses.first() {
            Some(CellAccess::Step(hit)) => hit.position,
            Some(CellAccess::Initial(_)) | None => Position(0),
        });
        let Some(range) = range_of(cell) else {
            return Ok(written);
        };
        let last = ExternalChanges {
            range: Some(range),
            thread: None,
            at,
            direction: Direction::Back,
            skip: 0,
            limit: 1,
        };
        let changed = first_of(&last.run(self.index, self.cancel)?);
        Ok(written.into_iter().chain(changed).max())
    }
}

fn first_of(changes: &[ExternalChange]) -> Option<Position> {
    changes.first().map(|change| change.hit.position)
}

/// Returns true for the program counter: no step writes it, and each step changes it.
fn is_program_counter(cell: Cell) -> bool {
    matches!(cell, Cell::Register { view, .. } if view.register == RegisterId::PC)
}

fn range_of(cell: Cell) -> Option<MemoryRange> {
    match cell {
        Cell::Memory { address, len_bytes } => Some(MemoryRange { address, len_bytes }),
        Cell::Register { .. } | Cell::Physical { .. } => None,
    }
}

/// Lookup that records the cells that were read.
struct TrackingLookup<'a> {
    scene: &'a EvaluationContext<'a>,
    at: Position,
    cells: RefCell<Vec<Cell>>,
    source: Mutable<ValueSource>,
}

impl TrackingLookup<'_> {
    fn look(&self, cell: Cell) -> ValueLookup {
        let mut cells = self.cells.borrow_mut();
        if !cells.contains(&cell) {
            cells.push(cell);
        }
        match cell_value(self.scene.index, cell, self.at, self.scene.cancel) {
            Ok(found) => {
                self.source.set(self.source.get().max(found.source));
                // Of wider registers, the low 64 bits count.
                let bytes = found.value.0.get(..8).unwrap_or(&found.value.0).to_vec();
                Value(bytes)
                    .to_u64()
                    .map_or(ValueLookup::Unknown, ValueLookup::Known)
            }
            Err(error) => ValueLookup::Failed(error.into()),
        }
    }

    fn word_bytes(&self) -> Result<u64, QueryError> {
        let set = NameReader(self.scene.index).set_at(self.scene.thread, self.at)?;
        Ok(u64::from(set.word_bytes()))
    }
}

impl NameLookup for TrackingLookup<'_> {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        let thread = self.scene.thread;
        match NameReader(self.scene.index).register_view_at(name, thread, self.at) {
            Ok(view) => view.map(|view| self.look(Cell::Register { thread, view })),
            Err(error) => Some(ValueLookup::Failed(error.into())),
        }
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        self.scene.images.addresses_of(name)
    }

    fn is_used(&self, address: u64) -> bool {
        is_used(self.scene.index, address, self.scene.cancel)
    }

    fn address_of_unknown(&self, _name: &str) -> Option<u64> {
        None
    }

    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        let len_bytes = match width {
            Width::Bytes(bytes) => Ok(u64::from(bytes)),
            Width::Pointer => self.word_bytes(),
        };
        match len_bytes {
            Ok(len_bytes) => self.look(Cell::Memory {
                address: Address(address),
                len_bytes,
            }),
            Err(error) => ValueLookup::Failed(error.into()),
        }
    }
}

/// Returns the thread whose registers a query at a position means: that of the last step before it.
///
/// # Errors
/// See [`QueryError`].
pub fn thread_of(index: &Index, at: Position) -> Result<ThreadId, QueryError> {
    SlotReader(index).thread_at(at.min(index.end()))
}
