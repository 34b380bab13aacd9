//! Small inputs that claim to be large or deeply nested cost little more than honest inputs of
//! their size.

use stepback_generator::drmemtrace::{Container, TraceRecipe, TraceWriter, kind};

use crate::cli::support::Sandbox;

/// Memory limit of the program: twice the need of an honest trace of this size.
const MEBIBYTES: u64 = 256;

/// Writes a trace of records and returns its path.
fn put(sandbox: &Sandbox, writer: TraceWriter) -> String {
    sandbox.file("a.trace", writer.finish().pack(Container::Plain))
}

#[track_caller]
fn check_all(sandbox: &Sandbox, trace: &str) {
    let questions = [
        &["index", trace][..],
        &["info", trace],
        &["at", trace, "end", "--stack"],
        &["list", trace],
        &["calltree", trace],
        &["calltree", trace, "--all-frames"],
        &["flamegraph", trace],
        &["heat", trace],
        &["find", trace, "last-write", "0x10000", "--all"],
        &["find", trace, "next-access", "0x10000", "--all"],
    ];
    for question in questions {
        sandbox.run_within(MEBIBYTES, question).succeeds();
    }
}

#[test]
fn accesses_that_claim_64_kib_each_cost_little() {
    let sandbox = Sandbox::new();
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.instruction(0x1000, &[0x90]);
    (0..20_000u64).for_each(|number| {
        writer.write(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20, u16::MAX)
    });
    writer.instruction(0x1001, &[0x90]);
    let trace = put(&sandbox, writer);
    check_all(&sandbox, &trace);
    let info = sandbox.run(&["info", &trace]).succeeds();
    assert!(
        info.err
            .contains("accesses claim more memory than steps touch"),
        "{info:?}"
    );
    let last = sandbox
        .json_lines(&["list", &trace, "--records"])
        .pop()
        .unwrap();
    assert_eq!(
        last["record"],
        20_000 + 8,
        "all records have their numbers: {last}"
    );
}

#[test]
fn a_deep_recursion_has_a_call_tree_within_seconds() {
    const DEPTH: u64 = 20_000;
    let sandbox = Sandbox::new();
    let mut writer = TraceWriter::new(TraceRecipe::default());
    let stack = |depth: u64| 0x7fff_0000_0000 - 8 * depth;
    for depth in 0..DEPTH {
        // Each call calls itself.
        writer.branch(kind::CALL, 0x2000, &[0xe8, 0xfb, 0xff, 0xff, 0xff], None);
        writer.write(stack(depth), 8);
    }
    writer.instruction(0x2000, &[0xe8, 0xfb, 0xff, 0xff, 0xff]);
    for depth in (0..DEPTH).rev() {
        writer.branch(kind::RETURN, 0x2005, &[0xc3], Some(0x2005));
        writer.read(stack(depth), 8);
    }
    let trace = put(&sandbox, writer);
    check_all(&sandbox, &trace);
    let calls = sandbox.json_lines(&["calltree", &trace]);
    assert_eq!(calls.len() as u64, DEPTH + 1);
}

#[test]
fn a_step_with_very_many_small_records_costs_little() {
    let sandbox = Sandbox::new();
    let mut writer = TraceWriter::new(TraceRecipe::default());
    writer.instruction(0x1000, &[0x90]);
    for number in 0..800_000u64 {
        let address = 0x10000 + 8 * (number % 64);
        if number % 2 == 0 {
            writer.write(address, 8)
        } else {
            writer.read(address, 8)
        }
    }
    writer.instruction(0x1001, &[0x90]);
    let trace = put(&sandbox, writer);
    check_all(&sandbox, &trace);
    check_step(
        &sandbox,
        &trace,
        Counted {
            effects: 800_000,
            reads: 0,
            writes: 12_500,
        },
    );
}

/// Effects of the first step of a trace.
struct Counted {
    effects: u64,
    /// Reads of the word at 0x10000.
    reads: u64,
    writes: u64,
}

/// Checks that the list shows the first effects and counts the others, and that a search finds all
/// hits of a cell in one step.
#[track_caller]
fn check_step(sandbox: &Sandbox, trace: &str, expected: Counted) {
    let listed = sandbox
        .run_within(MEBIBYTES, &["list", trace, "--json"])
        .succeeds();
    let step: serde_json::Value = serde_json::from_str(listed.out.lines().next().unwrap()).unwrap();
    let effects = step["effects"].as_array().unwrap();
    let more = effects.last().unwrap()["more"].as_u64().unwrap();
    assert_eq!(effects.len() as u64 - 1 + more, expected.effects);
    let hits = |kind| {
        let found = sandbox
            .run_within(
                MEBIBYTES,
                &["find", trace, kind, "0x10000", "--all", "--json"],
            )
            .succeeds();
        found.out.lines().count() as u64
    };
    let (reads, writes) = (expected.reads, expected.writes);
    assert_eq!([hits("next-read"), hits("last-read")], [reads; 2]);
    assert_eq!([hits("next-write"), hits("last-write")], [writes; 2]);
}

#[test]
fn an_instruction_with_very_many_memory_lines_costs_little() {
    let sandbox = Sandbox::new();
    let mut text = "1 clk IT (1) 00001000 e1a00000 A svc_s : NOP\n".to_owned();
    for number in 0..400_000u32 {
        // Nearly every value contradicts the previous one.
        text.push_str(&format!(
            "1 clk MR4 {:08x} {number:08x}\n",
            0x10000 + 4 * (number % 8)
        ));
    }
    text.push_str("2 clk IT (2) 00001004 e1a00000 A svc_s : NOP\n");
    let trace = sandbox.file("a.tarmac", text);
    check_all(&sandbox, &trace);
    check_step(
        &sandbox,
        &trace,
        Counted {
            effects: 400_000,
            reads: 50_000,
            writes: 0,
        },
    );
}
