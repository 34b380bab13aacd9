//! Where semihosting calls let the host write whose parameters only the images of the program hold.

use stepback_parsers::Source;

use crate::answers::cancel::Cancel;
use crate::answers::program::Program;
use crate::builder::semihosting::pass::HostPass;
use crate::index::Index;

/// The same index, which knows besides what the images of the program tell: what memory held when it was loaded,
/// where functions are, and where the host wrote during calls whose parameters it held.
/// Cost: some lookups for each call of which the trace alone does not tell that.
pub fn with_images<S: Source>(index: Index<S>, program: Program, cancel: &Cancel) -> Index<S> {
    let index = index.with_program(program);
    if index.program().is_empty() || index.open_calls.is_empty() {
        return index;
    }
    HostPass::new(index, cancel).with_images()
}
