//! Tasks: the stacks that a thread of the trace switches between, as an operating system on one
//! core schedules them.

use std::ops::Range;

use stepback_index::answer::{Call, CallId, Cell, FrameEntry, StackUse, ThreadId, ValueSource};
use stepback_index::query::NearestStepOf;
use stepback_index::read::StepCounter;
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::sites::Sites;
use crate::analysis::tracked::{CellValue, cell_value};
use crate::image::Images;

#[derive(Clone, Debug)]
pub struct Task {
    /// Thread of the trace that runs it.
    pub thread: ThreadId,
    /// Index among the stacks of that thread; 0 is in use where the trace begins.
    pub number: u32,
    /// Function of its outermost known frame.
    pub function: Address,
    /// Steps of the task itself.
    pub steps: u64,
    /// Steps of exception handlers that interrupted it.
    pub handler_steps: u64,
    /// Total time of its runs; `None` in a trace without times.
    pub time: Option<u64>,
    /// Number of its calls, exceptions excluded.
    pub calls: u64,
    /// Value of the operating system's pointer to the running task at the task's first run, if an
    /// image has that pointer.
    pub control_block: Option<CellValue>,
    /// Its runs, in order.
    pub runs: Vec<Range<Position>>,
}

/// Symbols of pointers to the control block of the running task: FreeRTOS, ThreadX, µC/OS-II and
/// III.
const CURRENT_TASK: [&str; 4] = [
    "pxCurrentTCB",
    "_tx_thread_current_ptr",
    "OSTCBCur",
    "OSTCBCurPtr",
];

/// Returns true if the threads of the trace are the tasks of an operating system, recorded from
/// outside: each then has one stack, and other threads run between its steps.
pub fn has_os_threads(index: &Index) -> bool {
    !index.source().known_threads().is_empty()
}

/// Returns the address of an operating system's pointer to the running task, if an image has one.
pub fn running_task(images: &Images) -> Option<Address> {
    CURRENT_TASK.iter().find_map(|name| images.address_of(name))
}

/// Returns all tasks, by thread and in the order in which they first ran.
///
/// Cost: a lookup for each frame and each switch.
///
/// # Errors
/// See [`QueryError`].
pub fn tasks(
    index: &Index,
    current: Option<Address>,
    cancel: &Cancel,
) -> Result<Vec<Task>, QueryError> {
    let stacks = index.calls().stacks();
    let mut reader = TaskReader {
        index,
        current,
        cancel,
        sites: Sites::new(index, cancel),
    };
    stacks
        .into_iter()
        .filter_map(|stack| reader.task(stack).transpose())
        .collect()
}

struct TaskReader<'a> {
    index: &'a Index,
    /// Address of the pointer to the running task.
    current: Option<Address>,
    cancel: &'a Cancel,
    sites: Sites<'a>,
}

impl TaskReader<'_> {
    fn task(&mut self, stack: StackUse) -> Result<Option<Task>, QueryError> {
        self.cancel.check()?;
        let StackUse {
            thread,
            frames,
            used,
        } = stack;
        let Some(root) = self
            .index
            .calls()
            .get(CallId(frames.start))
            .filter(|_| !frames.is_empty())
        else {
            return Ok(None);
        };
        let counter = StepCounter::new(self.index, thread);
        let mut runs = Vec::new();
        let (mut steps, mut time) = (0, None);
        for run in used {
            let run = run.start..run.end.min(self.index.end());
            let own = steps_in(&counter, &run)?;
            if own > 0 {
                steps += own;
                time = self
                    .time_of(thread, &run)?
                    .map(|own| time.unwrap_or(0) + own);
                runs.push(run);
            }
        }
        let (handler_steps, calls) = self.count_frames(&frames, &counter)?;
        let number = self.index.calls().stack_of(CallId(frames.start));
        let steps = steps.saturating_sub(handler_steps);
        let control_block = self.control_block(thread, runs.first())?;
        let function = root.function;
        Ok(Some(Task {
            thread,
            number,
            function,
            steps,
            handler_steps,
            time,
            calls,
            control_block,
            runs,
        }))
    }

    fn control_block(
        &self,
        thread: ThreadId,
        first: Option<&Range<Position>>,
    ) -> Result<Option<CellValue>, QueryError> {
        let Some((address, run)) = self.current.zip(first) else {
            return Ok(None);
        };
        let len_bytes = u64::from(self.index.instruction_set(thread).word_bytes());
        let cell = Cell::Memory { address, len_bytes };
        let value = cell_value(self.index, cell, run.start, self.cancel)?;
        Ok(Some(value).filter(|known| known.source != ValueSource::Unknown))
    }

    /// Returns the number of steps in exception handlers, and the number of calls.
    fn count_frames(
        &self,
        frames: &Range<u64>,
        counter: &StepCounter<'_>,
    ) -> Result<(u64, u64), QueryError> {
        let (mut handler_steps, mut calls, mut handled_to) = (0, 0, Position(0));
        for call in frames
            .clone()
            .filter_map(|id| self.index.calls().get(CallId(id)))
        {
            calls += u64::from(matches!(call.entered, FrameEntry::Call | FrameEntry::Tail));
            let Some(entry) = call
                .entry_step
                .filter(|_| call.entered == FrameEntry::Exception)
            else {
                continue;
            };
            let (from, to) = (entry.before().max(handled_to), self.end_of(&call));
            // A nested handler is part of the enclosing one.
            if from < to {
                handler_steps += steps_in(counter, &(from..to))?;
                handled_to = to;
            }
        }
        Ok((handler_steps, calls))
    }

    fn end_of(&self, call: &Call) -> Position {
        call.exit_step.map_or(self.index.end(), Step::after)
    }

    /// Returns the duration of a run, from the first to the last step of its thread; `None` in a
    /// trace without times.
    fn time_of(&self, thread: ThreadId, run: &Range<Position>) -> Result<Option<u64>, QueryError> {
        let first = NearestStepOf::next(thread, run.start).run(self.index, self.cancel)?;
        let last = NearestStepOf::last(thread, run.end).run(self.index, self.cancel)?;
        let Some((first, last)) = first.zip(last) else {
            return Ok(None);
        };
        let (from, to) = (self.sites.time_of(first)?, self.sites.end_time_of(last)?);
        Ok((to > 0).then(|| to.saturating_sub(from).saturating_add(1)))
    }
}

/// Returns the number of steps of a thread between two positions.
fn steps_in(counter: &StepCounter<'_>, run: &Range<Position>) -> Result<u64, QueryError> {
    Ok(counter
        .count_before(run.end)?
        .saturating_sub(counter.count_before(run.start)?))
}
