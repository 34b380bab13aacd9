//! Converts numbers to code addresses.

use stepback_index::{Cancel, Index, NearestVisit, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

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
