//! `stepback tasks`, and the frames of tasks.

use serde_json::json;

use crate::cli::support::Sandbox;

/// Task A at 0x1000 calls 0x1008. PendSV switches to task B at 0x1010, which calls 0x1018, and
/// back.
const TASKS: &str = "small/tasks.tarmac";

#[test]
fn tasks_of_an_operating_system_are_listed_with_their_times() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(TASKS);
    let tasks = sandbox.json_lines(&["tasks", &trace]);
    let of = |name: &str| {
        tasks
            .iter()
            .map(|task| task[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("task"), [0, 1].map(|number| json!(number)));
    assert_eq!(
        tasks
            .iter()
            .map(|task| &task["function"]["address"])
            .collect::<Vec<_>>(),
        ["0x1000", "0x1010"]
    );
    assert_eq!(
        (of("runs"), of("calls")),
        (vec![json!(2), json!(1)], vec![json!(1), json!(1)])
    );
    assert_eq!(
        (of("steps"), of("handler_steps")),
        (vec![json!(6), json!(3)], vec![json!(4), json!(4)])
    );
    let runs = sandbox.json_lines(&["tasks", &trace, "--runs"]);
    let spans: Vec<_> = runs
        .iter()
        .map(|run| (&run["task"], &run["from"], &run["to"]))
        .collect();
    let expected = [(0, 0, 7), (1, 7, 14), (0, 14, 17)]
        .map(|(task, from, to)| (json!(task), json!(from), json!(to)));
    assert_eq!(
        spans,
        expected
            .iter()
            .map(|(task, from, to)| (task, from, to))
            .collect::<Vec<_>>()
    );
    let text = sandbox.run(&["tasks", &trace]).succeeds().out;
    assert!(
        text.contains("task 1 0x1010: 1 run, 3 steps, 4 steps in handlers"),
        "{text}"
    );
}

#[test]
fn frames_of_one_task_do_not_lie_on_those_of_another() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(TASKS);
    let check = |position: &str, expected: &[&str]| {
        let state = sandbox.json(&["at", &trace, position, "--stack"]);
        let frames = state["stack"].as_array().unwrap().iter();
        assert_eq!(
            frames
                .map(|frame| &frame["function"]["address"])
                .collect::<Vec<_>>(),
            expected,
            "{position}"
        );
    };
    check("3", &["0x1020", "0x1008", "0x1000"]);
    check("7", &["0x1010"]);
    check("10", &["0x1020", "0x1018", "0x1010"]);
    check("14", &["0x1008", "0x1000"]);
    check("16", &["0x1000"]);
}
