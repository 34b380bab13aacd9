//! `stepback diff --calls`: differences between two calls of a function.

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::effects::{
    CallComparison, Differences, DifferingCell, EffectScope, PathDivergence, PathStep, call_around,
    call_of_function_around, compare_calls,
};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::effects::{function_of, function_words, no_call, symbol};
use super::json::{FunctionJson, ThreadRangeJson, byte_string, hex, value_hex};
use super::report::Report;
use super::text::{counted, grouped, printable};
use crate::cli::error::CommandError;

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct CallDiffJson<'a> {
    function: FunctionJson,
    one: ThreadRangeJson<'a>,
    other: ThreadRangeJson<'a>,
    inputs: Vec<DifferenceJson>,
    /// Inputs with a known value in only one of the calls.
    inputs_known_in_one: Vec<DifferenceJson>,
    outputs: Vec<DifferenceJson>,
    outputs_known_in_one: Vec<DifferenceJson>,
    /// Number of the function's own steps that match in both calls.
    alike: u64,
    partings: Vec<DivergenceJson>,
    /// False if the lists lack something.
    complete: bool,
}

/// A differing register or range of memory.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum DifferenceJson {
    Register {
        reg: String,
        one: Option<String>,
        other: Option<String>,
    },
    Memory {
        address: String,
        other_address: String,
        /// Symbol of the address, with the offset from it.
        name: Option<String>,
        one: String,
        other: String,
    },
}

/// A divergence of the two paths.
#[derive(Serialize, JsonSchema)]
struct DivergenceJson {
    /// Last common step before the paths diverge.
    parts: Option<PathPlaceJson>,
    /// First step of one path after the divergence.
    one: Option<PathPlaceJson>,
    other: Option<PathPlaceJson>,
    /// First common step after the divergence.
    meets: Option<PathPlaceJson>,
}

/// An address within the function and the steps there.
#[derive(Serialize, JsonSchema)]
struct PathPlaceJson {
    pc: String,
    /// Offset from the function's first instruction.
    offset: i64,
    /// Step of the first call, or of the call that the field names.
    step: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    other_step: Option<u64>,
}

/// Compares the calls around two positions.
pub fn answer(one: Position, other: Position, report: &mut Report<'_>) -> Result<()> {
    let index = &report.session.index;
    let one = call_around(index, None, one)?.ok_or_else(|| no_call(one))?;
    let Some(function) = one
        .call
        .and_then(|id| index.calls().get(id))
        .map(|call| call.function)
    else {
        bail!("the function called there is unknown")
    };
    let Some(other) = call_of_function_around(index, function, other)? else {
        bail!(
            "no call of {} is known around position {}",
            called(one, report),
            grouped(other.0)
        )
    };
    if one.call == other.call {
        bail!(CommandError::Usage(format!(
            "both positions are in the same call of {}: choose another one",
            called(one, report)
        )));
    }
    let comparison = compare_calls(index, one, other, &report.cancel)?;
    let stated = CallDiffReport {
        function,
        one,
        other,
        comparison: &comparison,
    };
    if report.is_json {
        stated.print_json(report)
    } else {
        stated.print_text(report)
    }
}

fn called(scope: EffectScope, report: &Report<'_>) -> String {
    function_of(scope, report)
        .map(|function| function_words(&function))
        .unwrap_or_default()
}

/// Two calls and their comparison, for printing.
struct CallDiffReport<'a> {
    function: Address,
    one: EffectScope,
    other: EffectScope,
    comparison: &'a CallComparison,
}

impl CallDiffReport<'_> {
    fn print_json(&self, report: &mut Report<'_>) -> Result<()> {
        let index = &report.session.index;
        let call = |scope: EffectScope| ThreadRangeJson {
            thread: index.thread_name(scope.thread),
            task: None,
            from: scope.from.0,
            to: scope.to.0,
        };
        let cells = |cells: &[DifferingCell]| {
            cells
                .iter()
                .map(|cell| differing_json(cell, report))
                .collect()
        };
        let json = CallDiffJson {
            function: FunctionJson::new(self.function, report.session),
            one: call(self.one),
            other: call(self.other),
            inputs: cells(&self.comparison.inputs.differing),
            inputs_known_in_one: cells(&self.comparison.inputs.one_sided),
            outputs: cells(&self.comparison.outputs.differing),
            outputs_known_in_one: cells(&self.comparison.outputs.one_sided),
            alike: self.comparison.alike,
            partings: self
                .comparison
                .partings
                .iter()
                .map(|parting| self.parting_json(parting))
                .collect(),
            complete: !self.comparison.is_cut,
        };
        report.json(&json)
    }

    fn place_json(&self, step: PathStep, other: Option<PathStep>) -> PathPlaceJson {
        let offset = step.pc.0.wrapping_sub(self.function.0).cast_signed();
        PathPlaceJson {
            pc: hex(step.pc),
            offset,
            step: step.step.0,
            other_step: other.map(|other| other.step.0),
        }
    }

    fn parting_json(&self, parting: &PathDivergence) -> DivergenceJson {
        let both = |(one, other): (PathStep, PathStep)| self.place_json(one, Some(other));
        DivergenceJson {
            parts: parting.parts.map(both),
            one: parting.ways.0.map(|step| self.place_json(step, None)),
            other: parting.ways.1.map(|step| self.place_json(step, None)),
            meets: parting.meets.map(both),
        }
    }

    fn print_text(&self, report: &mut Report<'_>) -> Result<()> {
        let function = FunctionJson::new(self.function, report.session);
        report.text(&format!("two calls of {}\n", function_words(&function)))?;
        for (number, scope) in [(1, self.one), (2, self.other)] {
            let thread = printable(report.session.index.thread_name(scope.thread));
            let (from, to) = (grouped(scope.from.0), grouped(scope.to.0));
            report.text(&format!(
                "  {number}: position {from} to {to} of {thread}\n"
            ))?;
        }
        print_differences("inputs", &self.comparison.inputs, report)?;
        print_differences("outputs", &self.comparison.outputs, report)?;
        report.text(&format!(
            "{} in common, ",
            counted(self.comparison.alike, "step")
        ))?;
        match self.comparison.partings.len() as u64 {
            0 => report.text("on the same path\n")?,
            count => report.text(&format!(
                "the paths diverge {}\n",
                if count == 1 { "once" } else { "several times" }
            ))?,
        }
        for parting in &self.comparison.partings {
            report.text(&self.parting_text(parting))?;
        }
        if self.comparison.is_cut {
            report.text("there is more than is listed\n")?;
        }
        Ok(())
    }

    /// Formats an address relative to the function: `+0x1c`.
    fn offset(&self, pc: Address) -> String {
        match pc.0.checked_sub(self.function.0) {
            Some(offset) => format!("+{offset:#x}"),
            None => format!("-{:#x}", self.function.0 - pc.0),
        }
    }

    fn parting_text(&self, parting: &PathDivergence) -> String {
        let both = |(one, other): (PathStep, PathStep)| {
            format!(
                "{} (steps {} and {})",
                self.offset(one.pc),
                grouped(one.step.0),
                grouped(other.step.0)
            )
        };
        let direction = |step: Option<PathStep>| {
            step.map_or_else(|| "it ends".to_owned(), |step| self.offset(step.pc))
        };
        let parts = parting.parts.map_or_else(
            || "at the entry".to_owned(),
            |parts| format!("after {}", both(parts)),
        );
        let meets = match (parting.meets, parting.ways) {
            (Some(meets), _) => format!("they meet at {}", both(meets)),
            (None, (Some(_), Some(_))) => {
                "they do not meet again in the part that was compared".to_owned()
            }
            (None, _) => "one call ends".to_owned(),
        };
        let (one, other) = (direction(parting.ways.0), direction(parting.ways.1));
        format!("    {parts}: 1 goes to {one}, 2 to {other}; {meets}\n")
    }
}

fn differing_json(cell: &DifferingCell, report: &Report<'_>) -> DifferenceJson {
    match cell {
        DifferingCell::Register { name, one, other } => DifferenceJson::Register {
            reg: name.clone(),
            one: value_hex(one),
            other: value_hex(other),
        },
        DifferingCell::Memory {
            address,
            other_address,
            one,
            other,
        } => DifferenceJson::Memory {
            address: hex(*address),
            other_address: hex(*other_address),
            name: symbol(*address, report),
            one: byte_string(one.iter().copied()),
            other: byte_string(other.iter().copied()),
        },
    }
}

/// Prints the differing cells, then any cells known in only one call.
fn print_differences(words: &str, found: &Differences, report: &mut Report<'_>) -> Result<()> {
    print_cells(&format!("{words} that differ"), &found.differing, report)?;
    if found.one_sided.is_empty() {
        return Ok(());
    }
    print_cells(
        &format!("{words} that are unknown on one side"),
        &found.one_sided,
        report,
    )
}

fn print_cells(words: &str, cells: &[DifferingCell], report: &mut Report<'_>) -> Result<()> {
    report.text(&format!(
        "{words}:{}\n",
        if cells.is_empty() { " none" } else { "" }
    ))?;
    for cell in cells {
        let (name, one, other) = match cell {
            DifferingCell::Register { name, one, other } => {
                let value = |value| value_hex(value).unwrap_or_else(|| "unknown".to_owned());
                (name.clone(), value(one), value(other))
            }
            DifferingCell::Memory {
                address,
                other_address,
                one,
                other,
            } => {
                let bytes = |bytes: &[Option<u8>]| byte_string(bytes.iter().copied());
                let symbol = symbol(*address, report).map(|name| format!(" {}", printable(&name)));
                let elsewhere = if address == other_address {
                    String::new()
                } else {
                    format!(" / {other_address}")
                };
                (
                    format!("{address}{elsewhere}{}", symbol.unwrap_or_default()),
                    bytes(one),
                    bytes(other),
                )
            }
        };
        report.text(&format!("    {name:<24}  {one}  {other}\n"))?;
    }
    Ok(())
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<CallDiffJson<'_>>()
}
