//! Decodes the records of STF, each of which begins with a descriptor byte ([`read_record`]).
//!
//! All integers are little-endian and packed. A record states its own length only through its
//! fields, so nothing after an unknown descriptor can be read. The layouts are those of the
//! specification (sparcians/stf_spec, `records/*.yml`).

/// Maximum number of bytes that are kept of a text.
pub const TEXT_BYTES: usize = 64 << 10;

/// Descriptor bytes.
pub mod descriptor {
    pub const IDENTIFIER: u8 = 1;
    pub const VERSION: u8 = 2;
    pub const COMMENT: u8 = 3;
    pub const ISA: u8 = 4;
    pub const ENCODING_MODE: u8 = 5;
    pub const GENERATOR: u8 = 6;
    pub const FEATURES: u8 = 7;
    pub const THREAD: u8 = 8;
    pub const FORCE_PC: u8 = 9;
    pub const VECTOR_LENGTH: u8 = 10;
    pub const PROTOCOL: u8 = 11;
    pub const CLOCK: u8 = 12;
    pub const ISA_TEXT: u8 = 13;
    pub const HEADER_END: u8 = 19;
    pub const TARGET: u8 = 31;
    pub const REGISTER: u8 = 40;
    pub const READY: u8 = 41;
    pub const PAGE_WALK: u8 = 50;
    pub const ACCESS: u8 = 60;
    pub const DATA: u8 = 61;
    pub const BUS_ACCESS: u8 = 62;
    pub const BUS_DATA: u8 = 63;
    pub const EVENT: u8 = 100;
    pub const EVENT_TARGET: u8 = 101;
    pub const MICRO_OP: u8 = 230;
    pub const OPCODE32: u8 = 240;
    pub const OPCODE16: u8 = 241;
    pub const TRANSACTION: u8 = 250;
    pub const TRANSACTION_DEPENDENCY: u8 = 251;
}

/// State that decides the length of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordLayout {
    /// True if the numbers of events have 64 bits, else 32.
    pub has_wide_events: bool,
    /// Length of a vector register in bits; `None` until the trace states it.
    pub vector_bits: Option<u16>,
}

/// Feature bits.
pub mod feature {
    pub const RV64: u64 = 0x20;
    pub const WIDE_EVENTS: u64 = 0x8_0000;
}

/// Register class of a register record, in bits 0 to 3 of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterClass {
    /// `x0` to `x31`.
    Integer,
    /// `f0` to `f31`.
    Float,
    /// `v0` to `v31`.
    Vector,
    /// A control and status register.
    Csr,
    /// A number that the specification does not define.
    Unknown(u8),
}

/// Role of a register record, in bits 4 to 5 of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterRole {
    /// Part of a dump of all registers before the instruction.
    State,
    /// Value before the instruction, which reads it.
    Source,
    /// Value after the instruction, which writes it.
    Destination,
    /// A number that the specification does not define.
    Unknown,
}

impl RegisterClass {
    /// Returns the class in the kind of a record.
    #[inline(always)]
    pub fn of(kind: u8) -> Self {
        match kind & 0xf {
            1 => Self::Integer,
            2 => Self::Float,
            3 => Self::Vector,
            4 => Self::Csr,
            number => Self::Unknown(number),
        }
    }
}

impl RegisterRole {
    /// Returns the role in the kind of a record.
    #[inline(always)]
    pub fn of(kind: u8) -> Self {
        match kind >> 4 & 3 {
            1 => Self::State,
            2 => Self::Source,
            3 => Self::Destination,
            _ => Self::Unknown,
        }
    }
}

/// A record. Byte strings are cut at [`TEXT_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StfRecord<'a> {
    Identifier([u8; 3]),
    Version {
        major: u32,
        minor: u32,
    },
    Comment(&'a [u8]),
    Isa(u16),
    EncodingMode(u16),
    Generator {
        number: u8,
        version: [u8; 3],
        text: &'a [u8],
    },
    Features(u64),
    Thread {
        hart: u32,
        pid: u32,
        tid: u32,
    },
    ForcePc(u64),
    VectorLength(u16),
    IsaText(&'a [u8]),
    HeaderEnd,
    Target(u64),
    Register {
        number: u16,
        class: RegisterClass,
        role: RegisterRole,
        /// Words of 64 bits, the lowest first.
        value: &'a [u8],
    },
    Ready(u16),
    PageWalk {
        address: u64,
        instruction: u64,
        page_bytes: u32,
        /// Pairs of the physical address and the value of an entry.
        entries: &'a [u8],
    },
    Access {
        address: u64,
        size_bytes: u16,
        attributes: u16,
        kind: u8,
    },
    Data(u64),
    BusAccess,
    BusData,
    Event {
        id: u64,
        data: &'a [u8],
    },
    EventTarget(u64),
    MicroOp {
        size_bytes: u8,
        word: u32,
    },
    Opcode {
        word: u32,
        length_bytes: u8,
    },
}

/// Reason why no record could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordStop {
    /// The bytes end before the record does.
    Incomplete,
    /// No record has this descriptor.
    Unknown(u8),
    /// A vector register comes before the length of vectors.
    NoVectorLength,
    /// The record belongs to a trace of bus transactions.
    Transactions(u8),
}

/// Fields of a record, from front to back.
struct FieldReader<'a> {
    bytes: &'a [u8],
    used: usize,
}

impl<'a> FieldReader<'a> {
    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], RecordStop> {
        let found = self
            .bytes
            .get(self.used..)
            .and_then(<[u8]>::first_chunk::<N>)
            .ok_or(RecordStop::Incomplete)?;
        self.used += N;
        Ok(*found)
    }

    #[inline(always)]
    fn u8(&mut self) -> Result<u8, RecordStop> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    #[inline(always)]
    fn u16(&mut self) -> Result<u16, RecordStop> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    #[inline(always)]
    fn u32(&mut self) -> Result<u32, RecordStop> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    #[inline(always)]
    fn u64(&mut self) -> Result<u64, RecordStop> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    #[inline(always)]
    fn bytes(&mut self, count: usize) -> Result<&'a [u8], RecordStop> {
        let end = self.used + count;
        let found = self
            .bytes
            .get(self.used..end)
            .ok_or(RecordStop::Incomplete)?;
        self.used = end;
        Ok(found)
    }
}

/// Reads the record at the start of `bytes`; returns it with its length in bytes. The length
/// exceeds `bytes` if a comment is longer than [`TEXT_BYTES`] and the rest of it is not there yet.
///
/// # Errors
/// The bytes end inside the record, or the record has no known layout.
#[inline]
pub fn read_record(bytes: &[u8], layout: RecordLayout) -> Result<(StfRecord<'_>, u64), RecordStop> {
    let mut fields = FieldReader { bytes, used: 0 };
    let record = match fields.u8()? {
        descriptor::OPCODE32 => StfRecord::Opcode {
            word: fields.u32()?,
            length_bytes: 4,
        },
        descriptor::OPCODE16 => StfRecord::Opcode {
            word: u32::from(fields.u16()?),
            length_bytes: 2,
        },
        descriptor::REGISTER => register(&mut fields, layout)?,
        descriptor::ACCESS => StfRecord::Access {
            address: fields.u64()?,
            size_bytes: fields.u16()?,
            attributes: fields.u16()?,
            kind: fields.u8()?,
        },
        descriptor::DATA => StfRecord::Data(fields.u64()?),
        descriptor::TARGET => StfRecord::Target(fields.u64()?),
        descriptor::COMMENT => {
            let length = fields.u32()?;
            let kept = (length as usize).min(TEXT_BYTES);
            let text = fields.bytes(kept)?;
            return Ok((StfRecord::Comment(text), 5 + u64::from(length)));
        }
        other => rare(other, &mut fields, layout)?,
    };
    Ok((record, fields.used as u64))
}

#[inline(always)]
fn register<'a>(
    fields: &mut FieldReader<'a>,
    layout: RecordLayout,
) -> Result<StfRecord<'a>, RecordStop> {
    let (number, kind) = (fields.u16()?, fields.u8()?);
    let class = RegisterClass::of(kind);
    let words = match class {
        RegisterClass::Vector => {
            let bits = layout.vector_bits.ok_or(RecordStop::NoVectorLength)?;
            usize::from(bits).div_ceil(64)
        }
        _ => 1,
    };
    Ok(StfRecord::Register {
        number,
        class,
        role: RegisterRole::of(kind),
        value: fields.bytes(8 * words)?,
    })
}

#[inline(never)]
fn rare<'a>(
    kind: u8,
    fields: &mut FieldReader<'a>,
    layout: RecordLayout,
) -> Result<StfRecord<'a>, RecordStop> {
    Ok(match kind {
        descriptor::IDENTIFIER => StfRecord::Identifier(fields.array()?),
        descriptor::VERSION => StfRecord::Version {
            major: fields.u32()?,
            minor: fields.u32()?,
        },
        descriptor::ISA => StfRecord::Isa(fields.u16()?),
        descriptor::ENCODING_MODE => StfRecord::EncodingMode(fields.u16()?),
        descriptor::GENERATOR => {
            let (number, version) = (fields.u8()?, fields.array()?);
            let length = fields.u16()?;
            StfRecord::Generator {
                number,
                version,
                text: fields.bytes(length.into())?,
            }
        }
        descriptor::FEATURES => StfRecord::Features(fields.u64()?),
        descriptor::THREAD => StfRecord::Thread {
            hart: fields.u32()?,
            pid: fields.u32()?,
            tid: fields.u32()?,
        },
        descriptor::FORCE_PC => StfRecord::ForcePc(fields.u64()?),
        descriptor::VECTOR_LENGTH => StfRecord::VectorLength(fields.u16()?),
        descriptor::ISA_TEXT => {
            let length = fields.u16()?;
            StfRecord::IsaText(fields.bytes(length.into())?)
        }
        descriptor::HEADER_END => StfRecord::HeaderEnd,
        descriptor::READY => StfRecord::Ready(fields.u16()?),
        descriptor::PAGE_WALK => {
            let (address, instruction) = (fields.u64()?, fields.u64()?);
            let (page_bytes, count) = (fields.u32()?, fields.u8()?);
            StfRecord::PageWalk {
                address,
                instruction,
                page_bytes,
                entries: fields.bytes(16 * usize::from(count))?,
            }
        }
        descriptor::BUS_ACCESS => {
            fields.bytes(8 + 4 * 2 + 1)?;
            StfRecord::BusAccess
        }
        descriptor::BUS_DATA => {
            fields.bytes(8)?;
            StfRecord::BusData
        }
        descriptor::EVENT => {
            let id = match layout.has_wide_events {
                true => fields.u64()?,
                false => wide_event(fields.u32()?),
            };
            let count = fields.u8()?;
            StfRecord::Event {
                id,
                data: fields.bytes(8 * usize::from(count))?,
            }
        }
        descriptor::EVENT_TARGET => StfRecord::EventTarget(fields.u64()?),
        descriptor::MICRO_OP => StfRecord::MicroOp {
            size_bytes: fields.u8()?,
            word: fields.u32()?,
        },
        descriptor::PROTOCOL
        | descriptor::CLOCK
        | descriptor::TRANSACTION
        | descriptor::TRANSACTION_DEPENDENCY => return Err(RecordStop::Transactions(kind)),
        unknown => return Err(RecordStop::Unknown(unknown)),
    })
}

/// Bits of an event number that mark interrupts and special events, at the top of 64 or 32 bits.
const TOP_BITS: u32 = 3 << 30;

/// Converts an event number of 32 bits: its two top bits are the top bits of the wide number
/// (stf_lib, `EventRecord::convertFrom32BitEvent_`).
fn wide_event(id: u32) -> u64 {
    u64::from(id & !TOP_BITS) | u64::from(id & TOP_BITS) << 32
}

/// Iterates over the words of 64 bits in a field.
pub fn words_of(bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
    bytes
        .as_chunks::<8>()
        .0
        .iter()
        .map(|word| u64::from_le_bytes(*word))
}
