//! Registers of x86 processors as debuggers expect them (GDB's manual, "i386 Features").

use crate::target_description::{
    TargetDescription, TargetFeature, TargetRegisterKind as Kind, WatchTrap,
};

const GENERAL_64: [&str; 8] = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp"];
const GENERAL_32: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
const SEGMENTS: [&str; 6] = ["cs", "ss", "ds", "es", "fs", "gs"];
const X87_CONTROL: [&str; 8] = [
    "fctrl", "fstat", "ftag", "fiseg", "fioff", "foseg", "fooff", "fop",
];

/// Returns the registers of the 64-bit mode.
pub fn of_64() -> TargetDescription {
    let core = TargetFeature::new("org.gnu.gdb.i386.core")
        .all(GENERAL_64, Kind::Integer(8))
        .run("r", 8..16, Kind::Integer(8))
        .one("rip", Kind::CodePointer(8))
        .one("eflags", Kind::Integer(4));
    let segments = TargetFeature::new("org.gnu.gdb.i386.segments")
        .all(["fs_base", "gs_base"], Kind::Integer(8));
    TargetDescription {
        architecture: "i386:x86-64",
        watch_trap: WatchTrap::AfterAccess,
        features: vec![with_the_rest(core), vectors(16), segments],
    }
}

/// Returns the registers of the 32-bit mode.
pub fn of_32() -> TargetDescription {
    let core = TargetFeature::new("org.gnu.gdb.i386.core")
        .all(GENERAL_32, Kind::Integer(4))
        .one("eip", Kind::CodePointer(4))
        .one("eflags", Kind::Integer(4));
    TargetDescription {
        architecture: "i386",
        watch_trap: WatchTrap::AfterAccess,
        features: vec![with_the_rest(core), vectors(8)],
    }
}

/// Adds what both modes have. GDB demands the x87 registers even of programs that use none.
fn with_the_rest(core: TargetFeature) -> TargetFeature {
    core.all(SEGMENTS, Kind::Integer(4))
        .run("st", 0..8, Kind::Extended)
        .all(X87_CONTROL, Kind::Integer(4))
}

fn vectors(count: u16) -> TargetFeature {
    TargetFeature::new("org.gnu.gdb.i386.sse")
        .run("xmm", 0..count, Kind::Vector)
        .one("mxcsr", Kind::Integer(4))
}
