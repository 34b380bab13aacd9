//! Scrollable list with a cursor, shared by all panes of rows. A kind of list is a [`PanelView`]
//! with a [`ListView`], which draws its rows; [`ListPane`] does the rest. [`open_list`] makes a
//! list of any kind, and [`empty`], [`failed`] and [`loading`] draw a pane without rows.

use ratatui::layout::{Position as Place, Rect};
use ratatui::style::Style;
use stepback_debugger::action::{Action, CellName, Direction, Follow, PanelKind};
use stepback_debugger::desk::SessionWatch;
use stepback_debugger::messages::say;
use stepback_debugger::model::TextRole;
use stepback_debugger::views::{
    AccessTable, BookmarkTable, BothStatesTable, BothTracesView, CallsView, CompareView,
    DifferenceTable, EffectsTable, ExternalTable, FindTable, FindingsView, FunctionTable,
    MemoryTable, PanelView, RowGesture, RowListing, SourceView, StackView, TableSource, TableView,
    ThreadTable, ViewStatus, WarningTable, WatchTable, WhyView,
};
use stepback_parsers::Position;

use crate::look::StyleRole;
use crate::pane::{
    CursorDirection, MouseInput, MouseInputKind, Pane, PaneAction, PaneCommand, PaneContext,
    PromptPurpose,
};
use crate::pen::{CellRun, Pen, wrapped};

/// Height below which a pane omits the line about the listed items.
const LOW: u16 = 4;

/// A view that is drawn as a list.
pub trait ListView: PanelView {
    /// Returns the title in the bar.
    fn title(&self, cx: &PaneContext<'_>) -> String;

    /// Returns true if a row with column headings precedes the others.
    fn has_heads(&self) -> bool {
        false
    }

    /// Draws the column headings.
    fn heads(&self, _run: CellRun, _pen: &mut Pen<'_>, _cx: &PaneContext<'_>) {}

    fn row(&self, row: ListRow, pen: &mut Pen<'_>, cx: &PaneContext<'_>);

    /// Clears the filter, because other rows are about to be shown.
    fn rewind(&mut self) {}

    /// Runs another command on the row under the cursor. Returns false if it has no meaning here.
    fn obey(
        &mut self,
        _command: PaneCommand,
        _place: Option<usize>,
        _cx: &PaneContext<'_>,
        _out: &mut Vec<PaneAction>,
    ) -> bool {
        false
    }
}

/// A row and its cells on the screen.
#[derive(Clone, Copy, Debug)]
pub struct ListRow {
    /// Index of the row.
    pub place: usize,
    pub run: CellRun,
}

pub struct ListPane<L> {
    pub listing: L,
    session: SessionWatch,
    cursor: usize,
    top: usize,
    /// Key of the row that the cursor moved to most recently.
    marked: Option<(u64, u64)>,
    /// Number of rows in the last frame.
    rows: usize,
    body: Rect,
}

impl<L: ListView> ListPane<L> {
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

    /// Returns to the first row, because other rows are about to be shown.
    fn rewind(&mut self) {
        self.listing.rewind();
        (self.cursor, self.top, self.marked) = (0, 0, None);
    }

    /// Drops state that has no meaning in another trace.
    fn look(&mut self, cx: &PaneContext<'_>) {
        if self.session.is_new(&cx.desk.session) {
            self.leave_trace();
        }
    }

    /// Returns the row under the cursor, if there are rows.
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

    fn go(
        &mut self,
        toward: CursorDirection,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        let page = usize::from(self.body.height).saturating_sub(1).max(1);
        let Some(cursor) = self.at_cursor() else {
            return true;
        };
        let to = match toward {
            CursorDirection::Left if self.press(RowGesture::Close, cx, out) => return true,
            CursorDirection::Left => self.listing.parent(cursor).unwrap_or(cursor),
            CursorDirection::Right => {
                self.press(RowGesture::Open, cx, out);
                return true;
            }
            toward => toward.moved(cursor, self.rows.saturating_sub(1), page),
        };
        self.move_to(to);
        true
    }

    fn press(
        &mut self,
        gesture: RowGesture,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        let Some(row) = self.at_cursor() else {
            return false;
        };
        let mut actions = Vec::new();
        let is_done = self.listing.act(row, gesture, cx.desk, &mut actions);
        out.extend(actions.into_iter().map(PaneAction::Do));
        is_done
    }

    fn draw_rows(&mut self, area: Rect, rows: RowListing, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        let mut rest = area;
        if area.height >= LOW {
            pen.role(CellRun::of(rest, 0), &rows.summary, StyleRole::Title);
            rest = below(rest);
        }
        if self.listing.has_heads() && rest.height > 1 {
            self.listing.heads(CellRun::of(rest, 0), pen, cx);
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
            let run = CellRun::of(rest, line);
            self.listing.row(ListRow { place, run }, pen, cx);
            if place == self.cursor {
                let role = if cx.has_focus {
                    StyleRole::Cursor
                } else {
                    StyleRole::CursorAway
                };
                pen.mark(run, pen.look.style(role));
            }
        }
    }
}

/// Returns an area without its first row.
fn below(area: Rect) -> Rect {
    Rect {
        y: area.y.saturating_add(1),
        height: area.height.saturating_sub(1),
        ..area
    }
}

impl<L: ListView> Pane for ListPane<L> {
    fn kind(&self) -> PanelKind {
        self.listing.kind()
    }

    fn title(&self, cx: &PaneContext<'_>) -> String {
        self.listing.title(cx)
    }

    fn follow(&self) -> Option<Follow> {
        self.listing.follow()
    }

    fn bind(&mut self, follow: Follow) {
        self.listing.bind(follow);
    }

    fn selection(&self, cx: &PaneContext<'_>) -> Option<CellName> {
        self.listing.cell(self.at_cursor()?, cx.desk)
    }

    fn selection_at(&self, cx: &PaneContext<'_>) -> Option<Position> {
        self.listing.cell_at(self.at_cursor()?, cx.desk)
    }

    fn copied(&self, _: &PaneContext<'_>) -> Option<String> {
        self.listing.copied(self.at_cursor()?)
    }

    fn obey(
        &mut self,
        command: PaneCommand,
        cx: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) -> bool {
        match command {
            PaneCommand::Move(toward) => self.go(toward, cx, out),
            PaneCommand::Remove => self.press(RowGesture::Remove, cx, out),
            PaneCommand::Access(Direction::Back) => self.press(RowGesture::Go, cx, out),
            PaneCommand::Access(Direction::Forward) => self.press(RowGesture::GoOn, cx, out),
            other => {
                let place = self.at_cursor();
                self.listing.obey(other, place, cx, out)
            }
        }
    }

    fn answer(
        &mut self,
        purpose: PromptPurpose,
        text: &str,
        _: &PaneContext<'_>,
        out: &mut Vec<PaneAction>,
    ) {
        if purpose == PromptPurpose::Filter && self.listing.filter(text) {
            return self.move_to(0);
        }
        out.extend(purpose.action(text).map(PaneAction::Do));
    }

    fn take(&mut self, action: &Action, cx: &PaneContext<'_>) -> bool {
        // Actions before the first frame already concern the current trace.
        self.look(cx);
        let is_taken = self.listing.take(action, cx.desk);
        if is_taken {
            self.rewind();
        }
        is_taken
    }

    fn touch(&mut self, touch: MouseInput, cx: &PaneContext<'_>, out: &mut Vec<PaneAction>) {
        let MouseInput { x, y, kind } = touch;
        if let MouseInputKind::Wheel(rows) = kind {
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
            if kind == MouseInputKind::DoubleClick {
                self.press(RowGesture::Go, cx, out);
            }
        }
    }

    fn leave_trace(&mut self) {
        self.listing.forget();
        self.rewind();
    }

    fn draw(&mut self, area: Rect, pen: &mut Pen<'_>, cx: &PaneContext<'_>) {
        self.look(cx);
        self.rows = 0;
        match self.listing.poll(cx.desk) {
            ViewStatus::Rows(rows) => self.draw_rows(area, rows, pen, cx),
            ViewStatus::Loading(words) => loading(&words, area, pen),
            ViewStatus::Empty { title, advice } => empty(&title, &advice, area, pen),
            ViewStatus::Failed(error) => failed(&error, area, pen),
        }
    }
}

/// Opens a list of a kind. Returns none if the kind is no list.
pub fn open_list(kind: PanelKind) -> Option<Box<dyn Pane>> {
    Some(match kind {
        PanelKind::Accesses => table(AccessTable::default()),
        PanelKind::Bookmarks => table(BookmarkTable::default()),
        PanelKind::BothStates => table(BothStatesTable::default()),
        PanelKind::BothTraces => list(BothTracesView::default()),
        PanelKind::Calls => list(CallsView::default()),
        PanelKind::Compare => list(CompareView::default()),
        PanelKind::Differences => table(DifferenceTable),
        PanelKind::Externals => table(ExternalTable::default()),
        PanelKind::Effects => table(EffectsTable::default()),
        PanelKind::Find => table(FindTable),
        PanelKind::Findings => list(FindingsView::default()),
        PanelKind::Functions => table(FunctionTable::default()),
        PanelKind::Heap
        | PanelKind::Heat
        | PanelKind::Tasks
        | PanelKind::Regions
        | PanelKind::StackMemory => table(MemoryTable::of(kind)),
        PanelKind::Source => list(SourceView::default()),
        PanelKind::Stack => list(StackView::default()),
        PanelKind::Threads => table(ThreadTable::default()),
        PanelKind::Why => list(WhyView::default()),
        PanelKind::Warnings => table(WarningTable::default()),
        PanelKind::Watches => table(WatchTable::default()),
        PanelKind::FlameGraph | PanelKind::Memory | PanelKind::Registers | PanelKind::Trace => {
            return None;
        }
    })
}

fn list(listing: impl ListView + 'static) -> Box<dyn Pane> {
    Box::new(ListPane::new(listing))
}

fn table(source: impl TableSource + 'static) -> Box<dyn Pane> {
    list(TableView::new(source))
}

/// Draws the reason for an empty list, and advice.
pub fn empty(title: &str, advice: &str, area: Rect, pen: &mut Pen<'_>) {
    let below = lines(title, pen.look.style(StyleRole::Key), area, pen);
    lines(advice, pen.look.text(TextRole::Label), below, pen);
}

pub fn failed(error: &str, area: Rect, pen: &mut Pen<'_>) {
    lines(error, pen.look.style(StyleRole::Error), area, pen);
}

/// Draws a notice that an answer is pending, with the current activity.
pub fn loading(words: &str, area: Rect, pen: &mut Pen<'_>) {
    let words = if words.is_empty() {
        say!("list-loading")
    } else {
        words
    };
    lines(words, pen.look.text(TextRole::Label), area, pen);
}

/// Draws a text in wrapped lines. Returns the area below it.
fn lines(text: &str, style: Style, area: Rect, pen: &mut Pen<'_>) -> Rect {
    let clean = pen.look.signs.clean(text).into_owned();
    let lines = wrapped(&clean, usize::from(area.width.saturating_sub(1)));
    for (row, line) in (0u16..area.height).zip(&lines) {
        pen.text(CellRun::of(area, row).after(1), line, style);
    }
    let taken = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(area.height);
    Rect {
        y: area.y.saturating_add(taken),
        height: area.height - taken,
        ..area
    }
}
