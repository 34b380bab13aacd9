//! Line forms, one by one.

use stepback_machine::Endian;

use crate::tarmac::source::TarmacOptions;
use crate::tarmac::tests::support::{open, parse};

const DEFAULT: TarmacOptions = TarmacOptions {
    endian: Endian::Little,
    implicit_thumb: false,
};
const BIG: TarmacOptions = TarmacOptions {
    endian: Endian::Big,
    implicit_thumb: false,
};
const THUMB: TarmacOptions = TarmacOptions {
    endian: Endian::Little,
    implicit_thumb: true,
};

/// Checks the events of a text on both paths and with both line ends.
#[track_caller]
fn check_with(options: TarmacOptions, text: &str, expected: &[&str]) {
    for text in [text.to_owned(), format!("{text}\n"), format!("{text}\r\n")] {
        for is_slow in [false, true] {
            let tarmac = open(text.as_bytes(), options);
            let tarmac = if is_slow { tarmac.slowly() } else { tarmac };
            let found = parse(&tarmac, 0..text.len() as u64).0.text();
            let found = found.replace(
                ", and the last line has no newline: the trace may be cut short",
                "",
            );
            assert_eq!(found.lines().collect::<Vec<_>>(), expected, "{text:?}");
        }
    }
}

/// Checks a line that is whole because it has a line end, although its text could be the beginning
/// of a longer one.
#[track_caller]
fn check_ended(line: &str, expected: &[&str]) {
    check(&format!("{line}\n"), expected);
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    check_with(DEFAULT, text, expected);
}

/// Checks register lines after an instruction with a set and mode.
#[track_caller]
fn check_after(instruction: &str, line: &str, expected: &[&str]) {
    let text =
        format!("1 clk IT (1) 00001000 e1a00000 {instruction} : NOP\n1 clk {line}\n1 clk {line}\n");
    for is_slow in [false, true] {
        let tarmac = open(text.as_bytes(), DEFAULT);
        let tarmac = if is_slow { tarmac.slowly() } else { tarmac };
        let found = parse(&tarmac, 0..text.len() as u64).0.text();
        let found: Vec<_> = found
            .lines()
            .skip(1)
            .map(|line| line.split(", and the last").next().unwrap())
            .collect();
        // The second time, the bank's name is known and the fast path applies.
        assert_eq!(found, [expected, expected].concat(), "{text:?}");
    }
}

#[test]
fn instructions_of_all_shapes() {
    let nop = ["step 5 1000 A32 e1a00000/4 \"NOP\""];
    check("5 clk IT (7) 00001000 e1a00000 A usr : NOP", &nop);
    check("5 clk IT 00001000 e1a00000 A usr : NOP", &nop);
    check("5 clk IT (00001000) e1a00000 A usr : NOP", &nop);
    check("5 clk IT (00001000:2a) 00001000 e1a00000 A usr : NOP", &nop);
    check(
        "5 clk IT (7) 00001000:000000001000_NS e1a00000 A usr : NOP",
        &nop,
    );
    check(
        "5 clk IT (7) 00001000:000000001000,000000001002 e1a00000 A usr : NOP",
        &nop,
    );
    check("5 clk IT (7) 00001000 e1a00000 A : NOP", &nop);
    check("5 clk IF (7) 00001000 e1a00000 A usr : NOP", &nop);
    check("5 clk ES (00001000:e1a00000) A usr : NOP", &nop);
    check("5 clk ES  (00001000:e1a00000) A usr:         NOP", &nop);
    check("5   clk\tIT  ( 7 )\t00001000  e1a00000  A  usr:NOP", &nop);
    check("   5 clk IT (7) 00001000 E1A00000 A usr : NOP", &nop);
    check(
        "5 clk IS (7) 00001000 e1a00000 A usr : NOP",
        &["step 5 1000 A32 e1a00000/4 failed \"NOP\""],
    );
    check(
        "5 clk ES (00001000:e1a00000) A usr : CCFAIL NOP",
        &["step 5 1000 A32 e1a00000/4 failed \"NOP\""],
    );
    check(
        "5 clk IT (7) 00001000 e1a00000 A usr : CCFAIL NOP",
        &["step 5 1000 A32 e1a00000/4 \"CCFAIL NOP\""],
    );
    check(
        "5 clk ES (00001000:e1a00000) A usr : CCFAILS",
        &["step 5 1000 A32 e1a00000/4 \"CCFAILS\""],
    );
    check(
        "5 clk ES (00001000:--------) A usr :",
        &["step 5 1000 A32 0/4 failed \"\""],
    );
    check(
        "5 clk ES (00001000:----) T thread :",
        &["step 5 1000 T32 0/2 failed \"\""],
    );
    check(
        "5 clk IT (7) 00001000 -------- A usr :",
        &["step 5 1000 A32 0/4 failed \"\""],
    );
    check(
        "5 clk IT (7) 00001001 46c0 T thread : NOP",
        &["step 5 1000 T32 46c0/2 \"NOP\""],
    );
    check(
        "5 clk IT (7) 00001000 f7ffffe3 T thread : BL",
        &["step 5 1000 T32 f7ffffe3/4 \"BL\""],
    );
    check(
        "5 clk IT (00001000:2a) 00001000 46c0 T16 NOP",
        &["step 5 1000 T32 46c0/2 \"NOP\""],
    );
    check(
        "5 clk IT (00001000:2a) 46c0 T16 NOP",
        &["step 5 1000 T32 46c0/2 \"NOP\""],
    );
    check(
        "5 clk IT (2a:00001000) 46c0 T16 NOP",
        &["step 5 1000 T32 46c0/2 \"NOP\""],
    );
    check(
        "5 clk IT (7) 00001000 f3af8000 T32 thread : NOP.W",
        &["step 5 1000 T32 f3af8000/4 \"NOP.W\""],
    );
    check(
        "5 clk IT (7) ffffffc000080000 d503201f O EL1h_n : NOP  ; x  ",
        &["step 5 ffffffc000080000 A64 d503201f/4 \"NOP  ; x  \""],
    );
    check(
        "5 clk IT (7) 00001000 e1a00000 A usr : {weird} NOP",
        &["step 5 1000 A32 e1a00000/4 \"{weird} NOP\""],
    );
    check("5 clk IT (7) 00001000 0000e1a00000 A usr : NOP", &nop);
    check(
        "IT 00001000 e1a00000 A usr : NOP",
        &["step - 1000 A32 e1a00000/4 \"NOP\""],
    );
}

#[test]
fn instructions_without_a_state_are_thumb_if_asked() {
    let nop = ["step 5 1000 T32 46c0/2 \"NOP\""];
    check_with(THUMB, "5 clk IT 00001000 46c0 NOP", &nop);
    check_with(THUMB, "5 clk IT (7) 00001000 46c0 NOP", &nop);
    check_with(THUMB, "5 clk IT (00001000) 46c0 NOP", &nop);
    check_with(THUMB, "5 clk IT (7) 00001000 46c0 T thread : NOP", &nop);
    check_with(
        THUMB,
        "5 clk IT (00001000) 4401 ADD r1,r0",
        &["step 5 1000 T32 4401/2 \"ADD r1,r0\""],
    );
    check(
        "5 clk IT 00001000 46c0 NOP",
        &[
            "problem 23 expected an instruction-set state (cores that leave it out are read with --implicit-thumb), found \"NOP\"",
        ],
    );
}

#[test]
fn damaged_instructions_are_problems() {
    check(
        "5 clk IT (zz) 00001000 e1a00000 A usr : NOP",
        &["problem 10 expected a number, found \"zz\""],
    );
    check(
        "5 clk IT (7 00001000 e1a00000 A usr : NOP",
        &["problem 12 expected \")\", found \"00001000\""],
    );
    check(
        "5 clk IT (7) 00001000 e1a00000 A usr",
        &["problem 36 expected \":\", found the end of the line"],
    );
    check(
        "5 clk IT (00001000:2a) 00001000 46c0 T NOP",
        &["problem 42 expected \":\", found the end of the line"],
    );
    check(
        "5 clk IT (7) 00001000",
        &["problem 21 expected an instruction encoding, found the end of the line"],
    );
    check(
        "5 clk IT (7) 11112222333344445 e1a00000 A usr : NOP",
        &["problem 13 expected an address, found \"11112222333344445\""],
    );
    check(
        "5 clk ES 00001000 e1a00000 A usr : NOP",
        &["problem 9 expected \"(\", found \"00001000\""],
    );
    check(
        "5 clk ES (00001000) A usr : NOP",
        &["problem 18 expected \":\", found ')'"],
    );
}

#[test]
fn times_and_threads() {
    let read = "MR1 00001000 11";
    let plain = ["read 1000 11"];
    for unit in [
        "clk ", "ns ", "cs ", "cyc ", "tic ", "ps ", "us ", "ms ", "s ", "fs ", "",
    ] {
        check(&format!("7 {unit}{read}"), &plain);
        check(&format!("7{unit} {read}"), &plain);
    }
    let step = "IT 00001000 e1a00000 A usr : NOP";
    let at = |time: &str| format!("step {time} 1000 A32 e1a00000/4 \"NOP\"");
    check(&format!("1.5 us {step}"), &[&at("1500000")]);
    check(&format!("1.5 ns {step}"), &[&at("1500000")]);
    check(&format!("1.500000us {step}"), &[&at("1500000")]);
    check(&format!(".0000005 {step}"), &[&at("1")]);
    check(&format!("2.00000049 {step}"), &[&at("2000000")]);
    check(&format!("7 us {step}"), &[&at("7")]);
    check(
        &format!("18446744073709551615 clk {step}"),
        &[&at("18446744073709551615")],
    );
    check(
        &format!("1234567890123456 clk {step}"),
        &[&at("1234567890123456")],
    );
    check(
        &format!("18446744073709551616 clk {step}"),
        &[&at("-"), "problem 0 timestamp does not fit in 64 bits"],
    );
    check(
        &format!("1.2.3 clk {step}"),
        &["problem 0 not a Tarmac line"],
    );
    check("...", &["problem 0 not a Tarmac line"]);
    check(&format!("7 clk cpu1 {read}"), &["cpu1 read 1000 11"]);
    check(
        &format!("cpu_foo.bar {read}"),
        &["cpu_foo.bar read 1000 11"],
    );
    check(&format!("7 clk CPU1 {read}"), &["CPU1 read 1000 11"]);
    check(
        "7 clk CPU1 off",
        &[
            "note \"CPU1 off\"",
            "problem 6 unknown Tarmac event type \"CPU1\"",
        ],
    );
    check(
        &format!("7 clk cpu1 {step}\n  {read}\n7 clk {read}\n  {read}"),
        &[
            &format!("cpu1 {}", at("7")),
            "cpu1 read 1000 11",
            "read 1000 11",
            "read 1000 11",
        ],
    );
    check(
        &format!("7 clk cpu1 {read}\n{step}"),
        &["cpu1 read 1000 11", &at("-")],
    );
}

#[test]
fn registers_of_aarch64() {
    check_after(
        "O EL3h_s",
        "R X3 00000000000FFBB8",
        &["X3=b8fb0f0000000000"],
    );
    check_after(
        "O EL3h_s",
        "R x3 00000000_000ffbb8",
        &["X3=b8fb0f0000000000"],
    );
    check_after(
        "O EL3h_s",
        "R e3 00000000:000ffbb8",
        &["X3=b8fb0f0000000000"],
    );
    check_after("O EL3h_s", "R w3 000ffbb8", &["X3=b8fb0f0000000000"]);
    check_after("O EL3h_s", "R wsp 000ffbb8", &["SP=b8fb0f0000000000"]);
    check_after(
        "O EL3h_s",
        "R XSP 00000000000ffbb8",
        &["SP=b8fb0f0000000000"],
    );
    check_after(
        "O EL3h_s",
        "R SP 00000000000ffbb8",
        &["SP=b8fb0f0000000000"],
    );
    check_after("O EL3h_s", "R sp 000ffbb8", &["SP=b8fb0f0000000000"]);
    check_after(
        "O EL3h_s",
        "R lr 00000000000ffbb8",
        &["X30=b8fb0f0000000000"],
    );
    check_after("O EL3h_s", "R r3 00000005", &["X3=05000000"]);
    check_after("O EL3h_s", "R cpsr 600003cd", &["PSR=cd030060"]);
    check_after(
        "O EL3h_s",
        "R s21 3f800000",
        &["V21=0000803f000000000000000000000000"],
    );
    check_after(
        "O EL3h_s",
        "R d21 3ff0000000000000",
        &["V21=000000000000f03f0000000000000000"],
    );
    check_after(
        "O EL3h_s",
        "R q2 00112233445566778899aabbccddeeff",
        &["V2=ffeeddccbbaa99887766554433221100"],
    );
    check_after(
        "O EL3h_s",
        "R V2 0011223344556677_8899aabbccddeeff",
        &["V2=ffeeddccbbaa99887766554433221100"],
    );
    check_after(
        "O EL3h_s",
        "R V2 00112233 44556677 8899aabb ccddeeff",
        &["V2=ffeeddccbbaa99887766554433221100"],
    );
    check_after(
        "O EL3h_s",
        "R Z2 0011_2233:4455_6677",
        &["V2=7766554433221100"],
    );
    check_after("O EL3h_s", "R P2 00ff", &["P2=ff00"]);
    check_after("O EL3h_s", "R FPCR 0000000000000001", &["FPCR=01000000"]);
    check_after("O EL3h_s", "R FPCR 00000000 00000001", &["FPCR=01000000"]);
    check_after(
        "O EL3h_s",
        "R SP_EL3 0000000000001000",
        &["SP=0010000000000000", "sp_el3=0010000000000000 copy"],
    );
    check_after(
        "O EL3h_s",
        "R SP_EL0 0000000000001000",
        &["sp_el0=0010000000000000"],
    );
    check_after(
        "O EL1t_n",
        "R SP_EL0 0000000000001000",
        &["SP=0010000000000000", "sp_el0=0010000000000000 copy"],
    );
    check_after(
        "O EL3h_s",
        "R LR_EL1 0000000000001000",
        &["lr_el1=0010000000000000"],
    );
    check_after(
        "O EL3h_s",
        "R ELR_EL1 0000000000001000",
        &["elr_el1=0010000000000000"],
    );
    check_after(
        "O EL3h_s",
        "R S3_0_C15_C2_0 0000000000001000",
        &["s3_0_c15_c2_0=0010000000000000"],
    );
    check_after("O EL3h_s", "R SPSR_EL3 600003cd", &["spsr_el3=cd030060"]);
    check_after("O EL3h_s", "R NZCV 6", &["nzcv=06"]);
    check_after(
        "O EL3h_s",
        "R TTBR0_EL1 (NS) 00000000:00001000",
        &["ttbr0_el1=0010000000000000"],
    );
    check_after(
        "O EL3h_s",
        "R TTBR0_EL1<63:32> 00000001",
        &["ttbr0_el1+4=01000000"],
    );
}

#[test]
fn registers_of_aarch32() {
    check_after("A svc_s", "R r3 000ffbb8", &["X3=b8fb0f00"]);
    check_after("A svc_s", "R R1 (USR) 00000005", &["X1=05000000"]);
    check_after("A svc_s", "R w3 000ffbb8", &["X3=b8fb0f00"]);
    check_after("A svc_s", "R r3 00000000000ffbb8", &["X3=b8fb0f00"]);
    check_after("A svc_s", "R r13 00001000", &["SP=00100000"]);
    check_after("A svc_s", "R sp 0000000000001000", &["SP=00100000"]);
    check_after("A svc_s", "R lr 00001000", &["LR=00100000"]);
    check_after(
        "A svc_s",
        "R r14_svc 00001000",
        &["LR=00100000", "r14_svc=00100000 copy"],
    );
    check_after(
        "A svc_s",
        "R SP_SVC 00001000",
        &["SP=00100000", "sp_svc=00100000 copy"],
    );
    check_after("A svc_s", "R R14_usr 00001000", &["r14_usr=00100000"]);
    check_after(
        "A sys",
        "R R14_usr 00001000",
        &["LR=00100000", "r14_usr=00100000 copy"],
    );
    check_after(
        "T thread",
        "R MSP 00001000",
        &["SP=00100000", "msp=00100000 copy"],
    );
    check_after(
        "T thread",
        "R msp_s 00001000",
        &["SP=00100000", "msp_s=00100000 copy"],
    );
    check_after(
        "T thread",
        "R PSP 00001000",
        &["SP=00100000", "psp=00100000 copy"],
    );
    check_after("T handler", "R PSP 00001000", &["psp=00100000"]);
    check_after(
        "T thread",
        "R XPSR 01000000",
        &["PSR=00000001", "xpsr=00000001 copy"],
    );
    check_after("T thread", "R MSPLIM 01000000", &["msplim=00000001"]);
    check_after(
        "A svc_s",
        "R d1 1111111122222222",
        &["V0+8=2222222211111111"],
    );
    check_after("A svc_s", "R s5 3f800000", &["V1+4=0000803f"]);
    check_after("A svc_s", "R cpsr 1d3", &["PSR=d3010000"]);
    check_after("A svc_s", "R CPSR 1220023cd", &["PSR=cd230022"]);
    check_after("A svc_s", "R psr 600001d3 NZ_V", &["PSR=d3010060"]);
    check_after("A svc_s", "R cpsr 600001d3 __C_", &["PSR=d3010060"]);
}

#[test]
fn register_values_in_part() {
    check_after(
        "O EL3h_s",
        "R V0<127:64> 0011223344556677",
        &["V0+8=7766554433221100"],
    );
    check_after("O EL3h_s", "R V0<63:0> 00000000", &["V0=0000000000000000"]);
    check_after("O EL3h_s", "R X0<31:0> 12345678", &["X0=78563412"]);
    check_after(
        "O EL3h_s",
        "R Q0 -------- -------- 11223344 55667788",
        &["V0=8877665544332211"],
    );
    check_after(
        "O EL3h_s",
        "R X0 ----1122----3344",
        &["X0=4433", "X0+4=2211"],
    );
    check_after(
        "O EL3h_s",
        "R X0 xx112233xxxx4455",
        &["X0=5544", "X0+2=??", "X0+4=332211", "X0+7=?"],
    );
    check_after(
        "O EL3h_s",
        "R X0 x011223344556677",
        &["X0=77665544332211", "X0+7=?"],
    );
    check_after("O EL3h_s", "R X0 --------", &[]);
    check_after("O EL3h_s", "R X0", &["X0=0000000000000000"]);
    check_after("O EL3h_s", "R X0 0", &["X0=0000000000000000"]);
    check_after("O EL3h_s", "R w0 xxxxxxxx", &["X0=????", "X0+4=00000000"]);
    check_after("O EL3h_s", "R w0 ----1234", &["X0=3412"]);
}

#[test]
fn a_short_value_says_nothing_of_the_bytes_above_it() {
    let doubt = |size_bytes: usize| {
        format!(
            "problem 11 register value shorter than the {size_bytes} bytes of the register: the others are unknown"
        )
    };
    check_after(
        "O EL3h_s",
        "R X3 1234",
        &["X3=3412", "X3+2=??????", &doubt(8)],
    );
    check_after(
        "O EL3h_s",
        "R X2 0x1234",
        &["X2=3412", "X2+2=??????", &doubt(8)],
    );
    check_after(
        "O EL3h_s",
        "R W1 1",
        &["X1=????", "X1+4=00000000", &doubt(4)],
    );
    check_after("A svc_s", "R r1 123", &["X1=23", "X1+1=???", &doubt(4)]);
}

#[test]
fn surplus_digits_are_doubted_unless_the_width_is_usual() {
    let doubt = "problem 11 register value longer than the 8 bytes of the register: its leading zeros are left out";
    check_after(
        "O EL3h_s",
        "R X0 000000000000000013 (2) 00001004",
        &["X0=1300000000000000", doubt],
    );
    check_after("A svc_s", "R r1 0000000089abcdef", &["X1=efcdab89"]);
}

#[test]
fn damaged_registers_are_problems() {
    check_after(
        "O EL3h_s",
        "R X0 001234",
        &[
            "X0=????????",
            "problem 11 expected register contents, found \"001234\"",
        ],
    );
    check_after(
        "O EL3h_s",
        "R X0 00000001 extra",
        &[
            "X0=????????",
            "problem 20 expected register contents, found \"extra\"",
        ],
    );
    check_after(
        "O EL3h_s",
        "R X0 -a00000000000000",
        &[
            "X0=????????",
            "problem 11 one dash instead of two: half a byte cannot be left out",
        ],
    );
    check_after(
        "O EL3h_s",
        "R X0 10000000000000000",
        &[
            "X0=????????",
            "problem 11 register value too long: 8 bytes have room",
        ],
    );
    check_after(
        "O EL3h_s",
        "R V0<64:0> 00",
        &["problem 11 bits 64 to 0 are not whole bytes of a register of 16 bytes"],
    );
    check_after(
        "O EL3h_s",
        "R V0<255:128> 00",
        &["problem 11 bits 255 to 128 are not whole bytes of a register of 16 bytes"],
    );
    check_after(
        "O EL3h_s",
        "R V0<7> 00",
        &["problem 11 expected a bit range such as <63:0>, found \"7\""],
    );
    check_after(
        "O EL3h_s",
        "R",
        &["problem 7 expected a register name, found the end of the line"],
    );
    check_after(
        "O EL3h_s",
        "R NZCV",
        &["problem 12 expected register contents, found the end of the line"],
    );
    check_after("O EL3h_s", "R IC IVAU 0000", &["note \"R IC IVAU 0000\""]);
    check_after("O EL3h_s", "R TLBI ALLE1", &["note \"R TLBI ALLE1\""]);
}

#[test]
fn contiguous_memory() {
    check(
        "5 clk MR8 000ffb80:0000000ffb80 00000000_000ffbb8",
        &["read ffb80 b8fb0f0000000000"],
    );
    check(
        "5 clk MW8 000ffb80:0000000ffb80_NS 00000000000ffbb8",
        &["write ffb80 b8fb0f0000000000"],
    );
    check(
        "5 clk MR8 00001000 11223344 55667788",
        &["read 1000 8877665544332211"],
    );
    check(
        "5 clk MW4 ffffffc000080000 11223344",
        &["write ffffffc000080000 44332211"],
    );
    check("5 clk MW2 00001000 1122", &["write 1000 2211"]);
    check("5 clk MW1 00001000 11", &["write 1000 11"]);
    check_ended("5 clk MW4 00001000 12", &["write 1000 12000000"]);
    check(
        "5 clk MW4 00001000 0000000012345678",
        &["write 1000 78563412"],
    );
    check("5 clk MW3 1000 112233", &["write 1000 332211"]);
    check("5 clk R01 00001000 11", &["read 1000 11"]);
    check(
        "5 clk W08 00001000 1122334455667788",
        &["write 1000 8877665544332211"],
    );
    check("5 clk MW4X 00001000 11223344", &["write 1000 44332211"]);
    check("5 clk MW4 X 00001000 11223344", &["write 1000 44332211"]);
    check(
        "5 clk MW4 (some (thing) 00001000 11223344",
        &["write 1000 44332211"],
    );
    check("5 clk MNR4O__D 00001000 11223344", &["read 1000 11223344"]);
    check(
        "5 clk MNR4O__I 00001000 11223344",
        &["note \"MNR4O__I 00001000 11223344\""],
    );
    check(
        "5 clk MNR4O__A 00001000 11223344",
        &["note \"MNR4O__A 00001000 11223344\""],
    );
    check(
        "5 clk MR4 00001000 (ABORTED)",
        &["note \"MR4 00001000 (ABORTED)\""],
    );
    check(
        "5 clk MCR4 TRANSFER 12 34",
        &["note \"MCR4 TRANSFER 12 34\""],
    );
    check(
        "5 clk MCW4___R p15:0 (c1) TRANSFER",
        &["note \"MCW4___R p15:0 (c1) TRANSFER\""],
    );
    check("5 clk MR8 00001000 xxxxxxxx_xxxxxxxx", &["read 1000 ?8"]);
    check("5 clk MR4 00001000 --------", &["read 1000 ?4"]);
    check_ended("5 clk MW64 00001000 XXXX", &["write 1000 ?64"]);
    check(
        "5 clk MR16 1000 0011223344556677 8899aabbccddeeff",
        &["read 1000 ffeeddccbbaa9988", "read 1008 7766554433221100"],
    );
    check(
        "5 clk MR16 1000 00112233445566778899aabbccddeeff",
        &["read 1000 ffeeddccbbaa9988", "read 1008 7766554433221100"],
    );
    check(
        "5 clk MR12 1000 001122334455667788990011",
        &["read 1000 1100998877665544", "read 1008 33221100"],
    );
    check(
        "5 clk MW8 fffffffffffffff8 1122334455667788",
        &["write fffffffffffffff8 8877665544332211"],
    );
    check_with(
        BIG,
        "5 clk MR8 00001000 1122334455667788",
        &["read 1000 1122334455667788"],
    );
    check_with(BIG, "5 clk MR4 00001000 11223344", &["read 1000 11223344"]);
    check_with(BIG, "5 clk MR2 00001000 1122", &["read 1000 1122"]);
    check_with(
        BIG,
        "5 clk MNR4O__D 00001000 11223344",
        &["read 1000 11223344"],
    );
    check_with(
        BIG,
        "5 clk MR16 1000 0011223344556677 8899aabbccddeeff",
        &["read 1000 0011223344556677", "read 1008 8899aabbccddeeff"],
    );
}

#[test]
fn words_with_m_that_are_no_memory_lines_are_notes() {
    for line in ["MMU 1000 on", "MARKER 1000 11", "MW 00000000 11", "MODE 3"] {
        check(&format!("5 clk {line}"), &[&format!("note {line:?}")]);
    }
}

#[test]
fn damaged_memory_lines_are_problems() {
    check_ended(
        "5 clk MR4 00001000 potato",
        &["read 1000 ?4", "problem 19 expected data, found \"potato\""],
    );
    check(
        "5 clk MR4 00001000",
        &["problem 18 expected data, found the end of the line"],
    );
    check(
        "5 clk MR4 zzz 11",
        &["problem 10 expected an address, found \"zzz\""],
    );
    check(
        "5 clk MR4 111122223333444455 00",
        &["problem 10 address does not fit in 64 bits"],
    );
    check(
        "5 clk MW1 00001000 1234",
        &[
            "write 1000 ?1",
            "problem 19 data longer than the access of 1 bytes",
        ],
    );
    check(
        "5 clk MW8 00001000 112233445566778899",
        &[
            "write 1000 ?8",
            "problem 19 data longer than the access of 8 bytes",
        ],
    );
    check(
        "5 clk MR16 00001000 1122334455667788",
        &[
            "read 1000 ?16",
            "problem 20 data shorter than the access of 16 bytes",
        ],
    );
    // Cortex-M0+ RTL: a fetch shows the whole word.
    check(
        "5 clk MR2_I 0000010a b5100000",
        &["note \"MR2_I 0000010a b5100000\""],
    );
    check("5 clk MR4_D 00000000 00204800", &["read 0 00482000"]);
    check(
        "5 clk MW8 fffffffffffffff9 1122334455667788",
        &["problem 27 the access reaches beyond the last address"],
    );
    check(
        "5 clk MR65 00001000 xx",
        &["problem 6 an access of 65 bytes: 1 to 64 are possible"],
    );
    check(
        "5 clk MR0 00001000 11",
        &["problem 6 an access of 0 bytes: 1 to 64 are possible"],
    );
    check(
        "5 clk MR4 00001000 (BROKEN)",
        &["problem 20 expected \"(ABORTED)\", found \"BROKEN\""],
    );
    check(
        "5 clk MR4 (never closed 1000 11",
        &["problem 31 expected \")\", found the end of the line"],
    );
}

#[test]
fn diagrams() {
    check(
        "5 tic LD 000ffb80 ........ ........ 00000000 000ffbb8    S:000ffb80",
        &["read ffb80 b8fb0f0000000000"],
    );
    check(
        "5 tic ST 000ffb80 00112233 44556677 ........ ........",
        &["write ffb88 7766554433221100"],
    );
    check(
        "5 tic ST 000ffb80 00112233 44556677 8899aabb ccddeeff",
        &[
            "write ffb80 ffeeddccbbaa9988",
            "write ffb88 7766554433221100",
        ],
    );
    check(
        "5 tic LD 000ffb80 ........ ..32.... ........ ......11",
        &["read ffb80 11", "read ffb8a 32"],
    );
    check(
        "5 tic LD 000ffb80 ........ ######## ##...... ........",
        &["read ffb87 ?1", "read ffb88 ?4"],
    );
    check("5 tic LD 1000 ................................", &[]);
    check(
        "5 tic LD 1000 00112233445566778899AABBCCDDEEFF",
        &["read 1000 ffeeddccbbaa9988", "read 1008 7766554433221100"],
    );
    check_with(
        BIG,
        "5 tic LD 000ffb80 ........ ........ 00000000 000ffbb8",
        &["read ffb80 b8fb0f0000000000"],
    );
    check(
        "5 tic LD fffffffffffffff8 ........ ........ 00000000 000ffbb8",
        &["read fffffffffffffff8 b8fb0f0000000000"],
    );
    check(
        "5 tic LD fffffffffffffff8 00...... ........ ........ ........",
        &["problem 9 the access reaches beyond the last address"],
    );
    check(
        "5 tic LD 000ffb80 ........ ........ ........",
        &["problem 44 expected 16 bytes of a diagram, found the end of the line"],
    );
    check(
        "5 tic LD 000ffb80 .1...... ........ ........ ........",
        &["problem 18 expected 16 bytes of a diagram, found \".1......\""],
    );
    check(
        "5 tic LD 000ffb80 ... ........ ........ ........",
        &["problem 18 expected 16 bytes of a diagram, found \"...\""],
    );
    check(
        "5 tic LD zz ........",
        &["problem 9 expected an address, found \"zz\""],
    );
}

#[test]
fn diagrams_go_on_in_the_same_column() {
    let row = "........ ........ ........ 000ffbb8";
    let read = ["read 1000 b8fb0f00", "read 1010 b8fb0f00"];
    check(
        &format!("5 tic LD 00001000 {row}\n         00001010 {row}"),
        &read,
    );
    check(
        &format!("5 tic LD 00001000 {row}\n         00001010 {row}\n         a0001020 {row}"),
        &[read[0], read[1], "read a0001020 b8fb0f00"],
    );
    check(
        &format!("5 tic cpu1 ST 00001000 {row}\n              00001010 {row}"),
        &["cpu1 write 1000 b8fb0f00", "cpu1 write 1010 b8fb0f00"],
    );
    let broken = "problem 17 not a Tarmac line";
    check(
        &format!("5 tic LD 00001000 {row}\n        00001010 {row}"),
        &[read[0], broken],
    );
    check(
        &format!("5 tic LD 00001000 {row}\n\n         00001010 {row}"),
        &[read[0], "problem 18 not a Tarmac line"],
    );
    check(
        &format!("5 tic LD 00001000 {row}\n         0001010 {row}"),
        &read,
    );
    check(
        &format!("5 tic LD 00001000 {row}\n         0001010 11"),
        &[read[0], "problem 17 not a Tarmac line"],
    );
    check(
        "5 tic LD 00001000 zz\n         00001010 ........",
        &[
            "problem 18 expected 16 bytes of a diagram, found \"zz\"",
            "problem 26 expected 16 bytes of a diagram, found the end of the line",
        ],
    );
}

#[test]
fn words_and_exceptions() {
    check(
        "5 clk E 00008000 00000000 CoreEvent_Reset",
        &["exception \"E 00008000 00000000 CoreEvent_Reset\""],
    );
    check("5 clk E HALTED 0", &["exception \"E HALTED 0\""]);
    check("5 clk E DebugEvent_Halt", &["note \"E DebugEvent_Halt\""]);
    check(
        "5 clk EXC [0x00] Reset",
        &["exception \"EXC [0x00] Reset\""],
    );
    check("5 clk IT EXC whatever", &["exception \"IT EXC whatever\""]);
    check("5 clk ES Reset", &["exception \"ES Reset\""]);
    check("Tarmac Text Rev 3t", &[]);
    check("", &[]);
    check("  \n\n\t", &[]);
    check("5 clk SIGNAL: SIGNAL=x", &["note \"SIGNAL: SIGNAL=x\""]);
    check("5 clk CADI @hello", &["note \"CADI @hello\""]);
    check("  BR (00001000) A", &["note \"BR (00001000) A\""]);
    check("5 clk TTW DTLB LPAE", &["note \"TTW DTLB LPAE\""]);
    check(
        "5 clk FOO bar\n5 clk FOO\n5 clk BNR4__xI 00",
        &[
            "note \"FOO bar\"",
            "problem 6 unknown Tarmac event type \"FOO\"",
            "note \"FOO\"",
            "problem 6 unknown Tarmac event type \"FOO\"",
            "note \"BNR4__xI 00\"",
            "problem 6 unknown Tarmac event type \"BNR4__xI\"",
        ],
    );
    for text in ["{}", "\0\0", "é", "-5 IT", "= x", "5abc", "a.b c"] {
        check(text, &["problem 0 not a Tarmac line"]);
    }
    check(
        "5 clk",
        &["problem 5 expected an event type, found the end of the line"],
    );
    check("5 clk {", &["problem 6 expected an event type"]);
}

/// Checks the last line of a trace that ends with it.
#[track_caller]
fn check_cut(set: &str, line: &str, expected: &[&str]) {
    for is_slow in [false, true] {
        let text = format!("1 clk IT (1) 00001000 e1a00000 {set} : NOP\n1 clk {line}");
        let tarmac = open(text.as_bytes(), DEFAULT);
        let tarmac = if is_slow { tarmac.slowly() } else { tarmac };
        let found = parse(&tarmac, 0..text.len() as u64).0.text();
        let stated: Vec<_> = found
            .lines()
            .skip(1)
            .filter(|event| !event.starts_with("problem"))
            .collect();
        assert_eq!(stated, expected, "{line}");
        let is_cut =
            found.ends_with(", and the last line has no newline: the trace may be cut short\n");
        assert_eq!(
            is_cut,
            expected.is_empty() || expected.iter().any(|event| event.contains('?')),
            "{found}"
        );
    }
}

#[test]
fn a_value_cut_off_by_the_end_of_the_trace_is_unknown() {
    check_cut("A usr", "R r0 0000", &["X0=????"]);
    check_cut("A usr", "R r0 12", &["X0=????"]);
    check_cut("A usr", "R r0 12345678", &["X0=78563412"]);
    check_cut("A usr", "R cpsr 20", &["PSR=????"]);
    check_cut("A usr", "R cpsr 600001d3", &["PSR=d3010060"]);
    check_cut("A usr", "R SPSR_svc 60", &["spsr_svc=????????"]);
    check_cut("O EL1h", "R X1", &[]);
    check_cut("O EL1h", "R X10 ", &["X10=????????"]);
    check_cut("O EL1h", "R X10 00000000", &["X10=????????"]);
    check_cut("O EL1h", "R sp 00008000", &["SP=????????"]);
    check_cut("O EL1h", "R W1 0000", &["X1=????????"]);
    check_cut("O EL1h", "R V1 0011223344556677", &["V1=????????????????"]);
    check_cut("O EL1h", "R VBAR_EL1 00000000", &["vbar_el1=????????"]);
    check_cut(
        "O EL1h",
        "R VBAR_EL1 0000000000008000",
        &["vbar_el1=0080000000000000"],
    );
    check_cut("A usr", "MW4 00009000 12", &["write 9000 ?4"]);
    check_cut("A usr", "MR8 00009000 00000000_1234567", &["read 9000 ?8"]);
    check_cut("A usr", "MW4 00009000 12345678", &["write 9000 78563412"]);
    check_cut("A usr", "MW4 00009000", &[]);
}

#[test]
fn the_head_tells_unit_and_instruction_set() {
    let traits = |text: &str| {
        let tarmac = open(text.as_bytes(), BIG);
        (
            crate::source::Source::traits(&tarmac).time_unit.clone(),
            crate::source::Source::traits(&tarmac).instruction_set,
        )
    };
    use stepback_machine::{InstructionSet::A32, InstructionSet::A64, InstructionSet::T32};
    assert_eq!(traits(""), (None, A64));
    assert_eq!(
        traits("0 ns R X0 0\n1 ns IT 00001000 46c0 T thread : NOP\n"),
        (Some("ns".into()), T32)
    );
    assert_eq!(
        traits("junk {}\n1 IT 00001000 e1a00000 A usr : NOP\n"),
        (None, A32)
    );
    assert_eq!(
        crate::source::Source::traits(&open(b"", BIG)).options,
        "endian=big,implicit-thumb=false"
    );
}

#[test]
fn a_name_with_a_nul_in_it_is_no_quick_one() {
    check(
        " R d2\0 bec01791c5342626",
        &[
            "V2=????????????????",
            "problem 5 expected register contents, found \"bec01791c5342626\"",
        ],
    );
    check_after(
        "O EL3h_s",
        "R x2\0 0000000000001234",
        &[
            "X2=????????",
            "problem 10 expected register contents, found \"0000000000001234\"",
        ],
    );
}
