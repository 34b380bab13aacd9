//! Exception frames: registers that a processor pushes automatically on exception entry and pops on
//! return.
//!
//! A trace shows these accesses and register values after the step that was interrupted, or after
//! the step that returned. The offset of a word within the frame determines which register it
//! holds.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::control::{BranchTarget, FlowKind};
use crate::instruction::Instruction;
use crate::meaning::AccessKind;
use crate::view::{RegisterId, RegisterView};

/// A word of an exception frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameWord {
    /// Offset in bytes from the start of its context.
    pub offset: u64,
    /// Register whose value the word holds.
    pub view: RegisterView,
}

/// Layout of the exception frames of a processor. Words that are not listed are reserved.
#[derive(Debug)]
pub struct FrameLayout {
    /// Words of the basic context, then of what follows it at higher addresses.
    pub words: &'static [FrameWord],
    /// Length of the basic context.
    pub basic_bytes: u64,
    /// Possible distances from the start of the basic context to the stack pointer before the
    /// exception, most common first.
    pub heights: &'static [u64],
    /// Words of the additional context, which lies directly below the basic one.
    pub additional: &'static [FrameWord],
    /// Length of the additional context.
    pub additional_bytes: u64,
    /// Length of the frame that a call into the other security state pushes; it holds no registers.
    pub call_bytes: u64,
    /// Integrity signatures: possible values of the first word of the additional context.
    pub signatures: &'static [u32],
    /// Offset of the context that may be stored later than the rest of the frame (lazy stacking).
    pub late_offset: u64,
    /// Possible lengths of the part that is stored later.
    pub late_bytes: &'static [u64],
    /// Registers that no branch writes: if one changes at a branch, its value comes from a frame.
    pub scratch: &'static [RegisterId],
    /// Returns true for link register values that make a handler return.
    pub is_return_value: fn(u64) -> bool,
}

/// A memory access recorded in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Address of the first byte.
    pub address: u64,
    /// Length in bytes.
    pub size_bytes: u8,
    /// Value in address order, if the trace records it.
    pub bytes: Option<[u8; 8]>,
}

/// An event of a step, reduced to what frame detection needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEvent {
    /// A memory access.
    Access(FrameAccess),
    /// A register write.
    Register {
        /// The register; a banked register is given by its plain name.
        plain: RegisterId,
        /// The value, if the trace records all of it.
        value: Option<u64>,
    },
    /// The trace reports an exception.
    Exception,
    /// Any other event.
    Other,
}

/// An exception frame in memory.
#[derive(Clone, Debug)]
pub struct ExceptionFrame {
    layout: &'static FrameLayout,
    /// Start of the basic context.
    base: Option<u64>,
    /// Start of the additional context.
    additional: Option<u64>,
    /// Bytes of the frame that the step accessed, with their values.
    bytes: BTreeMap<u64, Option<u8>>,
}

/// Effects of a step beyond its instruction: exception entry, exception return, or both.
#[derive(Clone, Debug)]
pub struct ExceptionFlow {
    /// Index of the first event that belongs to the exception; the number of events if none
    /// certainly does.
    pub first_event: usize,
    /// The frame that is stored.
    pub stored: Option<ExceptionFrame>,
    /// The frame that is loaded.
    pub loaded: Option<ExceptionFrame>,
    /// True if the step returns from an exception.
    pub is_return: bool,
    /// True if the step enters an exception, according to the trace or to the link register.
    pub is_entry: bool,
    /// Indices of the frame accesses, ascending; they are not operands of the instruction.
    accesses: Vec<usize>,
    /// Indices of the events that write the exception return value to the link register.
    links: Vec<usize>,
}

impl FrameLayout {
    /// Returns true if frames of this layout hold the register.
    pub fn has(&self, register: RegisterId) -> bool {
        self.words
            .iter()
            .chain(self.additional)
            .any(|word| word.view.register == register)
    }
}

impl ExceptionFrame {
    /// Returns the register byte stored at an address; none for reserved words.
    pub fn register_at(&self, address: u64) -> Option<RegisterView> {
        let in_context = |start: Option<u64>, words: &[FrameWord]| {
            let offset = address.checked_sub(start?)?;
            words.iter().find_map(|word| {
                let place = u16::try_from(offset.checked_sub(word.offset)?).ok()?;
                let byte = RegisterView::new(word.view.register, word.view.offset + place, 1);
                (place < word.view.size_bytes).then_some(byte)
            })
        };
        in_context(self.base, self.layout.words)
            .or_else(|| in_context(self.additional, self.layout.additional))
    }

    /// Returns the address at which the step accessed a byte of a register.
    pub fn address_of(&self, byte: RegisterView) -> Option<u64> {
        let in_context = |start: Option<u64>, words: &[FrameWord]| {
            words.iter().find_map(|word| {
                let place = byte.offset.checked_sub(word.view.offset)?;
                let is_it = word.view.register == byte.register && place < word.view.size_bytes;
                start?
                    .checked_add(word.offset + u64::from(place))
                    .filter(|_| is_it)
            })
        };
        let found = in_context(self.base, self.layout.words);
        let found = found.or_else(|| in_context(self.additional, self.layout.additional));
        found.filter(|address| self.bytes.contains_key(address))
    }
}

impl ExceptionFlow {
    /// Finds the exception effects in the events of a step. `instruction` is none if it was not
    /// executed or not decoded.
    ///
    /// Returns none if the events show no exception.
    pub fn find(
        layout: &'static FrameLayout,
        instruction: Option<&Instruction>,
        events: &[FrameEvent],
    ) -> Option<Self> {
        let marker = events
            .iter()
            .position(|event| *event == FrameEvent::Exception);
        let slot = StepEventWindow {
            layout,
            instruction,
            events,
            marker,
        };
        let may_return = slot.may_return();
        let (stores, stored) = slot.frame(AccessKind::Write, StepEventWindow::stored_frame);
        let (loads, loaded) = if may_return {
            slot.frame(AccessKind::Read, StepEventWindow::loaded_frame)
        } else {
            (Vec::new(), None)
        };
        let is_return = loaded.is_some() || may_return && slot.changes_scratch();
        let restored = if is_return {
            slot.restored_link(stored.as_ref())
        } else {
            None
        };
        let links = slot.links(restored);
        let is_entry = marker.is_some() || !links.is_empty();
        if stored.is_none() && !is_return && !is_entry {
            return None;
        }
        let mut accesses = if stored.is_some() { stores } else { Vec::new() };
        accesses.extend(if loaded.is_some() { loads } else { Vec::new() });
        accesses.sort_unstable();
        let first_event = accesses
            .first()
            .copied()
            .into_iter()
            .chain(marker)
            .min()
            .unwrap_or(events.len());
        Some(Self {
            first_event,
            stored,
            loaded,
            is_return,
            is_entry,
            accesses,
            links,
        })
    }

    /// Returns true if an event writes the exception return value to the link register.
    pub fn links_at(&self, event: usize) -> bool {
        self.links.contains(&event)
    }

    /// Returns true if an event is a frame access.
    pub fn has_access(&self, event: usize) -> bool {
        self.accesses.binary_search(&event).is_ok()
    }
}

/// The events of one step, with what is needed to interpret them.
struct StepEventWindow<'a> {
    layout: &'static FrameLayout,
    instruction: Option<&'a Instruction>,
    events: &'a [FrameEvent],
    marker: Option<usize>,
}

impl StepEventWindow<'_> {
    /// Returns true if the instruction may be an exception return: its target comes from a register
    /// or from memory.
    fn may_return(&self) -> bool {
        let control = self.instruction.map(|known| known.control);
        control.is_some_and(|control| {
            matches!(control.flow, FlowKind::Branch | FlowKind::Return)
                && !matches!(control.target, BranchTarget::Address(_))
        })
    }

    fn writes(&self, register: RegisterId) -> bool {
        let known = self.instruction.and_then(|known| known.registers.as_ref());
        known.is_some_and(|known| known.writes.iter().any(|view| view.register == register))
    }

    /// Returns true if a register changes that no branch writes.
    fn changes_scratch(&self) -> bool {
        self.events.iter().any(|event| match event {
            FrameEvent::Register { plain, .. } => {
                self.layout.scratch.contains(plain) && !self.writes(*plain)
            }
            _ => false,
        })
    }

    /// Returns the events that write the link register, unless the instruction itself writes it.
    fn link_writes(&self) -> Vec<usize> {
        let is_write = |event: &usize| {
            matches!(
                self.events.get(*event),
                Some(FrameEvent::Register {
                    plain: RegisterId::LR,
                    ..
                })
            )
        };
        if self.writes(RegisterId::LR) {
            Vec::new()
        } else {
            (0..self.events.len()).filter(is_write).collect()
        }
    }

    /// Returns true if an event writes an exception return value to a register.
    fn is_return_value(&self, event: usize) -> bool {
        match self.events.get(event) {
            Some(FrameEvent::Register {
                value: Some(value), ..
            }) => (self.layout.is_return_value)(*value),
            _ => false,
        }
    }

    fn enters(&self) -> bool {
        self.link_writes()
            .iter()
            .any(|event| self.is_return_value(*event))
    }

    /// Returns the event that restores the link register in a step that returns from an exception
    /// and may push the next frame. It is the first write, unless that one belongs to the next
    /// exception.
    fn restored_link(&self, stored: Option<&ExceptionFrame>) -> Option<usize> {
        let writes = self.link_writes();
        // The next exception may be taken immediately after the return (tail-chaining).
        writes.first().copied().filter(|first| match self.marker {
            Some(marker) => *first < marker,
            None => stored.is_none() || writes.len() > 1,
        })
    }

    /// Returns the events in which exception entry writes the return value to the link register. A
    /// handler that was interrupted gets its own return value back, which does not count.
    fn links(&self, restored: Option<usize>) -> Vec<usize> {
        let mut writes = self.link_writes();
        writes.retain(|event| Some(*event) != restored && self.is_return_value(*event));
        writes
    }

    /// Returns the frame made of the non-operand accesses of one kind, and the indices of these
    /// accesses.
    fn frame(
        &self,
        kind: AccessKind,
        find: impl Fn(&Self, BTreeMap<u64, Option<u8>>) -> Option<ExceptionFrame>,
    ) -> (Vec<usize>, Option<ExceptionFrame>) {
        let all: Vec<usize> = (0..self.events.len())
            .filter(|number| self.access(*number, kind).is_some())
            .collect();
        if all.is_empty() {
            return Default::default();
        }
        // Lazy stacking stores precede the accesses of the instruction that triggers them.
        let splits = [
            self.beyond_operands(&all, kind),
            self.before_operands(&all, kind),
        ];
        for numbers in splits.into_iter().filter(|numbers| !numbers.is_empty()) {
            if let found @ Some(_) = find(self, self.bytes_of(&numbers, kind)) {
                return (numbers, found);
            }
        }
        Default::default()
    }

    fn access(&self, number: usize, kind: AccessKind) -> Option<FrameAccess> {
        match self.events.get(number) {
            Some(FrameEvent::Access(access)) if access.kind == kind => Some(*access),
            _ => None,
        }
    }

    /// Returns the number of bytes that the operands of one kind access; none if unknown.
    fn operand_bytes(&self, kind: AccessKind) -> Option<u64> {
        let Some(instruction) = self.instruction else {
            return Some(0);
        };
        if !instruction.meaning.is_memory_known {
            return Some(0).filter(|_| instruction.control.flow != FlowKind::Next);
        }
        let operands = instruction
            .meaning
            .memory
            .iter()
            .filter(|operand| operand.kind == kind);
        operands
            .map(|operand| operand.size_bytes.map(u64::from))
            .sum()
    }

    /// Returns the accesses after those of the operands, or after the trace's exception record.
    fn beyond_operands(&self, all: &[usize], kind: AccessKind) -> Vec<usize> {
        let own = self.operand_bytes(kind);
        let (mut passed, mut beyond) = (0, Vec::new());
        for number in all.iter().copied() {
            let is_marked = self.marker.is_some_and(|marker| number > marker);
            if is_marked || own.is_some_and(|own| passed >= own) {
                beyond.push(number);
            }
            passed += self
                .access(number, kind)
                .map_or(0, |access| u64::from(access.size_bytes));
        }
        beyond
    }

    /// Returns the accesses before those of the operands, if the operands come last.
    fn before_operands(&self, all: &[usize], kind: AccessKind) -> Vec<usize> {
        let Some(own) = self.operand_bytes(kind).filter(|own| *own > 0) else {
            return Vec::new();
        };
        let mut left = own;
        let mut end = all.len();
        while left > 0 && end > 0 {
            end -= 1;
            let size = all.get(end).and_then(|number| self.access(*number, kind));
            left = left.saturating_sub(size.map_or(0, |access| u64::from(access.size_bytes)));
        }
        all.get(..end).unwrap_or_default().to_vec()
    }

    fn bytes_of(&self, numbers: &[usize], kind: AccessKind) -> BTreeMap<u64, Option<u8>> {
        let accesses = numbers
            .iter()
            .filter_map(|number| self.access(*number, kind));
        let bytes = accesses.flat_map(|access| {
            let value =
                move |place: usize| access.bytes.and_then(|bytes| bytes.get(place).copied());
            (0..u64::from(access.size_bytes))
                .zip(0..)
                .map(move |(offset, place)| (access.address.wrapping_add(offset), value(place)))
        });
        bytes.collect()
    }

    /// Returns the values written to the stack pointer, last first.
    fn stack_pointers(&self) -> impl Iterator<Item = u64> + '_ {
        self.events.iter().rev().filter_map(|event| match event {
            FrameEvent::Register {
                plain: RegisterId::SP,
                value,
            } => *value,
            _ => None,
        })
    }

    fn stored_frame(&self, bytes: BTreeMap<u64, Option<u8>>) -> Option<ExceptionFrame> {
        let runs = runs_of(&bytes);
        if let Some(additional) = self.signature(&bytes) {
            return Some(self.with_additional(additional, bytes));
        }
        let is_start = |address: &u64| runs.iter().any(|run| self.meets_basic(*address, run));
        let late = || {
            let is_late =
                |run: &&Range<u64>| self.layout.late_bytes.contains(&(run.end - run.start));
            let run = runs
                .iter()
                .find(is_late)
                .filter(|_| !self.enters() && self.marker.is_none())?;
            run.start.checked_sub(self.layout.late_offset)
        };
        let base = self
            .stack_pointers()
            .find(is_start)
            .or_else(late)
            .or_else(|| self.whole_run(&runs));
        let is_call = self.is_call_frame(&bytes);
        let base = base.filter(|_| !is_call);
        (is_call || base.is_some()).then_some(ExceptionFrame {
            layout: self.layout,
            base,
            additional: None,
            bytes,
        })
    }

    /// Returns true if the step is a call into the other security state that pushes only its return
    /// address and status.
    fn is_call_frame(&self, bytes: &BTreeMap<u64, Option<u8>>) -> bool {
        let is_call = self
            .instruction
            .is_some_and(|known| known.control.flow == FlowKind::Call);
        is_call && bytes.len() as u64 <= self.layout.call_bytes
    }

    fn loaded_frame(&self, bytes: BTreeMap<u64, Option<u8>>) -> Option<ExceptionFrame> {
        let runs = runs_of(&bytes);
        if let Some(additional) = self.signature(&bytes) {
            return Some(self.with_additional(additional, bytes));
        }
        let below = |pointer: u64| {
            self.layout
                .heights
                .iter()
                .filter_map(move |height| pointer.checked_sub(*height))
        };
        let starts: Vec<u64> = self.stack_pointers().flat_map(below).collect();
        let begins = |address: &&u64| runs.iter().any(|run| run.start == **address);
        let meets = |address: &&u64| runs.iter().any(|run| self.meets_basic(**address, run));
        let base = starts
            .iter()
            .find(begins)
            .or_else(|| starts.iter().find(meets))
            .copied();
        let base = base.or_else(|| self.whole_run(&runs))?;
        Some(ExceptionFrame {
            layout: self.layout,
            base: Some(base),
            additional: None,
            bytes,
        })
    }

    /// Returns true if a run overlaps the basic context of a frame at this address.
    fn meets_basic(&self, base: u64, run: &Range<u64>) -> bool {
        run.start < base.saturating_add(self.layout.basic_bytes) && base < run.end
    }

    /// Returns the start of a run that is long enough for a basic context.
    fn whole_run(&self, runs: &[Range<u64>]) -> Option<u64> {
        runs.iter()
            .find(|run| run.end - run.start >= self.layout.basic_bytes)
            .map(|run| run.start)
    }

    /// Returns the start of an additional context, found by its signature.
    fn signature(&self, bytes: &BTreeMap<u64, Option<u8>>) -> Option<u64> {
        let word = |address: u64| {
            let byte = |place: u64| bytes.get(&address.checked_add(place)?).copied().flatten();
            Some(u32::from_le_bytes([byte(0)?, byte(1)?, byte(2)?, byte(3)?]))
        };
        let mut starts = bytes
            .keys()
            .copied()
            .filter(|address| address.is_multiple_of(4));
        starts.find(|address| {
            word(*address).is_some_and(|word| self.layout.signatures.contains(&word))
        })
    }

    fn with_additional(&self, additional: u64, bytes: BTreeMap<u64, Option<u8>>) -> ExceptionFrame {
        let base = additional.checked_add(self.layout.additional_bytes);
        ExceptionFrame {
            layout: self.layout,
            base,
            additional: Some(additional),
            bytes,
        }
    }
}

fn runs_of(bytes: &BTreeMap<u64, Option<u8>>) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for address in bytes.keys().copied() {
        let end = address.saturating_add(1);
        match runs.last_mut().filter(|run| run.end == address) {
            Some(run) => run.end = end,
            None => runs.push(address..end),
        }
    }
    runs
}
