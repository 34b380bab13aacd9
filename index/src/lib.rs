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
mod query;
mod read;
mod store;

pub use answers::call::{Call, CallId, Evidence, FrameEntry, FrameExit};
pub use answers::cell::AccessKinds;
pub use answers::cell::Direction;
pub use answers::cell::{Cell, MemoryRange};
pub use answers::cell::{ThreadId, ThreadInfo};
pub use answers::difference::ExternalChange;
pub use answers::difference::{Difference, MemoryDifference, RegisterDifference};
pub use answers::difference::{MemoryInput, MemoryOutput, RangeEffects, RegisterEffect};
pub use answers::error::Cancel;
pub use answers::error::{BuildError, OpenError, QueryError};
pub use answers::heap::{BAD_FREES, BLOCKS, BadFree, BlockRelease, HEAP_BYTES, Heap, HeapBlock};
pub use answers::index_info::{IndexInfo, TimeFall, WARNINGS_KEPT, Warning};
pub use answers::index_info::{MarkerCount, MarkerHit};
pub use answers::index_info::{PageCounts, Translation, TranslationCounts, VirtualMapping};
pub use answers::program::{FunctionPart, Program};
pub use answers::register_file::{Fact, InferenceReason, ValueDerivation};
pub use answers::register_file::{Inference, InferredRegister};
pub use answers::register_file::{RegisterFile, RegisterState};
pub use answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep,
    SliceUse, UnknownInput,
};
pub use answers::slice::{SliceRowDetail, SliceStepAccess, SliceStepDetail};
pub use answers::step_record::HostOperation;
pub use answers::step_record::{
    ANSWER_EFFECTS, Access, AccessTarget, Effect, LATE_STEPS, STEP_EFFECTS, StepRecord,
};
pub use answers::step_record::{AccessesAt, CellAccess};
pub use answers::step_record::{Doubt, HIT_EFFECTS, Hit};
pub use answers::value::Number;
pub use answers::value::{ByteState, ByteTouch};
pub use answers::value::{Value, ValueSource};
pub use builder::build_index::Build;
pub use builder::build_index::Follow;
pub use builder::build_index::index_in_memory;
pub use builder::build_index::{BuildOptions, BuildProgress, BuildSummary};
pub use builder::partial::open_so_far;
pub use builder::partial::remove_leftovers;
pub use builder::semihosting::pass::with_images;
pub use index::Index;
pub use query::access::{Accesses, NearestAccess};
pub use query::accesses::AccessesOf;
pub use query::accesses::TouchesAt;
pub use query::accesses::{AccessShare, AccessShares};
pub use query::allocations::{Allocations, HeapRole};
pub use query::difference::DifferenceBetween;
pub use query::effects_within::{EFFECT_BLOCKS, EffectsWithin};
pub use query::externals::ExternalChanges;
pub use query::folds::{FoldSet, TraceListRow};
pub use query::markers::{FindMarkers, LastMarkers, NextMarker};
pub use query::memory::InferredMemory;
pub use query::memory::{MemoryAt, MemoryRangesAt, NextAccessedBlock, NextTouchedBlock};
pub use query::page_heat::{BUCKETS, HeatMap, HotPage, PageHeat};
pub use query::physical_memory::PhysicalMemoryAt;
pub use query::question::MemoryOf;
pub use query::question::Query;
pub use query::registers::InferredRegisters;
pub use query::registers::{RegisterViewsAt, RegistersAt};
pub use query::search::bytes::{FindBytes, SOUGHT_BYTES};
pub use query::search::pattern::{PatternFault, TextPattern};
pub use query::search::run::{Find, SearchBatch};
pub use query::search::text::FindText;
pub use query::search::value::FindValue;
pub use query::slice::onward::ForwardSliceWalk;
pub use query::slice::queries::BackwardSliceQuery;
pub use query::slice::queries::DefinedValues;
pub use query::slice::queries::ForwardSliceQuery;
pub use query::slice::walk::BackwardSliceWalk;
pub use query::steps::UnfinishedSteps;
pub use query::steps::{FallsAcrossTime, LineOfStep, PositionOfLine, PositionOfTime, Steps};
pub use query::steps::{NearestStepOf, TextLineOfStep};
pub use query::steps::{RawLine, RawLines, SHOWN_BYTES};
pub use query::tails::tail_calls;
pub use query::translations::PlainAddress;
pub use query::translations::{CountTranslations, MappingsAt, PlaceAt, TranslationsAt};
pub use query::visits::{NearestVisit, NthVisit, VisitsFrom};
pub use read::encodings::CodeCheck;
pub use read::markers::MarkerReader;
pub use read::names::NameReader;
pub use read::slots::SlotReader;
pub use read::thread_steps::StepCounter;
pub use read::thread_steps::{PointReader, StepPoint};
pub use read::visits::VisitReader;
pub use store::calls::stacks::{FramesWithin, StackUse};
pub use store::calls::table::CallTable;
pub use store::codes::ExecutedCode;
pub use store::data::{ReadGuard, allow_reads, forbid_reads};
pub use store::fingerprint::Fingerprint;
