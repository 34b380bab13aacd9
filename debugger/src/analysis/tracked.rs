//! Evaluates expressions and single cells at a position.
//!
//! The value of an expression comes with the registers and memory that were read for it. It stays
//! the same until one of them changes, so a search for a change leaps from write to write.

use std::cell::{Cell as Mutable, RefCell};

use stepback_index::answer::{
    AccessKinds, ByteState, Cell, CellAccess, Direction, ExternalChange, MemoryRange, ThreadId,
    Value, ValueSource,
};
use stepback_index::query::{
    Accesses, ExternalChanges, MemoryAt, NearestAccess, PhysicalMemoryAt, RegisterViewsAt,
};
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, Endian, RegisterId};
use stepback_parsers::{Position, Step};

use crate::expression::{
    ChosenReading, Expression, ExpressionError, NameLookup, SymbolAbsence, ValueLookup, Width,
    absence, is_used, parse,
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
        direction: Direction,
    ) -> Result<Option<Position>, QueryError> {
        let mut nearest = None;
        for cell in cells {
            let found = match direction {
                Direction::Forward => self.write_after(*cell, at)?,
                Direction::Back => self.write_before(*cell, at)?,
            };
            nearest = match (direction, nearest, found) {
                (_, None, found) => found,
                (_, nearest, None) => nearest,
                (Direction::Forward, Some(one), Some(other)) => Some(Position::min(one, other)),
                (Direction::Back, Some(one), Some(other)) => Some(Position::max(one, other)),
            };
        }
        Ok(nearest)
    }

    fn write_after(&self, cell: Cell, at: Position) -> Result<Option<Position>, QueryError> {
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

    fn absence(&self, name: &str) -> Option<SymbolAbsence> {
        absence(name, self.scene.images)
    }

    fn full_names(&self, name: &str) -> Vec<String> {
        self.scene.images.full_names_of(name)
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

/// Maximum number of bytes of a cell's value.
pub const VALUE_BYTES: u64 = 64;

/// The value of a cell and its provenance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellValue {
    /// Least significant byte first, in the byte order of the traced processor.
    pub value: Value,
    /// Most doubtful source among its bytes; `Unknown` if nothing is known.
    pub source: ValueSource,
    /// Reason for an inferred register value.
    pub reason: Option<String>,
    /// Step that wrote the register last, if the query reports it.
    pub written_by: Option<Step>,
}

/// Returns the value of a cell, or of the first [`VALUE_BYTES`] of a longer range.
///
/// Cost: that of [`RegisterViewsAt`] or [`MemoryAt`].
///
/// # Errors
/// See [`QueryError`].
pub fn cell_value(
    index: &Index,
    cell: Cell,
    position: Position,
    cancel: &Cancel,
) -> Result<CellValue, QueryError> {
    let len = |len_bytes: u64| len_bytes.min(VALUE_BYTES);
    let bytes = match cell {
        Cell::Register { thread, view } => {
            let views = vec![(String::new(), view)];
            let states = RegisterViewsAt {
                position,
                thread,
                views,
            }
            .run(index, cancel)?;
            return Ok(states
                .into_iter()
                .next()
                .map_or_else(CellValue::default, |state| CellValue {
                    value: state.value,
                    source: state.source,
                    reason: state.reason.map(|reason| reason.to_string()),
                    written_by: state.written_by,
                }));
        }
        Cell::Memory { address, len_bytes } => MemoryAt {
            position,
            address,
            len_bytes: len(len_bytes),
        }
        .run(index, cancel)?,
        Cell::Physical { address, len_bytes } => PhysicalMemoryAt {
            position,
            address,
            len_bytes: len(len_bytes),
        }
        .run(index, cancel)?,
    };
    let order = if index.info().is_big_endian {
        Endian::Big
    } else {
        Endian::Little
    };
    Ok(of_bytes(bytes, order))
}

fn of_bytes(mut bytes: Vec<ByteState>, order: Endian) -> CellValue {
    if order == Endian::Big {
        bytes.reverse();
    }
    CellValue {
        value: Value(bytes.iter().map(|byte| byte.value).collect()),
        source: known_source(&bytes),
        ..CellValue::default()
    }
}

/// Returns the least certain source of the known bytes; `Unknown` if nothing is known.
pub fn known_source(bytes: &[ByteState]) -> ValueSource {
    let known = bytes.iter().filter(|byte| byte.value.is_some());
    known.map(|byte| byte.source).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::analysis::names::NameResolver;
    use crate::session::test_session::overflow;

    #[track_caller]
    fn check(cell: &str, at: u64, expected: &str) {
        let (session, cancel) = (overflow(), Cancel::default());
        let names = NameResolver::new(&session.index, &session.images, Position(at), None, &cancel)
            .unwrap();
        let found = cell_value(
            &session.index,
            names.cell(cell).unwrap(),
            Position(at),
            &cancel,
        )
        .unwrap();
        assert_eq!(
            format!("{} {:?}", found.value.hex(), found.source),
            expected,
            "{cell}"
        );
    }

    #[test]
    fn registers_and_memory_have_values() {
        check("x0", 1249, "00000000ffffffa9 Recorded");
        check("w0", 1249, "ffffffa9 Recorded");
        check("0x80020010", 1250, "a9 Recorded");
        check("0xdead0000:8", 1250, "???????????????? Unknown");
    }

    #[test]
    fn bytes_of_big_endian_memory_are_turned() {
        let byte = |value| ByteState {
            value: Some(value),
            source: ValueSource::Recorded,
            seen_at: None,
        };
        let found = of_bytes(vec![byte(1), byte(2)], Endian::Big);
        assert_eq!(found.value.to_u64(), Some(0x0102));
        assert_eq!(
            of_bytes(Vec::new(), Endian::Little).source,
            ValueSource::Unknown
        );
        // The least certain known byte decides.
        let inferred = ByteState {
            source: ValueSource::Inferred,
            ..byte(3)
        };
        let bytes = [byte(1), inferred, ByteState::default()];
        assert_eq!(known_source(&bytes), ValueSource::Inferred);
    }
}
