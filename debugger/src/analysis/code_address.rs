//! Where the code lies that a number names.

use stepback_index::{Cancel, Index, NearestVisit, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

/// The address of the instruction that a number names: bit 0 of a register or symbol may tell how to decode it, where the
/// architecture has such a bit. The steps themselves say of which architecture the code there is.
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
