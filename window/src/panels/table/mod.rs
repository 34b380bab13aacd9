//! Lists about the trace: accesses of memory, heap blocks, pages, regions, tasks, warnings, and
//! others.

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
