//! The warnings of the parser.

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_index::Warning;
use stepback_parsers::Source as _;

use super::ViewCx;
use super::cursor_list::{CursorList, take_rect};
use super::keys::{PanelKey, take_keys};
use super::menu::{MenuItem, menu_head_ui};
use super::panel::Panel;
use super::pen::{INSET, Pen};
use super::row::{EmptyWords, RowState, empty_ui, row_background, row_response};
use crate::action::{Action, PanelKind, WindowId};
use crate::model::so_far::{SoFar, so_far};
use crate::model::text::thousands;
use crate::model::warning_words::placed;
use crate::theme::{Tok, icon, icons, mono, ui as ui_font};

/// The bar with the count.
const BAR: f32 = 30.0;

/// The lines that could not be read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct WarningsPanel {
    #[serde(skip)]
    list: CursorList,
}

/// A warning and its place in the list.
pub struct WarningAt<'a> {
    pub place: usize,
    pub warning: &'a Warning,
}

/// With what rows are drawn.
pub struct Scene<'a> {
    pub pen: &'a Pen<'a>,
    pub cx: &'a ViewCx<'a>,
}

impl WarningsPanel {
    /// The list.
    pub fn new() -> Self {
        Self::default()
    }

    fn row_ui(
        &mut self,
        ui: &Ui,
        rect: Rect,
        WarningAt { place, warning }: WarningAt<'_>,
        Scene { pen, cx }: Scene<'_>,
        out: &mut Vec<Action>,
    ) {
        let (tok, y) = (cx.tok, rect.center().y);
        let has_lines = cx.session.index.source().is_text();
        let response = row_response(ui, rect, ("warning", place), || match has_lines {
            true => format!("warning at line {}", warning.line),
            false => format!("warning {}", warning.message),
        });
        let is_cursor = self.list.cursor == place;
        row_background(pen, rect, &response, RowState { is_selected: false, is_cursor, has_focus: cx.has_focus });
        pen.text(rect.left() + INSET, y, icons::WARNING, icon(13.0), tok.warn);
        let left = if has_lines { place_ui(pen, rect, warning, tok) } else { rect.left() + 32.0 };
        let count = times(warning);
        let right = rect.right() - 8.0 - if count.is_empty() { 0.0 } else { pen.width(&count, mono(11.5)) + 8.0 };
        let end = pen.cut_text(pos2(left, y), &warning.message, ui_font(12.5), tok.t1, right);
        pen.text(end + 8.0, y, count, mono(11.5), tok.t3);
        if response.clicked() {
            self.list.cursor = place;
            out.extend(go_to(warning, cx));
        }
        response.context_menu(|ui| {
            if has_lines {
                menu_head_ui(ui, tok, &format!("Line {}", thousands(warning.line)), "");
                if MenuItem::new("Travel to its line").icon(icons::GO_TO).key("Enter").ui(ui, tok) {
                    out.extend(go_to(warning, cx));
                }
            }
            if MenuItem::new("Copy").icon(icons::COPY).key("Ctrl+C").ui(ui, tok) {
                out.push(Action::Copy(text_of(warning, cx)));
            }
        });
    }

    fn keys(&mut self, ui: &Ui, warnings: &[Warning], list: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            match (key, warnings.get(self.list.press(key, warnings.len(), list))) {
                (PanelKey::Enter, Some(warning)) => out.extend(go_to(warning, cx)),
                (PanelKey::Copy, Some(warning)) => out.push(Action::Copy(text_of(warning, cx))),
                _ => {}
            }
        }
    }
}

impl Panel for WarningsPanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::new()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::Warnings
    }

    fn title(&self) -> String {
        "Warnings".to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let warnings = cx.session.index.warnings();
        if warnings.is_empty() {
            let words = match SoFar::of(cx.session) {
                None => EmptyWords("No warnings", "All lines of the trace could be read."),
                Some(_) => EmptyWords("No warnings so far", "All lines that are indexed could be read."),
            };
            return empty_ui(ui, &pen, rect, icons::CHECK, words);
        }
        let (bar, list) = rect.split_top_bottom_at_y(rect.top() + BAR);
        bar_ui(&pen, bar, warnings.len() as u64, cx);
        self.keys(ui, warnings, list, cx, out);
        let area = self.list.area(ui, list, warnings.len(), cx.tok);
        let pen = Pen::new(ui, area.body, cx.tok);
        for (place, rect) in area.places() {
            if let Some(warning) = warnings.get(place) {
                self.row_ui(ui, rect, WarningAt { place, warning }, Scene { pen: &pen, cx }, out);
            }
        }
    }
}

fn bar_ui(pen: &Pen<'_>, bar: Rect, kept: u64, cx: &ViewCx<'_>) {
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
    let count = cx.session.index.info().warning_count;
    let one = if cx.session.index.source().is_text() { "line" } else { "place" };
    let words = match count {
        1 => format!("1 {one} could not be read, or only with doubt"),
        _ => format!("{} {one}s could not be read, or only with doubt", thousands(count)),
    };
    let words = so_far(cx.session, &words);
    let words = if count > kept { format!("{words}; {}", different(kept)) } else { words };
    let at = pos2(bar.left() + INSET, bar.center().y);
    pen.cut_text(pos2(at.x, at.y), &words, ui_font(12.0), cx.tok.t2, bar.right() - 8.0);
}

fn different(kept: u64) -> String {
    match kept {
        1 => "one is listed for all that are alike".to_owned(),
        _ => format!("{} that differ are listed", thousands(kept)),
    }
}

/// How often it occurs, if more than once.
fn times(warning: &Warning) -> String {
    if warning.count > 1 { format!("×{}", thousands(warning.count)) } else { String::new() }
}

/// Draws the line and the byte. Returns where the message begins.
fn place_ui(pen: &Pen<'_>, rect: Rect, warning: &Warning, tok: &Tok) -> f32 {
    let y = rect.center().y;
    let line = format!("line {}", thousands(warning.line));
    let end = pen.text(rect.left() + 32.0, y, line, mono(12.5), tok.accent);
    let byte = format!("byte {}", thousands(warning.offset));
    let end = pen.label((end + INSET).max(rect.left() + 140.0), y, byte, tok.t3);
    (end + INSET).max(rect.left() + 230.0)
}

/// None where the format has no lines.
fn go_to(warning: &Warning, cx: &ViewCx<'_>) -> Option<Action> {
    cx.session.index.source().is_text().then(|| Action::GoTo(format!("line:{}", warning.line)))
}

fn text_of(warning: &Warning, cx: &ViewCx<'_>) -> String {
    let text = placed(warning, &warning.message, &cx.session.index);
    format!("{text} {}", times(warning)).trim_end().to_owned()
}
