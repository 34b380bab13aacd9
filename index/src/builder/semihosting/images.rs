//! Where semihosting calls let the host write whose parameters only the images of the program hold.

use crate::answers::cancel::Cancel;
use crate::answers::program::Program;
use crate::builder::semihosting::pass::HostPass;
use crate::index::Index;
use crate::read::code_check::CodeCheck;

/// The same index, which knows besides what the images of the program tell: what memory held when it was loaded,
/// where functions are, and where the host wrote during calls whose parameters it held.
/// Of pages where the trace executed other bytes, nothing is taken from the program.
/// Cost: one comparison for each distinct instruction, some lookups for each call of which the trace does not tell that.
pub fn with_images(index: Index, program: Program, cancel: &Cancel) -> Index {
    // What cannot be compared, because the trace cannot be read any more, the next question reports.
    let program = CodeCheck(&index)
        .believed(program.clone(), cancel)
        .unwrap_or(program);
    let index = index.with_program(program);
    if index.program().is_empty() || index.open_calls.is_empty() {
        return index;
    }
    HostPass::new(index, cancel).with_images()
}
