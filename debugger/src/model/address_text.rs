//! Resolves a typed address: digits, an expression of registers and symbols, or a physical address.

use anyhow::Result;
use stepback_index::{Cancel, ThreadId};
use stepback_machine::Address;
use stepback_parsers::Position;

use super::physical::virtual_address;
use crate::expression::{AddressSpace, IndexLookup, evaluate, split_space};
use crate::session::Session;

/// Expression of the address shown at first: the end of the stack. Architectures that bias the
/// stack pointer differ from the value of `sp`.
pub const STACK: &str = "sp";

/// Value of an address expression at a position, or the message that explains why there is none.
pub type AddressResult = Result<u64, String>;

/// Evaluates an address expression at a position. Runs on a worker.
///
/// # Errors
/// See [`stepback_index::QueryError`].
pub fn address_of(
    session: &Session,
    text: &str,
    position: Position,
    cancel: &Cancel,
) -> Result<AddressResult> {
    let names = IndexLookup::new(&session.index, &session.images, position, None, cancel);
    let (space, expression) = split_space(text);
    let value = match evaluate(expression, &names) {
        Err(error) if error.behind().is_some() => return Err(error.into()),
        value => value.map_err(|error| error.to_string()),
    };
    Ok(match value {
        Ok(physical) if space == AddressSpace::Physical => {
            let found = virtual_address(session, Address(physical), position, cancel)?;
            found.map(|address| address.0)
        }
        Ok(pointer) if text == STACK => Ok(session
            .index
            .instruction_set(ThreadId(0))
            .stack_end(pointer)),
        value => value,
    })
}
