//! No length that a file claims gets room before its bytes are there: owned texts are decoded by `stepback_parsers::decoded_text`.

use crate::scan::file_scan::FactKind;
use crate::survey::{Offence, Survey};

/// Settings and layouts are texts themselves, which are as long as they are.
const TEXTUAL: &str = "src/";

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let fields = survey.workspace.facts.iter().filter_map(|placed| {
        let FactKind::TrustedText(name) = &placed.fact.kind else { return None };
        let file = survey.path_of(survey.workspace.file_of(placed.module)).to_owned();
        let what = format!("{name} is decoded without `decoded_text`");
        (!file.starts_with(TEXTUAL)).then_some(Offence { file, line: placed.fact.line, what })
    });
    fields.collect()
}
