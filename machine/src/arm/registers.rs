//! Registers of AArch64 and AArch32 (Arm Architecture Reference Manual, DDI 0487, B1.2 and E1.2):
//! names, displayed groups, encoding numbers and banks, as views of a common register file. The
//! disassembler's registers are converted to these views, and [`describe`] makes a description from
//! its register lists where none is made from the encoding.

use capstone::{Capstone, RegId};

use crate::arm::mode_words::{bank_mode, security_of};
use crate::description::MeaningBuilder;
use crate::dwarf_registers::DwarfRegisterRun;
use crate::instruction::DisassembledInstruction;
use crate::mode::{Bank, BankedRegister, SecurityState};
use crate::register_group::RegisterGroup;
use crate::register_run::RegisterRun;
use crate::set::InstructionSet;
use crate::view::{RegisterId, RegisterView};

/// Returns the view of a lower-case name.
pub fn view(name: &str, set: InstructionSet) -> Option<RegisterView> {
    fixed_view(name, set).or_else(|| numbered_view(name, set))
}

/// Returns the AArch32 view of a lower-case name.
pub fn aarch32_view(name: &str) -> Option<RegisterView> {
    view(name, InstructionSet::A32)
}

/// Displayed registers of AArch64.
pub const SHOWN_64: [RegisterRun; 7] = [
    RegisterRun::of("x", 31),
    RegisterRun::one("sp"),
    RegisterRun::one("pc"),
    RegisterRun::one("psr"),
    RegisterRun::of("v", 32),
    RegisterRun::one("fpcr"),
    RegisterRun::one("fpsr"),
];

/// Displayed registers of AArch32.
pub const SHOWN_32: [RegisterRun; 8] = [
    RegisterRun::of("r", 13),
    RegisterRun::one("sp"),
    RegisterRun::one("lr"),
    RegisterRun::one("pc"),
    RegisterRun::one("psr"),
    RegisterRun::of("d", 32),
    RegisterRun::of("s", 32),
    RegisterRun::one("fpscr"),
];

/// Other names, in the order in which they are tried for a view without a name.
pub const OTHERS: [RegisterRun; 16] = [
    RegisterRun::one("wsp"),
    RegisterRun::one("xsp"),
    RegisterRun::one("fpscr"),
    RegisterRun::one("fpcr"),
    RegisterRun::one("fpsr"),
    RegisterRun::one("vpr"),
    RegisterRun::of("w", 32),
    RegisterRun::of("r", 32),
    RegisterRun::of("x", 32),
    RegisterRun::of("q", 32),
    RegisterRun::of("d", 32),
    RegisterRun::of("s", 32),
    RegisterRun::of("h", 32),
    RegisterRun::of("b", 32),
    RegisterRun::of("z", 32),
    RegisterRun::of("p", 32),
];

/// Signals of an AArch64 core, as the Tarmac Trace Utilities export them.
pub const SIGNALS_64: [RegisterRun; 5] = [
    RegisterRun::of("x", 31),
    RegisterRun::one("xsp"),
    RegisterRun::one("psr"),
    RegisterRun::of("d", 32),
    RegisterRun::of("s", 32),
];

/// Signals of an AArch32 core.
pub const SIGNALS_32: [RegisterRun; 4] = [
    RegisterRun::of("r", 15),
    RegisterRun::one("psr"),
    RegisterRun::of("d", 16),
    RegisterRun::of("s", 32),
];

/// Numbers in DWARF (DWARF for the Arm 64-bit Architecture, AADWARF64, 4.1 "DWARF register names").
pub const DWARF_64: [DwarfRegisterRun; 5] = [
    DwarfRegisterRun::of(0, "x", 31),
    DwarfRegisterRun::listed(31, &["sp", "pc"]),
    DwarfRegisterRun::of(48, "p", 16),
    DwarfRegisterRun::of(64, "v", 32),
    DwarfRegisterRun::of(96, "z", 32),
];

/// Numbers in DWARF (DWARF for the Arm Architecture, AADWARF32, 4.1 "DWARF register names"). 64 to
/// 95 are obsolete, but compilers still use them for single precision.
pub const DWARF_32: [DwarfRegisterRun; 11] = [
    DwarfRegisterRun::of(0, "r", 13),
    DwarfRegisterRun::listed(13, &["sp", "lr", "pc"]),
    DwarfRegisterRun::of(64, "s", 32),
    DwarfRegisterRun::listed(
        128,
        &[
            "spsr", "spsr_fiq", "spsr_irq", "spsr_abt", "spsr_und", "spsr_svc",
        ],
    ),
    DwarfRegisterRun::bank(144, 8, 7, "_usr"),
    DwarfRegisterRun::bank(151, 8, 7, "_fiq"),
    DwarfRegisterRun::bank(158, 13, 2, "_irq"),
    DwarfRegisterRun::bank(160, 13, 2, "_abt"),
    DwarfRegisterRun::bank(162, 13, 2, "_und"),
    DwarfRegisterRun::bank(164, 13, 2, "_svc"),
    DwarfRegisterRun::of(256, "d", 32),
];

/// Returns the registers of a group in AArch64.
pub const fn group_64(group: RegisterGroup) -> &'static [RegisterRun] {
    match group {
        RegisterGroup::Core => {
            const {
                &[
                    RegisterRun::of("x", 31),
                    RegisterRun::one("sp"),
                    RegisterRun::one("pc"),
                    RegisterRun::one("psr"),
                ]
            }
        }
        RegisterGroup::Single => {
            const {
                &[
                    RegisterRun::of("s", 32),
                    RegisterRun::one("fpcr"),
                    RegisterRun::one("fpsr"),
                ]
            }
        }
        RegisterGroup::Double => {
            const {
                &[
                    RegisterRun::of("d", 32),
                    RegisterRun::one("fpcr"),
                    RegisterRun::one("fpsr"),
                ]
            }
        }
        RegisterGroup::Vector => const { &[RegisterRun::of("v", 32)] },
        RegisterGroup::Scalable => const { &[RegisterRun::of("z", 32), RegisterRun::of("p", 16)] },
        RegisterGroup::System => const { &[] },
    }
}

/// Returns the registers of a group in AArch32.
pub const fn group_32(group: RegisterGroup) -> &'static [RegisterRun] {
    match group {
        RegisterGroup::Core => {
            const {
                &[
                    RegisterRun::of("r", 13),
                    RegisterRun::one("sp"),
                    RegisterRun::one("lr"),
                    RegisterRun::one("pc"),
                    RegisterRun::one("psr"),
                ]
            }
        }
        RegisterGroup::Single => const { &[RegisterRun::of("s", 32), RegisterRun::one("fpscr")] },
        RegisterGroup::Double => const { &[RegisterRun::of("d", 32), RegisterRun::one("fpscr")] },
        RegisterGroup::Vector => const { &[RegisterRun::of("q", 16), RegisterRun::one("vpr")] },
        RegisterGroup::Scalable | RegisterGroup::System => const { &[] },
    }
}

/// Returns the encoding number of a general register in AArch64.
pub fn number_64(register: RegisterId) -> Option<u16> {
    (register <= RegisterId::SP).then_some(register.0)
}

/// Returns the encoding number of a general register in AArch32.
pub fn number_32(register: RegisterId) -> Option<u16> {
    match register {
        RegisterId::SP => Some(13),
        RegisterId::LR => Some(14),
        RegisterId::PC => Some(15),
        register => (register.0 < 13).then_some(register.0),
    }
}

/// Returns the register that a branch names by number in AArch64; none for the zero register.
pub fn register_64(number: u32) -> Option<RegisterId> {
    u16::try_from(number)
        .ok()
        .filter(|number| *number < 31)
        .map(RegisterId)
}

/// Returns the register that a branch names by number in AArch32; none for the program counter.
pub fn register_32(number: u32) -> Option<RegisterId> {
    match number {
        13 => Some(RegisterId::SP),
        14 => Some(RegisterId::LR),
        _ => u16::try_from(number)
            .ok()
            .filter(|number| *number < 13)
            .map(RegisterId),
    }
}

/// Returns the entire SVE register of a view that is its low part; none for parts with NEON names
/// and for other registers.
pub fn scalable_view(view: RegisterView) -> Option<RegisterView> {
    let is_vector =
        (RegisterId::V0..RegisterId::P0).contains(&view.register) && view.size_bytes > 16;
    let is_predicate = (RegisterId::P0..RegisterId::FIRST_BANK).contains(&view.register);
    let size_bytes = if is_vector { 256 } else { 32 };
    let is_scalable =
        view.offset == 0 && (is_vector || is_predicate) && view.size_bytes <= size_bytes;
    is_scalable.then_some(RegisterView { size_bytes, ..view })
}

fn fixed_view(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let word = if set == InstructionSet::A64 { 8 } else { 4 };
    let (register, size_bytes) = match name {
        "sp" | "r13" => (RegisterId::SP, word),
        "xsp" => (RegisterId::SP, 8),
        "wsp" => (RegisterId::SP, 4),
        "lr" | "r14" if set == InstructionSet::A64 => (RegisterId(30), word),
        "lr" | "r14" => (RegisterId::LR, word),
        // Names from the procedure call standards, which producers use as well as the numbers.
        "fp" if set == InstructionSet::A64 => (RegisterId(29), word),
        "ip0" if set == InstructionSet::A64 => (RegisterId(16), word),
        "ip1" if set == InstructionSet::A64 => (RegisterId(17), word),
        "sb" if set != InstructionSet::A64 => (RegisterId(9), word),
        "sl" if set != InstructionSet::A64 => (RegisterId(10), word),
        "fp" if set != InstructionSet::A64 => (RegisterId(11), word),
        "ip" if set != InstructionSet::A64 => (RegisterId(12), word),
        "pc" | "r15" => (RegisterId::PC, word),
        "psr" | "cpsr" | "xpsr" | "pstate" => (RegisterId::PSR, 4),
        "fpscr" => (RegisterId::FPSCR, 4),
        "fpcr" => (RegisterId::FPCR, 4),
        "fpsr" => (RegisterId::FPSR, 4),
        "vpr" => (RegisterId::VPR, 4),
        _ => return None,
    };
    Some(RegisterView::new(register, 0, size_bytes))
}

fn numbered_view(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let digits = name
        .get(1..)
        .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    let number: u16 = digits.parse().ok()?;
    let is_a64 = set == InstructionSet::A64;
    let part = |first: RegisterId, count: u16, size_bytes: u16| {
        (number < count).then(|| RegisterView::new(RegisterId(first.0 + number), 0, size_bytes))
    };
    // In AArch32, d and s registers are packed: d1 is the upper half of q0 (Arm ARM, "The SIMD and
    // floating-point register file").
    let packed = |size_bytes: u16| {
        let in_one = 16 / size_bytes;
        (number < 32).then(|| {
            RegisterView::new(
                RegisterId(RegisterId::V0.0 + number / in_one),
                number % in_one * size_bytes,
                size_bytes,
            )
        })
    };
    match name.as_bytes().first()? {
        b'x' | b'e' => part(RegisterId::X0, 31, 8),
        b'w' => part(RegisterId::X0, 31, 4),
        b'r' => part(RegisterId::X0, 13, 4),
        b'v' | b'q' => part(RegisterId::V0, 32, 16),
        b'd' if is_a64 => part(RegisterId::V0, 32, 8),
        b's' if is_a64 => part(RegisterId::V0, 32, 4),
        b'd' => packed(8),
        b's' => packed(4),
        b'h' => part(RegisterId::V0, 32, 2),
        b'b' => part(RegisterId::V0, 32, 1),
        b'z' => part(RegisterId::V0, 32, 256),
        b'p' => part(RegisterId::P0, 16, 32),
        _ => None,
    }
}

/// Returns the view of a disassembler register; none for constants like `xzr` and for registers
/// outside the tables.
pub fn view_of(
    disassembler: &Capstone,
    register: RegId,
    set: InstructionSet,
) -> Option<RegisterView> {
    view_of_name(&disassembler.reg_name(register)?, set)
}

/// Returns the view of a register from the disassembler's name.
pub fn view_of_name(name: &str, set: InstructionSet) -> Option<RegisterView> {
    let name = match (name, set) {
        ("fp", InstructionSet::A64) => "x29",
        ("sb", InstructionSet::A32 | InstructionSet::T32) => "r9",
        ("sl", InstructionSet::A32 | InstructionSet::T32) => "r10",
        ("fp", InstructionSet::A32 | InstructionSet::T32) => "r11",
        ("ip", InstructionSet::A32 | InstructionSet::T32) => "r12",
        ("nzcv" | "apsr" | "apsr_nzcv", _) => "cpsr",
        ("fpscr_nzcv", _) => "fpscr",
        _ => name,
    };
    view(&name.to_ascii_lowercase(), set)
}

/// Returns the bytes that a write of a view changes, including those that the architecture zeroes.
pub fn written(view: RegisterView, set: InstructionSet) -> RegisterView {
    let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
    let size_bytes = match set {
        InstructionSet::A64 if is_vector => view.size_bytes.max(16),
        InstructionSet::A64 if view.register <= RegisterId::SP => 8,
        _ => view.size_bytes,
    };
    RegisterView { size_bytes, ..view }
}

/// Records the registers that the lists mark as both read and written.
///
/// The lists include the old destination of most vector forms; for these the description is
/// complete and decides.
pub fn note_listed(
    description: &mut MeaningBuilder,
    instruction: &DisassembledInstruction<'_>,
    set: InstructionSet,
) {
    if !description.meaning.memory.is_empty() {
        return;
    }
    let views = |registers: &[RegId]| -> Vec<RegisterView> {
        registers
            .iter()
            .filter_map(|register| view_of(instruction.disassembler, *register, set))
            .collect()
    };
    let written = views(instruction.detail.regs_write());
    let mut listed = views(instruction.detail.regs_read());
    listed.retain(|view| {
        let is_status = matches!(view.register, RegisterId::PC | RegisterId::PSR);
        let is_vector = (RegisterId::V0..RegisterId::P0).contains(&view.register);
        let is_excluded = is_status || is_vector && !description.takes_or_keeps(view.register);
        !is_excluded && written.iter().any(|known| known.overlaps(*view))
    });
    description.meaning.listed_reads = listed;
}

/// Describes the listed registers. Memory accesses are marked as not modelled.
pub fn describe(instruction: &DisassembledInstruction<'_>, set: InstructionSet) -> MeaningBuilder {
    let views = |registers: &[RegId]| -> Vec<RegisterView> {
        let views = registers
            .iter()
            .filter_map(|register| view_of(instruction.disassembler, *register, set));
        views
            .filter(|view| view.register != RegisterId::PC)
            .collect()
    };
    let mut description = MeaningBuilder::default();
    for view in views(instruction.detail.regs_read()) {
        description.read(view);
    }
    for view in views(instruction.detail.regs_write()) {
        description.write(written(view, set));
    }
    // Uses the text: converting the operands to data ends the program on an unknown A64 system
    // register.
    if instruction.operands.contains('[') {
        description.access_unknown();
    }
    description
}

/// Returns the security state of a lower-case name of CONTROL, the register that selects the stack
/// pointer of M-profile's `thread` mode; none for other names.
pub fn stack_choice(name: &str) -> Option<SecurityState> {
    matches!(name, "control" | "control_s" | "control_ns").then(|| security_of(name.as_bytes()))
}

/// Returns true for a register that each security state has a copy of, given its lower-case name
/// without suffix (DDI 0553, B3.15 "Security states, register banking between them").
pub fn is_state_banked(name: &str) -> bool {
    let is_control = matches!(
        name,
        "control" | "primask" | "faultmask" | "basepri" | "msplim" | "psplim"
    );
    is_control
        || matches!(banked(name), Some(BankedRegister { bank, .. }) if bank == Bank::Main(SecurityState::Undivided) || bank == Bank::Process(SecurityState::Undivided))
}

/// Returns the bank of a lower-case name such as `r13_svc`, `msp_s`, `r13_process` or `sp_el1`;
/// none for names of no bank.
pub fn banked(name: &str) -> Option<BankedRegister> {
    let (plain, suffix) = name.split_once('_').unwrap_or((name, ""));
    let mode = {
        let (word, rest) = suffix.as_bytes().split_at_checked(3).unwrap_or_default();
        bank_mode(word).filter(|_| matches!(rest.first(), None | Some(b'_')))
    };
    let level = suffix
        .strip_prefix("el")
        .and_then(|level| level.parse::<u8>().ok())
        .filter(|level| *level < 4);
    let stack = RegisterView::new(RegisterId::SP, 0, 4);
    let link = RegisterView::new(RegisterId::LR, 0, 4);
    let security = security_of(name.as_bytes());
    let stack_word = suffix.split_once('_').map_or(suffix, |(word, _)| word);
    let (plain, bank) = match (plain, mode) {
        ("msp", _) => (stack, Bank::Main(security)),
        ("psp", _) => (stack, Bank::Process(security)),
        ("sp" | "r13", _) if stack_word == "main" => (stack, Bank::Main(security)),
        ("sp" | "r13", _) if stack_word == "process" => (stack, Bank::Process(security)),
        ("sp", _) if level.is_some() => {
            (RegisterView::new(RegisterId::SP, 0, 8), Bank::Level(level?))
        }
        ("sp" | "r13", mode) => (stack, mode.map_or(Bank::Other, Bank::Mode)),
        ("lr" | "r14", Some(mode)) => (link, Bank::Link(mode)),
        ("r14", None) => (link, Bank::Other),
        (plain, Some(mode))
            if plain.starts_with('r') || matches!(plain, "sb" | "sl" | "fp" | "ip") =>
        {
            let view = aarch32_view(plain)?;
            (
                view,
                if view.register.0 < 8 {
                    Bank::Other
                } else {
                    Bank::General(mode)
                },
            )
        }
        _ => return None,
    };
    Some(BankedRegister { plain, bank })
}

/// Returns true if the plain name denotes the register itself in some modes. Registers banked only
/// for FIQ are shared by all other modes.
pub fn is_own_bank(plain: RegisterId) -> bool {
    !matches!(plain, RegisterId::SP | RegisterId::LR)
}
