//! Writes a dump from its header to its end, with the conventions of `tarmac-vcd` or those of the
//! trace ([`Fidelity`]).

use std::io;
use std::io::Write;
use std::iter::Peekable;
use std::sync::atomic::AtomicU64;

use stepback_index::answer::ThreadId;
use stepback_index::in_order::parse_in_order;
use stepback_index::query::RegistersAt;
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::Position;

use crate::image::Images;
use crate::vcd::functions::{FunctionChanges, FunctionSpan};
use crate::vcd::node::DumpNode;
use crate::vcd::nodes::NodeBuilder;
use crate::vcd::register_state::RegisterState;
use crate::vcd::scope::CpuScope;
use crate::vcd::signals::used_sets;
use crate::vcd::writer::VcdWriter;

/// Ticks per node in the dump.
const NODE_TICKS: u64 = 1000;

/// Unit of the time stamps of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StampUnit {
    Nodes,
    /// The trace's own time.
    Trace,
}

#[derive(Clone, Debug)]
pub struct DumpOptions {
    /// Date for the header.
    pub date: Option<String>,
    /// Unit of the time stamps.
    pub stamps: StampUnit,
    /// Conventions to follow.
    pub fidelity: Fidelity,
    pub from: Position,
    pub to: Position,
}

/// Summary of a written dump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DumpSummary {
    /// Number of signals of all CPUs.
    pub signals: u64,
    pub nodes: u64,
    pub steps: u64,
    /// Last time stamp.
    pub end: u64,
    /// Number of bytes written.
    pub bytes: u64,
    /// Number of nodes at the time of the preceding node.
    pub equal_times: u64,
    /// Number of nodes with more accesses than ticks.
    pub crowded: u64,
    /// Number of function changes shown before their step.
    pub early: u64,
    /// Number of accesses whose value is shown in another byte order than the CPU's.
    pub swapped: u64,
}

/// A failed dump.
#[derive(Debug)]
pub enum DumpError {
    /// The dump could not be written.
    Output(io::Error),
    /// The trace or its index could not be read.
    Trace(QueryError),
}

impl From<io::Error> for DumpError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<QueryError> for DumpError {
    fn from(error: QueryError) -> Self {
        Self::Trace(error)
    }
}

/// Input of a dump.
pub struct DumpSource<'a> {
    /// Index of the trace.
    pub index: &'a Index,
    /// Images with the names of functions.
    pub images: &'a Images,
    /// For each thread its function spans in order of entry.
    pub functions: Vec<FunctionSpans<'a>>,
}

/// The function spans of a thread in order of entry.
pub type FunctionSpans<'a> = Box<dyn Iterator<Item = FunctionSpan> + 'a>;

/// A dump in progress.
pub struct Dump<'a, W> {
    pub(super) index: &'a Index,
    images: &'a Images,
    pub(super) options: &'a DumpOptions,
    out: VcdWriter<W>,
    scopes: Vec<CpuScope>,
    functions: Vec<FunctionFeed<'a>>,
    pub(super) summary: DumpSummary,
    last_time: Option<u64>,
}

/// The function changes of a thread, and the one that is due.
struct FunctionFeed<'a> {
    changes: Peekable<FunctionChanges<'a>>,
    due: Option<Address>,
    /// Time of the next change, once it was looked up.
    next_time: Option<Option<u64>>,
}

impl<'a, W: Write> Dump<'a, W> {
    /// Writes a whole dump to `out`; `done` receives the offset up to which the trace was read.
    ///
    /// # Errors
    /// See [`DumpError`].
    pub fn write(
        traced: DumpSource<'a>,
        options: &'a DumpOptions,
        out: W,
        done: &'a AtomicU64,
    ) -> Result<DumpSummary, DumpError> {
        let index = traced.index;
        let (time, registers) = start(index, options)?;
        let sets = used_sets(index, &registers, options.from..options.to, done)?;
        let mut dump = Self::new(traced, sets, options, out);
        if options.from > Position(0) {
            dump.take_up(&registers);
        }
        dump.header()?;
        let parts = SlotReader(index).text_parts(options.from..options.to);
        let mut nodes = NodeBuilder::new(dump, time, registers, done);
        let parsed = parse_in_order(index.source().as_ref(), parts, &mut nodes);
        let (mut dump, steps) = nodes.finish()?;
        parsed?;
        if steps != options.to.0.max(options.from.0) {
            return Err(QueryError::TraceChanged.into());
        }
        dump.summary.steps = steps - options.from.0;
        dump.footer()
    }

    fn new(
        traced: DumpSource<'a>,
        sets: Vec<Vec<InstructionSet>>,
        options: &'a DumpOptions,
        out: W,
    ) -> Self {
        let DumpSource {
            index,
            images,
            functions,
        } = traced;
        let mut scopes = Vec::new();
        let mut signals = 0;
        let threads = index.threads();
        for ((thread, info), sets) in (0..).map(ThreadId).zip(threads).zip(sets) {
            let name = if threads.len() == 1 {
                "CPU"
            } else {
                &info.name
            };
            let scope = CpuScope::new(thread, sets, name, signals, options.fidelity);
            signals += scope.signal_count();
            scopes.push(scope);
        }
        let feed = |spans| FunctionFeed {
            changes: FunctionChanges::new(spans).peekable(),
            due: None,
            next_time: None,
        };
        let functions = functions.into_iter().map(feed).collect();
        let summary = DumpSummary {
            signals: signals as u64,
            ..DumpSummary::default()
        };
        Self {
            index,
            images,
            options,
            out: VcdWriter::new(out),
            scopes,
            functions,
            summary,
            last_time: None,
        }
    }

    /// Makes the first nodes show the state before them.
    fn take_up(&mut self, registers: &[RegisterState]) {
        for (scope, registers) in self.scopes.iter_mut().zip(registers) {
            scope.want_all(registers);
        }
        for feed in &mut self.functions {
            while let Some((_, function)) = feed
                .changes
                .next_if(|(step, _)| step.0 < self.options.from.0)
            {
                feed.due = Some(function);
            }
        }
    }

    fn header(&mut self) -> Result<(), DumpError> {
        let out = &mut self.out;
        if let Some(date) = &self.options.date {
            for line in ["$date", date, "$end"] {
                out.line(line)?;
            }
        }
        let lines = [
            "$version",
            "tarmac-vcd 0.0",
            "$end",
            "$comment",
            "Generated by tarmac-vcd.",
            "$end",
        ];
        lines
            .into_iter()
            .chain(["$timescale 1ps $end"])
            .try_for_each(|line| out.line(line))?;
        self.scopes
            .iter()
            .try_for_each(|scope| scope.declare(out))?;
        out.line("$enddefinitions $end")?;
        Ok(out.line("$dumpvars")?)
    }

    fn footer(mut self) -> Result<DumpSummary, DumpError> {
        let end = match self.options.stamps {
            StampUnit::Nodes => self.stamp(0),
            StampUnit::Trace => self
                .last_time
                .map_or(0, |time| ticks(time.saturating_add(1))),
        };
        self.out.stamp(end)?;
        self.out.line("$end")?;
        self.out.flush()?;
        Ok(DumpSummary {
            end: self.out.stamp_reached(),
            bytes: self.out.written_bytes(),
            ..self.summary
        })
    }

    /// Returns the time stamp of a node.
    fn stamp(&self, time: u64) -> u64 {
        match self.options.stamps {
            StampUnit::Nodes => ticks(self.options.from.0.saturating_add(self.summary.nodes)),
            StampUnit::Trace => ticks(time),
        }
    }

    /// Returns the name of the function that a thread enters or returns to at this node, if any.
    fn function(&mut self, thread: ThreadId, node: &DumpNode) -> Result<Option<String>, DumpError> {
        let is_alone = self.functions.len() == 1;
        let Some(feed) = self.functions.get_mut(usize::from(thread.0)) else {
            return Ok(None);
        };
        let step = node
            .instruction
            .as_ref()
            .filter(|instruction| instruction.thread == thread)
            .map(|it| it.step);
        if self.options.fidelity == Fidelity::Exact || !is_alone {
            feed.go_to(step);
        } else {
            let is_early = feed.go_on(self.index, node.time, step)?;
            self.summary.early += u64::from(is_early);
        }
        let Some(function) = feed.due.take() else {
            return Ok(None);
        };
        let found = self.images.reported_at(function);
        Ok(Some(
            found
                .map(|found| found.symbol.raw_name().to_owned())
                .unwrap_or_default(),
        ))
    }

    fn accesses(&mut self, node: &DumpNode, stamp: u64) -> Result<(), DumpError> {
        let count = node.accesses.len() as u64;
        self.summary.crowded += u64::from(count > NODE_TICKS);
        for (number, access) in (0..).zip(&node.accesses) {
            // A node has at most 65536 accesses.
            self.out
                .stamp(stamp.saturating_add(number * NODE_TICKS / count))?;
            if let Some(scope) = self.scopes.get_mut(usize::from(access.thread.0)) {
                scope.access(access, &mut self.out)?;
            }
        }
        Ok(())
    }
}

impl<W: Write> Dump<'_, W> {
    /// Writes a node.
    pub(super) fn node(
        &mut self,
        node: &DumpNode,
        registers: &[RegisterState],
    ) -> Result<(), DumpError> {
        let stamp = self.stamp(node.time);
        self.out.stamp(stamp)?;
        self.summary.equal_times += u64::from(self.last_time == Some(node.time));
        self.last_time = Some(node.time);
        for thread in &node.threads {
            let function = self.function(*thread, node)?;
            let place = usize::from(thread.0);
            let Some((scope, registers)) = self.scopes.get_mut(place).zip(registers.get(place))
            else {
                continue;
            };
            scope.node(node, function.as_deref(), registers, &mut self.out)?;
            if node.accesses.iter().all(|access| access.thread != *thread) {
                scope.release(&mut self.out)?;
            }
        }
        self.accesses(node, stamp)?;
        self.summary.nodes += 1;
        Ok(())
    }
}

impl FunctionFeed<'_> {
    /// Takes the changes up to a step.
    fn go_to(&mut self, step: Option<u64>) {
        let Some(step) = step else { return };
        while let Some((_, function)) = self.changes.next_if(|(at, _)| at.0 <= step) {
            (self.due, self.next_time) = (Some(function), None);
        }
    }

    /// Takes the next change when its time has come, as `tarmac-vcd` does: of several nodes at one
    /// time, the first ones show the changes. In a trace without times, changes are shown at their
    /// own steps. Returns true if the change is shown before its step.
    fn go_on(&mut self, index: &Index, time: u64, step: Option<u64>) -> Result<bool, DumpError> {
        let Some((at, function)) = self.changes.peek().copied() else {
            return Ok(false);
        };
        let change_time = match self.next_time {
            Some(time) => time,
            None => *self.next_time.insert(SlotReader(index).time_of(at)?),
        };
        let Some(change_time) = change_time else {
            self.go_to(step);
            return Ok(false);
        };
        if change_time > time {
            return Ok(false);
        }
        self.next_time = None;
        self.changes.next();
        self.due = Some(function);
        Ok(step.is_none_or(|step| step < at.0))
    }
}

fn ticks(number: u64) -> u64 {
    number.saturating_mul(NODE_TICKS)
}

/// Returns the time and the register values of each thread before the first node.
fn start(index: &Index, options: &DumpOptions) -> Result<(u64, Vec<RegisterState>), DumpError> {
    let threads = (0..).map(ThreadId).take(index.threads().len());
    let state = |thread| match index.instruction_set(thread).has_states() {
        true => RegisterState::at(&NameReader(index), thread, options.from),
        false => Ok(RegisterState::default()),
    };
    let mut registers = threads.map(state).collect::<Result<Vec<_>, _>>()?;
    let mut time = 0;
    if let Some(step) = options.from.last_step() {
        time = SlotReader(index).time_of(step)?.unwrap_or(0);
        for (thread, state) in (0..).map(ThreadId).zip(&mut registers) {
            let question = RegistersAt {
                position: options.from,
                thread: Some(thread),
            };
            state.load(&question.run(index, &Cancel::default())?);
        }
    }
    Ok((time, registers))
}
/// Conventions of a waveform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Conventions of `tarmac-vcd`, including its function changes and its byte order of diagrams.
    TarmacVcd,
    /// Conventions of the trace: functions change at their own step, and diagrams are read in the
    /// byte order of the CPU.
    Exact,
}
