//! Violations of the format's rules in the trace, by rule.

use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::finding_rows::{
    FindingRow, RuleFoldState, place_words, severity_word, title,
};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::FindingsView;
use stepback_parsers::check::Severity;

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

/// Indentation of the places of a rule, in cells.
const INDENT: u16 = 4;
/// Width of the place column in cells, unless a place is longer.
const PLACE: u16 = 24;

impl ListView for FindingsView {
    fn title(&self, _: &PaneContext<'_>) -> String {
        say!("findings-findings").to_owned()
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, _: &PaneContext<'_>) {
        self.rows()
            .get(place)
            .into_iter()
            .for_each(|row| draw(row, run, pen));
    }
}

fn draw(row: &FindingRow<'_>, run: CellRun, pen: &mut Pen<'_>) {
    let label = StyleRole::Text(TextRole::Label);
    match row {
        FindingRow::Rule(broken, branch) => {
            let caret = if *branch == RuleFoldState::Open {
                "▾ "
            } else {
                "▸ "
            };
            let rest = pen.role(run, caret, label);
            let rest = pen
                .role(
                    rest,
                    severity_word(broken.rule.severity),
                    role_of(broken.rule.severity),
                )
                .after(2);
            let rest = pen.role(rest, broken.rule.id, StyleRole::Key).after(2);
            let rest = pen
                .role(rest, &format!("×{}", thousands(broken.count)), label)
                .after(2);
            pen.role(rest, title(broken.rule), StyleRole::Text(TextRole::Plain));
        }
        FindingRow::Place(_, found) => {
            let rest = run.after(INDENT);
            let end = pen
                .role(rest, &place_words(found), StyleRole::Text(TextRole::Second))
                .after(2);
            let column = rest.after(PLACE);
            pen.role(
                if column.x > end.x { column } else { end },
                &found.message,
                StyleRole::Text(TextRole::Plain),
            );
        }
        FindingRow::More(..) => _ = pen.role(run.after(INDENT), &row.line(), label),
    }
}

fn role_of(severity: Severity) -> StyleRole {
    match severity {
        Severity::Error => StyleRole::Error,
        Severity::Warning => StyleRole::Warning,
        Severity::Info => StyleRole::Text(TextRole::Label),
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::PaneStage;
    use super::*;
    use crate::pane::{CursorDirection, PaneCommand};
    use stepback_debugger::action::Direction;
    use stepback_debugger::session::test_session::tarmac;

    const WRONG: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n1 clk MW4 00009000 11223344\n\
                         2 clk IT (2) 00008004 e1a00000 A svc : NOP\n2 clk MR4 00009000 11223355\nrubbish\n";

    #[test]
    fn rules_have_their_places_below_them() {
        let (session, _place) = tarmac(WRONG);
        let mut stage = PaneStage::over(session, 0, ListPane::new(FindingsView::default()));
        assert_eq!(
            stage.draw(100, 8),
            r#" 1 error, 1 warning
*▾ error  damaged  ×1  part of the trace could not be read
     step 1, line 5          unknown Tarmac event type "rubbish"
 ▾ warning  memory-unwritten  ×1  a read did not return the last write
     step 1, line 3          a read at 0x9000 finds 55 33 22 11, where 44 33 22 11 was known"#
        );
        let stage = stage.press(&[PaneCommand::Move(CursorDirection::Left)]);
        let mut stage = stage.press(&[
            PaneCommand::Move(CursorDirection::Last),
            PaneCommand::Access(Direction::Back),
        ]);
        assert_eq!(
            stage.draw(100, 8),
            r" 1 error, 1 warning
 ▸ error  damaged  ×1  part of the trace could not be read
 ▾ warning  memory-unwritten  ×1  a read did not return the last write
*    step 1, line 3          a read at 0x9000 finds 55 33 22 11, where 44 33 22 11 was known"
        );
        assert_eq!(
            format!("{:?}", stage.requested.as_slice()),
            "[Do(Travel(Travel(WindowId(1), Position(2))))]"
        );
        stage.drum();
    }

    #[test]
    fn a_trace_that_keeps_all_rules_says_so() {
        let (session, _place) = tarmac("1 clk IT (1) 00008000 e1a00000 A svc : NOP\n");
        assert_eq!(
            PaneStage::over(session, 0, ListPane::new(FindingsView::default())).draw(90, 5),
            r"  No findings
  The trace is well formed and consistent."
        );
    }
}
