//! The program that the machine runs.

use crate::operation::Operation;

/// A program: operations one behind the other, 4 bytes each.
#[derive(Debug)]
pub struct Code {
    pub operations: Vec<Operation>,
    /// Where functions begin that are called through a pointer.
    pub table: Vec<usize>,
    /// Where to begin.
    pub start: usize,
}
