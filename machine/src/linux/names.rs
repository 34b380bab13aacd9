//! System calls, errors and signals by number.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::tables;
use crate::InstructionSet;

type Names = HashMap<u64, &'static str>;

/// The name of a system call; none for a number that no kernel of the architecture had when this was written.
///
/// ```
/// use crate::{InstructionSet::A64, InstructionSet::X86_64};
/// use crate::linux::system_call_name;
/// assert_eq!((system_call_name(X86_64, 63), system_call_name(A64, 63)), (Some("uname"), Some("read")));
/// ```
pub fn system_call_name(set: InstructionSet, number: u64) -> Option<&'static str> {
    static TABLES: LazyLock<[Names; 5]> = LazyLock::new(|| {
        [tables::X86_64, tables::X86_32, tables::GENERIC, tables::ARM, tables::COMMON].map(names_by_number)
    });
    let [x86_64, x86_32, generic, arm, common] = &*TABLES;
    let table = match set {
        // What DynamoRIO makes synthetic was recorded on x86 in all traces that are published.
        InstructionSet::X86_64 | InstructionSet::Regdeps => x86_64,
        InstructionSet::X86_32 => x86_32,
        InstructionSet::A64 | InstructionSet::Riscv64 => generic,
        InstructionSet::A32 | InstructionSet::T32 => arm,
    };
    table.get(&number).or_else(|| common.get(&number)).copied()
}

fn names_by_number(table: &'static str) -> Names {
    let mut next = 0;
    let mut names = Names::new();
    for word in table.split_ascii_whitespace() {
        match word.strip_suffix(':').and_then(|number| number.parse().ok()) {
            Some(number) => next = number,
            None => {
                names.insert(next, word);
                next += 1;
            }
        }
    }
    names
}

/// `ENOENT`.
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

/// `SIGSEGV`; numbers from 32 on have no names.
pub fn signal_name(number: u64) -> Option<&'static str> {
    const NAMES: &str = "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE \
        SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF \
        SIGWINCH SIGIO SIGPWR SIGSYS";
    nth_name(NAMES, number)
}

/// The name at a place from 1; none where a dash stands.
fn nth_name(names: &'static str, number: u64) -> Option<&'static str> {
    let place = usize::try_from(number.checked_sub(1)?).ok()?;
    names.split_ascii_whitespace().nth(place).filter(|name| *name != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(set: InstructionSet, expected: &[(u64, Option<&str>)]) {
        for (number, name) in expected {
            assert_eq!(system_call_name(set, *number), *name, "{number}");
        }
    }

    #[test]
    fn each_architecture_has_its_numbers() {
        check(
            InstructionSet::X86_64,
            &[(0, Some("read")), (15, Some("rt_sigreturn")), (334, Some("rseq")), (335, None)],
        );
        check(
            InstructionSet::X86_64,
            &[(231, Some("exit_group")), (318, Some("getrandom")), (424, Some("pidfd_send_signal"))],
        );
        check(InstructionSet::X86_32, &[(1, Some("exit")), (252, Some("exit_group")), (403, Some("clock_gettime64"))]);
        check(InstructionSet::A64, &[(63, Some("read")), (93, Some("exit")), (244, None), (435, Some("clone3"))]);
        check(InstructionSet::Riscv64, &[(63, Some("read")), (163, Some("getrlimit")), (462, Some("mseal"))]);
        check(InstructionSet::A32, &[(3, Some("read")), (248, Some("exit_group")), (983_045, None), (u64::MAX, None)]);
        check(InstructionSet::T32, &[(262, Some("clock_settime")), (281, Some("socket"))]);
    }

    #[test]
    fn errors_and_signals_have_names() {
        let errors = [(0, None), (1, Some("EPERM")), (11, Some("EAGAIN")), (41, None), (110, Some("ETIMEDOUT"))];
        for (number, name) in errors.into_iter().chain([(133, Some("EHWPOISON")), (134, None)]) {
            assert_eq!(error_name(number), name, "{number}");
        }
        for (number, name) in [(0, None), (11, Some("SIGSEGV")), (31, Some("SIGSYS")), (32, None)] {
            assert_eq!(signal_name(number), name, "{number}");
        }
    }
}
