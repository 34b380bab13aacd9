//! Chunks, cuts and damage of all text logs.

use proptest::prelude::*;

use crate::detect::Format;
use crate::text_log::tests::recorder::{check_parts, open, parse};

/// A few steps of each format, from the documents of their producers.
pub const SAMPLES: [(Format, &str); 15] = [
    (
        Format::CommitLog,
        "core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n\
         core   0: 3 0x0000000000001000 (0x00000297) x5  0x0000000000001000\n\
         core   0: >>>>  main\n\
         core   0: 0x000000000000100c (0x0182b283) ld      t0, 24(t0)\n\
         core   0: 3 0x000000000000100c (0x0182b283) x5  0x0000000080000000 mem 0x0000000000001018\n\
         core   0: 0x0000000080000300 (0x00000073) ecall\n\
         core   0: exception trap_user_ecall, epc 0x0000000080000300\n\
         core   0:           tval 0x0000000000000000\n\
         core   0: 0x0000000080000264 (0x34011173) csrrw   sp, mscratch, sp\n\
         core   0: 3 0x0000000080000264 (0x34011173) x2  0x00000000800ffbe0 c832_mscratch 0x00000000800fffe0\n\
         core   1: 3 0x000000008000018e (0x1ae7b72f) x14 0x0000000000000000 mem 0x0000000080001050 0x0000000000000001\n",
    ),
    (
        Format::CommitLog,
        "core   0: 3 0x80000000 (0x0506) x10 0x00000082\n\
         core   0: 3 0x80000002 (0x00a28023) mem 0x80001000 0x82\n\
         core   0: 3 0x80000006 (0x02058407) e8 m4 l64 v8  0x504f4e4d4c4b4a49 c8_vstart 0x00000000 mem 0x80001438\n",
    ),
    (
        Format::CommitLog,
        "core   0: 0x0000000000001000 (0x00000297) DASM(00000297)\n\
         3 0x0000000000001000 (0x00000297) x 5 0x0000000000001000\n\
         core   0: 0x0000000000001004 (0x00a28023) DASM(00a28023)\n\
         3 0x0000000000001004 (0x00a28023) mem 0x0000000000001000 0x1111111111111182\n\
         ILLEGAL_INSTR exception @ 0x0000000000001008 (0x0000|00000000)\n",
    ),
    (
        Format::CommitLog,
        "3 0x000000100c (0x0182b283) x 5 p 5 0xXXXXXXXXXXXXXXXX\n\
         3 0x0000001010 (0x00028067)\n\
         x 5 p 5 0x0000000080000000\n\
         3 0x0080000000 (0x00002197) x 3 0x0000000080002000\n",
    ),
    (
        Format::CommitLog,
        "0 3 0x0000000000001000 (0x00000297) x 5 0x0000000000001000\n\
         0 3 0x0000000000001004 (0x00000073) exception 8, tval 0000000000000000\n",
    ),
    (
        Format::CommitLog,
        "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid\n\
         1000,297,x5=1000,,,,m,,auipc x5;0x0,0\n\
         100c,182b283,x5=80000000,x5,1018,l,m,,ld,0\n",
    ),
    (
        Format::CommitLog,
        "#1 0  M 00001000 00000297 r 05         00001000  auipc x5,0x0\n\
         #2 0  M 00001004 00a28023 m 00001000   00000082  sb x10,0(x5) [0x1000]  +\n\
         #2 0  M 00001004 00a28023 r 00         00000000  sb x10,0(x5) [0x1000]\n",
    ),
    (
        Format::CommitLog,
        "mem[X,0x0000000000001000] -> 0x0297\n\
         mem[X,0x0000000000001002] -> 0x0000\n\
         [0] [M]: 0x0000000000001000 (0x00000297) auipc t0, 0x0\n\
         x5 <- 0x0000000000001000\n\
         \n\
         mem[X,0x0000000000001004] -> 0xB283\n\
         mem[X,0x0000000000001006] -> 0x0182\n\
         [1] [M]: 0x0000000000001004 (0x0182B283) ld t0, 24(t0)\n\
         mem[R,0x0000000000001018] -> 0x0000000080000000\n\
         x5 <- 0x0000000080000000\n",
    ),
    (
        Format::CommitLog,
        "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n\
         \u{20}           106\t        43\t00001000\t00000297\tauipc\tx5,0x0\t  x5=0x00001000\n\
         \u{20}           116\t        48\t0000100c\t0182a283\tlw\tx5,24(x5)\t  x5:0x00001000  x5=0x80000000 PA:0x00001018 load:0x80000000\n",
    ),
    (
        Format::CommitLog,
        "            Time           Cycle PC       Instr    Ctx Decoded instruction Register and memory contents\n\
         \u{20}         106 ns              43 00001000 00000297     auipc            x5, 0x0              x5=00001000\n\
         \u{20}         108 ns              44 00001004 00028413     c.mv             x8, x5               x8=00001000  x5:00001000\n\
         \u{20}         110 ns              45 00001006 00542023     sw               x5, 0(x8)            x5:00001000  x8:00001000  PA:00001000\n",
    ),
    (
        Format::ExecLog,
        "0, 0x400120, 0x90000109, \"adrp x9, #0x420000\", x9 -> 0x0000000000420000\n\
         0, 0x4003f4, 0xa9bf7bfd, \"stp x29, x30, [sp, #-0x10]!\", store, 0x004240b0, sp -> 0x00000000004240b0\n\
         1, 0x4003f8, 0xb9400000, \"ldr w0, [x0]\", load, 0x00424080, RAM, x0 -> 0x0000000000000001\n",
    ),
    (
        Format::CpuLog,
        "IN: _start\n\
         0x00400120:  90000109  adrp     x9, #0x420000\n\
         \n\
         Trace 0: 0x7f2f94a00100 [81009331/0000000000400120/00000001/00000201] _start\n\
         \u{20}PC=0000000000400120 X00=0000000000000000 X09=0000000000000000\n\
         Trace 0: 0x7f2f94a00240 [81009331/0000000000400124/00000001/00000201] _start\n\
         \u{20}PC=0000000000400124 X00=0000000000000000 X09=0000000000420000\n",
    ),
    (
        Format::Tenet,
        "rax=0x0,rsp=0x406100,rip=0x401009\n\
         rsp=0x4060f8,rip=0x401234,mw=0x4060f8:0e10400000000000\n\
         rdx=0x92d68ca2,rip=0x401238,mr=0x402010:a28cd692\n",
    ),
    (
        Format::Unidbg,
        "[15:11:48 070][lib.so 0x1ed98] [ff8302d1] 0x4001ed98: \"sub sp, sp, #0xa0\" sp=0xbffff700 => sp=0xbffff660\n\
         [15:11:48 071][lib.so 0x1ed9c] [e80700f9] 0x4001ed9c: \"str x8, [sp, #8]\" (w 0xbffff668 8) x8=0x1 sp=0xbffff660\n",
    ),
    (
        Format::Described,
        "; a core of our own\n\
         [12] core1 00000080: 00500093 li ra, 5 | r01=5 r2=xxxxxxxx status=1f\n\
         \x20 ST4 000000000000a0c0 1234_5678\n\
         \x20 LD2 0xa0c0\n\
         [13] core1 00000084: 4505 li a0, 1 | r10=1\n\
         \x20 ST1 a0c4 --\n\
         [15] 1 00000086: -- ecall |\n\
         \x20 trap: environment call\n\
         [16] core1 0000008a skipped\n",
    ),
];

/// Description of the last sample.
pub const LAYOUT: &str = r"
instruction_set = 'riscv64'
time_unit = 'cycles'
[[line]]
pattern = '^\[(?<time>\d+)\] (?<thread>\w+) (?<pc>\w+): (?<opcode>\S+) (?<text>[^|]*)\|(?<items>.*)'
items = [
    { pattern = 'r(?<register>\d+)=(?<value>\w+)', register_prefix = 'x' },
    { pattern = '(?<register>status)=(?<value>\w+)' },
]
[[line]]
pattern = '^\[(?<time>\d+)\] (?<thread>\w+) (?<pc>\w+) skipped'
executed = false
[[line]]
pattern = '^ +ST(?<size>\d) (?<address>\w+) (?<value>\S+)'
access = 'store'
[[line]]
pattern = '^ +LD(?<size>\d) (?<address>\w+)'
access = 'load'
[[line]]
pattern = '^ +trap: (?<exception>.*)'
[[line]]
pattern = '^;'
";

#[test]
fn parts_give_the_events_of_the_whole() {
    for (format, text) in SAMPLES {
        let detected = crate::detect::detect(text.as_bytes());
        assert!(
            detected == Ok(format) || format == Format::Described,
            "{text}"
        );
        let whole = check_parts(&*open(text.as_bytes(), format));
        assert!(!whole.chunks.is_empty(), "{text}");
        assert!(
            !whole.texts().iter().any(|text| text.starts_with("problem")),
            "{:?}",
            whole.texts()
        );
    }
}

#[test]
fn line_ends_of_other_systems_are_accepted() {
    for (format, text) in SAMPLES {
        let plain = parse(&*open(text.as_bytes(), format), 0..text.len() as u64).0;
        let other = text.replace('\n', "\r\n");
        let found = check_parts(&*open(other.as_bytes(), format));
        assert_eq!(found.texts(), plain.texts());
    }
}

#[track_caller]
fn check(sample: usize, expected: &[&str]) {
    let (format, text) = SAMPLES[sample];
    let found = parse(&*open(text.as_bytes(), format), 0..text.len() as u64).0;
    for line in expected {
        assert!(
            found.texts().contains(line),
            "{line} in {:#?}",
            found.texts()
        );
    }
}

#[test]
fn lines_mean_what_their_producers_say() {
    let load = "hart0 read 1018 0000000080000000";
    check(0, &[load, "hart1 write 80001050 0000000000000001"]);
    check(0, &["hart0 step 80000300 Riscv64 4 failed \"ecall\""]);
    check(
        0,
        &["hart0 Exception exception trap_user_ecall, epc 0x0000000080000300"],
    );
    check(1, &["hart0 write 80001000 82", "hart0 r10=00000082"]);
    // CVA6 prints a whole register for a store of a byte.
    check(
        2,
        &[
            "hart0 write 1000 82",
            "hart0 step 1008 Riscv64 0 failed \"\"",
        ],
    );
    // Rocket reports the value of a load later.
    check(3, &["hart0 r5=0000000080000000"]);
    check(5, &[load, "hart0 step 1000 Riscv64 4 \"auipc x5,0x0\""]);
    check(6, &["hart0 write 1000 82"]);
    check(
        7,
        &[
            "hart0 read 1018 0000000080000000",
            "hart0 r5=0000000080000000",
        ],
    );
    check(
        8,
        &[
            "hart0 read 1018 80000000",
            "hart0 step 1000 Riscv32 4 \"auipc x5,0x0\"",
        ],
    );
    check(
        9,
        &[
            "hart0 write 1000 00001000",
            "hart0 step 1004 Riscv32 2 \"c.mv x8, x5\"",
        ],
    );
    check(10, &["cpu0 write 4240b0 ?16", "cpu1 read 424080 ?4"]);
    check(
        11,
        &["cpu0 r9=0000000000000000", "cpu0 r9=0000000000420000"],
    );
    check(
        12,
        &[
            "cpu0 write 4060f8 000000000040100e",
            "cpu0 read 402010 92d68ca2",
        ],
    );
    check(
        12,
        &[
            "cpu0 step 401009 X86_64 5 \"\"",
            "cpu0 step 401234 X86_64 4 \"\"",
        ],
    );
    check(13, &["cpu0 write bffff668 ?8"]);
    check(
        14,
        &[
            "core1 step 80 Riscv64 4 \"li ra, 5\"",
            "core1 r1=0000000000000005",
            "core1 r31=?",
            "core1 write a0c0 12345678",
            "core1 read a0c0 ?2",
            "core1 step 84 Riscv64 2 \"li a0, 1\"",
            "core1 r10=0000000000000001",
            "core1 write a0c4 ?1",
            "cpu1 step 86 Riscv64 0 \"ecall\"",
            "cpu1 Exception environment call",
            "core1 step 8a Riscv64 0 failed \"\"",
        ],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_logs_are_read_alike_in_parts(
        sample in 0..SAMPLES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        end in any::<prop::sample::Index>(),
    ) {
        let (format, text) = SAMPLES[sample];
        let mut bytes = text.repeat(3).into_bytes();
        for (place, byte) in edits {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        bytes.truncate(end.index(bytes.len()) + 1);
        check_parts(&*open(&bytes, format));
    }

    #[test]
    fn anything_is_read_without_a_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        format in 0..SAMPLES.len(),
    ) {
        check_parts(&*open(&bytes, SAMPLES[format].0));
    }
}

#[test]
fn what_a_described_log_cannot_mean_is_reported() {
    let text = "[1] c 80: 45_05 li a0, 1 | r10=123456789abcdef01\n\
                \x20ST1 a0c4 zz\n\
                rubbish\n\
                [x] c 84: 00000013 nop |\n";
    let found = parse(
        &*open(text.as_bytes(), Format::Described),
        0..text.len() as u64,
    )
    .0;
    assert_eq!(
        found.texts(),
        [
            "c step 80 Riscv64 2 \"li a0, 1\"",
            "c r10=?",
            "c write a0c4 ?1",
            "c Note rubbish",
            "c Note [x] c 84: 00000013 nop |",
            "problem the value has 9 bytes, x10 has 8",
            "problem an item that cannot be read, \"zz\": it is left out",
            "problem a line that does not belong to the log: it is kept as a note",
            "problem a line that does not belong to the log: it is kept as a note",
        ]
    );
}

#[test]
fn lines_beyond_the_limit_are_left_out_wherever_they_are() {
    let long = format!("[1] c 80: 4505 li a0, 1 | {}\n", " ".repeat(70_000));
    let rest = "[2] c 82: 4505 li a0, 1 |\n[3] c 84: 4505 li a0, 1 |\n";
    for text in [format!("{long}{rest}"), format!("{rest}{long}{rest}")] {
        let found = check_parts(&*open(text.as_bytes(), Format::Described));
        let steps = found
            .texts()
            .iter()
            .filter(|text| text.contains("step"))
            .count();
        assert_eq!(steps, text.lines().count() - 1);
    }
}

#[test]
fn formats_that_look_ahead_pass_over_long_lines() {
    let commit = "core   0: 3 0x0000000080000000 (0x00a00513) x10 0x000000000000000a\n";
    let tenet = "rax=0x0,rsp=0x406100,rip=0x401009\n";
    for (format, line) in [(Format::CommitLog, commit), (Format::Tenet, tenet)] {
        let text = [line, line, &"x".repeat(1 << 20), "\n", line].concat();
        let source = open(text.as_bytes(), format);
        let (found, parsed) = parse(&*source, 0..text.len() as u64);
        assert_eq!((parsed.lines, parsed.end), (4, text.len() as u64));
        assert_eq!(found.chunks.len(), 3);
    }
}

#[test]
fn items_of_a_described_line_keep_their_order() {
    let text = "[1] c 80: 4505 li a0, 1 | r11=2 status=5 r10=1\n";
    let found = parse(
        &*open(text.as_bytes(), Format::Described),
        0..text.len() as u64,
    )
    .0;
    let texts = found.texts();
    let place = |name: &str| texts.iter().position(|text| text.contains(name)).unwrap();
    let places = ["r11=", "status=", "r10="].map(place);
    assert!(places.is_sorted(), "{texts:?}");
}
