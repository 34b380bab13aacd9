//! The directory of an index ([`Contents`]): everything except bulk data. It is read as a whole
//! when the index is opened, and checked for consistency, because a file may contain anything.
//! Register banks follow from the register names in it ([`NamedBank`]).

use serde::{Deserialize, Serialize};
use stepback_machine::banks::{Bank, BankedRegister, StackChoice};
use stepback_machine::{InstructionSet, RegisterId, RegisterView};
use stepback_parsers::{MarkerKind, SourceTraits};

use crate::answers::cell::ThreadInfo;
use crate::answers::index_info::{TimeFall, Warning, WarningKind};
use crate::store::calls::stacks::CallLayout;
use crate::store::codes::CodeContents;
use crate::store::data::Extent;
use crate::store::fingerprint::Fingerprint;
use crate::store::key_map::SEGMENTS;
use crate::store::segment::meta::SegmentMeta;

/// A register view with writes in some segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewContents {
    /// Index into the table of threads.
    pub thread: u16,
    /// The view. Registers outside the architecture's table are numbered by their index in the
    /// table of names.
    pub view: RegisterView,
    /// Segments with writes, ascending.
    pub segments: Vec<u32>,
}

/// Markers of one kind in one thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkerContents {
    /// Index into the table of threads.
    pub thread: u16,
    /// Their kind.
    pub kind: MarkerKind,
    /// Number of markers.
    pub count: u64,
    /// Segments with such markers, ascending.
    pub segments: Vec<u32>,
}

/// Maps from keys to up to 64 segments: a directory of memory blocks and one of instruction
/// addresses.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct KeyMaps {
    /// The first segment.
    pub first: u64,
    /// The segment after the last one.
    pub end: u64,
    /// Keys are addresses / 64.
    pub granules: Extent,
    /// Keys are addresses of instructions.
    pub pcs: Extent,
}

/// A problem of one line, or of several lines in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarningContents {
    /// First line, counted from 1.
    pub line: u64,
    /// Byte offset in the line.
    pub column: u64,
    /// Description.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::text")]
    pub message: String,
    /// Number of occurrences.
    pub count: u64,
}

/// The directory: everything except bulk data.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contents {
    /// Identity of the indexed trace.
    pub fingerprint: Fingerprint,
    /// Properties that the source declared.
    pub traits: SourceTraits,
    /// Number of steps.
    pub steps: u64,
    /// Number of lines.
    pub lines: u64,
    /// End offset of the text of the last step: the length of the trace, or of the indexed part.
    pub text_end: u64,
    /// False if only a part of the trace is indexed.
    pub is_whole: bool,
    /// First time of a step, and time of the last step.
    pub time_range: Option<(u64, u64)>,
    /// Number of problems.
    pub warning_count: u64,
    /// The first problems of each kind.
    pub warnings: Vec<WarningContents>,
    /// First steps with a decreasing time, ascending.
    pub time_falls: Vec<TimeFall>,
    /// Number of reads that contradict the known contents of memory.
    pub externals: u64,
    /// Threads by number.
    pub threads: Vec<ThreadInfo>,
    /// Names of the registers outside the architecture's table, by number.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::texts")]
    pub register_names: Vec<String>,
    /// Register views, sorted by thread and view.
    pub views: Vec<ViewContents>,
    /// Markers, sorted by thread and kind.
    pub markers: Vec<MarkerContents>,
    /// Segments in trace order.
    pub segments: Vec<SegmentMeta>,
    /// In segment order; the last segments may have none.
    pub key_maps: Vec<KeyMaps>,
    /// The table of calls.
    pub calls: Extent,
    /// The executed instructions.
    pub codes: CodeContents,
    /// Host writes during semihosting calls (see [`crate::store::regions`]).
    pub host_regions: Extent,
    /// Semihosting calls with unknown destinations.
    pub open_calls: Extent,
    /// Partition of the table of calls by stack, and the use of the stacks over time.
    pub call_layout: CallLayout,
    /// State for resuming the build (see `builder/resume.rs`); empty for an index in memory.
    pub resume: Extent,
}

/// Greater than the number of steps or lines of any trace, and small enough that sums of a few such
/// numbers do not overflow.
const COUNT_LIMIT: u64 = 1 << 61;

impl Contents {
    /// Returns true if the segments are contiguous and cover the whole: then sums of steps and
    /// lines need no checks.
    pub fn is_consistent(&self) -> bool {
        let mut steps = 0u64;
        let mut lines = 0;
        for segment in &self.segments {
            let has_order =
                segment.step_base == steps && (lines..=self.lines).contains(&segment.line_base);
            let Some(after) = steps
                .checked_add(u64::from(segment.steps))
                .filter(|_| has_order)
            else {
                return false;
            };
            (steps, lines) = (after, segment.line_base);
        }
        let has_end =
            |view: &ViewContents| view.view.offset.checked_add(view.view.size_bytes).is_some();
        self.views.iter().all(has_end)
            && steps == self.steps
            && steps.max(self.lines) < COUNT_LIMIT
            && self.has_key_maps_in_order()
    }

    /// Returns the kept warnings. The directory contains their sentences: the one about decreasing
    /// times is that of the first such step.
    pub fn kept_warnings(&self) -> impl Iterator<Item = Warning> {
        let falls = self.time_falls.first();
        let falls = falls.map(|fall| WarningKind::TimeFalls(*fall));
        let sentence = falls.as_ref().map(ToString::to_string);
        self.warnings.iter().map(move |warning| Warning {
            line: warning.line,
            offset: warning.column,
            kind: falls
                .clone()
                .filter(|_| sentence.as_ref() == Some(&warning.message))
                .unwrap_or_else(|| WarningKind::Problem(warning.message.clone())),
            count: warning.count,
        })
    }

    /// Returns true if the key maps are contiguous.
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

/// Returns the number of segments with key maps.
pub fn mapped(key_maps: &[KeyMaps]) -> usize {
    key_maps.last().map_or(0, |maps| maps.end as usize)
}

/// Returns the registers outside the architecture's table that select between two stack pointers.
pub(crate) fn stack_choices(names: &[String]) -> Vec<StackChoice> {
    let chosen = |(place, name): (u16, &String)| {
        let security = InstructionSet::stack_choice_anywhere(name)?;
        Some(StackChoice {
            register: RegisterId(RegisterId::FIRST_NAMED.0.checked_add(place)?),
            security,
        })
    };
    (0..).zip(names).filter_map(chosen).collect()
}

/// A register bank that the trace names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedBank {
    /// Register number of the bank.
    pub register: RegisterId,
    /// Register whose name it shares.
    pub plain: RegisterId,
    /// The bank.
    pub bank: Bank,
}

impl NamedBank {
    /// Returns the banks among the registers outside the architecture's table, which are numbered
    /// by index.
    pub fn among(names: &[String]) -> Vec<Self> {
        let named = |(place, name): (u16, &String)| {
            let BankedRegister { plain, bank } = InstructionSet::banked_anywhere(name)?;
            let register = RegisterId(RegisterId::FIRST_NAMED.0.checked_add(place)?);
            Some(Self {
                register,
                plain: plain.register,
                bank,
            })
            .filter(|_| bank != Bank::Other)
        };
        (0..).zip(names).filter_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::build_index::index_in_memory;
    use std::sync::Arc;

    use stepback_parsers::Tarmac;

    use super::*;
    use crate::builder::build_index::BuildOptions;

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
