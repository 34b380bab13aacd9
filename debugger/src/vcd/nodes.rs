//! Groups events into nodes.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::Index;
use stepback_index::answer::ThreadId;
use stepback_machine::banks::ExecutionState;
use stepback_machine::{Endian, RegisterId};
use stepback_parsers::tarmac::{LineHead, LineShape, is_noticed_register};
use stepback_parsers::{
    EventSink, Flow, InputLocation, MemoryAccess, RegisterWrite, StepEvent, TextEvent, ThreadNumber,
};

use super::DumpError;
use super::node::{DumpNode, NodeAccess, NodeInstruction};
use super::register_state::{NamedRegister, RegisterState};
use crate::vcd::dump::{Dump, Fidelity};
use crate::vcd::node::{DiagramRow, LineText};

/// Maximum number of accesses or writes per node; more continue in the next one. A trace without
/// times and instructions would be a single node.
const NODE_LIMIT: usize = 1 << 16;

/// Event sink that groups events into nodes.
///
/// A node begins at an event of a new time, or at an instruction if the current node has one.
pub struct NodeBuilder<'a, W> {
    index: &'a Index,
    lines: LineText<'a>,
    fidelity: Fidelity,
    endian: Endian,
    /// Offset of the last event's line, and the head of that line.
    last_line: Option<(u64, Option<LineHead>)>,
    /// The last time stated, and the largest.
    written_time: u64,
    time: u64,
    node: DumpNode,
    is_open: bool,
    /// The diagram being read; its accesses belong to the current node.
    row: DiagramRow,
    threads: Vec<ThreadId>,
    /// For each register outside the architecture's table: true if the Tarmac tools notice it.
    noticed: Vec<bool>,
    /// Meaning of each register outside the architecture's table for the signals.
    named: Vec<NamedRegister>,
    registers: Vec<RegisterState>,
    /// Receives the nodes, each with the register values of all threads after it.
    dump: Dump<'a, W>,
    step: u64,
    done: &'a AtomicU64,
    swapped: u64,
    failure: Option<DumpError>,
}

/// Class of an event. A node has at most one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeEvent {
    Instruction,
    Other,
}

impl<'a, W: Write> NodeBuilder<'a, W> {
    /// Creates a sink that passes nodes to `dump`. `time` and `registers`, the values of each
    /// thread, are those before the first event; `done` receives the offset up to which the trace
    /// was read.
    pub fn new(
        dump: Dump<'a, W>,
        time: u64,
        registers: Vec<RegisterState>,
        done: &'a AtomicU64,
    ) -> Self {
        let (index, options) = (dump.index, dump.options);
        Self {
            index,
            lines: LineText::new(index.source().as_ref()),
            fidelity: options.fidelity,
            endian: if index.info().is_big_endian {
                Endian::Big
            } else {
                Endian::Little
            },
            last_line: None,
            written_time: time,
            time,
            node: DumpNode::default(),
            is_open: false,
            row: DiagramRow::default(),
            threads: Vec::new(),
            noticed: Vec::new(),
            named: Vec::new(),
            registers,
            dump,
            step: options.from.0,
            done,
            swapped: 0,
            failure: None,
        }
    }

    /// Passes on the last node. Returns the dump and the number of steps up to the last, those
    /// before the start included.
    pub fn finish(mut self) -> Result<(Dump<'a, W>, u64), DumpError> {
        self.close();
        self.dump.summary.swapped = self.swapped;
        match self.failure {
            Some(error) => Err(error),
            None => Ok((self.dump, self.step)),
        }
    }

    fn close(&mut self) {
        self.end_row();
        if !self.is_open || self.failure.is_some() {
            return;
        }
        if let Err(error) = self.dump.node(&self.node, &self.registers) {
            self.failure = Some(error);
        }
    }

    fn thread(&self, number: ThreadNumber) -> ThreadId {
        self.threads
            .get(usize::from(number.0))
            .copied()
            .unwrap_or_default()
    }

    /// Returns the head of an event's line.
    fn head(&mut self, place: InputLocation) -> Option<LineHead> {
        if let Some((_, head)) = self.last_line.filter(|(offset, _)| *offset == place.offset) {
            return head;
        }
        let head = match self.lines.line_at(place.offset) {
            Ok(line) => LineHead::read(line),
            Err(error) => {
                self.failure.get_or_insert(DumpError::Trace(error.into()));
                None
            }
        };
        self.last_line = Some((place.offset, head));
        head
    }

    fn note_time(&mut self, time: Option<u64>) {
        self.written_time = time.unwrap_or(self.written_time);
        self.time = self.time.max(self.written_time);
    }

    /// Moves to the node of an event; a line without a time has that of the preceding line.
    fn enter(&mut self, thread: ThreadId, time: Option<u64>, event: NodeEvent) {
        self.note_time(time);
        let is_second = event == NodeEvent::Instruction && self.node.instruction.is_some();
        let is_full = self.node.accesses.len().max(self.node.writes.len()) >= NODE_LIMIT;
        if !self.is_open || self.node.time != self.time || is_second || is_full {
            self.close();
            self.node.restart(self.time);
            self.is_open = true;
        }
        self.node.note(thread);
    }

    /// Stores the value of a write, with its effect on other registers.
    fn take(&mut self, write: &RegisterWrite<'_>) {
        let thread = self.thread(write.thread);
        let named = write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let meaning = named
            .and_then(|number| self.named.get(usize::from(number)).copied())
            .unwrap_or_default();
        if named.is_some() && meaning == NamedRegister::Other {
            return;
        }
        if let Some(registers) = self.registers.get_mut(usize::from(thread.0)) {
            let changed = registers.take(write, meaning);
            self.node
                .writes
                .extend(changed.into_iter().map(|view| (thread, view)));
        }
    }

    /// Adds the accesses of the last diagram.
    fn end_row(&mut self) {
        let Some(first) = self.row.first() else {
            return;
        };
        let thread = self.thread(first.thread);
        for (address, bytes) in self.row.accesses() {
            let value = bytes.map(|bytes| self.drawn_value(&bytes));
            self.node.accesses.push(NodeAccess {
                thread,
                kind: first.kind,
                address,
                value,
            });
        }
        self.row.clear();
    }

    /// Returns the number in bytes of a diagram; `tarmac-vcd` reads them as big-endian for every
    /// CPU.
    fn drawn_value(&mut self, bytes: &[u8]) -> u64 {
        let value = number(bytes, self.endian);
        let drawn = number(bytes, Endian::Big);
        if self.fidelity == Fidelity::Exact || value == drawn {
            return value;
        }
        self.swapped += 1;
        drawn
    }
}

fn number(bytes: &[u8], endian: Endian) -> u64 {
    let push = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    match endian {
        Endian::Big => bytes.iter().fold(0, push),
        Endian::Little => bytes.iter().rev().fold(0, push),
    }
}

impl<W: Write> EventSink for NodeBuilder<'_, W> {
    fn thread_named(&mut self, _thread: ThreadNumber, name: &str) {
        self.threads
            .push(self.index.thread_by_name(name).unwrap_or_default());
    }

    fn register_named(&mut self, _register: RegisterId, name: &str, _size_bytes: u16) {
        self.noticed.push(is_noticed_register(name.as_bytes()));
        self.named.push(NamedRegister::of(name));
    }

    fn begin_step(&mut self, step: &StepEvent<'_>) {
        let thread = self.thread(step.thread);
        self.enter(thread, step.time, NodeEvent::Instruction);
        self.node.instruction = Some(NodeInstruction {
            thread,
            step: self.step,
            pc: step.pc.0,
            opcode: step.opcode,
            text: step.text.to_vec(),
            is_executed: step.is_executed,
        });
        self.step += 1;
        if let Some(registers) = self.registers.get_mut(usize::from(thread.0)) {
            let changed = registers.enter(ExecutionState {
                set: step.instruction_set,
                mode: step.mode,
            });
            self.node
                .writes
                .extend(changed.into_iter().map(|view| (thread, view)));
        }
    }

    fn register_write(&mut self, write: &RegisterWrite<'_>) {
        if write.is_bank_copy() {
            self.take(write);
            return;
        }
        let time = self.head(write.place).and_then(|head| head.time);
        let named = write.view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        if named.is_some_and(|number| self.noticed.get(usize::from(number)) != Some(&true)) {
            // Most system registers, for example.
            self.note_time(time);
            self.take(write);
            return;
        }
        let thread = self.thread(write.thread);
        self.enter(thread, time, NodeEvent::Other);
        self.take(write);
        if named.is_none() {
            self.node.writes.push((thread, write.view));
        }
    }

    fn access(&mut self, access: &MemoryAccess) {
        if self.row.goes_on(access) {
            self.row.push(access);
            return;
        }
        self.end_row();
        // A line that does not look like an access is a further row of a diagram: it begins with an
        // address, not with a time.
        let head = self
            .head(access.place)
            .filter(|head| head.shape != LineShape::Other);
        let thread = self.thread(access.thread);
        self.enter(thread, head.and_then(|head| head.time), NodeEvent::Other);
        if head.is_none_or(|head| head.shape == LineShape::Diagram) {
            self.row.push(access);
            return;
        }
        let bytes = access
            .bytes
            .as_ref()
            .and_then(|bytes| bytes.get(..usize::from(access.size_bytes)));
        let value = bytes.map(|bytes| number(bytes, self.endian));
        self.node.accesses.push(NodeAccess {
            thread,
            kind: access.kind,
            address: access.address,
            value,
        });
    }

    fn text(&mut self, event: &TextEvent<'_>) {
        let time = self.head(event.place).and_then(|head| head.time);
        let thread = self.thread(event.thread);
        self.enter(thread, time, NodeEvent::Other);
    }

    fn progress(&mut self, offset: u64) -> Flow {
        self.done.store(offset, Ordering::Relaxed);
        if self.failure.is_some() {
            Flow::Stop
        } else {
            Flow::Continue
        }
    }
}
