//! Reproducible random numbers.

pub use stepback_generator::Dice;
