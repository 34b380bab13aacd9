//! Finds the next or last position at which a condition becomes true or a value changes.
//!
//! Only positions at which a relevant cell is written are examined: the cost is the number of such
//! writes, not of steps.

use stepback_index::answer::{Cell, Hit};
use stepback_index::query::NearestVisit;
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, RegisterId};
use stepback_parsers::Position;

use super::names::NameError;
use super::tracked::{EvaluationContext, TrackedValue};
use crate::action::Direction;
use crate::expression::{Expression, parse};

/// Returns the nearest position where `is_edge(before, after)` holds for a state and its
/// predecessor. Forward, that is the first such position after the start; backward, the last one
/// before it. `state` returns a value and the cells that it depends on: it stays the same until one
/// of them changes.
///
/// # Errors
/// Returns the errors of `state`, and see [`QueryError`].
pub fn next_edge<V, E: From<QueryError>>(
    scene: &EvaluationContext<'_>,
    from: Position,
    direction: Direction,
    state: &mut dyn FnMut(Position) -> Result<(V, Vec<Cell>), E>,
    is_edge: &dyn Fn(&V, &V) -> bool,
) -> Result<Option<Position>, E> {
    let mut at = from;
    let (mut known, mut cells) = state(from)?;
    loop {
        scene.cancel.check()?;
        let Some(change) = scene.next_write(&cells, at, direction)? else {
            return Ok(None);
        };
        let (place, landed) = match direction {
            Direction::Forward => (change, Some(change)),
            // The state before the first step has no beginning.
            Direction::Back if change.0 == 0 => return Ok(None),
            Direction::Back => (Position(change.0 - 1), (change < from).then_some(change)),
        };
        let next = state(place)?;
        let is_meant = match direction {
            Direction::Forward => is_edge(&known, &next.0),
            Direction::Back => is_edge(&next.0, &known),
        };
        if let Some(landed) = landed.filter(|_| is_meant) {
            return Ok(Some(landed));
        }
        (at, (known, cells)) = (place, next);
    }
}

/// Returns the nearest position at which a condition becomes true. A condition with `pc == ADDRESS
/// &&` holds before a step at that address, if the rest is true there. An unknown value is not
/// true. `looked` receives each position that is examined.
///
/// # Errors
/// The condition is invalid, or the trace could not be read.
pub fn next_true(
    scene: &EvaluationContext<'_>,
    text: &str,
    from: Position,
    direction: Direction,
    looked: &dyn Fn(Position),
) -> Result<Option<Position>, NameError> {
    let named = |error| NameError::Expression {
        text: text.to_owned(),
        error,
    };
    let condition = parse(text).map_err(named)?;
    let mut state = |at| {
        looked(at);
        truth(scene, &condition, text, at)
    };
    match required_pc(scene, &condition, from)? {
        Some(pc) => next_visit(scene, pc, from, direction, &mut |at| Ok(state(at)?.0)),
        None => next_edge(scene, from, direction, &mut state, &|before, after| {
            !*before && *after
        }),
    }
}

/// Returns the address that the program counter must have wherever a condition is true; `None` if
/// there is none, or it depends on the position.
fn required_pc(
    scene: &EvaluationContext<'_>,
    condition: &Expression,
    at: Position,
) -> Result<Option<Address>, NameError> {
    let names = NameReader(scene.index);
    let word_bytes = names.set_at(scene.thread, at)?.word_bytes();
    for (register, required) in condition.required_values() {
        let view = names.register_view_at(register, scene.thread, at)?;
        let is_pc = view
            .is_some_and(|view| view.register == RegisterId::PC && view.size_bytes == word_bytes);
        if !is_pc {
            continue;
        }
        let TrackedValue { value, cells, .. } = scene.evaluate(&required, at);
        if let Ok(address) = value
            && cells.is_empty()
        {
            return Ok(Some(Address(address)));
        }
    }
    Ok(None)
}

/// Returns the nearest position before a step at an address at which `is_true` holds.
fn next_visit(
    scene: &EvaluationContext<'_>,
    pc: Address,
    from: Position,
    direction: Direction,
    is_true: &mut dyn FnMut(Position) -> Result<bool, NameError>,
) -> Result<Option<Position>, NameError> {
    let mut from = from;
    while let Some(hit) = nearest_execution(scene.index, pc, from, direction, scene.cancel)? {
        let at = hit.record.step.before();
        from = at;
        if is_true(at)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Returns the nearest step at an address whose position before it is later or earlier than the
/// start.
///
/// # Errors
/// See [`QueryError`].
pub fn nearest_execution(
    index: &Index,
    pc: Address,
    from: Position,
    direction: Direction,
    cancel: &Cancel,
) -> Result<Option<Hit>, QueryError> {
    match direction {
        Direction::Forward if from >= index.end() => Ok(None),
        Direction::Forward => {
            let from = Position(from.0.saturating_add(1));
            NearestVisit::next(pc, from).run(index, cancel)
        }
        Direction::Back => NearestVisit::last(pc, from).run(index, cancel),
    }
}

fn truth(
    scene: &EvaluationContext<'_>,
    condition: &Expression,
    text: &str,
    at: Position,
) -> Result<(bool, Vec<Cell>), NameError> {
    scene.cancel.check()?;
    let found = scene.evaluate(condition, at);
    let value = match found.value {
        Ok(value) => value != 0,
        Err(error) => {
            let error = NameError::Expression {
                text: text.to_owned(),
                error,
            };
            if error.is_misspelt() {
                return Err(error);
            }
            false
        }
    };
    Ok((value, found.cells))
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::ThreadId;

    use super::*;
    use crate::session::test_session::{overflow, overflow_with_image};

    #[track_caller]
    fn check(text: &str, from: u64, direction: Direction, expected: Option<u64>) {
        let (session, cancel) = (overflow_with_image(), Cancel::default());
        let scene = EvaluationContext {
            index: &session.index,
            images: &session.images,
            thread: ThreadId(0),
            cancel: &cancel,
        };
        let found = next_true(&scene, text, Position(from), direction, &|_| {}).unwrap();
        assert_eq!(
            found.map(|position| position.0),
            expected,
            "{text} from {from} {direction:?}"
        );
    }

    #[test]
    fn a_condition_becomes_true_where_a_register_is_written() {
        // Step 1,188 writes 8002000f, step 1,253 80020012.
        check("x19 == 0x8002000f", 0, Direction::Forward, Some(1189));
        check("x19 == 0x8002000f", 1200, Direction::Back, Some(1189));
        check("x19 == 0x8002000f", 1189, Direction::Back, None);
        check(
            "x19 >= 0x80020010 && x19 < 0x80020100",
            1189,
            Direction::Forward,
            Some(1254),
        );
        check("x19 == 0xdead", 0, Direction::Forward, None);
    }

    #[test]
    fn memory_counts_whoever_points_to_it() {
        // Step 1,249 stores a9.
        check("u8[0x80020010] == 0xa9", 0, Direction::Forward, Some(1250));
        check("u8[x19 + 1] == 0xa9", 1200, Direction::Forward, Some(1250));
        check("u8[0x80020010] == 0xa9", 1763, Direction::Back, Some(1250));
    }

    #[test]
    fn a_place_with_a_condition_is_before_the_step() {
        check(
            "pc == 0x80000498 && x19 == 0x8002000f",
            0,
            Direction::Forward,
            Some(1249),
        );
        check(
            "pc == 0x80000498 && x19 == 0x8002000f",
            1763,
            Direction::Back,
            Some(1249),
        );
        check(
            "pc == decode_field + 0x108 && x19 == 1",
            0,
            Direction::Forward,
            None,
        );
        check(
            "pc > 0x80000494 && pc < 0x8000049c",
            1200,
            Direction::Forward,
            Some(1249),
        );
    }

    /// 80000498 is executed first by step 924, and with this x19 by step 1,249.
    #[test]
    fn only_an_address_that_the_whole_condition_requires_limits_the_search() {
        check("!(x19 == 1 && pc == 0x80000498)", 5, Direction::Back, None);
        check(
            "pc == 0x80000498 | x19 == 0x8002000f",
            0,
            Direction::Forward,
            Some(924),
        );
        check(
            "0x80000498 == PC && x19 == 0x8002000f",
            0,
            Direction::Forward,
            Some(1249),
        );
        check(
            "pc == 0x80000490 + 8 && (x19 == 0x8002000f || 0)",
            0,
            Direction::Forward,
            Some(1249),
        );
        check(
            "(pc == 0x80000498 || x19 == 0x8002000f)",
            0,
            Direction::Forward,
            Some(924),
        );
    }

    /// Compares with an examination of every position.
    #[test]
    fn the_moments_are_those_of_a_walk_from_step_to_step() {
        let (session, cancel) = (overflow(), Cancel::default());
        let scene = EvaluationContext {
            index: &session.index,
            images: &session.images,
            thread: ThreadId(0),
            cancel: &cancel,
        };
        for text in [
            "x0 > 0x60 && x1 != 0",
            "x1 == x2",
            "[sp + 8] == x1",
            "!(x0 == 1 && pc == 0x80000498)",
            "pc == lr",
            "pc == 0x80000498 | x1 == x2",
            "x0 / x1 > 3",
            "(x0 & 1) == 1 || x2 == 0",
        ] {
            let condition = parse(text).unwrap();
            let is_true = |at: u64| truth(&scene, &condition, text, Position(at)).unwrap().0;
            let edges: Vec<u64> = (901..1300)
                .filter(|at| is_true(*at) && !is_true(at - 1))
                .collect();
            let (mut found, mut from) = (Vec::new(), Position(900));
            while let Some(at) = next_true(&scene, text, from, Direction::Forward, &|_| {}).unwrap()
                && at.0 < 1300
            {
                found.push(at.0);
                from = at;
            }
            assert_eq!(found, edges, "{text}");
            let (mut found, mut from) = (Vec::new(), Position(1300));
            while let Some(at) = next_true(&scene, text, from, Direction::Back, &|_| {}).unwrap()
                && at.0 > 900
            {
                found.insert(0, at.0);
                from = at;
            }
            assert_eq!(found, edges, "{text}, backwards");
        }
    }
}
