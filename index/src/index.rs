//! An index that is open: what its file holds, and what is kept beside it.

pub(crate) mod call_gaps;
pub(crate) mod homes;
pub(crate) mod known_homes;
pub(crate) mod memories;
pub(crate) mod operand_table;
pub(crate) mod shared_memory;
pub(crate) mod told_pages;
pub(crate) mod untraced;

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use stepback_machine::{Address, Endian, InstructionSet, RegisterId, StackChoice};
use stepback_parsers::{MarkerKind, Position, RegisterSource, Source, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::{OpenError, QueryError};
use crate::answers::index_info::{IndexInfo, Warning};
use crate::answers::program::Program;
use crate::answers::thread::{ThreadId, ThreadInfo};
use crate::index::call_gaps::CallGapCache;
use crate::index::known_homes::HomeCaches;
use crate::index::memories::Memories;
use crate::index::operand_table::OperandTable;
use crate::index::shared_memory::SharedMemory;
use crate::index::told_pages::PageMappings;
use crate::index::untraced::UntracedCache;
use crate::store::calls::table::{Arrival, CallTable};
use crate::store::codes::{CodeTable, ExecutedCode};
use crate::store::contents::{Contents, ThreadContents, WarningContents};
use crate::store::data::IndexData;
use crate::store::directory::Directory;
use crate::store::fingerprint::Fingerprint;
use crate::store::key_map::SegmentKey;
use crate::store::layout;
use crate::store::named_bank::{NamedBank, stack_choices};
use crate::store::regions::host_regions::HostRegions;
use crate::store::regions::open_calls::UnresolvedCalls;
use crate::store::segment::reader::SegmentReader;

/// Finds the calls with tail calls among them; none where there are no tail calls.
pub type FindCalls = fn(&Index, &Cancel) -> Result<Option<CallTable>, QueryError>;

/// The calls with tail calls among them, found at the first question for the calls.
#[derive(Debug)]
struct TailCalls {
    find: FindCalls,
    found: OnceLock<Result<Option<CallTable>, QueryError>>,
}

/// An open index beside the trace that it was made from. Immutable: clones of an `Arc` of it go to any thread.
#[derive(Debug)]
pub struct Index {
    source: Arc<dyn Source>,
    path: Option<PathBuf>,
    data: Arc<IndexData>,
    pub(crate) contents: Contents,
    /// For each segment, a bit for each section whose checksum was looked at.
    checked: Vec<AtomicU8>,
    /// The same for the key maps.
    maps_checked: Vec<AtomicU8>,
    /// As the trace alone shows them.
    plain_calls: CallTable,
    /// None when tail calls are not looked for.
    tail_calls: Option<TailCalls>,
    threads: Vec<ThreadInfo>,
    warnings: Vec<Warning>,
    name_numbers: HashMap<String, u16>,
    thread_numbers: HashMap<String, ThreadId>,
    instruction_sets: Vec<InstructionSet>,
    pub(crate) banks: Vec<NamedBank>,
    /// The registers that choose between two stack pointers.
    pub(crate) stack_choices: Vec<StackChoice>,
    program: Program,
    /// The instructions that the trace executed.
    pub(crate) codes: CodeTable,
    pub(crate) host_regions: HostRegions,
    /// Semihosting calls that may have let the host write anywhere.
    pub(crate) open_calls: UnresolvedCalls,
    /// Which registers the instructions at each address use, found at the first question that needs it.
    pub(crate) operands: OnceLock<OperandTable>,
    /// Meanings of registers' names.
    pub(crate) known_homes: HomeCaches,
    /// The addresses of instructions that store more than their records show; worked out when it is first asked for.
    pub(crate) unshown_stores: OnceLock<Vec<Address>>,
    /// Which memory each thread sees, found at the first question that needs it.
    memories: OnceLock<Memories>,
    /// The registers that the trace leaves out, as far as questions asked for them.
    pub(crate) untraced: UntracedCache,
    /// The memory that others than the steps change, as far as questions asked for it.
    pub(crate) shared: Mutex<SharedMemory>,
    /// What the trace tells of pages, found at the first question that needs it; never where that is too much to be kept.
    pub(crate) told_pages: OnceLock<Arc<PageMappings>>,
    /// The segments that have markers of each kind, found at the first question about all threads.
    pub(crate) marker_segments: OnceLock<Vec<KindSegments>>,
    /// Who was inside a system call when, found segment by segment.
    pub(crate) call_gaps: CallGapCache,
}

/// The segments with markers of a kind.
#[derive(Debug)]
pub(crate) struct KindSegments {
    /// Which kind.
    pub kind: MarkerKind,
    /// The segments, ascending.
    pub segments: Vec<usize>,
}

impl Index {
    /// Opens the index file of a trace, if it belongs to it. Cost: independent of the trace's length.
    ///
    /// # Errors
    /// Says why the file cannot be used; the caller then builds a new one.
    pub fn open(
        source: Arc<dyn Source>,
        path: &Path,
        fingerprint: &Fingerprint,
    ) -> Result<Self, OpenError> {
        let index = Self::open_stale(source, path)?;
        match index.contents.fingerprint.difference(fingerprint) {
            Some(reason) => Err(OpenError::Stale(reason)),
            None => Ok(index),
        }
    }

    /// Opens whatever complete index the file is, even one of an older state of the trace.
    ///
    /// # Errors
    /// As [`Self::open`], but for [`OpenError::Stale`].
    pub fn open_stale(source: Arc<dyn Source>, path: &Path) -> Result<Self, OpenError> {
        let refused = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => OpenError::Missing,
            _ => OpenError::Read(error),
        };
        // Asked before opening: to open a pipe would wait for its writer.
        if !std::fs::metadata(path).map_err(refused)?.is_file() {
            return Err(OpenError::Foreign);
        }
        let file = File::open(path).map_err(refused)?;
        if file.metadata().map_err(OpenError::Read)?.len() == 0 {
            // An empty file cannot be mapped, and is what a full disk leaves behind.
            return Err(OpenError::Incomplete);
        }
        let data = IndexData::map(&file).map_err(OpenError::Read)?;
        Self::load(source, data, Some(path.to_owned()))
    }

    /// Opens an index that was kept somewhere else than in a file of its own.
    ///
    /// # Errors
    /// As [`Self::open_stale`].
    pub fn from_bytes(source: Arc<dyn Source>, bytes: Vec<u8>) -> Result<Self, OpenError> {
        Self::load(source, IndexData::Memory(bytes), None)
    }

    pub(crate) fn load(
        source: Arc<dyn Source>,
        data: impl Into<Arc<IndexData>>,
        path: Option<PathBuf>,
    ) -> Result<Self, OpenError> {
        let data = data.into();
        let contents = layout::decode(&data)?;
        let arrival = Arrival::of(contents.traits.instruction_set);
        let plain_calls = CallTable::open(
            &data,
            contents.calls,
            contents.call_layout.clone(),
            contents.steps,
            arrival,
        )?;
        let host_regions = contents
            .host_regions
            .checked(&data)
            .and_then(HostRegions::decode);
        let open_calls = contents
            .open_calls
            .checked(&data)
            .and_then(UnresolvedCalls::decode);
        let (host_regions, open_calls) = host_regions.zip(open_calls).ok_or(OpenError::Damaged(
            "what it says of semihosting calls cannot be read",
        ))?;
        let codes = contents.codes.table(&data).ok_or(OpenError::Damaged(
            "its list of instructions cannot be read",
        ))?;
        let thread = |thread: &ThreadContents| ThreadInfo {
            name: thread.name.clone(),
            steps: thread.steps,
            instruction_set: thread.instruction_set,
            first_step: thread.first_step.map(Step),
        };
        let warning = |warning: &WarningContents| Warning {
            line: warning.line,
            offset: warning.column,
            message: warning.message.clone(),
            count: warning.count,
        };
        let call_gaps = CallGapCache::new(contents.segments.len());
        let names = contents
            .register_names
            .iter()
            .zip(0..)
            .map(|(name, number)| (name.clone(), number));
        // Of several with one name the first counts.
        let thread_numbers = (0..=u16::MAX).zip(&contents.threads).rev();
        let thread_numbers = thread_numbers
            .map(|(number, thread)| (thread.name.clone(), ThreadId(number)))
            .collect();
        let mut instruction_sets: Vec<InstructionSet> = Vec::new();
        for thread in &contents.threads {
            if !instruction_sets.contains(&thread.instruction_set) {
                instruction_sets.push(thread.instruction_set);
            }
        }
        Ok(Self {
            thread_numbers,
            instruction_sets,
            threads: contents.threads.iter().map(thread).collect(),
            warnings: contents.warnings.iter().map(warning).collect(),
            name_numbers: names.collect(),
            banks: NamedBank::among(&contents.register_names),
            stack_choices: stack_choices(&contents.register_names),
            checked: contents.segments.iter().map(|_| AtomicU8::new(0)).collect(),
            maps_checked: contents.key_maps.iter().map(|_| AtomicU8::new(0)).collect(),
            source,
            path,
            data,
            contents,
            plain_calls,
            tail_calls: None,
            program: Program::default(),
            codes,
            host_regions,
            open_calls,
            operands: OnceLock::new(),
            known_homes: HomeCaches::default(),
            unshown_stores: OnceLock::new(),
            memories: OnceLock::new(),
            untraced: UntracedCache::default(),
            shared: Mutex::default(),
            told_pages: OnceLock::new(),
            marker_segments: OnceLock::new(),
            call_gaps,
        })
    }

    /// The same index, which knows besides what the program images tell, but for what the host wrote.
    #[must_use]
    pub(crate) fn with_program(self, program: Program) -> Self {
        Self { program, ..self }
    }

    /// What the program images tell.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The distinct instructions whose bytes the trace records, by ascending address.
    /// Those of one address are in the order of their first steps.
    pub fn executed_codes(&self) -> &[ExecutedCode] {
        self.codes.all()
    }

    /// False when the trace may have executed more instructions than [`Self::executed_codes`] lists.
    pub fn are_codes_complete(&self) -> bool {
        self.codes.is_complete()
    }

    /// The trace.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// The file that is mapped; none when the index lives in memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What the trace is, in numbers.
    pub fn info(&self) -> IndexInfo {
        let contents = &self.contents;
        IndexInfo {
            format: contents.traits.format.clone(),
            steps: contents.steps,
            lines: contents.lines,
            time_unit: contents.traits.time_unit.clone(),
            time_range: contents.time_range,
            is_big_endian: contents.traits.endian == Endian::Big,
            warning_count: contents.warning_count,
            external_changes: contents.externals,
            trace_bytes: contents.text_end,
            index_bytes: self.data.len() as u64,
        }
    }

    /// Steps in all; also the last position.
    pub fn step_count(&self) -> u64 {
        self.contents.steps
    }

    /// The end of the trace.
    pub fn end(&self) -> Position {
        Position(self.step_count())
    }

    /// What the trace looked like when it was indexed.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.contents.fingerprint
    }

    /// False when this is the index of a part of the trace, which answers as if the trace ended there.
    pub fn is_whole(&self) -> bool {
        self.contents.is_whole
    }

    /// False in a trace of several programs, which have memories of their own.
    pub(crate) fn has_one_memory(&self) -> bool {
        !self.memories().are_several()
    }

    /// How many bytes of the trace's text are indexed.
    pub fn text_end(&self) -> u64 {
        self.contents.text_end
    }

    /// The threads, in order of appearance; never empty.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// A thread by its name; of several the first. O(1): the text of a step names its thread each time that it is read.
    pub fn thread_by_name(&self, name: &str) -> Option<ThreadId> {
        self.thread_numbers.get(name).copied()
    }

    /// The instruction set of a thread's first step.
    pub fn instruction_set(&self, thread: ThreadId) -> InstructionSet {
        self.threads
            .get(usize::from(thread.0))
            .map_or_else(InstructionSet::default, |thread| thread.instruction_set)
    }

    /// The register that a bank has its plain name from; the register itself for others.
    pub(crate) fn plain_register(&self, register: RegisterId) -> RegisterId {
        if register <= RegisterId::LR {
            return register;
        }
        let named = self
            .banks
            .iter()
            .find(|known| known.register == register)
            .map(|known| known.plain);
        let is_bank = |plain: &RegisterId| {
            self.instruction_sets
                .iter()
                .any(|set| set.banks(*plain).any(|bank| bank == register))
        };
        named
            .or_else(|| [RegisterId::SP, RegisterId::LR].into_iter().find(is_bank))
            .unwrap_or(register)
    }

    /// The instruction sets of the threads' first steps, each once: threads may be thousands.
    pub fn instruction_sets(&self) -> &[InstructionSet] {
        &self.instruction_sets
    }

    /// The set of a thread's first step wherever its names of registers hold, else the one that stands for the other state.
    pub(crate) fn set_of_names(&self, thread: ThreadId, set: InstructionSet) -> InstructionSet {
        let first = self.instruction_set(thread);
        let is_alike = |other: &&InstructionSet| other.word_bytes() == set.word_bytes();
        if is_alike(&&first) {
            first
        } else {
            first.states().iter().find(is_alike).copied().unwrap_or(set)
        }
    }

    /// The number of a register outside the architecture's table.
    pub(crate) fn named_register(&self, lower_name: &str) -> Option<RegisterId> {
        let number = self.name_numbers.get(lower_name)?;
        Some(RegisterId(
            RegisterId::FIRST_NAMED.0.saturating_add(*number),
        ))
    }

    /// The first problems of the trace.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// All calls that were found, with tail calls among them where those are looked for:
    /// at the first call of this, unless they [are known](Self::find_tail_calls).
    pub fn calls(&self) -> &CallTable {
        let Some(tail_calls) = &self.tail_calls else {
            return &self.plain_calls;
        };
        let found = tail_calls
            .found
            .get_or_init(|| (tail_calls.find)(self, &Cancel::default()));
        found
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .unwrap_or(&self.plain_calls)
    }

    /// How many calls there are in [`Self::calls`], roots not counted.
    pub fn call_count(&self) -> u64 {
        self.calls()
            .len()
            .saturating_sub(self.calls().roots().count() as u64)
    }

    /// The calls as the trace alone shows them: a frame that was left by a tail call goes on in it.
    /// Their ids are not those of [`Self::calls`].
    pub fn plain_calls(&self) -> &CallTable {
        &self.plain_calls
    }

    /// The same index, which looks for tail calls at the first question for the calls.
    /// The program must say where functions begin. Cost: that of [`crate::tail_calls`], once.
    #[must_use]
    pub fn with_tail_calls(self, find: FindCalls) -> Self {
        Self {
            tail_calls: Some(TailCalls {
                find,
                found: OnceLock::new(),
            }),
            ..self
        }
    }

    /// Finds the tail calls at once, so that no question waits for them later.
    ///
    /// # Errors
    /// See [`QueryError`]. The index then has the calls as the trace alone shows them.
    pub fn find_tail_calls(&mut self, find: FindCalls, cancel: &Cancel) -> Result<(), QueryError> {
        self.tail_calls = None;
        let found = find(self, cancel)?;
        self.tail_calls = Some(TailCalls {
            find,
            found: OnceLock::from(Ok(found)),
        });
        Ok(())
    }

    /// Why tail calls could not be found at the first question for the calls.
    pub fn tail_call_error(&self) -> Option<&QueryError> {
        self.tail_calls.as_ref()?.found.get()?.as_ref().err()
    }

    /// A thread of each process; none where all threads see the same memory.
    pub fn process_threads(&self) -> Vec<ThreadId> {
        let mut known = Vec::new();
        let threads = (0..).map(ThreadId).take(self.threads().len());
        let found = threads.filter(|thread| {
            let memory = self.memories().of(*thread);
            let is_new = memory.is_some() && !known.contains(&memory);
            known.extend(Some(memory).filter(|_| is_new));
            is_new
        });
        found.collect()
    }

    /// The memories that threads see.
    pub(crate) fn memories(&self) -> &Memories {
        let names = || {
            self.threads()
                .iter()
                .map(|thread| self.source().memory_of(&thread.name))
        };
        self.memories.get_or_init(|| Memories::new(names()))
    }

    /// Steps before a segment.
    pub(crate) fn step_base(&self, segment: usize) -> u64 {
        self.contents
            .segments
            .get(segment)
            .map_or(0, |segment| segment.step_base)
    }

    /// A segment by its number.
    pub(crate) fn segment(&self, number: usize) -> Option<SegmentReader<'_>> {
        let (meta, checked) = (
            self.contents.segments.get(number)?,
            self.checked.get(number)?,
        );
        Some(SegmentReader {
            meta,
            bytes: &self.data,
            checked,
        })
    }

    /// Whether what is known of registers is what the operands of instructions say.
    pub(crate) fn has_operands_alone(&self) -> bool {
        self.contents.traits.registers == RegisterSource::Operands
    }

    /// Whether what the steps force is filled in where the trace tells no value.
    pub(crate) fn is_inferred(&self) -> bool {
        self.has_operands_alone() || self.source.leaves_values_out()
    }

    /// The map of 64 segments for keys of this kind.
    pub(crate) fn key_map(
        &self,
        number: usize,
        kind: SegmentKey,
    ) -> Result<Directory<'_>, QueryError> {
        let (maps, checked) = self
            .contents
            .key_maps
            .get(number)
            .zip(self.maps_checked.get(number))
            .ok_or_else(bad_key_map)?;
        let (extent, bit) = match kind {
            SegmentKey::Granule(_) => (maps.granules, 1),
            SegmentKey::Pc(_) => (maps.pcs, 2),
        };
        let bytes = if checked.load(Ordering::Relaxed) & bit == 0 {
            let bytes = extent.checked(&self.data).ok_or_else(bad_key_map)?;
            checked.fetch_or(bit, Ordering::Relaxed);
            bytes
        } else {
            extent.of(&self.data).ok_or_else(bad_key_map)?
        };
        Directory::new(bytes).map_err(|_| bad_key_map())
    }
}

/// What is wrong when a map of segments cannot be read.
pub(crate) fn bad_key_map() -> QueryError {
    QueryError::Damaged {
        part: "key map".to_owned(),
    }
}
