//! The threads of the trace: their load, times, places and ends.

use std::sync::Arc;

use stepback_parsers::Step;

use super::table_view::TableSource;
use super::view::{RowGesture, ViewStatus};
use crate::action::{Action, CellName, PanelKind, TravelAction};
use crate::analysis::fatal_ending::ThreadEnding;
use crate::desk::Desk;
use crate::icons;
use crate::messages::say;
use crate::model::TextRole;
use crate::model::so_far::so_far;
use crate::model::table::{Table, TableCell, TableRow};
use crate::model::threads::{ThreadRow, Threads as All, ending_explained, ending_words};
use crate::session::Session;
use crate::views::view::{MenuEntry, RowMenu};
use crate::worker::Answer;

const HEADS: [&str; 10] = [
    "threads-thread",
    "threads-process",
    "",
    "threads-steps",
    "threads-first-step",
    "threads-last-step",
    "threads-cores",
    "threads-end",
    "threads-time",
    "threads-started",
];

/// One row per thread.
#[derive(Default)]
pub struct ThreadTable {
    table: Arc<Table>,
    /// Number of threads, without those that represent idle cores.
    count: usize,
    /// Threads that the table was made from.
    of: Arc<All>,
}

impl ThreadTable {
    fn thread(&self, row: &TableRow) -> Option<&ThreadRow> {
        self.of.rows.get(usize::try_from(row.key).ok()?)
    }
}

impl TableSource for ThreadTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Threads
    }

    fn title(&self) -> String {
        say!("threads-threads").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let threads = match desk.threads.all() {
            Answer::Failed(error) => return Err(ViewStatus::Failed(error.to_owned())),
            answer => answer
                .any()
                .ok_or_else(|| ViewStatus::Loading(String::new()))?,
        };
        if !Arc::ptr_eq(&self.of, threads) {
            (self.table, self.of) = (Arc::new(table(threads, &desk.session)), Arc::clone(threads));
            self.count = count(threads);
        }
        Ok(Arc::clone(&self.table))
    }

    fn advice(&self, _: &Desk) -> String {
        String::new()
    }

    fn button(&self, desk: &Desk) -> Option<&'static str> {
        (self.count > 1).then(|| match desk.windows.active().thread {
            Some(_) => say!("threads-step-through-all-threads"),
            None => say!("threads-stay-in-the-thread-of"),
        })
    }

    fn press(&mut self, _: &Desk, out: &mut Vec<Action>) -> bool {
        out.push(Action::Travel(TravelAction::StayInThread(None)));
        false
    }

    /// Goes to the first step of the thread; the other gesture goes to its last.
    fn act(&self, row: &TableRow, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let Some(thread) = self.thread(row) else {
            return false;
        };
        let travel = |step: Step| Action::travel(desk.windows.active, step.after());
        let action = match gesture {
            RowGesture::Go => thread.life.map(|(first, _)| travel(first)),
            RowGesture::GoOn => thread.life.map(|(_, last)| travel(last)),
            RowGesture::Stay => Some(Action::Travel(TravelAction::StayInThread(Some(
                thread.name.clone(),
            )))),
            RowGesture::Open | RowGesture::Close | RowGesture::Remove => None,
        };
        out.extend(action.clone());
        action.is_some()
    }

    fn double_clicked(&self) -> RowGesture {
        RowGesture::Stay
    }

    fn menu(&self, row: &TableRow, _: &Table, desk: &Desk) -> RowMenu {
        let Some(thread) = self.thread(row) else {
            return RowMenu {
                title: self.title(),
                note: String::new(),
                entries: Vec::new(),
            };
        };
        let act = |gesture| {
            let mut actions = Vec::new();
            self.act(row, gesture, desk, &mut actions);
            actions
        };
        let stay = match desk.windows.active().thread == Some(thread.thread) {
            true => MenuEntry::new(
                say!("threads-step-through-all-threads"),
                [Action::Travel(TravelAction::StayInThread(None))],
            ),
            false => MenuEntry::new(say!("threads-stay-in-this-thread"), act(RowGesture::Stay))
                .icon(icons::PIN)
                .key("double click"),
        };
        let entries = vec![
            MenuEntry::new(
                say!("threads-travel-to-its-first-step"),
                act(RowGesture::Go),
            )
            .icon(icons::START)
            .key("Enter"),
            MenuEntry::new(
                say!("threads-travel-to-its-last-step"),
                act(RowGesture::GoOn),
            )
            .icon(icons::END),
            stay,
            MenuEntry::Line,
            MenuEntry::copy(thread.line()),
        ];
        RowMenu {
            title: say!("threads-head", name = &*thread.name),
            note: ending_explained(thread.ending).to_owned(),
            entries,
        }
    }

    fn copied(&self, row: &TableRow) -> String {
        self.thread(row).map_or_else(|| row.line(), ThreadRow::line)
    }

    fn is_here(&self, row: &TableRow, desk: &Desk) -> bool {
        desk.threads
            .here()
            .is_some_and(|thread| u64::from(thread.0) == row.key)
    }

    /// Returns a pin for the thread that the window stays in.
    fn mark(&self, row: &TableRow, desk: &Desk) -> Option<char> {
        let held = desk.windows.active().thread;
        held.filter(|thread| u64::from(thread.0) == row.key)
            .map(|_| icons::PIN)
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn count(threads: &All) -> usize {
    threads.rows.iter().filter(|row| !row.is_idle).count()
}

fn table(threads: &All, session: &Session) -> Table {
    let words = so_far(session, &say!("threads-count", count = count(threads)));
    let cores = threads.schedule.cores.len();
    let summary = if cores > 0 {
        say!("threads-on-cores", threads = words, count = cores)
    } else {
        words
    };
    let busiest = threads.rows.iter().map(|row| row.steps).max().unwrap_or(0);
    let mut rows: Vec<TableRow> = threads
        .rows
        .iter()
        .map(|thread| row(thread, busiest))
        .collect();
    rows.sort_by_key(|row| row.is_last);
    let table = Table::new(summary, &HEADS, rows);
    // Name, number of steps and first step are shown in the narrowest panel.
    let table = Table {
        spare: vec![2, 9, 6, 8, 5, 1],
        ..table
    }
    .without_empty();
    // The share of a single thread is redundant.
    if threads.rows.len() > 1 {
        table
    } else {
        table.without_columns("")
    }
}

fn row(thread: &ThreadRow, busiest: u64) -> TableRow {
    let text = |number: Option<u64>, text: Option<String>| {
        TableCell::ranked(number, TextRole::Second, text.unwrap_or_default())
    };
    let (first, last) = thread
        .life
        .map_or((None, None), |(first, last)| (Some(first), Some(last)));
    let step = |step: Option<_>| step.map_or_else(TableCell::default, TableCell::Step);
    let ending = if thread.ending == ThreadEnding::Killed {
        TextRole::Exception
    } else {
        TextRole::Second
    };
    let began = thread.times.map(|(first, _)| first);
    let cells = vec![
        TableCell::ranked(
            thread.name.parse().ok(),
            TextRole::Plain,
            thread.name.clone(),
        ),
        text(None, thread.process.clone()),
        TableCell::Bar(thread.steps, 0, busiest),
        TableCell::number(thread.steps),
        step(first),
        step(last),
        text(thread.cores.first().copied(), Some(thread.cores_text())),
        TableCell::ranked(
            Some(thread.ending as u64),
            ending,
            ending_words(thread.ending),
        ),
        text(thread.lasted(), thread.lasted_text()),
        text(began, began.map(|time| thread.clock.short_time_text(time))),
    ];
    TableRow {
        name: say!("threads-row", name = &*thread.name, count = thread.steps),
        key: u64::from(thread.thread.0),
        cells,
        position: first.map(|first| first.after()),
        is_faded: thread.is_idle,
        is_last: thread.is_idle,
        ..TableRow::default()
    }
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::Sample;

    use super::*;
    use crate::model::table::TableArrangement;
    use crate::model::threads::threads_of;
    use crate::session::test_session::sample;

    #[test]
    fn idle_cores_stay_at_the_end_in_every_order() {
        let (session, _place) = sample(Sample::CoreSharded);
        let threads = threads_of(&session, &stepback_index::Cancel::default()).expect("threads");
        let table = table(&threads, &session);
        for (column, is_falling) in [
            (None, false),
            (Some(0), false),
            (Some(3), true),
            (Some(3), false),
        ] {
            let seen = table.seen(&TableArrangement {
                column,
                is_falling,
                ..TableArrangement::default()
            });
            let idle: Vec<bool> = seen.rows.iter().map(|row| row.is_last).collect();
            assert!(idle.is_sorted(), "{column:?}: {idle:?}");
        }
    }

    #[test]
    fn threads_with_numbers_for_names_are_in_the_order_of_the_numbers() {
        let named = |name: &str, steps| {
            let thread = ThreadRow {
                name: name.to_owned(),
                steps,
                ..threads_row()
            };
            row(&thread, 9)
        };
        let rows = vec![named("cpu1", 5), named("100", 9), named("99", 7)];
        let table = Table::new(String::new(), &HEADS, rows);
        let names = |column, is_falling| -> Vec<String> {
            let seen = table.seen(&TableArrangement {
                column,
                is_falling,
                ..TableArrangement::default()
            });
            seen.rows.iter().map(|row| row.cells[0].text()).collect()
        };
        assert_eq!(names(Some(0), false), ["99", "100", "cpu1"]);
        assert_eq!(names(Some(3), true), ["100", "99", "cpu1"]);
    }

    fn threads_row() -> ThreadRow {
        let (session, _place) = sample(Sample::Threads);
        threads_of(&session, &stepback_index::Cancel::default())
            .expect("threads")
            .rows
            .swap_remove(0)
    }
}
