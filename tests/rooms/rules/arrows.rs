//! No room uses a higher room, another room of its floor, or one that is restricted.

use crate::rooms::resolve::Target;
use crate::rooms::scan::file_scan::FactKind;
use crate::rooms::survey::{Offence, Survey};
use crate::rooms::table::RoomId;
use crate::rooms::workspace::FileId;

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let mut offences: Vec<_> = survey
        .arrows
        .iter()
        .filter_map(|arrow| {
            let (from, to) = (survey.path_of(arrow.from), survey.path_of(arrow.to));
            let (room, other) = (RoomId::of(from)?, RoomId::of(to)?);
            let why = room.barred_from(other)?;
            let what = format!(
                "{} -> {} ({why}): {} of {to}",
                room.name(),
                other.name(),
                arrow.item
            );
            Some(Offence {
                file: from.to_owned(),
                line: arrow.line,
                what,
            })
        })
        .collect();
    offences.extend(homeless(survey));
    offences.extend(impls_elsewhere(survey));
    offences
}

/// Returns the files missing from the table. The first file of a library has no room.
fn homeless(survey: &Survey) -> impl Iterator<Item = Offence> {
    let files = survey
        .workspace
        .files
        .iter()
        .filter(|file| !file.ends_with("src/lib.rs") && RoomId::of(file).is_none());
    files.map(|file| Offence {
        file: file.clone(),
        line: 1,
        what: "has no room in the table".to_owned(),
    })
}

/// Rooms that may add methods to a type of a lower room. Every room of `machine` knows the name of
/// an instruction set or a mode, but only the top knows its architecture. Lower rooms may not call
/// these methods.
const METHODS_ABOVE: &[(&str, &str)] = &[
    ("machine/rows", "InstructionSet"),
    ("machine/rows", "Mode"),
    ("machine/rows", "Bank"),
];

/// Returns the methods that a type gets in another room: their callers use that room without an
/// import.
fn impls_elsewhere(survey: &Survey) -> impl Iterator<Item = Offence> {
    survey.workspace.facts.iter().filter_map(|placed| {
        let FactKind::InherentImpl(path) = &placed.fact.kind else {
            return None;
        };
        let Target::Item(item) = survey.workspace.resolve(placed.module, path)? else {
            return None;
        };
        let path_of = |file: FileId| survey.path_of(file);
        let (here, there) = (
            path_of(survey.workspace.file_of(placed.module)),
            path_of(survey.workspace.file_of(item.module)),
        );
        let (room, home) = (RoomId::of(here)?, RoomId::of(there)?);
        let is_meant = METHODS_ABOVE.contains(&(room.name().as_str(), item.name.as_str()));
        (room != home && !is_meant).then(|| {
            let what = format!(
                "{} gives methods to {} of {} ({there})",
                room.name(),
                item.name,
                home.name()
            );
            Offence {
                file: here.to_owned(),
                line: placed.fact.line,
                what,
            }
        })
    })
}
