//! Random numbers that are the same in every run.

pub use stepback_generator::Dice;
