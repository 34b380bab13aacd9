//! The search for corresponding steps ([`Aligner`]).

use std::ops::Range;

use stepback_index::{Cancel, QueryError};

use crate::align::calls::candidates;
use crate::align::equal_runs::EqualRuns;
use crate::align::lcs::{GapStep, matched_pairs};
use crate::align::patience::anchors;
use crate::align::side::Side;
use crate::region::{Alignment, RegionKind, StepPair};
use crate::slides::Slides;

/// Number of equal steps that show that two threads run in parallel again.
const CONVINCING: u64 = 64;
/// Number of equal steps that show the same in the middle of a table, where loops may mislead.
const LONG_RUN: usize = 256;
/// Number of equal steps after which no more are counted.
const VERY_LONG_RUN: u64 = 1 << 12;
/// Number of steps after a divergence that are searched first, and at most.
const WINDOWS: [u64; 5] = [1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20];
/// Maximum number of cells of all tables together: some seconds.
const ALL_CELLS: u64 = 1 << 33;
/// Number of cells up to which a gap is aligned exactly whatever it contains.
const SMALL_CELLS: u64 = 1 << 27;
/// Number of steps up to which a gap may cost more than that.
const MODERATE_STEPS: u64 = 1 << 17;
/// Maximum number of steps of a gap that is aligned exactly, to bound the memory for them.
const EXACT_STEPS: u64 = 1 << 20;

/// Two intervals that are to be aligned.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    pub a: Range<u64>,
    pub b: Range<u64>,
}

impl Gap {
    fn start(&self) -> StepPair {
        StepPair {
            a: self.a.start,
            b: self.b.start,
        }
    }

    fn end(&self) -> StepPair {
        StepPair {
            a: self.a.end,
            b: self.b.end,
        }
    }

    fn is_one_sided(&self) -> bool {
        self.a.is_empty() || self.b.is_empty()
    }

    fn cells(&self) -> u64 {
        (self.a.end - self.a.start).saturating_mul(self.b.end - self.b.start)
    }

    fn longest(&self) -> u64 {
        (self.a.end - self.a.start).max(self.b.end - self.b.start)
    }

    /// Returns the first steps of both intervals, at most `limit`.
    fn head(&self, limit: u64) -> Self {
        let head =
            |range: &Range<u64>| range.start..range.end.min(range.start.saturating_add(limit));
        Self {
            a: head(&self.a),
            b: head(&self.b),
        }
    }

    /// Returns the part before a pair.
    fn up_to(&self, pair: StepPair) -> Self {
        Self {
            a: self.a.start..pair.a,
            b: self.b.start..pair.b,
        }
    }
}

/// Aligns two threads. Memory: the addresses of a window or the table of a gap, some 100 MB at most.
pub(crate) struct Aligner<'a, 'c> {
    pub a: Side<'a>,
    pub b: Side<'a>,
    pub cancel: &'c Cancel,
    pub result: Alignment,
    pub equal_runs: EqualRuns<'a>,
    cells_left: u64,
}

impl<'a, 'c> Aligner<'a, 'c> {
    pub fn new(a: Side<'a>, b: Side<'a>, slides: &Slides, cancel: &'c Cancel) -> Self {
        let equal_runs = EqualRuns::new(&a, &b, slides);
        Self {
            equal_runs,
            a,
            b,
            cancel,
            result: Alignment::default(),
            cells_left: ALL_CELLS,
        }
    }

    /// Aligns all steps from a pair on; the steps before it are different.
    pub fn run(&mut self, start: StepPair) -> Result<(), QueryError> {
        self.result.push(RegionKind::Different, start);
        let gap = Gap {
            a: start.a..self.a.count(),
            b: start.b..self.b.count(),
        };
        self.align(gap)
    }

    /// Aligns two intervals that begin where the result ends.
    fn align(&mut self, mut gap: Gap) -> Result<(), QueryError> {
        self.skip_equal(&mut gap)?;
        let tail = self.equal_tail(&gap)?;
        (gap.a.end, gap.b.end) = (gap.a.end - tail, gap.b.end - tail);
        let (mut is_first, mut has_edits_throughout) = (true, false);
        while !gap.is_one_sided() {
            // A large gap is tried once, since few edits suffice in most of them.
            if (is_first || gap.cells() <= SMALL_CELLS) && self.align_exactly(&gap)? {
                break;
            }
            is_first = false;
            let sync = match has_edits_throughout {
                true => None,
                false => self.next_sync(&gap)?,
            };
            if let Some(sync) = sync {
                self.align(gap.up_to(sync))?;
                (gap.a.start, gap.b.start) = (sync.a, sync.b);
                self.skip_equal(&mut gap)?;
            } else if let Some(next) = self.align_half_of_head(&gap)? {
                (gap.a.start, gap.b.start) = (next.a, next.b);
                has_edits_throughout = self.skip_equal(&mut gap)? < CONVINCING;
            } else if has_edits_throughout {
                has_edits_throughout = false;
            } else {
                self.result.push(RegionKind::NotAligned, gap.end());
                break;
            }
        }
        self.result.push(RegionKind::Different, gap.end());
        self.result.push_same(tail);
        Ok(())
    }

    /// Adds the equal steps at the start of a gap to the result, and returns their number.
    fn skip_equal(&mut self, gap: &mut Gap) -> Result<u64, QueryError> {
        let count = self.equal_steps(gap.start(), gap.end())?;
        self.result.push_same(count);
        (gap.a.start, gap.b.start) = (gap.a.start + count, gap.b.start + count);
        Ok(count)
    }

    /// Adds the longest common subsequence of the first half of the head of a gap to the result, if
    /// most of the head matches: a loop may have an edit in every few iterations, so that no run is
    /// long. Returns the steps after it.
    fn align_half_of_head(&mut self, gap: &Gap) -> Result<Option<StepPair>, QueryError> {
        let head = gap.head(WINDOWS[0]);
        let [mut a, mut b] = self.steps_of(&head)?;
        // Where there is a choice, the search puts steps without partners first. Run backwards, it
        // leaves those at the end whose partners lie after the head of the other trace.
        a.reverse();
        b.reverse();
        let Some(mut pairs) = matched_pairs(&a, &b, &mut self.cells_left) else {
            return Ok(None);
        };
        pairs.reverse();
        for pair in &mut pairs {
            pair.a = a.len() as u64 - 1 - pair.a;
            pair.b = b.len() as u64 - 1 - pair.b;
        }
        let shorter = a.len().min(b.len());
        if pairs.len() < shorter - shorter / 4 {
            return Ok(None);
        }
        let half = WINDOWS[0] / 2;
        let kept = pairs.partition_point(|pair| pair.a < half && pair.b < half);
        let pairs = pairs.get(..kept).unwrap_or_default();
        let start = head.start();
        self.push_pairs(start, pairs);
        Ok(pairs.last().map(|last| StepPair {
            a: start.a + last.a + 1,
            b: start.b + last.b + 1,
        }))
    }

    /// Returns the number of equal steps from a pair on.
    pub fn equal_steps(&mut self, from: StepPair, to: StepPair) -> Result<u64, QueryError> {
        let limit = (to.a - from.a).min(to.b - from.b);
        let mut count = 0;
        while count < limit {
            self.cancel.check()?;
            let (a, b) = (from.a + count, from.b + count);
            let equal = self.equal_runs.next(StepPair { a, b }, limit - count)?;
            if equal.start == 0 {
                count += equal.end;
                continue;
            }
            let one = self.a.addresses.from(a)?;
            let other = self.b.addresses.from(b)?;
            let compared = one.len().min(other.len()).min(as_len(equal.start));
            let (one, other) = (&one[..compared], &other[..compared]);
            let equal = match one == other {
                true => compared,
                false => equal_prefix(one.iter().zip(other)),
            };
            count += equal as u64;
            if equal < compared || compared == 0 {
                break;
            }
        }
        Ok(count)
    }

    /// Returns the number of equal steps at the end of a gap.
    fn equal_tail(&mut self, gap: &Gap) -> Result<u64, QueryError> {
        let (from, to) = (gap.start(), gap.end());
        let limit = (to.a - from.a).min(to.b - from.b);
        let mut count = 0;
        while count < limit {
            self.cancel.check()?;
            let one = self.a.addresses.before(to.a - count)?;
            let other = self.b.addresses.before(to.b - count)?;
            let compared = one.len().min(other.len()).min(as_len(limit - count));
            let backwards = one.iter().rev().zip(other.iter().rev()).take(compared);
            let equal = equal_prefix(backwards);
            count += equal as u64;
            if equal < compared || compared == 0 {
                break;
            }
        }
        Ok(count)
    }

    /// Adds the longest common subsequence of a gap to the result. Returns false if it costs too
    /// much.
    fn align_exactly(&mut self, gap: &Gap) -> Result<bool, QueryError> {
        if gap.longest() > EXACT_STEPS {
            return Ok(false);
        }
        let [a, b] = self.steps_of(gap)?;
        let limit = match gap.longest() > MODERATE_STEPS {
            true => SMALL_CELLS.min(self.cells_left),
            false => self.cells_left,
        };
        let mut left = limit;
        let pairs = matched_pairs(&a, &b, &mut left);
        self.cells_left -= limit - left;
        let Some(pairs) = pairs else {
            return Ok(false);
        };
        self.push_pairs(gap.start(), &pairs);
        self.result.push(RegionKind::Different, gap.end());
        Ok(true)
    }

    fn steps_of(&mut self, gap: &Gap) -> Result<[Vec<GapStep>; 2], QueryError> {
        self.cancel.check()?;
        Ok([self.a.gap(gap.a.clone())?, self.b.gap(gap.b.clone())?])
    }

    /// Adds pairs, counted from the start of a gap, to the result.
    fn push_pairs(&mut self, start: StepPair, pairs: &[StepPair]) {
        for pair in pairs {
            let pair = StepPair {
                a: start.a + pair.a,
                b: start.b + pair.b,
            };
            self.result.push(RegionKind::Different, pair);
            self.result.push_same(1);
        }
    }

    /// Returns the next pair from which the threads run in parallel again: neither the start nor
    /// the end of the gap. `None` if there is none within reach.
    fn next_sync(&mut self, gap: &Gap) -> Result<Option<StepPair>, QueryError> {
        let head = gap.head(WINDOWS[0]);
        let mut found = candidates(&mut self.a, &mut self.b, gap.start(), &self.result)?;
        found.extend(self.sync_in_table(&head)?);
        found.extend(self.anchored(&head, gap)?);
        let best = self.best_sync(&found, gap)?;
        if best.is_some() || (head.a == gap.a && head.b == gap.b) {
            return Ok(best);
        }
        for window in WINDOWS.into_iter().skip(1) {
            let head = gap.head(window);
            let found = self.anchored(&head, gap)?;
            if found.is_some() || (head.a == gap.a && head.b == gap.b) {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Returns the candidate after which the threads run in parallel longest; of several that run
    /// very long, the nearest. In a loop, a wrong one may run for some iterations.
    fn best_sync(&mut self, pairs: &[StepPair], gap: &Gap) -> Result<Option<StepPair>, QueryError> {
        let mut best = None;
        let mut best_run = 0;
        let distance = |pair: StepPair| (pair.a - gap.a.start) + (pair.b - gap.b.start);
        for pair in pairs {
            if !self.is_sync(*pair, gap)? {
                continue;
            }
            let to = StepPair {
                a: gap.a.end.min(pair.a + VERY_LONG_RUN),
                b: gap.b.end.min(pair.b + VERY_LONG_RUN),
            };
            let run = self.equal_steps(*pair, to)?;
            let is_nearer = best.is_none_or(|best| distance(*pair) < distance(best));
            if run > best_run || run == best_run && is_nearer {
                (best, best_run) = (Some(*pair), run);
            }
        }
        Ok(best)
    }

    fn is_sync(&mut self, pair: StepPair, gap: &Gap) -> Result<bool, QueryError> {
        let (start, end) = (gap.start(), gap.end());
        let is_inside = pair.a >= start.a && pair.b >= start.b && pair.a < end.a && pair.b < end.b;
        if !is_inside || pair == start {
            return Ok(false);
        }
        let to = StepPair {
            a: end.a.min(pair.a + CONVINCING),
            b: end.b.min(pair.b + CONVINCING),
        };
        let wanted = (to.a - pair.a).min(to.b - pair.b);
        Ok(self.equal_steps(pair, to)? == wanted)
    }

    /// Returns the first pair of unique runs in the head of a gap from which the threads run in
    /// parallel.
    fn anchored(&mut self, head: &Gap, gap: &Gap) -> Result<Option<StepPair>, QueryError> {
        self.cancel.check()?;
        let a = self.a.addresses.range(head.a.clone())?;
        let b = self.b.addresses.range(head.b.clone())?;
        let start = head.start();
        for anchor in anchors(&a, &b) {
            // The equal steps just before the anchor belong to the run.
            let one = a.get(..as_len(anchor.a)).unwrap_or_default();
            let other = b.get(..as_len(anchor.b)).unwrap_or_default();
            let back = equal_prefix(one.iter().rev().zip(other.iter().rev())) as u64;
            let pair = StepPair {
                a: start.a + anchor.a - back,
                b: start.b + anchor.b - back,
            };
            if self.is_sync(pair, gap)? {
                return Ok(Some(pair));
            }
        }
        Ok(None)
    }

    /// Returns the start of the first long run of the longest common subsequence of a head.
    fn sync_in_table(&mut self, head: &Gap) -> Result<Option<StepPair>, QueryError> {
        let [a, b] = self.steps_of(head)?;
        let Some(pairs) = matched_pairs(&a, &b, &mut self.cells_left) else {
            return Ok(None);
        };
        let is_run = |run: &&[StepPair]| {
            let ends = run.first().zip(run.last());
            let long = LONG_RUN as u64 - 1;
            ends.is_some_and(|(first, last)| last.a - first.a == long && last.b - first.b == long)
        };
        let first = pairs
            .windows(LONG_RUN)
            .find(is_run)
            .and_then(|run| run.first());
        let start = head.start();
        let pair = first.map(|first| StepPair {
            a: start.a + first.a,
            b: start.b + first.b,
        });
        Ok(pair.filter(|pair| *pair != start))
    }
}

fn as_len(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn equal_prefix<'a>(pairs: impl Iterator<Item = (&'a u64, &'a u64)>) -> usize {
    pairs.take_while(|(one, other)| one == other).count()
}
