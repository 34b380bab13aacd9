//! Names of exceptions and interrupts (The RISC-V Instruction Set Manual, volume II, 3.1.15,
//! "Machine Cause (mcause) Register").

use crate::riscv::xlen::Xlen;

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

#[cfg(test)]
mod tests {
    use super::*;

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
