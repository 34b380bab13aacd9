//! `stepback check`.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use stepback_generator::{Recipe, Size, Style};

use crate::cli::support::{OVERFLOW, Sandbox};

const RECORD: usize = 24;

fn small() -> Vec<u8> {
    fs::read(fixture("small.rst")).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/rst")
        .join(name)
}

#[test]
fn sound_rst_traces_have_no_findings() {
    let sandbox = Sandbox::new();
    for name in [
        "small.rst",
        "small.rz2.gz",
        "cti.rst",
        "cti.rz3.gz",
        "hello.rst.zst",
        "small_nv.rst.xz",
    ] {
        let trace = sandbox.file(name, fs::read(fixture(name)).unwrap());
        assert_eq!(
            sandbox.json_lines(&["check", &trace]),
            [Value::Null; 0],
            "{name}"
        );
        sandbox
            .run(&["check", &trace])
            .succeeds()
            .prints("no findings");
    }
}

#[test]
fn a_finding_names_its_rule_record_and_step() {
    let sandbox = Sandbox::new();
    let mut bytes = small();
    // Sets a reserved bit in the fourth instruction, a nop in record 59.
    bytes[58 * RECORD + 1] |= 0x80;
    let trace = sandbox.file("reserved.rst", &bytes);
    let found = sandbox.json(&["check", &trace]);
    let expected = serde_json::json!({
        "rule": "R-G01", "severity": "warning", "message": "reserved bits of the record (INSTR) are not 0",
        "step": 3, "record": 59, "clause": "clause 1a", "count": 1,
    });
    assert_eq!(found, expected);
    let ran = sandbox.run(&["check", &trace]).succeeds();
    ran.prints("warning R-G01, 1 time: reserved bits are not 0 (clause 1a)\n")
        .prints("1 warning\n");
}

#[test]
fn the_first_places_are_told_and_all_are_counted() {
    let sandbox = Sandbox::new();
    let mut bytes = small();
    for record in bytes.chunks_mut(RECORD).filter(|record| record[0] == 3) {
        record[1] |= 0x80;
    }
    let trace = sandbox.file("reserved.rst", bytes);
    let found = sandbox.json_lines(&["check", &trace, "--limit", "2"]);
    let stated: Vec<_> = found
        .iter()
        .map(|found| (&found["step"], &found["count"]))
        .collect();
    assert_eq!(
        stated,
        [(&0.into(), &1744.into()), (&1.into(), &1744.into())]
    );
    sandbox
        .run(&["check", &trace])
        .succeeds()
        .prints("    … and 1,734 more\n");
}

#[test]
fn a_missing_record_breaks_the_path_and_a_cut_file_its_end() {
    let sandbox = Sandbox::new();
    let mut bytes = small();
    bytes.drain(58 * RECORD..59 * RECORD);
    let trace = sandbox.file("missing.rst", &bytes);
    let found = sandbox.json(&["check", &trace]);
    assert_eq!(
        (&found["rule"], &found["record"], &found["step"]),
        (&"R-P01".into(), &59.into(), &3.into())
    );
    let trace = sandbox.file("cut.rst", &small()[..60 * RECORD + 5]);
    let rules: Vec<_> = sandbox
        .json_lines(&["check", &trace])
        .iter()
        .map(|found| found["rule"].clone())
        .collect();
    assert_eq!(rules, ["damaged", "R-F01"]);
}

/// Checks longer traces if the variable `STEPBACK_TRACES` names a folder that contains `rst/`.
#[test]
fn long_rst_traces_have_no_findings() {
    let Some(traces) = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from) else {
        return println!("skipped: STEPBACK_TRACES names no folder of traces");
    };
    let sandbox = Sandbox::new();
    for name in ["medium.rz2.gz", "medium.rz3.gz", "medium_nv.rst.zst"] {
        let trace = sandbox.file(name, fs::read(traces.join("rst").join(name)).unwrap());
        assert_eq!(
            sandbox.json_lines(&["check", &trace]),
            [Value::Null; 0],
            "{name}"
        );
    }
}

/// Checks the findings in a Tarmac trace: rule, severity, step and line.
#[track_caller]
fn check_tarmac(lines: &[&str], expected: &[(&str, &str, u64, u64)]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("a.tarmac", format!("{}\n", lines.join("\n")));
    let found = sandbox.json_lines(&["check", &trace]);
    let stated = |found: &Value| {
        let number = |name: &str| found[name].as_u64().unwrap_or(u64::MAX);
        (
            found["rule"].clone(),
            found["severity"].clone(),
            number("step"),
            number("line"),
        )
    };
    let expected: Vec<_> = expected
        .iter()
        .map(|(rule, severity, step, line)| ((*rule).into(), (*severity).into(), *step, *line))
        .collect();
    assert_eq!(
        found.iter().map(stated).collect::<Vec<_>>(),
        expected,
        "{found:?}"
    );
    found
}

const NOP: &str = "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP";
const NEXT: &str = "2 clk IT (2) 00001004 d503201f O EL1h_n : NOP";

#[test]
fn a_time_that_runs_backwards_is_found() {
    check_tarmac(&[NOP, NEXT], &[]);
    let back = "1 clk IT (3) 00001008 d503201f O EL1h_n : NOP";
    let found = check_tarmac(&[NOP, NEXT, back], &[("time-backwards", "warning", 2, 3)]);
    assert_eq!(found[0]["message"], "the time of cpu0 falls from 2 to 1");
}

#[test]
fn a_pc_that_no_branch_leads_to_is_found() {
    let far = "2 clk IT (2) 00002000 d503201f O EL1h_n : NOP";
    let found = check_tarmac(&[NOP, far], &[("path", "warning", 1, 2)]);
    assert_eq!(
        found[0]["message"],
        "cpu0 is at 0x2000, where the instruction at 0x1000 leads to 0x1004"
    );
    let branch = "1 clk IT (1) 00001000 14000400 O EL1h_n : B 0x2000";
    check_tarmac(&[branch, far], &[]);
    check_tarmac(&[branch, NEXT], &[("path", "warning", 1, 2)]);
    // A conditional branch with an unknown outcome, and one that was not taken.
    let decided = "1 clk IT (1) 00001000 b4000020 O EL1h_n : CBZ x0,0x1004";
    check_tarmac(&[decided, NEXT], &[]);
    check_tarmac(&[decided, far], &[("path", "warning", 1, 2)]);
    check_tarmac(
        &[
            "1 clk IS (1) 00001000 54008000 O EL1h_n : B.EQ 0x2000",
            NEXT,
        ],
        &[],
    );
    // An exception that the trace records, one visible only by the mode, and another processor.
    check_tarmac(
        &[NOP, "1 clk E 00001004 irq 00000019 CoreEvent_IRQ", far],
        &[],
    );
    check_tarmac(&[NOP, "2 clk IT (2) 00002000 d503201f O EL3h_s : NOP"], &[]);
    let other = "2 clk cpu1 IT (2) 00002000 d503201f O EL1h_n : NOP";
    check_tarmac(
        &["1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP", other],
        &[],
    );
    // After an unreadable line, any state is possible.
    let broken = "2 clk IT (2) 0000zz04 d503201f O EL1h_n : NOP";
    check_tarmac(&[NOP, broken, far], &[("damaged", "error", 1, 2)]);
}

#[test]
fn a_register_that_changes_without_a_writer_is_found() {
    let five = "1 clk R X3 0000000000000005";
    let six = "2 clk R X3 0000000000000006";
    let found = check_tarmac(
        &[NOP, five, NEXT, six],
        &[("register-unwritten", "warning", 1, 4)],
    );
    assert_eq!(
        found[0]["message"],
        "x3 changes from 0x5 to 0x6 at 0x1004, where nop does not write it"
    );
    let add = "2 clk IT (2) 00001004 91000463 O EL1h_n : ADD x3,x3,#1";
    check_tarmac(&[NOP, five, add, six], &[]);
    // The same value again, a register that was unknown, and a value left by the host.
    check_tarmac(
        &[
            NOP,
            five,
            NEXT,
            "2 clk R X3 0000000000000005",
            "2 clk R X4 0000000000000001",
        ],
        &[],
    );
    check_tarmac(
        &[
            NOP,
            five,
            "2 clk IT (2) 00001004 d45e0000 O EL1h_n : HLT #0xf000",
            six,
        ],
        &[],
    );
}

/// M-profile exceptions change registers implicitly: on entry, on return, and between security
/// states (DDI 0553, B3.18 to B3.21).
#[test]
fn what_an_exception_of_m_profile_does_breaks_no_rule() {
    let dump = [
        "0 clk R MSP 20001000",
        "0 clk R r0 00000005",
        "0 clk R r3 00000003",
        "0 clk R r14 00000099",
    ];
    let nop = "1 clk IT (1) 00001000 bf00 T thread : NOP";
    // An entry without an event line, and one whose event line comes last.
    let entered = [
        "1 clk R MSP 20000fe0",
        "1 clk R r14 fffffff9",
        "1 clk R cpsr 0100000f",
    ];
    let stated = [
        entered[0],
        entered[1],
        "1 clk E 00001002 0000000f CoreEvent_EXCEPTION",
    ];
    let handler = [
        "2 clk IT (2) 00000100 2063 T handler : MOVS r0,#99",
        "2 clk R r0 00000063",
    ];
    let returned = [
        "3 clk R r0 00000005",
        "3 clk R MSP 20001000",
        "3 clk R r14 00000099",
        "3 clk R cpsr 01000000",
    ];
    let on = "4 clk IT (4) 00001002 bf00 T thread : NOP";
    for entry in [&entered, &stated] {
        let by_register = ["3 clk IT (3) 00000102 4770 T handler : BX lr"];
        let by_memory = [
            "3 clk IT (3) 00000102 bd10 T handler : POP {r4,pc}",
            "3 clk MR4 20000fd8 00000004",
            "3 clk MR4 20000fdc fffffff9",
        ];
        for leave in [&by_register[..], &by_memory] {
            let lines = [&dump[..], &[nop], entry, &handler, leave, &returned, &[on]].concat();
            check_tarmac(&lines, &[]);
        }
    }
    // A handler is interrupted by another.
    let nested = [
        "2 clk R MSP 20000fc0",
        "2 clk R r14 fffffff1",
        "2 clk R cpsr 01000012",
    ];
    let other = "3 clk IT (3) 00000200 bf00 T handler : NOP";
    check_tarmac(
        &[&dump[..], &[nop], &entered, &handler, &nested, &[other]].concat(),
        &[],
    );
    // The same changes at ordinary steps are reported.
    let changed = [&dump[..], &[nop, "1 clk R r0 00000006"]].concat();
    check_tarmac(&changed, &[("register-unwritten", "warning", 0, 6)]);
    // A function returns and leaves a value in a register that was not there before.
    let function = [
        &dump[..],
        &[
            "1 clk IT (1) 00001000 4770 T thread : BX lr",
            "1 clk R r0 00000006",
        ],
    ]
    .concat();
    check_tarmac(&function, &[("register-unwritten", "warning", 0, 6)]);
}

#[test]
fn calls_between_security_states_break_no_rule() {
    let lines = [
        "0 clk R r14 00000099",
        "0 clk R MSP_S 20001000",
        "1 clk IT (1) 00200000 f7ffffd0 T thread_ns : BL 0x1fffa4",
        "1 clk R r14 00200005",
        "2 clk IT (2) 001fffa4 e97fe97f T thread_s : SG",
        "2 clk R r14 00200004",
        "3 clk IT (3) 001fffa8 47a4 T thread_s : BLXNS r4",
        "3 clk MW4 20000ff8 001fffab",
        "3 clk R MSP_S 20000ff8",
        "3 clk R r14 feffffff",
        "4 clk IT (4) 00300000 4770 T thread_ns : BX lr",
        "4 clk R MSP_S 20001000",
        "5 clk IT (5) 001fffaa bf00 T thread_s : NOP",
    ];
    check_tarmac(&lines, &[]);
}

#[test]
fn a_read_that_contradicts_the_last_write_is_found() {
    let load = "2 clk IT (2) 00001004 f9400001 O EL1h_n : LDR x1,[x0]";
    let store = "1 clk IT (1) 00001000 f9000001 O EL1h_n : STR x1,[x0]";
    let written = "1 clk MW8 00008000 00000000_00000001";
    check_tarmac(
        &[store, written, load, "2 clk MR8 00008000 00000000_00000001"],
        &[],
    );
    let read = "2 clk MR8 00008000 00000000_00000002";
    let found = check_tarmac(
        &[store, written, load, read],
        &[("memory-unwritten", "warning", 1, 3)],
    );
    assert!(
        found[0]["message"]
            .as_str()
            .unwrap()
            .starts_with("a read at 0x8000 finds 02 00"),
        "{found:?}"
    );
    // Reported only as info if another writer is possible.
    let handled = "1 clk E 00001004 irq 00000019 CoreEvent_IRQ";
    check_tarmac(
        &[store, written, handled, load, read],
        &[("memory-outside", "info", 1, 4)],
    );
}

#[test]
fn a_thread_that_begins_nowhere_is_found() {
    let first = "1 clk cpu0 IT (1) 00001000 d503201f O EL1h_n : NOP";
    let second = "2 clk cpu1 IT (1) 00001000 d503201f O EL1h_n : NOP";
    check_tarmac(&[first, second], &[]);
    let early = "1 clk cpu1 MW8 00008000 00000000_00000001";
    let found = check_tarmac(
        &[first, early, second],
        &[("thread-without-step", "warning", 0, 2)],
    );
    assert_eq!(
        found[0]["message"],
        "cpu1 accesses 0x8000 before its first instruction"
    );
    let nobody = "1 clk cpu7 R X0 0000000000000001";
    let found = check_tarmac(
        &[first, nobody],
        &[("thread-without-step", "warning", u64::MAX, u64::MAX)],
    );
    assert_eq!(found[0]["message"], "cpu7 has no instruction");
}

/// Checks the names of the rules that a Tarmac trace breaks.
#[track_caller]
fn check_rules(text: &str, expected: &[&str]) {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("trace.tarmac", text);
    let found = sandbox.json_lines(&["check", &trace]);
    let rules: Vec<_> = found
        .iter()
        .map(|found| found["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, expected, "{text}{found:#?}");
}

/// Returns `CMP x0,x1`, a status register write, and `B.NE` to 0x100c, in the ES form of Arm's
/// Cycle Models.
fn compared(status: &str, then: &str) -> String {
    format!(
        "Tarmac Text Rev 3t\n\
         100 tic ES (0000000000001000:eb01001f) O el3h_s: CMP x0,x1\n{status}\
         101 tic ES (0000000000001004:54000041) O el3h_s: B.NE {{pc}}+8\n\
         102 tic ES ({then}:d503201f) O el3h_s: NOP\n"
    )
}

#[test]
fn a_branch_that_falls_through_needs_no_mark() {
    let (after, target, elsewhere) = ("0000000000001008", "000000000000100c", "0000000000001010");
    // The status register decides: Z is bit 30.
    check_rules(&compared("R cpsr 600003cd\n", after), &[]);
    check_rules(&compared("R cpsr 200003cd\n", target), &[]);
    check_rules(&compared("R cpsr 600003cd\n", target), &["path"]);
    check_rules(&compared("R cpsr 200003cd\n", after), &["path"]);
    // Without it the outcome is unknown.
    check_rules(&compared("", after), &[]);
    check_rules(&compared("", target), &[]);
    check_rules(&compared("", elsewhere), &["path"]);
    // A write before the comparison is stale, since the comparison changes the flags.
    let stale = |then| {
        let compared = compared("", then).replace(
            "100 tic",
            "99 tic ES (0000000000000ffc:d503201f) O el3h_s: NOP\nR cpsr 600003cd\n100 tic",
        );
        compared.replace("Tarmac Text Rev 3t\n", "")
    };
    check_rules(&stale(after), &[]);
    check_rules(&stale(target), &[]);
    // gem5 prints such a branch as taken.
    let gem5 =
        |text: String| text.replace("ES (0000000000001004:54000041)", "IT (2) 00001004 54000041");
    check_rules(&gem5(compared("", after)), &[]);
    check_rules(&gem5(compared("", target)), &[]);
}

#[test]
fn a_branch_of_t32_that_falls_through_needs_no_mark() {
    let text = |branch: &str, then: &str| {
        format!(
            "1 tic ES (00001000:{branch}) T thrd_s: BEQ {{pc}}+6\n\
             2 tic ES ({then}:bf00) T thrd_s: NOP\n"
        )
    };
    check_rules(&text("d001", "00001002"), &[]);
    check_rules(&text("d001", "00001006"), &[]);
    check_rules(&text("d001", "00001008"), &["path"]);
    // BEQ.W.
    check_rules(&text("f0008001", "00001004"), &[]);
    check_rules(&text("f0008001", "00001006"), &[]);
    check_rules(&text("f0008001", "00001008"), &["path"]);
    let block = |then: &str| {
        format!(
            "1 tic ES (00001000:bf08) T thrd_s: IT EQ\n\
             2 tic ES (00001002:e001) T thrd_s: BEQ {{pc}}+6\n\
             3 tic ES ({then}:e001) T thrd_s: B {{pc}}+6\n\
             4 tic ES (00001020:bf00) T thrd_s: NOP\n"
        )
    };
    // In an IT block both paths are possible, and only the first of these two addresses is in it.
    check_rules(&block("00001004"), &["path"]);
    check_rules(&block("00001008"), &["path"]);
    check_rules(&block("00001010"), &["path"; 2]);
}

#[test]
fn a_trace_that_ends_in_an_exception_after_a_jump_says_so() {
    let text = |jump: &str, exception: &str| {
        format!(
            "1 clk IT (1) 00001000 d503201f O EL3h_s : NOP\n\
             1 clk R X2 b682e58791e59992\n1 clk R X3 0000000000001000\n\
             2 clk IT (2) 00001004 {jump}\n2 clk R X30 0000000000001008\n{exception}"
        )
    };
    let exception = "2 clk E b682e58791e59992 00000084 CoreEvent_CURRENT_SPx_SYNC\n";
    check_rules(
        &text("d63f0040 O EL3h_s : BLR x2", exception),
        &["bad-ending"],
    );
    // The call itself is possible, but the exception ends the trace all the same.
    check_rules(
        &text("d63f0060 O EL3h_s : BLR x3", exception),
        &["bad-ending"],
    );
    check_rules(&text("d63f0040 O EL3h_s : BLR x2", ""), &[]);
    check_rules(
        &text("94000400 O EL3h_s : BL 0x2004", exception),
        &["bad-ending"],
    );
    // There is code at the handler.
    let handler = format!("{exception}3 clk IT (3) 00000200 d503201f O EL3h_s : NOP\n");
    check_rules(&text("d63f0040 O EL3h_s : BLR x2", &handler), &[]);
    let popped = "1 clk IT (1) 00001000 bd10 T thread : POP {r4,pc}\n\
                  1 clk MR4 20000000 00000000\n1 clk MR4 20000004 deadbeef\n1 clk R r4 00000000\n\
                  1 clk E deadbeee 00000003 CoreEvent_HardFault\n";
    check_rules(popped, &["bad-ending"]);
    // A register stated only by a dump before the first step, and the banked link register of a
    // mode.
    let dumped = "0 clk R r3 0000beec\n1 clk IT (1) 00001000 e12fff33 A svc : BLX r3\n1 clk R r14 00001004\n\
                  1 clk E 0000beec 00000003 CoreEvent_PABT\n";
    check_rules(dumped, &["bad-ending"]);
    let through_link = "1 clk IT (1) 00001000 e1a0e003 A svc : MOV lr,r3\n1 clk R r14 0000beec\n\
                        2 clk IT (2) 00001004 e12fff1e A svc : BX lr\n2 clk E 0000beec 00000003 CoreEvent_PABT\n";
    check_rules(through_link, &["bad-ending"]);
}

/// A model shows an instruction that it could not fetch.
#[test]
fn an_instruction_that_could_not_be_fetched_ends_the_trace() {
    let text = "    1 tic ES  (00000ffc:e3003000) A svc:  MOVW r3,#0\n\
                \x20                R R3 0000beec\n\
                \x20   2 tic ES  (00001000:e12fff33) A svc:  BLX r3\n\
                \x20                R LR 00001004\n\
                \x20   3 tic ES  (0000beec:--------) A svc:\n\
                \x20   4 tic ES  EXC [3] Prefetch abort\n";
    check_rules(text, &["bad-ending"]);
    // Another step shows code at the address, so the path to the next step is unexpected as well.
    check_rules(
        &text.replace("00000ffc:e3003000", "0000beec:e3003000"),
        &["bad-ending", "path"],
    );
}

/// The number of failed fetches does not matter.
#[test]
fn only_the_last_of_many_failed_fetches_is_the_end() {
    let text = |fetches: u32| {
        let first = "    1 tic ES  (00000ffc:e3003000) A svc:  MOVW r3,#0\n\
                     \x20                R R3 0000beec\n";
        let jump_and_fail = |number: u32| {
            let time = 3 * number;
            format!(
                "    {} tic ES  (00001000:e12fff33) A svc:  BLX r3\n\
                 \x20                R LR 00001004\n\
                 \x20   {} tic ES  (0000beec:--------) A svc:\n\
                 \x20   {} tic ES  EXC [3] Prefetch abort\n",
                time + 2,
                time + 3,
                time + 4
            )
        };
        first.to_owned() + &(0..fetches).map(jump_and_fail).collect::<String>()
    };
    check_rules(&text(2), &["bad-ending"]);
    check_rules(&text(2000), &["bad-ending"]);
}

#[test]
fn the_bus_after_the_caches_is_no_damage() {
    let text = "1 clk cpu0 IT (1) 00001000 e1931f9f A svc_s : LDREX r1,[r3]\n\
                1 clk cpu0 MR4X 00009000 11111111\n\
                1 clk cpu0 BR8D_PN I_RC_S O_RC_S 00000003 80009000 1111111144444444\n\
                1 clk cpu0 TLB FILL cpu0.DTLB 4K 0x00009000_NS EL1_n vmid=0:0x0080009000_NS Normal\n\
                2 clk cpu0 FD (2) 00001004 00001008 A\n";
    check_rules(text, &[]);
}

#[test]
fn the_exit_code_says_whether_something_is_wrong_if_it_is_requested() {
    let sandbox = Sandbox::new();
    let (good, bad) = (sandbox.fixture("rst/small.rst"), sandbox.fixture(OVERFLOW));
    assert_eq!(sandbox.run(&["check", &good, "--exit-code"]).code, Some(0));
    assert_eq!(sandbox.run(&["check", &bad]).code, Some(0));
    let found = sandbox.run(&["check", &bad, "--exit-code"]);
    assert_eq!(found.code, Some(1), "{found:?}");
    assert_eq!(found.out, sandbox.run(&["check", &bad]).out);
    assert_eq!(
        sandbox.run(&["check", "nosuch.rst", "--exit-code"]).code,
        Some(2)
    );
}

/// Steps are missing and registers change near the ends of parts that threads check separately.
#[test]
fn findings_are_the_same_on_any_number_of_threads() {
    let sandbox = Sandbox::new();
    for (style, name) in [(Style::FastModels, "fm.tarmac"), (Style::Es, "es.tarmac")] {
        let recipe = Recipe {
            style,
            size: Size::Steps(20_000),
            ..Recipe::default()
        };
        let text = String::from_utf8(recipe.text()).unwrap();
        let (mut steps, mut damaged) = (0, String::new());
        for line in text.split_inclusive('\n') {
            let is_step = line.contains(" IT ") || line.contains(" ES ");
            steps += u64::from(is_step);
            let in_part = (steps + 8) % 1024;
            if !(is_step && in_part < 16 && in_part.is_multiple_of(3)) {
                damaged += line;
            }
        }
        let trace = sandbox.file(name, damaged);
        let on = |threads| {
            sandbox
                .run(&["check", &trace, "--json", "--threads", threads])
                .succeeds()
                .out
        };
        let expected = on("1");
        for rule in ["\"path\"", "\"register-unwritten\""] {
            assert!(expected.contains(rule), "{rule}");
        }
        for threads in ["2", "3", "8"] {
            assert_eq!(on(threads), expected, "{name} on {threads} threads");
        }
    }
}

/// Checks that `check` reports the end that `info` reports, at the step, and returns the sentence.
#[track_caller]
fn check_end(trace: &str, step: u64) -> String {
    let sandbox = Sandbox::new();
    let index = sandbox.path("i.sbi").to_string_lossy().into_owned();
    let info = &sandbox.json_lines(&["info", trace, "--index", &index])[0];
    let title = info["ending"]["title"].as_str().unwrap().to_owned();
    let found = sandbox.json_lines(&["check", trace, "--index", &index]);
    let ends: Vec<_> = (found.iter().filter(|found| found["rule"] == "bad-ending")).collect();
    assert_eq!(ends.len(), 1, "{found:#?}");
    assert_eq!(ends[0]["message"], title.as_str());
    assert_eq!(ends[0]["step"], step);
    assert_eq!(ends[0]["severity"], "warning");
    title
}

#[test]
fn every_bad_end_is_a_finding_in_the_words_of_info() {
    let sandbox = Sandbox::new();
    let text = |name: &str, text: &str| sandbox.file(name, text);
    // The handler of a fault that does not go on.
    let load = "1 clk IT (1) 00001000 6801 T thread : LDR r1,[r0]\n\
                1 clk E 00001000 00000003 CoreEvent_HardFault\n";
    let handler: String = (2..20)
        .map(|time| format!("{time} clk IT ({time}) 00002000 e7fe T handler : B .\n"))
        .collect();
    let title = check_end(&text("a.tarmac", &(load.to_owned() + &handler)), 0);
    assert_eq!(title, "Ends in 2000, after an exception: HardFault");
    // An exception in the form of an instruction's line.
    let fetch = "    1 tic ES  (00001000:e12fff33) A svc:  BLX r3\n\
                 \x20   2 tic ES  (0000beec:--------) A svc:\n\
                 \x20   3 tic ES  EXC [3] Prefetch abort\n";
    let title = check_end(&text("c.tarmac", fetch), 0);
    assert_eq!(
        title,
        "Ends in an exception after a jump to 0xbeec: Prefetch abort"
    );
    // Another processor goes on after the crash of the first one.
    let crash = "1 clk cpu0 IT (1) 00001000 d63f0040 O EL3h_s : BLR x2\n\
                 1 clk cpu0 E b682e58791e59992 00000084 CoreEvent_CURRENT_SPx_SYNC\n";
    let others: String = (2..40)
        .map(|time| {
            let address = 0x8000 + 4 * time;
            format!("{time} clk cpu1 IT ({time}) {address:08x} d503201f O EL3h_s : NOP\n")
        })
        .collect();
    let title = check_end(&text("b.tarmac", &(crash.to_owned() + &others)), 0);
    assert_eq!(
        title,
        "Ends in an exception after a jump to 0xb682e58791e59992: CURRENT_SPx_SYNC"
    );
}
