//! The JSON that is printed, field by field in the promised order.

use serde::{Serialize, Serializer};
use stepback_debugger::analysis::traps::Trap;
use stepback_debugger::model::step_remarks::{not_executed, step_remarks};
use stepback_debugger::model::value_source::SourceWords;
use stepback_index::{
    Access, AccessTarget, ByteState, Doubt, Effect, Evidence, FrameEntry, FrameExit, Hit,
    HostOperation, Index, StepRecord, ThreadId, Value,
};
use stepback_machine::{AccessKind, Address, InstructionSet};
use stepback_parsers::drmemtrace::marker_name;

/// Numbers up to here are exact in every JSON reader.
const EXACT_LIMIT: u64 = 1 << 53;

/// A time: a number, or a string where readers would round it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub u64);

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 > EXACT_LIMIT {
            serializer.collect_str(&self.0)
        } else {
            serializer.serialize_u64(self.0)
        }
    }
}

/// STEP.
#[derive(Clone, Debug, Serialize)]
pub struct StepJson {
    step: u64,
    line: Option<u64>,
    time: Option<Time>,
    thread: String,
    pc: String,
    executed: bool,
    /// What is unusual about how the step came about, in formats that know it: `annulled`, `in a delay slot`, `inferred`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<&'static str>,
    text: String,
    /// Only where it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Option<String>>,
}

/// A function by its address, with its name where an image has one.
#[derive(Clone, Debug, Serialize)]
pub struct FunctionJson {
    /// Of its first instruction.
    pub address: String,
    /// None without a symbol.
    pub name: Option<String>,
}

/// How a frame was entered.
pub fn entered_word(entered: FrameEntry) -> &'static str {
    match entered {
        FrameEntry::Root => "root",
        FrameEntry::Call => "call",
        FrameEntry::Tail => "tail",
        FrameEntry::Exception => "exception",
        FrameEntry::Switch => "switch",
        FrameEntry::Gap => "gap",
    }
}

/// How a frame was left.
pub fn left_word(left: FrameExit) -> &'static str {
    match left {
        FrameExit::Return => "return",
        FrameExit::Longjmp => "longjmp",
        FrameExit::Skipped => "skipped",
        FrameExit::Open => "open",
        FrameExit::Tail => "tail",
        FrameExit::Gap => "gap",
    }
}

/// How a frame was found.
pub fn evidence_word(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Start => "start",
        Evidence::Link => "link",
        Evidence::Return => "return",
        Evidence::Branch => "branch",
        Evidence::Words => "words",
        Evidence::Jump => "jump",
        Evidence::Stack => "stack",
        Evidence::Record => "record",
        Evidence::Caller => "caller",
    }
}

/// HIT.
#[derive(Debug, Serialize)]
pub struct HitJson {
    #[serde(flatten)]
    step: StepJson,
    position: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<AccessJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<DoubtJson>,
    /// Only where it was asked for: the frames around the step, innermost first.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<StackFrameJson>>,
}

/// A frame around a hit.
#[derive(Debug, Serialize)]
pub struct StackFrameJson {
    /// What was called.
    pub function: FunctionJson,
    /// The step that called; none for the frame where a thread began.
    pub call_step: Option<u64>,
}

/// Why a hit may not be the answer; `step`, `number` and `name` are those of a system call.
#[derive(Debug, Serialize)]
struct DoubtJson {
    kind: &'static str,
    step: Option<u64>,
    number: Option<u64>,
    name: Option<&'static str>,
}

/// An access to a register or to memory.
#[derive(Debug, Serialize)]
pub struct AccessJson {
    kind: &'static str,
    /// As `find` takes it: `x3`, `0x80020010:4`.
    cell: String,
    /// None for a register.
    address: Option<String>,
    size: u64,
    value: Option<String>,
    /// The trace does not state the value, but it follows from what steps did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inferred: bool,
    /// The trace records no such accesses: the decoded instruction tells of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    decoded: bool,
    external: bool,
    /// `SYS_READ`: the semihosting operation by which the host wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'static str>,
}

/// A line of `list`.
#[derive(Debug, Serialize)]
pub struct ListedJson {
    #[serde(flatten)]
    step: StepJson,
    effects: Vec<EffectJson>,
}

/// What a step did.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum EffectJson {
    /// A register got a value.
    Register {
        /// Which.
        reg: String,
        /// What.
        value: Option<String>,
    },
    /// Memory was accessed.
    Access(AccessJson),
    /// A record of a binary format told of something else.
    Marker {
        /// Of what, as the format names it.
        marker: String,
        /// An address, a number, a time.
        value: String,
    },
    /// The step did more than is listed.
    More {
        /// How many effects are left out.
        more: u64,
    },
}

impl StepJson {
    /// A step of an index.
    pub fn new(record: &StepRecord, index: &Index) -> Self {
        Self {
            step: record.step.0,
            line: record.line.map(|line| line.0),
            time: record.time.map(Time),
            thread: thread_name(record.thread, index).to_owned(),
            pc: hex(record.pc),
            executed: record.is_executed,
            remarks: step_remarks(record)
                .filter(|remark| *remark != not_executed())
                .collect(),
            text: record.text.clone(),
            source: None,
        }
    }

    /// The same with its source line.
    pub fn with_source(self, source: Option<String>) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }
}

impl HitJson {
    /// A hit of an index.
    pub fn new(hit: &Hit, index: &Index) -> Self {
        let step = StepJson::new(&hit.record, index);
        let doubt = hit.doubt.map(|doubt| DoubtJson::new(doubt, index));
        Self {
            step,
            position: hit.position.0,
            access: hit.access.as_ref().map(AccessJson::new),
            doubt,
            stack: None,
        }
    }

    /// The same with the frames around the step, innermost first.
    pub fn with_stack(self, stack: Vec<StackFrameJson>) -> Self {
        Self {
            stack: Some(stack),
            ..self
        }
    }
}

impl DoubtJson {
    fn new(doubt: Doubt, index: &Index) -> Self {
        let plain = |kind| Self {
            kind,
            step: None,
            number: None,
            name: None,
        };
        match doubt {
            Doubt::Undecoded => plain("undecoded"),
            Doubt::Conditional => plain("conditional"),
            Doubt::SystemCallsUnsaid => plain("syscalls-unsaid"),
            Doubt::Filtered => plain("filtered"),
            Doubt::Bank => plain("bank"),
            Doubt::KernelEvent { step } => Self {
                step: Some(step.0),
                ..plain("kernel")
            },
            Doubt::Gap { step } => Self {
                step: Some(step.0),
                ..plain("gap")
            },
            Doubt::SystemCall { step, number } => {
                let name = index
                    .source()
                    .traits()
                    .instruction_set
                    .system_call_name(number);
                Self {
                    kind: "syscall",
                    step: Some(step.0),
                    number: Some(number),
                    name,
                }
            }
        }
    }
}

impl AccessJson {
    fn new(access: &Access) -> Self {
        let (cell, address, size) = match &access.target {
            AccessTarget::Register(name) => (name.clone(), None, access.value.0.len() as u64),
            AccessTarget::Memory {
                address,
                size_bytes,
            } => (cell_text(&access.target), Some(hex(*address)), *size_bytes),
        };
        let (kind, value) = (kind_word(access.kind), value_hex(&access.value));
        Self {
            kind,
            cell,
            address,
            size,
            value,
            inferred: access.is_inferred,
            decoded: access.is_decoded,
            external: access.is_external,
            host: access.host_operation.map(HostOperation::name),
        }
    }
}

impl ListedJson {
    /// A step of an index with what it did: registers and accesses, as promised; words are for the text output.
    pub fn new(record: &StepRecord, index: &Index) -> Self {
        let effect = |effect: &Effect| match effect {
            Effect::Register { name, value, .. } => Some(EffectJson::Register {
                reg: name.clone(),
                value: value_hex(value),
            }),
            Effect::Access(access) => Some(EffectJson::Access(AccessJson::new(access))),
            Effect::Marker(marker) => Some(EffectJson::Marker {
                marker: marker_name(marker.kind).into_owned(),
                value: format!("{:#x}", marker.value),
            }),
            Effect::More(count) => Some(EffectJson::More { more: *count }),
            Effect::Exception(_) | Effect::Note(_) => None,
        };
        Self {
            step: StepJson::new(record, index),
            effects: record.effects.iter().filter_map(effect).collect(),
        }
    }
}

impl ListedJson {
    /// The same with its source line.
    pub fn with_source(self, source: Option<String>) -> Self {
        Self {
            step: self.step.with_source(source),
            ..self
        }
    }
}

/// The name of a thread.
pub fn thread_name(thread: ThreadId, index: &Index) -> &str {
    index
        .threads()
        .get(usize::from(thread.0))
        .map_or("", |thread| &thread.name)
}

/// `read` or `write`.
pub fn kind_word(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
    }
}

/// What was accessed, as `find` takes it.
pub fn cell_text(target: &AccessTarget) -> String {
    match target {
        AccessTarget::Register(name) => name.clone(),
        AccessTarget::Memory {
            address,
            size_bytes,
        } => format!("{address}:{size_bytes}"),
    }
}

/// An address.
pub fn hex(address: Address) -> String {
    address.to_string()
}

/// A value of full width; none when no byte of it is known.
pub fn value_hex(value: &Value) -> Option<String> {
    (!value.is_unknown()).then(|| format!("0x{}", value.hex()))
}

/// Bytes in the order of their addresses: `b8 fb ??`.
pub fn byte_string(bytes: impl IntoIterator<Item = Option<u8>>) -> String {
    let word =
        |byte: Option<u8>| byte.map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}"));
    bytes.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// One letter a byte that says where its value comes from.
pub fn source_letters(bytes: &[ByteState]) -> String {
    let letter = |byte: &ByteState| SourceWords::of(byte.source).letter;
    bytes.iter().map(letter).collect()
}

/// The trap that a frame handles.
#[derive(Serialize)]
pub struct TrapJson {
    /// As the processor numbers it.
    number: String,
    name: Option<String>,
    /// The system call that it asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_call: Option<SystemCallJson>,
}

#[derive(Serialize)]
struct SystemCallJson {
    number: u64,
    name: Option<&'static str>,
}

impl TrapJson {
    /// A trap of a processor of this set.
    pub fn new(trap: Trap, set: InstructionSet) -> Self {
        let system_call = trap.system_call.map(|call| SystemCallJson {
            number: set.system_call_number(call),
            name: set.system_call_name(call),
        });
        Self {
            number: format!("{:#x}", trap.number),
            name: set.trap_name(trap.number),
            system_call,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_beyond_the_exact_numbers_is_a_string() {
        let text = |time| serde_json::to_string(&Time(time)).unwrap();
        assert_eq!(text(1 << 53), "9007199254740992");
        assert_eq!(text((1 << 53) + 1), "\"9007199254740993\"");
    }

    #[test]
    fn a_value_keeps_its_width_and_its_holes() {
        let value = |bytes: &[Option<u8>]| value_hex(&Value(bytes.to_vec()));
        assert_eq!(value(&[Some(0x12), Some(0)]).as_deref(), Some("0x0012"));
        assert_eq!(value(&[Some(0x12), None]).as_deref(), Some("0x??12"));
        assert_eq!(value(&[None, None]), None);
    }

    #[test]
    fn bytes_stand_in_the_order_of_their_addresses() {
        assert_eq!(byte_string([Some(0xb8), Some(0xfb), None]), "b8 fb ??");
    }
}
