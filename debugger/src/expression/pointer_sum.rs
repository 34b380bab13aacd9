//! Targets of sums with a pointer: `*(p + i)` is `p[i]` (C11, 6.5.2.1).

use super::operation::Operation;
use super::operators::Binary;
use super::typed_number::TypedNumber;
use super::value_path::{PathStep, VariableAspect};

/// Operations with their columns.
type Operations = Vec<(usize, Operation)>;

/// An addend of a sum.
struct Addend {
    /// Column of the operator.
    column: usize,
    operator: Binary,
    operations: Operations,
}

/// Returns the element at which a sum of a variable and an index points; none for other operations.
/// Cost: linear in the number of operations.
pub fn element_of_sum(mut sum: Operations) -> Option<Operations> {
    // Both branches of a decision have absolute places.
    let is_decision = |operation: &Operation| matches!(operation, Operation::Decide { .. });
    if sum.iter().any(|(_, operation)| is_decision(operation)) {
        return None;
    }
    let mut addends = Vec::new();
    while let Some((column, Operation::Binary(operator @ (Binary::Add | Binary::Subtract)))) =
        sum.last().cloned()
    {
        sum.pop();
        let start = start_of_last(&sum)?;
        addends.push(Addend {
            column,
            operator,
            operations: sum.split_off(start),
        });
    }
    addends.reverse();
    // `i + p` is `p + i`.
    if !is_variable(&sum) {
        let place = addends
            .iter()
            .position(|addend| addend.operator == Binary::Add && is_variable(&addend.operations))?;
        let pointer = addends.get_mut(place)?;
        std::mem::swap(&mut pointer.operations, &mut sum);
    }
    // An address has 64 bits, so the index must not wrap at the width of an addend.
    let zero = Operation::Number(TypedNumber::long(0));
    let mut index = vec![(addends.first()?.column, zero)];
    for addend in addends {
        index.extend(addend.operations);
        index.push((addend.column, Operation::Binary(addend.operator)));
    }
    let (column, mut variable) = sum.pop()?;
    variable.make_path();
    let Operation::Path(path) = &mut variable else {
        return None;
    };
    path.steps.push(PathStep::Element);
    sum.extend(index);
    sum.push((column, variable));
    Some(sum)
}

/// Returns true if operations end with a variable, whose indexes are before it.
fn is_variable(operations: &[(usize, Operation)]) -> bool {
    match operations.last() {
        Some((_, Operation::Path(path))) => path.aspect == VariableAspect::Value,
        Some((_, operation @ Operation::Name(..))) => {
            let mut operation = operation.clone();
            operation.make_path();
            matches!(operation, Operation::Path(_))
        }
        _ => false,
    }
}

/// Returns the place at which the last value of some operations begins.
fn start_of_last(operations: &[(usize, Operation)]) -> Option<usize> {
    let mut missing = 1_usize;
    for (place, (_, operation)) in operations.iter().enumerate().rev() {
        missing = missing
            .checked_sub(1)?
            .checked_add(operation.operand_count())?;
        if missing == 0 {
            return Some(place);
        }
    }
    None
}
