//! Frames of exceptions: registers that a processor stores by itself when it takes an exception, and loads when it returns.
//!
//! A trace shows these accesses and register values after the step at which the exception came, or after the step that
//! returned. Which register a word of memory holds follows from its place in the frame.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::access_kind::AccessKind;
use crate::control::{BranchTarget, FlowKind};
use crate::instruction::Instruction;
use crate::view::{RegisterId, RegisterView};

/// A word of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameWord {
    /// Offset in bytes from the start of its context.
    pub offset: u64,
    /// The register whose value it holds.
    pub view: RegisterView,
}

/// How a processor lays out its frames. Words of other registers than these are reserved.
#[derive(Debug)]
pub struct FrameLayout {
    /// The basic context, then what follows it at higher addresses.
    pub words: &'static [FrameWord],
    /// Length of the basic context.
    pub basic_bytes: u64,
    /// Distances from the start of the basic context to the stack pointer before the exception, the usual ones first.
    pub heights: &'static [u64],
    /// The additional context, directly below the basic one.
    pub additional: &'static [FrameWord],
    /// Its length.
    pub additional_bytes: u64,
    /// Length of what a call into another security state stores, which holds no register.
    pub call_bytes: u64,
    /// Values of its first word.
    pub signatures: &'static [u32],
    /// Offset of the context that may be stored later than the rest of its frame.
    pub late_offset: u64,
    /// Possible lengths of what is stored later.
    pub late_bytes: &'static [u64],
    /// Registers that no branch writes: one that changes at a branch comes from a frame.
    pub scratch: &'static [RegisterId],
    /// Tells the values of the link register by which a handler returns.
    pub is_return_value: fn(u64) -> bool,
}

/// An access that a trace shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameAccess {
    /// Load or store.
    pub kind: AccessKind,
    /// Address of its first byte.
    pub address: u64,
    /// Its length.
    pub size_bytes: u8,
    /// Its value in the order of addresses, where the trace tells it.
    pub bytes: Option<[u8; 8]>,
}

/// What a trace shows of a step, as far as frames are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameEvent {
    /// Memory was accessed.
    Access(FrameAccess),
    /// A register got a value.
    Register {
        /// The register, a bank under its plain name.
        plain: RegisterId,
        /// Its value, where the trace tells all of it.
        value: Option<u64>,
    },
    /// The trace says that an exception came.
    Exception,
    /// Something else.
    Other,
}

/// The place of a frame in memory.
#[derive(Clone, Debug)]
pub struct ExceptionFrame {
    layout: &'static FrameLayout,
    /// Start of the basic context.
    base: Option<u64>,
    /// Start of the additional context.
    additional: Option<u64>,
    /// The bytes of it that the step accessed, with their values.
    bytes: BTreeMap<u64, Option<u8>>,
}

/// What a step does besides its instruction: it takes an exception, or returns from one.
#[derive(Clone, Debug)]
pub struct ExceptionFlow {
    /// The number of the first event that belongs to the exception; the number of all events where none does for sure.
    pub first_event: usize,
    /// The frame that is stored.
    pub stored: Option<ExceptionFrame>,
    /// The frame that is loaded.
    pub loaded: Option<ExceptionFrame>,
    /// The step returns from an exception.
    pub is_return: bool,
    /// The step takes an exception, as words or the link register tell.
    pub is_entry: bool,
    /// The numbers of the accesses that are none of its operands, in order.
    accesses: Vec<usize>,
    /// The numbers of the events at which the link register gets the value by which the handler will return.
    links: Vec<usize>,
}

impl FrameLayout {
    /// Whether frames of this layout hold a register.
    pub fn has(&self, register: RegisterId) -> bool {
        self.words
            .iter()
            .chain(self.additional)
            .any(|word| word.view.register == register)
    }
}

impl ExceptionFrame {
    /// The byte of a register that a byte of memory holds; none for reserved words.
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

    /// Where the step accessed the value of a byte of a register.
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
    /// Finds what the events of a step show beyond its instruction, which is none where it was not executed or not decoded.
    /// Returns none where they show nothing of an exception.
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

    /// Whether the link register gets the value at an event by which the handler will return.
    pub fn links_at(&self, event: usize) -> bool {
        self.links.contains(&event)
    }

    /// Whether an event is an access to a frame.
    pub fn has_access(&self, event: usize) -> bool {
        self.accesses.binary_search(&event).is_ok()
    }
}

/// The events of a step.
struct StepEventWindow<'a> {
    layout: &'static FrameLayout,
    instruction: Option<&'a Instruction>,
    events: &'a [FrameEvent],
    marker: Option<usize>,
}

impl StepEventWindow<'_> {
    /// Whether the instruction may be an exception return: it jumps to what a register or memory holds.
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

    /// Whether a register changes that a branch leaves alone.
    fn changes_scratch(&self) -> bool {
        self.events.iter().any(|event| match event {
            FrameEvent::Register { plain, .. } => {
                self.layout.scratch.contains(plain) && !self.writes(*plain)
            }
            _ => false,
        })
    }

    /// The events at which the link register gets a value other than from its instruction.
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

    /// Whether a register gets a value at an event by which a handler returns.
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

    /// The event at which a step that returns from an exception, and may store the frame of the next one, gives the link
    /// register what it held before: the first write, unless that belongs to the next exception.
    fn restored_link(&self, stored: Option<&ExceptionFrame>) -> Option<usize> {
        let writes = self.link_writes();
        // The next exception may be taken at once, behind the return.
        writes.first().copied().filter(|first| match self.marker {
            Some(marker) => *first < marker,
            None => stored.is_none() || writes.len() > 1,
        })
    }

    /// The events at which the entry to an exception gives the link register the value by which its handler returns.
    /// A handler that was interrupted gets its own such value back.
    fn links(&self, restored: Option<usize>) -> Vec<usize> {
        let mut writes = self.link_writes();
        writes.retain(|event| Some(*event) != restored && self.is_return_value(*event));
        writes
    }

    /// The frame of the accesses of a kind that are no operands, and their numbers.
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
        // What is stored late comes before the instruction that asks for it.
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

    /// Bytes of the operands of a kind; none where that is not known.
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

    /// The accesses after the operands, or after the words that tell of an exception.
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

    /// The accesses before the operands, which are the last ones.
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

    /// The values that stack pointers get, the last first.
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

    /// Whether a call into another security state stores no more than its return address and status.
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

    /// Whether a run has a byte of the basic context of a frame that begins at an address.
    fn meets_basic(&self, base: u64, run: &Range<u64>) -> bool {
        run.start < base.saturating_add(self.layout.basic_bytes) && base < run.end
    }

    /// The start of a run that is long enough to be a basic context.
    fn whole_run(&self, runs: &[Range<u64>]) -> Option<u64> {
        runs.iter()
            .find(|run| run.end - run.start >= self.layout.basic_bytes)
            .map(|run| run.start)
    }

    /// Where an additional context begins, by its first word.
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
