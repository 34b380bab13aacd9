//! Only `machine` tests for an instruction set; other crates pass it on and query the architecture.

use crate::rooms::resolve::Target;
use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::survey::{Offence, Survey};

/// Predicates that are equivalent to a comparison.
pub const PREDICATES: &[&str] = &[
    "is_arm",
    "is_x86",
    "is_aarch32",
    "is_aarch64",
    "is_riscv",
    "is_sparc",
    "is_thumb",
];

/// Types whose variants no other crate may compare.
const GUARDED: &[&str] = &["InstructionSet", "Architecture"];
const HOME: &str = "machine/";

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let outside = survey.workspace.facts.iter().filter_map(|placed| {
        let file = survey.path_of(survey.workspace.file_of(placed.module));
        if file.starts_with(HOME) {
            return None;
        }
        let what = match &placed.fact.kind {
            FactKind::Predicate(name) => format!("asks {name}()"),
            FactKind::Compared { path, how } => {
                let Target::Item(item) = survey.workspace.resolve(placed.module, path)? else {
                    return None;
                };
                let variant = item
                    .rest
                    .first()
                    .filter(|_| GUARDED.contains(&item.name.as_str()))?;
                format!("{how} with {}::{variant}", item.name)
            }
            _ => return None,
        };
        Some(Offence {
            file: file.to_owned(),
            line: placed.fact.line,
            what,
        })
    });
    outside.collect()
}
