//! Passes what the blocks of a frame hold to a visitor.

use std::ops::{ControlFlow, Range};

use crate::step_store::block::{BlockBytes, BlockDamage, ITEMS};
use crate::step_store::block_reader::{BlockVisitor, read_block};
use crate::step_store::codes::Codes;
use crate::step_store::frame::{BLOCKS, Frame};
use crate::step_store::numbers::PADDING;

/// A visit of some blocks.
pub struct BlockVisit<'a, V, G> {
    /// By number.
    pub blocks: Range<u64>,
    /// A buffer that is used again.
    pub buffer: &'a mut Vec<u8>,
    /// Who visits.
    pub visitor: &'a mut V,
    /// Asked behind each block, with the items up to its end.
    pub goes_on: G,
}

/// This block does not hold what was written.
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

/// A block with the zeros behind it that its reader needs.
pub fn padded<'a>(number: u64, content: &[u8], out: &'a mut Vec<u8>) -> BlockBytes<'a> {
    out.clear();
    out.extend_from_slice(content);
    out.extend_from_slice(&[0; PADDING]);
    BlockBytes {
        number,
        padded: out,
    }
}
