//! Tests of the list of damaged lines and records.

use stepback_debugger::action::Direction;
use stepback_debugger::session::test_session::{sample, tarmac};
use stepback_generator::drmemtrace::Sample;

use super::*;
use crate::pane::PaneCommand;

const DAMAGED: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\nrubbish\n2 clk R r0 zzzzzzzz\n";

#[test]
fn lines_that_could_not_be_read_are_listed_and_gone_to() {
    let (session, _place) = tarmac(DAMAGED);
    let mut stage = PaneStage::over(
        session,
        0,
        ListPane::new(TableView::new(WarningTable::default())),
    );
    assert_eq!(
        stage.draw(80, 6),
        r#" 2 unreadable or doubtful lines
   Line    Byte     Times  Warning
*  line 2  byte 0       1  unknown Tarmac event type "rubbish"  rubbish
   line 3  byte 11      1  expected register contents, found "zzzzzzzz"  2 clk R…"#
    );
    let requested = stage
        .press(&[PaneCommand::Access(Direction::Back)])
        .requested;
    assert_eq!(
        format!("{:?}", requested.as_slice()),
        r#"[Do(Travel(GoTo("line:2")))]"#
    );
}

#[test]
fn a_trace_without_any_says_so() {
    let mut stage = PaneStage::at(0, ListPane::new(TableView::new(WarningTable::default())));
    assert_eq!(
        stage.draw(60, 6),
        r"  No warnings
  All lines of the trace could be read."
    );
    stage.drum();
}

#[test]
fn a_binary_trace_has_records_instead_of_lines() {
    let (session, _place) = sample(Sample::Threads);
    let mut stage = PaneStage::over(
        session.into(),
        0,
        ListPane::new(TableView::new(WarningTable::default())),
    );
    assert_eq!(
        stage.draw(60, 6),
        r"  No warnings
  All records of the trace could be read."
    );
}
