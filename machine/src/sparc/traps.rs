//! Trap names (The SPARC Architecture Manual, Version 9, table 14; UltraSPARC Architecture 2007,
//! table 12-4).

/// Traps with individual numbers.
const NAMES: [(u16, &str); 44] = [
    (0x01, "power on reset"),
    (0x02, "watchdog reset"),
    (0x03, "externally initiated reset"),
    (0x04, "software initiated reset"),
    (0x05, "RED state exception"),
    (0x08, "instruction access exception"),
    (0x09, "instruction access MMU miss"),
    (0x0a, "instruction access error"),
    (0x10, "illegal instruction"),
    (0x11, "privileged opcode"),
    (0x12, "unimplemented LDD"),
    (0x13, "unimplemented STD"),
    (0x20, "floating-point disabled"),
    (0x21, "floating-point exception IEEE 754"),
    (0x22, "floating-point exception other"),
    (0x23, "tag overflow"),
    (0x24, "clean window"),
    (0x28, "division by zero"),
    (0x29, "internal processor error"),
    (0x30, "data access exception"),
    (0x31, "data access MMU miss"),
    (0x32, "data access error"),
    (0x33, "data access protection"),
    (0x34, "memory address not aligned"),
    (0x35, "LDDF memory address not aligned"),
    (0x36, "STDF memory address not aligned"),
    (0x37, "privileged action"),
    (0x38, "LDQF memory address not aligned"),
    (0x39, "STQF memory address not aligned"),
    (0x40, "asynchronous data error"),
    (0x5e, "hyperprivileged stick match"),
    (0x60, "interrupt vector"),
    (0x61, "physical address watchpoint"),
    (0x62, "virtual address watchpoint"),
    (0x63, "corrected error"),
    (0x64, "fast instruction access MMU miss"),
    (0x68, "fast data access MMU miss"),
    (0x6c, "fast data access protection"),
    (0x70, "fast ECC error"),
    (0x74, "control transfer instruction"),
    (0x76, "breakpoint"),
    (0x7c, "CPU mondo"),
    (0x7d, "device mondo"),
    (0x7e, "resumable error"),
];

/// Returns the name of a trap from its nine-bit type.
pub fn trap_name(trap_type: u16) -> String {
    let family = |name: &str, first: u16| format!("{name} {}", (trap_type - first) / 4 % 8);
    match trap_type {
        0x41..=0x4f => format!("interrupt level {}", trap_type - 0x40),
        0x80..=0x9f => family("window spill, normal", 0x80),
        0xa0..=0xbf => family("window spill, other", 0xa0),
        0xc0..=0xdf => family("window fill, normal", 0xc0),
        0xe0..=0xff => family("window fill, other", 0xe0),
        0x100..=0x17f => format!("trap instruction {:#x}", trap_type - 0x100),
        0x180..=0x1ff => format!("hypervisor trap instruction {:#x}", trap_type - 0x100),
        _ => {
            // Each fast miss occupies four numbers.
            let known = NAMES.iter().rev().find(|(first, name)| {
                let count = if name.starts_with("fast") && *first < 0x70 {
                    4
                } else {
                    1
                };
                (*first..*first + count).contains(&trap_type)
            });
            known.map_or_else(
                || format!("trap {trap_type:#x}"),
                |(_, name)| (*name).to_owned(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traps_have_their_names() {
        let names = [0x24, 0x65, 0x80, 0x84, 0xc0, 0xfc, 0x16d, 0x4e, 0x77].map(trap_name);
        assert_eq!(
            names,
            [
                "clean window",
                "fast instruction access MMU miss",
                "window spill, normal 0",
                "window spill, normal 1",
                "window fill, normal 0",
                "window fill, other 7",
                "trap instruction 0x6d",
                "interrupt level 14",
                "trap 0x77",
            ]
        );
    }
}
