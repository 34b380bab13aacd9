//! State for resuming the build of an index that is unfinished, or of one whose trace grew.
//!
//! Each index, finished or not, ends with a [`ResumePoint`] in bincode: what was known before the
//! last part of its trace that may still change. Frames of calls are not stored twice: those found
//! up to there are in the table, except for a few that are listed.
//!
//! While a trace is followed, the text after the last whole task is parsed again each time it
//! grows, and belongs to the part only.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use serde::{Deserialize, Serialize};

use crate::answers::call::CallId;
use crate::answers::error::{OpenError, QueryError};
use crate::builder::calls::finder::FinderState;
use crate::builder::calls::spool::{CollectedCalls, FoundFrames};
use crate::builder::code_ledger::CodeLedger;
use crate::store::calls::encoder::CallFrame;
use crate::store::calls::table::{Arrival, CallTable};
use crate::store::contents::{Contents, mapped};
use crate::store::data::{Extent, IndexData};
use crate::store::fingerprint::Fingerprint;
use crate::store::granules::{Granule, TouchCoverage};
use crate::store::key_map::{KeyMapWriter, SEGMENTS};
use crate::store::layout;
use crate::store::layout::decode_part;
use crate::store::segment::meta::{SECTIONS, Section};
use crate::store::segment::reader::{SegmentReader, damaged};
use crate::store::visits::SegmentVisits;

/// State of a build between two tasks.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResumePoint {
    /// Directory up to there.
    pub contents: Contents,
    /// Number of valid bytes of the index: the header, segments and key maps.
    pub len: u64,
    /// Once-only warnings that were given.
    #[serde(deserialize_with = "stepback_parsers::decoded_text::texts")]
    pub complaints: Vec<String>,
    /// Slots of semihosting calls.
    pub host_calls: Vec<u64>,
    /// State of the call search.
    pub finder: FinderState,
    /// Frames and switches of the table beyond those found up to there.
    pub later: FoundFrames,
}

/// An index to resume.
#[derive(Debug)]
pub struct ResumedIndex {
    /// State to resume from.
    pub resume: ResumePoint,
    /// Fingerprint of the trace of the whole index, which may be longer than the part in `resume`.
    pub fingerprint: Fingerprint,
    /// Frames and stack switches found up to there.
    pub found: CollectedCalls,
    /// Memory blocks of the segments without key maps.
    pub granule_keys: KeyMapWriter<TouchCoverage>,
    /// Addresses of these segments.
    pub pc_keys: KeyMapWriter<()>,
    /// Instructions executed up to there.
    pub codes: CodeLedger,
}

impl ResumedIndex {
    /// Reads the state for resuming an index. Everything kept of it is checked, so the cost grows
    /// with it. Frames that are too many for memory are spilled to `folder`.
    ///
    /// # Errors
    /// Reports why the index cannot be resumed.
    pub fn read(data: &Arc<IndexData>, folder: &Path) -> Result<Self, OpenError> {
        let unusable = || OpenError::Damaged("it does not say how to go on");
        let contents = layout::decode(data)?;
        let bytes = contents
            .resume
            .checked(data)
            .filter(|bytes| !bytes.is_empty());
        let resume = bytes
            .and_then(|bytes| decode_part::<ResumePoint>(bytes).ok())
            .ok_or_else(unusable)?;
        if !resume.contents.is_consistent()
            || !resume.finder.is_consistent()
            || !is_undamaged(&resume, data)
        {
            return Err(OpenError::Damaged(
                "the checksum of a segment does not hold",
            ));
        }
        if resume.contents.segments.len() - mapped(&resume.contents.key_maps) > SEGMENTS {
            return Err(unusable());
        }
        let arrival = Arrival::of(contents.traits.instruction_set);
        let table = CallTable::open(
            data,
            contents.calls,
            contents.call_layout.clone(),
            contents.steps,
            arrival,
        )?;
        let mut later_frames = counts(&resume.later.frames);
        let frames = (0..table.len())
            .map(CallId)
            .filter_map(|id| Some(CallFrame::of(&table.get(id)?, table.stack_of(id))));
        let frames = frames.filter(|frame| !take(&mut later_frames, frame));
        let mut later_switches = counts(&resume.later.switches);
        let switches = contents.call_layout.switches.iter().copied();
        let switches = switches
            .filter(|switch| !take(&mut later_switches, switch))
            .collect();
        let found = CollectedCalls::new(frames, switches, folder);
        let (granule_keys, pc_keys) =
            unmapped_keys(&resume.contents, data).map_err(|_| unusable())?;
        let codes = contents.codes.table(data).ok_or_else(unusable)?;
        let codes = CodeLedger::resume(&codes, resume.contents.steps);
        Ok(Self {
            resume,
            fingerprint: contents.fingerprint,
            found,
            granule_keys,
            pc_keys,
            codes,
        })
    }
}

/// Returns true if the checksums of all kept parts hold.
fn is_undamaged(resume: &ResumePoint, data: &Arc<IndexData>) -> bool {
    let contents = &resume.contents;
    let is_kept = |offset: u64| offset <= resume.len;
    let are_segments_right = contents.segments.iter().all(|meta| {
        let checked = AtomicU8::new(0);
        let reader = SegmentReader {
            meta,
            bytes: data,
            checked: &checked,
        };
        meta.sections.get(SECTIONS).is_some_and(|end| is_kept(*end)) && reader.check_all().is_ok()
    });
    let mut maps = contents
        .key_maps
        .iter()
        .flat_map(|maps| [maps.granules, maps.pcs]);
    let is_right =
        |map: &Extent| map.checked(data).is_some() && is_kept(map.offset.saturating_add(map.len));
    are_segments_right && maps.all(|map| is_right(&map))
}

/// Returns the keys of the segments after the key maps.
fn unmapped_keys(
    contents: &Contents,
    data: &Arc<IndexData>,
) -> Result<(KeyMapWriter<TouchCoverage>, KeyMapWriter<()>), QueryError> {
    let (mut granule_keys, mut pc_keys) = (KeyMapWriter::default(), KeyMapWriter::default());
    let mapped = mapped(&contents.key_maps);
    for (place, meta) in (0..).zip(contents.segments.iter().skip(mapped)) {
        let reader = SegmentReader {
            meta,
            bytes: data,
            checked: &AtomicU8::new(u8::MAX),
        };
        let (mut granules, mut pcs) = (Vec::new(), Vec::new());
        let walked = reader
            .granules()?
            .for_each_from(0, |key, list: Granule<'_>| {
                granules.push(list.reach().map(|reach| (key, meta.with_seams(key, reach))));
                true
            });
        walked.map_err(|_| damaged(Section::Granules))?;
        let granules = granules
            .into_iter()
            .collect::<Result<Vec<_>, _>>()
            .map_err(|_| damaged(Section::Granules))?;
        let walked = reader.pcs()?.for_each_from(0, |key, _: SegmentVisits<'_>| {
            pcs.push((key, ()));
            true
        });
        walked.map_err(|_| damaged(Section::Pcs))?;
        granule_keys.add(place, granules.into_iter());
        pc_keys.add(place, pcs.into_iter());
    }
    Ok((granule_keys, pc_keys))
}

fn counts<T: Copy + Eq + Hash>(items: &[T]) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    items
        .iter()
        .for_each(|item| *counts.entry(*item).or_default() += 1);
    counts
}

/// Removes one occurrence of an item from the counts; returns false if there is none.
fn take<T: Eq + Hash>(counts: &mut HashMap<T, usize>, item: &T) -> bool {
    let Some(count) = counts.get_mut(item).filter(|count| **count > 0) else {
        return false;
    };
    *count -= 1;
    true
}
