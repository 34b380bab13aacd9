//! `list`: steps with their effects.

use serde_json::Value as Json;
use stepback_debugger::place::PositionName;

use crate::cli::list::{self, ListArguments};
use crate::servers::mcp::failure::ToolError;
use crate::servers::mcp::page::{Page, Paging, ToolCall};

/// Answers a call.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let page = Page::new(call, Paging::ByStep)?;
    let from = call.arguments.position("from")?;
    let from = from.unwrap_or(PositionName::Start);
    let thread = call.thread()?;
    if thread.is_none() {
        page.value_of(|report| {
            let first = from.resolve(report.session, &report.cancel)?;
            page.set_total(report.session.index.step_count().saturating_sub(first.0));
            Ok(())
        })?;
    }
    let arguments = ListArguments {
        from: page.resumed_step().map_or(from, PositionName::Number),
        count: None,
        thread,
        records: false,
        lines: true,
        follow: false,
        common: call.common.clone(),
    };
    page.add_rows(|report| list::answer(&arguments, u64::MAX, report))?;
    Ok(page.answer())
}
