//! Loads and stores of A64.

use crate::arm::a64::bits::{A64Describer, GeneralWidth, Register31};
use crate::expression::{Expression, Operation};
use crate::meaning::{AccessKind, MemoryOperand, ScaledRegister};
use crate::view::{RegisterId, RegisterView};

/// Address of an access, before its size and direction are known.
#[derive(Clone, Copy, Default)]
pub(super) struct A64Address {
    pub base: Option<RegisterView>,
    pub index: Option<ScaledRegister>,
    pub displacement: i64,
}

impl A64Address {
    /// Returns the address this number of bytes higher.
    pub fn after(self, bytes: u16) -> Self {
        Self {
            displacement: self.displacement.wrapping_add(i64::from(bytes)),
            ..self
        }
    }
}

/// Register that a load writes or a store reads.
#[derive(Clone, Copy)]
pub(super) enum A64TransferRegister {
    /// A general register: bit position of its number, number of bits that a load fills, and
    /// whether the load sign-extends.
    General {
        place: u32,
        fills_bits: u8,
        is_signed: bool,
    },
    /// The low bytes of a vector register, by register number.
    Vector(u32),
}

impl A64Describer {
    pub fn memory(&mut self) -> bool {
        if self.matches(0x3b00_0000, 0x1800_0000) {
            return self.load_literal();
        }
        if self.matches(0x3a00_0000, 0x2800_0000) {
            return self.pair();
        }
        if self.matches(0xff20_0000, 0xd920_0000) {
            return self.tags();
        }
        if self.matches(0xfb20_0c00, 0x1900_0400) {
            self.copy_or_fill();
            return true;
        }
        if self.matches(0x3f00_0000, 0x0800_0000) {
            return self.exclusive();
        }
        if self.matches(0x3f20_0c00, 0x1900_0000) {
            let place = A64Address {
                displacement: self.signed(12, 9),
                ..self.base()
            };
            return self.single(place); // LDAPUR, STLUR
        }
        if self.matches(0xbe00_0000, 0x0c00_0000) {
            return self.structures();
        }
        if self.matches(0x3b00_0000, 0x3900_0000) {
            let scale = self.scale();
            let place = A64Address {
                displacement: i64::from(self.field(10, 12)) << scale,
                ..self.base()
            };
            return self.single(place);
        }
        self.matches(0x3b00_0000, 0x3800_0000) && self.indexed()
    }

    pub fn base(&self) -> A64Address {
        A64Address {
            base: self.general(5, GeneralWidth::X, Register31::Stack),
            ..A64Address::default()
        }
    }

    /// Returns the binary logarithm of the access size.
    fn scale(&self) -> u32 {
        let is_vector = self.flag(26);
        if is_vector && self.flag(23) {
            4
        } else {
            self.field(30, 2)
        }
    }

    fn load_literal(&mut self) -> bool {
        let address = self.pc.0.wrapping_add_signed(self.signed(5, 19) << 2);
        let place = A64Address {
            displacement: address.cast_signed(),
            ..A64Address::default()
        };
        let kind = self.field(30, 2);
        let (data, size_bytes) = match (self.flag(26), kind) {
            (true, 3) => return false,
            (true, _) => (A64TransferRegister::Vector(self.field(0, 5)), 4 << kind),
            (false, 3) => return true, // PRFM
            (false, 2) => (
                A64TransferRegister::General {
                    place: 0,
                    fills_bits: 64,
                    is_signed: true,
                },
                4,
            ),
            (false, _) => (
                A64TransferRegister::General {
                    place: 0,
                    fills_bits: 64,
                    is_signed: false,
                },
                4 << kind,
            ),
        };
        self.load(place, size_bytes, data);
        true
    }

    /// LDP, STP, LDNP, STNP, LDPSW, STGP
    fn pair(&mut self) -> bool {
        let (is_vector, is_load, kind) = (self.flag(26), self.flag(22), self.field(30, 2));
        let is_signed = !is_vector && kind == 1;
        let size_bytes: u16 = match (is_vector, kind) {
            (_, 3) => return false,
            (true, kind) => 4 << kind,
            (false, 2) => 8,
            (false, _) => 4,
        };
        let mode = self.field(23, 2);
        // STGP stores two registers and a tag; its offset counts 16-byte granules.
        let is_tagged = is_signed && !is_load;
        if is_tagged && mode == 0 {
            return false;
        }
        let (size_bytes, scale_bytes) = if is_tagged {
            (8, 16)
        } else {
            (size_bytes, size_bytes)
        };
        let offset = self.signed(15, 7) * i64::from(scale_bytes);
        let place = A64Address {
            displacement: if mode == 1 { 0 } else { offset },
            ..self.base()
        };
        for (at, register) in [(place, 0), (place.after(size_bytes), 10)] {
            let data = match is_vector {
                true => A64TransferRegister::Vector(self.field(register, 5)),
                false => A64TransferRegister::General {
                    place: register,
                    fills_bits: 64,
                    is_signed,
                },
            };
            if is_load {
                self.load(at, size_bytes, data)
            } else {
                self.store(at, size_bytes, data)
            }
        }
        if matches!(mode, 1 | 3) {
            self.write_back(offset);
        }
        true
    }

    /// LDXR, STXR, LDAR, STLR and the like, without compare-and-swap.
    fn exclusive(&mut self) -> bool {
        let (is_ordered, is_load, is_pair) = (self.flag(23), self.flag(22), self.flag(21));
        let size = self.field(30, 2);
        if is_pair && (is_ordered || size < 2) {
            self.compare_and_swap();
            return true;
        }
        let size_bytes = 1 << size;
        let places: &[u32] = if is_pair { &[0, 10] } else { &[0] };
        for (number, register) in (0u16..).zip(places) {
            let at = self.base().after(number * size_bytes);
            let data = A64TransferRegister::General {
                place: *register,
                fills_bits: 64,
                is_signed: false,
            };
            if is_load {
                self.load(at, size_bytes, data);
            } else if is_ordered {
                self.store(at, size_bytes, data);
            } else {
                self.store_unknown(at, size_bytes, &[*register]);
            }
        }
        if !is_load && !is_ordered {
            self.set_general(16, Expression::Unknown, Register31::Zero); // store status
        }
        true
    }

    /// Stores an unknown value: a trace may show a store that failed.
    fn store_unknown(&mut self, place: A64Address, size_bytes: u16, sources: &[u32]) {
        self.read_general(sources, GeneralWidth::X);
        let operand = self.operand(AccessKind::Write, place, size_bytes, Expression::Unknown);
        self.description.access(operand);
    }

    /// CAS, CASP
    fn compare_and_swap(&mut self) {
        let (base, size) = (self.base(), self.field(30, 2));
        let (size_bytes, count) = if self.flag(23) {
            (1 << size, 1)
        } else {
            (4 << size, 2)
        };
        self.read_general(&[0, 16], GeneralWidth::X);
        for number in 0..count {
            let at = base.after(number * size_bytes);
            let operand = self.operand(AccessKind::Read, at, size_bytes, Expression::Unknown);
            let loaded = self.description.access(operand);
            // A pair is an even-numbered register and the next one, which is the zero register
            // after x30.
            let view = |view: RegisterView| {
                let register = RegisterId(view.register.0 + number);
                (register != RegisterId::SP).then_some(RegisterView { register, ..view })
            };
            for (place, value) in [(16, Some(loaded)), (0, None)] {
                let Some(view) = self
                    .general(place, GeneralWidth::X, Register31::Zero)
                    .and_then(view)
                else {
                    continue;
                };
                self.description.read(view);
                value
                    .into_iter()
                    .for_each(|value| self.description.set(view, value));
            }
        }
        for number in 0..count {
            self.store_unknown(base.after(number * size_bytes), size_bytes, &[]);
        }
    }

    /// Unscaled, post-indexed, unprivileged, pre-indexed, register-indexed or atomic.
    fn indexed(&mut self) -> bool {
        let offset = self.signed(12, 9);
        let place = A64Address {
            displacement: offset,
            ..self.base()
        };
        match (self.flag(21), self.field(10, 2)) {
            (false, 0 | 2) => self.single(place),
            (false, mode) => {
                let is_done = self.single(if mode == 1 { self.base() } else { place });
                self.write_back(offset);
                is_done
            }
            (true, 2) => {
                let option = self.field(13, 3);
                let scale = if self.flag(12) { 1 << self.scale() } else { 1 };
                let register = |view| ScaledRegister {
                    view,
                    is_signed: option >= 4,
                    scale,
                };
                let index = self
                    .general(
                        16,
                        if option & 1 == 1 {
                            GeneralWidth::X
                        } else {
                            GeneralWidth::W
                        },
                        Register31::Zero,
                    )
                    .map(register);
                option & 2 != 0
                    && self.single(A64Address {
                        index,
                        ..self.base()
                    })
            }
            (true, 0) if self.is_of_64_bytes() => self.of_64_bytes(),
            (true, 0) if !self.flag(26) => self.atomic(),
            (true, 1 | 3) if self.matches(0xff20_0400, 0xf820_0400) => {
                self.load_authenticated();
                true
            }
            _ => false,
        }
    }

    fn single(&mut self, place: A64Address) -> bool {
        let (size, kind) = (self.field(30, 2), self.field(22, 2));
        let size_bytes: u16 = 1 << self.scale();
        if self.flag(26) {
            if kind >= 2 && size != 0 {
                return false;
            }
            let data = A64TransferRegister::Vector(self.field(0, 5));
            if kind & 1 == 1 {
                self.load(place, size_bytes, data)
            } else {
                self.store(place, size_bytes, data)
            }
            return true;
        }
        let data = |fills_bits, is_signed| A64TransferRegister::General {
            place: 0,
            fills_bits,
            is_signed,
        };
        match (kind, size) {
            (0, _) => self.store(place, size_bytes, data(64, false)),
            (1, _) => self.load(place, size_bytes, data(64, false)),
            (2, 3) => self.read_place(place), // PRFM
            (2, _) => self.load(place, size_bytes, data(64, true)),
            (3, 0 | 1) => self.load(place, size_bytes, data(32, true)),
            _ => return false,
        }
        true
    }

    /// LDRAA, LDRAB: the base register is signed, so the address is not its value.
    fn load_authenticated(&mut self) {
        self.read_place(self.base());
        self.set_general(0, Expression::Unknown, Register31::Zero);
        if self.flag(11) {
            self.set_general(5, Expression::Unknown, Register31::Stack);
        }
        self.description.access_unknown();
    }

    pub fn read_place(&mut self, place: A64Address) {
        for view in [place.base, place.index.map(|index| index.view)]
            .into_iter()
            .flatten()
        {
            self.description.read(view);
        }
    }

    /// LDADD, SWP and the like, and LDAPR.
    fn atomic(&mut self) -> bool {
        let size_bytes = 1 << self.field(30, 2);
        let loaded = self.operand(
            AccessKind::Read,
            self.base(),
            size_bytes,
            Expression::Unknown,
        );
        let loaded = self.description.access(loaded);
        self.set_general(0, loaded.clone(), Register31::Zero);
        let source = self.value_of_width(
            16,
            if size_bytes == 8 {
                GeneralWidth::X
            } else {
                GeneralWidth::W
            },
            Register31::Zero,
        );
        self.description.read_all(&source);
        let inverted = || {
            source
                .clone()
                .with(Operation::Xor, Expression::Constant(u64::MAX))
        };
        let stored = match self.field(12, 4) {
            0 => loaded.with(Operation::Add, source),
            1 => loaded.with(Operation::And, inverted()),
            2 => loaded.with(Operation::Xor, source),
            3 => loaded.with(Operation::Or, source),
            4..=7 => Expression::Unknown, // minimum and maximum
            8 => source,
            12 => return true, // LDAPR stores nothing
            _ => return false,
        };
        let operand = self.operand(AccessKind::Write, self.base(), size_bytes, stored);
        self.description.access(operand);
        true
    }

    pub fn operand(
        &self,
        kind: AccessKind,
        place: A64Address,
        size_bytes: u16,
        value: Expression,
    ) -> MemoryOperand {
        let A64Address {
            base,
            index,
            displacement,
        } = place;
        let size_bytes = Some(size_bytes);
        MemoryOperand {
            kind,
            segment: None,
            base,
            index,
            displacement,
            address_bytes: 8,
            size_bytes,
            value,
        }
    }

    pub fn load(&mut self, place: A64Address, size_bytes: u16, data: A64TransferRegister) {
        let operand = self.operand(AccessKind::Read, place, size_bytes, Expression::Unknown);
        let loaded = self.description.access(operand);
        match data {
            A64TransferRegister::Vector(number) => {
                let view = self.vector_view(number, 16);
                self.description.set(view, loaded);
            }
            A64TransferRegister::General {
                place,
                fills_bits,
                is_signed,
            } => {
                let bits = u8::try_from(size_bytes * 8).unwrap_or(64);
                let value = if is_signed {
                    loaded.sign_extended(bits).zero_extended(fills_bits)
                } else {
                    loaded
                };
                self.set_general(place, value, Register31::Zero);
            }
        }
    }

    pub fn store(&mut self, place: A64Address, size_bytes: u16, data: A64TransferRegister) {
        let value = match data {
            A64TransferRegister::Vector(number) => {
                Expression::Register(self.vector_view(number, size_bytes))
            }
            A64TransferRegister::General { place, .. } => {
                match self.general(place, GeneralWidth::X, Register31::Zero) {
                    Some(view) => Expression::Register(RegisterView { size_bytes, ..view }),
                    None => Expression::Constant(0),
                }
            }
        };
        let operand = self.operand(AccessKind::Write, place, size_bytes, value);
        self.description.access(operand);
    }

    /// Adds an offset to the base register.
    pub fn write_back(&mut self, offset: i64) {
        let base = self.value_of_width(5, GeneralWidth::X, Register31::Stack);
        self.set_general(5, base.plus(offset), Register31::Stack);
    }
}
