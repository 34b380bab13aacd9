//! The part of the JSON answer of `stepback compare` about a pair of threads.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_compare::{
    Cause, CauseOrigin, CellDifference, ParallelEnd, Region, RegionDetails, RegionKind,
    StepDifference, StepPair, ThreadComparison, TraceSide,
};
use stepback_index::answer::SliceEndKind;
use stepback_parsers::Position;

use crate::cli::compare_words::{
    cell_value, compare_function, distance_text, interval, listed_chain, missing_head,
    moved_objects, place_text, side_word, unrecorded_cause,
};
use crate::cli::compared_traces::{ComparedTraces, ThreadSteps, thread_of};
use crate::cli::json::{FunctionJson, StepJson, hex};
use crate::cli::report::Report;

/// Maximum number of differing steps that are listed, unless another is requested.
const LISTED_STEPS: usize = 2000;

/// The part of the regions and of the differing steps that is listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComparePage {
    /// Position in A before the first of them.
    pub from: Position,
    /// Maximum number of each; none: all regions, and [`LISTED_STEPS`].
    pub limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ThreadPairJson {
    thread_a: String,
    thread_b: String,
    /// First steps at different addresses, counted in parallel. None: the addresses never differ.
    first_divergence: Option<CompareDivergenceJson>,
    /// A trace that begins later than the other, and the number of steps that it lacks.
    missing_head: Option<MissingHeadJson>,
    /// One trace is the beginning of the other.
    ended: Option<EndedJson>,
    /// Distances by which stack, heap or other memory lies elsewhere in B.
    moved_memory: Vec<String>,
    /// Code and memory at other addresses in B. Pointers to them do not count as differences.
    moved_objects: Vec<MovedObjectJson>,
    /// Number of allocated blocks that lie elsewhere than the memory around them.
    moved_blocks: u64,
    /// Number of pointers into them, which do not count as differences.
    pointers_to_moved_blocks: u64,
    /// Number of values that differ and are computed from nothing but such pointers.
    computed_from_pointers: u64,
    /// Registers and memory that the traces state differently before their first steps.
    initial_differences: Vec<CompareCellJson>,
    /// First steps that did different things before the divergence.
    first_difference: Option<CompareDifferenceJson>,
    differing_steps_before_divergence: DifferingStepsJson,
    /// The steps that led to the divergence, or to the first difference if there is no divergence.
    /// None if none of them has different values.
    divergence_cause: Option<CauseJson>,
    /// Why there is a divergence to which no differing value led.
    unrecorded_cause: Option<String>,
    /// The trace that takes an exception at the divergence: `a` or `b`.
    exception_in: Option<&'static str>,
    /// Number of matched pairs of steps.
    matched: u64,
    /// Regions in order and without gaps: all, unless `--from` or `--limit` is given.
    regions: Vec<RegionJson>,
    /// Position in A from which the rest is listed, for `--from`. None if nothing is left after
    /// `regions` and the listed steps.
    next_from: Option<u64>,
    /// Number of the last regions without partners after which the values were not compared.
    unexamined_regions: u64,
}

#[derive(Serialize, JsonSchema)]
struct MovedObjectJson {
    /// `code` (with the data of its image), `stack` or `memory`.
    object_kind: &'static str,
    /// Lowest known address in A.
    address: String,
    /// Address after the highest known one in A.
    end: String,
    distance: String,
    /// Number of pointers to it.
    pointers: u64,
}

#[derive(Serialize, JsonSchema)]
struct CompareDivergenceJson {
    a: u64,
    b: u64,
    pc_a: Option<String>,
    pc_b: Option<String>,
    function_a: Option<FunctionJson>,
    function_b: Option<FunctionJson>,
    /// The step of A before, usually a branch.
    decided_by: Option<StepJson>,
}

#[derive(Serialize, JsonSchema)]
struct MissingHeadJson {
    /// `a` or `b`.
    side: &'static str,
    missing_steps: u64,
}

#[derive(Serialize, JsonSchema)]
struct EndedJson {
    /// `a` or `b`.
    shorter: &'static str,
    /// Number of steps after which it ends.
    after_steps: u64,
}

#[derive(Serialize, JsonSchema)]
struct CompareDifferenceJson {
    a: u64,
    b: u64,
    pc: Option<String>,
    cells: Vec<CompareCellJson>,
}

/// A differing instruction, condition, address, register or range of memory.
#[derive(Serialize, JsonSchema)]
struct CompareCellJson {
    /// `instruction`, `condition`, `read-address`, `read`, `write-address`, `write` or `register`.
    kind: &'static str,
    /// `x1`, `0x80020010:4`, or the address of an instruction.
    cell: String,
    a: Option<String>,
    b: Option<String>,
}

/// The steps with different values on which the deciding branch depends, in both traces.
#[derive(Serialize, JsonSchema)]
struct CauseJson {
    /// Kind of difference in the oldest step: `instruction`, `memory` (it read another value that no
    /// matched step wrote differently), `result` (from inputs without a recorded difference),
    /// `unrecorded-memory` (it loads from memory, which is not recorded), `unrecorded-result` (what it
    /// writes is not recorded), `initial-register` (it reads a register with a value from before the
    /// first step), `system-call` (which returned something else), `other-thread`
    /// (which wrote what it reads), `forgiven` (an input, by a rule), or `unknown`.
    cause_kind: &'static str,
    /// The initial register, with the recorded values.
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_register: Option<CompareCellJson>,
    /// Origin of the memory: `initial`, `image`, `external`, `system`, `unknown`. None if a step
    /// wrote it.
    end: Option<&'static str>,
    /// Newest first: at most 2,000, of which the last is the origin.
    chain: Vec<CompareDifferenceJson>,
    /// Number of steps of the chain.
    chain_steps: u64,
    /// False if the search ended before the origin was found.
    complete: bool,
}

#[derive(Serialize, JsonSchema)]
struct DifferingStepsJson {
    /// Number of them.
    differing: u64,
    /// The first 2,000 of them, or those from `--from` on and at most `--limit`, in A.
    listed: Vec<u64>,
    /// True if all are listed.
    complete: bool,
}

#[derive(Serialize, JsonSchema)]
struct RegionJson {
    /// `same`, `different`, or `not-aligned`: too long and too different to be searched.
    kind: &'static str,
    a: [u64; 2],
    b: [u64; 2],
    /// Function in which the region begins, in A.
    function: Option<FunctionJson>,
    /// Number of matched steps that did different things. None in other regions.
    differing_steps: Option<u64>,
    /// The first of them.
    first_difference: Option<CompareDifferenceJson>,
    /// Registers and written memory that differ after a region without partners. None if this was
    /// not examined.
    after: Option<Vec<CompareCellJson>>,
    /// True if none of them differs at the end of the next matched region.
    heals: Option<bool>,
    /// True if a rule forgives the region.
    is_forgiven: bool,
}

impl ThreadPairJson {
    /// Describes a pair of threads.
    pub fn new<'a>(
        traces: &'a ComparedTraces<'a>,
        threads: &'a ThreadComparison,
        page: ComparePage,
        report: &Report<'_>,
    ) -> Result<Self> {
        ThreadWriter::new(traces, threads, report).json(page)
    }
}

struct ThreadWriter<'a, 'r> {
    traces: &'a ComparedTraces<'a>,
    threads: &'a ThreadComparison,
    report: &'r Report<'r>,
    in_a: ThreadSteps<'a>,
    in_b: ThreadSteps<'a>,
}

impl<'a, 'r> ThreadWriter<'a, 'r> {
    fn new(
        traces: &'a ComparedTraces<'a>,
        threads: &'a ThreadComparison,
        report: &'r Report<'r>,
    ) -> Self {
        Self {
            traces,
            threads,
            report,
            in_a: traces.steps(threads, TraceSide::A),
            in_b: traces.steps(threads, TraceSide::B),
        }
    }

    /// Lists the regions of a page, and returns the position of the first one after it. Regions that
    /// begin at the same position are on the same page.
    fn regions(&mut self, page: ComparePage) -> Result<(Vec<RegionJson>, Option<u64>)> {
        let mut regions: Vec<RegionJson> = Vec::new();
        for (region, details) in self.threads.regions() {
            let start = self.in_a.number(region.a.start)?;
            if start < page.from.0 {
                continue;
            }
            let is_full = page
                .limit
                .is_some_and(|limit| regions.len() >= limit.max(1));
            if is_full && regions.last().is_none_or(|last| last.a[0] < start) {
                return Ok((regions, Some(start)));
            }
            regions.push(self.region(region, details)?);
        }
        Ok((regions, None))
    }

    /// Lists the differing steps of a page, and returns the first one after it.
    fn differing_steps(&mut self, page: ComparePage) -> Result<(Vec<u64>, Option<u64>)> {
        let limit = page.limit.unwrap_or(LISTED_STEPS).max(1);
        let values = self.threads.values_before_divergence();
        let mut listed = Vec::new();
        for number in values.flat_map(|values| &values.steps) {
            let step = self.in_a.number(*number)?;
            match (step < page.from.0, listed.len() < limit) {
                (true, _) => {}
                (false, true) => listed.push(step),
                (false, false) => return Ok((listed, Some(step))),
            }
        }
        Ok((listed, None))
    }

    fn json(mut self, page: ComparePage) -> Result<ThreadPairJson> {
        let threads = self.threads;
        let values = threads.values_before_divergence();
        let differing = values.map(|values| values.differing).sum();
        let (mut listed, next_step) = self.differing_steps(page)?;
        let (mut regions, next_region) = self.regions(page)?;
        let next_from = next_step.into_iter().chain(next_region).min();
        if let Some(end) = next_from.filter(|_| page.limit.is_some()) {
            // The next page lists the rest of both.
            listed.retain(|step| *step < end);
            regions.retain(|region| region.a[0] < end);
        }
        let name = |side| {
            let thread = thread_of(threads.threads, side);
            self.traces
                .session(side)
                .index
                .thread_name(thread)
                .to_owned()
        };
        Ok(ThreadPairJson {
            thread_a: name(TraceSide::A),
            thread_b: name(TraceSide::B),
            first_divergence: threads
                .divergence
                .map(|pair| self.divergence(pair))
                .transpose()?,
            missing_head: missing_head(threads).map(|(side, missing_steps)| MissingHeadJson {
                side: side_word(side),
                missing_steps,
            }),
            ended: match threads.parallel.end {
                ParallelEnd::Ended(side) => Some(EndedJson {
                    shorter: side_word(side),
                    after_steps: threads.parallel.steps,
                }),
                ParallelEnd::Diverged | ParallelEnd::BothEnd => None,
            },
            moved_memory: threads
                .moved_memory
                .iter()
                .map(|moved| distance_text(moved.distance))
                .collect(),
            moved_objects: moved_objects(self.traces.comparison, std::slice::from_ref(threads))
                .iter()
                .map(|object| MovedObjectJson {
                    object_kind: object.kind,
                    address: format!("{:#x}", object.extent.start),
                    end: format!("{:#x}", object.extent.end),
                    distance: distance_text(object.distance),
                    pointers: object.pointers,
                })
                .collect(),
            moved_blocks: threads.moved_blocks,
            pointers_to_moved_blocks: threads.pointers.to_blocks,
            computed_from_pointers: threads.pointers.computed,
            initial_differences: threads.initial.iter().map(CompareCellJson::new).collect(),
            first_difference: threads
                .first_difference()
                .map(|difference| self.difference(difference))
                .transpose()?,
            differing_steps_before_divergence: DifferingStepsJson {
                differing,
                complete: listed.len() as u64 == differing,
                listed,
            },
            divergence_cause: threads
                .cause
                .as_ref()
                .map(|cause| self.cause(cause))
                .transpose()?,
            unrecorded_cause: unrecorded_cause(threads),
            exception_in: threads.exception.map(side_word),
            matched: threads.alignment.matched(),
            regions,
            next_from,
            unexamined_regions: threads.unexamined_regions,
        })
    }

    fn divergence(&mut self, pair: StepPair) -> Result<CompareDivergenceJson> {
        let one = self.in_a.record(pair.a, self.report)?;
        let other = self.in_b.record(pair.b, self.report)?;
        let function = |side, record: Option<&stepback_index::answer::StepRecord>| {
            let found = self.traces.function_at(side, record?.pc)?;
            Some(FunctionJson::new(found.start, found.session))
        };
        let (function_a, function_b) = (
            function(TraceSide::A, one.as_ref()),
            function(TraceSide::B, other.as_ref()),
        );
        let decision = match pair.a.checked_sub(1) {
            Some(last) => self.in_a.record(last, self.report)?,
            None => None,
        };
        Ok(CompareDivergenceJson {
            a: self.in_a.number(pair.a)?,
            b: self.in_b.number(pair.b)?,
            pc_a: one.as_ref().map(|record| hex(record.pc)),
            pc_b: other.as_ref().map(|record| hex(record.pc)),
            function_a,
            function_b,
            decided_by: decision.map(|record| StepJson::new(&record, &self.traces.a.index)),
        })
    }

    fn difference(&mut self, difference: &StepDifference) -> Result<CompareDifferenceJson> {
        let record = self.in_a.record(difference.steps.a, self.report)?;
        Ok(CompareDifferenceJson {
            a: self.in_a.number(difference.steps.a)?,
            b: self.in_b.number(difference.steps.b)?,
            pc: record.map(|record| hex(record.pc)),
            cells: difference.cells.iter().map(CompareCellJson::new).collect(),
        })
    }

    fn cause(&mut self, cause: &Cause) -> Result<CauseJson> {
        let mut chain = Vec::new();
        for difference in listed_chain(&cause.chain) {
            chain.push(self.difference(difference)?);
        }
        let (mut end, mut initial_register) = (None, None);
        match &cause.origin {
            CauseOrigin::Memory { end: found, .. } => end = found.map(SliceEndKind::word),
            CauseOrigin::InitialRegister(register) => {
                initial_register = Some(CompareCellJson::new(register));
            }
            CauseOrigin::Instruction
            | CauseOrigin::OtherThread(_)
            | CauseOrigin::Result
            | CauseOrigin::UnrecordedResult
            | CauseOrigin::UnrecordedMemory
            | CauseOrigin::SystemCall
            | CauseOrigin::Forgiven
            | CauseOrigin::Unknown => {}
        }
        Ok(CauseJson {
            initial_register,
            cause_kind: match cause.origin {
                CauseOrigin::Instruction => "instruction",
                CauseOrigin::Memory { .. } => "memory",
                CauseOrigin::OtherThread(_) => "other-thread",
                CauseOrigin::Result => "result",
                CauseOrigin::UnrecordedResult => "unrecorded-result",
                CauseOrigin::InitialRegister(_) => "initial-register",
                CauseOrigin::UnrecordedMemory => "unrecorded-memory",
                CauseOrigin::SystemCall => "system-call",
                CauseOrigin::Forgiven => "forgiven",
                CauseOrigin::Unknown => "unknown",
            },
            end,
            chain,
            chain_steps: cause.chain.len() as u64,
            complete: cause.is_complete,
        })
    }

    fn region(&mut self, region: &Region, details: &RegionDetails) -> Result<RegionJson> {
        let values = details.values.as_ref();
        let first = values.and_then(|values| values.first.as_ref());
        let first_difference = first.map(|first| self.difference(first)).transpose()?;
        let function = match region.kind {
            RegionKind::Same => None,
            RegionKind::Different | RegionKind::NotAligned => {
                compare_function(self.traces, self.threads, region)?
            }
        };
        Ok(RegionJson {
            kind: match region.kind {
                RegionKind::Same => "same",
                RegionKind::Different => "different",
                RegionKind::NotAligned => "not-aligned",
            },
            a: interval(&mut self.in_a, &region.a)?,
            b: interval(&mut self.in_b, &region.b)?,
            function,
            differing_steps: values.map(|values| values.differing),
            first_difference,
            after: details
                .after
                .as_ref()
                .map(|after| after.cells.iter().map(CompareCellJson::new).collect()),
            heals: details
                .after
                .as_ref()
                .filter(|after| after.is_complete || after.left > 0)
                .map(|after| after.left == 0),
            is_forgiven: details.is_forgiven,
        })
    }
}

impl CompareCellJson {
    fn new(difference: &CellDifference) -> Self {
        let [a, b] = [&difference.a, &difference.b].map(|value| cell_value(difference, value));
        Self {
            kind: difference.kind.word(),
            cell: place_text(&difference.place),
            a,
            b,
        }
    }
}
