//! Instruction semantics, compared with recorded processors (`STEPBACK_TRACES`): checks each
//! register that an instruction is said to write, and each address, from the registers before it.

use std::collections::HashMap;

use crate::control::{BranchTarget, FlowKind};
use crate::instruction::{Address, Encoding, decode};
use crate::meaning::{AccessKind, MemoryOperand};
use crate::mode::Mode;
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::sparc::registers::{CONDITIONS, float_view, named};
use crate::sparc::text::names::{STATE, privileged};
use crate::sparc::windows::general;
use crate::view::{RegisterId, RegisterView};

const SET: InstructionSet = InstructionSet::Sparc64;
const FILES: [&str; 4] = ["hello.rst", "small.rst", "cti.rst", "medium.rst"];
/// Number of windows of the recorded processors.
const COUNT: u8 = 8;

/// A record of 24 bytes.
#[derive(Clone, Copy)]
struct RstRecord<'a>(&'a [u8; 24]);

impl RstRecord<'_> {
    fn number(self, place: usize, length: usize) -> u64 {
        self.0[place..place + length]
            .iter()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    fn has(self, bit: u8) -> bool {
        self.0[1] & bit != 0
    }
}

/// Known state of a processor.
#[derive(Default)]
struct Processor {
    bytes: HashMap<(RegisterId, u16), u8>,
    memory: HashMap<u64, u8>,
    window: u8,
}

impl Processor {
    fn mode(&self) -> Mode {
        Mode::Window {
            current: self.window,
            count: COUNT,
            globals: 0,
        }
    }

    fn home(&self, view: RegisterView) -> RegisterView {
        RegisterView {
            register: self.mode().home(view.register),
            ..view
        }
    }

    /// Reads a cell.
    fn read(&self, cell: RegisterView) -> Option<u64> {
        let bytes = (0..cell.size_bytes)
            .rev()
            .map(|place| self.bytes.get(&(cell.register, cell.offset + place)));
        bytes.collect::<Option<Vec<_>>>().map(|bytes| {
            bytes
                .into_iter()
                .fold(0, |value, byte| value << 8 | u64::from(*byte))
        })
    }

    fn write(&mut self, cell: RegisterView, value: u64) {
        for (place, byte) in (0..cell.size_bytes).zip(value.to_le_bytes()) {
            self.bytes
                .insert((cell.register, cell.offset + place), byte);
        }
    }

    fn address(&self, operand: &MemoryOperand) -> Option<u64> {
        let value =
            |view: Option<RegisterView>| view.map_or(Some(0), |view| self.read(self.home(view)));
        let index = value(operand.index.map(|index| index.view))?;
        Some(
            value(operand.base)?
                .wrapping_add(index)
                .wrapping_add_signed(operand.displacement),
        )
    }

    fn load(&self, operand: &MemoryOperand) -> Option<u64> {
        let address = self.address(operand)?;
        (0..u64::from(operand.size_bytes?)).try_fold(0u64, |value, place| {
            Some(value << 8 | u64::from(*self.memory.get(&address.wrapping_add(place))?))
        })
    }

    fn store(&mut self, operand: &MemoryOperand, value: Option<u64>) {
        let (Some(address), Some(size)) = (self.address(operand), operand.size_bytes) else {
            return self.memory.clear();
        };
        for place in 0..u64::from(size) {
            let byte = value.map(|value| (value >> (8 * (u64::from(size) - 1 - place))) as u8);
            match byte {
                Some(byte) => self.memory.insert(address.wrapping_add(place), byte),
                None => self.memory.remove(&address.wrapping_add(place)),
            };
        }
    }

    /// Returns the cell that a value record describes.
    fn cell(&self, kind: u8, number: u8) -> Option<RegisterView> {
        let number = u16::from(number);
        Some(match kind {
            1 if number > 0 => self.home(RegisterView::new(general(number), 0, 8)),
            2 if number < 32 => float_view(number, 1),
            2 if number < 64 => float_view(2 * (number - 32), 2),
            3 if number < 4 => return None,
            3 => named(privileged(number.into())?)?,
            4 if number == 8 => named("fsr")?,
            4 => named(STATE[usize::from(number)])?,
            6 => CONDITIONS,
            _ => return None,
        })
    }
}

#[derive(Default)]
struct CheckCounts {
    steps: usize,
    values: usize,
    addresses: usize,
    targets: usize,
}

/// An instruction whose values were recorded, with its predicted effects.
struct PendingCheck {
    text: String,
    pc: u64,
    is_plain: bool,
    /// The window had to be spilled or filled, which traces without the kernel do not show.
    is_wrapped: bool,
    /// Registers that it may write.
    writes: Vec<RegisterView>,
    /// Predicted values.
    values: Vec<(RegisterView, u64)>,
}

fn replay(name: &str, bytes: &[u8]) -> CheckCounts {
    let (mut processor, mut checked) = (Processor::default(), CheckCounts::default());
    let mut pending: Option<PendingCheck> = None;
    // The first values name registers in the window after the instruction.
    let stated = |record: &RstRecord<'_>| {
        (0..2)
            .find(|slot| record.0[0] == 9 && (record.0[2 + slot], record.0[4 + slot]) == (3, 9))
            .map(|slot| record.number(8 + 8 * slot, 8))
    };
    processor.window = bytes
        .as_chunks()
        .0
        .iter()
        .map(RstRecord)
        .find_map(|record| stated(&record))
        .unwrap_or(0) as u8;
    for record in bytes.as_chunks().0.iter().map(RstRecord) {
        match record.0[0] {
            3 => {
                settle(name, &mut processor, &mut checked, pending.take());
                pending = execute(&mut processor, record, &mut checked, name);
            }
            9 => values(&mut processor, record, pending.as_mut(), &mut checked, name),
            7 | 8 => processor.memory.clear(),
            _ => {}
        }
    }
    checked
}

/// Checks a pending instruction: everything that the trace did not record is unchanged.
fn settle(
    name: &str,
    processor: &mut Processor,
    checked: &mut CheckCounts,
    pending: Option<PendingCheck>,
) {
    let Some(pending) = pending.filter(|pending| pending.is_plain) else {
        return;
    };
    for (cell, value) in pending.values {
        let known = processor.read(cell);
        assert!(
            known.is_none_or(|known| known == value),
            "{name} {:x} {}: {cell:?} {value:x} {known:x?}",
            pending.pc,
            pending.text
        );
        checked.values += 1;
        processor.write(cell, value);
    }
}

fn execute(
    processor: &mut Processor,
    record: RstRecord<'_>,
    checked: &mut CheckCounts,
    name: &str,
) -> Option<PendingCheck> {
    if record.has(0x02) {
        return None;
    }
    let (word, pc, address) = (
        record.number(4, 4) as u32,
        record.number(8, 8),
        record.number(16, 8),
    );
    let instruction = decode(Encoding::new(&word.to_be_bytes())?, Address(pc), SET);
    let uses = instruction
        .registers
        .as_ref()
        .unwrap_or_else(|| panic!("{name} {pc:x} {}", instruction.text));
    let (text, is_plain) = (
        instruction.text.clone(),
        !record.has(0x20 | 0x08) && instruction.control.flow != FlowKind::ExceptionReturn,
    );
    checked.steps += 1;
    let meaning = &instruction.meaning;
    if let Some(operand) = meaning.memory.first().filter(|_| record.has(0x40)) {
        assert_eq!(
            processor.address(operand),
            Some(address),
            "{name} {pc:x} {text}"
        );
        checked.addresses += 1;
    }
    if record.has(0x04) && is_plain {
        let target = match instruction.control.target {
            BranchTarget::Address(target) => Some(target),
            BranchTarget::Register(register) => {
                processor.read(processor.home(RegisterView::new(register, 0, 8)))
            }
            BranchTarget::Unsaid => None,
        };
        assert!(
            target.is_none_or(|target| target == address),
            "{name} {pc:x} {text}"
        );
        checked.targets += usize::from(target.is_some());
    }
    let register = |view: RegisterView| processor.read(processor.home(view));
    let loaded = |place: usize| {
        meaning
            .memory
            .get(place)
            .and_then(|operand| processor.load(operand))
    };
    let cut = |view: RegisterView, value: u64| {
        if view.size_bytes < 8 {
            value & ((1 << (8 * view.size_bytes)) - 1)
        } else {
            value
        }
    };
    let values: Vec<_> = meaning
        .writes
        .iter()
        .filter_map(|effect| {
            Some((
                processor.home(effect.view),
                cut(effect.view, effect.value.value(&register, &loaded)?),
            ))
        })
        .collect();
    let stores: Vec<_> = meaning
        .memory
        .iter()
        .filter(|operand| operand.kind == AccessKind::Write)
        .map(|operand| (operand.clone(), operand.value.value(&register, &loaded)))
        .collect();
    let counter = match text.split(' ').next() {
        Some("save") => "cansave",
        Some("restore" | "return") => "canrestore",
        _ => "",
    };
    let is_full = named(counter).is_some_and(|view| processor.read(view) == Some(0));
    // An earlier call depth exceeded the number of windows, and the trace does not show how the
    // registers were restored.
    let is_wrapped = is_full || counter == "canrestore";
    let counters = ["cansave", "canrestore"].map(named);
    let values: Vec<_> = values
        .into_iter()
        .filter(|(cell, _)| !is_full || !counters.contains(&Some(*cell)))
        .collect();
    let writes: Vec<_> = uses
        .writes
        .iter()
        .map(|view| processor.home(*view))
        .collect();
    if is_plain {
        stores
            .iter()
            .for_each(|(operand, value)| processor.store(operand, *value));
    }
    Some(PendingCheck {
        text,
        pc,
        is_plain,
        is_wrapped,
        writes,
        values,
    })
}

fn values(
    processor: &mut Processor,
    record: RstRecord<'_>,
    mut pending: Option<&mut PendingCheck>,
    checked: &mut CheckCounts,
    name: &str,
) {
    for slot in 0..2 {
        let (kind, number) = (record.0[2 + slot], record.0[4 + slot]);
        let value = if kind == 6 {
            u64::from(number)
        } else {
            record.number(8 + 8 * slot, 8)
        };
        if (kind, number) == (3, 9) {
            processor.window = value as u8;
        }
        let Some(cell) = processor.cell(kind, number) else {
            continue;
        };
        let before = processor.read(cell);
        if let Some(pending) = pending
            .as_deref_mut()
            .filter(|pending| pending.is_plain && record.has(0x80))
        {
            let place = pending.values.iter().position(|(known, _)| *known == cell);
            let stated = place.map(|place| pending.values.swap_remove(place).1);
            assert!(
                stated.is_none_or(|stated| stated == value),
                "{name} {:x} {}: {cell:?} {stated:x?} {value:x}",
                pending.pc,
                pending.text
            );
            checked.values += usize::from(stated.is_some());
            let is_written = pending.writes.iter().any(|view| view.overlaps(cell));
            let is_same = before.is_none_or(|before| before == value);
            // Floating-point exceptions accumulate in the status.
            let is_status =
                cell.register == RegisterId::FPSCR || Registers::name(cell, SET) == Some("fprs");
            assert!(
                is_written || is_same || is_status || pending.is_wrapped,
                "{name} {:x} {}: {cell:?} {before:x?} {value:x}",
                pending.pc,
                pending.text
            );
        }
        processor.write(cell, value);
    }
}

#[test]
fn recorded_processors_did_what_their_instructions_mean() {
    let Some(folder) = std::env::var_os("STEPBACK_TRACES") else {
        eprintln!("STEPBACK_TRACES is not set: no traces are replayed");
        return;
    };
    for name in FILES {
        let Ok(bytes) = std::fs::read(std::path::Path::new(&folder).join("rst").join(name)) else {
            continue;
        };
        let checked = replay(name, &bytes);
        let CheckCounts {
            steps,
            values,
            addresses,
            targets,
        } = checked;
        eprintln!(
            "{name}: {steps} steps, {values} values, {addresses} addresses, {targets} targets"
        );
        assert!(steps > 30 && values > steps / 4, "{name}");
    }
}
