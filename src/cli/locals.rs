//! `stepback locals`: local variables and arguments of a frame.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::image::{VariableKind, VariablePlace};
use stepback_debugger::model::frame_place::{FrameLevel, FramePlace};
use stepback_debugger::model::local_variables::{LocalVariable, local_variables};
use stepback_debugger::model::typed_value::TypedValue;
use stepback_debugger::model::variable_values::ValueReader;
use stepback_debugger::place::PositionName;
use stepback_index::read::SlotReader;

use super::cells::{resolved, thread_id};
use super::json::{byte_string, hex, source_letters};
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped, printable};
use crate::cli::error::CommandError;
use crate::cli::question::{Command, TraceArguments};
use crate::cli::variable_text::{VALUE_BYTES, ValueText};

/// Help text below the options.
pub const HELP: &str = "\
The variables come from the debug information (DWARF) of the program image, their values from the
trace: the registers of a caller are as they were at the call, memory is that of the position.
A value that the trace does not show is `<not recorded>`, never 0.";

/// Maximum nesting depth of members in JSON.
const LEVELS: usize = 4;

/// Maximum number of elements of an array in JSON.
const ELEMENTS: u64 = 64;

/// Maximum number of values in JSON.
const VALUES: usize = 1 << 14;

#[derive(Debug, Args)]
pub struct LocalsArguments {
    /// The position (default: end).
    #[arg(long, value_name = "POS", allow_negative_numbers = true)]
    pub at: Option<PositionName>,
    /// Number of the stack frame; 0 is the innermost.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub frame: usize,
    /// Thread (default: the thread of the last step before the position).
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct LocalsJson {
    position: u64,
    thread: String,
    frame: u64,
    /// Position at which the registers are read: that of the call for a caller.
    registers_at: u64,
    /// Address of the next instruction, or of the call that the frame waits for.
    pc: Option<String>,
    /// Source line there.
    source: Option<String>,
    /// Variables in scope, those of the innermost scope first. Null if no image has debug
    /// information for the code.
    variables: Option<Vec<VariableJson>>,
}

/// A variable.
#[derive(Serialize, JsonSchema)]
struct VariableJson {
    name: String,
    /// `argument` or `local`.
    kind: &'static str,
    /// Function that declares it.
    declared_in: Option<String>,
    /// True if that function is inlined here.
    inlined: bool,
    #[serde(flatten)]
    value: ValueJson,
}

/// A value with its type.
#[derive(Serialize, JsonSchema)]
struct ValueJson {
    r#type: String,
    /// Size in bytes.
    size: Option<u64>,
    /// The value in C syntax; null if it is unknown.
    value: Option<String>,
    /// True if the compiler left the variable out here.
    optimised_away: bool,
    /// `unsupported location` or `unreadable debug information`; null if neither.
    problem: Option<&'static str>,
    /// Address; null if it is not in memory.
    address: Option<String>,
    /// Bytes in memory order. Null if the value has no place.
    bytes: Option<String>,
    /// One letter for the source of each byte.
    sources: Option<String>,
    /// Number of members that are left out.
    omitted: u64,
    /// Members of a structure or an array. Missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    members: Vec<MemberJson>,
}

/// A member of a structure or an array.
#[derive(Serialize, JsonSchema)]
struct MemberJson {
    name: String,
    #[serde(flatten)]
    value: ValueJson,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<LocalsJson>()
}

impl Command for LocalsArguments {
    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints the variables.
fn answer(arguments: &LocalsArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let position = resolved(arguments.at.as_ref().unwrap_or(&PositionName::End), report)?;
    let thread = match thread_id(session, arguments.thread.as_deref())? {
        Some(thread) => thread,
        None => SlotReader(&session.index).thread_at(position)?,
    };
    let frame = FrameLevel {
        position,
        thread,
        level: arguments.frame,
    };
    let Some(place) = FramePlace::find(session, frame, &report.cancel)? else {
        let depth = session.index.calls().path_at(thread, position).len() as u64;
        bail!(CommandError::Usage(format!(
            "there is no frame {}: the stack has {} at position {}",
            arguments.frame,
            counted(depth, "frame"),
            grouped(position.0)
        )));
    };
    let variables = local_variables(session, &place, &report.cancel)?;
    note_missing(&place, report);
    let cancel = report.cancel.clone();
    let values = ValueReader {
        session,
        place: &place,
        cancel: &cancel,
    };
    let answer = LocalsReport {
        frame,
        place: &place,
        variables: &variables,
        values: &values,
    };
    match report.is_json {
        true => report.json(&answer.json()?),
        false => report.text(&answer.text()?),
    }
}

/// Notes the reason why there can be no variables.
fn note_missing(place: &FramePlace, report: &Report<'_>) {
    let images = &report.session.images;
    let Some(address) = place.address else {
        report.note("the trace does not show the code of this frame");
        return;
    };
    if images.is_empty() {
        report.note("variables need a program image with debug information: --image ELF");
    } else if images.variables_at(address).is_none() {
        report.note(&format!(
            "no image has debug information for the code at {address}"
        ));
    }
}

/// The answer.
struct LocalsReport<'a> {
    frame: FrameLevel,
    place: &'a FramePlace,
    variables: &'a [LocalVariable],
    values: &'a ValueReader<'a>,
}

impl LocalsReport<'_> {
    fn thread_name(&self) -> String {
        let index = &self.values.session.index;
        index.thread_name(self.place.thread).to_owned()
    }

    fn source(&self) -> Option<String> {
        let images = &self.values.session.images;
        let line = images.source_at(self.place.address?)?;
        Some(line.short())
    }

    fn json(&self) -> Result<LocalsJson> {
        let mut budget = VALUES;
        let mut variables = Vec::new();
        for variable in self.variables {
            variables.push(VariableJson {
                name: variable.name.clone(),
                kind: kind_word(variable.kind),
                declared_in: variable.function.as_deref().map(str::to_owned),
                inlined: variable.is_inlined,
                value: self.value_json(&variable.value, LEVELS, &mut budget)?,
            });
        }
        Ok(LocalsJson {
            position: self.place.position.0,
            thread: self.thread_name(),
            frame: self.frame.level as u64,
            registers_at: self.place.registers_at.0,
            pc: self.place.address.map(hex),
            source: self.source(),
            variables: self.has_debug_information().then_some(variables),
        })
    }

    fn has_debug_information(&self) -> bool {
        let images = &self.values.session.images;
        let found = self
            .place
            .address
            .map(|address| images.variables_at(address));
        found.flatten().is_some()
    }

    fn value_json(
        &self,
        value: &TypedValue,
        levels: usize,
        budget: &mut usize,
    ) -> Result<ValueJson> {
        let bytes = self.values.bytes(value, VALUE_BYTES)?;
        let is_known = bytes
            .as_ref()
            .is_some_and(|bytes| bytes.iter().any(|byte| byte.value.is_some()));
        let mut members = Vec::new();
        if levels > 0 && !value.is_pointer() {
            for member in self.values.members(value, 0, ELEMENTS)? {
                let Some(rest) = budget.checked_sub(1) else {
                    break;
                };
                *budget = rest;
                members.push(MemberJson {
                    name: member.name,
                    value: self.value_json(&member.value, levels - 1, budget)?,
                });
            }
        }
        let all = match value.is_pointer() {
            true => 0,
            false => self.values.member_count(value)?,
        };
        let text = match is_known {
            true => Some(ValueText(self.values).text(value)?),
            false => None,
        };
        Ok(ValueJson {
            r#type: value.type_name(),
            size: value.description().size_bytes,
            value: text,
            optimised_away: value.place == VariablePlace::OptimisedAway,
            problem: match value.place {
                VariablePlace::Unsupported => Some("unsupported location"),
                VariablePlace::Unreadable => Some("unreadable debug information"),
                VariablePlace::Memory(_)
                | VariablePlace::Content(_)
                | VariablePlace::OptimisedAway
                | VariablePlace::Unknown => None,
            },
            address: value.address().map(hex),
            sources: bytes.as_deref().map(source_letters),
            bytes: bytes.map(|bytes| byte_string(bytes.iter().map(|byte| byte.value))),
            omitted: all.saturating_sub(members.len() as u64),
            members,
        })
    }

    fn text(&self) -> Result<String> {
        let place = match (self.place.address, self.source()) {
            (Some(address), Some(source)) => format!("{address}, {source}"),
            (Some(address), None) => address.to_string(),
            (None, _) => "unknown code".to_owned(),
        };
        let mut text = format!(
            "position {} of {}, {}, frame {} at {}\n",
            grouped(self.place.position.0),
            grouped(self.values.session.index.step_count()),
            printable(&self.thread_name()),
            self.frame.level,
            printable(&place)
        );
        for kind in [VariableKind::Argument, VariableKind::Local] {
            let mut of_kind = self.variables.iter().filter(|one| one.kind == kind);
            if let Some(first) = of_kind.next() {
                text.push_str(&format!("\n{}\n", title(kind)));
                for variable in std::iter::once(first).chain(of_kind) {
                    text.push_str(&self.line(variable)?);
                }
            }
        }
        if self.variables.is_empty() {
            text.push_str(match self.has_debug_information() {
                true => "no local variables\n",
                false => "no debug information for this code\n",
            });
        }
        Ok(text)
    }

    fn line(&self, variable: &LocalVariable) -> Result<String> {
        let value = ValueText(self.values).with_source(&variable.value)?;
        let inlined = match (variable.is_inlined, &variable.function) {
            (true, Some(function)) => format!("  [inlined {function}]"),
            (true, None) => "  [inlined]".to_owned(),
            (false, _) => String::new(),
        };
        let line = format!(
            "{} {} = {value}{inlined}",
            variable.value.type_name(),
            variable.name
        );
        Ok(format!("  {}\n", printable(&line)))
    }
}

fn kind_word(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Argument => "argument",
        VariableKind::Local => "local",
    }
}

fn title(kind: VariableKind) -> &'static str {
    match kind {
        VariableKind::Argument => "arguments",
        VariableKind::Local => "local variables",
    }
}
