//! Registers of RISC-V processors as debuggers expect them (GDB's manual, "RISC-V Features").

use crate::riscv::csr::csr_names;
use crate::riscv::registers::{FLOAT, GENERAL};
use crate::target_description::{
    TargetDescription, TargetFeature, TargetRegisterKind as Kind, WatchTrap,
};

/// Control registers of the floating-point unit, which belong to its feature.
const FLOAT_CONTROL: [&str; 3] = ["fflags", "frm", "fcsr"];

/// Returns the registers, of a word of 4 or 8 bytes, with those control registers that the trace names.
pub fn of_riscv(word: u16, written: &[&str]) -> TargetDescription {
    let general = |feature: TargetFeature, name: &&str| match *name {
        "zero" => feature.zero("zero", Kind::Integer(word)),
        "sp" => feature.one("sp", Kind::DataPointer(word)),
        name => feature.one(name, Kind::Integer(word)),
    };
    let core = GENERAL
        .iter()
        .fold(TargetFeature::new("org.gnu.gdb.riscv.cpu"), general)
        .one("pc", Kind::CodePointer(word));
    let fpu = TargetFeature::new("org.gnu.gdb.riscv.fpu")
        .all(FLOAT, Kind::Float(8))
        .all(FLOAT_CONTROL, Kind::Integer(4));
    let is_control = |name: &&str| csr_names().any(|known| known == *name);
    let named = written
        .iter()
        .copied()
        .filter(|name| is_control(name) && !FLOAT_CONTROL.contains(name));
    let control = TargetFeature::new("org.gnu.gdb.riscv.csr").all(named, Kind::Integer(word));
    let mut features = vec![core, fpu];
    if !control.registers.is_empty() {
        features.push(control);
    }
    TargetDescription {
        architecture: match word {
            4 => "riscv:rv32",
            _ => "riscv:rv64",
        },
        watch_trap: WatchTrap::BeforeAccess,
        features,
    }
}
