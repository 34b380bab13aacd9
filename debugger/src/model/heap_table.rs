//! Table of heap blocks, and descriptions of a block, of a double free and of a traced function.

use std::cmp::Reverse;

use anyhow::Result;
use stepback_index::Cancel;
use stepback_index::answer::{BadFree, BlockRelease, Heap, HeapBlock};
use stepback_machine::Address;
use stepback_parsers::{Position, Step};

use crate::messages::say;
use crate::model::TextRole;
use crate::model::markers::{CallNames, Callee};
use crate::model::so_far::so_far;
use crate::model::table::{ROWS, Table, TableCell, TableRow, thread_name};
use crate::model::text::{size_text, thousands};
use crate::session::Session;

const HEADS: [&str; 9] = [
    "head-address",
    "head-bytes",
    "head-state",
    "head-allocated-at",
    "head-by",
    "head-thread",
    "head-freed-at",
    "head-by",
    "head-thread",
];

/// Lists the heap blocks: those allocated at the position first, the latest first. Runs on a
/// worker.
///
/// # Errors
/// It was cancelled.
pub fn heap_table(session: &Session, heap: &Heap, at: Position, cancel: &Cancel) -> Result<Table> {
    cancel.check()?;
    let count = heap.blocks().len();
    let allocated = heap.blocks().filter(|block| block.is_allocated(at));
    let (alive, bytes) = allocated.fold((0, 0u64), |(count, bytes), block| {
        (count + 1, bytes.saturating_add(block.size_bytes))
    });
    let order = |block: &HeapBlock| {
        (
            Reverse(block.is_allocated(at)),
            Reverse(block.allocated_at),
            block.address,
        )
    };
    // Keep only the best candidates: there may be millions of blocks, and only a few are listed.
    let mut blocks: Vec<HeapBlock> = Vec::new();
    for block in heap.blocks() {
        blocks.push(block);
        if blocks.len() > 2 * ROWS {
            blocks.select_nth_unstable_by_key(ROWS, order);
            blocks.truncate(ROWS);
        }
    }
    blocks.sort_unstable_by_key(order);
    blocks.truncate(ROWS);
    let mut summary = match heap.is_cut_short {
        true => say!("heap-the-first-blocks", count = count),
        false => say!("heap-blocks", count = count),
    };
    summary = so_far(session, &summary);
    if alive > 0 {
        summary = say!(
            "heap-alive",
            summary = summary,
            count = alive,
            size = size_text(bytes)
        );
    }
    if count > ROWS {
        summary = say!("heap-listed", summary = summary, count = ROWS);
    }
    let rows = blocks
        .into_iter()
        .map(|block| block_row(session, &block, at))
        .collect();
    Ok(Table::new(summary, &HEADS, rows).without_one_thread(session))
}

fn block_row(session: &Session, block: &HeapBlock, at: Position) -> TableRow {
    let (meaning, state) = match block.freed {
        _ if block.allocated_at > at => (TextRole::Label, say!("heap-to-come")),
        Some(freed) if freed.at <= at => (TextRole::Label, say!("heap-freed")),
        _ => (TextRole::Taken, say!("heap-allocated")),
    };
    let mut cells = vec![
        TableCell::new(TextRole::Plain, format!("{:x}", block.address.0)),
        TableCell::number(block.size_bytes),
        TableCell::new(meaning, state),
        TableCell::step(block.allocated_step),
        TableCell::new(TextRole::Symbol, function_name(session, block.function)),
        TableCell::new(TextRole::Second, thread_name(session, block.allocated_by)),
    ];
    match block.freed {
        Some(freed) => cells.extend([
            TableCell::step(freed.step),
            TableCell::new(TextRole::Symbol, function_name(session, freed.function)),
            TableCell::new(TextRole::Second, thread_name(session, freed.thread)),
        ]),
        None => {
            let never = TableCell::new(TextRole::Label, so_far(session, say!("heap-never")));
            cells.extend([never, TableCell::default(), TableCell::default()]);
        }
    }
    TableRow {
        name: say!(
            "heap-row",
            address = format!("{:x}", block.address.0),
            count = block.size_bytes
        ),
        cells,
        position: Some(block.allocated_at),
        address: Some(block.address),
        is_faded: !block.is_allocated(at),
        ..TableRow::default()
    }
}

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
    let function = function_name(session, block.function);
    let step = step_words(block.allocated_step);
    Some(match block.freed {
        Some(freed) if freed.at <= position => say!(
            "heap-block-freed-since",
            offset = offset,
            size = size,
            function = function,
            step = step,
            freed = step_words(freed.step)
        ),
        Some(freed) => say!(
            "heap-block-freed-at",
            offset = offset,
            size = size,
            function = function,
            step = step,
            freed = step_words(freed.step)
        ),
        None => say!(
            "heap-block-never-freed",
            offset = offset,
            size = size,
            function = function,
            step = step
        ),
    })
}

/// Describes a double free, and the earlier free of the block.
pub fn double_free_words(session: &Session, bad: &BadFree, before: BlockRelease) -> String {
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
