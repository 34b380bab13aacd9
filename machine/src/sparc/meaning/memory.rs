//! Loads and stores. The first byte in memory is the most significant one. Other address spaces
//! change the byte order or the size, or contain registers instead of memory ([`AddressSpaceKind`];
//! V9, 6.3.1.3; UltraSPARC Architecture 2007, chapter 10).

use crate::expression::Expression;
use crate::meaning::{AccessKind, MemoryOperand, ScaledRegister};
use crate::sparc::meaning::whole::{SparcDescriber, register, value};
use crate::sparc::registers::{FLOAT_STATUS, float_view};
use crate::sparc::word::wide_number;
use crate::view::RegisterView;

/// Register that a load writes or a store reads.
#[derive(Clone, Copy)]
enum SparcTransferRegister {
    General {
        number: u16,
        size_bytes: u16,
        is_signed: bool,
    },
    View(RegisterView),
}

impl SparcDescriber {
    pub fn memory(&mut self) -> bool {
        let kind = self.word.kind();
        if matches!(kind, 0x2d | 0x3d) {
            self.read_sources(); // PREFETCH
            return true;
        }
        if matches!(kind, 0x3c | 0x3e) {
            self.compare_and_swap();
            return true;
        }
        let space = match (kind & 0x10 != 0, self.word.has_number()) {
            (false, _) => AddressSpaceKind::Memory,
            (true, true) => AddressSpaceKind::Unknown,
            (true, false) => space_of(self.word.field(5, 8)),
        };
        self.in_space(space)
    }

    fn in_space(&mut self, space: AddressSpaceKind) -> bool {
        let Some((access, data)) = self.data(space) else {
            return false;
        };
        let is_plain = matches!(
            space,
            AddressSpaceKind::Memory
                | AddressSpaceKind::Block
                | AddressSpaceKind::Pair
                | AddressSpaceKind::Short(_)
        );
        if is_plain {
            self.access_all(access, &data);
            return true;
        }
        self.read_sources();
        match (access, space) {
            (AccessKind::Read, AddressSpaceKind::Little)
            | (AccessKind::Write, AddressSpaceKind::Little) => self.access_swapped(access, &data),
            (_, AddressSpaceKind::Elsewhere) => self.change_all(access, &data),
            _ => {
                self.change_all(access, &data);
                self.description.access_unknown();
            }
        }
        true
    }

    /// Returns the direction and the registers, from the lowest address up; none if the address
    /// space does not fit the instruction.
    fn data(&self, space: AddressSpaceKind) -> Option<(AccessKind, Vec<SparcTransferRegister>)> {
        let (kind, number) = (self.word.kind() & 0x2f, self.word.destination());
        let access = if matches!(kind, 0x04..=0x07 | 0x0e | 0x24..=0x27) {
            AccessKind::Write
        } else {
            AccessKind::Read
        };
        let general = |size_bytes, is_signed| {
            vec![SparcTransferRegister::General {
                number,
                size_bytes,
                is_signed,
            }]
        };
        let pair = |size_bytes| {
            (0..2)
                .map(|next| SparcTransferRegister::General {
                    number: number | next,
                    size_bytes,
                    is_signed: false,
                })
                .collect::<Vec<_>>()
        };
        let doubles = |first: u16, count: u16| {
            (0..count)
                .map(|next| SparcTransferRegister::View(float_view((first + 2 * next) & 62, 2)))
                .collect::<Vec<_>>()
        };
        let wide = wide_number(number);
        let data = match (kind, space) {
            (0x03, AddressSpaceKind::Pair) => pair(8),
            (0x33 | 0x37 | 0x23 | 0x27, AddressSpaceKind::Block) => doubles(wide, 8),
            (0x23 | 0x27, AddressSpaceKind::Short(size_bytes)) => {
                vec![SparcTransferRegister::View(RegisterView {
                    size_bytes,
                    ..float_view(wide, 2)
                })]
            }
            (_, AddressSpaceKind::Pair | AddressSpaceKind::Block | AddressSpaceKind::Short(_))
                if self.word.kind() & 0x20 != 0 || kind == 0x03 =>
            {
                return None;
            }
            (0x00 | 0x04 | 0x0f, _) => general(4, false),
            (0x01 | 0x05 | 0x0d, _) => general(1, false),
            (0x02 | 0x06, _) => general(2, false),
            (0x03 | 0x07, _) => pair(4),
            (0x08, _) => general(4, true),
            (0x09, _) => general(1, true),
            (0x0a, _) => general(2, true),
            (0x0b | 0x0e, _) => general(8, false),
            (0x20 | 0x24, _) => vec![SparcTransferRegister::View(float_view(number, 1))],
            (0x21 | 0x25, _) if number == 0 => vec![SparcTransferRegister::View(RegisterView {
                size_bytes: 4,
                ..FLOAT_STATUS
            })],
            (0x21 | 0x25, _) => vec![SparcTransferRegister::View(FLOAT_STATUS)],
            (0x22 | 0x26, _) => doubles(wide & 60, 2),
            (0x23 | 0x27, _) => doubles(wide, 1),
            _ => return None,
        };
        Some((access, data))
    }

    fn operand(
        &self,
        kind: AccessKind,
        offset: i64,
        size_bytes: u16,
        value: Expression,
    ) -> MemoryOperand {
        let index = if self.word.has_number() {
            None
        } else {
            register(self.word.second())
        };
        let displacement = if self.word.has_number() {
            self.word.number()
        } else {
            0
        };
        MemoryOperand {
            kind,
            segment: None,
            base: register(self.word.first()),
            index: index.map(|view| ScaledRegister {
                view,
                is_signed: false,
                scale: 1,
            }),
            displacement: displacement + offset,
            address_bytes: 8,
            size_bytes: Some(size_bytes),
            value,
        }
    }

    fn access_all(&mut self, access: AccessKind, data: &[SparcTransferRegister]) {
        let mut offset = 0;
        for data in data {
            let size_bytes = data.size_bytes();
            match access {
                AccessKind::Read => self.load(offset, *data),
                AccessKind::Write => {
                    let operand = self.operand(access, offset, size_bytes, data.stored());
                    self.description.access(operand);
                }
            }
            offset += i64::from(size_bytes);
        }
    }

    fn load(&mut self, offset: i64, data: SparcTransferRegister) {
        let operand = self.operand(
            AccessKind::Read,
            offset,
            data.size_bytes(),
            Expression::Unknown,
        );
        let loaded = self.description.access(operand);
        match data {
            SparcTransferRegister::View(view) => self.description.set(view, loaded),
            SparcTransferRegister::General {
                number,
                size_bytes,
                is_signed,
            } => {
                let bits = u8::try_from(8 * size_bytes).unwrap_or(64);
                self.set_general(
                    number,
                    if is_signed {
                        loaded.sign_extended(bits)
                    } else {
                        loaded
                    },
                );
            }
        }
        // LDSTUB and SWAP also store.
        let stored = match self.word.kind() & 0x2f {
            0x0d => Expression::Constant(0xff),
            0x0f => data.stored(),
            _ => return,
        };
        let operand = self.operand(AccessKind::Write, offset, data.size_bytes(), stored);
        self.description.access(operand);
    }

    /// Describes accesses with reversed byte order: addresses and sizes are the same, values are
    /// unknown.
    fn access_swapped(&mut self, access: AccessKind, data: &[SparcTransferRegister]) {
        let mut offset = 0;
        for data in data {
            let operand = self.operand(access, offset, data.size_bytes(), Expression::Unknown);
            self.description.access(operand);
            offset += i64::from(data.size_bytes());
        }
        self.change_all(access, data);
    }

    /// Describes loads of unknown values.
    fn change_all(&mut self, access: AccessKind, data: &[SparcTransferRegister]) {
        for data in data {
            match (access, *data) {
                (AccessKind::Write, data) => self.description.read_all(&data.stored()),
                (AccessKind::Read, SparcTransferRegister::View(view)) => {
                    self.description.write(view)
                }
                (AccessKind::Read, SparcTransferRegister::General { number, .. }) => {
                    self.set_general(number, Expression::Unknown)
                }
            }
        }
        if matches!(self.word.kind() & 0x2f, 0x0f) {
            self.description.read_all(&value(self.word.destination()));
        }
    }

    /// Describes CASA and CASXA. The store may not happen, so its value is unknown.
    fn compare_and_swap(&mut self) {
        let size_bytes = if self.word.kind() == 0x3e { 8 } else { 4 };
        let (first, second, destination) = (
            self.word.first(),
            self.word.second(),
            self.word.destination(),
        );
        for number in [first, second, destination] {
            self.description.read_all(&value(number));
        }
        let space = if self.word.has_number() {
            AddressSpaceKind::Unknown
        } else {
            space_of(self.word.field(5, 8))
        };
        let at = |kind| MemoryOperand {
            kind,
            segment: None,
            base: register(first),
            index: None,
            displacement: 0,
            address_bytes: 8,
            size_bytes: Some(size_bytes),
            value: Expression::Unknown,
        };
        if space != AddressSpaceKind::Memory {
            self.set(Expression::Unknown);
            return self.description.access_unknown();
        }
        let loaded = self.description.access(at(AccessKind::Read));
        self.set(loaded);
        self.description.access(at(AccessKind::Write));
    }
}

impl SparcTransferRegister {
    fn size_bytes(self) -> u16 {
        match self {
            Self::General { size_bytes, .. } => size_bytes,
            Self::View(view) => view.size_bytes,
        }
    }

    /// Returns the value that a store writes.
    fn stored(self) -> Expression {
        match self {
            Self::View(view) => Expression::Register(view),
            Self::General {
                number, size_bytes, ..
            } => match register(number) {
                Some(view) => Expression::Register(RegisterView { size_bytes, ..view }),
                None => Expression::Constant(0),
            },
        }
    }
}

/// Kind of accesses that an address space makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSpaceKind {
    /// Normal memory, as without an explicit space.
    Memory,
    /// Little-endian memory.
    Little,
    /// 64 bytes of memory for eight registers.
    Block,
    /// 16 bytes of memory for two registers.
    Pair,
    /// This number of bytes for a floating-point register.
    Short(u16),
    /// Memory accessed in a way that is not modelled.
    Unknown,
    /// No memory: registers of the processor.
    Elsewhere,
}

/// Returns the kind of an address space by number.
pub(crate) const fn space_of(number: u32) -> AddressSpaceKind {
    match number {
        0x04 | 0x10 | 0x11 | 0x80..=0x83 => AddressSpaceKind::Memory,
        0x0c | 0x18 | 0x19 | 0x88..=0x8b => AddressSpaceKind::Little,
        0x16 | 0x17 | 0x70 | 0x71 | 0xe0 | 0xe1 | 0xf0 | 0xf1 => AddressSpaceKind::Block,
        0x22..=0x24 | 0x27 | 0xe2 | 0xe3 => AddressSpaceKind::Pair,
        0xd0 | 0xd1 => AddressSpaceKind::Short(1),
        0xd2 | 0xd3 => AddressSpaceKind::Short(2),
        // Physical addresses, partial stores, and the little-endian forms of these.
        0x14
        | 0x15
        | 0x1c..=0x1f
        | 0x26
        | 0x2a..=0x2f
        | 0x34
        | 0x36
        | 0x38
        | 0x3c
        | 0x3e
        | 0x78
        | 0x79 => AddressSpaceKind::Unknown,
        0xc0..=0xff => AddressSpaceKind::Unknown,
        _ => AddressSpaceKind::Elsewhere,
    }
}
