//! Results of tools ([`tool_result`]).

use serde_json::{Value as Json, json};

use super::failure::ToolError;

/// Returns the result of a call: the answer, or the error, as JSON in its text. Each client gives
/// the text to its model; a second copy as structured content would leave half the room for facts.
pub fn tool_result(found: Result<Json, ToolError>) -> Json {
    let (content, is_error) = match found {
        Ok(content) => (content, false),
        Err(error) => (error.json(), true),
    };
    json!({
        "content": [{"type": "text", "text": content.to_string()}],
        "isError": is_error,
    })
}
