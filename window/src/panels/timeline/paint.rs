//! Layout and painting of the timeline.

use egui::{Color32, Pos2, Rect, Stroke, StrokeKind, Ui, pos2, vec2};
use stepback_debugger::action::{StepRange, WindowId};
use stepback_debugger::messages::say;
use stepback_debugger::model::TraceWindow;
use stepback_debugger::model::text::thousands;
use stepback_debugger::model::timeline::{FrameBox, FrameLanes, tick_step, ticks};
use stepback_index::answer::ThreadInfo;
use stepback_parsers::Position;

use crate::panels::pen::{INSET, Pen};
use crate::panels::timeline::state::ShownDepths;
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{mono, semi, ui as ui_font};

/// Height of the axis.
pub const AXIS: f32 = 20.0;
/// Gap above and below the lanes of calls.
pub const PADDING: f32 = 5.0;
/// Minimum distance of two ticks.
const TICK_SPACING: f32 = 75.0;
/// Distance of the hatching lines over the part that is not indexed yet.
const HATCH: f32 = 9.0;
/// Maximum distance of the pointer from a handle that it can grab.
const GRIP: f32 = 5.0;

/// The strip, and the part of the trace that it shows.
#[derive(Clone, Copy, Debug)]
pub struct TimelineStrip {
    /// The whole strip.
    pub rect: Rect,
    /// Chart at the right of the labels.
    pub chart: Rect,
    /// Position at the left edge.
    pub first: u64,
    /// Position at the right edge; greater than `first`.
    pub last: u64,
    /// Lower edge of the lanes; rows of ticks are below it.
    pub floor: f32,
    /// Height of the rows of reads and writes, directly below `floor`.
    pub densities: f32,
    /// Height of the rows of values, below those.
    pub waves: f32,
    /// End of the indexed part of the trace.
    pub known: u64,
}

/// Placement of the lanes of a thread.
#[derive(Clone, Copy, Debug)]
pub struct LanePlace {
    /// Upper edge of the first lane.
    pub top: f32,
    /// Height of each lane.
    pub lane: f32,
    /// Call depth of the first lane.
    pub depth: u32,
}

/// Returns the height of a lane for a window height.
pub fn lane_height(window_height: f32) -> f32 {
    if window_height < 900.0 { 13.0 } else { 15.0 }
}

impl TimelineStrip {
    /// Splits the lanes into an upper and a lower half of equal height.
    pub fn halves(&self) -> (Self, Self) {
        let middle = ((self.rect.top() + AXIS + self.floor) / 2.0).round();
        let lower = |rect: Rect| rect.with_min_y(middle - AXIS);
        (
            Self {
                floor: middle,
                ..*self
            },
            Self {
                rect: lower(self.rect),
                chart: lower(self.chart),
                ..*self
            },
        )
    }

    /// Returns the x coordinate of a position.
    pub fn x_of(&self, position: Position) -> f32 {
        let share = (position.0 as f64 - self.first as f64) / (self.last - self.first) as f64;
        self.chart.left() + (share * f64::from(self.chart.width())) as f32
    }

    /// Returns the position nearest to an x coordinate, limited to the indexed part.
    pub fn position_at(&self, x: f32) -> Position {
        let share = f64::from((x - self.chart.left()) / self.chart.width()).clamp(0.0, 1.0);
        Position(
            (self.first + (share * (self.last - self.first) as f64).round() as u64).min(self.known),
        )
    }

    /// Returns the last position of the chart that is indexed.
    pub fn last_known(&self) -> Position {
        Position(self.last.min(self.known).max(self.first))
    }

    /// Returns the number of pixel columns that show the indexed part.
    pub fn known_columns(&self) -> u32 {
        let width = self.chart.width().max(1.0);
        if self.last <= self.known {
            width as u32
        } else {
            (self.x_of(self.last_known()) - self.chart.left()) as u32
        }
    }

    /// Returns true if an x coordinate is in the part that is not indexed yet.
    pub fn is_unknown(&self, x: f32) -> bool {
        self.last > self.known && x > self.x_of(Position(self.known)) + 1.0
    }

    /// Hatches the part that is not indexed yet.
    pub fn hatch_ui(&self, pen: &Pen<'_>) {
        if self.last <= self.known {
            return;
        }
        let tok = pen.tok;
        let left = self.x_of(self.last_known()).max(self.chart.left());
        let rest = Rect::from_min_max(pos2(left, self.rect.top() + AXIS), self.rect.max);
        let pen = Pen {
            painter: pen.painter.with_clip_rect(rest),
            tok,
        };
        pen.fill(rest, tok.bg2);
        let height = rest.height();
        let mut x = rest.left() - height;
        while x < rest.right() {
            let line = [pos2(x, rest.bottom()), pos2(x + height, rest.top())];
            pen.painter
                .line_segment(line, egui::Stroke::new(1.0, tok.line2));
            x += HATCH;
        }
        pen.line_down(rest.left(), rest.top(), rest.bottom(), tok.line2);
        let words = say!("timeline-not-indexed-yet");
        let wide = pen.width(words, ui_font(11.0)) + 12.0;
        if rest.width() > wide + 8.0 {
            let center = pos2(rest.left() + 8.0 + wide / 2.0, rest.center().y);
            pen.painter.rect_filled(
                Rect::from_center_size(center, vec2(wide, 18.0)),
                3.0,
                tok.bg2,
            );
            pen.text_centered(center, words, ui_font(11.0), tok.t3);
        }
    }

    /// Returns the handle under the pointer: a tag that contains it, otherwise the nearest line.
    pub fn handle_at(
        &self,
        pointer: Pos2,
        cx: &PanelContext<'_>,
        tags: &[HandleTag],
    ) -> Option<WindowId> {
        if let Some(tag) = tags.iter().find(|tag| tag.rect.contains(pointer)) {
            return Some(tag.window);
        }
        let distance = |position: Position| (self.x_of(position) - pointer.x).abs();
        let near = cx
            .desk
            .windows
            .list
            .iter()
            .filter(|window| distance(window.position) <= GRIP);
        // Of windows at one position the active one is grabbed.
        let rank = |id: WindowId| id != cx.desk.windows.active;
        let nearest = near.min_by(|a, b| {
            distance(a.position)
                .total_cmp(&distance(b.position))
                .then(rank(a.id).cmp(&rank(b.id)))
        });
        nearest.map(|window| window.id)
    }

    /// Places the tags of the handles, that of the active window first.
    /// The active window's tag is at its line. Tags that would touch it move aside, in the order of
    /// their positions.
    pub fn tags(&self, pen: &Pen<'_>, cx: &PanelContext<'_>) -> Vec<HandleTag> {
        let active = cx.desk.windows.active;
        let mut windows: Vec<_> = cx.desk.windows.list.iter().collect();
        windows.sort_by_key(|window| window.position);
        let tag = |window: &&TraceWindow| {
            let rect = self.tag(pen, window.id, window.position)?;
            Some(HandleTag {
                window: window.id,
                rect,
            })
        };
        let mut tags: Vec<HandleTag> = windows.iter().filter_map(tag).collect();
        let first = tags
            .iter()
            .position(|tag| tag.window == active)
            .unwrap_or(0);
        let room = self.chart.left()..=self.chart.right() + 14.0;
        spread(&mut tags, first, room);
        tags.sort_by_key(|tag| tag.window != active);
        tags
    }

    /// Returns the upper edge of the first lane.
    pub fn top_of_lanes(&self) -> f32 {
        self.rect.top() + AXIS + PADDING
    }

    /// Returns true if the label of a lane ends above the rows of ticks.
    pub fn has_room_for_label(&self, top: f32) -> bool {
        top + 13.0 <= self.floor
    }

    /// Draws the thread names at the left, each next to its lanes.
    pub fn labels(
        &self,
        pen: &Pen<'_>,
        threads: &[ThreadInfo],
        shown: &[usize],
        current: usize,
        height: f32,
    ) {
        let (x, y, right) = (
            self.rect.left() + INSET,
            self.top_of_lanes() + 7.0,
            self.chart.left() - 4.0,
        );
        if !self.has_room_for_label(self.top_of_lanes()) {
            return;
        }
        let name = |thread: usize| {
            threads
                .get(thread)
                .map_or("", |thread| thread.name.as_str())
        };
        if threads.len() < 2 {
            pen.cut_text(pos2(x, y), name(0), ui_font(11.0), pen.tok.t3, right);
            return;
        }
        for (place, thread) in (0u16..).zip(shown) {
            let top = y + f32::from(place) * height;
            let (font, color) = if *thread == current {
                (semi(11.0), pen.tok.t1)
            } else {
                (ui_font(11.0), pen.tok.t3)
            };
            pen.cut_text(pos2(x, top), name(*thread), font, color, right);
            if place > 0 {
                pen.line_across(self.rect.left(), self.rect.right(), top - 8.0, pen.tok.line);
            }
        }
        if shown.len() < threads.len() {
            let more = say!(
                "timeline-of",
                shown = shown.len().to_string(),
                all = threads.len().to_string()
            );
            pen.cut_text(pos2(x, y + 13.0), &more, ui_font(10.5), pen.tok.t3, right);
        }
    }

    /// Draws the axis with its ticks. A label that would touch a tag is left out.
    pub fn axis_ui(&self, pen: &Pen<'_>, tags: &[HandleTag]) {
        let tok = pen.tok;
        let axis = Rect::from_min_size(self.rect.min, vec2(self.rect.width(), AXIS));
        pen.fill(axis, tok.bg2);
        let below = Rect::from_min_max(axis.left_bottom(), self.rect.max);
        pen.fill(below, tok.bg1);
        pen.line_across(axis.left(), axis.right(), axis.bottom() - 1.0, tok.line);
        let step = tick_step(self.last - self.first, self.chart.width(), TICK_SPACING);
        for tick in ticks(Position(self.first), Position(self.last), step) {
            let x = self.x_of(tick);
            pen.line_down(x, axis.bottom() - 5.0, axis.bottom(), tok.line2);
            pen.line_down(x, axis.bottom(), self.rect.bottom(), tok.line);
            let text = thousands(tick.0);
            let label = Rect::from_min_size(
                pos2(x + 4.0, axis.top()),
                vec2(pen.width(&text, mono(10.5)), AXIS),
            );
            let is_free = tags
                .iter()
                .all(|tag| !tag.rect.expand(2.0).intersects(label))
                && label.right() < self.rect.right();
            if is_free {
                pen.text(x + 4.0, axis.center().y, text, mono(10.5), tok.t3);
            }
        }
    }

    /// Draws the frames.
    pub fn lanes_ui(&self, pen: &Pen<'_>, lanes: &FrameLanes, place: LanePlace) {
        let tok = pen.tok;
        let pen = Pen {
            painter: pen.painter.with_clip_rect(self.chart),
            tok,
        };
        for frame in &lanes.boxes {
            let rect = self.box_rect(frame, place);
            pen.fill(rect, tok.flame(&frame.name));
            self.name(&pen, frame, rect);
        }
    }

    /// Draws a line around a frame: one below it would hide the underscores of the name.
    pub fn outline(
        &self,
        pen: &Pen<'_>,
        frame: &FrameBox,
        place: LanePlace,
        thickness: f32,
        color: Color32,
    ) {
        let rect = self.box_rect(frame, place);
        let stroke = Stroke::new(thickness, color);
        pen.painter
            .rect_stroke(rect, 0.0, stroke, StrokeKind::Inside);
        // In a low lane the line covers the underscores of the name.
        self.name(pen, frame, rect);
    }

    /// Draws the depths in view like a scroll bar next to the labels, if there are more depths than
    /// fit.
    pub fn depths_ui(
        &self,
        pen: &Pen<'_>,
        place: LanePlace,
        ShownDepths {
            first,
            shown,
            count,
        }: ShownDepths,
    ) {
        if count <= shown {
            return;
        }
        let (x, height) = (self.chart.left() - 5.0, shown as f32 * place.lane);
        let part = |depths: u32| height * depths as f32 / count as f32;
        pen.fill(
            Rect::from_min_size(pos2(x, place.top), vec2(3.0, height)),
            pen.tok.bg3,
        );
        let grip = Rect::from_min_size(
            pos2(x, place.top + part(first)),
            vec2(3.0, part(shown).max(6.0)),
        );
        pen.fill(grip, pen.tok.ctl);
        let (label, y) = (
            say!(
                "timeline-depths-of",
                first = (first + 1).to_string(),
                last = (first + shown).min(count).to_string(),
                all = count.to_string()
            ),
            place.top + 20.0,
        );
        if place.top + height > y + 8.0 {
            pen.cut_text(
                pos2(self.rect.left() + INSET, y),
                &label,
                ui_font(10.5),
                pen.tok.t3,
                x - 4.0,
            );
        }
    }

    fn box_rect(&self, frame: &FrameBox, LanePlace { top, lane, depth }: LanePlace) -> Rect {
        let top = top + lane * frame.depth.saturating_sub(depth) as f32;
        let (left, right) = (
            self.chart.left() + frame.first as f32,
            self.chart.left() + frame.end as f32,
        );
        // A gap of one pixel separates neighbours if there is room for it.
        let gap = if right - left > 3.0 { 1.0 } else { 0.0 };
        Rect::from_min_max(pos2(left, top), pos2(right - gap, top + lane - 1.0))
    }

    fn name(&self, pen: &Pen<'_>, frame: &FrameBox, rect: Rect) {
        if rect.width() < 20.0 {
            return;
        }
        let width = pen.width(&frame.name, ui_font(11.0));
        if width + 8.0 <= rect.width() {
            pen.text(
                rect.left() + 4.0,
                rect.center().y - 1.0,
                &frame.name,
                ui_font(11.0),
                pen.tok.flame_text,
            );
        }
    }

    /// Draws the positions as handles, the active one on top. Lines of one position are side by
    /// side.
    pub fn handles_ui(&self, pen: &Pen<'_>, cx: &PanelContext<'_>, tags: &[HandleTag]) {
        let mut lines: Vec<f32> = Vec::new();
        for HandleTag { window, rect } in tags {
            let Some(window) = cx.desk.windows.get(*window) else {
                continue;
            };
            let mut x = self.x_of(window.position).round();
            while lines.iter().any(|line| (line - x).abs() < 2.0) {
                x += 2.0;
            }
            lines.push(x);
            let color = pen.tok.position(window.id.0);
            pen.fill(
                Rect::from_min_max(
                    pos2(x - 1.0, rect.bottom()),
                    pos2(x + 1.0, self.rect.bottom()),
                ),
                color,
            );
        }
        for HandleTag { window, rect } in tags.iter().rev() {
            let Some(window) = cx.desk.windows.get(*window) else {
                continue;
            };
            pen.painter
                .rect_filled(*rect, 3.0, pen.tok.position(window.id.0));
            pen.text_centered(
                rect.center(),
                tag_text(window.id, window.position),
                semi(11.0),
                pen.tok.on_accent,
            );
        }
    }

    /// Returns the rectangle of a handle's tag; none if the position is not in view.
    fn tag(&self, pen: &Pen<'_>, window: WindowId, position: Position) -> Option<Rect> {
        if !(self.first..=self.last).contains(&position.0) {
            return None;
        }
        let width = pen.width(&tag_text(window, position), semi(11.0)) + 12.0;
        let center = self.x_of(position);
        let least = self.chart.left();
        let left = (center - width / 2.0)
            .min(self.chart.right() + 2.0 - width)
            .max(least);
        Some(Rect::from_min_size(
            pos2(left.round(), self.rect.top() + 2.0),
            vec2(width.round(), 16.0),
        ))
    }

    /// Returns the frame under the pointer.
    pub fn frame_at<'a>(
        &self,
        ui: &Ui,
        lanes: &'a FrameLanes,
        place: LanePlace,
    ) -> Option<&'a FrameBox> {
        let pointer = self.pointer(ui)?;
        lanes
            .boxes
            .iter()
            .find(|frame| self.box_rect(frame, place).expand(0.5).contains(pointer))
    }

    /// Returns the pointer position over the chart; none if something else covers the chart there.
    pub fn pointer(&self, ui: &Ui) -> Option<Pos2> {
        let pointer = ui
            .input(|input| input.pointer.hover_pos())
            .filter(|at| self.chart.contains(*at))?;
        ui.rect_contains_pointer(self.chart).then_some(pointer)
    }

    /// Draws the selected part over everything below it.
    pub fn selection_ui(&self, pen: &Pen<'_>, StepRange { first, last }: StepRange) {
        let (left, right) = (self.x_of(first), self.x_of(last));
        let top = self.rect.top() + AXIS;
        let rect = Rect::from_min_max(
            pos2(left, top),
            pos2(right.max(left + 1.0), self.rect.bottom()),
        );
        let pen = Pen {
            painter: pen.painter.with_clip_rect(self.chart),
            tok: pen.tok,
        };
        pen.fill(rect, pen.tok.accent.gamma_multiply(0.22));
        for x in [rect.left(), rect.right()] {
            pen.line_down(x, rect.top(), rect.bottom(), pen.tok.accent);
        }
    }
}

/// Shows a tooltip at the pointer.
pub fn tip_ui(ui: &Ui, words: String) {
    tip_of(ui, words, None);
}

/// Shows a tooltip about a cell at the pointer.
pub fn tip_of(ui: &Ui, words: String, hover: Option<HoverCell>) {
    let id = ui.unique_id().with("tip");
    egui::Tooltip::always_open(
        ui.ctx().clone(),
        ui.layer_id(),
        id,
        egui::PopupAnchor::Pointer,
    )
    .gap(12.0)
    .show(|ui| {
        // The size of the last tooltip must not break the lines of this one.
        ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
        ui.label(words);
        hover.iter().for_each(|hover| hover.line_ui(ui));
    });
}

#[derive(Clone, Copy, Debug)]
pub struct HandleTag {
    pub window: WindowId,
    pub rect: Rect,
}

/// Moves sorted tags apart. The tag at index `stays` keeps its place if both sides have room for
/// the others.
fn spread(tags: &mut [HandleTag], stays: usize, room: std::ops::RangeInclusive<f32>) {
    let (before, after) = tags.split_at_mut(stays.min(tags.len()));
    let pushed = |rect: Rect, by: f32| rect.translate(vec2(by, 0.0));
    let mut least = f32::NEG_INFINITY;
    for tag in after.iter_mut() {
        tag.rect = pushed(tag.rect, (least - tag.rect.left()).max(0.0));
        least = tag.rect.right() + 2.0;
    }
    let most = after
        .first()
        .map_or(f32::INFINITY, |tag| tag.rect.left() - 2.0);
    push_left(before, most);
    push_left(tags, *room.end());
    let mut least = *room.start();
    for tag in tags {
        tag.rect = pushed(tag.rect, (least - tag.rect.left()).max(0.0));
        least = tag.rect.right() + 2.0;
    }
}

/// Moves tags to the left so that the last ends at `most` and none overlaps the next.
fn push_left(tags: &mut [HandleTag], mut most: f32) {
    for tag in tags.iter_mut().rev() {
        tag.rect = tag
            .rect
            .translate(vec2((most - tag.rect.right()).min(0.0), 0.0));
        most = tag.rect.left() - 2.0;
    }
}

fn tag_text(window: WindowId, position: Position) -> String {
    format!("{} · {}", window.0, thousands(position.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_that_are_side_by_side_keep_the_order_of_their_positions() {
        let lefts = |lefts: &[f32], stays| {
            let tag = |(number, left): (u32, &f32)| HandleTag {
                window: WindowId(number),
                rect: Rect::from_min_size(pos2(*left, 0.0), vec2(20.0, 16.0)),
            };
            let mut tags: Vec<HandleTag> = (0..).zip(lefts).map(tag).collect();
            spread(&mut tags, stays, 0.0..=100.0);
            tags.iter().map(|tag| tag.rect.left()).collect::<Vec<_>>()
        };
        assert_eq!(lefts(&[40.0, 45.0, 50.0], 1), [23.0, 45.0, 67.0]);
        assert_eq!(lefts(&[78.0, 79.0], 0), [58.0, 80.0]);
        assert_eq!(lefts(&[0.0, 1.0, 50.0], 1), [0.0, 22.0, 50.0]);
        assert_eq!(lefts(&[10.0, 60.0], 0), [10.0, 60.0]);
    }
}
