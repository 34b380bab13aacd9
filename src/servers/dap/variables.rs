//! Scopes of a frame and their variables, with the provenance of each value.

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};
use stepback_debugger::analysis::register_part::all_registers;
use stepback_debugger::model::call_stack::ArgumentRegister;
use stepback_index::Cancel;
use stepback_index::answer::{Value, ValueSource};

use super::arguments::Arguments;
use super::program::{FrameNumber, TracedProgram};
use crate::cli::json::value_hex;

/// Shown for a value that nothing states.
pub const NOT_RECORDED: &str = "<not recorded>";

/// Maximum number of variables in an answer.
const VARIABLES: u64 = 10_000;

/// Scope of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Arguments,
    Registers,
}

/// Number of variables references that a frame may have.
const KINDS: u64 = 4;

impl ScopeKind {
    const ALL: [Self; 2] = [Self::Arguments, Self::Registers];

    fn number(self) -> u64 {
        match self {
            Self::Arguments => 1,
            Self::Registers => 2,
        }
    }

    fn of(reference: u64) -> Option<(Self, u64)> {
        let mut kinds = Self::ALL.into_iter();
        let kind = kinds.find(|kind| kind.number() == reference % KINDS)?;
        Some((kind, reference / KINDS))
    }
}

/// Formats a value with its provenance.
pub fn value_text(value: &Value, source: ValueSource) -> String {
    let Some(text) = value_hex(value) else {
        return NOT_RECORDED.to_owned();
    };
    match source {
        ValueSource::Recorded | ValueSource::Unknown => text,
        ValueSource::Inferred => format!("{text} (inferred)"),
        ValueSource::External => format!("{text} (external change)"),
    }
}

impl TracedProgram {
    /// Lists the scopes of a frame.
    pub fn scopes(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let frame = self.requested_frame(arguments)?;
        let read = self.stack_frame(frame, cancel)?;
        let has_arguments = read.is_some_and(|frame| !frame.arguments.is_empty());
        let scope = |kind: ScopeKind| {
            let (name, hint) = match kind {
                ScopeKind::Arguments => ("Arguments at entry", "arguments"),
                ScopeKind::Registers => ("Registers", "registers"),
            };
            json!({
                "name": name,
                "presentationHint": hint,
                "variablesReference": frame.id() * KINDS + kind.number(),
                "expensive": false,
            })
        };
        let kinds = ScopeKind::ALL.into_iter();
        let scopes: Vec<Json> = kinds
            .filter(|kind| has_arguments || *kind != ScopeKind::Arguments)
            .map(scope)
            .collect();
        Ok(json!({"scopes": scopes}))
    }

    /// Reads the variables of a scope.
    pub fn variables(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let reference = arguments
            .count("variablesReference")?
            .context("the argument \"variablesReference\" is missing")?;
        let (kind, frame) = ScopeKind::of(reference)
            .with_context(|| format!("there are no variables {reference}"))?;
        let frame = self.frame_of(frame)?;
        let variables = match kind {
            ScopeKind::Arguments => self.argument_variables(frame, cancel)?,
            ScopeKind::Registers => self.register_variables(frame, cancel)?,
        };
        let skipped = usize::try_from(arguments.count("start")?.unwrap_or(0))?;
        let count = arguments.count("count")?.filter(|count| *count > 0);
        let count = usize::try_from(count.unwrap_or(VARIABLES).min(VARIABLES))?;
        let shown: Vec<Json> = variables.into_iter().skip(skipped).take(count).collect();
        Ok(json!({"variables": shown}))
    }

    /// Reads the argument registers of a frame as they were at its entry.
    fn argument_variables(&self, frame: FrameNumber, cancel: &Cancel) -> Result<Vec<Json>> {
        let frame = self.stack_frame(frame, cancel)?;
        let arguments = frame.into_iter().flat_map(|frame| frame.arguments);
        let variable = |argument: ArgumentRegister| {
            // Whether it is inferred is not part of the frame.
            let text = value_text(&argument.value, ValueSource::Recorded);
            json!({
                "name": argument.name,
                "value": text,
                "variablesReference": 0,
                "presentationHint": {"attributes": ["readOnly"]},
            })
        };
        Ok(arguments.map(variable).collect())
    }

    fn register_variables(&self, frame: FrameNumber, cancel: &Cancel) -> Result<Vec<Json>> {
        let position = self.position_of(frame);
        let file = all_registers(self.index(), position, Some(frame.thread), cancel)?;
        let variables = file.registers.iter().map(|register| {
            let mut variable = json!({
                "name": register.name,
                "value": value_text(&register.value, register.source),
                "evaluateName": register.name,
                "variablesReference": 0,
                "presentationHint": {"attributes": ["readOnly"]},
            });
            if let Some(number) = register.value.to_u64() {
                variable["memoryReference"] = format!("{number:#x}").into();
            }
            variable
        });
        Ok(variables.collect())
    }
}
