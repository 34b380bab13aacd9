//! The call tree.

use std::collections::HashMap;
use std::sync::Arc;

use stepback_index::{CallId, Cancel};
use stepback_parsers::Position;

use super::list::{Deed, Listed, Listing, Marked, Press, Row, Rows};
use crate::action::{Action, Follow, PanelKind, StepRange};
use crate::desk::{Change, SessionWatch};
use crate::messages::say;
use crate::model::Meaning;
use crate::model::call_rows::{CallRow, Children, Node, children_of, same_calls};
use crate::model::call_tree::{CallTree, TreeRow};
use crate::model::found_calls::{FoundCalls, SoughtCalls, find_calls};
use crate::model::frame_words::exception;
use crate::model::so_far::so_far;
use crate::model::step_rows::call_path;
use crate::model::text::thousands;
use crate::terminal::look::Role;
use crate::terminal::pane::{Ask, Cx};
use crate::terminal::pen::{Pen, Run};
use crate::worker::{Answer, Lane, Slot, Ticket};

/// How many calls of a search are listed at most.
const FOUND: usize = 1000;
/// From this width on a row says where its call is entered.
const WIDE: u16 = 60;
/// Cells of a number.
const NUMBER: u16 = 13;
/// Deeper calls stand no further in than a part of the row.
const DEEPEST: u16 = 3;

/// The calls as a tree, or those of a function or a part of the trace as a list.
#[derive(Default)]
pub struct Calls {
    follow: Follow,
    session: SessionWatch,
    tree: CallTree,
    path: Slot<Position, Vec<CallId>>,
    pending: HashMap<Node, (usize, Ticket<Children>)>,
    /// The calls of the rows in the part of the trace that is shown by now.
    carrying: Option<Ticket<HashMap<CallId, CallId>>>,
    error: Option<String>,
    sought: SoughtCalls,
    found: Slot<SoughtCalls, FoundCalls>,
    rows: Vec<TreeRow>,
}

impl Calls {
    /// The rows of the tree; asks for what is open and not there. None until anything is known.
    fn tree_rows(&mut self, cx: &Cx<'_>) -> Option<Vec<TreeRow>> {
        let position = cx.desk.windows.position_of(self.follow);
        let answer = self.path.poll(&position, cx.worker(), |position| {
            let (position, session) = (*position, Arc::clone(&cx.desk.session));
            move |_: &Cancel| Ok(call_path(&session, position)?.into_iter().map(|part| part.call).collect::<Vec<_>>())
        });
        match answer {
            Answer::Failed(error) => self.error = Some(error.to_owned()),
            answer if self.carrying.is_none() => answer.any().iter().for_each(|path| self.tree.set_path(path)),
            _ => {}
        }
        if self.carrying.is_some() {
            return Some(self.tree.rows().0);
        }
        self.receive();
        self.tree.reach_path();
        let (_, wanted) = self.tree.rows();
        self.wish(&wanted, cx);
        self.receive();
        Some(self.tree.rows().0)
    }

    fn wish(&mut self, wanted: &[Node], cx: &Cx<'_>) {
        self.pending.retain(|node, _| wanted.contains(node));
        for node in wanted {
            let limit = self.tree.limit(*node);
            if self.pending.get(node).is_none_or(|(asked, _)| *asked != limit) {
                let (node, session) = (*node, Arc::clone(&cx.desk.session));
                let job = move |cancel: &Cancel| Ok(children_of(&session, node, limit, cancel)?);
                self.pending.insert(node, (limit, cx.worker().spawn(Lane::Short, job)));
            }
        }
    }

    fn receive(&mut self) {
        let (tree, error) = (&mut self.tree, &mut self.error);
        self.pending.retain(|node, (limit, ticket)| match ticket.take() {
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

    /// Calls have other numbers when more of the trace is known.
    fn carry(&mut self, cx: &Cx<'_>) {
        if self.session.look(&cx.desk.session) == Change::Part {
            let (session, shown) = (Arc::clone(&cx.desk.session), self.tree.shown_calls());
            let job = move |_: &Cancel| Ok(same_calls(session.index.calls(), &shown));
            self.carrying = Some(cx.worker().spawn(Lane::Short, job));
            self.pending.clear();
        }
        match self.carrying.as_ref().and_then(Ticket::take) {
            Some(Ok(same)) => self.tree.carry(&same),
            Some(Err(error)) => self.error = Some(format!("{error:#}")),
            None => return,
        }
        self.carrying = None;
    }

    /// Calls of the functions that are looked for, one a row.
    fn found_rows(&mut self, cx: &Cx<'_>) -> Option<Vec<TreeRow>> {
        let answer = self.found.poll_long(&self.sought, cx.worker(), |sought| {
            let (sought, session) = (sought.clone(), Arc::clone(&cx.desk.session));
            move |cancel: &Cancel| Ok(find_calls(&session, &sought, FOUND, cancel)?)
        });
        if let Answer::Failed(error) = answer {
            self.error = Some(error.to_owned());
        }
        let found = answer.any()?;
        let row = |row: &CallRow| TreeRow::Calls {
            depth: 0,
            row: row.clone(),
            is_open: None,
            is_on_path: false,
            is_current: false,
        };
        let mut rows: Vec<TreeRow> = found.rows.iter().map(row).collect();
        let hidden = found.count.saturating_sub(rows.len() as u64);
        rows.extend((hidden > 0).then_some(TreeRow::More { depth: 0, node: Node::Top, hidden: Some(hidden) }));
        Some(rows)
    }

    fn summary(&self, cx: &Cx<'_>) -> String {
        if !self.sought.is_any() {
            return so_far(&cx.desk.session, &say!("calls-count", count = cx.desk.session.index.calls().len()));
        }
        let count = self.found.peek().map_or(0, |(_, found)| found.count);
        let calls = so_far(&cx.desk.session, &say!("calls-count", count = count));
        let calls = match self.sought.range {
            Some(StepRange { first, last }) => say!("calls-in-steps", calls = calls, first = first, last = last),
            None => calls,
        };
        format!("{calls}  {}", self.sought.text)
    }

    /// The row of the position, once it is among those that are known.
    fn marked(&self, cx: &Cx<'_>) -> Option<Marked> {
        let position = cx.desk.windows.position_of(self.follow);
        let is_known = self.path.peek().is_some_and(|(asked, _)| *asked == position);
        let is_whole = !self.rows.iter().any(|row| matches!(row, TreeRow::Loading { .. }));
        let is_settled =
            is_known && is_whole && self.pending.is_empty() && self.carrying.is_none() && self.tree.has_reached();
        let is_current = |row: &TreeRow| matches!(row, TreeRow::Calls { is_current: true, .. });
        let place = self.rows.iter().position(is_current).filter(|_| is_settled && !self.sought.is_any())?;
        Some(Marked { key: (position.0, 0), place })
    }

    fn draw_call(&self, call: &Shown<'_>, run: Run, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        let Shown { row, depth, is_open, is_on_path, is_current } = *call;
        let window = cx.desk.windows.travelling(self.follow);
        let sign = if is_current { "▶" } else { " " };
        let rest = pen.role(run, sign, Role::Position(window.0)).from(run.x.saturating_add(1));
        let steps = pen.text_right(rest, &thousands(row.steps), pen.look.text(Meaning::Second));
        let mut rest = steps.first(rest.cells().saturating_sub(NUMBER.min(rest.cells() / 2)));
        if run.cells() >= WIDE {
            pen.text_right(rest, &thousands(row.entered_at.0), pen.look.text(Meaning::Label));
            rest = rest.first(rest.cells().saturating_sub(NUMBER));
        }
        let indent = u16::try_from(depth.saturating_mul(2)).unwrap_or(u16::MAX).min(rest.cells() / DEEPEST);
        let caret = is_open.map_or(" ", |is_open| if is_open { "▾" } else { "▸" });
        let rest = rest.behind(indent);
        let rest = pen.role(rest, caret, Role::Text(Meaning::Second)).from(rest.x.saturating_add(2));
        let name = if is_current || is_on_path { Meaning::Symbol } else { Meaning::Plain };
        let mut rest = pen.role(rest, &row.name, Role::Text(name));
        if row.count > 1 {
            rest = pen.role(rest.behind(1), &format!("×{}", thousands(row.count)), Role::Text(Meaning::Second));
        }
        let threads = cx.desk.session.index.threads();
        if let Some(thread) = threads.get(usize::from(row.thread.0)).filter(|_| depth == 0 && threads.len() > 1) {
            rest = pen.role(rest.behind(1), &thread.name, Role::Text(Meaning::Label));
        }
        for mark in row.marks() {
            let role = if mark == exception() { Role::Error } else { Role::Text(Meaning::Label) };
            rest = pen.role(rest.behind(1), &format!("[{mark}]"), role);
        }
    }
}

/// A call, and how it stands in the tree.
struct Shown<'a> {
    row: &'a CallRow,
    depth: u32,
    is_open: Option<bool>,
    is_on_path: bool,
    is_current: bool,
}

impl Listing for Calls {
    fn kind(&self) -> PanelKind {
        PanelKind::Calls
    }

    fn title(&self, _: &Cx<'_>) -> String {
        say!("calls-calls").to_owned()
    }

    fn follow(&self) -> Option<Follow> {
        Some(self.follow)
    }

    fn bind(&mut self, follow: Follow) {
        self.follow = follow;
    }

    fn ask(&mut self, cx: &Cx<'_>) -> Listed {
        self.carry(cx);
        let rows = if self.sought.is_any() { self.found_rows(cx) } else { self.tree_rows(cx) };
        if let Some(error) = &self.error {
            return Listed::Failed(error.clone());
        }
        let Some(rows) = rows else { return Listed::Loading(String::new()) };
        self.rows = rows;
        if self.rows.is_empty() {
            let title = so_far(&cx.desk.session, say!("calls-no-such-call"));
            return Listed::Nothing(title, say!("calls-try-a-part-of-the").to_owned());
        }
        Listed::Rows(Rows { count: self.rows.len(), summary: self.summary(cx), marked: self.marked(cx) })
    }

    fn has_heads(&self) -> bool {
        true
    }

    fn heads(&self, run: Run, pen: &mut Pen<'_>, _: &Cx<'_>) {
        let style = pen.look.text(Meaning::Label);
        pen.text_right(run, say!("calls-steps"), style);
        let mut rest = run.first(run.cells().saturating_sub(NUMBER));
        if run.cells() >= WIDE {
            pen.text_right(rest, say!("calls-position"), style);
            rest = rest.first(rest.cells().saturating_sub(NUMBER));
        }
        pen.text(rest.behind(3), say!("calls-call"), style);
    }

    fn row(&self, Row { place, run }: Row, pen: &mut Pen<'_>, cx: &Cx<'_>) {
        match self.rows.get(place) {
            Some(TreeRow::Calls { depth, row, is_open, is_on_path, is_current }) => {
                let (depth, is_open, is_on_path, is_current) = (*depth, *is_open, *is_on_path, *is_current);
                self.draw_call(&Shown { row, depth, is_open, is_on_path, is_current }, run, pen, cx);
            }
            Some(TreeRow::More { depth, hidden, .. }) => {
                let words =
                    hidden.map_or_else(|| say!("calls-more-2").to_owned(), |hidden| say!("calls-more", count = hidden));
                let indent = u16::try_from(depth.saturating_mul(2)).unwrap_or(u16::MAX).min(run.cells() / DEEPEST);
                pen.role(run.behind(3 + indent), &words, Role::Text(Meaning::Taken));
            }
            Some(TreeRow::Loading { .. }) => {
                pen.role(run.behind(3), say!("list-loading"), Role::Text(Meaning::Label));
            }
            None => {}
        }
    }

    fn press(&mut self, Press { place, deed }: Press, cx: &Cx<'_>, out: &mut Vec<Ask>) -> bool {
        // Rows that bear the numbers of another part of the trace can be looked at and no more.
        let row = self.rows.get(place).filter(|_| self.carrying.is_none());
        let window = cx.desk.windows.travelling(self.follow);
        match (row, deed) {
            (Some(TreeRow::Calls { row, is_open: Some(false), .. }), Deed::Open) => self.tree.open(row.node()),
            (Some(TreeRow::Calls { row, is_open: Some(true), .. }), Deed::Close) => self.tree.close(row.node()),
            (Some(TreeRow::Calls { row, .. }), Deed::Go) => {
                out.push(Ask::Do(Action::Travel(window, row.entered_at.0)));
            }
            (Some(TreeRow::Calls { row, .. }), Deed::GoOn) => {
                out.push(Ask::Do(Action::Travel(window, row.left_at.0)));
            }
            (Some(TreeRow::More { node, .. }), Deed::Go | Deed::Open) => self.tree.show_more(*node),
            _ => return false,
        }
        true
    }

    fn outer(&self, place: usize) -> Option<usize> {
        let depth = self.rows.get(place)?.depth();
        let is_around = |other: &TreeRow| matches!(other, TreeRow::Calls { depth: other, .. } if *other < depth);
        self.rows.get(..place)?.iter().rposition(is_around)
    }

    fn copied(&self, place: usize) -> Option<String> {
        match self.rows.get(place)? {
            TreeRow::Calls { row, .. } => Some(row.name.to_string()),
            TreeRow::More { .. } | TreeRow::Loading { .. } => None,
        }
    }

    fn filter(&mut self, text: &str) -> bool {
        text.trim().clone_into(&mut self.sought.text);
        true
    }

    fn take(&mut self, action: &Action, _: &Cx<'_>) -> bool {
        let Action::ListCalls(range) = action else { return false };
        self.sought = SoughtCalls { text: String::new(), range: *range };
        true
    }

    fn forget(&mut self) {
        *self = Self { follow: self.follow, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::super::list::ListPane;
    use super::super::test_screen::Stage;
    use super::*;
    use crate::action::Way;
    use crate::terminal::command::{Command, Purpose, Toward};

    fn stage() -> Stage<ListPane<Calls>> {
        Stage::at(1233, ListPane::new(Calls::default()))
    }

    #[test]
    fn the_tree_is_open_where_the_position_is() {
        assert_eq!(
            stage().draw(80, 14),
            r" 73 calls
    Call                                                    Position        Steps
    ▾ 80000898 [open]                                              4        1,759
      ▸ 80000248 ×2                                               17           34
      ▾ 80000764                                                  85        1,508
        ▸ 80000588                                                94          468
          80000344                                               574           96
          800000c8                                               672           17
        ▸ 80000510                                               692           41
          80000294                                               736            3
        ▾ 80000390                                               747          712
            80000344                                             753           96
            800000c8                                             851           10
*▶        ▸ 80000328 ×36                                         874          252"
        );
    }

    #[test]
    fn left_closes_a_call_or_goes_to_the_one_around_it_and_right_opens_it() {
        let [left, right] = [Toward::Left, Toward::Right].map(Command::Move);
        assert_eq!(
            stage().press(&[left, left]).draw(80, 8),
            r" 73 calls
    Call                                                    Position        Steps
        ▸ 80000588                                                94          468
          80000344                                               574           96
          800000c8                                               672           17
        ▸ 80000510                                               692           41
          80000294                                               736            3
*▶      ▸ 80000390                                               747          712"
        );
        assert_eq!(
            stage().press(&[left, left, right]).draw(80, 8),
            r" 73 calls
    Call                                                    Position        Steps
        ▸ 80000588                                                94          468
          80000344                                               574           96
          800000c8                                               672           17
        ▸ 80000510                                               692           41
          80000294                                               736            3
*       ▾ 80000390                                               747          712"
        );
    }

    #[test]
    fn return_travels_to_the_entry_and_the_other_way_to_the_end() {
        let asked = stage().press(&[Command::Access(Way::Back), Command::Access(Way::Forward)]).asked;
        assert_eq!(format!("{asked:?}"), "[Do(Travel(WindowId(1), 874)), Do(Travel(WindowId(1), 1432))]");
    }

    #[test]
    fn calls_are_listed_by_name() {
        let mut stage = stage().press(&[]);
        stage.answer(Purpose::Filter, "80000328");
        assert_eq!(
            stage.draw(60, 6),
            r" 36 calls  80000328
    Call                                Position        Steps
*   80000328                                 874            7
    80000328                                 884            7
    80000328                                 895            7
    80000328                                 905            7"
        );
        let range = Action::ListCalls(Some(StepRange { first: 80, last: 130 }));
        assert_eq!(
            stage.take(&range).draw(60, 6),
            r" 4 calls in steps 80 – 130
    Call                                Position        Steps
*   80000764                                  85        1,508
    80000588                                  94          468
    80000304                                 101            9
    80000304                                 122            9"
        );
    }

    #[test]
    fn the_tree_survives_all_sizes() {
        stage().drum();
    }
}
