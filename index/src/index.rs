//! An open index: the trace and the contents of the index file.

pub(crate) mod caches;
pub(crate) mod homes;
pub(crate) mod memories;
pub(crate) mod operand_table;
pub(crate) mod page_mappings;
pub(crate) mod section_sizes;
pub(crate) mod shared_memory;
pub(crate) mod system_call_gaps;

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use stepback_machine::banks::StackChoice;
use stepback_machine::{Endian, InstructionSet, RegisterId};
use stepback_parsers::{Position, RegisterSource, Source};

use crate::answers::cell::{ThreadId, ThreadInfo};
use crate::answers::error::{Cancel, OpenError, QueryError};
use crate::answers::index_info::{IndexInfo, Warning};
use crate::answers::program::Program;
use crate::index::caches::Caches;
use crate::index::memories::Memories;
use crate::store::calls::table::{Arrival, CallTable};
use crate::store::codes::{CodeTable, ExecutedCode};
use crate::store::contents::{Contents, NamedBank, stack_choices};
use crate::store::data::IndexData;
use crate::store::directory::Directory;
use crate::store::fingerprint::Fingerprint;
use crate::store::key_map::SegmentKey;
use crate::store::layout;
use crate::store::regions::host_regions::HostRegions;
use crate::store::regions::open_calls::UnresolvedCalls;
use crate::store::segment::reader::SegmentReader;

/// Finds the calls including tail calls; `None` if there are no tail calls.
pub type FindCalls = fn(&Index, &Cancel) -> Result<Option<CallTable>, QueryError>;

/// An open index, with the trace that it was made from. Immutable: share it between threads through
/// an `Arc`.
#[derive(Debug)]
pub struct Index {
    source: Arc<dyn Source>,
    path: Option<PathBuf>,
    data: Arc<IndexData>,
    pub(crate) contents: Contents,
    /// Calls as the trace shows them, without tail calls.
    plain_calls: CallTable,
    /// `None` if tail calls are not searched for.
    find_tail_calls: Option<FindCalls>,
    warnings: Vec<Warning>,
    name_numbers: HashMap<String, u16>,
    thread_numbers: HashMap<String, ThreadId>,
    instruction_sets: Vec<InstructionSet>,
    pub(crate) banks: Vec<NamedBank>,
    /// Registers that select between two stack pointers.
    pub(crate) stack_choices: Vec<StackChoice>,
    program: Program,
    /// Distinct executed instructions.
    pub(crate) codes: CodeTable,
    pub(crate) host_regions: HostRegions,
    /// Semihosting calls that may have let the host write anywhere.
    pub(crate) open_calls: UnresolvedCalls,
    pub(crate) caches: Caches,
}

impl Index {
    /// Opens the index file of a trace, if the file belongs to it. The cost does not depend on the
    /// length of the trace.
    ///
    /// # Errors
    /// Returns the reason why the file cannot be used; the caller then builds a new one.
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

    /// Opens any complete index file, even one of an older state of the trace.
    ///
    /// # Errors
    /// As for [`Self::open`], except [`OpenError::Stale`].
    pub fn open_stale(source: Arc<dyn Source>, path: &Path) -> Result<Self, OpenError> {
        let refused = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => OpenError::Missing,
            _ => OpenError::Read(error),
        };
        // Checked before opening: opening a pipe would wait for its writer.
        if !std::fs::metadata(path).map_err(refused)?.is_file() {
            return Err(OpenError::Foreign);
        }
        let file = File::open(path).map_err(refused)?;
        if file.metadata().map_err(OpenError::Read)?.len() == 0 {
            // An empty file cannot be mapped; a full disk leaves one.
            return Err(OpenError::Incomplete);
        }
        let data = IndexData::map(&file).map_err(OpenError::Read)?;
        Self::load(source, data, Some(path.to_owned()))
    }

    /// Opens an index from memory instead of a file.
    ///
    /// # Errors
    /// As for [`Self::open_stale`].
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
        let names = contents
            .register_names
            .iter()
            .zip(0..)
            .map(|(name, number)| (name.clone(), number));
        // Among threads of one name the first counts.
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
            warnings: contents.kept_warnings().collect(),
            name_numbers: names.collect(),
            banks: NamedBank::among(&contents.register_names),
            stack_choices: stack_choices(&contents.register_names),
            caches: Caches::new(contents.segments.len(), contents.key_maps.len()),
            source,
            path,
            data,
            contents,
            plain_calls,
            find_tail_calls: None,
            program: Program::default(),
            codes,
            host_regions,
            open_calls,
        })
    }

    /// Returns the same index with the contents of the program images, except for host writes.
    #[must_use]
    pub(crate) fn with_program(self, program: Program) -> Self {
        Self { program, ..self }
    }

    /// Returns the contents of the program images.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the distinct instructions with recorded bytes, by ascending address, then by first
    /// step.
    pub fn executed_codes(&self) -> &[ExecutedCode] {
        self.codes.all()
    }

    /// Returns false if the trace may have executed more instructions than [`Self::executed_codes`]
    /// lists.
    pub fn are_codes_complete(&self) -> bool {
        self.codes.is_complete()
    }

    /// Returns the trace.
    pub fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    /// Returns the path of the mapped file; `None` if the index is in memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns statistics of the trace.
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

    /// Returns the number of steps, which is also the last position.
    pub fn step_count(&self) -> u64 {
        self.contents.steps
    }

    /// Returns the position at the end of the trace.
    pub fn end(&self) -> Position {
        Position(self.step_count())
    }

    /// Returns the identity of the trace when it was indexed.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.contents.fingerprint
    }

    /// Returns false if the index covers only a part of the trace and answers as if the trace ended
    /// there.
    pub fn is_whole(&self) -> bool {
        self.contents.is_whole
    }

    /// Returns false if the trace has several programs with separate memories.
    pub(crate) fn has_one_memory(&self) -> bool {
        !self.memories().are_several()
    }

    /// Returns the number of indexed bytes of the trace.
    pub fn text_end(&self) -> u64 {
        self.contents.text_end
    }

    /// Returns the threads, in order of appearance; never empty.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.contents.threads
    }

    /// Returns the thread of a name, the first if several have it. O(1), because parsing the text
    /// of a step looks up its thread every time.
    pub fn thread_by_name(&self, name: &str) -> Option<ThreadId> {
        self.thread_numbers.get(name).copied()
    }

    /// Returns the name of a thread; empty if there is no such thread.
    pub fn thread_name(&self, thread: ThreadId) -> &str {
        let info = self.threads().get(usize::from(thread.0));
        info.map_or("", |thread| &thread.name)
    }

    /// Returns the instruction set of a thread's first step.
    pub fn instruction_set(&self, thread: ThreadId) -> InstructionSet {
        self.threads()
            .get(usize::from(thread.0))
            .map_or_else(InstructionSet::default, |thread| thread.instruction_set)
    }

    /// Returns the register whose plain name a bank shares; other registers are returned unchanged.
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

    /// Returns the instruction sets of the threads' first steps, without duplicates: there may be
    /// thousands of threads.
    pub fn instruction_sets(&self) -> &[InstructionSet] {
        &self.instruction_sets
    }

    /// Returns the instruction set of a thread's first step if its register names apply to `set`,
    /// otherwise the one that represents the other state.
    pub(crate) fn set_of_names(&self, thread: ThreadId, set: InstructionSet) -> InstructionSet {
        let first = self.instruction_set(thread);
        let is_alike = |other: &&InstructionSet| other.word_bytes() == set.word_bytes();
        if is_alike(&&first) {
            first
        } else {
            first.states().iter().find(is_alike).copied().unwrap_or(set)
        }
    }

    /// Returns the number of a register outside the architecture's table.
    pub(crate) fn named_register(&self, lower_name: &str) -> Option<RegisterId> {
        let number = self.name_numbers.get(lower_name)?;
        Some(RegisterId(
            RegisterId::FIRST_NAMED.0.saturating_add(*number),
        ))
    }

    /// Returns the first warnings of the trace.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Returns all calls, including tail calls if those are enabled. The first call of this
    /// function finds them, unless they [are known](Self::find_tail_calls).
    pub fn calls(&self) -> &CallTable {
        let Some(find) = self.find_tail_calls else {
            return &self.plain_calls;
        };
        let found = self
            .caches
            .tail_calls
            .get_or_init(|| find(self, &Cancel::default()));
        found
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .unwrap_or(&self.plain_calls)
    }

    /// Returns the number of calls in [`Self::calls`], without roots.
    pub fn call_count(&self) -> u64 {
        self.calls()
            .len()
            .saturating_sub(self.calls().roots().count() as u64)
    }

    /// Returns the calls as the trace shows them: a frame that was left by a tail call continues in
    /// the called function. Their ids differ from those of [`Self::calls`].
    pub fn plain_calls(&self) -> &CallTable {
        &self.plain_calls
    }

    /// Returns the same index with tail calls enabled; the first query for calls finds them. The
    /// program must contain the starts of functions. Costs [`crate::query::tail_calls`] once.
    #[must_use]
    pub fn with_tail_calls(mut self, find: FindCalls) -> Self {
        self.find_tail_calls = Some(find);
        self.caches.tail_calls = OnceLock::new();
        self
    }

    /// Finds the tail calls now, so that no later query waits for them.
    ///
    /// # Errors
    /// See [`QueryError`]. On an error the index has the calls without tail calls.
    pub fn find_tail_calls(&mut self, find: FindCalls, cancel: &Cancel) -> Result<(), QueryError> {
        self.find_tail_calls = None;
        let found = find(self, cancel)?;
        self.find_tail_calls = Some(find);
        self.caches.tail_calls = OnceLock::from(Ok(found));
        Ok(())
    }

    /// Returns the error of the first query for calls, if tail calls could not be found.
    pub fn tail_call_error(&self) -> Option<&QueryError> {
        self.find_tail_calls?;
        self.caches.tail_calls.get()?.as_ref().err()
    }

    /// Compares all checksums that queries compare when they first use a part. Cost: reads the
    /// whole index.
    ///
    /// # Errors
    /// [`QueryError::Damaged`] if one does not match.
    pub fn check_all_parts(&self) -> Result<(), QueryError> {
        for number in 0..self.contents.segments.len() {
            let segment = self.segment(number);
            segment.map_or(Ok(()), |segment| segment.check_all())?;
        }
        for number in 0..self.contents.key_maps.len() {
            self.key_map(number, SegmentKey::Granule(0))?;
            self.key_map(number, SegmentKey::Pc(0))?;
        }
        Ok(())
    }

    /// Returns one thread of each process; empty if all threads share one memory.
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

    /// Returns the memories of the threads.
    pub(crate) fn memories(&self) -> &Memories {
        let names = || {
            self.threads()
                .iter()
                .map(|thread| self.source().memory_of(&thread.name))
        };
        self.caches.memories.get_or_init(|| Memories::new(names()))
    }

    /// Returns the number of steps before a segment.
    pub(crate) fn step_base(&self, segment: usize) -> u64 {
        self.contents
            .segments
            .get(segment)
            .map_or(0, |segment| segment.step_base)
    }

    /// Returns the numbers of the segments that may have some slots. Cost: two binary searches.
    pub(crate) fn segments_with(&self, slots: Range<u64>) -> Range<usize> {
        let before = |slot: u64| {
            let segments = &self.contents.segments;
            segments.partition_point(|segment| segment.step_base < slot)
        };
        let first = before(slots.start).saturating_sub(1);
        first..before(slots.end).max(first)
    }

    /// Returns a segment by number.
    pub(crate) fn segment(&self, number: usize) -> Option<SegmentReader<'_>> {
        let (meta, checked) = (
            self.contents.segments.get(number)?,
            self.caches.sections.get(number)?,
        );
        Some(SegmentReader {
            meta,
            bytes: &self.data,
            checked,
        })
    }

    /// Returns true if register uses are known only from the operands of instructions.
    pub(crate) fn has_operands_alone(&self) -> bool {
        self.contents.traits.registers == RegisterSource::Operands
    }

    /// Returns true if inferred values fill in for values that the trace does not record.
    pub(crate) fn is_inferred(&self) -> bool {
        self.has_operands_alone() || self.source.leaves_values_out()
    }

    /// Returns the key map of 64 segments for this kind of key.
    pub(crate) fn key_map(
        &self,
        number: usize,
        kind: SegmentKey,
    ) -> Result<Directory<'_>, QueryError> {
        let (maps, checked) = self
            .contents
            .key_maps
            .get(number)
            .zip(self.caches.key_maps.get(number))
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

/// Returns the error for an unreadable key map.
pub(crate) fn bad_key_map() -> QueryError {
    QueryError::Damaged {
        part: "key map".to_owned(),
    }
}
