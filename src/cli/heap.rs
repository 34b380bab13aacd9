//! `stepback heap`: allocations and frees, from the functions that the recorder traced.

use crate::cli::answer_forms::AnswerForms;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::heap::{double_frees, has_heap, heap, most_bytes};
use stepback_debugger::model::heap_table::{block_words, double_free_words, function_name};
use stepback_debugger::place::PositionName;
use stepback_index::answer::{BAD_FREES, BLOCKS, BadFree, BlockRelease, Heap, HeapBlock, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Step;

use super::cells::{check_expression, names_at, resolved};
use super::json::hex;
use super::question::Question;
use super::report::Report;
use super::text::{counted, grouped};
use crate::cli::check::FindingJson;
use crate::cli::question::{Command, TraceArguments};

#[derive(Debug, Args)]
pub struct HeapArguments {
    /// Show only the block that contains this address.
    #[arg(index = 2, value_name = "ADDR", allow_hyphen_values = true)]
    pub address: Option<String>,
    /// The position (default: end).
    #[arg(
        long,
        value_name = "POS",
        allow_negative_numbers = true,
        requires = "address"
    )]
    pub at: Option<PositionName>,
    /// Show only blocks that are never freed.
    #[arg(long, conflicts_with = "address")]
    pub unfreed: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// A heap block.
#[derive(Serialize, JsonSchema)]
struct HeapBlockJson<'a> {
    address: String,
    size: u64,
    allocated_step: Option<u64>,
    freed_step: Option<u64>,
    /// Thread that allocated the block.
    allocated_by: &'a str,
    freed_by: Option<&'a str>,
    /// Name of the function that allocated the block.
    allocated_with: String,
    freed_with: Option<String>,
}

/// The answer about an address.
#[derive(Serialize, JsonSchema)]
struct HeapAddressJson<'a> {
    address: String,
    position: u64,
    block: Option<HeapBlockJson<'a>>,
    offset: Option<u64>,
    /// True if the block is allocated at the position.
    allocated: Option<bool>,
    /// False if blocks were left out, one of which may contain the address.
    complete: bool,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms
        .or::<HeapBlockJson<'_>>()
        .or::<HeapAddressJson<'_>>()
        .or::<FindingJson<'_>>()
        .by_line()
}

impl Command for HeapArguments {
    fn check(&self) -> Result<(), String> {
        self.address.as_deref().map_or(Ok(()), check_expression)
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| answer(self, report))
    }
}

/// Prints all blocks, or the block of an address.
fn answer(arguments: &HeapArguments, report: &mut Report<'_>) -> Result<()> {
    let session = report.session;
    let functions = session.companions.functions.as_ref();
    if !has_heap(functions) {
        let how = match session.drmemtrace() {
            Some(_) => "DynamoRIO records them with -record_heap",
            None => "only traces of DynamoRIO can have them",
        };
        report.note(&format!("the trace has no heap events: {how}"));
        if arguments.address.is_none() && !report.is_json {
            // Zero blocks would be something else.
            return report.text("the heap is unknown\n");
        }
    }
    let heap = heap(&session.index, functions, &report.cancel)?;
    match &arguments.address {
        Some(text) => print_address(text, arguments, &heap, report),
        None => print_blocks(arguments, &heap, report),
    }
}

fn print_address(
    text: &str,
    arguments: &HeapArguments,
    heap: &Heap,
    report: &mut Report<'_>,
) -> Result<()> {
    let session = report.session;
    let position = match &arguments.at {
        Some(place) => resolved(place, report)?,
        None => session.index.end(),
    };
    let address = Address(names_at(report, position, None)?.number(text)?);
    if report.is_json {
        let block = heap.block_at(address, position);
        return report.json(&HeapAddressJson {
            address: hex(address),
            position: position.0,
            block: block.map(|block| block_json(&block, report)),
            offset: block.map(|block| address.0.saturating_sub(block.address.0)),
            allocated: block.map(|block| block.is_allocated(position)),
            complete: !heap.is_cut_short,
        });
    }
    let words = block_words(session, heap, address, position).unwrap_or_else(|| nowhere(heap));
    report.text(&format!("{address}: {words}\n"))
}

fn nowhere(heap: &Heap) -> String {
    let words = "in no block that the trace shows to be allocated up to this position";
    let unseen = (heap.unseen > 0).then(|| unseen_words(heap.unseen));
    let left_out = heap.is_cut_short.then(left_out_words);
    let why: Vec<_> = unseen.into_iter().chain(left_out).collect();
    if why.is_empty() {
        words.to_owned()
    } else {
        format!("{words} ({})", why.join("; "))
    }
}

fn unseen_words(count: u64) -> String {
    format!(
        "the trace does not show where {} of posix_memalign lie",
        counted(count, "block")
    )
}

fn left_out_words() -> String {
    format!(
        "there are more than {} blocks: later ones are left out",
        grouped(BLOCKS as u64)
    )
}

/// Describes the blocks and frees that a list leaves out.
fn cuts(heap: &Heap) -> Vec<String> {
    let more = |count: u64| {
        let listed = grouped(BAD_FREES as u64);
        (count > BAD_FREES as u64).then(|| {
            format!(
                "of {} of freed blocks {listed} are looked at",
                counted(count, "free")
            )
        })
    };
    heap.is_cut_short
        .then(left_out_words)
        .into_iter()
        .chain(more(heap.double_frees))
        .collect()
}

fn print_blocks(arguments: &HeapArguments, heap: &Heap, report: &mut Report<'_>) -> Result<()> {
    let mut blocks: Vec<u32> = Vec::new();
    let is_wanted = |block: &HeapBlock| !arguments.unfreed || block.freed.is_none();
    blocks.extend(
        (0..)
            .zip(heap.blocks())
            .filter(|(_, block)| is_wanted(block))
            .map(|(place, _)| place),
    );
    let block_of = |place: u32| heap.get(place);
    blocks.sort_unstable_by_key(|place| {
        block_of(*place).map(|block| (block.allocated_at, block.address))
    });
    if !report.is_json && !blocks.is_empty() {
        report.text(&format!(
            "{:<18} {:>14} {:>16} {:>16}  functions\n",
            "address", "bytes", "allocated", "freed"
        ))?;
    }
    for block in blocks.into_iter().filter_map(block_of) {
        match report.is_json {
            true => report.json(&block_json(&block, report))?,
            false => report.text(&block_text(&block, report))?,
        }
    }
    for finding in findings(heap, report) {
        match report.is_json {
            true => report.json(&finding)?,
            false => report.text(&finding_text(&finding))?,
        }
    }
    if !report.is_json {
        return report.text(&totals_text(heap));
    }
    cuts(heap)
        .into_iter()
        .try_for_each(|message| report.json(&finding("cut_short", message, 1)))
}

/// Formats `0x7f… 64 12 20  malloc, free`, with the threads if there are several.
fn block_text(block: &HeapBlock, report: &Report<'_>) -> String {
    let step = |step: Option<Step>| step.map_or_else(|| "start".to_owned(), |step| grouped(step.0));
    let thread = |thread: ThreadId| match report.session.index.threads() {
        [_] => String::new(),
        _ => format!(" by {}", report.session.index.thread_name(thread)),
    };
    let mut functions = format!(
        "{}{}",
        function_name(report.session, block.function),
        thread(block.allocated_by)
    );
    if let Some(freed) = block.freed {
        functions += &format!(
            ", {}{}",
            function_name(report.session, freed.function),
            thread(freed.thread)
        );
    }
    let freed = block
        .freed
        .map_or_else(|| "never".to_owned(), |freed| step(freed.step));
    let (size, allocated) = (grouped(block.size_bytes), step(block.allocated_step));
    format!(
        "{:<18} {size:>14} {allocated:>16} {freed:>16}  {functions}\n",
        block.address.to_string()
    )
}

fn block_json<'a>(block: &HeapBlock, report: &Report<'a>) -> HeapBlockJson<'a> {
    HeapBlockJson {
        address: hex(block.address),
        size: block.size_bytes,
        allocated_step: block.allocated_step.map(|step| step.0),
        freed_step: block.freed.and_then(|freed| freed.step).map(|step| step.0),
        allocated_by: report.session.index.thread_name(block.allocated_by),
        freed_by: block
            .freed
            .map(|freed| report.session.index.thread_name(freed.thread)),
        allocated_with: function_name(report.session, block.function),
        freed_with: block
            .freed
            .map(|freed| function_name(report.session, freed.function)),
    }
}

/// Returns the blocks that were freed twice. Only timestamps order the threads. With several
/// threads a block may therefore have been allocated again between the frees.
fn findings(heap: &Heap, report: &Report<'_>) -> Vec<FindingJson<'static>> {
    let is_certain = report.session.index.threads().len() == 1;
    let double_free = |(bad, before): (&BadFree, BlockRelease)| {
        let words = double_free_words(report.session, bad, before);
        let doubt = if is_certain {
            ""
        } else {
            ", if the order between threads is as shown"
        };
        let severity = if is_certain { "error" } else { "warning" };
        FindingJson {
            severity,
            step: bad.step.map(|step| step.0),
            ..finding("double_free", format!("{words}{doubt}"), heap.double_frees)
        }
    };
    double_frees(heap, report.session.companions.functions.as_ref())
        .map(double_free)
        .collect()
}

/// Returns a warning about the whole trace.
fn finding(rule: &'static str, message: String, count: u64) -> FindingJson<'static> {
    FindingJson {
        rule,
        severity: "warning",
        message,
        step: None,
        line: None,
        record: None,
        clause: None,
        count,
    }
}

fn finding_text(finding: &FindingJson<'_>) -> String {
    let step = finding.step.map_or_else(
        || "before the first step".to_owned(),
        |step| format!("step {}", grouped(step)),
    );
    format!("{}: {step}: {}\n", finding.severity, finding.message)
}

fn totals_text(heap: &Heap) -> String {
    let unfreed = || heap.blocks().filter(|block| block.freed.is_none());
    let bytes = |sizes: &mut dyn Iterator<Item = HeapBlock>| {
        counted(
            sizes.fold(0u64, |sum, block| sum.saturating_add(block.size_bytes)),
            "byte",
        )
    };
    let mut text = format!(
        "{} of {}; {} of {} never freed; {} at once at most\n",
        counted(heap.blocks().len() as u64, "block"),
        bytes(&mut heap.blocks()),
        counted(unfreed().count() as u64, "block"),
        bytes(&mut unfreed()),
        counted(most_bytes(heap), "byte"),
    );
    if heap.unknown_frees > 0 {
        let frees = counted(heap.unknown_frees, "free");
        text += &format!("{frees} of blocks whose allocation the trace does not show\n");
    }
    if heap.unseen > 0 {
        text += &format!("{}\n", unseen_words(heap.unseen));
    }
    cuts(heap)
        .into_iter()
        .fold(text, |text, words| text + &words + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_reported() {
        let mut heap = Heap::default();
        assert_eq!(
            (cuts(&heap), nowhere(&heap).contains("left out")),
            (Vec::new(), false)
        );
        heap.is_cut_short = true;
        let words = "there are more than 1,835,008 blocks: later ones are left out";
        assert!(totals_text(&heap).ends_with(&format!("{words}\n")));
        assert!(nowhere(&heap).contains(words));
        heap.double_frees = 100_000;
        assert_eq!(
            cuts(&heap),
            [
                words,
                "of 100,000 frees of freed blocks 65,536 are looked at"
            ]
        );
    }
}
