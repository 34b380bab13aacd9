//! Writes RST traces record by record, in the layout of the format's header file: big-endian,
//! one processor.

/// A trace under construction.
#[derive(Clone, Debug)]
pub struct RstWriter {
    bytes: Vec<u8>,
}

/// Flags of an instruction record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flags {
    /// True if it branched.
    pub is_taken: bool,
    /// True if the previous branch annulled it.
    pub is_annulled: bool,
    /// True if it trapped.
    pub has_trap: bool,
}

/// Kinds of registers in records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Integer = 1,
    Privileged = 3,
}

impl RstWriter {
    /// Creates a trace of a processor with this number of windows.
    pub fn new(windows: u8) -> Self {
        let mut bytes = b"\x02\x02\x0d%RST Header v2.13".to_vec();
        bytes.resize(24, 0);
        bytes.extend(padded(format!("\x0enwins={windows}").into_bytes()));
        Self { bytes }
    }

    /// Writes the state of the processor before its first instruction.
    pub fn state(&mut self, pstate: u16) {
        let [high, low] = pstate.to_be_bytes();
        self.bytes
            .extend(padded(vec![17, 0x82, 0, 0, 0, 0, high, low]));
    }

    pub fn instruction(&mut self, pc: u64, word: u32, ea: Option<u64>, flags: Flags) {
        let bits = u8::from(ea.is_some()) << 6
            | u8::from(flags.has_trap) << 5
            | u8::from(flags.is_taken) << 2
            | u8::from(flags.is_annulled) << 1;
        self.bytes.extend([3, bits, 0, 0]);
        self.bytes.extend(word.to_be_bytes());
        self.bytes.extend(pc.to_be_bytes());
        self.bytes.extend(ea.unwrap_or(0).to_be_bytes());
    }

    /// Writes a register after the last instruction.
    pub fn register(&mut self, kind: Kind, number: u8, value: u64) {
        self.value(kind, number, value, 0x80);
    }

    /// Writes a register before the next instruction.
    pub fn register_before(&mut self, kind: Kind, number: u8, value: u64) {
        self.value(kind, number, value, 0);
    }

    fn value(&mut self, kind: Kind, number: u8, value: u64, moment: u8) {
        self.bytes
            .extend([9, moment, kind as u8, 5, number, 0, 0, 0]);
        self.bytes.extend(value.to_be_bytes());
        self.bytes.extend([0; 8]);
    }

    /// Writes two general registers before the next instruction, in one record.
    pub fn pair_before(&mut self, numbers: [u8; 2], values: [u64; 2]) {
        let kind = Kind::Integer as u8;
        self.bytes
            .extend([9, 0, kind, kind, numbers[0], numbers[1], 0, 0]);
        values
            .iter()
            .for_each(|value| self.bytes.extend(value.to_be_bytes()));
    }

    /// Writes 1 to 8 bytes of memory as a number.
    pub fn memory(&mut self, address: u64, size_bytes: u8, value: u64) {
        self.bytes.extend([26, 0x40, 0, size_bytes, 0, 0, 0, 0]);
        self.bytes.extend(address.to_be_bytes());
        self.bytes.extend(value.to_be_bytes());
    }

    pub fn trap(&mut self, trap_type: u16, pc: u64) {
        self.trap_in_slot(trap_type, pc, pc.wrapping_add(4));
    }

    /// Writes a trap at the instruction in the delay slot of a branch to `npc`.
    pub fn trap_in_slot(&mut self, trap_type: u16, pc: u64, npc: u64) {
        // asynchronous 1 bit, 3 unused, level 4 bits; processor; type 10 bits; PSTATE; system call
        let [high, low] = (trap_type & 0x3ff).to_be_bytes();
        self.bytes.extend([7, 0, high, low, 0, 0x92, 0, 0]);
        self.bytes.extend(pc.to_be_bytes());
        self.bytes.extend(npc.to_be_bytes());
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

fn padded(mut record: Vec<u8>) -> Vec<u8> {
    record.resize(24, 0);
    record
}
