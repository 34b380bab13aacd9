//! Comparison of two matched steps ([`StepComparer`]). Only what both traces record can differ: an
//! unknown byte equals any byte.

use stepback_index::Index;
use stepback_index::answer::{ThreadId, Value};
use stepback_index::read::NameReader;
use stepback_machine::flow::FlowKind;
use stepback_machine::{AccessKind, Address, RegisterId, RegisterView};

use crate::values::block::{AccessEffect, EffectBlock, StepEffects};
use crate::values::difference::{CellDifference, DifferenceKind, DifferingPlace};
use crate::values::distances::Distances;
use crate::values::pointers::{ForgivenValue, PointerPlace, PointerValue};
use crate::values::registers::RegisterNumbers;

/// Compares steps of two traces.
#[derive(Clone)]
pub(crate) struct StepComparer<'a> {
    pub first: &'a Index,
    pub thread: ThreadId,
    /// Distances by which pointers may differ.
    pub distances: Distances,
    /// Both traces use the same words for executed and not executed, and the same disassembly.
    pub is_one_format: bool,
}

/// Differences between two matched steps.
#[derive(Debug, Default)]
pub(crate) struct StepDifferences {
    pub cells: Vec<CellDifference>,
    /// Pointers to the same thing, which are no differences.
    pub pointers: Vec<PointerValue>,
    /// Differences that rules forgive.
    pub forgiven: Vec<ForgivenValue>,
}

/// A step with the block that contains it.
#[derive(Clone, Copy)]
pub(crate) struct BlockStep<'b> {
    pub block: &'b EffectBlock,
    pub step: &'b StepEffects,
}

impl<'b> BlockStep<'b> {
    fn accesses(
        &self,
        kind: AccessKind,
    ) -> impl Iterator<Item = &'b AccessEffect> + Clone + use<'b> {
        let all = self.block.accesses(self.step).iter();
        all.filter(move |access| access.kind == kind)
    }

    /// Returns true if a read is recorded.
    pub fn has_reads(&self) -> bool {
        self.accesses(AccessKind::Read).next().is_some()
    }

    /// Returns the first read whose value the trace does not record.
    pub fn unrecorded_read(&self) -> Option<AccessEffect> {
        let mut reads = self.accesses(AccessKind::Read);
        reads.find(|read| read.bytes.is_none()).copied()
    }
}

impl<'a> StepComparer<'a> {
    /// Creates converters of the registers of both traces.
    pub fn numbers(&self) -> [RegisterNumbers<'a>; 2] {
        [(); 2].map(|()| RegisterNumbers::new(self.first, self.thread))
    }

    /// Returns the differences of two steps.
    pub fn differences(&self, a: BlockStep<'_>, b: BlockStep<'_>) -> StepDifferences {
        let mut found = StepDifferences::default();
        if are_identical(a, b) {
            return found;
        }
        found.cells.extend(self.instruction(a, b));
        found.cells.extend(self.condition(a.step, b.step));
        self.accesses(AccessKind::Read, [a, b], &mut found);
        self.accesses(AccessKind::Write, [a, b], &mut found);
        self.registers(a, b, &mut found);
        found.cells.sort_by_key(|difference| difference.kind);
        found
    }

    /// Turns pointers that differ from what the instruction computes into differences.
    pub fn note_wrong(
        &self,
        [a, b]: [BlockStep<'_>; 2],
        wrong: &[PointerPlace],
        found: &mut StepDifferences,
    ) {
        let plain = Self {
            distances: Distances::default(),
            ..self.clone()
        };
        let is_wrong = |place: &PointerPlace| wrong.contains(place);
        found.pointers.retain(|pointer| !is_wrong(&pointer.place));
        let cells = plain.differences(a, b).cells.into_iter();
        let meant = cells.filter(|cell| {
            !found.cells.contains(cell) && PointerPlace::of(cell).as_ref().is_some_and(is_wrong)
        });
        let meant: Vec<CellDifference> = meant.collect();
        found.cells.extend(meant);
        found.cells.sort_by_key(|difference| difference.kind);
    }

    fn instruction(&self, a: BlockStep<'_>, b: BlockStep<'_>) -> Option<CellDifference> {
        let pc = a.step.pc;
        let (place, one, other) = match a.step.encoding.zip(b.step.encoding) {
            Some((one, other)) => (
                DifferingPlace::Code(pc),
                known(one.bytes()),
                known(other.bytes()),
            ),
            // The disassembly of code that moved has other addresses.
            None if !self.is_one_format || pc != b.step.pc => return None,
            None => (
                DifferingPlace::Disassembly(pc),
                known(a.block.disassembly(a.step)?),
                known(b.block.disassembly(b.step)?),
            ),
        };
        let differs = one != other && !are_same_instruction(a.step, b.step);
        differs.then_some(CellDifference {
            kind: DifferenceKind::Instruction,
            place,
            a: one,
            b: other,
        })
    }

    fn condition(&self, a: &StepEffects, b: &StepEffects) -> Option<CellDifference> {
        let differs = self.is_one_format && a.is_executed != b.is_executed;
        differs.then(|| CellDifference {
            kind: DifferenceKind::Condition,
            place: DifferingPlace::Code(a.pc),
            a: known(&[u8::from(a.is_executed)]),
            b: known(&[u8::from(b.is_executed)]),
        })
    }

    fn accesses(&self, kind: AccessKind, steps: [BlockStep<'_>; 2], found: &mut StepDifferences) {
        let [a, b] = steps.map(|step| step.accesses(kind));
        if a.clone().next().is_none() || b.clone().next().is_none() {
            // One trace does not record them.
            return;
        }
        let size = |access: &AccessEffect| access.size_bytes;
        if a.clone().map(size).eq(b.clone().map(size)) {
            for (one, other) in a.zip(b) {
                self.access(one, other, found);
            }
        } else {
            let [a, b]: [Vec<AccessEffect>; 2] = [a.copied().collect(), b.copied().collect()];
            self.bytes_of_accesses(&a, &b, found);
        }
    }

    /// Compares two accesses of the same size.
    fn access(&self, a: &AccessEffect, b: &AccessEffect, found: &mut StepDifferences) {
        let place = || DifferingPlace::Memory {
            address: Address(a.address),
            len_bytes: u64::from(a.size_bytes),
        };
        if let Some(target) = self.distances.of_addresses(a.address, b.address) {
            found.pointers.push(PointerValue {
                place: PointerPlace::Address,
                target,
            });
        } else if a.address != b.address {
            found.cells.push(CellDifference {
                kind: address_kind(a.kind),
                place: place(),
                a: known(&a.address.to_le_bytes()),
                b: known(&b.address.to_le_bytes()),
            });
        }
        if let Some((one, other)) = a.bytes.zip(b.bytes) {
            let size = usize::from(a.size_bytes).min(8);
            let [one, other] = [&one, &other].map(|bytes| bytes.get(..size).unwrap_or_default());
            if let Some(target) = self.distances.of_known(one, other) {
                found.pointers.push(PointerValue {
                    place: PointerPlace::Memory(a.address),
                    target,
                });
            } else if one != other {
                let values = [known(one), known(other)];
                self.push_values(value_kind(a.kind), place(), values, found);
            }
        }
    }

    /// Compares accesses that the traces divide differently, byte by byte.
    fn bytes_of_accesses(
        &self,
        a: &[AccessEffect],
        b: &[AccessEffect],
        found: &mut StepDifferences,
    ) {
        let (in_a, mut in_b) = (bytes_of(a), bytes_of(b));
        let lowest = in_a.first().zip(in_b.first());
        let lowest = lowest.map(|((one, _), (other, _))| (*one, *other));
        let target = lowest.and_then(|(one, other)| self.distances.of_addresses(one, other));
        if target.is_some() {
            let distance = lowest.map_or(0, |(one, other)| other.wrapping_sub(one));
            for (address, _) in &mut in_b {
                *address = address.wrapping_sub(distance);
            }
            in_b.sort_unstable();
        }
        let mut runs: Vec<(u64, Value, Value)> = Vec::new();
        let mut shared = 0;
        for (address, one) in &in_a {
            let place = in_b.partition_point(|(known, _)| known < address);
            let Some((_, other)) = in_b.get(place).filter(|(known, _)| known == address) else {
                continue;
            };
            shared += 1;
            match runs.last_mut() {
                Some((start, a, b))
                    if start.wrapping_add(a.0.len() as u64) == *address && a.0.len() < 8 =>
                {
                    a.0.push(*one);
                    b.0.push(*other);
                }
                _ => runs.push((*address, Value(vec![*one]), Value(vec![*other]))),
            }
        }
        let (Some(first), Some(other)) = (a.first(), b.first()) else {
            return;
        };
        if shared == 0 {
            return self.access(first, other, found);
        }
        for (address, a, b) in runs {
            let place = DifferingPlace::Memory {
                address: Address(address),
                len_bytes: a.0.len() as u64,
            };
            self.push_values(value_kind(first.kind), place, [a, b], found);
        }
    }

    fn registers(&self, a: BlockStep<'_>, b: BlockStep<'_>, found: &mut StepDifferences) {
        if self.plain_registers(a, b, found) {
            return;
        }
        let in_b = b.block.register_values(b.step);
        for (view, value) in a.block.register_values(a.step) {
            let Some((_, other)) = in_b
                .iter()
                .find(|(known, _)| known.register == view.register)
            else {
                continue;
            };
            let values = [Value(value), Value(other.clone())];
            self.register(view, values, a.step, found);
        }
    }

    /// Compares the values of a register.
    pub fn register(
        &self,
        view: RegisterView,
        values: [Value; 2],
        step: &StepEffects,
        found: &mut StepDifferences,
    ) {
        let place = DifferingPlace::Register {
            name: String::new(),
            view,
        };
        let before = found.cells.len();
        self.push_values(DifferenceKind::Register, place, values, found);
        self.name_last(before, view, step, found);
    }

    /// Compares registers that both steps write once, as a whole and with the same size, if they are
    /// equal or pointers: most are. Returns false, and adds nothing, if there are others.
    fn plain_registers(
        &self,
        a: BlockStep<'_>,
        b: BlockStep<'_>,
        found: &mut StepDifferences,
    ) -> bool {
        let (in_a, in_b) = (a.block.registers(a.step), b.block.registers(b.step));
        let before = found.pointers.len();
        let is_plain = in_a.len() == in_b.len()
            && in_a
                .iter()
                .zip(in_b)
                .enumerate()
                .all(|(place, (one, other))| {
                    let register = one.view.register;
                    let mut earlier = in_a.iter().take(place);
                    let values = a.block.value(one).zip(b.block.value(other));
                    let Some((value, partner)) = values.filter(|(value, partner)| {
                        one.view == other.view
                            && one.view.offset == 0
                            && value.len() == usize::from(one.view.size_bytes)
                            && partner.len() == value.len()
                            && earlier.all(|known| known.view.register != register)
                    }) else {
                        return false;
                    };
                    if value == partner {
                        return true;
                    }
                    let target = self.distances.of_known(value, partner);
                    found.pointers.extend(target.map(|target| PointerValue {
                        place: PointerPlace::Register(register),
                        target,
                    }));
                    target.is_some()
                });
        if !is_plain {
            found.pointers.truncate(before);
        }
        is_plain
    }

    /// Names the register of a difference that was just added, and removes the difference of a bank
    /// that repeats the one of the plain register.
    fn name_last(
        &self,
        before: usize,
        view: RegisterView,
        step: &StepEffects,
        found: &mut StepDifferences,
    ) {
        let (known, added) = found.cells.split_at_mut(before);
        let Some(last) = added.first_mut() else {
            return;
        };
        let repeats = |other: &CellDifference| {
            other.kind == last.kind && other.a == last.a && other.b == last.b
        };
        if view.register >= RegisterId::FIRST_BANK && known.iter().any(repeats) {
            found.cells.pop();
            return;
        }
        if let DifferingPlace::Register { name, .. } = &mut last.place {
            *name = NameReader(self.first).whole_name(view, step.set);
        }
    }

    /// Adds a difference if the values differ in a byte that both traces know.
    fn push_values(
        &self,
        kind: DifferenceKind,
        place: DifferingPlace,
        values: [Value; 2],
        found: &mut StepDifferences,
    ) {
        let [a, b] = values;
        if !differ(&a, &b) {
            return;
        }
        let difference = CellDifference { kind, place, a, b };
        let target = self.distances.of_pointers(&difference.a, &difference.b);
        match target.zip(PointerPlace::of(&difference)) {
            Some((target, place)) => found.pointers.push(PointerValue { place, target }),
            None => found.cells.push(difference),
        }
    }
}

/// Returns true if two encodings of different length are the same instruction: hardware may record
/// a compressed one expanded, or more bytes than it has.
fn are_same_instruction(a: &StepEffects, b: &StepEffects) -> bool {
    let (Some(one), Some(other)) = (a.encoding, b.encoding) else {
        return false;
    };
    let (one, other) = (one.bytes(), other.bytes());
    if one.len() == other.len() {
        return false;
    }
    if one.starts_with(other) || other.starts_with(one) {
        return true;
    }
    let (Some(one), Some(other)) = (a.instruction(), b.instruction()) else {
        return false;
    };
    // The length decides the return address that a call writes.
    let is_call = one.control.flow == FlowKind::Call;
    one.registers.is_some()
        && one.registers == other.registers
        && one.meaning.memory == other.meaning.memory
        && (is_call || one.meaning.writes == other.meaning.writes)
        && one.control == other.control
}

/// Returns true if a byte that both values know differs.
pub(crate) fn differ(a: &Value, b: &Value) -> bool {
    let mut bytes = a.0.iter().zip(&b.0);
    bytes.any(|(one, other)| one.zip(*other).is_some_and(|(one, other)| one != other))
}

/// Returns true if two steps have the same recorded effects, which most steps do.
fn are_identical(a: BlockStep<'_>, b: BlockStep<'_>) -> bool {
    let (one, other) = (a.block.registers(a.step), b.block.registers(b.step));
    a.step.encoding == b.step.encoding
        && a.block.disassembly(a.step) == b.block.disassembly(b.step)
        && a.step.is_executed == b.step.is_executed
        && a.block.accesses(a.step) == b.block.accesses(b.step)
        && one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| {
            one.view == other.view && a.block.value(one) == b.block.value(other)
        })
}

fn known(bytes: &[u8]) -> Value {
    Value(bytes.iter().copied().map(Some).collect())
}

fn bytes_of(accesses: &[AccessEffect]) -> Vec<(u64, Option<u8>)> {
    let mut found = Vec::new();
    for access in accesses {
        for place in 0..access.size_bytes {
            let byte = access
                .bytes
                .and_then(|bytes| bytes.get(usize::from(place)).copied());
            found.push((access.address.wrapping_add(u64::from(place)), byte));
        }
    }
    found.sort_unstable();
    found
}

fn address_kind(kind: AccessKind) -> DifferenceKind {
    match kind {
        AccessKind::Read => DifferenceKind::ReadAddress,
        AccessKind::Write => DifferenceKind::WriteAddress,
    }
}

fn value_kind(kind: AccessKind) -> DifferenceKind {
    match kind {
        AccessKind::Read => DifferenceKind::Read,
        AccessKind::Write => DifferenceKind::Write,
    }
}
