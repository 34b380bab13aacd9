//! `mod.rs` and `lib.rs` contain only `//!`, `mod` and `use`.

use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::survey::{Offence, Survey};

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let code = survey.workspace.facts.iter().filter_map(|placed| {
        let FactKind::Code(what) = &placed.fact.kind else {
            return None;
        };
        let file = survey
            .path_of(survey.workspace.file_of(placed.module))
            .to_owned();
        Some(Offence {
            file,
            line: placed.fact.line,
            what: format!("holds {what}"),
        })
    });
    code.collect()
}
