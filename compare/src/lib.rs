//! Two traces: where they part, the first value that differs, and what differs afterwards.
//!
//! [`Comparison::run`] is a pure function of two open indexes. Threads are paired ([`ThreadPairs`]),
//! the distances between the code of both are found ([`Slides`]), and the steps of each pair are
//! aligned by their addresses ([`Alignment`]). Then the recorded values of matched steps are
//! compared. Only what both traces record can differ, so an execution equals itself in another
//! format.
//!
//! Steps are numbered from 0 within their threads, without those of other threads; [`StepNumbers`]
//! converts them.
//!
//! ```
//! use std::sync::Arc;
//! use stepback_compare::{CompareOptions, Comparison, StepPair};
//! use stepback_index::Cancel;
//! use stepback_index::build::{BuildOptions, index_in_memory};
//! use stepback_parsers::Tarmac;
//!
//! let index = |text: &str| {
//!     let tarmac = Tarmac::open(Box::new(text.as_bytes().to_vec()), Default::default())?;
//!     Ok::<_, Box<dyn std::error::Error>>(index_in_memory(Arc::new(tarmac), &BuildOptions::default())?)
//! };
//! let a = index("1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n\
//!                2 clk IT (2) 00008004 e1a00000 A svc : NOP\n")?;
//! let b = index("1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000002\n\
//!                2 clk IT (2) 00008008 e1a00000 A svc : NOP\n")?;
//! let comparison = Comparison::run(&a, &b, CompareOptions::default(), &Cancel::default())?;
//! let threads = &comparison.compared[0];
//! assert_eq!(threads.divergence, Some(StepPair { a: 1, b: 1 }));
//! assert_eq!(threads.first_difference().unwrap().steps, StepPair { a: 0, b: 0 });
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod align;
mod cause;
mod cause_origin;
mod cause_unrecorded;
mod comparison;
mod divergence;
mod region;
mod rules;
mod slides;
mod threads;
mod values;

pub use crate::align::side::StepNumbers;
pub use crate::cause::Cause;
pub use crate::cause_origin::CauseOrigin;
pub use crate::comparison::{
    COMPARED_STATES, CompareOptions, Comparison, RegionDetails, ThreadComparison,
};
pub use crate::divergence::{ParallelEnd, ParallelRun, TraceSide};
pub use crate::region::{Alignment, Region, RegionKind, StepPair};
pub use crate::rules::{Forgiven, RuleKind, Tolerances};
pub use crate::slides::{CodePart, Slides};
pub use crate::threads::{ThreadPair, ThreadPairs, foreign_sets};
pub use crate::values::blocks::Allocator;
pub use crate::values::difference::{
    CellDifference, DifferenceKind, DifferingPlace, StepDifference,
};
pub use crate::values::moved::MovedMemory;
pub use crate::values::pass::{LISTED_STEPS, RegionValues};
pub use crate::values::pointers::PointerCounts;
pub use crate::values::states::StateAfter;
