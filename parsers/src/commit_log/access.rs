//! The `mem` items of a commit line ([`AccessItems`]). Their sizes follow from the opcode, and the
//! value of a load is the low part of the register that the line writes.

use stepback_machine::flow::RecordedBranch;
use stepback_machine::{AccessKind, Encoding, RegisterId, RegisterView};

use crate::text::digits::hex;
use crate::text::words::{Words, little_endian};
use crate::text_log::{LoggedAccess, LoggedStep};

/// Accesses of a line.
#[derive(Debug, Default)]
pub(super) struct AccessItems {
    plain: stepback_machine::semantics::DataAccess,
    /// Instruction that pushes or pops registers, unless the line shows that it is C.FSDSP, which
    /// has the same encodings.
    stack: Option<StackOperation>,
    vector: Option<VectorLoad>,
    /// Element size from `vtype`, in bits.
    pub element_bits: Option<u64>,
    /// Value of the destination register.
    loaded: Option<[u8; 8]>,
    /// Addresses of loads.
    loads: Vec<u64>,
    /// True if a store with its value was read.
    has_stores: bool,
}

impl AccessItems {
    /// Prepares for the items of a step whose encoding is known.
    pub fn of(step: &LoggedStep) -> Self {
        let Some(encoding) = &step.encoding else {
            return Self::default();
        };
        Self {
            plain: step.set.data_access(encoding).unwrap_or_default(),
            stack: StackOperation::of(encoding),
            vector: VectorLoad::of(encoding),
            ..Self::default()
        }
    }

    /// Notes a written register, which may be the destination of a load.
    pub fn note_written(&mut self, view: RegisterView, value: &[u8]) {
        let destination = self.plain.destination.map(|view| view.register);
        let size = usize::from(self.plain.load_bytes);
        if (1..=value.len()).contains(&size) && destination == Some(view.register) {
            self.loaded = Some(first_bytes(value));
        }
    }

    /// Reads `mem 0xADDRESS` or `mem 0xADDRESS 0xVALUE`.
    pub fn item(&mut self, words: &mut Words<'_>, step: &mut LoggedStep) -> bool {
        words.take(b"mem");
        words.skip_blanks();
        let Some(digits) = words.prefixed_digits() else {
            return false;
        };
        let ends_word = |words: &Words<'_>| matches!(words.rest(), [] | [b' ' | b'\t', ..]);
        let Some(address) = hex(digits).filter(|_| ends_word(words)) else {
            return false;
        };
        words.skip_blanks();
        let Some(digits) = words.prefixed_digits() else {
            self.loads.push(address);
            return true;
        };
        self.has_stores = true;
        let mut bytes = [0; 8];
        let value = little_endian(digits, &mut bytes).map(<[u8]>::len);
        let Some(length) = value.filter(|_| ends_word(words)) else {
            return false;
        };
        let size = usize::from(self.plain.store_bytes);
        // CVA6 always prints a whole register, so the opcode decides if it says less.
        let size = match size {
            0 => length,
            size => length.min(size),
        };
        step.access(LoggedAccess {
            kind: AccessKind::Write,
            address,
            size_bytes: size as u16,
            bytes: Some(bytes),
        });
        true
    }

    /// Adds the loads, whose values need all registers of the line.
    pub fn finish(self, step: &mut LoggedStep) {
        if let Some(stack) = self.stack
            && step.written(RegisterId::SP).is_some()
        {
            return stack.finish(self.loads, step);
        }
        // Neither size nor value of a load of a damaged line is known.
        if step.hides_values {
            return;
        }
        let size = usize::from(self.plain.load_bytes);
        // Early versions list a misaligned load byte by byte.
        let is_by_byte = size > 1 && self.loads.len() == size;
        // A store whose value is missing. Atomic operations load first.
        let is_store = self.plain.store_bytes > 0 && !self.has_stores;
        let first_store = if size > 0 { 1 } else { 0 };
        for (place, address) in self.loads.iter().enumerate() {
            let is_store = is_store && place >= first_store;
            let element_bytes = || {
                let of_type = self.element_bits.map(|bits| (bits / 8).clamp(1, 8) as u16);
                let stated = self.vector.as_ref().and_then(|load| load.element_bytes);
                stated.or(of_type).unwrap_or(1)
            };
            let (size_bytes, bytes) = match () {
                () if is_store => (self.plain.store_bytes.into(), None),
                () if is_by_byte => {
                    let byte = self.loaded.and_then(|bytes| bytes.get(place).copied());
                    (1, byte.map(|byte| [byte; 8]))
                }
                () if size > 0 => (size as u16, self.loaded),
                () => {
                    let size_bytes = element_bytes();
                    let load = self.vector.as_ref();
                    let bytes = load.and_then(|load| load.element(place, size_bytes, step));
                    (size_bytes, bytes)
                }
            };
            step.access(LoggedAccess {
                kind: if is_store {
                    AccessKind::Write
                } else {
                    AccessKind::Read
                },
                address: *address,
                size_bytes,
                bytes,
            });
        }
    }
}

/// A vector load.
#[derive(Debug)]
struct VectorLoad {
    /// Size of an element in bytes; none if `vtype` decides.
    element_bytes: Option<u16>,
    /// Number of the first destination register; none if elements are masked or lie in several
    /// groups.
    destination: Option<u16>,
}

impl VectorLoad {
    /// Decodes a vector load (The RISC-V Instruction Set Manual, volume I, 30.7.3).
    fn of(encoding: &Encoding) -> Option<Self> {
        let opcode = u32::from_le_bytes(*encoding.bytes().first_chunk()?);
        let is_load = encoding.bytes().len() == 4 && opcode & 0x7f == 0x07;
        let size = match opcode >> 12 & 7 {
            0 => 1,
            5 => 2,
            6 => 4,
            7 => 8,
            _ => return None,
        };
        let is_indexed = opcode >> 26 & 1 == 1;
        // Whole registers have the field of segments too.
        let is_whole = opcode >> 26 & 3 == 0 && opcode >> 20 & 31 == 8;
        let is_plain = opcode >> 25 & 1 == 1 && (opcode >> 29 == 0 || is_whole);
        is_load.then_some(Self {
            element_bytes: (!is_indexed).then_some(size),
            destination: is_plain.then_some((opcode >> 7 & 31) as u16),
        })
    }

    /// Returns the value of an element, from the registers that the line writes.
    fn element(&self, place: usize, size_bytes: u16, step: &LoggedStep) -> Option<[u8; 8]> {
        let destination = self.destination?;
        let view = |number: u16| {
            stepback_machine::Registers::view(&format!("v{number}"), step.set)
                .and_then(|view| step.written(view.register))
        };
        let register_bytes = view(destination)?.len();
        let offset = place * usize::from(size_bytes);
        let number = destination + u16::try_from(offset / register_bytes).ok()?;
        let start = offset % register_bytes;
        let bytes = view(number)?.get(start..start + usize::from(size_bytes))?;
        Some(first_bytes(bytes))
    }
}

/// CM.PUSH, CM.POP and CM.POPRET (The RISC-V Instruction Set Manual, volume I, 28.13).
#[derive(Clone, Copy, Debug)]
pub(super) struct StackOperation {
    /// Mnemonic.
    name: &'static str,
    /// The field `rlist`: 4 and more.
    list: u16,
    is_return: bool,
}

/// Registers of the longest list, by descending address.
const PUSHED: [u64; 13] = [27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 9, 8, 1];

impl StackOperation {
    #[inline]
    pub fn of(encoding: &Encoding) -> Option<Self> {
        let [low, high] = *encoding.bytes() else {
            return None;
        };
        let half = u16::from_le_bytes([low, high]);
        let name = match half & 0xff03 {
            0xb802 => "cm.push",
            0xba02 => "cm.pop",
            0xbc02 => "cm.popretz",
            0xbe02 => "cm.popret",
            _ => return None,
        };
        let list = half >> 4 & 15;
        (list >= 4).then_some(Self {
            name,
            list,
            is_return: name.starts_with("cm.popret"),
        })
    }

    /// Returns the numbers of the registers, by descending address.
    fn registers(self) -> &'static [u64] {
        // The longest list adds two registers to the one before.
        let count = match self.list {
            15 => 13,
            list => usize::from(list) - 3,
        };
        PUSHED.get(PUSHED.len() - count..).unwrap_or_default()
    }

    /// Adds the loads, whose values are those of the written registers.
    fn finish(self, mut loads: Vec<u64>, step: &mut LoggedStep) {
        if step.text.is_empty() {
            let saved = match self.list {
                4 => String::new(),
                5 => ", s0".to_owned(),
                15 => ", s0-s11".to_owned(),
                list => format!(", s0-s{}", list - 5),
            };
            let text = format!("{} {{ra{saved}}}", self.name);
            step.text.extend_from_slice(text.as_bytes());
        }
        if self.is_return {
            step.branch = RecordedBranch::Return;
        }
        loads.sort_unstable_by(|one, other| other.cmp(one));
        let is_complete = loads.len() == self.registers().len();
        let kind = match self.name {
            "cm.push" => AccessKind::Write,
            _ => AccessKind::Read,
        };
        for (address, number) in loads
            .into_iter()
            .zip(self.registers().iter().chain([&0; 64]))
        {
            let view = stepback_machine::Registers::view(&format!("x{number}"), step.set);
            let written = view
                .filter(|_| is_complete)
                .and_then(|view| step.written(view.register));
            let bytes = written.map(first_bytes);
            step.access(LoggedAccess {
                kind,
                address,
                size_bytes: step.set.word_bytes(),
                bytes,
            });
        }
    }
}

/// Returns the low 8 bytes of a value, extended by zeros.
pub(super) fn first_bytes(value: &[u8]) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes
        .iter_mut()
        .zip(value)
        .for_each(|(to, from)| *to = *from);
    bytes
}
