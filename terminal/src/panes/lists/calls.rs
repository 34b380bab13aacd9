//! The call tree.

use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::call_rows::CallRow;
use stepback_debugger::model::call_stack::FrameMark;
use stepback_debugger::model::call_tree::TreeRow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::{CallsView, PanelView as _};

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::PaneContext;
use crate::pen::{CellRun, Pen};

/// Width of a number, in cells.
const NUMBER: u16 = 13;
/// Divisor of the row width: deeper calls are indented by at most this part of the row.
const DEEPEST: u16 = 3;

/// A call and its state in the tree.
struct CallTreeRow<'a> {
    row: &'a CallRow,
    depth: u32,
    is_open: Option<bool>,
    is_on_path: bool,
    is_current: bool,
}

impl ListView for CallsView {
    fn title(&self, _: &PaneContext<'_>) -> String {
        say!("calls-calls").to_owned()
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(&self, run: CellRun, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let style = pen.look.text(TextRole::Label);
        let mut rest = run;
        for column in self.columns(cx.desk, usize::from(run.cells())) {
            pen.text_right(rest, column.head(), style);
            rest = rest.first(rest.cells().saturating_sub(NUMBER));
        }
        pen.text(rest.after(3), say!("calls-call"), style);
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        match self.rows().get(place) {
            Some(TreeRow::Calls {
                depth,
                row,
                is_open,
                is_on_path,
                is_current,
            }) => {
                let (depth, is_open, is_on_path, is_current) =
                    (*depth, *is_open, *is_on_path, *is_current);
                draw_call(
                    self,
                    &CallTreeRow {
                        row,
                        depth,
                        is_open,
                        is_on_path,
                        is_current,
                    },
                    run,
                    pen,
                    cx,
                );
            }
            Some(TreeRow::More { depth, hidden, .. }) => {
                let words = hidden.map_or_else(
                    || say!("calls-more-2").to_owned(),
                    |hidden| say!("calls-more", count = hidden),
                );
                let indent = u16::try_from(depth.saturating_mul(2))
                    .unwrap_or(u16::MAX)
                    .min(run.cells() / DEEPEST);
                pen.role(
                    run.after(3 + indent),
                    &words,
                    StyleRole::Text(TextRole::Taken),
                );
            }
            Some(TreeRow::Loading { .. }) => {
                pen.role(
                    run.after(3),
                    say!("list-loading"),
                    StyleRole::Text(TextRole::Label),
                );
            }
            None => {}
        }
    }
}

fn draw_call(
    view: &CallsView,
    call: &CallTreeRow<'_>,
    run: CellRun,
    pen: &mut Pen<'_>,
    cx: &PaneContext<'_>,
) {
    let CallTreeRow {
        row,
        depth,
        is_open,
        is_on_path,
        is_current,
    } = *call;
    let window = cx
        .desk
        .windows
        .travelling(view.follow().unwrap_or_default());
    let sign = if is_current { "▶" } else { " " };
    let mut rest = pen
        .role(run, sign, StyleRole::Position(window.0))
        .from(run.x.saturating_add(1));
    for column in view.columns(cx.desk, usize::from(run.cells())) {
        let wide = NUMBER.min(rest.cells() / 2);
        let left = pen.text_right(rest, &column.text(row), pen.look.text(column.meaning));
        rest = left.first(rest.cells().saturating_sub(wide));
    }
    let indent = u16::try_from(depth.saturating_mul(2))
        .unwrap_or(u16::MAX)
        .min(rest.cells() / DEEPEST);
    let caret = is_open.map_or(" ", |is_open| if is_open { "▾" } else { "▸" });
    let rest = rest.after(indent);
    let rest = pen
        .role(rest, caret, StyleRole::Text(TextRole::Second))
        .from(rest.x.saturating_add(2));
    let name = if is_current || is_on_path {
        TextRole::Symbol
    } else {
        TextRole::Plain
    };
    let mut rest = pen.role(rest, &row.name, StyleRole::Text(name));
    if row.count > 1 {
        rest = pen.role(
            rest.after(1),
            &format!("×{}", thousands(row.count)),
            StyleRole::Text(TextRole::Second),
        );
    }
    let threads = cx.desk.session.index.threads();
    if let Some(thread) = threads
        .get(usize::from(row.thread.0))
        .filter(|_| depth == 0 && threads.len() > 1)
    {
        rest = pen.role(
            rest.after(1),
            &thread.name,
            StyleRole::Text(TextRole::Label),
        );
    }
    for mark in row.marks() {
        let role = if mark == FrameMark::Exception {
            StyleRole::Error
        } else {
            StyleRole::Text(TextRole::Label)
        };
        rest = pen.role(rest.after(1), &format!("[{}]", mark.word()), role);
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::super::list::ListPane;
    use super::super::test_screen::PaneStage;
    use super::*;
    use crate::pane::{CursorDirection, PaneCommand, PromptPurpose};
    use stepback_debugger::action::Direction;
    use stepback_debugger::action::StepRange;
    use stepback_debugger::action::{Action, ViewAction};

    fn stage() -> PaneStage<ListPane<CallsView>> {
        PaneStage::at(1233, ListPane::new(CallsView::default()))
    }

    #[test]
    fn the_tree_is_open_where_the_position_is() {
        assert_eq!(
            stage().draw(80, 14),
            r" 73 calls
    Call                                                    Position        Steps
    ▾ 80000898 [open]                                              4        1,759
      ▸ 80000248 ×2                                               17           34
      ▾ 80000764                                                  85        1,508
        ▸ 80000588                                                94          468
          80000344                                               574           96
          800000c8                                               672           17
        ▸ 80000510                                               692           41
          80000294                                               736            3
        ▾ 80000390                                               747          712
            80000344                                             753           96
            800000c8                                             851           10
*▶        ▸ 80000328 ×36                                         874          252"
        );
    }

    #[test]
    fn left_closes_a_call_or_goes_to_the_one_around_it_and_right_opens_it() {
        let [left, right] = [CursorDirection::Left, CursorDirection::Right].map(PaneCommand::Move);
        assert_eq!(
            stage().press(&[left, left]).draw(80, 8),
            r" 73 calls
    Call                                                    Position        Steps
        ▸ 80000588                                                94          468
          80000344                                               574           96
          800000c8                                               672           17
        ▸ 80000510                                               692           41
          80000294                                               736            3
*▶      ▸ 80000390                                               747          712"
        );
        assert_eq!(
            stage().press(&[left, left, right]).draw(80, 8),
            r" 73 calls
    Call                                                    Position        Steps
        ▸ 80000588                                                94          468
          80000344                                               574           96
          800000c8                                               672           17
        ▸ 80000510                                               692           41
          80000294                                               736            3
*       ▾ 80000390                                               747          712"
        );
    }

    #[test]
    fn return_travels_to_the_entry_and_the_other_way_to_the_end() {
        let requested = stage()
            .press(&[
                PaneCommand::Access(Direction::Back),
                PaneCommand::Access(Direction::Forward),
            ])
            .requested;
        assert_eq!(
            format!("{requested:?}"),
            "[Do(Travel(Travel(WindowId(1), Position(874)))), Do(Travel(Travel(WindowId(1), Position(1432))))]"
        );
    }

    #[test]
    fn calls_are_listed_by_name() {
        let mut stage = stage().press(&[]);
        stage.answer(PromptPurpose::Filter, "80000328");
        assert_eq!(
            stage.draw(60, 6),
            r" 36 calls  80000328
    Call                                Position        Steps
*   80000328                                 874            7
    80000328                                 884            7
    80000328                                 895            7
    80000328                                 905            7"
        );
        let range = Action::View(ViewAction::ListCalls(Some(StepRange {
            first: Position(80),
            last: Position(130),
        })));
        assert_eq!(
            stage.take(&range).draw(60, 6),
            r" 4 calls in steps 80 – 130
    Call                                Position        Steps
*   80000764                                  85        1,508
    80000588                                  94          468
    80000304                                 101            9
    80000304                                 122            9"
        );
    }

    #[test]
    fn the_tree_survives_all_sizes() {
        stage().drum();
    }
}
