//! Memory that system calls change: the ranges that they write in the calling program
//! ([`SystemCallWrite`]), and the memory that others may change afterwards ([`MemorySharing`]; `man
//! 2`, `include/linux/syscalls.h`).
//!
//! The table lists every Linux and Solaris call whose effect on memory follows from its arguments.
//! Other calls may write anywhere: they take pointers inside structures (`ioctl`, `recvmsg`,
//! `readv`), run another program (`execve`), or write where an earlier call said (`exit`,
//! `io_uring_enter`).

use crate::linux::names::SystemCallNumbering;

/// A memory range that a system call may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCallWrite {
    /// Argument that holds the address, from 0.
    pub address: usize,
    /// Maximum length.
    pub length: SystemCallWriteLength,
    /// Condition under which it is written; none if always.
    pub only_if: Option<SystemCallWriteCondition>,
}

/// Maximum length of a written range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCallWriteLength {
    /// This number of bytes.
    Bytes(u32),
    /// A number of items given by an argument.
    Items {
        /// Argument that holds the count.
        count: usize,
        /// Size of an item in bytes.
        bytes: u32,
    },
}

/// A condition on an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemCallWriteCondition {
    /// Number of the argument, from 0.
    pub argument: usize,
    /// Bits of the argument that are compared.
    pub mask: u64,
    /// Values of these bits for which the condition holds.
    pub values: &'static [u64],
}

/// Returns the ranges that a system call may write, other than mapped files; none if it may write
/// anywhere.
pub(crate) fn written(
    numbers: SystemCallNumbering,
    name: Option<&str>,
) -> Option<&'static [SystemCallWrite]> {
    let name = name?;
    // The old `mmap`: its arguments are in memory.
    if name == "mmap"
        && matches!(
            numbers,
            SystemCallNumbering::X86_32 | SystemCallNumbering::Arm
        )
    {
        return None;
    }
    if is_listed(EPOLL_WAITS, name)
        && matches!(
            numbers,
            SystemCallNumbering::X86_64 | SystemCallNumbering::X86_32
        )
    {
        return Some(EPOLL_X86);
    }
    if is_listed(NOTHING, name) || is_listed(FILES, name) {
        return Some(&[]);
    }
    TABLE
        .iter()
        .find(|(names, _)| is_listed(names, name))
        .map(|(_, parts)| *parts)
}

/// Returns true if a system call changes files, and thereby memory of other programs that map them.
pub(crate) fn changes_files(name: Option<&str>) -> bool {
    name.is_some_and(|name| is_listed(FILES, name) || is_listed(FILES_AND_MORE, name))
}

fn is_listed(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|known| known == name)
}

const fn bytes(address: usize, bytes: u32) -> SystemCallWrite {
    SystemCallWrite {
        address,
        length: SystemCallWriteLength::Bytes(bytes),
        only_if: None,
    }
}

const fn items(address: usize, count: usize, bytes: u32) -> SystemCallWrite {
    SystemCallWrite {
        address,
        length: SystemCallWriteLength::Items { count, bytes },
        only_if: None,
    }
}

impl SystemCallWrite {
    /// Adds the condition that some bits of an argument have one of these values.
    const fn only_if(self, argument: usize, mask: u64, values: &'static [u64]) -> Self {
        Self {
            only_if: Some(SystemCallWriteCondition {
                argument,
                mask,
                values,
            }),
            ..self
        }
    }
}

/// `MAP_FIXED`; without it, a new mapping does not replace an existing one. `MAP_FIXED_NOREPLACE`
/// is another bit.
const FIXED: u64 = 0x10;
/// `MREMAP_FIXED`.
const REMAP_FIXED: u64 = 2;
/// `F_GETLK` and its variants on all architectures, `F_GETOWN_EX`.
const LOCK_QUERIES: &[u64] = &[5, 7, 11, 12, 13, 14, 16, 33, 36, 47];
/// Advice after which pages may be gone (`MADV_DONTNEED`, `MADV_FREE`, `MADV_REMOVE`,
/// `MADV_DONTNEED_LOCKED`, `MADV_HWPOISON`).
const DROPPING_ADVICE: &[u64] = &[4, 5, 8, 9, 24, 100];
/// Futex operations in which the kernel writes the futex: those on kernel-managed locks, and the
/// one that wakes and modifies.
const FUTEX_LOCKS: &[u64] = &[6, 7, 8, 11, 12, 13];
const FUTEX_PAIRS: &[u64] = &[5, 11, 12];
/// A futex operation without its options (`FUTEX_CMD_MASK`).
const FUTEX_OPERATION: u64 = 0x7f;

/// `arch_prctl` operations that query rather than set (`arch/x86/include/uapi/asm/prctl.h`).
const ARCH_QUERIES: &[u64] = &[
    0x1003, 0x1004, 0x1021, 0x1022, 0x1024, 0x4001, 0x4003, 0x5005,
];
/// `prctl` queries that write through the second argument (`include/uapi/linux/prctl.h`);
/// `PR_GET_NAME` is the longest.
const PROCESS_QUERIES: &[u64] = &[2, 5, 9, 11, 16, 19, 25, 37, 40];
/// `PR_GET_AUXV`, `PR_SET_MM` (which can query a size), `PR_SCHED_CORE`.
const AUXILIARY_VECTOR: &[u64] = &[0x4155_5856];
const MEMORY_MAP: &[u64] = &[35];
const CORE_COOKIE: &[u64] = &[62];
/// The structures have 12 bytes on x86 and 16 elsewhere.
const EPOLL_X86: &[SystemCallWrite] = &[items(1, 2, 12)];
const EPOLL_WAITS: &str = "epoll_wait epoll_pwait epoll_pwait2";

/// Calls that write no memory that the program already had.
const NOTHING: &str = "\
    access acct alarm bind brk chdir chmod chown chown32 chroot clock_settime clock_settime64 close close_range connect \
    creat creat64 delete_module dup dup2 dup3 epoll_create epoll_create1 epoll_ctl eventfd eventfd2 exit_group faccessat \
    faccessat2 fadvise64 fadvise64_64 fanotify_init fanotify_mark fchdir fchmod fchmodat fchmodat2 fchown fchown32 \
    fchownat fchroot fdatasync fdsync finit_module flock fork fpathconf fremovexattr fsetxattr fsconfig fsmount fsopen \
    fspick fsync futex_requeue futex_wait futex_waitv futex_wake futimesat getegid getegid32 geteuid geteuid32 getgid \
    getgid32 getpagesize getpgid getpgrp getpid getppid getpriority getsid gettid getuid getuid32 init_module \
    inotify_add_watch inotify_init inotify_init1 inotify_rm_watch inst_sync io_destroy ioperm iopl ioprio_get ioprio_set \
    issetugid kcmp kern_features kexec_file_load kexec_load kill landlock_add_rule landlock_create_ruleset \
    landlock_restrict_self lchown lchown32 link linkat listen llseek lremovexattr lseek lsetxattr lwp_continue lwp_kill \
    lwp_self lwp_suspend mbind membarrier memfd_create memfd_secret memory_ordering migrate_pages mkdir mkdirat mknod \
    mknodat mlock mlock2 mlockall mount mount_setattr move_mount mprotect mq_notify mq_open mq_timedsend \
    mq_timedsend_time64 mq_unlink mseal msgget msgsnd msync munlock munlockall nice open open64 openat openat2 \
    open_by_handle_at open_tree open_tree_attr pathconf pause perf_event_open personality pidfd_getfd pidfd_open \
    pidfd_send_signal pivot_root pkey_alloc pkey_free pkey_mprotect prof process_madvise process_mrelease readahead \
    reboot removexattr removexattrat rename renameat renameat2 riscv_flush_icache rmdir rt_sigqueueinfo rt_sigreturn \
    rt_sigsuspend rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getscheduler sched_setaffinity \
    sched_setattr sched_setparam sched_setscheduler sched_yield semget semop semtimedop semtimedop_time64 send sendmsg \
    sendto set_mempolicy set_mempolicy_home_node set_robust_list set_tid_address setdomainname setegid seteuid setfsgid \
    setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32 sethostname setns setpgid setpriority setregid \
    setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit setrlimit64 setsid setsockopt \
    settimeofday setuid setuid32 setxattr setxattrat sgetmask shmget shutdown sigreturn sigsuspend signalfd signalfd4 \
    so_socket socket ssetmask stime swapoff swapon symlink symlinkat sync sync_file_range sync_file_range2 syncfs \
    sysconfig tgkill timer_delete timer_getoverrun timerfd_create tkill ulimit umask umount umount2 unlink unlinkat \
    unshare userfaultfd utime utimensat utimensat_time64 utimes vhangup yield";

/// Calls whose only effect is on files; it is visible where a file is mapped.
const FILES: &str = "\
    fallocate ftruncate ftruncate64 pwrite pwrite64 pwritev pwritev2 tee truncate truncate64 write writev";
/// Calls of [`TABLE`] that also change files.
const FILES_AND_MORE: &str = "copy_file_range sendfile sendfile64 splice";

/// Calls and the ranges that they write.
const TABLE: [(&str, &[SystemCallWrite]); 72] = [
    ("read pread pread64 recv", &[items(1, 2, 1)]),
    ("getrandom getcwd", &[items(0, 1, 1)]),
    (
        "readlink getdents getdents64 listxattr llistxattr flistxattr resolvepath systeminfo",
        &[items(1, 2, 1)],
    ),
    ("readlinkat getxattr lgetxattr fgetxattr", &[items(2, 3, 1)]),
    ("copy_file_range splice", &[bytes(1, 8), bytes(3, 8)]),
    (
        "mmap mmap2 mmap64",
        &[items(0, 1, 1).only_if(3, FIXED, &[FIXED])],
    ),
    ("munmap remap_file_pages rseq", &[items(0, 1, 1)]),
    (
        "mremap",
        &[
            items(0, 1, 1),
            items(4, 2, 1).only_if(3, REMAP_FIXED, &[REMAP_FIXED]),
        ],
    ),
    (
        "madvise",
        &[items(0, 1, 1).only_if(2, 0xffff_ffff, DROPPING_ADVICE)],
    ),
    ("mincore", &[items(2, 1, 1)]),
    (
        "arch_prctl",
        &[bytes(1, 8).only_if(0, 0xffff_ffff, ARCH_QUERIES)],
    ),
    (
        "prctl",
        &[
            bytes(1, 16).only_if(0, 0xffff_ffff, PROCESS_QUERIES),
            items(1, 2, 1).only_if(0, 0xffff_ffff, AUXILIARY_VECTOR),
            bytes(2, 4).only_if(0, 0xffff_ffff, MEMORY_MAP),
            bytes(4, 8).only_if(0, 0xffff_ffff, CORE_COOKIE),
        ],
    ),
    ("io_setup", &[bytes(1, 8)]),
    (
        "fcntl fcntl64",
        &[bytes(2, 64).only_if(1, 0xffff_ffff, LOCK_QUERIES)],
    ),
    ("sendfile sendfile64", &[bytes(2, 8)]),
    ("_llseek", &[bytes(3, 8)]),
    // The Solaris call has one argument before the set.
    ("sigpending", &[bytes(0, 8), bytes(1, 16)]),
    (
        "rt_sigtimedwait rt_sigtimedwait_time64 sigtimedwait",
        &[bytes(1, 256)],
    ),
    ("rt_sigpending", &[items(0, 1, 1)]),
    ("socketpair", &[bytes(3, 8)]),
    ("timer_create", &[bytes(2, 4)]),
    (
        "timer_settime timerfd_settime timer_settime64 timerfd_settime64",
        &[bytes(3, 32)],
    ),
    (
        "getresuid getresgid getresuid32 getresgid32",
        &[bytes(0, 4), bytes(1, 4), bytes(2, 4)],
    ),
    ("getgroups getgroups32", &[items(1, 0, 4)]),
    ("stat lstat fstat stat64 lstat64 fstat64", &[bytes(1, 144)]),
    ("newfstatat fstatat64 xstat lxstat fxstat", &[bytes(2, 144)]),
    ("statx", &[bytes(4, 256)]),
    ("statfs fstatfs", &[bytes(1, 120)]),
    ("statfs64 fstatfs64", &[bytes(2, 120)]),
    ("statvfs fstatvfs statvfs64 fstatvfs64", &[bytes(1, 1024)]),
    ("ustat", &[bytes(1, 64)]),
    ("statmount", &[items(1, 2, 1)]),
    ("listmount", &[items(1, 2, 8)]),
    ("cachestat", &[bytes(2, 40)]),
    ("poll", &[items(0, 1, 8)]),
    ("ppoll ppoll_time64", &[items(0, 1, 8), bytes(2, 16)]),
    (
        "select _newselect",
        &[bytes(1, 128), bytes(2, 128), bytes(3, 128), bytes(4, 16)],
    ),
    (
        "pselect6 pselect6_time64",
        &[bytes(1, 128), bytes(2, 128), bytes(3, 128), bytes(4, 16)],
    ),
    (EPOLL_WAITS, &[items(1, 2, 16)]),
    (
        "io_getevents io_pgetevents io_pgetevents_time64",
        &[items(3, 2, 32)],
    ),
    ("io_cancel", &[bytes(2, 32)]),
    ("nanosleep", &[bytes(1, 16)]),
    ("clock_nanosleep clock_nanosleep_time64", &[bytes(3, 16)]),
    (
        "clock_gettime clock_getres clock_gettime64 clock_getres_time64",
        &[bytes(1, 16)],
    ),
    (
        "getitimer timerfd_gettime timer_gettime timer_gettime64 timerfd_gettime64",
        &[bytes(1, 32)],
    ),
    ("setitimer", &[bytes(2, 32)]),
    ("gettimeofday", &[bytes(0, 16), bytes(1, 8)]),
    ("adjtimex adjtime", &[bytes(0, 208), bytes(1, 16)]),
    ("clock_adjtime clock_adjtime64", &[bytes(1, 208)]),
    ("time times", &[bytes(0, 32)]),
    ("sysinfo uname", &[bytes(0, 390)]),
    (
        "getrusage getrlimit ugetrlimit getrlimit64",
        &[bytes(1, 144)],
    ),
    ("prlimit64", &[bytes(3, 16)]),
    ("rt_sigaction sigaction", &[bytes(2, 32)]),
    ("rt_sigprocmask sigprocmask", &[bytes(2, 16)]),
    ("sigaltstack", &[bytes(1, 24)]),
    ("waitpid", &[bytes(1, 4)]),
    ("wait4", &[bytes(1, 4), bytes(3, 144)]),
    ("waitid", &[bytes(2, 128), bytes(4, 144)]),
    ("recvfrom", &[items(1, 2, 1), bytes(4, 128), bytes(5, 4)]),
    (
        "accept accept4 getsockname getpeername",
        &[bytes(1, 128), bytes(2, 4)],
    ),
    ("pipe pipe2", &[bytes(0, 8)]),
    ("sched_getaffinity", &[items(2, 1, 1)]),
    ("sched_getparam", &[bytes(1, 4)]),
    ("sched_getattr", &[items(1, 2, 1)]),
    (
        "sched_rr_get_interval sched_rr_get_interval_time64",
        &[bytes(1, 16)],
    ),
    ("getcpu", &[bytes(0, 4), bytes(1, 4)]),
    ("capget", &[bytes(0, 8), bytes(1, 24)]),
    ("get_robust_list", &[bytes(1, 8), bytes(2, 8)]),
    (
        "mq_timedreceive mq_timedreceive_time64",
        &[items(1, 2, 1), bytes(3, 4)],
    ),
    // The order of the thread id arguments differs between architectures.
    ("clone", &[bytes(2, 4), bytes(3, 4), bytes(4, 4)]),
    (
        "futex futex_time64",
        &[
            bytes(0, 4).only_if(1, FUTEX_OPERATION, FUTEX_LOCKS),
            bytes(4, 4).only_if(1, FUTEX_OPERATION, FUTEX_PAIRS),
        ],
    ),
];

/// Bits of the mapping flags that select the sharing mode (`MAP_TYPE`).
const KIND_OF_MAPPING: u64 = 0xf;
/// Private (`MAP_PRIVATE`).
const PRIVATE: u64 = 2;
/// The kernel must use exactly the requested address (`MAP_FIXED`, `MAP_FIXED_NOREPLACE`).
const FIXED_MAPPING: u64 = 0x10_0010;
/// `PROT_WRITE`.
const PROTECTION_WRITE: u64 = 2;

/// Memory that others may change after a system call. Fields are argument numbers, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySharing {
    /// Memory at the result, unless the flags make the mapping private.
    Mapped {
        /// Length.
        length: usize,
        /// Protection.
        protection: usize,
        /// Flags.
        flags: usize,
    },
    /// Memory at the result, if the memory at its old address is shared.
    Moved {
        /// Old address.
        from: usize,
        /// Old length; a length of 0 also leaves the old mapping in place.
        length: usize,
        /// New length.
        new_length: usize,
    },
    /// Memory at the result, of unknown length.
    Attached,
    /// Memory given by address and length.
    Area {
        /// Address.
        address: usize,
        /// Length.
        length: usize,
    },
    /// Any memory, at any time until the requested operation is complete.
    Anywhere,
}

/// Returns true if the mapping flags make the mapping private.
pub fn is_own_mapping(flags: u64) -> bool {
    flags & KIND_OF_MAPPING == PRIVATE
}

/// Returns true if the mapping flags require the requested address.
pub fn is_fixed_mapping(flags: u64) -> bool {
    flags & FIXED_MAPPING != 0
}

/// Returns true if the protection allows stores.
pub fn may_be_written(protection: u64) -> bool {
    protection & PROTECTION_WRITE != 0
}

/// Returns the memory that others may change after this system call; none if there is none.
pub(crate) fn sharing(numbers: SystemCallNumbering, number: u64) -> Option<MemorySharing> {
    Some(match numbers.name(number)? {
        // This is the old `mmap`, whose arguments are in memory.
        "mmap"
            if matches!(
                numbers,
                SystemCallNumbering::X86_32 | SystemCallNumbering::Arm
            ) =>
        {
            MemorySharing::Anywhere
        }
        // A single number multiplexes all System V IPC, including shared memory. The program does
        // not see when the kernel maps pages or reads files.
        "ipc" if numbers == SystemCallNumbering::Sparc => MemorySharing::Anywhere,
        "shmsys" | "kaio" if numbers == SystemCallNumbering::Solaris => MemorySharing::Anywhere,
        "mmap" | "mmap2" | "mmap64" => MemorySharing::Mapped {
            length: 1,
            protection: 2,
            flags: 3,
        },
        "mremap" => MemorySharing::Moved {
            from: 0,
            length: 1,
            new_length: 2,
        },
        "shmat" => MemorySharing::Attached,
        // The kernel writes there each time it returns to the thread.
        "rseq" => MemorySharing::Area {
            address: 0,
            length: 1,
        },
        "io_uring_setup" | "io_submit" => MemorySharing::Anywhere,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::names;

    #[test]
    fn every_name_is_one_of_a_system_call() {
        let all = [
            names::X86_64,
            names::X86_32,
            names::GENERIC,
            names::ARM,
            names::SPARC,
            names::SOLARIS,
            names::COMMON,
        ];
        let listed = TABLE
            .iter()
            .map(|(names, _)| *names)
            .chain([NOTHING, FILES, FILES_AND_MORE]);
        for name in listed.flat_map(str::split_ascii_whitespace) {
            assert!(all.iter().any(|table| is_listed(table, name)), "{name}");
        }
    }

    #[test]
    fn every_name_is_in_one_list() {
        let mut names: Vec<_> = TABLE
            .iter()
            .map(|(names, _)| *names)
            .chain([NOTHING, FILES])
            .collect();
        let mut words: Vec<_> = names
            .drain(..)
            .flat_map(str::split_ascii_whitespace)
            .collect();
        words.sort_unstable();
        let twice: Vec<_> = words.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[track_caller]
    fn check(numbers: SystemCallNumbering, number: u64, expected: Option<&[SystemCallWrite]>) {
        assert_eq!(
            written(numbers, numbers.name(number)),
            expected,
            "{:?}",
            numbers.name(number)
        );
    }

    #[test]
    fn the_pieces_of_some_calls_are_known() {
        check(SystemCallNumbering::X86_64, 0, Some(&[items(1, 2, 1)]));
        check(SystemCallNumbering::X86_64, 1, Some(&[]));
        check(SystemCallNumbering::X86_64, 16, None);
        assert_eq!(written(SystemCallNumbering::X86_64, None), None);
    }

    /// `brk` has a different number in each table (`arch/*/include/uapi/asm/unistd*.h`).
    #[test]
    fn calls_without_buffers_write_nothing_on_any_architecture() {
        let brk = [
            (SystemCallNumbering::X86_64, 12),
            (SystemCallNumbering::X86_32, 45),
            (SystemCallNumbering::Generic, 214),
            (SystemCallNumbering::Arm, 45),
            (SystemCallNumbering::Sparc, 17),
            (SystemCallNumbering::Solaris, 17),
        ];
        for (numbers, number) in brk {
            assert_eq!(numbers.name(number), Some("brk"));
            check(numbers, number, Some(&[]));
        }
    }

    #[test]
    fn a_question_about_the_process_writes_its_answer_alone() {
        // Every program calls `arch_prctl(ARCH_SET_FS)` at start; `clock_gettime` returns a
        // `timespec`.
        check(
            SystemCallNumbering::X86_64,
            158,
            Some(&[bytes(1, 8).only_if(0, 0xffff_ffff, ARCH_QUERIES)]),
        );
        assert!(!ARCH_QUERIES.contains(&0x1002), "ARCH_SET_FS");
        check(SystemCallNumbering::X86_64, 228, Some(&[bytes(1, 16)]));
        assert!(!PROCESS_QUERIES.contains(&15), "PR_SET_NAME");
        check(SystemCallNumbering::X86_64, 232, Some(&[items(1, 2, 12)]));
        check(SystemCallNumbering::Generic, 22, Some(&[items(1, 2, 16)]));
    }

    #[test]
    fn a_mapping_replaces_only_what_it_is_told_to() {
        check(
            SystemCallNumbering::X86_64,
            9,
            Some(&[items(0, 1, 1).only_if(3, FIXED, &[FIXED])]),
        );
        check(SystemCallNumbering::X86_32, 90, None);
        check(
            SystemCallNumbering::X86_32,
            192,
            Some(&[items(0, 1, 1).only_if(3, FIXED, &[FIXED])]),
        );
    }
}

#[cfg(test)]
mod sharing_tests {
    use super::*;

    #[test]
    fn what_makes_others_change_memory_is_known_by_number() {
        assert_eq!(
            sharing(SystemCallNumbering::X86_64, 9),
            Some(MemorySharing::Mapped {
                length: 1,
                protection: 2,
                flags: 3
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::Generic, 222),
            Some(MemorySharing::Mapped {
                length: 1,
                protection: 2,
                flags: 3
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::Arm, 192),
            Some(MemorySharing::Mapped {
                length: 1,
                protection: 2,
                flags: 3
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::X86_64, 334),
            Some(MemorySharing::Area {
                address: 0,
                length: 1
            })
        );
        assert_eq!(
            sharing(SystemCallNumbering::X86_64, 425),
            Some(MemorySharing::Anywhere)
        );
        assert_eq!(sharing(SystemCallNumbering::X86_64, 0), None);
    }

    #[test]
    fn flags_tell_mappings_of_one_s_own_from_shared_ones() {
        assert_eq!(
            [0x22, 0x21, 0x802, 0x3, 0].map(is_own_mapping),
            [true, false, true, false, false]
        );
        assert_eq!(
            [0x32, 0x22, 0x10_0002].map(is_fixed_mapping),
            [true, false, true]
        );
    }
}
