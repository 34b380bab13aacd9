//! The register file at a position, byte by byte, from all writes up to there. The program counter
//! is that of the thread's next step; without one, [`NextPc`] follows from the last step, for Arm
//! instructions also from the encoding and the flags.

use std::collections::{BTreeMap, HashMap};

use stepback_machine::flow::RecordedBranch;
use stepback_machine::naive::{NaiveCallTarget, NaiveFlow};
use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers};
use stepback_parsers::{Position, Step};

use crate::answers::cell::{AccessKinds, ThreadId};
use crate::answers::register_file::{RegisterFile, RegisterState};
use crate::answers::step_record::LATE_STEPS;
use crate::answers::value::{Value, ValueSource};
use crate::oracle::banks::MatchCertainty;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep};
use crate::oracle::operands::UseQuery;
use crate::oracle::record::{Oracle, Replay};
use crate::query::registers::RegistersAt;

/// A written byte of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegisterByteWrite {
    pub value: Option<u8>,
    slot: u64,
    owner: Option<Step>,
}

/// Written bytes by their offset in the register.
pub(super) type RegisterByteWrites = HashMap<u16, RegisterByteWrite>;

impl Replay for RegistersAt {
    fn replay(&self, oracle: &Oracle) -> Option<RegisterFile> {
        oracle.check(self.position)?;
        let thread = self
            .thread
            .unwrap_or_else(|| oracle.thread_at(self.position));
        oracle.thread_names.get(usize::from(thread.0))?;
        Some(oracle.register_file(thread, self.position, oracle.set_at(thread, self.position)))
    }
}

impl Oracle {
    /// Returns the registers of a thread at a position, with the names of an instruction set.
    pub(super) fn register_file(
        &self,
        thread: ThreadId,
        position: Position,
        set: InstructionSet,
    ) -> RegisterFile {
        let oracle = self;
        let next = oracle.next_pc(thread, position);
        let counter = Registers::view("pc", set).filter(|_| next != NextPc::Written);
        let state = |(name, view)| {
            if counter == Some(view) {
                return next_pc_state(name, view, next);
            }
            let recorded = state(
                name.clone(),
                view,
                &oracle.view_bytes(thread, view, position),
            );
            if !oracle.has_operands_alone && !oracle.never_names(thread, view) {
                return recorded;
            }
            // A later line may have written it under another name: `sp_svc` is `x19`.
            let requested = UseQuery {
                thread,
                view,
                kinds: AccessKinds::Writes,
            };
            let decoded = oracle.unknown_state(name, requested, position);
            if decoded.written_at > recorded.written_at {
                decoded
            } else {
                recorded
            }
        };
        let registers = oracle
            .shown_registers(thread, set)
            .into_iter()
            .map(state)
            .collect();
        RegisterFile {
            thread,
            instruction_set: set,
            registers,
        }
    }
}

/// Returns the state of a register from its known bytes.
fn state(name: String, view: RegisterView, bytes: &RegisterByteWrites) -> RegisterState {
    let written: Vec<Option<&RegisterByteWrite>> = (0..view.size_bytes)
        .map(|place| bytes.get(&(view.offset + place)))
        .collect();
    let value = Value(
        written
            .iter()
            .map(|byte| byte.and_then(|byte| byte.value))
            .collect(),
    );
    let newest = written.into_iter().flatten().max_by_key(|byte| byte.slot);
    RegisterState {
        name,
        view,
        source: if value.is_unknown() {
            ValueSource::Unknown
        } else {
            ValueSource::Recorded
        },
        value,
        written_at: newest.map(|byte| Position(byte.slot)),
        written_by: newest.and_then(|byte| byte.owner),
        reason: None,
    }
}

fn next_pc_state(name: String, view: RegisterView, pc: NextPc) -> RegisterState {
    let (bytes, source) = match pc {
        NextPc::Known(pc) => (pc.to_le_bytes().map(Some), ValueSource::Inferred),
        NextPc::Unknown | NextPc::Written => ([None; 8], ValueSource::Unknown),
    };
    let value = Value(
        bytes
            .into_iter()
            .take(usize::from(view.size_bytes))
            .collect(),
    );
    RegisterState {
        name,
        view,
        value,
        source,
        written_at: None,
        written_by: None,
        reason: None,
    }
}

impl Oracle {
    /// Returns the state of a register whose writes only operands show.
    fn unknown_state(&self, name: String, requested: UseQuery, at: Position) -> RegisterState {
        let mut uses = self.uses(requested).rev();
        let last = uses.find(|used| used.step.after() <= at);
        let written_by = last.map(|used| used.step);
        let value = Value(vec![None; usize::from(requested.view.size_bytes)]);
        let (source, written_at) = (ValueSource::Unknown, written_by.map(Step::after));
        RegisterState {
            name,
            view: requested.view,
            value,
            source,
            written_at,
            written_by,
            reason: None,
        }
    }

    /// Returns the thread of the last step before a position; at the start, that of the first step.
    pub fn thread_at(&self, position: Position) -> ThreadId {
        let step = position.last_step().unwrap_or(Step(0));
        self.step(step).map_or(ThreadId(0), |step| step.thread)
    }

    /// Returns the displayed registers of a thread: those of its architecture, then others that the
    /// trace names, by name.
    pub(super) fn shown_registers(
        &self,
        thread: ThreadId,
        set: InstructionSet,
    ) -> Vec<(String, RegisterView)> {
        let mut shown = Registers::shown(set);
        let mut others: BTreeMap<&str, RegisterView> = BTreeMap::new();
        for (_, written) in self.writes().filter(|(writer, _)| *writer == thread) {
            let register = written.view.register;
            let outside = self.outside_name(register).map(String::as_str);
            let named = outside.or_else(|| Registers::name_when_written(register, set));
            let Some(name) = named else {
                continue;
            };
            let view = others
                .entry(name)
                .or_insert(RegisterView::new(written.view.register, 0, 0));
            view.size_bytes = view
                .size_bytes
                .max(written.view.offset + written.view.size_bytes);
        }
        shown.extend(
            others
                .into_iter()
                .map(|(name, view)| (name.to_owned(), view)),
        );
        shown
    }

    /// Returns the bytes of a view, as its name is meant at a position.
    fn view_bytes(
        &self,
        thread: ThreadId,
        view: RegisterView,
        position: Position,
    ) -> RegisterByteWrites {
        let mut bytes = RegisterByteWrites::new();
        let meaning = self.meaning(thread, view, position);
        for event in self
            .events_until(position)
            .iter()
            .filter(|event| event.thread == thread)
        {
            let OracleEventKind::Register(written) = &event.kind else {
                continue;
            };
            let Some(certainty) = meaning.certainty(written) else {
                continue;
            };
            // A write of V, Q, D or S sets the rest of Z to zero.
            let is_simd = (RegisterId::V0..RegisterId::P0).contains(&written.view.register);
            let is_whole = (written.view.offset, written.view.size_bytes) == (0, 16);
            if is_simd && is_whole && self.instruction_set(thread).has_states() {
                let byte = RegisterByteWrite {
                    value: Some(0),
                    slot: event.slot,
                    owner: event.owner,
                };
                bytes.extend((16..256).map(|place| (place, byte)));
            }
            for place in 0..written.view.size_bytes {
                let value = written
                    .bytes
                    .as_ref()
                    .filter(|_| certainty == MatchCertainty::Sure);
                let value = value.and_then(|bytes| bytes.get(usize::from(place)).copied());
                let byte = RegisterByteWrite {
                    value,
                    slot: event.slot,
                    owner: event.owner,
                };
                bytes.insert(written.view.offset + place, byte);
            }
        }
        bytes
    }

    /// Returns the value of a register at a position.
    pub(super) fn register_value(
        &self,
        thread: ThreadId,
        view: RegisterView,
        position: Position,
    ) -> Value {
        state(
            String::new(),
            view,
            &self.view_bytes(thread, view, position),
        )
        .value
    }
}

/// Knowledge of the program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextPc {
    /// The last write counts.
    Written,
    /// This address.
    Known(u64),
    /// Unknown.
    Unknown,
}

impl Oracle {
    /// Returns the address of a thread's next step; if there is none, the target of its last step.
    pub(super) fn next_pc(&self, thread: ThreadId, position: Position) -> NextPc {
        let from = usize::try_from(position.0).unwrap_or(usize::MAX);
        let mut later = self.steps.get(from..).unwrap_or_default().iter();
        if let Some(next) = later.find(|step| step.thread == thread) {
            return NextPc::Known(next.pc.0);
        }
        let Some(last) = self.last_step_of(thread, position.0) else {
            return NextPc::Written;
        };
        let Some(step) = self.step(last) else {
            return NextPc::Written;
        };
        let behind = self
            .events_until(position)
            .iter()
            .filter(|event| event.owner == Some(last));
        if behind.clone().any(is_written) {
            return NextPc::Written;
        }
        let near = last.after().0.saturating_add(LATE_STEPS);
        let is_exception = |event: &OracleEvent| match &event.kind {
            OracleEventKind::Text { kind, .. } => kind.is_exceptional() && event.slot <= near,
            _ => false,
        };
        if behind.clone().any(is_exception) {
            return NextPc::Unknown;
        }
        self.led_to(step, last.before())
            .map_or(NextPc::Unknown, NextPc::Known)
    }

    fn led_to(&self, step: &OracleStep, before: Position) -> Option<u64> {
        let naive = step.naive();
        let behind = step.pc.0.wrapping_add(u64::from(step.length_bytes));
        if !step.is_executed {
            return Some(behind);
        }
        if step.branch != RecordedBranch::Unsaid || step.encoding.is_none() || naive.is_undefined()
        {
            return None;
        }
        match naive.kind() {
            NaiveFlow::Other => Some(behind),
            NaiveFlow::Trap | NaiveFlow::ExceptionReturn => None,
            NaiveFlow::Branch | NaiveFlow::Call | NaiveFlow::Return if naive.is_compare() => None,
            NaiveFlow::Branch if naive.condition_of_branch().is_some() => {
                let status = RegisterView::new(RegisterId::PSR, 0, 4);
                let flags = self.register_value(step.thread, status, before).to_u64()? >> 28;
                match holds(naive.condition_of_branch()?, flags) {
                    true => match naive.jump_target()? {
                        NaiveCallTarget::Address(address) => Some(address),
                        NaiveCallTarget::Register(_) => None,
                    },
                    false => Some(behind),
                }
            }
            NaiveFlow::Branch | NaiveFlow::Call | NaiveFlow::Return => match naive.jump_target()? {
                NaiveCallTarget::Address(address) => Some(address),
                NaiveCallTarget::Register(register) => {
                    let view = RegisterView::new(register, 0, naive.word_bytes());
                    let held = self.register_value(step.thread, view, before).to_u64()?;
                    let is_return = step.instruction_set.is_function_return_value(held);
                    (!is_return && !naive.is_exception_return(held))
                        .then(|| naive.without_mark(held))
                }
            },
        }
    }
}

/// Evaluates a condition (Arm Architecture Reference Manual, DDI 0487, ConditionHolds). `flags` are
/// N, Z, C and V.
fn holds(code: u32, flags: u64) -> bool {
    let [v, c, z, n] = [0, 1, 2, 3].map(|place| flags >> place & 1 == 1);
    let holds = match code >> 1 {
        0 => z,
        1 => c,
        2 => n,
        3 => v,
        4 => c && !z,
        5 => n == v,
        6 => n == v && !z,
        _ => return true,
    };
    holds != (code & 1 == 1)
}

fn is_written(event: &OracleEvent) -> bool {
    matches!(&event.kind, OracleEventKind::Register(written) if written.view.register == RegisterId::PC)
}
