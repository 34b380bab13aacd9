//! How some records of a file fit the files of a program.

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

/// Records are looked at in so many places of the file: what starts a program may be in other files than itself.
const PLACES: u64 = 16;
/// So many in each.
const LOOKED_AT: u64 = 256;

/// How records from all over a file fit; of a packed one the first. Cost: that of decoding the program, and of 4,096 records.
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
    // Of a packed one no more is unpacked than need be.
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
                // Where records do not have the instruction, it must be one that can have done what they say.
                (Some(_), None) if FittedRecord::of(&record, &code).is_ok() => fit.same += 1,
                (Some(_), _) => fit.other += 1,
            }
        }
    }
    Ok(fit)
}
