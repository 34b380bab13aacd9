//! Call stacks with the time spent in each: the data of flame graphs.

use std::collections::HashMap;

use stepback_index::answer::ThreadId;
use stepback_machine::Address;

use super::call_profile::{CallProfile, StackNodeKind};
use crate::analysis::activations::ActivationSpan;

/// Index of a function in the names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct NameId(u32);

/// Index of a stack; a stack comes after the one that it grows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct TimedStackId(u32);

/// The stacks of a CPU, each once.
#[derive(Debug, Default)]
pub struct StackTimes {
    names: Vec<StackFunction>,
    name_ids: HashMap<String, NameId>,
    stacks: Vec<TimedStack>,
    places: HashMap<(Option<TimedStackId>, NameId), TimedStackId>,
    /// The calls around the last one entered, and that one.
    open: Vec<TimedStackId>,
    cut_at: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct StackFunction {
    /// Its name, or its address.
    pub text: String,
    /// Address of the first function with this name.
    pub address: Address,
}

#[derive(Debug)]
struct TimedStack {
    caller: Option<TimedStackId>,
    name: NameId,
    /// 0 for the outermost.
    depth: u32,
    /// Time without that of callees. Negative if calls on two stacks overlap.
    time: i128,
}

/// A stack, and the time spent in its innermost function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedStack {
    /// Function names: `main;parse;next`.
    pub text: String,
    /// Time in the trace's unit.
    pub time: u64,
    id: TimedStackId,
}

impl StackTimes {
    /// Returns the stacks of a profile per thread, in order of first occurrence. A profile without
    /// threads counts as the first thread. `names` are those of the profile's functions, in their
    /// order.
    pub fn of_profile(profile: &CallProfile, names: &[StackFunction]) -> Vec<(ThreadId, Self)> {
        let mut threads: Vec<(ThreadId, Self)> = Vec::new();
        // Index of the thread and stack for each stack of the profile.
        let mut places: Vec<Option<(usize, Option<TimedStackId>)>> =
            Vec::with_capacity(profile.stacks.len());
        for node in &profile.stacks {
            let parent = places.get(node.parent as usize).copied().flatten();
            let place = match node.who {
                StackNodeKind::Part => None,
                StackNodeKind::Thread(thread) => {
                    threads.push((thread, Self::default()));
                    Some((threads.len() - 1, None))
                }
                StackNodeKind::Function(function) => {
                    let (thread, caller) = parent.unwrap_or((0, None));
                    if threads.is_empty() {
                        threads.push((ThreadId(0), Self::default()));
                    }
                    let time = if profile.has_clock {
                        node.totals.own_time
                    } else {
                        node.totals.own_steps
                    };
                    let known = threads.get_mut(thread).zip(names.get(function as usize));
                    known.map(|((_, stacks), name)| {
                        let id = stacks.stack(caller, name.clone());
                        stacks.add(id, i128::from(time));
                        (thread, Some(id))
                    })
                }
            };
            places.push(place);
        }
        threads
    }

    /// Adds the next call in order of entry.
    pub fn enter(&mut self, span: &ActivationSpan, name: String) {
        self.open.truncate(span.depth as usize);
        let id = self.stack(
            self.open.last().copied(),
            StackFunction {
                text: name,
                address: span.function,
            },
        );
        let time = i128::from(span.elapsed());
        self.add(id, time);
        if let Some(caller) = self.open.last() {
            self.add(*caller, -time);
        }
        self.open.push(id);
    }

    fn add(&mut self, TimedStackId(id): TimedStackId, time: i128) {
        if let Some(stack) = self.stacks.get_mut(id as usize) {
            stack.time += time;
        }
    }

    /// Returns the stack with one more function on top.
    fn stack(&mut self, caller: Option<TimedStackId>, name: StackFunction) -> TimedStackId {
        let name = self.name(name);
        if let Some(id) = self.places.get(&(caller, name)) {
            return *id;
        }
        let depth = caller
            .and_then(|caller| self.get(caller))
            .map_or(0, |caller| caller.depth.saturating_add(1));
        let id = TimedStackId(u32::try_from(self.stacks.len()).unwrap_or(u32::MAX));
        self.stacks.push(TimedStack {
            caller,
            name,
            depth,
            time: 0,
        });
        self.places.insert((caller, name), id);
        id
    }

    fn name(&mut self, name: StackFunction) -> NameId {
        if let Some(id) = self.name_ids.get(&name.text) {
            return *id;
        }
        let id = NameId(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.name_ids.insert(name.text.clone(), id);
        self.names.push(name);
        id
    }

    fn get(&self, TimedStackId(id): TimedStackId) -> Option<&TimedStack> {
        self.stacks.get(id as usize)
    }

    fn name_of(&self, stack: &TimedStack) -> Option<&StackFunction> {
        self.names.get(stack.name.0 as usize)
    }

    /// Returns the depth of the deepest stack.
    pub fn deepest(&self) -> u32 {
        self.stacks
            .iter()
            .map(|stack| stack.depth)
            .max()
            .unwrap_or(0)
    }

    /// Returns the depth at which to cut so that the text of all stacks fits into `limit_bytes`, or
    /// 0 if not even the outermost functions fit; `None` if everything fits. The text of a deep
    /// recursion grows with the square of its depth.
    pub fn depth_within(&self, limit_bytes: u64) -> Option<u32> {
        let mut lengths: Vec<u64> = Vec::with_capacity(self.stacks.len());
        let mut by_depth: Vec<u64> = Vec::new();
        for stack in &self.stacks {
            let before = stack
                .caller
                .and_then(|caller| lengths.get(caller.0 as usize))
                .map_or(0, |length| length + 1);
            let length =
                before.saturating_add(self.name_of(stack).map_or(0, |name| name.text.len() as u64));
            lengths.push(length);
            let depth = stack.depth as usize;
            if by_depth.len() <= depth {
                by_depth.resize(depth + 1, 0);
            }
            if let Some(sum) = by_depth.get_mut(depth) {
                *sum = sum.saturating_add(length);
            }
        }
        let mut sum = 0u64;
        let too_deep = by_depth.iter().position(|bytes| {
            sum = sum.saturating_add(*bytes);
            sum > limit_bytes
        })?;
        u32::try_from(too_deep.saturating_sub(1)).ok()
    }

    /// Cuts the stacks off below a depth. Time spent deeper counts for the function at that depth.
    pub fn cut(&mut self, depth: u32) {
        // Callers precede callees, so in reverse order all deeper time is already added.
        for place in (0..self.stacks.len()).rev() {
            let Some(stack) = self.stacks.get(place).filter(|stack| stack.depth > depth) else {
                continue;
            };
            let (caller, time) = (stack.caller, stack.time);
            if let Some(caller) = caller {
                self.add(caller, time);
            }
        }
        self.cut_at = Some(depth);
    }

    /// Returns all stacks that were not cut off, sorted by their text.
    pub fn folded(&self) -> Vec<FoldedStack> {
        let limit = self.cut_at.unwrap_or(u32::MAX);
        let shown = self
            .stacks
            .iter()
            .zip(0..)
            .filter(|(stack, _)| stack.depth <= limit);
        let mut folded: Vec<FoldedStack> = shown
            .map(|(stack, id)| self.fold(TimedStackId(id), stack.time))
            .collect();
        folded.sort_by(|a, b| a.text.cmp(&b.text));
        folded
    }

    /// Returns the addresses of a stack's functions, outermost first.
    pub fn functions_of(&self, stack: &FoldedStack) -> Vec<Address> {
        let functions = self.functions(stack.id).into_iter();
        functions.map(|function| function.address).collect()
    }

    fn functions(&self, id: TimedStackId) -> Vec<&StackFunction> {
        let direction = std::iter::successors(self.get(id), |stack| self.get(stack.caller?));
        let mut functions: Vec<_> = direction.filter_map(|stack| self.name_of(stack)).collect();
        functions.reverse();
        functions
    }

    fn fold(&self, id: TimedStackId, time: i128) -> FoldedStack {
        let functions = self.functions(id);
        let mut text =
            String::with_capacity(functions.iter().map(|name| name.text.len() + 1).sum());
        for (number, name) in functions.into_iter().enumerate() {
            text.push_str(if number == 0 { "" } else { ";" });
            // A semicolon separates the names, and Rust has types such as `[u8; 4]`.
            text.extend(
                name.text
                    .chars()
                    .map(|letter| if letter == ';' { ',' } else { letter }),
            );
        }
        FoldedStack {
            text,
            time: u64::try_from(time.max(0)).unwrap_or(u64::MAX),
            id,
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_machine::Address;

    use stepback_parsers::Step;

    use super::*;

    fn stacks(calls: &[(u32, &str, (u64, u64))]) -> StackTimes {
        let mut stacks = StackTimes::default();
        for (depth, name, (entry_time, exit_time)) in calls {
            let span = ActivationSpan {
                depth: *depth,
                function: Address(0),
                pc: 0,
                entry: Step(*entry_time),
                entry_time: *entry_time,
                exit_time: *exit_time,
                steps: 0,
                counts_steps: false,
            };
            stacks.enter(&span, (*name).to_owned());
        }
        stacks
    }

    #[track_caller]
    fn check(stacks: &StackTimes, expected: &[&str]) {
        let lines: Vec<String> = stacks
            .folded()
            .iter()
            .map(|stack| format!("{} {}", stack.text, stack.time))
            .collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn equal_stacks_are_summed_and_sorted_by_text() {
        let calls = [
            (0, "main", (0, 100)),
            (1, "f", (10, 20)),
            (1, "f.cold", (30, 40)),
            (1, "f", (50, 60)),
            (2, "g", (55, 55)),
        ];
        check(
            &stacks(&calls),
            &["main 70", "main;f 20", "main;f.cold 10", "main;f;g 0"],
        );
    }

    #[test]
    fn what_is_cut_off_counts_for_its_caller() {
        let calls = [
            (0, "main", (0, 100)),
            (1, "f", (10, 50)),
            (2, "f", (20, 40)),
            (3, "f", (25, 30)),
            (1, "g", (60, 70)),
        ];
        let mut stacks = stacks(&calls);
        stacks.cut(1);
        check(&stacks, &["main 50", "main;f 40", "main;g 10"]);
    }

    #[test]
    fn the_depth_that_fits_is_found_by_the_length_of_the_text() {
        let calls = [(0, "ab", (0, 9)), (1, "cd", (0, 9)), (2, "ef", (0, 9))];
        let stacks = stacks(&calls);
        let depths = [15, 14, 7, 6, 0].map(|limit| stacks.depth_within(limit));
        assert_eq!(depths, [None, Some(1), Some(1), Some(0), Some(0)]);
    }
}
