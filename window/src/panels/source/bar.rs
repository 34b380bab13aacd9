//! The bar above a source file.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use crate::panels::pen::{INSET, Pen};
use crate::theme::{icon, icons, mono, mono_bold, ui as ui_font};
use stepback_debugger::messages::say;
use stepback_debugger::model::source_view::PositionSource;
use stepback_debugger::source::SourceText;

/// Minimum width of a bar with a legend of the line marks.
const LEGEND_FROM: f32 = 480.0;

/// The bar and the left edge of its text.
pub struct SourceBarArea {
    pub bar: Rect,
    pub left: f32,
}

/// Source position, and the file that contains it.
pub struct SourceBarContent<'a> {
    pub here: &'a PositionSource,
    pub text: &'a SourceText,
}

/// Draws, from `left` on, the file, its folder, and the relation of the position to it.
pub fn bar_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    SourceBarArea { bar, left }: SourceBarArea,
    SourceBarContent { here, text }: SourceBarContent<'_>,
) {
    let (tok, y) = (pen.tok, bar.center().y);
    pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, tok.line);
    let name = text
        .path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let place = here
        .line()
        .map_or(name.clone(), |line| format!("{name}:{}", line.line));
    let mut x = pen.text(left, y, &place, mono_bold(12.5), tok.t1) + INSET;
    if text.is_newer {
        x = pen.text(x, y, icons::WARNING, icon(13.0), tok.warn) + 4.0;
        x = pen.label(x, y, say!("source-newer-than-the-image"), tok.warn) + INSET;
    }
    let said = here.words();
    let bar = if bar.width() > LEGEND_FROM {
        bar.with_max_x(legend_ui(pen, bar))
    } else {
        bar
    };
    let room = (bar.right() - INSET - x).max(0.0);
    let width = pen.width(&said, ui_font(11.5)).min(room);
    let left = bar.right() - INSET - width;
    pen.cut_text(
        pos2(left, y),
        &said,
        ui_font(11.5),
        tok.t2,
        bar.right() - INSET + 1.0,
    );
    let folder = text
        .path
        .parent()
        .map(|folder| folder.display().to_string())
        .unwrap_or_default();
    if left - INSET - x > 40.0 {
        pen.cut_text(pos2(x, y), &folder, mono(11.5), tok.t3, left - INSET);
    }
    let path = text.path.display().to_string();
    let response = ui.interact(bar, ui.unique_id().with("source bar"), Sense::hover());
    response.widget_info(|| {
        WidgetInfo::labeled(
            Role::Heading,
            true,
            say!("source-bar", place = &place, said = &said).trim_end(),
        )
    });
    response.on_hover_text(if text.is_cut {
        say!("source-cut", path = path)
    } else {
        path
    });
}

/// Draws the legend of the bars next to line numbers. Returns its left edge.
fn legend_ui(pen: &Pen<'_>, bar: Rect) -> f32 {
    let (tok, y) = (pen.tok, bar.center().y);
    let mut right = bar.right() - INSET;
    for (words, is_filled) in [
        (say!("source-not-in-the-trace"), false),
        (say!("source-executed"), true),
    ] {
        right = pen.text_left_of(right, y, words, ui_font(11.0), tok.t3) - 6.0;
        let mark = Rect::from_center_size(pos2(right - 1.5, y), vec2(3.0, 11.0));
        match is_filled {
            true => pen.fill(mark, tok.done),
            false => pen.frame(mark, 0, tok.ctl),
        }
        right = mark.left() - 10.0;
    }
    right
}
