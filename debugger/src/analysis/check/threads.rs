//! Checks that threads have a recorded creation.

use std::collections::{HashMap, HashSet};

use stepback_parsers::KnownThread;

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
        let process = known.process.clone().unwrap_or_default();
        // The first thread of a process has the number of the process. If the trace lacks that
        // thread, the first one seen counts.
        let (is_main, has_main) = (process == name, self.threads.contains_key(&process));
        if is_main || self.processes.insert(process) && !has_main {
            return None;
        }
        self.begun += 1;
        (self.begun > self.made).then(|| {
            let (begun, made) = (self.begun, self.made);
            format!(
                "{name} joins, and no system call before it made it ({begun} joined, {made} made)"
            )
        })
    }
}
