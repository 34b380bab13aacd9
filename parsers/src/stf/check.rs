//! Checks the records of a trace against the rules of the format and against the opcodes
//! ([`check_trace`]).

use stepback_machine::InstructionSet;
use stepback_machine::flow::{FlowKind, RecordedBranch};

use crate::error::SourceError;
use crate::events::Flow;
use crate::finding::{FindingPlace, Findings, Rule, Severity};
use crate::packed::Damage;
use crate::read_at::TraceFile;
use crate::source::CheckWatch;
use crate::stf::cursor::RecordCursor;
use crate::stf::events::StfEvent;
use crate::stf::group::InstructionGroup;
use crate::stf::head::{StfHead, set_of_mode};
use crate::stf::opcodes::{OpcodeCache, OpcodeFacts};
use crate::stf::parts::{ChunkBegin, PartReader, StfPart};
use crate::stf::record::StfRecord;

/// A record 31 at an instruction that is no branch.
static NO_BRANCH: Rule = Rule {
    id: "stf-target-without-branch",
    severity: Severity::Error,
    clause: "INST_PC_TARGET",
    title: "a branch target is recorded for an instruction that is not a branch",
    meaning: "the record belongs to another instruction, or the opcode is wrong",
};
/// An unconditional jump without a record 31.
static NO_TARGET: Rule = Rule {
    id: "stf-branch-without-target",
    severity: Severity::Error,
    clause: "INST_PC_TARGET",
    title: "a branch was taken and its target is not recorded",
    meaning: "the next address is that of the following instruction, which is wrong",
};
/// A record 31 that contradicts the opcode.
static WRONG_TARGET: Rule = Rule {
    id: "stf-wrong-target",
    severity: Severity::Error,
    clause: "INST_PC_TARGET",
    title: "the recorded target of a branch is not the one in its opcode",
    meaning: "the record, the opcode or the address is wrong",
};
/// A start address in the index that is not that of the chunk.
static START_PC: Rule = Rule {
    id: "stf-chunk-start",
    severity: Severity::Error,
    clause: "zstf index",
    title: "a chunk does not begin at the address that the index states",
    meaning: "the index is wrong, or instructions before the chunk are missing",
};
/// A chunk with another number of instructions than the header states.
static CHUNK_LENGTH: Rule = Rule {
    id: "stf-chunk-length",
    severity: Severity::Warning,
    clause: "zstf header",
    title: "the number of instructions in a chunk differs from the header",
    meaning: "the numbers of instructions by which other tools seek are wrong",
};

/// All rules of the format.
pub static ALL: &[&Rule] = &[
    &NO_BRANCH,
    &NO_TARGET,
    &WRONG_TARGET,
    &START_PC,
    &CHUNK_LENGTH,
];

/// Checks a trace in one pass, and adds violations to `findings`. Reading ends at the first damage
/// of a chunk, which is reported when the trace is opened.
///
/// # Errors
/// The file could not be read.
pub fn check_trace(
    file: &TraceFile,
    head: StfHead,
    findings: &mut Findings,
    watch: &mut CheckWatch<'_>,
) -> Result<(), SourceError> {
    let failed = |error| SourceError::Read { offset: 0, error };
    let mut parts = PartReader::open(file, head.container).map_err(failed)?;
    let mut check = StfCheck::new(head.instruction_set, findings);
    while let Some(part) = parts.next_part().map_err(failed)? {
        if watch(check.records) == Flow::Stop {
            break;
        }
        match part {
            StfPart::Begin(begin) => check.begin(begin),
            StfPart::Bytes(bytes) => check.take(bytes),
            StfPart::End(damage) => check.end(damage.as_ref()),
        }
    }
    Ok(())
}

struct StfCheck<'f> {
    findings: &'f mut Findings,
    set: InstructionSet,
    cursor: RecordCursor,
    opcodes: OpcodeCache,
    group: InstructionGroup,
    records: u64,
    chunk: ChunkBegin,
    instructions: u64,
    next_pc: Option<u64>,
    is_lost: bool,
}

impl<'f> StfCheck<'f> {
    fn new(set: InstructionSet, findings: &'f mut Findings) -> Self {
        Self {
            findings,
            set,
            cursor: RecordCursor::default(),
            opcodes: OpcodeCache::default(),
            group: InstructionGroup::default(),
            records: 0,
            chunk: ChunkBegin {
                number: None,
                start_pc: None,
                instructions: None,
                is_misplaced: false,
            },
            instructions: 0,
            next_pc: None,
            is_lost: false,
        }
    }

    fn begin(&mut self, begin: ChunkBegin) {
        self.chunk = begin;
        (self.instructions, self.is_lost) = (0, false);
        self.cursor.begin();
        self.group.clear();
    }

    fn take(&mut self, bytes: Vec<u8>) {
        let mut cursor = std::mem::take(&mut self.cursor);
        let stop = cursor.take(bytes, |record: &StfRecord<'_>, _: u64| self.record(record));
        self.cursor = cursor;
        if stop.is_some() {
            self.lose();
        }
    }

    fn lose(&mut self) {
        (self.is_lost, self.next_pc) = (true, None);
    }

    fn end(&mut self, damage: Option<&Damage>) {
        if damage.is_some() || self.chunk.is_misplaced {
            self.lose();
        }
        let Some(stated) = self.chunk.instructions.filter(|_| !self.is_lost) else {
            return;
        };
        let found = self.instructions;
        if found != stated {
            let number = self.chunk.number.unwrap_or_default();
            self.findings
                .add(&CHUNK_LENGTH, FindingPlace::Record(self.records), || {
                    format!("chunk {number} has {found} instructions, the header says {stated}")
                });
        }
    }

    fn record(&mut self, record: &StfRecord<'_>) {
        self.records += 1;
        match *record {
            StfRecord::Opcode { word, length_bytes } => {
                let facts = *self.opcodes.get(word, length_bytes, self.set);
                self.instruction(&facts, length_bytes);
                self.group.clear();
                self.instructions += 1;
            }
            StfRecord::EncodingMode(mode) => self.set = set_of_mode(mode).unwrap_or(self.set),
            _ => _ = self.group.add(record),
        }
    }

    fn instruction(&mut self, facts: &OpcodeFacts, length_bytes: u8) {
        let place = FindingPlace::Record(self.records);
        let pc = self.group.forced_pc.or(self.next_pc);
        if self.instructions == 0
            && let Some((stated, pc)) = self.chunk.start_pc.zip(pc)
            && stated != pc
        {
            let number = self.chunk.number.unwrap_or_default();
            self.findings.add(&START_PC, place, || {
                format!("chunk {number} begins at {pc:#x}, the index says {stated:#x}")
            });
        }
        let pc = pc.or(self.chunk.start_pc.filter(|_| self.instructions == 0));
        let has_trap = self
            .group
            .events
            .iter()
            .any(|event| StfEvent::of(event.id).is_trap());
        if !has_trap && let Some(pc) = pc {
            self.branch(facts, pc, length_bytes);
        }
        let target = self.group.event_target.or(self.group.target);
        self.next_pc = target.or_else(|| pc.map(|pc| pc.wrapping_add(u64::from(length_bytes))));
    }

    fn branch(&mut self, facts: &OpcodeFacts, pc: u64, length_bytes: u8) {
        let place = FindingPlace::Record(self.records);
        let Some(target) = self.group.target else {
            // A jump to the following instruction needs no record, and where an indirect one leads
            // is unknown.
            let is_always = matches!(
                facts.branch(Some(pc)),
                RecordedBranch::Jump | RecordedBranch::Call
            );
            let leads_on = facts.target == Some(u64::from(length_bytes));
            if is_always && !leads_on && self.group.event_target.is_none() {
                let why = || format!("the branch at {pc:#x} has no target");
                self.findings.add(&NO_TARGET, place, why);
            }
            return;
        };
        if !facts.may_branch() {
            self.findings.add(&NO_BRANCH, place, || {
                format!("the instruction at {pc:#x} has the target {target:#x}")
            });
        }
        let direct = facts.target.filter(|_| facts.flow != FlowKind::Next);
        if let Some(expected) = direct.map(|offset| pc.wrapping_add(offset))
            && expected != target
        {
            self.findings.add(&WRONG_TARGET, place, || {
                format!("the branch at {pc:#x} leads to {expected:#x}, recorded is {target:#x}")
            });
        }
    }
}
