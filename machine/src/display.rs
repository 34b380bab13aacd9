//! Names, number formats and decoded status registers, for user interfaces.

pub use crate::architecture::{ArchitectureChoice, ArchitectureNames};
pub use crate::register_group::{LaneFormat, LaneKind};
pub use crate::register_run::RegisterRun;
pub use crate::status::{StatusFlag, StatusRegister};
