//! Whether threads have a beginning.

use std::collections::{HashMap, HashSet};

use stepback_parsers::KnownThread;

/// System calls that make threads and processes.
const MAKERS: [&str; 4] = ["clone", "clone3", "fork", "vfork"];

/// Counts who makes threads, and who begins.
#[derive(Debug, Default)]
pub struct ThreadStarts {
    threads: HashMap<String, KnownThread>,
    /// The trace tells each system call.
    pub has_system_calls: bool,
    made: u64,
    begun: u64,
    processes: HashSet<String>,
}

impl ThreadStarts {
    /// Of these threads.
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

    /// Whether it is a processor without anything to run.
    pub fn is_idle(&self, name: &str) -> bool {
        self.threads.get(name).is_some_and(|thread| thread.is_idle)
    }

    /// A thread made a system call of this name.
    pub fn system_call(&mut self, name: Option<&str>) {
        self.made += u64::from(name.is_some_and(|name| MAKERS.contains(&name)));
    }

    /// A thread begins: what is wrong if nobody made it.
    pub fn begins(&mut self, name: &str) -> Option<String> {
        let known = self
            .threads
            .get(name)
            .filter(|thread| self.has_system_calls && !thread.is_idle)?;
        let process = known.process.clone().unwrap_or_default();
        // The first thread of a process bears its number; where it is not in the trace, the one that is seen first counts.
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
