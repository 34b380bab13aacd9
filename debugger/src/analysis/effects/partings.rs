//! Finds where the paths of two calls of a function diverge and meet again.

use std::collections::{HashMap, VecDeque};

use stepback_index::QueryError;
use stepback_machine::Address;

use super::own_path::{FramePath, PathStep};

/// Maximum number of steps searched after a divergence for the point where the paths meet.
const AHEAD: usize = 4096;

/// A stretch in which two calls take different paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDivergence {
    /// Last step that both calls do, in each of them; `None` if they differ from the first step on.
    pub parts: Option<(PathStep, PathStep)>,
    /// First step of each call after that; `None` if the call is over.
    pub ways: (Option<PathStep>, Option<PathStep>),
    /// Steps at one address where the paths meet again; `None` if none was found.
    pub meets: Option<(PathStep, PathStep)>,
}

/// Iterator over the divergences of two calls, without their callees. Memory is bounded.
pub struct DivergenceFinder<'a> {
    one: LookaheadPath<'a>,
    other: LookaheadPath<'a>,
    last: Option<(PathStep, PathStep)>,
    /// Number of steps that both calls have in common.
    pub alike: u64,
}

impl<'a> DivergenceFinder<'a> {
    /// Compares two paths.
    pub fn new(one: FramePath<'a>, other: FramePath<'a>) -> Self {
        let ahead = |path| LookaheadPath {
            path,
            steps: VecDeque::new(),
        };
        Self {
            one: ahead(one),
            other: ahead(other),
            last: None,
            alike: 0,
        }
    }

    /// Returns the next divergence. `None` when both paths end alike, and after a divergence from
    /// which they do not meet again.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn next_parting(&mut self) -> Result<Option<PathDivergence>, QueryError> {
        loop {
            let ways = (self.one.peek()?, self.other.peek()?);
            match ways {
                (None, None) => return Ok(None),
                (Some(one), Some(other)) if one.pc == other.pc => {
                    self.one.steps.pop_front();
                    self.other.steps.pop_front();
                    (self.last, self.alike) = (Some((one, other)), self.alike + 1);
                }
                _ => {
                    let parts = self.last;
                    let meets = self.meet()?;
                    return Ok(Some(PathDivergence { parts, ways, meets }));
                }
            }
        }
    }

    /// Advances both paths to the nearest common step, or to their ends if there is none.
    fn meet(&mut self) -> Result<Option<(PathStep, PathStep)>, QueryError> {
        self.one.fill()?;
        self.other.fill()?;
        let mut places: HashMap<Address, usize> = HashMap::new();
        for (place, step) in self.other.steps.iter().enumerate() {
            places.entry(step.pc).or_insert(place);
        }
        let both = self.one.steps.iter().enumerate();
        let both = both.filter_map(|(place, step)| Some((place, *places.get(&step.pc)?)));
        let Some((one, other)) = both.min_by_key(|(one, other)| one + other) else {
            self.one.end();
            self.other.end();
            return Ok(None);
        };
        self.one.steps.drain(..one);
        self.other.steps.drain(..other);
        Ok(self.one.peek()?.zip(self.other.peek()?))
    }
}

/// A path with a look-ahead buffer.
struct LookaheadPath<'a> {
    path: FramePath<'a>,
    steps: VecDeque<PathStep>,
}

impl LookaheadPath<'_> {
    fn peek(&mut self) -> Result<Option<PathStep>, QueryError> {
        if self.steps.is_empty() {
            self.steps.extend(self.path.next_step()?);
        }
        Ok(self.steps.front().copied())
    }

    fn fill(&mut self) -> Result<(), QueryError> {
        while self.steps.len() < AHEAD
            && let Some(step) = self.path.next_step()?
        {
            self.steps.push_back(step);
        }
        Ok(())
    }

    /// Ends the path.
    fn end(&mut self) {
        self.steps.clear();
        self.path.end();
    }
}
