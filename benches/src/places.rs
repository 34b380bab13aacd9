//! Random places of a trace to query.

use stepback_generator::Dice;
use stepback_index::answer::{AccessTarget, Effect, ThreadId};
use stepback_index::query::Steps;
use stepback_index::{Cancel, Index, Query, QueryError};
use stepback_machine::RegisterView;
use stepback_parsers::{Position, Step};

/// Cells and addresses that some thousands of steps of a trace use.
#[derive(Debug, Default)]
pub struct Places {
    /// Addresses of instructions.
    pub pcs: Vec<u64>,
    /// Addresses of memory that was accessed.
    pub addresses: Vec<u64>,
    /// Written registers, each with its thread.
    pub views: Vec<(ThreadId, RegisterView)>,
}

impl Places {
    /// Collects from 2,000 random places, with this number of steps at each.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn of(index: &Index, dice: &mut Dice, steps: u64) -> Result<Self, QueryError> {
        let mut places = Self::default();
        for _ in 0..2000 {
            let first = Step(dice.below(index.step_count()));
            for step in ask(
                index,
                Steps {
                    first,
                    count: steps,
                },
            )? {
                places.pcs.push(step.pc.0);
                step.effects
                    .iter()
                    .for_each(|effect| places.add(step.thread, effect));
            }
        }
        Ok(places)
    }

    fn add(&mut self, thread: ThreadId, effect: &Effect) {
        match effect {
            Effect::Register { view, .. } => self.views.push((thread, *view)),
            Effect::Access(access) => match access.target {
                AccessTarget::Memory { address, .. } => self.addresses.push(address.0),
                AccessTarget::Register(_) => {}
            },
            Effect::Exception(_) | Effect::Note(_) | Effect::Marker(_) | Effect::More(_) => {}
        }
    }
}

/// Runs a query.
///
/// # Errors
/// See [`QueryError`].
pub fn ask<Q: Query>(index: &Index, question: Q) -> Result<Q::Answer, QueryError> {
    question.run(index, &Cancel::default())
}

/// Returns a random position of the trace.
pub fn position(index: &Index, dice: &mut Dice) -> Position {
    Position(dice.below(index.step_count() + 1))
}
