//! SPARC V9 with VIS 1 to 3, privileged and hyperprivileged instructions (The SPARC Architecture
//! Manual, Version 9; UltraSPARC Architecture 2007; Oracle SPARC Architecture 2011).
//!
//! The disassembler library decodes only a part of these and lists no registers, so texts and
//! meanings are produced here.

pub(crate) mod control;
pub(crate) mod meaning;
pub(crate) mod registers;
pub(crate) mod set;
pub(crate) mod status;
mod target;
pub(crate) mod text;
pub(crate) mod windows;
pub(crate) mod word;
