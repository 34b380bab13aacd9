//! What is wrong with the trace, by rule.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use stepback_index::{BuildProgress, Cancel};
use stepback_parsers::Severity;

use super::list::{Deed, Listed, Listing, Press, Row, Rows};
use crate::action::{Action, PanelKind};
use crate::messages::say;
use crate::model::Meaning;
use crate::model::finding_rows::{Branch, FindingList, FindingRow, finding_list, finding_rows, place_words};
use crate::model::text::thousands;
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx};
use crate::terminal::pen::{Pen, Run};
use crate::worker::{Answer, Slot};

/// Where the places of a rule begin.
const INDENT: u16 = 4;
/// Cells of a place, where its words are no longer.
const PLACE: u16 = 24;

/// The rules that the trace breaks, and where.
#[derive(Default)]
pub struct Findings {
    answer: Slot<(), Arc<FindingList>>,
    /// How far the check is.
    progress: Arc<BuildProgress>,
    /// Rules whose places do not show.
    closed: BTreeSet<&'static str>,
}

impl Findings {
    /// What a row says, as long as there is such a row. Costs what is listed.
    fn with_row<A>(&self, place: usize, what: impl FnOnce(&FindingRow<'_>) -> A) -> Option<A> {
        let (_, found) = self.answer.peek()?;
        finding_rows(found, &self.closed).get(place).map(what)
    }

    /// What share of the trace is checked.
    fn checking(&self) -> String {
        let done = self.progress.bytes_done.load(Ordering::Relaxed);
        let total = self.progress.bytes_total.load(Ordering::Relaxed).max(1);
        let share = u128::from(done) * 100 / u128::from(total);
        format!("{} {}%", say!("findings-checking-the-trace"), share.min(100))
    }
}

impl Listing for Findings {
    fn kind(&self) -> PanelKind {
        PanelKind::Findings
    }

    fn title(&self, _: &Cx<'_>) -> String {
        say!("findings-findings").to_owned()
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Listed {
        let progress = &mut self.progress;
        let answer = self.answer.poll_long(&(), cx.worker(), |()| {
            *progress = Arc::default();
            let (session, progress) = (Arc::clone(&cx.desk.session), Arc::clone(progress));
            move |cancel: &Cancel| Ok(Arc::new(finding_list(&session, &progress, cancel)?))
        });
        let found = match answer {
            Answer::Failed(error) => return Listed::Failed(error.to_owned()),
            answer => answer.any().cloned(),
        };
        let Some(found) = found else { return Listed::Loading(self.checking()) };
        let count = finding_rows(&found, &self.closed).len();
        if count == 0 {
            let words = (say!("findings-no-findings"), say!("findings-the-trace-keeps-the-rules"));
            return Listed::Nothing(words.0.to_owned(), words.1.to_owned());
        }
        Listed::Rows(Rows { count, summary: found.summary.clone(), marked: None })
    }

    fn row(&self, Row { place, run }: Row, pen: &mut Pen<'_>, _: &Cx<'_>) {
        self.with_row(place, |row| draw(row, run, pen));
    }

    fn press(&mut self, Press { place, deed }: Press, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let pressed = self.with_row(place, |row| (row.rule().id, branch_of(row), row.position()));
        match (pressed, deed) {
            (Some((rule, Some(Branch::Open), _)), Deed::Go | Deed::Close) => _ = self.closed.insert(rule),
            (Some((rule, Some(Branch::Closed), _)), Deed::Go | Deed::Open) => _ = self.closed.remove(rule),
            (Some((_, _, Some(position))), Deed::Go) => {
                out.push(Ask::Do(Action::Travel(cx.desk.windows.active, position.0)));
            }
            _ => return false,
        }
        true
    }

    /// The rule.
    fn outer(&self, place: usize) -> Option<usize> {
        let (_, found) = self.answer.peek()?;
        let rows = finding_rows(found, &self.closed);
        rows.get(..place)?.iter().rposition(|row| branch_of(row).is_some())
    }

    fn copied(&self, place: usize) -> Option<String> {
        self.with_row(place, |row| row.line())
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

/// Whether the places of a rule show; none for what is no rule.
fn branch_of(row: &FindingRow<'_>) -> Option<Branch> {
    match row {
        FindingRow::Rule(_, branch) => Some(*branch),
        FindingRow::Place(..) | FindingRow::More(..) => None,
    }
}

fn draw(row: &FindingRow<'_>, run: Run, pen: &mut Pen<'_>) {
    let label = Role::Text(Meaning::Label);
    match row {
        FindingRow::Rule(broken, branch) => {
            let caret = if *branch == Branch::Open { "▾ " } else { "▸ " };
            let rest = pen.role(run, caret, label);
            let rest = pen.role(rest, broken.rule.severity.name(), role_of(broken.rule.severity)).behind(2);
            let rest = pen.role(rest, broken.rule.id, Role::Key).behind(2);
            let rest = pen.role(rest, &format!("×{}", thousands(broken.count)), label).behind(2);
            pen.role(rest, broken.rule.title, Role::Text(Meaning::Plain));
        }
        FindingRow::Place(_, found) => {
            let rest = run.behind(INDENT);
            let end = pen.role(rest, &place_words(found), Role::Text(Meaning::Second)).behind(2);
            let column = rest.behind(PLACE);
            pen.role(if column.x > end.x { column } else { end }, &found.message, Role::Text(Meaning::Plain));
        }
        FindingRow::More(..) => _ = pen.role(run.behind(INDENT), &row.line(), label),
    }
}

fn role_of(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Text(Meaning::Label),
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::session::test_session::tarmac;
    use crate::terminal::command::{Command, Toward};

    const WRONG: &str = "1 clk IT (1) 00008000 e1a00000 A svc : NOP\n1 clk MW4 00009000 11223344\n\
                         2 clk IT (2) 00008004 e1a00000 A svc : NOP\n2 clk MR4 00009000 11223355\nrubbish\n";

    #[test]
    fn rules_have_their_places_below_them() {
        let (session, _place) = tarmac(WRONG);
        let mut stage = Stage::over(session, 0, ListPane::new(Findings::default()));
        assert_eq!(
            stage.draw(100, 8),
            r#" 1 error, 1 warning
*▾ error  damaged  ×1  everything in the trace can be read
     step 1, line 5          unknown Tarmac event type "rubbish"
 ▾ warning  memory-unwritten  ×1  memory holds what was written last when it is read
     step 1, line 3          a read at 0x9000 finds 55 33 22 11, where 44 33 22 11 was known"#
        );
        let stage = stage.press(&[Command::Move(Toward::Left)]);
        let mut stage = stage.press(&[Command::Move(Toward::Last), Command::Access(Way::Back)]);
        assert_eq!(
            stage.draw(100, 8),
            r" 1 error, 1 warning
 ▸ error  damaged  ×1  everything in the trace can be read
 ▾ warning  memory-unwritten  ×1  memory holds what was written last when it is read
*    step 1, line 3          a read at 0x9000 finds 55 33 22 11, where 44 33 22 11 was known"
        );
        assert_eq!(format!("{:?}", stage.asked.as_slice()), "[Do(Travel(WindowId(1), 2))]");
        stage.drum();
    }

    #[test]
    fn a_trace_that_keeps_all_rules_says_so() {
        let (session, _place) = tarmac("1 clk IT (1) 00008000 e1a00000 A svc : NOP\n");
        assert_eq!(
            Stage::over(session, 0, ListPane::new(Findings::default())).draw(90, 5),
            r"  No findings
  The trace keeps the rules of its format, and contradicts itself nowhere."
        );
    }
}
