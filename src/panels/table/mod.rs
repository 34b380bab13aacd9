//! Lists of what was found in the trace: all accesses of some memory, the blocks of the heap, the busiest pages,
//! the functions that took most.

mod kind;
mod panel;
mod rows;

pub use panel::TablePanel;
