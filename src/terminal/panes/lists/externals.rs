//! What was changed by something that the trace does not show.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::Position;

use super::list::{Listed, answered};
use super::table::Source;
use crate::action::PanelKind;
use crate::messages::say;
use crate::model::Meaning;
use crate::model::externals::{ExternalRow, external_rows};
use crate::model::so_far::so_far;
use crate::model::table::{ROWS, Table, TableCell, TableRow};
use crate::session::Session;
use crate::terminal::pane::{Ask, Cx};
use crate::worker::Slot;

const HEADS: [&str; 6] =
    ["externals-step", "externals-address", "externals-was", "externals-read", "externals-symbol", "externals-thread"];
/// How many changes are listed at first, and how many more each "… more" adds.
const PAGE: usize = 200;

/// A row for each read that contradicted the last known write.
#[derive(Default)]
pub struct Externals {
    /// Pages that were asked for besides the first.
    more: usize,
    answer: Slot<usize, Arc<Table>>,
}

impl Externals {
    fn limit(&self) -> usize {
        ((self.more + 1) * PAGE).min(ROWS)
    }
}

impl Source for Externals {
    fn kind(&self) -> PanelKind {
        PanelKind::Externals
    }

    fn title(&self) -> String {
        say!("externals-external-changes").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let limit = self.limit();
        let answer = self.answer.poll_long(&limit, cx.worker(), |limit| {
            let (limit, session) = (*limit, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(Arc::new(table(&session, &external_rows(&session, Position(0), limit, cancel)?)))
        });
        answered(&answer)
    }

    fn nothing(&self) -> Option<&'static str> {
        Some(say!("externals-no-external-changes"))
    }

    fn advice(&self) -> &'static str {
        say!("externals-every-read-agrees-with-the")
    }

    fn more(&self, _: &Cx<'_>) -> Option<String> {
        let is_full = self.answer.peek().is_some_and(|(limit, table)| table.rows.len() >= *limit);
        (is_full && self.limit() < ROWS).then(|| say!("externals-more").to_owned())
    }

    fn list_more(&mut self, _: &mut Vec<Ask>) {
        self.more += 1;
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(session: &Session, changes: &[ExternalRow]) -> Table {
    let rows = changes.iter().map(|change| TableRow {
        name: change.line(),
        cells: vec![
            TableCell::Step(change.step),
            TableCell::new(Meaning::Second, format!("{:x}", change.address.0)),
            TableCell::new(Meaning::Plain, change.was_text()),
            TableCell::new(Meaning::External, change.read_text()),
            TableCell::new(Meaning::Symbol, change.place.clone().unwrap_or_default()),
            TableCell::new(Meaning::Label, change.thread.clone()),
        ],
        position: Some(change.position),
        address: Some(change.address),
        is_faded: false,
    });
    let changes = session.index.info().external_changes;
    let words = so_far(session, &say!("externals-reads", count = changes));
    let words = say!("externals-head", reads = words, count = changes, from = "");
    Table::new(words, &HEADS, rows.collect()).without_one_thread(session).without_empty()
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::table::Tabled;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::session::test_session::tarmac;
    use crate::terminal::command::Command;

    const CHANGED: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n1 clk MW4 00009000 11223344\n\
                           2 clk IT (2) 00008004 e1a00000 A svc : NOP\n2 clk MR4 00009000 11223355\n";

    #[test]
    fn reads_that_contradict_the_last_write_are_listed() {
        let (session, _place) = tarmac(CHANGED);
        let mut stage = Stage::over(session, 0, ListPane::new(Tabled::new(Externals::default())));
        assert_eq!(
            stage.draw(80, 6),
            r" 1 read differs from what the last write left: DMA, a device, a system call
   Step  Address  Was          Read
*     1  9000     44 33 22 11  55 33 22 11"
        );
        let asked = stage.press(&[Command::Access(Way::Back), Command::Access(Way::Forward)]).asked;
        assert_eq!(format!("{:?}", asked.as_slice()), r#"[Do(Travel(WindowId(1), 2)), Do(ShowMemory("0x9000"))]"#);
    }

    #[test]
    fn a_trace_without_any_says_so() {
        let mut stage = Stage::at(0, ListPane::new(Tabled::new(Externals::default())));
        assert_eq!(
            stage.draw(60, 6),
            r"  No external changes
  Every read agrees with the last write that the trace shows."
        );
        stage.drum();
    }
}
