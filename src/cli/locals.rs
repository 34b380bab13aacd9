//! `stepback locals`: local variables and arguments of a frame.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::image::VariableKind;
use stepback_debugger::model::frame_place::{FrameLevel, FramePlace};
use stepback_debugger::model::inlined_frames::{CodeFunction, CodeLine, functions_at};
use stepback_debugger::model::local_variables::{LocalVariable, local_variables};
use stepback_debugger::model::variable_values::ValueReader;
use stepback_debugger::place::PositionName;
use stepback_index::read::SlotReader;

use super::cells::{resolved, thread_id};
use super::local_value::{FrameJson, LocalValueJson, LocalValueReport, frame_line};
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped, printable};
use crate::cli::error::CommandError;
use crate::cli::question::{Command, TraceArguments};
use crate::cli::variable_json::{ValueJson, ValueJsonWriter};
use crate::cli::variable_text::ValueText;

/// Help text below the options.
pub const HELP: &str = "\
The variables come from the debug information (DWARF) of the program image, their values from the
trace: the registers of a caller are as they were at the call, memory is that of the position.
A value that the trace does not show is `<not recorded>`, never 0.";

#[derive(Debug, Args)]
pub struct LocalsArguments {
    /// A variable, or a part of one: h->id, names[2], *p (default: all variables).
    #[arg(index = 2, value_name = "EXPR", allow_hyphen_values = true)]
    pub expression: Option<String>,
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
    #[serde(flatten)]
    frame: FrameJson,
    /// Functions at the address: the innermost inlined one first, the one of the frame last. Empty
    /// without debug information.
    function_chain: Vec<CodeFunctionJson>,
    /// Variables in scope, those of the innermost scope first. Null if no image has debug
    /// information for the code.
    variables: Option<Vec<VariableJson>>,
}

/// A function at an instruction.
#[derive(Serialize, JsonSchema)]
struct CodeFunctionJson {
    name: Option<String>,
    /// Source line of the instruction, or of the inlined call.
    source: Option<String>,
}

/// A variable.
#[derive(Serialize, JsonSchema)]
struct VariableJson {
    name: String,
    /// `argument` or `local`.
    kind: &'static str,
    /// Function that declares it.
    declared_in: Option<String>,
    /// Number of that function in `function_chain`.
    function_index: u64,
    /// True if that function is inlined here.
    inlined: bool,
    #[serde(flatten)]
    value: ValueJson,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<LocalsJson>().or::<LocalValueJson>()
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
        inlined: 0,
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
    let cancel = report.cancel.clone();
    let values = ValueReader {
        session,
        place: &place,
        cancel: &cancel,
    };
    note_missing(&place, report);
    if let Some(text) = &arguments.expression {
        return LocalValueReport {
            text,
            values: &values,
        }
        .print(report);
    }
    let variables = local_variables(session, &place, &cancel)?;
    let functions = place
        .address
        .map(|address| functions_at(&session.images, address));
    let answer = LocalsReport {
        functions: functions.unwrap_or_default(),
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
    } else if let Some(file) = images.split_file_at(address) {
        report.note(&format!(
            "the variables of the code at {address} are in {file} (split DWARF), which is not read"
        ));
    } else if images.variables_at(address).is_none() {
        report.note(&format!(
            "no image has debug information for the code at {address}"
        ));
    }
}

/// The answer.
struct LocalsReport<'a> {
    /// Functions at the instruction. Empty without debug information.
    functions: Vec<CodeFunction>,
    variables: &'a [LocalVariable],
    values: &'a ValueReader<'a>,
}

impl LocalsReport<'_> {
    fn json(&self) -> Result<LocalsJson> {
        let mut writer = ValueJsonWriter::new(self.values);
        let mut variables = Vec::new();
        for variable in self.variables {
            variables.push(VariableJson {
                name: variable.name.clone(),
                kind: kind_word(variable.kind),
                declared_in: self.name_of(variable.function).map(str::to_owned),
                function_index: variable.function as u64,
                inlined: self.is_inlined(variable.function),
                value: writer.value(&variable.value)?,
            });
        }
        Ok(LocalsJson {
            frame: FrameJson::of(self.values),
            function_chain: self.functions.iter().map(function_json).collect(),
            variables: self.has_debug_information().then_some(variables),
        })
    }

    fn has_debug_information(&self) -> bool {
        !self.functions.is_empty()
    }

    fn text(&self) -> Result<String> {
        let mut text = frame_line(self.values);
        for function in 0..self.functions.len() {
            if self.functions.len() > 1 {
                text.push_str(&self.function_line(function));
            }
            for kind in [VariableKind::Argument, VariableKind::Local] {
                let variables = self.variables.iter();
                let mut variables =
                    variables.filter(|one| one.function == function && one.kind == kind);
                if let Some(first) = variables.next() {
                    text.push_str(&format!("\n{}\n", title(kind)));
                    for variable in std::iter::once(first).chain(variables) {
                        text.push_str(&self.line(variable)?);
                    }
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

    /// Returns the heading of a function, with the place of its call if it is inlined.
    fn function_line(&self, function: usize) -> String {
        let name = self.name_of(function).unwrap_or("?");
        let outer = self.functions.get(function + 1);
        let line = match outer {
            Some(outer) => {
                let around = outer.name.as_deref().unwrap_or("?");
                match &outer.line {
                    Some(line) => format!("{name}, inlined in {around} at {}", line.short()),
                    None => format!("{name}, inlined in {around}"),
                }
            }
            None => name.to_owned(),
        };
        format!("\n{}\n", printable(&line))
    }

    fn name_of(&self, function: usize) -> Option<&str> {
        self.functions.get(function)?.name.as_deref()
    }

    fn is_inlined(&self, function: usize) -> bool {
        function + 1 < self.functions.len()
    }

    fn line(&self, variable: &LocalVariable) -> Result<String> {
        let value = ValueText(self.values).with_source(&variable.value)?;
        let line = format!("{} {} = {value}", variable.value.type_name(), variable.name);
        Ok(format!("  {}\n", printable(&line)))
    }
}

fn function_json(function: &CodeFunction) -> CodeFunctionJson {
    CodeFunctionJson {
        name: function.name.as_deref().map(str::to_owned),
        source: function.line.as_ref().map(CodeLine::short),
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
