//! The program that the machine runs.

use crate::operation::Operation;

/// A program: consecutive operations of 4 bytes each.
#[derive(Debug)]
pub struct Code {
    pub operations: Vec<Operation>,
    /// Places of the functions that are called through a pointer.
    pub table: Vec<usize>,
    /// Place of the first operation.
    pub start: usize,
}
