//! Sequential pass of a build: completes each segment with what earlier segments determine, and
//! writes it.

use std::path::Path;
use std::sync::atomic::AtomicU8;
use std::sync::{Arc, MutexGuard};

use stepback_parsers::{RegisterSource, Source, SourceTraits};

use crate::answers::cell::ThreadInfo;
use crate::answers::error::PassError;
use crate::answers::step_record::HostOperation;
use crate::builder::calls::finder::CallFinder;
use crate::builder::calls::pass::{CallPass, CallSearch, QueuedSegment};
use crate::builder::calls::spool::FoundFrames;
use crate::builder::carried::CarriedMemory;
use crate::builder::catalogue::Catalogue;
use crate::builder::earlier::EarlierSegments;
use crate::builder::resume::{ResumePoint, ResumedIndex};
use crate::builder::seams::Seams;
use crate::builder::segment::sealed::{ParsedTask, SealedSegment};
use crate::builder::semihosting::call::{HOST_CALLS_LEFT_OUT, HOST_CALLS_LIMIT, HostCall};
use crate::builder::writer::{AssembledIndex, IndexWriter};
use crate::store::calls::encoder::TableEncoder;
use crate::store::codes::CodeContents;
use crate::store::contents::{Contents, KeyMaps, mapped};
use crate::store::data::IndexData;
use crate::store::fingerprint::Fingerprint;
use crate::store::granules::TouchCoverage;
use crate::store::key_map::{KeyMapWriter, SEGMENTS};
use crate::store::layout::encode_part;
use crate::store::output::{IndexOutput, TrailerOutput};
use crate::store::segment::meta::SegmentMeta;

/// Memory of the keys at which key maps are closed; the keys of one more segment may come on top.
/// Segments of a real trace have some thousand keys each, so its maps cover 64 segments.
const KEY_BYTES: usize = 12 << 20;

/// Portion of the trace that an index covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// The whole trace.
    Whole,
    /// The finished part. The last segments have no key maps, because their group is not full.
    Part,
}

/// Disposition of a segment after it is compared with the memory before it.
#[derive(Clone, Copy, Debug)]
enum SegmentDisposition {
    /// The segment is final: its memory state is carried to the next one.
    Stays,
    /// The segment will be replaced by a longer one.
    ComesAgain,
}

/// Takes segments in trace order and writes the index.
#[derive(Debug)]
pub struct Assembler<O> {
    writer: IndexWriter<O>,
    catalogue: Catalogue,
    memory: CarriedMemory,
    calls: Arc<CallPass>,
    granule_keys: KeyMapWriter<TouchCoverage>,
    pc_keys: KeyMapWriter<()>,
    /// Slots of semihosting calls.
    host_calls: Vec<u64>,
    /// State to resume from when the trace has grown or the build was stopped.
    mark: Option<Box<ResumePoint>>,
    /// State before the current task, while the task is taken in parts.
    before_task: Option<Box<TaskCheckpoint>>,
}

/// State at the end of a task, without the bytes already written.
#[derive(Clone, Debug)]
struct TaskCheckpoint {
    catalogue: Catalogue,
    calls: CallSearch,
    host_calls: Vec<u64>,
    mark: Option<Box<ResumePoint>>,
    /// Number of bytes written.
    len: u64,
}

impl<O: IndexOutput> Assembler<O> {
    /// Creates an empty index.
    pub fn new(source: &dyn Source, fingerprint: &Fingerprint, output: O) -> std::io::Result<Self> {
        Ok(Self {
            writer: IndexWriter::new(output)?,
            catalogue: Catalogue::new(source.traits(), fingerprint),
            memory: CarriedMemory::default(),
            calls: Arc::default(),
            granule_keys: KeyMapWriter::default(),
            pc_keys: KeyMapWriter::default(),
            host_calls: Vec::new(),
            mark: None,
            before_task: None,
        })
    }

    /// Sets the folder of the unnamed file that holds what is too large for memory.
    pub fn use_folder(&mut self, folder: &Path) {
        self.calls.caught_up().finder.use_folder(folder);
    }

    /// Returns the call search, which workers advance.
    pub fn calls(&self) -> &Arc<CallPass> {
        &self.calls
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.catalogue.contents.steps
    }

    /// Returns the number of steps of the whole tasks taken.
    pub fn whole_steps(&self) -> u64 {
        self.before_task
            .as_ref()
            .map_or(self.steps(), |before| before.catalogue.contents.steps)
    }

    /// Resumes an index where an earlier build stopped. The file already has its bytes up to there.
    pub fn resume(
        resumed: ResumedIndex,
        fingerprint: &Fingerprint,
        traits: &SourceTraits,
        output: O,
    ) -> Self {
        let ResumedIndex {
            resume,
            found,
            granule_keys,
            pc_keys,
            codes,
            ..
        } = resumed;
        let ResumePoint {
            contents,
            len,
            complaints,
            host_calls,
            finder,
            ..
        } = resume;
        let contents = Contents {
            fingerprint: fingerprint.clone(),
            traits: traits.clone(),
            ..contents
        };
        Self {
            writer: IndexWriter { output, len },
            catalogue: Catalogue::resume(contents, complaints, codes),
            memory: CarriedMemory::default(),
            calls: Arc::new(CallPass::resume(CallSearch::resume(CallFinder::resume(
                finder, found,
            )))),
            granule_keys,
            pc_keys,
            host_calls,
            mark: None,
            before_task: None,
        }
    }

    /// Creates an index of the whole tasks taken. Everything except the segments is written to
    /// `rest`.
    pub fn fork<R: IndexOutput>(
        &mut self,
        rest: R,
    ) -> std::io::Result<Assembler<TrailerOutput<R>>> {
        let known = self
            .before_task
            .as_deref()
            .cloned()
            .unwrap_or_else(|| self.known());
        let TaskCheckpoint {
            mut catalogue,
            calls,
            host_calls,
            mark,
            len,
        } = known;
        let after = usize::try_from(len).map_err(std::io::Error::other)?;
        catalogue.contents.is_whole = false;
        Ok(Assembler {
            writer: IndexWriter {
                output: TrailerOutput::new(self.writer.output.so_far()?, after, rest)?,
                len,
            },
            catalogue,
            memory: CarriedMemory::default(),
            calls: Arc::new(CallPass::resume(calls)),
            granule_keys: KeyMapWriter::default(),
            pc_keys: KeyMapWriter::default(),
            host_calls,
            mark,
            before_task: None,
        })
    }

    fn known(&self) -> TaskCheckpoint {
        let calls = self.calls.caught_up().clone();
        // The warnings of the search stay out of the catalogue itself: how far the search is at
        // this moment depends on the number of threads.
        let mut catalogue = self.catalogue.clone();
        catalogue.take_complaints(&calls);
        TaskCheckpoint {
            catalogue,
            calls,
            host_calls: self.host_calls.clone(),
            mark: self.mark.clone(),
            len: self.writer.len,
        }
    }

    /// Marks this as the state to resume from, unless an earlier one is marked.
    pub fn mark(&mut self) {
        if self.mark.is_some() {
            return;
        }
        let finder = self.search_calls().finder.state();
        let resume = ResumePoint {
            contents: Contents {
                is_whole: true,
                ..self.catalogue.contents.clone()
            },
            len: self.writer.len,
            complaints: self.catalogue.complaints(),
            host_calls: self.host_calls.clone(),
            finder,
            later: FoundFrames::default(),
        };
        self.search_calls().finder.mark();
        self.mark = Some(Box::new(resume));
    }

    /// Searches for calls in all segments taken, and records the warnings of the search.
    fn search_calls(&mut self) -> MutexGuard<'_, CallSearch> {
        let search = self.calls.caught_up();
        self.catalogue.take_complaints(&search);
        search
    }

    /// Sets the current fingerprint of the trace.
    pub fn set_fingerprint(&mut self, fingerprint: Fingerprint) {
        self.catalogue.contents.fingerprint = fingerprint;
    }

    /// Returns the text offset at which the tasks taken end.
    pub fn text_end(&self) -> u64 {
        self.catalogue.contents.text_end
    }

    /// Takes the next task, or the next part of it.
    pub fn add_task(
        &mut self,
        source: &dyn Source,
        task: &mut ParsedTask,
    ) -> Result<(), PassError> {
        if !task.is_whole && self.before_task.is_none() {
            self.before_task = Some(Box::new(self.known()));
        }
        let line_base = self.catalogue.contents.lines;
        for segment in task.segments.drain(..) {
            let mut taken = self.catalogue.begin_segment(&segment, line_base);
            self.take_memory(source, &mut taken, &segment, SegmentDisposition::Stays)?;
            self.end_segment(taken, segment, line_base)?;
            let key_bytes = self.granule_keys.len_bytes() + self.pc_keys.len_bytes();
            if self.catalogue.unmapped() == SEGMENTS || key_bytes >= KEY_BYTES {
                self.push_key_maps()?;
            }
        }
        if task.is_whole {
            self.end_task(task);
        }
        Ok(())
    }

    /// Takes a task into a fork of `parent`. `parent` will take the same task once it is longer.
    pub fn add_tail<P: IndexOutput>(
        &mut self,
        source: &dyn Source,
        task: &mut ParsedTask,
        parent: &mut Assembler<P>,
    ) -> Result<(), PassError> {
        let line_base = self.catalogue.contents.lines;
        for segment in task.segments.drain(..) {
            let mut taken = self.catalogue.begin_segment(&segment, line_base);
            parent.take_memory(source, &mut taken, &segment, SegmentDisposition::ComesAgain)?;
            self.end_segment(taken, segment, line_base)?;
        }
        self.end_task(task);
        Ok(())
    }

    fn end_task(&mut self, task: &ParsedTask) {
        self.before_task = None;
        self.catalogue.contents.lines += task.lines;
        self.catalogue.contents.text_end = task.end.unwrap_or(self.catalogue.contents.text_end);
    }

    fn end_segment(
        &mut self,
        mut meta: SegmentMeta,
        mut segment: SealedSegment,
        task_lines: u64,
    ) -> std::io::Result<()> {
        let threads: Vec<u16> = meta.threads.iter().map(|thread| thread.thread).collect();
        self.take_host_calls(&meta, &threads, &segment.host_calls);
        self.calls.push(QueuedSegment {
            step_base: meta.step_base,
            line_base: meta.line_base,
            threads,
            calls: std::mem::take(&mut segment.calls),
        });
        self.catalogue
            .take_problems(task_lines, &meta, &mut segment);
        self.catalogue.contents.steps += u64::from(meta.steps);
        self.catalogue.contents.externals += meta.externals;
        let place = self.catalogue.unmapped() as u8;
        let granules = segment.granule_keys.iter().zip(&segment.reaches);
        self.granule_keys.add(
            place,
            granules.map(|(key, reach)| (*key, meta.with_seams(*key, *reach))),
        );
        self.pc_keys
            .add(place, segment.pcs.iter().map(|key| (*key, ())));
        let IndexData::Memory(bytes) = &segment.bytes else {
            return Err(std::io::ErrorKind::InvalidInput.into());
        };
        let base = self.writer.append(bytes)?.offset;
        meta.sections
            .iter_mut()
            .for_each(|section| *section += base);
        self.catalogue.contents.segments.push(meta);
        Ok(())
    }

    fn push_key_maps(&mut self) -> std::io::Result<()> {
        let (granules, pcs) = (self.granule_keys.finish(), self.pc_keys.finish());
        let (first, end) = (
            mapped(&self.catalogue.contents.key_maps) as u64,
            self.catalogue.contents.segments.len() as u64,
        );
        let maps = KeyMaps {
            first,
            end,
            granules: self.writer.append(&granules)?,
            pcs: self.writer.append(&pcs)?,
        };
        self.catalogue.contents.key_maps.push(maps);
        Ok(())
    }

    /// Compares the first reads of the segment with the memory state before it.
    fn take_memory(
        &mut self,
        source: &dyn Source,
        meta: &mut SegmentMeta,
        segment: &SealedSegment,
        fate: SegmentDisposition,
    ) -> Result<(), PassError> {
        if self.catalogue.contents.traits.registers == RegisterSource::Operands {
            return Ok(());
        }
        let unchecked = AtomicU8::new(u8::MAX);
        let mut seams = Seams::new(meta, &segment.bytes, &unchecked);
        let (mut earlier, memory) = self.earlier(source, meta.text_start);
        let find = |key, wrong| seams.find(key, wrong);
        match fate {
            SegmentDisposition::Stays => memory.take(&mut earlier, &segment.granules, find)?,
            SegmentDisposition::ComesAgain => {
                memory.compare(&mut earlier, &segment.granules, find)?
            }
        }
        let (seam_externals, new) = seams.finish();
        meta.externals += new;
        meta.seam_externals = seam_externals;
        Ok(())
    }

    /// Returns the segments taken, up to the text offset `text_end`, and the memory state at their
    /// end.
    pub fn earlier<'a>(
        &'a mut self,
        source: &'a dyn Source,
        text_end: u64,
    ) -> (EarlierSegments<'a, O>, &'a mut CarriedMemory) {
        let Contents {
            segments, key_maps, ..
        } = &self.catalogue.contents;
        (
            EarlierSegments {
                source,
                output: &mut self.writer.output,
                segments,
                key_maps,
                text_end,
            },
            &mut self.memory,
        )
    }

    /// Takes the calls that may write memory, judged by the registers at the segment's start. The
    /// selection must not depend on where segments begin.
    fn take_host_calls(&mut self, meta: &SegmentMeta, threads: &[u16], calls: &[HostCall]) {
        for call in calls {
            let carried_by = call
                .carried_by
                .and_then(|thread| threads.get(usize::from(thread)));
            let carried =
                carried_by.and_then(|thread| self.calls.caught_up().finder.first_register(*thread));
            if carried.is_some_and(|number| !HostOperation::is_in(number)) {
                continue;
            }
            if self.host_calls.len() >= HOST_CALLS_LIMIT {
                self.catalogue
                    .complain(meta.line_base, HOST_CALLS_LEFT_OUT.to_owned());
                return;
            }
            self.host_calls.push(meta.step_base + u64::from(call.slot));
        }
    }

    /// Writes the remaining parts and the header. The output is then an index without the host's
    /// writes.
    pub fn finish(mut self, coverage: Coverage) -> std::io::Result<AssembledIndex<O>> {
        if coverage == Coverage::Whole && self.catalogue.unmapped() > 0 {
            self.push_key_maps()?;
        }
        if self.catalogue.contents.threads.is_empty() {
            // A trace without threads is shown as one CPU that did nothing.
            let (name, set) = (
                "cpu0".to_owned(),
                self.catalogue.contents.traits.instruction_set,
            );
            self.catalogue.contents.threads.push(ThreadInfo {
                name,
                steps: 0,
                instruction_set: set,
                first_step: None,
                last_time: None,
            });
        }
        let mut found = std::mem::take(&mut self.search_calls().finder).finish();
        if let Some(mark) = self.mark.take() {
            let resume = ResumePoint {
                later: found.since_mark(),
                ..*mark
            };
            let bytes = encode_part(&resume).map_err(std::io::Error::other)?;
            self.catalogue.contents.resume = self.writer.append(&bytes)?;
        }
        let (codes, sets) = self.catalogue.codes.table().encode();
        self.catalogue.contents.codes = CodeContents {
            codes: self.writer.append(&codes)?,
            sets,
        };
        let mut encoder = TableEncoder::default();
        let (mut frames, mut is_finished) = (found.frames.sorted(Vec::new()), false);
        let pieces = std::iter::from_fn(|| match frames.next() {
            Some(frame) => Some(frame.map(|frame| encoder.push(&frame))),
            None if is_finished => None,
            None => {
                is_finished = true;
                Some(Ok(encoder.finish()))
            }
        });
        self.catalogue.contents.calls = self.writer.append_all(pieces)?;
        drop(frames);
        found.switches.sort_unstable();
        self.catalogue.contents.call_layout = encoder.layout(found.switches);
        self.catalogue
            .contents
            .views
            .sort_unstable_by_key(|view| (view.thread, view.view));
        self.writer.write_directory(&self.catalogue.contents)?;
        Ok(AssembledIndex {
            writer: self.writer,
            catalogue: self.catalogue,
            host_calls: self.host_calls,
        })
    }
}
