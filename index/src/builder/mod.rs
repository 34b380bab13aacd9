//! Builds the index of a trace: segments in parallel, then one pass in order.
//!
//! While workers parse, the thread that requested the build makes *parts*: it copies the small
//! state of the sequential pass, ends the copy as if the trace ended there, and writes it to
//! `.resume`. Together with the segments in `.partial` it is an index of that part.
//!
//! Opening again after Cancel, indexing a trace that has grown and following one that grows are the
//! same operation: a build that begins in the middle. Answers and counts do not depend on the
//! segment size.

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
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod writer;
