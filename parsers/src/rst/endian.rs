//! Detects the byte order of the records of a file, which no record states.

use stepback_machine::Endian;

use crate::rst::fields::{instr, rfs_section, trace_info};
use crate::rst::kind;
use crate::rst::raw_record::{RECORD_BYTES, RawRecord, RecordEncoding, RecordField};

/// Maximum number of instructions that are examined.
const INSTRUCTIONS: usize = 4096;
/// Subtype of TRACEINFO that counts the programs that made the trace.
const LEVELS: u64 = 2;
/// Score of each byte order, big-endian first.
type EndianScores = [u64; 2];
const ENDIANS: [Endian; 2] = [Endian::Big, Endian::Little];

/// Detects the byte order of records. Returns none if nothing indicates it.
///
/// First compares numbers that are small in one order and huge in the other: the number of programs
/// that made the trace, in the second record, and the record counts of sections. Without those,
/// instruction addresses decide: they are multiples of four, and mostly consecutive.
pub fn endian_of(records: &[u8]) -> Option<Endian> {
    better(small_numbers(records)).or_else(|| better(scores(records)))
}

fn better([big, little]: EndianScores) -> Option<Endian> {
    match big.cmp(&little) {
        std::cmp::Ordering::Greater => Some(Endian::Big),
        std::cmp::Ordering::Less => Some(Endian::Little),
        std::cmp::Ordering::Equal => None,
    }
}

fn scores(records: &[u8]) -> EndianScores {
    ENDIANS.map(|endian| {
        let instructions = records_as(records, endian)
            .filter(|record| record.kind() == kind::INSTRUCTION)
            .take(INSTRUCTIONS);
        let mut expected = None;
        instructions.fold(0, |score, record| {
            let pc = record.get(instr::PC_VA);
            let is_next = expected.replace(pc.wrapping_add(4)) == Some(pc);
            score + u64::from(pc.is_multiple_of(4)) + u64::from(is_next)
        })
    })
}

fn small_numbers(records: &[u8]) -> EndianScores {
    let is_small = |record: &RawRecord, field: RecordField, limit: u64| record.get(field) < limit;
    ENDIANS.map(|endian| {
        let count = records_as(records, endian).filter(|record| match record.kind() {
            kind::TRACE_INFO if record.get(trace_info::RTYPE2) == LEVELS => {
                is_small(record, trace_info::LEVEL, 256)
            }
            kind::RFS_SECTION => is_small(record, rfs_section::N_RECORDS, 1 << 40),
            _ => false,
        });
        count.take(INSTRUCTIONS).count() as u64
    })
}

fn records_as(records: &[u8], endian: Endian) -> impl Iterator<Item = RawRecord> {
    let form = RecordEncoding {
        endian,
        ..RecordEncoding::default()
    };
    records
        .as_chunks::<RECORD_BYTES>()
        .0
        .iter()
        .map(move |bytes| RawRecord::new(bytes, form))
}
