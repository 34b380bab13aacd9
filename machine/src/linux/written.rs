//! Where system calls write memory of the program that makes them (`man 2`, `include/linux/syscalls.h`).

/// A piece of memory that a system call may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenPart {
    /// Which argument is its address, from 0.
    pub address: usize,
    /// How long it is at most.
    pub length: WrittenLength,
    /// It is written only so; none for always.
    pub only_if: Option<WrittenIf>,
}

/// How long a piece is at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenLength {
    /// So many bytes.
    Bytes(u32),
    /// As many items as an argument says.
    Items {
        /// Which argument.
        count: usize,
        /// The size of each.
        bytes: u32,
    },
}

/// A condition on an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenIf {
    /// Which argument.
    pub argument: usize,
    /// The bits of it that are meant.
    pub mask: u64,
    /// They are one of these.
    pub values: &'static [u64],
}

/// Where the system call of a name may write memory that is no part of a file; none for anywhere.
pub(crate) fn written(name: Option<&str>) -> Option<&'static [WrittenPart]> {
    let name = name?;
    TABLE.iter().find(|(names, _)| names.split_ascii_whitespace().any(|known| known == name)).map(|(_, parts)| *parts)
}

const fn bytes(address: usize, bytes: u32) -> WrittenPart {
    WrittenPart { address, length: WrittenLength::Bytes(bytes), only_if: None }
}

const fn items(address: usize, count: usize, bytes: u32) -> WrittenPart {
    WrittenPart { address, length: WrittenLength::Items { count, bytes }, only_if: None }
}

const fn if_operation(part: WrittenPart, values: &'static [u64]) -> WrittenPart {
    WrittenPart { only_if: Some(WrittenIf { argument: 1, mask: 0x7f, values }), ..part }
}

/// Names and pieces. What is not here may write anywhere: it takes pointers inside of pointers, or its pieces depend on more.
const TABLE: [(&str, &[WrittenPart]); 42] = [
    (
        "brk write pwrite64 writev pwritev pwritev2 ftruncate truncate fallocate sched_setaffinity sched_setscheduler \
         sched_setparam setpriority setrlimit setuid setgid setsockopt timerfd_create inotify_init inotify_init1 \
         inotify_add_watch inotify_rm_watch memfd_create pidfd_open membarrier mlock munlock msync fadvise64 \
         sched_get_priority_max sched_get_priority_min faccessat2 utimensat fsetxattr set_robust_list set_tid_address",
        &[],
    ),
    ("read pread64", &[items(1, 2, 1)]),
    ("getrandom getcwd", &[items(0, 1, 1)]),
    ("readlink getdents getdents64", &[items(1, 2, 1)]),
    ("readlinkat", &[items(2, 3, 1)]),
    ("munmap madvise mmap mmap2 mremap rseq", &[items(0, 1, 1)]),
    ("arch_prctl", &[bytes(1, 8)]),
    ("fcntl fcntl64", &[if_operation(bytes(2, 64), &[5, 11, 12, 13, 16, 36])]),
    ("sendfile", &[bytes(2, 8)]),
    ("rt_sigsuspend", &[]),
    ("rt_sigtimedwait", &[bytes(1, 128)]),
    ("rt_sigpending", &[items(0, 1, 1)]),
    ("socketpair", &[bytes(3, 8)]),
    ("timer_create", &[bytes(2, 4)]),
    ("timer_settime timerfd_settime", &[bytes(3, 32)]),
    ("getresuid getresgid", &[bytes(0, 4), bytes(1, 4), bytes(2, 4)]),
    ("stat lstat fstat", &[bytes(1, 144)]),
    ("newfstatat fstatat64", &[bytes(2, 144)]),
    ("statx", &[bytes(4, 256)]),
    ("statfs fstatfs", &[bytes(1, 120)]),
    ("poll", &[items(0, 1, 8)]),
    ("ppoll", &[items(0, 1, 8), bytes(2, 16)]),
    ("select", &[bytes(1, 128), bytes(2, 128), bytes(3, 128), bytes(4, 16)]),
    ("pselect6", &[bytes(1, 128), bytes(2, 128), bytes(3, 128), bytes(4, 16)]),
    // A structure of an event has 12 bytes on x86, 16 elsewhere.
    ("epoll_wait epoll_pwait epoll_pwait2", &[items(1, 2, 16)]),
    ("nanosleep", &[bytes(1, 16)]),
    ("clock_nanosleep", &[bytes(3, 16)]),
    ("clock_gettime clock_getres getitimer timerfd_gettime timer_gettime", &[bytes(1, 32)]),
    ("gettimeofday", &[bytes(0, 16), bytes(1, 8)]),
    ("time times", &[bytes(0, 32)]),
    ("sysinfo uname", &[bytes(0, 390)]),
    ("getrusage getrlimit", &[bytes(1, 144)]),
    ("prlimit64", &[bytes(3, 16)]),
    ("rt_sigaction", &[bytes(2, 32)]),
    ("rt_sigprocmask", &[bytes(2, 8)]),
    ("sigaltstack", &[bytes(1, 24)]),
    ("wait4", &[bytes(1, 4), bytes(3, 144)]),
    ("recvfrom", &[items(1, 2, 1), bytes(4, 128), bytes(5, 4)]),
    ("accept accept4 getsockname getpeername", &[bytes(1, 128), bytes(2, 4)]),
    ("pipe pipe2", &[bytes(0, 8)]),
    ("sched_getaffinity", &[items(2, 1, 1)]),
    // Only some operations write: those of locks that the kernel knows, and the one that wakes and counts.
    ("futex", &[if_operation(bytes(0, 4), &[6, 7, 8, 11, 12, 13]), if_operation(bytes(4, 4), &[5, 11, 12])]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::names::Numbers;
    use crate::linux::tables;

    #[test]
    fn every_name_is_one_of_a_system_call() {
        let all = [tables::X86_64, tables::X86_32, tables::GENERIC, tables::COMMON];
        for name in TABLE.iter().flat_map(|(names, _)| names.split_ascii_whitespace()) {
            assert!(all.iter().any(|table| table.split_ascii_whitespace().any(|known| known == name)), "{name}");
        }
    }

    #[test]
    fn the_pieces_of_some_calls_are_known() {
        assert_eq!(written(Numbers::X86_64.name(0)), Some(&[items(1, 2, 1)][..]));
        assert_eq!(written(Numbers::X86_64.name(1)), Some(&[][..]));
        assert_eq!(written(Numbers::X86_64.name(16)), None);
        assert_eq!(written(None), None);
    }
}
