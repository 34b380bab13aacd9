//! Decodes all sections of a file.

use std::io;

use stepback_machine::Endian;

use crate::problem::RstFault;
use crate::rst::container::ahead::ReadAheadReader;
use crate::rst::container::batch::{BatchEnd, UnpackFault};
use crate::rst::container::kind::RstContainer;
use crate::rst::container::rz3::bits::{ARRAYS, SectionArray, SectionBits, widths};
use crate::rst::container::rz3::cpu::Rz3CpuTable;
use crate::rst::container::rz3::section::{Section, SectionOutput};
use crate::rst::container::rz3::warm::WarmingPhase;
use crate::rst::container::rz3::{instruction, state, warm};
use crate::rst::kind;

/// The supported minor versions.
const MINORS: std::ops::RangeInclusive<u8> = 15..=20;

/// Unpacks rstzip, version 3, section by section.
pub struct Rz3 {
    minor: u8,
    /// True if the file ends within its head.
    is_cut_off: bool,
    widths: [u32; ARRAYS],
    endian: Option<Endian>,
    bits: SectionBits,
    cpus: Rz3CpuTable,
    previous_kind: u8,
    phase: WarmingPhase,
}

impl Rz3 {
    /// Continues after the head of a file.
    pub fn new(head: &[u8]) -> Self {
        let minor = head.get(17).copied().unwrap_or_default();
        Self {
            minor,
            is_cut_off: head.len() < RstContainer::MAGIC_BYTES,
            widths: widths(minor),
            endian: None,
            bits: SectionBits::default(),
            cpus: Rz3CpuTable::new(),
            previous_kind: 0,
            phase: WarmingPhase::default(),
        }
    }

    /// Returns the byte order of the file's writer; known after the first section.
    pub fn endian(&self) -> Option<Endian> {
        self.endian
    }

    /// Decodes the records of the next section.
    pub fn next_batch(
        &mut self,
        input: &mut ReadAheadReader,
        out: &mut Vec<u8>,
    ) -> io::Result<BatchEnd> {
        if self.is_cut_off {
            return Ok(BatchEnd::Damaged(RstFault::CutOff));
        }
        if !MINORS.contains(&self.minor) {
            return Ok(BatchEnd::Damaged(RstFault::UnknownVersion {
                minor: self.minor,
                first: *MINORS.start(),
                last: *MINORS.end(),
            }));
        }
        let used = std::mem::take(&mut self.bits);
        let (section, endian) = match Section::read(input, &self.widths, used)? {
            Ok(read) => read,
            Err(end) => return Ok(end),
        };
        self.endian = Some(endian);
        Ok(self.decode(section, &mut SectionOutput { bytes: out, endian }))
    }

    fn decode(&mut self, section: Section, out: &mut SectionOutput<'_>) -> BatchEnd {
        let Section {
            records,
            mut bits,
            is_cut_off,
        } = section;
        let mut fault = None;
        while out.len() < records && fault.is_none() {
            let before = out.len();
            self.record(&mut bits, out);
            fault = bits.fault();
            if fault.is_some() {
                out.truncate(before);
            }
        }
        let waiting = self.cpus.end_section();
        if let Some(record) = waiting {
            out.truncate(record);
        }
        if fault.is_none() && (waiting.is_some() || !bits.is_used_up()) {
            fault = Some(UnpackFault::Contradiction);
        }
        self.bits = bits;
        match fault {
            None => BatchEnd::More,
            Some(UnpackFault::Short) if is_cut_off => BatchEnd::Damaged(RstFault::CutOff),
            Some(fault) => fault.end(),
        }
    }

    #[inline]
    fn record(&mut self, bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
        let record_kind =
            self.phase
                .next(bits)
                .unwrap_or_else(|| match bits.next(SectionArray::TypeKey) {
                    0 => kind::INSTRUCTION,
                    1 => kind::REGISTERS,
                    2 => kind::DIFFERENCE,
                    _ => bits.next(SectionArray::Type) as u8,
                });
        let Self { cpus, minor, .. } = self;
        match record_kind {
            kind::INSTRUCTION => instruction::decode(cpus, bits, out, *minor),
            kind::REGISTERS => state::decode_registers(cpus, bits, out, self.previous_kind),
            kind::DIFFERENCE => state::decode_difference(cpus, bits, out),
            kind::MEMORY => state::decode_value(cpus, bits, out),
            _ => self.rare(record_kind, bits, out),
        }
        self.previous_kind = record_kind;
    }

    #[cold]
    fn rare(&mut self, record_kind: u8, bits: &mut SectionBits, out: &mut SectionOutput<'_>) {
        let Self { cpus, minor, .. } = self;
        match record_kind {
            kind::TLB => state::decode_tlb(bits, out, *minor),
            kind::TRAP => state::decode_trap(cpus, bits, out),
            kind::DMA => state::decode_dma(bits, out),
            kind::PREG => state::decode_preg(cpus, bits, out),
            kind::RFS_CACHE => {
                self.phase.note(record_kind);
                warm::decode_cache(cpus, bits, out);
            }
            kind::RFS_BRANCH => {
                self.phase.note(record_kind);
                warm::decode_branch(cpus, bits, out, *minor);
            }
            _ => {
                let words = [
                    bits.next(SectionArray::Raw),
                    bits.next(SectionArray::Raw),
                    bits.next(SectionArray::Raw),
                ];
                if record_kind == kind::RFS_SECTION {
                    self.phase.begin(words, out.endian);
                }
                out.push_raw(words);
            }
        }
    }
}
