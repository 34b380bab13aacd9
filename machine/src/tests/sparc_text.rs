//! Instruction texts, compared with the GNU disassembler if it is installed.

use std::process::Command;

use crate::instruction::{Address, decode};
use crate::set::InstructionSet;

/// Programs from which the traces were made, if they are available.
const PROGRAMS: [&str; 5] = ["hello", "small", "medium", "large", "cti"];

/// Disassembler command.
const TOOL: &str = "sparc64-linux-gnu-objdump";
const MACHINE: &str = "sparc:v9m8";

/// Disassembles consecutive words starting at address 0; none if the tool is missing.
fn texts_of_tool(words: &[u32]) -> Option<Vec<String>> {
    let file = std::env::temp_dir().join(format!(
        "stepback-sparc-{}-{}.bin",
        std::process::id(),
        words.len()
    ));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    std::fs::write(&file, bytes).ok()?;
    let output = Command::new(TOOL)
        .args(["-b", "binary", "-m", MACHINE, "-EB", "-D", "-z"])
        .arg(&file)
        .output();
    let removed = std::fs::remove_file(&file);
    assert!(removed.is_ok());
    let Ok(output) = output else {
        eprintln!("{TOOL} is not installed: texts are not compared");
        return None;
    };
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let texts = lines
        .lines()
        .filter_map(|line| line.splitn(3, '\t').nth(2))
        .map(plain);
    Some(texts.collect())
}

/// Removes comments and repeated spaces.
fn plain(text: &str) -> String {
    let text = text.split('!').next().unwrap_or_default();
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_ascii_lowercase()
}

fn own_text(word: u32, pc: u64) -> String {
    let encoding = crate::instruction::Encoding::new(&word.to_be_bytes()).unwrap();
    let instruction = decode(encoding, Address(pc), InstructionSet::Sparc64);
    if instruction.is_decoded() {
        instruction.text.clone()
    } else {
        "unknown".to_owned()
    }
}

/// Returns the reason why our text differs on purpose; none if it should be equal.
fn difference(word: u32, own: &str, theirs: &str) -> Option<&'static str> {
    let field = |first: u32, width: u32| word >> first & ((1 << width) - 1);
    let (kind, destination, has_number) = (field(19, 6), field(25, 5), field(13, 1) == 1);
    let name = theirs.split(' ').next().unwrap_or_default();
    let is_unknown = own == "unknown";
    Some(match (word >> 30, kind) {
        (0, _) if is_unknown && field(22, 3) == 7 => {
            "version 9 has no branches on codes of a coprocessor"
        }
        (0, _) if is_unknown && field(22, 3) == 1 && field(20, 1) == 1 => {
            "there are no such condition codes"
        }
        (0, _) if name == "illtrap" => "the constant has no sign",
        (0, _) if name.starts_with("cwb") || name.starts_with("cxb") => {
            "the number that is compared with has a sign"
        }
        (2, 0x3a) if is_unknown => {
            "no bit between the condition codes and the number of a trap means anything"
        }
        (2, 0x3a) => "the number of a trap ends where the condition codes begin",
        (2, 0x39 | 0x3b) if is_unknown && destination != 0 => "the instruction has no destination",
        (2, 0x38) if matches!(name, "ret" | "retl") && destination != 0 => "it writes a register",
        (2, 0x35) if is_unknown && name.starts_with("fmovr") && has_number => {
            "a bit without a meaning is not empty"
        }
        (2, 0x36) if is_unknown && LATER.contains(&name) => {
            "an instruction of processors from 2017 on"
        }
        (2, 0x3f) if is_unknown => "an instruction that only one processor has",
        (3, 0x28..=0x2c | 0x2e | 0x2f | 0x31 | 0x35 | 0x38..=0x3b) if is_unknown => {
            "an instruction of processors from 2017 on"
        }
        (3, 0x36) if theirs == "unknown" && !has_number => {
            "the form with a space in the word is as good as any"
        }
        (2 | 3, _) if is_unknown && !has_number && field(5, 8) != 0 => {
            "bits without a meaning are not empty"
        }
        (2, 0x28..=0x2a) if is_unknown => "bits without a meaning are not empty",
        _ => return None,
    })
}

/// Instructions of the Oracle SPARC Architecture 2017.
const LATER: [&str; 30] = [
    "onadd",
    "onsub",
    "onmul",
    "ondiv",
    "dictunpack",
    "revbitsb",
    "revbytesh",
    "revbytesw",
    "revbytesx",
    "rle_burst",
    "rle_length",
    "faligndata",
    "fpcmpde8shl",
    "fpcmpde16shl",
    "fpcmpde32shl",
    "fpcmpule8shl",
    "fpcmpugt8shl",
    "fpcmpeq8shl",
    "fpcmpne8shl",
    "fpcmpule16shl",
    "fpcmpugt16shl",
    "fpcmpeq16shl",
    "fpcmpne16shl",
    "fpcmpule32shl",
    "fpcmpugt32shl",
    "fpcmpeq32shl",
    "fpcmpne32shl",
    "fpcmpur8shl",
    "fpcmpur16shl",
    "fpcmpur32shl",
];

#[track_caller]
fn compare(words: &[u32]) {
    let Some(theirs) = texts_of_tool(words) else {
        return;
    };
    assert_eq!(theirs.len(), words.len());
    let mut wrong = Vec::new();
    for (place, (word, theirs)) in words.iter().zip(&theirs).enumerate() {
        let own = own_text(*word, 4 * place as u64);
        if own != *theirs && difference(*word, &own, theirs).is_none() {
            wrong.push(format!("{word:08x} ours {own:?} theirs {theirs:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        words.len(),
        wrong
            .iter()
            .take(150)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    );
}

/// Deterministic pseudo-random numbers (xorshift).
struct XorshiftNumbers(u64);

impl XorshiftNumbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn among(&mut self, choices: &[u32]) -> u32 {
        let place = self.next() as usize % choices.len();
        choices[place]
    }
}

#[test]
fn random_words_of_every_kind_have_the_text_of_the_tool() {
    let mut numbers = XorshiftNumbers(0x1234_5678_9abc_def1);
    let mut words = Vec::new();
    for _ in 0..60_000 {
        let number = numbers.next();
        words.push((number >> 16) as u32);
    }
    for format in [2u32, 3] {
        for kind in 0..64u32 {
            for _ in 0..600 {
                let registers = [0, 0, 1, 9, 14, 15, 30, 31, 17, 8, 5];
                let destination = numbers.among(&registers);
                let first = numbers.among(&[0, 0, destination, 9, 14, 15, 31, 4, 8, 12, 20]);
                let low = match numbers.next() % 5 {
                    0 => numbers.among(&[0, 1, 5, 8, 0x3f, 0x7f, 0x1ff8, 0x1000, 0x800]),
                    1 => numbers.next() as u32 & 31,
                    2 => numbers.next() as u32 & 0x1fff,
                    3 => (numbers.next() as u32 & 0x1ff) << 5 | 6,
                    _ => (numbers.next() as u32 & 0x1c00) | 5,
                };
                let has_number = numbers.next() as u32 & 1;
                words.push(
                    format << 30
                        | destination << 25
                        | kind << 19
                        | first << 14
                        | has_number << 13
                        | low,
                );
            }
        }
    }
    for kind in [0x19, 0x34, 0x35, 0x36, 0x37u32] {
        for operation in 0..512 {
            for _ in 0..12 {
                let destination = numbers.among(&[0, 1, 3, 5, 8, 30]);
                let first = numbers.among(&[0, 0, 9, 31]);
                words.push(
                    2 << 30
                        | destination << 25
                        | kind << 19
                        | first << 14
                        | operation << 5
                        | numbers.among(&[0, 3, 6, 31]),
                );
            }
        }
    }
    compare(&words);
}

/// Returns the words of the executable part of a program (ELF, 64 bit, big-endian).
fn code_of(program: &[u8]) -> Vec<u32> {
    let number = |place: usize, length: usize| {
        program[place..place + length]
            .iter()
            .fold(0usize, |value, byte| value << 8 | usize::from(*byte))
    };
    let (headers, size, count) = (number(32, 8), number(54, 2), number(56, 2));
    let headers = (0..count).map(|place| headers + place * size);
    let is_code = |header: &usize| number(*header, 4) == 1 && number(header + 4, 4) & 1 == 1;
    let bytes = headers.filter(is_code).flat_map(|header| {
        let (offset, length) = (number(header + 8, 8), number(header + 32, 8));
        program[offset..offset + length].to_vec()
    });
    bytes
        .collect::<Vec<_>>()
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_be_bytes(*word))
        .collect()
}

#[test]
fn whole_programs_have_the_text_of_the_tool() {
    let Some(folder) = std::env::var_os("STEPBACK_TRACES") else {
        eprintln!("STEPBACK_TRACES is not set: programs are not compared");
        return;
    };
    for name in PROGRAMS {
        let path = std::path::Path::new(&folder).join("rst").join(name);
        let Ok(program) = std::fs::read(&path) else {
            continue;
        };
        let words = code_of(&program);
        assert!(words.len() > 50, "{name}");
        compare(&words);
    }
}

#[test]
fn every_word_decodes_without_a_panic_and_what_it_means_is_told_where_it_has_a_text() {
    let mut numbers = XorshiftNumbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..200_000 {
        let word = numbers.next() as u32;
        let encoding = crate::instruction::Encoding::new(&word.to_be_bytes()).unwrap();
        let instruction = decode(encoding, Address(0x1000), InstructionSet::Sparc64);
        assert!(
            instruction.is_decoded() || instruction.registers.is_none(),
            "{word:08x}"
        );
        let is_stated = instruction.registers.is_some()
            || WITHOUT_MEANING
                .iter()
                .any(|name| instruction.text.starts_with(name));
        assert!(
            is_stated || !instruction.is_decoded() || word >> 30 == 3,
            "{word:08x} {}",
            instruction.text
        );
    }
}

/// Instructions that use more registers than they name.
const WITHOUT_MEANING: [&str; 6] = ["md5", "sha", "mpmul", "montmul", "montsqr", "unknown"];
