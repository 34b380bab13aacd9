//! Register dependences of vector instructions, as processors and emulators show them when bytes of
//! registers are flipped.
//!
//! `dependences/README.md` describes the tables and how to make them.

use std::collections::BTreeMap;

use crate::instruction::{Address, Encoding, Instruction, decode};
use crate::origins::{InstructionInput, ValueOrigin};
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// A mask of register bytes.
type ByteMask = u64;

/// Forms that name entire registers and use parts of them.
const PARTIAL_READERS: [&str; 10] = [
    "zip", "uzp", "trn", "ext", "fcmla", "sha", "sm3", "vcmla", "vzip", "vuzp",
];

/// A written register and the bytes that its value depends on.
struct RegisterDependence {
    view: RegisterView,
    /// Bytes that keep their values.
    kept: ByteMask,
    /// Bytes of the old value that it depends on.
    old: ByteMask,
    /// Other registers that it depends on, with the bytes for vectors.
    sources: BTreeMap<RegisterId, ByteMask>,
}

impl RegisterDependence {
    fn parse(text: &str, set: InstructionSet) -> Self {
        let mut words = text.split_whitespace();
        let view = view(words.next().unwrap(), set);
        let mut mask =
            || ByteMask::from_str_radix(words.next().unwrap(), 16).unwrap() << view.offset;
        let (kept, old) = (mask(), mask());
        let mut sources = BTreeMap::new();
        for word in words {
            let (name, mask) = word.split_once(':').unwrap_or((word, "0"));
            let source = self::view(name, set);
            let bytes = ByteMask::from_str_radix(mask, 16).unwrap() << source.offset;
            *sources.entry(source.register).or_default() |= bytes;
        }
        // A source may be another part of the written register.
        let is_status = view.register == RegisterId::PSR;
        let old = old
            | if is_status {
                0
            } else {
                sources.remove(&view.register).unwrap_or(0)
            };
        Self {
            view,
            kept,
            old,
            sources,
        }
    }

    /// Builds the expected form from the description of an instruction, for vectors of this length.
    fn described(instruction: &Instruction, view: RegisterView, vector_bytes: u16) -> Self {
        let mut output = Self {
            view,
            kept: 0,
            old: 0,
            sources: BTreeMap::new(),
        };
        let known = instruction.registers.as_ref().unwrap();
        if view.register == RegisterId::PSR {
            instruction
                .origins_of_flags()
                .into_iter()
                .for_each(|origin| output.take(origin.input, vector_bytes));
        } else {
            for offset in bytes_of(view, vector_bytes) {
                let origins = origins_of_byte(
                    instruction,
                    RegisterView {
                        offset,
                        size_bytes: 1,
                        ..view
                    },
                );
                let same = InstructionInput::Register(RegisterView {
                    offset,
                    size_bytes: 1,
                    ..view
                });
                if matches!(origins.as_slice(), [origin] if origin.input == same && origin.is_copy)
                {
                    output.kept |= 1 << offset;
                }
                origins
                    .into_iter()
                    .for_each(|origin| output.take(origin.input, vector_bytes));
            }
        }
        if known.is_flags_read() {
            output.sources.insert(RegisterId::PSR, 0);
        }
        output
    }

    fn take(&mut self, input: InstructionInput, vector_bytes: u16) {
        let InstructionInput::Register(view) = input else {
            return;
        };
        let bytes = bytes_of(view, vector_bytes).fold(0, |bytes, byte| bytes | 1 << byte);
        match view.register == self.view.register {
            true => self.old |= bytes,
            false => *self.sources.entry(view.register).or_default() |= bytes,
        }
    }

    /// Returns dependences that the description lacks, or has in excess.
    fn differences(&self, described: &Self, is_whole: bool) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut check = |is_right: bool, text: String| {
            if !is_right {
                wrong.push(text);
            }
        };
        check(
            self.kept == described.kept,
            format!(
                "keeps {:x}, is said to keep {:x}",
                self.kept, described.kept
            ),
        );
        let most = if is_whole && self.old != 0 {
            ByteMask::MAX
        } else {
            halves(self.old)
        };
        let is_old_right = covers(described.old, self.old) && covers(most, described.old);
        check(
            is_old_right,
            format!("old {:x}, described {:x}", self.old, described.old),
        );
        for (register, bytes) in &self.sources {
            let Some(known) = described.sources.get(register) else {
                check(false, format!("{register:?} is not a source"));
                continue;
            };
            let is_vector = (RegisterId::V0..RegisterId::P0).contains(register);
            let most = if is_whole {
                ByteMask::MAX
            } else {
                halves(*bytes)
            };
            let is_right = !is_vector || covers(*known, *bytes) && covers(most, *known);
            check(
                is_right,
                format!("{register:?} {bytes:x}, described {known:x}"),
            );
        }
        for register in described.sources.keys() {
            check(
                self.sources.contains_key(register),
                format!("{register:?} does not matter"),
            );
        }
        wrong
    }
}

/// Returns the inputs of a register byte: itself if the instruction does not write it.
fn origins_of_byte(instruction: &Instruction, byte: RegisterView) -> Vec<ValueOrigin> {
    let effect = instruction
        .meaning
        .writes
        .iter()
        .find(|effect| effect.view.overlaps(byte));
    let is_written = instruction.may_write(byte);
    match effect {
        Some(effect) => {
            let first = byte.offset - effect.view.offset;
            instruction.origins_of_value(&effect.value, first..first + 1)
        }
        None if is_written => instruction.origins_of_selection(None, Some(byte.register)),
        None => vec![ValueOrigin {
            input: InstructionInput::Register(byte),
            is_copy: true,
        }],
    }
}

fn bytes_of(view: RegisterView, vector_bytes: u16) -> impl Iterator<Item = u16> {
    (view.offset..view.offset + view.size_bytes).take_while(move |byte| *byte < vector_bytes)
}

fn covers(outer: ByteMask, inner: ByteMask) -> bool {
    inner & !outer == 0
}

/// Widens a mask to all bytes of each group of eight that has one of them.
fn halves(bytes: ByteMask) -> ByteMask {
    let groups = (0..8).map(|number| 0xff << (8 * number));
    groups
        .filter(|group| bytes & group != 0)
        .fold(0, |all, group| all | group)
}

fn view(name: &str, set: InstructionSet) -> RegisterView {
    let name = if name == "nzcv" { "cpsr" } else { name };
    Registers::view(name, set).unwrap_or_else(|| panic!("{name}"))
}

/// Compares the lines of a table, for vectors of the given length, with the decoded descriptions.
#[track_caller]
fn check(table: &str, set: InstructionSet, vector_bytes: u16, names_whole: bool) {
    let mut wrong = Vec::new();
    for line in table.lines() {
        let [bytes, outputs, text] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let bytes: Vec<_> = (0..bytes.len() / 2)
            .map(|at| u8::from_str_radix(&bytes[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let instruction = decode(Encoding::new(&bytes).unwrap(), Address(0x1000), set);
        let Some(known) = &instruction.registers else {
            wrong.push(format!("{line}: unknown"));
            continue;
        };
        // Indexed elements and permutations name entire registers.
        let is_whole = names_whole
            || text.contains(['[', '{'])
            || PARTIAL_READERS.iter().any(|name| text.starts_with(name));
        let mut differences = Vec::new();
        let mut written = Vec::new();
        for mut output in outputs
            .split(" ; ")
            .map(|text| RegisterDependence::parse(text, set))
        {
            let is_vector = (RegisterId::V0..RegisterId::P0).contains(&output.view.register);
            output.view.size_bytes = if is_vector {
                output.view.size_bytes.min(vector_bytes)
            } else {
                output.view.size_bytes
            };
            if known.writes.iter().all(|view| !view.overlaps(output.view)) {
                differences.push(format!("{:?} is not written", output.view));
            }
            differences.extend(output.differences(
                &RegisterDependence::described(&instruction, output.view, vector_bytes),
                is_whole,
            ));
            let is_listed = |view: &RegisterView| {
                view.register == output.view.register && view.register != RegisterId::PSR
            };
            let is_taken = output.kept | output.old != 0;
            if !is_taken && instruction.meaning.listed_reads.iter().any(is_listed) {
                differences.push(format!("{:?} is listed as read", output.view));
            }
            written.push(output.view);
        }
        let is_extra = |view: &&RegisterView| {
            bytes_of(**view, vector_bytes).any(|offset| {
                let byte = RegisterView {
                    offset,
                    size_bytes: 1,
                    ..**view
                };
                !written.iter().any(|known| known.overlaps(byte))
            })
        };
        differences.extend(
            known
                .writes
                .iter()
                .filter(is_extra)
                .map(|view| format!("{view:?} is written")),
        );
        if !differences.is_empty() {
            wrong.push(format!(
                "{line} ({}): {}",
                instruction.text,
                differences.join(", ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} lines:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn vectors_of_a64() {
    check(
        include_str!("dependences/a64_vectors.txt"),
        InstructionSet::A64,
        16,
        false,
    );
}

#[test]
fn scalable_vectors_of_a64() {
    check(
        include_str!("dependences/a64_scalable.txt"),
        InstructionSet::A64,
        16,
        true,
    );
}

#[test]
fn vectors_of_a32() {
    check(
        include_str!("dependences/a32_vectors.txt"),
        InstructionSet::A32,
        16,
        false,
    );
}

#[test]
fn partial_writes_of_x86() {
    check(
        include_str!("dependences/x86_partial.txt"),
        InstructionSet::X86_64,
        64,
        true,
    );
}

/// A32 encodings, converted to the leading bits that they have in T32 (DDI 0487, F3.1 and F4.1).
#[test]
fn vectors_of_t32() {
    let narrowed = include_str!("dependences/a32_vectors.txt")
        .lines()
        .map(|line| {
            let (digits, rest) = line.split_at(8);
            let word = u32::from_str_radix(digits, 16).unwrap().swap_bytes();
            let word = match word >> 24 {
                top @ (0xf2 | 0xf3) => word & 0x00ff_ffff | (0xef | (top & 1) << 4) << 24,
                0xf4 => word & 0x00ff_ffff | 0xf900_0000,
                _ => word,
            };
            format!("{:08x}{rest}\n", word.rotate_left(16).swap_bytes())
        });
    check(
        &narrowed.collect::<String>(),
        InstructionSet::T32,
        16,
        false,
    );
}
