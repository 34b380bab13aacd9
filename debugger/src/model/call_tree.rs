//! The call tree as a flat list of rows, and the indentation of these rows.
//!
//! The user or the position opens nodes, and only the visible part of the call table is read. A
//! child is always indented further than its parent; deep levels become narrower to fit.

use std::collections::{HashMap, HashSet};

use stepback_index::answer::{Call, CallId};

use crate::model::call_rows::{CallRow, CallTreeNode, ChildRows};

/// Number of rows of one parent shown before `… more`, and number added by each click.
pub const PAGE: usize = 200;

/// Maximum number of frames on the path to the position that open automatically: a recursion may be
/// a million calls deep.
const OPENED: usize = 256;

/// Maximum number of rows shown below one parent to reach the position.
const REACHED: usize = 20_000;

/// State of the tree: open nodes and the rows read below them.
#[derive(Debug, Default)]
pub struct CallTree {
    /// Nodes that the user opened (true) or closed (false).
    chosen: HashMap<CallTreeNode, bool>,
    /// Nodes that the position opens.
    path: HashSet<CallTreeNode>,
    /// Frames around the position, outermost first.
    frames: Vec<CallId>,
    /// Innermost frame around the position.
    current: Option<CallId>,
    limits: HashMap<CallTreeNode, usize>,
    children: HashMap<CallTreeNode, (usize, ChildRows)>,
    /// Nodes whose rows are outdated because more of the trace is indexed. They stay visible until
    /// they are read again.
    old: HashSet<CallTreeNode>,
}

/// Visible row of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeRow {
    Calls {
        depth: u32,
        row: CallRow,
        /// True if open, false if closed, none if there is nothing below.
        is_open: Option<bool>,
        /// The position is inside one of the calls.
        is_on_path: bool,
        /// Innermost row that contains the position.
        is_current: bool,
    },
    /// Placeholder for further calls that are not shown.
    More {
        depth: u32,
        /// Parent of these calls.
        node: CallTreeNode,
        /// Number of these calls, if they were counted.
        hidden: Option<u64>,
    },
    /// Placeholder while rows are being read.
    Loading { depth: u32 },
}

impl TreeRow {
    pub fn first_call(&self) -> Option<CallId> {
        match self {
            Self::Calls { row, .. } => Some(row.first),
            Self::More { .. } | Self::Loading { .. } => None,
        }
    }

    pub fn depth(&self) -> u32 {
        match self {
            Self::Calls { depth, .. } | Self::More { depth, .. } | Self::Loading { depth } => {
                *depth
            }
        }
    }
}

/// Returns the names of the rows that enclose a row, outermost first, at most `limit`. Cost: the
/// rows in between.
pub fn names_around(rows: &[TreeRow], place: usize, limit: usize) -> Vec<&str> {
    let mut depth = rows.get(place).map_or(0, TreeRow::depth);
    let mut names = Vec::new();
    for row in rows.get(..place).unwrap_or_default().iter().rev() {
        if depth == 0 || names.len() == limit {
            break;
        }
        if let TreeRow::Calls {
            depth: outer, row, ..
        } = row
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
    /// Sets the frames around the position, outermost first. Reopens nodes that the user closed if
    /// they are newly on the path.
    pub fn set_path(&mut self, path: &[CallId]) {
        let nodes: HashSet<CallTreeNode> = path
            .iter()
            .take(OPENED)
            .map(|call| CallTreeNode::Call(*call))
            .collect();
        if self.path != nodes {
            for node in nodes.difference(&self.path) {
                self.chosen.remove(node);
            }
            self.path = nodes;
        }
        self.frames = path.iter().take(OPENED).copied().collect();
        self.current = path.last().copied();
    }

    /// Raises the limits of nodes where the path to the position continues after the rows shown.
    pub fn reach_path(&mut self) {
        for node in self.unreached() {
            let shown = self.children.get(&node).map_or(PAGE, |(shown, _)| *shown);
            self.limits.insert(node, shown * 4);
        }
    }

    /// Returns true if the row of the position is shown, or cannot be reached.
    pub fn has_reached(&self) -> bool {
        self.unreached().is_empty()
    }

    /// Returns the nodes that must show more rows to reach the position.
    fn unreached(&self) -> Vec<CallTreeNode> {
        let mut nodes = Vec::new();
        for (parent, child) in self.frames.iter().zip(self.frames.iter().skip(1)) {
            let node = CallTreeNode::Call(*parent);
            let Some((shown, children)) = self.children.get(&node) else {
                continue;
            };
            if children.next.is_some_and(|next| *child >= next) && *shown < REACHED {
                nodes.push(node);
            }
        }
        nodes
    }

    pub fn open(&mut self, node: CallTreeNode) {
        self.chosen.insert(node, true);
    }

    pub fn close(&mut self, node: CallTreeNode) {
        self.chosen.insert(node, false);
    }

    /// Returns true if the rows below a node are shown.
    pub fn is_open(&self, node: CallTreeNode) -> bool {
        node == CallTreeNode::Top
            || self
                .chosen
                .get(&node)
                .copied()
                .unwrap_or_else(|| self.path.contains(&node))
    }

    /// Shows another page of rows below a node.
    pub fn show_more(&mut self, node: CallTreeNode) {
        *self.limits.entry(node).or_insert(PAGE) += PAGE;
    }

    /// Returns the maximum number of rows to show below a node.
    pub fn limit(&self, node: CallTreeNode) -> usize {
        self.limits.get(&node).copied().unwrap_or(PAGE)
    }

    /// Returns the calls of all rows, so that they can be found in another part of the trace.
    pub fn shown_calls(&self) -> Vec<(CallId, Call)> {
        let shown = self
            .children
            .values()
            .flat_map(|(_, children)| &children.rows);
        shown.map(|row| (row.first, row.call)).collect()
    }

    /// Renumbers the rows for another part of the trace and marks them as outdated. `same` is the
    /// result of [`super::call_rows::same_calls`] for [`Self::shown_calls`].
    pub fn carry(&mut self, same: &HashMap<CallId, CallId>) {
        let node = |node: CallTreeNode| match node {
            CallTreeNode::Top => Some(CallTreeNode::Top),
            CallTreeNode::Call(id) => same.get(&id).copied().map(CallTreeNode::Call),
            CallTreeNode::Group(id) => same.get(&id).copied().map(CallTreeNode::Group),
        };
        self.chosen = self
            .chosen
            .drain()
            .filter_map(|(key, is_open)| Some((node(key)?, is_open)))
            .collect();
        self.limits = self
            .limits
            .drain()
            .filter_map(|(key, limit)| Some((node(key)?, limit)))
            .collect();
        self.path = self.path.drain().filter_map(node).collect();
        self.frames = self
            .frames
            .iter()
            .filter_map(|id| same.get(id).copied())
            .collect();
        self.current = self.current.and_then(|id| same.get(&id).copied());
        let renumbered = |mut children: ChildRows| {
            children.rows.retain_mut(|row| row.renumber(same));
            children
        };
        let children = self.children.drain();
        let carried = children
            .filter_map(|(key, (limit, rows))| Some((node(key)?, (limit, renumbered(rows)))));
        self.children = carried.collect();
        self.old = self.children.keys().copied().collect();
    }

    /// Stores the result of [`super::call_rows::children_of`].
    pub fn insert(&mut self, node: CallTreeNode, limit: usize, children: ChildRows) {
        self.old.remove(&node);
        self.children.insert(node, (limit, children));
    }

    /// Returns all rows, and the nodes whose children must be read.
    pub fn rows(&self) -> (Vec<TreeRow>, Vec<CallTreeNode>) {
        let mut flat = TreeFlattener {
            tree: self,
            rows: Vec::new(),
            wanted: Vec::new(),
        };
        flat.add(CallTreeNode::Top, 0);
        let TreeFlattener {
            mut rows, wanted, ..
        } = flat;
        let innermost = rows.iter_mut().rev().find_map(|row| match row {
            TreeRow::Calls {
                is_on_path: true,
                is_current,
                ..
            } => Some(is_current),
            _ => None,
        });
        if let Some(is_current) = innermost {
            *is_current = true;
        }
        (rows, wanted)
    }
}

/// Accumulates the flat rows of the tree.
struct TreeFlattener<'a> {
    tree: &'a CallTree,
    rows: Vec<TreeRow>,
    wanted: Vec<CallTreeNode>,
}

impl TreeFlattener<'_> {
    fn add(&mut self, top: CallTreeNode, top_depth: u32) {
        // An explicit stack instead of recursion: the traced program may recurse a million calls
        // deep.
        let mut open = vec![(top, top_depth, 0usize)];
        while let Some((node, depth, place)) = open.pop() {
            let known = self.tree.children.get(&node);
            if place == 0
                && known.is_none_or(|(limit, _)| {
                    *limit != self.tree.limit(node) || self.tree.old.contains(&node)
                })
            {
                self.wanted.push(node);
            }
            let Some((_, children)) = known else {
                self.rows.push(TreeRow::Loading { depth });
                continue;
            };
            let Some(row) = children.rows.get(place) else {
                if children.next.is_some() {
                    self.rows.push(TreeRow::More {
                        depth,
                        node,
                        hidden: children.hidden,
                    });
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
        let is_on_path = self
            .tree
            .current
            .is_some_and(|current| row.contains(current));
        let is_open = row.is_parent().then(|| self.tree.is_open(row.node()));
        self.rows.push(TreeRow::Calls {
            depth,
            row: row.clone(),
            is_open,
            is_on_path,
            is_current: false,
        });
    }
}
/// Width of a level in points if there is room.
const STEP: f32 = 12.0;
/// Minimum width of a level in points.
const LEAST: f32 = 3.0;

/// Indentation of the visible depths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Indents {
    /// Depths that have a level, ascending: every depth down to the deepest if there is room,
    /// otherwise only the visible ones.
    depths: Vec<u32>,
    step: f32,
}

impl Indents {
    /// Computes the indentation for the visible rows and a width in points. Cost: the visible rows.
    ///
    /// If the deepest level does not fit at full width, only visible depths get a level, and the
    /// levels become narrower.
    pub fn of(depths: impl Iterator<Item = u32>, room: f32) -> Self {
        let mut seen: Vec<u32> = depths.collect();
        seen.sort_unstable();
        seen.dedup();
        let deepest = seen.last().copied().unwrap_or(0);
        if deepest as f32 * STEP <= room.max(STEP) {
            return Self {
                depths: (0..=deepest).collect(),
                step: STEP,
            };
        }
        let levels = seen.len().saturating_sub(1).max(1) as f32;
        Self {
            depths: seen,
            step: (room / levels).clamp(LEAST, STEP),
        }
    }

    /// Returns the indentation of a row of a given depth.
    pub fn of_depth(&self, depth: u32) -> f32 {
        self.depths.partition_point(|known| *known < depth) as f32 * self.step
    }

    /// Returns the indentations of the rows around one of a given depth, outermost first.
    pub fn around(&self, depth: u32) -> impl Iterator<Item = f32> + '_ {
        let levels = self.depths.partition_point(|known| *known < depth);
        (0u16..)
            .take(levels)
            .map(|level| f32::from(level) * self.step)
    }

    /// Returns the outermost visible depth if it is not 0, although it is drawn at the left edge.
    pub fn hidden(&self) -> Option<u32> {
        self.depths.first().copied().filter(|first| *first > 0)
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::Cancel;
    use stepback_index::answer::ThreadId;
    use stepback_parsers::Position;

    use super::*;
    use crate::model::call_rows::children_of;
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
        let complete = |rows| ChildRows {
            rows,
            hidden: Some(0),
            next: None,
        };
        tree.insert(
            CallTreeNode::Top,
            PAGE,
            complete(vec![row(0, 1, 9, "start")]),
        );
        tree.insert(
            CallTreeNode::Call(CallId(0)),
            PAGE,
            complete(vec![row(1, 1, 5, "main"), row(5, 4, 9, "step")]),
        );
        let cut = ChildRows {
            rows: vec![row(2, 1, 3, "init")],
            hidden: Some(2),
            next: Some(CallId(3)),
        };
        tree.insert(CallTreeNode::Call(CallId(1)), PAGE, cut);
        tree
    }

    #[track_caller]
    fn check(tree: &CallTree, expected: &str) {
        let text = |row: &TreeRow| match row {
            TreeRow::Calls {
                depth,
                row,
                is_open,
                is_on_path,
                is_current,
            } => {
                let sign = is_open.map_or(' ', |is_open| if is_open { '-' } else { '+' });
                let mark = if *is_current {
                    "!"
                } else if *is_on_path {
                    "'"
                } else {
                    ""
                };
                let count = if row.count > 1 {
                    format!(" x{}", row.count)
                } else {
                    String::new()
                };
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
        tree.close(CallTreeNode::Call(CallId(1)));
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
        assert_eq!(
            (
                tree.limit(CallTreeNode::Call(CallId(1))),
                tree.has_reached()
            ),
            (PAGE, true)
        );
        tree.set_path(&[CallId(0), CallId(1), CallId(4)]);
        assert!(!tree.has_reached());
        tree.reach_path();
        assert_eq!(tree.limit(CallTreeNode::Call(CallId(1))), 4 * PAGE);
    }

    #[test]
    fn the_calls_around_a_row_are_named() {
        let (rows, _) = tree_opened().rows();
        assert_eq!(names_around(&rows, 2, 3), ["start", "main"]);
        assert_eq!(names_around(&rows, 2, 1), ["main"]);
        assert_eq!(names_around(&rows, 0, 3), Vec::<&str>::new());
    }

    /// Builds a tree with all rows down to `init`.
    fn tree_opened() -> CallTree {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(1), CallId(2)]);
        tree
    }

    #[test]
    fn missing_rows_are_requested() {
        let mut tree = tree();
        tree.set_path(&[CallId(0), CallId(1), CallId(5)]);
        tree.open(CallTreeNode::Group(CallId(5)));
        tree.show_more(CallTreeNode::Call(CallId(1)));
        check(
            &tree,
            "0-start', 1-main, 2 init, 2 2 more, 1-step x4!, 2 loading",
        );
        assert_eq!(
            tree.rows().1,
            [
                CallTreeNode::Call(CallId(1)),
                CallTreeNode::Group(CallId(5))
            ]
        );
        assert_eq!(tree.limit(CallTreeNode::Call(CallId(1))), 2 * PAGE);
    }

    #[track_caller]
    fn check_children(node: CallTreeNode, limit: usize, expected: &str) {
        let children = children_of(&overflow(), node, limit, &Cancel::default()).unwrap();
        let text = |row: &CallRow| format!("{} x{} {}", row.name, row.count, row.steps);
        let rows: Vec<String> = children.rows.iter().map(text).collect();
        assert_eq!(
            format!(
                "{}; {:?} more",
                rows.join(", "),
                children.hidden.unwrap_or(u64::MAX)
            ),
            expected
        );
    }

    #[test]
    fn consecutive_calls_of_one_function_are_one_row() {
        check_children(CallTreeNode::Top, PAGE, "80000000 x1 1763; 0 more");
        let calls = overflow().index.calls().len();
        assert!(calls > 60);
        let main = CallId(1);
        check_children(
            CallTreeNode::Call(CallId(0)),
            PAGE,
            "80000898 x1 1759; 0 more",
        );
        check_children(
            CallTreeNode::Call(main),
            2,
            "80000248 x2 34, 80000764 x1 1508; 6 more",
        );
    }

    /// The length of a call on one core excludes the steps of another core.
    #[test]
    fn a_call_is_as_long_as_the_steps_of_its_own_thread() {
        let nop = |at: u32, cpu: &str, pc: u32| {
            format!("{at} clk {cpu} IT (1) {pc:08x} d503201f O EL1h_n : NOP\n")
        };
        let mut text = nop(1, "cpu0", 0x1000);
        text += "2 clk cpu0 IT (2) 00001004 9400003f O EL1h_n : BL 0x1100\n2 clk cpu0 R X30 0000000000001008\n";
        text += &nop(3, "cpu0", 0x1100);
        text += &(4..14)
            .map(|at| nop(at, "cpu1", 0x2000 + 4 * at))
            .collect::<String>();
        text += "14 clk cpu0 IT (4) 00001104 d65f03c0 O EL1h_n : RET\n";
        text += &nop(15, "cpu0", 0x1008);
        let (session, _place) = tarmac(&text);
        let children = children_of(
            &session,
            CallTreeNode::Call(CallId(0)),
            PAGE,
            &Cancel::default(),
        )
        .unwrap();
        let row = &children.rows[0];
        assert_eq!(
            (row.steps, row.steps_text(&session)),
            (2, "2 steps of this thread, 12 in all".to_owned())
        );
    }
}

#[cfg(test)]
mod indents_tests {
    use super::*;

    #[track_caller]
    fn check(depths: &[u32], room: f32, expected: &[f32]) {
        let indents = Indents::of(depths.iter().copied(), room);
        let shown: Vec<f32> = depths
            .iter()
            .map(|depth| indents.of_depth(*depth))
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_child_is_further_in_than_its_parent_however_narrow_the_panel_is() {
        check(&[0, 1, 2, 2, 1], 48.0, &[0.0, 12.0, 24.0, 24.0, 12.0]);
        check(
            &[0, 1, 2, 3, 4, 5, 6],
            48.0,
            &[0.0, 8.0, 16.0, 24.0, 32.0, 40.0, 48.0],
        );
        check(&[0, 1, 2, 3], 0.0, &[0.0, 3.0, 6.0, 9.0]);
        let deep: Vec<u32> = (200..260).collect();
        let indents = Indents::of(deep.iter().copied(), 60.0);
        assert!(
            deep.windows(2)
                .all(|pair| indents.of_depth(pair[0]) < indents.of_depth(pair[1]))
        );
        assert_eq!((indents.of_depth(200), indents.hidden()), (0.0, Some(200)));
        assert_eq!(indents.around(203).collect::<Vec<_>>(), [0.0, 3.0, 6.0]);
    }

    #[test]
    fn levels_have_their_usual_place_where_there_is_room() {
        check(&[3, 5], 100.0, &[36.0, 60.0]);
        assert_eq!(Indents::of([3, 5].into_iter(), 100.0).hidden(), None);
        assert_eq!(Indents::of(std::iter::empty(), 100.0).of_depth(0), 0.0);
    }
}
