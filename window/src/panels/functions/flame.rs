//! The flame graph: merged stacks, drawn as wide as their share of steps or time.

use std::sync::Arc;

use egui::{Rect, Ui, pos2};
use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Action, AppAction, CallMeasure, PanelKind, ViewAction};
use stepback_debugger::analysis::call_profile::{StackNode, StackNodeKind};
use stepback_debugger::messages::say;
use stepback_debugger::model::functions::{
    FlameBox, FlameView, FunctionMatches, FunctionProfile, share_text,
};
use stepback_debugger::model::scroll::Scroll;
use stepback_debugger::views::CursorDirection;
use stepback_debugger::worker::Slot;
use stepback_index::Cancel;

use super::bar::{BAR, EMPTY_ICON, FunctionsBar, icon_ui};
use super::flame_paint::{FlameInput, FlamePainter};
use crate::panels::PanelContext;
use crate::panels::cursor_list::{PanelKey, take_keys, take_rect};
use crate::panels::list::List;
use crate::panels::panel::Panel;
use crate::panels::pen::{INSET, Pen};
use crate::panels::row::{EmptyMessage, Field, button_response, empty_ui, error_ui};
use crate::theme::{icons, ui as ui_font};

/// Width of the search field.
const FIELD: f32 = 150.0;

/// The panel "Flame graph".
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FlamePanel {
    #[serde(skip)]
    state: Box<FlameState>,
}

#[derive(Debug, Default)]
struct FlameState {
    /// Answer that the stack numbers below refer to.
    functions: Option<Arc<FunctionProfile>>,
    /// Stack that is zoomed to the whole width.
    root: u32,
    /// Earlier zoom roots, the latest last.
    zooms: Vec<u32>,
    /// Stack under the cursor.
    cursor: u32,
    scroll: Scroll,
    /// Text of the search field.
    text: String,
    sought: Slot<FlameQuery, FunctionMatches>,
    drawn: Option<FlameCache>,
    /// Box on which the menu was opened.
    menu: Option<FlameBox>,
}

/// Query of a search in one answer.
#[derive(Clone, Debug)]
struct FlameQuery {
    functions: Arc<FunctionProfile>,
    text: String,
    measure: CallMeasure,
}

impl PartialEq for FlameQuery {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.functions, &other.functions)
            && (&self.text, self.measure) == (&other.text, other.measure)
    }
}

/// Cache of the boxes of a view, so that they are not laid out in every frame.
#[derive(Debug)]
struct FlameCache {
    view: FlameView,
    measure: CallMeasure,
    boxes: Vec<FlameBox>,
}

impl FlameState {
    /// Takes over a new answer, which numbers stacks differently. The zoom root and the cursor are
    /// found again by their functions.
    fn take_over(&mut self, functions: &Arc<FunctionProfile>) {
        if self
            .functions
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, functions))
        {
            return;
        }
        let carried = |place| {
            self.functions
                .as_ref()
                .map_or(0, |known| same_stack(known, place, functions))
        };
        (self.root, self.cursor) = (carried(self.root), carried(self.cursor));
        (self.zooms, self.drawn, self.menu) = (Vec::new(), None, None);
        self.functions = Some(Arc::clone(functions));
    }

    fn zoom(&mut self, to: u32) {
        if to != self.root {
            self.zooms.push(std::mem::replace(&mut self.root, to));
        }
        self.cursor = to;
    }

    /// Zooms out to the previous root, or to the parent of the root if there is none.
    fn back_out(&mut self, functions: &FunctionProfile) {
        let parent = functions
            .profile
            .stacks
            .get(self.root as usize)
            .map_or(0, |node| node.parent);
        self.root = self.zooms.pop().unwrap_or(parent);
    }
}

/// Finds the stack of `other` that has the functions of a known stack, or the longest outer part of
/// it.
fn same_stack(known: &FunctionProfile, place: u32, other: &FunctionProfile) -> u32 {
    let node = |place: u32| known.profile.stacks.get(place as usize);
    let parent = |place: &u32| {
        node(*place)
            .map(|node| node.parent)
            .filter(|parent| parent < place)
    };
    let mut path: Vec<u32> = std::iter::successors(Some(place), parent).collect();
    path.pop();
    let address = |functions: &FunctionProfile, who: StackNodeKind| match who {
        StackNodeKind::Function(place) => {
            functions.function(place).map(|function| function.address)
        }
        _ => None,
    };
    let graph = other.graph(CallMeasure::Steps);
    let mut found = 0;
    for who in path.into_iter().rev().filter_map(node).map(|node| node.who) {
        let wanted = address(known, who);
        let is_same = |child: &&u32| {
            let there = other
                .profile
                .stacks
                .get(**child as usize)
                .map(|node| node.who);
            there.is_some_and(|there| match wanted {
                Some(wanted) => address(other, there) == Some(wanted),
                None => there == who,
            })
        };
        match graph.children(found).iter().find(is_same) {
            Some(child) => found = *child,
            None => break,
        }
    }
    found
}

impl FlamePanel {
    /// Draws the bar: part, measure, zoom out, and search field.
    fn bar_ui(
        &mut self,
        ui: &mut Ui,
        free: &FunctionsBar<'_>,
        functions: &Arc<FunctionProfile>,
        out: &mut Vec<Action>,
    ) {
        let FunctionsBar { pen, rect: bar, cx } = *free;
        let y = bar.center().y;
        pen.line_across(bar.left(), bar.right(), bar.bottom() - 1.0, pen.tok.line);
        let field = Rect::from_min_max(
            pos2(bar.right() - 8.0 - FIELD, y - 11.0),
            pos2(bar.right() - 8.0, y + 11.0),
        );
        let finder = Field {
            hint: say!("flame-find-in-the-graph"),
            icon: icons::SEARCH,
        };
        finder.ui(ui, pen, field, &mut self.state.text);
        let mut right = field.left() - 8.0;
        if self.state.root != 0 {
            let button = Rect::from_min_max(pos2(right - 24.0, y - 11.0), pos2(right, y + 11.0));
            if icon_ui(
                ui,
                pen,
                button,
                icons::OUT,
                say!("flame-zoom-out-backspace"),
            ) {
                self.state.back_out(functions);
            }
            right = button.left() - 4.0;
        }
        if functions.profile.has_clock {
            let measure = functions.measure(cx.desk.functions.measure());
            for (words, choice) in [
                (say!("flame-by-steps"), CallMeasure::Steps),
                (say!("flame-by-time"), CallMeasure::Time),
            ] {
                let left = right - pen.width(words, ui_font(11.5)) - 16.0;
                let segment = Rect::from_min_max(pos2(left, y - 10.0), pos2(right, y + 10.0));
                let response = button_response(ui, segment, ("measure", words), words);
                let (ground, color) = match measure == choice {
                    true => (Some(pen.tok.bg4), pen.tok.t1),
                    false => (response.hovered().then_some(pen.tok.bg3), pen.tok.t2),
                };
                if let Some(ground) = ground {
                    pen.painter.rect_filled(segment, 3.0, ground);
                }
                pen.text_centered(segment.center(), words, ui_font(11.5), color);
                if response.clicked() {
                    out.push(Action::View(ViewAction::MeasureCalls(choice)));
                }
                right = left - 2.0;
            }
            right -= 4.0;
        }
        let words = self.found_words(functions, cx).unwrap_or_default();
        free.up_to(right).part_ui(ui, &words, out);
    }

    /// Polls the search and returns words about the share that was found.
    fn found_words(
        &mut self,
        functions: &Arc<FunctionProfile>,
        cx: &PanelContext<'_>,
    ) -> Option<String> {
        let text = self.state.text.trim().to_owned();
        if text.is_empty() {
            return None;
        }
        let measure = functions.measure(cx.desk.functions.measure());
        let wanted = FlameQuery {
            functions: Arc::clone(functions),
            text,
            measure,
        };
        let answer = self.state.sought.poll(&wanted, &cx.desk.worker, |wanted| {
            let wanted = wanted.clone();
            move |_: &Cancel| {
                Ok(FunctionMatches::of(
                    &wanted.functions,
                    &wanted.text,
                    wanted.measure,
                ))
            }
        });
        let sought = answer.any()?;
        Some(match sought.count {
            0 => say!("flame-no-function-is-called-so").to_owned(),
            count => {
                let share = share_text(sought.value, sought.whole);
                say!(
                    "flame-sought",
                    count = count,
                    share = share,
                    measure = measure_words(measure)
                )
            }
        })
    }

    /// Returns the result of the search while the field contains its text.
    fn sought(&self) -> Option<&FunctionMatches> {
        let (wanted, sought) = self.state.sought.peek()?;
        (!self.state.text.trim().is_empty() && wanted.text == self.state.text.trim())
            .then_some(sought)
    }

    fn graph_ui(
        &mut self,
        ui: &mut Ui,
        rect: Rect,
        functions: &Arc<FunctionProfile>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let measure = functions.measure(cx.desk.functions.measure());
        let graph = functions.graph(measure);
        self.keys(ui, functions, cx, out);
        let rows = u64::from(graph.deepest(self.state.root)) + 1;
        let area = List {
            rows,
            ticks: &[],
            has_lasting_bar: false,
        }
        .ui(ui, rect, &mut self.state.scroll, cx.tok);
        let shown: Vec<(u64, Rect)> = area.rows().collect();
        let bound = |row: Option<&(u64, Rect)>| {
            row.map_or(0, |(row, _)| u32::try_from(*row).unwrap_or(u32::MAX))
        };
        let rows = bound(shown.first())..bound(shown.last()).saturating_add(1);
        let columns = area.body.width().max(1.0) as u32;
        let view = FlameView {
            root: self.state.root,
            columns,
            rows,
        };
        if self
            .state
            .drawn
            .as_ref()
            .is_none_or(|drawn| drawn.view != view || drawn.measure != measure)
        {
            let boxes = graph.boxes(&functions.profile.stacks, &view);
            self.state.drawn = Some(FlameCache {
                view,
                measure,
                boxes,
            });
        }
        let Some(drawn) = &self.state.drawn else {
            return;
        };
        let tops = |depth: u32| {
            shown
                .iter()
                .find(|(row, _)| *row == u64::from(depth))
                .map(|(_, rect)| rect.top())
        };
        let pen = Pen::new(ui, area.body, cx.tok);
        let flames = FlamePainter {
            // Until the new answer arrives, the boxes may be those of another part.
            pen: if functions.part == cx.desk.functions.part() {
                pen
            } else {
                pen.faded()
            },
            cx,
            functions,
            sought: self.sought(),
            root: self.state.root,
            cursor: self.state.cursor,
            menu: self.state.menu,
        };
        let touched = flames.ui(ui, area.body, &drawn.boxes, tops, out);
        self.apply(touched, functions, cx, out);
    }

    fn apply(
        &mut self,
        touched: FlameInput,
        functions: &FunctionProfile,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        self.state.menu = touched.menu;
        let Some(node) = touched.node else { return };
        // The first click of a double click zoomed: the pointer may be over another box by now.
        let node = if touched.is_travelling {
            self.state.cursor
        } else {
            node
        };
        if touched.is_zoomed {
            self.state.zoom(node);
        }
        self.choose(node, functions, out);
        if let Some(first) = functions
            .profile
            .stacks
            .get(node as usize)
            .filter(|_| touched.is_travelling)
        {
            out.push(Action::travel(cx.desk.windows.active, first.first));
        }
    }

    /// Moves the cursor to a stack and selects its function.
    fn choose(&mut self, place: u32, functions: &FunctionProfile, out: &mut Vec<Action>) {
        self.state.cursor = place;
        let node = functions.profile.stacks.get(place as usize);
        if let Some(StackNodeKind::Function(function)) = node.map(|node| node.who) {
            let address = functions
                .function(function)
                .map(|function| function.address);
            out.push(Action::View(ViewAction::SelectFunction(address)));
        }
    }

    fn keys(
        &mut self,
        ui: &Ui,
        functions: &Arc<FunctionProfile>,
        cx: &PanelContext<'_>,
        out: &mut Vec<Action>,
    ) {
        let graph = functions.graph(functions.measure(cx.desk.functions.measure()));
        for key in take_keys(ui, cx) {
            let cursor = self.state.cursor;
            let Some(node) = functions.profile.stacks.get(cursor as usize).copied() else {
                continue;
            };
            let siblings = if cursor == 0 {
                &[]
            } else {
                graph.children(node.parent)
            };
            let beside = |by: isize| {
                let here = siblings.iter().position(|sibling| *sibling == cursor)?;
                siblings.get(here.checked_add_signed(by)?).copied()
            };
            let to = match key {
                PanelKey::Move(CursorDirection::Left) => beside(-1),
                PanelKey::Move(CursorDirection::Right) => beside(1),
                PanelKey::Move(CursorDirection::Up) => (cursor != 0).then_some(node.parent),
                PanelKey::Move(CursorDirection::Down) => graph.children(cursor).first().copied(),
                _ => None,
            };
            match key {
                PanelKey::Enter => self.state.zoom(cursor),
                PanelKey::ShiftEnter => {
                    out.push(Action::travel(cx.desk.windows.active, node.first))
                }
                PanelKey::Out => self.state.back_out(functions),
                PanelKey::Move(CursorDirection::First) => self.state.zoom(0),
                PanelKey::Copy => {
                    out.push(Action::App(AppAction::Copy(stack_text(functions, cursor))))
                }
                _ => {}
            }
            if let Some(to) = to {
                self.choose(to, functions, out);
            }
        }
    }
}

fn measure_words(measure: CallMeasure) -> &'static str {
    match measure {
        CallMeasure::Steps => say!("flame-steps"),
        CallMeasure::Time => say!("flame-time"),
    }
}

/// Formats a stack in the folded format of other flame graph tools: `main;dispatch;decode_field`.
pub fn stack_text(functions: &FunctionProfile, place: u32) -> String {
    let node = |place: u32| -> Option<&StackNode> { functions.profile.stacks.get(place as usize) };
    let parent = |place: &u32| {
        node(*place)
            .map(|node| node.parent)
            .filter(|parent| parent < place)
    };
    let mut names: Vec<&str> = std::iter::successors(Some(place), parent)
        .filter_map(|place| match node(place)?.who {
            StackNodeKind::Function(function) => Some(functions.name(function)),
            StackNodeKind::Part | StackNodeKind::Thread(_) => None,
        })
        .collect();
    names.reverse();
    names.join(";")
}

impl Panel for FlamePanel {
    fn make(_: PanelKind, _: WindowId) -> Self {
        Self::default()
    }

    fn kind(&self) -> PanelKind {
        PanelKind::FlameGraph
    }

    fn title(&self) -> String {
        say!("flame-flame-graph").to_owned()
    }

    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>) {
        let rect = take_rect(ui);
        let pen = Pen::new(ui, rect, cx.tok);
        let (bar, rest) = rect.split_top_bottom_at_y(rect.top() + BAR);
        let Some(functions) = cx.desk.functions.stated().map(Arc::clone) else {
            return FunctionsBar {
                pen: &pen,
                rect: bar,
                cx,
            }
            .untold_ui(ui, rest, out);
        };
        self.state.take_over(&functions);
        self.bar_ui(
            ui,
            &FunctionsBar {
                pen: &pen,
                rect: bar,
                cx,
            },
            &functions,
            out,
        );
        if let Some(error) = cx.desk.functions.error() {
            return error_ui(ui, &pen, rest, error, out);
        }
        if functions.profile.functions.is_empty() {
            let words = EmptyMessage(
                say!("flame-no-function-was-called"),
                say!("flame-the-trace-has-no-calls"),
            );
            return empty_ui(ui, &pen, rest, EMPTY_ICON, words);
        }
        self.graph_ui(
            ui,
            rest.shrink2(egui::vec2(INSET / 2.0, 2.0)),
            &functions,
            cx,
            out,
        );
    }
}
