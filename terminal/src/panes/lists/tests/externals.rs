//! Tests of the list of external changes, which the trace does not show.

use stepback_debugger::action::Direction;
use stepback_debugger::session::test_session::{sample, tarmac};
use stepback_generator::drmemtrace::Sample;

use super::*;
use crate::pane::PaneCommand;

const CHANGED: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n1 clk MW4 00009000 11223344\n\
                       2 clk IT (2) 00008004 e1a00000 A svc : NOP\n2 clk MR4 00009000 11223355\n";

#[test]
fn reads_that_contradict_the_last_write_are_listed() {
    let (session, _place) = tarmac(CHANGED);
    let mut stage = PaneStage::over(
        session,
        0,
        ListPane::new(TableView::new(ExternalTable::default())),
    );
    assert_eq!(
        stage.draw(80, 6),
        r" 1 read differs from the last write: DMA, a device or a system call
   Step  Address   Was          Read
*     1  00009000  44 33 22 11  55 33 22 11"
    );
    let requested = stage
        .press(&[
            PaneCommand::Access(Direction::Back),
            PaneCommand::Access(Direction::Forward),
        ])
        .requested;
    assert_eq!(
        format!("{:?}", requested.as_slice()),
        r#"[Do(Travel(Travel(WindowId(1), Position(2)))), Do(View(ShowMemory("0x9000")))]"#
    );
}

#[test]
fn a_trace_without_any_says_so() {
    let mut stage = PaneStage::at(0, ListPane::new(TableView::new(ExternalTable::default())));
    assert_eq!(
        stage.draw(60, 6),
        r"  No external changes
  Every read returns what was last written."
    );
    stage.drum();
}

#[test]
fn a_trace_without_values_claims_no_agreement() {
    let (session, _place) = sample(Sample::Threads);
    let mut stage = PaneStage::over(
        session.into(),
        0,
        ListPane::new(TableView::new(ExternalTable::default())),
    );
    assert_eq!(
        stage.draw(70, 6),
        r"  External changes are not recorded
  This format records no values, so reads and writes cannot be
  compared."
    );
}
