//! Host writes of semihosting calls with parameters that only the program images contain.

use crate::answers::cancel::Cancel;
use crate::answers::program::Program;
use crate::builder::semihosting::pass::HostPass;
use crate::index::Index;
use crate::read::code_check::CodeCheck;

/// Returns the index with the knowledge of the program images added: the initial memory contents,
/// the functions, and the host writes of calls with parameters in the images. Pages on which the
/// trace executed other bytes are not taken from the program. Cost: one comparison for each
/// distinct instruction, and some lookups for each call with parameters unknown to the trace.
pub fn with_images(index: Index, program: Program, cancel: &Cancel) -> Index {
    // If the trace cannot be read any more, nothing is compared, and the next query reports the
    // error.
    let program = CodeCheck(&index)
        .consistent_program(program.clone(), cancel)
        .unwrap_or(program);
    let index = index.with_program(program);
    if index.program().is_empty() || index.open_calls.is_empty() {
        return index;
    }
    HostPass::new(index, cancel).with_images()
}
