//! State of a trace window: its position, folds and history, and all moves that need no search.

use std::sync::Arc;

use stepback_index::answer::{CallId, CallTable, ThreadId};
use stepback_index::query::{FoldSet, TraceListRow};
use stepback_parsers::{Position, Step};

use super::MoveContext;
use super::hit_rows::{HitsOnlyView, ShownRow};
use crate::action::{Direction, FoldAction, Moment};
use crate::action::{TraceId, WindowId};

/// Maximum number of positions in the history.
const HISTORY_LIMIT: usize = 1000;

/// Behaviour of a window at the end of the trace when the trace grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndPolicy {
    /// It stays at its step.
    Stays,
    /// It moves to the new end.
    GoesOn,
}

/// End of a part of a trace that replaces another part.
#[derive(Clone, Copy, Debug)]
pub struct TraceEndChange {
    /// Number of steps.
    pub step_count: u64,
    /// Behaviour of windows that were at the end of the replaced part.
    pub at_end: EndPolicy,
}

/// Window on the trace with its own position.
#[derive(Clone, Debug)]
pub struct TraceWindow {
    /// Window number, which also names its position.
    pub id: WindowId,
    /// Trace that it shows; its positions, folds and threads refer to that trace.
    pub trace: TraceId,
    pub position: Position,
    /// Position before the last move; differences from it are shown as changes.
    pub previous: Position,
    /// Folded calls. The step before the position is never hidden.
    pub folds: Arc<FoldSet>,
    /// Thread that its moves are restricted to; none for all threads.
    pub thread: Option<ThreadId>,
    /// Shows the raw text of the trace instead of steps.
    pub is_raw: bool,
    /// Restriction to hits of the search; folds have no effect while it is on.
    pub only_hits: HitsOnlyView,
    /// Positions visited before, the newest last. A walk of single steps counts as one visit.
    pub back: Vec<Position>,
    /// Positions gone back from, the newest last.
    pub forward: Vec<Position>,
    /// The last move was a step, so the next step belongs to the same visit.
    is_walking: bool,
}

impl TraceWindow {
    /// Creates a window on the first trace, of `step_count` steps, with nothing folded.
    pub fn new(id: WindowId, step_count: u64, position: Position) -> Self {
        Self {
            id,
            trace: TraceId::default(),
            position,
            previous: position,
            folds: Arc::new(FoldSet::new(step_count)),
            thread: None,
            is_raw: false,
            only_hits: HitsOnlyView::default(),
            back: Vec::new(),
            forward: Vec::new(),
            is_walking: false,
        }
    }

    /// Returns its position together with its trace.
    pub fn moment(&self) -> Moment {
        Moment {
            trace: self.trace,
            position: self.position,
        }
    }

    /// Returns true if it never left its initial position.
    pub fn is_untouched(&self) -> bool {
        self.back.is_empty() && self.forward.is_empty()
    }

    /// Sets the initial position, which does not count as a visit.
    pub fn begin_at(&mut self, position: Position) {
        (self.position, self.previous) = (position, position);
    }

    /// Adapts the window to another indexed part of the trace. The position stays; calls that would
    /// hide it are unfolded.
    pub fn take_part(&mut self, before: &CallTable, after: &CallTable, to: TraceEndChange) {
        let is_at_end = self.position.0 == self.folds.step_count();
        self.folds = Arc::new(self.folds.carried(before, after, to.step_count));
        let end = Position(to.step_count);
        self.previous = self.previous.min(end);
        if self.position > end
            || (is_at_end && to.at_end == EndPolicy::GoesOn && self.position < end)
        {
            self.move_to(end);
        }
        self.reveal(after);
    }

    /// Adopts the move that a copy of the window made. Other changes made in the meantime stay.
    pub fn take_move(&mut self, moved: Self) {
        let only_hits = std::mem::take(&mut self.only_hits);
        *self = Self {
            id: self.id,
            is_raw: self.is_raw,
            only_hits,
            ..moved
        };
    }

    /// Goes to a position (the end, if it is beyond) and records the previous one in the history.
    /// Folded calls around it are unfolded.
    pub fn travel(&mut self, to: Position, ground: &MoveContext<'_>) {
        let to = to.min(ground.end);
        if to != self.position {
            self.remember();
            self.is_walking = false;
            self.move_to(to);
        }
        self.reveal(ground.calls);
    }

    /// Moves by one row: a step, or all steps of a folded call. If only hits are shown, moves to
    /// the next visible step.
    pub fn step_row(&mut self, direction: Direction, ground: &MoveContext<'_>) {
        if let Some(rows) = self.only_hits.rows() {
            let step = rows.neighbour(direction, self.position);
            return step
                .into_iter()
                .for_each(|step| self.walk(step.after(), ground));
        }
        let to = match direction {
            Direction::Forward => self.row_end_after(self.position.next_step()),
            Direction::Back => self
                .position
                .last_step()
                .map_or(self.position, |last| self.row_start_of(last)),
        };
        self.walk(to, ground);
    }

    /// Moves by one step, into calls and folded calls.
    pub fn step_into(&mut self, direction: Direction, ground: &MoveContext<'_>) {
        self.walk(neighbour(self.position, direction), ground);
    }

    /// Moves over the call that the next step makes (or that the last step returned from); by a row
    /// if there is none.
    pub fn step_over(&mut self, direction: Direction, ground: &MoveContext<'_>) {
        let over = match direction {
            Direction::Forward => {
                let called = ground
                    .calls
                    .called_by(ground.thread_after, self.position.next_step());
                called.and_then(|call| ground.after(call))
            }
            Direction::Back => {
                let left = self
                    .position
                    .last_step()
                    .and_then(|last| ground.left_by(last));
                left.and_then(|call| ground.calls.get(call)?.call_step)
                    .map(Step::before)
            }
        };
        match over {
            Some(to) => self.walk(to, ground),
            None => self.step_row(direction, ground),
        }
    }

    /// Moves to just before the call of the function around the position, or to just after its
    /// return. Returns false, and stays, if the trace shows no call of it or ends inside it.
    pub fn step_out(&mut self, direction: Direction, ground: &MoveContext<'_>) -> bool {
        let call = ground
            .frame_at(self.position)
            .and_then(|frame| ground.calls.get(frame));
        let to = call.and_then(|call| match direction {
            Direction::Back => call.call_step.map(Step::before),
            Direction::Forward => ground.calls.return_step(call).map(Step::after),
        });
        if let Some(to) = to {
            self.travel(to, ground);
        }
        to.is_some()
    }

    /// Moves by a number of rows.
    pub fn page(&mut self, direction: Direction, rows: u64, ground: &MoveContext<'_>) {
        let gap = self.gap_of(self.position);
        let to = match direction {
            Direction::Back => gap.saturating_sub(rows),
            Direction::Forward => gap.saturating_add(rows),
        };
        if let Some(shown) = self.only_hits.rows() {
            let step = shown.step_near(to.saturating_sub(1));
            return step
                .into_iter()
                .for_each(|step| self.walk(step.after(), ground));
        }
        self.walk(self.position_of_gap(to), ground);
    }

    /// Moves to the first or the last position.
    pub fn edge(&mut self, direction: Direction, ground: &MoveContext<'_>) {
        let to = match direction {
            Direction::Back => Position(0),
            Direction::Forward => ground.end,
        };
        self.travel(to, ground);
    }

    /// Moves to the position visited before, or the one gone back from. Returns false if there is
    /// none.
    pub fn history(&mut self, direction: Direction, ground: &MoveContext<'_>) -> bool {
        let (from, into) = match direction {
            Direction::Back => (&mut self.back, &mut self.forward),
            Direction::Forward => (&mut self.forward, &mut self.back),
        };
        let Some(to) = from.pop() else { return false };
        into.push(self.position);
        self.is_walking = false;
        self.move_to(to.min(ground.end));
        self.reveal(ground.calls);
        true
    }

    /// Folds or unfolds. If a call around the position is folded, the position moves to just after
    /// it. Only when everything is folded do the calls around the position stay open, because some
    /// of them may never return.
    pub fn fold(&mut self, what: FoldAction, ground: &MoveContext<'_>) {
        let frame = ground.frame_at(self.position);
        match (what, frame) {
            (FoldAction::Containing, Some(frame)) => {
                Arc::make_mut(&mut self.folds).fold(ground.calls, frame)
            }
            (FoldAction::UnfoldHere, _) => self.unfold_here(ground.calls),
            (FoldAction::Inside, Some(frame)) => {
                Arc::make_mut(&mut self.folds).fold_children(ground.calls, frame)
            }
            (FoldAction::UnfoldInside, Some(frame)) => {
                Arc::make_mut(&mut self.folds).unfold_inside(ground.calls, frame)
            }
            (FoldAction::All, _) => self.fold_all(ground),
            (FoldAction::UnfoldAll, _) => Arc::make_mut(&mut self.folds).unfold_all(),
            (FoldAction::Toggle(call), _) if self.folds.is_folded(call) => {
                Arc::make_mut(&mut self.folds).unfold(ground.calls, call)
            }
            (FoldAction::Toggle(call), _) => {
                Arc::make_mut(&mut self.folds).fold(ground.calls, call)
            }
            // The trace defines these calls: see `Self::fold_frames`.
            (FoldAction::WindowTraps, _)
            | (FoldAction::Containing | FoldAction::Inside | FoldAction::UnfoldInside, None) => {}
        }
        self.leave_folds(ground);
    }

    /// Folds calls in addition to those already folded.
    pub fn fold_frames(&mut self, frames: &[CallId], ground: &MoveContext<'_>) {
        Arc::make_mut(&mut self.folds).fold_some(ground.calls, frames);
        self.leave_folds(ground);
    }

    /// Returns the number of rows of its list.
    pub fn row_count(&self) -> u64 {
        self.only_hits
            .rows()
            .map_or_else(|| self.folds.row_count(), |rows| rows.row_count())
    }

    /// Returns a row of its list.
    pub fn row(&self, row: u64) -> Option<ShownRow> {
        match self.only_hits.rows() {
            Some(rows) => rows.row(row),
            None => self.folds.row(row).map(ShownRow::from),
        }
    }

    /// Returns the row that shows a step or represents it.
    pub fn row_of(&self, step: Step) -> u64 {
        self.only_hits
            .rows()
            .map_or_else(|| self.folds.row_of(step), |rows| rows.row_of(step))
    }

    /// Returns the number of rows above the position.
    pub fn gap_of(&self, position: Position) -> u64 {
        position
            .last_step()
            .map_or(0, |last| self.row_of(last).saturating_add(1))
    }

    /// Returns the position below a number of rows; the end if there are fewer.
    pub fn position_of_gap(&self, gap: u64) -> Position {
        let last_row = gap
            .min(self.folds.row_count())
            .checked_sub(1)
            .and_then(|row| self.folds.row(row));
        last_row.map_or(Position(0), |row| match row {
            TraceListRow::Step(step) => step.after(),
            TraceListRow::Folded { last, .. } => last.after(),
        })
    }

    fn row_end_after(&self, step: Step) -> Position {
        match self.folds.row(self.folds.row_of(step)) {
            Some(TraceListRow::Folded { last, .. }) => last.after(),
            Some(TraceListRow::Step(_)) | None => step.after(),
        }
    }

    fn row_start_of(&self, step: Step) -> Position {
        match self.folds.row(self.folds.row_of(step)) {
            Some(TraceListRow::Folded { first, .. }) => first.before(),
            Some(TraceListRow::Step(_)) | None => step.before(),
        }
    }

    /// Folds all calls except those around the position. Folding a frame that never returns would
    /// move the position to the end of the trace.
    fn fold_all(&mut self, ground: &MoveContext<'_>) {
        let mut around = ground.calls.path_at(ground.thread_before, self.position);
        around.sort_unstable();
        Arc::make_mut(&mut self.folds).fold_all_around(ground.calls, &around);
        self.reveal(ground.calls);
    }

    /// Unfolds the folded call just below the position or, where folding has put the position, just
    /// above it.
    fn unfold_here(&mut self, calls: &CallTable) {
        let row_of = |step: Step| self.folds.row(self.folds.row_of(step));
        let below = match row_of(self.position.next_step()) {
            Some(TraceListRow::Folded { call, first, .. }) if first.before() == self.position => {
                Some(call)
            }
            _ => None,
        };
        let above = || match self.position.last_step().and_then(row_of) {
            Some(TraceListRow::Folded { call, .. }) => Some(call),
            _ => None,
        };
        if let Some(call) = below.or_else(above) {
            Arc::make_mut(&mut self.folds).unfold(calls, call);
        }
    }

    /// Returns the folded call that hides the step before the position, and the position after it.
    fn hidden_in(&self) -> Option<(CallId, Position)> {
        let last_step = self.position.last_step()?;
        match self.folds.row(self.folds.row_of(last_step))? {
            TraceListRow::Folded { call, last, .. } if last_step < last => {
                Some((call, last.after()))
            }
            _ => None,
        }
    }

    /// Unfolds the calls that hide the position.
    fn reveal(&mut self, calls: &CallTable) {
        while let Some((call, _)) = self.hidden_in() {
            Arc::make_mut(&mut self.folds).unfold(calls, call);
            if self.hidden_in().is_some_and(|(still, _)| still == call) {
                debug_assert!(false, "an unfolded call hides nothing");
                break;
            }
        }
    }

    fn leave_folds(&mut self, ground: &MoveContext<'_>) {
        if let Some((_, after)) = self.hidden_in() {
            self.travel(after, ground);
        }
    }

    /// Moves by a step: a walk of several steps is one visit.
    pub fn walk(&mut self, to: Position, ground: &MoveContext<'_>) {
        let to = to.min(ground.end);
        if to != self.position {
            if !self.is_walking {
                self.remember();
            }
            self.is_walking = true;
            self.move_to(to);
        }
        self.reveal(ground.calls);
    }

    fn remember(&mut self) {
        if self.back.len() >= HISTORY_LIMIT {
            self.back.remove(0);
        }
        self.back.push(self.position);
        self.forward.clear();
    }

    fn move_to(&mut self, to: Position) {
        self.previous = self.position;
        self.position = to;
    }
}

fn neighbour(position: Position, direction: Direction) -> Position {
    match direction {
        Direction::Back => Position(position.0.saturating_sub(1)),
        Direction::Forward => Position(position.0.saturating_add(1)),
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::session::Session;
    use crate::session::test_session::overflow;

    /// A window on the overflow trace: step 1,229 calls a function of the steps 1,230 to 1,236; the
    /// function around it runs from step 729 to step 1,440.
    struct Driven {
        session: Arc<Session>,
        window: TraceWindow,
    }

    impl Driven {
        fn at(position: u64) -> Self {
            let session = overflow();
            let window =
                TraceWindow::new(WindowId(1), session.index.step_count(), Position(position));
            Self { session, window }
        }

        fn go(&mut self, move_it: impl FnOnce(&mut TraceWindow, &MoveContext<'_>)) -> &mut Self {
            let ground = MoveContext::at(&self.session.index, self.window.position).unwrap();
            move_it(&mut self.window, &ground);
            self
        }

        #[track_caller]
        fn check(&self, position: u64, rows: u64) {
            assert_eq!(
                (self.window.position.0, self.window.folds.row_count()),
                (position, rows)
            );
        }
    }

    const ALL: u64 = 1763;

    #[test]
    fn a_longer_part_leaves_the_position_unless_it_is_at_an_end_that_goes_on() {
        let take = |driven: &mut Driven, at_end| {
            let calls = driven.session.index.calls();
            driven.window.take_part(
                calls,
                calls,
                TraceEndChange {
                    step_count: ALL,
                    at_end,
                },
            );
        };
        let part = |position| {
            let mut driven = Driven::at(position);
            driven.window.folds = Arc::new(FoldSet::new(1000));
            driven
        };
        for (position, at_end, expected) in [
            (1000, EndPolicy::Stays, 1000),
            (1000, EndPolicy::GoesOn, ALL),
            (999, EndPolicy::GoesOn, 999),
            (ALL, EndPolicy::Stays, ALL),
        ] {
            let mut driven = part(position);
            take(&mut driven, at_end);
            driven.check(expected, ALL);
            assert!(driven.window.back.is_empty());
        }
    }

    #[test]
    fn folds_stay_when_another_part_is_known() {
        let mut driven = Driven::at(1233);
        driven
            .go(|window, ground| window.fold(FoldAction::Containing, ground))
            .check(1237, ALL - 6);
        let calls = driven.session.index.calls();
        driven.window.take_part(
            calls,
            calls,
            TraceEndChange {
                step_count: ALL,
                at_end: EndPolicy::Stays,
            },
        );
        driven.check(1237, ALL - 6);
    }

    #[test]
    fn over_a_call_is_just_after_its_return_and_back() {
        Driven::at(1229)
            .go(|window, ground| window.step_over(Direction::Forward, ground))
            .check(1237, ALL);
        Driven::at(1237)
            .go(|window, ground| window.step_over(Direction::Back, ground))
            .check(1229, ALL);
        Driven::at(1230)
            .go(|window, ground| window.step_over(Direction::Forward, ground))
            .check(1231, ALL);
        Driven::at(1229)
            .go(|window, ground| window.step_over(Direction::Back, ground))
            .check(1228, ALL);
    }

    #[test]
    fn over_a_call_that_never_returns_is_the_end() {
        Driven::at(3)
            .go(|window, ground| window.step_over(Direction::Forward, ground))
            .check(ALL, ALL);
    }

    #[test]
    fn out_is_before_the_call_or_after_the_return() {
        Driven::at(1233)
            .go(|window, ground| _ = window.step_out(Direction::Back, ground))
            .check(1229, ALL);
        Driven::at(1233)
            .go(|window, ground| _ = window.step_out(Direction::Forward, ground))
            .check(1237, ALL);
        let mut start = Driven::at(2);
        start
            .go(|window, ground| assert!(!window.step_out(Direction::Back, ground)))
            .check(2, ALL);
    }

    #[test]
    fn folding_around_the_position_lands_after_the_folded_row() {
        let mut driven = Driven::at(1233);
        driven
            .go(|window, ground| window.fold(FoldAction::Containing, ground))
            .check(1237, ALL - 6);
        driven
            .go(|window, ground| window.step_row(Direction::Back, ground))
            .check(1230, ALL - 6);
        driven
            .go(|window, ground| window.step_row(Direction::Forward, ground))
            .check(1237, ALL - 6);
        driven
            .go(|window, ground| window.fold(FoldAction::UnfoldHere, ground))
            .check(1237, ALL);
    }

    #[test]
    fn a_folded_call_is_unfolded_from_just_after_the_call_too() {
        let mut driven = Driven::at(1233);
        driven.go(|window, ground| window.fold(FoldAction::Containing, ground));
        driven
            .go(|window, ground| window.travel(Position(1230), ground))
            .check(1230, ALL - 6);
        driven
            .go(|window, ground| window.fold(FoldAction::UnfoldHere, ground))
            .check(1230, ALL);
    }

    #[test]
    fn travelling_into_a_folded_call_unfolds_it() {
        let mut driven = Driven::at(1233);
        driven.go(|window, ground| window.fold(FoldAction::All, ground));
        driven.go(|window, ground| window.travel(Position(1763), ground));
        driven.go(|window, ground| window.fold(FoldAction::All, ground));
        driven.go(|window, ground| window.travel(Position(1233), ground));
        assert_eq!(driven.window.position, Position(1233));
        driven
            .go(|window, ground| window.fold(FoldAction::UnfoldAll, ground))
            .check(1233, ALL);
    }

    #[test]
    fn folding_all_keeps_the_position_and_what_is_around_it() {
        for position in [0, 4, 1233, 1250, 1763] {
            let mut driven = Driven::at(position);
            driven.go(|window, ground| window.fold(FoldAction::All, ground));
            assert_eq!(driven.window.position, Position(position));
            assert!(
                driven.window.folds.row_count() < ALL / 2,
                "{position}: {}",
                driven.window.folds.row_count()
            );
        }
    }

    #[test]
    fn the_calls_inside_a_function_fold_together() {
        let mut driven = Driven::at(1240);
        driven.go(|window, ground| window.fold(FoldAction::Inside, ground));
        assert_eq!(driven.window.position, Position(1240));
        assert!(driven.window.folds.row_count() < ALL - 200);
        driven
            .go(|window, ground| window.fold(FoldAction::UnfoldInside, ground))
            .check(1240, ALL);
    }

    #[test]
    fn pages_count_rows_and_stop_at_the_ends() {
        let mut driven = Driven::at(1233);
        driven.go(|window, ground| window.fold(FoldAction::Containing, ground));
        driven
            .go(|window, ground| window.page(Direction::Back, 10, ground))
            .check(1221, ALL - 6);
        driven
            .go(|window, ground| window.page(Direction::Forward, 10_000, ground))
            .check(ALL, ALL - 6);
        driven
            .go(|window, ground| window.page(Direction::Back, 10_000, ground))
            .check(0, ALL - 6);
    }

    #[test]
    fn a_walk_is_one_visit_in_the_history() {
        let mut driven = Driven::at(0);
        driven.go(|window, ground| window.travel(Position(1250), ground));
        for _ in 0..3 {
            driven.go(|window, ground| window.step_into(Direction::Forward, ground));
        }
        driven
            .go(|window, ground| assert!(window.history(Direction::Back, ground)))
            .check(1250, ALL);
        driven
            .go(|window, ground| assert!(window.history(Direction::Back, ground)))
            .check(0, ALL);
        driven.go(|window, ground| assert!(!window.history(Direction::Back, ground)));
        driven
            .go(|window, ground| assert!(window.history(Direction::Forward, ground)))
            .check(1250, ALL);
        driven
            .go(|window, ground| window.edge(Direction::Forward, ground))
            .check(ALL, ALL);
        assert_eq!(
            (driven.window.previous, driven.window.forward.len()),
            (Position(1250), 0)
        );
    }
}
