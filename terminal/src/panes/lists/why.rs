//! Explanation of a cell's value: the steps that contribute to it, as a chain, a tree or a list.

use stepback_debugger::action::{Action, SliceAction, SliceView};
use stepback_debugger::analysis::slice::FoldState;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::model::slice::{Slice, SliceLineContent, because};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::WhyView;

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::{PaneAction, PaneCommand, PaneContext};
use crate::pen::{CellRun, Pen};

/// Indentation per level, in cells.
const INDENT: u16 = 2;
/// Space between two columns, in cells.
const GAP: u16 = 2;
/// Minimum width for a separate column with the resulting value, in cells.
const WIDE: u16 = 60;

impl ListView for WhyView {
    fn title(&self, _: &PaneContext<'_>) -> String {
        say!("slice-why-title").to_owned()
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let Some((line, stated)) = self.stated(place) else {
            pen.role(
                run.after(2),
                self.more().unwrap_or_default(),
                StyleRole::Text(TextRole::Taken),
            );
            return;
        };
        let step = stated.row().and_then(|row| row.step);
        if step.is_some() && step == cx.desk.windows.active().position.last_step() {
            pen.role(run, "▶", StyleRole::Position(cx.desk.windows.active.0));
        }
        let indent = line.depth.saturating_mul(INDENT).min(run.cells() / 3);
        let rest = run.after(2).after(indent);
        let caret = match line.fold {
            FoldState::Leaf => " ",
            FoldState::Open(_) => "-",
            FoldState::Folded(_) => "+",
        };
        pen.role(rest, caret, StyleRole::Text(TextRole::Label));
        let rest = rest.after(2);
        let Some(row) = stated.row() else {
            if let SliceLineContent::Call(text) = stated {
                pen.role(rest, text, StyleRole::Text(TextRole::Symbol));
            }
            return;
        };
        let number = rest.first(step_cells(cx));
        let text = step.map_or_else(|| "-".to_owned(), |step| thousands(step.0));
        pen.text_right(number, &text, pen.look.text(TextRole::Second));
        let mut rest = rest.after(number.cells() + GAP);
        if self.view() == SliceView::Tree && run.cells() >= WIDE {
            let place = rest.first(rest.cells() / 5);
            pen.role(place, &row.place, StyleRole::Text(TextRole::Symbol));
            rest = rest.after(place.cells() + GAP);
        }
        self.shown()
            .iter()
            .for_each(|shown| draw_stated(&stated, &shown.slice, rest, pen));
    }

    fn obey(
        &mut self,
        command: PaneCommand,
        _: Option<usize>,
        _: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        match command {
            PaneCommand::NextView => self.next_view(),
            PaneCommand::Follow(edge) => out.push(PaneAction::Do(Action::Slice(
                SliceAction::FollowInSlice(edge),
            ))),
            _ => return false,
        }
        true
    }
}

/// Returns the width of the step number column, in cells.
fn step_cells(cx: &PaneContext<'_>) -> u16 {
    let digits = thousands(cx.desk.session.index.step_count())
        .chars()
        .count();
    u16::try_from(digits).unwrap_or(u16::MAX)
}

/// Draws the operation of a step, its result, and the reason for including it.
fn draw_stated(stated: &SliceLineContent<'_>, slice: &Slice, run: CellRun, pen: &mut Pen<'_>) {
    let reason = because(stated, slice);
    let label = pen.look.text(TextRole::Label);
    // The reason takes at most a third of the row, and the value takes its width from the rest.
    let wanted = pen.width(&reason).min(run.cells() / 3);
    let body = run.first(run.cells().saturating_sub(wanted + GAP));
    match stated {
        SliceLineContent::Call(_) => {}
        SliceLineContent::Line { words, .. } => {
            draw_formula(&stated.text(), &words.value, TextRole::Plain, body, pen)
        }
        SliceLineContent::Repeated(_, words) => {
            draw_formula(&stated.text(), &words.value, TextRole::Label, body, pen)
        }
        SliceLineContent::SingleStep(row, _) => {
            let gives = row.gives_text();
            let value = pen.width(&gives).min(body.cells() / 2);
            pen.spans(
                body.first(body.cells().saturating_sub(value + GAP)),
                &row.code,
            );
            pen.text(
                body.after(body.cells().saturating_sub(value)),
                &gives,
                pen.look.text(TextRole::Number),
            );
        }
        SliceLineContent::End(row) => draw_formula(
            &row.code_text(),
            &row.gives_text(),
            TextRole::Second,
            body,
            pen,
        ),
        SliceLineContent::LoopIterations(..) => {
            draw_formula(&stated.text(), "", TextRole::Second, body, pen)
        }
    }
    pen.text(
        run.after(run.cells().saturating_sub(wanted)),
        &reason,
        label,
    );
}

fn draw_formula(text: &str, value: &str, meaning: TextRole, body: CellRun, pen: &mut Pen<'_>) {
    let cells = pen.width(value).min(body.cells() / 2);
    pen.text(
        body.first(body.cells().saturating_sub(cells + GAP)),
        text,
        pen.look.text(meaning),
    );
    pen.text(
        body.after(body.cells().saturating_sub(cells)),
        value,
        pen.look.text(TextRole::Number),
    );
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::PaneStage;
    use super::*;
    use crate::pane::CursorDirection;
    use stepback_debugger::action::CellName;
    use stepback_debugger::notes::SavedSliceQuery;
    use stepback_parsers::Position;

    fn stage() -> PaneStage<ListPane<WhyView>> {
        let mut stage = PaneStage::at(1763, ListPane::new(WhyView::default()));
        let question = SavedSliceQuery {
            cell: "x2".to_owned(),
            at: 1763,
            ..SavedSliceQuery::default()
        };
        stage.desk.why_again(question);
        stage
    }

    #[test]
    fn where_nothing_was_asked_the_list_says_how_to() {
        let mut stage = PaneStage::at(0, ListPane::new(WhyView::default()));
        assert_eq!(
            stage.draw(60, 8),
            r"  No value selected
  Press W on a register, a byte or a step."
        );
        stage.drum();
    }

    #[test]
    fn a_chain_shows_the_stores_and_the_bytes_after_them() {
        assert_eq!(
            stage().draw(100, 11),
            r" Why x2 = bfb1e598a4e5bda9 at 1,763 · chain · 119 steps, complete
*  - 8000087c, called at 1,757
       1,761  x2 = u64[0x80020010]                             0xbfb1e598a4e5bda9  the selected value
   - 80000390, called at 746
     + 1,382  u8[0x80020015..0x80020017] = {(w1 >> 12) | 0xe0, ((w…  e5 b1 bf  bytes 5..7 · for 1,761
     + 1,368  w1 = w0@1365 | (w0@1355 << 4) | (w0@1344 << 8) | (w0@1334 << 12)      0x5c7f  for 1,382
     - 80000328, called at 1,359
       + 1,365  w0 = csel((w0 | 0x20) - 87, w2, hi)                                    0xf  for 1,368
       1,358  w0 = u8[0x8402002f]                                                 0x66 'f'  for 1,365
     - 80000328, called at 1,349
       + 1,355  w0 = csel(w1, w0 - 48, hi)                            0x7  through 1 copy · for 1,368"
        );
    }

    #[test]
    fn return_travels_and_v_chooses_another_view() {
        let keys = [
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Access(stepback_debugger::action::Direction::Back),
        ];
        assert_eq!(
            format!("{:?}", stage().press(&keys).requested),
            "[Do(Travel(Travel(WindowId(1), Position(1762))))]"
        );
        assert_eq!(
            stage().press(&[PaneCommand::NextView]).draw(100, 6),
            r" Why x2 = bfb1e598a4e5bda9 at 1,763 · tree · 119 steps, complete
*  - 1,761  80000888           x2 = u64[0x80020010]            0xbfb1e598a4e5bda9  the selected value
     + 1,382  800004a4           u8[0x80020015..0x80020017] = {(w1…  e5 b1 bf  bytes 5..7 · for 1,761
     + 1,317  800004a4           u8[0x80020012..0x80020014] = {(w1…  e5 a4 98  bytes 2..4 · for 1,761
     + 1,252  800004a4           u8[0x80020010..0x80020011] = {((w1 >…  a9 bd  bytes 0..1 · for 1,761"
        );
        let all = stage()
            .press(&[PaneCommand::NextView, PaneCommand::NextView])
            .draw(100, 6);
        assert_eq!(
            all,
            r" Why x2 = bfb1e598a4e5bda9 at 1,763 · everything · 119 steps, complete
*  - 8000087c, called at 1,757
       1,761  ldr    x2, [x0]                               x2 = bfb1e598a4e5bda9  the selected value
   - 80000390, called at 746
       1,382  strb   w0, [x19, #2]                                    [80020017] = bf  1,761 loads it
       1,381  orr    w0, w0, #0xffffff80                                x0<7:0> = bf  1,382 copies it"
        );
    }

    #[test]
    fn a_tree_is_opened_and_closed() {
        let keys = [
            PaneCommand::NextView,
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Move(CursorDirection::Right),
        ];
        assert_eq!(
            stage().press(&keys).draw(100, 4),
            r" Why x2 = bfb1e598a4e5bda9 at 1,763 · tree · 119 steps, complete
   - 1,761  80000888           x2 = u64[0x80020010]            0xbfb1e598a4e5bda9  the selected value
*    - 1,382  800004a4           u8[0x80020015..0x80020017] = {(w1…  e5 b1 bf  bytes 5..7 · for 1,761
       + 1,368  80000440           w1 = w0@1365 | (w0@1355 << 4) | (w0@1344 << 8)…  0x5c7f  for 1,382"
        );
        let keys = [
            PaneCommand::NextView,
            PaneCommand::Move(CursorDirection::Left),
        ];
        assert_eq!(
            stage().press(&keys).draw(100, 4),
            r" Why x2 = bfb1e598a4e5bda9 at 1,763 · tree · 119 steps, complete
*  + 1,761  80000888           x2 = u64[0x80020010]            0xbfb1e598a4e5bda9  the selected value"
        );
    }

    #[test]
    fn why_of_a_row_is_asked_where_it_gave_its_value() {
        let keys = [
            PaneCommand::NextView,
            PaneCommand::Move(CursorDirection::Down),
        ];
        let cell = CellName::Memory("0x80020017".to_owned(), 1);
        assert_eq!(
            stage().press(&keys).selected(),
            Some((cell, Some(Position(1383))))
        );
    }

    #[test]
    fn slices_survive_all_sizes() {
        stage().drum();
    }
}
