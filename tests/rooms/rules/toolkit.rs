//! Only the window's rooms know the toolkit.

use std::collections::BTreeSet;

use crate::survey::{Offence, Survey};
use crate::table::RoomId;

/// Crates that draw or open dialogs.
const TOOLKIT: &[&str] = &["egui", "eframe", "egui_tiles", "epaint", "emath", "rfd"];
/// Its rooms.
const WINDOW: &[&str] = &["src/window", "src/panels", "src/theme", "src/keymap"];

pub fn offences(survey: &Survey) -> Vec<Offence> {
    let uses = survey.foreign.iter().filter_map(|one| {
        let file = survey.path_of(one.from);
        let known = one.path.first().is_some_and(|name| TOOLKIT.contains(&name.as_str()));
        let allowed = RoomId::of(file).is_some_and(|room| WINDOW.contains(&room.name().as_str()));
        let what = format!("knows {}", one.path.join("::"));
        (known && !allowed).then(|| Offence { file: file.to_owned(), line: one.line, what })
    });
    BTreeSet::from_iter(uses).into_iter().collect()
}
