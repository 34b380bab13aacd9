//! Registers of SPARC V9 processors as debuggers expect them (GDB's manual, "Sparc Features").

use crate::target_description::{
    TargetDescription, TargetFeature, TargetRegisterKind as Kind, WatchTrap,
};

/// Returns the registers.
pub fn of_sparc() -> TargetDescription {
    let word = Kind::Integer(8);
    let pointer = Kind::DataPointer(8);
    let core = TargetFeature::new("org.gnu.gdb.sparc.cpu")
        .zero("g0", word)
        .run("g", 1..8, word)
        .run("o", 0..6, word)
        .one("sp", pointer)
        .one("o7", word)
        .run("l", 0..8, word)
        .run("i", 0..6, word)
        .one("fp", pointer)
        .one("i7", word);
    let control = TargetFeature::new("org.gnu.gdb.sparc.cp0")
        .one("pc", Kind::CodePointer(8))
        .next_counter("npc", Kind::CodePointer(8))
        .all(["state", "fsr", "fprs", "y"], word);
    let high = (32..64)
        .step_by(2)
        .map(|number| (format!("f{number}"), format!("d{number}")));
    let fpu = high.fold(
        TargetFeature::new("org.gnu.gdb.sparc.fpu").run("f", 0..32, Kind::Float(4)),
        |feature, (name, traced)| feature.one_as(&name, &traced, Kind::Float(8)),
    );
    TargetDescription {
        architecture: "sparc:v9",
        watch_trap: WatchTrap::AfterAccess,
        features: vec![core, control, fpu],
    }
}
