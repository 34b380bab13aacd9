//! A length from a file never reserves memory before its bytes are read: owned texts are decoded by
//! `stepback_parsers::decoded_text`.

use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::survey::{Offence, Survey};

/// Crates and folders whose settings and layouts are text, so their length cannot lie.
const TEXTUAL: &[&str] = &[
    "parsers/src/template/",
    "debugger/",
    "window/",
    "terminal/",
    "src/",
];

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let fields = survey.workspace.facts.iter().filter_map(|placed| {
        let FactKind::TrustedText(name) = &placed.fact.kind else {
            return None;
        };
        let file = survey
            .path_of(survey.workspace.file_of(placed.module))
            .to_owned();
        let what = format!("{name} is decoded without `decoded_text`");
        (!TEXTUAL.iter().any(|folder| file.starts_with(folder))).then_some(Offence {
            file,
            line: placed.fact.line,
            what,
        })
    });
    fields.collect()
}
