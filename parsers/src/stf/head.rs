//! The beginning of a file: detection by its first bytes, and the facts of its header.

use std::io;

use stepback_machine::InstructionSet;

use crate::read_at::TraceFile;
use crate::stf::container::{StfContainer, open_bytes};
use crate::stf::record::{RecordLayout, StfRecord, feature, read_record};

/// Number of bytes of records that are examined for the header.
const HEADER_BYTES: usize = 256 << 10;
/// ISA number of RISC-V.
const RISCV: u16 = 1;

/// Facts that the header of a trace states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StfHead {
    /// Container of the records.
    pub container: StfContainer,
    /// Instruction set of the first instruction.
    pub instruction_set: InstructionSet,
    /// Name of an instruction set that is not RISC-V.
    pub foreign_isa: Option<&'static str>,
}

impl StfHead {
    /// Reads the header of a file; `None` if the file is no trace. A header that is cut off or
    /// damaged states what can be read of it.
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of(file: &TraceFile) -> io::Result<Option<Self>> {
        let Some(container) = StfContainer::of(file)? else {
            return Ok(None);
        };
        let bytes = first_records(file, container)?;
        let mut facts = HeaderFacts::default();
        let mut place = 0;
        while let Ok((record, length)) = read_record(
            bytes.get(place..).unwrap_or_default(),
            RecordLayout::default(),
        ) {
            place = place.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
            if !facts.take(&record) {
                break;
            }
        }
        Ok(Some(Self {
            container,
            instruction_set: facts.instruction_set(),
            foreign_isa: facts.isa.and_then(foreign_isa),
        }))
    }
}

#[derive(Default)]
struct HeaderFacts {
    isa: Option<u16>,
    mode: Option<u16>,
    features: u64,
}

impl HeaderFacts {
    /// Takes a record; returns false at the end of the header.
    fn take(&mut self, record: &StfRecord<'_>) -> bool {
        match *record {
            StfRecord::Isa(isa) => self.isa = Some(isa),
            StfRecord::EncodingMode(mode) => self.mode = Some(mode),
            StfRecord::Features(features) => self.features = features,
            StfRecord::HeaderEnd | StfRecord::Opcode { .. } => return false,
            _ => {}
        }
        true
    }

    fn instruction_set(&self) -> InstructionSet {
        let stated = self.mode.and_then(set_of_mode);
        stated.unwrap_or_else(|| set_of_features(self.features))
    }
}

/// Returns the instruction set of an encoding mode; `None` for unknown ones.
pub fn set_of_mode(mode: u16) -> Option<InstructionSet> {
    match mode {
        1 => Some(RV32),
        2 => Some(InstructionSet::Riscv64),
        _ => None,
    }
}

/// RISC-V with 32-bit registers.
pub const RV32: InstructionSet = InstructionSet::Riscv32;

/// Returns the instruction set according to the features, for headers without an encoding mode.
pub fn set_of_features(features: u64) -> InstructionSet {
    // Without any feature, the header may be missing.
    if features == 0 || features & feature::RV64 != 0 {
        InstructionSet::Riscv64
    } else {
        RV32
    }
}

/// Returns the name of an instruction set number other than that of RISC-V.
pub fn foreign_isa(isa: u16) -> Option<&'static str> {
    match isa {
        RISCV => None,
        2 => Some("Arm"),
        3 => Some("x86"),
        4 => Some("POWER"),
        _ => Some("an unknown processor"),
    }
}

fn first_records(file: &TraceFile, container: StfContainer) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut reader = open_bytes(&file.data, container)?;
    let mut buffer = vec![0; 16 << 10];
    while bytes.len() < HEADER_BYTES {
        let count = reader.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
    }
    Ok(bytes)
}
