//! The contents of the module.

use pyo3::pymodule;

/// Answers about recorded CPU instruction traces.
///
/// >>> import stepback
/// >>> trace = stepback.open_demo()
/// >>> len(trace)
/// 44013
/// >>> trace.last_write("0x80020340:8", 30000)
/// <stepback.Hit at step 20344: write 0x80020347:1 = 0xb6>
///
/// A position is the number of steps before it: position n is after step n - 1 and before step n.
/// It may also be text such as "end", "50%", "line:7" or "pc:main".
/// A cell is a register ("x2"), memory ("0x80020340:8" or (0x80020340, 8)), or any expression for
/// an address. What is unknown is None, never 0.
#[pymodule]
mod stepback {
    #[pymodule_export]
    use crate::error::Error;
    #[pymodule_export]
    use crate::row_iterator::Rows;
    #[pymodule_export]
    use crate::rows::{
        Access, Call, ExceptionEntry, Hit, Initial, Marker, Note, RegisterWrite, Step,
    };
    #[pymodule_export]
    use crate::slice_rows::{Definition, SliceEnd, SliceStep};
    #[pymodule_export]
    use crate::state::State;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::trace::{Trace, open, open_demo};

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python expects")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
