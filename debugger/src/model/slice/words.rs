//! Formats cells, flags and edges of a slice.

use stepback_index::{Edge, Index, NameReader, SliceCell};
use stepback_machine::{InstructionSet, RegisterId, RegisterView, Registers};

/// Formats a cell as `find` and `why` accept it: `x0`, `0x80020010:4`, `psr`.
pub fn cell_words(cell: SliceCell, index: &Index) -> String {
    match cell {
        SliceCell::Register { thread, view } => {
            NameReader(index).register_name(view, index.instruction_set(thread))
        }
        SliceCell::Flags { thread, bits } => {
            status_name(bits, index.instruction_set(thread)).to_owned()
        }
        SliceCell::Memory { address, len_bytes } => format!("{address}:{len_bytes}"),
    }
}

/// Returns the name of the register that contains some flags: `psr`, `rflags`, `ccr`.
fn status_name(bits: u64, set: InstructionSet) -> &'static str {
    let part = if bits >> 32 == 0 {
        None
    } else {
        Some(RegisterView::new(RegisterId::PSR, 4, 1))
    };
    let whole = [4, 8].map(|size_bytes| RegisterView::new(RegisterId::PSR, 0, size_bytes));
    part.into_iter()
        .chain(whole)
        .find_map(|view| Registers::name(view, set))
        .unwrap_or("flags")
}

/// Returns the letters of some flags, `nz`; empty if the architecture has none for them.
pub fn flag_letters(bits: u64, set: InstructionSet) -> String {
    let bytes = bits.to_le_bytes().map(Some);
    set.status(&bytes)
        .flags
        .iter()
        .filter(|flag| flag.is_set == Some(true))
        .map(|flag| flag.letter)
        .collect()
}

/// Returns the kind of an edge as the command line writes it.
pub fn edge_word(edge: Edge) -> &'static str {
    match edge {
        Edge::Copy => "copy",
        Edge::Data => "data",
        Edge::Address => "address",
        Edge::Flags => "flags",
        Edge::Control => "control",
    }
}
