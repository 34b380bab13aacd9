//! The index of a trace: events to file to answers.
//!
//! A [`Build`] parses a [`Source`](stepback_parsers::Source) in segments side by side and writes one file.
//! [`Index::open`] maps that file.
//! A [`Query`] is a pure function of the index and its parameters; nothing here has a "current position".
//! What the trace still holds in readable form (values, disassembly) is not stored but pointed at:
//! a question reads the one or few steps that it needs from the trace again.
//!
//! ```
//! use std::sync::Arc;
//! use stepback_index::{BuildOptions, Cancel, Index, Query as _, RegistersAt};
//! use stepback_parsers::{Position, Tarmac};
//!
//! let text = b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";
//! let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default())?);
//! let index = Index::in_memory(tarmac, &BuildOptions::default())?;
//! let registers = RegistersAt { position: Position(1), thread: None }.run(&index, &Cancel::default())?;
//! assert_eq!(registers.get("r0").and_then(|r0| r0.to_u64()), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod accesses;
mod allocations;
mod answers;
mod assemble;
mod banks;
mod build;
mod byte_touches;
mod byte_values;
mod calls;
mod cancel;
mod carried;
mod data;
mod difference;
mod directory;
mod earlier;
mod encodings;
mod error;
mod external_slots;
mod externals;
#[cfg(test)]
mod far;
mod fingerprint;
mod folds;
mod granules;
mod index;
mod inference;
mod key_filter;
mod key_map;
mod keys;
mod layout;
mod markers;
mod memory;
mod operands;
mod output;
mod overtaken;
mod packed;
mod page_heat;
mod pcs;
mod places;
mod program;
mod raw_lines;
mod register_reader;
mod registers;
mod resume;
mod seams;
mod search;
mod segment;
mod semihosting;
mod slots;
mod steps;
mod touches;
mod visits;

#[cfg(feature = "oracle")]
pub mod oracle;

pub use access::{AccessKinds, LastAccess, LastAccessAnswer, NextAccess};
pub use accesses::AccessesOf;
pub use allocations::{Allocations, BLOCKS, BadFree, Block, Freed, Heap, HeapRole};
pub use answers::*;
pub use build::{Build, BuildOptions, BuildProgress, BuildSummary, Follow, WARNINGS_KEPT};
pub use byte_touches::{ByteTouch, TouchesAt};
pub use calls::{Call, CallId, CallTable, Entered, Evidence, Left};
pub use cancel::Cancel;
pub use difference::{Difference, DifferenceBetween, MemoryDifference, RegisterDifference};
pub use error::{BuildError, OpenError, QueryError};
pub use externals::{ExternalChange, LastExternalChanges, MemoryRange, NextExternalChanges};
pub use fingerprint::Fingerprint;
pub use folds::{FoldSet, Row};
pub use index::{Index, IndexInfo, Query, ThreadInfo, Warning};
pub use inference::{Fact, Inference, InferredMemory, InferredRegister, InferredRegisters, Reason, Way};
pub use markers::{FindMarkers, LastMarkers, MarkerCount, MarkerHit};
pub use memory::{ByteState, MemoryAt, NextAccessedBlock};
pub use page_heat::{BUCKETS, HeatMap, HotPage, PageHeat};
pub use places::{LastStepOf, NextStepOf, StepCountOf, TextLineOfStep};
pub use program::{FunctionPart, Program};
pub use raw_lines::{RawLine, RawLines, SHOWN_BYTES};
pub use registers::{RegisterFile, RegisterState, RegisterViewsAt, RegistersAt};
pub use search::{FindText, FindValue, Searched, TextPattern};
pub use semihosting::HostOperation;
pub use steps::{LATE_STEPS, LineOfStep, PositionOfLine, PositionOfTime, Steps};
pub use visits::{LastVisit, NextVisit, NthVisit, VisitsFrom};
