//! Values that differ because something lies elsewhere, or as a rule expects ([`PointerFlow`]):
//! pointers to the same thing and forgiven values, and what is computed from nothing else that
//! differs, such as half an address or a difference of two counters.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::HashMap;
use stepback_machine::semantics::MemoryOperand;
use stepback_machine::{AccessKind, Instruction, RegisterId, RegisterView};

use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace};
use crate::values::distances::PointerTarget;
use crate::values::expected::{KnownValues, StepResult};
use crate::values::step::{BlockStep, StepDifferences};

/// Number of differing bytes of memory beyond which they are forgotten.
const KNOWN_BYTES: usize = 1 << 20;
/// Maximum number of steps that are remembered because they only compute with pointers.
const COMPUTED_STEPS: usize = 1 << 20;

/// Reason for which something differs now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    /// It is a pointer, or computed from pointers alone.
    Pointer,
    /// A rule forgives it, or it is computed from such values and pointers alone. The rule's place in
    /// [`Forgiving::found`].
    ///
    /// [`Forgiving::found`]: crate::rules::Forgiving::found
    Forgiven(usize),
    /// Anything else.
    Other,
}

/// The registers and the memory that differ at present, with the reason.
#[derive(Debug, Default)]
struct PointerFlow {
    registers: HashMap<RegisterId, Reason>,
    /// By address in the first trace.
    memory: HashMap<u64, Reason>,
    known: [KnownValues; 2],
}

impl PointerFlow {
    /// Removes the differences of a step that are computed from pointers and forgiven values alone,
    /// and returns their reasons. The steps of a thread must be passed in order.
    pub fn take(&mut self, steps: [BlockStep<'_>; 2], found: &mut StepDifferences) -> Vec<Reason> {
        let [a, b] = steps;
        if self.memory.len() >= KNOWN_BYTES {
            self.memory.clear();
        }
        let step = a.step;
        let instruction = step.instruction();
        let instruction = instruction.as_deref();
        let meaning = instruction.filter(|instruction| instruction.registers.is_some());
        let (data, addresses) = match meaning.map(|instruction| &instruction.meaning) {
            Some(meaning) => {
                let operands = meaning.memory.iter();
                let bases = operands.flat_map(MemoryOperand::address_registers);
                (
                    self.reason_of(meaning.data_reads.iter().copied()),
                    self.reason_of(bases),
                )
            }
            // Its inputs are unknown.
            None => (Some(Reason::Other), Some(Reason::Other)),
        };
        let reads = self.reason_of_reads(a, found);
        let data = data.max(reads);
        let mut computed = Vec::new();
        let mut differing = Vec::new();
        differing.extend(
            found
                .pointers
                .iter()
                .map(|value| (value.place, Reason::Pointer)),
        );
        let forgiven = found.forgiven.iter();
        differing.extend(forgiven.map(|value| (value.place, Reason::Forgiven(value.rule))));
        found.cells.retain(|cell| {
            let inputs = match cell.kind {
                DifferenceKind::Instruction => Some(Reason::Other),
                DifferenceKind::ReadAddress | DifferenceKind::WriteAddress => addresses,
                DifferenceKind::Read if self.is_misread(steps) => Some(Reason::Other),
                DifferenceKind::Read => reads,
                DifferenceKind::Condition | DifferenceKind::Write => data,
                DifferenceKind::Register => data.max(self.kept_reason(instruction, cell)),
            };
            let mut reason = inputs.unwrap_or(Reason::Other);
            if reason != Reason::Other && self.contradicts(steps, cell) {
                reason = Reason::Other;
            }
            differing.extend(PointerPlace::of(cell).map(|place| (place, reason)));
            let is_other = reason == Reason::Other;
            computed.extend((!is_other).then_some(reason));
            is_other
        });
        // Not every format records all of them.
        let uses = instruction.and_then(|instruction| instruction.registers.as_ref());
        let word_bytes = step.set.word_bytes();
        for view in uses.iter().flat_map(|uses| &uses.writes) {
            let is_whole = view.offset == 0 && view.size_bytes >= word_bytes;
            let kept = self.registers.get(&view.register).copied();
            let kept = kept.filter(|_| !is_whole && view.register < RegisterId::PC);
            self.set_register(view.register, data.max(kept));
        }
        let [in_a, in_b] = steps.map(|step| step.block.registers(step.step));
        for write in in_a.iter().chain(in_b) {
            let register = write.view.register;
            self.set_register(
                register,
                reason_at(&differing, PointerPlace::Register(register)),
            );
        }
        for access in a.block.accesses(a.step) {
            let reason = match (access.kind, access.bytes) {
                // The stored value is not recorded.
                (AccessKind::Write, None) => data,
                _ => reason_at(&differing, PointerPlace::Memory(access.address)),
            };
            if access.kind == AccessKind::Write || reason.is_some() {
                self.set_memory(access.address..access.end(), reason);
            }
        }
        for (known, step) in self.known.iter_mut().zip([a, b]) {
            known.take(step, instruction);
        }
        computed
    }

    /// Returns the pointers of a step that have another value in a trace than the instruction computes
    /// there: they differ for another reason.
    fn wrong_pointers(
        &self,
        steps: [BlockStep<'_>; 2],
        pointers: &[PointerValue],
    ) -> Vec<PointerPlace> {
        let places = pointers.iter().map(|pointer| pointer.place);
        let mut results = places
            .filter(|place| *place != PointerPlace::Address)
            .peekable();
        if results.peek().is_none() {
            return Vec::new();
        }
        let [a, _] = steps;
        let is_misread = self.is_misread(steps);
        // An instruction that contains an address may differ between the traces.
        let instructions = steps.map(|step| step.step.instruction());
        let is_read = |place: &PointerPlace| match place {
            PointerPlace::Memory(address) => {
                let mut accesses = a.block.accesses(a.step).iter();
                accesses.any(|it| it.kind == AccessKind::Read && it.address == *address)
            }
            PointerPlace::Address | PointerPlace::Register(_) => false,
        };
        let is_wrong = |place: &PointerPlace| {
            if is_misread && is_read(place) {
                return true;
            }
            let mut sides = self.known.iter().zip(steps).zip(&instructions);
            sides.any(|((known, step), instruction)| {
                let result = StepResult::at(*place, a, step);
                let known_result = instruction.as_deref().zip(result);
                known_result.is_some_and(|(instruction, result)| {
                    known.contradicts(instruction, step, &result)
                })
            })
        };
        results.filter(is_wrong).collect()
    }

    fn reason_of(&self, views: impl Iterator<Item = RegisterView>) -> Option<Reason> {
        let reasons = views.filter_map(|view| self.registers.get(&view.register).copied());
        reasons.max()
    }

    /// Returns the reason for which the bytes of a register differ that an instruction keeps, such as
    /// all but the lowest byte in `sete r12b`. `None` if the bytes that it writes differ too.
    fn kept_reason(
        &self,
        instruction: Option<&Instruction>,
        cell: &CellDifference,
    ) -> Option<Reason> {
        let DifferingPlace::Register { view, .. } = &cell.place else {
            return None;
        };
        let uses = instruction?.registers.as_ref()?;
        let mut writes = uses.writes.iter();
        let written = writes.find(|write| write.register == view.register)?;
        let bytes = written.offset..written.offset.saturating_add(written.size_bytes);
        let mut places = (0..).zip(cell.a.0.iter().zip(&cell.b.0));
        let is_kept = places.all(|(place, (one, other))| one == other || !bytes.contains(&place));
        let reason = self.registers.get(&view.register).copied();
        reason.filter(|_| is_kept)
    }

    /// Returns true if a trace has another result than its instruction computes.
    fn contradicts(&self, steps: [BlockStep<'_>; 2], cell: &CellDifference) -> bool {
        let is_result = matches!(cell.kind, DifferenceKind::Register | DifferenceKind::Write);
        let sides = self.known.iter().zip(steps).zip(StepResult::of(cell));
        let mut wrong = sides.map(|((known, step), result)| {
            let instruction = step.step.instruction();
            let instruction = instruction.as_deref();
            instruction.is_some_and(|instruction| known.contradicts(instruction, step, &result))
        });
        is_result && wrong.any(|is_wrong| is_wrong)
    }

    /// Returns true if a step reads another value in a trace than was written there before.
    fn is_misread(&self, steps: [BlockStep<'_>; 2]) -> bool {
        let mut sides = self.known.iter().zip(steps);
        sides.any(|(known, step)| known.is_misread(step))
    }

    /// Returns the reason for which the memory that a step reads differs.
    fn reason_of_reads(&self, a: BlockStep<'_>, found: &StepDifferences) -> Option<Reason> {
        let mut reasons = None;
        for read in a.block.accesses(a.step) {
            if read.kind != AccessKind::Read {
                continue;
            }
            let place = PointerPlace::Memory(read.address);
            let is_pointer = found.pointers.iter().any(|value| value.place == place);
            let mut forgiven = found.forgiven.iter();
            let forgiven = forgiven.find(|value| value.place == place);
            let different = found.cells.iter().find(|cell| {
                cell.kind == DifferenceKind::Read && PointerPlace::of(cell) == Some(place)
            });
            let reason = match (is_pointer, different) {
                _ if forgiven.is_some() => forgiven.map(|value| Reason::Forgiven(value.rule)),
                (true, _) => Some(Reason::Pointer),
                (false, Some(cell)) => Some(self.reason_of_bytes(read.address, cell)),
                // Equal, or the value is not recorded.
                (false, None) if read.bytes.is_some() => None,
                (false, None) => {
                    let bytes = read.address..read.end();
                    let known = bytes.filter_map(|byte| self.memory.get(&byte).copied());
                    known.max()
                }
            };
            reasons = reasons.max(reason);
        }
        reasons
    }

    /// Returns the reason for which the bytes of a read differ: [`Reason::Other`] if no matched step
    /// wrote the difference of one of them.
    fn reason_of_bytes(&self, address: u64, cell: &CellDifference) -> Reason {
        let bytes = (address..).zip(cell.a.0.iter().zip(&cell.b.0));
        let differing = bytes.filter(|(_, (one, other))| one != other);
        let mut reasons = differing.map(|(byte, _)| self.memory.get(&byte).copied());
        let first = reasons.next().flatten();
        let all = reasons.try_fold(first, |all, reason| Some(all.max(Some(reason?))));
        all.flatten().unwrap_or(Reason::Other)
    }

    fn set_register(&mut self, register: RegisterId, reason: Option<Reason>) {
        match reason {
            Some(reason) => self.registers.insert(register, reason),
            None => self.registers.remove(&register),
        };
    }

    fn set_memory(&mut self, range: Range<u64>, reason: Option<Reason>) {
        if reason.is_none() && self.memory.is_empty() {
            return;
        }
        for byte in range {
            match reason {
                Some(reason) => self.memory.insert(byte, reason),
                None => self.memory.remove(&byte),
            };
        }
    }
}

/// Follows pointers through the steps of a thread.
#[derive(Debug, Default)]
pub(crate) struct PointerPass {
    flow: PointerFlow,
    pub counts: PointerCounts,
    /// Steps, by their numbers in the first trace, whose only differences are computed from pointers
    /// and forgiven values.
    pub steps: Vec<u64>,
    /// Those of them with differences that rules forgive, computed or not.
    pub forgiven_steps: Vec<u64>,
    /// The latest of both, by their places in the block.
    places: Vec<u64>,
    forgiven_places: Vec<u64>,
}

/// Pointers that differ from what the instruction of a step computes, by the step's number in the
/// first trace.
pub(crate) type WrongPointers = BTreeMap<u64, Vec<PointerPlace>>;

/// Numbers of values that differ only because something lies elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointerCounts {
    /// Pointers and addresses of accesses, by their distance.
    pub by_distance: BTreeMap<u64, u64>,
    /// Pointers into allocated blocks that lie elsewhere than the memory around them.
    pub to_blocks: u64,
    /// Values computed from nothing else that differs.
    pub computed: u64,
}

impl PointerPass {
    /// Forgets the values of registers: steps that are not passed may have written them.
    pub fn forget_registers(&mut self) {
        self.flow.known = Default::default();
    }

    /// Returns the pointers of a step that differ from what its instruction computes.
    pub fn wrong(&self, steps: [BlockStep<'_>; 2], found: &StepDifferences) -> Vec<PointerPlace> {
        self.flow.wrong_pointers(steps, &found.pointers)
    }

    /// Returns true if nothing differs at present: equal steps need not be passed.
    pub fn is_idle(&self) -> bool {
        self.flow.registers.is_empty() && self.flow.memory.is_empty()
    }

    /// Removes the differences of a step that are computed from pointers and forgiven values alone.
    /// Returns the rules that forgave the latter.
    pub fn take(
        &mut self,
        steps: [BlockStep<'_>; 2],
        place: u64,
        found: &mut StepDifferences,
    ) -> impl Iterator<Item = usize> + use<> {
        let computed = self.flow.take(steps, found);
        let pointers = computed.iter().filter(|reason| **reason == Reason::Pointer);
        self.counts.computed += pointers.count() as u64;
        if !computed.is_empty() && found.cells.is_empty() && self.steps.len() < COMPUTED_STEPS {
            self.places.push(place);
        }
        let is_forgiven = |reason: &Reason| matches!(reason, Reason::Forgiven(_));
        if (!found.forgiven.is_empty() || computed.iter().any(is_forgiven))
            && self.forgiven_steps.len() < COMPUTED_STEPS
        {
            self.forgiven_places.push(place);
        }
        for value in &found.pointers {
            *match value.target {
                PointerTarget::Part(distance) => {
                    self.counts.by_distance.entry(distance).or_default()
                }
                PointerTarget::Block => &mut self.counts.to_blocks,
            } += 1;
        }
        computed.into_iter().filter_map(|reason| match reason {
            Reason::Forgiven(rule) => Some(rule),
            Reason::Pointer | Reason::Other => None,
        })
    }

    /// Numbers the steps of a block by its first step.
    pub fn number_steps(&mut self, first: u64) {
        let steps = self.places.drain(..).map(|place| first + place);
        self.steps.extend(steps);
        let forgiven = self.forgiven_places.drain(..).map(|place| first + place);
        self.forgiven_steps.extend(forgiven);
    }
}

/// Subject of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointerPlace {
    /// The address of an access.
    Address,
    /// Memory from an address of the first trace.
    Memory(u64),
    Register(RegisterId),
}

/// A value that differs because what it points to lies elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointerValue {
    pub place: PointerPlace,
    pub target: PointerTarget,
}

/// A difference that a rule forgives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ForgivenValue {
    pub place: PointerPlace,
    /// Place of the rule in [`Forgiving::found`].
    ///
    /// [`Forgiving::found`]: crate::rules::Forgiving::found
    pub rule: usize,
}

impl PointerPlace {
    pub fn of(cell: &CellDifference) -> Option<Self> {
        match &cell.place {
            DifferingPlace::Code(_) | DifferingPlace::Disassembly(_) => None,
            DifferingPlace::Memory { address, .. } => match cell.kind {
                DifferenceKind::ReadAddress | DifferenceKind::WriteAddress => Some(Self::Address),
                _ => Some(Self::Memory(address.0)),
            },
            DifferingPlace::Register { view, .. } => Some(Self::Register(view.register)),
        }
    }
}

/// Returns the reason for which a written place differs; `None` if it does not.
fn reason_at(differing: &[(PointerPlace, Reason)], place: PointerPlace) -> Option<Reason> {
    let here = differing.iter().filter(|(known, _)| *known == place);
    here.map(|(_, reason)| *reason).max()
}
