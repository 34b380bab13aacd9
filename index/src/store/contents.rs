//! The directory of an index: all that it says of itself but for bulk data.

use serde::{Deserialize, Serialize};
use stepback_machine::{InstructionSet, RegisterView};
use stepback_parsers::{MarkerKind, SourceTraits};

use crate::answers::index_info::TIME_FALLS;
use crate::store::calls::layout::CallLayout;
use crate::store::codes::CodeContents;
use crate::store::extent::Extent;
use crate::store::fingerprint::Fingerprint;
use crate::store::key_map::SEGMENTS;
use crate::store::segment::meta::SegmentMeta;

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadContents {
    /// As the trace names it.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::text")]
    pub name: String,
    /// How many steps it did.
    pub steps: u64,
    /// Instruction set of its first step.
    pub instruction_set: InstructionSet,
    /// Its first step.
    pub first_step: Option<u64>,
    /// The time that its last step bears.
    pub last_time: Option<u64>,
}

/// A register view that some segment writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewContents {
    /// Whose: a place in the table of threads.
    pub thread: u16,
    /// Registers outside the architecture's table are numbered by their place in the table of names.
    pub view: RegisterView,
    /// The segments, ascending.
    pub segments: Vec<u32>,
}

/// The markers of a kind of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerContents {
    /// Whose: a place in the table of threads.
    pub thread: u16,
    /// Their kind.
    pub kind: MarkerKind,
    /// How many there are.
    pub count: u64,
    /// The segments that have some, ascending.
    pub segments: Vec<u32>,
}

/// Which of up to 64 segments have a key: a directory of memory blocks and one of addresses.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct KeyMaps {
    /// The first of the segments.
    pub first: u64,
    /// One past the last of them.
    pub end: u64,
    /// By address / 64.
    pub granules: Extent,
    /// By address of an instruction.
    pub pcs: Extent,
}

/// What is wrong with a line, or with several in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningContents {
    /// The first line, from 1.
    pub line: u64,
    /// Byte offset in the line.
    pub column: u64,
    /// What is wrong.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::text")]
    pub message: String,
    /// How often.
    pub count: u64,
}

/// A step that bears an earlier time than its thread's step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FallContents {
    /// The step.
    pub step: u64,
    /// The time before it.
    pub from: u64,
    /// Its own.
    pub to: u64,
}

/// What is the same of warnings of a kind: of times that run backwards each tells others.
pub fn kind_of(message: &str) -> &str {
    if message.starts_with(TIME_FALLS) {
        TIME_FALLS
    } else {
        message
    }
}

/// The directory: everything but bulk data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// The trace that this is the index of.
    pub fingerprint: Fingerprint,
    /// What its source told of it.
    pub traits: SourceTraits,
    /// Steps in all.
    pub steps: u64,
    /// Lines in all.
    pub lines: u64,
    /// Where the text of the last step ends: the length of the trace, or of the part that is indexed.
    pub text_end: u64,
    /// False when more of the trace is still to be indexed.
    pub is_whole: bool,
    /// The first time that a step has, and that of the last step.
    pub time_range: Option<(u64, u64)>,
    /// Problems in all.
    pub warning_count: u64,
    /// The first problems of each kind.
    pub warnings: Vec<WarningContents>,
    /// The first steps at which time runs backwards, ascending.
    pub time_falls: Vec<FallContents>,
    /// Reads in all that contradict what was known before them.
    pub externals: u64,
    /// Threads by number.
    pub threads: Vec<ThreadContents>,
    /// Names of the registers outside the architecture's table, by number.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::texts")]
    pub register_names: Vec<String>,
    /// Register views, sorted by thread and view.
    pub views: Vec<ViewContents>,
    /// Markers, sorted by thread and kind.
    pub markers: Vec<MarkerContents>,
    /// Segments in the order of the trace.
    pub segments: Vec<SegmentMeta>,
    /// In the order of the segments; the last ones may have none.
    pub key_maps: Vec<KeyMaps>,
    /// The table of calls.
    pub calls: Extent,
    /// The instructions that were executed.
    pub codes: CodeContents,
    /// What the host wrote during semihosting calls, as [`crate::store::regions`] says.
    pub host_regions: Extent,
    /// The calls of which that is not known.
    pub open_calls: Extent,
    /// Where its parts lie, and when each is in use.
    pub call_layout: CallLayout,
    /// What it takes to resume this index, as `builder/resume.rs` says; empty in one that lives in memory.
    pub resume: Extent,
}

/// More steps or lines than any trace has; sums of a few such numbers do not overflow.
const COUNT_LIMIT: u64 = 1 << 61;

impl Contents {
    /// Whether the segments follow each other and make up the whole: then sums of steps and lines need no checks.
    pub fn is_consistent(&self) -> bool {
        let mut steps = 0u64;
        let mut lines = 0;
        for segment in &self.segments {
            let has_order =
                segment.step_base == steps && (lines..=self.lines).contains(&segment.line_base);
            let Some(behind) = steps
                .checked_add(u64::from(segment.steps))
                .filter(|_| has_order)
            else {
                return false;
            };
            (steps, lines) = (behind, segment.line_base);
        }
        let has_end =
            |view: &ViewContents| view.view.offset.checked_add(view.view.size_bytes).is_some();
        self.views.iter().all(has_end)
            && steps == self.steps
            && steps.max(self.lines) < COUNT_LIMIT
            && self.has_key_maps_in_order()
    }

    /// Whether the key maps follow each other.
    fn has_key_maps_in_order(&self) -> bool {
        let mut mapped = 0;
        self.key_maps.iter().all(|maps| {
            let follows =
                maps.first == mapped && maps.end > mapped && maps.end - mapped <= SEGMENTS as u64;
            mapped = maps.end;
            follows && mapped <= self.segments.len() as u64
        })
    }
}

/// How many segments have key maps.
pub fn mapped(key_maps: &[KeyMaps]) -> usize {
    key_maps.last().map_or(0, |maps| maps.end as usize)
}

#[cfg(test)]
mod tests {
    use crate::builder::in_memory::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::options::BuildOptions;

    #[test]
    fn a_directory_whose_numbers_contradict_each_other_is_noticed() {
        let text =
            "1 clk IT (1) 00001000 e1a00000 A usr : NOP\n1 clk R sys_thing 00000007\n".repeat(9);
        let tarmac = Tarmac::open(Box::new(text.into_bytes()), Default::default()).unwrap();
        let options = BuildOptions {
            segment_bytes: 200,
            threads: 1,
        };
        let contents = index_in_memory(Arc::new(tarmac), &options)
            .unwrap()
            .contents
            .clone();
        assert!(contents.segments.len() > 2 && contents.is_consistent());
        let changes: [fn(&mut Contents); 6] = [
            |contents| contents.segments[1].step_base = u64::MAX,
            |contents| contents.segments[1].steps += 1,
            |contents| contents.segments[2].line_base = u64::MAX,
            |contents| contents.steps += 1,
            |contents| contents.views[0].view.offset = u16::MAX,
            |contents| contents.key_maps.push(contents.key_maps[0]),
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut other = contents.clone();
            change(&mut other);
            assert!(!other.is_consistent(), "change {number}");
        }
    }
}
