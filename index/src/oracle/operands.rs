//! Register uses in traces that record no registers: from the operands of each instruction.

use stepback_machine::banks::{Bank, ThreadStack};
use stepback_machine::semantics::ExecutionCondition;
use stepback_machine::{Encoding, InstructionSet, Mode, RegisterId, RegisterView, decode};
use stepback_parsers::{GapReason, MarkerKind, Position, RecordingScope, Step};

use crate::answers::cell::{AccessKinds, ThreadId};
use crate::answers::step_record::{Access, AccessTarget, Doubt, Hit};
use crate::answers::value::Value;
use crate::oracle::banks::PhysicalRegister;
use crate::oracle::event::{OracleEvent, OracleEventKind, OracleStep, OracleWrite};
use crate::oracle::record::Oracle;

/// Requested uses of a register.
#[derive(Clone, Copy)]
pub(super) struct UseQuery {
    pub thread: ThreadId,
    pub view: RegisterView,
    pub kinds: AccessKinds,
}

/// A step that may use a register, with the reason why it may not.
#[derive(Clone, Copy)]
pub(super) struct PossibleUse {
    pub step: Step,
    pub doubt: Option<Doubt>,
}

/// A slot of an action of a thread.
#[derive(Clone, Copy)]
pub(super) struct ActiveSlot {
    pub thread: ThreadId,
    pub slot: u64,
}

/// A step whose instruction reads a register.
pub(super) struct DecodedRead {
    pub used: PossibleUse,
    /// True if the mode determines the register.
    pub has_banks: bool,
    /// The register under its name in the step: in another window it has another name.
    seen: RegisterView,
}

impl Oracle {
    /// Returns the steps that may use a register, in order.
    pub(super) fn uses(
        &self,
        requested: UseQuery,
    ) -> impl DoubleEndedIterator<Item = PossibleUse> + '_ {
        self.uses_by(requested, move |_, used| used.overlaps(requested.view))
    }

    /// Returns the steps with an operand for which `is_meant` holds; the mode determines the name
    /// of the register.
    fn uses_by(
        &self,
        requested: UseQuery,
        is_meant: impl Fn(&OracleStep, RegisterView) -> bool,
    ) -> impl DoubleEndedIterator<Item = PossibleUse> {
        let UseQuery {
            thread,
            view,
            kinds,
        } = requested;
        let is_register = view.register != RegisterId::PC;
        let own = self
            .steps
            .iter()
            .enumerate()
            .filter(move |(_, stated)| is_register && stated.thread == thread);
        own.filter_map(move |(step, stated)| {
            let is_used = |used| is_meant(stated, used);
            Some(PossibleUse {
                step: Step(step as u64),
                doubt: doubt(stated, self.encoding_of(stated), kinds, is_used)?,
            })
        })
    }

    /// Returns the steps of a thread that read a register as named in the mode at a position, for a
    /// trace that records register writes. `None` for registers that instructions name by number.
    pub(super) fn decoded_reads(
        &self,
        requested_uses: UseQuery,
        at: Position,
    ) -> Option<Vec<DecodedRead>> {
        let UseQuery { thread, view, .. } = requested_uses;
        let named = self
            .outside_name(view.register)
            .map(|name| InstructionSet::banked_anywhere(name));
        let requested = match named {
            Some(banked) => Some(banked.filter(|banked| banked.bank != Bank::Other)?),
            None => None,
        };
        let plain = requested.map_or(view.register, |banked| banked.plain.register);
        let mode = self.mode_at(thread, at).in_stack(ThreadStack::Unsaid);
        let banks = self
            .register_names
            .iter()
            .filter_map(|name| InstructionSet::banked_anywhere(name));
        let banks: Vec<Bank> = banks
            .filter(|banked| banked.plain.register == plain && banked.bank != Bank::Other)
            .map(|banked| banked.bank)
            .collect();
        let is_meant = |stated: &OracleStep| match requested {
            Some(banked) => banked.bank.is_in_use(stated.mode),
            None => {
                let meant = |mode| PhysicalRegister::of_write(plain, None, mode);
                let is_stated = stated.mode.tells(plain) && mode.tells(plain);
                (!is_stated || meant(stated.mode) == meant(mode))
                    && banks
                        .iter()
                        .all(|bank| bank.is_in_use(stated.mode) == bank.is_in_use(mode))
            }
        };
        let plain = RegisterView {
            register: plain,
            ..view
        };
        let requested_reads = UseQuery {
            view: plain,
            ..requested_uses
        };
        // A windowed cell has another name in another window.
        let cell = PhysicalRegister::of_write(plain.register, None, mode);
        let is_cell = |stated: &OracleStep, used: RegisterView| {
            let is_same = PhysicalRegister::of_write(used.register, None, stated.mode) == cell;
            is_same
                && RegisterView {
                    register: plain.register,
                    ..used
                }
                .overlaps(plain)
        };
        let reads: Vec<PossibleUse> = match mode {
            Mode::Window { .. } => self.uses_by(requested_reads, is_cell).collect(),
            _ => self
                .uses(requested_reads)
                .filter(|used| is_meant(&self.steps[used.step.0 as usize]))
                .collect(),
        };
        let has_banks = requested.is_some() || !banks.is_empty();
        let seen = |used: &PossibleUse| {
            let mode = self.steps[used.step.0 as usize].mode;
            let is_cell =
                |register: &RegisterId| PhysicalRegister::of_write(*register, None, mode) == cell;
            let named = (0..RegisterId::PC.0).map(RegisterId).find(is_cell);
            RegisterView {
                register: named.unwrap_or(plain.register),
                ..view
            }
        };
        let decoded = |used: PossibleUse| {
            let seen = if matches!(mode, Mode::Window { .. }) {
                seen(&used)
            } else {
                view
            };
            let doubt = used.doubt.filter(|doubt| *doubt != Doubt::Conditional);
            DecodedRead {
                used: PossibleUse { doubt, ..used },
                has_banks,
                seen,
            }
        };
        Some(reads.into_iter().map(decoded).collect())
    }

    /// Returns the hit for a decoded read.
    pub(super) fn read_hit(&self, requested: UseQuery, read: &DecodedRead) -> Option<Hit> {
        let hit = self.use_hit(requested, read.used)?;
        let access = hit.access.map(|access| Access {
            is_decoded: true,
            ..access
        });
        let value = || self.register_value(requested.thread, read.seen, read.used.step.before());
        let stated = |access| {
            if read.has_banks {
                access
            } else {
                Access {
                    value: value(),
                    ..access
                }
            }
        };
        Some(Hit {
            access: access.map(stated),
            ..hit
        })
    }

    /// Returns true for the stack pointer of a thread that no line names. Returns true for all
    /// registers of a thread if its lines name no computation registers. The first instruction of
    /// the thread must be known.
    pub(super) fn never_names(&self, thread: ThreadId, view: RegisterView) -> bool {
        if !self.is_followed_by_text(thread) || view.register >= RegisterId::PC {
            return false;
        }
        let plain = |written: &OracleWrite| {
            let banked = self
                .outside_name(written.view.register)
                .and_then(|name| InstructionSet::banked_anywhere(name));
            banked
                .or(written.bank)
                .map_or(written.view.register, |banked| banked.plain.register)
        };
        let own = self
            .writes()
            .filter(|(writer, _)| *writer == thread)
            .map(|(_, written)| plain(written));
        let named: Vec<RegisterId> = own.filter(|register| *register < RegisterId::PC).collect();
        !named.contains(&RegisterId::SP) && (named.is_empty() || view.register == RegisterId::SP)
    }

    /// Returns true if the instructions of a thread may show what its lines leave out: the first one
    /// is known.
    pub(super) fn is_followed_by_text(&self, thread: ThreadId) -> bool {
        let first = self.steps.iter().find(|stated| stated.thread == thread);
        let is_decoded = first.is_some_and(|stated| self.encoding_of(stated).is_some());
        is_decoded && !self.has_operands_alone && !self.instruction_set(thread).has_windows()
    }

    pub(super) fn use_hit(&self, requested: UseQuery, found: PossibleUse) -> Option<Hit> {
        let (
            UseQuery {
                thread,
                view,
                kinds,
            },
            PossibleUse { step, doubt },
        ) = (requested, found);
        let record = self.record(step)?;
        let access = Access {
            kind: record.kind_of_use(view, kinds),
            target: AccessTarget::Register(self.register_name(view, self.instruction_set(thread))),
            value: Value(vec![None; usize::from(view.size_bytes)]),
            is_inferred: false,
            is_decoded: false,
            is_external: false,
            host_operation: None,
        };
        Some(Hit {
            record,
            position: step.after(),
            access: Some(access),
            doubt,
        })
    }

    /// Returns the reason why memory that a thread wrote in a slot may have changed.
    pub(super) fn overtaken(&self, done: ActiveSlot, until: Position) -> Option<Doubt> {
        let ActiveSlot {
            thread,
            slot: after,
        } = done;
        let others = || (0_u16..).map(ThreadId).take(self.thread_names.len());
        let late = || {
            others()
                .filter(|other| *other != thread)
                .find_map(|other| self.late_call(other, after))
        };
        let all = || {
            self.filtered(until).or_else(|| {
                self.are_calls_unsaid(until)
                    .then_some(Doubt::SystemCallsUnsaid)
            })
        };
        self.last_change(after, until).or_else(late).or_else(all)
    }

    /// Returns the doubt about memory that nothing wrote until a position.
    pub(super) fn untouched(&self, until: Position) -> Option<Doubt> {
        let all = || {
            self.filtered(until).or_else(|| {
                self.are_calls_unsaid(until)
                    .then_some(Doubt::SystemCallsUnsaid)
            })
        };
        self.last_change(0, until).or_else(all)
    }

    /// Returns the doubt for traces that leave something out.
    pub(super) fn filtered(&self, at: Position) -> Option<Doubt> {
        self.recordings_at(at)
            .any(|recording| recording.is_filtered)
            .then_some(Doubt::Filtered)
    }

    fn are_calls_unsaid(&self, at: Position) -> bool {
        self.recordings_at(at)
            .any(|recording| !recording.has_system_calls)
    }

    /// Returns the latest recording states up to a position, all of one slot.
    fn recordings_at(&self, at: Position) -> impl Iterator<Item = RecordingScope> {
        let stated = self
            .recordings
            .iter()
            .take_while(move |stated| stated.slot <= at.0);
        let last = stated.clone().last().map(|stated| stated.slot);
        stated
            .filter(move |stated| Some(stated.slot) == last)
            .map(|stated| stated.recording)
    }

    fn late_call(&self, thread: ThreadId, after: u64) -> Option<Doubt> {
        let before = self
            .events_until(Position(after.checked_sub(1)?))
            .iter()
            .rev();
        let (slot, marker, step) =
            before
                .filter(|event| event.thread == thread)
                .find_map(|event| match event.kind {
                    OracleEventKind::Marker(marker) if marker.kind == MarkerKind::SYSTEM_CALL => {
                        Some((event.slot, marker, event.owner))
                    }
                    _ => None,
                })?;
        let is_over = (slot..after).any(|step| self.steps[step as usize].thread == thread);
        let is_late = self
            .instruction_set(thread)
            .system_call_may_write_late(marker.value)
            && !is_over;
        let returned = (slot..self.steps.len() as u64)
            .find(|step| self.steps[*step as usize].thread == thread)
            .map(Step);
        step.filter(|_| is_late).map(|step| Doubt::BlockedCall {
            step,
            number: marker.value,
            returned,
        })
    }

    /// Returns the reason why a thread's registers may differ from the results of its instruction
    /// in a slot.
    pub(super) fn restored(&self, done: ActiveSlot, until: Position) -> Option<Doubt> {
        let ActiveSlot {
            thread,
            slot: after,
        } = done;
        let events = self
            .events_until(until)
            .iter()
            .rev()
            .take_while(|event| event.slot >= after);
        let kind = |event: &OracleEvent| match event.kind {
            OracleEventKind::Marker(marker) if event.thread == thread => Some(marker.kind),
            _ => None,
        };
        let is_kernel =
            |kind| [MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER].contains(&kind);
        let last = events
            .into_iter()
            .find(|event| kind(event).is_some_and(|kind| is_kernel(kind) || is_gap(kind)))?;
        let step = last.owner?;
        Some(if kind(last).is_some_and(is_gap) {
            Doubt::Gap { step }
        } else {
            Doubt::KernelEvent { step }
        })
    }

    fn last_change(&self, after: u64, until: Position) -> Option<Doubt> {
        let events = self
            .events_until(until)
            .iter()
            .rev()
            .take_while(|event| event.slot >= after);
        events.into_iter().find_map(|event| match event.kind {
            OracleEventKind::Marker(marker) if marker.kind == MarkerKind::KERNEL_EVENT => {
                event.owner.map(|step| Doubt::KernelEvent { step })
            }
            OracleEventKind::Marker(marker) if is_gap(marker.kind) => {
                event.owner.map(|step| Doubt::Gap { step })
            }
            OracleEventKind::Marker(marker) if marker.kind == MarkerKind::SYSTEM_CALL => {
                let set = self.instruction_set(event.thread);
                // Memory that is no longer mapped changes when it is mapped anew, by a later call
                // that is then the doubt.
                let writes = set.system_call_may_write(marker.value)
                    && !set.system_call_unmaps(marker.value);
                let step = event.owner.filter(|_| writes)?;
                Some(Doubt::SystemCall {
                    step,
                    number: marker.value,
                })
            }
            _ => None,
        })
    }
}

/// Returns true for records that follow missing steps: another window of the trace, or a gap.
fn is_gap(kind: MarkerKind) -> bool {
    kind == MarkerKind::WINDOW || GapReason::ALL.iter().any(|reason| reason.kind() == kind)
}

/// Returns the reason why a step may not use a register, if it may use it.
fn doubt(
    stated: &OracleStep,
    encoding: Option<Encoding>,
    kinds: AccessKinds,
    is_meant: impl Fn(RegisterView) -> bool,
) -> Option<Option<Doubt>> {
    let Some(encoding) = encoding else {
        return Some(Some(Doubt::Undecoded));
    };
    let instruction = decode(encoding, stated.pc, stated.instruction_set);
    if !stated.is_executed {
        return None;
    }
    let Some(known) = &instruction.registers else {
        return Some(Some(Doubt::Undecoded));
    };
    let (reads, writes) = (known.reads.as_slice(), known.writes.as_slice());
    let used = match kinds {
        AccessKinds::Reads => [reads, &[]],
        AccessKinds::Writes => [&[], writes],
        AccessKinds::All => [reads, writes],
    };
    let is_used = used.concat().iter().any(|used| is_meant(*used));
    is_used.then(|| {
        (instruction.meaning.condition == ExecutionCondition::Conditional)
            .then_some(Doubt::Conditional)
    })
}
