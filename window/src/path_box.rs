//! Path field for a trace, with completion and an error message.

use std::path::{MAIN_SEPARATOR, Path, PathBuf, is_separator};

use egui::{
    Frame, Id, Key, Rect, Stroke, StrokeKind, TextEdit, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use stepback_debugger::action::{Action, FileAction};
use stepback_debugger::messages::say;
use stepback_debugger::paths::from_home;
use stepback_debugger::worker::{Slot, Worker};

use super::go_to::error_line;
use crate::theme::{ThemeColors, mono, ui as ui_font};

/// Maximum number of completions shown.
const OFFERED: usize = 8;

/// State of the field.
#[derive(Default)]
pub struct PathBox {
    text: String,
    error: Option<String>,
    /// The typed path is being opened.
    is_submitted: bool,
    /// Focus the field in the next frame: the path was refused, or the field is shown for the first
    /// time.
    takes_keyboard: bool,
    offered: Slot<String, Vec<String>>,
}

impl PathBox {
    /// Shows an error for the file. Returns false if the path was not typed here, so that the
    /// caller reports the error elsewhere.
    pub fn refuse(&mut self, error: &str) -> bool {
        let is_typed = std::mem::take(&mut self.is_submitted) && !self.text.is_empty();
        if is_typed {
            self.error = Some(error.to_owned());
            self.takes_keyboard = true;
        }
        is_typed
    }

    /// Focuses the field in the next frame.
    pub fn take_keyboard(&mut self) {
        self.takes_keyboard = true;
    }

    /// Clears the field after the file was opened.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn ui(&mut self, ui: &mut Ui, worker: &Worker, out: &mut Vec<Action>) {
        let tok = ThemeColors::current(ui);
        let (rect, _) =
            ui.allocate_exact_size(vec2(ui.available_width(), 30.0), egui::Sense::hover());
        ui.painter().rect_filled(rect, 4.0, tok.bg1);
        // While there is nothing to complete, Tab moves on to the next button.
        let is_completing = !self.text.is_empty()
            && ui.memory(|memory| memory.has_focus(id()))
            && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Tab));
        let response = self.field(ui, rect, tok);
        let stroke = match (&self.error, response.has_focus()) {
            (Some(_), _) => Stroke::new(1.0, tok.err),
            (None, true) => Stroke::new(2.0, tok.focus),
            (None, false) => Stroke::new(1.0, tok.ctl),
        };
        ui.painter()
            .rect_stroke(rect, 4.0, stroke, StrokeKind::Inside);
        if std::mem::take(&mut self.takes_keyboard) {
            response.request_focus();
            put_cursor_at_end(ui, &self.text);
        }
        if response.changed() {
            self.error = None;
        }
        if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
            (self.error, self.is_submitted) = (None, true);
            out.push(match self.text.trim().is_empty() {
                true => Action::File(FileAction::OpenDialog),
                false => Action::File(FileAction::OpenPath(from_home(self.text.trim()))),
            });
        }
        if let Some(error) = &self.error {
            ui.add_space(2.0);
            error_line(ui, error, rect.width());
        }
        // A click on a completion takes the focus before the completion sees the click.
        let is_offering = response.has_focus() || response.lost_focus();
        if is_offering && self.error.is_none() && !self.text.is_empty() {
            let offer = if is_completing {
                PathCompletion::Completed
            } else {
                PathCompletion::Listed
            };
            self.offers_ui(ui, rect, worker, offer);
        }
    }

    fn field(&mut self, ui: &mut Ui, rect: Rect, tok: &ThemeColors) -> egui::Response {
        let inner = Rect::from_min_max(
            pos2(rect.left() + 10.0, rect.top()),
            rect.max - vec2(10.0, 0.0),
        );
        let hint = egui::RichText::new(say!("start-path-of-a-trace"))
            .font(ui_font(12.5))
            .color(tok.t3);
        let font = if self.text.is_empty() {
            ui_font(12.5)
        } else {
            mono(12.5)
        };
        let has_text = !self.text.is_empty();
        let edit = TextEdit::singleline(&mut self.text)
            .id(id())
            .hint_text(hint)
            .font(font)
            .frame(Frame::NONE);
        let edit = edit
            .desired_width(inner.width())
            .align(egui::Align2::LEFT_CENTER)
            .lock_focus(has_text);
        let builder = UiBuilder::new().max_rect(inner);
        let response = ui
            .scope_builder(builder, |ui| ui.add_sized(inner.size(), edit))
            .inner;
        response.widget_info(|| {
            WidgetInfo::labeled(egui::Role::TextInput, true, say!("start-path-of-a-trace"))
        });
        response
    }

    /// Draws the completions. Tab inserts their common prefix, a click inserts the whole name.
    fn offers_ui(&mut self, ui: &mut Ui, rect: Rect, worker: &Worker, offer: PathCompletion) {
        let answer = self.offered.poll(&self.text, worker, |text| {
            let text = text.clone();
            move |_: &stepback_index::Cancel| Ok(names_like(&text))
        });
        let Some(names) = answer.any() else { return };
        let mut chosen = if offer == PathCompletion::Completed {
            common(names)
        } else {
            None
        };
        if !names.is_empty() && names.as_slice() != [self.text.clone()] {
            egui::Area::new(Id::unique("path names"))
                .order(egui::Order::Foreground)
                .fixed_pos(rect.left_bottom() + vec2(0.0, 4.0))
                .show(ui.ctx(), |ui| {
                    Frame::menu(ui.style()).show(ui, |ui| {
                        ui.set_min_width(rect.width() - 16.0);
                        for name in names.iter().take(OFFERED) {
                            let text = egui::RichText::new(name).font(mono(12.5));
                            if ui.add(egui::Button::selectable(false, text)).clicked() {
                                chosen = Some(name.clone());
                            }
                        }
                    });
                });
        }
        if let Some(chosen) = chosen.filter(|chosen| chosen.len() > self.text.len()) {
            self.text = chosen;
            ui.memory_mut(|memory| memory.request_focus(id()));
            put_cursor_at_end(ui, &self.text);
        }
    }
}

/// Use of the completions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathCompletion {
    Listed,
    /// Listed, and their common prefix is inserted.
    Completed,
}

fn id() -> Id {
    Id::unique("path of a trace")
}

fn put_cursor_at_end(ui: &Ui, text: &str) {
    use egui::text::{CCursor, CCursorRange};
    let mut state = egui::text_edit::TextEditState::load(ui.ctx(), id()).unwrap_or_default();
    state
        .cursor
        .set_char_range(Some(CCursorRange::one(CCursor::new(text.chars().count()))));
    state.store(ui.ctx(), id());
}

/// Returns the paths that begin with `text`, folders with a trailing separator. Not for the UI thread.
fn names_like(text: &str) -> Vec<String> {
    // Separators are one byte long: `/`, and on Windows also `\`.
    let cut = text.rfind(is_separator).map_or(0, |place| place + 1);
    let (folder, begin) = text.split_at(cut);
    let separator = folder.chars().next_back().unwrap_or(MAIN_SEPARATOR);
    let place = match folder.is_empty() {
        true => PathBuf::from("."),
        false => from_home(folder),
    };
    let mut names: Vec<String> = entries(&place, separator)
        .into_iter()
        .filter(|name| name.starts_with(begin))
        .map(|name| format!("{folder}{name}"))
        .collect();
    names.sort();
    names.truncate(200);
    names
}

fn entries(folder: &Path, separator: char) -> Vec<String> {
    // An unreadable folder has no completions; opening it reports the reason.
    let Ok(list) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    list.flatten()
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                format!("{name}{separator}")
            } else {
                name
            }
        })
        .filter(|name| !name.starts_with('.') && !name.ends_with(".sbi"))
        .collect()
}

/// Returns the longest common prefix of all names.
fn common(names: &[String]) -> Option<String> {
    let (first, rest) = names.split_first()?;
    let mut length = first.len();
    for name in rest {
        let same = first
            .char_indices()
            .zip(name.chars())
            .find(|((_, one), other)| one != other);
        length = length.min(same.map_or(name.len(), |((place, _), _)| place));
    }
    first.get(..length).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_takes_over_what_all_names_have_in_common() {
        let names = ["run.1.tarmac", "run.12.tarmac"].map(str::to_owned);
        assert_eq!(common(&names).as_deref(), Some("run.1"));
        assert_eq!(common(&[]), None);
    }

    #[test]
    fn folders_end_with_a_slash_and_indexes_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("traces")).unwrap();
        std::fs::write(folder.path().join("trace.tarmac"), "x").unwrap();
        std::fs::write(folder.path().join("trace.tarmac.sbi"), "x").unwrap();
        let begin = format!("{}/tr", folder.path().display());
        let names = names_like(&begin);
        assert_eq!(
            names,
            [format!("{begin}ace.tarmac"), format!("{begin}aces/")]
        );
    }
}
