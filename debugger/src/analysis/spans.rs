//! Duration of calls.

use std::collections::HashMap;

use stepback_index::{Cancel, Index, QueryError, StepCounter};
use stepback_machine::Address;
use stepback_parsers::Step;

use super::activations::{Activation, ActivationTree};
use super::sites::Sites;

/// An activation with its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActivationSpan {
    /// Nesting depth; 0 for a root.
    pub depth: u32,
    /// Address of the first step.
    pub function: Address,
    /// The address with bit 0 set for Thumb.
    pub pc: u64,
    pub entry: Step,
    /// Time of the first node. If steps are counted: the number of earlier steps of its thread.
    pub entry_time: u64,
    /// Time of the last node.
    pub exit_time: u64,
    /// Steps of its CPU inside it, callees included.
    pub steps: u64,
    /// True if times are counted in steps of its CPU.
    pub counts_steps: bool,
}

impl ActivationSpan {
    /// Returns the time from the first to the last moment.
    pub fn elapsed(&self) -> u64 {
        if self.counts_steps {
            self.steps
        } else {
            self.exit_time.saturating_sub(self.entry_time)
        }
    }

    /// Returns the time with the last moment included, so that a call of one step takes 1.
    pub fn duration(&self) -> u64 {
        if self.counts_steps {
            self.steps
        } else {
            self.elapsed().saturating_add(1)
        }
    }
}

/// Measurement of the activations of a CPU.
pub struct ActivationSpans<'a> {
    index: &'a Index,
    tree: &'a ActivationTree,
    sites: Sites<'a>,
    steps: StepCounter<'a>,
    /// Function addresses with bit 0 set for Thumb, so that each is looked up once.
    marked: HashMap<Address, u64>,
}

impl<'a> ActivationSpans<'a> {
    pub fn new(tree: &'a ActivationTree, index: &'a Index, cancel: &'a Cancel) -> Self {
        let (sites, steps) = (
            Sites::new(index, cancel),
            StepCounter::new(index, tree.thread),
        );
        Self {
            index,
            tree,
            sites,
            steps,
            marked: HashMap::new(),
        }
    }

    /// Passes all activations to `take`, in order of entry.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn for_each(&mut self, mut take: impl FnMut(&ActivationSpan)) -> Result<(), QueryError> {
        for activation in self.tree.activations(self.index.calls()) {
            take(&self.span(&activation)?);
        }
        Ok(())
    }

    fn span(&mut self, activation: &Activation) -> Result<ActivationSpan, QueryError> {
        let Activation {
            depth,
            function,
            entry,
            exit,
            ..
        } = *activation;
        let pc = match self.marked.get(&function) {
            Some(pc) => *pc,
            None => {
                let at = self.sites.border(entry)?.at.pc;
                // With an image, a function can start before the first step of its frame: the frame
                // was entered before the trace began.
                let pc = if (at ^ function.0) & !1 == 0 {
                    at
                } else {
                    function.0 | at & 1
                };
                self.marked.insert(function, pc);
                pc
            }
        };
        let counts_steps = self.sites.counts_steps();
        let steps_before = self.step_count(entry.0)?;
        let steps = self
            .step_count(exit.0.saturating_add(1))?
            .saturating_sub(steps_before);
        let (entry_time, exit_time) = match counts_steps {
            true => (
                steps_before,
                steps_before.saturating_add(steps).saturating_sub(1),
            ),
            false => (self.sites.time_of(entry)?, self.sites.end_time_of(exit)?),
        };
        let exit_time = exit_time.max(entry_time);
        Ok(ActivationSpan {
            depth,
            function,
            pc,
            entry,
            entry_time,
            exit_time,
            steps,
            counts_steps,
        })
    }

    fn step_count(&self, before: u64) -> Result<u64, QueryError> {
        self.steps.count_before(Step(before).before())
    }
}
