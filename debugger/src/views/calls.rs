//! The call tree, or the calls of a function or of a part of the trace.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepback_index::Cancel;
use stepback_index::answer::CallId;
use stepback_parsers::Position;

use super::view::{CursorRow, PanelView, RowGesture, RowListing, ViewStatus};
use crate::action::StepRange;
use crate::action::{Action, Follow, PanelKind, ViewAction};
use crate::desk::{Blocks, Desk, SessionChange, SessionWatch};
use crate::messages::{error_words, say, spoken};
use crate::model::TextRole;
use crate::model::call_rows::{
    CallNameFilter, CallRow, CallTreeNode, CallWords, ChildRows, call_words, children_of,
    find_calls, same_calls,
};
use crate::model::call_tree::{CallTree, TreeRow};
use crate::model::so_far::so_far;
use crate::model::step_rows::call_path;
use crate::model::text::thousands;
use crate::worker::{Answer, JobLane, Slot, Ticket};

/// Maximum number of calls that a search lists.
const FOUND: usize = 1000;
/// Number of calls whose details are requested at once.
const BLOCK: u64 = 32;

/// A column of numbers right of the calls.
pub struct CallColumn {
    /// Message id of the column head.
    head: &'static str,
    /// Meaning of the numbers.
    pub meaning: TextRole,
    /// Minimum width of the panel for the column to be shown, in characters.
    min_width: usize,
    /// Minimum number of threads for the column to be shown.
    min_threads: usize,
    number: fn(&CallRow) -> u64,
}

/// The columns, from the right.
const COLUMNS: [CallColumn; 4] = [
    CallColumn {
        head: "calls-steps",
        meaning: TextRole::Second,
        min_width: 0,
        min_threads: 1,
        number: |row| row.steps,
    },
    CallColumn {
        head: "calls-elapsed",
        meaning: TextRole::Label,
        min_width: 45,
        min_threads: 2,
        number: |row| row.elapsed,
    },
    CallColumn {
        head: "calls-position",
        meaning: TextRole::Label,
        min_width: 60,
        min_threads: 1,
        number: |row| row.entered_at.0,
    },
    CallColumn {
        head: "calls-inside",
        meaning: TextRole::Label,
        min_width: 100,
        min_threads: 1,
        number: |row| {
            row.end
                .0
                .saturating_sub(row.first.0)
                .saturating_sub(row.count)
        },
    },
];

impl CallColumn {
    pub fn head(&self) -> &'static str {
        spoken(self.head)
    }

    /// Returns the text of a row.
    pub fn text(&self, row: &CallRow) -> String {
        thousands((self.number)(row))
    }
}

/// The calls as a tree; the calls of a function or of a part of the trace as a list.
#[derive(Serialize, Deserialize)]
pub struct CallsView {
    // Layouts of earlier versions lack it.
    #[serde(default)]
    follow: Follow,
    #[serde(skip)]
    session: SessionWatch,
    #[serde(skip)]
    state: Box<CallsState>,
}

struct CallsState {
    tree: CallTree,
    /// The calls around a position, outermost first, and the number of calls in the trace.
    path: Slot<Position, (Vec<CallId>, u64)>,
    pending: HashMap<CallTreeNode, (usize, Ticket<ChildRows>)>,
    /// Query for the new numbers of the calls in the rows, after more of the trace was indexed.
    renumbering: Option<Ticket<HashMap<CallId, CallId>>>,
    error: Option<String>,
    text: String,
    range: Option<StepRange>,
    /// The first matching calls, and the number of all.
    found: Slot<CallNameFilter, (Vec<CallRow>, u64)>,
    words: Blocks<CallWords>,
    /// The search whose details `words` holds.
    words_of: CallNameFilter,
    rows: Vec<TreeRow>,
}

impl Default for CallsState {
    fn default() -> Self {
        Self {
            tree: CallTree::default(),
            path: Slot::default(),
            pending: HashMap::new(),
            renumbering: None,
            error: None,
            text: String::new(),
            range: None,
            found: Slot::default(),
            words: Blocks::new(BLOCK),
            words_of: CallNameFilter::default(),
            rows: Vec::new(),
        }
    }
}

impl CallsState {
    fn sought(&self) -> CallNameFilter {
        CallNameFilter {
            text: self.text.trim().to_owned(),
            range: self.range,
        }
    }

    /// Requests the current numbers of the calls in the rows, after more of the trace was indexed.
    fn renumber(&mut self, desk: &Desk) {
        let (session, shown) = (Arc::clone(&desk.session), self.tree.shown_calls());
        let job = move |_: &Cancel| Ok(same_calls(session.index.calls(), &shown));
        self.renumbering = Some(desk.worker.spawn(JobLane::Short, job));
        self.pending.clear();
        self.words = Blocks::new(BLOCK);
    }

    fn receive_numbers(&mut self) {
        let Some(answer) = self.renumbering.as_ref().and_then(Ticket::take) else {
            return;
        };
        self.renumbering = None;
        match answer {
            Ok(same) => self.tree.carry(&same),
            Err(error) => self.error = Some(error_words(&error)),
        }
    }

    /// Requests the calls around a position. If they cannot be read, the tree stays as it is.
    fn poll_path(&mut self, position: Position, desk: &Desk) {
        let answer = self.path.poll(&position, &desk.worker, |position| {
            let (position, session) = (*position, Arc::clone(&desk.session));
            move |_: &Cancel| {
                let path = call_path(&session, position)?;
                let calls = path.into_iter().map(|part| part.call).collect();
                Ok((calls, session.index.calls().len()))
            }
        });
        if let Some((calls, _)) = answer.any().filter(|_| self.renumbering.is_none()) {
            self.tree.set_path(calls);
        }
    }

    /// Returns the rows of the tree. Requests the children of open rows.
    fn tree_rows(&mut self, desk: &Desk) -> Vec<TreeRow> {
        if self.renumbering.is_some() {
            return self.tree.rows().0;
        }
        self.receive_children();
        self.tree.reach_path();
        let (_, wanted) = self.tree.rows();
        self.request_children(&wanted, desk);
        self.receive_children();
        self.tree.rows().0
    }

    fn request_children(&mut self, wanted: &[CallTreeNode], desk: &Desk) {
        self.pending.retain(|node, _| wanted.contains(node));
        for node in wanted {
            let limit = self.tree.limit(*node);
            if self
                .pending
                .get(node)
                .is_none_or(|(requested, _)| *requested != limit)
            {
                let (node, session) = (*node, Arc::clone(&desk.session));
                let job = move |cancel: &Cancel| Ok(children_of(&session, node, limit, cancel)?);
                self.pending
                    .insert(node, (limit, desk.worker.spawn(JobLane::Short, job)));
            }
        }
    }

    fn receive_children(&mut self) {
        let (tree, error) = (&mut self.tree, &mut self.error);
        self.pending
            .retain(|node, (limit, ticket)| match ticket.take() {
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

    /// Returns the calls that a search found, one per row.
    fn found_rows(&mut self, position: Position, desk: &Desk) -> Option<Vec<TreeRow>> {
        let answer = self
            .found
            .poll_long(&self.sought(), &desk.worker, |sought| {
                let (sought, session) = (sought.clone(), Arc::clone(&desk.session));
                move |cancel: &Cancel| Ok(find_calls(&session, &sought, FOUND, cancel)?)
            });
        if let Answer::Failed(error) = &answer {
            self.error = Some((*error).to_owned());
        }
        let (found, count) = answer.any()?;
        // Until the path is known, no row is marked.
        let path = self
            .path
            .peek()
            .filter(|(at, _)| **at == position && self.renumbering.is_none());
        let current = path.and_then(|(_, (calls, _))| calls.last().copied());
        let row = |row: &CallRow| {
            let is_on_path = current.is_some_and(|current| row.contains(current));
            let is_current = current == Some(row.first);
            TreeRow::Calls {
                depth: 0,
                row: row.clone(),
                is_open: None,
                is_on_path,
                is_current,
            }
        };
        let mut rows: Vec<TreeRow> = found.iter().map(row).collect();
        let hidden = count.saturating_sub(rows.len() as u64);
        rows.extend((hidden > 0).then_some(TreeRow::More {
            depth: 0,
            node: CallTreeNode::Top,
            hidden: Some(hidden),
        }));
        Some(rows)
    }
}

impl CallsView {
    /// Creates the tree, with the position of a window marked.
    pub fn new(follow: Follow) -> Self {
        Self {
            follow,
            session: SessionWatch::default(),
            state: Box::default(),
        }
    }

    /// Rows as of the last poll.
    pub fn rows(&self) -> &[TreeRow] {
        &self.state.rows
    }

    /// Returns the name of the functions to list, as typed.
    pub fn text_mut(&mut self) -> &mut String {
        &mut self.state.text
    }

    /// Returns the part of the trace whose calls are listed.
    pub fn range(&self) -> Option<StepRange> {
        self.state.range
    }

    /// Lists the calls that are entered in a part of the trace; none: shows the tree.
    pub fn list_range(&mut self, range: Option<StepRange>) {
        self.state.range = range;
    }

    /// True while a list of calls is shown instead of the tree.
    pub fn is_search(&self) -> bool {
        self.state.sought().is_any()
    }

    /// Returns caller and arguments of the calls that a search found.
    pub fn words(&self) -> &Blocks<CallWords> {
        &self.state.words
    }

    /// Returns true while the rows have the numbers of an earlier part of the trace. No action
    /// works on them meanwhile.
    pub fn is_renumbering(&self) -> bool {
        self.state.renumbering.is_some()
    }

    /// Returns the columns for a panel of a width in characters, from the right.
    pub fn columns(
        &self,
        desk: &Desk,
        width: usize,
    ) -> impl Iterator<Item = &'static CallColumn> + use<> {
        let threads = desk.session.index.threads().len();
        COLUMNS
            .iter()
            .filter(move |column| width >= column.min_width && threads >= column.min_threads)
    }

    /// Returns the number of listed calls and the part of the trace that they are from.
    pub fn summary(&self, desk: &Desk) -> String {
        let count = match self.is_search() {
            true => self.state.found.peek().map_or(0, |(_, (_, count))| *count),
            false => self.state.path.peek().map_or(0, |(_, (_, count))| *count),
        };
        let calls = so_far(&desk.session, &say!("calls-count", count = count));
        match self.state.range {
            Some(StepRange { first, last }) => say!(
                "calls-in-steps",
                calls = calls,
                first = first.0,
                last = last.0
            ),
            None => calls,
        }
    }

    /// Returns the row of the position, once all rows around it are known.
    fn marked(&self, desk: &Desk) -> Option<CursorRow> {
        let state = &self.state;
        let position = desk.windows.position_of(self.follow);
        let is_known = state
            .path
            .peek()
            .is_some_and(|(asked, _)| *asked == position);
        let is_whole = !state
            .rows
            .iter()
            .any(|row| matches!(row, TreeRow::Loading { .. }));
        let has_reached = state.tree.has_reached() && state.renumbering.is_none();
        let is_settled = is_known && is_whole && has_reached && state.pending.is_empty();
        let is_current = |row: &TreeRow| {
            matches!(
                row,
                TreeRow::Calls {
                    is_current: true,
                    ..
                }
            )
        };
        let row = state
            .rows
            .iter()
            .position(is_current)
            .filter(|_| is_settled && !self.is_search())?;
        Some(CursorRow {
            key: (position.0, 0),
            row,
        })
    }
}

impl Default for CallsView {
    fn default() -> Self {
        Self::new(Follow::default())
    }
}

impl PanelView for CallsView {
    fn kind(&self) -> PanelKind {
        PanelKind::Calls
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        if !matches!(follow, Follow::Pinned(_)) {
            self.follow = follow;
        }
    }

    fn poll(&mut self, desk: &Desk) -> ViewStatus {
        match self.session.look(&desk.session) {
            SessionChange::Nothing => {}
            SessionChange::Part => self.state.renumber(desk),
            SessionChange::Trace => {
                // Requests before the first poll are about this trace.
                let is_new = self.state.path.peek().is_none() && self.state.found.peek().is_none();
                let range = self.state.range.filter(|_| is_new);
                *self.state = CallsState {
                    range,
                    ..CallsState::default()
                };
            }
        }
        self.state.receive_numbers();
        // A failed request is not repeated.
        if let Some(error) = &self.state.error {
            return ViewStatus::Failed(error.clone());
        }
        let position = desk.windows.position_of(self.follow);
        self.state.poll_path(position, desk);
        let rows = match self.is_search() {
            true => self.state.found_rows(position, desk),
            false => Some(self.state.tree_rows(desk)),
        };
        if let Some(error) = &self.state.error {
            return ViewStatus::Failed(error.clone());
        }
        let Some(rows) = rows else {
            return ViewStatus::Loading(String::new());
        };
        self.state.rows = rows;
        if self.state.rows.is_empty() {
            let title = so_far(&desk.session, say!("calls-no-such-call"));
            return ViewStatus::Empty {
                title,
                advice: say!("calls-try-a-part-of-the").to_owned(),
            };
        }
        let summary = match self.is_search() {
            true => format!("{}  {}", self.summary(desk), self.state.text.trim()),
            false => self.summary(desk),
        };
        ViewStatus::Rows(RowListing {
            count: self.state.rows.len(),
            summary,
            marked: self.marked(desk),
        })
    }

    fn fetch(&mut self, seen: Range<usize>, desk: &Desk) -> Option<String> {
        if !self.is_search() {
            return None;
        }
        let state = &mut self.state;
        let listed = state
            .found
            .peek()
            .map(|(sought, _)| sought.clone())
            .unwrap_or_default();
        if state.words_of != listed {
            (state.words, state.words_of) = (Blocks::new(BLOCK), listed);
        }
        let calls: Vec<CallId> = state.rows.iter().map_while(TreeRow::first_call).collect();
        let seen = seen.filter(|row| *row < calls.len()).map(|row| row as u64);
        state.words.fetch(seen, &desk.worker, |range| {
            let index = |row: u64| usize::try_from(row).unwrap_or(usize::MAX).min(calls.len());
            let asked = calls
                .get(index(range.start)..index(range.end))
                .unwrap_or_default()
                .to_vec();
            let session = Arc::clone(&desk.session);
            move |cancel: &Cancel| Ok(call_words(&session, &asked, cancel)?)
        });
        None
    }

    fn act(&mut self, row: usize, gesture: RowGesture, desk: &Desk, out: &mut Vec<Action>) -> bool {
        let row = self
            .state
            .rows
            .get(row)
            .filter(|_| self.state.renumbering.is_none());
        let window = desk.windows.travelling(self.follow);
        match (row, gesture) {
            (
                Some(TreeRow::Calls {
                    row,
                    is_open: Some(false),
                    ..
                }),
                RowGesture::Open,
            ) => self.state.tree.open(row.node()),
            (
                Some(TreeRow::Calls {
                    row,
                    is_open: Some(true),
                    ..
                }),
                RowGesture::Close,
            ) => self.state.tree.close(row.node()),
            (Some(TreeRow::Calls { row, .. }), RowGesture::Go) => {
                out.push(Action::travel(window, row.entered_at))
            }
            (Some(TreeRow::Calls { row, .. }), RowGesture::GoOn) => {
                out.push(Action::travel(window, row.left_at))
            }
            (Some(TreeRow::More { node, .. }), RowGesture::Go | RowGesture::Open) => {
                self.state.tree.show_more(*node)
            }
            _ => return false,
        }
        true
    }

    fn parent(&self, row: usize) -> Option<usize> {
        let depth = self.state.rows.get(row)?.depth();
        let is_around = |other: &TreeRow| matches!(other, TreeRow::Calls { depth: other, .. } if *other < depth);
        self.state.rows.get(..row)?.iter().rposition(is_around)
    }

    fn copied(&self, row: usize) -> Option<String> {
        match self.state.rows.get(row)? {
            TreeRow::Calls { row, .. } => Some(row.name.clone()),
            TreeRow::More { .. } | TreeRow::Loading { .. } => None,
        }
    }

    fn filter(&mut self, text: &str) -> bool {
        text.clone_into(&mut self.state.text);
        true
    }

    fn take(&mut self, action: &Action, _: &Desk) -> bool {
        let Action::View(ViewAction::ListCalls(range)) = action else {
            return false;
        };
        (self.state.text, self.state.range) = (String::new(), *range);
        true
    }

    fn forget(&mut self) {
        *self = Self::new(self.follow);
    }
}
