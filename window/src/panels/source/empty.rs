//! Messages of a source panel without a source.

use egui::{Rect, Ui, pos2, vec2};

use crate::panels::pen::Pen;
use crate::panels::row::{EmptyMessage, empty_ui};
use crate::theme::{icons, ui as ui_font};
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::messages::say;

/// Reports that no source line is known, and offers to add an image.
pub fn no_source_ui(
    ui: &mut Ui,
    pen: &Pen<'_>,
    rect: Rect,
    words: EmptyMessage<'_>,
    out: &mut Vec<Action>,
) {
    SourceOffer {
        words,
        button: say!("source-add-image"),
        action: Action::File(FileAction::AddImage(None)),
    }
    .ui(ui, pen, rect, out);
}

/// Reports that the file is not at the path in the image, and offers to locate it.
pub fn not_found_ui(ui: &mut Ui, pen: &Pen<'_>, rect: Rect, name: &str, out: &mut Vec<Action>) {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let sentence = say!("source-not-found", file = file);
    let advice = say!(
        "source-compiled-as",
        name = end_that_fits(pen, name, rect.width() - 190.0)
    );
    let words = EmptyMessage(&sentence, &advice);
    SourceOffer {
        words,
        button: say!("source-locate"),
        action: Action::File(FileAction::LocateSource(name.to_owned())),
    }
    .ui(ui, pen, rect, out);
}

/// Shortens a path to an end that fits: the end identifies a file better than the beginning.
fn end_that_fits(pen: &Pen<'_>, path: &str, room: f32) -> String {
    let is_fitting = |text: &str| pen.width(text, ui_font(12.0)) <= room;
    if is_fitting(path) {
        return path.to_owned();
    }
    let ends = path
        .match_indices(['/', '\\'])
        .filter_map(|(place, _)| path.get(place..));
    let cut: Vec<String> = ends.map(|end| format!("…{end}")).collect();
    cut.iter()
        .find(|text| is_fitting(text))
        .or(cut.last())
        .cloned()
        .unwrap_or_else(|| path.to_owned())
}

/// Reason why there is no source, and a button that may help.
struct SourceOffer<'a> {
    words: EmptyMessage<'a>,
    button: &'a str,
    action: Action,
}

impl SourceOffer<'_> {
    fn ui(self, ui: &mut Ui, pen: &Pen<'_>, rect: Rect, out: &mut Vec<Action>) {
        empty_ui(ui, pen, rect, icons::SOURCE, self.words);
        let center = pos2(rect.center().x, rect.center().y + 48.0);
        let place = Rect::from_center_size(center, vec2(96.0, 26.0));
        if rect.contains(place.max) && ui.put(place, egui::Button::new(self.button)).clicked() {
            out.push(self.action);
        }
    }
}
