//! Which system calls may write memory of the program that makes them.

/// Whether the system call of a name may write memory of the program; true where the name is not known.
pub(crate) fn may_write(name: Option<&str>) -> bool {
    name.is_none_or(|name| !PURE.contains(&name))
}

/// Whether a system call that was made before a store may write memory after it. A thread that waits for a futex writes nothing.
pub(crate) fn may_write_late(name: Option<&str>) -> bool {
    may_write(name) && name != Some("futex")
}

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
