//! From the records of a trace to its steps: what each record changes, processor by processor.
//!
//! A value is the write of the instruction before it where that writes the register; any other value is a statement, and only
//! worth telling where it is news. So the list of all registers behind a `save`, most of which the caller wrote, leaves the
//! caller's writes the last ones. What an instruction writes and the trace never tells is not known from there on.

use stepback_machine::{RegisterId, RegisterView};

use crate::events::{Problem, TextKind, ThreadNumber};
use crate::marker::{Marker, MarkerKind};
use crate::rst::kind;
use crate::rst::raw_record::RawRecord;
use crate::rst::record::Record;
use crate::rst::records::{Instruction, RegisterValues, TlbEntry};
use crate::rst::replay::cpu::ReplayCpu;
use crate::rst::replay::effects::EffectTable;
use crate::rst::replay::memory::OpenAccess;
use crate::rst::replay::names::{RegisterNumberMap, view};
use crate::rst::replay::translations::EntryLayout;
use crate::step_store::encoder::{BlockSink, Encoder};
use crate::step_store::record::StoredThread;

/// Notes before the first record of a processor that are kept until it comes.
const EARLY: usize = 1 << 12;
/// Numbers of processors have ten bits.
const CPUS: usize = 1 << 10;

/// Hands the steps of a trace to an encoder.
pub struct Replay<'e, B> {
    pub(super) encoder: &'e mut Encoder<B>,
    cpus: Vec<Option<Box<ReplayCpu>>>,
    /// The processor whose instruction was the last of all.
    pub(super) last: Option<u16>,
    /// What that instruction accesses, until the trace has said what it moved.
    pub(super) open: Vec<OpenAccess>,
    pub(super) effects: EffectTable,
    pub(super) names: RegisterNumberMap,
    pub(super) fixed: StateRegisters,
    /// How many windows the trace says that its processors have.
    windows: Option<u8>,
    /// How entries of translation buffers are laid out, where the trace says it.
    pub(super) entry_layout: Option<EntryLayout>,
    /// A text of several records, so far.
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
    /// Nothing read so far.
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
            effects: EffectTable::default(),
            names: RegisterNumberMap::new(),
            fixed,
            windows: None,
            entry_layout: None,
            text: Vec::new(),
            early: Vec::new(),
            threads: 0,
        }
    }

    /// Takes the next record, with its number from 1.
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
        match Record::of(record) {
            Record::MemoryValue(value) if value.is_virtual => self.memory(&value),
            Record::PaVaDiff(difference) => self.cpu(difference.cpu).translation = Some(difference),
            Record::TlbEntry(entry) => self.translation_entry(&entry, record),
            Record::ProcessSwitch(_) => self.switch_process(record),
            Record::Trap(trap) => self.trap(trap),
            Record::TrapExit(exit) => self.trap_exit(&exit),
            Record::Preg(preg) => self.preg(&preg, record),
            Record::CpuTime(time) => {
                let thread = self.cpu(time.cpu).thread;
                self.encoder.marker(
                    thread,
                    Marker {
                        kind: MarkerKind::TIMESTAMP,
                        value: time.timestamp,
                    },
                    0,
                );
            }
            Record::Text(part) => self.text(&part),
            Record::Header(_) | Record::Null => {}
            _ => self.note_of(record),
        }
    }

    /// An entry of a translation buffer changes.
    fn translation_entry(&mut self, entry: &TlbEntry, record: &RawRecord) {
        let layout = self.entry_layout;
        let news = self.cpu(entry.cpu).translations.entry(entry, layout);
        self.end_pages(entry.cpu, news);
        self.note_of(record);
    }

    /// The processes that use the contexts are others from here on.
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

    /// Tells what is known of pages between two instructions: what the one before accessed was where it was known to be then.
    fn end_pages(&mut self, cpu: u16, news: impl IntoIterator<Item = Marker>) {
        let mut news = news.into_iter().peekable();
        if news.peek().is_some() {
            self.settle();
            self.tell_pages(cpu, news);
        }
    }

    /// Ends a trace of so many records.
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

    /// What could not be read.
    pub fn problem(&mut self, problem: &Problem) {
        self.encoder.problem(problem);
    }

    /// A processor, with a thread of its own from its first record on.
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

    /// The thread of a processor that is new.
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

    /// Takes how many windows there are, for processors that have not executed anything yet.
    pub(super) fn set_windows(&mut self, windows: u8) {
        self.windows = Some(windows);
        self.cpus
            .iter_mut()
            .flatten()
            .filter(|cpu| !cpu.has_begun)
            .for_each(|cpu| cpu.windows = windows);
    }

    /// A note of a processor; of the last one where it says none, or of the first one that comes.
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
