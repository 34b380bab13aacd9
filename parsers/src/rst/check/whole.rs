//! Runs all rules over a trace: [`RecordChecker`] passes each record of a stream to the rules that
//! apply to it, with the state of its processor ([`CpuState`]). Findings of some rules are kept
//! until it is known if they count.

use crate::error::SourceError;
use crate::events::Flow;
use crate::finding::{FindingPlace, Findings};
use crate::problem::{INSIDE_RECORD, Problem, ProblemKind, RstFault};
use crate::read_at::TraceFile;
use crate::rst::check::instruction::{AddressWidthCheck, InstructionWord, check_flags};
use crate::rst::check::opening::{CpuOpeningCheck, OpeningCheck};
use crate::rst::check::out::FindingSink;
use crate::rst::check::path::ControlPathCheck;
use crate::rst::check::rules;
use crate::rst::check::translation::TranslationCheck;
use crate::rst::check::traps::TrapCheck;
use crate::rst::check::values::{
    NestingCheck, ReservedBitsCheck, check_kind, check_memory, check_processor, check_registers,
};
use crate::rst::fields::{hwinfo, status, trapping};
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, layout_of};
use crate::rst::reader::RecordReader;
use crate::rst::records::{
    Instruction, MemoryValue, PaVaDiff, Preg, RegisterValues, Trap, TrapExit,
};
use crate::rst::stream::FilePart;
use crate::rst::word_cache::WordCache;
use crate::source::CheckWatch;

/// Maximum number of findings of each rule that are kept until it is known if they count.
const WAITING: usize = 1 << 10;
/// Status at the end of the trace.
const END_OF_TRACE: u64 = 2;

/// Checks the records of a trace and adds the findings. `watch` receives the number of records
/// read, after each batch.
///
/// # Errors
/// A file could not be read.
pub fn check_files(
    files: Vec<TraceFile>,
    findings: &mut Findings,
    watch: &mut CheckWatch<'_>,
) -> Result<(), SourceError> {
    let mut reader = RecordReader::new(files);
    // Each of the files that were written in parallel must keep the rules separately.
    let mut checkers: Vec<RecordChecker> = Vec::new();
    let failed = |error| SourceError::Read { offset: 0, error };
    while let Some(batch) = reader.next_batch().map_err(failed)? {
        while checkers.len() <= batch.stream {
            checkers.push(RecordChecker::new(findings.emptied()));
        }
        let Some(checker) = checkers.get_mut(batch.stream) else {
            continue;
        };
        let mut part = batch.part;
        for (number, record) in (batch.first..).zip(batch.records()) {
            checker.record(number, part, &record);
            part = FilePart::Rest;
        }
        if !batch.problems.is_empty() {
            checker.lose_paths();
        }
        if batch.problems.iter().any(is_inside_record) {
            checker.out.found(&rules::F01, || INSIDE_RECORD.to_owned());
        }
        let batch_end = checker.out.number;
        if watch(batch_end) == Flow::Stop {
            return Ok(());
        }
    }
    let is_of_system = checkers.iter().any(RecordChecker::is_of_system);
    for checker in checkers {
        let found = checker.finish();
        findings.absorb(found.findings);
        if is_of_system {
            findings.absorb(found.of_systems);
        }
    }
    Ok(())
}

fn is_inside_record(problem: &Problem) -> bool {
    let kind = &problem.kind;
    matches!(kind, ProblemKind::Rst { fault, .. } if matches!(fault, RstFault::InsideRecord(_)))
}

/// The rules and their state for one stream.
pub(super) struct RecordChecker {
    out: FindingSink,
    opening: OpeningCheck,
    reserved: ReservedBitsCheck,
    nesting: NestingCheck,
    words: WordCache<InstructionWord>,
    /// State of each processor seen until now.
    cpus: Vec<Option<Box<CpuState>>>,
    /// The processor of the last record, if that was a PAVADIFF.
    last_translation: Option<u16>,
    /// True if the maker of the trace says that it records user programs only.
    is_shade: bool,
    has_tlb: bool,
    has_trap: bool,
}

impl RecordChecker {
    pub(super) fn new(findings: Findings) -> Self {
        Self {
            out: FindingSink {
                findings,
                of_systems: Findings::new(WAITING),
                number: 0,
                place: 0,
            },
            opening: OpeningCheck::default(),
            reserved: ReservedBitsCheck::default(),
            nesting: NestingCheck::default(),
            words: WordCache::default(),
            cpus: Vec::new(),
            last_translation: None,
            is_shade: false,
            has_tlb: false,
            has_trap: false,
        }
    }

    pub(super) fn record(&mut self, number: u64, part: FilePart, record: &RawRecord) {
        self.out.number = number;
        self.out.place += 1;
        self.reserved.check(record, &mut self.out);
        let cpu = layout_of(record)
            .and_then(|layout| layout.cpu)
            .map(|cpu| cpu.get(record));
        let translated = self.last_translation.take();
        if let Some(translated) = translated {
            let is_next = record.kind() == kind::INSTRUCTION && cpu == Some(translated);
            let state = state_of(&mut self.cpus, translated);
            if !is_next && !state.traps.is_waiting() {
                state.translation.is_interrupted(&mut self.out);
            }
        }
        if record.kind() == kind::INSTRUCTION {
            self.instruction(&Instruction::of(record));
        } else {
            self.opening.record(part, record, &mut self.out);
            self.nesting.record(record, &mut self.out);
            check_kind(record, &mut self.out);
            self.other(record);
        }
        if let Some(cpu) = cpu {
            check_processor(cpu, record, &mut self.out);
            state_of(&mut self.cpus, cpu).is_after_memory = record.kind() == kind::MEMORY;
        }
    }

    fn instruction(&mut self, found: &Instruction) {
        let Self {
            out,
            cpus,
            words,
            opening,
            nesting,
            ..
        } = self;
        let word = words.get(found.word, InstructionWord::of);
        let cpu = state_of(cpus, found.cpu);
        nesting.text_is_over(out);
        opening.instruction(found.cpu, &mut cpu.opening, out);
        let trap = cpu.traps.take_waiting();
        cpu.narrow.check(&word, found, trap.as_ref(), out);
        check_flags(&word, found, trap.as_ref(), out);
        cpu.path.check(&word, found, trap.as_ref(), out);
        cpu.translation.check(&word, found, cpu.traps.level(), out);
        cpu.traps.check(&word, found, trap.as_ref(), out);
    }

    fn other(&mut self, record: &RawRecord) {
        let Self { out, cpus, .. } = self;
        match record.kind() {
            kind::REGISTERS => {
                let values = RegisterValues::of(record);
                check_registers(&values, out);
                let cpu = state_of(cpus, values.cpu);
                cpu.opening.registers(&values);
                cpu.traps.registers(&values);
                cpu.narrow.registers(&values);
            }
            kind::MEMORY => {
                let value = MemoryValue::of(record);
                check_memory(&value, state_of(cpus, value.cpu), out);
            }
            kind::DIFFERENCE => {
                let difference = PaVaDiff::of(record);
                let cpu = state_of(cpus, difference.cpu);
                cpu.translation.take(difference, out);
                cpu.opening.has_translation = true;
                self.last_translation = Some(difference.cpu);
            }
            kind::PREG => {
                let preg = Preg::of(record);
                let cpu = state_of(cpus, preg.cpu);
                cpu.opening.preg(&preg);
                cpu.traps.preg(preg);
                cpu.narrow.preg(&preg);
                if !record.form().version.is_before(2, 5) {
                    cpu.translation.context(preg.primary_d);
                }
            }
            kind::TRAP => {
                self.has_trap = true;
                let trap = Trap::of(record);
                state_of(cpus, trap.cpu).traps.trap(trap, out);
            }
            kind::TRAP_EXIT => {
                let exit = TrapExit::of(record);
                let cpu = state_of(cpus, exit.cpu);
                cpu.traps.exit(&exit, out);
                cpu.narrow.exit(&exit);
            }
            kind::TRAPPING => {
                let cpu = state_of(cpus, trapping::CPU.get(record));
                cpu.traps.is_stopped_apart = true;
            }
            kind::TLB => {
                self.has_tlb = true;
                cpus.iter_mut()
                    .flatten()
                    .for_each(|cpu| cpu.translation.forget());
            }
            kind::HARDWARE => {
                self.is_shade |= record.get(hwinfo::CATEGORY) == 2
                    && matches!(record.get(hwinfo::INFOTYPE), 5 | 6);
            }
            kind::STATUS if record.get(status::STATUS) == END_OF_TRACE => {}
            kind::THREAD | kind::PROCESS | kind::FILE_MARKER | kind::PATCH | kind::STATUS => {
                self.lose_paths()
            }
            _ => {}
        }
    }

    /// Forgets the expected paths: another program may run from here on.
    fn lose_paths(&mut self) {
        self.cpus
            .iter_mut()
            .flatten()
            .for_each(|cpu| cpu.path.lose());
    }

    /// Returns true if the records are those of a whole system, not only of a user program.
    pub(super) fn is_of_system(&self) -> bool {
        !self.is_shade && (self.has_tlb || self.has_trap)
    }

    /// Reports what is open at the end of the trace. Returns all findings.
    pub(super) fn finish(mut self) -> FindingSink {
        self.nesting.finish(&mut self.out);
        if self.out.number == 0 {
            self.out.findings.add(&rules::H01, FindingPlace::Trace, || {
                "the trace has no record".to_owned()
            });
        }
        self.out
    }
}

/// Maximum number of processors: their numbers have ten bits.
const CPUS: usize = 1 << 10;

/// State of the rule checks for one processor.
#[derive(Debug, Default)]
pub struct CpuState {
    /// Facts recorded before its first instruction.
    pub opening: CpuOpeningCheck,
    /// The expected address of its next instruction.
    pub path: ControlPathCheck,
    /// Its address translations.
    pub translation: TranslationCheck,
    /// Its trap levels.
    pub traps: TrapCheck,
    /// The width of its addresses.
    pub narrow: AddressWidthCheck,
    /// True if its last record was a value of memory.
    pub is_after_memory: bool,
}

/// Returns the state of a processor by its number, created on first use.
fn state_of(cpus: &mut Vec<Option<Box<CpuState>>>, number: u16) -> &mut CpuState {
    let place = usize::from(number) % CPUS;
    if cpus.len() <= place {
        cpus.resize_with(place + 1, || None);
    }
    cpus[place].get_or_insert_default()
}
