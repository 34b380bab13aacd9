//! Lists of what was found in the trace: all accesses of some memory, the blocks of the heap, the busiest pages,
//! the functions that took most.

mod access_bar;
mod export;
mod kind;
mod list;
mod list_panel;
mod panel;
mod rows;
mod table_ui;

pub use export::{ListExport, ListTools, text_table};
pub use list::{ListPlace, RowList};
pub use list_panel::ListPanel;
pub use panel::TablePanel;
