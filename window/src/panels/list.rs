//! A list of up to 2^64 rows with its own scroll state and scroll bar, and column heads that sort.

use std::ops::Range;

use egui::{Color32, Rect, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};
use stepback_debugger::messages::say;
use stepback_debugger::model::scroll::{Scroll, Viewport};

use crate::panels::pen::{Pen, ROW, head_font};
use crate::panels::row::button_response;
use crate::theme::{ThemeColors, icon, icons};

/// Width of a scroll bar, in points.
pub const BAR_WIDTH: f32 = 10.0;

/// A mark on the scroll bar.
#[derive(Clone, Copy, Debug)]
pub struct ScrollBarTick {
    /// Row that the mark represents.
    pub row: u64,
    pub color: Color32,
    /// Width in points, from the left edge of the bar.
    pub width: f32,
}

/// Width of the mark of a position, in points.
pub const POSITION_TICK: f32 = BAR_WIDTH - 1.0;

/// Area of the rows of a list, and the part of the list in view.
#[derive(Clone, Copy, Debug)]
pub struct ListArea {
    /// Rectangle of the rows, without the scroll bar.
    pub body: Rect,
    pub view: Viewport,
    scroll: Scroll,
}

/// Contents and options of a list.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// Number of rows.
    pub rows: u64,
    /// Marks on the scroll bar.
    pub ticks: &'a [ScrollBarTick],
    /// The scroll bar keeps its space when there is nothing to scroll.
    pub has_lasting_bar: bool,
}

/// Thumb of a scroll bar. Its top moves between `start` and `start + way`, in points.
pub struct Thumb {
    pub top: f32,
    pub length: f32,
    pub start: f32,
    pub direction: f32,
}

impl List<'_> {
    /// Lays the list out in a rectangle, follows the wheel and draws the scroll bar.
    pub fn ui(self, ui: &mut Ui, rect: Rect, scroll: &mut Scroll, tok: &ThemeColors) -> ListArea {
        let view = Viewport {
            rows: self.rows,
            height: rect.height(),
            row_height: ROW,
        };
        wheel(ui, rect, scroll, &view);
        scroll.clamp(&view);
        if view.last_top() == 0 && !self.has_lasting_bar {
            return ListArea {
                body: rect,
                view,
                scroll: *scroll,
            };
        }
        let (body, bar) = rect.split_left_right_at_x(rect.right() - BAR_WIDTH);
        bar_ui(ui, bar, scroll, &view, tok);
        for tick in self.ticks {
            let y = (bar.top() + view.share_of(tick.row) * (bar.height() - 2.0)).round();
            let mark = Rect::from_min_size(pos2(bar.left() + 1.0, y), vec2(tick.width, 2.0));
            ui.painter().rect_filled(mark, 0.0, tick.color);
        }
        ListArea {
            body,
            view,
            scroll: *scroll,
        }
    }
}

impl ListArea {
    /// Returns this area scrolled to another place.
    pub fn scrolled_to(self, scroll: Scroll) -> Self {
        Self { scroll, ..self }
    }

    pub fn scroll(&self) -> Scroll {
        self.scroll
    }

    /// Returns the rows in view with their rectangles, for lists in memory: rows are indexes.
    pub fn places(&self) -> impl Iterator<Item = (usize, Rect)> + use<> {
        self.rows()
            .filter_map(|(row, rect)| Some((usize::try_from(row).ok()?, rect)))
    }

    /// Returns the range of rows in view; the last may be cut.
    pub fn range(&self) -> Range<u64> {
        let first = self.rows().next().map_or(0, |(row, _)| row);
        first..self.rows().last().map_or(first, |(row, _)| row + 1)
    }

    /// Returns the range of rows in view, for lists in memory.
    pub fn seen(&self) -> Range<usize> {
        let first = self.places().next().map_or(0, |(place, _)| place);
        first..self.places().last().map_or(first, |(place, _)| place + 1)
    }

    /// Returns the rows in view with their rectangles; the last may be cut.
    pub fn rows(&self) -> impl Iterator<Item = (u64, Rect)> + use<> {
        let Self { body, view, scroll } = *self;
        let end = scroll
            .top
            .saturating_add(view.page())
            .saturating_add(2)
            .min(view.rows);
        (scroll.top..end)
            .zip(0u16..)
            .filter_map(move |(row, place)| {
                let top = body.top() + f32::from(place) * view.row_height - scroll.pixels;
                let rect = Rect::from_min_size(
                    pos2(body.left(), top.round()),
                    vec2(body.width(), view.row_height),
                );
                (rect.top() < body.bottom()).then_some((row, rect))
            })
    }
}

fn wheel(ui: &Ui, rect: Rect, scroll: &mut Scroll, view: &Viewport) {
    if ui.rect_contains_pointer(rect) {
        let pixels = ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.y));
        if pixels != 0.0 {
            scroll.by_pixels(-pixels, view);
        }
    }
}

fn bar_ui(ui: &Ui, bar: Rect, scroll: &mut Scroll, view: &Viewport, tok: &ThemeColors) {
    let id = ui.unique_id().with("scroll bar");
    let response = ui.interact(bar, id, Sense::CLICK | Sense::DRAG);
    let length = view.thumb_height();
    let direction = (bar.height() - length).max(1.0);
    let top = bar.top() + scroll.share(view) * direction;
    drag(
        ui,
        &response,
        scroll,
        view,
        Thumb {
            top,
            length,
            start: bar.top(),
            direction,
        },
    );
    let top = bar.top() + scroll.share(view) * direction;
    let thumb = Rect::from_min_size(pos2(bar.left() + 2.0, top), vec2(BAR_WIDTH - 4.0, length));
    ui.painter().rect_filled(bar, 0.0, tok.bg2);
    if view.last_top() > 0 {
        let color = if response.dragged() {
            tok.ctl
        } else if response.hovered() {
            tok.t4
        } else {
            tok.line2
        };
        ui.painter().rect_filled(thumb, 3.0, color);
    }
    response
        .widget_info(|| WidgetInfo::labeled(Role::ScrollBar, true, say!("list-vertical-scroll")));
}

/// Moves the thumb with the pointer, from the point at which it was grabbed. A click outside of the
/// thumb moves by a page.
fn drag(
    ui: &Ui,
    response: &Response,
    scroll: &mut Scroll,
    view: &Viewport,
    Thumb {
        top,
        length,
        start,
        direction,
    }: Thumb,
) {
    let Some(pointer) = response.interact_pointer_pos() else {
        return;
    };
    let is_on_thumb = (top..top + length).contains(&pointer.y);
    let is_pressed = ui.input(|input| input.pointer.primary_pressed());
    if is_pressed {
        let grip = is_on_thumb.then_some(pointer.y - top);
        ui.data_mut(|data| data.insert_temp(response.id, grip));
        if !is_on_thumb {
            let page = view.height - view.row_height;
            scroll.by_pixels(if pointer.y < top { -page } else { page }, view);
        }
    } else if let Some(Some(grip)) = ui.data(|data| data.get_temp::<Option<f32>>(response.id)) {
        scroll.to_share((pointer.y - grip - start) / direction, view);
    }
}

/// Sort order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SortBy {
    /// Column, counted from the left; none: the original order.
    pub column: Option<usize>,
    pub is_falling: bool,
}

impl SortBy {
    /// Applies a click on a head: sorts by it, then in falling order, then restores the original
    /// order.
    pub fn press(&mut self, column: usize) {
        *self = match (self.column == Some(column), self.is_falling) {
            (true, false) => Self {
                column: Some(column),
                is_falling: true,
            },
            (true, true) => Self::default(),
            (false, _) => Self {
                column: Some(column),
                is_falling: false,
            },
        };
    }

    /// Sorts rows by a column. The sort is stable.
    pub fn sort<T, K: Ord>(self, rows: &mut [T], key: impl Fn(&T, usize) -> K) {
        let Some(column) = self.column else { return };
        rows.sort_by(|one, other| {
            let (one, other) = (key(one, column), key(other, column));
            if self.is_falling {
                other.cmp(&one)
            } else {
                one.cmp(&other)
            }
        });
    }
}

/// Head of a column; its index in the list of heads is the column number.
pub struct ColumnHead<'a> {
    pub left: f32,
    pub name: &'a str,
}

/// Draws the heads of columns; a click sorts. Returns true if the order changed.
pub fn heads_ui(
    ui: &Ui,
    pen: &Pen<'_>,
    line: Rect,
    heads: &[ColumnHead<'_>],
    sort: &mut SortBy,
) -> bool {
    let (tok, y) = (pen.tok, line.center().y);
    pen.line_across(line.left(), line.right(), line.bottom() - 1.0, tok.line);
    let before = *sort;
    for (column, head) in heads.iter().enumerate() {
        let end = heads
            .iter()
            .map(|other| other.left)
            .filter(|left| *left > head.left)
            .fold(line.right() - 4.0, f32::min);
        let width = pen.width(head.name, head_font()) + 14.0;
        let rect = Rect::from_min_max(
            pos2(head.left, line.top()),
            pos2((head.left + width).min(end), line.bottom()),
        );
        let response = button_response(
            ui,
            rect.expand2(vec2(2.0, 0.0)),
            ("head", column),
            &say!("threads-sort-by", name = head.name),
        );
        let is_chosen = before.column == Some(column);
        let color = if is_chosen || response.hovered() {
            tok.t1
        } else {
            tok.t2
        };
        let right = pen.cut_text(pos2(head.left, y), head.name, head_font(), color, end);
        if is_chosen {
            let caret = if before.is_falling {
                icons::CARET_DOWN
            } else {
                icons::CARET_UP
            };
            pen.text(right + 2.0, y, caret, icon(10.0), tok.t2);
        }
        let words = say!("table-sort-by", column = head.name.to_lowercase());
        if response.on_hover_text(words).clicked() {
            sort.press(column);
        }
    }
    *sort != before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_sorts_turns_round_and_gives_up() {
        let mut sort = SortBy::default();
        let order = |sort: SortBy| {
            let mut rows = vec![(2, 'b'), (1, 'c'), (3, 'a'), (1, 'd')];
            sort.sort(&mut rows, |row, column| {
                if column == 0 {
                    row.0.to_string()
                } else {
                    row.1.to_string()
                }
            });
            rows.into_iter().map(|row| row.1).collect::<String>()
        };
        assert_eq!(order(sort), "bcad");
        sort.press(0);
        assert_eq!(order(sort), "cdba");
        sort.press(0);
        assert_eq!(order(sort), "abcd");
        sort.press(1);
        assert_eq!(order(sort), "abcd");
        sort.press(1);
        sort.press(1);
        assert_eq!(order(sort), "bcad");
    }
}
