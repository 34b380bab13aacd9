//! House rules beyond the compiler: the allowed dependencies between rooms, and the shape of the
//! code.
//!
//! The test reads the sources of all crates, resolves each path through re-exports to the file that
//! defines the item, and compares the arrows between files with the rooms in `table.rs`. Method
//! calls are not paths. Methods of a type must be in its own room, so an arrow to the type covers
//! them.

mod circles;
mod report;
mod resolve;
mod rules;
mod scan;
mod survey;
mod table;
mod tests;
mod workspace;

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::rooms::report::{Rule, listed};
use crate::rooms::survey::{Offence, Survey};
use crate::rooms::workspace::Disk;

const RULES: &[Rule] = &[
    Rule {
        name: "arrows between rooms",
        offences: rules::arrows::offences,
    },
    Rule {
        name: "circles of files",
        offences: rules::files::offences,
    },
    Rule {
        name: "instruction sets outside machine",
        offences: rules::instruction_sets::offences,
    },
    Rule {
        name: "parameters",
        offences: rules::parameters::offences,
    },
    Rule {
        name: "mod.rs and lib.rs",
        offences: rules::modules::offences,
    },
    Rule {
        name: "texts that are decoded",
        offences: rules::texts::offences,
    },
    Rule {
        name: "formats outside parsers",
        offences: rules::formats::offences,
    },
];

/// Returns the survey of this repository, or of the one that `ROOMS_ROOT` names.
fn survey() -> &'static Survey {
    static SURVEY: OnceLock<Survey> = OnceLock::new();
    SURVEY.get_or_init(|| {
        let root =
            std::env::var_os("ROOMS_ROOT").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        Survey::of(&Disk(PathBuf::from(root)))
    })
}

#[track_caller]
fn check(offences: fn(&Survey) -> Vec<Offence>) {
    let mut offences = offences(survey());
    offences.sort();
    assert!(
        offences.is_empty(),
        "{} offences:\n{}",
        offences.len(),
        listed(&offences)
    );
}

#[test]
fn all_sources_are_read() {
    assert_eq!(survey().workspace.problems, Vec::<String>::new());
    assert!(
        survey().arrows.len() > 1000,
        "only {} arrows",
        survey().arrows.len()
    );
}

#[test]
fn rooms_use_only_rooms_below() {
    check(rules::arrows::offences);
}

#[test]
fn circles_of_files_are_small_and_in_one_folder() {
    check(rules::files::offences);
}

#[test]
fn only_machine_compares_instruction_sets() {
    check(rules::instruction_sets::offences);
}

#[test]
fn texts_that_are_decoded_are_looked_at_first() {
    check(rules::texts::offences);
}

#[test]
fn no_function_takes_a_tuple_or_a_bool_or_too_much() {
    check(rules::parameters::offences);
}

#[test]
fn mod_and_lib_hold_modules_only() {
    check(rules::modules::offences);
}

#[test]
fn only_parsers_know_formats() {
    check(rules::formats::offences);
}

/// Prints the reports requested by environment variables, and always passes.
#[test]
fn report_for_people() {
    if std::env::var_os("ROOMS_REPORT").is_some() {
        let filter = std::env::var("ROOMS_FILTER").unwrap_or_default();
        println!("{}", report::report(survey(), RULES, &filter));
    }
    if let Ok(filter) = std::env::var("ROOMS_ARROWS") {
        println!("{}", report::arrows(survey(), &filter));
    }
}
