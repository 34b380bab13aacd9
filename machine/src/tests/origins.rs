//! Inputs of instruction results, and the flags read and written, according to the manuals.

use crate::instruction::{Address, Encoding, Instruction, decode};
use crate::meaning::AccessKind;
use crate::origins::{InstructionInput, ValueOrigin};
use crate::registers::Registers;
use crate::set::InstructionSet;
use crate::view::RegisterView;

/// Returns the flags of a set by letter, from the lowest bit up.
fn letters(set: InstructionSet) -> Vec<(char, u64)> {
    match set {
        InstructionSet::X86_64 | InstructionSet::X86_32 => {
            vec![
                ('c', 0),
                ('p', 2),
                ('a', 4),
                ('z', 6),
                ('s', 7),
                ('d', 10),
                ('o', 11),
            ]
        }
        // `icc` (32 bits) first, then `xcc` (64 bits), in the fifth byte.
        InstructionSet::Sparc64 => {
            let codes =
                |first: u64, letters: &str| letters.chars().zip(first..).collect::<Vec<_>>();
            [codes(32, "cvzn"), codes(36, "CVZN")].concat()
        }
        _ => vec![('v', 28), ('c', 29), ('z', 30), ('n', 31), ('q', 27)],
    }
}

fn flags(bits: u64, set: InstructionSet) -> String {
    letters(set)
        .into_iter()
        .filter(|(_, place)| bits >> place & 1 == 1)
        .map(|(letter, _)| letter)
        .collect()
}

fn name(view: RegisterView, set: InstructionSet) -> String {
    match Registers::name(view, set) {
        Some(name) => name.to_owned(),
        None => {
            let whole = (1..=32)
                .rev()
                .find_map(|size| Registers::name(RegisterView::new(view.register, 0, size), set));
            format!(
                "{}[{}..{}]",
                whole.unwrap_or("?"),
                view.offset,
                view.offset + view.size_bytes
            )
        }
    }
}

fn origin(ValueOrigin { input, is_copy }: ValueOrigin, set: InstructionSet) -> String {
    let text = match input {
        InstructionInput::Register(view) => name(view, set),
        InstructionInput::Loaded {
            operand,
            first,
            len_bytes,
        } => match len_bytes {
            Some(len) => format!("m{operand}[{first}..{}]", first + len),
            None => format!("m{operand}"),
        },
        InstructionInput::AllLoaded => "all loaded".to_owned(),
    };
    if is_copy { format!("={text}") } else { text }
}

fn listed(origins: Vec<ValueOrigin>, set: InstructionSet) -> String {
    let mut texts: Vec<_> = origins.into_iter().map(|one| origin(one, set)).collect();
    texts.sort_unstable();
    texts.join(" ")
}

/// Formats each written register and store with its inputs: `x0: x1 x2`, `w0: =x1` for the value
/// stored by operand 0.
fn results(instruction: &Instruction, set: InstructionSet) -> String {
    let meaning = &instruction.meaning;
    let written = instruction.registers.iter().flat_map(|known| &known.writes);
    let registers = written
        .filter(|view| view.register != crate::view::RegisterId::PSR)
        .map(|view| {
            let effect = meaning.writes.iter().find(|effect| effect.view == *view);
            let origins = match effect {
                Some(effect) => instruction.origins_of_value(&effect.value, 0..view.size_bytes),
                None => instruction.origins_of_result(Some(view.register)),
            };
            format!("{}: {}", name(*view, set), listed(origins, set))
        });
    let stores = meaning
        .memory
        .iter()
        .enumerate()
        .filter(|(_, operand)| operand.kind == AccessKind::Write);
    let stores = stores.map(|(number, operand)| {
        let origins =
            instruction.origins_of_value(&operand.value, 0..operand.size_bytes.unwrap_or(8));
        format!("store {number}: {}", listed(origins, set))
    });
    let mut all: Vec<String> = registers
        .chain(stores)
        .map(|text| text.trim_end().to_owned())
        .collect();
    all.sort_unstable();
    all.join("; ")
}

/// Formats the flags that are read, then in brackets those that may keep their values.
fn flags_taken(instruction: &Instruction, set: InstructionSet) -> String {
    let (read, kept) = (
        flags(instruction.flags_read(set), set),
        flags(instruction.flags_kept(), set),
    );
    if kept.is_empty() {
        read
    } else {
        format!("{read}({kept})")
    }
}

/// Checks lines of the form `hexadecimal bytes | flags read | flags written | results | inputs of
/// the flags`.
#[track_caller]
fn check(set: InstructionSet, lines: &str) {
    let mut wrong = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut parts = line.split('|').map(str::trim);
        let digits = parts.next().unwrap();
        let bytes: Vec<u8> = (0..digits.len() / 2)
            .map(|place| u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).unwrap())
            .collect();
        let instruction = decode(Encoding::new(&bytes).unwrap(), Address(0x1000), set);
        let written = instruction.flags_written(set);
        let into_flags = if written == 0 {
            String::new()
        } else {
            listed(instruction.origins_of_flags(), set)
        };
        let found = [
            flags_taken(&instruction, set),
            flags(written, set),
            results(&instruction, set),
            into_flags,
        ];
        let expected: Vec<_> = parts.collect();
        if found
            .iter()
            .map(String::as_str)
            .ne(expected.iter().copied())
        {
            wrong.push(format!(
                "{digits} {}\n  found    {}\n  expected {}",
                instruction.text,
                found.join(" | "),
                expected.join(" | ")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn origins_of_a64() {
    check(
        InstructionSet::A64,
        "
        200002ab | | vczn | x0: x1 x2 | x1 x2
        200002ea | | vczn | x0: x1 x2 | x1 x2
        3f0001eb | | vczn | | x1
        2000418a | | | x0: x1 |
        001042fa | z | vczn | | x0 x2
        2000829a | z | | x0: x1 x2 |
        2000029a | c | | x0: x1 x2 |
        200002ba | c | vczn | x0: x1 x2 | x1 x2
        2020621e | | vczn | | d1 d2
        200c621e | z | | v0: d1 d2 |
        2000a0f2 | | | x0: =x0[0..2] =x0[4..8] |
        200c0033 | | | x0: w0 w1 |
        4004c1a8 | | | x0: =m0[0..8]; x1: =m1[0..8]; x2: x2 |
        208440b8 | | | x0: =m0[0..4]; x1: x1 |
        208440f8 | | | x0: =m0[0..8]; x1: x1 |
        4004bfa9 | | | store 0: =x0; store 1: =x1; x2: x2 |
        200001ca | | | x0: |
        e0031faa | | | x0: |
        ",
    );
}

/// RMIF, SETF8, SETF16, CFINV, XAFLAG, AXFLAG, and MSR of other fields of PSTATE (DDI 0487, C6.2).
#[test]
fn flags_that_a64_sets_one_by_one() {
    check(
        InstructionSet::A64,
        "
        258401ba | | vz | | x1
        2d08003a | | vzn | | w1
        2d48003a | | vzn | | w1
        1f4000d5 | c | c | |
        3f4000d5 | cz | vczn | |
        5f4000d5 | vcz | vczn | |
        df4203d5 | (vczn) | vczn | |
        ",
    );
}

#[test]
fn origins_of_a32() {
    check(
        InstructionSet::A32,
        "
        ff04b0e3 | | czn | r0: |
        0100b0e3 | | zn | r0: |
        8100b0e1 | | czn | r0: r1 | r1
        1102b0e1 | (c) | czn | r0: r1 r2 | r1 r2
        3102b0e1 | (c) | czn | r0: r1 r2 | r1 r2
        310210e0 | (c) | czn | r0: r0 r1 r2 | r0 r1 r2
        020011e1 | | zn | | r1 r2
        0200b1e0 | c | vczn | r0: r1 r2 | r1 r2
        9203a1e0 | | | r0: r0 r1 r2 r3; r1: r0 r1 r2 r3 |
        340241e3 | | | r0: r0 |
        d020c1e1 | | | r2: =m0[0..4]; r3: =m1[0..4] |
        f020c1e1 | | | store 0: =r2; store 1: =r3 |
        0100a003 | z | | r0: |
        6100b0e1 | c | czn | r0: r1 | r1
        010021e0 | | | r0: |
        ",
    );
}

#[test]
fn origins_of_t32() {
    check(
        InstructionSet::T32,
        "
        0120 | | zn | r0: |
        4800 | | czn | r0: r1 | r1
        c840 | (c) | czn | r0: r0 r1 | r0 r1
        8818 | | vczn | r0: r1 r2 | r1 r2
        5141 | c | vczn | r1: r1 r2 | r1 r2
        08bf | z | | |
        c1f23400 | | | r0: r0 |
        61f30700 | | | r0: r0 r1 |
        03b4 | | | sp: sp; store 0: =r0; store 1: =r1 |
        51ea0280 | z | | r0: r1 r2 |
        51eab2b0 | vn | | r0: r1 r2 |
        50ea0d1f | (q) | q | r0: r0 r1 | r0 r1
        9fe80180 | | vcznq | r0: |
        ",
    );
}

#[test]
fn origins_of_x86() {
    check(
        InstructionSet::X86_64,
        "
        4801c8 | | cpazso | rax: rax rcx | rax rcx
        48ffc0 | | pazso | rax: rax | rax
        4811c8 | c | cpazso | rax: rax rcx | rax rcx
        480f44c1 | z | | rax: rax rcx |
        0f94c0 | z | | al: |
        31c0 | | cpazso | rax: |
        50 | | | rsp: rsp; store 0: =rax |
        58 | | | rax: =m0[0..8]; rsp: rsp |
        488d44c808 | | | rax: rax rcx |
        48d3e0 | (cpazso) | cpazso | rax: cl rax | cl rax
        48f7e1 | | cpazso | rax: rax rcx; rdx: rax rcx | rax rcx
        483b06 | | cpazso | | m0 rax
        480106 | | cpazso | store 1: m0 rax | m0 rax
        c3 | | | rsp: rsp |
        ",
    );
}

/// "If the count is 0, the flags are not affected" (Intel SDM, volume 2, SAL/SAR/SHL/SHR and
/// RCL/RCR/ROL/ROR, SHLD).
/// The count is an immediate or `cl`, truncated to 5 bits, or 6 for 64-bit operands.
#[test]
fn a_shift_by_nought_leaves_the_flags() {
    check(
        InstructionSet::X86_64,
        "
        d3e8 | (cpazso) | cpazso | rax: cl eax | cl eax
        d3f8 | (cpazso) | cpazso | rax: cl eax | cl eax
        48d3c0 | (co) | co | rax: cl rax | cl rax
        d3d0 | c(co) | co | rax: cl eax | cl eax
        0fa5c8 | (cpazso) | cpazso | rax: cl eax ecx | cl eax ecx
        c1e004 | | cpazso | rax: eax | eax
        c1e000 | | | rax: =eax |
        c1e020 | | | rax: =eax |
        48c1e020 | | cpazso | rax: rax | rax
        48c1e040 | | | rax: =rax |
        ",
    );
}

/// Q is cumulative (DDI 0487, E1.3, "Q, Cumulative saturation bit"): saturation or overflow sets
/// it, and only a write of the status register clears it. The parallel forms do not change it (DDI
/// 0487, F5.1, QADD16, QASX).
#[test]
fn the_flag_of_saturation_is_sticky() {
    check(
        InstructionSet::A32,
        "
        510002e1 | (q) | q | r0: r1 r2 | r1 r2
        1100a0e6 | (q) | q | r0: r1 | r1
        810200e1 | (q) | q | r0: r0 r1 r2 | r0 r1 r2
        310fa0e6 | (q) | q | r0: r1 | r1
        110f22e6 | | | r0: r1 r2 |
        00f028e1 | | vcznq | | r0
        ",
    );
}

/// A condition reads the codes that it names. For FMOVcc and MOVcc (The SPARC Architecture Manual
/// V9, A.33 and A.35) these are `icc`, `xcc`, `%fcc0` (bits 10 and 11 of the FSR) or one of `%fcc1`
/// to `%fcc3` (bits 32 to 37; 5.1.7).
#[test]
fn conditional_moves_of_sparc_look_at_the_codes_that_they_name() {
    check(
        InstructionSet::Sparc64,
        "
        85a86044 | z | | d2: d2 d4 |
        85a87044 | Z | | d2: d2 d4 |
        85a96044 | c | | d2: d2 d4 |
        85a8a044 | vzn | | d2: d2 d4 |
        85a84044 | | | d2: d2 d4 fsr[1..2] |
        85a84844 | | | d2: d2 d4 fsr[4..5] |
        936467f5 | z | | o1: o1 |
        936477f5 | Z | | o1: o1 |
        936067f5 | | | o1: fsr[1..2] o1 |
        93606ff5 | | | o1: fsr[4..5] o1 |
        ",
    );
}

/// A floating-point compare sets only the codes that it names; `%fcc1` to `%fcc3` share a byte (V9,
/// 5.1.7, A.13). FLCMP of Oracle SPARC Architecture 2011 does the same.
#[test]
fn compares_of_sparc_set_the_codes_that_they_name() {
    check(
        InstructionSet::Sparc64,
        "
        81aa4a26 | | | fsr[0..1]: f6 f9; fsr[1..2]: f6 f9 |
        83aa4a26 | | | fsr[0..1]: f6 f9 fsr[4..5]; fsr[4..5]: f6 f9 fsr[4..5] |
        87aa4aa6 | | | fsr[0..1]: f6 f9 fsr[4..5]; fsr[4..5]: f6 f9 fsr[4..5] |
        81b26a26 | | | fsr[0..1]: f6 f9; fsr[1..2]: f6 f9 |
        ",
    );
}

#[test]
fn origins_of_sparc() {
    check(
        InstructionSet::Sparc64,
        "
        92844012 | | cvznCVZN | o1: l1 l2 | l1 l2
        92444012 | c | | o1: l1 l2 |
        936467f5 | z | | o1: o1 |
        d41a4000 | | | o2: =m0[0..4]; o3: =m1[0..4] |
        d43a4000 | | | store 0: =o2[0..4]; store 1: =o3[0..4] |
        d25a6008 | | | o1: =m0[0..8] |
        d2726008 | | | store 0: =o1 |
        ",
    );
}

#[test]
fn origins_of_riscv() {
    check(
        InstructionSet::Riscv64,
        "
        13051500 | | | a0: a0 |
        23b4a500 | | | store 0: =a0 |
        2fb5c500 | | | a0: =m0[0..8]; store 1: a2 m0 |
        33a5c500 | | | a0: a1 a2 |
        03b50500 | | | a0: =m0[0..8] |
        33c5b500 | | | a0: |
        ",
    );
}

/// `V[d] = …` zeroes the rest of Z (DDI 0487, C1.2.6, "SVE register model"): FMOV d0,x1; FADD d0;
/// ADD v0.8b; INS; XTN2; LD1. SVE forms write all of it, and other registers have no zeroed part.
#[test]
fn the_rest_of_a_scalable_vector_becomes_zero() {
    let rest = RegisterView {
        offset: 16,
        size_bytes: 16,
        ..Registers::view("z0", InstructionSet::A64).unwrap()
    };
    let decoded = |digits: &str| {
        decode(
            crate::tests::text::encoding(digits),
            Address(0x1000),
            InstructionSet::A64,
        )
    };
    for digits in [
        "2000679e", "2028621e", "2084220e", "201c0c4e", "2028214e", "2084404d", "200040fd",
    ] {
        let instruction = decoded(digits);
        assert!(instruction.clears(rest), "{}", instruction.text);
        assert_eq!(
            instruction.origins_of_unwritten(rest),
            [],
            "{}",
            instruction.text
        );
        let other = RegisterView {
            register: crate::view::RegisterId(rest.register.0 + 9),
            ..rest
        };
        assert!(!instruction.clears(other));
    }
    assert!(!decoded("20002204").clears(rest), "add z0.b, z1.b, z2.b");
}

/// `fadds %f0, %f1, %f2`, for which a line may show the double whose other half is `%f3`.
#[test]
fn the_rest_of_a_register_that_is_written_in_part_keeps_its_value() {
    let encoding = Encoding::new(&0x85a0_0821_u32.to_be_bytes()).unwrap();
    let instruction = decode(encoding, Address(0x1000), InstructionSet::Sparc64);
    let view = |name| Registers::view(name, InstructionSet::Sparc64).unwrap();
    let kept = [ValueOrigin {
        input: InstructionInput::Register(view("f3")),
        is_copy: true,
    }];
    assert_eq!(instruction.origins_of_unwritten(view("f3")), kept);
    let all = instruction.origins_of_result(None);
    assert_eq!(instruction.origins_of_unwritten(view("g1")), all);
}
