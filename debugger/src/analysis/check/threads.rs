//! Rules about the life of a thread: it starts after a recorded creation, and it does not end in an
//! exception after a jump to an address without code.

use std::collections::{HashMap, HashSet};

use anyhow::Result;
use stepback_index::query::NearestVisit;
use stepback_index::{Cancel, Index, Query as _};
use stepback_machine::flow::BranchTarget;
use stepback_machine::{AccessKind, Address, RegisterView};
use stepback_parsers::check::{FindingPlace, Findings};
use stepback_parsers::{KnownThread, MemoryAccess, Position};

use crate::analysis::check::register_file::{LastStep, RegisterFile};
use crate::analysis::check::rules;
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

/// The last jump of a thread and the exception after it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExceptionEnd {
    /// The jump and its target; the inner `None` while the target is unknown.
    jump: Option<(LastStep, Option<u64>)>,
    /// Place of the first exception after the jump.
    place: Option<FindingPlace>,
}

impl ExceptionEnd {
    /// Records a step, with the registers before it.
    pub fn step(&mut self, step: LastStep, registers: &RegisterFile) {
        *self = Self::default();
        if !step.is_jump() {
            return;
        }
        let target = match step.target {
            BranchTarget::Address(address) => Some(address),
            BranchTarget::Register(register) => {
                // A register dump before the first step uses the plain name.
                let of = |register| {
                    registers.value(RegisterView::new(register, 0, step.set.word_bytes()))
                };
                of(step.mode.home(register)).or_else(|| of(register))
            }
            BranchTarget::Unsaid => None,
        };
        self.jump = Some((step, target));
    }

    /// Records an instruction that could not be fetched: the last jump led to it.
    pub fn fetch_failed(&mut self, pc: u64, step: LastStep) {
        let is_target = |target: u64| step.set.code_address(target) == pc;
        match &mut self.jump {
            Some((_, target)) if target.is_none_or(is_target) => *target = Some(pc),
            _ => *self = Self::default(),
        }
    }

    /// Records an access of the last step. A jump through memory reads its target last.
    pub fn access(&mut self, access: &MemoryAccess) {
        let Some((step, target)) = &mut self.jump else {
            return;
        };
        let is_word = access.kind == AccessKind::Read
            && u16::from(access.size_bytes) == step.set.word_bytes();
        if let Some(bytes) = access
            .bytes
            .filter(|_| is_word && step.target == BranchTarget::Unsaid)
        {
            *target = Some(u64::from_le_bytes(bytes));
        }
    }

    /// Records an exception.
    pub fn exception(&mut self, place: FindingPlace) {
        self.place.get_or_insert(place);
    }

    /// Reports the thread `name` if it ends in an exception at an address without code.
    ///
    /// # Errors
    /// The index could not be read, or the check was cancelled.
    pub fn report(
        self,
        name: &str,
        index: &Index,
        findings: &mut Findings,
        cancel: &Cancel,
    ) -> Result<()> {
        let (Some((step, Some(target))), Some(place)) = (self.jump, self.place) else {
            return Ok(());
        };
        if step.set.is_exception_return_value(target) || step.set.is_function_return_value(target) {
            return Ok(());
        }
        let pc = Address(step.set.code_address(target));
        if has_code(pc, index, cancel)? == Some(false) {
            findings.add(&rules::EXCEPTION_END, place, || {
                say!(
                    "check-exception-end",
                    thread = name,
                    from = format!("{:#x}", step.pc),
                    pc = pc.to_string()
                )
            });
        }
        Ok(())
    }
}

/// Maximum number of failed fetches of an address that are examined. With more, it is unknown whether
/// the address has code.
const FETCHES: usize = 1 << 10;

/// Returns true if the trace shows an instruction at an address, for which a failed fetch does not
/// count; `None` if there are too many of these.
///
/// Cost: a lookup for each failed fetch, up to [`FETCHES`].
fn has_code(pc: Address, index: &Index, cancel: &Cancel) -> Result<Option<bool>> {
    let mut from = Position(0);
    for _ in 0..FETCHES {
        let Some(visit) = (NearestVisit::next(pc, from)).run(index, cancel)? else {
            return Ok(Some(false));
        };
        if visit.record.is_executed || visit.record.encoding.is_some() {
            return Ok(Some(true));
        }
        from = visit.position;
    }
    Ok(None)
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
