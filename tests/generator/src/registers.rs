//! Registers of the machine, by number.

/// The stack pointer; `x0` to `x30` are 0 to 30.
pub const SP: usize = 31;
/// The flags.
pub const CPSR: usize = 32;
/// `q0`, the first of [`VECTORS`] vector registers.
pub const Q0: usize = 33;
/// Number of vector registers in use.
pub const VECTORS: usize = 4;
/// Number of registers.
pub const COUNT: usize = Q0 + VECTORS;

/// Returns the name by which the index shows a register.
pub fn name(register: usize) -> String {
    match register {
        SP => "sp".to_owned(),
        CPSR => "psr".to_owned(),
        Q0.. => format!("v{}", register - Q0),
        _ => format!("x{register}"),
    }
}
