//! Names of system calls, errors and signals. System call numbers differ between architectures and
//! kernels ([`SystemCallNumbering`]), so each has a table; a stored number identifies its table.
//!
//! A number precedes the name that has it; each further name has the next number.

use std::collections::HashMap;
use std::sync::LazyLock;

type LinuxNameTable = HashMap<u64, &'static str>;

/// Numbering scheme of system calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemCallNumbering {
    /// x86 in 64-bit mode.
    X86_64,
    /// x86 in 32-bit mode.
    X86_32,
    /// The generic table, used by all architectures since AArch64
    /// (`include/uapi/asm-generic/unistd.h`).
    Generic,
    /// Arm, 32 bit.
    Arm,
    /// SPARC, 32 and 64 bit.
    Sparc,
    /// Solaris on SPARC.
    Solaris,
}

/// Offset of Solaris numbers in a trace of an architecture whose kernels use other numbering
/// schemes.
const FIRST_OF_SOLARIS: u64 = 1 << 16;

impl SystemCallNumbering {
    /// Returns the number to store for a call, which also identifies its numbering scheme.
    pub fn marked(self, number: u64) -> u64 {
        if self == Self::Solaris {
            number.saturating_add(FIRST_OF_SOLARIS)
        } else {
            number
        }
    }

    /// Splits a stored number into numbering scheme and number.
    pub fn distinguished(self, marked: u64) -> (Self, u64) {
        match marked.checked_sub(FIRST_OF_SOLARIS) {
            Some(number) if self == Self::Sparc => (Self::Solaris, number),
            _ => (self, marked),
        }
    }

    /// Returns the name of an error. The lowest numbers are the same everywhere.
    pub fn error_name(self, number: u64) -> Option<&'static str> {
        /// From 36 on (Linux, `arch/sparc/include/uapi/asm/errno.h`).
        const SPARC: &str = "EINPROGRESS EALREADY ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT \
            ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET \
            ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED ELOOP \
            ENAMETOOLONG EHOSTDOWN EHOSTUNREACH ENOTEMPTY EPROCLIM EUSERS EDQUOT ESTALE EREMOTE ENOSTR ETIME ENOSR ENOMSG \
            EBADMSG EIDRM EDEADLK ENOLCK ENONET ERREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EREMCHG ENOSYS \
            ESTRPIPE EOVERFLOW EBADFD ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO \
            EBADRQC EBADSLT EDEADLOCK EBFONT ELIBEXEC ENODATA ELIBBAD ENOPKG ELIBACC ENOTUNIQ ERESTART EUCLEAN ENOTNAM ENAVAIL \
            EISNAM EREMOTEIO EILSEQ ELIBMAX ELIBSCN ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED \
            EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON";
        /// From 35 on (Solaris, `<sys/errno.h>`; Intro(2)).
        const SOLARIS: &str = "ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EDEADLK ENOLCK ECANCELED \
            ENOTSUP EDQUOT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT EDEADLOCK EBFONT EOWNERDEAD ENOTRECOVERABLE ENOSTR ENODATA \
            ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO ELOCKUNMAPPED ENOTACTIVE EMULTIHOP - - EBADMSG \
            ENAMETOOLONG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ENOSYS ELOOP ERESTART \
            ESTRPIPE ENOTEMPTY EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT - - - - - - - - - - - - - - - - - - - - \
            EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH \
            ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN - - - - - - - - ESHUTDOWN ETOOMANYREFS ETIMEDOUT \
            ECONNREFUSED EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE";
        match (self, number) {
            (Self::Sparc, 35..) => nth_name(SPARC, number.checked_sub(35)?),
            (Self::Solaris, 35..) => nth_name(SOLARIS, number.checked_sub(34)?),
            _ => error_name(number),
        }
    }

    /// Returns the name of a system call; none for a number that no kernel of the architecture had
    /// when this was written.
    pub fn name(self, number: u64) -> Option<&'static str> {
        static COMMON: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::COMMON));
        static X86_64: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::X86_64));
        static X86_32: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::X86_32));
        static GENERIC: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::GENERIC));
        static ARM: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::ARM));
        static SPARC: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::SPARC));
        static SOLARIS: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(self::SOLARIS));
        let table = match self {
            Self::X86_64 => &X86_64,
            Self::X86_32 => &X86_32,
            Self::Generic => &GENERIC,
            Self::Arm => &ARM,
            Self::Sparc => &SPARC,
            // Linux's common numbers do not apply to Solaris.
            Self::Solaris => return SOLARIS.get(&number).copied(),
        };
        table.get(&number).or_else(|| COMMON.get(&number)).copied()
    }
}

/// Results from `-LARGEST_ERROR` to -1, cut to the width of a register, are errors (Linux,
/// `IS_ERR_VALUE`).
pub const LARGEST_ERROR: u64 = 4095;

fn names_by_number(table: &'static str) -> LinuxNameTable {
    let mut next = 0;
    let mut names = LinuxNameTable::new();
    for word in table.split_ascii_whitespace() {
        match word
            .strip_suffix(':')
            .and_then(|number| number.parse().ok())
        {
            Some(number) => next = number,
            None => {
                names.insert(next, word);
                next += 1;
            }
        }
    }
    names
}

/// Returns the name of an error, such as `ENOENT`.
pub fn error_name(number: u64) -> Option<&'static str> {
    const NAMES: &str = "EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK \
        EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE \
        EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG EL2NSYNC EL3HLT EL3RST ELNRNG \
        EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG \
        EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD \
        ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT \
        EPROTONOSUPPORT ESOCKTNOSUPPORT EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH \
        ENETRESET ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED EHOSTDOWN \
        EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT ENOMEDIUM EMEDIUMTYPE \
        ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE ERFKILL EHWPOISON";
    nth_name(NAMES, number)
}

/// Returns the name of a signal, such as `SIGSEGV`; numbers from 32 on have no names.
pub fn signal_name(number: u64) -> Option<&'static str> {
    const NAMES: &str = "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE \
        SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF \
        SIGWINCH SIGIO SIGPWR SIGSYS";
    nth_name(NAMES, number)
}

/// Returns the name at a 1-based index; none if the entry is a dash.
fn nth_name(names: &'static str, number: u64) -> Option<&'static str> {
    let place = usize::try_from(number.checked_sub(1)?).ok()?;
    names
        .split_ascii_whitespace()
        .nth(place)
        .filter(|name| *name != "-")
}

/// x86 in 64-bit mode.
pub const X86_64: &str = "\
    0: read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask \
    rt_sigreturn ioctl pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore madvise \
    shmget shmat shmctl dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile socket connect accept \
    sendto recvfrom sendmsg recvmsg shutdown bind listen getsockname getpeername socketpair setsockopt getsockopt \
    clone fork vfork execve exit wait4 kill uname semget semop semctl shmdt msgget msgsnd msgrcv msgctl fcntl flock \
    fsync fdatasync truncate ftruncate getdents getcwd chdir fchdir rename mkdir rmdir creat link unlink symlink \
    readlink chmod fchmod chown fchown lchown umask gettimeofday getrlimit getrusage sysinfo times ptrace getuid \
    syslog getgid setuid setgid geteuid getegid setpgid getppid getpgrp setsid setreuid setregid getgroups setgroups \
    setresuid getresuid setresgid getresgid getpgid setfsuid setfsgid getsid capget capset rt_sigpending \
    rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend sigaltstack utime mknod uselib personality ustat statfs fstatfs \
    sysfs getpriority setpriority sched_setparam sched_getparam sched_setscheduler sched_getscheduler \
    sched_get_priority_max sched_get_priority_min sched_rr_get_interval mlock munlock mlockall munlockall vhangup \
    modify_ldt pivot_root _sysctl prctl arch_prctl adjtimex setrlimit chroot sync acct settimeofday mount umount2 \
    swapon swapoff reboot sethostname setdomainname iopl ioperm create_module init_module delete_module \
    get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg afs_syscall tuxcall security gettid readahead \
    setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr \
    lremovexattr fremovexattr tkill time futex sched_setaffinity sched_getaffinity set_thread_area io_setup \
    io_destroy io_getevents io_submit io_cancel get_thread_area lookup_dcookie epoll_create epoll_ctl_old \
    epoll_wait_old remap_file_pages getdents64 set_tid_address restart_syscall semtimedop fadvise64 timer_create \
    timer_settime timer_gettime timer_getoverrun timer_delete clock_settime clock_gettime clock_getres \
    clock_nanosleep exit_group epoll_wait epoll_ctl tgkill utimes vserver mbind set_mempolicy get_mempolicy mq_open \
    mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr kexec_load waitid add_key request_key keyctl \
    ioprio_set ioprio_get inotify_init inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat mknodat \
    fchownat futimesat newfstatat unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll \
    unshare set_robust_list get_robust_list splice tee sync_file_range vmsplice move_pages utimensat epoll_pwait \
    signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime accept4 signalfd4 eventfd2 \
    epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg fanotify_init \
    fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg setns getcpu \
    process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp getrandom \
    memfd_create kexec_file_load bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 \
    pkey_mprotect pkey_alloc pkey_free statx io_pgetevents rseq";

/// x86 in 32-bit mode.
pub const X86_32: &str = "\
    0: restart_syscall exit fork read write open close waitpid creat link unlink execve chdir time mknod chmod \
    lchown break oldstat lseek getpid mount umount setuid getuid stime ptrace alarm oldfstat pause utime stty gtty \
    access nice ftime sync kill rename mkdir rmdir dup pipe times prof brk setgid getgid signal geteuid getegid acct \
    umount2 lock ioctl fcntl mpx setpgid ulimit oldolduname umask chroot ustat dup2 getppid getpgrp setsid sigaction \
    sgetmask ssetmask setreuid setregid sigsuspend sigpending sethostname setrlimit getrlimit getrusage gettimeofday \
    settimeofday getgroups setgroups select symlink oldlstat readlink uselib swapon reboot readdir mmap munmap \
    truncate ftruncate fchmod fchown getpriority setpriority profil statfs fstatfs ioperm socketcall syslog \
    setitimer getitimer stat lstat fstat olduname iopl vhangup idle vm86old wait4 swapoff sysinfo ipc fsync \
    sigreturn clone setdomainname uname modify_ldt adjtimex mprotect sigprocmask create_module init_module \
    delete_module get_kernel_syms quotactl getpgid fchdir bdflush sysfs personality afs_syscall setfsuid setfsgid \
    _llseek getdents _newselect flock msync readv writev getsid fdatasync _sysctl mlock munlock mlockall munlockall \
    sched_setparam sched_getparam sched_setscheduler sched_getscheduler sched_yield sched_get_priority_max \
    sched_get_priority_min sched_rr_get_interval nanosleep mremap setresuid getresuid vm86 query_module poll \
    nfsservctl setresgid getresgid prctl rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait \
    rt_sigqueueinfo rt_sigsuspend pread64 pwrite64 chown getcwd capget capset sigaltstack sendfile getpmsg putpmsg \
    vfork ugetrlimit mmap2 truncate64 ftruncate64 stat64 lstat64 fstat64 lchown32 getuid32 getgid32 geteuid32 \
    getegid32 setreuid32 setregid32 getgroups32 setgroups32 fchown32 setresuid32 getresuid32 setresgid32 getresgid32 \
    chown32 setuid32 setgid32 setfsuid32 setfsgid32 pivot_root mincore madvise getdents64 fcntl64 224: gettid \
    readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr removexattr \
    lremovexattr fremovexattr tkill sendfile64 futex sched_setaffinity sched_getaffinity set_thread_area \
    get_thread_area io_setup io_destroy io_getevents io_submit io_cancel fadvise64 252: exit_group lookup_dcookie \
    epoll_create epoll_ctl epoll_wait remap_file_pages set_tid_address timer_create timer_settime timer_gettime \
    timer_getoverrun timer_delete clock_settime clock_gettime clock_getres clock_nanosleep statfs64 fstatfs64 tgkill \
    utimes fadvise64_64 vserver mbind get_mempolicy set_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive \
    mq_notify mq_getsetattr kexec_load waitid 286: add_key request_key keyctl ioprio_set ioprio_get inotify_init \
    inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat futimesat fstatat64 unlinkat \
    renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll unshare set_robust_list get_robust_list \
    splice sync_file_range tee vmsplice move_pages getcpu epoll_pwait utimensat signalfd timerfd_create eventfd \
    fallocate timerfd_settime timerfd_gettime signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv \
    pwritev rt_tgsigqueueinfo perf_event_open recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at \
    open_by_handle_at clock_adjtime syncfs sendmmsg setns process_vm_readv process_vm_writev kcmp finit_module \
    sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat socket socketpair bind connect \
    listen accept4 getsockopt setsockopt getsockname getpeername sendto sendmsg recvfrom recvmsg shutdown \
    userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx \
    arch_prctl io_pgetevents rseq 393: semget semctl shmget shmctl shmat shmdt msgget msgsnd msgrcv msgctl \
    clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 timer_gettime64 \
    timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64 pselect6_time64 ppoll_time64 \
    416: io_pgetevents_time64 recvmmsg_time64 mq_timedsend_time64 mq_timedreceive_time64 semtimedop_time64 \
    rt_sigtimedwait_time64 futex_time64 sched_rr_get_interval_time64";

/// AArch64, RISC-V and all later architectures; two numbers exist on RISC-V only.
pub const GENERIC: &str = "\
    0: io_setup io_destroy io_submit io_cancel io_getevents setxattr lsetxattr fsetxattr getxattr lgetxattr \
    fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr getcwd lookup_dcookie eventfd2 \
    epoll_create1 epoll_ctl epoll_pwait dup dup3 fcntl inotify_init1 inotify_add_watch inotify_rm_watch ioctl \
    ioprio_set ioprio_get flock mknodat mkdirat unlinkat symlinkat linkat 39: umount2 mount pivot_root nfsservctl \
    statfs fstatfs truncate ftruncate fallocate faccessat chdir fchdir chroot fchmod fchmodat fchownat fchown openat \
    close vhangup pipe2 quotactl getdents64 lseek read write readv writev pread64 pwrite64 preadv pwritev sendfile \
    pselect6 ppoll signalfd4 vmsplice splice tee readlinkat newfstatat fstat sync fsync fdatasync sync_file_range \
    timerfd_create timerfd_settime timerfd_gettime utimensat acct capget capset personality exit exit_group waitid \
    set_tid_address unshare futex set_robust_list get_robust_list nanosleep getitimer setitimer kexec_load \
    init_module delete_module timer_create timer_gettime timer_getoverrun timer_settime timer_delete clock_settime \
    clock_gettime clock_getres clock_nanosleep syslog ptrace sched_setparam sched_setscheduler sched_getscheduler \
    sched_getparam sched_setaffinity sched_getaffinity sched_yield sched_get_priority_max sched_get_priority_min \
    sched_rr_get_interval restart_syscall kill tkill tgkill sigaltstack rt_sigsuspend rt_sigaction rt_sigprocmask \
    rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigreturn setpriority getpriority reboot setregid setgid \
    setreuid setuid setresuid getresuid setresgid getresgid setfsuid setfsgid times setpgid getpgid getsid setsid \
    getgroups setgroups uname sethostname setdomainname getrlimit setrlimit getrusage umask prctl getcpu \
    gettimeofday settimeofday adjtimex getpid getppid getuid geteuid getgid getegid gettid sysinfo mq_open mq_unlink \
    mq_timedsend mq_timedreceive mq_notify mq_getsetattr msgget msgctl msgrcv msgsnd semget semctl semtimedop semop \
    shmget shmctl shmat shmdt socket socketpair bind listen accept connect getsockname getpeername sendto recvfrom \
    setsockopt getsockopt shutdown sendmsg recvmsg readahead brk munmap mremap add_key request_key keyctl clone \
    execve mmap fadvise64 swapon swapoff mprotect msync mlock munlock mlockall munlockall mincore madvise \
    remap_file_pages mbind get_mempolicy set_mempolicy migrate_pages move_pages rt_tgsigqueueinfo perf_event_open \
    accept4 recvmmsg 258: riscv_hwprobe riscv_flush_icache wait4 prlimit64 fanotify_init fanotify_mark \
    name_to_handle_at open_by_handle_at clock_adjtime syncfs setns sendmmsg process_vm_readv process_vm_writev kcmp \
    finit_module sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create bpf execveat userfaultfd \
    membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free statx 293: rseq \
    kexec_file_load";

/// AArch32 with the current ABI (EABI).
pub const ARM: &str = "\
    0: restart_syscall exit fork read write open close 8: creat link unlink execve chdir 14: mknod chmod lchown \
    19: lseek getpid mount 23: setuid getuid 26: ptrace 29: pause 33: access nice 36: sync kill rename mkdir rmdir \
    dup pipe times 45: brk setgid getgid 49: geteuid getegid acct umount2 54: ioctl fcntl 57: setpgid 60: umask \
    chroot ustat dup2 getppid getpgrp setsid sigaction 70: setreuid setregid sigsuspend sigpending sethostname \
    setrlimit 77: getrusage gettimeofday settimeofday getgroups setgroups 83: symlink 85: readlink uselib swapon \
    reboot 91: munmap truncate ftruncate fchmod fchown getpriority setpriority 99: statfs fstatfs 103: syslog \
    setitimer getitimer stat lstat fstat 111: vhangup 114: wait4 swapoff sysinfo 118: fsync sigreturn clone \
    setdomainname uname 124: adjtimex mprotect sigprocmask 128: init_module delete_module 131: quotactl getpgid \
    fchdir bdflush sysfs personality 138: setfsuid setfsgid _llseek getdents _newselect flock msync readv writev \
    getsid fdatasync _sysctl mlock munlock mlockall munlockall sched_setparam sched_getparam sched_setscheduler \
    sched_getscheduler sched_yield sched_get_priority_max sched_get_priority_min sched_rr_get_interval nanosleep \
    mremap setresuid getresuid 168: poll nfsservctl setresgid getresgid prctl rt_sigreturn rt_sigaction \
    rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend pread64 pwrite64 chown getcwd capget \
    capset sigaltstack sendfile 190: vfork ugetrlimit mmap2 truncate64 ftruncate64 stat64 lstat64 fstat64 lchown32 \
    getuid32 getgid32 geteuid32 getegid32 setreuid32 setregid32 getgroups32 setgroups32 fchown32 setresuid32 \
    getresuid32 setresgid32 getresgid32 chown32 setuid32 setgid32 setfsuid32 setfsgid32 getdents64 pivot_root \
    mincore madvise fcntl64 224: gettid readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr \
    listxattr llistxattr flistxattr removexattr lremovexattr fremovexattr tkill sendfile64 futex sched_setaffinity \
    sched_getaffinity io_setup io_destroy io_getevents io_submit io_cancel exit_group lookup_dcookie epoll_create \
    epoll_ctl epoll_wait remap_file_pages 256: set_tid_address timer_create timer_settime timer_gettime \
    timer_getoverrun timer_delete clock_settime clock_gettime clock_getres clock_nanosleep statfs64 fstatfs64 tgkill \
    utimes fadvise64_64 pciconfig_iobase pciconfig_read pciconfig_write mq_open mq_unlink mq_timedsend \
    mq_timedreceive mq_notify mq_getsetattr waitid socket bind connect listen accept getsockname getpeername \
    socketpair send sendto recv recvfrom shutdown setsockopt getsockopt sendmsg recvmsg semop semget semctl msgsnd \
    msgrcv msgget msgctl shmat shmdt shmget shmctl add_key request_key keyctl semtimedop vserver ioprio_set \
    ioprio_get inotify_init inotify_add_watch inotify_rm_watch mbind get_mempolicy set_mempolicy openat mkdirat \
    mknodat fchownat futimesat fstatat64 unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 \
    ppoll unshare set_robust_list get_robust_list splice sync_file_range2 tee vmsplice move_pages getcpu epoll_pwait \
    kexec_load utimensat signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime signalfd4 \
    eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo perf_event_open recvmmsg \
    accept4 fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg \
    setns process_vm_readv process_vm_writev kcmp finit_module sched_setattr sched_getattr renameat2 seccomp \
    getrandom memfd_create bpf execveat userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect \
    pkey_alloc pkey_free statx rseq io_pgetevents migrate_pages kexec_file_load 403: clock_gettime64 clock_settime64 \
    clock_adjtime64 clock_getres_time64 clock_nanosleep_time64 timer_gettime64 timer_settime64 timerfd_gettime64 \
    timerfd_settime64 utimensat_time64 pselect6_time64 ppoll_time64 416: io_pgetevents_time64 recvmmsg_time64 \
    mq_timedsend_time64 mq_timedreceive_time64 semtimedop_time64 rt_sigtimedwait_time64 futex_time64 \
    sched_rr_get_interval_time64";

/// SPARC, 32 and 64 bit: a call that exists in one width only has a number that the other leaves
/// unused.
pub const SPARC: &str = "\
    0: restart_syscall exit fork read write open close wait4 creat link unlink execv chdir chown mknod chmod lchown \
    brk perfctr lseek getpid capget capset setuid getuid vmsplice ptrace alarm sigaltstack pause utime lchown32 \
    fchown32 access nice chown32 sync kill stat sendfile lstat dup pipe times getuid32 umount2 setgid getgid signal \
    geteuid getegid acct memory_ordering getgid32 ioctl reboot mmap2 symlink readlink execve umask chroot fstat \
    fstat64 getpagesize msync vfork pread64 pwrite64 geteuid32 getegid32 mmap setreuid32 munmap mprotect madvise \
    vhangup truncate64 mincore getgroups setgroups getpgrp setgroups32 setitimer ftruncate64 swapon getitimer setuid32 \
    sethostname setgid32 dup2 setfsuid32 fcntl select setfsgid32 fsync setpriority socket connect accept getpriority \
    rt_sigreturn rt_sigaction rt_sigprocmask rt_sigpending rt_sigtimedwait rt_sigqueueinfo rt_sigsuspend setresuid \
    getresuid setresgid getresgid setregid32 recvmsg sendmsg getgroups32 gettimeofday getrusage getsockopt getcwd \
    readv writev settimeofday fchown fchmod recvfrom setreuid setregid rename truncate ftruncate flock lstat64 sendto \
    shutdown socketpair mkdir rmdir utimes stat64 sendfile64 getpeername futex gettid getrlimit setrlimit pivot_root \
    prctl pciconfig_read pciconfig_write getsockname inotify_init inotify_add_watch poll getdents64 fcntl64 \
    inotify_rm_watch statfs fstatfs umount sched_set_affinity sched_get_affinity getdomainname setdomainname \
    utrap_install quotactl set_tid_address mount ustat setxattr lsetxattr fsetxattr getxattr lgetxattr getdents setsid \
    fchdir fgetxattr listxattr llistxattr flistxattr removexattr lremovexattr sigpending query_module setpgid \
    fremovexattr tkill exit_group uname init_module personality remap_file_pages epoll_create epoll_ctl epoll_wait \
    ioprio_set getppid sigaction sgetmask ssetmask sigsuspend oldlstat uselib readdir readahead socketcall syslog \
    lookup_dcookie fadvise64 fadvise64_64 tgkill waitpid swapoff sysinfo ipc sigreturn clone ioprio_get adjtimex \
    sigprocmask create_module delete_module get_kernel_syms getpgid bdflush sysfs afs_syscall setfsuid setfsgid \
    _newselect time splice stime statfs64 fstatfs64 _llseek mlock munlock mlockall munlockall sched_setparam \
    sched_getparam sched_setscheduler sched_getscheduler sched_yield sched_get_priority_max sched_get_priority_min \
    sched_rr_get_interval nanosleep mremap _sysctl getsid fdatasync nfsservctl sync_file_range clock_settime \
    clock_gettime clock_getres clock_nanosleep sched_getaffinity sched_setaffinity timer_settime timer_gettime \
    timer_getoverrun timer_delete timer_create vserver io_setup io_destroy io_submit io_cancel io_getevents mq_open \
    mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr waitid tee add_key request_key keyctl openat \
    mkdirat mknodat fchownat futimesat fstatat64 unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat \
    pselect6 ppoll unshare set_robust_list get_robust_list migrate_pages mbind get_mempolicy set_mempolicy kexec_load \
    move_pages getcpu epoll_pwait utimensat signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime \
    signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 accept4 preadv pwritev rt_tgsigqueueinfo perf_event_open \
    recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at clock_adjtime syncfs sendmmsg \
    setns process_vm_readv process_vm_writev kern_features kcmp finit_module sched_setattr sched_getattr renameat2 \
    seccomp getrandom memfd_create bpf execveat membarrier userfaultfd bind listen setsockopt mlock2 copy_file_range \
    preadv2 pwritev2 statx io_pgetevents pkey_mprotect pkey_alloc pkey_free rseq 392: semtimedop semget semctl shmget \
    shmctl shmat shmdt msgget msgsnd msgrcv msgctl clock_gettime64 clock_settime64 clock_adjtime64 clock_getres_time64 \
    clock_nanosleep_time64 timer_gettime64 timer_settime64 timerfd_gettime64 timerfd_settime64 utimensat_time64 \
    pselect6_time64 ppoll_time64 416: io_pgetevents_time64 recvmmsg_time64 mq_timedsend_time64 mq_timedreceive_time64 \
    semtimedop_time64 rt_sigtimedwait_time64 futex_time64 sched_rr_get_interval_time64";

/// Solaris 10 on SPARC, whose kernel has its own numbers.
pub const SOLARIS: &str = "\
    0: syscall exit forkall read write open close wait creat link unlink exec chdir time mknod chmod chown brk stat \
    lseek getpid mount umount setuid getuid stime pcsample alarm fstat pause utime stty gtty access nice statfs sync \
    kill fstatfs pgrpsys uucopystr dup pipe times profil plock setgid getgid signal msgsys syssun acct shmsys semsys \
    ioctl uadmin 57: utssys fdsync execve umask chroot fcntl ulimit 70: tasksys acctctl exacctsys getpagesizes rctlsys \
    issetugid fsat lwp_park sendfilev rmdir mkdir getdents privsys ucredsys sysfs getmsg putmsg poll lstat symlink \
    readlink setgroups getgroups fchmod fchown sigprocmask sigsuspend sigaltstack sigaction sigpending context evsys \
    evtrapret statvfs fstatvfs getloadavg nfssys waitsys sigsendsys hrtsys acancel async priocntlsys pathconf mincore \
    mmap mprotect munmap fpathconf vfork fchdir readv writev xstat lxstat fxstat xmknod 128: setrlimit getrlimit \
    lchown memcntl getpmsg putpmsg rename uname setegid sysconfig adjtime systeminfo 141: seteuid forksys fork1 \
    sigtimedwait lwp_info yield lwp_sema_wait lwp_sema_post lwp_sema_trywait lwp_detach corectl modctl fchroot utimes \
    vhangup gettimeofday getitimer setitimer lwp_create lwp_exit lwp_suspend lwp_continue lwp_kill lwp_self \
    lwp_sigmask lwp_private lwp_wait lwp_mutex_wakeup lwp_mutex_lock lwp_cond_wait lwp_cond_signal lwp_cond_broadcast \
    pread pwrite llseek inst_sync brand kaio cpc lgrpsys rusagesys port pollsys labelsys acl auditsys processor_bind \
    processor_info p_online sigqueue clock_gettime clock_settime clock_getres timer_create timer_delete timer_settime \
    timer_gettime timer_getoverrun nanosleep facl door setreuid setregid install_utrap signotify schedctl pset \
    sparc_utrap_install resolvepath lwp_mutex_timedlock lwp_sema_timedwait lwp_rwlock_sys getdents64 mmap64 stat64 \
    lstat64 fstat64 statvfs64 fstatvfs64 setrlimit64 getrlimit64 pread64 pwrite64 creat64 open64 rpcsys zone autofssys \
    getcwd so_socket so_socketpair bind listen accept connect shutdown recv recvfrom recvmsg send sendmsg sendto \
    getpeername getsockname getsockopt setsockopt sockconfig ntp_gettime ntp_adjtime lwp_mutex_unlock \
    lwp_mutex_trylock lwp_mutex_init cladm uucopy umount2";

/// Calls added since 2019 have the same number everywhere.
pub const COMMON: &str = "\
    424: pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig \
    fsmount fspick pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise epoll_pwait2 \
    mount_setattr quotactl_fd landlock_create_ruleset landlock_add_rule landlock_restrict_self memfd_secret \
    process_mrelease futex_waitv set_mempolicy_home_node cachestat fchmodat2 map_shadow_stack futex_wake futex_wait \
    futex_requeue statmount listmount lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal setxattrat \
    getxattrat listxattrat removexattrat open_tree_attr";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_architecture_are_distinguished() {
        let kept = SystemCallNumbering::Solaris.marked(4);
        assert_eq!(
            SystemCallNumbering::Sparc.distinguished(kept),
            (SystemCallNumbering::Solaris, 4)
        );
        assert_eq!(
            SystemCallNumbering::Sparc.distinguished(SystemCallNumbering::Sparc.marked(4)),
            (SystemCallNumbering::Sparc, 4)
        );
        assert_eq!(
            SystemCallNumbering::X86_64.distinguished(kept),
            (SystemCallNumbering::X86_64, kept),
            "it has one kernel"
        );
        let names = |number| {
            [
                SystemCallNumbering::Sparc,
                SystemCallNumbering::Solaris,
                SystemCallNumbering::X86_64,
            ]
            .map(|whose| whose.error_name(number))
        };
        assert_eq!(names(2), [Some("ENOENT"); 3]);
        assert_eq!(
            names(36),
            [Some("EINPROGRESS"), Some("EIDRM"), Some("ENAMETOOLONG")]
        );
        assert_eq!(names(90), [Some("ENOSYS"), Some("ELOOP"), Some("EMSGSIZE")]);
        assert_eq!(names(135), [Some("EHWPOISON"), None, None]);
        let solaris = [35, 48, 72, 76, 77, 99, 100, 120, 134, 142, 143, 151, 152];
        let expected = [
            Some("ENOMSG"),
            Some("ENOTSUP"),
            Some("ELOCKUNMAPPED"),
            None,
            Some("EBADMSG"),
            Some("ENOPROTOOPT"),
        ];
        let further = [
            None,
            Some("EPROTONOSUPPORT"),
            Some("ENOTCONN"),
            None,
            Some("ESHUTDOWN"),
            Some("ESTALE"),
            None,
        ];
        assert_eq!(
            solaris
                .map(|error| SystemCallNumbering::Solaris.error_name(error))
                .to_vec(),
            [&expected[..], &further].concat()
        );
        assert_eq!(
            [108, 122, 127].map(|error| SystemCallNumbering::Sparc.error_name(error)),
            [Some("EDEADLOCK"), Some("EILSEQ"), Some("ECANCELED")]
        );
        assert_eq!(
            (names(35)[0], names(60)[0], names(200)[0]),
            (None, Some("ETIMEDOUT"), None)
        );
    }

    #[test]
    fn errors_and_signals_have_names() {
        let errors = [
            (0, None),
            (1, Some("EPERM")),
            (11, Some("EAGAIN")),
            (41, None),
            (110, Some("ETIMEDOUT")),
        ];
        for (number, name) in errors
            .into_iter()
            .chain([(133, Some("EHWPOISON")), (134, None)])
        {
            assert_eq!(error_name(number), name, "{number}");
        }
        for (number, name) in [
            (0, None),
            (11, Some("SIGSEGV")),
            (31, Some("SIGSYS")),
            (32, None),
        ] {
            assert_eq!(signal_name(number), name, "{number}");
        }
    }
}
