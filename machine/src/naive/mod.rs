//! What the oracle of the index knows of instructions: told once more by tables of masks, so that a mistake in one telling shows.
//! Arm Architecture Reference Manual (DDI 0487), (DDI 0406), (DDI 0553).

mod mode;
mod step;
mod tables;
mod windows;

pub use mode::{set_of_mode, set_of_width, told_mode};
pub use step::{LINK_A64, NaiveCallTarget, NaiveFlow, NaiveStep};
pub use windows::{NaiveWindowCell, cell_of};
