//! Rule about the life of a thread: it starts after a recorded creation.

use std::collections::{HashMap, HashSet};

use stepback_parsers::KnownThread;

use crate::messages::say;

/// System calls that create threads and processes.
const MAKERS: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// Counters of created and started threads.
#[derive(Debug, Default)]
pub struct ThreadStarts {
    threads: HashMap<String, KnownThread>,
    /// The trace records each system call.
    pub has_system_calls: bool,
    made: u64,
    begun: u64,
    processes: HashSet<String>,
}

impl ThreadStarts {
    pub fn new(threads: Vec<KnownThread>) -> Self {
        let threads = threads
            .into_iter()
            .map(|thread| (thread.name.clone(), thread))
            .collect();
        Self {
            threads,
            ..Self::default()
        }
    }

    /// Returns true for a processor without a thread to run.
    pub fn is_idle(&self, name: &str) -> bool {
        self.threads.get(name).is_some_and(|thread| thread.is_idle)
    }

    /// Records a system call by name.
    pub fn system_call(&mut self, name: Option<&str>) {
        self.made += u64::from(name.is_some_and(|name| MAKERS.contains(&name)));
    }

    /// Records the start of a thread. Returns a message if no recorded system call created it.
    pub fn begins(&mut self, name: &str) -> Option<String> {
        let known = self
            .threads
            .get(name)
            .filter(|thread| self.has_system_calls && !thread.is_idle)?;
        // Without its process, it may be the first thread of one.
        let process = known.process.clone()?;
        // The first thread of a process has the number of the process. If the trace lacks that
        // thread, the first one seen counts.
        let (is_main, has_main) = (process == name, self.threads.contains_key(&process));
        if is_main || self.processes.insert(process) && !has_main {
            return None;
        }
        self.begun += 1;
        (self.begun > self.made).then(|| {
            say!(
                "check-thread",
                thread = name,
                begun = self.begun.to_string(),
                made = self.made.to_string()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages about threads, by their names and processes, that start in this order.
    #[track_caller]
    fn check(threads: &[(&str, Option<&str>)], expected: &[&str]) {
        let known = threads.iter().map(|(name, process)| KnownThread {
            name: (*name).to_owned(),
            process: process.map(str::to_owned),
            is_idle: false,
        });
        let mut starts = ThreadStarts {
            has_system_calls: true,
            ..ThreadStarts::new(known.collect())
        };
        let messages: Vec<_> = (threads.iter())
            .filter_map(|(name, _)| starts.begins(name))
            .collect();
        assert_eq!(messages, expected);
    }

    #[test]
    fn a_thread_that_no_system_call_created_is_reported() {
        let message =
            "thread 2 starts, but no earlier system call created it (1 started, 0 created)";
        check(&[("1", Some("1")), ("2", Some("1"))], &[message]);
    }

    #[test]
    fn threads_of_unknown_processes_may_be_their_first_threads() {
        check(&[("1", None), ("2", None)], &[]);
    }
}
