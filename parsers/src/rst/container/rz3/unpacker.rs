//! The loop over all records.

use std::io;

use stepback_machine::Endian;

use crate::rst::container::ahead::Ahead;
use crate::rst::container::batch::Ending;
use crate::rst::container::rz3::array::{ARRAYS, Array, widths};
use crate::rst::container::rz3::bits::{Bits, Fault};
use crate::rst::container::rz3::cpus::Cpus;
use crate::rst::container::rz3::output::Output;
use crate::rst::container::rz3::section::{NoSection, Section};
use crate::rst::container::rz3::warm::Phase;
use crate::rst::container::rz3::{instruction, memory, state, warm};

/// The minor versions that are known.
const MINORS: std::ops::RangeInclusive<u8> = 15..=20;

/// Unpacks rstzip, version 3, section by section.
pub struct Rz3 {
    minor: u8,
    widths: [u32; ARRAYS],
    endian: Option<Endian>,
    bits: Bits,
    cpus: Cpus,
    previous_kind: u8,
    phase: Phase,
}

impl Rz3 {
    /// Goes on behind the head of a file.
    pub fn new(head: &[u8]) -> Self {
        let minor = head.get(17).copied().unwrap_or_default();
        Self {
            minor,
            widths: widths(minor),
            endian: None,
            bits: Bits::default(),
            cpus: Cpus::new(),
            previous_kind: 0,
            phase: Phase::default(),
        }
    }

    /// The byte order of what wrote the file; known with the first section.
    pub fn endian(&self) -> Option<Endian> {
        self.endian
    }

    /// The records of the next section.
    pub fn next_batch(&mut self, input: &mut Ahead, out: &mut Vec<u8>) -> io::Result<Ending> {
        if !MINORS.contains(&self.minor) {
            let (first, last) = (MINORS.start(), MINORS.end());
            let why = format!("rstzip 3.{} is not known, only 3.{first} to 3.{last}", self.minor);
            return Ok(Ending::Damaged(why));
        }
        let used = std::mem::take(&mut self.bits);
        let (section, endian) = match Section::read(input, &self.widths, used)? {
            Ok(read) => read,
            Err(NoSection::Over) => return Ok(Ending::Over),
            Err(NoSection::Damaged(why)) => return Ok(Ending::Damaged(why)),
        };
        self.endian = Some(endian);
        Ok(self.decode(section, &mut Output { bytes: out, endian }))
    }

    fn decode(&mut self, section: Section, out: &mut Output<'_>) -> Ending {
        let Section { records, mut bits, is_cut_off } = section;
        let mut fault = None;
        while out.len() < records && fault.is_none() {
            let before = out.len();
            self.record(&mut bits, out);
            fault = bits.fault();
            if fault.is_some() {
                out.truncate(before);
            }
        }
        let is_waiting = self.cpus.end_section();
        if fault.is_none() && (is_waiting || !bits.is_used_up()) {
            fault = Some(Fault::Contradiction);
        }
        self.bits = bits;
        match fault {
            None => Ending::More,
            Some(Fault::Exhausted) if is_cut_off => {
                Ending::Damaged("the file is cut off: copy it again if there is more".to_owned())
            }
            Some(Fault::Memory) => Ending::Damaged("to unpack more would need more than 1 GiB of memory".to_owned()),
            Some(_) => Ending::Damaged(
                "what is packed here contradicts itself: some records before this place may be wrong too".to_owned(),
            ),
        }
    }

    #[inline]
    fn record(&mut self, bits: &mut Bits, out: &mut Output<'_>) {
        let kind = self.phase.next(bits).unwrap_or_else(|| match bits.next(Array::TypeKey) {
            0 => 3,
            1 => state::REGVAL,
            2 => 19,
            _ => bits.next(Array::Type) as u8,
        });
        let Self { cpus, minor, .. } = self;
        match kind {
            3 => instruction::decode(cpus, bits, out, *minor),
            state::REGVAL => state::decode_registers(cpus, bits, out, self.previous_kind),
            19 => memory::decode_difference(cpus, bits, out),
            26 => memory::decode_value(cpus, bits, out),
            _ => self.rare(kind, bits, out),
        }
        self.previous_kind = kind;
    }

    #[cold]
    fn rare(&mut self, kind: u8, bits: &mut Bits, out: &mut Output<'_>) {
        let Self { cpus, minor, .. } = self;
        match kind {
            5 => memory::decode_tlb(bits, out, *minor),
            7 => state::decode_trap(cpus, bits, out),
            13 => memory::decode_dma(bits, out),
            17 => state::decode_preg(cpus, bits, out),
            warm::CACHE => {
                self.phase.note(kind);
                warm::decode_cache(cpus, bits, out);
            }
            warm::BRANCH => {
                self.phase.note(kind);
                warm::decode_branch(cpus, bits, out, *minor);
            }
            _ => {
                let words = [bits.next(Array::Raw), bits.next(Array::Raw), bits.next(Array::Raw)];
                if kind == warm::SECTION {
                    self.phase.begin(words, out.endian);
                }
                out.push_raw(words);
            }
        }
    }
}
