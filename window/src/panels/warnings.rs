//! The warnings of the parser.

use std::sync::Arc;

use egui::{Rect, Ui, pos2, vec2};
use serde::{Deserialize, Serialize};
use stepback_index::{Cancel, Query as _, RawLines, Warning};
use stepback_parsers::Line;

use super::ViewCx;
use super::cursor_list::{CursorList, take_rect};
use super::keys::{PanelKey, take_keys};
use super::menu::{MenuItem, menu_head_ui};
use super::panel::Panel;
use super::pen::{INSET, Pen};
use super::row::{EmptyWords, RowState, empty_ui, row_background, row_response};
use super::sort::{Head, SortBy, heads_ui};
use super::table::{Export, text_table};
use crate::theme::{Tok, icon, icons, mono, ui as ui_font};
use stepback_debugger::action::{Action, AppAction, PanelKind, TravelAction, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::so_far::{SoFar, so_far};
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::warning_words::placed;
use stepback_debugger::session::Session;
use stepback_debugger::worker::Slot;

/// The bar with the count.
const BAR: f32 = 30.0;
/// The heads of the columns.
const HEAD: f32 = 20.0;
/// The column of how often a warning occurs.
const TIMES: f32 = 64.0;
/// Characters of a line that are shown.
const LONGEST: usize = 300;

/// The lines that could not be read.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct WarningsPanel {
    #[serde(skip)]
    list: CursorList,
    #[serde(skip)]
    sort: SortBy,
    /// The places of the warnings in the order that is shown.
    #[serde(skip)]
    order: Order,
    /// The lines of those in view.
    #[serde(skip)]
    texts: Slot<Vec<u64>, Vec<String>>,
}

/// The places of so many warnings in an order: no frame sorts them anew.
#[derive(Debug, Default)]
struct Order {
    sort: SortBy,
    /// How often all of them occur: it grows with each that is counted.
    times: u64,
    places: Vec<usize>,
}

/// A warning and its place in the list.
pub struct WarningAt<'a> {
    pub place: usize,
    pub warning: &'a Warning,
    /// The line of the trace, as far as it is known.
    pub text: &'a str,
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
        WarningAt { place, warning, text }: WarningAt<'_>,
        Scene { pen, cx }: Scene<'_>,
        out: &mut Vec<Action>,
    ) {
        let (tok, y) = (cx.tok, rect.center().y);
        let has_lines = cx.desk.session.index.source().is_text();
        let response = row_response(ui, rect, ("warning", place), || match has_lines {
            true => say!("warnings-at-line", line = warning.line.to_string()),
            false => say!("warnings-message", message = &*warning.message),
        });
        let is_cursor = self.list.cursor == place;
        row_background(pen, rect, &response, RowState { is_selected: false, is_cursor, has_focus: cx.has_focus });
        pen.text(rect.left() + INSET, y, icons::WARNING, icon(13.0), tok.warn);
        let left = if has_lines { place_ui(pen, rect, warning, tok) } else { rect.left() + 32.0 };
        pen.text_left_of(rect.right() - 8.0, y, times(warning), mono(11.5), tok.t3);
        let right = rect.right() - TIMES;
        let end = pen.cut_text(pos2(left, y), &warning.message, ui_font(12.5), tok.t1, right);
        if !text.is_empty() && end + 60.0 < right {
            pen.cut_text(pos2(end + 12.0, y), text, mono(11.5), tok.t2, right);
        }
        if response.clicked() {
            self.list.cursor = place;
            out.extend(go_to(warning, cx));
        }
        response.context_menu(|ui| {
            if has_lines {
                menu_head_ui(ui, tok, &say!("warnings-line-head", line = warning.line), "");
                if MenuItem::new(say!("warnings-travel-to-its-line")).icon(icons::GO_TO).key("Enter").ui(ui, tok) {
                    out.extend(go_to(warning, cx));
                }
            }
            if MenuItem::new(say!("warnings-copy")).icon(icons::COPY).key("Ctrl+C").ui(ui, tok) {
                out.push(Action::App(AppAction::Copy(text_of(warning, cx))));
            }
        });
    }

    fn heads_ui(&mut self, ui: &Ui, pen: &Pen<'_>, head: Rect, cx: &ViewCx<'_>) {
        let has_lines = cx.desk.session.index.source().is_text();
        let message = head.left() + if has_lines { 230.0 } else { 32.0 };
        let line = has_lines.then_some(Head { left: head.left() + 32.0, name: "Line" });
        let others =
            [Head { left: message, name: "Warning" }, Head { left: head.right() - TIMES + 8.0, name: "Times" }];
        let heads: Vec<Head<'_>> = line.into_iter().chain(others).collect();
        if heads_ui(ui, pen, head, &heads, &mut self.sort) {
            self.list = CursorList::default();
        }
    }

    /// Sorts by the heads, where that was asked for or there are more warnings by now.
    fn put_in_order(&mut self, warnings: &[Warning], cx: &ViewCx<'_>) {
        let times = warnings.iter().fold(0u64, |all, warning| all.saturating_add(warning.count));
        let is_same = self.order.places.len() == warnings.len() && self.order.times == times;
        if self.order.sort == self.sort && is_same {
            return;
        }
        let mut places: Vec<usize> = (0..warnings.len()).collect();
        // Where there are no lines, the first head is that of the message.
        let left_out = usize::from(!cx.desk.session.index.source().is_text());
        let key = |place: &usize, column: usize| {
            let warning = warnings.get(*place);
            let number = |pick: fn(&Warning) -> u64| warning.map_or(0, pick);
            match column + left_out {
                0 => (number(|warning| warning.line), ""),
                1 => (0, warning.map_or("", |warning| warning.message.as_str())),
                _ => (number(|warning| warning.count), ""),
            }
        };
        self.sort.sort(&mut places, key);
        self.order = Order { sort: self.sort, times, places };
    }

    /// Asks for the lines of warnings in view.
    fn ask(&mut self, lines: Vec<u64>, cx: &ViewCx<'_>) {
        if !cx.desk.session.index.source().is_text() {
            return;
        }
        let session = Arc::clone(&cx.desk.session);
        self.texts.poll(&lines, &cx.desk.worker, |lines| {
            let lines = lines.clone();
            move |cancel: &Cancel| lines.iter().map(|line| line_text(&session, *line, cancel)).collect()
        });
    }

    fn text_at(&self, line: u64) -> &str {
        let known = self.texts.peek();
        let found = known.and_then(|(lines, texts)| texts.get(lines.iter().position(|known| *known == line)?));
        found.map_or("", String::as_str)
    }

    fn keys(&mut self, ui: &Ui, warnings: &[Warning], list: Rect, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        for key in take_keys(ui, cx) {
            let pressed = self.list.press(key, warnings.len(), list);
            let place = self.order.places.get(pressed).copied().unwrap_or(pressed);
            match (key, warnings.get(place)) {
                (PanelKey::Enter, Some(warning)) => out.extend(go_to(warning, cx)),
                (PanelKey::Copy, Some(warning)) => out.push(Action::App(AppAction::Copy(text_of(warning, cx)))),
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
        say!("warnings-warnings").to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let warnings = cx.desk.session.index.warnings();
        if warnings.is_empty() {
            let words = match SoFar::of(&cx.desk.session) {
                None => EmptyWords(say!("warnings-no-warnings"), say!("warnings-all-lines-of-the-trace")),
                Some(_) => EmptyWords(say!("warnings-no-warnings-so-far"), say!("warnings-all-lines-that-are-indexed")),
            };
            return empty_ui(ui, &pen, rect, icons::CHECK, words);
        }
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        self.put_in_order(warnings, cx);
        let copy = Rect::from_min_max(bar.right_top() + vec2(-32.0, 4.0), bar.right_bottom() - vec2(8.0, 4.0));
        let rows = || text_table(&["line", "byte", "warning", "times"], warnings.iter().map(texts_of));
        Export { pen: &pen, rows: &rows, name: "warnings" }.ui(ui, copy, out);
        bar_ui(&pen, bar.with_max_x(copy.left()), warnings.len() as u64, cx);
        let (head, list) = rest.split_top_bottom_at_y(rest.top() + HEAD);
        self.heads_ui(ui, &pen, head, cx);
        self.keys(ui, warnings, list, cx, out);
        let area = self.list.area(ui, list, warnings.len(), cx.tok);
        let pen = Pen::new(ui, area.body, cx.tok);
        let shown: Vec<(usize, Rect)> = area.places().collect();
        let at = |order: &Order, place: usize| warnings.get(*order.places.get(place)?);
        let lines = shown.iter().filter_map(|(place, _)| Some(at(&self.order, *place)?.line)).collect();
        self.ask(lines, cx);
        for (place, rect) in shown {
            let Some(warning) = at(&self.order, place) else { continue };
            let text = self.text_at(warning.line).to_owned();
            self.row_ui(ui, rect, WarningAt { place, warning, text: &text }, Scene { pen: &pen, cx }, out);
        }
    }
}

/// The line of the trace, without what would break the row.
fn line_text(session: &Session, line: u64, cancel: &Cancel) -> anyhow::Result<String> {
    let found = RawLines { first: Line(line), count: 1 }.run(&session.index, cancel)?;
    let letters = found.into_iter().next().map(|line| line.text).unwrap_or_default();
    let shown = letters.trim().chars().take(LONGEST).map(|letter| if letter.is_control() { ' ' } else { letter });
    Ok(shown.collect())
}

fn texts_of(warning: &Warning) -> Vec<String> {
    let Warning { line, offset, message, count } = warning;
    vec![line.to_string(), offset.to_string(), message.clone(), count.to_string()]
}

fn bar_ui(pen: &Pen<'_>, bar: Rect, kept: u64, cx: &ViewCx<'_>) {
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, cx.tok.line);
    let count = cx.desk.session.index.info().warning_count;
    let is_text = cx.desk.session.index.source().is_text();
    let words = match count {
        _ if is_text => say!("warnings-lines", count = count),
        _ => say!("warnings-places", count = count),
    };
    let words = so_far(&cx.desk.session, &words);
    let words = if count > kept { format!("{words}; {}", different(kept)) } else { words };
    let at = pos2(bar.left() + INSET, bar.center().y);
    pen.cut_text(pos2(at.x, at.y), &words, ui_font(12.0), cx.tok.t2, bar.right() - 8.0);
}

fn different(kept: u64) -> String {
    match kept {
        1 => say!("warnings-one-is-listed").to_owned(),
        _ => say!("warnings-that-differ", count = kept),
    }
}

/// How often it occurs, if more than once.
fn times(warning: &Warning) -> String {
    if warning.count > 1 { format!("×{}", thousands(warning.count)) } else { String::new() }
}

/// Draws the line and the byte. Returns where the message begins.
fn place_ui(pen: &Pen<'_>, rect: Rect, warning: &Warning, tok: &Tok) -> f32 {
    let y = rect.center().y;
    let line = say!("warnings-line", line = warning.line);
    let end = pen.text(rect.left() + 32.0, y, line, mono(12.5), tok.accent);
    let byte = say!("warnings-byte", offset = warning.offset);
    let end = pen.label((end + INSET).max(rect.left() + 140.0), y, byte, tok.t3);
    (end + INSET).max(rect.left() + 230.0)
}

/// None where the format has no lines.
fn go_to(warning: &Warning, cx: &ViewCx<'_>) -> Option<Action> {
    cx.desk
        .session
        .index
        .source()
        .is_text()
        .then(|| Action::Travel(TravelAction::GoTo(format!("line:{}", warning.line))))
}

fn text_of(warning: &Warning, cx: &ViewCx<'_>) -> String {
    let text = placed(warning, &warning.message, &cx.desk.session.index);
    format!("{text} {}", times(warning)).trim_end().to_owned()
}
