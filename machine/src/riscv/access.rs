//! Sizes of data accesses, found without a disassembler: readers of text logs need them for each
//! line (The RISC-V Instruction Set Manual, volume I, 2.6, 13, 20.5, 27 and 30.7).

use crate::instruction::Encoding;
use crate::meaning::DataAccess;
use crate::riscv::registers::{float, general};
use crate::riscv::xlen::Xlen;
use crate::view::RegisterView;

/// Returns the sizes of the accesses of an instruction; none if it makes none, and for vector
/// instructions, whose elements depend on `vtype`.
pub fn data_access(encoding: &Encoding, xlen: Xlen) -> Option<DataAccess> {
    match *encoding.bytes() {
        [low, high] => compressed(u16::from_le_bytes([low, high]), xlen),
        [a, b, c, d] => whole(u32::from_le_bytes([a, b, c, d]), xlen),
        _ => None,
    }
}

fn whole(opcode: u32, xlen: Xlen) -> Option<DataAccess> {
    let kind = opcode >> 12 & 7;
    let destination = (opcode >> 7 & 31) as u16;
    let is_float_width = matches!(kind, 1..=4);
    match opcode & 0x7f {
        0x03 => Some(load(1 << (kind & 3), general(destination, xlen))),
        0x07 if is_float_width => Some(load(1 << kind, float(destination))),
        0x23 if kind < 4 => Some(store(1 << kind)),
        0x27 if is_float_width => Some(store(1 << kind)),
        0x2f => {
            let size = 1u8.checked_shl(kind).filter(|_| kind <= 4)?;
            let (loads, stores) = match opcode >> 27 {
                2 => (size, 0), // LR
                3 => (0, size), // SC
                _ => (size, size),
            };
            Some(DataAccess {
                load_bytes: loads,
                store_bytes: stores,
                destination: Some(general(destination, xlen)),
            })
        }
        _ => None,
    }
}

fn compressed(half: u16, xlen: Xlen) -> Option<DataAccess> {
    let is_wide = xlen == Xlen::Bits64;
    let short = 8 + (half >> 2 & 7);
    let whole = half >> 7 & 31;
    // Zcb: C.LBU, C.LHU, C.LH, C.SB, C.SH.
    if half & 0xe003 == 0x8000 {
        return match half >> 10 & 7 {
            0 => Some(load(1, general(short, xlen))),
            1 => Some(load(2, general(short, xlen))),
            2 => Some(store(1)),
            3 => Some(store(2)),
            _ => None,
        };
    }
    match (half & 3, half >> 13) {
        (0, 1) => Some(load(8, float(short))),
        (0, 2) => Some(load(4, general(short, xlen))),
        (0, 3) if is_wide => Some(load(8, general(short, xlen))),
        (0, 3) => Some(load(4, float(short))),
        (0, 5) => Some(store(8)),
        (0, 6) => Some(store(4)),
        (0, 7) if is_wide => Some(store(8)),
        (0, 7) => Some(store(4)),
        (2, 1) => Some(load(8, float(whole))),
        (2, 2) => Some(load(4, general(whole, xlen))),
        (2, 3) if is_wide => Some(load(8, general(whole, xlen))),
        (2, 3) => Some(load(4, float(whole))),
        (2, 5) => Some(store(8)),
        (2, 6) => Some(store(4)),
        (2, 7) if is_wide => Some(store(8)),
        (2, 7) => Some(store(4)),
        _ => None,
    }
}

fn load(size: u8, destination: RegisterView) -> DataAccess {
    DataAccess {
        load_bytes: size,
        store_bytes: 0,
        destination: Some(destination),
    }
}

fn store(size: u8) -> DataAccess {
    DataAccess {
        load_bytes: 0,
        store_bytes: size,
        destination: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::RegisterId;

    #[track_caller]
    fn check(bytes: &[u8], xlen: Xlen, sizes: (u8, u8), destination: Option<u16>) {
        let found = data_access(&Encoding::new(bytes).unwrap(), xlen).unwrap_or_default();
        let register = found.destination.map(|view| view.register.0);
        assert_eq!(
            ((found.load_bytes, found.store_bytes), register),
            (sizes, destination),
            "{bytes:02x?}"
        );
    }

    #[test]
    fn sizes_follow_from_the_opcode() {
        let float = |number: u16| Some(RegisterId::V0.0 + number);
        check(&0x0182_b283u32.to_le_bytes(), Xlen::Bits64, (8, 0), Some(5)); // ld t0, 24(t0)
        check(
            &0x0005_c503u32.to_le_bytes(),
            Xlen::Bits64,
            (1, 0),
            Some(10),
        ); // lbu a0, 0(a1)
        check(&0x00a5_b423u32.to_le_bytes(), Xlen::Bits64, (0, 8), None); // sd a0, 8(a1)
        check(
            &0x0005_a507u32.to_le_bytes(),
            Xlen::Bits64,
            (4, 0),
            float(10),
        ); // flw fa0, 0(a1)
        check(&0x0205_8407u32.to_le_bytes(), Xlen::Bits64, (0, 0), None); // vle8.v v8, (a1)
        check(
            &0x00c5_b52fu32.to_le_bytes(),
            Xlen::Bits64,
            (8, 8),
            Some(10),
        ); // amoadd.d a0, a2, (a1)
        check(
            &0x1005_a52fu32.to_le_bytes(),
            Xlen::Bits64,
            (4, 0),
            Some(10),
        ); // lr.w a0, (a1)
        check(
            &0x18c5_a52fu32.to_le_bytes(),
            Xlen::Bits64,
            (0, 4),
            Some(10),
        ); // sc.w a0, a2, (a1)
        check(&0x60a2u16.to_le_bytes(), Xlen::Bits64, (8, 0), Some(1)); // c.ldsp ra, 8(sp)
        check(&0x60a2u16.to_le_bytes(), Xlen::Bits32, (4, 0), float(1)); // c.flwsp ft1, 8(sp)
        check(&0xe022u16.to_le_bytes(), Xlen::Bits64, (0, 8), None); // c.sdsp s0, 0(sp)
        check(&0x0001u16.to_le_bytes(), Xlen::Bits64, (0, 0), None); // c.nop
    }
}
