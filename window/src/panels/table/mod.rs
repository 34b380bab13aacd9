//! Lists about the trace: accesses of memory, heap blocks, pages, regions, tasks, warnings, and
//! others.

mod access_bar;
mod columns;
mod list;
mod panel;
mod rows;
mod table_ui;

pub use crate::panels::table::panel::ListPanel;
pub use crate::panels::table::table_ui::{ListExport, ListTools, text_table};
pub use list::{ListPlace, RowList};
pub use panel::TablePanel;
