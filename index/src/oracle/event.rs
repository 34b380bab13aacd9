//! Events of a trace as the oracle keeps them ([`OracleEvent`]): one flat list, each with its slot,
//! thread and owner. Names of registers outside the architecture's table come from the writes among
//! them.

use std::collections::HashMap;

use stepback_machine::banks::BankedRegister;
use stepback_machine::flow::RecordedBranch;
use stepback_machine::naive::{NaiveFlow, NaiveStep};
use stepback_machine::{
    AccessKind, Address, Encoding, InstructionSet, Mode, RegisterId, RegisterView, Registers,
    decode, naive,
};
use stepback_parsers::{DelaySlot, Marker, Position, Step, StepOrigin, TextKind, WrittenName};

use crate::answers::cell::ThreadId;
use crate::answers::step_record::HostOperation;
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::record::Oracle;

/// An event of the trace.
#[derive(Clone, Debug)]
pub(super) struct OracleEvent {
    /// Number of steps of any thread before it: the first position at which it is visible.
    pub slot: u64,
    /// Thread of the event.
    pub thread: ThreadId,
    /// The last step of its thread; `None` before the first step of the thread.
    pub owner: Option<Step>,
    /// Line number, counted from 0.
    pub line: u64,
    /// Kind and contents.
    pub kind: OracleEventKind,
}

/// Kind and contents of an event.
#[derive(Clone, Debug)]
pub(super) enum OracleEventKind {
    /// A step began.
    Step,
    /// A register was written.
    Register(OracleWrite),
    /// Memory was accessed.
    Access(OracleAccess),
    /// The host may have written memory at the request of the step.
    HostWrite {
        first: u64,
        last: u64,
        operation: HostOperation,
    },
    /// The host may have written memory at an unknown address.
    HostWriteAnywhere,
    /// Text of the trace.
    Text { kind: TextKind, text: String },
    /// A record of another kind.
    Marker(Marker),
}

impl OracleEventKind {
    /// Returns true for a register write with this kind of name.
    pub fn is_named(&self, name: WrittenName) -> bool {
        matches!(self, Self::Register(written) if written.name == name)
    }
}

/// A text line made from a record.
#[derive(Clone, Debug)]
pub(super) struct NamedLine {
    /// Offset of its slot.
    pub chunk_offset: u64,
    /// Name of its thread.
    pub thread: String,
    pub text: Vec<u8>,
}

/// A register write.
#[derive(Clone, Debug)]
pub(super) struct OracleWrite {
    pub view: RegisterView,
    /// Written value; `None` if the trace does not record it.
    pub bytes: Option<Vec<u8>>,
    pub name: WrittenName,
    /// Bank that the line named; `None` for a plain name.
    pub bank: Option<BankedRegister>,
    /// The register, as determined by the modes of its thread.
    pub physical: PhysicalRegister,
    /// The register, as determined only by the lines of its step.
    pub stated: PhysicalRegister,
}

/// A memory access.
#[derive(Clone, Debug)]
pub(super) struct OracleAccess {
    pub kind: AccessKind,
    pub address: Address,
    pub size_bytes: u8,
    /// Value; `None` if the trace does not record it.
    pub bytes: Option<[u8; 8]>,
    /// Addresses of the bytes for which a read contradicted the known value.
    pub contradicting: Vec<u64>,
}

impl OracleEvent {
    /// Returns true if the host may have written a byte.
    pub fn is_host_write_of(&self, address: u64) -> bool {
        matches!(self.kind, OracleEventKind::HostWrite { first, last, .. } if (first..=last).contains(&address))
    }
}

impl OracleAccess {
    /// Returns the addresses of its bytes with their values.
    pub fn each_byte(&self) -> impl Iterator<Item = (u64, Option<u8>)> + '_ {
        let value = |place: u64| self.bytes?.get(usize::try_from(place).ok()?).copied();
        (0..u64::from(self.size_bytes))
            .map(move |place| (self.address.0.wrapping_add(place), value(place)))
    }

    /// Returns true for a load.
    pub fn is_read(&self) -> bool {
        self.kind == AccessKind::Read
    }
}

/// A step, as recorded in the trace.
#[derive(Clone, Debug)]
pub(super) struct OracleStep {
    pub thread: ThreadId,
    pub chunk_offset: u64,
    /// Line of its instruction, counted from 0.
    pub line: u64,
    /// First line of its text.
    pub first_line: u64,
    /// Latest time of this step and all before it.
    pub time: Option<u64>,
    pub pc: Address,
    pub instruction_set: InstructionSet,
    pub opcode: u32,
    pub encoding: Option<Encoding>,
    pub branch: RecordedBranch,
    pub length_bytes: u8,
    pub is_executed: bool,
    pub delay_slot: DelaySlot,
    pub origin: StepOrigin,
    pub mode: Mode,
    pub text: Vec<u8>,
}

impl OracleStep {
    /// Returns the naive decoder for its encoding.
    pub fn naive(&self) -> NaiveStep {
        let Self {
            instruction_set,
            opcode,
            pc,
            length_bytes,
            ..
        } = *self;
        NaiveStep {
            set: instruction_set,
            opcode,
            pc: pc.0,
            length_bytes,
        }
    }

    /// Returns true if the instruction writes the stack pointer.
    pub fn moves_stack_pointer(&self) -> bool {
        let decoded = self
            .encoding
            .map(|encoding| decode(encoding, self.pc, self.instruction_set));
        let known = decoded
            .as_ref()
            .and_then(|decoded| decoded.registers.as_ref());
        known.is_some_and(|known| {
            known
                .writes
                .iter()
                .any(|view| view.register == RegisterId::SP)
        })
    }

    /// Returns true if it jumps to an address in a register or memory.
    pub fn may_return(&self) -> bool {
        let naive = self.naive();
        matches!(naive.kind(), NaiveFlow::Branch | NaiveFlow::Return)
            && naive.branch_target().is_none()
    }
}

impl Oracle {
    /// Returns all register writes of the trace.
    pub(super) fn writes(&self) -> impl Iterator<Item = (ThreadId, &OracleWrite)> {
        self.events.iter().filter_map(|event| match &event.kind {
            OracleEventKind::Register(written) => Some((event.thread, written)),
            _ => None,
        })
    }

    /// Returns the name of a register outside the architecture's table.
    pub(super) fn outside_name(&self, register: RegisterId) -> Option<&String> {
        let place = register.0.checked_sub(RegisterId::FIRST_NAMED.0)?;
        self.register_names.get(usize::from(place))
    }

    /// Returns the instruction set that determines the names in an event: that of the previous
    /// step, if it is of the same thread.
    pub(super) fn set_of_event(&self, event: &OracleEvent) -> InstructionSet {
        let step = Position(event.slot)
            .last_step()
            .and_then(|step| self.step(step));
        let set = step
            .filter(|step| step.thread == event.thread)
            .map(|step| step.instruction_set);
        self.set_of_names(event.thread, set)
    }

    /// Returns the instruction set for names. A32 and T32 have the same names.
    pub(super) fn set_of_names(
        &self,
        thread: ThreadId,
        set: Option<InstructionSet>,
    ) -> InstructionSet {
        let first = self.instruction_set(thread);
        match set {
            Some(set) if set.word_bytes() != first.word_bytes() => {
                naive::set_of_width(set.word_bytes())
            }
            _ => first,
        }
    }

    /// Returns the displayed name of a view in an instruction set.
    pub(super) fn register_name(&self, view: RegisterView, set: InstructionSet) -> String {
        match self.outside_name(view.register) {
            Some(whole) if self.widths.get(&view.register) == Some(&view.size_bytes) => {
                whole.clone()
            }
            Some(whole) => with_bits(whole, view),
            None => {
                let name = Registers::name(view, set).map(ToString::to_string);
                name.unwrap_or_else(|| with_bits(&table_name(view, set), view))
            }
        }
    }

    /// Returns the width of each register as written in the trace.
    pub(super) fn find_widths(&self) -> HashMap<RegisterId, u16> {
        let mut widths = HashMap::new();
        for (_, written) in self.writes() {
            let width = widths.entry(written.view.register).or_default();
            *width = written
                .view
                .offset
                .saturating_add(written.view.size_bytes)
                .max(*width);
        }
        widths
    }
}

fn with_bits(name: &str, view: RegisterView) -> String {
    let low = 8 * u32::from(view.offset);
    format!("{name}<{}:{low}>", low + 8 * u32::from(view.size_bytes) - 1)
}

/// Returns the name of the table register that contains a view. Vectors count as 16 bytes wide
/// unless the view is higher.
fn table_name(view: RegisterView, set: InstructionSet) -> String {
    let vector = if view.offset + view.size_bytes > 16 {
        256
    } else {
        16
    };
    let name = |size| Registers::name(RegisterView::new(view.register, 0, size), set);
    let names = [vector, set.word_bytes(), 4, 32, 2]
        .into_iter()
        .find_map(name);
    names.map_or_else(
        || format!("register {}", view.register.0),
        ToString::to_string,
    )
}
