//! The threads of the trace: how busy, when, where, and how they ended.

use std::sync::Arc;

use super::list::{Deed, Listed};
use super::table::Source;
use crate::action::{Action, CellName, PanelKind};
use crate::analysis::thread_ending::Ending;
use crate::messages::say;
use crate::model::Meaning;
use crate::model::clock::{span_text, time_text};
use crate::model::so_far::so_far;
use crate::model::table::{Table, TableCell, TableRow};
use crate::model::threads::{ThreadRow, Threads as All, ending_words};
use crate::terminal::pane::{Ask, Cx};
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
pub struct Threads {
    table: Arc<Table>,
    /// The threads that it was made of.
    of: Arc<All>,
}

impl Source for Threads {
    fn kind(&self) -> PanelKind {
        PanelKind::Threads
    }

    fn title(&self) -> String {
        say!("threads-threads").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let threads = match cx.desk.threads.all() {
            Answer::Failed(error) => return Err(Listed::Failed(error.to_owned())),
            answer => answer.any().ok_or_else(|| Listed::Loading(String::new()))?,
        };
        if !Arc::ptr_eq(&self.of, threads) {
            (self.table, self.of) = (Arc::new(table(threads, cx)), Arc::clone(threads));
        }
        Ok(Arc::clone(&self.table))
    }

    fn advice(&self) -> &'static str {
        ""
    }

    /// To its first step; the other way to its last.
    fn press(&mut self, row: &TableRow, deed: Deed, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let life = self.of.rows.iter().find(|thread| thread.name == row.name).and_then(|thread| thread.life);
        let to = match (life, deed) {
            (Some((first, _)), Deed::Go) => first,
            (Some((_, last)), Deed::GoOn) => last,
            _ => return false,
        };
        out.push(Ask::Do(Action::Travel(cx.desk.windows.active, to.after().0)));
        true
    }

    fn is_here(&self, row: &TableRow, cx: &Cx<'_>) -> bool {
        let here = cx.desk.threads.here().and_then(|thread| self.of.rows.get(usize::from(thread.0)));
        here.is_some_and(|thread| thread.name == row.name)
    }

    fn cell(&self, _: &TableRow) -> Option<CellName> {
        None
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(threads: &All, cx: &Cx<'_>) -> Table {
    let count = threads.rows.iter().filter(|row| !row.is_idle).count();
    let words = so_far(&cx.desk.session, &say!("threads-count", count = count));
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

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::terminal::command::{Command, Purpose};

    fn stage() -> Stage<ListPane<Tabled<Threads>>> {
        Stage::at(1250, ListPane::new(Tabled::new(Threads::default())))
    }

    #[test]
    fn the_thread_of_the_position_is_marked() {
        assert_eq!(
            stage().draw(80, 5),
            r" 1 thread
   Thread  Steps  First step  Last step
*▶ cpu0    1,763           0      1,762"
        );
    }

    #[test]
    fn return_travels_to_the_first_step_and_the_other_way_to_the_last() {
        let asked = stage().press(&[Command::Access(Way::Back), Command::Access(Way::Forward)]).asked;
        assert_eq!(format!("{:?}", asked.as_slice()), "[Do(Travel(WindowId(1), 1)), Do(Travel(WindowId(1), 1763))]");
    }

    #[test]
    fn rows_that_hold_no_text_are_left_out() {
        let mut stage = stage().press(&[]);
        stage.answer(Purpose::Filter, "cpu7");
        assert_eq!(
            stage.draw(60, 5),
            r"  No row holds the text
  An empty filter shows all rows again."
        );
        stage.answer(Purpose::Filter, "");
        assert_eq!(
            stage.draw(60, 5),
            r" 1 thread
   Thread  Steps  First step  Last step
*▶ cpu0    1,763           0      1,762"
        );
    }

    #[test]
    fn the_threads_survive_all_sizes() {
        stage().drum();
    }
}
