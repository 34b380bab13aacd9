//! The pass in order: fills in what a segment alone cannot know, and writes it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU8;

use stepback_parsers::{RegisterId, RegisterView, Source};
use xxhash_rust::xxh3::xxh3_64;

use crate::calls::{CallFinder, encode_frames};
use crate::granules::{Masks, Touch};
use crate::key_map::{KeyMapWriter, SEGMENTS};
use crate::layout::{
    Contents, Extent, HEADER_LEN, KeyMaps, ThreadContents, ViewContents, WarningContents, encode_contents, header,
};
use crate::segment::{GranuleState, SealedSegment, SeamExternal, SegmentMeta, SegmentReader};
use crate::{Fingerprint, WARNINGS_KEPT};

/// Where the bytes of an index go.
pub trait Output {
    /// Appends bytes.
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()>;
    /// Overwrites the first bytes.
    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()>;
}

impl Output for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn write_header(&mut self, header: &[u8; HEADER_LEN]) -> std::io::Result<()> {
        self[..HEADER_LEN].copy_from_slice(header);
        Ok(())
    }
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
    memory: HashMap<u64, GranuleState>,
    calls: CallFinder,
    /// What was complained of and is not again.
    complaints: HashSet<String>,
    granule_keys: KeyMapWriter,
    pc_keys: KeyMapWriter,
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
            time_range: None,
            warning_count: 0,
            warnings: Vec::new(),
            externals: 0,
            threads: Vec::new(),
            register_names: Vec::new(),
            views: Vec::new(),
            segments: Vec::new(),
            key_maps: Vec::new(),
            calls: Extent::default(),
            call_ends: Vec::new(),
        };
        Ok(Self {
            output,
            len: HEADER_LEN as u64,
            contents,
            latest_time: None,
            thread_numbers: HashMap::new(),
            name_numbers: HashMap::new(),
            view_numbers: HashMap::new(),
            memory: HashMap::new(),
            calls: CallFinder::default(),
            complaints: HashSet::new(),
            granule_keys: KeyMapWriter::default(),
            pc_keys: KeyMapWriter::default(),
        })
    }

    fn append(&mut self, bytes: &[u8]) -> std::io::Result<Extent> {
        let extent = Extent { offset: self.len, len: bytes.len() as u64, checksum: xxh3_64(bytes) };
        self.output.append(bytes)?;
        self.len += extent.len;
        Ok(extent)
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.contents.steps
    }

    /// Takes the segments of the next task, which has so many lines.
    pub fn add_task(&mut self, segments: &mut Vec<SealedSegment>, lines: u64) -> std::io::Result<()> {
        let line_base = self.contents.lines;
        for segment in segments.drain(..) {
            self.add(segment, line_base)?;
        }
        self.contents.lines += lines;
        Ok(())
    }

    fn add(&mut self, mut segment: SealedSegment, line_base: u64) -> std::io::Result<()> {
        let number = self.contents.segments.len();
        let line_base = line_base + segment.line_in_task;
        let mut meta = std::mem::take(&mut segment.meta);
        (meta.step_base, meta.line_base, meta.time_before) = (self.contents.steps, line_base, self.latest_time);
        if let Some((first, last)) = segment.time_range {
            self.latest_time = self.latest_time.max(Some(last));
            let range = self.contents.time_range.get_or_insert((first, last));
            range.1 = range.1.max(last);
        }
        self.take_threads(&mut meta, &segment);
        self.take_views(&mut meta, &segment, number as u32);
        self.take_memory(&mut meta, &segment);
        let threads: Vec<u16> = meta.threads.iter().map(|thread| thread.thread).collect();
        self.calls.follow(meta.step_base, &threads, &segment.transfers, &segment.thread_ends);
        self.take_problems(line_base, &mut segment);
        self.contents.steps += u64::from(meta.steps);
        self.contents.externals += meta.externals;
        let place = (number % SEGMENTS) as u8;
        self.granule_keys.add(place, segment.granules.iter().map(|(key, _)| *key));
        self.pc_keys.add(place, segment.pcs.iter().copied());
        let base = self.append(&segment.bytes)?.offset;
        meta.sections.iter_mut().for_each(|section| *section += base);
        self.contents.segments.push(meta);
        if self.contents.segments.len().is_multiple_of(SEGMENTS) {
            self.push_key_maps()?;
        }
        Ok(())
    }

    fn push_key_maps(&mut self) -> std::io::Result<()> {
        let (granules, pcs) = (self.granule_keys.finish(), self.pc_keys.finish());
        let maps = KeyMaps { granules: self.append(&granules)?, pcs: self.append(&pcs)? };
        self.contents.key_maps.push(maps);
        Ok(())
    }

    fn take_threads(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment) {
        for (name, thread) in segment.thread_names.iter().zip(&mut meta.threads) {
            let next = self.contents.threads.len() as u16;
            thread.thread = *self.thread_numbers.entry(name.clone()).or_insert_with(|| {
                // Until its first step is seen, that of the trace's first step.
                let set = self.contents.traits.instruction_set;
                self.contents.threads.push(ThreadContents {
                    name: name.clone(),
                    steps: 0,
                    instruction_set: set,
                    first_step: None,
                });
                next
            });
            self.contents.threads[usize::from(thread.thread)].steps += u64::from(thread.steps);
        }
        for transfer in segment.transfers.iter().filter(|transfer| transfer.is_first) {
            let number = meta.threads[usize::from(transfer.thread)].thread;
            let thread = &mut self.contents.threads[usize::from(number)];
            if thread.first_step.is_none() {
                thread.first_step = Some((meta.step_base + u64::from(transfer.slot)).saturating_sub(1));
                thread.instruction_set = transfer.instruction_set;
            }
        }
    }

    fn take_views(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment, number: u32) {
        for name in &segment.register_names {
            let next = self.contents.register_names.len() as u16;
            let known = *self.name_numbers.entry(name.clone()).or_insert_with(|| {
                self.contents.register_names.push(name.clone());
                next
            });
            meta.named.push(known);
        }
        for (thread, view) in &segment.views {
            let thread = meta.threads[usize::from(*thread)].thread;
            let register = global_register(view.register, &meta.named);
            let view = RegisterView { register, ..*view };
            let place = *self.view_numbers.entry((thread, view)).or_insert_with(|| {
                self.contents.views.push(ViewContents { thread, view, segments: Vec::new() });
                self.contents.views.len() - 1
            });
            self.contents.views[place].segments.push(number);
        }
    }

    /// Compares what the segment read first with what was known before it, and carries on what is known after it.
    fn take_memory(&mut self, meta: &mut SegmentMeta, segment: &SealedSegment) {
        for (key, later) in &segment.granules {
            match self.memory.entry(*key) {
                Entry::Vacant(place) => _ = place.insert(later.clone()),
                Entry::Occupied(mut before) => {
                    let wrong = later.contradictions(before.get());
                    if wrong != 0 {
                        let (found, is_new) = seam_externals(meta, &segment.bytes, *key, wrong);
                        meta.externals += is_new;
                        meta.seam_externals.extend(found);
                    }
                    before.get_mut().follow(later);
                }
            }
        }
    }

    fn take_problems(&mut self, line_base: u64, segment: &mut SealedSegment) {
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
                    line: line_base + problem.line + 1,
                    column: u64::from(problem.column),
                    message: problem.message,
                });
            }
        }
    }

    /// Writes what is left and the header. The output is then a whole index.
    pub fn finish(mut self) -> std::io::Result<(O, u64)> {
        if !self.contents.segments.len().is_multiple_of(SEGMENTS) {
            self.push_key_maps()?;
        }
        if self.contents.threads.is_empty() {
            // A trace without a line of any thread is one of a CPU that did nothing.
            let (name, set) = ("cpu0".to_owned(), self.contents.traits.instruction_set);
            self.contents.threads.push(ThreadContents { name, steps: 0, instruction_set: set, first_step: None });
        }
        let frames = std::mem::take(&mut self.calls).finish();
        let (calls, ends) = encode_frames(frames, self.contents.threads.len());
        self.contents.calls = self.append(&calls)?;
        self.contents.call_ends = ends;
        self.contents.views.sort_unstable_by_key(|view| (view.thread, view.view));
        let bytes = encode_contents(&self.contents).map_err(std::io::Error::other)?;
        let directory = self.append(&bytes)?;
        self.output.write_header(&header(directory, self.len))?;
        Ok((self.output, self.len))
    }
}

/// The index's number of a register that a segment numbers in its own way.
fn global_register(register: RegisterId, named: &[u16]) -> RegisterId {
    let place = register.0.checked_sub(RegisterId::FIRST_NAMED.0);
    let name = place.and_then(|place| named.get(usize::from(place)));
    name.map_or(register, |name| RegisterId(RegisterId::FIRST_NAMED.0.saturating_add(*name)))
}

/// The first reads of some bytes of a block in a segment, and how many of them did not contradict anything inside the segment.
fn seam_externals(meta: &SegmentMeta, bytes: &[u8], granule: u64, mut wrong: u64) -> (Vec<SeamExternal>, u64) {
    let checked = AtomicU8::new(u8::MAX);
    let reader = SegmentReader { meta, bytes, checked: &checked };
    let (mut found, mut is_new) = (Vec::new(), 0);
    let mut note = |touch: Touch, place: u32| {
        let mask = touch.shape.mask() & wrong;
        if mask != 0 && !touch.shape.is_write() && touch.shape.is_known() {
            found.push(SeamExternal { granule, slot: touch.slot, place, mask });
            is_new += u64::from(!touch.shape.is_external());
            wrong &= !mask;
        }
        wrong != 0
    };
    let list = reader.granule(granule).ok().flatten();
    let walked = list.map(|list| list.walk_forward(0, |masks: Masks| masks.read != 0, &mut note));
    debug_assert!(matches!(walked, Some(Ok(()))), "a block that was just encoded can be read");
    (found, is_new)
}
