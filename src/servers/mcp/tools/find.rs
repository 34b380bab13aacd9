//! `find`: accesses, executions, values and texts. `values`: the values that a cell had.

use clap::ValueEnum as _;
use serde_json::{Map, Value as Json, json};
use stepback_index::answer::Direction;
use stepback_parsers::{Position, Step};

use crate::cli::find::{self, FindArguments, FindKind};
use crate::cli::question::Command as _;
use crate::servers::mcp::failure::{ErrorKind, ToolError};
use crate::servers::mcp::page::{Page, Paging, ToolCall};

/// Returns the words for the kinds of search.
pub fn kinds() -> Vec<String> {
    let values = FindKind::value_variants().iter();
    values
        .filter_map(|kind| Some(kind.to_possible_value()?.get_name().to_owned()))
        .collect()
}

/// Answers a call of `find`.
///
/// # Errors
/// See [`ToolError`].
pub fn run(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let kind = call.arguments.needed_text("kind")?;
    let kind = FindKind::from_str(kind, false).map_err(|_| {
        ToolError::new(
            ErrorKind::BadArgument,
            format!("there is no kind {kind:?}"),
            format!("the kinds are {}", kinds().join(", ")),
        )
    })?;
    let arguments = FindArguments {
        what: call.arguments.text("what")?.map(str::to_owned),
        ..arguments(call, kind)?
    };
    hits(call, arguments, Some)
}

/// Answers a call of `values`.
///
/// # Errors
/// See [`ToolError`].
pub fn values(call: &ToolCall<'_>) -> Result<Json, ToolError> {
    let kind = match call.arguments.is_on("newest_first")? {
        true => FindKind::LastWrite,
        false => FindKind::NextWrite,
    };
    let arguments = FindArguments {
        what: Some(call.arguments.needed_text("cell")?.to_owned()),
        ..arguments(call, kind)?
    };
    hits(call, arguments, |hit| Some(value_row(hit)))
}

fn arguments(call: &ToolCall<'_>, kind: FindKind) -> Result<FindArguments, ToolError> {
    Ok(FindArguments {
        kind,
        what: None,
        at: call.arguments.position("at")?,
        thread: call.thread()?,
        all: true,
        limit: None,
        stack: false,
        frames: None,
        exit_code: false,
        resumed_at: None,
        common: call.common.clone(),
    })
}

/// Searches, and says if the cell has its value from the start when there is no hit.
fn hits(
    call: &ToolCall<'_>,
    arguments: FindArguments,
    row: impl Fn(Json) -> Option<Json>,
) -> Result<Json, ToolError> {
    arguments
        .check()
        .map_err(|message| ToolError::of_kind(ErrorKind::BadArgument, message))?;
    // Hits of markers need no step.
    let paging = match arguments.kind {
        FindKind::Marker | FindKind::LastMarker => Paging::ByOffset,
        _ => Paging::ByStep,
    };
    let page = Page::new(call, paging)?;
    let arguments = FindArguments {
        resumed_at: page
            .resumed_step()
            .map(|step| resumed(step, arguments.kind)),
        ..arguments
    };
    page.add_rows_if(row, |report| find::answer(&arguments, report).map(drop))?;
    if page.is_first() && page.is_empty() {
        let first = FindArguments {
            all: false,
            ..arguments
        };
        let mut found = page.value_of(|report| find::answer(&first, report).map(drop))?;
        if let Some(initial) = found.remove("initial") {
            page.set_head(json!({"initial": initial}));
        }
    }
    Ok(page.answer())
}

/// Returns the position at which a search meets the hits of a step again.
fn resumed(step: u64, kind: FindKind) -> Position {
    match kind.direction() {
        Direction::Forward => Position(step),
        Direction::Back => Step(step).after(),
    }
}

/// Shortens a hit to the value that was written.
fn value_row(hit: Json) -> Json {
    let Json::Object(mut hit) = hit else {
        return hit;
    };
    let mut row = Map::new();
    for name in ["step", "position", "time", "thread", "pc"] {
        row.extend(hit.shift_remove(name).map(|field| (name.to_owned(), field)));
    }
    if let Some(Json::Object(mut access)) = hit.shift_remove("access") {
        for name in ["cell", "value", "inferred", "external", "host"] {
            row.extend(
                access
                    .shift_remove(name)
                    .map(|field| (name.to_owned(), field)),
            );
        }
    }
    row.extend(
        hit.shift_remove("doubt")
            .map(|doubt| ("doubt".to_owned(), doubt)),
    );
    row.into()
}
