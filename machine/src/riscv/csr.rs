//! Control and status registers (The RISC-V Instruction Set Manual, volume II, 2.2 "CSR Listing";
//! The RISC-V Debug Specification; riscv-opcodes, `csrs.csv`): names by number, and their places in
//! the register file.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::riscv::xlen::Xlen;
use crate::view::{RegisterId, RegisterView};

/// Returns the view of a lower-case name.
pub fn csr_view(name: &str, xlen: Xlen) -> Option<RegisterView> {
    let number = TABLE.numbers.get(name)?;
    view_of_csr(*number, xlen)
}

/// Returns the view of the register with a number; none for numbers without a name. The
/// floating-point registers have fixed places, and 4 bytes.
pub fn view_of_csr(number: u16, xlen: Xlen) -> Option<RegisterView> {
    let fixed = |register| Some(RegisterView::new(register, 0, 4));
    match number {
        FFLAGS => return fixed(RegisterId::FPSR),
        FRM => return fixed(RegisterId::FPCR),
        FCSR => return fixed(RegisterId::FPSCR),
        _ => {}
    }
    let place = TABLE
        .names
        .binary_search_by_key(&number, |(number, _)| *number)
        .ok()?;
    let register = FIRST_CSR.0.checked_add(u16::try_from(place).ok()?)?;
    (register < RegisterId::FIRST_NAMED.0).then_some(RegisterView::new(
        RegisterId(register),
        0,
        xlen.bytes(),
    ))
}

/// Returns the name of the register with a number.
pub fn csr_name(number: u16) -> Option<&'static str> {
    let place = TABLE
        .names
        .binary_search_by_key(&number, |(number, _)| *number)
        .ok()?;
    TABLE.names.get(place).map(|(_, name)| name.as_str())
}

/// Returns the names in the order of the numbers.
pub fn csr_names() -> impl Iterator<Item = &'static str> {
    TABLE.names.iter().map(|(_, name)| name.as_str())
}

/// Accrued exceptions of floating-point arithmetic: bits 0 to 4 of `fcsr`.
pub const FFLAGS: u16 = 0x001;
/// Rounding mode of floating-point arithmetic: bits 5 to 7 of `fcsr`.
pub const FRM: u16 = 0x002;
/// Floating-point control and status.
pub const FCSR: u16 = 0x003;

/// Place of the first register in the register file, after the vector registers.
pub const FIRST_CSR: RegisterId = RegisterId(RegisterId::FIRST_BANK.0 + 32);

/// Names by number. A number precedes the name that has it; each further name has the next number.
/// Brackets enclose the first and the last number of a run of names.
const NAMES: &str = "\
    001: fflags frm fcsr 007: utvt vstart vxsat vxrm 00f: vcsr 011: ssp 015: seed 017: jvt 045: \
    unxti uintstatus 048: uscratchcsw uscratchcswl 100: sstatus 104: sie stvec scounteren stvt \
    10a: senvcfg 10c: sstateen[0-3] 114: sieh 120: scountinhibit 140: sscratch sepc scause stval \
    sip snxti sintstatus 148: sscratchcsw sscratchcswl 14d: stimecmp sctrctl sctrstatus siselect \
    sireg sireg2 sireg3 siph sireg[4-6] 15c: stopei stimecmph 15f: sctrdepth 180: satp srmcfg \
    183: spmpen 193: spmpenh 200: vsstatus 204: vsie vstvec 214: vsieh 240: vsscratch vsepc \
    vscause vstval vsip 24d: vstimecmp vsctrctl 250: vsiselect vsireg vsireg2 vsireg3 vsiph \
    vsireg[4-6] 25c: vstopei vstimecmph 280: vsatp 300: mstatus misa medeleg mideleg mie mtvec \
    mcounteren mtvt mvien mvip menvcfg 30c: mstateen[0-3] mstatush 312: medelegh midelegh mieh \
    316: mpmpdeleg 318: mvienh mviph menvcfgh 31c: mstateen[0-3]h mcountinhibit mcyclecfg \
    minstretcfg mhpmevent[3-31] mscratch mepc mcause mtval mip mnxti mintstatus 348: mscratchcsw \
    mscratchcswl mtinst mtval2 34e: mctrctl 350: miselect mireg mireg2 mireg3 miph mireg[4-6] \
    35c: mtopei 3a0: pmpcfg[0-15] pmpaddr[0-63] 5a8: scontext 600: hstatus 602: hedeleg hideleg \
    hie htimedelta hcounteren hgeie hvien hvictl henvcfg 60c: hstateen[0-3] 612: hedelegh \
    hidelegh 615: htimedeltah 618: hvienh 61a: henvcfgh 61c: hstateen[0-3]h 643: htval hip hvip \
    hviprio1 hviprio2 64a: htinst 655: hviph hviprio1h hviprio2h 680: hgatp 6a8: hcontext 721: \
    mcyclecfgh minstretcfgh mhpmevent[3-31]h mnscratch mnepc mncause 744: mnstatus 747: mseccfg \
    757: mseccfgh 7a0: tselect tdata[1-3] tinfo tcontrol 7a8: mcontext 7aa: mscontext 7b0: dcsr \
    dpc dscratch0 dscratch1 b00: mcycle b02: minstret mhpmcounter[3-31] b80: mcycleh b82: \
    minstreth mhpmcounter[3-31]h c00: cycle time instret hpmcounter[3-31] vl vtype vlenb mtype \
    c80: cycleh timeh instreth hpmcounter[3-31]h da0: scountovf db0: stopi e12: hgeip eb0: \
    vstopi f11: mvendorid marchid mimpid mhartid mconfigptr fb0: mtopi";

struct CsrTable {
    /// Sorted by number.
    names: Vec<(u16, String)>,
    numbers: HashMap<String, u16>,
}

static TABLE: LazyLock<CsrTable> = LazyLock::new(|| {
    let mut names = Vec::new();
    let mut number = 0;
    for word in NAMES.split_whitespace() {
        if let Some(start) = word.strip_suffix(':') {
            number = u16::from_str_radix(start, 16).unwrap_or_default();
            continue;
        }
        for name in run_of(word) {
            names.push((number, name));
            number += 1;
        }
    }
    let numbers = names
        .iter()
        .map(|(number, name)| (name.clone(), *number))
        .collect();
    CsrTable { names, numbers }
});

/// Expands a table entry: `pmpcfg[0-15]` gives 16 names, other entries give themselves.
fn run_of(word: &str) -> Vec<String> {
    let parts = word.split_once('[').and_then(|(prefix, rest)| {
        let (range, suffix) = rest.split_once(']')?;
        let (first, last) = range.split_once('-')?;
        let numbers = first.parse::<u16>().ok()?..=last.parse().ok()?;
        Some((prefix, numbers, suffix))
    });
    match parts {
        Some((prefix, numbers, suffix)) => numbers
            .map(|number| format!("{prefix}{number}{suffix}"))
            .collect(),
        None => vec![word.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_names_of_the_manual() {
        for (number, name) in [
            (0x001, "fflags"),
            (0x003, "fcsr"),
            (0x008, "vstart"),
            (0x00f, "vcsr"),
            (0x100, "sstatus"),
            (0x141, "sepc"),
            (0x180, "satp"),
            (0x300, "mstatus"),
            (0x305, "mtvec"),
            (0x310, "mstatush"),
            (0x33f, "mhpmevent31"),
            (0x340, "mscratch"),
            (0x34b, "mtval2"),
            (0x3af, "pmpcfg15"),
            (0x3b0, "pmpaddr0"),
            (0x3ef, "pmpaddr63"),
            (0x600, "hstatus"),
            (0x680, "hgatp"),
            (0x744, "mnstatus"),
            (0x7a3, "tdata3"),
            (0x7b3, "dscratch1"),
            (0xb02, "minstret"),
            (0xb83, "mhpmcounter3h"),
            (0xb9f, "mhpmcounter31h"),
            (0xc00, "cycle"),
            (0xc20, "vl"),
            (0xc22, "vlenb"),
            (0xc82, "instreth"),
            (0xf14, "mhartid"),
            (0xfb0, "mtopi"),
        ] {
            assert_eq!(csr_name(number), Some(name), "{number:#x}");
            assert_eq!(
                csr_view(name, Xlen::Bits64),
                view_of_csr(number, Xlen::Bits64),
                "{name}"
            );
        }
        for number in [0x000, 0x004, 0x7c0, 0xfff] {
            assert_eq!(csr_name(number), None, "{number:#x}");
        }
    }

    #[test]
    fn no_two_registers_share_a_place() {
        let mut places: Vec<_> = csr_names()
            .filter_map(|name| csr_view(name, Xlen::Bits32))
            .collect();
        assert_eq!(places.len(), csr_names().count());
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), csr_names().count());
        assert!(TABLE.names.is_sorted());
    }
}
