//! The chooser of the thread whose registers or calls a panel shows, for traces with several
//! threads.

use egui::{Pos2, Rect, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_index::ThreadInfo;

use super::PanelContext;
use super::pen::Pen;
use crate::theme::{icon, icons, mono, ui as ui_font};
use stepback_debugger::messages::{say, spoken};

/// Message id of the entry for the thread that executes at the position.
pub const OF_POSITION: &str = "thread-of-the-position";

/// Maximum height of the list of threads, in points.
const LIST_HEIGHT: f32 = 320.0;

/// Name of the chosen thread; none: the thread at the position.
pub type ChosenThread = Option<String>;

/// Inputs of the thread chooser; `shown` is the name of the thread that is shown.
pub struct ThreadChooserView<'a> {
    pub pen: &'a Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub shown: &'a str,
}

/// Draws the chooser from `left` on, vertically centred at `y`. Returns its right edge. Draws
/// nothing if the trace has one thread.
pub fn thread_chooser_ui(
    ui: &Ui,
    Pos2 { x: left, y }: Pos2,
    ThreadChooserView { pen, cx, shown }: ThreadChooserView<'_>,
    chosen: &mut ChosenThread,
) -> f32 {
    let threads = cx.desk.session.index.threads();
    if threads.len() < 2 {
        return left;
    }
    let tok = cx.tok;
    let width = pen.width(shown, mono(11.5)) + 30.0;
    let rect = Rect::from_min_size(pos2(left, y - 10.0), vec2(width, 20.0));
    let response = ui.interact(rect, ui.unique_id().with("thread"), Sense::CLICK);
    response.widget_info(|| {
        WidgetInfo::labeled(
            egui::Role::Button,
            true,
            say!("thread-thread", shown = shown),
        )
    });
    pen.painter.rect_filled(
        rect,
        4.0,
        if response.hovered() { tok.bg4 } else { tok.bg3 },
    );
    let end = pen.text(left + 8.0, y, shown, mono(11.5), tok.t1);
    pen.text(end + 6.0, y, icons::CARET_DOWN, icon(10.0), tok.t2);
    if response.has_focus() {
        pen.frame(rect, 4, tok.focus);
    }
    egui::Popup::menu(&response).show(|ui| {
        ui.style_mut().override_font_id = Some(ui_font(13.0));
        if ui
            .add(egui::Button::selectable(
                chosen.is_none(),
                spoken(OF_POSITION),
            ))
            .clicked()
        {
            *chosen = None;
        }
        threads_ui(ui, threads, chosen);
    });
    let words = match chosen {
        Some(_) => say!("thread-this-thread-wherever-the-position"),
        None => say!("thread-the-thread-that-executes-at"),
    };
    response.on_hover_text(words);
    rect.right()
}

/// Draws the list of threads. Only the threads in view are drawn, since there may be thousands.
fn threads_ui(ui: &mut Ui, threads: &[ThreadInfo], chosen: &mut ChosenThread) {
    let row_height = ui.spacing().interact_size.y;
    egui::ScrollArea::vertical()
        .max_height(LIST_HEIGHT)
        .show_rows(ui, row_height, threads.len(), |ui, in_view| {
            for thread in threads.get(in_view).unwrap_or_default() {
                let is_chosen = chosen.as_deref() == Some(thread.name.as_str());
                if ui
                    .add(egui::Button::selectable(is_chosen, &thread.name))
                    .clicked()
                {
                    *chosen = Some(thread.name.clone());
                }
            }
        });
}
