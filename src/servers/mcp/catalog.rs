//! The tools of the server ([`list`]), as `tools/list` describes them.

use serde_json::{Map, Value as Json, json};

use super::failure::ToolError;
use super::page::ToolCall;
use super::tools::{calls, compare, find, list as steps, overview, state, why};

/// A tool.
pub struct Tool {
    pub name: &'static str,
    about: &'static str,
    properties: fn() -> Json,
    required: &'static [&'static str],
    /// Answers a call.
    pub run: fn(&ToolCall<'_>) -> Result<Json, ToolError>,
}

/// All tools, the cheapest question first.
static TOOLS: [Tool; 8] = [
    Tool {
        name: "overview",
        about: "Start here: format, steps, threads, images, warnings, and how the trace ends badly \
                (ending.culprit is the cell to ask why about).",
        properties: || json!({}),
        required: &[],
        run: overview::run,
    },
    Tool {
        name: "why",
        about: "The steps that the value of a cell at a position comes from, newest first; chains \
                end in a constant, the initial state, input or unknown. forward: its later uses.",
        properties: || {
            json!({
                "cell": text(CELL),
                "at": position("default: end; forward: start"),
                "forward": {"type": "boolean"},
                "address": switch("also the addresses of loads and stores"),
                "flags": switch("also the flags of conditional instructions"),
                "control": switch("also the branches that decided"),
                "thread": text("whose registers"),
            })
        },
        required: &["cell"],
        run: why::run,
    },
    Tool {
        name: "find",
        about: "Accesses of a cell, executions of an address, values, texts, byte sequences, \
                external changes, markers. last- searches backwards, nearest first.",
        properties: || {
            json!({
                "kind": {"enum": find::kinds()},
                "what": text(
                    "access: cell. pc: address or symbol. text: regex over disassembly. \
                     value: number. bytes: hex pairs or quoted text. marker: NAME[=VALUE]. \
                     external: ADDR:LEN or nothing",
                ),
                "at": position("default: start; last-: end"),
                "thread": text("only this thread"),
            })
        },
        required: &["kind"],
        run: find::run,
    },
    Tool {
        name: "values",
        about: "The values that were written to a cell over time, with their steps.",
        properties: || {
            json!({
                "cell": text(CELL),
                "at": position("default: start; newest_first: end"),
                "newest_first": {"type": "boolean"},
                "thread": text("whose registers"),
            })
        },
        required: &["cell"],
        run: find::values,
    },
    Tool {
        name: "state",
        about: "Registers, memory and the stack at a position, with their provenance. In sources, r \
                is recorded, i inferred, x external, ? unknown. All registers if nothing is named.",
        properties: || {
            json!({
                "at": position("default: end"),
                "registers": texts("such as x0, sp"),
                "memory": texts("ADDR:LEN, such as sp:64"),
                "stack": switch("the frames, innermost first"),
                "thread": text("whose registers"),
            })
        },
        required: &[],
        run: state::run,
    },
    Tool {
        name: "list",
        about: "Steps from a position on, with disassembly, source line and effects.",
        properties: || {
            json!({
                "from": position("default: start"),
                "thread": text("only this thread"),
            })
        },
        required: &[],
        run: steps::run,
    },
    Tool {
        name: "calls",
        about: "The tree of calls in order of entry; with at, the call stack at a position; with \
                function, each execution of a function.",
        properties: || {
            json!({
                "at": position("for the stack"),
                "function": text("symbol or address"),
                "max_depth": {"type": "integer"},
                "from": {"type": "integer", "description": "first step of entry"},
                "to": {"type": "integer", "description": "step after the last entry"},
                "thread": text("only this thread"),
            })
        },
        required: &[],
        run: calls::run,
    },
    Tool {
        name: "compare",
        about: "The first difference to the trace named by --compare, the steps that caused it, and \
                all differing regions. a and b are steps of the two traces.",
        properties: || json!({}),
        required: &[],
        run: compare::run,
    },
];

/// Description of a cell.
const CELL: &str = "register, or ADDR[:LEN]; ADDR: expression of numbers, registers, symbols";

/// Returns the tool with a name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Returns the result of `tools/list`.
pub fn list() -> Json {
    let tools = TOOLS.iter().map(Tool::description);
    json!({"tools": tools.collect::<Vec<_>>()})
}

impl Tool {
    /// Returns the properties of the arguments.
    pub fn properties(&self) -> Map<String, Json> {
        let mut properties = match (self.properties)() {
            Json::Object(properties) => properties,
            _ => Map::new(),
        };
        properties.insert("limit".to_owned(), json!({"type": "integer"}));
        properties.insert(super::cursor::CURSOR.to_owned(), json!({"type": "string"}));
        properties
    }

    fn description(&self) -> Json {
        let mut input = json!({"type": "object", "properties": self.properties()});
        if let Some(fields) = input.as_object_mut().filter(|_| !self.required.is_empty()) {
            fields.insert("required".to_owned(), json!(self.required));
        }
        json!({
            "name": self.name,
            "description": self.about,
            "inputSchema": input,
            "annotations": {"readOnlyHint": true},
        })
    }
}

fn text(about: &str) -> Json {
    json!({"type": "string", "description": about})
}

fn texts(about: &str) -> Json {
    json!({"type": "array", "items": {"type": "string"}, "description": about})
}

fn switch(about: &str) -> Json {
    json!({"type": "boolean", "description": about})
}

/// Describes a position. Numbers and names as the command line takes them are accepted.
fn position(about: &str) -> Json {
    json!({"type": ["integer", "string"], "description": format!("position; {about}")})
}
