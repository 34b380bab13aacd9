//! Scopes of a frame and their variables, with the provenance of each value.

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};
use stepback_debugger::analysis::register_part::all_registers;
use stepback_debugger::image::VariableKind;
use stepback_debugger::model::call_stack::ArgumentRegister;
use stepback_index::Cancel;
use stepback_index::answer::{Value, ValueSource};

use super::arguments::Arguments;
use super::locals::MemberPath;
use super::program::{FrameNumber, TracedProgram};
use crate::cli::json::value_hex;
use crate::cli::variable_text::NOT_RECORDED;

/// Maximum number of variables in an answer.
const VARIABLES: u64 = 10_000;

/// Kind of a list of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    Locals,
    Arguments,
    /// Argument registers at the entry of the function.
    ArgumentsAtEntry,
    Registers,
}

/// Variables that a client may list.
enum VariableList {
    Scope(ScopeKind, FrameNumber),
    /// Members of the value with a number.
    Members(u64),
}

/// Number of variables references that a frame may have.
const KINDS: u64 = 8;

/// Remainder of the references to members of values.
const MEMBERS: u64 = 5;

impl ScopeKind {
    const ALL: [Self; 4] = [
        Self::Locals,
        Self::Arguments,
        Self::ArgumentsAtEntry,
        Self::Registers,
    ];

    fn number(self) -> u64 {
        match self {
            Self::ArgumentsAtEntry => 1,
            Self::Registers => 2,
            Self::Locals => 3,
            Self::Arguments => 4,
        }
    }

    /// Returns the name and the hint of a scope.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Locals => ["Locals", "locals"],
            Self::Arguments => ["Arguments", "arguments"],
            Self::ArgumentsAtEntry => ["Arguments at entry", "arguments"],
            Self::Registers => ["Registers", "registers"],
        }
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
        let first = self.frame_id(frame)? * KINDS;
        let mut scopes = Vec::new();
        for kind in ScopeKind::ALL {
            if self.has_scope(kind, frame, cancel)? {
                let [name, hint] = kind.names();
                scopes.push(json!({
                    "name": name,
                    "presentationHint": hint,
                    "variablesReference": first + kind.number(),
                    "expensive": false,
                }));
            }
        }
        Ok(json!({"scopes": scopes}))
    }

    fn has_scope(&self, kind: ScopeKind, frame: FrameNumber, cancel: &Cancel) -> Result<bool> {
        Ok(match kind {
            ScopeKind::Locals => self.has_locals(frame, VariableKind::Local, cancel)?,
            ScopeKind::Arguments => self.has_locals(frame, VariableKind::Argument, cancel)?,
            // An inlined function has none.
            ScopeKind::ArgumentsAtEntry if self.is_inlined(frame, cancel)? => false,
            ScopeKind::ArgumentsAtEntry => {
                let read = self.stack_frame(frame, cancel)?;
                read.is_some_and(|frame| !frame.arguments.is_empty())
            }
            ScopeKind::Registers => true,
        })
    }

    /// Returns the reference to the members of a value that was shown.
    pub fn reference_of_value(number: u64) -> u64 {
        number * KINDS + MEMBERS
    }

    /// Reads the variables of a scope, or the members of a value.
    pub fn variables(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let reference = arguments
            .count("variablesReference")?
            .context("the argument \"variablesReference\" is missing")?;
        let list = self.listed_variables(reference)?;
        let skipped = arguments.count("start")?.unwrap_or(0);
        let count = arguments.count("count")?.filter(|count| *count > 0);
        let count = count.unwrap_or(VARIABLES).min(VARIABLES);
        let wanted = arguments.text("filter")?;
        let (kind, frame) = match list {
            VariableList::Scope(kind, frame) => (kind, frame),
            VariableList::Members(number) => {
                if let Some(wanted) = wanted
                    && self.has_only_others(number, wanted, cancel)?
                {
                    return Ok(json!({"variables": []}));
                }
                let members = self.member_variables(number, skipped, count, cancel)?;
                return Ok(json!({"variables": members}));
            }
        };
        if wanted == Some("indexed") {
            return Ok(json!({"variables": []}));
        }
        let variables = match kind {
            ScopeKind::Locals => self.local_variables(frame, VariableKind::Local, cancel)?,
            ScopeKind::Arguments => self.local_variables(frame, VariableKind::Argument, cancel)?,
            ScopeKind::ArgumentsAtEntry => self.argument_variables(frame, cancel)?,
            ScopeKind::Registers => self.register_variables(frame, cancel)?,
        };
        let (skipped, count) = (usize::try_from(skipped)?, usize::try_from(count)?);
        let shown: Vec<Json> = variables.into_iter().skip(skipped).take(count).collect();
        Ok(json!({"variables": shown}))
    }

    /// Returns the place of a variable that a client names together with the list that shows it; the
    /// frame of the request if it names no list.
    pub fn shown_variable(
        &self,
        arguments: Arguments<'_>,
        name: &str,
        cancel: &Cancel,
    ) -> Result<MemberPath> {
        let plain = |frame: FrameNumber| MemberPath {
            frame,
            path: name.to_owned(),
        };
        let reference = arguments.count("variablesReference")?;
        let Some(reference) = reference.filter(|reference| *reference > 0) else {
            return Ok(plain(self.requested_frame(arguments)?));
        };
        let (kind, frame) = match self.listed_variables(reference)? {
            VariableList::Members(number) => return self.member_of(number, name),
            VariableList::Scope(ScopeKind::Locals, frame) => (VariableKind::Local, frame),
            VariableList::Scope(ScopeKind::Arguments, frame) => (VariableKind::Argument, frame),
            VariableList::Scope(ScopeKind::ArgumentsAtEntry | ScopeKind::Registers, frame) => {
                return Ok(plain(frame));
            }
        };
        let path = self.path_of_shown(frame, kind, name, cancel)?;
        Ok(MemberPath { frame, path })
    }

    /// Returns the list with a reference.
    fn listed_variables(&self, reference: u64) -> Result<VariableList> {
        let missing = || format!("there are no variables {reference}");
        let number = reference / KINDS;
        if reference % KINDS == MEMBERS {
            return Ok(VariableList::Members(number));
        }
        let mut kinds = ScopeKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.number() == reference % KINDS);
        let kind = kind.with_context(missing)?;
        let frame = self.frame_of(number).ok().with_context(missing)?;
        Ok(VariableList::Scope(kind, frame))
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
        let position = self.position_of(frame, cancel)?;
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
