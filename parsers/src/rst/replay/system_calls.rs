//! System calls: the trap instruction that makes one, and the return after it.

use stepback_machine::InstructionSet;
use stepback_machine::convention::SystemCallFailure;
use stepback_machine::linux::SystemCallNumbering;

use crate::marker::{Marker, MarkerKind};
use crate::rst::records::Trap;
use crate::rst::replay::cpu::PendingSystemCall;
use crate::rst::replay::names::view;
use crate::rst::replay::whole::Replay;
use crate::step_store::encoder::BlockSink;

const SET: InstructionSet = InstructionSet::Sparc64;
/// Trap type of trap instruction number 0; the others follow.
const FIRST_TYPE: u16 = 0x100;
/// `ta 0`.
const TRAP_ALWAYS: u32 = 0x91d0_2000;
/// Offset of the numbers of system calls among those of functions in markers.
const TRACED: u64 = 1 << 32;

/// Returns the system call numbering for the type of a trap instruction's trap.
fn numbers_of(trap_type: u16) -> Option<SystemCallNumbering> {
    let number = trap_type
        .checked_sub(FIRST_TYPE)
        .filter(|number| *number < 0x80)?;
    SET.system_call_numbers(&SET.encoding_of(TRAP_ALWAYS | u32::from(number), 4)?)
}

impl<B: BlockSink> Replay<'_, B> {
    /// Stores the system call of a trap, before control goes to the kernel.
    pub(super) fn tell_trapped_call(&mut self, cpu: u16, trap: &Trap) {
        let Some(numbers) = numbers_of(trap.trap_type) else {
            return;
        };
        let stated = Some(u64::from(trap.system_call)).filter(|number| *number != 0);
        self.tell_system_call(cpu, numbers, stated, Some(trap.npc));
    }

    /// Stores a system call of a kernel, with its arguments if all are known. `told` is the number
    /// of the call if a record has it, and `next_pc` the return address if it is known.
    pub(super) fn tell_system_call(
        &mut self,
        cpu: u16,
        numbers: SystemCallNumbering,
        stated: Option<u64>,
        next_pc: Option<u64>,
    ) {
        let abi = SET.abi();
        let number = stated.or_else(|| self.value_of(cpu, abi.system_calls.number?));
        // No kernel has larger numbers. Any other value would be taken for a number of another
        // kernel.
        let number = number.and_then(|number| u16::try_from(number).ok());
        let Some(number) = number.map(|number| numbers.marked(number.into())) else {
            return;
        };
        self.mark(cpu, MarkerKind::SYSTEM_CALL, number);
        let count = SET
            .system_call_name(number)
            .and_then(arguments_of)
            .unwrap_or(abi.arguments.len());
        let known: Vec<u64> = abi
            .arguments
            .iter()
            .take(count)
            .map_while(|name| self.value_of(cpu, name))
            .collect();
        if known.len() == count {
            self.mark(cpu, MarkerKind::FUNCTION, TRACED + number);
            known
                .iter()
                .for_each(|value| self.mark(cpu, MarkerKind::ARGUMENT, *value));
        }
        let state = self.cpu(cpu);
        state.call = Some(PendingSystemCall {
            number,
            level: state.level,
            next_pc,
        });
    }

    /// Stores the result of a system call, if the next instruction is at its return address.
    pub(super) fn tell_result(&mut self, cpu: u16, pc: u64) {
        let state = self.cpu(cpu);
        let Some(call) = state.call.filter(|call| call.level >= state.level) else {
            return;
        };
        state.call = None;
        let abi = SET.abi();
        let Some(result) = abi
            .result
            .and_then(|name| self.value_of(cpu, name))
            .filter(|_| call.next_pc.is_none_or(|next| pc == next))
        else {
            return;
        };
        let SystemCallFailure::Flag { register, bit } = abi.system_calls.failure else {
            return;
        };
        let has_failed = self
            .value_of(cpu, register)
            .map(|flags| flags >> bit & 1 != 0);
        self.mark(cpu, MarkerKind::FUNCTION, TRACED + call.number);
        match has_failed {
            Some(true) => {
                self.mark(cpu, MarkerKind::RETURN_VALUE, u64::MAX);
                self.mark(cpu, MarkerKind::SYSTEM_CALL_FAILED, result);
            }
            Some(false) | None => self.mark(cpu, MarkerKind::RETURN_VALUE, result),
        }
    }

    pub(super) fn mark(&mut self, cpu: u16, kind: MarkerKind, value: u64) {
        let thread = self.cpu(cpu).thread;
        self.encoder.marker(thread, Marker { kind, value }, 0);
    }

    /// Returns the known value of a register by its plain name.
    fn value_of(&mut self, cpu: u16, name: &str) -> Option<u64> {
        let state = self.cpu(cpu);
        state.known(state.home(view(name)?))
    }
}

/// Returns the number of arguments of a system call, for the most frequent ones.
fn arguments_of(name: &str) -> Option<usize> {
    const COUNTS: [(&str, usize); 7] = [
        (
            "getpid getppid getuid geteuid getgid getegid gettid fork vfork sched_yield sync pause",
            0,
        ),
        (
            "exit exit_group rexit _exit close brk dup pipe chdir umask unlink rmdir time times uname alarm sysinfo",
            1,
        ),
        (
            "kill stat fstat lstat stat64 fstat64 lstat64 munmap gettimeofday nanosleep access dup2 rename mkdir link symlink \
          clock_gettime getrlimit setrlimit ftruncate fchmod chmod",
            2,
        ),
        (
            "read write readv writev open lseek ioctl fcntl poll execve readlink mprotect madvise socket connect bind \
          rt_sigprocmask getdents getdents64 chown mknod",
            3,
        ),
        (
            "openat rt_sigaction pread pwrite pread64 pwrite64 wait4 fstatat64 rt_sigaction",
            4,
        ),
        ("select waitid prctl clone", 5),
        ("mmap mmap2 futex sendto recvfrom", 6),
    ];
    let has = |names: &str| names.split_ascii_whitespace().any(|known| known == name);
    COUNTS
        .iter()
        .find(|(names, _)| has(names))
        .map(|(_, count)| *count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traps_tell_whose_system_calls_they_are() {
        let types = [0x16d, 0x110, 0x108, 0x140, 0x100, 0x102, 0x68, 0x1ff];
        let expected = [
            Some(SystemCallNumbering::Sparc),
            Some(SystemCallNumbering::Sparc),
            Some(SystemCallNumbering::Solaris),
            Some(SystemCallNumbering::Solaris),
            Some(SystemCallNumbering::Solaris),
            None,
            None,
            None,
        ];
        assert_eq!(types.map(numbers_of), expected);
        assert_eq!(
            ["write", "mmap", "getpid", "nosuch"].map(arguments_of),
            [Some(3), Some(6), Some(0), None]
        );
    }
}
