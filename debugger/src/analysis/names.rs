//! Resolves names at a position: registers and their parts, symbols, memory ranges, and code
//! addresses by number or source line.
//!
//! A [`NameResolver`] reads the values of registers and memory from the index, so its errors may
//! also report a damaged file ([`damage_in`]).

use std::fmt;

use stepback_index::answer::{Cell, MemoryRange, Number, ThreadId};
use stepback_index::query::NearestVisit;
use stepback_index::read::{NameReader, SlotReader};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::analysis::register_part::RegisterPart;
use crate::expression::{
    AddressSpace, BareNumber, Expression, ExpressionError, ExpressionErrorKind, IndexLookup, parse,
    split_range, split_space,
};
use crate::image::{Images, SourceLineName};
use crate::messages::say;
use crate::session::Damage;

/// Resolver of registers of a thread, memory at a position, and symbols of the images.
pub struct NameResolver<'a> {
    index: &'a Index,
    at: Position,
    thread: ThreadId,
    lookup: IndexLookup<'a>,
    /// Receives the reading chosen for each ambiguous number or name.
    notice: fn(&dyn fmt::Display),
}

impl<'a> NameResolver<'a> {
    /// Creates a resolver. Without a thread, that of the last step before the position is used.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        index: &'a Index,
        images: &'a Images,
        at: Position,
        thread: Option<ThreadId>,
        cancel: &'a Cancel,
    ) -> Result<Self, QueryError> {
        let thread = match thread {
            Some(thread) => thread,
            None => SlotReader(index).thread_at(at)?,
        };
        let lookup = IndexLookup::new(index, images, at, Some(thread), cancel);
        Ok(Self {
            index,
            at,
            thread,
            lookup,
            notice: |_| {},
        })
    }

    /// Sets the function that receives the readings of ambiguous numbers and names.
    #[must_use]
    pub fn noticing(self, notice: fn(&dyn fmt::Display)) -> Self {
        Self { notice, ..self }
    }

    /// Returns the value of an expression.
    ///
    /// # Errors
    /// The expression is invalid or has no value here.
    pub fn number(&self, text: &str) -> Result<u64, NameError> {
        self.value(text).map_err(|error| NameError::Expression {
            text: text.to_owned(),
            error,
        })
    }

    /// Returns the value of an expression; the caller adds the text to an error.
    ///
    /// # Errors
    /// The expression is invalid or has no value here.
    pub fn value(&self, text: &str) -> Result<u64, ExpressionError> {
        self.parsed(text)?.evaluate(&self.lookup)
    }

    /// Returns all values of an expression whose name belongs to several symbols: static functions
    /// share names.
    ///
    /// # Errors
    /// The expression is invalid or has no value here.
    pub fn numbers(&self, text: &str) -> Result<Vec<u64>, NameError> {
        let values = self
            .parsed(text)
            .and_then(|expression| expression.evaluate_all(&self.lookup));
        values.map_err(|error| NameError::Expression {
            text: text.to_owned(),
            error,
        })
    }

    fn parsed(&self, text: &str) -> Result<Expression, ExpressionError> {
        let expression = parse(text)?;
        for reading in expression.readings(&self.lookup) {
            (self.notice)(&reading);
        }
        let name = text.trim();
        if let Some(address) = self.lookup.symbol_of_register(name) {
            let taken = format!("{address:#x}");
            (self.notice)(&say!("reading-symbol", text = name, taken = taken));
        }
        Ok(expression)
    }

    /// Returns the value of an expression that is no address. Its numbers are in C syntax.
    ///
    /// # Errors
    /// The expression is invalid or has no value here.
    pub fn count(&self, text: &str) -> Result<u64, NameError> {
        let value = parse(text)
            .and_then(Expression::in_c)
            .and_then(|count| count.evaluate(&self.lookup));
        value.map_err(|error| NameError::Expression {
            text: text.to_owned(),
            error,
        })
    }

    /// Returns a value to search for: a number of any width, else an expression. Digits are
    /// hexadecimal only if they are no number in C, or if only that reading is an address that the
    /// trace uses.
    ///
    /// # Errors
    /// The text is invalid or has no value here.
    pub fn sought_value(&self, text: &str) -> Result<Number, NameError> {
        if let Some(bare) = BareNumber::of(text.trim()) {
            let mut reading = bare.read(&self.lookup);
            if !reading.is_hexadecimal {
                reading.other = Some(bare.hexadecimal);
            }
            (self.notice)(&reading);
            return Ok(Number::from(reading.taken));
        }
        wide_number(text).map_or_else(|| self.number(text).map(Number::from), Ok)
    }

    /// Parses `ADDR[:LEN]`, a range of at least one byte that ends within the address space.
    ///
    /// # Errors
    /// The range is invalid, has no value here, is empty or negative, or exceeds the address space.
    pub fn memory_range(&self, text: &str) -> Result<MemoryRange, NameError> {
        if let (AddressSpace::Physical, _) = split_space(text) {
            return Err(NameError::Physical(text.to_owned()));
        }
        self.range(AddressSpace::Virtual, text)
    }

    /// Parses `ADDR[:LEN]` or `phys::ADDR[:LEN]`, as [`Self::memory_range`].
    ///
    /// # Errors
    /// As [`Self::memory_range`].
    pub fn range_in_space(&self, text: &str) -> Result<(AddressSpace, MemoryRange), NameError> {
        let (space, range) = split_space(text);
        Ok((space, self.range(space, range)?))
    }

    fn range(&self, space: AddressSpace, text: &str) -> Result<MemoryRange, NameError> {
        let (address, len) = split_range(text);
        let address = self.address(space, address)?;
        let len_bytes = len.map_or(Ok(1), |len| self.count(len))?;
        self.bytes_from(space, address, len_bytes)
            .ok_or_else(|| match len_bytes {
                0 => NameError::EmptyRange(text.to_owned()),
                _ => NameError::BeyondMemory(text.to_owned()),
            })
    }

    /// Returns the memory of a number of bytes at an expression or `phys::` expression.
    ///
    /// # Errors
    /// As [`Self::memory_range`].
    pub fn memory_cell(&self, text: &str, len_bytes: u64) -> Result<Cell, NameError> {
        let (space, expression) = split_space(text);
        let address = self.address(space, expression)?;
        let range = self.bytes_from(space, address, len_bytes);
        let range = range.ok_or_else(|| NameError::BeyondMemory(format!("{text}:{len_bytes}")))?;
        Ok(memory_in(space, range))
    }

    /// Returns the value of an expression as an address, without a tag that the processor ignores.
    fn address(&self, space: AddressSpace, text: &str) -> Result<u64, NameError> {
        let named = |error| NameError::Expression {
            text: text.to_owned(),
            error,
        };
        let expression = self.parsed(text).map_err(named)?;
        if expression.is_negative(&self.lookup).map_err(named)? {
            return Err(NameError::BeyondMemory(text.to_owned()));
        }
        let address = expression.evaluate(&self.lookup).map_err(named)?;
        Ok(match space {
            AddressSpace::Virtual => self.lookup.plain_address(address)?,
            AddressSpace::Physical => address,
        })
    }

    /// Returns a range of at least one byte; `None` if it reaches beyond the address space.
    fn bytes_from(&self, space: AddressSpace, address: u64, len_bytes: u64) -> Option<MemoryRange> {
        let last = address.checked_add(len_bytes.checked_sub(1)?)?;
        let highest = match space {
            AddressSpace::Virtual => self.last_address(address),
            AddressSpace::Physical => u64::MAX,
        };
        (last <= highest).then_some(MemoryRange {
            address: Address(address),
            len_bytes,
        })
    }

    /// Returns the last address of the address space that contains an address.
    fn last_address(&self, address: u64) -> u64 {
        let set = NameReader(self.index).set_at(self.thread, self.at);
        let highest = set.map_or(u64::MAX, |set| set.highest_address());
        if address <= highest {
            highest
        } else {
            u64::MAX
        }
    }

    /// Resolves a register (`x3`), a lane of one (`v0.s[2]`), or one of another thread (`x3 of
    /// cpu1`). `None` if the trace has no such register here, or if the name means a symbol because
    /// the trace never shows the register.
    ///
    /// # Errors
    /// The trace or its index could not be read.
    pub fn register(&self, name: &str) -> Result<Option<Cell>, QueryError> {
        match self.lookup.symbol_of_register(name) {
            Some(_) => Ok(None),
            None => self.any_register(name),
        }
    }

    fn any_register(&self, name: &str) -> Result<Option<Cell>, QueryError> {
        let found = RegisterPart::parse(name).view_at(self.index, self.thread, self.at)?;
        Ok(found.map(|(thread, view)| Cell::Register { thread, view }))
    }

    /// Resolves a register in any spelling of [`Self::register`] or `reg::x3`, or `ADDR[:LEN]` or
    /// `phys::ADDR[:LEN]`. A name of both a register and a symbol is the register, if the trace shows
    /// that.
    ///
    /// # Errors
    /// The text is invalid, names nothing, has no value here, or is empty.
    pub fn cell(&self, text: &str) -> Result<Cell, NameError> {
        let name = text.trim();
        let found = match name.strip_prefix("reg::") {
            Some(name) => self.any_register(name)?,
            None => self.register(name)?,
        };
        if let Some(register) = found {
            return Ok(register);
        }
        let name = name.strip_prefix("reg::").unwrap_or(name);
        if RegisterPart::is_part(name) {
            return Err(NameError::NoPart(text.to_owned()));
        }
        let (space, range) = self.range_in_space(text)?;
        Ok(memory_in(space, range))
    }
}

fn memory_in(space: AddressSpace, MemoryRange { address, len_bytes }: MemoryRange) -> Cell {
    match space {
        AddressSpace::Virtual => Cell::Memory { address, len_bytes },
        AddressSpace::Physical => Cell::Physical { address, len_bytes },
    }
}

/// A name without a meaning here.
#[derive(Debug)]
pub enum NameError {
    /// The expression is invalid or has no value.
    Expression {
        /// The expression as typed.
        text: String,
        error: ExpressionError,
    },
    /// The trace or its index could not be read.
    Trace(QueryError),
    /// A range without a byte, as typed.
    EmptyRange(String),
    /// A range that begins or ends outside the address space, as typed.
    BeyondMemory(String),
    /// A missing lane, or a register of a missing thread, as typed.
    NoPart(String),
    /// A source line without code in the images.
    NoCode(SourceLineName),
    /// A physical address where only a virtual one has a meaning, as typed.
    Physical(String),
}

impl NameError {
    /// Returns true if the name has no meaning at any position; false if only the value is unknown
    /// or could not be read.
    pub fn is_misspelt(&self) -> bool {
        match self {
            Self::Expression { error, .. } => !error.kind.depends_on_position(),
            Self::Trace(_) => false,
            Self::EmptyRange(_)
            | Self::BeyondMemory(_)
            | Self::NoPart(_)
            | Self::NoCode(_)
            | Self::Physical(_) => true,
        }
    }
}

impl NameError {
    /// Returns true if a word is the name of nothing.
    pub fn names_nothing(&self) -> bool {
        matches!(self, Self::Expression { error, .. }
        if matches!(
            error.kind,
            ExpressionErrorKind::NoRegister(_)
                | ExpressionErrorKind::NoSymbol(_)
                | ExpressionErrorKind::NoName(_)
                | ExpressionErrorKind::NoImages(_)
                | ExpressionErrorKind::NoVariable(_)
        ))
    }

    /// Returns true if the expression has no value at this position but may have one elsewhere.
    pub fn is_unknown_here(&self) -> bool {
        matches!(self, Self::Expression { error, .. }
            if error.kind.depends_on_position() && error.cause().is_none())
    }

    /// Returns the error with an explanation, which names the text, in front of the cause.
    pub fn explained(self, explanation: String) -> anyhow::Error {
        match self {
            Self::Expression { error, .. } => anyhow::Error::new(error).context(explanation),
            other => other.into(),
        }
    }
}

impl From<QueryError> for NameError {
    fn from(error: QueryError) -> Self {
        Self::Trace(error)
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The message of a single name repeats it.
            Self::Expression { text, error } if is_name(text.trim()) => write!(f, "{}", error.kind),
            Self::Expression { text, error } => write!(f, "{error}: {text:?}"),
            Self::Trace(error) => write!(f, "{error}"),
            Self::EmptyRange(text) => {
                write!(f, "a range of memory has at least one byte: {text:?}")
            }
            Self::BeyondMemory(text) => {
                write!(
                    f,
                    "the range is negative or reaches beyond the end of the address space: {text:?}"
                )
            }
            Self::NoCode(line) => f.write_str(&line.no_code()),
            Self::Physical(text) => {
                write!(f, "only a virtual address is possible here: {text:?}")
            }
            Self::NoPart(text) => write!(f, "the trace has no such part of a register: {text:?}"),
        }
    }
}

impl std::error::Error for NameError {}

fn is_name(text: &str) -> bool {
    text.chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_')
}

/// Returns the address of the instruction that a number refers to.
///
/// Bit 0 of a register or symbol may say how to decode the code, if the architecture has such a
/// bit. The steps at the address determine the architecture.
///
/// # Errors
/// See [`QueryError`].
pub fn code_address(number: u64, index: &Index, cancel: &Cancel) -> Result<Address, QueryError> {
    if number & 1 == 0 {
        return Ok(Address(number));
    }
    let step = NearestVisit::next(Address(number - 1), Position(0)).run(index, cancel)?;
    let set = step.map_or(index.source().traits().instruction_set, |hit| {
        hit.record.instruction_set
    });
    Ok(Address(set.code_address(number)))
}

/// Returns the damage that an error reports, including one met while a name or an address was
/// evaluated.
pub fn damage_in(error: &anyhow::Error) -> Option<Damage> {
    let expression = error.downcast_ref().or_else(|| match error.downcast_ref() {
        Some(NameError::Expression { error, .. }) => Some(error),
        _ => None,
    });
    match (
        error.downcast_ref(),
        expression.and_then(ExpressionError::cause),
    ) {
        (Some(NameError::Trace(after)), _) | (_, Some(after)) => Damage::of(after),
        _ => Damage::of(error.as_ref()),
    }
}
/// Parses a number too wide for an expression: `0x` and more than 16 digits.
pub fn wide_number(text: &str) -> Option<Number> {
    let text = text.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))?;
    Number::from_hex(digits).filter(|_| digits.len() > 16)
}
