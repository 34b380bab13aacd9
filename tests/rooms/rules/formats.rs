//! Only `parsers` knows the vocabulary of formats; the index names none.

use std::collections::BTreeSet;

use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::survey::{Offence, Survey};

/// Modules of `parsers`, as they appear in identifiers about them.
const FORMATS: &[&str] = &["tarmac", "drmemtrace", "btrace"];
/// Folders whose code must not mention them.
const IGNORANT: &[&str] = &["machine/", "index/"];

pub fn is_a_word_of_a_format(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    FORMATS.iter().any(|format| name.contains(format))
}

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let is_ignorant = |file: &str| IGNORANT.iter().any(|folder| file.starts_with(folder));
    let items = survey.arrows.iter().filter_map(|arrow| {
        let (from, to) = (survey.path_of(arrow.from), survey.path_of(arrow.to));
        let of_a_format = FORMATS
            .iter()
            .any(|format| to.starts_with(&format!("parsers/src/{format}/")));
        let what = format!("uses {} of {to}", arrow.item);
        (of_a_format && is_ignorant(from)).then(|| Offence {
            file: from.to_owned(),
            line: arrow.line,
            what,
        })
    });
    let words = survey.workspace.facts.iter().filter_map(|placed| {
        let FactKind::FormatWord(word) = &placed.fact.kind else {
            return None;
        };
        let file = survey.path_of(survey.workspace.file_of(placed.module));
        let what = format!("says {word}");
        is_ignorant(file).then(|| Offence {
            file: file.to_owned(),
            line: placed.fact.line,
            what,
        })
    });
    BTreeSet::from_iter(items.chain(words))
        .into_iter()
        .collect()
}
