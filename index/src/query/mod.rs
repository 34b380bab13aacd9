//! Queries, one file per subject. Each query is a struct of its parameters, and a pure function of
//! these and the index ([`question::Query`]).

pub(crate) mod access;
mod access_search;
pub(crate) mod accesses;
pub(crate) mod allocations;
#[cfg(test)]
mod bytes_read;
pub(crate) mod difference;
pub(crate) mod effects_within;
pub(crate) mod externals;
pub(crate) mod folds;
pub(crate) mod markers;
pub(crate) mod memory;
pub(crate) mod page_heat;
mod physical;
pub(crate) mod physical_memory;
pub(crate) mod question;
pub(crate) mod register_reads;
pub(crate) mod registers;
pub(crate) mod search;
pub(crate) mod slice;
pub(crate) mod steps;
pub(crate) mod tails;
pub(crate) mod translations;
pub(crate) mod visits;

pub use self::access::{Accesses, NearestAccess};
pub use self::accesses::{AccessShare, AccessShares, AccessesOf, NearestPossibleChange, TouchesAt};
pub use self::allocations::{Allocations, HeapRole};
pub use self::difference::DifferenceBetween;
pub use self::effects_within::{EFFECT_BLOCKS, EffectsWithin};
pub use self::externals::ExternalChanges;
pub use self::folds::{FoldSet, TraceListRow};
pub use self::markers::{FindMarkers, LastMarkers, NextMarker};
pub use self::memory::{
    InferredMemory, MemoryAt, MemoryRangesAt, NextAccessedBlock, NextTouchedBlock,
};
pub use self::page_heat::{BUCKETS, HeatMap, HotPage, PageHeat};
pub use self::physical_memory::PhysicalMemoryAt;
pub use self::question::MemoryOf;
pub use self::registers::{InferredRegisters, RegisterViewsAt, RegistersAt};
pub use self::search::bytes::{FindBytes, SOUGHT_BYTES};
pub use self::search::pattern::{PatternFault, TextPattern};
pub use self::search::run::{Find, SearchBatch};
pub use self::search::text::FindText;
pub use self::search::value::FindValue;
pub use self::slice::queries::{DefinedValues, SliceQuery, SliceWalk};
pub use self::steps::{
    FallsAcrossTime, LineOfStep, NearestStepOf, PositionOfLine, PositionOfTime, RawLine, RawLines,
    SHOWN_BYTES, Steps, TextLineOfStep, UnfinishedSteps,
};
pub use self::tails::tail_calls;
pub use self::translations::{
    CountTranslations, MappingsAt, PlaceAt, PlainAddress, TranslationsAt,
};
pub use self::visits::{NearestVisit, NthVisit, VisitsFrom};
