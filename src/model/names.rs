//! How addresses are called.

use stepback_index::{Call, Cancel, QueryError};
use stepback_machine::{Address, InstructionSet};

use crate::analysis::traps::{Trap, trap_of};
use crate::image::Images;
use crate::session::Session;

/// The function at an address, or the address where no symbol says: `decode_field`, `8000087c`.
pub fn function_name(images: &Images, address: Address) -> String {
    match images.code_at(address) {
        Some(found) if found.offset == 0 => found.name.to_owned(),
        Some(found) => format!("{}+{:x}", found.name, found.offset),
        None => format!("{:x}", address.0),
    }
}

/// What a frame is called: the trap that it handles, with the handler's name where a symbol tells it; else its function.
/// Cost: for the frames of exceptions a look at the list of traps.
///
/// # Errors
/// See [`QueryError`].
pub fn frame_name(session: &Session, call: &Call, cancel: &Cancel) -> Result<String, QueryError> {
    let trap = trap_of(&session.index, call, cancel)?;
    let words = trap.map(|trap| trap_words(trap, session.index.instruction_set(call.thread)));
    let handler = session.images.code_at(call.function).is_some();
    let function = function_name(&session.images, call.function);
    Ok(match words {
        Some(words) if handler => format!("{words} ({function})"),
        Some(words) => words,
        None => function,
    })
}

/// `trap 0x68 fast data access MMU miss`, `trap 0x16d system call write`.
pub fn trap_words(trap: Trap, set: InstructionSet) -> String {
    let Trap { number, system_call } = trap;
    let name = match system_call {
        Some(call) => match set.system_call_name(call) {
            Some(name) => format!(" system call {name}"),
            None => format!(" system call {}", set.system_call_number(call)),
        },
        None => set.trap_name(number).map(|name| format!(" {name}")).unwrap_or_default(),
    };
    format!("trap {number:#x}{name}")
}

/// The symbol around an address as columns show it: `decode_field+10c`.
pub fn place_name(images: &Images, address: Address) -> Option<String> {
    let found = images.symbol_at(address)?;
    Some(if found.offset == 0 { found.name.to_owned() } else { format!("{}+{:x}", found.name, found.offset) })
}
