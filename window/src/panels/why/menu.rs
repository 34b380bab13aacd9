//! The context menu of a row of a slice.

use egui::Ui;
use stepback_debugger::action::{
    Action, AppAction, CellName, PanelAction, SliceAction, ViewAction,
};
use stepback_debugger::analysis::slice::{FoldState, ReadingLine};
use stepback_debugger::messages::say;
use stepback_debugger::model::slice::{Slice, SliceListRow};
use stepback_debugger::model::text::thousands;
use stepback_debugger::notes::BookmarkPlace;

use crate::panels::PanelContext;
use crate::panels::bookmarks::add_items;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::theme::icons;

/// Maximum number of inputs that have a "Why" item.
const INPUTS: usize = 6;

/// A row of a slice, its line, and the slice.
pub struct SliceMenuRow<'a> {
    pub row: &'a SliceListRow,
    pub line: &'a ReadingLine,
    pub slice: &'a Slice,
}

/// Draws the menu. Returns true if the row is to be opened or closed.
pub fn row_menu(
    ui: &mut Ui,
    of: &SliceMenuRow<'_>,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) -> bool {
    let (tok, row) = (cx.tok, of.row);
    let title = row
        .step
        .map_or_else(|| "─".to_owned(), |step| thousands(step.0));
    menu_head_ui(ui, tok, &title, &row.gives_text());
    if let Some(position) = row.position() {
        if MenuItem::new(say!("slice-travel"))
            .icon(icons::GO_TO)
            .key("Enter")
            .ui(ui, tok)
        {
            out.push(Action::travel(cx.desk.windows.active, position));
        }
        if MenuItem::new(say!("slice-open-window"))
            .icon(icons::SIDE_BY_SIDE)
            .key("Ctrl+click")
            .ui(ui, tok)
        {
            out.push(Action::Panel(PanelAction::OpenWindowAt(
                cx.moment(position),
            )));
        }
    }
    let caret = match of.line.fold {
        FoldState::Leaf => None,
        FoldState::Open(_) => Some(say!("slice-close-row")),
        FoldState::Folded(_) => Some(say!("slice-open-row")),
    };
    let is_flipped = caret.is_some_and(|words| MenuItem::new(words).ui(ui, tok));
    menu_line_ui(ui, tok);
    questions(ui, of, cx, out);
    for given in &row.gives {
        if let CellName::Memory(address, _) = &given.cell
            && MenuItem::new(&say!("slice-show-memory", cell = given.label.as_str()))
                .icon(icons::MEMORY)
                .key("M")
                .ui(ui, tok)
        {
            out.push(Action::View(ViewAction::ShowMemory(address.clone())));
        }
    }
    if let Some(position) = row.position() {
        add_items(ui, BookmarkPlace::Position(position.0), cx, out);
    }
    menu_line_ui(ui, tok);
    copies(ui, of, cx, out);
    is_flipped
}

/// Draws the "Why" items of the inputs and results of a row.
fn questions(ui: &mut Ui, of: &SliceMenuRow<'_>, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    for (given, at) in of.slice.questions_of(of.line).into_iter().take(INPUTS) {
        let words = say!("slice-why-input", cell = given.text());
        if MenuItem::new(&words).icon(icons::WHY).ui(ui, cx.tok) {
            out.push(Action::Slice(SliceAction::WhyAt(given.cell.clone(), at)));
        }
    }
    let Some(step) = of.row.step else { return };
    for given in &of.row.gives {
        if MenuItem::new(&say!("slice-why-item", cell = given.text())).ui(ui, cx.tok) {
            out.push(Action::Slice(SliceAction::WhyAt(
                given.cell.clone(),
                step.after(),
            )));
        }
    }
}

fn copies(ui: &mut Ui, of: &SliceMenuRow<'_>, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    let value = of.row.gives.iter().find_map(|given| given.value.clone());
    if let Some(value) = value
        && MenuItem::new(say!("slice-copy-value"))
            .icon(icons::COPY)
            .ui(ui, cx.tok)
    {
        out.push(Action::App(AppAction::Copy(value)));
    }
    if MenuItem::new(say!("slice-copy-row"))
        .key("Ctrl+C")
        .ui(ui, cx.tok)
    {
        out.push(Action::App(AppAction::Copy(of.row.line())));
    }
    if MenuItem::new(say!("slice-copy-all")).ui(ui, cx.tok) {
        let lines: Vec<String> = of.slice.rows.iter().map(|row| row.line()).collect();
        out.push(Action::App(AppAction::Copy(lines.join("\n"))));
    }
}
