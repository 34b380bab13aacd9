//! Cache of the frames that a reader used last: a query reads a few of them repeatedly.

use crate::step_store::frame::Frame;

/// Maximum number of cached frames.
const KEPT: usize = 16;
/// Maximum length of the blocks of a cached frame, in bytes.
const LENGTH_LIMIT: usize = 64 << 10;

/// Identifies a frame among all stores of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameKey {
    /// Number of the store.
    pub store: u64,
    /// Number of the frame in the store.
    pub frame: u64,
}

/// First-in, first-out cache of unpacked frames.
#[derive(Debug, Default)]
pub struct FrameCache {
    held: Vec<CachedFrame>,
    oldest: usize,
}

#[derive(Debug)]
struct CachedFrame {
    key: FrameKey,
    lengths: Vec<[u8; 4]>,
    blocks: Vec<u8>,
}

impl FrameCache {
    /// Returns a frame if it is cached.
    pub fn find(&self, key: FrameKey) -> Option<Frame<'_>> {
        let held = self.held.iter().find(|held| held.key == key)?;
        Some(Frame {
            lengths: &held.lengths,
            blocks: &held.blocks,
        })
    }

    /// Caches a frame in the place of the oldest one; returns false if it is too long.
    pub fn hold(&mut self, key: FrameKey, frame: Frame<'_>) -> bool {
        if frame.blocks.len() > LENGTH_LIMIT {
            return false;
        }
        if self.held.len() < KEPT {
            self.held.push(CachedFrame {
                key,
                lengths: frame.lengths.to_vec(),
                blocks: frame.blocks.to_vec(),
            });
        } else if let Some(held) = self.held.get_mut(self.oldest) {
            held.key = key;
            held.lengths.clear();
            held.lengths.extend_from_slice(frame.lengths);
            held.blocks.clear();
            held.blocks.extend_from_slice(frame.blocks);
            self.oldest = (self.oldest + 1) % KEPT;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frames_are_held_each_of_its_store() {
        let mut recent = FrameCache::default();
        let key = |number: u64| FrameKey {
            store: number % 2,
            frame: number / 2,
        };
        for number in 0..20 {
            let blocks = vec![number as u8; number as usize];
            assert!(recent.hold(
                key(number),
                Frame {
                    lengths: &[(number as u32).to_le_bytes()],
                    blocks: &blocks
                }
            ));
        }
        for number in 0..20 {
            let found = recent
                .find(key(number))
                .map(|frame| frame.blocks().collect::<Vec<_>>().concat());
            assert_eq!(
                found,
                (number >= 20 - KEPT as u64).then(|| vec![number as u8; number as usize]),
                "{number}"
            );
        }
        let long = vec![0; LENGTH_LIMIT + 1];
        assert!(
            !recent.hold(
                key(99),
                Frame {
                    lengths: &[],
                    blocks: &long
                }
            ) && recent.find(key(99)).is_none()
        );
    }
}
