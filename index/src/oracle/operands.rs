//! Registers of traces that record none: by the operands of each instruction.

use stepback_parsers::{AccessKind, Encoding, InstructionSet, MarkerKind, Position, RegisterId, RegisterView, Step};

use super::Oracle;
use super::event::{EventKind, Told};
use crate::decode::{Condition, decode};
use crate::overtaken::may_write;
use crate::{Access, AccessKinds, AccessTarget, Doubt, Hit, ThreadId, Value};

impl Oracle {
    /// The steps of a thread that may use a register, in order.
    pub(super) fn uses(
        &self,
        (thread, view): (ThreadId, RegisterView),
        kinds: AccessKinds,
    ) -> impl DoubleEndedIterator<Item = (Step, Option<Doubt>)> + '_ {
        let is_register = view.register != RegisterId::PC;
        let own = self.steps.iter().enumerate().filter(move |(_, told)| is_register && told.thread == thread);
        own.filter_map(move |(step, told)| {
            Some((Step(step as u64), doubt(told, self.encoding_of(told), (view, kinds))?))
        })
    }

    /// Whether operands tell of a thread's registers at all.
    pub(super) fn has_operands(&self, thread: ThreadId) -> bool {
        self.instruction_set(thread) != InstructionSet::Regdeps
    }

    pub(super) fn use_hit(
        &self,
        (thread, view): (ThreadId, RegisterView),
        kinds: AccessKinds,
        (step, doubt): (Step, Option<Doubt>),
    ) -> Option<Hit> {
        let access = Access {
            kind: if kinds == AccessKinds::Reads { AccessKind::Read } else { AccessKind::Write },
            target: AccessTarget::Register(self.register_name(view, thread)),
            value: Value(vec![None; usize::from(view.size_bytes)]),
            is_inferred: false,
            is_external: false,
            host_operation: None,
        };
        Some(Hit { record: self.record(step)?, position: step.after(), access: Some(access), doubt })
    }

    /// The last system call between that may have written memory.
    pub(super) fn overtaken(&self, after: u64, until: Position) -> Option<Doubt> {
        let events = self.events_until(until).iter().rev().take_while(|event| event.slot >= after);
        events.into_iter().find_map(|event| match event.kind {
            EventKind::Marker(marker) if marker.kind == MarkerKind::SYSTEM_CALL => {
                let writes = may_write(self.instruction_set(event.thread), marker.value);
                let step = event.owner.filter(|_| writes)?;
                Some(Doubt::SystemCall { step, number: marker.value })
            }
            _ => None,
        })
    }
}

/// Why a step may not use a register, if it may use it.
fn doubt(told: &Told, encoding: Option<Encoding>, (view, kinds): (RegisterView, AccessKinds)) -> Option<Option<Doubt>> {
    let Some(encoding) = encoding else { return Some(Some(Doubt::Undecoded)) };
    let instruction = decode(encoding, told.pc, told.instruction_set);
    if !told.is_executed {
        return None;
    }
    let Some(known) = &instruction.registers else { return Some(Some(Doubt::Undecoded)) };
    let (reads, writes) = (known.reads.as_slice(), known.writes.as_slice());
    let used = match kinds {
        AccessKinds::Reads => [reads, &[]],
        AccessKinds::Writes => [&[], writes],
        AccessKinds::All => [reads, writes],
    };
    let is_used = used.concat().iter().any(|used| used.overlaps(view));
    is_used.then(|| (instruction.meaning.condition == Condition::Conditional).then_some(Doubt::Conditional))
}
