//! Table of an operating system's tasks and of the times when each ran.

use std::ops::Range;

use anyhow::Result;
use stepback_index::Cancel;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::TextRole;
use super::names::function_name;
use super::so_far::so_far;
use super::table::{ROWS, Table, TableCell, TableRow, thread_name};
use super::table_groups::TableGroup;
use super::text::thousands;
use crate::analysis::tasks::{Task, has_os_threads, running_task, tasks};
use crate::messages::say;
use crate::session::Session;

const HEADS: [&str; 11] = [
    "head-thread",
    "tasks-task",
    "tasks-function",
    "tasks-control-block",
    "tasks-runs",
    "tasks-from",
    "tasks-to",
    "tasks-steps",
    "tasks-handler-steps",
    "tasks-time",
    "tasks-calls",
];
/// Indices of the columns that a narrow panel drops, the first of them first.
const SPARE: [usize; 4] = [8, 10, 3, 6];
/// Index of the first of the two columns that run rows also have.
const FROM: usize = 5;

/// Lists the tasks, each followed by its runs. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn task_table(session: &Session, cancel: &Cancel) -> Result<Table> {
    if has_os_threads(&session.index) {
        return Ok(Table::new(
            say!("tasks-os-threads").to_owned(),
            &HEADS,
            Vec::new(),
        ));
    }
    let tasks = tasks(&session.index, running_task(&session.images), cancel)?;
    let runs: usize = tasks.iter().map(|task| task.runs.len()).sum();
    let mut summary = say!("tasks-count", tasks = tasks.len(), runs = runs);
    let (mut rows, mut groups) = (Vec::new(), Vec::new());
    for (task, key) in tasks.iter().zip(0..) {
        let own = task.runs.len().min(ROWS.saturating_sub(rows.len() + 1));
        groups.push(TableGroup {
            key,
            head: rows.len(),
            rows: own,
            is_open: true,
        });
        rows.push(task_row(session, task));
        rows.extend(task.runs.iter().take(own).map(|run| run_row(task, run)));
        if rows.len() >= ROWS {
            summary = say!("tasks-first-rows", summary = summary, count = rows.len());
            break;
        }
    }
    let table = Table {
        groups,
        spare: SPARE.to_vec(),
        ..Table::new(so_far(session, &summary), &HEADS, rows)
    };
    Ok(table.without_one_thread(session).without_empty())
}

fn task_row(session: &Session, task: &Task) -> TableRow {
    let function = function_name(&session.images, task.function);
    let block = task
        .control_block
        .as_ref()
        .and_then(|known| known.value.to_u64());
    let (first, last) = (task.runs.first(), task.runs.last());
    let name = say!("tasks-name", task = task.number, function = &*function);
    let [from, to] = ends(first.zip(last).map(|(first, last)| first.start..last.end));
    let cells = vec![
        TableCell::new(TextRole::Plain, thread_name(session, task.thread)),
        TableCell::number(task.number.into()),
        TableCell::new(TextRole::Symbol, function),
        TableCell::new(
            TextRole::Plain,
            block.map_or_else(String::new, |block| format!("{block:x}")),
        ),
        TableCell::number(task.runs.len() as u64),
        from,
        to,
        TableCell::number(task.steps),
        TableCell::number(task.handler_steps),
        task.time.map_or_else(TableCell::default, TableCell::number),
        TableCell::number(task.calls),
    ];
    TableRow {
        name,
        cells,
        position: first.map(|run| run.start),
        address: block.map(Address),
        ..TableRow::default()
    }
}

fn run_row(task: &Task, run: &Range<Position>) -> TableRow {
    let mut cells = vec![TableCell::default(); HEADS.len()];
    let places = cells.iter_mut().skip(FROM);
    places
        .zip(ends(Some(run.clone())))
        .for_each(|(cell, end)| *cell = end);
    let name = say!(
        "tasks-run",
        task = task.number,
        from = thousands(run.start.0)
    );
    TableRow {
        name,
        cells,
        position: Some(run.start),
        ..TableRow::default()
    }
}

/// Returns the first and the last step between two positions.
fn ends(run: Option<Range<Position>>) -> [TableCell; 2] {
    let steps = run.and_then(|run| Some([run.start.next_step(), run.end.last_step()?]));
    steps.map_or_else(Default::default, |steps| steps.map(TableCell::Step))
}
