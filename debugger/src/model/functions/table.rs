//! Table of functions.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::analysis::call_profile::{CallProfile, CallTotals, FunctionUsage};
use crate::messages::{say, with_decimal};
use crate::model::so_far::so_far;
use crate::model::table::{ROWS, Table, TableCell, TableRow};
use crate::model::{TextRole, TextSpan};
use crate::session::Session;

/// Columns; those of times come last.
const HEADS: [&str; 11] = [
    "head-function",
    "head-module",
    "head-calls",
    "head-self",
    "head-self-percent",
    "head-share",
    "head-total",
    "head-total-percent",
    "head-self-time",
    "head-time",
    "head-time-percent",
];
const TIMES: usize = 3;
/// Columns dropped first when space is short: the file, times, shares.
const SPARE: [usize; 7] = [1, 8, 10, 9, 4, 5, 7];
/// Number of parts of the whole in which shares are computed: tenths of a percent.
const TENTHS: u128 = 1000;

/// Lists the called functions, those with the most own steps first. Totals count recursive calls
/// once.
pub fn function_table(session: &Session, profile: &CallProfile, names: &[Arc<str>]) -> Table {
    let mut functions: Vec<(&FunctionUsage, &Arc<str>)> =
        profile.functions.iter().zip(names).collect();
    functions.sort_by_key(|(function, _)| Reverse(function.totals.own_steps));
    let own_steps = functions
        .first()
        .map_or(0, |(function, _)| function.totals.own_steps);
    let time = profile.stacks.first().map_or(0, |all| all.totals.time);
    let whole = CallTotals {
        steps: profile.steps,
        own_steps,
        time,
        ..CallTotals::default()
    };
    let rows = functions
        .iter()
        .take(ROWS)
        .map(|(function, name)| function_row(session, function, name, whole));
    let heads = if profile.has_clock {
        &HEADS[..]
    } else {
        &HEADS[..HEADS.len() - TIMES]
    };
    let table = Table::new(so_far(session, &summary(profile)), heads, rows.collect());
    Table {
        spare: SPARE.to_vec(),
        ..table
    }
    .without_empty()
}

fn summary(profile: &CallProfile) -> String {
    let count = profile.functions.len() as u64;
    let mut words = match count {
        0 => return say!("functions-none-in", steps = profile.steps),
        count => say!("functions-in", count = count, steps = profile.steps),
    };
    if count > ROWS as u64 {
        words = say!("functions-most", summary = words, count = ROWS);
    }
    if profile.merged_calls > 0 {
        words = say!(
            "functions-merged",
            summary = words,
            count = profile.merged_calls
        );
    }
    words
}

/// Formats a function. The shares refer to the totals `whole`, with the own steps of the function
/// that has the most.
fn function_row(
    session: &Session,
    function: &FunctionUsage,
    name: &str,
    whole: CallTotals,
) -> TableRow {
    let FunctionUsage {
        address,
        first,
        totals,
        ..
    } = function;
    let CallTotals {
        calls,
        steps,
        own_steps,
        time,
        own_time,
    } = *totals;
    let meaning = if session.images.code_at(*address).is_some() {
        TextRole::Symbol
    } else {
        TextRole::Plain
    };
    let file = session.images.file_at(*address).unwrap_or_default();
    TableRow {
        name: say!("functions-row", name = name),
        cells: vec![
            TableCell::new(meaning, name),
            TableCell::new(TextRole::Second, file),
            TableCell::number(calls),
            TableCell::number(own_steps),
            share(own_steps, whole.steps),
            TableCell::Bar(own_steps, 0, whole.own_steps),
            TableCell::number(steps),
            share(steps, whole.steps),
            TableCell::number(own_time),
            TableCell::number(time),
            share(time, whole.time),
        ],
        position: Some(*first),
        address: Some(*address),
        ..TableRow::default()
    }
}

/// Formats a share in percent: `12.3`.
fn share(part: u64, whole: u64) -> TableCell {
    let tenths = u128::from(part) * TENTHS / u128::from(whole.max(1));
    let text = with_decimal(tenths);
    TableCell::Number(part, TextSpan::new(TextRole::Second, text))
}

#[cfg(test)]
mod tests {
    use stepback_index::Cancel;
    use stepback_parsers::Position;

    use crate::action::StepRange;
    use crate::analysis::call_profile::Progress;
    use crate::model::functions::FunctionProfile;
    use crate::model::table::{TableCell, TableRow};
    use crate::session::test_session::{overflow, overflow_with_image};

    /// The trace has no program, so there is no column of modules.
    fn own_at(row: &TableRow, place: usize) -> u64 {
        match row.cells.get(place) {
            Some(TableCell::Number(steps, _)) => *steps,
            cell => panic!("{cell:?}"),
        }
    }

    #[test]
    fn functions_are_listed_by_their_own_steps() {
        let session = overflow();
        let stated =
            FunctionProfile::of(&session, None, &Progress::default(), &Cancel::default()).unwrap();
        let rows = &stated.table.rows;
        let own = || rows.iter().map(|row| own_at(row, 2));
        assert!(own().is_sorted_by(|one, next| one >= next));
        assert_eq!(own().sum::<u64>(), session.index.step_count());
        assert_eq!(
            rows.first().map(|row| row.name.as_str()),
            Some("function 80000588")
        );
    }

    #[test]
    fn functions_of_a_range_have_its_steps_and_say_their_file() {
        let session = overflow_with_image();
        let part = StepRange {
            first: Position(100),
            last: Position(900),
        };
        let stated = FunctionProfile::of(
            &session,
            Some(part),
            &Progress::default(),
            &Cancel::default(),
        )
        .unwrap();
        let rows = &stated.table.rows;
        assert_eq!(rows.iter().map(|row| own_at(row, 3)).sum::<u64>(), 800);
        assert!(
            stated.table.summary.ends_with("functions in 800 steps"),
            "{}",
            stated.table.summary
        );
        assert!(
            rows.iter()
                .all(|row| row.cells[1].text() == "overflow_bare.elf")
        );
        let main = rows
            .iter()
            .find(|row| row.name == "function main")
            .expect("it is around the range");
        assert_eq!(
            (main.cells[2].text().as_str(), main.cells[6].text().as_str()),
            ("1", "800")
        );
    }
}
