//! Registers of x86 in 64-bit and 32-bit mode, and the flags of the status register (Intel SDM,
//! volume 1, 3.4.3 "EFLAGS Register").
//!
//! Vector registers have 64 bytes; a processor without AVX-512 never writes the upper ones.
//! `sp` is the full stack pointer here, as in all architectures, not its low 16 bits.

use iced_x86::RflagsBits;

use crate::dwarf_registers::DwarfRegisterRun;
use crate::register_group::RegisterGroup;
use crate::status::{PartialBits, StatusFlag, StatusRegister};
use crate::view::{RegisterId, RegisterView};

/// Registers with individual names, and their parts: 8 bytes, 4, 2, the low byte, the second byte.
const GENERAL: [(RegisterId, [&str; 5]); 8] = [
    (RegisterId(0), ["rax", "eax", "ax", "al", "ah"]),
    (RegisterId(1), ["rcx", "ecx", "cx", "cl", "ch"]),
    (RegisterId(2), ["rdx", "edx", "dx", "dl", "dh"]),
    (RegisterId(3), ["rbx", "ebx", "bx", "bl", "bh"]),
    (RegisterId::SP, ["rsp", "esp", "", "spl", ""]),
    (RegisterId(5), ["rbp", "ebp", "bp", "bpl", ""]),
    (RegisterId(6), ["rsi", "esi", "si", "sil", ""]),
    (RegisterId(7), ["rdi", "edi", "di", "dil", ""]),
];

const PARTS: [(u16, u16); 5] = [(0, 8), (0, 4), (0, 2), (0, 1), (1, 1)];

/// Numbers in DWARF (System V ABI, AMD64 supplement, figure 3.36 "DWARF Register Number Mapping").
pub const DWARF_64: [DwarfRegisterRun; 9] = [
    DwarfRegisterRun::listed(0, &["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"]),
    DwarfRegisterRun::from(8, "r", 8, 8),
    DwarfRegisterRun::listed(16, &["rip"]),
    DwarfRegisterRun::of(17, "xmm", 16),
    DwarfRegisterRun::of(33, "st", 8),
    DwarfRegisterRun::of(41, "mm", 8),
    DwarfRegisterRun::listed(49, &["rflags"]),
    DwarfRegisterRun::from(67, "xmm", 16, 16),
    DwarfRegisterRun::of(118, "k", 8),
];

/// Numbers in DWARF (System V ABI, Intel386 supplement, table 2.14 "DWARF Register Number Mapping").
pub const DWARF_32: [DwarfRegisterRun; 5] = [
    DwarfRegisterRun::listed(
        0,
        &[
            "eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags",
        ],
    ),
    DwarfRegisterRun::of(11, "st", 8),
    DwarfRegisterRun::of(21, "xmm", 8),
    DwarfRegisterRun::of(29, "mm", 8),
    DwarfRegisterRun::listed(39, &["mxcsr"]),
];

/// Other registers with their sizes.
const OTHERS: [(&str, RegisterId, u16); 18] = [
    ("rip", RegisterId::PC, 8),
    ("eip", RegisterId::PC, 4),
    ("rflags", RegisterId::PSR, 8),
    ("eflags", RegisterId::PSR, 4),
    ("flags", RegisterId::PSR, 2),
    ("mxcsr", RegisterId::FPSCR, 4),
    ("fpcw", RegisterId::FPCR, 2),
    ("fpsw", RegisterId::FPSR, 2),
    ("fs_base", RegisterId::FS_BASE, 8),
    ("gs_base", RegisterId::GS_BASE, 8),
    ("fsbase", RegisterId::FS_BASE, 8),
    ("gsbase", RegisterId::GS_BASE, 8),
    ("cs", RegisterId(18), 2),
    ("ss", RegisterId(19), 2),
    ("ds", RegisterId(20), 2),
    ("es", RegisterId(21), 2),
    ("fs", RegisterId(22), 2),
    ("gs", RegisterId(23), 2),
];

/// Displayed registers of 64-bit mode, without the numbered ones.
pub const SHOWN_64: [&str; 18] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15", "rip", "rflags",
];
/// Displayed registers of 32-bit mode.
pub const SHOWN_32: [&str; 10] = [
    "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp", "eip", "eflags",
];
/// Registers that the kernel or the compiler sets.
pub const SYSTEM: [&str; 9] = [
    "mxcsr", "fs_base", "gs_base", "cs", "ss", "ds", "es", "fs", "gs",
];

/// Returns the names of all views without numbers.
pub fn fixed_names(word: u16) -> impl Iterator<Item = &'static str> {
    let general = GENERAL.iter().flat_map(|(_, names)| names);
    let all = general
        .copied()
        .chain(OTHERS.iter().map(|(name, ..)| *name));
    all.filter(move |name| !name.is_empty() && view(name, word).is_some())
}

/// Returns the view of a lower-case name, given the number of bytes in an address.
pub fn view(name: &str, word: u16) -> Option<RegisterView> {
    let view = match name {
        "sp" => RegisterView::new(RegisterId::SP, 0, word),
        "pc" => RegisterView::new(RegisterId::PC, 0, word),
        "psr" => RegisterView::new(RegisterId::PSR, 0, word),
        _ => general(name)
            .or_else(|| other(name))
            .or_else(|| numbered(name))?,
    };
    let is_general =
        view.register.0 < 16 || view.register == RegisterId::SP || view.register == RegisterId::PC;
    let is_wide = is_general && view.size_bytes > word;
    let is_high = (8..16).contains(&view.register.0) && word == 4;
    (!is_wide && !is_high).then_some(view)
}

fn general(name: &str) -> Option<RegisterView> {
    let found = |(register, names): &(RegisterId, [&str; 5])| {
        let part = names
            .iter()
            .position(|known| *known == name && !name.is_empty())?;
        let (offset, size_bytes) = *PARTS.get(part)?;
        Some(RegisterView::new(*register, offset, size_bytes))
    };
    GENERAL.iter().find_map(found)
}

fn other(name: &str) -> Option<RegisterView> {
    let (_, register, size_bytes) = OTHERS.iter().find(|(known, ..)| *known == name)?;
    Some(RegisterView::new(*register, 0, *size_bytes))
}

/// Parses `r8d`, `xmm3`, `k1`, `st0`, `st(0)`.
fn numbered(name: &str) -> Option<RegisterView> {
    let start = name.find(|letter: char| letter.is_ascii_digit())?;
    let (prefix, rest) = name.split_at(start);
    let end = rest
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, suffix) = rest.split_at(end);
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    let number: u16 = digits.parse().ok()?;
    let (first, numbers, size_bytes) = match (prefix, suffix) {
        ("r", "") => (RegisterId::X0, 8..16, 8),
        ("r", "d") => (RegisterId::X0, 8..16, 4),
        ("r", "w") => (RegisterId::X0, 8..16, 2),
        ("r", "b" | "l") => (RegisterId::X0, 8..16, 1),
        ("xmm", "") => (RegisterId::V0, 0..32, 16),
        ("ymm", "") => (RegisterId::V0, 0..32, 32),
        ("zmm", "") => (RegisterId::V0, 0..32, 64),
        ("k", "") => (RegisterId::P0, 0..8, 8),
        ("st", "") | ("st(", ")") => (RegisterId::ST0, 0..8, 10),
        ("mm", "") => (RegisterId::ST0, 0..8, 8),
        _ => return None,
    };
    numbers
        .contains(&number)
        .then(|| RegisterView::new(RegisterId(first.0 + number), 0, size_bytes))
}

/// Returns the encoding number of a general register.
pub fn number_of(register: RegisterId) -> Option<u16> {
    match register {
        RegisterId::SP => Some(4),
        register => (register.0 < 16 && register.0 != 4).then_some(register.0),
    }
}

/// Returns the group of a displayed register.
pub fn group_of(view: RegisterView) -> RegisterGroup {
    match view.register {
        id if (RegisterId::V0..RegisterId::P0).contains(&id) => RegisterGroup::Vector,
        id if id.0 < 16 => RegisterGroup::Core,
        RegisterId::SP | RegisterId::PC | RegisterId::PSR => RegisterGroup::Core,
        _ => RegisterGroup::System,
    }
}

/// Bit positions of the arithmetic flags, with the decoder's constants for them.
const PLACES: [(u32, u32); 7] = [
    (RflagsBits::CF, 0),
    (RflagsBits::PF, 2),
    (RflagsBits::AF, 4),
    (RflagsBits::ZF, 6),
    (RflagsBits::SF, 7),
    (RflagsBits::DF, 10),
    (RflagsBits::OF, 11),
];

/// All of these flags.
pub const FLAG_BITS: u64 = 0xcd5;

/// Returns the status register bits for the decoder's set of flags.
pub fn bits_of(flags: u32) -> u64 {
    let known = PLACES.iter().filter(|(flag, _)| flags & flag != 0);
    known.fold(0, |bits, (_, place)| bits | 1 << place)
}

/// Decodes the condition flags.
pub fn status(bytes: &[Option<u8>]) -> StatusRegister {
    const FLAGS: [(char, u32); 6] = [('o', 11), ('s', 7), ('z', 6), ('a', 4), ('p', 2), ('c', 0)];
    let bits = PartialBits(bytes);
    let flags = FLAGS.map(|(letter, place)| StatusFlag {
        letter,
        word: "",
        is_set: bits.flag(place),
    });
    StatusRegister {
        flags: flags.to_vec(),
        ..StatusRegister::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::InstructionSet;

    #[track_caller]
    fn check(set: InstructionSet, name: &str, expected: Option<(u16, u16, u16)>) {
        let word = if set == InstructionSet::X86_64 { 8 } else { 4 };
        let found = view(&name.to_ascii_lowercase(), word)
            .map(|view| (view.register.0, view.offset, view.size_bytes));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn parts_of_general_registers_share_their_bytes() {
        use InstructionSet::X86_64;
        check(X86_64, "RAX", Some((0, 0, 8)));
        check(X86_64, "eax", Some((0, 0, 4)));
        check(X86_64, "ah", Some((0, 1, 1)));
        check(X86_64, "spl", Some((31, 0, 1)));
        check(X86_64, "r8d", Some((8, 0, 4)));
        check(X86_64, "r15b", Some((15, 0, 1)));
        check(X86_64, "sp", Some((31, 0, 8)));
        check(X86_64, "ymm17", Some((57, 0, 32)));
        check(X86_64, "st(3)", Some((83, 0, 10)));
        check(X86_64, "mm3", Some((83, 0, 8)));
        check(X86_64, "pc", Some((33, 0, 8)));
        check(X86_64, "r7", None);
        check(X86_64, "r16", None);
        check(X86_64, "r08", None);
        check(X86_64, "x0", None);
    }

    #[test]
    fn the_32_bit_mode_has_no_wide_registers() {
        use InstructionSet::X86_32;
        check(X86_32, "eax", Some((0, 0, 4)));
        check(X86_32, "sp", Some((31, 0, 4)));
        check(X86_32, "pc", Some((33, 0, 4)));
        check(X86_32, "gs_base", Some((17, 0, 8)));
        for name in ["rax", "r8d", "rip"] {
            check(X86_32, name, None);
        }
    }
}
