//! The comparison of two traces ([`Comparison`]).

use std::collections::BTreeMap;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_index::answer::{Heap, Value};
use stepback_index::{Cancel, Index, QueryError};
use stepback_machine::Address;

use crate::align::run::Aligner;
use crate::align::side::Side;
use crate::cause::{Cause, MatchedSteps, cause_of_decision, cause_of_difference, exception_after};
use crate::divergence::{ParallelEnd, ParallelRun, TraceSide, parallel_run};
use crate::region::{Alignment, Region, RegionKind, StepPair};
use crate::rules::{Forgiven, Forgiving, Tolerances};
use crate::slides::{PART_GAP, Slides};
use crate::threads::{ThreadPair, ThreadPairs, thread_pairs};
use crate::values::blocks::{Allocator, Allocators, moved_blocks};
use crate::values::difference::{CellDifference, StepDifference};
use crate::values::distances::{Distances, MovedPart, gap, merge};
use crate::values::moved::{AlignedCode, MemoryParts, MovedMemory, PAGE_BYTES, moved_memory};
use crate::values::pass::{RegionValues, ValuePass};
use crate::values::pointers::{PointerCounts, PointerPass};
use crate::values::states::StateAfter;
use crate::values::step::StepComparer;

/// Number of regions without partners of two threads after which the states are compared: about a
/// second of work.
pub const COMPARED_STATES: usize = 256;

/// How traces are compared.
#[derive(Clone, Debug, Default)]
pub struct CompareOptions<'p> {
    /// Differences that do not count.
    pub tolerances: Tolerances,
    /// Functions that allocate memory. A pointer into a block equals one into the block that the
    /// same call allocated in the other trace.
    pub allocators: Vec<Allocator>,
    /// Blocks that markers of both traces record, which are the same if the same call allocated them.
    pub heaps: [Heap; 2],
    /// Counts the matched steps whose values were compared, for a meter.
    pub progress: Option<&'p AtomicU64>,
}

/// Two traces: where they part, and what differs.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Distances between the code of both.
    pub slides: Slides,
    /// Threads.
    pub threads: ThreadPairs,
    /// Comparison of each pair of threads, in the order of [`ThreadPairs::pairs`].
    pub compared: Vec<ThreadComparison>,
    /// Differences that rules ignored.
    pub forgiven: Vec<Forgiven>,
}

/// Two threads: where they part, and what differs.
#[derive(Clone, Debug)]
pub struct ThreadComparison {
    /// The threads.
    pub threads: ThreadPair,
    /// Numbers of their steps.
    pub counts: StepPair,
    /// The steps up to the first divergence, in parallel.
    pub parallel: ParallelRun,
    /// Memory that lies elsewhere in the second trace, most frequently accessed first.
    pub moved_memory: Vec<MovedMemory>,
    /// Number of ranges of allocated blocks that lie elsewhere than the memory around them.
    pub moved_blocks: u64,
    /// Values that differ only because something lies elsewhere; they are no differences.
    pub pointers: PointerCounts,
    /// First steps without partners that no rule forgives.
    pub divergence: Option<StepPair>,
    /// The steps that led to the divergence, or to the first difference if there is no divergence;
    /// `None` if none of them has different values.
    pub cause: Option<Cause>,
    /// The trace that takes an exception at the divergence.
    pub exception: Option<TraceSide>,
    /// Registers and memory that the traces state differently before their first steps.
    pub initial: Vec<CellDifference>,
    /// The regions.
    pub alignment: Alignment,
    /// Details of each region, in the order of [`Alignment::regions`].
    pub details: Vec<RegionDetails>,
    /// Distances by which pointers may differ.
    distances: Distances,
    /// Addresses between which memory is at the same addresses in both traces, if some is not.
    unmoved_memory: Vec<Range<u64>>,
    /// Number of regions without partners after which the states were not compared, because there
    /// are more than [`COMPARED_STATES`].
    pub unexamined_regions: u64,
}

/// Details of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionDetails {
    /// Values of the steps of a matched region.
    pub values: Option<RegionValues>,
    /// States after a region without partners, if a matched region follows.
    pub after: Option<StateAfter>,
    /// A rule forgives the region.
    pub is_forgiven: bool,
}

impl Comparison {
    /// Compares two traces. Cost: the lists of addresses of both indexes, and the text of all
    /// matched steps once.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn run(
        a: &Index,
        b: &Index,
        options: CompareOptions<'_>,
        cancel: &Cancel,
    ) -> Result<Self, QueryError> {
        let slides = Slides::detect(a, b, cancel)?;
        let threads = thread_pairs(a, b);
        let mut forgiving = Forgiving {
            rules: options.tolerances.clone(),
            found: Vec::new(),
        };
        let mut compared = Vec::new();
        for pair in &threads.pairs {
            let translate = |address: Address| slides.to_first(address);
            let one = Side::new(a, pair.a, |address| address.0);
            let other = Side::new(b, pair.b, translate);
            let aligner = Aligner::new(one, other, &slides, cancel);
            let found = compare_threads(*pair, aligner, &slides, &mut forgiving, &options)?;
            compared.push(found);
        }
        Ok(Self {
            slides,
            threads,
            compared,
            forgiven: forgiving.found,
        })
    }

    /// Returns true if nothing differs that no rule forgives.
    pub fn is_equal(&self) -> bool {
        self.threads.only_in_a.is_empty()
            && self.threads.only_in_b.is_empty()
            && self.compared.iter().all(ThreadComparison::is_equal)
    }

    /// Returns the address in the second trace of what the first has at an address, for a pair of
    /// threads. Memory near a part of the address space belongs to it.
    pub fn to_second(&self, pair: usize, address: Address) -> Address {
        let threads = self.compared.get(pair);
        let block = threads.and_then(|threads| threads.distances.of_block(address.0));
        let code = self.slides.extents();
        let code = code.map(|(extent, distance)| (extent, distance, PART_GAP));
        let memory = threads
            .into_iter()
            .flat_map(|threads| &threads.moved_memory);
        let memory = memory.map(|moved| {
            let reach = if moved.is_stack { PART_GAP } else { PAGE_BYTES };
            (moved.extent.clone(), moved.distance, reach)
        });
        let unmoved = threads
            .into_iter()
            .flat_map(|threads| &threads.unmoved_memory);
        let unmoved = unmoved.map(|extent| (extent.clone(), 0, PAGE_BYTES));
        let gap = |extent: &Range<u64>| gap(extent, address.0);
        let parts = unmoved.chain(code).chain(memory);
        let near = parts.filter(|(extent, _, reach)| gap(extent) < *reach);
        let part = near.min_by_key(|(extent, ..)| (gap(extent), extent.end - extent.start));
        let distance = block.or(part.map(|(_, distance, _)| distance));
        Address(address.0.wrapping_add(distance.unwrap_or_default()))
    }

    /// Returns true if all steps of both traces match.
    pub fn has_same_paths(&self) -> bool {
        let mut regions = self.compared.iter().flat_map(|it| it.alignment.regions());
        self.threads.only_in_a.is_empty()
            && self.threads.only_in_b.is_empty()
            && regions.all(|region| region.kind == RegionKind::Same)
    }
}

impl ThreadComparison {
    /// Returns the first matched steps with different values before the first divergence.
    pub fn first_difference(&self) -> Option<&StepDifference> {
        let mut values = self.values_before_divergence();
        values.find_map(|values| values.first.as_ref())
    }

    /// Returns the values of the matched regions before the first divergence. Regions that rules
    /// forgive may lie between them.
    pub fn values_before_divergence(&self) -> impl Iterator<Item = &RegionValues> {
        let start = self.parallel.start;
        let is_before = move |region: &Region, details: &RegionDetails| {
            let is_head = region.a.end <= start.a && region.b.end <= start.b;
            region.kind == RegionKind::Same || details.is_forgiven || is_head
        };
        let regions = self.regions();
        let regions = regions.take_while(move |(region, details)| is_before(region, details));
        regions.filter_map(|(_, details)| details.values.as_ref())
    }

    /// Returns the first matched steps with different values after the first divergence.
    pub fn first_difference_after(&self) -> Option<&StepDifference> {
        let before = self.values_before_divergence().count();
        let values = self.details.iter().filter_map(|it| it.values.as_ref());
        values.skip(before).find_map(|values| values.first.as_ref())
    }

    /// Returns true if two values differ only because what they point to lies elsewhere.
    pub fn are_same_pointers(&self, a: &Value, b: &Value) -> bool {
        self.distances.of_pointers(a, b).is_some()
    }

    /// Returns the regions with their details.
    pub fn regions(&self) -> impl Iterator<Item = (&Region, &RegionDetails)> {
        self.alignment.regions().iter().zip(&self.details)
    }

    /// Returns true if nothing differs that no rule forgives.
    pub fn is_equal(&self) -> bool {
        self.initial.is_empty()
            && self.regions().all(|(region, details)| match region.kind {
                RegionKind::Same => details
                    .values
                    .as_ref()
                    .is_none_or(|values| values.differing == 0),
                RegionKind::Different | RegionKind::NotAligned => details.is_forgiven,
            })
    }
}

fn compare_threads(
    threads: ThreadPair,
    mut aligner: Aligner<'_, '_>,
    slides: &Slides,
    forgiving: &mut Forgiving,
    options: &CompareOptions<'_>,
) -> Result<ThreadComparison, QueryError> {
    let counts = StepPair {
        a: aligner.a.count(),
        b: aligner.b.count(),
    };
    let parallel = parallel_run(&mut aligner)?;
    aligner.run(parallel.start)?;
    let Aligner {
        mut a,
        mut b,
        cancel,
        result: alignment,
        equal_runs,
        ..
    } = aligner;
    let regions = alignment.regions();
    let moved_code: Vec<u64> = slides.moved().map(|part| part.distance).collect();
    let aligned = AlignedCode {
        regions,
        moved: &moved_code,
    };
    let MemoryParts {
        moved: mut moved_memory,
        unmoved: unmoved_memory,
    } = moved_memory(&mut a, &mut b, aligned, cancel)?;
    let mut distances = distances(slides, &moved_memory, &unmoved_memory);
    moved_memory.retain(|moved| !moved_code.contains(&moved.distance));
    let blocks = moved_blocks(
        &mut a,
        &mut b,
        &alignment,
        &Allocators {
            functions: &options.allocators,
            heaps: &options.heaps,
            slides,
            distances: &distances,
        },
        cancel,
    )?;
    let moved_blocks = blocks.values().map(|ranges| ranges.len() as u64).sum();
    distances.blocks = blocks;
    let is_one_format = a.index.info().format == b.index.info().format;
    let comparer = StepComparer {
        first: a.index,
        thread: threads.a,
        distances: distances.clone(),
        is_one_format,
    };
    let forgiven = forgiven_regions(&mut a, &mut b, &alignment, forgiving)?;
    let mut pass = ValuePass::new(&mut a, &mut b, comparer.clone(), forgiving, cancel);
    let has_moved = !comparer.distances.is_empty();
    let is_followed = has_moved || !options.tolerances.is_empty();
    pass.pointers = is_followed.then(PointerPass::default);
    // Pointers must be followed through all steps.
    pass.equal_runs = (!has_moved).then_some(equal_runs);
    let initial = match parallel.start == StepPair::default() {
        true => pass.initial()?,
        false => Vec::new(),
    };
    let mut details = Vec::new();
    let (mut states, mut unexamined_regions) = (0, 0);
    for ((place, region), is_forgiven) in regions.iter().enumerate().zip(forgiven) {
        let mut known = RegionDetails {
            is_forgiven,
            ..RegionDetails::default()
        };
        let is_head = region.a.start == 0 && region.b.start == 0;
        match (region.kind, regions.get(place + 1)) {
            (RegionKind::Same, _) => {
                let count = |steps| {
                    if let Some(progress) = options.progress {
                        progress.fetch_add(steps, Ordering::Relaxed);
                    }
                };
                known.values = Some(pass.region(region, count)?);
            }
            (_, Some(next)) if !is_head && states < COMPARED_STATES => {
                known.after = Some(pass.after(region, next)?);
                states += 1;
            }
            (_, Some(_)) if !is_head => unexamined_regions += 1,
            _ => {}
        }
        details.push(known);
    }
    let found = divergence(&parallel, regions, &details);
    let divergence = match found {
        Some(region) => first_other_steps([&mut *pass.a, &mut *pass.b], region, cancel)?,
        None => None,
    };
    let decision = divergence.and_then(|pair| {
        let (a, b) = (pair.a.checked_sub(1)?, pair.b.checked_sub(1)?);
        let is_parallel = divergence != found || alignment.partner(a) == Some(b);
        is_parallel.then_some(StepPair { a, b })
    });
    // A trace that ends early may end by what it did last.
    let last = match parallel.end {
        ParallelEnd::Ended(_) => parallel.last(),
        ParallelEnd::Diverged | ParallelEnd::BothEnd => None,
    };
    let PointerPass {
        counts: pointers,
        steps: computed_steps,
        forgiven_steps,
        ..
    } = pass.pointers.take().unwrap_or_default();
    let wrong = mem::take(&mut pass.wrong);
    // Ignored differences were counted when the regions were compared.
    let mut counted = Forgiving {
        rules: pass.forgiving.rules.clone(),
        found: Vec::new(),
    };
    let mut pass = ValuePass::new(&mut a, &mut b, comparer, &mut counted, cancel);
    pass.wrong = wrong;
    let first = details
        .iter()
        .find_map(|details| details.values.as_ref()?.first.as_ref());
    let aligned = MatchedSteps {
        alignment: &alignment,
        ignored: &computed_steps,
        forgiven: &forgiven_steps,
    };
    let mut cause = match decision.or(last) {
        Some(decision) => cause_of_decision(&mut pass, aligned, decision)?,
        None => None,
    };
    if let (None, None, Some(first)) = (divergence, &cause, first) {
        cause = cause_of_difference(&mut pass, aligned, first)?;
    }
    let exception = match decision {
        Some(decision) => exception_after(&mut pass, decision)?,
        None => None,
    };
    Ok(ThreadComparison {
        threads,
        counts,
        parallel,
        moved_memory,
        moved_blocks,
        pointers,
        divergence,
        cause,
        exception,
        initial,
        alignment,
        details,
        distances,
        unmoved_memory,
        unexamined_regions,
    })
}

/// Returns the parts of the address space that lie elsewhere, and those that do not.
fn distances(slides: &Slides, moved: &[MovedMemory], unmoved: &[Range<u64>]) -> Distances {
    let (mut parts, mut fixed) = (Vec::new(), unmoved.to_vec());
    for (extent, distance) in slides.extents() {
        match distance {
            0 => fixed.push(extent),
            distance => parts.push(MovedPart { extent, distance }),
        }
    }
    parts.extend(moved.iter().map(|moved| MovedPart {
        extent: moved.extent.clone(),
        distance: moved.distance,
    }));
    merge(&mut fixed);
    Distances {
        parts,
        unmoved: fixed,
        blocks: BTreeMap::new(),
    }
}

/// Returns the first steps without partners that no rule forgives. Steps after the end of the other
/// trace are no divergence.
fn divergence(
    parallel: &ParallelRun,
    regions: &[Region],
    details: &[RegionDetails],
) -> Option<StepPair> {
    if parallel.end != ParallelEnd::Diverged {
        return None;
    }
    let is_after = |region: &Region| {
        region.a.start > parallel.start.a
            || region.b.start > parallel.start.b
            || parallel.steps == 0
    };
    let counted = regions.iter().zip(details).find(|(region, details)| {
        region.kind != RegionKind::Same && !details.is_forgiven && is_after(region)
    });
    counted.map(|(region, _)| StepPair {
        a: region.a.start,
        b: region.b.start,
    })
}

/// Returns the first steps with other addresses, counted in parallel from the start of a region: its
/// first steps may have the same ones. `None` if one of the traces ends before.
fn first_other_steps(
    [a, b]: [&mut Side<'_>; 2],
    from: StepPair,
    cancel: &Cancel,
) -> Result<Option<StepPair>, QueryError> {
    const BLOCK_STEPS: u64 = 1 << 12;
    let count = (a.count() - from.a).min(b.count() - from.b);
    for start in (0..count).step_by(BLOCK_STEPS as usize) {
        cancel.check()?;
        let block = |first: u64| first + start..first + count.min(start + BLOCK_STEPS);
        let one = a.addresses.range(block(from.a))?;
        let other = b.addresses.range(block(from.b))?;
        let equal = one
            .iter()
            .zip(&other)
            .take_while(|(one, other)| one == other);
        let equal = start + equal.count() as u64;
        if equal < count.min(start + BLOCK_STEPS) {
            return Ok(Some(StepPair {
                a: from.a + equal,
                b: from.b + equal,
            }));
        }
    }
    Ok(None)
}

/// Returns for each region whether rules forgive it.
fn forgiven_regions(
    a: &mut Side<'_>,
    b: &mut Side<'_>,
    alignment: &Alignment,
    forgiving: &mut Forgiving,
) -> Result<Vec<bool>, QueryError> {
    let mut forgiven = Vec::new();
    for region in alignment.regions() {
        let is_different = region.kind == RegionKind::Different;
        forgiven.push(
            is_different && !forgiving.rules.polling.is_empty() && {
                let mut addresses = a.addresses.range(region.a.clone())?;
                addresses.extend(b.addresses.range(region.b.clone())?);
                forgiving.forgives_steps(&addresses)
            },
        );
    }
    Ok(forgiven)
}
