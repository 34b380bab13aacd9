//! Shares of steps that access memory.

use stepback_machine::AccessKind;
use stepback_parsers::Step;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::slots::{SlotEventKind, SlotReader};

/// Counts the steps among some consecutive ones that read and write memory, as the trace records
/// it. Cost: reads the text of these steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessShares {
    /// First step.
    pub first: Step,
    /// Number of steps; fewer are examined at the end of the trace.
    pub count: u64,
}

/// Numbers of steps by their accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessShare {
    /// Steps examined.
    pub steps: u64,
    /// Steps that read.
    pub reads: u64,
    /// Steps that write.
    pub writes: u64,
}

impl Query for AccessShares {
    type Answer = AccessShare;

    fn run(&self, index: &Index, cancel: &Cancel) -> Result<AccessShare, QueryError> {
        cancel.check()?;
        let end = self
            .first
            .0
            .saturating_add(self.count)
            .min(index.step_count());
        let mut share = AccessShare {
            steps: end.saturating_sub(self.first.0),
            ..AccessShare::default()
        };
        if share.steps == 0 {
            return Ok(share);
        }
        let (mut read, mut written) = (None, None);
        // The effects of a step are in the slot after it.
        let slots = self.first.0.saturating_add(1)..end.saturating_add(1);
        SlotReader(index).each_event(slots.clone(), |event| {
            let SlotEventKind::Access { kind, .. } = event.kind else {
                return Ok(());
            };
            if !slots.contains(&event.slot) {
                return Ok(());
            }
            let (last, count) = match kind {
                AccessKind::Read => (&mut read, &mut share.reads),
                AccessKind::Write => (&mut written, &mut share.writes),
            };
            if last.replace(event.slot) != Some(event.slot) {
                *count += 1;
            }
            Ok(())
        })?;
        Ok(share)
    }
}
