//! Table of heap blocks.

use std::cmp::Reverse;

use anyhow::Result;
use stepback_index::{Cancel, Heap, HeapBlock};
use stepback_parsers::Position;

use super::TextRole;
use super::heap_words::function_name;
use super::so_far::so_far;
use super::table::{ROWS, Table, TableCell, TableRow, thread_name};
use super::text::size_text;
use crate::messages::say;
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
    summary += &say!("heap-alive", count = alive, size = size_text(bytes));
    if count > ROWS {
        summary += &say!("heap-listed", count = ROWS);
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
