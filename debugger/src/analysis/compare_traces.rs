//! The comparison of two open traces ([`compare_traces`]).

use std::sync::atomic::AtomicU64;

use anyhow::{Result, bail};
use stepback_compare::{CompareOptions, Comparison, Tolerances, foreign_sets};
use stepback_index::answer::Heap;
use stepback_index::{Cancel, QueryError};

use crate::analysis::heap::{allocators, heap};
use crate::session::Session;

/// Compares two traces. `progress` counts the matched steps whose values were compared.
///
/// # Errors
/// The traces are those of different processors, one cannot be read, or `cancel` was set.
pub fn compare_traces(
    a: &Session,
    b: &Session,
    tolerances: Tolerances,
    progress: &AtomicU64,
    cancel: &Cancel,
) -> Result<Comparison> {
    if let Some([one, other]) = foreign_sets(&a.index, &b.index) {
        let [one, other] = [one, other].map(|set| set.names().title);
        let b = b.path.display();
        bail!(
            "it is a trace of {one}, and {b} is one of {other}: traces of different processors \
             cannot be compared"
        );
    }
    let options = CompareOptions {
        tolerances,
        allocators: allocators(&a.images),
        heaps: [recorded_heap(a, cancel)?, recorded_heap(b, cancel)?],
        progress: Some(progress),
    };
    Ok(Comparison::run(&a.index, &b.index, options, cancel)?)
}

fn recorded_heap(session: &Session, cancel: &Cancel) -> Result<Heap, QueryError> {
    heap(
        &session.index,
        session.companions.functions.as_ref(),
        cancel,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::test_session::drmemtrace_with;

    /// Numbers of marker kinds.
    const FUNCTION: u16 = 4;
    const RETURN_ADDRESS: u16 = 5;
    const ARGUMENT: u16 = 6;
    const RETURN_VALUE: u16 = 7;

    /// Counts the differing steps of two traces of a program that allocates two blocks and writes
    /// to both.
    fn differing_steps(functions: &str) -> u64 {
        let trace = |blocks: [u64; 2]| {
            drmemtrace_with(functions, |writer| {
                for (place, block) in (0..).zip(blocks) {
                    writer.instruction(0x40_1000 + place, &[0x90]);
                    for (kind, value) in [
                        (FUNCTION, 1),
                        (RETURN_ADDRESS, 0x40_2000),
                        (ARGUMENT, 64),
                        (FUNCTION, 1),
                        (RETURN_VALUE, block),
                    ] {
                        writer.marker(kind, value);
                    }
                }
                for (place, block) in (0..).zip(blocks) {
                    // mov [rax+8], rbx
                    writer.instruction(0x40_1010 + place * 4, &[0x48, 0x89, 0x58, 0x08]);
                    writer.write(block + 8, 8);
                }
            })
        };
        let ((a, _a), (b, _b)) = (trace([0x5000, 0x7000]), trace([0x7000, 0x5000]));
        let (cancel, progress) = (Cancel::default(), AtomicU64::default());
        let found = compare_traces(&a, &b, Tolerances::default(), &progress, &cancel).unwrap();
        let details = found.compared.iter().flat_map(|threads| &threads.details);
        let values = details.filter_map(|details| details.values.as_ref());
        values.map(|values| values.differing).sum()
    }

    #[test]
    fn recorded_blocks_of_the_same_call_are_the_same() {
        assert_eq!(differing_steps("1,1,0x10,libc.so.6!malloc\n"), 0);
        assert_eq!(differing_steps("1,1,0x10,libc.so.6!work\n"), 2);
    }
}
