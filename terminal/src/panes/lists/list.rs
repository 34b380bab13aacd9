//! What all panes of rows share: a list that scrolls, with a cursor that keys and the mouse move.
//!
//! A kind of list is a [`View`] with a [`Listing`], which draws its rows.
//! [`ListPane`] does the rest.

use ratatui::layout::{Position as Place, Rect};
use stepback_parsers::Position;

use super::words::{empty, failed, loading};
use crate::command::{Command, Purpose, Toward};
use crate::look::Role;
use crate::pane::{Ask, Cx, Pane, Touch, TouchKind};
use crate::pen::{Pen, Run};
use stepback_debugger::action::{Action, CellName, Direction, Follow, PanelKind};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::views::{Gesture, Rows, Status, View};

/// Lower panes leave out the line that says what is listed.
const LOW: u16 = 4;

/// A view that is drawn as a list.
pub trait Listing: View {
    /// What its bar says.
    fn title(&self, cx: &Cx<'_>) -> String;

    /// Whether a row with the heads of its columns stands above the others.
    fn has_heads(&self) -> bool {
        false
    }

    /// Draws the heads of its columns.
    fn heads(&self, _run: Run, _pen: &mut Pen<'_>, _cx: &Cx<'_>) {}

    /// Draws a row.
    fn row(&self, row: Row, pen: &mut Pen<'_>, cx: &Cx<'_>);

    /// Shows all rows: others come.
    fn rewind(&mut self) {}

    /// Does what another key asks for, with the row under the cursor. False where that means nothing here.
    fn obey(
        &mut self,
        _command: Command,
        _place: Option<usize>,
        _cx: &Cx<'_>,
        _out: &mut Vec<Ask>,
    ) -> bool {
        false
    }
}

/// A row where it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which.
    pub place: usize,
    /// Its cells on the screen.
    pub run: Run,
}

/// A pane with a list.
pub struct ListPane<L> {
    /// Its rows.
    pub listing: L,
    session: SessionWatch,
    cursor: usize,
    top: usize,
    /// The key of the row that the cursor went to last.
    marked: Option<(u64, u64)>,
    /// How many rows there were in the last frame, and where.
    rows: usize,
    body: Rect,
}

impl<L: Listing> ListPane<L> {
    /// A pane with a list.
    pub fn new(listing: L) -> Self {
        let (session, cursor, top, marked, rows, body) = Default::default();
        Self {
            listing,
            session,
            cursor,
            top,
            marked,
            rows,
            body,
        }
    }

    /// Other rows come: from the first.
    fn rewind(&mut self) {
        self.listing.rewind();
        (self.cursor, self.top, self.marked) = (0, 0, None);
    }

    /// Gives up what means nothing in another trace.
    fn look(&mut self, cx: &Cx<'_>) {
        if self.session.is_new(&cx.desk.session) {
            self.leave_trace();
        }
    }

    /// Whether there are rows to do something with, and the one under the cursor.
    fn at_cursor(&self) -> Option<usize> {
        self.rows.checked_sub(1).map(|last| self.cursor.min(last))
    }

    fn move_to(&mut self, place: usize) {
        self.cursor = place.min(self.rows.saturating_sub(1));
        self.reveal(self.cursor);
    }

    fn reveal(&mut self, place: usize) {
        let page = usize::from(self.body.height).max(1);
        self.top = self.top.clamp((place + 1).saturating_sub(page), place);
        self.top = self.top.min(self.rows.saturating_sub(page));
    }

    fn go(&mut self, toward: Toward, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let page = usize::from(self.body.height).saturating_sub(1).max(1);
        let Some(cursor) = self.at_cursor() else {
            return true;
        };
        let to = match toward {
            Toward::Left if self.press(Gesture::Close, cx, out) => return true,
            Toward::Left => self.listing.parent(cursor).unwrap_or(cursor),
            Toward::Right => {
                self.press(Gesture::Open, cx, out);
                return true;
            }
            toward => toward.moved(cursor, self.rows.saturating_sub(1), page),
        };
        self.move_to(to);
        true
    }

    fn press(&mut self, gesture: Gesture, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let Some(row) = self.at_cursor() else {
            return false;
        };
        let mut actions = Vec::new();
        let is_done = self.listing.act(row, gesture, cx.desk, &mut actions);
        out.extend(actions.into_iter().map(Ask::Do));
        is_done
    }

    fn draw_rows(&mut self, area: Rect, rows: Rows, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let mut rest = area;
        if area.height >= LOW {
            pen.role(Run::of(rest, 0), &rows.summary, Role::Title);
            rest = below(rest);
        }
        if self.listing.has_heads() && rest.height > 1 {
            self.listing.heads(Run::of(rest, 0), pen, cx);
            rest = below(rest);
        }
        let is_resized = self.body.height != rest.height;
        (self.rows, self.body) = (rows.count, rest);
        if let Some(marked) = rows.marked.filter(|marked| self.marked != Some(marked.key)) {
            let (place, margin) = (marked.row, self.listing.margin());
            self.reveal(
                place
                    .saturating_add(margin)
                    .min(self.rows.saturating_sub(1)),
            );
            self.reveal(place.saturating_sub(margin));
            self.move_to(place);
            self.marked = Some(marked.key);
        }
        self.cursor = self.cursor.min(rows.count.saturating_sub(1));
        if is_resized {
            self.reveal(self.cursor);
        }
        let page = usize::from(rest.height);
        self.top = self.top.min(rows.count.saturating_sub(page.max(1)));
        let seen = self.top..rows.count.min(self.top + page);
        if let Some(error) = self.listing.fetch(seen.clone(), cx.desk) {
            return failed(&error, rest, pen);
        }
        for (line, place) in (0u16..).zip(seen) {
            let run = Run::of(rest, line);
            self.listing.row(Row { place, run }, pen, cx);
            if place == self.cursor {
                let role = if cx.has_focus {
                    Role::Cursor
                } else {
                    Role::CursorAway
                };
                pen.mark(run, pen.look.style(role));
            }
        }
    }
}

/// An area without its first row.
fn below(area: Rect) -> Rect {
    Rect {
        y: area.y.saturating_add(1),
        height: area.height.saturating_sub(1),
        ..area
    }
}

impl<L: Listing> Pane for ListPane<L> {
    fn kind(&self) -> PanelKind {
        self.listing.kind()
    }

    fn title(&self, cx: &Cx<'_>) -> String {
        self.listing.title(cx)
    }

    fn follow(&self) -> Option<Follow> {
        self.listing.follow()
    }

    fn bind(&mut self, follow: Follow) {
        self.listing.bind(follow);
    }

    fn selection(&self, cx: &Cx<'_>) -> Option<CellName> {
        self.listing.cell(self.at_cursor()?, cx.desk)
    }

    fn selection_at(&self, cx: &Cx<'_>) -> Option<Position> {
        self.listing.cell_at(self.at_cursor()?, cx.desk)
    }

    fn copied(&self, _: &Cx<'_>) -> Option<String> {
        self.listing.copied(self.at_cursor()?)
    }

    fn obey(&mut self, command: Command, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        match command {
            Command::Move(toward) => self.go(toward, cx, out),
            Command::Remove => self.press(Gesture::Remove, cx, out),
            Command::Access(Direction::Back) => self.press(Gesture::Go, cx, out),
            Command::Access(Direction::Forward) => self.press(Gesture::GoOn, cx, out),
            other => {
                let place = self.at_cursor();
                self.listing.obey(other, place, cx, out)
            }
        }
    }

    fn answer(&mut self, purpose: Purpose, text: &str, _: &Cx<'_>, out: &mut Vec<Ask>) {
        if purpose == Purpose::Filter && self.listing.filter(text) {
            return self.move_to(0);
        }
        out.extend(purpose.actions(text).into_iter().map(Ask::Do));
    }

    fn take(&mut self, action: &Action, cx: &Cx<'_>) -> bool {
        // What is asked before the first frame is asked of this trace.
        self.look(cx);
        let is_taken = self.listing.take(action, cx.desk);
        if is_taken {
            self.rewind();
        }
        is_taken
    }

    fn touch(&mut self, touch: Touch, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        let Touch { x, y, kind } = touch;
        if let TouchKind::Wheel(rows) = kind {
            let page = usize::from(self.body.height).max(1);
            self.top = self
                .top
                .saturating_add_signed(rows.into())
                .min(self.rows.saturating_sub(page));
            return;
        }
        let place = self.top + usize::from(y.saturating_sub(self.body.y));
        if self.body.contains(Place { x, y }) && place < self.rows {
            self.cursor = place;
            if kind == TouchKind::DoubleClick {
                self.press(Gesture::Go, cx, out);
            }
        }
    }

    fn leave_trace(&mut self) {
        self.listing.forget();
        self.rewind();
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        self.look(cx);
        self.rows = 0;
        match self.listing.poll(cx.desk) {
            Status::Rows(rows) => self.draw_rows(area, rows, pen, cx),
            Status::Loading(words) => loading(&words, area, pen),
            Status::Empty { title, advice } => empty(&title, &advice, area, pen),
            Status::Failed(error) => failed(&error, area, pen),
        }
    }
}
