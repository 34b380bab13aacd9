//! The steps with which calls were entered, in little memory.

use foldhash::HashMap;
use stepback_parsers::Step;

/// A set of steps: 2 bytes each, as much again while it is made, and 33 for each 65,536 steps that have any.
#[derive(Debug, Default)]
pub struct EntrySteps {
    /// The lower halves of steps, sorted, by the upper ones.
    blocks: HashMap<u64, Vec<u16>>,
}

impl FromIterator<Step> for EntrySteps {
    fn from_iter<T: IntoIterator<Item = Step>>(steps: T) -> Self {
        let mut blocks: HashMap<u64, Vec<u16>> = HashMap::default();
        for step in steps {
            let (block, low) = parts(step);
            blocks.entry(block).or_default().push(low);
        }
        for lows in blocks.values_mut() {
            lows.sort_unstable();
            lows.shrink_to_fit();
        }
        Self { blocks }
    }
}

impl EntrySteps {
    /// Whether a step is one of them.
    pub fn contains(&self, step: Step) -> bool {
        let (block, low) = parts(step);
        self.blocks.get(&block).is_some_and(|lows| lows.binary_search(&low).is_ok())
    }
}

fn parts(Step(step): Step) -> (u64, u16) {
    (step >> 16, (step & 0xffff) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_where_it_was_put() {
        let steps = [7, 3, 0x1_0003, 0xffff, 0x1_0000, u64::MAX].map(Step);
        let entries: EntrySteps = steps.into_iter().collect();
        assert!(steps.iter().all(|step| entries.contains(*step)));
        assert!([0, 4, 0x1_0007, 0x2_0003, u64::MAX - 1].iter().all(|step| !entries.contains(Step(*step))));
    }
}
