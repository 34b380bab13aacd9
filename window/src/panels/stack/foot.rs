//! Details of one frame, at the foot of the panel.

use egui::{Rect, Ui, pos2};

use crate::panels::PanelContext;
use crate::panels::pen::{ADVANCE, INSET, Pen, ROW};
use crate::panels::row::StepLink;
use crate::theme::{mono, mono_bold};
use stepback_debugger::action::{Action, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::call_stack::StackFrame;
use stepback_debugger::model::frame_words::{entered_words, evidence_words};
use stepback_debugger::model::so_far::left_so_far;

/// Height of the foot: four lines.
pub const HEIGHT: f32 = 84.0;

/// A frame and its index in the stack.
pub struct FramePaint<'a> {
    pub pen: &'a Pen<'a>,
    pub place: usize,
    pub frame: &'a StackFrame,
}

/// Panel context and the window that travels.
pub struct StackFootContext<'a> {
    pub cx: &'a PanelContext<'a>,
    pub window: WindowId,
}

/// Draws the details of a frame.
pub fn foot_ui(
    ui: &Ui,
    rect: Rect,
    FramePaint { pen, place, frame }: FramePaint<'_>,
    StackFootContext { cx, window }: StackFootContext<'_>,
    out: &mut Vec<Action>,
) {
    let (tok, left, right) = (pen.tok, rect.left() + INSET, rect.right() - 10.0);
    pen.fill(rect, tok.bg1);
    pen.line_across(rect.left(), rect.right(), rect.top(), tok.line);
    let mut y = rect.top() + 15.0;
    let end = pen.cut_text(
        pos2(left, y),
        &format!("{place} {}", frame.name),
        mono_bold(12.5),
        tok.symbol,
        right - 90.0,
    );
    let address = format!("{:x}", frame.call.function.0);
    if address != frame.name {
        pen.code(end + ADVANCE, y, address, tok.t2);
    }
    y += ROW;
    let mut x = pen.label(left, y, entered_words(&frame.call), tok.t2);
    if let Some(site) = &frame.call_site {
        x = pen.label(x + 4.0, y, say!("stack-from-step"), tok.t2) + 4.0;
        x = StepLink {
            step: site.step,
            trace: cx.trace(),
            window,
        }
        .ui(ui, pen, x, y, out)
            + 8.0;
        pen.cut_text(pos2(x, y), &site.place_text(), mono(12.0), tok.t2, right);
    }
    y += ROW;
    let how = say!(
        "stack-found-because",
        left = left_so_far(&cx.desk.session, &frame.call),
        evidence = evidence_words(frame.call.evidence)
    );
    pen.cut_text(pos2(left, y), &how, crate::theme::ui(11.5), tok.t2, right);
    y += ROW;
    let mut x = left;
    for argument in &frame.arguments {
        let text = argument.value_text();
        if x + ADVANCE * (argument.name.len() + text.len() + 1) as f32 > right {
            pen.label(x, y, "…", tok.t3);
            break;
        }
        let end = pen.code(x, y, &argument.name, tok.register);
        let color = if argument.value.is_unknown() {
            tok.unknown
        } else {
            tok.t1
        };
        x = pen.code(end + ADVANCE * 0.7, y, text, color) + 14.0;
    }
}
