//! The value of a cell at a position.

use stepback_index::{
    ByteState, Cancel, Cell, Index, MemoryAt, PhysicalMemoryAt, Query as _, QueryError,
    RegisterViewsAt, Value, ValueSource,
};
use stepback_machine::Endian;
use stepback_parsers::{Position, Step};

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
    let known = bytes
        .iter()
        .filter(|byte| byte.value.is_some())
        .map(|byte| byte.source);
    let source = known.max().unwrap_or(ValueSource::Unknown);
    CellValue {
        value: Value(bytes.iter().map(|byte| byte.value).collect()),
        source,
        ..CellValue::default()
    }
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
    }
}
