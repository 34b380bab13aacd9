//! `stepback find` for several threads that act between two instructions.

use crate::cli::support::Sandbox;

/// Between two instructions both cores write, and one also reads and writes.
const TWO_CORES: &str = "\
1 clk cpu1 IT (1) 00001000 d503201f O EL1h_s : NOP
2 clk cpu0 IT (1) 00002000 d503201f O EL1h_s : NOP
2 clk cpu1 MW1 00001030 01
2 clk cpu0 MW4 00001030 00000002
3 clk cpu0 IT (2) 00002004 d503201f O EL1h_s : NOP
3 clk cpu0 MR4 00001030 00000002
3 clk cpu0 MW4 00001030 00000003
3 clk cpu1 MR4 00001030 00000007
4 clk cpu0 IT (3) 00002008 d503201f O EL1h_s : NOP
";

#[track_caller]
fn check_two_cores(question: &[&str], expected: &[u64]) {
    let sandbox = Sandbox::new();
    let trace = sandbox.file("two.tarmac", TWO_CORES);
    let hits = if question.contains(&"--all") {
        sandbox.json_lines(&[&["find", &trace], question].concat())
    } else {
        let hit = sandbox.json(&[&["find", &trace], question].concat())["hit"].clone();
        [hit].into_iter().filter(|hit| !hit.is_null()).collect()
    };
    let steps: Vec<u64> = hits
        .iter()
        .map(|hit| hit["step"].as_u64().unwrap())
        .collect();
    assert_eq!(steps, expected, "{question:?}: {hits:?}");
}

#[test]
fn several_threads_between_two_instructions_do_not_hide_each_other() {
    check_two_cores(&["next-write", "0x1030", "--thread", "cpu0"], &[1]);
    check_two_cores(&["next-write", "0x1030", "--thread", "cpu1"], &[0]);
    check_two_cores(&["last-write", "0x1030", "--thread", "cpu1"], &[0]);
    check_two_cores(
        &["last-write", "0x1030", "--thread", "cpu0", "--at", "2"],
        &[1],
    );
    check_two_cores(&["next-write", "0x1030", "--all"], &[0, 1, 2]);
    check_two_cores(&["last-write", "0x1030", "--all"], &[2, 1, 0]);
    check_two_cores(&["next-write", "0x1030", "--all", "--limit", "2"], &[0, 1]);
    check_two_cores(&["last-write", "0x1030", "--all", "--thread", "cpu1"], &[0]);
}

#[test]
fn a_step_that_reads_and_writes_shows_both() {
    check_two_cores(&["next-access", "0x1030", "--all"], &[0, 1, 2, 2, 0]);
    check_two_cores(&["last-access", "0x1030", "--all"], &[0, 2, 2, 1, 0]);
    check_two_cores(
        &["last-access", "0x1030", "--all", "--thread", "cpu0"],
        &[2, 2, 1],
    );
    check_two_cores(&["last-access", "0x1030", "--all", "--limit", "2"], &[0, 2]);
}

#[test]
fn a_late_line_belongs_to_the_step_of_its_own_thread() {
    check_two_cores(&["text", "MW1 00001030", "--all"], &[0]);
    check_two_cores(&["text", "MW4 00001030", "--all"], &[1, 2]);
    check_two_cores(&["text", "cpu1", "--all"], &[0]);
    check_two_cores(&["text", "cpu1", "--at", "2", "--all"], &[0]);
    check_two_cores(&["text", "0000103", "--all", "--thread", "cpu0"], &[1, 2]);
    check_two_cores(&["text", "MW1", "--thread", "cpu0"], &[]);
}

#[test]
fn every_kind_takes_a_thread() {
    check_two_cores(&["next-external", "--all"], &[0]);
    check_two_cores(&["next-external", "--thread", "cpu0"], &[]);
    check_two_cores(&["last-external", "--thread", "cpu1"], &[0]);
    check_two_cores(&["value", "2", "--all", "--thread", "cpu1"], &[]);
    check_two_cores(&["value", "7", "--thread", "cpu1"], &[0]);
    check_two_cores(&["pc", "0x2004", "--thread", "cpu1"], &[]);
    check_two_cores(&["last-pc", "0x2004", "--thread", "cpu0"], &[2]);
    check_two_cores(&["pc", "0x1000", "--all", "--thread", "cpu1"], &[0]);
}
