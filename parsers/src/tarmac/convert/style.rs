//! The two main styles of Tarmac ([`TarmacStyle`]), and the facts that a conversion to the other
//! style loses ([`ConversionLoss`]).

use std::fmt;

/// A style of writing a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TarmacStyle {
    /// `IT` lines, `MR4` and `MW4`, a time on each line: Fast Models.
    FastModels,
    /// `ES` lines, `LD` and `ST` diagrams, a time on instruction lines: the ES style of RTL and of
    /// older models.
    Es,
}

/// Number of facts that the other style cannot express.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConversionLoss {
    /// Physical addresses of instructions, and of accesses that cross a page.
    pub physical_addresses: u64,
    /// Texts after a diagram other than its physical address: memory types.
    pub memory_types: u64,
    /// Marks of exclusive accesses.
    pub exclusive_marks: u64,
    /// Lines that were too long, and records that were cut off by another one on their line.
    pub damaged: u64,
}

impl ConversionLoss {
    /// Adds the losses of another part.
    pub(super) fn add(&mut self, other: Self) {
        self.physical_addresses += other.physical_addresses;
        self.memory_types += other.memory_types;
        self.exclusive_marks += other.exclusive_marks;
        self.damaged += other.damaged;
    }
}

/// Writes `2 physical addresses, 1 memory type`; nothing if there are no losses.
impl fmt::Display for ConversionLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (
                self.physical_addresses,
                "physical address",
                "physical addresses",
            ),
            (self.memory_types, "memory type", "memory types"),
            (self.exclusive_marks, "exclusive mark", "exclusive marks"),
            (self.damaged, "damaged record", "damaged records"),
        ];
        let parts = parts.iter().filter(|(count, ..)| *count > 0);
        for (place, (count, one, many)) in parts.enumerate() {
            let separator = if place > 0 { ", " } else { "" };
            write!(
                f,
                "{separator}{count} {}",
                if *count == 1 { one } else { many }
            )?;
        }
        Ok(())
    }
}
