//! Reports of Arm's Tarmac tools on their own samples: ours are equal, byte for byte, except for
//! one of their defects.
//!
//! The samples are in the folder `tarmac/` of `STEPBACK_TRACES`.

use std::path::{Path, PathBuf};

use crate::cli::support::{Sandbox, text};

/// A sample, its image, and the trace's first function if the tools miss its name: they overlook
/// the symbol with the lowest address.
const SAMPLES: [(&str, &str, Option<&str>); 3] = [
    ("quicksort", "quicksort.elf", None),
    (
        "calculator-aarch64-fastmodel",
        "calculator-aarch64.elf",
        Some("_start"),
    ),
    (
        "calculator-aarch32-es-ld-st-style",
        "calculator-aarch32.elf",
        Some("_start"),
    ),
];

/// Returns the output of the tools with the missing name of the first function.
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
            let printed =
                std::fs::read_to_string(folder.join(sample).join(format!("{report}.{kind}.txt")))
                    .unwrap();
            let name = first.filter(|_| kind == "image");
            let expected = name.map_or(printed.clone(), |name| with_name(report, &printed, name));
            let ran = sandbox
                .run(&[&[report, &trace][..], more].concat())
                .succeeds();
            assert_eq!(ran.out, expected, "{report} of {sample}, {kind}");
        }
    }
}

/// Returns none if there are no real traces.
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
    folder()
        .iter()
        .for_each(|folder| check(folder, "flamegraph"));
}

/// Copies a sample into a separate folder and returns it with the other arguments of its reports.
fn sample(
    folder: &Path,
    (name, image, _): (&str, &str, Option<&str>),
) -> (Sandbox, String, String) {
    let sandbox = Sandbox::new();
    let trace = text(&sandbox.path(&format!("{name}.tarmac")));
    std::fs::copy(folder.join(format!("{name}.tarmac")), &trace).unwrap();
    (sandbox, trace, text(&folder.join(image)))
}

#[test]
fn real_traces_have_the_waveforms_of_the_tarmac_tools() {
    if let Some(folder) = folder() {
        for case in SAMPLES {
            let (sandbox, trace, image) = sample(&folder, case);
            sandbox
                .run(&["vcd", &trace, "--image", &image, "--no-date"])
                .succeeds();
            let written = std::fs::read_to_string(format!("{trace}.vcd")).unwrap();
            let made = std::fs::read_to_string(folder.join(case.0).join("vcd.image.vcd")).unwrap();
            let declaration = made
                .lines()
                .find(|line| line.ends_with(" Function $end"))
                .unwrap();
            let nameless = format!("s {}", declaration.split(' ').nth(3).unwrap());
            // The only difference: the overlooked symbol with the lowest address has its name.
            let name = |line: &str| match case.2.filter(|_| line == nameless) {
                Some(name) => format!("s{name}{}\n", &line[1..]),
                None => format!("{line}\n"),
            };
            let expected: String = made.lines().map(name).collect();
            let is_equal = written == expected;
            let difference = written
                .lines()
                .zip(expected.lines())
                .find(|(ours, theirs)| ours != theirs);
            assert!(is_equal, "{}: {difference:?}", case.0);
        }
    }
}

#[test]
fn real_traces_are_truncated_where_the_tarmac_tools_do() {
    if let Some(folder) = folder() {
        for case in SAMPLES {
            let (sandbox, trace, _) = sample(&folder, case);
            sandbox.run(&["truncate", &trace, "-o", "copy"]).succeeds();
            let made = std::fs::read(folder.join(case.0).join("truncate.txt")).unwrap();
            assert!(
                std::fs::read(sandbox.path("copy")).unwrap() == made,
                "{}",
                case.0
            );
        }
    }
}
