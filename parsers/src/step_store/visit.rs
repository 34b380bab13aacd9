//! Passes the contents of a frame's blocks to a visitor.

use std::ops::{ControlFlow, Range};

use crate::step_store::block::{BlockBytes, BlockDamage, ITEMS};
use crate::step_store::block_reader::{BlockVisitor, read_block};
use crate::step_store::codes::Codes;
use crate::step_store::frame::{BLOCKS, Frame};
use crate::step_store::numbers::PADDING;

/// Visit of a range of blocks.
pub struct BlockVisit<'a, V, G> {
    /// Blocks to visit, by number.
    pub blocks: Range<u64>,
    /// Buffer that is reused.
    pub buffer: &'a mut Vec<u8>,
    /// Visitor that receives the records.
    pub visitor: &'a mut V,
    /// Called after each block with the items up to its end; false ends the visit.
    pub goes_on: G,
}

/// Error: this block does not contain the bytes that were written.
#[derive(Clone, Copy, Debug)]
pub struct DamagedBlock(pub u64);

impl<V: BlockVisitor, G: FnMut(&mut V, u64) -> bool> BlockVisit<'_, V, G> {
    /// Visits the wanted blocks of a frame.
    pub fn frame(
        &mut self,
        number: u64,
        frame: Frame<'_>,
        codes: &Codes,
    ) -> Result<ControlFlow<()>, DamagedBlock> {
        let mut contents = frame.blocks();
        for number in number * BLOCKS..self.blocks.end.min((number + 1) * BLOCKS) {
            let content = contents.next().ok_or(DamagedBlock(number))?;
            if number < self.blocks.start {
                continue;
            }
            let block = padded(number, content, self.buffer);
            read_block(block, codes, self.visitor).map_err(|BlockDamage| DamagedBlock(number))?;
            if !(self.goes_on)(self.visitor, (number + 1) * ITEMS) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Copies a block and appends the zeros that its reader needs.
pub fn padded<'a>(number: u64, content: &[u8], out: &'a mut Vec<u8>) -> BlockBytes<'a> {
    out.clear();
    out.extend_from_slice(content);
    out.extend_from_slice(&[0; PADDING]);
    BlockBytes {
        number,
        padded: out,
    }
}
