//! Results of tools ([`tool_result`]).

use serde_json::{Value as Json, json};

use super::catalog::Structure;
use super::failure::ToolError;

/// Returns the result of a call. Versions of the protocol without structured content have the whole
/// answer as text; in the others a summary is the text, so that no fact is sent twice.
pub fn tool_result(found: Result<Json, ToolError>, structure: Structure) -> Json {
    let (content, is_error) = match found {
        Ok(content) => (content, false),
        Err(error) => (error.json(), true),
    };
    let text = match structure {
        Structure::Structured if !is_error => summary(&content),
        _ => content.to_string(),
    };
    let mut result = json!({
        "content": [{"type": "text", "text": text}],
        "isError": is_error,
    });
    if structure == Structure::Structured {
        result["structuredContent"] = content;
    }
    result
}

/// Summarises an answer in a line, with the positions of its first and last row.
fn summary(content: &Json) -> String {
    let rows = content["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let total = match (&content["total"], &content["total_at_least"]) {
        (Json::Null, least) => format!("at least {least}"),
        (total, _) => total.to_string(),
    };
    let coverage = content["coverage"].as_str().unwrap_or_default();
    let mut text = format!("{} of {total} rows, {coverage}", rows.len());
    let mut positions = rows.iter().filter_map(|row| row["position"].as_u64());
    if let Some(first) = positions.next() {
        let last = positions.next_back().unwrap_or(first);
        text += &format!("; positions {first} to {last}");
    }
    if content.get("next_cursor").is_some() {
        text += "; more with next_cursor";
    }
    text + "; see structuredContent"
}
