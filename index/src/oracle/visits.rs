//! Executions of an address.

use stepback_machine::Address;
use stepback_parsers::Step;

use crate::answers::direction::Direction;
use crate::answers::hit::Hit;
use crate::answers::thread::ThreadId;
use crate::oracle::record::{Oracle, Replay};
use crate::query::visits::{NearestVisit, NthVisit};

impl Replay for NearestVisit {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Hit>> {
        oracle.check(self.at)?;
        let mut visits = oracle.visits_by(self.pc, self.thread);
        let step = match self.direction {
            Direction::Forward => visits.find(|step| step.before() >= self.at),
            Direction::Back => visits.take_while(|step| step.before() < self.at).last(),
        };
        Some(step.and_then(|step| oracle.visit(step)))
    }
}

impl Replay for NthVisit {
    fn replay(&self, oracle: &Oracle) -> Option<Option<Hit>> {
        let place = self
            .number
            .checked_sub(1)
            .and_then(|place| usize::try_from(place).ok());
        let step = place.and_then(|place| oracle.visits(self.pc).nth(place));
        Some(step.and_then(|step| oracle.visit(step)))
    }
}

impl Oracle {
    /// Returns the steps at an address.
    pub fn visits(&self, pc: Address) -> impl Iterator<Item = Step> {
        self.steps
            .iter()
            .zip(0..)
            .filter(move |(step, _)| step.pc == pc)
            .map(|(_, number)| Step(number))
    }

    /// Returns the steps at an address, of one thread or of all.
    fn visits_by(&self, pc: Address, thread: Option<ThreadId>) -> impl Iterator<Item = Step> {
        let is_whose = move |step: &Step| {
            thread.is_none() || self.step(*step).map(|told| told.thread) == thread
        };
        self.visits(pc).filter(is_whose)
    }

    pub(super) fn visit(&self, step: Step) -> Option<Hit> {
        Some(Hit {
            record: self.record(step)?,
            position: step.after(),
            access: None,
            doubt: None,
        })
    }
}
