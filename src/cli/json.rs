//! The JSON output, with its fields in the documented order.

use std::borrow::Cow;

use anyhow::Result;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json};
use stepback_debugger::analysis::exceptions::{Trap, trap_of};
use stepback_debugger::model::so_far::SourceWords;
use stepback_debugger::model::step_rows::{not_executed, step_remarks};
use stepback_debugger::session::Session;
use stepback_index::answer::{
    Access, AccessTarget, ByteState, Call, Doubt, Effect, Hit, HostOperation, StepRecord, Value,
};
use stepback_index::{Cancel, Index};
use stepback_machine::{Address, InstructionSet};
use stepback_parsers::drmemtrace::marker_name;

/// Largest number that every JSON reader represents exactly.
const EXACT_LIMIT: u64 = 1 << 53;

/// A time, serialised as a string if a JSON reader would round the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub u64);

impl JsonSchema for Time {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["integer", "string"],
            "description": "A time in the trace's unit; a string if it exceeds 2^53.",
            "pattern": "^[0-9]+$",
        })
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 > EXACT_LIMIT {
            serializer.collect_str(&self.0)
        } else {
            serializer.serialize_u64(self.0)
        }
    }
}

/// A step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepJson {
    step: u64,
    line: Option<u64>,
    time: Option<Time>,
    thread: String,
    pc: String,
    executed: bool,
    /// Unusual circumstances of the step, in formats that record them: `annulled`, `in a delay
    /// slot`, `inferred`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    remarks: Vec<&'static str>,
    text: String,
    /// Present only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Option<String>>,
}

/// A function.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FunctionJson {
    /// Address of the first instruction.
    pub address: String,
    /// Demangled name. None if no image has one.
    pub name: Option<String>,
    /// Name as spelled in the image.
    symbol: Option<String>,
    /// Source line of the function's start. Present only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<Option<String>>,
}

impl FunctionJson {
    /// Describes the function at an address.
    pub fn new(address: Address, session: &Session) -> Self {
        let found = session.images.code_at(address);
        Self {
            address: hex(address),
            name: found.map(|found| found.to_string()),
            symbol: found.map(|found| found.symbol.raw_name().to_owned()),
            source: None,
        }
    }
}

/// A call: a line of `calltree`, or a frame of a stack.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallJson {
    depth: u32,
    thread: String,
    /// The called function.
    function: FunctionJson,
    /// The trap that the call handles.
    #[serde(skip_serializing_if = "Option::is_none")]
    trap: Option<TrapJson>,
    /// The calling step. None for the first frame of a thread.
    call_step: Option<u64>,
    entry_step: Option<u64>,
    exit_step: Option<u64>,
    entered: &'static str,
    left: &'static str,
    evidence: &'static str,
    /// Argument registers at the entry. Present only in `at --stack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Map<String, Json>>,
    /// Address of the next instruction of the frame, or of the call that it waits for. Present only
    /// in `at --stack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    executing_at: Option<Option<String>>,
    /// Function that contains this address. Present only in `at --stack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    executing: Option<Option<String>>,
}

impl CallJson {
    /// Describes a call.
    pub fn new(call: &Call, session: &Session, cancel: &Cancel) -> Result<Self> {
        let (index, set) = (&session.index, session.index.instruction_set(call.thread));
        let trap = trap_of(index, call, cancel)?.map(|trap| TrapJson::new(trap, set));
        Ok(Self {
            depth: call.depth,
            thread: index.thread_name(call.thread).to_owned(),
            function: FunctionJson::new(call.function, session),
            trap,
            call_step: call.call_step.map(|step| step.0),
            entry_step: call.entry_step.map(|step| step.0),
            exit_step: call.exit_step.map(|step| step.0),
            entered: call.entered.word(),
            left: call.left.word(),
            evidence: call.evidence.word(),
            arguments: None,
            executing_at: None,
            executing: None,
        })
    }

    /// Adds the source line of the function.
    pub fn with_source(self, source: Option<String>) -> Self {
        let function = FunctionJson {
            source: Some(source),
            ..self.function
        };
        Self { function, ..self }
    }

    /// Adds the argument registers, and the instruction that the frame executes.
    pub fn with_state(
        self,
        arguments: Map<String, Json>,
        pc: Option<Address>,
        session: &Session,
    ) -> Self {
        let function = pc.and_then(|pc| session.images.function_at(pc));
        Self {
            arguments: Some(arguments),
            executing_at: Some(pc.map(hex)),
            executing: Some(function.map(|function| function.name.to_owned())),
            ..self
        }
    }
}

/// A call or a run of a task: the positions between which a thread executed it.
#[derive(Serialize, JsonSchema)]
pub struct ThreadRangeJson<'a> {
    pub thread: &'a str,
    /// The task. Missing for a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<u32>,
    pub from: u64,
    pub to: u64,
}

/// A search hit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HitJson {
    #[serde(flatten)]
    step: StepJson,
    position: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<AccessJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<DoubtJson>,
    /// Calls around the step, innermost first. Present only if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<CallJson>>,
}

/// Reason why a hit may be wrong. `step`, `number` and `name` describe a system call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DoubtJson {
    kind: &'static str,
    step: Option<u64>,
    /// First step after a system call that was running when the step wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    returned_step: Option<u64>,
    number: Option<u64>,
    name: Option<&'static str>,
}

/// An access to a register or to memory.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccessJson {
    kind: &'static str,
    /// The cell in the syntax of `find`: `x3`, `0x80020010:4`.
    cell: String,
    /// None for a register.
    address: Option<String>,
    size: u64,
    value: Option<String>,
    /// True if the value is not recorded but follows from other steps.
    inferred: bool,
    /// True if the access comes from the decoded instruction because the trace records no such
    /// accesses.
    decoded: bool,
    external: bool,
    /// Semihosting operation by which the host wrote the cell: `SYS_READ`.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<&'static str>,
}

/// A line of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StepEffectsJson {
    #[serde(flatten)]
    step: StepJson,
    effects: Vec<EffectJson>,
}

/// An effect of a step.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum EffectJson {
    /// A register write.
    Register {
        /// Name of the register.
        reg: String,
        /// The new value.
        value: Option<String>,
    },
    /// A memory access.
    Access(AccessJson),
    /// A marker of a binary format.
    Marker {
        /// Kind of marker, as the format names it.
        marker: String,
        /// An address, a number or a time.
        value: String,
    },
    /// An exception.
    Exception {
        /// The exception in the words of the trace.
        exception: String,
    },
    /// Any other text of the trace about the step.
    Note {
        /// Text of the trace.
        note: String,
    },
    /// Further effects that are not listed.
    More {
        /// Number of effects left out.
        more: u64,
    },
}

impl StepJson {
    /// Converts a step of an index.
    pub fn new(record: &StepRecord, index: &Index) -> Self {
        Self {
            step: record.step.0,
            line: record.line.map(|line| line.0),
            time: record.time.map(Time),
            thread: index.thread_name(record.thread).to_owned(),
            pc: hex(record.pc),
            executed: record.is_executed,
            remarks: step_remarks(record)
                .filter(|remark| *remark != not_executed())
                .collect(),
            text: record.text.clone(),
            source: None,
        }
    }

    /// Adds the source line.
    pub fn with_source(self, source: Option<String>) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }
}

impl HitJson {
    /// Converts a hit of an index.
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

    /// Adds the calls around the step, innermost first.
    pub fn with_stack(self, stack: Vec<CallJson>) -> Self {
        Self {
            stack: Some(stack),
            ..self
        }
    }
}

impl DoubtJson {
    /// Converts a doubt about an answer of an index.
    pub fn new(doubt: Doubt, index: &Index) -> Self {
        let (step, number) = match doubt {
            Doubt::KernelEvent { step } | Doubt::Gap { step } => (Some(step.0), None),
            Doubt::SystemCall { step, number } | Doubt::BlockedCall { step, number, .. } => {
                (Some(step.0), Some(number))
            }
            Doubt::Undecoded
            | Doubt::Conditional
            | Doubt::SystemCallsUnsaid
            | Doubt::Filtered
            | Doubt::Bank => (None, None),
        };
        let set = index.source().traits().instruction_set;
        let returned_step = match doubt {
            Doubt::BlockedCall { returned, .. } => returned.map(|step| step.0),
            _ => None,
        };
        Self {
            kind: doubt.word(),
            returned_step,
            step,
            number,
            name: number.and_then(|number| set.system_call_name(number)),
        }
    }
}

impl AccessJson {
    fn new(access: &Access) -> Self {
        let (address, size) = match access.target {
            AccessTarget::Register(_) => (None, access.value.0.len() as u64),
            AccessTarget::Memory {
                address,
                size_bytes,
            } => (Some(hex(address)), size_bytes),
        };
        Self {
            kind: access.kind.word(),
            cell: access.target.to_string(),
            address,
            size,
            value: value_hex(&access.value),
            inferred: access.is_inferred,
            decoded: access.is_decoded,
            external: access.is_external,
            host: access.host_operation.map(HostOperation::name),
        }
    }
}

impl StepEffectsJson {
    /// Converts a step of an index with its effects.
    pub fn new(record: &StepRecord, index: &Index) -> Self {
        let effect = |effect: &Effect| match effect {
            Effect::Register { name, value, .. } => EffectJson::Register {
                reg: name.clone(),
                value: value_hex(value),
            },
            Effect::Access(access) => EffectJson::Access(AccessJson::new(access)),
            Effect::Exception(words) => EffectJson::Exception {
                exception: words.clone(),
            },
            Effect::Note(text) => EffectJson::Note { note: text.clone() },
            Effect::Marker(marker) => EffectJson::Marker {
                marker: marker_name(marker.kind).into_owned(),
                value: format!("{:#x}", marker.value),
            },
            Effect::More(count) => EffectJson::More { more: *count },
        };
        Self {
            step: StepJson::new(record, index),
            effects: record.effects.iter().map(effect).collect(),
        }
    }

    /// Adds the source line.
    pub fn with_source(self, source: Option<String>) -> Self {
        Self {
            step: self.step.with_source(source),
            ..self
        }
    }
}

/// Formats an address.
pub fn hex(address: Address) -> String {
    address.to_string()
}

/// Formats a value in its full width. None if no byte of it is known.
pub fn value_hex(value: &Value) -> Option<String> {
    (!value.is_unknown()).then(|| format!("0x{}", value.hex()))
}

/// Formats bytes in address order: `b8 fb ??`.
pub fn byte_string(bytes: impl IntoIterator<Item = Option<u8>>) -> String {
    let word =
        |byte: Option<u8>| byte.map_or_else(|| "??".to_owned(), |byte| format!("{byte:02x}"));
    bytes.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns one letter per byte for the source of its value.
pub fn source_letters(bytes: &[ByteState]) -> String {
    let letter = |byte: &ByteState| SourceWords::of(byte.source).letter;
    bytes.iter().map(letter).collect()
}

/// The trap that a call handles.
#[derive(Debug, Serialize, JsonSchema)]
struct TrapJson {
    /// Trap number of the processor.
    number: u64,
    name: Option<String>,
    /// The requested system call.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_call: Option<SystemCallJson>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SystemCallJson {
    number: u64,
    name: Option<&'static str>,
}

impl TrapJson {
    fn new(trap: Trap, set: InstructionSet) -> Self {
        let system_call = trap.system_call.map(|call| SystemCallJson {
            number: set.system_call_number(call),
            name: set.system_call_name(call),
        });
        Self {
            number: trap.number,
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
    fn bytes_are_in_the_order_of_their_addresses() {
        assert_eq!(byte_string([Some(0xb8), Some(0xfb), None]), "b8 fb ??");
    }
}
