//! How many of some steps access memory.

use stepback_machine::AccessKind;
use stepback_parsers::Step;

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::index::Index;
use crate::query::question::Query;
use crate::read::slots::{SlotEventKind, SlotReader};

/// How many of some consecutive steps read and write memory, as the trace records it. Cost: reads the text of these steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AccessShares {
    /// The first.
    pub first: Step,
    /// How many; fewer are looked at at the end of the trace.
    pub count: u64,
}

/// How many steps were looked at, and how many of them do what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessShare {
    /// All.
    pub steps: u64,
    /// Those that read.
    pub reads: u64,
    /// Those that write.
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
        // What a step did shows in the slot behind it.
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
