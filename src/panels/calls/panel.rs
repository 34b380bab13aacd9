//! The call tree.

use std::collections::HashMap;
use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_index::{CallId, Cancel};
use stepback_parsers::Position;

use super::columns::{Columns, Listing};
use super::rows::{RowAt, Rows, Touched};
use crate::action::{Action, Follow, PanelKind, StepRange, WindowId};
use crate::desk::Blocks;
use crate::desk::{Change, SessionWatch};
use crate::messages::say;
use crate::model::call_rows::{Children, Node, children_of, same_calls};
use crate::model::call_tree::{CallTree, TreeRow, names_around};
use crate::model::found_calls::{CallWords, FoundCalls, SoughtCalls, call_words, find_calls};
use crate::model::indents::Indents;
use crate::model::so_far::so_far;
use crate::model::step_rows::call_path;
use crate::panels::ViewCx;
use crate::panels::cursor_list::{CursorList, take_rect};
use crate::panels::field::Field;
use crate::panels::keys::{PanelKey, take_keys};
use crate::panels::list::ListArea;
use crate::panels::panel::Panel;
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::{EmptyWords, button_response, empty_ui, error_ui};
use crate::theme::{icon, icons, ui as ui_font};
use crate::worker::{Answer, Lane, Slot, Ticket};

/// The field.
const HEAD: f32 = 36.0;
/// Calls whose words are asked for at once.
const BLOCK: u64 = 32;
/// How many of the calls around the topmost row are named where they are out of view.
const AROUND: usize = 3;
/// How many calls of a search are listed at most.
const FOUND: usize = 1000;

/// The calls as a tree.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallsPanel {
    /// The trace window whose position it marks. Layouts of earlier versions do not say.
    #[serde(default)]
    pub follow: Follow,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<CallsState>,
}

struct CallsState {
    tree: CallTree,
    path: Slot<Position, Vec<CallId>>,
    pending: HashMap<Node, (usize, Ticket<Children>)>,
    /// The calls of the rows in the part of the trace that is shown by now.
    carrying: Option<Ticket<HashMap<CallId, CallId>>>,
    error: Option<String>,
    text: String,
    /// Calls of which part of the trace are listed, instead of the tree.
    range: Option<StepRange>,
    found: Slot<SoughtCalls, FoundCalls>,
    /// What is said of those calls, and what was looked for then.
    words: Blocks<CallWords>,
    words_of: SoughtCalls,
    list: CursorList,
    /// The position that was last brought into view, and the height of the list then.
    revealed: Option<(Position, f32)>,
}

impl Default for CallsState {
    fn default() -> Self {
        Self {
            tree: CallTree::default(),
            path: Slot::default(),
            pending: HashMap::new(),
            carrying: None,
            error: None,
            text: String::new(),
            range: None,
            found: Slot::default(),
            words: Blocks::new(BLOCK),
            words_of: SoughtCalls::default(),
            list: CursorList::default(),
            revealed: None,
        }
    }
}

/// The row at which a key was pressed, among all rows.
pub struct Pressed<'a> {
    pub place: usize,
    pub rows: &'a [TreeRow],
    pub list: Rect,
}

impl std::fmt::Debug for CallsState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallsState").field("text", &self.text).finish_non_exhaustive()
    }
}

impl CallsState {
    fn sought(&self) -> SoughtCalls {
        SoughtCalls { text: self.text.trim().to_owned(), range: self.range }
    }

    /// Calls have other numbers when more of the trace is known.
    fn take_part(&mut self, cx: &ViewCx<'_>) {
        let (session, shown) = (Arc::clone(cx.session), self.tree.shown_calls());
        let job = move |_: &Cancel| Ok(same_calls(session.index.calls(), &shown));
        self.carrying = Some(cx.worker.spawn(Lane::Short, job));
        self.pending.clear();
        self.words = Blocks::new(BLOCK);
    }

    /// Gives the rows their numbers in the part that is shown, once they are known.
    fn carry(&mut self) {
        let Some(answer) = self.carrying.as_ref().and_then(Ticket::take) else { return };
        self.carrying = None;
        match answer {
            Ok(same) => self.tree.carry(&same),
            Err(error) => self.error = Some(format!("{error:#}")),
        }
    }
}

impl CallsPanel {
    /// The tree, with the position of a window marked.
    pub fn new(follow: Follow) -> Self {
        Self { follow, session: SessionWatch::default(), state: Box::default() }
    }

    /// Lists the calls that are entered in a part of the trace; none: the tree.
    pub fn list_range(&mut self, range: Option<StepRange>) {
        (self.state.range, self.state.list, self.state.revealed) = (range, CursorList::default(), None);
    }

    /// The rows of the tree; asks for what is open and not there.
    fn tree_rows(&mut self, cx: &ViewCx<'_>) -> Option<Vec<TreeRow>> {
        let position = cx.windows.position_of(self.follow);
        let answer = self.state.path.poll(&position, cx.worker, |position| {
            let (position, session) = (*position, Arc::clone(cx.session));
            move |_: &Cancel| Ok(call_path(&session, position)?.into_iter().map(|part| part.call).collect::<Vec<_>>())
        });
        if self.state.carrying.is_some() {
            return Some(self.state.tree.rows().0);
        }
        if let Some(path) = answer.any() {
            self.state.tree.set_path(path);
        }
        self.receive();
        self.state.tree.reach_path();
        let (_, wanted) = self.state.tree.rows();
        self.ask(&wanted, cx);
        self.receive();
        Some(self.state.tree.rows().0)
    }

    fn ask(&mut self, wanted: &[Node], cx: &ViewCx<'_>) {
        self.state.pending.retain(|node, _| wanted.contains(node));
        for node in wanted {
            let limit = self.state.tree.limit(*node);
            if self.state.pending.get(node).is_none_or(|(asked, _)| *asked != limit) {
                let (node, session) = (*node, Arc::clone(cx.session));
                let ticket =
                    cx.worker.spawn(Lane::Short, move |cancel| Ok(children_of(&session, node, limit, cancel)?));
                self.state.pending.insert(node, (limit, ticket));
            }
        }
    }

    fn receive(&mut self) {
        let (tree, error) = (&mut self.state.tree, &mut self.state.error);
        self.state.pending.retain(|node, (limit, ticket)| match ticket.take() {
            None => true,
            Some(Ok(children)) => {
                tree.insert(*node, *limit, children);
                false
            }
            Some(Err(problem)) => {
                *error = Some(format!("{problem:#}"));
                false
            }
        });
    }

    /// Calls of the functions that are looked for, one a row.
    fn found_rows(&mut self, cx: &ViewCx<'_>) -> Option<Vec<TreeRow>> {
        let sought = self.state.sought();
        let answer = self.state.found.poll_long(&sought, cx.worker, |sought| {
            let (sought, session) = (sought.clone(), Arc::clone(cx.session));
            move |cancel: &Cancel| Ok(find_calls(&session, &sought, FOUND, cancel)?)
        });
        if let Answer::Failed(error) = &answer {
            self.state.error = Some((*error).to_owned());
        }
        let found = answer.any()?;
        let current = self.state.path.peek().and_then(|(_, path)| path.last().copied());
        let row = |row: &crate::model::call_rows::CallRow| {
            let is_on_path = current.is_some_and(|current| row.contains(current));
            let is_current = current == Some(row.first);
            TreeRow::Calls { depth: 0, row: row.clone(), is_open: None, is_on_path, is_current }
        };
        let mut rows: Vec<TreeRow> = found.rows.iter().map(row).collect();
        let hidden = found.count.saturating_sub(rows.len() as u64);
        if hidden > 0 {
            rows.push(TreeRow::More { depth: 0, node: Node::Top, hidden: Some(hidden) });
        }
        Some(rows)
    }

    fn rows_ui(&mut self, ui: &mut Ui, list: Rect, rows: &[TreeRow], cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let is_found = self.state.sought().is_any();
        let list = if is_found { self.count_ui(ui, list, cx) } else { list };
        let (head, list) = list.split_top_bottom_at_y(list.top() + ROW);
        self.follow(rows, list, cx);
        self.keys(ui, rows, list, cx, out);
        let area = self.state.list.area(ui, list, rows.len(), cx.tok);
        if is_found {
            self.ask_words(rows, &area, cx);
        }
        let listing = if is_found { Listing::Found(&self.state.words) } else { Listing::Tree };
        let columns = Columns {
            listing,
            left: area.body.left(),
            right: area.body.right(),
            threads: cx.session.index.threads().len(),
        };
        let depths = area.places().filter_map(|(place, _)| Some(rows.get(place)?.depth()));
        let indents = Indents::of(depths, columns.room_for_indents());
        let first = area.places().next().filter(|_| indents.hidden().is_some());
        let around = first.map(|(place, _)| say!("calls-in", names = names_around(rows, place, AROUND).join(" › ")));
        columns.head_ui(&Pen::new(ui, head, cx.tok), head, around.as_deref());
        let window = cx.windows.followed(cx.windows.travelling(self.follow));
        let cursor = self.state.list.cursor;
        let shown = Rows { pen: Pen::new(ui, area.body, cx.tok), cx, window, cursor, columns, indents };
        let mut touched = Touched::default();
        for (place, rect) in area.places() {
            if let Some(row) = rows.get(place) {
                shown.row_ui(ui, rect, RowAt { place, row }, &mut touched, out);
            }
        }
        self.apply(touched);
    }

    /// Asks for what is said of the calls in view.
    fn ask_words(&mut self, rows: &[TreeRow], area: &ListArea, cx: &ViewCx<'_>) {
        let listed = self.state.found.peek().map(|(sought, _)| sought.clone()).unwrap_or_default();
        if self.state.words_of != listed {
            (self.state.words, self.state.words_of) = (Blocks::new(BLOCK), listed);
        }
        let calls: Vec<CallId> = rows.iter().map_while(TreeRow::first_call).collect();
        let seen = area.rows().map(|(row, _)| row).filter(|row| *row < calls.len() as u64);
        self.state.words.fetch(seen, cx.worker, |range| {
            let place = |row: u64| usize::try_from(row).unwrap_or(usize::MAX).min(calls.len());
            let asked = calls.get(place(range.start)..place(range.end)).unwrap_or_default().to_vec();
            let session = Arc::clone(cx.session);
            move |cancel: &Cancel| Ok(call_words(&session, &asked, cancel)?)
        });
    }

    /// How many calls are listed, and of which part of the trace: that can be left.
    fn count_ui(&mut self, ui: &Ui, list: Rect, cx: &ViewCx<'_>) -> Rect {
        let (head, rest) = list.split_top_bottom_at_y(list.top() + ROW);
        let count = self.state.found.peek().map_or(0, |(_, found)| found.count);
        let pen = Pen::new(ui, head, cx.tok);
        let mut words = so_far(cx.session, &say!("calls-count", count = count));
        let mut right = head.right() - 8.0;
        if let Some(StepRange { first, last }) = self.state.range {
            words = say!("calls-in-steps", calls = words, first = first, last = last);
            let button = Rect::from_min_max(pos2(right - 20.0, head.top()), pos2(right, head.bottom()));
            let response = button_response(ui, button, "leave range", say!("calls-list-calls-of-the-whole"));
            pen.text_centered(button.center(), icons::CLOSE, icon(12.0), cx.tok.t2);
            right = button.left() - 4.0;
            if response.clicked() {
                self.list_range(None);
            }
            response.on_hover_text(say!("calls-back-to-the-calls-of"));
        }
        pen.cut_text(pos2(head.left() + 12.0, head.center().y), &words, ui_font(11.5), cx.tok.t3, right);
        rest
    }

    /// Brings the row of the position into view when the position moved.
    fn follow(&mut self, rows: &[TreeRow], list: Rect, cx: &ViewCx<'_>) {
        let position = cx.windows.position_of(self.follow);
        let is_known = self.state.path.peek().is_some_and(|(asked, _)| *asked == position);
        let is_whole = !rows.iter().any(|row| matches!(row, TreeRow::Loading { .. }));
        let has_reached = self.state.tree.has_reached() && self.state.carrying.is_none();
        let is_settled = self.state.pending.is_empty() && is_known && is_whole && has_reached;
        let now = Some((position, list.height()));
        if self.state.revealed == now || !is_settled {
            return;
        }
        let current = rows.iter().position(|row| matches!(row, TreeRow::Calls { is_current: true, .. }));
        if let Some(place) = current {
            self.state.list.go_to(place, rows.len(), list);
        }
        self.state.revealed = now;
    }

    fn keys(&mut self, ui: &Ui, rows: &[TreeRow], list: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            let place = self.state.list.press(key, rows.len(), list);
            if let Some(row) = rows.get(place) {
                self.row_key(key, row, Pressed { place, rows, list }, cx, out);
            }
        }
    }

    fn row_key(
        &mut self,
        key: PanelKey,
        row: &TreeRow,
        Pressed { place, rows, list }: Pressed<'_>,
        cx: &ViewCx<'_>,
        out: &mut Vec<Action>,
    ) {
        match (row, key) {
            (TreeRow::Calls { row, is_open: Some(false), .. }, PanelKey::Right) => self.state.tree.open(row.node()),
            (TreeRow::Calls { row, is_open: Some(true), .. }, PanelKey::Left) => self.state.tree.close(row.node()),
            (TreeRow::Calls { depth, .. }, PanelKey::Left) => {
                let parent = |other: &TreeRow| matches!(other, TreeRow::Calls { depth: other, .. } if *other < *depth);
                let above = rows.get(..place).and_then(|above| above.iter().rposition(parent));
                self.state.list.go_to(above.unwrap_or(place), rows.len(), list);
            }
            (TreeRow::Calls { row, .. }, PanelKey::Enter) => {
                out.push(Action::Travel(cx.windows.travelling(self.follow), row.entered_at.0));
            }
            (TreeRow::Calls { row, .. }, PanelKey::ShiftEnter) => {
                out.push(Action::Travel(cx.windows.travelling(self.follow), row.left_at.0));
            }
            (TreeRow::Calls { row, .. }, PanelKey::Copy) => out.push(Action::Copy(row.name.clone())),
            (TreeRow::More { node, .. }, PanelKey::Enter) => self.state.tree.show_more(*node),
            _ => {}
        }
    }

    fn apply(&mut self, touched: Touched) {
        if let Some(place) = touched.cursor {
            self.state.list.cursor = place;
        }
        match touched.toggled {
            Some((node, true)) => self.state.tree.open(node),
            Some((node, false)) => self.state.tree.close(node),
            None => {}
        }
        if let Some(node) = touched.more {
            self.state.tree.show_more(node);
        }
    }
}

impl Panel for CallsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new(Follow::Active)
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Calls
    }

    fn title(&self) -> String {
        say!("calls-calls").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        if !matches!(follow, Follow::Pinned(_)) {
            self.follow = follow;
        }
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        match self.session.look(cx.session) {
            Change::Nothing => {}
            Change::Part => self.state.take_part(cx),
            Change::Trace => {
                // What was asked before the first frame is asked of this trace.
                let is_new = self.state.path.peek().is_none() && self.state.found.peek().is_none();
                let range = self.state.range.filter(|_| is_new);
                *self.state = CallsState { range, ..CallsState::default() };
            }
        }
        self.state.carry();
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let field = Rect::from_min_size(rect.min + vec2(8.0, 6.0), vec2(rect.width() - 16.0, 22.0));
        let finder = Field { hint: say!("calls-find-a-function"), icon: icons::SEARCH };
        let field = finder.ui(ui, &pen, field, &mut self.state.text);
        if field.changed() {
            // Another list: it begins at its top; the tree comes back with the call of the position in view.
            (self.state.list, self.state.revealed) = (CursorList::default(), None);
        }
        let is_entered = field.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
        let list = Rect::from_min_max(pos2(rect.left(), rect.top() + HEAD), rect.max);
        if let Some(error) = &self.state.error {
            return error_ui(ui, &pen, list, error, out);
        }
        let rows = if self.state.sought().is_any() { self.found_rows(cx) } else { self.tree_rows(cx) };
        let Some(rows) = rows else { return };
        if rows.is_empty() {
            // A range without calls can be left.
            let list = if self.state.range.is_some() { self.count_ui(ui, list, cx) } else { list };
            let title = so_far(cx.session, say!("calls-no-such-call"));
            return empty_ui(ui, &pen, list, icons::CALLS, EmptyWords(&title, say!("calls-try-a-part-of-the")));
        }
        if let Some(TreeRow::Calls { row, .. }) = rows.first().filter(|_| is_entered) {
            out.push(Action::Travel(cx.windows.travelling(self.follow), row.entered_at.0));
        }
        // Rows that bear the numbers of another part of the trace can be looked at and no more.
        match self.state.carrying {
            None => self.rows_ui(ui, list, &rows, cx, out),
            Some(_) => self.rows_ui(ui, list, &rows, &ViewCx { has_focus: false, ..*cx }, &mut Vec::new()),
        }
    }
}
