//! An index that is open, and what a question is.

use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};

use stepback_machine::{Endian, InstructionSet, RegisterId, RegisterView, Registers};
use stepback_parsers::{Position, Source, Step};

use crate::answers::cancel::Cancel;
use crate::answers::error::{OpenError, QueryError};
use crate::answers::index_info::{IndexInfo, Warning};
use crate::answers::thread::{ThreadId, ThreadInfo};
use crate::read::banks::NamedBank;
use crate::read::functions::Functions;
use crate::read::operands::OperandTable;
use crate::read::program::Program;
use crate::store::calls::table::CallTable;
use crate::store::contents::{Contents, KeyMaps, ThreadContents, WarningContents, mapped};
use crate::store::data::Data;
use crate::store::directory::Directory;
use crate::store::fingerprint::Fingerprint;
use crate::store::granules::{Granule, Reach};
use crate::store::key_map::{SEGMENTS, SegmentSet};
use crate::store::layout;
use crate::store::pcs::Visits;
use crate::store::regions::regions::HostRegions;
use crate::store::segment::meta::Section;
use crate::store::segment::reader::{SegmentReader, damaged};

/// A question: a pure function of an index and its own fields.
pub trait Query {
    /// What it answers with.
    type Answer;

    /// Finds the answer.
    ///
    /// # Errors
    /// See [`QueryError`]; "nothing found" and "unknown" are answers.
    fn run<S: Source>(&self, index: &Index<S>, cancel: &Cancel) -> Result<Self::Answer, QueryError>;
}

/// An open index beside the trace that it was made from. Immutable: clones of an `Arc` of it go to any thread.
#[derive(Debug)]
pub struct Index<S> {
    source: Arc<S>,
    path: Option<PathBuf>,
    data: Arc<Data>,
    pub(crate) contents: Contents,
    /// For each segment, a bit for each section whose checksum was looked at.
    checked: Vec<AtomicU8>,
    /// The same for the key maps.
    maps_checked: Vec<AtomicU8>,
    /// As the trace shows them.
    plain_calls: CallTable,
    /// With tail calls, where the program has some; none when they are not looked for.
    tail_calls: Option<OnceLock<Result<Option<CallTable>, QueryError>>>,
    threads: Vec<ThreadInfo>,
    warnings: Vec<Warning>,
    name_numbers: HashMap<String, u16>,
    pub(crate) banks: Vec<NamedBank>,
    program: Program,
    pub(crate) host_regions: HostRegions,
    /// Which registers the instructions at each address use, as soon as somebody asked.
    pub(crate) operands: OnceLock<OperandTable>,
}

impl<S: Source> Index<S> {
    /// Opens the index file of a trace, if it belongs to it. Cost: independent of the trace's length.
    ///
    /// # Errors
    /// Says why the file cannot be used; the caller then builds a new one.
    pub fn open(source: Arc<S>, path: &Path, fingerprint: &Fingerprint) -> Result<Self, OpenError> {
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
    pub fn open_stale(source: Arc<S>, path: &Path) -> Result<Self, OpenError> {
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
        let data = Data::map(&file).map_err(OpenError::Read)?;
        Self::load(source, data, Some(path.to_owned()))
    }

    /// Opens an index that was kept somewhere else than in a file of its own.
    ///
    /// # Errors
    /// As [`Self::open_stale`].
    pub fn from_bytes(source: Arc<S>, bytes: Vec<u8>) -> Result<Self, OpenError> {
        Self::load(source, Data::Memory(bytes), None)
    }

    pub(crate) fn load(source: Arc<S>, data: impl Into<Arc<Data>>, path: Option<PathBuf>) -> Result<Self, OpenError> {
        let data = data.into();
        let contents = layout::decode(&data)?;
        let plain_calls = CallTable::open(&data, contents.calls, contents.call_layout.clone(), contents.steps)?;
        let host_regions = contents.host_regions.checked(&data).and_then(HostRegions::decode);
        let host_regions =
            host_regions.ok_or(OpenError::Damaged("what it says of semihosting calls cannot be read"))?;
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
        };
        let names = contents.register_names.iter().zip(0..).map(|(name, number)| (name.clone(), number));
        Ok(Self {
            threads: contents.threads.iter().map(thread).collect(),
            warnings: contents.warnings.iter().map(warning).collect(),
            name_numbers: names.collect(),
            banks: NamedBank::among(&contents.register_names),
            checked: contents.segments.iter().map(|_| AtomicU8::new(0)).collect(),
            maps_checked: contents.key_maps.iter().map(|_| AtomicU8::new(0)).collect(),
            source,
            path,
            data,
            contents,
            plain_calls,
            tail_calls: None,
            program: Program::default(),
            host_regions,
            operands: OnceLock::new(),
        })
    }

    /// The same index, which knows besides what the program images tell.
    #[must_use]
    pub fn with_program(self, program: Program) -> Self {
        Self { program, ..self }
    }

    /// What the program images tell.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The trace.
    pub fn source(&self) -> &Arc<S> {
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

    /// How many bytes of the trace's text are indexed.
    pub fn text_end(&self) -> u64 {
        self.contents.text_end
    }

    /// The threads, in order of appearance; never empty.
    pub fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// A thread by its name.
    pub fn thread_by_name(&self, name: &str) -> Option<ThreadId> {
        let place = self.threads.iter().position(|thread| thread.name == name)?;
        u16::try_from(place).ok().map(ThreadId)
    }

    /// The instruction set of a thread's first step.
    pub fn instruction_set(&self, thread: ThreadId) -> InstructionSet {
        self.threads.get(usize::from(thread.0)).map_or_else(InstructionSet::default, |thread| thread.instruction_set)
    }

    /// A register by any of its names, in any case: the architecture's, a bank's, a system register that the trace wrote.
    pub fn register_view(&self, name: &str, thread: ThreadId) -> Option<RegisterView> {
        let named = || {
            let register = self.named_register(&name.to_ascii_lowercase())?;
            let written = self.contents.views.iter().filter(|view| view.view.register == register);
            let size_bytes = written.map(|view| view.view.offset + view.view.size_bytes).max()?;
            Some(RegisterView::new(register, 0, size_bytes))
        };
        Registers::view(name, self.instruction_set(thread)).or_else(named)
    }

    /// The number of a register outside the architecture's table.
    pub(crate) fn named_register(&self, lower_name: &str) -> Option<RegisterId> {
        let number = self.name_numbers.get(lower_name)?;
        Some(RegisterId(RegisterId::FIRST_NAMED.0.saturating_add(*number)))
    }

    /// The name under which a view is shown: `x3`, `w3`, `r13_svc`, or `x3<63:32>` for a part without a name.
    pub fn register_name(&self, view: RegisterView, thread: ThreadId) -> String {
        let set = self.instruction_set(thread);
        if let Some(name) = Registers::name(view, set) {
            return name.to_owned();
        }
        let place = view.register.0.checked_sub(RegisterId::FIRST_NAMED.0);
        let outside = place.and_then(|place| self.contents.register_names.get(usize::from(place)).cloned());
        let is_whole = view.offset == 0 && self.widest(view.register) == Some(view.size_bytes);
        let whole = outside.clone().or_else(|| {
            // What reaches beyond a register of NEON is a part of one of SVE.
            let vector = if view.offset.saturating_add(view.size_bytes) > 16 { 256 } else { 16 };
            let sizes = [vector, set.word_bytes(), 4, 32, 2];
            sizes
                .into_iter()
                .find_map(|size| Registers::name(RegisterView::new(view.register, 0, size), set).map(str::to_owned))
        });
        let whole = whole.unwrap_or_else(|| format!("register {}", view.register.0));
        if outside.is_some() && is_whole {
            return whole;
        }
        let low = 8 * u32::from(view.offset);
        format!("{whole}<{}:{low}>", low + 8 * u32::from(view.size_bytes) - 1)
    }

    fn widest(&self, register: RegisterId) -> Option<u16> {
        let written = self.contents.views.iter().filter(|view| view.view.register == register);
        written.map(|view| view.view.offset + view.view.size_bytes).max()
    }

    /// The first problems of the trace.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// All calls that were found, with tail calls among them where those are looked for:
    /// at the first call of this, unless they [are known](Self::find_tail_calls).
    pub fn calls(&self) -> &CallTable {
        let Some(tail_calls) = &self.tail_calls else { return &self.plain_calls };
        let found = tail_calls.get_or_init(|| self.find_tails(&Cancel::default()));
        found.as_ref().ok().and_then(Option::as_ref).unwrap_or(&self.plain_calls)
    }

    fn find_tails(&self, cancel: &Cancel) -> Result<Option<CallTable>, QueryError> {
        self.calls_with_tails(&Functions::new(self.program.functions()), cancel)
    }

    /// How many calls there are in [`Self::calls`], roots not counted.
    pub fn call_count(&self) -> u64 {
        self.calls().len().saturating_sub(self.calls().roots().count() as u64)
    }

    /// The calls as the trace alone shows them: a frame that was left by a tail call goes on in it.
    /// Their ids are not those of [`Self::calls`].
    pub fn plain_calls(&self) -> &CallTable {
        &self.plain_calls
    }

    /// The same index, which looks for tail calls when somebody asks for the calls.
    /// The program must say where functions begin.
    /// Cost: the lists of the visits of each function's start; where there are tail calls, 56 bytes of memory a frame.
    #[must_use]
    pub fn with_tail_calls(self) -> Self {
        Self { tail_calls: Some(OnceLock::new()), ..self }
    }

    /// Finds the tail calls now, so that nobody waits for them later.
    ///
    /// # Errors
    /// See [`QueryError`]. The index then has the calls as the trace alone shows them.
    pub fn find_tail_calls(&mut self, cancel: &Cancel) -> Result<(), QueryError> {
        self.tail_calls = None;
        self.tail_calls = Some(self.find_tails(cancel).map(|found| OnceLock::from(Ok(found)))?);
        Ok(())
    }

    /// Why tail calls could not be found when somebody asked for the calls.
    pub fn tail_call_error(&self) -> Option<&QueryError> {
        self.tail_calls.as_ref()?.get()?.as_ref().err()
    }

    /// Steps before a segment.
    pub(crate) fn step_base(&self, segment: usize) -> u64 {
        self.contents.segments.get(segment).map_or(0, |segment| segment.step_base)
    }

    /// A segment by its number.
    pub(crate) fn segment(&self, number: usize) -> Option<SegmentReader<'_>> {
        let (meta, checked) = (self.contents.segments.get(number)?, self.checked.get(number)?);
        Some(SegmentReader { meta, bytes: &self.data, checked })
    }

    /// The numbers of the segments in `range` that touch a memory block (or visit an address), ascending.
    /// Cost: one lookup for each 64 segments, whatever the answer, and for each of the last ones that have no map.
    pub(crate) fn segments_with(&self, key: Key, range: Range<usize>) -> Result<Vec<usize>, QueryError> {
        let mut found = Vec::new();
        for number in 0..self.contents.key_maps.len() {
            let Some(KeyMaps { first, end, .. }) = self.contents.key_maps.get(number).copied() else { continue };
            let (first, end) = (first as usize, end as usize);
            if first >= range.end || end <= range.start {
                continue;
            }
            let map = self.key_map(number, key)?;
            let set = match key {
                Key::Granule(granule) => map.find::<SegmentSet<Reach>>(granule).map(|set| set.map(|set| set.segments)),
                Key::Pc(pc) => map.find::<SegmentSet<()>>(pc).map(|set| set.map(|set| set.segments)),
            };
            let set = set.map_err(|_| bad_key_map())?.unwrap_or_default();
            found.extend((0..SEGMENTS).filter(|place| set >> place & 1 != 0).map(|place| first + place));
        }
        found.retain(|number| range.contains(number));
        let unmapped = self.unmapped();
        for number in unmapped.start.max(range.start)..unmapped.end.min(range.end) {
            let Some(segment) = self.segment(number) else { continue };
            let has_it = match key {
                Key::Granule(granule) => segment.granule(granule)?.is_some(),
                Key::Pc(pc) => segment.visits(pc)?.is_some(),
            };
            found.extend(has_it.then_some(number));
        }
        Ok(found)
    }

    /// How many groups of segments there are: those under each key map, and last those that have none.
    pub(crate) fn group_count(&self) -> usize {
        self.contents.key_maps.len() + 1
    }

    /// The segments in `range` of a group that may touch a block, ascending;
    /// none when `wants` refuses what all of the group together touch of it. Cost: one lookup.
    pub(crate) fn group_segments(
        &self,
        group: usize,
        granule: u64,
        range: &Range<usize>,
        wants: &dyn Fn(Reach) -> bool,
    ) -> Result<impl DoubleEndedIterator<Item = usize> + use<S>, QueryError> {
        let maps = self.contents.key_maps.get(group);
        let Range { start, end } = maps.map_or(self.unmapped(), |maps| maps.first as usize..maps.end as usize);
        let within = start.max(range.start)..end.min(range.end);
        let set = match maps.filter(|_| !within.is_empty()) {
            Some(_) => {
                let found = self.key_map(group, Key::Granule(granule))?.find::<SegmentSet<Reach>>(granule);
                let set = found.map_err(|_| bad_key_map())?.unwrap_or_default();
                Some(if set.gist.is_none_or(wants) { set.segments } else { 0 })
            }
            None => None,
        };
        let has_it = move |number: &usize| set.is_none_or(|set| set >> (number - start).min(63) & 1 != 0);
        Ok(within.filter(has_it))
    }

    /// The segments that no key map covers.
    fn unmapped(&self) -> Range<usize> {
        let count = self.contents.segments.len();
        mapped(&self.contents.key_maps).min(count)..count
    }

    /// The first memory block from one on that any segment touches. Cost: as [`Self::segments_with`].
    pub(crate) fn next_granule(&self, from: u64) -> Result<Option<u64>, QueryError> {
        let mut next: Option<u64> = None;
        let mut note = |granule: u64| {
            next = Some(next.map_or(granule, |next| next.min(granule)));
            false
        };
        for number in 0..self.contents.key_maps.len() {
            let map = self.key_map(number, Key::Granule(from))?;
            map.for_each_from(from, |granule, _: SegmentSet<Reach>| note(granule)).map_err(|_| bad_key_map())?;
        }
        for segment in self.unmapped().filter_map(|number| self.segment(number)) {
            let walked = segment.granules()?.for_each_from(from, |granule, _: Granule<'_>| note(granule));
            walked.map_err(|_| damaged(Section::Granules))?;
        }
        Ok(next)
    }

    /// Tells all addresses of steps, in any order, some of them several times.
    pub(crate) fn for_each_pc(&self, mut tell: impl FnMut(u64)) -> Result<(), QueryError> {
        for number in 0..self.contents.key_maps.len() {
            let map = self.key_map(number, Key::Pc(0))?;
            let told = map.for_each_from(0, |pc, _: SegmentSet<()>| {
                tell(pc);
                true
            });
            told.map_err(|_| bad_key_map())?;
        }
        for segment in self.unmapped().filter_map(|number| self.segment(number)) {
            let told = segment.pcs()?.for_each_from(0, |pc, _: Visits<'_>| {
                tell(pc);
                true
            });
            told.map_err(|_| damaged(Section::Pcs))?;
        }
        Ok(())
    }

    /// The map of 64 segments for keys of this kind.
    fn key_map(&self, number: usize, kind: Key) -> Result<Directory<'_>, QueryError> {
        let (maps, checked) =
            self.contents.key_maps.get(number).zip(self.maps_checked.get(number)).ok_or_else(bad_key_map)?;
        let (extent, bit) = match kind {
            Key::Granule(_) => (maps.granules, 1),
            Key::Pc(_) => (maps.pcs, 2),
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

fn bad_key_map() -> QueryError {
    QueryError::Damaged { part: "key map".to_owned() }
}

/// What [`Index::segments_with`] looks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Key {
    /// A block of memory: address / 64.
    Granule(u64),
    /// An address of an instruction.
    Pc(u64),
}
