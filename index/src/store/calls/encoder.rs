//! Encodes the table of calls.

use crate::store::calls::frame::Frame;
use crate::store::calls::layout::{CallLayout, StackPart, StackSwitch};

/// Bytes of a frame in the table.
pub(super) const RECORD: usize = 56;
/// Stands for a step or a frame that does not exist.
pub(super) const NONE: u64 = u64::MAX;

/// The table of some frames as it lies in the index, and its layout.
#[cfg(test)]
pub fn encode_frames(mut frames: Vec<Frame>, mut switches: Vec<StackSwitch>) -> (Vec<u8>, CallLayout) {
    frames.sort_unstable_by_key(Frame::place);
    switches.sort_unstable();
    encode_sorted(frames, switches)
}

/// The same for frames and switches that already are in the order of the table.
pub fn encode_sorted(frames: impl IntoIterator<Item = Frame>, switches: Vec<StackSwitch>) -> (Vec<u8>, CallLayout) {
    let frames = frames.into_iter();
    let mut bytes = Vec::with_capacity(RECORD * frames.size_hint().0);
    let mut encoder = TableEncoder::default();
    frames.for_each(|frame| bytes.extend_from_slice(&encoder.record(&frame)));
    (bytes, encoder.layout(switches))
}

/// Encodes frames that come in the order of the table, one after the other.
/// Memory: the frames that are open at once.
#[derive(Debug, Default)]
pub struct TableEncoder {
    count: u64,
    /// The frames around the next one, with the steps that left them.
    open: Vec<(u64, u64)>,
    parts: Vec<StackPart>,
}

impl TableEncoder {
    /// The bytes of the next frame.
    pub fn record(&mut self, frame: &Frame) -> [u8; RECORD] {
        let Self { count, open, parts } = self;
        let number = *count;
        *count += 1;
        match parts.last_mut() {
            Some(part) if (part.thread, part.stack) == (frame.thread, frame.stack) => part.end = *count,
            _ => {
                open.clear();
                parts.push(StackPart { thread: frame.thread, stack: frame.stack, end: *count });
            }
        }
        let begin = frame.call_step.unwrap_or(0);
        while open.pop_if(|(_, exit)| *exit <= begin && frame.call_step.is_some()).is_some() {}
        let parent = open.last().map_or(NONE, |(parent, _)| *parent);
        let skip = open.get(skip_depth(open.len())).map_or(NONE, |(skip, _)| *skip);
        let exit = frame.exit_step.unwrap_or(NONE);
        let (call_step, entry_step) = (frame.call_step.unwrap_or(NONE), frame.entry_step.unwrap_or(NONE));
        let mut record = [0; RECORD];
        let numbers = [frame.function, call_step, entry_step, exit, parent, skip];
        for (place, number) in record.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        record[48..52].copy_from_slice(&u32::try_from(open.len()).unwrap_or(u32::MAX).to_le_bytes());
        record[52..54].copy_from_slice(&frame.thread.to_le_bytes());
        record[54..].copy_from_slice(&[frame.entered as u8, frame.left as u8 | (frame.evidence as u8) << 4]);
        open.push((number, exit));
        record
    }

    /// The layout of the table of all frames so far; the switches come sorted.
    pub fn layout(self, switches: Vec<StackSwitch>) -> CallLayout {
        CallLayout { parts: self.parts, switches }
    }
}

/// The depth to which the shortcut of a frame leads: its own without the lowest one of its binary digits.
/// Any depth further out is reached in O(log² depth) by shortcuts that do not lead beyond it, and parents.
fn skip_depth(depth: usize) -> usize {
    depth & depth.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_outwards_takes_few_steps() {
        let cost = |from: usize, to: usize| {
            let outwards = |depth: &usize| Some(if skip_depth(*depth) >= to { skip_depth(*depth) } else { depth - 1 });
            std::iter::successors(Some(from), outwards).take_while(|depth| *depth > to).count()
        };
        let last = (1 << 20) - 1;
        assert!((0..last).step_by(97).chain([0, 1 << 19, last - 1]).all(|to| cost(last, to) <= 20 * 21 / 2));
    }
}
