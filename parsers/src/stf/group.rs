//! The records of one instruction until its opcode, which ends the group ([`InstructionGroup`]).

use std::ops::Range;

use crate::stf::record::{RegisterClass, RegisterRole, StfRecord, words_of};

/// Maximum number of records and of words that are kept of a group, which bounds memory. A vector
/// instruction accesses at most 65,536 elements.
const LIMIT: usize = 1 << 17;

/// Register value of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupRegister {
    /// Number within the class.
    pub number: u16,
    /// Class of the register.
    pub class: RegisterClass,
    /// Relation of the value to the instruction.
    pub role: RegisterRole,
    /// Places of the words of the value.
    words: Range<usize>,
}

/// Access to memory of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupAccess {
    /// Address of the first byte.
    pub address: u64,
    /// Size in bytes.
    pub size_bytes: u16,
    /// 1 for a read, 2 for a write.
    pub kind: u8,
    /// Places of the words of the value; fewer than the size if they are not recorded.
    words: Range<usize>,
}

/// Event of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupEvent {
    /// Number of the event.
    pub id: u64,
    /// Places of its data words.
    words: Range<usize>,
}

/// Records since the last opcode.
#[derive(Debug, Default)]
pub struct InstructionGroup {
    /// Number of the first record; 0 if there is none yet.
    pub first_record: u64,
    /// Address stated for the instruction.
    pub forced_pc: Option<u64>,
    /// Target of the taken branch.
    pub target: Option<u64>,
    /// Address where the event leads.
    pub event_target: Option<u64>,
    /// Register values in the order of their records.
    pub registers: Vec<GroupRegister>,
    /// Accesses in the order of their records.
    pub accesses: Vec<GroupAccess>,
    /// Events in the order of their records.
    pub events: Vec<GroupEvent>,
    /// Number of records for which there was no room.
    pub left_out: u64,
    /// Number of values without an access.
    pub stray_values: u64,
    words: Vec<u64>,
}

impl InstructionGroup {
    /// Forgets all records.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.first_record = 0;
        (self.forced_pc, self.target, self.event_target) = (None, None, None);
        self.registers.clear();
        self.accesses.clear();
        self.events.clear();
        self.words.clear();
        (self.left_out, self.stray_values) = (0, 0);
    }

    /// Returns true if no record of an instruction came since the last opcode.
    pub fn is_empty(&self) -> bool {
        let has_pc = self.forced_pc.or(self.target).or(self.event_target);
        has_pc.is_none()
            && self.registers.is_empty()
            && self.accesses.is_empty()
            && self.events.is_empty()
    }

    #[inline(always)]
    fn has_room(&mut self) -> bool {
        let count = self.registers.len() + self.accesses.len() + self.events.len();
        let has_room = count < LIMIT && self.words.len() < LIMIT;
        self.left_out += u64::from(!has_room);
        has_room
    }

    #[inline(always)]
    fn push_words(&mut self, bytes: &[u8]) -> Range<usize> {
        let start = self.words.len();
        self.words.extend(words_of(bytes));
        start..self.words.len()
    }

    /// Adds a record of the instruction; returns false for records of another kind.
    #[inline(always)]
    pub fn add(&mut self, record: &StfRecord<'_>) -> bool {
        match *record {
            StfRecord::Register {
                number,
                class,
                role,
                value,
            } => {
                if self.has_room() {
                    let words = self.push_words(value);
                    self.registers.push(GroupRegister {
                        number,
                        class,
                        role,
                        words,
                    });
                }
            }
            StfRecord::Access {
                address,
                size_bytes,
                kind,
                ..
            } => self.add_access(address, size_bytes, kind),
            StfRecord::Data(word) => self.add_data(word),
            StfRecord::Target(target) => self.target = Some(target),
            StfRecord::ForcePc(pc) => self.forced_pc = Some(pc),
            StfRecord::EventTarget(pc) => self.event_target = Some(pc),
            StfRecord::Event { id, data } => {
                if self.has_room() {
                    let words = self.push_words(data);
                    self.events.push(GroupEvent { id, words });
                }
            }
            _ => return false,
        }
        true
    }

    /// Adds the value of a register of 64 bits; `kind` has its class and its role.
    #[inline(always)]
    pub fn add_register(&mut self, number: u16, kind: u8, word: u64) {
        if self.has_room() {
            let start = self.words.len();
            self.words.push(word);
            self.registers.push(GroupRegister {
                number,
                class: RegisterClass::of(kind),
                role: RegisterRole::of(kind),
                words: start..start + 1,
            });
        }
    }

    /// Adds an access.
    #[inline(always)]
    pub fn add_access(&mut self, address: u64, size_bytes: u16, kind: u8) {
        if self.has_room() {
            let end = self.words.len();
            self.accesses.push(GroupAccess {
                address,
                size_bytes,
                kind,
                words: end..end,
            });
        }
    }

    /// Adds a word of data to the last access.
    #[inline(always)]
    pub fn add_data(&mut self, word: u64) {
        if !self.has_room() {
            return;
        }
        let end = self.words.len();
        match self.accesses.last_mut() {
            // Records of other kinds may come between the words.
            Some(access)
                if access.words.len() < words_of_size(access.size_bytes)
                    && (access.words.is_empty() || access.words.end == end) =>
            {
                if access.words.is_empty() {
                    access.words.start = end;
                }
                access.words.end = end + 1;
                self.words.push(word);
            }
            _ => self.stray_values += 1,
        }
    }

    /// Returns the words of a register value, the lowest first.
    #[inline(always)]
    pub fn words_of_register(&self, register: &GroupRegister) -> &[u64] {
        self.words.get(register.words.clone()).unwrap_or_default()
    }

    /// Returns the words of the value of an access, ascending.
    #[inline(always)]
    pub fn words_of_access(&self, access: &GroupAccess) -> &[u64] {
        self.words.get(access.words.clone()).unwrap_or_default()
    }

    /// Returns the data words of an event.
    pub fn words_of_event(&self, event: &GroupEvent) -> &[u64] {
        self.words.get(event.words.clone()).unwrap_or_default()
    }
}

/// Number of words in the value of an access.
fn words_of_size(size_bytes: u16) -> usize {
    usize::from(size_bytes).div_ceil(8).max(1)
}
