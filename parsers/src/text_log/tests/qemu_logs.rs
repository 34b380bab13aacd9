//! Lines of QEMU's logs, with the values that their format page states.

use crate::detect::Format;
use crate::text_log::tests::recorder::{check, check_all, events};

#[test]
fn the_last_instruction_of_a_processor_has_unknown_effects() {
    // The plugin prints the last lines when it ends, without what they changed.
    check_all(
        "0, 0x10000, 0x00100513, \"addi a0,zero,1\", a0 -> 0x0000000000000001\n\
         1, 0x10000, 0x00200593, \"addi a1,zero,2\", a1 -> 0x0000000000000002\n\
         1, 0x10004, 0x00300613, \"addi a2,zero,3\"\n\
         0, 0x10004, 0x00400513, \"addi a0,zero,4\"\n",
        &[
            "cpu0 step 10000 Riscv64 4 \"addi a0,zero,1\"",
            "cpu0 r10=0000000000000001",
            "cpu1 step 10000 Riscv64 4 \"addi a1,zero,2\"",
            "cpu1 r11=0000000000000002",
            "cpu1 step 10004 Riscv64 4 \"addi a2,zero,3\"",
            "cpu1 r12=?",
            "cpu0 step 10004 Riscv64 4 \"addi a0,zero,4\"",
            "cpu0 r10=?",
        ],
    );
}

#[test]
fn values_that_the_last_line_shows_are_kept() {
    // A log that was cut ends with a line that has its effects.
    check_all(
        "0, 0x10000, 0x00100513, \"addi a0,zero,1\", a0 -> 0x0000000000000001\n\
         0, 0x10004, 0x00200593, \"addi a1,zero,2\", a1 -> 0x0000000000000002\n",
        &[
            "cpu0 step 10000 Riscv64 4 \"addi a0,zero,1\"",
            "cpu0 r10=0000000000000001",
            "cpu0 step 10004 Riscv64 4 \"addi a1,zero,2\"",
            "cpu0 r11=0000000000000002",
        ],
    );
}

#[test]
fn a_value_that_cannot_be_read_is_unknown_and_reported() {
    check(
        "0, 0x10000, 0x00100513, \"addi a0,zero,1\", a0 -> 0x00000000z0000001\n\
         0, 0x10004, 0x00200593, \"addi a1,zero,2\", a1 -> 0x0000000000000002\n",
        &["cpu0 r10=?"],
    );
}

#[test]
fn registers_of_a_damaged_line_are_unknown_on_its_processor() {
    let found = events(
        "0, 0x10000, 0x00100513, \"addi a0,zero,1\", a0 -> 0x0000000000000001\n\
         1, 0x10000, 0x00100513, \"addi a0,zero,1\", a0 -> 0x0000000000000001\n\
         0, 0x10004, 0x00000013, \"nop\"\n\
         1, 0x10z04, 0x00400513, \"addi a0,zero,4\", a0 -> 0x0000000000000004\n\
         0, 0x10008, 0x00200593, \"addi a1,zero,2\", a1 -> 0x0000000000000002\n",
        Format::ExecLog,
    );
    assert!(found.iter().any(|text| text == "cpu1 r10=?"), "{found:?}");
    assert!(!found.iter().any(|text| text == "cpu0 r10=?"), "{found:?}");
    // The rest of a line whose items cannot be read.
    check(
        "0, 0x10000, 0x00100513, \"addi a0,zero,1\"; a0 -> 0x0000000000000001\n\
         0, 0x10004, 0x00200593, \"addi a1,zero,2\", a1 -> 0x0000000000000002\n",
        &["cpu0 r10=?"],
    );
}

#[test]
fn control_that_goes_elsewhere_shows_an_exception() {
    let vector = "0, 0x10100, 0x34202573, \"csrrs a0,mcause,zero\", a0 -> 0x8000000000000007\n";
    let start = "0, 0x10000, 0x00100513, \"addi a0,zero,1\", a0 -> 0x0000000000000001\n\
                 0, 0x10004, 0x00000013, \"nop\"\n\
                 0, 0x10008, 0x00000063, \"beqz zero,0\"\n";
    let taken = "cpu0 Exception exception, interrupt or missing lines";
    let found = events(
        &format!("{start}0, 0x10008, 0x00000063, \"beqz zero,0\"\n{vector}"),
        Format::ExecLog,
    );
    assert_eq!(
        found.iter().filter(|text| *text == taken).count(),
        1,
        "{found:#?}"
    );
    // A log with a line for every load has a gap at each.
    let filtered: String = (0..20)
        .map(|number| {
            format!(
                "0, 0x{:x}, 0x00053503, \"ld a0,0(a0)\"\n",
                0x1_0000 + 0x20 * number
            )
        })
        .collect();
    let found = events(&filtered, Format::ExecLog);
    assert!(!found.iter().any(|text| text == taken), "{found:#?}");
    assert!(
        found
            .iter()
            .any(|text| text.starts_with("problem instructions are missing"))
    );
}

#[test]
fn entries_cover_the_size_of_the_instruction() {
    let pair = |entries: &str| {
        format!(
            "0, 0x4003f4, 0xa9400fe2, \"ldp x2, x3, [sp]\", {entries}, x2 -> 0x0000000000000001\n0, 0x4003f8, 0xd503201f, \"nop\"\n"
        )
    };
    check(&pair("load, 0x00424ff8"), &["cpu0 read 424ff8 ?16"]);
    let two = pair("load, 0x00424ff8, load, 0x00425000");
    check(&two, &["cpu0 read 424ff8 ?8", "cpu0 read 425000 ?8"]);
    // An access that crosses a page has an entry for each part.
    let three = pair("load, 0x00424ffc, load, 0x00425000, load, 0x00425004");
    check(&three, &["cpu0 read 424ffc ?16"]);
}

#[test]
fn flags_of_x86_are_unknown_after_an_instruction_that_writes_them() {
    check_all(
        "0, 0x401000, 0xc00148, \"addq %rax, %rax\", rax -> 0x0000000000000000, eflags -> 0x00000246\n\
         0, 0x401003, 0xc38948, \"movq %rax, %rbx\", rbx -> 0x0000000000000001\n\
         0, 0x401006, 0xc00148, \"addq %rax, %rax\"\n\
         0, 0x401009, 0xc38948, \"movq %rax, %rbx\"\n\
         0, 0x40100c, 0x90, \"nop\"\n",
        &[
            "cpu0 step 401000 X86_64 3 \"addq %rax, %rax\"",
            "cpu0 r0=0000000000000000",
            "cpu0 r34=00000246",
            "cpu0 step 401003 X86_64 3 \"movq %rax, %rbx\"",
            "cpu0 r3=0000000000000001",
            "cpu0 step 401006 X86_64 3 \"addq %rax, %rax\"",
            "cpu0 r34=?",
            "cpu0 step 401009 X86_64 3 \"movq %rax, %rbx\"",
            "cpu0 step 40100c X86_64 1 \"nop\"",
        ],
    );
}

#[test]
fn dumps_of_arm_show_the_flags() {
    check(
        "Trace 0: 0x7f2f94a00100 [81009331/0000000000400120/00000001/00000201] _start\n\
         \u{20}PC=0000000000400120 X00=0000000000000000\nPSTATE=40000000 -Z-- EL0t\n\
         Trace 0: 0x7f2f94a00240 [81009331/0000000000400124/00000001/00000201] _start\n\
         \u{20}PC=0000000000400124 X00=0000000000000000\nPSTATE=80000000 N--- EL0t\n",
        &["cpu0 r34=40", "cpu0 r34=80"],
    );
}

#[test]
fn a_block_is_a_step_for_each_instruction() {
    let text = "IN: main\n\
         0x00400120:  d2800020  mov x0, #1\n\
         0x00400124:  8b000000  add x0, x0, x0\n\
         0x00400128:  d2800061  mov x1, #3\n\
         0x0040012c:  14000001  b #0x400130\n\
         \n\
         Trace 0: 0x7f2f94a00100 [81009331/0000000000400120/00000001/00000201] main\n\
         \u{20}PC=0000000000400120 X00=0000000000000000 X01=0000000000000003 X02=0000000000000005\n\
         IN: main\n\
         0x00400130:  d2800022  mov x2, #1\n\
         0x00400134:  d65f03c0  ret\n\
         \n\
         Trace 0: 0x7f2f94a00240 [81009331/0000000000400130/00000001/00000201] main\n\
         \u{20}PC=0000000000400130 X00=0000000000000002 X01=0000000000000003 X02=0000000000000005\n";
    let found = events(text, Format::CpuLog);
    let blocks = |text: &&String| !text.starts_with("problem");
    let found: Vec<_> = found.iter().filter(blocks).collect();
    assert_eq!(
        found,
        [
            "cpu0 r0=0000000000000000",
            "cpu0 r1=0000000000000003",
            "cpu0 r2=0000000000000005",
            "cpu0 step 400120 A64 4 \"mov x0, #1\"",
            "cpu0 r0=?",
            "cpu0 step 400124 A64 4 \"add x0, x0, x0\"",
            "cpu0 r0=0000000000000002",
            "cpu0 step 400128 A64 4 \"mov x1, #3\"",
            "cpu0 r1=0000000000000003",
            "cpu0 step 40012c A64 4 \"b #0x400130\"",
            "cpu0 step 400130 A64 4 \"mov x2, #1\"",
            "cpu0 r2=?",
            "cpu0 step 400134 A64 4 \"ret\"",
        ]
    );
}

#[test]
fn a_block_has_as_many_steps_as_its_line_has_bytes() {
    let listed: String = (0..200)
        .map(|number| {
            let (pc, register) = (0x40_0000 + 4 * number, number % 4);
            let word = 0xd280_0000u32 | (number << 5) | register;
            format!("0x{pc:08x}:  {word:08x}  mov x{register}, #{number}\n")
        })
        .collect();
    let trace =
        |pc: u32| format!("Trace 0: 0x7f2f94a00100 [81009331/{pc:016x}/00000001/00000201] main\n");
    let block = trace(0x40_0000);
    let text = format!(
        "IN: main\n{listed}\n{block} X00=0000000000000000 X01=0000000000000000 X02=0000000000000000\n\
         {} X00=00000000000000c4 X01=00000000000000c5 X02=00000000000000c6\n",
        trace(0x40_0320)
    );
    let steps = block.trim_end().len();
    let found = events(&text, Format::CpuLog);
    let is_step = |text: &&String| text.contains("step 4000") || text.contains("step 4001");
    assert_eq!(found.iter().filter(is_step).count(), steps);
    // The last step has the effects of the rest of the block.
    let last = found.iter().rposition(|text| is_step(&text)).unwrap();
    assert_eq!(
        found[last + 1..last + 5],
        [
            "cpu0 r0=00000000000000c4".to_owned(),
            "cpu0 r1=00000000000000c5".to_owned(),
            "cpu0 r2=00000000000000c6".to_owned(),
            "cpu0 r3=?".to_owned(),
        ],
        "{:?}",
        &found[last..]
    );
    let problem = format!(
        "problem the block has 200 instructions, of which the first {steps} are steps, one for each byte of the line"
    );
    assert!(found.contains(&problem), "{:?}", &found[last..]);
}
