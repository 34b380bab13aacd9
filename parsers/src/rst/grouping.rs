//! The files of a trace: detection by their first bytes ([`RstHead`]), and their relation
//! ([`FileGrouping`]).
//!
//! A trace that was split continues in files without a header ("Multifile traces" in the
//! specification). Tracers of machines with several processors write a file for each processor,
//! each with a header.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use crate::packed::{PackedKind, head_of};
use crate::read_at::TraceFile;
use crate::rst::container::kind::RstContainer;
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, layout_of};
use crate::rst::records::Instruction;
use crate::rst::stream::{RecordStream, endian_of};

/// Maximum number of batches that are searched for the first instruction of a file.
const BATCHES: usize = 4;

/// The relation between the files of a trace.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileGrouping {
    /// Numbers of the files of each stream; the files of one stream follow each other.
    pub streams: Vec<Vec<usize>>,
    /// Files that begin with a header although another file already has their processors.
    pub anew: Vec<usize>,
    /// True if all streams record times.
    pub has_times: bool,
}

/// The beginning of a file.
#[derive(Debug, Default)]
struct FileBeginning {
    has_head: bool,
    /// Processors of the first instructions.
    cpus: BTreeSet<u16>,
    has_times: bool,
}

/// Returns true if the files, in the order of their names, form one trace: the records of each
/// processor begin in one of them only.
///
/// # Errors
/// A file could not be read.
pub fn are_one_trace(files: &[TraceFile]) -> io::Result<bool> {
    let grouping = FileGrouping::of(files)?;
    let begins = grouping
        .streams
        .iter()
        .filter_map(|files_of| files.get(*files_of.first()?));
    let heads: io::Result<Vec<bool>> = begins
        .map(|file| Ok(FileBeginning::of(file)?.has_head))
        .collect();
    Ok(grouping.anew.is_empty() && heads?.into_iter().all(|has_head| has_head))
}

impl FileGrouping {
    /// Examines the files, unless there is only one. Cost: the first records of each are unpacked.
    ///
    /// # Errors
    /// A file could not be read.
    pub fn of(files: &[TraceFile]) -> io::Result<Self> {
        if files.len() < 2 {
            return Ok(Self {
                streams: vec![(0..files.len()).collect()],
                ..Self::default()
            });
        }
        let beginnings: io::Result<Vec<_>> = files.iter().map(FileBeginning::of).collect();
        let mut groups: Vec<(FileBeginning, Vec<usize>)> = Vec::new();
        let mut anew = Vec::new();
        for (number, beginning) in beginnings?.into_iter().enumerate() {
            let shared = groups
                .iter()
                .position(|(begins, _)| !begins.cpus.is_disjoint(&beginning.cpus));
            // A file without instructions cannot be assigned; it continues the file before it.
            let is_bare = groups
                .last()
                .is_some_and(|(begins, _)| begins.cpus.is_empty());
            let goes_on = shared.or_else(|| {
                groups
                    .len()
                    .checked_sub(1)
                    .filter(|_| is_bare || !beginning.has_head)
            });
            match goes_on.and_then(|place| groups.get_mut(place)) {
                Some((begins, files)) => {
                    anew.extend(Some(number).filter(|_| beginning.has_head && shared.is_some()));
                    files.push(number);
                    begins.cpus.extend(beginning.cpus);
                }
                None => groups.push((beginning, vec![number])),
            }
        }
        let has_times = groups.iter().all(|(begins, _)| begins.has_times);
        Ok(Self {
            streams: groups.into_iter().map(|(_, files)| files).collect(),
            anew,
            has_times,
        })
    }
}

/// Returns true if the bytes are the beginning of a trace. If the header is damaged, the second
/// record decides.
fn has_head(bytes: &[u8], form: RecordEncoding) -> bool {
    let second = bytes
        .as_chunks::<RECORD_BYTES>()
        .0
        .get(1)
        .map(|bytes| RawRecord::new(bytes, form).kind());
    RstContainer::of_head(bytes).is_some() || second == Some(kind::TRACE_INFO)
}

impl FileBeginning {
    fn of(file: &TraceFile) -> io::Result<Self> {
        let mut stream = RecordStream::new(vec![file.clone()]);
        let mut beginning = Self::default();
        for batch in 0..BATCHES {
            if !beginning.cpus.is_empty() || !stream.fill()? {
                break;
            }
            let form = stream.form();
            let handed = stream.hand_out(usize::MAX);
            beginning.has_head |= batch == 0 && has_head(handed.bytes, form);
            for bytes in handed.bytes.as_chunks::<RECORD_BYTES>().0 {
                let record = RawRecord::new(bytes, form);
                match record.kind() {
                    kind::INSTRUCTION => _ = beginning.cpus.insert(Instruction::of(&record).cpu),
                    kind::CPU => beginning.has_times = true,
                    _ => {}
                }
            }
        }
        Ok(beginning)
    }
}

/// Number of records that are examined if the first is damaged.
const LOOKED_AT: usize = 64;

/// Formats detected at the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RstHead {
    /// Compression of the whole file, if any.
    pub packed: Option<PackedKind>,
    /// Container of the records.
    pub container: RstContainer,
}

impl RstHead {
    /// Detects the format of a file. Returns none if it does not begin like a trace. Cost: the
    /// first bytes are unpacked.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let packed = PackedKind::of(file.data.as_ref())?;
        let head = first_bytes(file, packed, RstContainer::MAGIC_BYTES)?;
        Ok(RstContainer::of_head(&head).map(|container| Self { packed, container }))
    }

    /// Returns true if a file is a trace with a damaged first record: known records follow it.
    /// Cost: the first records are unpacked.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn is_damaged(file: &TraceFile) -> io::Result<bool> {
        let packed = PackedKind::of(file.data.as_ref())?;
        let head = first_bytes(file, packed, LOOKED_AT * RECORD_BYTES)?;
        let Some(rest) = head.get(RECORD_BYTES..) else {
            return Ok(false);
        };
        let Some(endian) = endian_of(rest) else {
            return Ok(false);
        };
        let form = RecordEncoding {
            endian,
            ..RecordEncoding::default()
        };
        let records = rest.as_chunks::<RECORD_BYTES>().0;
        let known = records
            .iter()
            .filter(|bytes| layout_of(&RawRecord::new(bytes, form)).is_some())
            .count();
        // In other files, one byte in eight is a known record type by chance.
        Ok(known > 0 && known * 4 >= records.len() * 3)
    }
}

/// Returns the first `count` bytes of the contents of a file, or all if there are fewer.
fn first_bytes(file: &TraceFile, packed: Option<PackedKind>, count: usize) -> io::Result<Vec<u8>> {
    if let Some(kind) = packed {
        return Ok(head_of(Arc::clone(&file.data), kind, count)?.text);
    }
    let mut head = vec![0; count];
    let found = file.data.read_at(0, &mut head)?;
    head.truncate(found);
    Ok(head)
}
