//! Describes heap blocks.

use stepback_index::Heap;
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use super::text::thousands;
use super::traced_call::{CallNames, Callee};
use crate::analysis::heap::DoubleFree;
use crate::messages::say;
use crate::session::Session;

/// Returns the name of a traced function: `malloc`.
pub fn function_name(session: &Session, id: u64) -> String {
    let functions = session.companions.functions.as_ref();
    CallNames {
        functions,
        set: session.index.source().traits().instruction_set,
    }
    .callee(Callee::Function(id))
}

/// Describes the block that contains an address at a position: `24 bytes into the 64 that malloc
/// returned at step 7, freed at step 9`.
pub fn block_words(
    session: &Session,
    heap: &Heap,
    address: Address,
    position: Position,
) -> Option<String> {
    let block = heap.block_at(address, position)?;
    let (offset, size) = (
        address.0.saturating_sub(block.address.0),
        thousands(block.size_bytes),
    );
    let place = match offset {
        0 => say!("heap-first-of", size = size),
        offset => say!("heap-into", count = offset, size = size),
    };
    let end = match block.freed {
        Some(freed) if freed.at <= position => {
            say!("heap-freed-since", step = step_words(freed.step))
        }
        Some(freed) => say!("heap-freed-at", step = step_words(freed.step)),
        None => say!("heap-never-freed").to_owned(),
    };
    let function = function_name(session, block.function);
    Some(say!(
        "heap-block",
        place = place,
        function = function,
        step = step_words(block.allocated_step),
        end = end
    ))
}

/// Describes a double free.
pub fn double_free_words(session: &Session, DoubleFree { bad, before }: DoubleFree<'_>) -> String {
    let [function, freer] = [bad.function, before.function].map(|id| function_name(session, id));
    say!(
        "heap-double-free",
        function = function,
        address = bad.address.to_string(),
        freer = freer,
        step = step_words(before.step)
    )
}

fn step_words(step: Option<Step>) -> String {
    step.map_or_else(
        || say!("heap-the-start").to_owned(),
        |step| say!("heap-step", step = step.0),
    )
}

#[cfg(test)]
mod tests {
    use stepback_generator::drmemtrace::TraceWriter;
    use stepback_index::Cancel;

    use super::*;
    use crate::analysis::heap::{has_heap, heap};
    use crate::session::test_session::drmemtrace_with;

    // Numbers of marker kinds.
    const FUNCTION: u16 = 4;
    const RETURN_ADDRESS: u16 = 5;
    const ARGUMENT: u16 = 6;
    const RETURN_VALUE: u16 = 7;

    const LIST: &str = "1,1,0x10,libc.so.6!malloc\n2,1,0x20,libc.so.6!free\n3,0,0x30,app!work\n";

    #[test]
    fn an_address_says_which_block_it_is_in_and_how_long_that_lives() {
        let call = |writer: &mut TraceWriter, markers: &[(u16, u64)]| {
            writer.instruction(0x40_1000, &[0x90]);
            markers
                .iter()
                .for_each(|(sort, value)| writer.marker(*sort, *value));
        };
        let (session, _place) = drmemtrace_with(LIST, |writer| {
            call(
                writer,
                &[(FUNCTION, 1), (RETURN_ADDRESS, 0x40_2000), (ARGUMENT, 64)],
            );
            call(writer, &[(FUNCTION, 1), (RETURN_VALUE, 0x5000)]);
            call(writer, &[]);
            call(
                writer,
                &[
                    (FUNCTION, 2),
                    (RETURN_ADDRESS, 0x40_2000),
                    (ARGUMENT, 0x5000),
                ],
            );
            call(writer, &[(FUNCTION, 2), (RETURN_VALUE, 0)]);
        });
        let functions = session.companions.functions.as_ref();
        let heap = heap(&session.index, functions, &Cancel::default()).unwrap();
        let words =
            |address, position| block_words(&session, &heap, Address(address), Position(position));
        let freed = session.index.end();
        assert!(has_heap(functions));
        assert!(
            words(0x5018, 3)
                .unwrap()
                .starts_with("24 bytes into the 64 that malloc returned at step 1, freed at step ")
        );
        assert!(
            words(0x5000, freed.0)
                .unwrap()
                .starts_with("the first of the 64 that malloc returned at step 1, freed since at ")
        );
        assert_eq!((words(0x5018, 1), words(0x5040, 3)), (None, None));
    }
}
