//! The context menus of a trace list.

use egui::Ui;
use stepback_debugger::action::{
    Access, Action, AppAction, CellName, Direction, FoldAction, MarkAction, PanelAction,
    SliceAction, TravelAction, ViewAction,
};
use stepback_debugger::keymap::watch_text;
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::step_rows::{OperandRegisters, StepRow};
use stepback_debugger::model::text::thousands;
use stepback_debugger::notes::{BookmarkChange, BookmarkPlace, WatchChange};
use stepback_index::answer::CallId;
use stepback_parsers::{Position, Step};

use crate::panels::PanelContext;
use crate::panels::bookmarks::add_items;
use crate::panels::menu::{MenuItem, menu_head_ui, menu_line_ui};
use crate::panels::panel::register_of;
use crate::theme::icons;

/// Maximum number of cells, registers or other windows in a menu.
const CELLS: usize = 4;

/// Panel context and the window whose steps are listed.
pub struct TraceContext<'a> {
    pub cx: &'a PanelContext<'a>,
    pub window: &'a TraceWindow,
}

/// First and last step that a folded call hides.
pub struct FoldedSteps {
    pub first: Step,
    pub last: Step,
}

/// A cell and its label.
pub struct LabeledCell<'a> {
    pub label: &'a str,
    pub cell: &'a CellName,
}

/// Draws the menu of a step.
pub fn step_menu(
    ui: &mut Ui,
    row: &StepRow,
    cx: &PanelContext<'_>,
    window: &TraceWindow,
    out: &mut Vec<Action>,
) {
    let tok = cx.tok;
    menu_head_ui(
        ui,
        tok,
        &say!("trace-step-head", step = row.step.0),
        &format!("{:x}", row.address.0),
    );
    travel_items(ui, row.step, cx, window, out);
    menu_line_ui(ui, tok);
    add_items(ui, BookmarkPlace::Position(row.step.after().0), cx, out);
    let function = row.address.0.wrapping_sub(row.offset.unwrap_or(0));
    let words = if row.offset.is_some() {
        say!("trace-name-its-function")
    } else {
        say!("trace-name-its-address")
    };
    if MenuItem::new(words).ui(ui, tok) {
        out.push(Action::Mark(MarkAction::Bookmark(BookmarkChange::Call(
            BookmarkPlace::Memory {
                address: function,
                len_bytes: 1,
            },
        ))));
    }
    fold_items(ui, row, cx, window, out);
    menu_line_ui(ui, tok);
    let cells: Vec<(&str, &CellName)> = row
        .effects
        .iter()
        .filter_map(|effect| Some((effect.label.text.as_str(), effect.cell.as_ref()?)))
        .take(CELLS)
        .collect();
    for (label, cell) in &cells {
        cell_items(
            ui,
            LabeledCell { label, cell },
            row.step,
            TraceContext { cx, window },
            out,
        );
    }
    operand_items(ui, row, cx, window, out);
    why_items(ui, row, &cells, TraceContext { cx, window }, out);
    list_items(ui, row, &cells, TraceContext { cx, window }, out);
    if !cells.is_empty() || row.operands != OperandRegisters::default() {
        menu_line_ui(ui, tok);
    }
    copy_items(ui, row, cx, out);
}

/// Draws the menu of a folded call.
pub fn folded_menu(
    ui: &mut Ui,
    call: CallId,
    FoldedSteps { first, last }: FoldedSteps,
    cx: &PanelContext<'_>,
    out: &mut Vec<Action>,
) {
    let steps = format!("{} – {}", thousands(first.0), thousands(last.0));
    menu_head_ui(ui, cx.tok, say!("trace-folded-call"), &steps);
    if MenuItem::new(say!("trace-unfold-this-call"))
        .icon(icons::UNFOLD)
        .ui(ui, cx.tok)
    {
        out.push(Action::Fold(FoldAction::Toggle(call)));
    }
    if MenuItem::new(say!("trace-unfold-all"))
        .key("}")
        .ui(ui, cx.tok)
    {
        out.push(Action::Fold(FoldAction::UnfoldAll));
    }
    menu_line_ui(ui, cx.tok);
    if MenuItem::new(say!("trace-compare-before-and-after-this"))
        .icon(icons::COMPARE)
        .ui(ui, cx.tok)
    {
        out.push(Action::Panel(PanelAction::CompareCall(Some(call))));
    }
    if MenuItem::new(say!("trace-open-window-at-its-first"))
        .icon(icons::SIDE_BY_SIDE)
        .ui(ui, cx.tok)
    {
        out.push(Action::Panel(PanelAction::OpenWindowAt(
            cx.moment(first.before()),
        )));
    }
}

fn travel_items(
    ui: &mut Ui,
    step: Step,
    cx: &PanelContext<'_>,
    window: &TraceWindow,
    out: &mut Vec<Action>,
) {
    let after = step.after().0;
    if MenuItem::new(say!("trace-travel-here"))
        .icon(icons::GO_TO)
        .key("Click")
        .ui(ui, cx.tok)
    {
        out.push(Action::travel(window.id, Position(after)));
    }
    if MenuItem::new(say!("trace-open-window-here"))
        .icon(icons::SIDE_BY_SIDE)
        .key("Ctrl+click")
        .ui(ui, cx.tok)
    {
        out.push(Action::Panel(PanelAction::OpenWindowAt(
            cx.moment(step.after()),
        )));
    }
    if window.position != step.after()
        && MenuItem::new(say!("trace-compare-with-here"))
            .icon(icons::COMPARE)
            .ui(ui, cx.tok)
    {
        out.extend([
            Action::Panel(PanelAction::Activate(window.id)),
            Action::Panel(PanelAction::CompareWith(after.to_string())),
        ]);
    }
    for other in cx
        .desk
        .windows
        .list
        .iter()
        .filter(|other| other.id != window.id)
        .take(CELLS)
    {
        if MenuItem::new(&say!("trace-move-window", number = other.id.0)).ui(ui, cx.tok) {
            out.push(Action::travel(other.id, Position(after)));
        }
    }
}

fn fold_items(
    ui: &mut Ui,
    row: &StepRow,
    cx: &PanelContext<'_>,
    window: &TraceWindow,
    out: &mut Vec<Action>,
) {
    if let Some(call) = row.call {
        let is_folded = window.folds.is_folded(call);
        let (text, shape) = if is_folded {
            (say!("trace-unfold-this-call"), icons::UNFOLD)
        } else {
            (say!("trace-fold-this-call"), icons::FOLD)
        };
        if MenuItem::new(text).icon(shape).ui(ui, cx.tok) {
            out.push(Action::Fold(FoldAction::Toggle(call)));
        }
        if MenuItem::new(say!("trace-compare-before-and-after-this"))
            .icon(icons::COMPARE)
            .ui(ui, cx.tok)
        {
            out.extend([
                Action::Panel(PanelAction::Activate(window.id)),
                Action::Panel(PanelAction::CompareCall(Some(call))),
            ]);
        }
    }
    // Folding by keys refers to the function around the position, so the position moves here first.
    let folds = [
        (
            say!("trace-fold-the-function-around-it"),
            "-",
            FoldAction::Containing,
        ),
        (
            say!("trace-fold-all-calls-from-its"),
            "[",
            FoldAction::Inside,
        ),
        (
            say!("trace-unfold-all-inside-its-function"),
            "]",
            FoldAction::UnfoldInside,
        ),
    ];
    for (text, key, fold) in folds {
        if MenuItem::new(text).key(key).ui(ui, cx.tok) {
            out.extend([
                Action::travel(window.id, row.step.before()),
                Action::Fold(fold),
            ]);
        }
    }
    for (text, key, fold) in [
        (say!("trace-fold-all"), "{", FoldAction::All),
        (say!("trace-unfold-all"), "}", FoldAction::UnfoldAll),
    ] {
        if MenuItem::new(text).key(key).ui(ui, cx.tok) {
            out.push(Action::Fold(fold));
        }
    }
}

/// Draws the items of a cell. Searches start at the step: the last write is before it, the next
/// write after it.
fn cell_items(
    ui: &mut Ui,
    LabeledCell { label, cell }: LabeledCell<'_>,
    step: Step,
    TraceContext { cx, window }: TraceContext<'_>,
    out: &mut Vec<Action>,
) {
    let mut item = |text: String, shape: char, from: u64, direction: Direction| {
        if MenuItem::new(&text).icon(shape).ui(ui, cx.tok) {
            out.push(Action::travel(window.id, Position(from)));
            out.push(Action::Travel(TravelAction::GoToAccess(
                cell.clone(),
                Access::Write,
                direction,
            )));
        }
    };
    item(
        say!("trace-last-write-of", cell = label),
        icons::LAST_WRITE,
        step.before().0,
        Direction::Back,
    );
    item(
        say!("trace-next-write-of", cell = label),
        icons::NEXT_WRITE,
        step.after().0,
        Direction::Forward,
    );
}

/// Draws the items that list or watch: memory accessed by the step, values of its cells, its
/// executions.
fn list_items(
    ui: &mut Ui,
    row: &StepRow,
    cells: &[(&str, &CellName)],
    TraceContext { cx, window }: TraceContext<'_>,
    out: &mut Vec<Action>,
) {
    menu_line_ui(ui, cx.tok);
    for (label, cell) in cells {
        if let CellName::Memory(address, _) = cell
            && MenuItem::new(&say!("trace-show-memory-at", cell = &**label))
                .icon(icons::MEMORY)
                .ui(ui, cx.tok)
        {
            out.push(Action::View(ViewAction::ShowMemory(address.clone())));
        }
    }
    for (label, cell) in cells {
        if MenuItem::new(&say!("trace-all-values-of", cell = &**label))
            .icon(icons::LIST)
            .ui(ui, cx.tok)
        {
            out.extend([
                Action::Panel(PanelAction::Activate(window.id)),
                Action::View(ViewAction::ListValues((*cell).clone())),
            ]);
        }
    }
    for (label, cell) in cells {
        if MenuItem::new(&say!("trace-watch", cell = &**label))
            .icon(icons::WATCH)
            .ui(ui, cx.tok)
        {
            out.push(Action::Mark(MarkAction::Watch(WatchChange::Add(
                watch_text(cell),
            ))));
        }
    }
    if MenuItem::new(say!("trace-next-execution"))
        .key("X")
        .ui(ui, cx.tok)
    {
        out.extend([
            Action::travel(window.id, row.step.after()),
            Action::Travel(TravelAction::GoToVisit(Direction::Forward)),
        ]);
    }
    if MenuItem::new(say!("trace-previous-execution"))
        .key("Shift+X")
        .ui(ui, cx.tok)
    {
        out.extend([
            Action::travel(window.id, row.step.after()),
            Action::Travel(TravelAction::GoToVisit(Direction::Back)),
        ]);
    }
    if MenuItem::new(say!("trace-all-executions"))
        .icon(icons::LIST)
        .ui(ui, cx.tok)
    {
        out.push(Action::View(ViewAction::ListExecutions(
            row.address.to_string(),
        )));
    }
}

/// Returns a cell of a row. With several threads a register is named with the thread of the row.
/// Without it, queries would use the thread of the step before the position.
pub fn cell_of_row(cell: &CellName, row: &StepRow, cx: &PanelContext<'_>) -> CellName {
    match cell {
        CellName::Register(name) => register_of(row.thread, name, cx),
        CellName::Memory(..) => cell.clone(),
    }
}

/// Draws the items of operands: the last write of those read, the next write of those written.
fn operand_items(
    ui: &mut Ui,
    row: &StepRow,
    cx: &PanelContext<'_>,
    window: &TraceWindow,
    out: &mut Vec<Action>,
) {
    let read = row
        .operands
        .read
        .iter()
        .take(CELLS)
        .map(|name| (name, row.step.before(), Direction::Back));
    let written = row
        .operands
        .written
        .iter()
        .take(CELLS)
        .map(|name| (name, row.step.after(), Direction::Forward));
    for (name, from, direction) in read.chain(written) {
        let (text, shape) = match direction {
            Direction::Back => (say!("trace-last-write-of", cell = name), icons::LAST_WRITE),
            Direction::Forward => (say!("trace-next-write-of", cell = name), icons::NEXT_WRITE),
        };
        if MenuItem::new(&text).icon(shape).ui(ui, cx.tok) {
            out.push(Action::travel(window.id, from));
            let cell = cell_of_row(&CellName::Register(name.clone()), row, cx);
            out.push(Action::Travel(TravelAction::GoToAccess(
                cell,
                Access::Write,
                direction,
            )));
        }
    }
}

/// Draws the "Why" items: written cells after the step, read cells before it.
fn why_items(
    ui: &mut Ui,
    row: &StepRow,
    cells: &[(&str, &CellName)],
    TraceContext { cx, window }: TraceContext<'_>,
    out: &mut Vec<Action>,
) {
    menu_line_ui(ui, cx.tok);
    let effects = row
        .effects
        .iter()
        .filter_map(|effect| Some((effect, effect.cell.as_ref()?)));
    let is_read = |cell: &CellName| {
        effects
            .clone()
            .any(|(effect, of)| effect.is_read && of == cell)
    };
    let mut item = |label: &str, cell: CellName, at: Position| {
        if MenuItem::new(&say!("slice-why-item", cell = label))
            .icon(icons::WHY)
            .ui(ui, cx.tok)
        {
            out.extend([
                Action::Panel(PanelAction::Activate(window.id)),
                Action::Slice(SliceAction::WhyAt(cell, at)),
            ]);
        }
    };
    for (label, cell) in cells {
        let at = if is_read(cell) {
            row.step.before()
        } else {
            row.step.after()
        };
        item(label, cell_of_row(cell, row, cx), at);
    }
    let known = |name: &&String| {
        !cells
            .iter()
            .any(|(_, cell)| **cell == CellName::Register((*name).clone()))
    };
    for name in row.operands.read.iter().take(CELLS).filter(known) {
        item(
            name,
            cell_of_row(&CellName::Register(name.clone()), row, cx),
            row.step.before(),
        );
    }
}

fn copy_items(ui: &mut Ui, row: &StepRow, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
    if MenuItem::new(say!("trace-copy-address"))
        .icon(icons::COPY)
        .ui(ui, cx.tok)
    {
        out.push(Action::App(AppAction::Copy(format!("{}", row.address))));
    }
    if MenuItem::new(say!("trace-copy-instruction")).ui(ui, cx.tok) {
        out.push(Action::App(AppAction::Copy(row.code.full_text())));
    }
    let value = row
        .effects
        .iter()
        .find_map(|effect| effect.value.as_deref());
    if let Some(value) = value.filter(|_| MenuItem::new(say!("trace-copy-value")).ui(ui, cx.tok)) {
        // Flags are spelled, not numbers.
        let is_number = value.bytes().all(|digit| digit.is_ascii_hexdigit());
        out.push(Action::App(AppAction::Copy(if is_number {
            format!("0x{value}")
        } else {
            value.to_owned()
        })));
    }
    if let Some(line) = row
        .line
        .filter(|_| MenuItem::new(say!("trace-copy-line-number")).ui(ui, cx.tok))
    {
        out.push(Action::App(AppAction::Copy(line.0.to_string())));
    }
    if MenuItem::new(say!("trace-copy-row")).ui(ui, cx.tok) {
        out.push(Action::App(AppAction::Copy(row.full_text())));
    }
    if MenuItem::new(say!("trace-copy-command-that-opens-it")).ui(ui, cx.tok) {
        out.push(Action::App(AppAction::Copy(
            cx.desk.options.command(row.step.after()),
        )));
    }
}
