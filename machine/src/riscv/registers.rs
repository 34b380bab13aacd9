//! Registers (The RISC-V Instruction Set Manual, volume I): names by number and by calling
//! convention, as views of the common register file.

use crate::dwarf_registers::DwarfRegisterRun;
use crate::riscv::csr::csr_view;
use crate::riscv::xlen::Xlen;
use crate::view::{RegisterId, RegisterView};

/// Place of `v0` in the register file; the other vector registers follow.
pub const VECTOR: RegisterId = RegisterId::FIRST_BANK;

/// Maximum length in bytes of a vector register in the register file.
const VECTOR_BYTES: u16 = 256;

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
pub fn view(name: &str, xlen: Xlen) -> Option<RegisterView> {
    let place = |names: &[&str; 32]| {
        names
            .iter()
            .position(|known| *known == name)
            .and_then(|at| u16::try_from(at).ok())
    };
    match name {
        "fp" => return Some(general(8, xlen)),
        "pc" => return Some(RegisterView::new(RegisterId::PC, 0, xlen.bytes())),
        _ => {}
    }
    if let Some(number) = place(&GENERAL).or_else(|| number_of_registers(name, 'x')) {
        return Some(general(number, xlen));
    }
    if let Some(number) = place(&FLOAT).or_else(|| number_of_registers(name, 'f')) {
        return Some(float(number));
    }
    let vector = number_of_registers(name, 'v').map(vector);
    vector.or_else(|| csr_view(name, xlen))
}

/// Numbers in DWARF (RISC-V ABIs Specification, "DWARF Register Numbers"), without those of the
/// control and status registers.
pub const DWARF: [DwarfRegisterRun; 4] = [
    DwarfRegisterRun::zero(0),
    DwarfRegisterRun::from(1, "x", 1, 31),
    DwarfRegisterRun::of(32, "f", 32),
    DwarfRegisterRun::of(96, "v", 32),
];

/// Returns the register with an encoding number. The stack pointer has a fixed number in all
/// architectures, so `x2` and `x31` are exchanged.
pub fn general(number: u16, xlen: Xlen) -> RegisterView {
    let register = match number {
        2 => RegisterId::SP,
        31 => RegisterId(2),
        _ => RegisterId(number),
    };
    RegisterView::new(register, 0, xlen.bytes())
}

/// Returns the floating-point register with a number, of 8 bytes on all processors.
pub fn float(number: u16) -> RegisterView {
    RegisterView::new(RegisterId(RegisterId::V0.0 + number), 0, 8)
}

/// Returns the vector register with a number, at its maximum length; the actual length is
/// implementation-defined.
pub fn vector(number: u16) -> RegisterView {
    RegisterView::new(RegisterId(VECTOR.0 + number), 0, VECTOR_BYTES)
}

/// Returns the vector or floating-point register of a view that is its low part. Processors have
/// shorter ones than the register file.
pub fn register_of_part(view: RegisterView) -> Option<RegisterView> {
    let of = |first: RegisterId| (first.0..first.0 + 32).contains(&view.register.0);
    let size_bytes = match () {
        () if of(VECTOR) => VECTOR_BYTES,
        // A half of a register (Zfh) is never a whole one.
        () if of(RegisterId::V0) && view.size_bytes >= 4 => 8,
        () => return None,
    };
    (view.offset == 0 && view.size_bytes <= size_bytes)
        .then_some(RegisterView { size_bytes, ..view })
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

    #[track_caller]
    fn check(name: &str, expected: Option<(u16, u16)>) {
        let found = view(&name.to_ascii_lowercase(), Xlen::Bits64)
            .map(|view| (view.register.0, view.size_bytes));
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
        check("frm", Some((36, 4)));
        check("fflags", Some((37, 4)));
        check("v0", Some((88, 256)));
        check("v31", Some((119, 256)));
        check("vstart", Some((124, 8)));
        assert_eq!(view("mepc", Xlen::Bits32).unwrap().size_bytes, 4);
        for name in ["x32", "x01", "eax", "f", "x+1"] {
            check(name, None);
        }
    }

    #[test]
    fn no_two_registers_share_a_number() {
        let mut numbers: Vec<_> = GENERAL
            .iter()
            .filter_map(|name| view(name, Xlen::Bits64))
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 32);
    }
}
