//! Sums the cost of frames, which arrive stack by stack in order of entry.

use foldhash::HashMap;
use stepback_index::answer::{Call, CallId, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::collect::PositionRange;
use crate::analysis::call_profile::collect::{
    CallEdge, CallProfile, CallTotals, FunctionUsage, StackNode, StackNodeKind,
};

/// Maximum number of distinct functions.
const FUNCTIONS: usize = 1 << 18;
/// Maximum number of distinct pairs of caller and callee.
const LINKS: usize = 1 << 19;
/// Maximum number of distinct stacks, at some hundred bytes each.
const STACKS: usize = 1 << 18;

/// Sums over all frames seen until now.
pub struct Collector {
    /// Start of the part.
    begin: Position,
    has_threads: bool,
    functions: Vec<FunctionUsage>,
    function_places: HashMap<Address, u32>,
    /// By the indices of caller and callee.
    links: HashMap<(u32, u32), CallEdge>,
    stacks: Vec<StackNode>,
    stack_places: HashMap<(u32, StackNodeKind), u32>,
    merged_calls: u64,
    has_clock: bool,
    /// Open frames of the stack being visited.
    open: Vec<OpenFrame>,
    /// Number of open frames per function.
    open_functions: HashMap<u32, u32>,
    open_links: HashMap<(u32, u32), u32>,
    /// Index of the node that the stack grows from.
    base: u32,
}

/// A frame with its cost.
pub struct MeasuredFrame {
    pub id: CallId,
    pub call: Call,
    /// Positions between which it is on its stack; within those of the frame around it.
    pub stay: PositionRange,
    /// Steps that ran on its stack between its entry and exit.
    pub steps: u64,
    pub time: u64,
}

/// An open frame and the cost of its callees.
struct OpenFrame {
    end: Position,
    /// `None` if the function is not distinguished: its cost counts for the enclosing frame.
    function: Option<u32>,
    link: Option<(u32, u32)>,
    stack: u32,
    steps: u64,
    time: u64,
    steps_inside: u64,
    time_inside: u64,
}

impl Collector {
    /// Creates a collector for a part of a trace with `threads` threads.
    pub fn new(part: &PositionRange, threads: usize) -> Self {
        let (who, totals) = (StackNodeKind::Part, CallTotals::default());
        Self {
            begin: part.start,
            has_threads: threads > 1,
            functions: Vec::new(),
            function_places: HashMap::default(),
            links: HashMap::default(),
            stacks: vec![StackNode {
                who,
                parent: 0,
                depth: 0,
                first: part.start,
                totals,
            }],
            stack_places: HashMap::default(),
            merged_calls: 0,
            has_clock: false,
            open: Vec::new(),
            open_functions: HashMap::default(),
            open_links: HashMap::default(),
            base: 0,
        }
    }

    /// Begins the frames of a stack of `thread`.
    pub fn begin_stack(&mut self, thread: ThreadId) {
        self.base = match self.has_threads {
            true => self
                .stack(0, StackNodeKind::Thread(thread), self.begin)
                .unwrap_or(0),
            false => 0,
        };
    }

    /// Adds the next frame in order of entry.
    pub fn enter(&mut self, frame: &MeasuredFrame) {
        let MeasuredFrame {
            id,
            call,
            ref stay,
            steps,
            time,
        } = *frame;
        self.leave_to(stay.start);
        let around = self.open.last();
        let (caller, parent) = (
            around.and_then(|open| open.function),
            around.map_or(self.base, |open| open.stack),
        );
        self.has_clock |= time > 1;
        let function = self.function(id, &call);
        let entered = call.entered_at();
        let link = caller
            .zip(function)
            .filter(|(caller, callee)| self.link(*caller, *callee, entered));
        let stack = function
            .and_then(|function| self.stack(parent, StackNodeKind::Function(function), entered));
        if stack.is_none() {
            self.merged_calls += 1;
        }
        let stack = match stack {
            Some(stack) => {
                self.add_call(stack, entered);
                stack
            }
            None => parent,
        };
        if let Some(function) = function {
            *self.open_functions.entry(function).or_default() += 1;
        }
        if let Some(link) = link {
            *self.open_links.entry(link).or_default() += 1;
        }
        self.open.push(OpenFrame {
            end: stay.end,
            function,
            link,
            stack,
            steps,
            time,
            steps_inside: 0,
            time_inside: 0,
        });
    }

    /// Ends all frames of the stack.
    pub fn end_stack(&mut self) {
        self.leave_to(Position(u64::MAX));
        self.open_functions.clear();
        self.open_links.clear();
    }

    /// Returns the profile of a part of `steps` steps.
    pub fn finish(mut self, steps: u64) -> CallProfile {
        let mut links: Vec<CallEdge> = self.links.drain().map(|(_, link)| link).collect();
        links.sort_unstable_by_key(|link| (link.caller, link.callee));
        self.sum_stacks();
        let Self {
            functions,
            stacks,
            merged_calls,
            has_clock,
            ..
        } = self;
        CallProfile {
            steps,
            has_clock,
            functions,
            links,
            stacks,
            merged_calls,
        }
    }

    fn leave_to(&mut self, position: Position) {
        while let Some(frame) = self.open.pop_if(|frame| frame.end <= position) {
            self.leave(&frame);
        }
    }

    fn leave(&mut self, frame: &OpenFrame) {
        let own_steps = frame.steps.saturating_sub(frame.steps_inside);
        let own_time = frame.time.saturating_sub(frame.time_inside);
        let is_stated = frame.function.is_some() || self.open.is_empty();
        if let Some(stack) = self
            .stacks
            .get_mut(frame.stack as usize)
            .filter(|_| is_stated)
        {
            stack.totals.own_steps = stack.totals.own_steps.saturating_add(own_steps);
            stack.totals.own_time = stack.totals.own_time.saturating_add(own_time);
        }
        let taken = CallTotals {
            calls: 1,
            steps: frame.steps,
            own_steps,
            time: frame.time,
            own_time,
        };
        if let Some(function) = frame.function {
            let counted = closed(&mut self.open_functions, function, taken);
            if let Some(function) = self.functions.get_mut(function as usize) {
                function.totals.add(counted);
            }
        }
        if let Some(link) = frame.link {
            let counted = closed(&mut self.open_links, link, taken);
            if let Some(link) = self.links.get_mut(&link) {
                link.totals.add(CallTotals {
                    own_steps: 0,
                    own_time: 0,
                    ..counted
                });
            }
        }
        let Some(around) = self.open.last_mut() else {
            return;
        };
        // A frame without a distinct function leaves its own cost to the enclosing frame.
        let (steps, time) = match frame.function {
            Some(_) => (frame.steps, frame.time),
            None => (frame.steps_inside, frame.time_inside),
        };
        around.steps_inside = around.steps_inside.saturating_add(steps);
        around.time_inside = around.time_inside.saturating_add(time);
    }

    /// Records a pair of caller and callee; returns false if there are too many.
    fn link(&mut self, caller: u32, callee: u32, entered: Position) -> bool {
        let begin = self.begin;
        let pair = (caller, callee);
        if let Some(known) = self.links.get_mut(&pair) {
            known.first = first_of(begin, known.first, entered);
            return true;
        }
        let is_room = self.links.len() < LINKS;
        if is_room {
            self.links.insert(
                pair,
                CallEdge {
                    caller,
                    callee,
                    first: entered,
                    totals: CallTotals::default(),
                },
            );
        }
        is_room
    }

    /// Returns the index of a frame's function; `None` if there are too many.
    fn function(&mut self, id: CallId, call: &Call) -> Option<u32> {
        let address = call.function;
        let first = call.entered_at();
        if let Some(place) = self.function_places.get(&address) {
            let known = self.functions.get_mut(*place as usize)?;
            known.first = first_of(self.begin, known.first, first);
            return Some(*place);
        }
        if self.functions.len() >= FUNCTIONS {
            return None;
        }
        let place = u32::try_from(self.functions.len()).ok()?;
        let totals = CallTotals::default();
        self.functions.push(FunctionUsage {
            address,
            example: id,
            first,
            totals,
        });
        self.function_places.insert(address, place);
        Some(place)
    }

    /// Returns the index of a stack with `who` on top; `None` if there are too many.
    fn stack(&mut self, parent: u32, who: StackNodeKind, first: Position) -> Option<u32> {
        if let Some(place) = self.stack_places.get(&(parent, who)) {
            return Some(*place);
        }
        if self.stacks.len() >= STACKS {
            return None;
        }
        let place = u32::try_from(self.stacks.len()).ok()?;
        let depth = self
            .stacks
            .get(parent as usize)
            .map_or(0, |parent| parent.depth.saturating_add(1));
        self.stacks.push(StackNode {
            who,
            parent,
            depth,
            first,
            totals: CallTotals::default(),
        });
        self.stack_places.insert((parent, who), place);
        Some(place)
    }

    fn add_call(&mut self, stack: u32, entered: Position) {
        let begin = self.begin;
        if let Some(stack) = self.stacks.get_mut(stack as usize) {
            stack.totals.calls += 1;
            stack.first = first_of(begin, stack.first, entered);
        }
    }

    /// Adds the cost of each stack to its parent. Parents have lower indices.
    fn sum_stacks(&mut self) {
        for place in (0..self.stacks.len()).rev() {
            let Some(node) = self.stacks.get_mut(place) else {
                continue;
            };
            node.totals.steps = node.totals.steps.saturating_add(node.totals.own_steps);
            node.totals.time = node.totals.time.saturating_add(node.totals.own_time);
            let (parent, CallTotals { steps, time, .. }) = (node.parent as usize, node.totals);
            if let Some(parent) = self.stacks.get_mut(parent).filter(|_| parent < place) {
                parent.totals.steps = parent.totals.steps.saturating_add(steps);
                parent.totals.time = parent.totals.time.saturating_add(time);
            }
        }
    }
}

/// Returns the earlier of two entries; one inside the part that starts at `begin` takes precedence
/// over one before it.
fn first_of(begin: Position, one: Position, other: Position) -> Position {
    let rank = |position: Position| (position < begin, position);
    if rank(other) < rank(one) { other } else { one }
}

/// Closes the innermost open frame of a key. Returns what counts of its cost: inside another frame
/// of the key, which already counts it, only the call and its own cost.
fn closed<K: std::hash::Hash + Eq>(
    open: &mut HashMap<K, u32>,
    key: K,
    cost: CallTotals,
) -> CallTotals {
    let Some(count) = open.get_mut(&key) else {
        return cost;
    };
    *count = count.saturating_sub(1);
    if *count > 0 {
        return CallTotals {
            steps: 0,
            time: 0,
            ..cost
        };
    }
    open.remove(&key);
    cost
}

impl CallTotals {
    fn add(&mut self, cost: Self) {
        self.calls += cost.calls;
        self.own_steps = self.own_steps.saturating_add(cost.own_steps);
        self.own_time = self.own_time.saturating_add(cost.own_time);
        self.steps = self.steps.saturating_add(cost.steps);
        self.time = self.time.saturating_add(cost.time);
    }
}
