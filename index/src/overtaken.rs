//! System calls that may have written memory that the trace does not show to be written.

use stepback_parsers::linux::system_call_name;
use stepback_parsers::{InstructionSet, MarkerKind, Position, Source};

use crate::{Cancel, Doubt, Index, LastMarkers, Query as _, QueryError};

/// System calls that write no memory of the program that was there before. All others may.
const PURE: [&str; 74] = [
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
    "exit",
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
    "ftruncate",
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
    "pwrite64",
    "pwritev",
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
    "truncate",
    "umask",
    "unlink",
    "unlinkat",
    "write",
    "writev",
    "sync",
];

/// So many system calls are looked at.
const LOOKED_AT: usize = 4096;

/// Whether a system call may write memory of the program.
pub(crate) fn may_write(set: InstructionSet, number: u64) -> bool {
    system_call_name(set, number).is_none_or(|name| !PURE.contains(&name))
}

impl<S: Source> Index<S> {
    /// The last system call between two slots that may have written memory.
    /// Of very many that all cannot, the earliest that was looked at counts as one that may.
    pub(crate) fn overtaken(&self, after: u64, until: Position, cancel: &Cancel) -> Result<Option<Doubt>, QueryError> {
        let kinds = vec![MarkerKind::SYSTEM_CALL];
        let mut at = until;
        for looked_at in 1..=LOOKED_AT {
            let question = LastMarkers { kinds: kinds.clone(), thread: None, at };
            let calls = question.run(self, cancel)?;
            let Some(first) = calls.first().filter(|call| call.position.0 >= after) else { return Ok(None) };
            let position = first.position;
            for call in calls.iter().rev() {
                let writes = may_write(self.instruction_set(call.thread), call.marker.value);
                if let Some(step) = call.step.filter(|_| writes || looked_at == LOOKED_AT) {
                    return Ok(Some(Doubt::SystemCall { step, number: call.marker.value }));
                }
            }
            let Some(before) = position.0.checked_sub(1) else { return Ok(None) };
            at = Position(before);
        }
        Ok(None)
    }
}
