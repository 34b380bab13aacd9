//! What the first records say of the program's files.

use std::io;

use crate::btrace::code::ProgramCode;
use crate::btrace::kind::is_probe;
use crate::btrace::layout::BranchLayout;
use crate::btrace::reader::RecordReader;
use crate::program_file::ProgramFile;
use crate::read_at::TraceFile;

/// So many records are looked at.
const LOOKED_AT: usize = 4096;

/// How the files of a program fit a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramFit {
    /// Records whose instruction the files have.
    pub same: u64,
    /// Records where the files have another instruction.
    pub other: u64,
    /// Records where the files have nothing.
    pub nowhere: u64,
}

impl ProgramFit {
    /// Of the first records of a file.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile, layout: &BranchLayout, files: &[ProgramFile]) -> io::Result<Self> {
        let code = ProgramCode::new(files);
        let mut reader = RecordReader::new(file.clone(), layout.clone());
        let mut fit = Self::default();
        for _ in 0..LOOKED_AT {
            let Some(record) = reader.next_record()? else { break };
            match (code.word(record.pc), record.word) {
                (None, _) => fit.nowhere += 1,
                (Some(found), Some(told)) if found != told && !is_probe(found) => fit.other += 1,
                // Where records do not have the instruction, one that is recorded must be there.
                (Some(_), None) if code.transfer(record.pc).is_none() => fit.other += 1,
                _ => fit.same += 1,
            }
        }
        Ok(fit)
    }

    /// The files are those of another program, or were loaded elsewhere.
    pub fn is_of_another_program(&self) -> bool {
        self.other > self.same
    }
}
