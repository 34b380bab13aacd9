//! What actions do that mean the trace, whoever draws it.

use stepback_index::{CallId, ThreadId};
use stepback_parsers::Position;

use super::access::LineGoal;
use super::desk::Desk;
use crate::action::Action;
use crate::analysis::step_places::Callees;
use crate::messages::say;
use crate::model::{Move, Stride};
use crate::session::Session;

impl Desk {
    /// Does what an action asks of the trace. Gives it back where that is for those who draw to do.
    pub fn apply(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::StepRow(way) => self.begin(Move::Step(Stride::Row, way)),
            Action::StepInto(way) => self.begin(Move::Step(Stride::Into, way)),
            Action::StepOver(way) => self.begin(Move::Step(Stride::Over, way)),
            Action::StepOut(way) => self.begin(Move::Step(Stride::Out, way)),
            Action::StepOfThread(way) => self.begin(Move::StepOfThread(way)),
            Action::StayInThread(name) => self.stay_in_thread(name.as_deref()),
            Action::Edge(way) => self.begin(Move::Edge(way)),
            Action::GoTo(text) => self.go_to(&text),
            Action::Travel(window, to) => self.begin_in(window, Move::Travel(Position(to))),
            Action::History(way) => self.begin(Move::History(way)),
            Action::GoToAccess(cell, access, way) => self.go_to_access(cell, access, way),
            Action::GoToAccessUntil(cell, access, until) => self.go_to_access_until(cell, access, Position(until)),
            Action::GoToExternal(cell, way) => self.go_to_external(cell, way),
            Action::GoToLine(file, line, way, thread) => self.go_to_line(LineGoal { file, line, way, thread }),
            Action::GoToVisit(way) => self.go_to_visit(way),
            Action::StepLine(way) => self.go_to_next_line(Callees::Over, way),
            Action::StepLineInto(way) => self.go_to_next_line(Callees::Into, way),
            Action::GoToException(way) => self.go_to_exception(way),
            Action::StopLookup => self.lookup = None,
            Action::GoToWhere(condition, way) => self.go_to_where(condition, way),
            Action::GoToWhereAgain(way) => self.go_to_where_again(way),
            Action::GoToChange(watch, way) => self.go_to_change(watch, way),
            Action::CompareWith(place) => self.compare_with(&place),
            Action::CompareCall(call) => self.compare_call(call),
            Action::Watch(change) => self.change_watches(&change),
            Action::Wave(change) => self.change_waves(&change),
            Action::FindNext(way) => self.find_next(way),
            Action::FindMore => self.find_more(),
            Action::StopFind => _ = self.find.stop(),
            Action::ClearFind => self.find.clear(),
            Action::ToggleOnlyHits => self.toggle_only_hits(),
            Action::SurroundHits(context) => self.surround_hits(context),
            Action::OpenHidden(window, steps) => self.open_hidden(window, steps),
            Action::Why(cell) => self.why(&cell, None),
            Action::WhyAt(cell, at) => self.why(&cell, Some(at)),
            Action::WhyAgain(question) => self.why_again(question),
            Action::TurnSlice(way) => self.turn_slice(way),
            Action::FollowInSlice(edge) => self.follow_in_slice(edge),
            Action::MoreOfSlice => self.more_of_slice(),
            Action::StopSlice => _ = self.slice.stop(),
            Action::ClearSlice => self.slice.clear(),
            Action::ToggleOnlySlice => self.toggle_only_slice(),
            Action::KeepSlice(name) => self.keep_slice(&name),
            Action::Slices(change) => self.change_slices(&change),
            Action::RunSlice(name) => self.run_slice(&name),
            Action::KeepSearch(name) => self.keep_search(&name),
            Action::Searches(change) => self.change_searches(&change),
            Action::Bookmark(change) => self.change_bookmarks(&change),
            Action::GoToBookmark(way) => self.go_to_bookmark(way),
            Action::Fold(what) => self.begin(Move::Fold(what)),
            Action::ToggleFold(call) => self.begin(Move::ToggleFold(CallId(call))),
            Action::SyncWindows => self.windows.is_synced = !self.windows.is_synced,
            Action::ToggleRawText => {
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
