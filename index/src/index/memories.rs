//! Assignment of threads to memories. In a trace of several processes, each process has a separate memory:
//!
//! ```text
//! thread      process     memory
//! 1.100       1           0
//! 1.101       1           0
//! 2.100       2           1
//! ```

use std::collections::HashMap;

use crate::answers::cell::ThreadId;

/// Number of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MemoryId(usize);

/// Memories of a trace.
#[derive(Debug)]
pub(crate) struct Memories {
    /// Indexed by thread.
    of_threads: Vec<MemoryId>,
    count: usize,
}

impl Memories {
    /// Numbers the memories of the threads by name.
    pub fn new(names: impl Iterator<Item = Option<String>>) -> Self {
        let mut numbers: HashMap<Option<String>, MemoryId> = HashMap::new();
        let mut of_threads = Vec::new();
        for name in names {
            let next = MemoryId(numbers.len());
            of_threads.push(*numbers.entry(name).or_insert(next));
        }
        Self {
            of_threads,
            count: numbers.len(),
        }
    }

    /// Returns true if threads of the trace have different memories.
    pub fn are_several(&self) -> bool {
        self.count > 1
    }

    /// Returns the memory of a thread; `None` if all threads share one.
    pub fn of(&self, thread: ThreadId) -> Option<MemoryId> {
        self.of_threads
            .get(usize::from(thread.0))
            .copied()
            .filter(|_| self.are_several())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_one_process_see_one_memory() {
        let memories = |names: &[Option<&str>]| {
            Memories::new(names.iter().map(|name| name.map(str::to_owned)))
        };
        let several = memories(&[Some("1"), Some("2"), Some("1"), None]);
        let found: Vec<_> = (0..4)
            .map(|thread| several.of(ThreadId(thread)).unwrap().0)
            .collect();
        assert_eq!(found, [0, 1, 0, 2]);
        for single in [&[None, None][..], &[Some("1"), Some("1")], &[]] {
            assert_eq!(memories(single).of(ThreadId(0)), None, "{single:?}");
        }
    }
}
