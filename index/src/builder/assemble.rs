//! The pass in order: fills in what a segment alone cannot know, and writes it.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use stepback_machine::{RegisterId, RegisterView};
use stepback_parsers::{RegisterSource, Source, SourceTraits};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::answers::error::PassError;
use crate::answers::host_operation::HostOperation;
use crate::answers::index_info::WARNINGS_KEPT;
use crate::builder::calls::finder::CallFinder;
use crate::builder::calls::found::Found;
use crate::builder::carried::CarriedMemory;
use crate::builder::earlier::Earlier;
use crate::builder::resume::{Resume, Resumed};
use crate::builder::seams::Seams;
use crate::builder::segment::builder::SealedSegment;
use crate::builder::segment::markers::MarkersOfKind;
use crate::builder::segment::turns::TurnKind;
use crate::builder::semihosting::call::HostCall;
use crate::builder::semihosting::pass::HostWrites;
use crate::store::calls::encoder::TableEncoder;
use crate::store::contents::{
    Contents, KeyMaps, MarkerContents, ThreadContents, ViewContents, WarningContents, mapped,
};
use crate::store::data::{Data, HEADER_LEN};
use crate::store::encoded::encode_part;
use crate::store::extent::Extent;
use crate::store::fingerprint::Fingerprint;
use crate::store::granules::Reach;
use crate::store::key_map::{KeyMapWriter, SEGMENTS};
use crate::store::layout::header;
use crate::store::output::{Output, Rest};
use crate::store::segment::meta::SegmentMeta;

/// More threads, and more registers outside the architecture's table, are not told apart: their numbers have 16 bits.
const NUMBERS: usize = 1 << 15;
/// In place of the number of a register that is one too many.
const UNNUMBERED: u16 = u16::MAX;

/// More semihosting calls that write memory are not looked at, which bounds time and memory:
/// far more than the regions that are kept, for calls whose region the trace does not tell do not count among those.
const HOST_CALLS_LIMIT: usize = 1 << 22;
const HOST_CALLS_LEFT_OUT: &str =
    "more semihosting calls than are followed: what the host wrote into memory during the later ones is left out";

/// Small pieces are gathered until there are so many bytes.
const PIECES: usize = 64 << 10;

/// Key maps are closed when their keys take so much memory, to which those of a last segment may come.
/// Segments of a real trace have some thousand keys each, so its maps go over 64 segments.
const KEY_BYTES: usize = 12 << 20;

/// A task that was parsed.
#[derive(Debug, Default)]
pub struct Task {
    /// Its segments.
    pub segments: Vec<SealedSegment>,
    /// How many lines it has.
    pub lines: u64,
    /// Where its text ends; none when it has no text.
    pub end: Option<u64>,
    /// The trace ends with it, for now.
    pub is_last: bool,
}

/// How much of the trace an index covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All of it.
    Whole,
    /// What is done of it: the last segments have no key maps, for their group is not full.
    Part,
}

/// What becomes of a segment.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// What is known after it is carried on.
    Stays,
    /// It will come again, longer.
    ComesAgain,
}

/// Takes segments in the order of the trace.
#[derive(Debug)]
pub struct Assembler<O> {
    output: O,
    len: u64,
    contents: Contents,
    latest_time: Option<u64>,
    thread_numbers: HashMap<String, u16>,
    name_numbers: HashMap<String, u16>,
    view_numbers: HashMap<(u16, RegisterView), usize>,
    memory: CarriedMemory,
    calls: CallFinder,
    /// What was complained of and is not again.
    complaints: HashSet<String>,
    granule_keys: KeyMapWriter<Reach>,
    pc_keys: KeyMapWriter<()>,
    /// The slots of semihosting calls.
    host_calls: Vec<u64>,
    /// A place to go on from when the trace has grown, or the build was stopped.
    mark: Option<Box<Resume>>,
}

impl<O: Output> Assembler<O> {
    /// An index of nothing so far.
    pub fn new<S: Source>(source: &S, fingerprint: &Fingerprint, mut output: O) -> std::io::Result<Self> {
        output.append(&[0; HEADER_LEN])?;
        let contents = Contents {
            fingerprint: fingerprint.clone(),
            traits: source.traits().clone(),
            steps: 0,
            lines: 0,
            text_end: 0,
            is_whole: true,
            time_range: None,
            warning_count: 0,
            warnings: Vec::new(),
            externals: 0,
            threads: Vec::new(),
            register_names: Vec::new(),
            views: Vec::new(),
            markers: Vec::new(),
            segments: Vec::new(),
            key_maps: Vec::new(),
            calls: Extent::default(),
            host_regions: Extent { checksum: xxh3_64(&[]), ..Extent::default() },
            call_layout: Default::default(),
            resume: Extent { checksum: xxh3_64(&[]), ..Extent::default() },
        };
        Ok(Self {
            output,
            len: HEADER_LEN as u64,
            contents,
            latest_time: None,
            thread_numbers: HashMap::new(),
            name_numbers: HashMap::new(),
            view_numbers: HashMap::new(),
            memory: CarriedMemory::default(),
            calls: CallFinder::default(),
            complaints: HashSet::new(),
            granule_keys: KeyMapWriter::default(),
            pc_keys: KeyMapWriter::default(),
            host_calls: Vec::new(),
            mark: None,
        })
    }

    fn append(&mut self, bytes: &[u8]) -> std::io::Result<Extent> {
        let extent = Extent { offset: self.len, len: bytes.len() as u64, checksum: xxh3_64(bytes) };
        self.output.append(bytes)?;
        self.len += extent.len;
        Ok(extent)
    }

    /// Appends what comes piece by piece.
    fn append_all<const N: usize>(
        &mut self,
        pieces: impl Iterator<Item = std::io::Result<[u8; N]>>,
    ) -> std::io::Result<Extent> {
        let (offset, mut hash, mut buffer) = (self.len, Xxh3::new(), Vec::with_capacity(PIECES + N));
        let mut write = |buffer: &mut Vec<u8>| {
            hash.update(buffer);
            self.len += buffer.len() as u64;
            self.output.append(buffer)?;
            buffer.clear();
            Ok::<_, std::io::Error>(())
        };
        for piece in pieces {
            buffer.extend_from_slice(&piece?);
            if buffer.len() >= PIECES {
                write(&mut buffer)?;
            }
        }
        write(&mut buffer)?;
        Ok(Extent { offset, len: self.len - offset, checksum: hash.digest() })
    }

    /// What is too much to be kept in memory waits in a file without a name in this folder.
    pub fn use_folder(&mut self, folder: &Path) {
        self.calls.use_folder(folder);
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.contents.steps
    }

    /// An index that goes on where another one says. The file has its bytes up to there.
    pub fn resume(resumed: Resumed, fingerprint: &Fingerprint, traits: &SourceTraits, output: O) -> Self {
        let Resumed { resume, found, granule_keys, pc_keys, .. } = resumed;
        let Resume { contents, len, complaints, host_calls, finder, .. } = resume;
        let numbers = |names: &mut dyn Iterator<Item = &String>| names.cloned().zip(0..).collect();
        let views = contents.views.iter().enumerate();
        let ends = contents.time_range.map(|(_, last)| last);
        Self {
            output,
            len,
            latest_time: ends,
            thread_numbers: numbers(&mut contents.threads.iter().map(|thread| &thread.name)),
            name_numbers: numbers(&mut contents.register_names.iter()),
            view_numbers: views.map(|(number, view)| ((view.thread, view.view), number)).collect(),
            memory: CarriedMemory::default(),
            calls: CallFinder::resume(finder, found),
            complaints: complaints.into_iter().collect(),
            granule_keys,
            pc_keys,
            host_calls,
            mark: None,
            contents: Contents { fingerprint: fingerprint.clone(), traits: traits.clone(), ..contents },
        }
    }

    /// An index of the segments so far, of which all but these is written to `rest`.
    pub fn fork<R: Output>(&mut self, rest: R) -> std::io::Result<Assembler<Rest<R>>> {
        let len = usize::try_from(self.len).map_err(std::io::Error::other)?;
        Ok(Assembler {
            output: Rest::new(self.output.so_far()?, len, rest)?,
            len: self.len,
            contents: Contents { is_whole: false, ..self.contents.clone() },
            latest_time: self.latest_time,
            thread_numbers: self.thread_numbers.clone(),
            name_numbers: self.name_numbers.clone(),
            view_numbers: self.view_numbers.clone(),
            memory: CarriedMemory::default(),
            calls: self.calls.clone(),
            complaints: self.complaints.clone(),
            granule_keys: KeyMapWriter::default(),
            pc_keys: KeyMapWriter::default(),
            host_calls: self.host_calls.clone(),
            mark: self.mark.clone(),
        })
    }

    /// Notes that one may go on from here, unless a place before is noted already.
    pub fn mark(&mut self) {
        if self.mark.is_some() {
            return;
        }
        let mut complaints: Vec<_> = self.complaints.iter().cloned().collect();
        complaints.sort_unstable();
        let resume = Resume {
            contents: Contents { is_whole: true, ..self.contents.clone() },
            len: self.len,
            complaints,
            host_calls: self.host_calls.clone(),
            finder: self.calls.state(),
            later: Found::default(),
        };
        self.calls.mark();
        self.mark = Some(Box::new(resume));
    }

    /// What the trace is now.
    pub fn set_fingerprint(&mut self, fingerprint: Fingerprint) {
        self.contents.fingerprint = fingerprint;
    }

    /// Where the text of the tasks so far ends.
    pub fn text_end(&self) -> u64 {
        self.contents.text_end
    }

    /// Takes the next task.
    pub fn add_task<S: Source>(&mut self, source: &S, task: &mut Task) -> Result<(), PassError> {
        let line_base = self.contents.lines;
        for segment in task.segments.drain(..) {
            let mut taken = self.begin_segment(&segment, line_base);
            self.take_memory(source, &mut taken, &segment, Fate::Stays)?;
            self.end_segment(taken, segment, line_base)?;
            let key_bytes = self.granule_keys.len_bytes() + self.pc_keys.len_bytes();
            if self.unmapped() == SEGMENTS || key_bytes >= KEY_BYTES {
                self.push_key_maps()?;
            }
        }
        self.end_task(task);
        Ok(())
    }

    /// Takes, into an index of what another assembler has, a task that the other will take when it is longer.
    pub fn add_tail<S: Source, P: Output>(
        &mut self,
        source: &S,
        task: &mut Task,
        parent: &mut Assembler<P>,
    ) -> Result<(), PassError> {
        let line_base = self.contents.lines;
        for segment in task.segments.drain(..) {
            let mut taken = self.begin_segment(&segment, line_base);
            parent.take_memory(source, &mut taken, &segment, Fate::ComesAgain)?;
            self.end_segment(taken, segment, line_base)?;
        }
        self.end_task(task);
        Ok(())
    }

    fn end_task(&mut self, task: &Task) {
        self.contents.lines += task.lines;
        self.contents.text_end = task.end.unwrap_or(self.contents.text_end);
    }

    /// Fills in what a segment, of a task that begins after so many lines, cannot know.
    fn begin_segment(&mut self, segment: &SealedSegment, task_lines: u64) -> SegmentMeta {
        let number = self.contents.segments.len();
        let mut meta = segment.meta.clone();
        meta.line_base = task_lines + segment.line_in_task;
        (meta.step_base, meta.time_before) = (self.contents.steps, self.latest_time);
        if let Some((first, last)) = segment.time_range {
            self.latest_time = self.latest_time.max(Some(last));
            let range = self.contents.time_range.get_or_insert((first, last));
            range.1 = range.1.max(last);
        }
        self.take_threads(&mut meta, segment);
        self.take_views(&mut meta, segment, number as u32);
        self.take_markers(&meta, segment, number as u32);
        meta
    }

    fn end_segment(
        &mut self,
        mut meta: SegmentMeta,
        mut segment: SealedSegment,
        task_lines: u64,
    ) -> std::io::Result<()> {
        let threads: Vec<u16> = meta.threads.iter().map(|thread| thread.thread).collect();
        self.take_host_calls(&meta, &threads, &segment.host_calls);
        self.calls.follow(meta.step_base, &threads, &segment);
        self.take_problems(task_lines, &mut segment);
        self.contents.steps += u64::from(meta.steps);
        self.contents.externals += meta.externals;
        let place = self.unmapped() as u8;
        let granules = segment.granule_keys.iter().zip(&segment.reaches);
        self.granule_keys.add(place, granules.map(|(key, reach)| (*key, meta.with_seams(*key, *reach))));
        self.pc_keys.add(place, segment.pcs.iter().map(|key| (*key, ())));
        let Data::Memory(bytes) = &segment.bytes else { return Err(std::io::ErrorKind::InvalidInput.into()) };
        let base = self.append(bytes)?.offset;
        meta.sections.iter_mut().for_each(|section| *section += base);
        self.contents.segments.push(meta);
        Ok(())
    }

    /// How many segments have no key maps yet.
    fn unmapped(&self) -> usize {
        self.contents.segments.len() - mapped(&self.contents.key_maps)
    }

    fn push_key_maps(&mut self) -> std::io::Result<()> {
        let (granules, pcs) = (self.granule_keys.finish(), self.pc_keys.finish());
        let (first, end) = (mapped(&self.contents.key_maps) as u64, self.contents.segments.len() as u64);
        let maps = KeyMaps { first, end, granules: self.append(&granules)?, pcs: self.append(&pcs)? };
        self.contents.key_maps.push(maps);
        Ok(())
    }

    fn take_threads(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment) {
        for (name, thread) in segment.thread_names.iter().zip(&mut meta.threads) {
            thread.thread = self.thread_number(name, meta.line_base);
            self.contents.threads[usize::from(thread.thread)].steps += u64::from(thread.steps);
        }
        let transfers = segment.transfers.iter().filter(|transfer| transfer.is_first);
        let transfers = transfers.map(|transfer| (transfer.thread, transfer.slot, transfer.instruction_set));
        let arrivals = segment.turns.iter().filter_map(|turn| match turn.what {
            TurnKind::Arrival { instruction_set, .. } => Some((turn.thread, turn.slot, instruction_set)),
            _ => None,
        });
        for (thread, slot, instruction_set) in transfers.chain(arrivals) {
            let number = meta.threads[usize::from(thread)].thread;
            let thread = &mut self.contents.threads[usize::from(number)];
            if thread.first_step.is_none() {
                thread.first_step = Some((meta.step_base + u64::from(slot)).saturating_sub(1));
                thread.instruction_set = instruction_set;
            }
        }
    }

    fn thread_number(&mut self, name: &str, line_base: u64) -> u16 {
        let next = self.contents.threads.len();
        if let Some(known) = self.thread_numbers.get(name) {
            return *known;
        }
        if next >= NUMBERS {
            self.complain(line_base, format!("more than {NUMBERS} threads: the rest counts as the first"));
            return 0;
        }
        self.thread_numbers.insert(name.to_owned(), next as u16);
        // Until its first step is seen, that of the trace's first step.
        let instruction_set = self.contents.traits.instruction_set;
        let name = name.to_owned();
        self.contents.threads.push(ThreadContents { name, steps: 0, instruction_set, first_step: None });
        next as u16
    }

    fn register_number(&mut self, name: &str, line_base: u64) -> u16 {
        let next = self.contents.register_names.len();
        if let Some(known) = self.name_numbers.get(name) {
            return *known;
        }
        if next >= NUMBERS {
            let message =
                format!("more than {NUMBERS} registers outside the architecture's table: the rest is left out");
            self.complain(line_base, message);
            return UNNUMBERED;
        }
        self.name_numbers.insert(name.to_owned(), next as u16);
        self.contents.register_names.push(name.to_owned());
        next as u16
    }

    /// Warns of something once, at the segment that begins after so many lines.
    fn complain(&mut self, line_base: u64, message: String) {
        if self.complaints.insert(message.clone()) {
            self.contents.warning_count += 1;
            if self.contents.warnings.len() < WARNINGS_KEPT {
                self.contents.warnings.push(WarningContents { line: line_base + 1, column: 0, message });
            }
        }
    }

    fn take_views(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment, number: u32) {
        for name in &segment.register_names {
            meta.named.push(self.register_number(name, meta.line_base));
        }
        for (thread, view) in &segment.views {
            let thread = meta.threads[usize::from(*thread)].thread;
            let register = global_register(view.register, &meta.named);
            if register == RegisterId(UNNUMBERED) {
                continue;
            }
            let view = RegisterView { register, ..*view };
            let place = *self.view_numbers.entry((thread, view)).or_insert_with(|| {
                self.contents.views.push(ViewContents { thread, view, segments: Vec::new() });
                self.contents.views.len() - 1
            });
            self.contents.views[place].segments.push(number);
        }
    }

    fn take_markers(&mut self, meta: &SegmentMeta, segment: &SealedSegment, number: u32) {
        let markers = &mut self.contents.markers;
        for MarkersOfKind { thread, kind, count } in &segment.markers {
            let thread = meta.threads[usize::from(*thread)].thread;
            let known = markers.binary_search_by_key(&(thread, *kind), |known| (known.thread, known.kind));
            let place = known.unwrap_or_else(|place| {
                markers.insert(place, MarkerContents { thread, kind: *kind, count: 0, segments: Vec::new() });
                place
            });
            markers[place].count += count;
            // Threads that are too many count as the first.
            if markers[place].segments.last() != Some(&number) {
                markers[place].segments.push(number);
            }
        }
    }

    /// Compares what the segment read first with what was known before it.
    fn take_memory<S: Source>(
        &mut self,
        source: &S,
        meta: &mut SegmentMeta,
        segment: &SealedSegment,
        fate: Fate,
    ) -> Result<(), PassError> {
        if self.contents.traits.registers == RegisterSource::Operands {
            return Ok(());
        }
        let unchecked = AtomicU8::new(u8::MAX);
        let mut seams = Seams::new(meta, &segment.bytes, &unchecked);
        let (mut earlier, memory) = self.earlier(source, meta.text_start);
        let find = |key, wrong| seams.find(key, wrong);
        match fate {
            Fate::Stays => memory.take(&mut earlier, &segment.granules, find)?,
            Fate::ComesAgain => memory.compare(&mut earlier, &segment.granules, find)?,
        }
        let (seam_externals, new) = seams.finish();
        meta.externals += new;
        meta.seam_externals = seam_externals;
        Ok(())
    }

    /// The segments so far, whose text ends at a place of the trace, and what is known of memory at their end.
    pub fn earlier<'a, S: Source>(
        &'a mut self,
        source: &'a S,
        text_end: u64,
    ) -> (Earlier<'a, S, O>, &'a mut CarriedMemory) {
        let Contents { segments, key_maps, .. } = &self.contents;
        (Earlier { source, output: &mut self.output, segments, key_maps, text_end }, &mut self.memory)
    }

    /// Takes the calls that may write memory, by the registers at the segment's start:
    /// which ones they are must not depend on where segments begin.
    fn take_host_calls(&mut self, meta: &SegmentMeta, threads: &[u16], calls: &[HostCall]) {
        for call in calls {
            let carried_by = call.carried_by.and_then(|thread| threads.get(usize::from(thread)));
            let carried = carried_by.and_then(|thread| self.calls.first_register(*thread));
            if carried.is_some_and(|number| !HostOperation::is_in(number)) {
                continue;
            }
            if self.host_calls.len() >= HOST_CALLS_LIMIT {
                self.complain(meta.line_base, HOST_CALLS_LEFT_OUT.to_owned());
                return;
            }
            self.host_calls.push(meta.step_base + u64::from(call.slot));
        }
    }

    fn take_problems(&mut self, task_lines: u64, segment: &mut SealedSegment) {
        let (problems, count) = std::mem::take(&mut segment.problems);
        self.contents.warning_count += count;
        for problem in problems {
            if problem.is_once_a_run {
                if !self.complaints.insert(problem.message.clone()) {
                    continue;
                }
                self.contents.warning_count += 1;
            }
            if self.contents.warnings.len() < WARNINGS_KEPT {
                self.contents.warnings.push(WarningContents {
                    line: task_lines + problem.line + 1,
                    column: u64::from(problem.column),
                    message: problem.message,
                });
            }
        }
    }

    /// Writes what is left and the header. The output is then an index, but for what the host wrote.
    pub fn finish(mut self, coverage: Coverage) -> std::io::Result<Assembled<O>> {
        if coverage == Coverage::Whole && self.unmapped() > 0 {
            self.push_key_maps()?;
        }
        if self.contents.threads.is_empty() {
            // A trace without a line of any thread is one of a CPU that did nothing.
            let (name, set) = ("cpu0".to_owned(), self.contents.traits.instruction_set);
            self.contents.threads.push(ThreadContents { name, steps: 0, instruction_set: set, first_step: None });
        }
        let mut found = std::mem::take(&mut self.calls).finish();
        if let Some(mark) = self.mark.take() {
            let resume = Resume { later: found.since_mark(), ..*mark };
            let bytes = encode_part(&resume).map_err(std::io::Error::other)?;
            self.contents.resume = self.append(&bytes)?;
        }
        let mut encoder = TableEncoder::default();
        let records = found.frames.sorted(Vec::new()).map(|frame| Ok(encoder.record(&frame?)));
        self.contents.calls = self.append_all(records)?;
        found.switches.sort_unstable();
        self.contents.call_layout = encoder.layout(found.switches);
        self.contents.views.sort_unstable_by_key(|view| (view.thread, view.view));
        self.write_directory()?;
        Ok(Assembled(self))
    }

    fn write_directory(&mut self) -> std::io::Result<()> {
        let bytes = encode_part(&self.contents).map_err(std::io::Error::other)?;
        let directory = self.append(&bytes)?;
        self.output.write_header(&header(directory, self.len))
    }
}

/// An index that is written.
#[derive(Debug)]
pub struct Assembled<O>(Assembler<O>);

impl<O: Output> Assembled<O> {
    /// The slots of semihosting calls that may have let the host write into memory.
    pub fn host_calls(&self) -> &[u64] {
        &self.0.host_calls
    }

    /// What was written.
    pub fn read_back(&mut self) -> std::io::Result<Arc<Data>> {
        self.0.output.read_back()
    }

    /// Adds what the host wrote: the directory is written once more, behind the first.
    pub fn add_host_writes(&mut self, writes: HostWrites) -> std::io::Result<()> {
        let HostWrites { regions, explained, is_cut_short } = writes;
        self.0.contents.host_regions = self.0.append(&regions.encode())?;
        for (segment, (explained, reads)) in explained {
            let Some(meta) = self.0.contents.segments.get_mut(segment) else { continue };
            meta.explained = explained;
            meta.externals = meta.externals.saturating_sub(reads);
            self.0.contents.externals = self.0.contents.externals.saturating_sub(reads);
        }
        if is_cut_short {
            self.0.complain(0, HOST_CALLS_LEFT_OUT.to_owned());
        }
        self.0.write_directory()
    }

    /// The output and its length.
    pub fn into_output(self) -> (O, u64) {
        (self.0.output, self.0.len)
    }
}

/// The index's number of a register that a segment numbers in its own way.
fn global_register(register: RegisterId, named: &[u16]) -> RegisterId {
    let place = register.0.checked_sub(RegisterId::FIRST_NAMED.0);
    let name = place.and_then(|place| named.get(usize::from(place)));
    name.map_or(register, |name| RegisterId(RegisterId::FIRST_NAMED.0.saturating_add(*name)))
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::fmt::Write as _;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::answers::cancel::Cancel;
    use crate::answers::thread::ThreadId;
    use crate::builder::options::BuildOptions;
    use crate::index::Query as _;
    use crate::query::registers::RegistersAt;

    #[test]
    fn registers_beyond_the_numbers_are_left_out_with_a_warning() {
        let mut text = String::new();
        for number in 0..NUMBERS + 10 {
            writeln!(text, "{number} clk IT (1) 00001000 e1a00000 A usr : NOP\n{number} clk R sys_{number} 00000001")
                .unwrap();
        }
        let tarmac = Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap();
        let index = index_in_memory(Arc::new(tarmac), &BuildOptions { segment_bytes: 64 << 10, threads: 1 }).unwrap();
        let view = |number: usize| index.register_view(&format!("SYS_{number}"), ThreadId(0));
        assert!(view(NUMBERS - 1).is_some() && view(NUMBERS).is_none());
        assert_eq!(index.info().warning_count, 1);
        assert!(index.warnings()[0].message.starts_with("more than 32768 registers"), "{:?}", index.warnings());
        let file = RegistersAt { position: index.end(), thread: None }.run(&index, &Cancel::default()).unwrap();
        assert_eq!(file.get("sys_32767").and_then(|value| value.to_u64()), Some(1));
    }
}
