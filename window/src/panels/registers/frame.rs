//! Types that the parts of the register panel share in a frame.

use egui::{Rect, pos2, vec2};

use crate::panels::pen::Pen;
use stepback_debugger::model::registers::RegisterBoard;
use stepback_debugger::views::RegisterGesture;

/// Pointer input on registers in one frame.
#[derive(Debug, Default)]
pub(super) struct RegisterInput {
    pub(super) cursor: Option<String>,
    pub(super) hovered: Option<String>,
    pub(super) title: Option<String>,
    /// Gesture on a register.
    pub(super) gesture: Option<(String, RegisterGesture)>,
}

/// The registers that are shown.
pub struct BoardView<'a> {
    pub pen: &'a Pen<'a>,
    pub board: &'a RegisterBoard,
}

/// Returns a box of a size, given its left edge and its middle height.
pub(super) fn box_at(left: f32, middle: f32, width: f32, height: f32) -> Rect {
    Rect::from_min_size(
        pos2(left.round(), (middle - height / 2.0).round()),
        vec2(width, height),
    )
}
