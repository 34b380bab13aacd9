//! Call costs: `profile`, `flamegraph` and `calltree` agree in every format.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use stepback_generator::drmemtrace::{Architecture, Container, Sample};

use crate::cli::support::{AMP, OVERFLOW, Sandbox};

/// Copies fixtures into the sandbox; returns the path of the first.
fn put(sandbox: &Sandbox, names: &[&str]) -> String {
    let paths: Vec<String> = names.iter().map(|name| sandbox.fixture(name)).collect();
    paths.first().unwrap().clone()
}

fn sample(sandbox: &Sandbox, sample: Sample) -> String {
    let folder = sandbox.path("sample");
    std::fs::create_dir_all(&folder).unwrap();
    for file in sample.files(Container::Zip) {
        std::fs::write(folder.join(file.name), file.bytes).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

fn address(text: &Value) -> u64 {
    // Masks bit 0, which marks Thumb code in only some of the answers.
    u64::from_str_radix(text.as_str().unwrap().trim_start_matches("0x"), 16).unwrap() & !1
}

/// Self cost and number of calls of each function.
type Costs = BTreeMap<u64, u64>;

fn sums(values: impl Iterator<Item = (u64, u64)>) -> Costs {
    let mut sums = Costs::new();
    values.for_each(|(function, value)| *sums.entry(function).or_default() += value);
    sums
}

#[track_caller]
fn check(sandbox: &Sandbox, trace: &str) {
    let name = Path::new(trace)
        .file_name()
        .unwrap()
        .to_string_lossy()
        .into_owned();
    let (profile, stacks) = (
        sandbox.json(&["profile", trace]),
        sandbox.json(&["flamegraph", trace]),
    );
    let (profile, stacks) = (profile.as_array().unwrap(), stacks.as_array().unwrap());
    assert!(!profile.is_empty(), "{name}");
    let field = |field: &str| {
        sums(profile.iter().map(|function| {
            (
                address(&function["address"]),
                function[field].as_u64().unwrap(),
            )
        }))
    };
    let tops = stacks.iter().map(|stack| {
        let top = &stack["functions"].as_array().unwrap().last().unwrap()["address"];
        (address(top), stack["time"].as_u64().unwrap())
    });
    assert_eq!(sums(tops), field("self_time"), "{name}: own cost");
    let calls = sandbox.json_lines(&["calltree", trace]);
    let calls = calls
        .iter()
        .map(|call| (address(&call["function"]["address"]), 1));
    assert_eq!(sums(calls), field("calls"), "{name}: calls");
    let steps = sandbox.json(&["info", trace])["steps"].as_u64();
    assert_eq!(
        Some(field("self_steps").values().sum::<u64>()),
        steps,
        "{name}: steps"
    );
    // For formats other than Tarmac, the text has the same totals as the JSON.
    if sandbox.json(&["info", trace])["format"] != "tarmac" {
        let text = sandbox.run(&["flamegraph", trace]).succeeds().out;
        let whole: u64 = text
            .lines()
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
            .sum();
        assert_eq!(
            whole,
            field("self_time").values().sum::<u64>(),
            "{name}: text"
        );
    }
}

#[test]
fn profile_flame_graph_and_tree_agree() {
    for names in [
        &[OVERFLOW][..],
        &[AMP],
        &["cm3.tiny.tarmac"],
        &["recurse.tiny.tarmac"],
        &["rst/small.rst"],
        &["rst/cti.rst"],
        &["btrace/hello.btf", "btrace/hello.elf"],
        &["btrace/cti.btf", "btrace/cti.elf"],
    ] {
        let sandbox = Sandbox::new();
        let trace = put(&sandbox, names);
        check(&sandbox, &trace);
    }
    for kind in [
        Sample::Plain(7, Architecture::X86_64),
        Sample::Threads,
        Sample::Kernel,
    ] {
        let sandbox = Sandbox::new();
        let trace = sample(&sandbox, kind);
        check(&sandbox, &trace);
    }
}

/// In the fixture's program, `fn` has two instructions and is called twice; `win` has five. The
/// delay slot of a call executes before control enters the function (The SPARC Architecture Manual,
/// Version 9, 6.3.4.2 and A.8). The slot of a return belongs to the returning function.
#[test]
fn the_slot_of_a_call_is_the_callers() {
    let sandbox = Sandbox::new();
    let trace = put(&sandbox, &["rst/cti.rst"]);
    let profile = sandbox.json(&["profile", &trace]);
    let of = |address: &str| {
        let function = profile
            .as_array()
            .unwrap()
            .iter()
            .find(|function| function["address"] == address)
            .unwrap();
        ["calls", "steps", "self_steps"].map(|field| function[field].as_u64().unwrap())
    };
    assert_eq!([of("0x100210"), of("0x100218")], [[2, 4, 4], [1, 5, 5]]);
    // All steps except those above and one of the kernel.
    assert_eq!(of("0x10010c"), [1, 68, 58]);
    // Position 41 is before the slot of the first call, 42 before the first instruction of `fn`, 43
    // before the slot of its return.
    let depths = ["41", "42", "43", "44"].map(|at| {
        sandbox.json(&["at", &trace, at, "--stack"])["stack"]
            .as_array()
            .map(Vec::len)
    });
    assert_eq!(depths, [Some(1), Some(2), Some(2), Some(1)]);
}
