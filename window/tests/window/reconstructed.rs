//! Unrecorded steps: between the branches of a recording, and after its end.

use crate::sandbox::Sandbox;
use crate::support::Driver;

/// Opens `hello_gap.btf` with its program next to it.
fn open() -> Driver {
    let sandbox = Sandbox::new();
    let copy = |name: &str| {
        let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
            .join("fixtures/btrace");
        sandbox.file(name, std::fs::read(root.join(name)).unwrap())
    };
    copy("hello.elf");
    sandbox.open(&copy("hello_gap.btf"))
}

#[test]
fn steps_that_nothing_recorded_bear_marks_next_to_their_numbers() {
    let mut window = open();
    window.go_to("0");
    let dots = |window: &Driver, step: &str| window.painted_dots(step).len();
    assert_eq!(
        ["step 0", "step 2", "step 3"].map(|step| dots(&window, step)),
        [1, 0, 1],
        "2 is a recorded call"
    );
    window.go_to("end");
    // After the last record, dots are below the whole number.
    assert!(
        dots(&window, "step 1628") > 3,
        "{}",
        dots(&window, "step 1628")
    );
}
