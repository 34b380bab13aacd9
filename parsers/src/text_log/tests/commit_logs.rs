//! Lines of RISC-V commit logs, with the values that their format pages state.

use crate::detect::Format;
use crate::events::EventSink;
use crate::problem::Problem;
use crate::source::ParseScratch;
use crate::text_log::tests::recorder::{check, check_all, events};

const HART: &str = "core   0: 3 0x0000000080000000 (0x00a00513) x10 0x000000000000000a\n";

#[test]
fn a_trap_belongs_to_its_hart() {
    // Harts take turns, so the first line of a turn can be a trap.
    let text = format!(
        "{HART}core   1: exception interrupt #7, epc 0x0000000080000004\n\
         core   1:           tval 0x0000000000000010\n\
         core   1: 3 0x0000000080000100 (0x00b00593) x11 0x000000000000000b\n"
    );
    check(
        &text,
        &[
            "hart0 step 80000000 Riscv64 4 \"\"",
            "hart1 Exception exception interrupt #7, epc 0x0000000080000004",
            "hart1 Note tval 0x0000000000000010",
            "hart1 step 80000100 Riscv64 4 \"\"",
        ],
    );
    check(
        "0 3 0x0000000000001000 (0x00000297) x 5 0x0000000000001000\n\
         hartid=1: exception interrupt #7, epc 0x0000000000001004\n\
         1 3 0x0000000000001004 (0x00000297) x 5 0x0000000000001004\n",
        &["hart1 Exception exception interrupt #7, epc 0x0000000000001004"],
    );
}

#[test]
fn two_records_on_a_line_are_both_read() {
    let second = "core   1: 3 0x0000000080000104 (0x00d00693) x13 0x000000000000000d\n";
    check_all(
        &format!("{}{second}", HART.trim_end()),
        &[
            "hart0 step 80000000 Riscv64 4 \"\"",
            "hart0 r10=000000000000000a",
            "problem two records on one line: both are kept",
            "hart1 step 80000104 Riscv64 4 \"\"",
            "hart1 r13=000000000000000d",
        ],
    );
    // Output of the program without a newline precedes a record.
    check(
        &format!("{HART}Hello {second}"),
        &["hart0 Note Hello ", "hart1 r13=000000000000000d"],
    );
    check(
        &format!("{HART}(spike) {second}"),
        &["hart1 step 80000104 Riscv64 4 \"\""],
    );
}

#[test]
fn the_end_of_a_cut_log_is_counted_from_the_last_record_of_its_line() {
    #[derive(Default)]
    struct Columns(Vec<u32>);
    impl EventSink for Columns {
        fn problem(&mut self, problem: &Problem) {
            self.0.push(problem.column);
        }
    }
    let first = "core   0: 0x0000000000001000 (0x0";
    let second = "core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0 ";
    let text = format!("{first}{second}").into_bytes();
    let log = Format::CommitLog
        .open_text(Box::new(text.clone()), Default::default())
        .unwrap();
    let columns = |start: usize| {
        let mut columns = Columns::default();
        log.parse(
            start as u64..text.len() as u64,
            &mut ParseScratch::default(),
            &mut columns,
        )
        .unwrap();
        columns.0.last().copied()
    };
    let from_second = columns(first.len());
    assert_eq!(from_second, Some(second.len() as u32));
    assert_eq!(columns(0), from_second);
}

#[test]
fn a_value_at_the_end_of_a_cut_log_is_unknown() {
    let cut =
        "problem the last line has no newline, and its last value may be cut off: it is unknown";
    check(
        &format!("{HART}core   0: 3 0x0000000080000004 (0x00b00593) x11 0x00000000"),
        &["hart0 r11=?", cut],
    );
    check(
        &format!("{HART}core   0: 3 0x0000000080000004 (0x00b00593) x11 0x000000000000000b"),
        &["hart0 r11=000000000000000b"],
    );
    let store = "core   0: 3 0x0000000080000004 (0x00b53023) mem 0x0000000080001000";
    check(
        &format!("{HART}{store} 0x0000"),
        &["hart0 write 80001000 ?8", cut],
    );
    // A store without a value is no load.
    check(&format!("{HART}{store}"), &["hart0 write 80001000 ?8"]);
    check(&format!("{HART}{}", &store[..store.len() - 3]), &[cut]);
}

#[test]
fn elements_of_a_vector_load_have_the_values_of_their_register() {
    // vle16.v v8, (a0): two registers of 64 bits.
    let load = "core   0: 3 0x0000000080000004 (0x02055407) e16 m2 l6 v8  0x4444333322221111 v9  0xaaaabbbb66665555";
    let accesses: String = (0..6)
        .map(|place| format!(" mem 0x{:016x}", 0x8000_1000u64 + 2 * place))
        .collect();
    check(
        &format!("{HART}{load}{accesses}\n"),
        &[
            "hart0 read 80001000 1111",
            "hart0 read 80001006 4444",
            "hart0 read 80001008 5555",
            "hart0 read 8000100a 6666",
            "hart0 r534=0000000000000006",
        ],
    );
    // With a mask, nothing is claimed.
    let masked = load.replace("0x02055407", "0x00055407");
    check(
        &format!("{HART}{masked}{accesses}\n"),
        &["hart0 read 80001006 ?2"],
    );
}

#[test]
fn pushed_and_popped_registers_have_the_size_of_a_register() {
    check(
        "core   0: 3 0x80000000 (0xb862) x2  0x8000ffe0 mem 0x8000fffc 0x00000007 mem 0x8000fff8 0x80000102 mem 0x8000fff4 0x00000001\n\
         core   0: 3 0x80000002 (0xbe62) x1  0x00000001 x2  0x80010000 x8  0x80000102 x9  0x00000007 mem 0x8000fffc mem 0x8000fff8 mem 0x8000fff4\n",
        &[
            "hart0 write 8000fff8 80000102",
            "hart0 read 8000fffc 00000007",
            "hart0 read 8000fff8 80000102",
            "hart0 read 8000fff4 00000001",
            "hart0 step 80000002 Riscv32 2 \"cm.popret {ra, s0-s1}\"",
        ],
    );
    // Without a write of the stack pointer it is C.FSDSP.
    check(
        &format!(
            "{HART}core   0: 3 0x0000000080000004 (0xb862) mem 0x0000000080001000 0x3ff0000000000000\n"
        ),
        &[
            "hart0 write 80001000 3ff0000000000000",
            "hart0 step 80000004 Riscv64 2 \"\"",
        ],
    );
}

#[test]
fn a_damaged_value_of_a_control_register_is_unknown() {
    let line = "core   0: 3 0x0000000080000004 (0x30051073) c768_mstatus 0x8000000";
    for rest in ["z00006000\n", ""] {
        let found = events(&format!("{HART}{line}{rest}"), Format::CommitLog);
        let is_write = |text: &&String| text.starts_with("hart0 r") && text.contains('=');
        let writes: Vec<_> = found.iter().filter(is_write).collect();
        // `sstatus` is a view of `mstatus`.
        assert_eq!(writes.len(), 3, "{found:?}");
        assert!(
            writes[1..].iter().all(|write| write.ends_with("=?")),
            "{found:?}"
        );
        assert!(found.iter().any(|text| text.starts_with("problem")));
    }
}

#[test]
fn a_damaged_load_after_a_store_is_no_store() {
    let found = events(
        &format!(
            "{HART}core   0: 3 0x0000000080000010 (0x00b52023) mem 0x0000000080001000 0x00000005\n\
             core   0: 3 0x000000008000zz14 (0x00052583) x11 0x0000000000000005 mem 0x0000000080001000\n\
             core   0: 3 0x0000000080000018 (0x00a00513) x10 0x000000000000000a\n"
        ),
        Format::CommitLog,
    );
    let accesses: Vec<_> = found
        .iter()
        .filter(|text| text.contains("80001000"))
        .collect();
    let accesses: Vec<_> = accesses
        .iter()
        .filter(|text| text.contains("write"))
        .collect();
    assert_eq!(accesses.len(), 1, "{found:?}");
    assert!(found.iter().any(|text| text == "hart0 r11=?"), "{found:?}");
}

#[test]
fn registers_of_a_damaged_line_are_unknown() {
    let problem = "problem a line that does not belong to the log: it is kept as a note";
    check(
        &format!(
            "{HART}core   0: 3 0x00000z0080000004 (0x00b00513) x10 0x000000000000000b mem 0x0000000080001000 0x0b\n"
        ),
        &["hart0 r10=?", "hart0 write 80001000 ?1", problem],
    );
    check(
        &format!("{HART}core   0: 3 0x0000000080000004 (0x00b00513) x10 0x00000000z000000b\n"),
        &["hart0 step 80000004 Riscv64 4 \"\"", "hart0 r10=?"],
    );
    // A damaged line of another hart.
    check_all(
        &format!("{HART}core   1: 3 0x00000z0080000004 (0x00b00513) x10 0x000000000000000b\n"),
        &[
            "hart0 step 80000000 Riscv64 4 \"\"",
            "hart0 r10=000000000000000a",
            "hart1 Note core   1: 3 0x00000z0080000004 (0x00b00513) x10 0x000000000000000b",
            "hart1 r10=?",
            problem,
        ],
    );
    // The rest of a line whose items cannot be read.
    check(
        &format!("{HART}core   0: 3 0x0000000080000004 (0x00b00513) q10 0x000000000000000b\n"),
        &["hart0 step 80000004 Riscv64 4 \"\"", "hart0 r10=?"],
    );
}

#[test]
fn a_trap_without_a_line_changes_control_registers() {
    let text = "core   0: 3 0x0000000080000000 (0x34151073) c833_mepc 0x0000000080000010\n\
                core   0: 3 0x0000000080000004 (0x00000013)\n\
                core   0: 3 0x0000000080000008 (0x00000063)\n\
                core   0: 3 0x0000000080000008 (0x00000063)\n\
                core   0: 3 0x0000000080000100 (0x34202573) x10 0x8000000000000007\n\
                core   0: 3 0x0000000080000104 (0x00008067)\n\
                core   0: 3 0x0000000080000300 (0x00000013)\n";
    let format = crate::detect::Format::CommitLog;
    let events = crate::text_log::tests::recorder::events(text, format);
    // The jump to itself at 80000008 was executed twice.
    let taken = "hart0 Exception exception, interrupt or missing lines";
    assert_eq!(events[4], "hart0 step 80000008 Riscv64 4 \"\"");
    assert_eq!(events[5..7], [taken, "hart0 r256=?"], "{events:#?}");
    assert_eq!(events.iter().filter(|event| *event == taken).count(), 1);
}

#[test]
fn widths_follow_from_the_first_lines() {
    check(
        "rv new 0 RV32IMAC MSU 32 1\nrv rf w 0 0 5 80000000\nrv commit 0 80000000\nrv rf w 0 0 6 1\nrv commit 0 80000002\n",
        &["hart0 step 80000000 Riscv32 2 \"\"", "hart0 r5=80000000"],
    );
    let table = "pc, inst, modified regs, source operands, memory, inst info, privilege, trap, disassembly, hartid\n";
    check(
        &format!("{table}1000,fff00293,x5=ffffffff,,,,m,,li,0\n"),
        &["hart0 step 1000 Riscv32 4 \"li\""],
    );
    check(
        &format!("{table}1000,fff00293,x5=ffffffffffffffff,,,,m,,li,0\n"),
        &["hart0 step 1000 Riscv64 4 \"li\""],
    );
}

#[test]
fn a_header_belongs_to_no_thread() {
    check_all(
        &format!("*** [rvfi_tracer] INFO\n{HART}"),
        &[
            "problem a line that does not belong to the log: it is kept as a note",
            "hart0 step 80000000 Riscv64 4 \"\"",
            "hart0 r10=000000000000000a",
        ],
    );
}

#[test]
fn rows_of_ibex_show_the_size_of_a_store() {
    // cm.push: its encoding also means C.FSDSP.
    check(
        "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n\
         106\t43\t00001200\t    b882\tcm.push\t{ra,s0-s2},-16\t  x1:0x00000001  x2=0x00001ff0 PA:0x00001ffc store:0x00000001\n\
         118\t49\t00001100\t34202573\t==>csrr\tx10,mcause\t x10=0x0000000b\n",
        &["hart0 write 1ffc 00000001"],
    );
}

#[test]
fn a_change_of_the_privilege_mode_is_shown() {
    check(
        "core   0: 0x0000000080000000 (0x30200073) mret\n\
         core   0: 3 0x0000000080000000 (0x30200073) c768_mstatus 0x0000000000000080\n\
         core   0: 0x0000000080001000 (0x00000013) nop\n\
         core   0: 0 0x0000000080001000 (0x00000013)\n\
         core   0: exception interrupt #7, epc 0x0000000080001004\n\
         core   0: 0x0000000080000100 (0x30200073) mret\n\
         core   0: 3 0x0000000080000100 (0x30200073) c768_mstatus 0x0000000000000080\n",
        &[
            "hart0 StateChange mode change to U",
            "hart0 StateChange mode change to M",
        ],
    );
}

#[test]
fn no_cut_is_made_after_a_listing_that_ends_a_line() {
    let first = "core   0: 3 0x0000000080000000 (0x00a00513) x10 0x000000000000000a";
    let listing = "core   0: 0x0000000080000004 (0x00a00513) text\n";
    let commit = "core   0: 3 0x0000000080000004 (0x00a00513) x10 0x000000000000000a\n";
    check(
        &format!("{first}{listing}{commit}").repeat(3),
        &["hart0 step 80000004 Riscv64 4 \"text\""],
    );
}

#[test]
fn what_an_ibex_row_does_not_show_is_unknown() {
    let row = |items: &str| {
        format!(
            "Time\tCycle\tPC\tInsn\tDecoded instruction\tRegister and memory contents\n\
             106\t43\t0000100c\t0182a283\tlw\tx5,24(x5)\t  x5:0x00001000{items}\n\
             108\t44\t00001010\t00000013\taddi\tx0,x0,0\t\n"
        )
    };
    let reading = "hart0 read 1018 80000000";
    check(
        &row(" x5=0x80000000 PA:0x00001018 load:0x80000000"),
        &[reading, "hart0 r5=80000000"],
    );
    check(
        &row(" x5=0x8000z000 PA:0x00001018 load:0x80000000"),
        &[
            reading,
            "hart0 r5=?",
            "problem an item that cannot be read, \"x5=0x8000z000\": it is left out",
        ],
    );
    check(
        &row(" ~ PA:0x00001018 load:0x80000000"),
        &[reading, "hart0 r5=?"],
    );
    // CV32E40P.
    check(
        "Time Cycle PC Instr Ctx Decoded instruction Register and memory contents\n\
         \u{20}106 ns 43 00001000 00000297     auipc            x5, 0x0              x5=00001000 ~\n\
         \u{20}108 ns 44 00001004 00042283     lw               x5, 0(x8)            x8:00001000 x5=0000z000 PA:00001000\n\
         \u{20}110 ns 45 00001008 00000013     nop\n",
        &["hart0 r5=00001000", "hart0 r5=?", "hart0 read 1000 ?4"],
    );
}

#[test]
fn rvls_shows_the_length_of_instructions_with_effects() {
    let step = |isa: &str, effects: &str, next: u64| {
        format!("rv new 0 {isa} MSU 32 1\n{effects}rv commit 0 80000000\nrv commit 0 {next:x}\n")
    };
    let check_length = |text: String, length: u8| {
        check(
            &text,
            &[&format!("hart0 step 80000000 Riscv32 {length} \"\"")],
        );
    };
    // A compressed branch to the instruction but one, or one of four bytes without effects.
    check_length(step("RV32IMAC", "", 0x8000_0004), 0);
    check_length(step("RV32IMA_Zicsr", "", 0x8000_0004), 4);
    check_length(step("RV32IMAC", "rv rf w 0 0 5 1\n", 0x8000_0004), 4);
    check_length(step("RV32IMAC", "rv rf w 0 0 1 80000002\n", 0x8000_0004), 2);
    check_length(step("RV32IMAC", "rv rf w 0 0 1 80000004\n", 0x8000_0100), 4);
    check_length(step("RV32IMAC", "", 0x8000_0002), 2);
}
