//! The rows of the stack, and the context menu of a frame.

use egui::{Rect, Ui, pos2, vec2};
use stepback_debugger::action::Action;
use stepback_debugger::action::WindowId;
use stepback_debugger::messages::say;
use stepback_debugger::model::call_stack::{FrameMark, StackFrame, called_at, entered_at};
use stepback_debugger::model::text::thousands;
use stepback_debugger::views::RowGesture;
use stepback_parsers::Position;

use crate::panels::cursor_list::RowInput as RowsTouched;
use crate::panels::menu::{MenuItem, context_menu, effects_items, menu_head_ui, menu_line_ui};
use crate::panels::panel::register_of;
use crate::panels::pen::{ADVANCE, Pen, ROW};
use crate::panels::row::{RowState, row_background, row_response};
use crate::panels::{HoverCell, PanelContext};
use crate::theme::{ThemeColors, icons, mono, mono_bold, ui as ui_font};

/// Maximum number of arguments in a row; the tooltip and the foot show all of them.
const ARGUMENTS: usize = 4;
/// Minimum width of a panel that shows arguments.
const WITH_ARGUMENTS: f32 = 440.0;
/// Minimum width of a panel that shows the place of the call; narrower ones show only its step.
const WITH_PLACE: f32 = 640.0;

/// Column positions. They depend only on the panel's width, so that they do not move while
/// stepping.
#[derive(Clone, Copy, Debug)]
pub struct StackColumns {
    /// Right edge of the numbers.
    pub number: f32,
    /// Functions.
    pub name: f32,
    /// Arguments, if there is room.
    pub arguments: Option<f32>,
    /// Place of the call, if there is room.
    pub place: Option<f32>,
    /// Right edge of the steps.
    pub right: f32,
}

impl StackColumns {
    /// Lays out the columns of a list.
    pub fn new(list: Rect) -> Self {
        let width = list.width();
        let name = list.left() + 40.0;
        let right = list.right() - 10.0;
        let place = (width >= WITH_PLACE).then_some(right - (width * 0.28).min(300.0));
        let arguments =
            (width >= WITH_ARGUMENTS).then_some(name + (width * 0.27).clamp(150.0, 320.0));
        Self {
            number: list.left() + 30.0,
            name,
            arguments,
            place,
            right,
        }
    }

    /// Returns the right limit of names and their marks.
    fn name_end(&self, steps: f32) -> f32 {
        self.arguments.or(self.place).unwrap_or(steps) - 10.0
    }
}

/// Painter of the rows, for one frame.
pub struct StackRows<'a> {
    /// Clipped to the list.
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub columns: StackColumns,
    /// Window that travels.
    pub window: WindowId,
    /// Index of the frame under the cursor.
    pub cursor: usize,
    /// Position that the window was sent to from this stack; none while it is at the position of
    /// the stack.
    pub here: Option<Position>,
    /// The foot shows the details of the frame under the pointer, so tooltips are left out.
    pub has_foot: bool,
}

/// Pointer input on the frames, identified by their index in the stack.
#[derive(Debug, Default)]
pub struct StackInput {
    pub rows: RowsTouched,
    /// Frame under the pointer.
    pub hovered: Option<usize>,
    /// Frame for whose entry another window opens.
    pub opened: Option<usize>,
    /// The stack is copied.
    pub is_copied: bool,
    /// Further actions.
    pub requested: Vec<Action>,
}

impl StackRows<'_> {
    /// Draws a row. A frame that is not known yet only has its number.
    pub fn row_ui(
        &self,
        ui: &mut Ui,
        rect: Rect,
        place: usize,
        frame: Option<&StackFrame>,
        touched: &mut StackInput,
    ) {
        let (pen, tok, y) = (&self.pen, self.cx.tok, rect.center().y);
        let name = frame.map_or("…", |frame| frame.name.as_str());
        let response = row_response(ui, rect, ("frame", place), || {
            say!("stack-frame", place = place.to_string(), name = &*name)
        });
        let is_here = self.is_here(place, frame);
        let state = RowState {
            is_selected: is_here,
            is_cursor: self.cursor == place,
            has_focus: self.cx.has_focus,
        };
        row_background(
            pen,
            rect,
            &response,
            RowState {
                has_focus: true,
                is_cursor: false,
                ..state
            },
        );
        if state.is_cursor && state.has_focus {
            pen.frame(rect.shrink(1.0), 0, tok.focus);
        }
        if is_here {
            pen.fill(
                Rect::from_min_size(rect.min, vec2(2.0, ROW)),
                tok.position(self.window.0),
            );
        }
        pen.text_left_of(
            self.columns.number,
            y,
            thousands(place as u64),
            mono(11.5),
            tok.t3,
        );
        let Some(frame) = frame else {
            let bar = Rect::from_min_size(pos2(self.columns.name, y - 4.0), vec2(72.0, 8.0));
            pen.painter.rect_filled(bar, 2.0, tok.bg3);
            return;
        };
        self.words(y, frame, if is_here { mono_bold(12.5) } else { mono(12.5) });
        if response.hovered() {
            touched.hovered = Some(place);
        }
        if response.clicked() || response.secondary_clicked() {
            touched.rows.cursor = Some(place);
        }
        if response.middle_clicked()
            || (response.clicked() && ui.input(|input| input.modifiers.command))
        {
            touched.opened = Some(place);
        } else if response.double_clicked() {
            touched.rows.gesture(place, RowGesture::Go);
        } else if response.clicked() {
            touched.rows.gesture(place, RowGesture::GoOn);
        }
        context_menu(&response, |ui| frame_menu(ui, place, frame, tok, touched));
        if !self.has_foot {
            response.on_hover_ui(|ui| {
                for line in frame.detail_lines(&self.cx.desk.session) {
                    ui.label(line);
                }
                self.argument(frame)
                    .iter()
                    .for_each(|hover| hover.line_ui(ui));
            });
        }
    }

    /// Returns the first argument at the entry of the function.
    fn argument(&self, frame: &StackFrame) -> Option<HoverCell> {
        let name = &frame.arguments.first()?.name;
        Some(HoverCell {
            cell: register_of(frame.call.thread, name, self.cx),
            at: entered_at(&frame.call),
        })
    }

    /// Returns true for the innermost frame, or for the frame that the window was sent to.
    fn is_here(&self, place: usize, frame: Option<&StackFrame>) -> bool {
        match (self.here, frame) {
            (None, _) => place == 0,
            (Some(here), Some(frame)) => {
                called_at(&frame.call) == here || entered_at(&frame.call) == here
            }
            (Some(_), None) => false,
        }
    }

    fn words(&self, y: f32, frame: &StackFrame, font: egui::FontId) {
        let (pen, tok, columns) = (&self.pen, self.cx.tok, &self.columns);
        let steps = match &frame.call_site {
            Some(site) => pen.text_left_of(
                columns.right,
                y,
                thousands(site.step.0),
                mono(12.0),
                tok.accent,
            ),
            None => columns.right,
        };
        let end = columns.name_end(steps);
        let marks = frame.marks();
        let marks_width: f32 = marks
            .iter()
            .map(|mark| pen.width(mark.word(), ui_font(11.0)) + 8.0)
            .sum();
        // A long name gives way to its marks, but keeps enough letters to distinguish functions.
        let name_end = (end - marks_width)
            .max(columns.name + 8.0 * ADVANCE)
            .min(end);
        let mut x = pen.cut_text(
            pos2(columns.name, y),
            &frame.name,
            font,
            tok.symbol,
            name_end,
        ) + 8.0;
        for mark in marks {
            let color = if mark == FrameMark::Exception {
                tok.err
            } else {
                tok.t3
            };
            x = pen.cut_text(pos2(x, y), mark.word(), ui_font(11.0), color, end) + 8.0;
        }
        if let Some(left) = columns.arguments {
            self.arguments(left, y, frame, columns.place.unwrap_or(steps) - 20.0);
        }
        if let Some(left) = columns.place {
            let place = match &frame.call_site {
                Some(site) => site
                    .place
                    .clone()
                    .unwrap_or_else(|| format!("{:x}", site.address.0)),
                None => say!("stack-nothing").to_owned(),
            };
            let color = if frame.call_site.is_some() {
                tok.t2
            } else {
                tok.t3
            };
            let end = pen.cut_text(pos2(left, y), &place, mono(12.5), color, steps - 8.0);
            if let Some(source) = frame
                .call_site
                .as_ref()
                .and_then(|site| site.source.as_ref())
            {
                pen.cut_text(
                    pos2(end + 10.0, y),
                    source,
                    ui_font(11.5),
                    tok.t3,
                    steps - 8.0,
                );
            }
        }
    }

    /// Draws as many arguments as fit.
    fn arguments(&self, left: f32, y: f32, frame: &StackFrame, right: f32) {
        let (pen, tok) = (&self.pen, self.cx.tok);
        let mut x = left;
        for argument in frame.arguments.iter().take(ARGUMENTS) {
            let value = argument.value_text();
            let width = ADVANCE * (argument.name.len() + value.len() + 1) as f32;
            if x + width > right {
                pen.cut_text(pos2(x, y), "…", mono(12.5), tok.t3, right);
                return;
            }
            let end = pen.code(x, y, &argument.name, tok.register);
            let color = if argument.value.is_unknown() {
                tok.unknown
            } else {
                tok.t1
            };
            x = pen.code(end + ADVANCE * 0.7, y, value, color) + 12.0;
        }
    }
}

/// Draws the menu of the frame at a place of the stack.
pub fn frame_menu(
    ui: &mut Ui,
    place: usize,
    frame: &StackFrame,
    tok: &ThemeColors,
    touched: &mut StackInput,
) {
    menu_head_ui(
        ui,
        tok,
        &frame.name,
        &frame
            .marks()
            .iter()
            .map(|mark| mark.word())
            .collect::<Vec<_>>()
            .join(", "),
    );
    if MenuItem::new(say!("stack-travel-to-its-call"))
        .icon(icons::GO_TO)
        .key("Shift+Enter")
        .ui(ui, tok)
    {
        touched.rows.gesture(place, RowGesture::GoOn);
    }
    if MenuItem::new(say!("stack-travel-to-its-entry"))
        .key("Enter")
        .ui(ui, tok)
    {
        touched.rows.gesture(place, RowGesture::Go);
    }
    if MenuItem::new(say!("stack-open-window-at-its-entry"))
        .icon(icons::SIDE_BY_SIDE)
        .key("Ctrl+click")
        .ui(ui, tok)
    {
        touched.opened = Some(place);
    }
    effects_items(ui, tok, entered_at(&frame.call), &mut touched.requested);
    menu_line_ui(ui, tok);
    if MenuItem::new(say!("stack-copy-stack"))
        .icon(icons::COPY)
        .key("Ctrl+C")
        .ui(ui, tok)
    {
        touched.is_copied = true;
    }
}
