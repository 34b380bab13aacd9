//! The reports of the Tarmac tools on their own samples: ours are the same, byte for byte, but for one of their defects.
//!
//! They are looked for where the variable `STEPBACK_TRACES` points (a folder with `tarmac/` in it).

use std::path::{Path, PathBuf};

use crate::support::{Sandbox, text};

/// A sample, its image, and the function that the trace begins with where the tools do not find its name:
/// they overlook the symbol with the lowest address.
const SAMPLES: [(&str, &str, Option<&str>); 3] = [
    ("quicksort", "quicksort.elf", None),
    ("calculator-aarch64-fastmodel", "calculator-aarch64.elf", Some("_start")),
    ("calculator-aarch32-es-ld-st-style", "calculator-aarch32.elf", Some("_start")),
];

/// What the tools would have printed had they found the name of the first function.
fn with_name(report: &str, printed: &str, name: &str) -> String {
    let line = |line: &str| match report {
        "calltree" if line.starts_with("o ") => format!("{line}{name}\n"),
        "profile" if line.starts_with("0x") && !line.trim_end().contains('_') => {
            format!("{line}{name}\n")
        }
        "flamegraph" => {
            let end = line.find([';', ' ']).unwrap();
            format!("{name}{}\n", &line[end..])
        }
        _ => format!("{line}\n"),
    };
    printed.lines().map(line).collect()
}

fn check(folder: &Path, report: &str) {
    let sandbox = Sandbox::new();
    for (sample, image, first) in SAMPLES {
        let trace = text(&sandbox.path(&format!("{sample}.tarmac")));
        std::fs::copy(folder.join(format!("{sample}.tarmac")), &trace).unwrap();
        let image = text(&folder.join(image));
        for (kind, more) in [("noimage", &[][..]), ("image", &["--image", &image])] {
            let printed = std::fs::read_to_string(folder.join(sample).join(format!("{report}.{kind}.txt"))).unwrap();
            let name = first.filter(|_| kind == "image");
            let expected = name.map_or(printed.clone(), |name| with_name(report, &printed, name));
            let ran = sandbox.run(&[&[report, &trace][..], more].concat()).succeeds();
            assert_eq!(ran.out, expected, "{report} of {sample}, {kind}");
        }
    }
}

/// None where there are no real traces.
fn folder() -> Option<PathBuf> {
    let traces = std::env::var_os("STEPBACK_TRACES").map(PathBuf::from);
    if traces.is_none() {
        println!("skipped: STEPBACK_TRACES is not set");
    }
    Some(traces?.join("tarmac/arm-samples"))
}

#[test]
fn real_traces_have_the_call_trees_of_the_tarmac_tools() {
    folder().iter().for_each(|folder| check(folder, "calltree"));
}

#[test]
fn real_traces_have_the_profiles_of_the_tarmac_tools() {
    folder().iter().for_each(|folder| check(folder, "profile"));
}

#[test]
fn real_traces_have_the_flame_graphs_of_the_tarmac_tools() {
    folder().iter().for_each(|folder| check(folder, "flamegraph"));
}
