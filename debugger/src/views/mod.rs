//! One view per panel: its state, queries, rows and actions, without a toolkit.
//!
//! A front end polls a view before it draws, draws the rows in sight, and passes user actions on
//! rows to it.

mod bookmark_table;
mod both_states_table;
mod both_traces;
mod calls;
mod compare;
mod difference_table;
mod effects_table;
mod external_table;
mod find_table;
mod findings;
mod function_table;
mod memory;
mod memory_tables;
mod registers;
mod source;
mod stack;
mod steps;
mod table_view;
mod thread_table;
mod view;
mod warning_table;
mod watch_table;
mod why;

pub use crate::views::steps::RawTextView;
pub use crate::views::view::{MenuEntry, RowMenu};
pub use bookmark_table::BookmarkTable;
pub use both_states_table::BothStatesTable;
pub use both_traces::BothTracesView;
pub use calls::{CallColumn, CallsView};
pub use compare::{CompareRoom, CompareSide, CompareView, CompareWidths, WindowPair, low_end};
pub use difference_table::{DifferenceTable, comparison_offer};
pub use effects_table::EffectsTable;
pub use external_table::ExternalTable;
pub use find_table::FindTable;
pub use findings::FindingsView;
pub use function_table::FunctionTable;
pub use memory::{ByteAction, MemoryLayout, MemoryMove, MemoryView};
pub use memory_tables::{AccessTable, MemoryTable};
pub use registers::{
    CellSpot, GridLayout, GridRow, RegisterBlock, RegisterGesture, RegisterGrid, RegistersView,
    RowKind, address_of, lanes_per_row,
};
pub use source::{ShownSource, SourceView};
pub use stack::StackView;
pub use steps::StepsView;
pub use table_view::{TableSource, TableView, TableWork};
pub use thread_table::ThreadTable;
pub use view::{CursorDirection, CursorRow, PanelView, RowGesture, RowListing, ViewStatus};
pub use warning_table::WarningTable;
pub use watch_table::{ShownWatch, WatchStates, WatchTable};
pub use why::{OwnSliceRequest, WhyView};
