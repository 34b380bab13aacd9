//! Source trees written as one text.

use std::collections::HashMap;

use crate::rooms::survey::{Offence, Survey};
use crate::rooms::workspace::Sources;

/// Files by path.
pub struct Tree(HashMap<String, String>);

impl Sources for Tree {
    fn read(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }
}

/// Returns the survey of a text in which each file follows a line `== path`.
pub fn survey_of(text: &str) -> Survey {
    let text = format!("\n{text}");
    let files = text
        .split("\n== ")
        .skip(1)
        .filter_map(|file| file.split_once('\n'));
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
    let survey = Survey::of(&Tree(files.collect()));
    assert_eq!(survey.workspace.problems, Vec::<String>::new());
    survey
}

/// Formats each arrow as `file:line item of file`.
pub fn arrows_text(survey: &Survey) -> String {
    let lines = survey.arrows.iter().map(|arrow| {
        let [from, to] = [arrow.from, arrow.to].map(|file| survey.path_of(file));
        format!("{from}:{} {} of {to}", arrow.line, arrow.item)
    });
    let mut lines: Vec<_> = lines.collect();
    lines.sort();
    lines.join("\n")
}

/// Formats each offence as `file:line what`.
pub fn offences_text(mut offences: Vec<Offence>) -> String {
    offences.sort();
    let lines = offences
        .iter()
        .map(|offence| format!("{}:{} {}", offence.file, offence.line, offence.what));
    lines.collect::<Vec<_>>().join("\n")
}
