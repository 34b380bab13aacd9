//! Names of system calls, errors and signals.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::linux::tables;

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
    pub fn told_apart(self, marked: u64) -> (Self, u64) {
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
        static COMMON: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(tables::COMMON));
        static X86_64: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(tables::X86_64));
        static X86_32: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(tables::X86_32));
        static GENERIC: LazyLock<LinuxNameTable> =
            LazyLock::new(|| names_by_number(tables::GENERIC));
        static ARM: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(tables::ARM));
        static SPARC: LazyLock<LinuxNameTable> = LazyLock::new(|| names_by_number(tables::SPARC));
        static SOLARIS: LazyLock<LinuxNameTable> =
            LazyLock::new(|| names_by_number(tables::SOLARIS));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_architecture_are_told_apart() {
        let kept = SystemCallNumbering::Solaris.marked(4);
        assert_eq!(
            SystemCallNumbering::Sparc.told_apart(kept),
            (SystemCallNumbering::Solaris, 4)
        );
        assert_eq!(
            SystemCallNumbering::Sparc.told_apart(SystemCallNumbering::Sparc.marked(4)),
            (SystemCallNumbering::Sparc, 4)
        );
        assert_eq!(
            SystemCallNumbering::X86_64.told_apart(kept),
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
