//! `stepback at`: registers and memory at a position.

use std::cell::RefCell;

use crate::cli::answer_forms::AnswerForms;
use anyhow::{Error, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};
use stepback_debugger::analysis::heap::{has_heap, heap};
use stepback_debugger::analysis::names::{NameError, NameResolver};
use stepback_debugger::analysis::register_part::all_registers;
use stepback_debugger::analysis::step_places::step_record;
use stepback_debugger::expression::AddressSpace;
use stepback_debugger::model::heap_table::block_words;
use stepback_debugger::model::so_far::SourceWords;
use stepback_debugger::place::PositionName;
use stepback_index::answer::{
    ByteState, MemoryRange, RegisterFile, RegisterState, ThreadId, Translation, ValueSource,
    VirtualMapping,
};
use stepback_index::query::{
    MappingsAt, MemoryAt, MemoryOf, PhysicalMemoryAt, TranslationsAt, UnfinishedSteps,
};
use stepback_index::{Index, Query as _};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::cells::{check_range, names_at, resolved, thread_id};
use super::json::{CallJson, StepJson, byte_string, hex, source_letters, value_hex};
use super::question::Question;
use super::report::Report;
use super::stack::Stack;
use super::text::{grouped, line_text, printable, step_line};
use crate::cli::error::CommandError;
use crate::cli::progress::say;
use crate::cli::question::{Command, TraceArguments};

/// Larger requests are taken for a typing error.
const MEMORY_LIMIT_BYTES: u64 = 16 << 20;

#[derive(Debug, Args)]
pub struct AtArguments {
    /// The position.
    #[arg(index = 2, value_name = "POS", allow_negative_numbers = true)]
    pub position: PositionName,
    /// Thread to take the registers from (default: the thread of the last step before the
    /// position).
    #[arg(long, value_name = "T")]
    pub thread: Option<String>,
    /// Print the registers too if --stack is given; without it, they are always printed.
    #[arg(long)]
    pub regs: bool,
    /// Print memory, LEN bytes (default 1) from ADDR on; may be given several times. A letter for
    /// each byte shows its source: r recorded, i inferred, x external change, ? unknown.
    /// phys::ADDR:LEN means physical memory, in traces that record address translations.
    #[arg(long = "mem", value_name = "ADDR:LEN", allow_hyphen_values = true)]
    pub memory: Vec<String>,
    /// Print the call stack, innermost frame first, with the arguments of each function at its
    /// entry.
    #[arg(long)]
    pub stack: bool,
    /// Maximum number of stack frames to print.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub frames: usize,
    /// Print the source line of the step before the position.
    #[arg(long)]
    pub lines: bool,
    /// Maximum length of a requested range of memory.
    #[arg(skip = MEMORY_LIMIT_BYTES)]
    pub memory_limit_bytes: u64,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// The JSON answer.
#[derive(Serialize, JsonSchema)]
struct AtJson {
    position: u64,
    last_step: Option<StepJson>,
    registers: Map<String, Json>,
    register_sources: Map<String, Json>,
    /// Reasons for the inferred registers.
    #[serde(skip_serializing_if = "Map::is_empty")]
    register_reasons: Map<String, Json>,
    /// First and last of the thread's final steps that may not have been completed. Missing if all
    /// were completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished_steps: Option<[u64; 2]>,
    memory: Vec<MemoryStateJson>,
    /// Requests for memory whose address is unknown at this position. Missing if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memory_errors: Vec<UnknownRangeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<Vec<CallJson>>,
    /// Number of frames left out by the limit. Missing if none are.
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_hidden: Option<u64>,
}

/// A range of memory.
#[derive(Serialize, JsonSchema)]
struct MemoryStateJson {
    address: String,
    /// `physical` where the address is one; missing where it is virtual.
    #[serde(skip_serializing_if = "Option::is_none")]
    space: Option<&'static str>,
    bytes: String,
    sources: String,
    /// Heap block that contains the first byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    heap: Option<String>,
    /// Physical addresses of the first byte by context, as recorded. Missing if the trace records
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    physical: Vec<TranslationJson>,
    /// For a physical address, the virtual addresses mapped to it. Empty if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapped: Option<Vec<TranslationJson>>,
}

/// A request for memory whose address is unknown.
#[derive(Serialize, JsonSchema)]
struct UnknownRangeJson {
    /// The request as typed.
    request: String,
    /// Reason why the address is unknown.
    message: String,
}

/// A recorded address translation.
#[derive(Serialize, JsonSchema)]
struct TranslationJson {
    /// The other address: the physical one of a virtual address, a virtual one of a physical one.
    address: String,
    /// Thread to which a virtual address belongs. Missing for a physical address.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<String>,
    context: Option<u64>,
    /// The virtual address of the page.
    page: String,
    page_bytes: u64,
    /// Position at which the trace recorded the translation.
    recorded_at: u64,
}

impl TranslationJson {
    fn new(translation: &Translation) -> Self {
        Self {
            address: hex(translation.physical),
            thread: None,
            context: translation.context,
            page: hex(translation.page),
            page_bytes: translation.page_bytes,
            recorded_at: translation.stated_at.0,
        }
    }

    fn of_mapping(mapping: &VirtualMapping, index: &Index) -> Self {
        Self {
            address: hex(mapping.address),
            thread: Some(index.thread_name(mapping.thread).to_owned()),
            ..Self::new(&mapping.translation)
        }
    }
}

/// All data of the answer.
struct StateReport {
    position: Position,
    file: RegisterFile,
    /// First and last of the thread's final steps that may not have been completed.
    unfinished: Option<[Step; 2]>,
    ranges: Vec<MemoryDump>,
    /// Requests for memory whose address is unknown here, as typed, and why.
    unknown: Vec<(String, Error)>,
    stack: Option<Stack>,
}

/// A requested range of memory with its bytes.
struct MemoryDump {
    address: Address,
    bytes: Vec<ByteState>,
    /// Heap block that contains the first byte, in words.
    block: Option<String>,
    /// Translations of the first byte.
    physical: Vec<Translation>,
    /// For a physical address, the virtual addresses mapped to it. None for a virtual address.
    mapped: Option<Vec<VirtualMapping>>,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<AtJson>()
}

impl Command for AtArguments {
    fn check(&self) -> Result<(), String> {
        self.memory.iter().try_for_each(|text| check_range(text))
    }

    fn run(&self) -> Result<()> {
        let unknown = RefCell::new(Vec::new());
        Question::new(&self.common).ask(|report| {
            unknown.replace(answer(self, report)?);
            Ok(())
        })?;
        // The answer is complete but for these requests.
        let name = self.common.trace.display().to_string();
        let unknown = unknown.into_inner().into_iter();
        let mut errors = unknown.map(|(_, error)| CommandError::about(&name, error));
        let Some(first) = errors.next() else {
            return Ok(());
        };
        for error in errors {
            say(&printable(&format!("error: {error:#}")));
        }
        Err(first)
    }
}

/// Prints the registers, memory and stack at the position. Returns the requests for memory whose
/// address is unknown there.
///
/// # Errors
/// A name or position has no meaning, or the trace or the report fails.
pub fn answer(arguments: &AtArguments, report: &mut Report<'_>) -> Result<Vec<(String, Error)>> {
    let session = report.session;
    let position = resolved(&arguments.position, report)?;
    let thread = thread_id(session, arguments.thread.as_deref())?;
    let file = all_registers(&session.index, position, thread, &report.cancel)?;
    let unfinished = UnfinishedSteps {
        position,
        thread: file.thread,
    }
    .run(&session.index, &report.cancel)?;
    let unfinished = unfinished.map(|steps| [steps.start, Step(steps.end.0.saturating_sub(1))]);
    let names = names_at(report, position, thread)?;
    let thread = Some(file.thread);
    let (mut ranges, mut unknown) = (Vec::new(), Vec::new());
    let reader = MemoryReader {
        position,
        thread,
        limit_bytes: arguments.memory_limit_bytes,
    };
    for text in &arguments.memory {
        match reader.dump(text, &names, report) {
            Ok(range) => ranges.push(range),
            Err(error) if is_unknown_here(&error) => unknown.push((text.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    for range in ranges.iter_mut().filter(|range| range.mapped.is_none()) {
        let question = TranslationsAt {
            thread: file.thread,
            address: range.address,
            position,
        };
        range.physical = question.run(&session.index, &report.cancel)?;
    }
    let functions = session.companions.functions.as_ref();
    if !ranges.is_empty() && has_heap(functions) {
        let heap = heap(&session.index, functions, &report.cancel)?;
        let of_program = ranges.iter_mut().filter(|range| range.mapped.is_none());
        of_program
            .for_each(|range| range.block = block_words(session, &heap, range.address, position));
    }
    let stack = match arguments.stack {
        true => Some(Stack::read(
            position,
            file.thread,
            arguments.frames,
            report,
        )?),
        false => None,
    };
    let state = StateReport {
        position,
        file,
        unfinished,
        ranges,
        unknown,
        stack,
    };
    match report.is_json {
        true => print_json(&state, arguments, report)?,
        false => print_text(&state, arguments, report)?,
    }
    Ok(state.unknown)
}

fn is_unknown_here(error: &Error) -> bool {
    error.downcast_ref().is_some_and(NameError::is_unknown_here)
}

/// Reads memory at a position.
struct MemoryReader {
    position: Position,
    thread: Option<ThreadId>,
    /// Maximum length of a range.
    limit_bytes: u64,
}

impl MemoryReader {
    fn dump(
        &self,
        text: &str,
        names: &NameResolver<'_>,
        report: &Report<'_>,
    ) -> Result<MemoryDump> {
        let Self {
            position,
            thread,
            limit_bytes,
        } = *self;
        let (space, MemoryRange { address, len_bytes }) = names.range_in_space(text)?;
        if len_bytes > limit_bytes {
            let limit = grouped(limit_bytes);
            bail!(CommandError::Usage(format!(
                "{text:?}: at most {limit} bytes of memory can be requested at once"
            )));
        }
        let (index, cancel) = (&report.session.index, &report.cancel);
        let mapped = match space {
            AddressSpace::Virtual => None,
            AddressSpace::Physical => {
                let physical = address;
                Some(MappingsAt { physical, position }.run(index, cancel)?)
            }
        };
        let question = MemoryAt {
            position,
            address,
            len_bytes,
        };
        let bytes = match space {
            AddressSpace::Virtual => MemoryOf { thread, question }.run(index, cancel)?,
            AddressSpace::Physical => PhysicalMemoryAt {
                position,
                address,
                len_bytes,
            }
            .run(index, cancel)?,
        };
        Ok(MemoryDump {
            address,
            bytes,
            block: None,
            physical: Vec::new(),
            mapped,
        })
    }
}

fn print_json(state: &StateReport, arguments: &AtArguments, report: &mut Report<'_>) -> Result<()> {
    let StateReport {
        position,
        file,
        ranges,
        unknown,
        stack,
        ..
    } = state;
    let session = report.session;
    let record = position
        .last_step()
        .map(|step| step_record(step, &session.index, &report.cancel))
        .transpose()?;
    let last_step = record.flatten().map(|record| {
        let step = StepJson::new(&record, &session.index);
        if arguments.lines {
            step.with_source(session.source_text(record.pc))
        } else {
            step
        }
    });
    let by_name = |value: fn(&RegisterState) -> Json| -> Map<String, Json> {
        file.registers
            .iter()
            .map(|register| (register.name.clone(), value(register)))
            .collect()
    };
    let mut register_reasons =
        by_name(|register| register.reason.map(|reason| reason.to_string()).into());
    register_reasons.retain(|_, reason| !reason.is_null());
    let memory = |range: &MemoryDump| MemoryStateJson {
        address: hex(range.address),
        space: range.mapped.as_ref().map(|_| "physical"),
        bytes: byte_string(range.bytes.iter().map(|byte| byte.value)),
        sources: source_letters(&range.bytes),
        heap: range.block.clone(),
        physical: range.physical.iter().map(TranslationJson::new).collect(),
        mapped: range.mapped.as_ref().map(|all| {
            all.iter()
                .map(|one| TranslationJson::of_mapping(one, &session.index))
                .collect()
        }),
    };
    report.json(&AtJson {
        position: position.0,
        last_step,
        registers: by_name(|register| value_hex(&register.value).into()),
        register_sources: by_name(|register| SourceWords::of(register.source).word.into()),
        register_reasons,
        unfinished_steps: state.unfinished.map(|steps| steps.map(|step| step.0)),
        memory: ranges.iter().map(memory).collect(),
        memory_errors: unknown
            .iter()
            .map(|(request, error)| UnknownRangeJson {
                request: request.clone(),
                message: error.to_string(),
            })
            .collect(),
        stack: stack.as_ref().map(|stack| stack.json(report)).transpose()?,
        stack_hidden: stack
            .as_ref()
            .map(Stack::hidden)
            .filter(|hidden| *hidden > 0),
    })
}

fn print_text(state: &StateReport, arguments: &AtArguments, report: &mut Report<'_>) -> Result<()> {
    let StateReport {
        position,
        file,
        unfinished,
        ranges,
        stack,
        ..
    } = state;
    let session = report.session;
    let index = &session.index;
    report.text(&format!(
        "position {} of {}\n",
        grouped(position.0),
        grouped(index.step_count())
    ))?;
    if let Some(step) = position.last_step()
        && let Some(record) = step_record(step, index, &report.cancel)?
    {
        let source = arguments.lines.then(|| session.source_text(record.pc));
        report.text(&format!(
            "after step {}{}\n",
            step_line(&record, index),
            line_text(source)
        ))?;
    }
    if arguments.regs || !arguments.stack {
        report.text(&format!("\n{}", registers_text(file)))?;
        if let Some(steps) = unfinished {
            report.text(&unfinished_text(*steps))?;
        }
    }
    for range in ranges {
        report.text(&format!("\n{}", memory_text(range)))?;
        if let Some(block) = &range.block {
            report.text(&format!("{}: {block}\n", range.address))?;
        }
        for translation in &range.physical {
            report.text(&format!(
                "{} is physical {}\n",
                range.address,
                physical_text(translation)
            ))?;
        }
        if let Some(mapped) = &range.mapped {
            report.text(&mapped_text(range.address, mapped, report))?;
        }
    }
    if let Some(stack) = stack {
        report.text(&format!("\n{}", stack.text()))?;
    }
    Ok(())
}

/// Formats the registers in columns. Unknown ones follow on one line.
fn registers_text(file: &RegisterFile) -> String {
    let (known, unknown): (Vec<_>, Vec<_>) = file
        .registers
        .iter()
        .partition(|register| !register.value.is_unknown());
    let rows: Vec<_> = known.into_iter().map(register_row).collect();
    let mut runs: Vec<(String, &str)> = Vec::new();
    for run in
        rows.chunk_by(|(one, text), (next, after)| text == after && kind_of(one) == kind_of(next))
    {
        match run {
            // Vector registers that nothing has touched would fill the screen.
            [(first, text), .., (last, _)] if run.len() >= RUN_OF_REGISTERS => {
                runs.push((format!("{first} to {last}"), text));
            }
            _ => runs.extend(run.iter().map(|(name, text)| ((*name).to_owned(), &**text))),
        }
    }
    let name_width = runs.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, row) in runs {
        text.push_str(&format!("{name:<name_width$}  {row}\n"));
    }
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().map(|register| &*register.name).collect();
        text.push_str(&format!("unknown: {}\n", names.join(" ")));
    }
    text
}

/// Minimum number of registers with the same value and origin that share a row.
const RUN_OF_REGISTERS: usize = 4;

/// Returns a register's name, and its value, last write and source in columns.
fn register_row(register: &RegisterState) -> (&str, String) {
    let value = format!("0x{}", register.value.hex());
    let source = match register.source {
        ValueSource::Recorded => "",
        source => SourceWords::of(source).word,
    };
    let reason = register
        .reason
        .map(|reason| format!(": {reason}"))
        .unwrap_or_default();
    let writer = match (register.written_by, register.written_at) {
        (Some(step), _) => format!("step {}", grouped(step.0)),
        (None, Some(_)) => "before the first step".to_owned(),
        (None, None) => String::new(),
    };
    let row = format!("{value:<34}  {writer:<22}  {source}{reason}");
    (&register.name, row.trim_end().to_owned())
}

/// Returns a register's name without its number.
fn kind_of(name: &str) -> &str {
    name.trim_end_matches(|letter: char| letter.is_ascii_digit())
}

/// Explains why results of the final steps are unknown.
fn unfinished_text([first, last]: [Step; 2]) -> String {
    let steps = match first == last {
        true => format!("step {}", grouped(first.0)),
        false => format!("steps {} to {}", grouped(first.0), grouped(last.0)),
    };
    format!(
        "{steps} may not have been completed when the thread ended, so what is written there is unknown\n"
    )
}

/// Formats a dump of 16 bytes per line: address, bytes, source letters, characters.
fn memory_text(range: &MemoryDump) -> String {
    let mut text = String::new();
    for (row, bytes) in range.bytes.chunks(16).enumerate() {
        let address = range.address.0.wrapping_add(16 * row as u64);
        let known = byte_string(bytes.iter().map(|byte| byte.value));
        let letters: String = bytes.iter().map(|byte| character(byte.value)).collect();
        text.push_str(&format!(
            "{address:#018x}  {known:<47}  {:<16}  {letters}\n",
            source_letters(bytes)
        ));
    }
    text
}

/// Formats one line for each virtual address that is mapped to a physical one.
fn mapped_text(physical: Address, mapped: &[VirtualMapping], report: &Report<'_>) -> String {
    if mapped.is_empty() {
        return format!("physical {physical}: no virtual page is mapped there at this position\n");
    }
    let line = |mapping: &VirtualMapping| {
        let Translation {
            context,
            page,
            stated_at,
            ..
        } = mapping.translation;
        let context = context
            .map(|context| format!("context {context}, "))
            .unwrap_or_default();
        let (thread, stated_at) = (
            report.session.index.thread_name(mapping.thread),
            grouped(stated_at.0),
        );
        let at = mapping.address;
        format!(
            "physical {physical} is {at} ({thread}, {context}page {page}, recorded at position {stated_at})\n"
        )
    };
    mapped.iter().map(line).collect()
}

fn physical_text(translation: &Translation) -> String {
    let Translation {
        context,
        physical,
        page,
        stated_at,
        ..
    } = translation;
    let context = context
        .map(|context| format!("context {context}, "))
        .unwrap_or_default();
    format!(
        "{physical} ({context}page {page}, recorded at position {})",
        grouped(stated_at.0)
    )
}

fn character(byte: Option<u8>) -> char {
    match byte {
        Some(byte) if byte.is_ascii_graphic() || byte == b' ' => char::from(byte),
        Some(_) => '.',
        None => '?',
    }
}
