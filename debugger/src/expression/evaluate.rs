//! Evaluates expressions on a stack of numbers.

use std::ops::Range;

use super::error::ExpressionErrorKind as Kind;
use super::lookup::NameLookup;
use super::named_numbers::{SingleSymbolLookup, load, look_up, look_up_path, reading_of_name};
use super::operation::Operation;
use super::operators::{Binary, ShortCircuit};
use super::shown::ChosenReading;
use super::token::NameKind;
use super::typed_number::TypedNumber;
use super::value_path::{ValuePath, VariableAspect};
use super::{ExpressionError, parser};
use crate::number::NumberError;

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

/// Returns the address of an expression that is a number in memory: `x0` of `[x0]`. `None` for any
/// other expression.
pub fn dereferenced(text: &str) -> Option<&str> {
    let expression = parse(text).ok()?;
    let is_load = matches!(
        expression.operations.last(),
        Some((_, Operation::Memory(_)))
    );
    let (_, rest) = text.split_once('[').filter(|_| is_load)?;
    Some(rest.rsplit_once(']')?.0.trim())
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
        self.number(context).map(TypedNumber::bits)
    }

    /// Returns true if sums and differences fall below zero, so that the value wraps around:
    /// `0x1000 - 0x2000`.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn is_negative(&self, context: &dyn NameLookup) -> Result<bool, ExpressionError> {
        self.number(context).map(|number| number.value < 0)
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

    /// Evaluates the expression, by the rules of C where a variable takes part.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn number(&self, context: &dyn NameLookup) -> Result<TypedNumber, ExpressionError> {
        let mut stack = values_of(&self.operations, context)?;
        stack.pop().ok_or(ExpressionError {
            column: 1,
            kind: Kind::Empty,
        })
    }

    /// Returns the error of the first name that has a value at no position; none if every name may
    /// have one. Elements are not checked.
    pub fn name_error(&self, context: &dyn NameLookup) -> Option<ExpressionError> {
        let error_of = |operation: &Operation| match operation {
            Operation::Name(kind, name) => look_up(*kind, name, context).err(),
            Operation::Path(pattern) => {
                let indexes = std::iter::repeat_n(0, pattern.index_count());
                let path = pattern.with_indexes(indexes);
                look_up_path(&path, pattern.aspect, context).err()
            }
            _ => None,
        };
        self.operations.iter().find_map(|(column, operation)| {
            let kind = error_of(operation).filter(|kind| !kind.depends_on_position())?;
            Some(ExpressionError {
                column: *column,
                kind,
            })
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
            [indexes @ .., (_, Operation::Path(pattern))]
                if pattern.aspect == VariableAspect::Value =>
            {
                let indexes = values_of(indexes, context)?;
                let indexes = indexes.into_iter().map(TypedNumber::bits);
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
                kind: Kind::SeveralSymbols(name, addresses, _),
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
            Operation::Bare(bare) => Some(bare.within(&self.operations, context).read(context))
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
                *operation = Operation::Number(TypedNumber::in_c(&bare.digits, value));
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

/// Evaluates operations, and returns the values that they leave on the stack.
fn values_of(
    operations: &[(usize, Operation)],
    context: &dyn NameLookup,
) -> Result<Vec<TypedNumber>, ExpressionError> {
    let mut stack: Vec<TypedNumber> = Vec::new();
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
            Operation::Number(number) => *number,
            Operation::Bare(bare) => bare.within(operations, context).number(context),
            Operation::Name(kind, name) => look_up(*kind, name, context).map_err(at_column)?,
            Operation::Path(pattern) => {
                let mut indexes = Vec::new();
                for _ in 0..pattern.index_count() {
                    indexes.push(pop()?.bits());
                }
                indexes.reverse();
                let path = pattern.with_indexes(indexes);
                look_up_path(&path, pattern.aspect, context).map_err(at_column)?
            }
            Operation::Memory(width) => load(pop()?.bits(), *width, context).map_err(at_column)?,
            Operation::Unary(operator) => pop()?.unary(*operator),
            Operation::Decide { by, end } => {
                let is_true = pop()?.is_true();
                if is_true != by.deciding() {
                    continue;
                }
                next = *end;
                is_true.into()
            }
            Operation::Binary(operator) => {
                let (right, left) = (pop()?, pop()?);
                left.binary(*operator, right).map_err(at_column)?
            }
        };
        stack.push(value);
    }
    Ok(stack)
}

/// Returns true if operations leave one value and use none from before.
fn is_one_value(operations: &[(usize, Operation)]) -> bool {
    let mut depth = 0usize;
    for (_, operation) in operations {
        let Some(rest) = depth.checked_sub(operation.operand_count()) else {
            return false;
        };
        let left = usize::from(!matches!(operation, Operation::Decide { .. }));
        depth = rest + left;
    }
    depth == 1
}
