//! Registers of AArch64 and AArch32 (Arm Architecture Reference Manual, DDI 0487, B1.2 and E1.2).

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
