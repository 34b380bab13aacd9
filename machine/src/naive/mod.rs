//! Instruction semantics for the index oracle, written independently from tables of masks, so that
//! an error in either version shows. Sources: Arm Architecture Reference Manual (DDI 0487), (DDI
//! 0406), (DDI 0553).

mod step;
mod windows;

pub use crate::naive::windows::{set_of_mode, set_of_width, stated_mode};
pub use step::{LINK_A64, NaiveCallTarget, NaiveFlow, NaiveStep};
pub use windows::{NaiveWindowCell, cell_of};
