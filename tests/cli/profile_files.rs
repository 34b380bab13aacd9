//! `stepback profile --to`: profiles for other programs have the numbers of `profile --json`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cli::support::{OVERFLOW, Sandbox, fixture_path, text};

/// Traces with recursion, several threads, several stacks of a thread, and delay slots.
const TRACES: [&str; 6] = [
    OVERFLOW,
    "recurse.tiny.tarmac",
    "amp.head.tarmac",
    "small/tasks.tarmac",
    "drmemtrace/threads",
    "rst/small.rst",
];

/// Prints a profile of a fixture, without an index next to it.
fn printed(trace: &str, arguments: &[&str]) -> String {
    let sandbox = Sandbox::new();
    let trace = text(&fixture_path(trace));
    let all = [
        &["profile", &trace, "--index", "a.sbi", "--quiet"],
        arguments,
    ]
    .concat();
    sandbox.run(&all).succeeds().out
}

/// Returns the own steps of each function, by name or address. Functions of one name count as one.
fn own_steps(trace: &str) -> BTreeMap<String, u64> {
    let profile: Value = serde_json::from_str(&printed(trace, &["--json"])).unwrap();
    let mut steps = BTreeMap::new();
    for function in profile.as_array().unwrap() {
        let symbol = function["symbol"].as_str();
        let address = function["address"].as_str().unwrap();
        let address = u64::from_str_radix(&address[2..], 16).unwrap();
        let name = symbol.map_or_else(|| format!("{address:#x}"), str::to_owned);
        *steps.entry(name).or_default() += function["self_steps"].as_u64().unwrap();
    }
    steps.retain(|_, steps| *steps > 0);
    steps
}

#[test]
fn speedscope_has_the_own_steps_of_each_function() {
    for trace in TRACES {
        let profile: Value =
            serde_json::from_str(&printed(trace, &["--to", "speedscope"])).unwrap();
        let frames = profile["shared"]["frames"].as_array().unwrap();
        let mut steps: BTreeMap<String, u64> = BTreeMap::new();
        for of_thread in profile["profiles"].as_array().unwrap() {
            let mut open: Vec<u64> = Vec::new();
            let mut last = of_thread["startValue"].as_u64().unwrap();
            for event in of_thread["events"].as_array().unwrap() {
                let (at, frame) = (&event["at"], event["frame"].as_u64().unwrap());
                let at = at.as_u64().unwrap();
                assert!(at >= last, "{trace}: {event}");
                if let Some(inner) = open.last() {
                    let name = frames[*inner as usize]["name"].as_str().unwrap();
                    *steps.entry(name.to_owned()).or_default() += at - last;
                }
                last = at;
                match event["type"].as_str() {
                    Some("O") => open.push(frame),
                    _ => assert_eq!(open.pop(), Some(frame), "{trace}: {event}"),
                }
            }
            assert!(open.is_empty(), "{trace}");
            assert_eq!(of_thread["endValue"].as_u64(), Some(last), "{trace}");
        }
        steps.retain(|_, steps| *steps > 0);
        assert_eq!(steps, own_steps(trace), "{trace}");
    }
}

#[test]
fn callgrind_has_the_own_steps_of_each_function() {
    for trace in TRACES {
        let profile = printed(trace, &["--to", "callgrind"]);
        let mut steps: BTreeMap<String, u64> = BTreeMap::new();
        let (mut name, mut is_call) = (String::new(), false);
        let mut total = None;
        for line in profile
            .lines()
            .skip_while(|line| !line.starts_with("events: Steps"))
        {
            if let Some(function) = line.strip_prefix("fn=") {
                name = function.split_once(") ").unwrap().1.to_owned();
            } else if let Some(costs) = line.strip_prefix("totals: ") {
                total = costs.split(' ').next().map(|steps| steps.parse().unwrap());
            } else if line.starts_with("calls=") {
                is_call = true;
            } else if line.starts_with(|first: char| first.is_ascii_digit()) {
                // A line after `calls=` is the cost of the calls.
                if !std::mem::take(&mut is_call) {
                    let cost: u64 = line.split(' ').nth(1).unwrap().parse().unwrap();
                    *steps.entry(name.clone()).or_default() += cost;
                }
            }
        }
        assert_eq!(total, Some(steps.values().sum::<u64>()), "{trace}");
        steps.retain(|_, steps| *steps > 0);
        assert_eq!(steps, own_steps(trace), "{trace}");
    }
}

#[test]
fn perfetto_has_each_call_between_its_positions() {
    for trace in TRACES {
        let sandbox = Sandbox::new();
        let path = text(&fixture_path(trace));
        let calls = sandbox.json_lines(&["calltree", &path, "--index", "a.sbi"]);
        let profile: Value = serde_json::from_str(&printed(trace, &["--to", "perfetto"])).unwrap();
        let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut entered = 0;
        for event in profile["traceEvents"].as_array().unwrap() {
            let tid = event["tid"].as_u64().unwrap();
            match event["ph"].as_str().unwrap() {
                "M" => assert!(open.insert(tid, Vec::new()).is_none()),
                "B" => {
                    entered += 1;
                    open.get_mut(&tid)
                        .unwrap()
                        .push(event["ts"].as_u64().unwrap());
                }
                _ => {
                    let begin = open.get_mut(&tid).unwrap().pop().unwrap();
                    assert!(begin <= event["ts"].as_u64().unwrap(), "{trace}: {event}");
                }
            }
        }
        assert!(open.values().all(Vec::is_empty), "{trace}");
        assert_eq!(entered, calls.len(), "{trace}");
    }
}
