//! Comparison of a sample of records with a program's files.

use std::io;

use crate::btrace::code::ProgramCode;
use crate::btrace::fit::FittedRecord;
use crate::btrace::kind::is_probe;
use crate::btrace::layout::BranchLayout;
use crate::btrace::reader::BranchRecordReader;
use crate::packed::PackedKind;
use crate::program_file::ProgramFile;
use crate::program_fit::ProgramFit;
use crate::read_at::TraceFile;

/// Number of places in the file that are sampled: the code that starts a program may be in other
/// files than the program itself.
const PLACES: u64 = 16;
/// Number of records sampled at each place.
const LOOKED_AT: u64 = 256;

/// Compares records from all over a file with a program; from a compressed file, the first ones.
/// Cost: one decoding of the program, and reading 4,096 records.
///
/// # Errors
/// The file could not be read.
pub fn fit_of(
    file: &TraceFile,
    layout: &BranchLayout,
    files: &[ProgramFile],
) -> io::Result<ProgramFit> {
    let code = ProgramCode::new(files);
    let mut fit = ProgramFit::default();
    let record_bytes = layout.record_bytes as u64;
    // From a compressed file, unpack no more than needed.
    let count = match PackedKind::of(file.data.as_ref())? {
        Some(_) => PLACES * LOOKED_AT,
        None => file.data.length()?.saturating_sub(layout.first_record) / record_bytes.max(1),
    };
    let step = (count / PLACES).max(LOOKED_AT);
    for place in (0..PLACES)
        .map(|place| place * step)
        .take_while(|place| *place < count)
    {
        let first_record = layout.first_record + place * record_bytes;
        let mut reader =
            BranchRecordReader::new(file.clone(), layout.clone().beginning_at(first_record));
        for _ in 0..LOOKED_AT {
            let Some(record) = reader.next_record()? else {
                break;
            };
            match (code.word(record.pc), record.word) {
                (None, _) => fit.nowhere += 1,
                (Some(found), Some(told)) if found == told || is_probe(found) => fit.same += 1,
                // A record without its instruction must match an instruction that can have done
                // what it says.
                (Some(_), None) if FittedRecord::of(&record, &code).is_ok() => fit.same += 1,
                (Some(_), _) => fit.other += 1,
            }
        }
    }
    Ok(fit)
}
