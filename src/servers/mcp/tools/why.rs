//! `why`: where a value comes from, or where it goes.

use serde_json::Value as Json;

use crate::cli::question::Command as _;
use crate::cli::why::{self, WhyArguments};
use crate::servers::mcp::failure::{ErrorKind, ToolError};
use crate::servers::mcp::page::{Page, Paging, ToolCall};

/// Answers a call.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let given = call.arguments;
    let arguments = WhyArguments {
        what: given.needed_text("cell")?.to_owned(),
        at: given.position("at")?,
        address: given.is_on("address")?,
        flags: given.is_on("flags")?,
        control: given.is_on("control")?,
        forward: given.is_on("forward")?,
        exact: false,
        limit: None,
        all_copies: true,
        thread: call.thread()?,
        common: call.common.clone(),
    };
    arguments
        .check()
        .map_err(|message| ToolError::of_kind(ErrorKind::BadArgument, message))?;
    let page = Page::new(call, Paging::ByOffset)?;
    page.add_rows_if(
        |row| Some(with_position(row)),
        |report| why::answer(&arguments, report),
    )?;
    Ok(page.answer())
}

/// Adds to the end of a chain a position at which the cell has the value: before a step that uses
/// it.
fn with_position(row: Json) -> Json {
    let Json::Object(mut row) = row else {
        return row;
    };
    let user = row.get("for").and_then(|steps| steps.get(0)).cloned();
    if row.contains_key("end")
        && let Some(user) = user
    {
        row.insert("position".to_owned(), user);
    }
    row.into()
}
