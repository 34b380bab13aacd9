//! `compare`: where the trace and a second one part, and why.

use std::cell::RefCell;

use serde_json::{Map, Value as Json, json};

use crate::servers::mcp::failure::ToolError;
use crate::servers::mcp::page::{Page, Paging, ToolCall};
use crate::servers::mcp::rows::{row, rows_of};

/// Fields of `stepback compare --json` that come before the rows.
const HEAD: [&str; 4] = ["equal", "a", "b", "slide"];

/// Answers a call.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let page = Page::new(call, Paging::ByOffset)?;
    let found = RefCell::new(None);
    page.value_of(|report| {
        found.replace(Some(call.other.comparison(report)?));
        Ok(())
    })?;
    let comparison = found.into_inner().unwrap_or_default();
    if page.is_first() {
        let head = HEAD.iter().filter_map(|name| {
            let field = comparison.get(*name)?;
            Some(((*name).to_owned(), field.clone()))
        });
        page.set_head(Json::Object(head.collect()));
    }
    let list = |name: &str, kind| rows_of(comparison.get(name).cloned(), kind);
    let pairs = rows_of(comparison.get("thread_pairs").cloned(), "threads");
    let rows = pairs
        .flat_map(pair_rows)
        .chain(list("only_in_a", "only_in_a"))
        .chain(list("only_in_b", "only_in_b"))
        .chain(list("moved_code", "moved_code"))
        .chain(list("forgiven", "forgiven"))
        .chain(list("function_differences", "function"));
    page.add_values(rows.map(with_position))?;
    Ok(page.answer())
}

/// Splits a pair of threads into rows, the most telling first.
fn pair_rows(pair: Json) -> Vec<Json> {
    let Json::Object(mut pair) = pair else {
        return Vec::new();
    };
    let divergence = pair.shift_remove("first_divergence");
    let difference = pair.shift_remove("first_difference");
    let mut cause = match pair.shift_remove("divergence_cause") {
        Some(Json::Object(cause)) => cause,
        _ => Map::new(),
    };
    let chain = cause.shift_remove("chain");
    let initial = pair.shift_remove("initial_differences");
    let moved = pair.shift_remove("moved_objects");
    let regions = pair.shift_remove("regions");
    let mut rows = vec![Json::Object(pair)];
    rows.extend(rows_of(divergence, "first_divergence"));
    rows.extend(rows_of(difference, "first_difference"));
    if !cause.is_empty() {
        rows.push(row("divergence_cause", cause.into()));
    }
    rows.extend(rows_of(chain, "cause_step"));
    rows.extend(rows_of(initial, "initial_difference"));
    rows.extend(rows_of(moved, "moved_object"));
    rows.extend(rows_of(regions, "region"));
    rows
}

/// Adds the positions before the steps of a row, in both traces.
fn with_position(row: Json) -> Json {
    let Json::Object(mut row) = row else {
        return row;
    };
    for (side, name) in [("a", "position"), ("b", "position_b")] {
        let step = match row.get(side) {
            Some(Json::Array(range)) => range.first().and_then(Json::as_u64),
            Some(step) => step.as_u64(),
            None => None,
        };
        row.extend(step.map(|step| (name.to_owned(), json!(step))));
    }
    row.into()
}
