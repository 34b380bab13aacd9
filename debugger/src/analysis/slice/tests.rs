//! Compares expressions, evaluated as C, with the values that the trace records.

use stepback_index::Cancel;
use stepback_index::answer::{Direction, EdgeKinds, SliceCell, SliceDefinition, Value};
use stepback_index::query::SliceQuery;
use stepback_machine::RegisterView;
use stepback_machine::semantics::Operation;
use stepback_parsers::Position;

use super::{Formula, Frames, RegisterLeaf, RowId, SliceReading};
use crate::analysis::names::NameResolver;
use crate::session::Session;
use crate::session::test_session::overflow_with_image;

/// A number with its C type.
#[derive(Clone, Copy, Debug)]
struct Number {
    value: u64,
    bits: u16,
    is_signed: bool,
}

impl Number {
    fn of(value: u64, bits: u16, is_signed: bool) -> Self {
        let unused = 64 - u32::from(bits);
        let value = match is_signed {
            true => ((value << unused).cast_signed() >> unused).cast_unsigned(),
            false => value << unused >> unused,
        };
        // Integer promotion: a narrower type becomes `int`.
        if bits < 32 {
            Self {
                value,
                bits: 32,
                is_signed: true,
            }
        } else {
            Self {
                value,
                bits,
                is_signed,
            }
        }
    }
}

fn in_c(formula: &Formula, leaf: &impl Fn(&RegisterLeaf) -> Option<u64>) -> Option<Number> {
    match formula {
        Formula::Number(number) if *number <= 0x7fff_ffff => Some(Number::of(*number, 32, true)),
        Formula::Number(number) if *number <= 0xffff_ffff => Some(Number::of(*number, 32, false)),
        Formula::Number(number) => Some(Number::of(*number, 64, false)),
        Formula::Register(one) => Some(Number::of(
            leaf(one)?,
            if one.view.size_bytes > 4 { 64 } else { 32 },
            false,
        )),
        Formula::Cast {
            value,
            bits: bits @ (8 | 16 | 32 | 64),
            is_signed,
        } => {
            let value = in_c(value, leaf)?;
            Some(Number::of(
                Number::of(value.value, value.bits, value.is_signed).value,
                *bits,
                *is_signed,
            ))
        }
        // This cast is written as a mask.
        Formula::Cast {
            value,
            bits,
            is_signed: false,
        } => {
            let value = in_c(value, leaf)?;
            Some(Number {
                value: value.value & (u64::MAX >> (64 - bits)),
                ..value
            })
        }
        Formula::Binary(operation, left, right) => {
            let (left_number, right) = (in_c(left, leaf)?, in_c(right, leaf)?);
            let (bits, is_signed) = match operation {
                Operation::ShiftLeft | Operation::ShiftRight => {
                    (left_number.bits, left_number.is_signed)
                }
                Operation::ShiftRightSigned => (left_number.bits, true),
                _ => {
                    let bits = left_number.bits.max(right.bits);
                    let is_unsigned = |one: Number| one.bits == bits && !one.is_signed;
                    (bits, !is_unsigned(left_number) && !is_unsigned(right))
                }
            };
            let left = Number::of(left_number.value, bits, is_signed).value;
            let operation = if is_signed && *operation == Operation::ShiftRight {
                Operation::ShiftRightSigned
            } else {
                *operation
            };
            Some(Number::of(
                operation.apply(left, right.value),
                bits,
                is_signed,
            ))
        }
        _ => None,
    }
}

/// Returns the value that a row assigned to a register.
fn given(reading: &SliceReading, id: RowId, view: RegisterView) -> Option<u64> {
    let covers = |known: RegisterView| {
        known.register == view.register
            && known.offset == 0
            && known.size_bytes >= view.size_bytes
            && view.offset == 0
    };
    let defines = &reading.row(id)?.slice.defines;
    let found = defines
        .iter()
        .find(|one| matches!(one.cell, SliceCell::Register { view: known, .. } if covers(known)))?;
    Value(
        found
            .value
            .0
            .iter()
            .take(usize::from(view.size_bytes))
            .copied()
            .collect(),
    )
    .to_u64()
}

/// Checks a slice and returns the number of expressions compared.
fn checked(session: &Session, what: &str, at: u64) -> usize {
    let (cancel, at) = (Cancel::default(), Position(at));
    let cell = NameResolver::new(&session.index, &session.images, at, None, &cancel)
        .unwrap()
        .cell(what)
        .unwrap();
    let edges = EdgeKinds {
        addresses: true,
        ..EdgeKinds::default()
    };
    let mut walk = SliceQuery {
        cell,
        at,
        direction: Direction::Back,
        edges,
        limit: usize::MAX,
    }
    .walk(&session.index, None, &cancel)
    .unwrap();
    let (mut reading, mut frames) = (SliceReading::default(), Frames::new(&session.index));
    while let Some(row) = walk.next(&cancel).unwrap() {
        reading.take(row, &mut frames, &cancel).unwrap();
    }
    let mut count = 0;
    for id in reading.ids() {
        for assignment in reading.assignments(id) {
            let Some(value) = &assignment.value else {
                continue;
            };
            let leaf = |leaf: &RegisterLeaf| given(&reading, leaf.source?, leaf.view);
            let Some(found) = in_c(value, &leaf) else {
                continue;
            };
            let row = reading.row(id).unwrap();
            let is_meant = |one: &&SliceDefinition| match (one.cell, assignment.cell) {
                (SliceCell::Register { view, .. }, SliceCell::Register { view: known, .. }) => {
                    view.register == known.register && view.offset == known.offset
                }
                (cell, known) => cell == known,
            };
            for one in row.slice.defines.iter().filter(is_meant) {
                let Some(expected) = one.value.to_u64() else {
                    continue;
                };
                let bits = (8 * one.value.0.len()).min(64);
                let step = row.slice.step.0;
                let stated = found.value & (u64::MAX >> (64 - bits));
                assert_eq!(
                    stated, expected,
                    "step {step}, {what} at {}: {value:?}",
                    at.0
                );
                count += 1;
            }
        }
    }
    count
}

#[test]
fn expressions_have_the_values_that_the_trace_states() {
    let session = overflow_with_image();
    let mut count = checked(&session, "x2", 1763);
    for at in (100..1763).step_by(37) {
        for what in ["x0", "x1", "x2", "x3", "x19", "x20"] {
            count += checked(&session, what, at);
        }
    }
    assert!(count > 2000, "{count}");
}
