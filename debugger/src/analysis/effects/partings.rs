//! Where the paths of two calls of a function part and meet again.

use std::collections::{HashMap, VecDeque};

use stepback_index::QueryError;
use stepback_machine::Address;

use super::own_path::{FramePath, PathStep};

/// So many steps behind a parting are looked through for where the paths meet.
const AHEAD: usize = 4096;

/// A stretch in which two calls go different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDivergence {
    /// The last step that both do, in each of the calls; none where they differ from the first.
    pub parts: Option<(PathStep, PathStep)>,
    /// The first step of each behind it; none where the call is over.
    pub ways: (Option<PathStep>, Option<PathStep>),
    /// Where they meet again: steps of one address; none where they do not, as far as it was looked.
    pub meets: Option<(PathStep, PathStep)>,
}

/// Follows two calls side by side, without the calls inside them. Memory: bounded.
pub struct DivergenceFinder<'a> {
    one: LookaheadPath<'a>,
    other: LookaheadPath<'a>,
    last: Option<(PathStep, PathStep)>,
    /// How many steps both did alike.
    pub alike: u64,
}

impl<'a> DivergenceFinder<'a> {
    /// The paths of two calls.
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

    /// The next stretch in which they differ; none when both end alike, and behind one from which they do not meet.
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

    /// Goes on to the nearest step that both do; where there is none, to the end.
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

/// A path with what was read ahead of it.
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

    /// Nothing more comes.
    fn end(&mut self) {
        self.steps.clear();
        self.path.end();
    }
}
