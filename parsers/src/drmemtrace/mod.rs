//! DynamoRIO drmemtrace: post-processed offline traces.
//!
//! `inputs → records → merge` give every visible record in the order of the whole trace ([`RecordSink`]);
//! a *step store* keeps them in blocks that can be read at random, and a [`crate::Source`] pushes their events.

mod companion;
#[cfg(test)]
mod companion_tests;
mod function_list;
mod modules_log;
mod physical_pages;
mod record;

pub use companion::{CompanionProblem, CompanionProblems};
pub use function_list::{FunctionList, TracedFunction};
pub use modules_log::{ModuleSegment, ModulesLog};
pub use physical_pages::PhysicalPages;
pub use record::{DataRecord, InstructionRecord, RecordSink, ThreadIdentity};
