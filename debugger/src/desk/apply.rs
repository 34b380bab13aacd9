//! What actions do that mean the trace, whoever draws it.

use stepback_index::ThreadId;

use super::access::LineGoal;
use super::desk::Desk;
use crate::action::{Action, MarkAction, PanelAction, SearchAction, SliceAction, TravelAction, ViewAction};
use crate::analysis::step_places::Callees;
use crate::messages::say;
use crate::model::{Move, Stride};
use crate::session::Session;

impl Desk {
    /// Does what an action asks of the trace. Gives it back where that is for those who draw to do.
    pub fn apply(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::Travel(TravelAction::StepRow(way)) => self.begin(Move::Step(Stride::Row, way)),
            Action::Travel(TravelAction::StepInto(way)) => self.begin(Move::Step(Stride::Into, way)),
            Action::Travel(TravelAction::StepOver(way)) => self.begin(Move::Step(Stride::Over, way)),
            Action::Travel(TravelAction::StepOut(way)) => self.begin(Move::Step(Stride::Out, way)),
            Action::Travel(TravelAction::StepOfThread(way)) => self.begin(Move::StepOfThread(way)),
            Action::Travel(TravelAction::StayInThread(name)) => self.stay_in_thread(name.as_deref()),
            Action::Travel(TravelAction::Edge(way)) => self.begin(Move::Edge(way)),
            Action::Travel(TravelAction::GoTo(text)) => self.go_to(&text),
            Action::Travel(TravelAction::Travel(window, to)) => self.begin_in(window, Move::Travel(to)),
            Action::Travel(TravelAction::History(way)) => self.begin(Move::History(way)),
            Action::Travel(TravelAction::GoToAccess(cell, access, way)) => self.go_to_access(cell, access, way),
            Action::Travel(TravelAction::GoToAccessUntil(cell, access, until)) => {
                self.go_to_access_until(cell, access, until)
            }
            Action::Travel(TravelAction::GoToExternal(cell, way)) => self.go_to_external(cell, way),
            Action::Travel(TravelAction::GoToLine(file, line, way, thread)) => {
                self.go_to_line(LineGoal { file, line, way, thread })
            }
            Action::Travel(TravelAction::GoToVisit(way)) => self.go_to_visit(way),
            Action::Travel(TravelAction::StepLine(way)) => self.go_to_next_line(Callees::Over, way),
            Action::Travel(TravelAction::StepLineInto(way)) => self.go_to_next_line(Callees::Into, way),
            Action::Travel(TravelAction::GoToException(way)) => self.go_to_exception(way),
            Action::Travel(TravelAction::StopLookup) => self.lookup = None,
            Action::Travel(TravelAction::GoToWhere(condition, way)) => self.go_to_where(condition, way),
            Action::Travel(TravelAction::GoToWhereAgain(way)) => self.go_to_where_again(way),
            Action::Travel(TravelAction::GoToChange(watch, way)) => self.go_to_change(watch, way),
            Action::Panel(PanelAction::CompareWith(place)) => self.compare_with(&place),
            Action::Panel(PanelAction::CompareCall(call)) => self.compare_call(call),
            Action::Mark(MarkAction::Watch(change)) => self.change_watches(&change),
            Action::Mark(MarkAction::Wave(change)) => self.change_waves(&change),
            Action::Search(SearchAction::FindNext(way)) => self.find_next(way),
            Action::Search(SearchAction::FindMore) => self.find_more(),
            Action::Search(SearchAction::StopFind) => _ = self.find.stop(),
            Action::Search(SearchAction::ClearFind) => self.find.clear(),
            Action::Search(SearchAction::ToggleOnlyHits) => self.toggle_only_hits(),
            Action::Search(SearchAction::SurroundHits(context)) => self.surround_hits(context),
            Action::Search(SearchAction::OpenHidden(window, steps)) => self.open_hidden(window, steps),
            Action::Slice(SliceAction::Why(cell)) => self.why(&cell, None),
            Action::Slice(SliceAction::WhyAt(cell, at)) => self.why(&cell, Some(at)),
            Action::Slice(SliceAction::WhyAgain(question)) => self.why_again(question),
            Action::Slice(SliceAction::TurnSlice(way)) => self.turn_slice(way),
            Action::Slice(SliceAction::FollowInSlice(edge)) => self.follow_in_slice(edge),
            Action::Slice(SliceAction::MoreOfSlice) => self.more_of_slice(),
            Action::Slice(SliceAction::StopSlice) => _ = self.slice.stop(),
            Action::Slice(SliceAction::ClearSlice) => self.slice.clear(),
            Action::Slice(SliceAction::ToggleOnlySlice) => self.toggle_only_slice(),
            Action::Slice(SliceAction::KeepSlice(name)) => self.keep_slice(&name),
            Action::Slice(SliceAction::Slices(change)) => self.change_slices(&change),
            Action::Slice(SliceAction::RunSlice(name)) => self.run_slice(&name),
            Action::Search(SearchAction::KeepSearch(name)) => self.keep_search(&name),
            Action::Search(SearchAction::Searches(change)) => self.change_searches(&change),
            Action::Mark(MarkAction::Bookmark(change)) => self.change_bookmarks(&change),
            Action::Travel(TravelAction::GoToBookmark(way)) => self.go_to_bookmark(way),
            Action::Fold(what) => self.begin(Move::Fold(what)),
            Action::Panel(PanelAction::SyncWindows) => self.windows.is_synced = !self.windows.is_synced,
            Action::View(ViewAction::ToggleRawText) => {
                let window = self.windows.active_mut();
                window.is_raw = !window.is_raw;
            }
            other => return Some(other),
        }
        None
    }

    /// Picks up the answers that arrived.
    pub fn take_answers(&mut self) {
        self.mend_what_was_met();
        self.take_moved();
        self.take_found();
        self.advance_part();
        self.look_at_names();
        self.look_at_threads();
        self.find.advance(&self.session, &self.worker);
        self.slice.advance(&self.session, &self.worker);
        self.look_at_hits();
    }

    /// Gives up the search under way, or the moves. False where nothing is under way.
    pub fn give_up(&mut self) -> bool {
        self.moving.give_up()
            || self.lookup.take().is_some()
            || self.find.stop()
            || self.own_finds.stop_all()
            || self.slice.stop()
            || self.own_slices.stop_all()
    }

    fn stay_in_thread(&mut self, name: Option<&str>) {
        match name.map(|name| thread_named(&self.session, name)).transpose() {
            Ok(thread) => self.begin(Move::StayInThread(thread)),
            Err(error) => self.fail(&error),
        }
    }
}

/// A thread of the trace.
///
/// # Errors
/// There is none of this name; says which there are.
pub fn thread_named(session: &Session, name: &str) -> Result<ThreadId, String> {
    /// More names than these are not listed.
    const LISTED: usize = 8;
    let index = &session.index;
    index.thread_by_name(name).ok_or_else(|| {
        let mut known: Vec<&str> = index.threads().iter().take(LISTED).map(|thread| thread.name.as_str()).collect();
        known.extend((index.threads().len() > LISTED).then_some("…"));
        say!("stepping-no-thread", name = format!("{name:?}"), known = known.join(", "))
    })
}
