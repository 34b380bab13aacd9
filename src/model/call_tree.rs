//! The call tree as rows: opened where the user or the position opens it, read from the table as far as it is shown.

use std::collections::{HashMap, HashSet};

use stepback_index::{Call, CallId, CallTable, Cancel, QueryError, StepCounter, ThreadId};
use stepback_parsers::{AnySource, Position, Step};

use super::frame_words::{entered_words, evidence_words, frame_marks};
use super::names::frame_name;
use super::so_far::left_so_far;
use super::text::{counted, thousands};
use crate::session::Session;

/// How many rows of one parent are shown before `… more`, and how many more each click shows.
pub const PAGE: usize = 200;

/// How many frames of the path to the position open by themselves: a recursion may be a million deep.
const OPENED: usize = 256;

/// How many rows below one parent are shown at most to reach the position.
const REACHED: usize = 20_000;

/// Siblings beyond this number are not counted.
const COUNTED: u64 = 1 << 20;

/// What has rows below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The threads.
    Top,
    /// A call: the calls that it made.
    Call(CallId),
    /// Consecutive calls of one function by one caller, by the first of them: each of them.
    Group(CallId),
}

/// One row: a call, or consecutive calls of one function by one caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The first call.
    pub first: CallId,
    /// What the table says of it. How it was entered and left is the same for all of them.
    pub call: Call,
    /// How many.
    pub count: u64,
    /// The number after the last frame below the last call.
    pub end: CallId,
    /// The function's name.
    pub name: String,
    /// Whose calls they are.
    pub thread: ThreadId,
    /// Steps of its thread inside, together: what others did meanwhile does not count.
    pub steps: u64,
    /// The same with what others did meanwhile.
    pub elapsed: u64,
    /// Where the first was entered.
    pub entered_at: Position,
    /// The position after the last was left.
    pub left_at: Position,
}

impl CallRow {
    /// What it opens.
    pub fn node(&self) -> Node {
        if self.count > 1 { Node::Group(self.first) } else { Node::Call(self.first) }
    }

    /// What makes it unusual, in a word each.
    pub fn marks(&self) -> Vec<&'static str> {
        frame_marks(&self.call)
    }

    /// How it was entered and left and how it was found, a line each.
    pub fn detail_lines(&self, session: &Session) -> Vec<String> {
        let entered = match self.call.call_step {
            Some(step) => format!("{} from step {}", entered_words(self.call.entered), thousands(step.0)),
            None => entered_words(self.call.entered).to_owned(),
        };
        let found = format!("found because {}", evidence_words(self.call.evidence));
        let steps = self.steps_text(session);
        match self.count {
            1 => vec![self.name.clone(), entered, left_so_far(session, &self.call), steps, found],
            count => vec![format!("{} ×{}", self.name, thousands(count)), format!("the first: {entered}"), steps],
        }
    }

    /// Gives the calls their new numbers; false when the first of them is none any more.
    fn renumber(&mut self, same: &HashMap<CallId, CallId>) -> bool {
        let Some(first) = same.get(&self.first) else { return false };
        self.end = CallId(first.0.saturating_add(self.end.0.saturating_sub(self.first.0)));
        self.first = *first;
        true
    }

    /// True when there is something below it.
    pub fn is_parent(&self) -> bool {
        self.count > 1 || self.end.0 > self.first.0 + 1
    }

    /// True when a call is one of these or below one of them.
    pub fn contains(&self, call: CallId) -> bool {
        (self.first.0..self.end.0).contains(&call.0)
    }
}

/// The rows right below a node, as far as they are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Children {
    /// In order of entry.
    pub rows: Vec<CallRow>,
    /// How many calls are not shown; none when they were not counted.
    pub hidden: Option<u64>,
    /// The first that is not shown.
    pub next: Option<CallId>,
}

/// Reads the rows right below a node, at most `limit`. Runs on a worker.
///
/// Cost: one look at each sibling, and with several threads one at their steps.
///
/// # Errors
/// See [`QueryError`].
pub fn children_of(session: &Session, node: Node, limit: usize, cancel: &Cancel) -> Result<Children, QueryError> {
    let calls = session.index.calls();
    let is_grouping = matches!(node, Node::Call(_));
    let mut measure = Measure::new(session);
    let mut children = Children { hidden: Some(0), ..Children::default() };
    for (looked, id) in (0u64..).zip(siblings(calls, node)) {
        if looked % 4096 == 0 {
            cancel.check()?;
        }
        let Some(call) = calls.get(id) else { break };
        let is_same = |last: &CallRow| is_grouping && last.end == id && is_alike(&last.call, &call);
        let is_full = children.rows.len() >= limit;
        match children.rows.last_mut() {
            Some(last) if children.next.is_none() && is_same(last) => last.add(&mut measure, id)?,
            _ if !is_full => children.rows.push(CallRow::new(&mut measure, id, &call)?),
            _ if looked >= COUNTED => {
                children.hidden = None;
                break;
            }
            _ => {
                children.next = children.next.or(Some(id));
                children.hidden = children.hidden.map(|hidden| hidden + 1);
            }
        }
    }
    Ok(children)
}

/// The calls right below a node, in order.
fn siblings(calls: &CallTable, node: Node) -> Box<dyn Iterator<Item = CallId> + '_> {
    match node {
        Node::Top => Box::new(calls.roots()),
        Node::Call(parent) => Box::new(calls.children(parent)),
        Node::Group(first) => {
            // The next sibling follows all frames below this one.
            let next = |id: &CallId| calls.get(*id).map(|_| calls.subtree_end(*id));
            let head = calls.get(first);
            let is_member = move |id: &CallId| match (&head, calls.get(*id)) {
                (Some(head), Some(call)) => call.parent == head.parent && is_alike(head, &call),
                _ => false,
            };
            Box::new(std::iter::successors(Some(first), next).take_while(is_member))
        }
    }
}

/// True when calls may share a row.
fn is_alike(one: &Call, other: &Call) -> bool {
    (one.function, one.entered, one.left) == (other.function, other.entered, other.left)
}

/// Measures calls by the steps of their threads.
pub(super) struct Measure<'a> {
    session: &'a Session,
    /// Of each thread whose calls were measured.
    counters: HashMap<ThreadId, StepCounter<'a, AnySource>>,
}

impl<'a> Measure<'a> {
    pub fn new(session: &'a Session) -> Self {
        Self { session, counters: HashMap::new() }
    }

    fn steps(&mut self, thread: ThreadId, inside: Inside) -> Result<u64, QueryError> {
        let counter = self.counters.entry(thread).or_insert_with(|| StepCounter::new(&self.session.index, thread));
        let before = counter.count_before(inside.first.before())?;
        Ok(counter.count_before(inside.last.after())?.saturating_sub(before))
    }
}

/// The steps between which a call lies.
#[derive(Clone, Copy)]
struct Inside {
    first: Step,
    last: Step,
}

impl CallRow {
    pub(super) fn new(measure: &mut Measure<'_>, id: CallId, call: &Call) -> Result<Self, QueryError> {
        let name = frame_name(measure.session, call, &Cancel::default())?;
        let entered_at = call.call_step.map(|step| step.after()).or(call.entry_step.map(|step| step.before()));
        let mut row = Self {
            first: id,
            call: *call,
            count: 0,
            end: id,
            name,
            thread: call.thread,
            steps: 0,
            elapsed: 0,
            entered_at: entered_at.unwrap_or_default(),
            left_at: entered_at.unwrap_or_default(),
        };
        row.add(measure, id)?;
        Ok(row)
    }

    fn add(&mut self, measure: &mut Measure<'_>, id: CallId) -> Result<(), QueryError> {
        let calls = measure.session.index.calls();
        self.count += 1;
        self.end = calls.subtree_end(id);
        if let Some((first, last)) = calls.steps_inside(id) {
            self.steps = self.steps.saturating_add(measure.steps(self.thread, Inside { first, last })?);
            self.elapsed = self.elapsed.saturating_add(last.after().0.saturating_sub(first.0));
            self.left_at = last.after();
        }
        Ok(())
    }

    /// How many steps it took; where there are several threads, whose.
    pub fn steps_text(&self, session: &Session) -> String {
        let steps = counted(self.steps, "step", "steps");
        match session.index.threads().len() {
            0 | 1 => steps,
            _ => format!("{steps} of this thread, {} in all", thousands(self.elapsed)),
        }
    }
}

/// The numbers that calls have in another part of the trace. Runs on a worker.
pub fn same_calls(calls: &CallTable, shown: &[(CallId, Call)]) -> HashMap<CallId, CallId> {
    shown.iter().filter_map(|(id, call)| Some((*id, calls.same(call)?))).collect()
}

/// The rows of the tree that are open.
#[derive(Debug, Default)]
pub struct CallTree {
    /// What the user opened and closed.
    chosen: HashMap<Node, bool>,
    /// What the position opens.
    path: HashSet<Node>,
    /// The same in order, outermost first.
    frames: Vec<CallId>,
    /// The frame around the position.
    current: Option<CallId>,
    limits: HashMap<Node, usize>,
    children: HashMap<Node, (usize, Children)>,
    /// Shown until they are read again: more of the trace is known by now.
    old: HashSet<Node>,
}

/// A row of the tree on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeRow {
    /// Calls.
    Calls {
        /// How deep in the tree.
        depth: u32,
        /// Which.
        row: CallRow,
        /// Open, closed, or nothing below.
        is_open: Option<bool>,
        /// The position is inside of it.
        is_on_path: bool,
        /// It is the innermost row that the position is inside of.
        is_current: bool,
    },
    /// More calls than are shown.
    More {
        /// How deep in the tree.
        depth: u32,
        /// Below what.
        node: Node,
        /// How many, where they were counted.
        hidden: Option<u64>,
    },
    /// The answer is on its way.
    Loading {
        /// How deep in the tree.
        depth: u32,
    },
}

impl TreeRow {
    /// The first of its calls.
    pub fn first_call(&self) -> Option<CallId> {
        match self {
            Self::Calls { row, .. } => Some(row.first),
            Self::More { .. } | Self::Loading { .. } => None,
        }
    }

    /// How deep in the tree.
    pub fn depth(&self) -> u32 {
        match self {
            Self::Calls { depth, .. } | Self::More { depth, .. } | Self::Loading { depth } => *depth,
        }
    }
}

/// The names of the rows around a row, at most so many, outermost first. Cost: the rows between.
pub fn names_around(rows: &[TreeRow], place: usize, limit: usize) -> Vec<&str> {
    let mut depth = rows.get(place).map_or(0, TreeRow::depth);
    let mut names = Vec::new();
    for row in rows.get(..place).unwrap_or_default().iter().rev() {
        if depth == 0 || names.len() == limit {
            break;
        }
        if let TreeRow::Calls { depth: outer, row, .. } = row
            && *outer < depth
        {
            depth = *outer;
            names.push(row.name.as_str());
        }
    }
    names.reverse();
    names
}

impl CallTree {
    /// Tells the frames around the position, outermost first. What the user closed before opens again.
    pub fn set_path(&mut self, path: &[CallId]) {
        let nodes: HashSet<Node> = path.iter().take(OPENED).map(|call| Node::Call(*call)).collect();
        if self.path != nodes {
            for node in nodes.difference(&self.path) {
                self.chosen.remove(node);
            }
            self.path = nodes;
        }
        self.frames = path.iter().take(OPENED).copied().collect();
        self.current = path.last().copied();
    }

    /// Shows more rows where the path to the position goes on behind those that are shown.
    pub fn reach_path(&mut self) {
        for node in self.unreached() {
            let shown = self.children.get(&node).map_or(PAGE, |(shown, _)| *shown);
            self.limits.insert(node, shown * 4);
        }
    }

    /// Whether the row of the position is among those that are shown, or cannot be.
    pub fn has_reached(&self) -> bool {
        self.unreached().is_empty()
    }

    /// The nodes below which more rows have to be shown for that.
    fn unreached(&self) -> Vec<Node> {
        let mut nodes = Vec::new();
        for (parent, child) in self.frames.iter().zip(self.frames.iter().skip(1)) {
            let node = Node::Call(*parent);
            let Some((shown, children)) = self.children.get(&node) else { continue };
            if children.next.is_some_and(|next| *child >= next) && *shown < REACHED {
                nodes.push(node);
            }
        }
        nodes
    }

    /// Opens a node.
    pub fn open(&mut self, node: Node) {
        self.chosen.insert(node, true);
    }

    /// Closes a node.
    pub fn close(&mut self, node: Node) {
        self.chosen.insert(node, false);
    }

    /// True when the rows below a node are shown.
    pub fn is_open(&self, node: Node) -> bool {
        node == Node::Top || self.chosen.get(&node).copied().unwrap_or_else(|| self.path.contains(&node))
    }

    /// Shows more rows below a node.
    pub fn show_more(&mut self, node: Node) {
        *self.limits.entry(node).or_insert(PAGE) += PAGE;
    }

    /// How many rows below a node are to be shown.
    pub fn limit(&self, node: Node) -> usize {
        self.limits.get(&node).copied().unwrap_or(PAGE)
    }

    /// The calls that rows show, to be sought in another part of the trace.
    pub fn shown_calls(&self) -> Vec<(CallId, Call)> {
        let shown = self.children.values().flat_map(|(_, children)| &children.rows);
        shown.map(|row| (row.first, row.call)).collect()
    }

    /// What is shown belongs to the calls of another part of the trace: it stays until it is read again.
    /// `same`: what [`same_calls`] says of [`Self::shown_calls`].
    pub fn carry(&mut self, same: &HashMap<CallId, CallId>) {
        let node = |node: Node| match node {
            Node::Top => Some(Node::Top),
            Node::Call(id) => same.get(&id).copied().map(Node::Call),
            Node::Group(id) => same.get(&id).copied().map(Node::Group),
        };
        self.chosen = self.chosen.drain().filter_map(|(key, is_open)| Some((node(key)?, is_open))).collect();
        self.limits = self.limits.drain().filter_map(|(key, limit)| Some((node(key)?, limit))).collect();
        self.path = self.path.drain().filter_map(node).collect();
        self.frames = self.frames.iter().filter_map(|id| same.get(id).copied()).collect();
        self.current = self.current.and_then(|id| same.get(&id).copied());
        let renumbered = |mut children: Children| {
            children.rows.retain_mut(|row| row.renumber(same));
            children
        };
        let children = self.children.drain();
        let carried = children.filter_map(|(key, (limit, rows))| Some((node(key)?, (limit, renumbered(rows)))));
        self.children = carried.collect();
        self.old = self.children.keys().copied().collect();
    }

    /// Takes what [`children_of`] answered.
    pub fn insert(&mut self, node: Node, limit: usize, children: Children) {
        self.old.remove(&node);
        self.children.insert(node, (limit, children));
    }

    /// All rows, and the nodes whose children must be asked for.
    pub fn rows(&self) -> (Vec<TreeRow>, Vec<Node>) {
        let mut flat = Flat { tree: self, rows: Vec::new(), wanted: Vec::new() };
        flat.add(Node::Top, 0);
        let Flat { mut rows, wanted, .. } = flat;
        let innermost = rows.iter_mut().rev().find_map(|row| match row {
            TreeRow::Calls { is_on_path: true, is_current, .. } => Some(is_current),
            _ => None,
        });
        if let Some(is_current) = innermost {
            *is_current = true;
        }
        (rows, wanted)
    }
}

/// The tree while it is made flat.
struct Flat<'a> {
    tree: &'a CallTree,
    rows: Vec<TreeRow>,
    wanted: Vec<Node>,
}

impl Flat<'_> {
    fn add(&mut self, top: Node, top_depth: u32) {
        // A stack of its own: a recursion of the traced program may be a million calls deep.
        let mut open = vec![(top, top_depth, 0usize)];
        while let Some((node, depth, place)) = open.pop() {
            let known = self.tree.children.get(&node);
            if place == 0
                && known.is_none_or(|(limit, _)| *limit != self.tree.limit(node) || self.tree.old.contains(&node))
            {
                self.wanted.push(node);
            }
            let Some((_, children)) = known else {
                self.rows.push(TreeRow::Loading { depth });
                continue;
            };
            let Some(row) = children.rows.get(place) else {
                if children.next.is_some() {
                    self.rows.push(TreeRow::More { depth, node, hidden: children.hidden });
                }
                continue;
            };
            open.push((node, depth, place + 1));
            let is_open = self.tree.is_open(row.node());
            self.push_calls(depth, row);
            if is_open && row.is_parent() {
                open.push((row.node(), depth + 1, 0));
            }
        }
    }

    fn push_calls(&mut self, depth: u32, row: &CallRow) {
        let is_on_path = self.tree.current.is_some_and(|current| row.contains(current));
        let is_open = row.is_parent().then(|| self.tree.is_open(row.node()));
        self.rows.push(TreeRow::Calls { depth, row: row.clone(), is_open, is_on_path, is_current: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::{overflow, tarmac};

    fn row(first: u64, count: u64, end: u64, name: &str) -> CallRow {
        let (first, end) = (CallId(first), CallId(end));
        let (entered_at, left_at) = (Position(0), Position(1));
        let call = overflow().index.calls().get(CallId(0)).expect("a root");
        CallRow {
            first,
            call,
            count,
            end,
            name: name.to_owned(),
            thread: ThreadId(0),
            steps: 1,
            elapsed: 1,
            entered_at,
            left_at,
        }
    }

    fn tree() -> CallTree {
        let mut tree = CallTree::default();
        let complete = |rows| Children { rows, hidden: Some(0), next: None };
        tree.insert(Node::Top, PAGE, complete(vec![row(0, 1, 9, "start")]));
        tree.insert(Node::Call(CallId(0)), PAGE, complete(vec![row(1, 1, 5, "main"), row(5, 4, 9, "step")]));
        let cut = Children { rows: vec![row(2, 1, 3, "init")], hidden: Some(2), next: Some(CallId(3)) };
        tree.insert(Node::Call(CallId(1)), PAGE, cut);
        tree
    }

    #[track_caller]
    fn check(tree: &CallTree, expected: &str) {
        let text = |row: &TreeRow| match row {
            TreeRow::Calls { depth, row, is_open, is_on_path, is_current } => {
                let sign = is_open.map_or(' ', |is_open| if is_open { '-' } else { '+' });
                let mark = if *is_current {
                    "!"
                } else if *is_on_path {
                    "'"
                } else {
                    ""
                };
                let count = if row.count > 1 { format!(" x{}", row.count) } else { String::new() };
                format!("{depth}{sign}{}{count}{mark}", row.name)
            }
            TreeRow::More { depth, hidden, .. } => format!("{depth} {} more", hidden.unwrap_or(0)),
            TreeRow::Loading { depth } => format!("{depth} loading"),
        };
        let rows: Vec<String> = tree.rows().0.iter().map(text).collect();
        assert_eq!(rows.join(", "), expected);
    }

    #[test]
    fn the_position_opens_the_tree() {
        let mut tree = tree();
        check(&tree, "0+start");
        tree.set_path(&[CallId(0), CallId(1)]);
        check(&tree, "0-start', 1-main!, 2 init, 2 2 more, 1+step x4");
        tree.set_path(&[CallId(0)]);
        check(&tree, "0-start!, 1+main, 1+step x4");
    }

    #[test]
    fn a_call_in_a_closed_group_marks_the_group() {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(7)]);
        check(&tree, "0-start', 1+main, 1+step x4!");
    }

    #[test]
    fn what_the_user_closes_stays_closed_until_the_position_comes_back() {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(1)]);
        tree.close(Node::Call(CallId(1)));
        tree.set_path(&[CallId(0), CallId(1)]);
        check(&tree, "0-start', 1+main!, 1+step x4");
        tree.set_path(&[CallId(0)]);
        tree.set_path(&[CallId(0), CallId(1)]);
        check(&tree, "0-start', 1-main!, 2 init, 2 2 more, 1+step x4");
    }

    #[test]
    fn the_rows_reach_to_the_position() {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(1), CallId(2)]);
        tree.reach_path();
        assert_eq!((tree.limit(Node::Call(CallId(1))), tree.has_reached()), (PAGE, true));
        tree.set_path(&[CallId(0), CallId(1), CallId(4)]);
        assert!(!tree.has_reached());
        tree.reach_path();
        assert_eq!(tree.limit(Node::Call(CallId(1))), 4 * PAGE);
    }

    #[test]
    fn the_calls_around_a_row_are_named() {
        let (rows, _) = tree_opened().rows();
        assert_eq!(names_around(&rows, 2, 3), ["start", "main"]);
        assert_eq!(names_around(&rows, 2, 1), ["main"]);
        assert_eq!(names_around(&rows, 0, 3), Vec::<&str>::new());
    }

    /// With all rows down to `init`.
    fn tree_opened() -> CallTree {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(1), CallId(2)]);
        tree
    }

    #[test]
    fn missing_rows_are_asked_for() {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(1), CallId(5)]);
        tree.open(Node::Group(CallId(5)));
        tree.show_more(Node::Call(CallId(1)));
        check(&tree, "0-start', 1-main, 2 init, 2 2 more, 1-step x4!, 2 loading");
        assert_eq!(tree.rows().1, [Node::Call(CallId(1)), Node::Group(CallId(5))]);
        assert_eq!(tree.limit(Node::Call(CallId(1))), 2 * PAGE);
    }

    #[track_caller]
    fn check_children(node: Node, limit: usize, expected: &str) {
        let children = children_of(&overflow(), node, limit, &Cancel::default()).unwrap();
        let text = |row: &CallRow| format!("{} x{} {}", row.name, row.count, row.steps);
        let rows: Vec<String> = children.rows.iter().map(text).collect();
        assert_eq!(format!("{}; {:?} more", rows.join(", "), children.hidden.unwrap_or(u64::MAX)), expected);
    }

    #[test]
    fn consecutive_calls_of_one_function_are_one_row() {
        check_children(Node::Top, PAGE, "80000000 x1 1763; 0 more");
        let calls = overflow().index.calls().len();
        assert!(calls > 60);
        let main = CallId(1);
        check_children(Node::Call(CallId(0)), PAGE, "80000898 x1 1759; 0 more");
        check_children(Node::Call(main), 2, "80000248 x2 34, 80000764 x1 1508; 6 more");
    }

    /// A call of one core lasts while another core is at work.
    #[test]
    fn a_call_is_as_long_as_the_steps_of_its_own_thread() {
        let nop = |at: u32, cpu: &str, pc: u32| format!("{at} clk {cpu} IT (1) {pc:08x} d503201f O EL1h_n : NOP\n");
        let mut text = nop(1, "cpu0", 0x1000);
        text += "2 clk cpu0 IT (2) 00001004 9400003f O EL1h_n : BL 0x1100\n2 clk cpu0 R X30 0000000000001008\n";
        text += &nop(3, "cpu0", 0x1100);
        text += &(4..14).map(|at| nop(at, "cpu1", 0x2000 + 4 * at)).collect::<String>();
        text += "14 clk cpu0 IT (4) 00001104 d65f03c0 O EL1h_n : RET\n";
        text += &nop(15, "cpu0", 0x1008);
        let (session, _place) = tarmac(&text);
        let children = children_of(&session, Node::Call(CallId(0)), PAGE, &Cancel::default()).unwrap();
        let row = &children.rows[0];
        assert_eq!((row.steps, row.steps_text(&session)), (2, "2 steps of this thread, 12 in all".to_owned()));
    }
}
