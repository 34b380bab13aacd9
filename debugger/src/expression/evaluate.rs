//! Evaluates expressions on a stack of values.

use std::ops::Range;

use super::error::{ExpressionErrorKind as Kind, LookupFailure};
use super::parser::{Binary, Operation, ShortCircuit, Unary};
use super::shown::{ChosenReading, address_of_name, bare_hex};
use super::token::NameKind;
use super::value_path::ValuePath;
use super::{ExpressionError, parser};
use crate::number::NumberError;

/// Source of the values of names and memory in an expression.
pub trait NameLookup {
    /// Looks up a register, in any letter case; `None` if no register has this name.
    fn register(&self, name: &str) -> Option<ValueLookup>;

    /// Returns the addresses of the symbols with a name; several for static functions of one name.
    fn symbols(&self, name: &str) -> Vec<u64>;

    /// Looks up a part of a local variable; `None` if no local variable has its name.
    fn variable(&self, _path: &ValuePath) -> Option<ValueLookup> {
        None
    }

    /// Looks up the number in memory at an address, in the byte order of the traced CPU.
    fn memory(&self, address: u64, width: Width) -> ValueLookup;

    /// Returns true if the trace executes or accesses this address, or an image has it.
    fn is_used(&self, address: u64) -> bool;

    /// Returns the address that a name of hexadecimal digits means if the register of that name has
    /// no value: `d0`. `None` if an expression is tracked along the trace: the register may get a
    /// value there.
    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        bare_hex(name).filter(|address| self.is_used(*address))
    }
}

/// Size of a number in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Size of an address of the traced CPU: `[sp]`.
    Pointer,
    /// 1, 2, 4 or 8 bytes: `u8[sp]` to `u64[sp]`.
    Bytes(u8),
}

/// Result of looking up a register or memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueLookup {
    /// The lowest 64 bits of the value.
    Known(u64),
    /// The trace does not record all bytes.
    Unknown,
    /// The lookup failed, for this reason.
    Failed(LookupFailure),
}

/// A parsed expression that can be evaluated at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// Operations in the order of evaluation, each with its column.
    pub(super) operations: Vec<(usize, Operation)>,
}

/// Parses an expression without resolving its names.
///
/// # Errors
/// Reports the column of the error.
pub fn parse(text: &str) -> Result<Expression, ExpressionError> {
    parser::parse(text)
}

/// Parses and evaluates an expression.
///
/// # Errors
/// Reports the column of the error or of the part without a value.
pub fn evaluate(text: &str, context: &dyn NameLookup) -> Result<u64, ExpressionError> {
    parse(text)?.evaluate(context)
}

impl Expression {
    /// Evaluates the expression; results wrap around at 2^64.
    ///
    /// # Errors
    /// A name cannot be resolved, a register or memory is unknown, or a division is by zero.
    pub fn evaluate(&self, context: &dyn NameLookup) -> Result<u64, ExpressionError> {
        self.exact(context).map(wrapped)
    }

    /// Returns true if sums and differences fall below zero, so that the value wraps around:
    /// `0x1000 - 0x2000`.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn is_negative(&self, context: &dyn NameLookup) -> Result<bool, ExpressionError> {
        self.exact(context).map(|value| value < 0)
    }

    /// Returns the registers and the values that they must equal for the expression to be true:
    /// `pc` and `0x80` of `x0 > 1 && pc == 0x80`.
    pub fn required_values(&self) -> Vec<(&str, Self)> {
        let mut found = Vec::new();
        let whole = 0..self.operations.len();
        let mut open = vec![whole];
        while let Some(part) = open.pop() {
            let operations = self.operations.get(part.clone()).unwrap_or_default();
            // The outermost short-circuit operator is the one whose right side ends the part.
            let outer = operations.iter().position(
                |(_, operation)| matches!(operation, Operation::Decide { end, .. } if *end == part.end),
            );
            match (outer, operations) {
                (Some(place), _) => {
                    if let Some((
                        _,
                        Operation::Decide {
                            by: ShortCircuit::And,
                            ..
                        },
                    )) = operations.get(place)
                    {
                        let place = part.start + place;
                        open.extend([place + 1..part.end - 1, part.start..place]);
                    }
                }
                (
                    None,
                    [
                        (_, Operation::Name(kind, name)),
                        value @ ..,
                        (_, Operation::Binary(Binary::Equal)),
                    ],
                ) if *kind != NameKind::Symbol && is_one_value(value) => {
                    found.push((name.as_str(), self.part(part.start + 1..part.end - 1)));
                }
                (
                    None,
                    [
                        ..,
                        (_, Operation::Name(kind, name)),
                        (_, Operation::Binary(Binary::Equal)),
                    ],
                ) if *kind != NameKind::Symbol => {
                    found.push((name.as_str(), self.part(part.start..part.end - 2)));
                }
                _ => {}
            }
        }
        found
    }

    /// Returns a range of operations that is an expression.
    fn part(&self, range: Range<usize>) -> Self {
        let operations = self.operations.get(range.clone()).unwrap_or_default();
        let mut operations = operations.to_vec();
        for (_, operation) in &mut operations {
            if let Operation::Decide { end, .. } = operation {
                *end -= range.start;
            }
        }
        Self { operations }
    }

    /// Returns a value whose lowest 64 bits are the result.
    fn exact(&self, context: &dyn NameLookup) -> Result<i128, ExpressionError> {
        let mut stack = values_of(&self.operations, context)?;
        stack.pop().ok_or(ExpressionError {
            column: 1,
            kind: Kind::Empty,
        })
    }

    /// Returns the variable, or the part of one, that the expression is; none if it is something
    /// else. Evaluates the indexes.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn path(&self, context: &dyn NameLookup) -> Result<Option<ValuePath>, ExpressionError> {
        Ok(match &*self.operations {
            [(_, Operation::Name(NameKind::Any, name))] => Some(ValuePath::of_name(name)),
            [indexes @ .., (_, Operation::Path(pattern))] => {
                let indexes = values_of(indexes, context)?.into_iter().map(wrapped);
                Some(pattern.with_indexes(indexes))
            }
            _ => None,
        })
    }

    /// Evaluates the expression for each symbol with the name that it contains: static functions
    /// share names. The values are sorted and distinct.
    ///
    /// # Errors
    /// As [`Self::evaluate`]. Two such names in one expression are an error.
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

    /// Returns the readings chosen for numbers and names that have several.
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

    /// Reads every number in C syntax: for lengths and counts, which no listing prints in
    /// hexadecimal.
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

    /// Returns true if the value does not depend on a position.
    pub fn is_without_position(&self, context: &dyn NameLookup) -> bool {
        !self
            .operations
            .iter()
            .any(|(_, operation)| match operation {
                Operation::Name(NameKind::Register, _)
                | Operation::Path(_)
                | Operation::Memory(_) => true,
                Operation::Name(NameKind::Any, name) => context.register(name).is_some(),
                _ => false,
            })
    }
}

/// Evaluates operations, and returns the values that they leave on the stack. Their lowest 64 bits
/// are the results: sums, differences and products do not wrap at 2^64.
fn values_of(
    operations: &[(usize, Operation)],
    context: &dyn NameLookup,
) -> Result<Vec<i128>, ExpressionError> {
    let mut stack: Vec<i128> = Vec::new();
    let mut next = 0;
    while let Some((column, operation)) = operations.get(next) {
        next += 1;
        let at_column = |kind: Kind| ExpressionError {
            column: *column,
            kind,
        };
        // The parser emits the operands of each operator before it.
        let mut pop = || stack.pop().ok_or_else(|| at_column(Kind::ValueMissing));
        let value = match operation {
            Operation::Number(value) => (*value).into(),
            Operation::Bare(bare) => bare.read(context).taken.into(),
            Operation::Name(kind, name) => look_up(*kind, name, context).map_err(at_column)?.into(),
            Operation::Path(pattern) => {
                let mut indexes = Vec::new();
                for _ in 0..pattern.index_count() {
                    indexes.push(wrapped(pop()?));
                }
                indexes.reverse();
                let path = pattern.with_indexes(indexes);
                look_up_path(&path, context).map_err(at_column)?.into()
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
    Ok(stack)
}

/// Returns the lowest 64 bits of a number.
fn wrapped(value: i128) -> u64 {
    u64::try_from(value.rem_euclid(1 << 64)).unwrap_or(u64::MAX)
}

/// Returns true if operations leave one value and use none from before.
fn is_one_value(operations: &[(usize, Operation)]) -> bool {
    let mut depth = 0usize;
    for (_, operation) in operations {
        let (taken, left) = match operation {
            Operation::Number(_) | Operation::Bare(_) | Operation::Name(..) => (0, 1),
            Operation::Path(pattern) => (pattern.index_count(), 1),
            Operation::Memory(_) | Operation::Unary(_) => (1, 1),
            Operation::Binary(_) => (2, 1),
            Operation::Decide { .. } => (1, 0),
        };
        let Some(rest) = depth.checked_sub(taken) else {
            return false;
        };
        depth = rest + left;
    }
    depth == 1
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

fn look_up_path(path: &ValuePath, context: &dyn NameLookup) -> Result<u64, Kind> {
    match context.variable(path) {
        Some(ValueLookup::Known(value)) => Ok(value),
        Some(ValueLookup::Unknown) => Err(Kind::RegisterUnknown(path.to_string())),
        Some(ValueLookup::Failed(why)) => Err(Kind::RegisterFailed(path.to_string(), why)),
        None => Err(Kind::NoVariable(path.name.clone())),
    }
}

/// Returns the reading of a name that may be a hexadecimal address as well.
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

/// A lookup in which a name means one of the symbols that have it.
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

    fn variable(&self, path: &ValuePath) -> Option<ValueLookup> {
        self.context.variable(path)
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
    /// Returns the result; `None` for a division by zero.
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
