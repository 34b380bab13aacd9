//! Builds the index of a trace: segments in parallel, then one pass in order.

pub(crate) mod assemble;
pub(crate) mod build_index;
pub(crate) mod calls;
pub(crate) mod carried;
pub(crate) mod catalogue;
pub(crate) mod code_ledger;
pub(crate) mod earlier;
pub(crate) mod partial;
pub(crate) mod parts;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod seams;
pub(crate) mod segment;
pub(crate) mod semihosting;
#[cfg(test)]
pub(crate) mod stretches;
pub(crate) mod task;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod writer;
