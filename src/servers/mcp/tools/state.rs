//! `state`: registers, memory and the stack at a position.

use serde_json::{Map, Value as Json, json};
use stepback_debugger::model::so_far::{SOURCES, SourceWords};
use stepback_debugger::place::PositionName;

use crate::cli::at::{self, AtArguments};
use crate::cli::question::Command as _;
use crate::servers::mcp::failure::{ErrorKind, ToolError};
use crate::servers::mcp::page::{Page, Paging, ToolCall};
use crate::servers::mcp::rows::{head_of, row, rows_of};

/// Maximum length of a range of memory.
const MEMORY_LIMIT_BYTES: u64 = 64 << 10;
/// Bytes of memory in a row.
const ROW_BYTES: usize = 32;
/// Fields of `stepback at --json` that come before the rows.
const HEAD: [&str; 4] = ["position", "last_step", "unfinished_steps", "stack_hidden"];

/// Answers a call.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let given = call.arguments;
    let wanted = given.texts("registers")?;
    let memory = given.texts("memory")?;
    let arguments = AtArguments {
        memory: memory.into_iter().map(str::to_owned).collect(),
        stack: given.is_on("stack")?,
        memory_limit_bytes: MEMORY_LIMIT_BYTES,
        ..at_arguments(call)?
    };
    arguments
        .check()
        .map_err(|message| ToolError::of_kind(ErrorKind::BadArgument, message))?;
    let page = Page::new(call, Paging::ByOffset)?;
    let mut state = page.value_of(|report| at::answer(&arguments, report).map(drop))?;
    let position = state.get("position").cloned().unwrap_or_default();
    let are_others_wanted = arguments.stack || !arguments.memory.is_empty();
    let mut rows = Vec::new();
    rows.extend(rows_of(state.shift_remove("stack"), "frame"));
    for range in list(state.shift_remove("memory")) {
        rows.extend(memory_rows(range, &position));
    }
    rows.extend(rows_of(
        state.shift_remove("memory_errors"),
        "unknown_memory",
    ));
    if !wanted.is_empty() || !are_others_wanted {
        rows.extend(register_rows(&mut state, &wanted, &position)?);
    }
    if page.is_first() {
        page.set_head(head_of(&mut state, &HEAD));
    }
    page.add_values(rows)?;
    Ok(page.answer())
}

/// Returns the arguments for the position of a call, the end if it has none.
pub fn at_arguments(call: &ToolCall<'_>) -> Result<AtArguments, ToolError> {
    Ok(AtArguments {
        position: call.arguments.position("at")?.unwrap_or(PositionName::End),
        thread: call.thread()?,
        regs: false,
        memory: Vec::new(),
        stack: false,
        frames: usize::MAX,
        lines: true,
        memory_limit_bytes: MEMORY_LIMIT_BYTES,
        common: call.common.clone(),
    })
}

fn list(value: Option<Json>) -> Vec<Json> {
    match value {
        Some(Json::Array(list)) => list,
        _ => Vec::new(),
    }
}

fn object(value: Option<Json>) -> Map<String, Json> {
    match value {
        Some(Json::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// Returns a row for each wanted register, or for all, those with a known value first.
fn register_rows(
    state: &mut Map<String, Json>,
    wanted: &[&str],
    position: &Json,
) -> Result<Vec<Json>, ToolError> {
    let values = object(state.shift_remove("registers"));
    let mut sources = object(state.shift_remove("register_sources"));
    let mut reasons = object(state.shift_remove("register_reasons"));
    if let Some(missing) = wanted.iter().find(|name| !values.contains_key(**name)) {
        let names: Vec<&str> = values.keys().map(String::as_str).take(40).collect();
        return Err(ToolError::new(
            ErrorKind::UnknownName,
            format!("the thread has no register {missing:?} here"),
            format!("whole registers are listed: {}", names.join(" ")),
        ));
    }
    let mut rows: Vec<Json> = Vec::new();
    for (name, value) in values {
        if !wanted.is_empty() && !wanted.contains(&name.as_str()) {
            continue;
        }
        let mut fields = json!({"cell": name, "value": value, "position": position});
        if let Some(fields) = fields.as_object_mut() {
            let source = sources.shift_remove(&name);
            fields.extend(source.map(|source| ("provenance".to_owned(), source)));
            let reason = reasons.shift_remove(&name);
            fields.extend(reason.map(|reason| ("reason".to_owned(), reason)));
        }
        rows.push(fields);
    }
    rows.sort_by_key(|row| row.get("value").is_none_or(Json::is_null));
    Ok(rows)
}

/// Splits a range of memory into rows. Their `sources` have a letter for each byte.
fn memory_rows(range: Json, position: &Json) -> Vec<Json> {
    let mut range = object(Some(range));
    let text = |field: Option<Json>| field.and_then(|field| field.as_str().map(str::to_owned));
    let bytes = text(range.shift_remove("bytes")).unwrap_or_default();
    let sources = text(range.shift_remove("sources")).unwrap_or_default();
    let first = text(range.shift_remove("address")).unwrap_or_default();
    let first = u64::from_str_radix(first.trim_start_matches("0x"), 16).unwrap_or_default();
    let bytes: Vec<&str> = bytes.split(' ').collect();
    let mut rows = Vec::new();
    for (number, bytes) in bytes.chunks(ROW_BYTES).enumerate() {
        let start = number * ROW_BYTES;
        let sources = sources.get(start..(start + bytes.len()).min(sources.len()));
        let address = first.wrapping_add(start as u64);
        let mut fields = json!({
            "cell": format!("{address:#x}:{}", bytes.len()),
            "bytes": bytes.join(" "),
            "sources": sources,
            "position": position,
            "provenance": provenance(sources.unwrap_or_default()),
        });
        if let Some(fields) = fields.as_object_mut() {
            // The block, the translations and the space of the first byte.
            fields.append(&mut range);
        }
        rows.push(row("memory", fields));
    }
    rows
}

/// Returns the least certain source of some bytes.
fn provenance(letters: &str) -> &'static str {
    let sources = SOURCES.into_iter();
    let least = sources.filter(|source| letters.contains(SourceWords::of(*source).letter));
    SourceWords::of(least.max().unwrap_or_default()).word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_certain_byte_decides() {
        for (letters, expected) in [
            ("rrrr", "recorded"),
            ("rrir", "inferred"),
            ("ixr", "external"),
            ("x?i", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(provenance(letters), expected, "{letters}");
        }
    }
}
