//! Plain data that queries return; it holds no index.

pub use crate::answers::call::{Call, CallId, Evidence, FrameEntry, FrameExit};
pub use crate::answers::cell::{AccessKinds, Cell, Direction, MemoryRange, ThreadId, ThreadInfo};
pub use crate::answers::difference::{
    Difference, ExternalChange, MemoryDifference, MemoryInput, MemoryOutput, RangeEffects,
    RegisterDifference, RegisterEffect,
};
pub use crate::answers::heap::{
    BAD_FREES, BLOCKS, BadFree, BlockRelease, HEAP_BYTES, Heap, HeapBlock,
};
pub use crate::answers::index_info::{
    IndexInfo, IndexSection, MarkerCount, MarkerHit, PageCounts, SectionSize, TimeFall,
    Translation, TranslationCounts, VirtualMapping, WARNINGS_KEPT, Warning, WarningKind,
};
pub use crate::answers::program::{FunctionPart, Program};
pub use crate::answers::register_file::{
    Fact, Inference, InferenceReason, InferredRegister, RegisterFile, RegisterState,
    ValueDerivation,
};
pub use crate::answers::slice::{
    Edge, EdgeKinds, SliceCell, SliceDefinition, SliceEnd, SliceEndKind, SliceRow, SliceStep,
    SliceStepAccess, SliceStepDetail, SliceUse, UnknownInput,
};
pub use crate::answers::step_record::{
    ANSWER_EFFECTS, Access, AccessTarget, AccessesAt, CellAccess, Doubt, Effect, HIT_EFFECTS, Hit,
    HostOperation, LATE_STEPS, STEP_EFFECTS, StepRecord,
};
pub use crate::answers::value::{ByteState, ByteTouch, Number, Value, ValueSource};
pub use crate::store::calls::cursor::FrameCursor;
pub use crate::store::calls::stacks::{FramesWithin, StackUse};
pub use crate::store::calls::table::CallTable;
pub use crate::store::codes::ExecutedCode;
