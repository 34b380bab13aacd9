//! The value of an expression.

use super::ExpressionError;
use super::error::{ExpressionErrorKind as Kind, LookupFailure};
use super::parser::{self, Binary, Operation, Unary};
use super::shown::{ChosenReading, address_of_name, bare_hex};
use super::token::NameKind;
use crate::number::NumberError;

/// What the names of an expression stand for.
pub trait NameLookup {
    /// A register, in any case; none when no register has this name.
    fn register(&self, name: &str) -> Option<ValueLookup>;

    /// The addresses of the symbols with a name; several for static functions of one name.
    fn symbols(&self, name: &str) -> Vec<u64>;

    /// The number in memory at an address, in the byte order of the traced CPU.
    fn memory(&self, address: u64, width: Width) -> ValueLookup;

    /// Whether the trace executes or accesses this address, or an image has it.
    fn is_used(&self, address: u64) -> bool;

    /// The address that a name of hexadecimal digits is, where the register of that name has no value: `d0`.
    /// None where an expression is followed along the trace: there the register may get a value.
    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        bare_hex(name).filter(|address| self.is_used(*address))
    }
}

/// How many bytes of memory a number has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// As many as an address of the traced CPU: `[sp]`.
    Pointer,
    /// 1, 2, 4 or 8: `u8[sp]` to `u64[sp]`.
    Bytes(u8),
}

/// What a register or memory holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueLookup {
    /// This, without the bits above 64.
    Known(u64),
    /// The trace does not say, at least not of every byte.
    Unknown,
    /// It could not be looked up, for this reason.
    Failed(LookupFailure),
}

/// An expression that was read and awaits a place to be evaluated at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// In the order of evaluation, each with the column it comes from.
    pub(super) operations: Vec<(usize, Operation)>,
}

/// Reads an expression without asking what its names stand for.
///
/// # Errors
/// Says at which column it is wrong.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    parser::parse(text)
}

/// Reads an expression and works it out.
///
/// # Errors
/// Says at which column it is wrong or what has no value.
pub fn evaluate(text: &str, context: &dyn NameLookup) -> Result<u64, ExpressionError> {
    parse(text)?.evaluate(context)
}

impl Expression {
    /// Works the expression out; results wrap around at 2^64.
    ///
    /// # Errors
    /// A name stands for nothing, a register or memory is unknown, or something is divided by zero.
    pub fn evaluate(&self, context: &dyn NameLookup) -> Result<u64, ExpressionError> {
        self.exact(context).map(wrapped)
    }

    /// Returns true when sums and differences lead below zero, so that the value wraps around: `0x1000 - 0x2000`.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn is_negative(&self, context: &dyn NameLookup) -> Result<bool, ExpressionError> {
        self.exact(context).map(|value| value < 0)
    }

    /// The value whose lowest 64 bits are the result: sums, differences and products do not wrap around at 2^64.
    fn exact(&self, context: &dyn NameLookup) -> Result<i128, ExpressionError> {
        let mut stack: Vec<i128> = Vec::new();
        let mut next = 0;
        while let Some((column, operation)) = self.operations.get(next) {
            next += 1;
            let at_column = |kind: Kind| ExpressionError {
                column: *column,
                kind,
            };
            // The parser puts as many values before an operator as it takes.
            let mut pop = || stack.pop().ok_or_else(|| at_column(Kind::ValueMissing));
            let value = match operation {
                Operation::Number(value) => (*value).into(),
                Operation::Bare(bare) => bare.read(context).taken.into(),
                Operation::Name(kind, name) => {
                    look_up(*kind, name, context).map_err(at_column)?.into()
                }
                Operation::Memory(width) => load(wrapped(pop()?), *width, context)
                    .map_err(at_column)?
                    .into(),
                Operation::Unary(Unary::Minus) => pop()?.wrapping_neg(),
                Operation::Unary(operator) => operator.apply(wrapped(pop()?)).into(),
                Operation::Decide { by, end } => {
                    let is_true = wrapped(pop()?) != 0;
                    if is_true != by.deciding() {
                        continue;
                    }
                    next = *end;
                    is_true.into()
                }
                Operation::Binary(operator) => {
                    let (right, left) = (pop()?, pop()?);
                    match operator {
                        Binary::Add => left.wrapping_add(right),
                        Binary::Subtract => left.wrapping_sub(right),
                        Binary::Multiply => left.wrapping_mul(right),
                        operator => {
                            let value = operator.apply(wrapped(left), wrapped(right));
                            value.ok_or_else(|| at_column(Kind::DivisionByZero))?.into()
                        }
                    }
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or(ExpressionError {
            column: 1,
            kind: Kind::Empty,
        })
    }

    /// Works the expression out for each symbol that has the name that it contains: static functions share names.
    /// In ascending order, each value once.
    ///
    /// # Errors
    /// As [`Self::evaluate`]; two names that several symbols have are an error.
    pub fn evaluate_all(&self, context: &dyn NameLookup) -> Result<Vec<u64>, ExpressionError> {
        let mut values = match self.evaluate(context) {
            Err(ExpressionError {
                kind: Kind::SeveralSymbols(name, addresses),
                ..
            }) => addresses
                .into_iter()
                .map(|address| {
                    self.evaluate(&SingleSymbolLookup {
                        context,
                        name: &name,
                        address,
                    })
                })
                .collect::<Result<Vec<u64>, _>>()?,
            value => vec![value?],
        };
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// How the numbers and names that have several readings are read.
    pub fn readings(&self, context: &dyn NameLookup) -> Vec<ChosenReading> {
        let reading = |operation: &Operation| match operation {
            Operation::Bare(bare) => Some(bare.read(context))
                .filter(|reading| reading.is_hexadecimal || reading.other.is_some()),
            Operation::Name(NameKind::Any, name) => reading_of_name(name, context),
            _ => None,
        };
        self.operations
            .iter()
            .filter_map(|(_, operation)| reading(operation))
            .collect()
    }

    /// The expression with every number read in C syntax: for lengths and counts, which no listing prints in hexadecimal.
    ///
    /// # Errors
    /// A number has no value in C syntax.
    pub fn in_c(mut self) -> Result<Self, ExpressionError> {
        for (column, operation) in &mut self.operations {
            if let Operation::Bare(bare) = operation {
                let malformed = || Kind::Number(bare.digits.clone(), NumberError::Malformed);
                let value = bare.in_c.ok_or_else(|| ExpressionError {
                    column: *column,
                    kind: malformed(),
                })?;
                *operation = Operation::Number(value);
            }
        }
        Ok(self)
    }

    /// True when the value does not depend on a position.
    pub fn is_without_position(&self, context: &dyn NameLookup) -> bool {
        !self
            .operations
            .iter()
            .any(|(_, operation)| match operation {
                Operation::Name(NameKind::Register, _) | Operation::Memory(_) => true,
                Operation::Name(NameKind::Any, name) => context.register(name).is_some(),
                _ => false,
            })
    }
}

/// The lowest 64 bits of a number.
fn wrapped(value: i128) -> u64 {
    u64::try_from(value.rem_euclid(1 << 64)).unwrap_or(u64::MAX)
}

fn look_up(kind: NameKind, name: &str, context: &dyn NameLookup) -> Result<u64, Kind> {
    let register = if kind == NameKind::Symbol {
        None
    } else {
        context.register(name)
    };
    match register {
        Some(ValueLookup::Known(value)) => return Ok(value),
        Some(ValueLookup::Unknown) => {
            let address = if kind == NameKind::Any {
                context.address_of_unknown(name)
            } else {
                None
            };
            return address.ok_or_else(|| Kind::RegisterUnknown(name.to_owned()));
        }
        Some(ValueLookup::Failed(why)) => return Err(Kind::RegisterFailed(name.to_owned(), why)),
        None if kind == NameKind::Register => return Err(Kind::NoRegister(name.to_owned())),
        None => {}
    }
    let addresses = context.symbols(name);
    match addresses[..] {
        [address] => Ok(address),
        [_, ..] => Err(Kind::SeveralSymbols(name.to_owned(), addresses)),
        [] if kind == NameKind::Symbol => Err(Kind::NoSymbol(name.to_owned())),
        [] => address_of_name(name, context).ok_or_else(|| Kind::NoName(name.to_owned())),
    }
}

/// A name of hexadecimal digits may be an address as well.
fn reading_of_name(name: &str, context: &dyn NameLookup) -> Option<ChosenReading> {
    let address = bare_hex(name)?;
    let reading = |taken, other, is_hexadecimal| ChosenReading {
        text: name.to_owned(),
        taken,
        other,
        is_hexadecimal,
    };
    match look_up(NameKind::Any, name, context) {
        Ok(taken) if matches!(context.register(name), Some(ValueLookup::Unknown)) => {
            Some(reading(taken, None, true))
        }
        Ok(taken) if context.register(name).is_none() && context.symbols(name).is_empty() => {
            Some(reading(taken, None, true))
        }
        Ok(taken) if taken != address && context.is_used(address) => {
            Some(reading(taken, Some(address), false))
        }
        _ => None,
    }
}

/// A context in which a name stands for one of the symbols that have it.
struct SingleSymbolLookup<'a> {
    context: &'a dyn NameLookup,
    name: &'a str,
    address: u64,
}

impl NameLookup for SingleSymbolLookup<'_> {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        self.context.register(name)
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        if name == self.name {
            vec![self.address]
        } else {
            self.context.symbols(name)
        }
    }

    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        self.context.memory(address, width)
    }

    fn is_used(&self, address: u64) -> bool {
        self.context.is_used(address)
    }

    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        self.context.address_of_unknown(name)
    }
}

fn load(address: u64, width: Width, context: &dyn NameLookup) -> Result<u64, Kind> {
    match context.memory(address, width) {
        ValueLookup::Known(value) => Ok(value),
        ValueLookup::Unknown => Err(Kind::MemoryUnknown(address)),
        ValueLookup::Failed(why) => Err(Kind::MemoryFailed(address, why)),
    }
}

impl Unary {
    fn apply(self, value: u64) -> u64 {
        match self {
            Self::Minus => value.wrapping_neg(),
            Self::Complement => !value,
            Self::Not => u64::from(value == 0),
            Self::Truth => u64::from(value != 0),
        }
    }
}

impl Binary {
    /// None for a division by zero.
    fn apply(self, left: u64, right: u64) -> Option<u64> {
        let distance = u32::try_from(right).unwrap_or(u32::MAX);
        Some(match self {
            Self::Equal => u64::from(left == right),
            Self::NotEqual => u64::from(left != right),
            Self::Less => u64::from(left < right),
            Self::LessOrEqual => u64::from(left <= right),
            Self::Greater => u64::from(left > right),
            Self::GreaterOrEqual => u64::from(left >= right),
            Self::Or => left | right,
            Self::Xor => left ^ right,
            Self::And => left & right,
            Self::ShiftLeft => left.checked_shl(distance).unwrap_or(0),
            Self::ShiftRight => left.checked_shr(distance).unwrap_or(0),
            Self::Add => left.wrapping_add(right),
            Self::Subtract => left.wrapping_sub(right),
            Self::Multiply => left.wrapping_mul(right),
            Self::Divide => left.checked_div(right)?,
            Self::Remainder => left.checked_rem(right)?,
        })
    }
}
