//! `calls`: the tree of calls, the visits of a function, or the stack at a position.

use serde_json::Value as Json;

use super::state::at_arguments;
use crate::cli::at::{self, AtArguments};
use crate::cli::callinfo::{self, CallinfoArguments};
use crate::cli::calltree::{self, CalltreeArguments};
use crate::cli::text::NameOptions;
use crate::servers::mcp::failure::{ErrorKind, ToolError};
use crate::servers::mcp::page::{Page, Paging, ToolCall};
use crate::servers::mcp::rows::{head_of, rows_of};

/// Answers a call.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let function = call.arguments.text("function")?;
    match (function, call.arguments.has("at")) {
        (Some(_), true) => Err(ToolError::new(
            ErrorKind::BadArgument,
            "\"function\" and \"at\" exclude each other",
            "give function for its visits, or at for the stack",
        )),
        (Some(function), false) => visits(call, function),
        (None, true) => stack(call),
        (None, false) => tree(call),
    }
}

fn visits(call: &ToolCall<'_>, function: &str) -> Result<Json, ToolError> {
    let page = Page::new(call, Paging::ByOffset)?;
    let arguments = CallinfoArguments {
        functions: vec![function.to_owned()],
        common: call.common.clone(),
    };
    let without_query = |row| match row {
        Json::Object(mut row) => {
            row.shift_remove("query");
            Some(row.into())
        }
        _ => None,
    };
    page.add_rows_if(without_query, |report| {
        if callinfo::places(function, report)?.is_empty() {
            let message = format!("no image has a function {function:?}");
            return Err(ToolError::of_kind(ErrorKind::UnknownName, message).into());
        }
        callinfo::answer(&arguments, report)
    })?;
    Ok(page.answer())
}

fn stack(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let page = Page::new(call, Paging::ByOffset)?;
    let arguments = AtArguments {
        stack: true,
        ..at_arguments(call)?
    };
    let mut state = page.value_of(|report| at::answer(&arguments, report).map(drop))?;
    if page.is_first() {
        page.set_head(head_of(&mut state, &["position", "last_step"]));
    }
    page.add_values(rows_of(state.shift_remove("stack"), "frame"))?;
    Ok(page.answer())
}

fn tree(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let depth = call.arguments.number("max_depth")?;
    let thread = call.thread()?;
    let (from, to) = (call.arguments.number("from")?, call.arguments.number("to")?);
    let page = Page::new(call, Paging::ByOffset)?;
    if depth.is_none() && thread.is_none() && from.is_none() && to.is_none() {
        page.set_total(call.session.index.calls().len());
    }
    let arguments = CalltreeArguments {
        max_depth: depth.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
        all_frames: true,
        lines: false,
        names: NameOptions::default(),
        common: call.common.clone(),
    };
    let is_wanted = |row: &Json| {
        let field = |name: &str| row.get(name).and_then(Json::as_u64);
        let step = field("entry_step").or(field("call_step")).unwrap_or(0);
        let is_of_thread = thread
            .as_deref()
            .is_none_or(|thread| row.get("thread").and_then(Json::as_str) == Some(thread));
        is_of_thread && from.is_none_or(|from| step >= from) && to.is_none_or(|to| step < to)
    };
    page.add_rows_if(
        |row| Some(row).filter(|row| is_wanted(row)),
        |report| calltree::answer(&arguments, report),
    )?;
    Ok(page.answer())
}
