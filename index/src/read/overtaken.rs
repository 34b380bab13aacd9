//! Why what a step left may have changed without a step: system calls, signals, what the trace leaves out.

use stepback_machine::InstructionSet;
use stepback_parsers::{MarkerKind, Position, Recording, Source};

use crate::answers::cancel::Cancel;
use crate::answers::error::QueryError;
use crate::answers::hit::Doubt;
use crate::answers::markers::MarkerHit;
use crate::answers::thread::ThreadId;
use crate::index::{Index, Query as _};
use crate::query::markers::LastMarkers;

/// System calls that write no memory of the program that was there before.
/// All others may: what changes a file changes where it is mapped, and the end of a thread is told in memory.
const PURE: [&str; 67] = [
    "access",
    "alarm",
    "bind",
    "chdir",
    "chmod",
    "chown",
    "close",
    "connect",
    "creat",
    "dup",
    "dup2",
    "dup3",
    "epoll_create",
    "epoll_create1",
    "epoll_ctl",
    "eventfd",
    "eventfd2",
    "exit_group",
    "faccessat",
    "fchdir",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fdatasync",
    "flock",
    "fsync",
    "getegid",
    "geteuid",
    "getgid",
    "getpgid",
    "getpgrp",
    "getpid",
    "getppid",
    "getpriority",
    "getsid",
    "gettid",
    "getuid",
    "kill",
    "link",
    "linkat",
    "listen",
    "lseek",
    "mkdir",
    "mkdirat",
    "mprotect",
    "open",
    "openat",
    "pause",
    "rename",
    "renameat",
    "renameat2",
    "rmdir",
    "rt_sigreturn",
    "sched_yield",
    "sendmsg",
    "sendto",
    "shutdown",
    "socket",
    "symlink",
    "symlinkat",
    "tgkill",
    "tkill",
    "umask",
    "unlink",
    "unlinkat",
    "sync",
];

/// So many system calls are looked at.
const LOOKED_AT: usize = 4096;

/// Whether a system call may write memory of the program.
pub(crate) fn may_write(set: InstructionSet, number: u64) -> bool {
    set.system_call_name(number).is_none_or(|name| !PURE.contains(&name))
}

/// Whether one that was made before a store may write memory after it. Who waits for a futex writes nothing.
pub(crate) fn may_write_late(set: InstructionSet, number: u64) -> bool {
    may_write(set, number) && set.system_call_name(number) != Some("futex")
}

impl<S: Source> Index<S> {
    /// Why memory that a thread wrote in a slot may have changed until a position.
    /// Of very many system calls that all cannot, the earliest that was looked at counts as one that may.
    pub(crate) fn overtaken(
        &self,
        (thread, after): (ThreadId, u64),
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let doubt = match self.last_change(after, until, cancel)? {
            Some(doubt) => Some(doubt),
            None => self.late_call((thread, after), cancel)?,
        };
        Ok(doubt.or(self.doubt_of_all(until, cancel)?))
    }

    fn last_change(&self, after: u64, until: Position, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        let kinds = vec![MarkerKind::SYSTEM_CALL, MarkerKind::KERNEL_EVENT];
        let mut at = until;
        for looked_at in 1..=LOOKED_AT {
            let question = LastMarkers { kinds: kinds.clone(), thread: None, at };
            let hits = question.run(self, cancel)?;
            let Some(first) = hits.first().filter(|hit| hit.position.0 >= after) else { return Ok(None) };
            let position = first.position;
            for MarkerHit { step, thread, marker, .. } in hits.into_iter().rev() {
                let Some(step) = step else { continue };
                if marker.kind == MarkerKind::KERNEL_EVENT {
                    return Ok(Some(Doubt::KernelEvent { step }));
                }
                if looked_at == LOOKED_AT || may_write(self.instruction_set(thread), marker.value) {
                    return Ok(Some(Doubt::SystemCall { step, number: marker.value }));
                }
            }
            let Some(before) = position.0.checked_sub(1) else { return Ok(None) };
            at = Position(before);
        }
        Ok(None)
    }

    /// A system call that another thread made before a slot and returned from after it.
    fn late_call(&self, (thread, after): (ThreadId, u64), cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        let Some(at) = after.checked_sub(1).map(Position) else { return Ok(None) };
        let count = u16::try_from(self.threads().len()).unwrap_or(u16::MAX);
        for other in (0..count).map(ThreadId).filter(|other| *other != thread) {
            let question = LastMarkers { kinds: vec![MarkerKind::SYSTEM_CALL], thread: Some(other), at };
            let Some(MarkerHit { step: Some(step), marker, position, .. }) = question.run(self, cancel)?.pop() else {
                continue;
            };
            if !may_write_late(self.instruction_set(other), marker.value) {
                continue;
            }
            let next = self.next_step_of(other, position)?;
            if next.is_none_or(|next| next.after().0 > after) {
                return Ok(Some(Doubt::SystemCall { step, number: marker.value }));
            }
        }
        Ok(None)
    }

    /// Why a thread's registers may not be what its instruction in a slot left.
    pub(crate) fn restored(
        &self,
        (thread, after): (ThreadId, u64),
        until: Position,
        cancel: &Cancel,
    ) -> Result<Option<Doubt>, QueryError> {
        let kinds = vec![MarkerKind::KERNEL_EVENT, MarkerKind::KERNEL_TRANSFER];
        let last = LastMarkers { kinds, thread: Some(thread), at: until }.run(self, cancel)?.pop();
        let step = last.filter(|last| last.position.0 >= after).and_then(|last| last.step);
        Ok(step.map(|step| Doubt::KernelEvent { step }))
    }

    /// What makes all such answers doubtful.
    fn doubt_of_all(&self, at: Position, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        if self.is_filtered(at, cancel)? {
            return Ok(Some(Doubt::Filtered));
        }
        let is_unsaid = self.recordings(at, cancel)?.iter().any(|recording| !recording.has_system_calls);
        Ok(is_unsaid.then_some(Doubt::SystemCallsUnsaid))
    }

    /// True when the trace leaves out instructions or accesses: what the steps between did is not known then.
    pub(crate) fn is_filtered(&self, at: Position, cancel: &Cancel) -> Result<bool, QueryError> {
        Ok(self.recordings(at, cancel)?.iter().any(|recording| recording.is_filtered))
    }

    /// What the trace records at a position, as it said last.
    pub(crate) fn recordings(&self, at: Position, cancel: &Cancel) -> Result<Vec<Recording>, QueryError> {
        let last = LastMarkers { kinds: vec![MarkerKind::RECORDING], thread: None, at };
        Ok(last.run(self, cancel)?.iter().filter_map(|hit| self.source().recording(hit.marker)).collect())
    }
}
