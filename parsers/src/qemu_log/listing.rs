//! Instructions of translated blocks, which logs of `-d in_asm` print once ([`TranslatedCode`]).

use std::collections::HashMap;

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{Address, Encoding, InstructionSet, RegisterView, decode};

use crate::qemu_log::text_set::{set_of_lines, set_of_text};
use crate::text::digits::is_hex;
use crate::text::window::without_return;
use crate::text::words::{Words, bytes_in_order};
use crate::text_log::{LogHead, branch_of};

/// Number of bytes of an instruction of x86 in a line; the next line has the rest.
const LISTED_BYTES: usize = 8;
/// Maximum number of distinct instructions.
const INSTRUCTIONS: usize = 1 << 20;
/// Beginning of the names of threads.
pub(super) const PROCESSOR: &str = "cpu";
/// Maximum number of instructions of a block: QEMU translates no more at once.
pub(super) const BLOCK: usize = 512;

/// Instructions that were translated until now.
#[derive(Debug, Default)]
pub(super) struct TranslatedCode {
    instructions: HashMap<u64, ListedInstruction>,
    /// Number of instructions of each block, by its address.
    blocks: HashMap<u64, usize>,
    /// Block that is being listed; none between blocks.
    open: Option<OpenBlock>,
}

/// A block that is being listed.
#[derive(Clone, Debug)]
struct OpenBlock {
    start: u64,
    last: ListedLine,
}

impl TranslatedCode {
    /// Takes account of a line.
    pub fn add(&mut self, line: &[u8], set: InstructionSet) {
        if !line.starts_with(b"0x") {
            self.open = None;
            return;
        }
        let Some(mut line) = ListedLine::of(without_return(line), set) else {
            return;
        };
        let last = self.open.as_ref().map(|block| &block.last);
        let is_continued = last.is_some_and(|last| last.is_continued_by(&line));
        if let Some(last) = last.filter(|_| is_continued) {
            line = last.with(&line);
        }
        let pc = line.pc;
        if self.instructions.len() < INSTRUCTIONS || self.instructions.contains_key(&pc) {
            self.instructions.insert(pc, ListedInstruction::of(&line));
        }
        let start = self.open.as_ref().map_or(pc, |block| block.start);
        self.open = Some(OpenBlock { start, last: line });
        if start == pc && self.blocks.len() < INSTRUCTIONS {
            self.blocks.insert(pc, 1);
        } else if let Some(count) = self.blocks.get_mut(&start).filter(|_| !is_continued) {
            *count += 1;
        }
    }

    /// Iterates over the instructions of a block, with their addresses.
    pub fn block(&self, start: u64) -> impl Iterator<Item = (u64, &ListedInstruction)> {
        let count = self.blocks.get(&start).copied().unwrap_or_default();
        let mut pc = start;
        std::iter::from_fn(move || {
            let found = self.instructions.get(&pc)?;
            let length = found.encoding.map_or(0, |encoding| encoding.bytes().len());
            let address = pc;
            pc = pc.wrapping_add(length as u64);
            Some((address, found))
        })
        .take(count.min(BLOCK))
    }
}

/// A line of a translated block.
#[derive(Clone, Debug)]
struct ListedLine {
    pc: u64,
    set: InstructionSet,
    bytes: Vec<u8>,
    /// Disassembly.
    text: Vec<u8>,
}

/// An instruction of a translated block.
#[derive(Clone, Debug)]
pub(super) struct ListedInstruction {
    pub set: InstructionSet,
    pub encoding: Option<Encoding>,
    /// Registers that it writes.
    pub writes: Vec<RegisterView>,
    pub branch: RecordedBranch,
    pub text: Vec<u8>,
}

impl ListedLine {
    /// Splits a line: the address, the bytes as words or one by one, the text.
    fn of(line: &[u8], set: InstructionSet) -> Option<Self> {
        let mut words = Words::new(line);
        let pc = words.prefixed()?;
        if !words.take(b":") {
            return None;
        }
        let mut bytes = Vec::new();
        let is_bytewise = set.alignment() == 1;
        let mut own_set = set;
        loop {
            let before = words;
            let Some(digits) = words.word().and_then(bytes_in_order) else {
                words = before;
                break;
            };
            let is_code = if is_bytewise {
                digits.len() == 1
            } else {
                bytes.is_empty() || digits.len() == 2 && bytes.len() == 2
            };
            if !is_code || bytes.len() + digits.len() > Encoding::LIMIT {
                words = before;
                break;
            }
            // Thumb code is printed as halfwords, other code of AArch32 as words.
            if digits.len() == 2 {
                own_set = set.narrow_set().unwrap_or(set);
            }
            // A word is printed as a number.
            bytes.extend(digits.iter().rev());
        }
        words.skip_blanks();
        Some(Self {
            pc,
            set: own_set,
            bytes,
            text: words.rest().trim_ascii_end().to_vec(),
        })
    }

    /// Returns whether a line has the rest of the bytes of this one.
    fn is_continued_by(&self, next: &Self) -> bool {
        self.set.alignment() == 1
            && self.bytes.len() == LISTED_BYTES
            && next.text.is_empty()
            && next.pc == self.pc.wrapping_add(LISTED_BYTES as u64)
    }

    /// Returns the line with the bytes of the next one.
    fn with(&self, next: &Self) -> Self {
        let mut whole = self.clone();
        whole.bytes.extend_from_slice(&next.bytes);
        whole
    }
}

impl ListedInstruction {
    fn of(line: &ListedLine) -> Self {
        let (pc, set) = (Address(line.pc), line.set);
        let encoding = Encoding::new(&line.bytes);
        let decoded = encoding.map(|encoding| decode(encoding, pc, set));
        let used = decoded
            .as_ref()
            .and_then(|decoded| decoded.registers.as_ref());
        Self {
            set,
            encoding,
            writes: used.map(|used| used.writes.clone()).unwrap_or_default(),
            branch: encoding
                .map(|encoding| branch_of(encoding, pc, set))
                .unwrap_or_default(),
            text: line.text.clone(),
        }
    }
}

/// Returns the instruction set of the disassembly in the first lines.
pub(super) fn set_of_listing(head: &LogHead<'_>) -> Option<InstructionSet> {
    set_of_lines(head.lines().filter_map(|line| {
        let mut words = Words::new(line);
        let digits = words.prefixed_digits()?.len();
        if !words.take(b":") {
            return None;
        }
        let mut text = words;
        while words.word().is_some_and(is_hex) {
            text = words;
        }
        set_of_text(&String::from_utf8_lossy(text.rest()), digits)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listings_have_bytes_or_words() {
        let check = |line: &str, set, bytes: &[u8], text: &str| {
            let listed = ListedLine::of(line.as_bytes(), set).unwrap();
            assert_eq!(listed.bytes, bytes, "{line}");
            assert_eq!(listed.text, text.as_bytes(), "{line}");
        };
        check(
            "0x00400120:  90000109  adrp     x9, #0x420000",
            InstructionSet::A64,
            &[0x09, 0x01, 0, 0x90],
            "adrp     x9, #0x420000",
        );
        check(
            "0x00401000:  48 8d 25 f9 50 00 00     leaq     0x50f9(%rip), %rsp",
            InstructionSet::X86_64,
            &[0x48, 0x8d, 0x25, 0xf9, 0x50, 0, 0],
            "leaq     0x50f9(%rip), %rsp",
        );
        check(
            "0x000100ec:  a9018193          addi  gp,gp,-1392",
            InstructionSet::Riscv64,
            &[0x93, 0x81, 0x01, 0xa9],
            "addi  gp,gp,-1392",
        );
    }

    /// Lines of QEMU 7.2.
    #[test]
    fn instructions_have_the_set_and_all_bytes_of_their_lines() {
        let of_lines = |lines: &[&str], set| {
            let mut code = TranslatedCode::default();
            lines.iter().for_each(|line| code.add(line.as_bytes(), set));
            let found = code.block(0x43_485c).map(|(pc, listed)| {
                let length = listed.encoding.unwrap().bytes().len();
                (pc, listed.set, length)
            });
            found.collect::<Vec<_>>()
        };
        let x86 = InstructionSet::X86_64;
        let lines = [
            "0x0043485c:  48 c7 44 24 30 00 10 00  movq     $0x1000, 0x30(%rsp)",
            "0x00434864:  00",
            "0x00434865:  48 8d 05 c4 cc fc ff     leaq     -0x3333c(%rip), %rax",
        ];
        assert_eq!(
            of_lines(&lines, x86),
            [(0x43_485c, x86, 9), (0x43_4865, x86, 7)]
        );
        let (arm, thumb) = (InstructionSet::A32, InstructionSet::T32);
        let lines = [
            "0x0043485c:  f04f 0b00  mov.w    fp, #0",
            "0x00434860:  bc02       pop      {r1}",
        ];
        assert_eq!(
            of_lines(&lines, arm),
            [(0x43_485c, thumb, 4), (0x43_4860, thumb, 2)]
        );
        let lines = ["0x0043485c:  e3a0b000  mov      fp, #0"];
        assert_eq!(of_lines(&lines, arm), [(0x43_485c, arm, 4)]);
    }
}
