//! Registers of Arm processors as debuggers expect them (GDB's manual, "AArch64 Features" and "ARM
//! Features").

use crate::target_description::{
    TargetDescription, TargetFeature, TargetRegisterKind as Kind, WatchTrap,
};

/// Returns the registers of AArch64.
pub fn of_aarch64() -> TargetDescription {
    let core = TargetFeature::new("org.gnu.gdb.aarch64.core")
        .run("x", 0..31, Kind::Integer(8))
        .one("sp", Kind::DataPointer(8))
        .one("pc", Kind::CodePointer(8))
        .one_as("cpsr", "psr", Kind::Integer(4));
    let fpu = TargetFeature::new("org.gnu.gdb.aarch64.fpu")
        .run("v", 0..32, Kind::Vector)
        .all(["fpsr", "fpcr"], Kind::Integer(4));
    TargetDescription {
        architecture: "aarch64",
        watch_trap: WatchTrap::BeforeAccess,
        features: vec![core, fpu],
    }
}

/// Returns the registers of AArch32. A trace that names the status register or one of the two stack
/// pointers of the M-profile is of such a processor.
pub fn of_aarch32(written: &[&str]) -> TargetDescription {
    let is_m_profile = written
        .iter()
        .any(|name| name.starts_with("msp") || name.starts_with("psp") || *name == "xpsr");
    let (core, status, doubles) = match is_m_profile {
        true => ("org.gnu.gdb.arm.m-profile", "xpsr", 16),
        false => ("org.gnu.gdb.arm.core", "cpsr", 32),
    };
    let core = TargetFeature::new(core)
        .run("r", 0..13, Kind::Integer(4))
        .one("sp", Kind::DataPointer(4))
        .one("lr", Kind::Integer(4))
        .one("pc", Kind::CodePointer(4))
        .one_as(status, "psr", Kind::Integer(4));
    let fpu = TargetFeature::new("org.gnu.gdb.arm.vfp")
        .run("d", 0..doubles, Kind::Float(8))
        .one("fpscr", Kind::Integer(4));
    let mut features = vec![core, fpu];
    // If they are described, GDB reads both for every backtrace. A program that never sets up the
    // second one leaves it unknown.
    if is_m_profile && written.iter().any(|name| name.starts_with("psp")) {
        let system = TargetFeature::new("org.gnu.gdb.arm.m-system")
            .all(["msp", "psp"], Kind::DataPointer(4));
        features.push(system);
    }
    TargetDescription {
        architecture: "arm",
        watch_trap: WatchTrap::BeforeAccess,
        features,
    }
}
