//! The list of steps, or the raw text of the trace.

mod hits;
mod menu;
mod paint;
mod panel;
mod raw;
mod spots;
mod steps;

pub use paint::{RowPaint, ThreadNameWidth, TraceColumnContent, TraceColumns, paint_row};
pub use panel::TracePanel;
