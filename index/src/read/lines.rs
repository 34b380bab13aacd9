//! Line positions in a text trace, and the slots of lines.

use std::ops::Range;

use stepback_parsers::Flow;

use crate::answers::error::QueryError;
use crate::index::Index;
use crate::read::slots::SlotReader;
use crate::store::packed::FRAME;

/// Returns the slot to which a line, counted from 0, belongs, and the start of its text.
pub(crate) fn chunk_of_line(index: &Index, line: u64) -> Result<SlotTextStart, QueryError> {
    let Some((number, block)) = block_of_line(index, line)? else {
        return chunk_in_block(index, 0, 0, line);
    };
    let segment = index.segment(number).ok_or(QueryError::TraceChanged)?;
    let slot = segment.meta.step_base + (block * FRAME) as u64 + 1;
    chunk_in_block(
        index,
        slot,
        segment.meta.line_base + segment.block_line(block)?,
        line,
    )
}

/// Returns the last block of 128 steps with a first line at or before a line.
fn block_of_line(index: &Index, line: u64) -> Result<Option<(usize, usize)>, QueryError> {
    let segments = &index.contents.segments;
    let mut number = segments.partition_point(|segment| segment.line_base <= line);
    while let Some(before) = number.checked_sub(1) {
        number = before;
        let Some(segment) = index.segment(number) else {
            continue;
        };
        let (mut low, mut high) = (0, segment.block_count());
        while low < high {
            let middle = low.midpoint(high);
            let first = segment.meta.line_base + segment.block_line(middle)?;
            if first <= line {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if let Some(block) = low.checked_sub(1) {
            return Ok(Some((number, block)));
        }
    }
    Ok(None)
}

/// Searches for a line from a slot on, given the line of the slot's step (of its text for slot
/// 0).
fn chunk_in_block(
    index: &Index,
    first: u64,
    first_line: u64,
    line: u64,
) -> Result<SlotTextStart, QueryError> {
    // One step more than the block: lines with its time may precede its instruction.
    let end = (first + FRAME as u64 + 1).min(index.step_count());
    let mut found = SlotTextStart {
        slot: first,
        line: first_line,
        offset: SlotReader(index).text_start(first)?,
    };
    let mut steps = Vec::new();
    SlotReader(index).each_step(first..end + 1, |here, step| {
        steps.push(ChunkStart {
            slot: here.slot,
            chunk_offset: step.chunk_offset,
            offset: step.place.offset,
            line_in_range: step.place.line_in_range,
        });
        Flow::Continue
    })?;
    let line_before = if first == 0 {
        0
    } else {
        steps.first().map_or(0, |step| step.line_in_range)
    };
    for step in &steps {
        let mut lead = 0;
        if step.chunk_offset < step.offset {
            let mut text = Vec::new();
            index
                .source()
                .read_raw(step.chunk_offset..step.offset, &mut text)?;
            lead = memchr::memchr_iter(b'\n', &text).count() as u64;
        }
        let begins = (first_line + step.line_in_range).saturating_sub(line_before + lead);
        if begins > line && step.slot != first {
            break;
        }
        found = SlotTextStart {
            slot: step.slot,
            line: begins,
            offset: step.chunk_offset,
        };
    }
    Ok(found)
}

/// Returns the line, counted from 0, on which the text of a slot begins.
pub(crate) fn line_of_slot(index: &Index, slot: u64) -> Result<u64, QueryError> {
    let (segment, local) = SlotReader(index).locate(slot)?;
    let block = (local.saturating_sub(1) as usize) / FRAME;
    let block_slot = segment.meta.step_base + (block * FRAME) as u64 + 1;
    let instruction_line = segment.meta.line_base + segment.block_line(block)?;
    // The index has the lines of instructions, and lines with their time may precede them.
    let mut instruction = None;
    SlotReader(index).each_step(block_slot..block_slot + 1, |_, step| {
        instruction = Some(step.place.offset);
        Flow::Stop
    })?;
    let instruction = instruction.ok_or(QueryError::TraceChanged)?;
    let start = SlotReader(index).text_start(slot)?;
    Ok(match start < instruction {
        true => instruction_line.saturating_sub(newlines(index, start..instruction)?),
        false => instruction_line + newlines(index, instruction..start)?,
    })
}

fn newlines(index: &Index, mut range: Range<u64>) -> Result<u64, QueryError> {
    const WINDOW: u64 = 64 << 10;
    let mut window = Vec::new();
    let mut count = 0;
    while !range.is_empty() {
        window.clear();
        index.source().read_raw(
            range.start..range.start.saturating_add(WINDOW).min(range.end),
            &mut window,
        )?;
        if window.is_empty() {
            return Err(QueryError::TraceChanged);
        }
        count += memchr::memchr_iter(b'\n', &window).count() as u64;
        range.start += window.len() as u64;
    }
    Ok(count)
}

/// Start of a slot's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotTextStart {
    pub slot: u64,
    /// First line, counted from 0.
    pub line: u64,
    /// Offset of the first byte.
    pub offset: u64,
}

/// Place of a step in the text.
struct ChunkStart {
    slot: u64,
    chunk_offset: u64,
    offset: u64,
    line_in_range: u64,
}
