//! What of the trace could not be read.

use std::sync::Arc;

use stepback_parsers::Source as _;

use super::list::{Deed, Listed};
use super::table::Source;
use crate::action::{Action, CellName, PanelKind};
use crate::messages::say;
use crate::model::Meaning;
use crate::model::so_far::{SoFar, so_far};
use crate::model::table::{Table, TableCell, TableRow};
use crate::terminal::pane::{Ask, Cx};

const HEADS: [&str; 3] = ["head-line", "head-times", "head-warning"];

/// A row for all warnings that are alike.
#[derive(Default)]
pub struct Warnings {
    table: Arc<Table>,
    /// How many rows there were, of how many warnings.
    of: Option<(usize, u64)>,
    /// There may be more.
    is_part: bool,
}

impl Source for Warnings {
    fn kind(&self) -> PanelKind {
        PanelKind::Warnings
    }

    fn title(&self) -> String {
        say!("warnings-warnings").to_owned()
    }

    fn poll(&mut self, cx: &Cx<'_>) -> Result<Arc<Table>, Listed> {
        let index = &cx.desk.session.index;
        let of = Some((index.warnings().len(), index.info().warning_count));
        let is_part = SoFar::of(&cx.desk.session).is_some();
        if self.of != of || self.is_part != is_part {
            (self.table, self.of, self.is_part) = (Arc::new(table(cx)), of, is_part);
        }
        Ok(Arc::clone(&self.table))
    }

    fn nothing(&self) -> Option<&'static str> {
        Some(if self.is_part { say!("warnings-no-warnings-so-far") } else { say!("warnings-no-warnings") })
    }

    fn advice(&self) -> &'static str {
        if self.is_part { say!("warnings-all-lines-that-are-indexed") } else { say!("warnings-all-lines-of-the-trace") }
    }

    /// To the line, where the format has some.
    fn press(&mut self, row: &TableRow, deed: Deed, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let is_text = cx.desk.session.index.source().is_text();
        if deed != Deed::Go || !is_text {
            return false;
        }
        out.push(Ask::Do(Action::GoTo(format!("line:{}", row.name))));
        true
    }

    fn cell(&self, _: &TableRow) -> Option<CellName> {
        None
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(cx: &Cx<'_>) -> Table {
    let session = &cx.desk.session;
    let (warnings, is_text) = (session.index.warnings(), session.index.source().is_text());
    let rows = warnings.iter().map(|warning| TableRow {
        name: warning.line.to_string(),
        cells: vec![
            TableCell::number(warning.line),
            TableCell::number(warning.count),
            TableCell::new(Meaning::Plain, warning.message.clone()),
        ],
        ..TableRow::default()
    });
    let count = session.index.info().warning_count;
    let words = if is_text { say!("warnings-lines", count = count) } else { say!("warnings-places", count = count) };
    let table = Table::new(so_far(session, &words), &HEADS, rows.collect());
    if is_text { table } else { table.without_named("Line") }
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

    const DAMAGED: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\nrubbish\n2 clk R r0 zzzzzzzz\n";

    #[test]
    fn lines_that_could_not_be_read_are_listed_and_gone_to() {
        let (session, _place) = tarmac(DAMAGED);
        let mut stage = Stage::over(session, 0, ListPane::new(Tabled::new(Warnings::default())));
        assert_eq!(
            stage.draw(80, 6),
            r#" 2 lines could not be read, or only with doubt
   Line  Times  Warning
*     2      1  unknown Tarmac event type "rubbish"
      3      1  expected register contents, found "zzzzzzzz""#
        );
        let asked = stage.press(&[Command::Access(Way::Back)]).asked;
        assert_eq!(format!("{:?}", asked.as_slice()), r#"[Do(GoTo("line:2"))]"#);
    }

    #[test]
    fn a_trace_without_any_says_so() {
        let mut stage = Stage::at(0, ListPane::new(Tabled::new(Warnings::default())));
        assert_eq!(
            stage.draw(60, 6),
            r"  No warnings
  All lines of the trace could be read."
        );
        stage.drum();
    }
}
