//! The slice of a cell's value: the steps that contributed to it, as a chain, as a tree, or all of
//! them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_parsers::Position;

use super::view::{CursorRow, PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::{
    Action, CellName, PanelKind, SavedSliceQuery, SliceAction, SliceView, ViewAction,
};
use crate::analysis::slice::{FoldState, ReadingLine};
use crate::desk::{Desk, SliceList, SliceState};
use crate::messages::say;
use crate::model::slice::{
    Slice, SliceLineContent, SliceLines, SliceProgress, question_words, slice_words, view_words,
};
use crate::notes::SavedSlice;

/// The main slice, or a saved one.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WhyView {
    view: SliceView,
    /// Saved slice that is shown instead of the main one.
    #[serde(skip_serializing_if = "Option::is_none")]
    own: Option<SavedSlice>,
    #[serde(skip)]
    state: WhyState,
}

#[derive(Default)]
struct WhyState {
    list: SliceList,
    /// Lines of the slice; none before the first poll.
    shown: Option<Arc<SliceLines>>,
    more: Option<String>,
    request: Option<OwnSliceRequest>,
}

/// Request of a view to the saved slice that it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnSliceRequest {
    /// Stops the walk.
    Stop,
    /// Follows more steps.
    More,
}

impl WhyView {
    /// Shows a saved slice.
    pub fn of(kept: SavedSlice) -> Self {
        Self {
            own: Some(kept),
            ..Self::default()
        }
    }

    /// Returns the saved slice that is shown; none: the main one.
    pub fn own(&self) -> Option<&SavedSlice> {
        self.own.as_ref()
    }

    /// Takes the request to the saved slice.
    pub fn take_request(&mut self) -> Option<OwnSliceRequest> {
        self.state.request.take()
    }

    /// Returns the state of the slice; none before a saved one is begun.
    pub fn slice_state<'a>(&self, desk: &'a Desk) -> Option<&'a SliceState> {
        match &self.own {
            Some(kept) => desk.own_slices.find(&kept.slice),
            None => Some(&desk.slice),
        }
    }

    /// Returns the query of the slice.
    pub fn question<'a>(&'a self, desk: &'a Desk) -> Option<&'a SavedSliceQuery> {
        match &self.own {
            Some(kept) => Some(&kept.slice),
            None => desk.slice.question(),
        }
    }

    /// Returns a number that changes with the query of the slice.
    pub fn number(&self, desk: &Desk) -> u64 {
        self.slice_state(desk).map_or(0, SliceState::number)
    }

    /// Follows more steps.
    pub fn follow_more(&mut self, out: &mut Vec<Action>) {
        match self.own {
            Some(_) => self.state.request = Some(OwnSliceRequest::More),
            None => out.push(Action::Slice(SliceAction::MoreOfSlice)),
        }
    }

    /// Stops the walk.
    pub fn stop(&mut self, out: &mut Vec<Action>) {
        match self.own {
            Some(_) => self.state.request = Some(OwnSliceRequest::Stop),
            None => out.push(Action::Slice(SliceAction::StopSlice)),
        }
    }

    /// Returns the presentation of the slice.
    pub fn view(&self) -> SliceView {
        self.view
    }

    /// Chooses the presentation of the slice.
    pub fn choose(&mut self, view: SliceView) {
        self.view = view;
    }

    /// Returns true if a line is about the last step before the position.
    pub fn is_here(&self, place: usize, desk: &Desk) -> bool {
        let step = self
            .stated(place)
            .and_then(|(_, stated)| stated.row()?.step);
        step.is_some() && step == desk.windows.active().position.last_step()
    }

    /// Returns the lines as of the last poll.
    pub fn shown(&self) -> Option<&SliceLines> {
        self.state.shown.as_deref()
    }

    /// Returns the text of the row after the last, if there is more to follow.
    pub fn more(&self) -> Option<&str> {
        self.state.more.as_deref()
    }

    /// Returns a line and its description.
    pub fn stated(&self, place: usize) -> Option<(&ReadingLine, SliceLineContent<'_>)> {
        let shown = self.state.shown.as_ref()?;
        let line = shown.lines.get(place)?;
        Some((line, shown.slice.stated(line)?))
    }

    fn rows(&mut self, slice: &Arc<Slice>, state: &SliceState, desk: &Desk) -> ViewStatus {
        self.state.shown = self.state.list.poll(slice, self.view, &desk.worker);
        let Some(shown) = &self.state.shown else {
            return ViewStatus::Loading(say!("slice-following").to_owned());
        };
        let words = if slice.end == SliceProgress::Stopped {
            say!("slice-go-on")
        } else {
            say!("slice-more")
        };
        self.state.more = state.can_have_more().then(|| format!("… {words}"));
        let count = shown.lines.len() + usize::from(self.state.more.is_some());
        if count == 0 {
            return ViewStatus::empty(
                say!("slice-no-step").to_owned(),
                say!("slice-nothing-asked-terminal").to_owned(),
            );
        }
        let (question, found) = (question_words(slice), slice_words(slice));
        let summary = format!(
            "{question} · {} · {found}",
            view_words(self.view).0.to_lowercase()
        );
        // The cursor moves when the position goes to another step of the slice.
        let at = desk.windows.active().position;
        let row = at.last_step().and_then(|step| shown.place_of(step));
        let marked = row.map(|row| CursorRow {
            key: (state.number(), at.0),
            row,
        });
        ViewStatus::Rows(RowListing {
            count,
            summary,
            marked,
        })
    }

    /// Switches to the next presentation of the slice.
    pub fn next_view(&mut self) {
        self.view = match self.view {
            SliceView::Chain => SliceView::Tree,
            SliceView::Tree => SliceView::Everything,
            SliceView::Everything => SliceView::Chain,
        };
    }
}

impl PanelView for WhyView {
    fn kind(&self) -> PanelKind {
        PanelKind::Why
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        let Some(question) = self.question(desk) else {
            self.state.shown = None;
            let advice = say!("slice-nothing-asked-terminal").to_owned();
            return ViewStatus::empty(say!("slice-nothing-asked").to_owned(), advice);
        };
        let at = question.at;
        let Some(state) = self.slice_state(desk) else {
            return ViewStatus::Loading(say!("slice-following").to_owned());
        };
        if let Some(error) = state.error() {
            return ViewStatus::Failed(error.to_owned());
        }
        if let Some(slice) = state.slice() {
            return self.rows(slice, state, desk);
        }
        self.state.shown = None;
        ViewStatus::Loading(match () {
            () if state.is_awaited(&desk.session) => say!("slice-awaited", at = at),
            () if state.is_under_way() => say!("slice-following").to_owned(),
            () => say!("slice-stopped-early").to_owned(),
        })
    }

    fn act(
        &mut self,
        place: usize,
        gesture: RowGesture,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) -> bool {
        let Some((line, stated)) = self.stated(place) else {
            let is_more =
                self.state.more.is_some() && matches!(gesture, RowGesture::Go | RowGesture::Open);
            if is_more {
                self.follow_more(out);
            }
            return is_more;
        };
        let (line, position) = (*line, stated.row().and_then(|row| row.position()));
        let is_call = stated.row().is_none();
        let memory = stated.row().and_then(|row| {
            row.gives.iter().find_map(|given| match &given.cell {
                CellName::Memory(address, _) => {
                    Some(Action::View(ViewAction::ShowMemory(address.clone())))
                }
                CellName::Register(_) => None,
            })
        });
        match (gesture, line.fold) {
            (RowGesture::Open, FoldState::Folded(_)) | (RowGesture::Close, FoldState::Open(_)) => {
                self.state.list.flip(&line)
            }
            (RowGesture::Go, _) if is_call => self.state.list.flip(&line),
            (RowGesture::Go, _) => {
                let travel = position.map(|to| Action::travel(desk.windows.active, to));
                out.extend(travel);
                true
            }
            (RowGesture::GoOn, _) => {
                let is_shown = memory.is_some();
                out.extend(memory);
                is_shown
            }
            (RowGesture::Open | RowGesture::Close | RowGesture::Stay | RowGesture::Remove, _) => {
                false
            }
        }
    }

    fn parent(&self, place: usize) -> Option<usize> {
        let lines = &self.state.shown.as_ref()?.lines;
        let depth = lines.get(place)?.depth;
        lines
            .get(..place)?
            .iter()
            .rposition(|line| line.depth < depth)
    }

    fn cell(&self, place: usize, _: &Desk) -> Option<CellName> {
        let (_, stated) = self.stated(place)?;
        stated.row()?.gives.first().map(|given| given.cell.clone())
    }

    fn copied(&self, place: usize) -> Option<String> {
        let (_, stated) = self.stated(place)?;
        Some(stated.row().map_or_else(|| stated.text(), |row| row.line()))
    }

    /// Returns the position after the step that produced the value.
    fn cell_at(&self, place: usize, _: &Desk) -> Option<Position> {
        self.stated(place)?.1.row()?.position()
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        let Action::Slice(SliceAction::ViewSlice(view)) = action else {
            return false;
        };
        self.view = *view;
        true
    }

    fn forget(&mut self) {
        self.state = WhyState::default();
    }
}
