//! The threads of the trace: how busy, when, where, and how they ended.

use std::sync::Arc;

use super::table_view::TableSource;
use super::view::{Gesture, Status};
use crate::action::{Action, CellName, PanelKind};
use crate::analysis::thread_ending::Ending;
use crate::desk::Desk;
use crate::messages::say;
use crate::model::Meaning;
use crate::model::clock::{span_text, time_text};
use crate::model::so_far::so_far;
use crate::model::table::{Table, TableCell, TableRow};
use crate::model::threads::{ThreadRow, Threads as All, ending_words};
use crate::worker::Answer;

const HEADS: [&str; 9] = [
    "threads-thread",
    "threads-process",
    "threads-steps",
    "threads-first-step",
    "threads-last-step",
    "threads-cores",
    "threads-end",
    "threads-time",
    "threads-started",
];

/// A row a thread.
#[derive(Default)]
pub struct ThreadTable {
    table: Arc<Table>,
    /// The threads that it was made of.
    of: Arc<All>,
}

impl TableSource for ThreadTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Threads
    }

    fn title(&self) -> String {
        say!("threads-threads").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, Status> {
        let threads = match desk.threads.all() {
            Answer::Failed(error) => return Err(Status::Failed(error.to_owned())),
            answer => answer.any().ok_or_else(|| Status::Loading(String::new()))?,
        };
        if !Arc::ptr_eq(&self.of, threads) {
            (self.table, self.of) = (Arc::new(table(threads, desk)), Arc::clone(threads));
        }
        Ok(Arc::clone(&self.table))
    }

    fn advice(&self) -> &'static str {
        ""
    }

    /// To its first step; the other way to its last.
    fn act(&mut self, row: &TableRow, gesture: Gesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let life = self.of.rows.iter().find(|thread| thread.name == row.name).and_then(|thread| thread.life);
        let to = match (life, gesture) {
            (Some((first, _)), Gesture::Go) => first,
            (Some((_, last)), Gesture::GoOn) => last,
            _ => return false,
        };
        out.push(Action::travel(desk.windows.active, to.after()));
        true
    }

    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        let here = desk.threads.here().and_then(|thread| self.of.rows.get(usize::from(thread.0)));
        here.is_some_and(|thread| thread.name == row.name)
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(threads: &All, desk: &Desk) -> Table {
    let count = threads.rows.iter().filter(|row| !row.is_idle).count();
    let words = so_far(&desk.session, &say!("threads-count", count = count));
    let cores = threads.schedule.cores.len();
    let summary = if cores > 0 { say!("threads-on-cores", threads = words, count = cores) } else { words };
    let table = Table::new(summary, &HEADS, threads.rows.iter().map(row).collect());
    // The name, the number of steps and the first step are told in any room.
    Table { spare: vec![8, 5, 7, 4, 1], ..table }.without_empty()
}

fn row(thread: &ThreadRow) -> TableRow {
    let text = |text: Option<String>| TableCell::new(Meaning::Second, text.unwrap_or_default());
    let (first, last) = thread.life.map_or((None, None), |(first, last)| (Some(first), Some(last)));
    let step = |step: Option<_>| step.map_or_else(TableCell::default, TableCell::Step);
    let ending = if thread.ending == Ending::Killed { Meaning::Exception } else { Meaning::Second };
    let cells = vec![
        TableCell::new(Meaning::Plain, thread.name.clone()),
        text(thread.process.clone()),
        TableCell::number(thread.steps),
        step(first),
        step(last),
        text(Some(thread.cores_text())),
        TableCell::new(ending, ending_words(thread.ending)),
        text(thread.lasted().map(span_text)),
        text(thread.times.map(|(first, _)| time_text(first))),
    ];
    let position = first.map(|first| first.after());
    TableRow { name: thread.name.clone(), cells, position, address: None, is_faded: thread.is_idle }
}
