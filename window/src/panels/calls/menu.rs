//! The context menu of a call.

use egui::Ui;
use stepback_debugger::action::StepRange;
use stepback_debugger::action::{Action, AppAction, FoldAction, PanelAction};
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::views::RowGesture;

use super::rows::CallEntry;
use crate::panels::PanelContext;
use crate::panels::cursor_list::{PanelOutput, RowInput};
use crate::panels::menu::{MenuItem, compare_item, effects_items, menu_head_ui, menu_line_ui};
use crate::theme::icons;

/// Panel context and the window whose position is marked.
pub struct CallMenuContext<'a> {
    pub cx: &'a PanelContext<'a>,
    pub window: &'a TraceWindow,
}

/// Draws the menu of a call, or of the first of a group of calls.
pub fn call_menu(
    ui: &mut Ui,
    CallEntry { place, row, look }: CallEntry<'_>,
    CallMenuContext { cx, window }: CallMenuContext<'_>,
    PanelOutput { touched, out }: PanelOutput<'_, RowInput>,
) {
    let tok = cx.tok;
    menu_head_ui(ui, tok, &row.name, &row.steps_text(&cx.desk.session));
    if MenuItem::new(say!("calls-travel-to-its-entry"))
        .icon(icons::GO_TO)
        .key("Enter")
        .ui(ui, tok)
    {
        touched.gesture(place, RowGesture::Go);
    }
    if MenuItem::new(say!("calls-travel-to-its-end"))
        .key("Shift+Enter")
        .ui(ui, tok)
    {
        touched.gesture(place, RowGesture::GoOn);
    }
    if MenuItem::new(say!("calls-open-window-at-its-entry"))
        .icon(icons::SIDE_BY_SIDE)
        .key("Ctrl+click")
        .ui(ui, tok)
    {
        out.push(Action::Panel(PanelAction::OpenWindowAt(
            cx.moment(row.entered_at),
        )));
    }
    if MenuItem::new(say!("calls-compare-before-and-after-it"))
        .icon(icons::COMPARE)
        .ui(ui, tok)
    {
        out.push(Action::Panel(PanelAction::CompareEnds(StepRange {
            first: row.entered_at,
            last: row.left_at,
        })));
    }
    effects_items(ui, tok, row.entered_at, out);
    compare_item(ui, tok, row.entered_at, window.position, out);
    menu_line_ui(ui, tok);
    if let Some(is_open) = look.is_open {
        let text = if is_open {
            say!("calls-close")
        } else {
            say!("calls-open")
        };
        if MenuItem::new(text)
            .key(if is_open { "Left" } else { "Right" })
            .ui(ui, tok)
        {
            touched.gesture(
                place,
                if is_open {
                    RowGesture::Close
                } else {
                    RowGesture::Open
                },
            );
        }
    }
    if row.count == 1 {
        let is_folded = window.folds.is_folded(row.first);
        let (text, shape) = if is_folded {
            (say!("calls-unfold-it-in-the-trace"), icons::UNFOLD)
        } else {
            (say!("calls-fold-it-in-the-trace"), icons::FOLD)
        };
        if MenuItem::new(text).icon(shape).ui(ui, tok) {
            out.extend([
                Action::Panel(PanelAction::Activate(window.id)),
                Action::Fold(FoldAction::Toggle(row.first)),
            ]);
        }
    }
    menu_line_ui(ui, tok);
    if MenuItem::new(say!("calls-copy-name"))
        .icon(icons::COPY)
        .key("Ctrl+C")
        .ui(ui, tok)
    {
        out.push(Action::App(AppAction::Copy(row.name.clone())));
    }
}
