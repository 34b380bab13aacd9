//! Threads of a segment's steps.

use stepback_machine::RegisterView;

use crate::builder::segment::sealed::SealedSegment;
use crate::store::segment::meta::{STEPS_OF_THREAD, SegmentThread};

/// Collects the threads of steps.
#[derive(Debug, Default)]
pub(super) struct ThreadColumns {
    names: Vec<String>,
    /// Number of steps of each thread.
    steps: Vec<u32>,
    /// Thread of each step; missing ones at the end are of the first thread.
    owners: Vec<u16>,
}

impl ThreadColumns {
    /// Begins a task.
    pub fn begin_task(&mut self) {
        self.names.clear();
    }

    /// Adds the next thread.
    pub fn add_thread(&mut self, name: &str) {
        self.names.push(name.to_owned());
        self.steps.push(0);
    }

    /// Returns the number of threads.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Begins a segment.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.steps.resize(self.names.len(), 0);
        self.owners.clear();
    }

    /// Records the thread of a step.
    #[inline(always)]
    pub fn push(&mut self, slot: u32, thread: u16) {
        self.steps[usize::from(thread)] += 1;
        if self.names.len() > 1 {
            // Until a second thread appears all steps are those of the first.
            self.owners.resize(slot as usize - 1, 0);
            self.owners.push(thread);
        }
    }

    /// Returns the steps of each thread as register views of the segment; none for a single thread.
    pub fn lists(&mut self, steps: u32) -> Vec<(u16, RegisterView, Vec<u32>)> {
        if self.names.len() <= 1 {
            return Vec::new();
        }
        self.owners.resize(steps as usize, 0);
        let mut lists: Vec<_> = (0..self.names.len() as u16)
            .map(|thread| (thread, STEPS_OF_THREAD, Vec::new()))
            .collect();
        for (owner, slot) in self.owners.iter().zip(1..) {
            lists[usize::from(*owner)].2.push(slot);
        }
        lists
    }

    /// Hands over the names and numbers of steps.
    pub fn finish(&self, sealed: &mut SealedSegment) {
        sealed.thread_names = self.names.clone();
        let share = |steps: &u32| SegmentThread {
            thread: 0,
            steps: *steps,
        };
        sealed.meta.threads = self.steps.iter().map(share).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_before_a_second_thread_are_of_the_first() {
        let mut threads = ThreadColumns::default();
        threads.add_thread("a");
        (1..=2).for_each(|slot| threads.push(slot, 0));
        assert!(threads.lists(2).is_empty());
        threads.add_thread("b");
        threads.push(3, 1);
        let lists: Vec<_> = threads.lists(3).into_iter().map(|list| list.2).collect();
        assert_eq!(lists, [vec![1, 2], vec![3]]);
    }
}
