//! The index of a trace: events to file to answers.
//!
//! A [`Build`] parses a [`Source`](stepback_parsers::Source) in parallel segments and writes one
//! file. [`Index::open`] maps that file. A [`Query`] is a pure function of the index and its
//! parameters; nothing here has a "current position". The index does not store data that the trace
//! holds in readable form (values, disassembly), only offsets: a query reads the few steps that it
//! needs from the trace again.
//!
//! ```
//! use std::sync::Arc;
//! use stepback_index::{BuildOptions, Cancel, Query as _, RegistersAt, index_in_memory};
//! use stepback_parsers::{Position, Tarmac};
//!
//! let text = b"1 clk IT (1) 00008000 e3a00001 A svc : MOV r0,#1\n1 clk R r0 00000001\n";
//! let tarmac = Arc::new(Tarmac::open(Box::new(text.to_vec()), Default::default())?);
//! let index = index_in_memory(tarmac, &BuildOptions::default())?;
//! let registers = RegistersAt { position: Position(1), thread: None }.run(&index, &Cancel::default())?;
//! assert_eq!(registers.get("r0").and_then(|r0| r0.to_u64()), Some(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

mod answers;
mod builder;
#[cfg(test)]
mod far;
mod index;
mod inference;
#[cfg(feature = "oracle")]
pub mod oracle;
pub mod query;
pub mod read;
mod store;

/// Plain data that queries return; it holds no index.
pub mod answer {
    pub use crate::answers::call::{Call, CallId, Evidence, FrameEntry, FrameExit};
    pub use crate::answers::cell::{
        AccessKinds, Cell, Direction, MemoryRange, ThreadId, ThreadInfo,
    };
    pub use crate::answers::difference::{
        Difference, ExternalChange, MemoryDifference, MemoryInput, MemoryOutput, RangeEffects,
        RegisterDifference, RegisterEffect,
    };
    pub use crate::answers::heap::{
        BAD_FREES, BLOCKS, BadFree, BlockRelease, HEAP_BYTES, Heap, HeapBlock,
    };
    pub use crate::answers::index_info::{
        IndexInfo, MarkerCount, MarkerHit, PageCounts, TimeFall, Translation, TranslationCounts,
        VirtualMapping, WARNINGS_KEPT, Warning,
    };
    pub use crate::answers::program::{FunctionPart, Program};
    pub use crate::answers::register_file::{
        Fact, Inference, InferenceReason, InferredRegister, RegisterFile, RegisterState,
        ValueDerivation,
    };
    pub use crate::answers::slice::{
        Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow,
        SliceRowDetail, SliceStep, SliceStepAccess, SliceStepDetail, SliceUse, UnknownInput,
    };
    pub use crate::answers::step_record::{
        ANSWER_EFFECTS, Access, AccessTarget, AccessesAt, CellAccess, Doubt, Effect, HIT_EFFECTS,
        Hit, HostOperation, LATE_STEPS, STEP_EFFECTS, StepRecord,
    };
    pub use crate::answers::value::{ByteState, ByteTouch, Number, Value, ValueSource};
    pub use crate::store::calls::stacks::{FramesWithin, StackUse};
    pub use crate::store::calls::table::CallTable;
    pub use crate::store::codes::ExecutedCode;
}

/// Builds index files, follows growing traces and removes leftovers.
pub mod build {
    pub use crate::builder::build_index::{
        Build, BuildOptions, BuildProgress, BuildSummary, Follow, index_in_memory,
    };
    pub use crate::builder::partial::{open_so_far, remove_leftovers};
    pub use crate::builder::semihosting::pass::with_images;
    pub use crate::store::fingerprint::Fingerprint;
}

pub use answers::error::{BuildError, Cancel, OpenError, QueryError};
pub use index::Index;
pub use query::question::Query;
