//! One row for each line form: the context before it, the line, and the expected events.

use std::fmt::Write as _;

use stepback_machine::Endian;

use crate::tarmac::source::TarmacOptions;
use crate::tarmac::tests::support::{open, parse};

/// A section of rows `before<TAB>line<TAB>events`, events joined by ` | `.
///
/// `before` is `-` for nothing, `B` for big-endian data, `T` for implicit Thumb, else the mode of a
/// preceding instruction: AArch64 if it begins with `EL`, Thumb for a mode of M-profile, else A32.
/// `\0` in a line is a NUL, `\ufeff` a byte order mark.
const FORMS: &str = include_str!("forms.tsv");

fn events(before: &str, line: &str) -> String {
    let options = TarmacOptions {
        endian: if before == "B" {
            Endian::Big
        } else {
            Endian::Little
        },
        implicit_thumb: before == "T",
    };
    let instruction = match before {
        "-" | "B" | "T" => String::new(),
        mode if mode.starts_with("EL") => {
            format!("10 clk IT (1) 00009000 d503201f O {mode} : NOP\n")
        }
        mode @ ("thread" | "handler") => format!("10 clk IT (1) 00009000 46c0 T {mode} : NOP\n"),
        mode => format!("10 clk IT (1) 00009000 e1a00000 A {mode} : NOP\n"),
    };
    let text = format!(
        "{instruction}{}\n",
        line.replace("\\0", "\0").replace("\\ufeff", "\u{feff}")
    );
    let read = |is_slow: bool| {
        let tarmac = open(text.as_bytes(), options);
        let tarmac = if is_slow { tarmac.slowly() } else { tarmac };
        let recorder = parse(&tarmac, 0..text.len() as u64).0;
        let events: Vec<_> = recorder
            .text()
            .lines()
            .skip(instruction.lines().count())
            .map(str::to_owned)
            .collect();
        events.join(" | ")
    };
    let quick = read(false);
    assert_eq!(quick, read(true), "{line}");
    quick
}

#[test]
fn every_form_gives_its_events() {
    let mut wrong = String::new();
    let mut count = 0;
    for row in FORMS.lines().filter(|row| !row.starts_with('#')) {
        let mut cells = row.splitn(3, '\t');
        let [before, line, expected] = [(); 3].map(|()| cells.next().unwrap_or_default());
        let found = events(before, line);
        count += 1;
        if found != expected {
            let _ = writeln!(wrong, "{before}\t{line}\t{found}");
        }
    }
    assert!(count >= 150, "{count} forms");
    assert!(wrong.is_empty(), "these rows were found instead:\n{wrong}");
}
