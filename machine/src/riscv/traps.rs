//! Names of exceptions and interrupts, and the places where they enter (The RISC-V Instruction Set
//! Manual, volume II, 3.1.7 "Machine Trap-Vector Base-Address (mtvec) Register" and 3.1.15 "Machine
//! Cause (mcause) Register").

use crate::riscv::csr::view_of_csr;
use crate::riscv::xlen::Xlen;
use crate::view::RegisterId;

/// Bit of a 64-bit cause that marks interrupts.
const INTERRUPT: u64 = 1 << 63;

/// Exceptions by their codes; empty for reserved ones.
const EXCEPTIONS: [&str; 24] = [
    "instruction address misaligned",
    "instruction access fault",
    "illegal instruction",
    "breakpoint",
    "load address misaligned",
    "load access fault",
    "store/AMO address misaligned",
    "store/AMO access fault",
    "environment call from U-mode",
    "environment call from S-mode",
    "environment call from VS-mode",
    "environment call from M-mode",
    "instruction page fault",
    "load page fault",
    "",
    "store/AMO page fault",
    "double trap",
    "",
    "software check",
    "hardware error",
    "instruction guest-page fault",
    "load guest-page fault",
    "virtual instruction",
    "store/AMO guest-page fault",
];

/// Interrupts by their codes; empty for reserved ones.
const INTERRUPTS: [&str; 14] = [
    "user software interrupt",
    "supervisor software interrupt",
    "virtual supervisor software interrupt",
    "machine software interrupt",
    "user timer interrupt",
    "supervisor timer interrupt",
    "virtual supervisor timer interrupt",
    "machine timer interrupt",
    "user external interrupt",
    "supervisor external interrupt",
    "virtual supervisor external interrupt",
    "machine external interrupt",
    "supervisor guest external interrupt",
    "counter overflow interrupt",
];

/// Returns the name of a cause, with the highest bit set for interrupts; `None` for reserved and
/// custom causes. A cause of RV32 may also be given with bit 63.
pub fn trap_name(cause: u64, xlen: Xlen) -> Option<&'static str> {
    const INTERRUPT_32: u64 = 1 << 31;
    let cause = match xlen {
        Xlen::Bits32 if cause >> 32 == 0 && cause & INTERRUPT_32 != 0 => {
            cause & !INTERRUPT_32 | INTERRUPT
        }
        Xlen::Bits32 | Xlen::Bits64 => cause,
    };
    let names: &[&str] = if cause & INTERRUPT == 0 {
        &EXCEPTIONS
    } else {
        &INTERRUPTS
    };
    let place = usize::try_from(cause & !INTERRUPT).ok()?;
    names.get(place).copied().filter(|name| !name.is_empty())
}

/// Returns true for an instruction that accesses `xscratch`, `xepc`, `xcause`, `xtval` or `xip`.
pub fn accesses_trap_register(opcode: u32) -> bool {
    let is_csr_access = opcode & 0x7f == 0x73 && !matches!(opcode >> 12 & 7, 0 | 4);
    // Supervisor, virtual supervisor, machine; non-maskable interrupts (`mnscratch` to `mncause`).
    is_csr_access
        && matches!(opcode >> 20, 0x140..=0x144 | 0x240..=0x244 | 0x340..=0x344 | 0x740..=0x742)
}

/// Returns true for `mtvec`, `stvec` and `vstvec`.
pub fn is_handler_base(register: RegisterId, xlen: Xlen) -> bool {
    [0x305, 0x105, 0x205]
        .iter()
        .any(|number| view_of_csr(*number, xlen).is_some_and(|view| view.register == register))
}

/// Returns true if a trap may enter at `pc`, given the value of such a register. In mode 1 each kind
/// of interrupt enters at a separate instruction.
pub fn is_handler_entry(base: u64, pc: u64) -> bool {
    let distance = pc.wrapping_sub(base & !3);
    let is_vectored = base & 3 == 1;
    distance == 0 || is_vectored && distance & 3 == 0 && distance / 4 < u64::from(u64::BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_begin_at_the_vectors() {
        assert!(is_handler_entry(0x8000_0100, 0x8000_0100));
        assert!(!is_handler_entry(0x8000_0100, 0x8000_0104));
        assert!(is_handler_entry(0x8000_0101, 0x8000_011c));
        assert!(is_handler_entry(0x8000_0101, 0x8000_0100));
        assert!(!is_handler_entry(0x8000_0101, 0x8000_011e));
        assert!(!is_handler_entry(0x8000_0101, 0x8000_0200));
        assert!(!is_handler_entry(0x8000_0101, 0x8000_00fc));
        assert!(accesses_trap_register(0x3401_1173)); // csrrw sp, mscratch, sp
        assert!(accesses_trap_register(0x3420_2573)); // csrr a0, mcause
        assert!(!accesses_trap_register(0x3000_2573)); // csrr a0, mstatus
        assert!(!accesses_trap_register(0x3020_0073)); // mret
        let mtvec = view_of_csr(0x305, Xlen::Bits32).unwrap().register;
        assert!(is_handler_base(mtvec, Xlen::Bits64));
        assert!(!is_handler_base(RegisterId(mtvec.0 + 1), Xlen::Bits64));
    }

    #[test]
    fn causes_have_the_names_of_the_manual() {
        let check =
            |cause, expected| assert_eq!(trap_name(cause, Xlen::Bits64), expected, "{cause:#x}");
        check(2, Some("illegal instruction"));
        check(8, Some("environment call from U-mode"));
        check(15, Some("store/AMO page fault"));
        check(14, None);
        check(24, None);
        check(u64::MAX, None);
        check(INTERRUPT | 7, Some("machine timer interrupt"));
        check(INTERRUPT | 14, None);
        check(0x8000_0007, None);
        let timer = Some("machine timer interrupt");
        assert_eq!(trap_name(0x8000_0007, Xlen::Bits32), timer);
        assert_eq!(trap_name(INTERRUPT | 7, Xlen::Bits32), timer);
    }
}
