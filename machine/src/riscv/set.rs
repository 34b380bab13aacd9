//! RISC-V as an [`Architecture`]: registers, instruction text with the pseudo-instructions of the
//! assembler manual, calling convention (RISC-V ELF psABI; Linux, `syscall(2)`) and linkage stubs
//! (RISC-V ELF psABI, "Program Linkage Table").

use std::borrow::Cow;

use capstone::Capstone;
use capstone::arch::riscv::{ArchExtraMode, ArchMode};
use capstone::arch::{BuildsCapstone as _, BuildsCapstoneExtraMode as _};

use crate::abi::{
    Abi, LinkageStub, Privilege, ReturnAddress, StubSlot, SystemCallConvention, SystemCallFailure,
};
use crate::architecture::{Architecture, ArchitectureChoice, ArchitectureNames, ElfMachine};
use crate::control::{
    AssemblyWord, ControlFlowEffect, InstructionWords, OperandWordKind, TextFlow,
};
use crate::instruction::{Address, CodeSite, DisassembledInstruction, Encoding, Instruction};
use crate::linux::names::SystemCallNumbering;
use crate::meaning::DataAccess;
use crate::register_group::RegisterGroup;
use crate::riscv::access::data_access;
use crate::riscv::bits::{control, describe, long_form};
use crate::riscv::traps::trap_name;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// See [`InstructionSet::Riscv64`].
pub struct Riscv64;

impl Architecture for Riscv64 {
    const SET: InstructionSet = InstructionSet::Riscv64;
    const NAMES: ArchitectureNames = ArchitectureNames {
        choice: Some(ArchitectureChoice {
            name: "riscv64",
            help: "RISC-V, 64 bit",
        }),
        word: "riscv64",
        title: "RISC-V 64",
        spoken: "RISC-V",
    };
    const WORD_BYTES: u16 = 8;
    const ABI: Abi = LP64;
    const ELF: &'static [ElfMachine] = &[ElfMachine {
        number: 243,
        word_bytes: 8,
    }];
    const ALIGNMENT: u8 = 2;

    fn view(name: &str) -> Option<RegisterView> {
        view(name)
    }

    /// Omits `zero`, which is always 0.
    fn shown() -> Vec<String> {
        let names = GENERAL
            .iter()
            .skip(1)
            .chain(&["pc"])
            .chain(&FLOAT)
            .chain(&["fcsr"]);
        names.map(ToString::to_string).collect()
    }

    fn other_names() -> Vec<String> {
        vec!["zero".to_owned(), "fflags".to_owned()]
    }

    fn group(group: RegisterGroup) -> Vec<String> {
        let is_float = |view: RegisterView| {
            view.register >= RegisterId::V0 || view.register == RegisterId::FPSCR
        };
        let group_of = |view| {
            if is_float(view) {
                RegisterGroup::Double
            } else {
                RegisterGroup::Core
            }
        };
        let mut names = Self::shown();
        names.retain(|name| Self::view(name).is_some_and(|view| group_of(view) == group));
        names
    }

    fn number_of(register: RegisterId) -> Option<u16> {
        number_of(register)
    }

    fn disassemblers() -> Vec<Capstone> {
        let compressed = [ArchExtraMode::RiscVC].into_iter();
        let built = Capstone::new()
            .riscv()
            .mode(ArchMode::RiscV64)
            .extra_mode(compressed)
            .detail(true)
            .build();
        built.into_iter().collect()
    }

    fn decode(site: &CodeSite, disassemblers: &[Capstone]) -> Option<Instruction> {
        DisassembledInstruction::first(disassemblers, site, |found| {
            let operands = absolute(found.mnemonic, found.operands, site.pc);
            DisassembledInstruction {
                operands: &operands,
                ..*found
            }
            .described(describe(site))
            .into()
        })
    }

    fn control(site: &CodeSite) -> ControlFlowEffect {
        control(site)
    }

    fn data_access(encoding: &Encoding) -> Option<DataAccess> {
        data_access(encoding, Self::WORD_BYTES)
    }

    /// Encodings that cannot be expanded to 4 bytes, such as zeros.
    fn is_undefined(encoding: &Encoding) -> bool {
        long_form(encoding).is_none()
    }

    #[inline(always)]
    fn is_link(register: RegisterId) -> bool {
        register == LINK
    }

    /// SC.
    fn is_exclusive_store(encoding: &Encoding) -> bool {
        matches!(encoding.bytes(), [low, _, _, high] if low & 0x7f == 0x2f && high >> 3 == 3)
    }

    fn text_flow(text: &str) -> Option<TextFlow> {
        text_flow(text)
    }

    fn operand_word(mnemonic: &str, word: &str) -> OperandWordKind {
        operand_word(mnemonic, word)
    }

    fn is_canonical(address: u64, privilege: Privilege) -> bool {
        address >> 56 == 0 || privilege == Privilege::Kernel
    }

    fn stub_slot(stub: &LinkageStub<'_>) -> Option<StubSlot> {
        slot_of(stub)
    }

    fn trap_name(number: u64) -> Option<String> {
        trap_name(number).map(str::to_owned)
    }
}

/// Link register: `ra`.
pub const LINK: RegisterId = RegisterId(1);

/// Calling conventions with 64-bit registers.
pub const LP64: Abi = Abi {
    arguments: &["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"],
    result: Some("a0"),
    return_address: ReturnAddress::Register(LINK),
    // RISC-V ELF psABI, tables 1 and 2.
    callee_saved: &[
        "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "fs0", "fs1",
        "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11",
    ],
    system_calls: SystemCallConvention {
        numbers: SystemCallNumbering::Generic,
        number: Some("a7"),
        failure: SystemCallFailure::Negative,
        kept_arguments: &[],
        changed: &["a0"],
    },
};

/// Decodes `auipc t3, page; ld t3, offset(t3)`.
pub fn slot_of(stub: &LinkageStub<'_>) -> Option<StubSlot> {
    let words: Vec<u32> = stub
        .code
        .as_chunks()
        .0
        .iter()
        .map(|word| u32::from_le_bytes(*word))
        .collect();
    let (page, load) = (*words.first()?, *words.get(1)?);
    let is_stub = page & 0xfff == 0xe17 && load & 0xf_8fff == 0xe_0e03;
    let offset =
        i64::from((page & 0xffff_f000).cast_signed()) + i64::from(load.cast_signed() >> 20);
    is_stub.then(|| StubSlot::Address(stub.address.wrapping_add_signed(offset)))
}

/// Classifies a word in lower case.
pub fn operand_word(_mnemonic: &str, word: &str) -> OperandWordKind {
    if is_register(word) {
        OperandWordKind::Register
    } else {
        OperandWordKind::Other
    }
}

/// Returns true for registers by number or by calling convention name.
fn is_register(word: &str) -> bool {
    let word = AssemblyWord::of(word);
    word.is_numbered(&["x", "f", "v", "a", "t", "s", "ft", "fs", "fa"])
        || NAMED.contains(&word.base)
}

const NAMED: [&str; 7] = ["zero", "ra", "sp", "gp", "tp", "fp", "pc"];

/// Returns the operands with the offset of a branch replaced by its target address.
pub fn absolute<'a>(mnemonic: &str, operands: &'a str, pc: Address) -> Cow<'a, str> {
    let name = mnemonic.strip_prefix("c.").unwrap_or(mnemonic);
    let is_branch = matches!(name, "j" | "jal") || name.starts_with('b');
    let (registers, distance) = operands
        .rsplit_once(' ')
        .map_or(("", operands), |(left, right)| (left, right));
    match number(distance).filter(|_| is_branch) {
        Some(distance) => format!("{registers} {:#x}", pc.0.wrapping_add_signed(distance))
            .trim_start()
            .to_owned()
            .into(),
        None => operands.into(),
    }
}

fn number(text: &str) -> Option<i64> {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or((1, text), |digits| (-1, digits));
    let number = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    number.ok().map(|number| sign * number)
}

/// Returns the control flow of an instruction; none if it continues with the next.
pub fn text_flow(text: &str) -> Option<TextFlow> {
    let InstructionWords { mnemonic, operands } = InstructionWords::of(text, &[]);
    let base = mnemonic.strip_prefix("c.").unwrap_or(&mnemonic);
    let link = operands.split(',').next().unwrap_or_default();
    Some(match base {
        "ret" | "mret" | "sret" | "uret" => TextFlow::Return,
        "jr" if matches!(operands.as_str(), "ra" | "x1") => TextFlow::Return,
        // With an explicit link register, only those of the convention make a call; `jal target`
        // implies `ra`.
        "jal" | "jalr" if operands.contains(',') && !matches!(link, "ra" | "x1" | "t0" | "x5") => {
            if base == "jalr" && operands.ends_with("(ra)") {
                TextFlow::Return
            } else {
                TextFlow::Branch
            }
        }
        "call" | "jal" | "jalr" => TextFlow::Call,
        "j" | "jr" => TextFlow::Branch,
        _ if CONDITIONAL.contains(&base) => TextFlow::Conditional,
        _ => return None,
    })
}

const CONDITIONAL: [&str; 16] = [
    "bltu", "bgeu", "beqz", "bnez", "blez", "bgez", "bltz", "bgtz", "bgtu", "bleu", "beq", "bne",
    "blt", "bge", "bgt", "ble",
];

/// Names of `x0` … `x31`.
pub const GENERAL: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

/// Names of `f0` … `f31`.
pub const FLOAT: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0", "fa1", "fa2",
    "fa3", "fa4", "fa5", "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9",
    "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

/// Returns the view of a lower-case name.
pub fn view(name: &str) -> Option<RegisterView> {
    let place = |names: &[&str; 32]| {
        names
            .iter()
            .position(|known| *known == name)
            .and_then(|at| u16::try_from(at).ok())
    };
    match name {
        "fp" => return Some(general(8)),
        "pc" => return Some(RegisterView::new(RegisterId::PC, 0, 8)),
        "fcsr" => return Some(RegisterView::new(RegisterId::FPSCR, 0, 4)),
        // Both are fields in the low byte of fcsr (The RISC-V Instruction Set Manual, "F"
        // extension).
        "fflags" | "frm" => return Some(RegisterView::new(RegisterId::FPSCR, 0, 1)),
        _ => {}
    }
    if let Some(number) = place(&GENERAL).or_else(|| number_of_registers(name, 'x')) {
        return Some(general(number));
    }
    let number = place(&FLOAT).or_else(|| number_of_registers(name, 'f'))?;
    Some(RegisterView::new(
        RegisterId(RegisterId::V0.0 + number),
        0,
        8,
    ))
}

/// Returns the register with an encoding number. The stack pointer has a fixed number in all
/// architectures, so `x2` and `x31` are exchanged.
pub fn general(number: u16) -> RegisterView {
    let register = match number {
        2 => RegisterId::SP,
        31 => RegisterId(2),
        _ => RegisterId(number),
    };
    RegisterView::new(register, 0, 8)
}

/// Returns the encoding number of a general register.
pub fn number_of(register: RegisterId) -> Option<u16> {
    match register {
        RegisterId::SP => Some(2),
        RegisterId(2) => Some(31),
        register => (register.0 < 31).then_some(register.0),
    }
}

fn number_of_registers(name: &str, prefix: char) -> Option<u16> {
    let digits = name.strip_prefix(prefix)?;
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() == 1 || !digits.starts_with('0'));
    digits
        .parse()
        .ok()
        .filter(|number| is_plain && *number < 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::check_flow;

    #[track_caller]
    fn check(expected: Option<TextFlow>, texts: &[&str]) {
        check_flow(text_flow, expected, texts);
    }

    #[test]
    fn branches_of_riscv_are_known() {
        check(
            Some(TextFlow::Call),
            &[
                "jal 0x80",
                "jal ra, 0x80",
                "jalr ra, 8(a0)",
                "jalr a0",
                "c.jalr a5",
            ],
        );
        check(
            Some(TextFlow::Return),
            &["ret", "c.jr ra", "jalr zero, 0(ra)", "mret"],
        );
        check(
            Some(TextFlow::Branch),
            &[
                "j 0x80",
                "c.j 0x80",
                "jr a5",
                "beqz a0, 0x80",
                "c.bnez a0, 8",
                "bltu a0, a1, 8",
            ],
        );
        check(None, &["c.addi sp, -0x10", "jvt 3", "bset a0, a1, a2"]);
        assert!(
            text_flow("c.beqz a0, 8") == Some(TextFlow::Conditional)
                && text_flow("c.j 8") != Some(TextFlow::Conditional)
        );
    }
}

#[cfg(test)]
mod registers_tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<(u16, u16)>) {
        let found = view(&name.to_ascii_lowercase()).map(|view| (view.register.0, view.size_bytes));
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn registers_have_two_names() {
        check("x1", Some((1, 8)));
        check("RA", Some((1, 8)));
        check("sp", Some((31, 8)));
        check("t6", Some((2, 8)));
        check("x31", Some((2, 8)));
        check("fp", Some((8, 8)));
        check("s0", Some((8, 8)));
        check("a0", Some((10, 8)));
        check("f10", Some((50, 8)));
        check("fa0", Some((50, 8)));
        check("fcsr", Some((35, 4)));
        for name in ["x32", "x01", "eax", "f", "x+1"] {
            check(name, None);
        }
    }

    #[test]
    fn no_two_registers_share_a_number() {
        let mut numbers: Vec<_> = GENERAL.iter().filter_map(|name| view(name)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 32);
    }
}
