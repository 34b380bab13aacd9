//! The browser in the terminal, driven by scripts.

use crate::cli::support::{OVERFLOW, Sandbox, overflow_image};

#[test]
fn a_script_is_done_and_the_screen_is_printed_without_a_terminal() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let script = sandbox.file("script.txt", "# to the crash\nGo to end\nLast write x2\n");
    let image = overflow_image();
    let picture = [
        "--run",
        &script,
        "--screenshot",
        "-",
        "--quit",
        "--size",
        "90x20",
    ];
    let arguments = [&["browse", &trace, "--image", &image][..], &picture].concat();
    let ran = sandbox
        .run(&arguments)
        .succeeds()
        .prints("── 1,762 ──")
        .prints("ldr    x2, [x0]");
    assert_eq!(ran.out.lines().count(), 20);
    let place = sandbox.path("screen.txt").display().to_string();
    sandbox
        .run(&[
            "browse",
            &format!("{trace}@1250"),
            "--screenshot",
            &place,
            "--quit",
            "--ascii",
        ])
        .succeeds();
    let screen = std::fs::read_to_string(sandbox.path("screen.txt")).unwrap();
    assert!(
        screen.is_ascii() && screen.contains("-- 1,250 --"),
        "{screen}"
    );
}

#[test]
fn what_is_wrong_is_told_before_or_instead_of_a_screen() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    sandbox.run(&["browse"]).ends_misspelt();
    sandbox.run(&["browse", &trace, "--demo"]).ends_misspelt();
    sandbox
        .run(&["browse", &trace])
        .fails_with(&["the terminal browser cannot run", "not a terminal"]);
    sandbox
        .run(&["browse", "/nowhere/a.tarmac", "--quit"])
        .fails_with(&["there is no such file", "/nowhere/a.tarmac"]);
    let wrong = sandbox.file("wrong.txt", "Dance\n");
    sandbox
        .run(&["browse", &trace, "--run", &wrong, "--quit"])
        .fails_with(&["wrong.txt, line 1", "\"Dance\""]);
    let window = sandbox.file("window.txt", "Larger text\n");
    sandbox
        .run(&["browse", &trace, "--run", &window, "--quit"])
        .fails_with(&["window.txt, line 1", "in the window only"]);
    let beyond = sandbox.file("beyond.txt", "Go to no_such_function\n");
    sandbox
        .run(&["browse", &trace, "--run", &beyond, "--quit"])
        .fails_with(&["beyond.txt, line 1", "no_such_function"]);
}

#[test]
fn a_screen_is_saved_once_nothing_on_it_is_on_its_way() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW);
    let image = overflow_image();
    for panel in [
        "calls",
        "stack",
        "functions",
        "findings",
        "threads",
        "source",
    ] {
        let script = sandbox.file("script.txt", format!("Go to 1250\nShow {panel}\n"));
        let picture = [
            "--run",
            &script,
            "--screenshot",
            "-",
            "--quit",
            "--size",
            "120x40",
        ];
        let ran = sandbox
            .run(&[&["browse", &trace, "--image", &image][..], &picture].concat())
            .succeeds();
        assert!(!ran.out.contains("Loading"), "{panel}:\n{}", ran.out);
        assert!(
            ran.out.contains("── 1,250 ──") && ran.out.contains("x0"),
            "{panel}:\n{}",
            ran.out
        );
    }
}

#[test]
fn the_demo_opens_at_a_position_too() {
    let sandbox = Sandbox::new();
    let screen = ["--screenshot", "-", "--quit", "--size", "90x20"];
    sandbox
        .run(&[&["browse", "--demo@1234"][..], &screen].concat())
        .succeeds()
        .prints("── 1,234 ──");
    sandbox
        .run(&[&["browse", "--demo@nowhere"][..], &screen].concat())
        .says("\"nowhere\" is neither a function nor a position");
}

#[test]
fn a_position_after_the_trace_of_another_command_is_explained() {
    let sandbox = Sandbox::new();
    let trace = sandbox.fixture(OVERFLOW) + "@50%";
    for arguments in [
        &["info", "--demo@50%"][..],
        &["at", "--demo@50%", "start"],
        &["info", &trace],
        &["list", "--count", "2", &trace],
    ] {
        sandbox
            .run(arguments)
            .ends_misspelt()
            .says("@50%: only the window and browse take a position after @");
    }
}
