//! What differs between two positions: registers, and memory by region.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use stepback_index::Cancel;
use stepback_parsers::{Position, Step};

use super::list::{Deed, Listed, Listing, Press, Row, Rows, answered};
use crate::action::{Access, Action, CellName, PanelKind, Way, WindowId};
use crate::messages::say;
use crate::model::compare::{
    Between, CompareRow, Comparison, Pieces, RowsWanted, WriterText, compare, differing_pieces, writers,
};
use crate::model::text::thousands;
use crate::model::{Meaning, TraceWindow};
use crate::terminal::command::Command;
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx};
use crate::terminal::pen::{Pen, Run};
use crate::worker::{Answer, Slot};

/// Single bytes of memory in a row.
const BYTES: usize = 8;
/// Registers longer than this are cut at their high end: a vector would push all other columns away.
const LONGEST: usize = 32;
/// Symbols and meanings longer than this are cut.
const WORDS: usize = 24;
/// A column of words has so many cells, or none.
const LEAST: u16 = 12;
/// Cells between two columns.
const GAP: u16 = 2;

/// The difference of two windows.
#[derive(Default)]
pub struct Compare {
    /// The windows that were chosen; else the first two.
    chosen: Option<(WindowId, WindowId)>,
    difference: Slot<(Position, Position), Arc<Comparison>>,
    laid: Slot<RowsKey, Arc<Laid>>,
    writers: Slot<Vec<Step>, HashMap<Step, WriterText>>,
    /// Titles of groups that were opened or closed.
    toggled: Vec<String>,
    filter: String,
    /// Questions are about the values of the left window, not of the right one.
    means_left: bool,
}

/// Which rows of which comparison: while a trace is indexed, the same positions may differ in more.
#[derive(Clone, PartialEq)]
struct RowsKey {
    wanted: RowsWanted,
    between: Between,
    step_count: u64,
}

/// The rows, and how wide their columns are.
#[derive(Default)]
struct Laid {
    rows: Vec<CompareRow>,
    widths: Widths,
}

/// Cells of columns.
#[derive(Clone, Copy, Default)]
struct Widths {
    label: u16,
    digits: u16,
    meaning: u16,
}

/// Where columns stand in a row; those without room have none.
struct Columns {
    label: Run,
    from: Run,
    to: Run,
    step: Run,
    meaning: Run,
    writer: Run,
}

/// The two windows.
#[derive(Clone, Copy)]
struct Pair<'a> {
    left: &'a TraceWindow,
    right: &'a TraceWindow,
}

impl Compare {
    fn pair<'a>(&self, cx: &Cx<'a>) -> Option<Pair<'a>> {
        let windows = &cx.desk.windows;
        let chosen = self.chosen.and_then(|(left, right)| Some((windows.get(left)?, windows.get(right)?)));
        let (left, right) = chosen.or_else(|| windows.pair())?;
        Some(Pair { left, right })
    }

    fn difference(&mut self, pair: Pair<'_>, cx: &Cx<'_>) -> Result<Arc<Comparison>, Listed> {
        let key = (pair.left.position, pair.right.position);
        let answer = self.difference.poll_long(&key, cx.worker(), |(from, to)| {
            let (from, to, session) = (*from, *to, Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(Arc::new(compare(&session, from, to, cancel)?))
        });
        answered(&answer)
    }

    /// The rows, made on a worker: there may be as many as a call has written cells.
    fn laid(&mut self, comparison: &Arc<Comparison>, cx: &Cx<'_>) -> Result<Arc<Laid>, Listed> {
        let wanted = RowsWanted {
            filter: self.filter.clone(),
            toggled: self.toggled.clone(),
            bytes_in_row: BYTES,
            accessed: None,
        };
        let key = RowsKey { wanted, between: comparison.between, step_count: comparison.step_count };
        let answer = self.laid.poll(&key, cx.worker(), |key| {
            let (wanted, comparison) = (key.wanted.clone(), Arc::clone(comparison));
            let session = Arc::clone(&cx.desk.session);
            move |_: &Cancel| {
                let rows = comparison.rows(&wanted, &session.images);
                Ok(Arc::new(Laid { widths: Widths::of(&rows), rows }))
            }
        });
        answered(&answer)
    }

    fn rows(&self) -> &[CompareRow] {
        self.laid.peek().map_or(&[], |(_, laid)| &laid.rows)
    }

    fn toggle(&mut self, title: String) {
        if self.toggled.contains(&title) {
            self.toggled.retain(|toggled| *toggled != title);
        } else {
            self.toggled.push(title);
        }
    }

    fn columns(&self, run: Run, cx: &Cx<'_>) -> Columns {
        let Widths { label, digits, meaning } = self.laid.peek().map(|(_, laid)| laid.widths).unwrap_or_default();
        let steps = thousands(cx.desk.session.index.step_count()).len();
        let words = [say!("head-step"), say!("compare-no-step")].map(|words| words.chars().count());
        let steps = u16::try_from(steps.max(words[0]).max(words[1])).unwrap_or(u16::MAX);
        let mut rest = run.behind(2);
        let mut next = |cells: u16| {
            let at = rest.first(cells);
            rest = rest.behind(cells.saturating_add(GAP));
            at
        };
        let (label, from, to) = (next(label), next(digits), next(digits));
        let (step, wished) = (next(steps), meaning);
        let meaning = next(wished);
        // A word of which only the first letters are seen says nothing.
        let meaning = if meaning.cells() < wished.min(LEAST) { meaning.first(0) } else { meaning };
        let writer = if rest.cells() < LEAST { rest.first(0) } else { rest };
        Columns { label, from, to, step, meaning, writer }
    }

    fn draw_cell(&self, row: &CompareRow, at: &Columns, pen: &mut Pen<'_>) {
        let CompareRow::Cell { label, from, to, meaning, is_register, last_write, .. } = row else { return };
        let name = if *is_register { Meaning::Register } else { Meaning::Second };
        pen.role(at.label, label, Role::Text(name));
        let by = if *is_register { Pieces::Digits } else { Pieces::Bytes };
        draw_value(at.from, pen, differing_pieces(low_end(from), low_end(to), by));
        draw_value(at.to, pen, differing_pieces(low_end(to), low_end(from), by));
        if let Some(meaning) = meaning {
            pen.role(at.meaning, meaning.text(), Role::Text(Meaning::Symbol));
        }
        let Some(step) = last_write else {
            pen.role(at.step, say!("compare-no-step"), Role::Text(Meaning::Unknown));
            return;
        };
        pen.text_right(at.step, &thousands(step.0), pen.look.text(Meaning::Second));
        let known = self.writers.peek().and_then(|(_, known)| known.get(step));
        let Some(WriterText { function, code, .. }) = known else { return };
        let rest = pen.role(at.writer, function, Role::Text(Meaning::Label)).behind(GAP);
        let rest = pen.spans(rest, std::slice::from_ref(&code.mnemonic)).behind(1);
        pen.spans(rest, &code.operands);
    }
}

impl Listing for Compare {
    fn kind(&self) -> PanelKind {
        PanelKind::Compare
    }

    fn title(&self, cx: &Cx<'_>) -> String {
        let pair = self.pair(cx).map(|Pair { left, right }| {
            let side = |window: &TraceWindow| format!("[{}] {}", window.id.0, thousands(window.position.0));
            format!("  {} → {}", side(left), side(right))
        });
        format!("{}{}", say!("compare-compare"), pair.unwrap_or_default())
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Listed {
        let Some(pair) = self.pair(cx) else {
            return nothing(say!("compare-nothing-to-compare-yet"), say!("terminal-how-to-compare"));
        };
        let comparison = match self.difference(pair, cx) {
            Ok(comparison) => comparison,
            Err(instead) => return instead,
        };
        if comparison.is_empty() {
            return nothing(say!("compare-the-two-positions-are-the"), say!("compare-move-one-of-the-windows"));
        }
        match self.laid(&comparison, cx) {
            Err(instead) => instead,
            Ok(laid) if laid.rows.is_empty() => {
                nothing(say!("table-no-row-holds-the-text"), say!("list-an-empty-filter"))
            }
            Ok(laid) => Listed::Rows(Rows { count: laid.rows.len(), summary: comparison.summary(), marked: None }),
        }
    }

    fn fetch(&mut self, seen: Range<usize>, cx: &Cx<'_>) -> Option<String> {
        let rows = self.rows().get(seen).unwrap_or_default();
        let writer = |row: &CompareRow| match row {
            CompareRow::Cell { last_write, .. } => *last_write,
            CompareRow::Group { .. } => None,
        };
        let mut steps: Vec<Step> = rows.iter().filter_map(writer).collect();
        steps.sort();
        steps.dedup();
        let answer = self.writers.poll(&steps, cx.worker(), |steps| {
            let (steps, session) = (steps.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| writers(&session, &steps, cancel)
        });
        if let Answer::Failed(error) = answer { Some(error.to_owned()) } else { None }
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(&self, run: Run, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let (at, style) = (self.columns(run, cx), pen.look.text(Meaning::Label));
        let Some(Pair { left, right }) = self.pair(cx) else { return };
        // Either may be the earlier one.
        let [first, second] = match right.position < left.position {
            true => [say!("compare-after"), say!("compare-before")],
            false => [say!("compare-before"), say!("compare-after")],
        };
        pen.text(at.label, say!("compare-cell"), style);
        let meant = |title: &str| say!("compare-meant", side = title);
        match self.means_left {
            true => (pen.text(at.from, &meant(first), style), pen.text(at.to, second, style)),
            false => (pen.text(at.from, first, style), pen.text(at.to, &meant(second), style)),
        };
        pen.text_right(at.step, say!("head-step"), style);
        pen.text(at.meaning, say!("compare-means"), style);
        pen.text(at.writer, say!("compare-last-written-by"), style);
    }

    fn row(&self, Row { place, run }: Row, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        match self.rows().get(place) {
            Some(CompareRow::Group { title, detail, is_open }) => {
                let rest = pen.role(run, if *is_open { "▾ " } else { "▸ " }, Role::Text(Meaning::Second));
                let rest = pen.role(rest, title, Role::Key);
                pen.role(rest.behind(GAP), detail, Role::Text(Meaning::Label));
            }
            Some(row) => self.draw_cell(row, &self.columns(run, cx), pen),
            None => {}
        }
    }

    fn press(&mut self, Press { place, deed }: Press, _: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let (turned, asked) = match (self.rows().get(place), deed) {
            (Some(CompareRow::Group { title, .. }), Deed::Go)
            | (Some(CompareRow::Group { title, is_open: false, .. }), Deed::Open)
            | (Some(CompareRow::Group { title, is_open: true, .. }), Deed::Close) => (Some(title.clone()), None),
            (Some(CompareRow::Cell { cell, .. }), Deed::Go) => (None, Some((cell.clone(), Way::Back))),
            (Some(CompareRow::Cell { cell, .. }), Deed::GoOn) => (None, Some((cell.clone(), Way::Forward))),
            _ => return false,
        };
        turned.into_iter().for_each(|title| self.toggle(title));
        out.extend(asked.map(|(cell, way)| Ask::Do(Action::GoToAccess(cell, Access::Write, way))));
        true
    }

    /// The title of the group.
    fn outer(&self, place: usize) -> Option<usize> {
        self.rows().get(..place)?.iter().rposition(|row| matches!(row, CompareRow::Group { .. }))
    }

    fn cell(&self, place: usize, _: &Cx<'_>) -> Option<CellName> {
        match self.rows().get(place)? {
            CompareRow::Cell { cell, .. } => Some(cell.clone()),
            CompareRow::Group { .. } => None,
        }
    }

    /// The window whose value is meant.
    fn cell_at(&self, _: usize, cx: &Cx<'_>) -> Option<Position> {
        let Pair { left, right } = self.pair(cx)?;
        Some(if self.means_left { left.position } else { right.position })
    }

    fn obey(&mut self, command: Command, _: Option<usize>, _: &Cx<'_>, _: &mut Vec<Ask>) -> bool {
        let is_mine = command == Command::NextView;
        self.means_left ^= is_mine;
        is_mine
    }

    fn copied(&self, place: usize) -> Option<String> {
        Some(match self.rows().get(place)? {
            CompareRow::Cell { label, from, to, .. } => format!("{label}: {from} -> {to}"),
            CompareRow::Group { title, detail, .. } => format!("{title}: {detail}"),
        })
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.filter);
        true
    }

    fn take(&mut self, action: &Action, _: &Cx<'_>) -> bool {
        let Action::CompareWindows(left, right) = action else { return false };
        self.chosen = Some((*left, *right));
        true
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

impl Widths {
    /// Those of these rows. Cost: grows with the rows.
    fn of(rows: &[CompareRow]) -> Self {
        let mut widest = Self::default();
        let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
        for row in rows {
            let CompareRow::Cell { label, from, to, meaning, .. } = row else { continue };
            let digits = low_end(from).len().max(low_end(to).len());
            let meaning = meaning.as_ref().map_or(0, |meaning| meaning.text().chars().count().min(WORDS));
            widest = Self {
                label: widest.label.max(cells(label.chars().count())),
                digits: widest.digits.max(cells(digits)),
                meaning: widest.meaning.max(cells(meaning)),
            };
        }
        widest
    }
}

/// The low digits of a long value.
fn low_end(text: &str) -> &str {
    text.len().checked_sub(LONGEST).and_then(|over| text.get(over..)).unwrap_or(text)
}

/// What differs is told apart, without colours as well.
fn draw_value(run: Run, pen: &mut Pen<'_>, pieces: Vec<(String, bool)>) {
    let mut rest = run;
    for (piece, differs) in pieces {
        let role = match () {
            () if piece.contains('?') => Role::Text(Meaning::Unknown),
            () if differs => Role::Changed,
            () => Role::Text(Meaning::Label),
        };
        rest = pen.role(rest, &piece, role);
    }
}

fn nothing(title: &str, advice: &str) -> Listed {
    Listed::Nothing(title.to_owned(), advice.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::session::test_session::overflow_with_image;
    use crate::terminal::command::{Purpose, Toward};

    fn stage() -> Stage<ListPane<Compare>> {
        let mut stage = Stage::over(overflow_with_image(), 1229, ListPane::new(Compare::default()));
        stage.desk.windows.open_at(Position(1250));
        stage
    }

    #[test]
    fn registers_come_first_then_memory_by_region() {
        assert_eq!(
            stage().draw(120, 24),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step  Means             Last written by
*▾ Registers  7 of 69 differ
   x0        0000000000000064         00000000ffffffa9           1,248                    decode_field  orr w0, w0, #0xf…
   x1        00000000ffffffe0         0000000000005a7d           1,238                    decode_field  orr w1, w1, w23
   x2        0000000000000007         0000000000000034           1,231                    hexval  sub w2, w0, #0x30
   x20       000000008402001e         0000000084020024           1,239  req+24            decode_field  add x20, x20, #6
   x30       0000000080000430         000000008000043c           1,229  decode_field+ac   decode_field  bl hexval
   pc        0000000080000438         000000008000049c         no step  decode_field+10c
   psr       800003cd                 200003cd                   1,242                    decode_field  cmp w1, #0x7ff
 ▾ heap  80020008 – 80020017, 2 bytes differ
   80020008  bf e5 9e 86 e5 8c a1 00  bf e5 9e 86 e5 8c a1 e5    1,246  e5a18ce5869ee5bf  decode_field  strb w0, [x19]
   80020010  a0 02 00 80 00 00 00 00  a9 02 00 80 00 00 00 00    1,249  on_get+9          decode_field  strb w0, [x19, #1"
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
        let keys = [Command::Move(Toward::Down), Command::Access(Way::Back), Command::Access(Way::Forward)];
        let stage = stage().press(&keys);
        assert_eq!(
            format!("{:?}", stage.asked.as_slice()),
            r#"[Do(GoToAccess(Register("x0"), Write, Back)), Do(GoToAccess(Register("x0"), Write, Forward))]"#
        );
        let mut stage = stage.press(&[Command::Move(Toward::Left), Command::Move(Toward::Left)]);
        assert_eq!(
            stage.draw(80, 6),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step
*▸ Registers  7 of 69 differ
 ▾ heap  80020008 – 80020017, 2 bytes differ
   80020008  bf e5 9e 86 e5 8c a1 00  bf e5 9e 86 e5 8c a1 e5    1,246
   80020010  a0 02 00 80 00 00 00 00  a9 02 00 80 00 00 00 00    1,249"
        );
        stage.answer(Purpose::Filter, "80020010");
        assert_eq!(
            stage.draw(80, 6),
            r" 7 registers · 2 bytes differ
   Cell      before                   after (W)                   Step  Means
*▾ heap  80020008 – 80020017, 2 bytes differ
   80020010  a0 02 00 80 00 00 00 00  a9 02 00 80 00 00 00 00    1,249  on_get+9"
        );
    }

    #[test]
    fn v_chooses_whose_value_is_asked_about() {
        let x0 = || CellName::Register("x0".to_owned());
        let mut stage = stage().press(&[Command::Move(Toward::Down)]);
        assert_eq!(stage.selected(), Some((x0(), Some(Position(1250)))));
        let mut stage = stage.press(&[Command::NextView]);
        assert_eq!(stage.selected(), Some((x0(), Some(Position(1229)))));
        let heads = stage.draw(80, 3);
        assert!(heads.contains("before (W)") && !heads.contains("after (W)"), "{heads}");
    }

    #[test]
    fn one_window_alone_has_nothing_to_compare_with() {
        let mut stage = Stage::over(overflow_with_image(), 1229, ListPane::new(Compare::default()));
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
