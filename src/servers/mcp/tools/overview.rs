//! `overview`: what the trace is, and how it ends.

use serde_json::{Map, Value as Json};

use crate::cli::info::print_info;
use crate::servers::mcp::failure::ToolError;
use crate::servers::mcp::page::{Page, Paging, ToolCall};
use crate::servers::mcp::rows::{head_of, rows_of};

/// Fields of `stepback info --json` that come before the rows.
const HEAD: [&str; 13] = [
    "trace",
    "format",
    "arch",
    "endian",
    "steps",
    "lines",
    "calls",
    "time",
    "external_changes",
    "ending",
    "so_far",
    "packed",
    "translations",
];

/// Answers a call.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let page = Page::new(call, Paging::ByOffset)?;
    let mut info = page.value_of(print_info)?;
    if page.is_first() {
        page.set_head(head_of(&mut info, &HEAD));
    }
    let mut warnings = match info.shift_remove("warnings") {
        Some(Json::Object(warnings)) => warnings,
        _ => Map::new(),
    };
    let rows = rows_of(info.shift_remove("threads"), "thread")
        .chain(rows_of(warnings.shift_remove("first"), "warning"))
        .chain(rows_of(info.shift_remove("images"), "image"));
    page.add_values(rows)?;
    Ok(page.answer())
}
