//! Machine of an ELF file.

use std::fs::File;
use std::path::Path;

use stepback_machine::{ElfMachine, InstructionSet};
use stepback_parsers::ReadAt as _;

/// Returns the instruction set of an ELF file; none for other files and unknown machines.
pub fn machine_of(path: &Path) -> Option<InstructionSet> {
    let mut head = [0; 20];
    let count = File::open(path).ok()?.read_at(0, &mut head).ok()?;
    if count < head.len() || !head.starts_with(b"\x7fELF") {
        return None;
    }
    let [.., low, high] = head;
    let is_big = head.get(5) == Some(&2);
    let number = if is_big {
        u16::from_be_bytes([low, high])
    } else {
        u16::from_le_bytes([low, high])
    };
    let word_bytes = if head.get(4) == Some(&2) { 8 } else { 4 };
    InstructionSet::of_elf(ElfMachine { number, word_bytes })
}
