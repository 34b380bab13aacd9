//! What all panes of rows share: a list that scrolls, with a cursor that keys and the mouse move.
//!
//! A kind of list is a [`Listing`]: it says how many rows it has, draws one, and does what is asked of one.
//! [`ListPane`] does the rest.

use std::ops::Range;

use ratatui::layout::{Position as Place, Rect};
use stepback_parsers::Position;

use super::words::{empty, failed, loading};
use crate::action::{Action, CellName, Follow, PanelKind, Way};
use crate::desk::SessionWatch;
use crate::terminal::command::{Command, Purpose, Toward};
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx, Pane, Touch, TouchKind};
use crate::terminal::pen::{Pen, Run};
use crate::worker::Answer;

/// Lower panes leave out the line that says what is listed.
const LOW: u16 = 4;

/// Rows of one kind.
pub trait Listing {
    /// Its kind.
    fn kind(&self) -> PanelKind;

    /// What its bar says.
    fn title(&self, cx: &Cx<'_>) -> String;

    /// What it shows the state at; none where it shows no one moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Binds it to a window or a moment, where it can.
    fn bind(&mut self, _follow: Follow) {}

    /// Asks which rows there are.
    fn ask(&mut self, cx: &Cx<'_>) -> Listed;

    /// Asks for what is said of the rows in view. Returns why that cannot be had.
    fn fetch(&mut self, _seen: Range<usize>, _cx: &Cx<'_>) -> Option<String> {
        None
    }

    /// Whether a row with the heads of its columns stands above the others.
    fn has_heads(&self) -> bool {
        false
    }

    /// Draws the heads of its columns.
    fn heads(&self, _run: Run, _pen: &mut Pen<'_>, _cx: &Cx<'_>) {}

    /// Draws a row.
    fn row(&self, row: Row, pen: &mut Pen<'_>, cx: &Cx<'_>);

    /// Does something with a row. False where that means nothing there.
    fn press(&mut self, press: Press, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool;

    /// The row around one in a tree: `Left` on a row that cannot be closed goes there.
    fn outer(&self, _place: usize) -> Option<usize> {
        None
    }

    /// The cell that a row is about.
    fn cell(&self, _place: usize, _cx: &Cx<'_>) -> Option<CellName> {
        None
    }

    /// The position at which that cell has the value that is shown; none: that of the active window.
    fn cell_at(&self, _place: usize, cx: &Cx<'_>) -> Option<Position> {
        self.follow().map(|follow| cx.desk.windows.position_of(follow))
    }

    /// Does what another key asks for, with the row under the cursor. False where that means nothing here.
    fn obey(&mut self, _command: Command, _place: Option<usize>, _cx: &Cx<'_>, _out: &mut Vec<Ask>) -> bool {
        false
    }

    /// What of a row is copied.
    fn copied(&self, _place: usize) -> Option<String> {
        None
    }

    /// How many rows around the one of the position stay in view.
    fn margin(&self) -> usize {
        0
    }

    /// Shows rows alone that hold a text; false where it cannot.
    fn filter(&mut self, _text: &str) -> bool {
        false
    }

    /// Does an action that is meant for such a list; false where it is not.
    fn take(&mut self, _action: &Action, _cx: &Cx<'_>) -> bool {
        false
    }

    /// Another trace is open.
    fn forget(&mut self);
}

/// Which rows a list has.
pub enum Listed {
    /// So many.
    Rows(Rows),
    /// They are on their way; what is done meanwhile.
    Loading(String),
    /// None: why, and what to do about it.
    Nothing(String, String),
    /// They cannot be had; why.
    Failed(String),
}

/// An answer, fresh or not.
///
/// # Errors
/// What is shown instead where there is none.
pub fn answered<A: Clone>(answer: &Answer<'_, A>) -> Result<A, Listed> {
    match answer {
        Answer::Failed(error) => Err(Listed::Failed((*error).to_owned())),
        answer => answer.any().cloned().ok_or_else(|| Listed::Loading(String::new())),
    }
}

/// The rows of a list.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// How many.
    pub count: usize,
    /// What is listed.
    pub summary: String,
    /// The row that the cursor goes to, once for each key.
    pub marked: Option<Marked>,
}

/// A row that the cursor goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marked {
    /// Another pair says that it is to go there again.
    pub key: (u64, u64),
    /// The row.
    pub place: usize,
}

/// A row where it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which.
    pub place: usize,
    /// Its cells on the screen.
    pub run: Run,
}

/// What is done with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Press {
    /// Which.
    pub place: usize,
    /// What.
    pub deed: Deed,
}

/// What may be done with a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// Goes where it leads, or opens it.
    Go,
    /// Goes to the other place that it leads to: the end of a call, the next write.
    GoOn,
    /// Shows what is below it; to the next change of a value.
    Open,
    /// Hides that; to the last change of a value.
    Close,
    /// Takes away what it stands for.
    Remove,
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
        Self { listing, session, cursor, top, marked, rows, body }
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
        let Some(cursor) = self.at_cursor() else { return true };
        let to = match toward {
            Toward::Up => cursor.saturating_sub(1),
            Toward::Down => cursor.saturating_add(1),
            Toward::PageUp => cursor.saturating_sub(page),
            Toward::PageDown => cursor.saturating_add(page),
            Toward::First => 0,
            Toward::Last => usize::MAX,
            Toward::Left if self.press(Deed::Close, cx, out) => return true,
            Toward::Left => self.listing.outer(cursor).unwrap_or(cursor),
            Toward::Right => {
                self.press(Deed::Open, cx, out);
                return true;
            }
        };
        self.move_to(to);
        true
    }

    fn press(&mut self, deed: Deed, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        let place = self.at_cursor();
        place.is_some_and(|place| self.listing.press(Press { place, deed }, cx, out))
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
            let (place, margin) = (marked.place, self.listing.margin());
            self.reveal(place.saturating_add(margin).min(self.rows.saturating_sub(1)));
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
        if let Some(error) = self.listing.fetch(seen.clone(), cx) {
            return failed(&error, rest, pen);
        }
        for (line, place) in (0u16..).zip(seen) {
            let run = Run::of(rest, line);
            self.listing.row(Row { place, run }, pen, cx);
            if place == self.cursor {
                let role = if cx.has_focus { Role::Cursor } else { Role::CursorAway };
                pen.mark(run, pen.look.style(role));
            }
        }
    }
}

/// An area without its first row.
fn below(area: Rect) -> Rect {
    Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area }
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
        self.listing.cell(self.at_cursor()?, cx)
    }

    fn selection_at(&self, cx: &Cx<'_>) -> Option<Position> {
        self.listing.cell_at(self.at_cursor()?, cx)
    }

    fn copied(&self, _: &Cx<'_>) -> Option<String> {
        self.listing.copied(self.at_cursor()?)
    }

    fn obey(&mut self, command: Command, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        match command {
            Command::Move(toward) => self.go(toward, cx, out),
            Command::Remove => self.press(Deed::Remove, cx, out),
            Command::Access(Way::Back) => self.press(Deed::Go, cx, out),
            Command::Access(Way::Forward) => self.press(Deed::GoOn, cx, out),
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
        let is_taken = self.listing.take(action, cx);
        if is_taken {
            (self.cursor, self.top, self.marked) = (0, 0, None);
        }
        is_taken
    }

    fn touch(&mut self, touch: Touch, cx: &Cx<'_>, out: &mut Vec<Ask>) {
        let Touch { x, y, kind } = touch;
        if let TouchKind::Wheel(rows) = kind {
            let page = usize::from(self.body.height).max(1);
            self.top = self.top.saturating_add_signed(rows.into()).min(self.rows.saturating_sub(page));
            return;
        }
        let place = self.top + usize::from(y.saturating_sub(self.body.y));
        if self.body.contains(Place { x, y }) && place < self.rows {
            self.cursor = place;
            if kind == TouchKind::DoubleClick {
                self.press(Deed::Go, cx, out);
            }
        }
    }

    fn leave_trace(&mut self) {
        self.listing.forget();
        (self.cursor, self.top, self.marked) = (0, 0, None);
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        self.look(cx);
        self.rows = 0;
        match self.listing.ask(cx) {
            Listed::Rows(rows) => self.draw_rows(area, rows, pen, cx),
            Listed::Loading(words) => loading(&words, area, pen),
            Listed::Nothing(title, advice) => empty(&title, &advice, area, pen),
            Listed::Failed(error) => failed(&error, area, pen),
        }
    }
}
