//! Why a cell has its value: the steps that it comes from, as a chain, as a tree, or all of them.

use super::view::{Gesture, Marked, Rows, Status, View};
use crate::action::{Action, CellName, PanelKind, SliceAction, SliceView, ViewAction};
use crate::analysis::slice::{Fold, ReadingLine};
use crate::desk::Desk;
use crate::desk::{SliceList, SliceState};
use crate::messages::say;
use crate::model::slice::{Slice, SliceEnd, SliceLines, Told, question_words, slice_words, view_words};
use std::sync::Arc;
use stepback_parsers::Position;

/// The slice.
#[derive(Default)]
pub struct WhyView {
    view: SliceView,
    list: SliceList,
    /// Lines of the slice; none before the first poll.
    shown: Option<Arc<SliceLines>>,
    more: Option<String>,
}

/// The cursor goes along where the position goes to another step of the slice.
fn marked(shown: &SliceLines, desk: &Desk) -> Option<Marked> {
    let at = desk.windows.active().position;
    Some(Marked { key: (desk.slice.number(), at.0), row: shown.place_of(at.last_step()?)? })
}

impl WhyView {
    /// How the slice is shown.
    pub fn view(&self) -> SliceView {
        self.view
    }

    /// Lines as of the last poll.
    pub fn shown(&self) -> Option<&SliceLines> {
        self.shown.as_deref()
    }

    /// Text of the row after the last, where there is more to follow.
    pub fn more(&self) -> Option<&str> {
        self.more.as_deref()
    }

    /// A line and what it says.
    pub fn told(&self, place: usize) -> Option<(&ReadingLine, Told<'_>)> {
        let shown = self.shown.as_ref()?;
        let line = shown.lines.get(place)?;
        Some((line, shown.slice.told(line)?))
    }

    fn rows(&mut self, slice: &Arc<Slice>, desk: &Desk) -> Status {
        self.shown = self.list.poll(slice, self.view, &desk.worker);
        let Some(shown) = &self.shown else { return Status::Loading(say!("slice-following").to_owned()) };
        let words = if slice.end == SliceEnd::Stopped { say!("slice-go-on") } else { say!("slice-more") };
        self.more = desk.slice.can_have_more().then(|| format!("… {words}"));
        let count = shown.lines.len() + usize::from(self.more.is_some());
        if count == 0 {
            return Status::empty(say!("slice-no-step").to_owned(), say!("slice-nothing-asked-terminal").to_owned());
        }
        let (question, found) = (question_words(slice), slice_words(slice));
        let summary = format!("{question} · {} · {found}", view_words(self.view).0.to_lowercase());
        Status::Rows(Rows { count, summary, marked: marked(shown, desk) })
    }

    /// Shows the slice in the next way.
    pub fn next_view(&mut self) {
        self.view = match self.view {
            SliceView::Chain => SliceView::Tree,
            SliceView::Tree => SliceView::Everything,
            SliceView::Everything => SliceView::Chain,
        };
    }
}

impl View for WhyView {
    fn kind(&self) -> PanelKind {
        PanelKind::Why
    }

    fn poll(&mut self, desk: &Desk) -> Status {
        let state: &SliceState = &desk.slice;
        if let Some(error) = state.error() {
            return Status::Failed(error.to_owned());
        }
        if let Some(slice) = state.slice() {
            return self.rows(slice, desk);
        }
        self.shown = None;
        let Some(question) = state.question() else {
            let advice = say!("slice-nothing-asked-terminal").to_owned();
            return Status::empty(say!("slice-nothing-asked").to_owned(), advice);
        };
        if state.is_awaited(&desk.session) {
            return Status::Loading(say!("slice-awaited", at = question.at));
        }
        let words = if state.is_under_way() { say!("slice-following") } else { say!("slice-stopped-early") };
        Status::Loading(words.to_owned())
    }

    fn act(&mut self, place: usize, gesture: Gesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let Some((line, told)) = self.told(place) else {
            let is_more = self.more.is_some() && matches!(gesture, Gesture::Go | Gesture::Open);
            out.extend(is_more.then_some(Action::Slice(SliceAction::MoreOfSlice)));
            return is_more;
        };
        let (line, position) = (*line, told.row().and_then(|row| row.position()));
        let is_call = told.row().is_none();
        let memory = told.row().and_then(|row| {
            row.gives.iter().find_map(|given| match &given.cell {
                CellName::Memory(address, _) => Some(Action::View(ViewAction::ShowMemory(address.clone()))),
                CellName::Register(_) => None,
            })
        });
        match (gesture, line.fold) {
            (Gesture::Open, Fold::Folded(_)) | (Gesture::Close, Fold::Open(_)) => self.list.flip(&line),
            (Gesture::Go, _) if is_call => self.list.flip(&line),
            (Gesture::Go, _) => {
                let travel = position.map(|to| Action::travel(desk.windows.active, to));
                out.extend(travel);
                true
            }
            (Gesture::GoOn, _) => {
                let is_shown = memory.is_some();
                out.extend(memory);
                is_shown
            }
            (Gesture::Open | Gesture::Close | Gesture::Stay | Gesture::Remove, _) => false,
        }
    }

    fn parent(&self, place: usize) -> Option<usize> {
        let lines = &self.shown.as_ref()?.lines;
        let depth = lines.get(place)?.depth;
        lines.get(..place)?.iter().rposition(|line| line.depth < depth)
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        let (_, told) = self.told(place)?;
        told.row()?.gives.first().map(|given| given.cell.clone())
    }

    fn copied(&self, place: usize) -> Option<String> {
        let (_, told) = self.told(place)?;
        Some(told.row().map_or_else(|| told.text(), |row| row.line()))
    }

    /// Position after the step that produced the value.
    fn cell_at(&self, place: usize, _: &Desk) -> Option<Position> {
        self.told(place)?.1.row()?.position()
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        let Action::Slice(SliceAction::ViewSlice(view)) = action else { return false };
        self.view = *view;
        true
    }

    fn forget(&mut self) {
        self.list.forget();
        (self.shown, self.more) = (None, None);
    }
}
