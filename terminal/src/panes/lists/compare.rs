//! Differences between two positions: registers, and memory by region.

use stepback_debugger::messages::say;
use stepback_debugger::model::compare::{CompareRow, ComparisonUnit, WriterText, differing_pieces};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::{TextRole, TraceWindow};
use stepback_debugger::views::{CompareSide, CompareView, CompareWidths, WindowPair, low_end};

use super::list::{ListRow, ListView};
use crate::look::StyleRole;
use crate::pane::{PaneAction, PaneCommand, PaneContext};
use crate::pen::{CellRun, Pen};

/// Minimum width of a text column in cells; narrower ones are omitted.
const LEAST: u16 = 12;
/// Maximum width of the meaning column, in cells.
const WORDS: u16 = 24;
/// Space between two columns, in cells.
const GAP: u16 = 2;

impl ListView for CompareView {
    fn title(&self, cx: &PaneContext<'_>) -> String {
        let pair = self.pair(cx.desk).map(|WindowPair { left, right }| {
            let side = |window: &TraceWindow| {
                format!("[{}] {}", window.id.0, thousands(window.position.0))
            };
            format!("  {} → {}", side(left), side(right))
        });
        format!("{}{}", say!("compare-compare"), pair.unwrap_or_default())
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(&self, run: CellRun, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let (at, style) = (columns(self, run, cx), pen.look.text(TextRole::Label));
        let Some(pair) = self.pair(cx.desk) else {
            return;
        };
        let [first, second] = pair.titles();
        pen.text(at.label, say!("compare-cell"), style);
        let meant = |title: &str| say!("compare-meant", side = title);
        match self.side() {
            CompareSide::Left => (
                pen.text(at.from, &meant(first), style),
                pen.text(at.to, second, style),
            ),
            CompareSide::Right => (
                pen.text(at.from, first, style),
                pen.text(at.to, &meant(second), style),
            ),
        };
        pen.text_right(at.step, say!("head-step"), style);
        pen.text(at.meaning, say!("compare-means"), style);
        pen.text(at.writer, say!("compare-last-written-by"), style);
    }

    fn row(&self, ListRow { place, run }: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        match self.rows().get(place) {
            Some(CompareRow::Group {
                title,
                detail,
                is_open,
            }) => {
                let rest = pen.role(
                    run,
                    if *is_open { "▾ " } else { "▸ " },
                    StyleRole::Text(TextRole::Second),
                );
                let rest = pen.role(rest, title, StyleRole::Key);
                pen.role(rest.after(GAP), detail, StyleRole::Text(TextRole::Label));
            }
            Some(row) => draw_cell(self, row, &columns(self, run, cx), pen),
            None => {}
        }
    }

    fn obey(
        &mut self,
        command: PaneCommand,
        _: Option<usize>,
        _: &PaneContext<'_>,
        _: &mut Vec<PaneAction>,
    ) -> bool {
        let is_mine = command == PaneCommand::NextView;
        if is_mine {
            self.change_side();
        }
        is_mine
    }
}

fn columns(view: &CompareView, run: CellRun, cx: &PaneContext<'_>) -> CompareColumns {
    let CompareWidths {
        label,
        digits,
        meaning,
        ..
    } = view.widths();
    let steps = thousands(cx.desk.session.index.step_count())
        .chars()
        .count();
    let words = [say!("head-step"), say!("compare-no-step")].map(|words| words.chars().count());
    let steps = u16::try_from(steps.max(words[0]).max(words[1])).unwrap_or(u16::MAX);
    let mut rest = run.after(2);
    let mut next = |cells: u16| {
        let at = rest.first(cells);
        rest = rest.after(cells.saturating_add(GAP));
        at
    };
    let (label, from, to) = (next(label), next(digits), next(digits));
    let (step, wished) = (next(steps), meaning.min(WORDS));
    let meaning = next(wished);
    // A word cut to its first letters carries no information.
    let meaning = if meaning.cells() < wished.min(LEAST) {
        meaning.first(0)
    } else {
        meaning
    };
    let writer = if rest.cells() < LEAST {
        rest.first(0)
    } else {
        rest
    };
    CompareColumns {
        label,
        from,
        to,
        step,
        meaning,
        writer,
    }
}

fn draw_cell(view: &CompareView, row: &CompareRow, at: &CompareColumns, pen: &mut Pen<'_>) {
    let CompareRow::Cell {
        label,
        from,
        to,
        meaning,
        is_register,
        last_write,
        ..
    } = row
    else {
        return;
    };
    let name = if *is_register {
        TextRole::Register
    } else {
        TextRole::Second
    };
    pen.role(at.label, label, StyleRole::Text(name));
    let by = if *is_register {
        ComparisonUnit::Digits
    } else {
        ComparisonUnit::Bytes
    };
    draw_value(
        at.from,
        pen,
        differing_pieces(low_end(from), low_end(to), by),
    );
    draw_value(at.to, pen, differing_pieces(low_end(to), low_end(from), by));
    if let Some(meaning) = meaning {
        pen.role(
            at.meaning,
            meaning.text(),
            StyleRole::Text(TextRole::Symbol),
        );
    }
    let Some(step) = last_write else {
        pen.role(
            at.step,
            say!("compare-no-step"),
            StyleRole::Text(TextRole::Unknown),
        );
        return;
    };
    pen.text_right(at.step, &thousands(step.0), pen.look.text(TextRole::Second));
    let Some(WriterText { function, code, .. }) = view.writer(*step) else {
        return;
    };
    let rest = pen
        .role(at.writer, function, StyleRole::Text(TextRole::Label))
        .after(GAP);
    let rest = pen
        .spans(rest, std::slice::from_ref(&code.mnemonic))
        .after(1);
    pen.spans(rest, &code.operands);
}

/// Columns of a row. Columns without room are empty.
struct CompareColumns {
    label: CellRun,
    from: CellRun,
    to: CellRun,
    step: CellRun,
    meaning: CellRun,
    writer: CellRun,
}

/// Highlights the differing parts of a value, also on terminals without colours.
fn draw_value(run: CellRun, pen: &mut Pen<'_>, pieces: Vec<(String, bool)>) {
    let mut rest = run;
    for (piece, differs) in pieces {
        let role = match () {
            () if piece.contains('?') => StyleRole::Text(TextRole::Unknown),
            () if differs => StyleRole::Changed,
            () => StyleRole::Text(TextRole::Label),
        };
        rest = pen.role(rest, &piece, role);
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::PaneStage;
    use super::*;
    use crate::pane::{CursorDirection, PromptPurpose};
    use stepback_debugger::action::CellName;
    use stepback_debugger::action::Direction;
    use stepback_debugger::session::test_session::overflow_with_image;
    use stepback_parsers::Position;

    fn stage() -> PaneStage<ListPane<CompareView>> {
        let mut stage = PaneStage::over(
            overflow_with_image(),
            1229,
            ListPane::new(CompareView::default()),
        );
        stage.desk.windows.open_at(Position(1250));
        stage
    }

    #[test]
    fn registers_come_first_then_memory_by_region() {
        assert_eq!(
            stage().draw(120, 24),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step  Meaning             Last written by
*▾ Registers  7 of 69 differ
   x0        0000000000000064         00000000ffffffa9           1,248                      decode_field  orr w0, w0, #0…
   x1        00000000ffffffe0         0000000000005a7d           1,238                      decode_field  orr w1, w1, w23
   x2        0000000000000007         0000000000000034           1,231                      hexval  sub w2, w0, #0x30
   x20       000000008402001e         0000000084020024           1,239  req+0x24            decode_field  add x20, x20, …
   x30       0000000080000430         000000008000043c           1,229  decode_field+0xac   decode_field  bl hexval
   pc        0000000080000438         000000008000049c         no step  decode_field+0x10c
   psr       800003cd                 200003cd                   1,242                      decode_field  cmp w1, #0x7ff
 ▾ heap  80020008 – 80020017, 2 bytes differ
   80020008  bf e5 9e 86 e5 8c a1 00  bf e5 9e 86 e5 8c a1 e5    1,246  e5a18ce5869ee5bf    decode_field  strb w0, [x19]
   80020010  a0 02 00 80 00 00 00 00  a9 02 00 80 00 00 00 00    1,249  on_get+0x9          decode_field  strb w0, [x19,"
        );
        assert_eq!(
            stage().draw(80, 8),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step
*▾ Registers  7 of 69 differ
   x0        0000000000000064         00000000ffffffa9           1,248
   x1        00000000ffffffe0         0000000000005a7d           1,238
   x2        0000000000000007         0000000000000034           1,231
   x20       000000008402001e         0000000084020024           1,239
   x30       0000000080000430         000000008000043c           1,229"
        );
    }

    #[test]
    fn groups_are_closed_and_cells_lead_to_their_writes() {
        let keys = [
            PaneCommand::Move(CursorDirection::Down),
            PaneCommand::Access(Direction::Back),
            PaneCommand::Access(Direction::Forward),
        ];
        let stage = stage().press(&keys);
        assert_eq!(
            format!("{:?}", stage.requested.as_slice()),
            r#"[Do(Travel(GoToAccess(Register("x0"), Write, Back))), Do(Travel(GoToAccess(Register("x0"), Write, Forward)))]"#
        );
        let mut stage = stage.press(&[
            PaneCommand::Move(CursorDirection::Left),
            PaneCommand::Move(CursorDirection::Left),
        ]);
        assert_eq!(
            stage.draw(80, 6),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step
*▸ Registers  7 of 69 differ
 ▾ heap  80020008 – 80020017, 2 bytes differ
   80020008  bf e5 9e 86 e5 8c a1 00  bf e5 9e 86 e5 8c a1 e5    1,246
   80020010  a0 02 00 80 00 00 00 00  a9 02 00 80 00 00 00 00    1,249"
        );
        stage.answer(PromptPurpose::Filter, "80020010");
        assert_eq!(
            stage.draw(84, 6),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step  Meaning
*▾ heap  80020008 – 80020017, 2 bytes differ
   80020010  a0 02 00 80 00 00 00 00  a9 02 00 80 00 00 00 00    1,249  on_get+0x9"
        );
    }

    #[test]
    fn v_chooses_whose_value_is_asked_about() {
        let x0 = || CellName::Register("x0".to_owned());
        let mut stage = stage().press(&[PaneCommand::Move(CursorDirection::Down)]);
        assert_eq!(stage.selected(), Some((x0(), Some(Position(1250)))));
        let mut stage = stage.press(&[PaneCommand::NextView]);
        assert_eq!(stage.selected(), Some((x0(), Some(Position(1229)))));
        let heads = stage.draw(80, 3);
        assert!(
            heads.contains("before (W)") && !heads.contains("after (W)"),
            "{heads}"
        );
    }

    #[test]
    fn one_window_alone_has_nothing_to_compare_with() {
        let mut stage = PaneStage::over(
            overflow_with_image(),
            1229,
            ListPane::new(CompareView::default()),
        );
        assert_eq!(
            stage.draw(70, 5),
            r"  Nothing to compare yet
  :side by side opens a second list of steps; :compare shows what
  differs."
        );
        stage.drum();
    }

    #[test]
    fn the_comparison_survives_all_sizes() {
        stage().drum();
    }
}
