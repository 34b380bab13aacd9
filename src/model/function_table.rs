//! The functions of a trace by what they took.

use std::cmp::Reverse;

use anyhow::Result;
use stepback_index::Cancel;
use stepback_parsers::Source as _;

use super::so_far::so_far;
use super::table::{ROWS, Table, TableCell, TableRow};
use super::text::{counted, thousands};
use super::{Meaning, Span};
use crate::analysis::profile::{FunctionTotals, profile};
use crate::session::Session;

const HEADS: [&str; 8] = ["Function", "Calls", "Self", "Self %", "Share", "Total", "Total %", "Time"];
/// Parts of a hundredth that shares are told in.
const TENTHS: u128 = 1000;

/// The functions that were called, those with most steps of their own first. Recursion counts once in totals.
/// Runs on a worker; the cost grows with the calls of the trace.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn function_table(session: &Session, cancel: &Cancel) -> Result<Table> {
    let mut functions = profile(&session.index, cancel)?;
    functions.sort_by_key(|function| Reverse(function.totals.self_steps));
    let steps = session.index.step_count();
    // Without a clock every call takes one moment; a coarse one is replaced by steps.
    let is_long = |function: &FunctionTotals| function.totals.time > function.totals.calls;
    let has_clock = !session.index.source().is_clock_coarse() && functions.iter().any(is_long);
    let most = functions.first().map_or(0, |function| function.totals.self_steps);
    let mut summary = match functions.len() {
        0 => "No function was called".to_owned(),
        count => {
            let count = counted(count as u64, "function", "functions");
            format!("{count} with calls that returned, {}", counted(steps, "step", "steps"))
        }
    };
    if functions.len() > ROWS {
        summary += &format!("; those {} that took most", thousands(ROWS as u64));
    }
    let rows = functions.into_iter().take(ROWS).map(|function| function_row(session, &function, Whole { steps, most }));
    let heads = if has_clock { &HEADS[..] } else { &HEADS[..HEADS.len() - 1] };
    Ok(Table::new(so_far(session, &summary), heads, rows.collect()))
}

/// What the parts are parts of.
#[derive(Clone, Copy)]
struct Whole {
    /// Steps of the trace.
    steps: u64,
    /// Own steps of the function that has most.
    most: u64,
}

fn function_row(session: &Session, function: &FunctionTotals, Whole { steps, most }: Whole) -> TableRow {
    let FunctionTotals { function: address, first, totals, .. } = function;
    let found = session.images.code_at(*address);
    let name = found.map_or_else(|| format!("{:08x}", address.0), |found| found.symbol.name.to_string());
    let meaning = if found.is_some() { Meaning::Symbol } else { Meaning::Plain };
    TableRow {
        name: format!("function {name}"),
        cells: vec![
            TableCell::new(meaning, name),
            TableCell::number(totals.calls),
            TableCell::number(totals.self_steps),
            share(totals.self_steps, steps),
            TableCell::Bar(totals.self_steps, 0, most),
            TableCell::number(totals.outer_steps),
            share(totals.outer_steps, steps),
            TableCell::number(totals.outer_time),
        ],
        position: Some(first.before()),
        address: Some(*address),
        is_faded: false,
    }
}

/// `12.3`: hundredths of a whole.
fn share(part: u64, whole: u64) -> TableCell {
    let tenths = u128::from(part) * TENTHS / u128::from(whole.max(1));
    let text = format!("{}.{}", tenths / 10, tenths % 10);
    TableCell::Number(part, Span::new(Meaning::Second, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::overflow;

    #[test]
    fn functions_are_listed_by_their_own_steps() {
        let session = overflow();
        let table = function_table(&session, &Cancel::default()).unwrap();
        let own = |row: &TableRow| match row.cells.get(2) {
            Some(TableCell::Number(steps, _)) => *steps,
            cell => panic!("{cell:?}"),
        };
        assert!(table.rows.iter().map(own).is_sorted_by(|one, next| one >= next));
        assert_eq!(table.rows.iter().map(own).sum::<u64>(), session.index.step_count());
        assert_eq!(table.rows.first().map(|row| row.name.as_str()), Some("function 80000588"));
    }
}
