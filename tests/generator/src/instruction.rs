//! Encoding and disassembly of operations.

use crate::operation::Operation;

/// Start address of the code.
pub const CODE: u64 = 0x0040_0580;

/// Returns the address of a place in the code.
pub fn address(place: usize) -> u64 {
    CODE + 4 * place as u64
}

/// Returns the offset field of a branch with 26 or 19 bits.
fn distance(from: usize, to: usize, bits: u32) -> u32 {
    (to as u32).wrapping_sub(from as u32) & ((1 << bits) - 1)
}

/// Formats `{pc}-0x10 ; 0x400590`.
fn target_text(from: usize, to: usize) -> String {
    let (from, to) = (address(from), address(to));
    let (sign, distance) = if to < from {
        ('-', from - to)
    } else {
        ('+', to - from)
    };
    format!("{{pc}}{sign}{distance:#x} ; {to:#x}")
}

fn number(register: usize) -> u32 {
    register as u32 & 31
}

/// Returns the offset field of `STP` and `LDP`.
fn pair_offset(bytes: u64) -> u32 {
    ((bytes / 8) as u32 & 0x7f) << 15
}

/// Returns the encoding, mnemonic and operands of the operation at a place in the code.
///
/// Encodings of branches, loads and stores are exact; those of arithmetic are approximate.
pub fn encode(place: usize, operation: Operation) -> (u32, &'static str, String) {
    use Operation as Op;
    match operation {
        Op::Nop => (0xd503_201f, "NOP", String::new()),
        Op::Move { to, value } => (
            0xd280_0000 | (value as u32 & 0xffff) << 5 | number(to),
            "MOV",
            format!("x{to},#{value:#x}"),
        ),
        Op::Add { to, left, right } => {
            let code = 0x8b00_0000 | number(right) << 16 | number(left) << 5 | number(to);
            (code, "ADD", format!("x{to},x{left},x{right}"))
        }
        Op::Random { to, end } => (
            0x9240_0800 | number(to) << 5 | number(to),
            "AND",
            format!("x{to},x{to},#{:#x}", end - 1),
        ),
        Op::Decrement { to } => (
            0xd100_0400 | number(to) << 5 | number(to),
            "SUB",
            format!("x{to},x{to},#1"),
        ),
        Op::Point { to } => (
            0x8b00_1b80 | number(to),
            "ADD",
            format!("x{to},x28,x0,lsl #6"),
        ),
        Op::Compare { left, right } => (
            0xeb00_001f | number(right) << 16 | number(left) << 5,
            "CMP",
            format!("x{left},x{right}"),
        ),
        Op::Vector { to } => (
            0x4ee0_8400 | number(to) << 5 | number(to),
            "ADD",
            format!("v{to}.2d,v{to}.2d,v0.2d"),
        ),
        Op::PickFunction { to } => (0xf860_7b40 | number(to), "MOV", format!("x{to},x27")),
        _ => encode_transfer(place, operation).unwrap_or_else(|| encode_access(operation)),
    }
}

fn encode_transfer(place: usize, operation: Operation) -> Option<(u32, &'static str, String)> {
    use Operation as Op;
    Some(match operation {
        Op::BranchIf { target, .. } => (
            0x5400_0001 | distance(place, target, 19) << 5,
            "B.NE",
            target_text(place, target),
        ),
        Op::BranchUnlessZero { register, target } => {
            let code = 0xb500_0000 | distance(place, target, 19) << 5 | number(register);
            (
                code,
                "CBNZ",
                format!("x{register},{}", target_text(place, target)),
            )
        }
        Op::BranchIfZero { register, target } => {
            let code = 0xb400_0000 | distance(place, target, 19) << 5 | number(register);
            (
                code,
                "CBZ",
                format!("x{register},{}", target_text(place, target)),
            )
        }
        Op::Branch { target } => (
            0x1400_0000 | distance(place, target, 26),
            "B",
            target_text(place, target),
        ),
        Op::Call { target } => (
            0x9400_0000 | distance(place, target, 26),
            "BL",
            target_text(place, target),
        ),
        Op::CallRegister { register } => (
            0xd63f_0000 | number(register) << 5,
            "BLR",
            format!("x{register}"),
        ),
        Op::Return => (0xd65f_03c0, "RET", String::new()),
        _ => return None,
    })
}

fn encode_access(operation: Operation) -> (u32, &'static str, String) {
    use Operation as Op;
    let pair = |first: usize, second: usize, base: usize| {
        number(second) << 10 | number(base) << 5 | number(first)
    };
    match operation {
        Op::Load {
            to,
            base,
            offset,
            size,
        } => single(true, to, base, (offset, size)),
        Op::Store {
            from,
            base,
            offset,
            size,
        } => single(false, from, base, (offset, size)),
        Op::LoadNext { to, base } => (
            0xf840_8400 | number(base) << 5 | number(to),
            "LDR",
            format!("x{to},[x{base}],#8"),
        ),
        Op::StoreNext { from, base } => (
            0xf800_8400 | number(base) << 5 | number(from),
            "STR",
            format!("x{from},[x{base}],#8"),
        ),
        Op::Enter { frame } => {
            let code = 0xa980_0000 | pair_offset(frame.wrapping_neg()) | pair(29, 30, 31);
            (code, "STP", format!("x29,x30,[sp,#-{frame:#x}]!"))
        }
        Op::Save {
            first,
            second,
            offset,
        } => {
            let code = 0xa900_0000 | pair_offset(offset) | pair(first, second, 31);
            (code, "STP", format!("x{first},x{second},[sp,#{offset:#x}]"))
        }
        Op::Restore {
            first,
            second,
            offset,
        } => {
            let code = 0xa940_0000 | pair_offset(offset) | pair(first, second, 31);
            (code, "LDP", format!("x{first},x{second},[sp,#{offset:#x}]"))
        }
        Op::Leave { frame } => {
            let code = 0xa8c0_0000 | pair_offset(frame) | pair(29, 30, 31);
            (code, "LDP", format!("x29,x30,[sp],#{frame:#x}"))
        }
        Op::LoadFresh { to, .. } => (0xf840_0460 | number(to), "LDR", format!("x{to},[x3],#0x40")),
        Op::StoreFresh { from, .. } => (
            0xf800_0460 | number(from),
            "STR",
            format!("x{from},[x3],#0x40"),
        ),
        Op::StreamLoad {
            first,
            second,
            base,
        } => (
            0xa8c1_0000 | pair(first, second, base),
            "LDP",
            format!("x{first},x{second},[x{base}],#0x10"),
        ),
        Op::StreamStore {
            first,
            second,
            base,
        } => (
            0xa881_0000 | pair(first, second, base),
            "STP",
            format!("x{first},x{second},[x{base}],#0x10"),
        ),
        _ => (0xd503_201f, "NOP", String::new()),
    }
}

fn single(
    is_load: bool,
    register: usize,
    base: usize,
    (offset, size): (u64, u64),
) -> (u32, &'static str, String) {
    let scale = size.trailing_zeros();
    let name = match (is_load, size) {
        (true, 1) => "LDRB",
        (true, 2) => "LDRH",
        (true, _) => "LDR",
        (false, 1) => "STRB",
        (false, 2) => "STRH",
        (false, _) => "STR",
    };
    let code = 0x3900_0000
        | scale << 30
        | u32::from(is_load) << 22
        | ((offset >> scale) as u32 & 0xfff) << 10;
    let letter = if size == 8 { 'x' } else { 'w' };
    let operands = if offset == 0 {
        format!("[x{base}]")
    } else {
        format!("[x{base},#{offset:#x}]")
    };
    (
        code | number(base) << 5 | number(register),
        name,
        format!("{letter}{register},{operands}"),
    )
}
