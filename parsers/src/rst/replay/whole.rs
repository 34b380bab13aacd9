//! Converts the records of a trace to steps: applies each record to the state of its processor.
//!
//! A register value is the write of the instruction before it if that writes the register. Any
//! other value is a statement, which is stored only if it is new. So the list of all registers
//! after a `save`, most of them written by the caller, leaves the caller's writes as the last ones.
//! A register that an instruction writes and the trace never records is unknown from there on.

use std::rc::Rc;

use stepback_machine::{RegisterId, RegisterView};

use crate::events::{TextKind, ThreadNumber};
use crate::marker::{Marker, MarkerKind};
use crate::problem::ProblemKind;
use crate::rst::fields::cpu;
use crate::rst::kind;
use crate::rst::raw_record::{RawRecord, layout_of};
use crate::rst::records::{Instruction, PaVaDiff, Preg, RegisterValues, TlbEntry, Trap, TrapExit};
use crate::rst::replay::cpu::ReplayCpu;
use crate::rst::replay::effects::InstructionEffects;
use crate::rst::replay::effects::OpenAccess;
use crate::rst::replay::names::{RegisterNumberMap, view};
use crate::rst::word_cache::WordCache;
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::StoredThread;

/// Maximum number of notes that are kept before the first record of a processor.
const EARLY: usize = 1 << 12;
/// Maximum number of processors: their numbers have ten bits.
const CPUS: usize = 1 << 10;

/// Replays records and passes the steps to an encoder.
pub struct Replay<'e, B> {
    pub(super) encoder: &'e mut Encoder<B>,
    cpus: Vec<Option<Box<ReplayCpu>>>,
    /// Processor of the last instruction.
    pub(super) last: Option<u16>,
    /// Accesses of that instruction, until the trace has recorded their values.
    pub(super) open: Vec<OpenAccess>,
    pub(super) effects: WordCache<Rc<InstructionEffects>>,
    pub(super) names: RegisterNumberMap,
    pub(super) fixed: StateRegisters,
    /// Number of windows that the trace states.
    windows: Option<u8>,
    /// Mask of the physical address in the data of TLB entries, if the trace names a known MMU.
    pub(super) physical_mask: Option<u64>,
    /// The beginning of a text of several records.
    pub(super) text: Vec<u8>,
    /// Notes from before the first record of a processor.
    early: Vec<String>,
    threads: u16,
}

/// Registers that are looked up once.
pub(super) struct StateRegisters {
    pub status: RegisterView,
    pub window: Option<RegisterView>,
    pub can_save: Option<RegisterView>,
    pub can_restore: Option<RegisterView>,
    pub level: Option<RegisterView>,
    pub globals: Option<RegisterView>,
    pub pstate: Option<RegisterView>,
    pub asi: Option<RegisterView>,
}

impl<'e, B: BlockSink> Replay<'e, B> {
    /// Creates a replay before the first record.
    pub fn new(encoder: &'e mut Encoder<B>) -> Self {
        let fixed = StateRegisters {
            status: RegisterView::new(RegisterId::PSR, 0, 4),
            window: view("cwp"),
            can_save: view("cansave"),
            can_restore: view("canrestore"),
            level: view("tl"),
            globals: view("gl"),
            pstate: view("pstate"),
            asi: view("asi"),
        };
        Self {
            encoder,
            cpus: Vec::new(),
            last: None,
            open: Vec::new(),
            effects: WordCache::default(),
            names: RegisterNumberMap::new(),
            fixed,
            windows: None,
            physical_mask: None,
            text: Vec::new(),
            early: Vec::new(),
            threads: 0,
        }
    }

    /// Applies the next record; numbers start at 1.
    #[inline]
    pub fn record(&mut self, number: u64, record: &RawRecord) {
        self.encoder.begin_record(number);
        match record.kind() {
            kind::INSTRUCTION => self.instruction(&Instruction::of(record)),
            kind::REGISTERS => self.registers(&RegisterValues::of(record)),
            _ => self.other(record),
        }
    }

    fn other(&mut self, record: &RawRecord) {
        match record.kind() {
            kind::MEMORY => return self.memory(record),
            kind::DIFFERENCE => {
                let difference = PaVaDiff::of(record);
                self.cpu(difference.cpu).translation = Some(difference);
            }
            kind::TLB => self.translation_entry(&TlbEntry::of(record), record),
            kind::PROCESS => self.switch_process(record),
            kind::TRAP => self.trap(Trap::of(record)),
            kind::TRAP_EXIT => self.trap_exit(&TrapExit::of(record)),
            kind::PREG => self.preg(&Preg::of(record), record),
            kind::CPU => {
                let number = record.get(cpu::CPU_NUMBER) as u16;
                self.mark(number, MarkerKind::TIMESTAMP, record.get(cpu::TIMESTAMP));
            }
            kind::TEXT | kind::TEXT_PART => self.text(record),
            kind::HEADER | kind::NULL => {}
            _ => self.note_of(record),
        }
        if let Some(cpu) = layout_of(record).and_then(|layout| layout.cpu) {
            self.cpu(cpu.get(record)).continued_at = None;
        }
    }

    /// Applies a TLB record.
    fn translation_entry(&mut self, entry: &TlbEntry, record: &RawRecord) {
        let mask = self.physical_mask;
        let news = self.cpu(entry.cpu).translations.entry(entry, mask);
        self.end_pages(entry.cpu, news);
        self.note_of(record);
    }

    /// Applies a PROCESS record: from here on other processes use the contexts.
    fn switch_process(&mut self, record: &RawRecord) {
        for cpu in 0..self.cpus.len() as u16 {
            let Some(Some(known)) = self.cpus.get_mut(usize::from(cpu)) else {
                continue;
            };
            known.translations.turn();
            let forgotten = known.translations.forget();
            self.end_pages(cpu, forgotten);
        }
        self.note_of(record);
    }

    /// Stores changes of pages between two instructions. First completes the instruction before,
    /// whose accesses used the old translations.
    fn end_pages(&mut self, cpu: u16, news: impl IntoIterator<Item = Marker>) {
        let mut news = news.into_iter().peekable();
        if news.peek().is_some() {
            self.settle();
            self.tell_pages(cpu, news);
        }
    }

    /// Ends a trace with `records` records.
    pub fn finish(mut self, records: u64) {
        self.encoder.begin_record(records.saturating_add(1));
        self.settle();
        for cpu in 0..self.cpus.len() as u16 {
            if self.cpus.get(usize::from(cpu)).is_some_and(Option::is_some) {
                self.begin(cpu);
                self.show_ahead(cpu);
            }
        }
    }

    /// Passes on a problem of the reader.
    pub fn problem(&mut self, problem: &ProblemKind) {
        self.encoder.problem(problem);
    }

    /// Returns the state of a processor. Creates it, with a new thread, at its first record.
    pub(super) fn cpu(&mut self, number: u16) -> &mut ReplayCpu {
        let place = usize::from(number) % CPUS;
        if self.cpus.len() <= place {
            self.cpus.resize_with(place + 1, || None);
        }
        if self.cpus[place].is_none() {
            self.add_thread(number);
        }
        let Self {
            cpus,
            threads,
            windows,
            ..
        } = self;
        cpus[place]
            .get_or_insert_with(|| Box::new(ReplayCpu::new(ThreadNumber(*threads - 1), *windows)))
    }

    /// Adds the thread of a new processor.
    fn add_thread(&mut self, number: u16) {
        let thread = ThreadNumber(self.threads);
        self.threads += 1;
        self.encoder.thread(
            thread,
            StoredThread {
                tid: number.into(),
                pid: 0,
            },
        );
        for note in std::mem::take(&mut self.early) {
            self.encoder.note(thread, TextKind::Note, &note);
        }
    }

    /// Sets the number of windows, for processors that have not executed anything yet.
    pub(super) fn set_windows(&mut self, windows: u8) {
        self.windows = Some(windows);
        self.cpus
            .iter_mut()
            .flatten()
            .filter(|cpu| !cpu.has_begun)
            .for_each(|cpu| cpu.windows = windows);
    }

    /// Adds a note to a processor, by default to that of the last instruction. Before any
    /// processor, notes are kept for the first one.
    pub(super) fn note(&mut self, cpu: Option<u16>, kind: TextKind, text: String) {
        match cpu.or(self.last) {
            Some(cpu) => {
                let thread = self.cpu(cpu).thread;
                self.encoder.note(thread, kind, &text);
            }
            None if self.threads > 0 => self.encoder.note(ThreadNumber(0), kind, &text),
            None if self.early.len() < EARLY => self.early.push(text),
            None => {}
        }
    }
}
