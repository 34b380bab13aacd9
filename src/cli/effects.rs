//! `stepback effects`: the inputs and outputs of a call, a loop iteration or a range of steps.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Error, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::effects::{
    EffectScope, Effects, UsedCell, UsedValue, call_around, effects_of, iteration_around,
    range_scope,
};
use stepback_debugger::model::so_far::SourceWords;
use stepback_debugger::place::PositionName;
use stepback_index::answer::ValueSource;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::cells::{resolved, resolved_range, thread_id};
use super::json::{FunctionJson, byte_string, hex, value_hex};
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped, printable};
use crate::cli::question::{Command, TraceArguments};

#[derive(Debug, Args)]
pub struct EffectsArguments {
    /// First position.
    #[arg(index = 2, value_name = "FROM", allow_negative_numbers = true)]
    pub from: Option<PositionName>,
    /// Last position.
    #[arg(index = 3, value_name = "TO", allow_negative_numbers = true)]
    pub to: Option<PositionName>,
    /// Use the steps of the innermost call around a position instead.
    #[arg(long, value_name = "POS", allow_negative_numbers = true, conflicts_with_all = ["from", "to"])]
    pub call: Option<PositionName>,
    /// Use the iteration of the innermost loop around a position instead, from one visit of its
    /// head to the next.
    #[arg(
        long = "loop", value_name = "POS", allow_negative_numbers = true, conflicts_with_all = ["from", "to", "call"]
    )]
    pub loop_around: Option<PositionName>,
    /// Thread whose steps count (default: the thread of the first step, or of the last step before
    /// POS).
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct EffectsJson<'a> {
    from: u64,
    to: u64,
    thread: &'a str,
    steps: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<FunctionJson>,
    /// Address of the loop head.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    inputs: EffectSetJson,
    outputs: EffectSetJson,
    /// Number of steps whose registers are unknown.
    undecoded: u64,
    /// Number of memory accesses left out.
    left_out: u64,
}

/// Cells that are read before they are written, or cells that are written.
#[derive(Serialize, JsonSchema)]
struct EffectSetJson {
    registers: Vec<RegisterEffectJson>,
    memory: Vec<MemoryEffectJson>,
    /// Number of memory runs left out of the list.
    more: u64,
}

#[derive(Serialize, JsonSchema)]
struct RegisterEffectJson {
    reg: String,
    value: Option<String>,
    source: &'static str,
    position: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct MemoryEffectJson {
    address: String,
    size: u64,
    /// Symbol of the address, with the offset from it.
    name: Option<String>,
    /// The first 64 bytes.
    bytes: String,
    source: &'static str,
    position: Option<u64>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<EffectsJson<'_>>()
}

impl Command for EffectsArguments {
    fn check(&self) -> Result<(), String> {
        let is_range = self.from.is_some() && self.to.is_some();
        match is_range || self.call.is_some() || self.loop_around.is_some() {
            true => Ok(()),
            false => Err("give FROM and TO, or --call POS, or --loop POS".to_owned()),
        }
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

fn answer(arguments: &EffectsArguments, report: &mut Report<'_>) -> Result<()> {
    let scope = scope(arguments, report)?;
    let effects = effects_of(&report.session.index, scope, &report.cancel)?;
    if report.is_json {
        print_json(&effects, report)
    } else {
        print_text(&effects, report)
    }
}

fn scope(arguments: &EffectsArguments, report: &Report<'_>) -> Result<EffectScope> {
    let index = &report.session.index;
    let thread = thread_id(report.session, arguments.thread.as_deref())?;
    let EffectsArguments {
        from,
        to,
        call,
        loop_around,
        ..
    } = arguments;
    if let Some(place) = call {
        let at = resolved(place, report)?;
        return call_around(index, thread, at)?.ok_or_else(|| no_call(at));
    }
    if let Some(place) = loop_around {
        let at = resolved(place, report)?;
        return iteration_around(index, thread, at, &report.cancel)?.ok_or_else(|| no_loop(at));
    }
    let (Some(from), Some(to)) = (from, to) else {
        return Err(Error::msg("FROM and TO are missing"));
    };
    let range = resolved_range(from, to, report)?;
    Ok(range_scope(index, thread, range.start, range.end)?)
}

/// Returns the error for a position without a known call.
pub(super) fn no_call(at: Position) -> Error {
    Error::msg(format!(
        "no call with steps is known around position {}",
        grouped(at.0)
    ))
}

fn no_loop(at: Position) -> Error {
    let why = "control does not come back there to an earlier step of its function";
    Error::msg(format!(
        "no loop is around position {}: {why}",
        grouped(at.0)
    ))
}

/// Returns the function of the scope, if the scope is a call.
pub(super) fn function_of(scope: EffectScope, report: &Report<'_>) -> Option<FunctionJson> {
    let call = report.session.index.calls().get(scope.call?)?;
    Some(FunctionJson::new(call.function, report.session))
}

/// Formats a function as `decode_field (0x80000390)`.
pub(super) fn function_words(function: &FunctionJson) -> String {
    match &function.name {
        Some(name) => format!("{} ({})", printable(name), function.address),
        None => function.address.clone(),
    }
}

/// Returns the symbol of an address: `table+10`.
pub(super) fn symbol(address: Address, report: &Report<'_>) -> Option<String> {
    report
        .session
        .images
        .symbol_at(address)
        .map(|at| at.to_string())
}

fn print_json(effects: &Effects, report: &mut Report<'_>) -> Result<()> {
    let scope = effects.scope;
    let set = |cells: &[UsedCell], more| {
        let mut set = EffectSetJson {
            registers: Vec::new(),
            memory: Vec::new(),
            more,
        };
        for cell in cells {
            let (source, position) = (SourceWords::of(cell.source).word, cell.at.map(|at| at.0));
            match &cell.used {
                UsedValue::Register { name, value } => {
                    let (reg, value) = (name.clone(), value_hex(value));
                    set.registers.push(RegisterEffectJson {
                        reg,
                        value,
                        source,
                        position,
                    });
                }
                UsedValue::Memory {
                    address,
                    len_bytes,
                    bytes,
                } => set.memory.push(MemoryEffectJson {
                    address: hex(*address),
                    size: *len_bytes,
                    name: symbol(*address, report),
                    bytes: byte_string(bytes.iter().copied()),
                    source,
                    position,
                }),
            }
        }
        set
    };
    let json = EffectsJson {
        from: scope.from.0,
        to: scope.to.0,
        thread: report.session.index.thread_name(scope.thread),
        steps: effects.steps,
        function: function_of(scope, report),
        head: scope.head.map(hex),
        inputs: set(&effects.inputs, effects.more_inputs),
        outputs: set(&effects.outputs, effects.more_outputs),
        undecoded: effects.undecoded,
        left_out: effects.left_out,
    };
    report.json(&json)
}

fn print_text(effects: &Effects, report: &mut Report<'_>) -> Result<()> {
    let scope = effects.scope;
    let function =
        function_of(scope, report).map(|function| format!("{}, ", function_words(&function)));
    let head = scope
        .head
        .map(|head| format!("an iteration of the loop at {head}, "))
        .unwrap_or_default();
    report.text(&format!(
        "{}{head}position {} to {}, {} of {}\n",
        function.unwrap_or_default(),
        grouped(scope.from.0),
        grouped(scope.to.0),
        counted(effects.steps, "step"),
        printable(report.session.index.thread_name(scope.thread)),
    ))?;
    print_set(
        "read before it was written",
        &effects.inputs,
        effects.more_inputs,
        report,
    )?;
    print_set("written", &effects.outputs, effects.more_outputs, report)?;
    if effects.undecoded > 0 {
        let steps = counted(effects.undecoded, "step");
        report.text(&format!(
            "of {steps} the registers are not known: they may have used others\n"
        ))?;
    }
    if effects.left_out > 0 {
        let accesses = counted(effects.left_out, "access");
        report.text(&format!(
            "too much memory was used: {accesses} of further memory are left out\n"
        ))?;
    }
    Ok(())
}

/// Maximum number of bytes printed per run.
const BYTES: usize = 16;

fn print_set(words: &str, cells: &[UsedCell], more: u64, report: &mut Report<'_>) -> Result<()> {
    report.text(&format!(
        "{words}:{}\n",
        if cells.is_empty() { " nothing" } else { "" }
    ))?;
    for cell in cells {
        let (name, value) = match &cell.used {
            UsedValue::Register { name, value } => (
                name.clone(),
                value_hex(value).unwrap_or_else(|| "unknown".to_owned()),
            ),
            UsedValue::Memory {
                address,
                len_bytes,
                bytes,
            } => {
                let shown = bytes.get(..BYTES.min(bytes.len())).unwrap_or_default();
                let cut = if *len_bytes > BYTES as u64 {
                    " …"
                } else {
                    ""
                };
                let symbol = symbol(*address, report).map(|name| format!("  {}", printable(&name)));
                let bytes = byte_string(shown.iter().copied());
                (
                    format!("{address}:{len_bytes}"),
                    format!("{bytes}{cut}{}", symbol.unwrap_or_default()),
                )
            }
        };
        let doubt = match cell.source {
            ValueSource::Inferred | ValueSource::External => {
                format!("  ({})", SourceWords::of(cell.source).word)
            }
            ValueSource::Recorded | ValueSource::Unknown => String::new(),
        };
        let at = cell
            .at
            .map(|at| format!("  position {}", grouped(at.0)))
            .unwrap_or_default();
        report.text(&format!("    {name:<24}{value}{doubt}{at}\n"))?;
    }
    if more > 0 {
        report.text(&format!("    … {} more of memory\n", counted(more, "run")))?;
    }
    Ok(())
}
