//! Steps of the matching lines, if there are several threads.

use foldhash::{HashMap, HashMapExt as _};
use stepback_parsers::Step;

use crate::answers::error::QueryError;
use crate::answers::step_record::LATE_STEPS;
use crate::answers::thread::ThreadId;
use crate::index::Index;
use crate::query::search::owned::matches_in;
use crate::query::search::text::FindText;
use crate::read::slots::{SlotReader, ThreadSlot};

/// A step that matches, and the slot of the match.
pub(super) struct MatchedStep {
    pub step: Step,
    pub slot: u64,
}

/// Resolves matching slots to steps in order, and remembers the threads of matching lines: each
/// text is read once, with any number of late lines.
pub(super) struct MatchOwnerReader<'a> {
    index: &'a Index,
    search: &'a FindText,
    /// Matches are known from this slot up to the current one.
    known_from: u64,
    /// Last of these slots with a match, by thread.
    matched: HashMap<ThreadId, u64>,
}

impl<'a> MatchOwnerReader<'a> {
    /// Creates a reader for slots that are all those between the first and the last with a match.
    pub fn new(index: &'a Index, search: &'a FindText, slots: &[u64]) -> Self {
        Self {
            index,
            search,
            known_from: slots.first().copied().unwrap_or(0),
            matched: HashMap::new(),
        }
    }

    /// Returns the steps that matching lines of the slots belong to.
    pub fn find(mut self, slots: &[u64]) -> Result<Vec<MatchedStep>, QueryError> {
        let mut found = Vec::new();
        for slot in slots.iter().copied() {
            for here in matches_in(self.index, &self.search.what, slot..slot.saturating_add(1))? {
                let is_known = self.matched.get(&here.thread) == Some(&slot);
                let is_whose = self
                    .search
                    .thread
                    .is_none_or(|wanted| wanted == here.thread);
                if !is_known && is_whose {
                    found.extend(
                        self.new_step_of(here)?
                            .map(|step| MatchedStep { step, slot }),
                    );
                }
                self.matched.insert(here.thread, slot);
            }
        }
        Ok(found)
    }

    /// Returns the step that lines of a thread in a slot belong to, unless it was found already.
    fn new_step_of(&mut self, here: ThreadSlot) -> Result<Option<Step>, QueryError> {
        let step = SlotReader(self.index).owner(here.thread, here.slot)?;
        Ok(match step {
            Some(step) if self.matches_before(step, here)? => None,
            step => step,
        })
    }

    /// Returns true if a step was found already, by a match between it and a later line of it.
    fn matches_before(&mut self, step: Step, late: ThreadSlot) -> Result<bool, QueryError> {
        let own = step.after().0;
        let first = own.max(self.search.from.0.saturating_add(1));
        if first >= late.slot || late.slot - own > LATE_STEPS {
            return Ok(false);
        }
        let is_known = |matched: &HashMap<ThreadId, u64>| {
            matched.get(&late.thread).is_some_and(|slot| *slot >= first)
        };
        if !is_known(&self.matched) && first < self.known_from {
            for before in matches_in(self.index, &self.search.what, first..self.known_from)? {
                let last = self.matched.entry(before.thread).or_insert(before.slot);
                *last = before.slot.max(*last);
            }
            self.known_from = first;
        }
        Ok(is_known(&self.matched))
    }
}
