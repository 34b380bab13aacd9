//! The report of `ROOMS_REPORT=1`: the violations of each rule, without failing.
//!
//! `ROOMS_FILTER` selects files by the start of their path. `ROOMS_ARROWS` prints the dependencies
//! of such files instead.

use std::collections::BTreeMap;

use crate::rooms::survey::{Offence, Survey};
use crate::rooms::table::RoomId;
use crate::rooms::workspace::{FileId, folder_of};

/// A rule and its name.
pub struct Rule {
    pub name: &'static str,
    pub offences: fn(&Survey) -> Vec<Offence>,
}

/// Formats the offences of each rule, by folder.
pub fn report(survey: &Survey, rules: &[Rule], filter: &str) -> String {
    let mut text = String::new();
    for problem in &survey.workspace.problems {
        text += &format!("unread: {problem}\n");
    }
    let mut summary = String::new();
    for rule in rules {
        let mut offences = (rule.offences)(survey);
        offences.retain(|offence| {
            offence.file.starts_with(filter) || offence.what.contains(&format!("\n    {filter}"))
        });
        offences.sort();
        let mut folders: BTreeMap<&str, Vec<&Offence>> = BTreeMap::new();
        offences.iter().for_each(|offence| {
            folders
                .entry(folder_of(&offence.file))
                .or_default()
                .push(offence)
        });
        text += &format!("\n== {}: {}\n", rule.name, offences.len());
        for (folder, offences) in folders {
            text += &format!("-- {folder}: {}\n{}", offences.len(), listed(offences));
        }
        summary += &format!("{:6} {}\n", offences.len(), rule.name);
    }
    format!("{text}\n{summary}")
}

/// Formats one line per offence.
pub fn listed<'a>(offences: impl IntoIterator<Item = &'a Offence>) -> String {
    let lines = offences
        .into_iter()
        .map(|Offence { file, line, what }| format!("{file}:{line}: {what}\n"));
    lines.collect()
}

/// Formats the dependencies of files in both directions.
pub fn arrows(survey: &Survey, filter: &str) -> String {
    let is_meant = |file: FileId| survey.path_of(file).starts_with(filter);
    let room = |file: FileId| {
        RoomId::of(survey.path_of(file)).map_or_else(|| "no room".to_owned(), RoomId::name)
    };
    let mut text = String::from("== uses\n");
    for arrow in survey
        .arrows
        .iter()
        .filter(|arrow| is_meant(arrow.from) && !is_meant(arrow.to))
    {
        let (from, to) = (survey.path_of(arrow.from), survey.path_of(arrow.to));
        text += &format!(
            "{from}:{}: {} of {to} [{}]\n",
            arrow.line,
            arrow.item,
            room(arrow.to)
        );
    }
    text += "== is used by\n";
    for arrow in survey
        .arrows
        .iter()
        .filter(|arrow| !is_meant(arrow.from) && is_meant(arrow.to))
    {
        let (from, to) = (survey.path_of(arrow.from), survey.path_of(arrow.to));
        text += &format!(
            "{from}:{} [{}]: {} of {to}\n",
            arrow.line,
            room(arrow.from),
            arrow.item
        );
    }
    text
}
