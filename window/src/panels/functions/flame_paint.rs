//! Painting and mouse input of the boxes of the flame graph.

use std::sync::Arc;

use egui::{Color32, Rect, Sense, Ui, pos2};
use stepback_debugger::action::{Action, AppAction, Direction, TravelAction};
use stepback_debugger::analysis::call_profile::StackNodeKind;
use stepback_debugger::messages::say;
use stepback_debugger::model::functions::{
    FlameBox, FunctionMatches, FunctionProfile, box_lines, box_name,
};

use super::flame::stack_text;
use crate::panels::PanelContext;
use crate::panels::menu::{MenuItem, context_menu, menu_head_ui, menu_line_ui};
use crate::panels::pen::{Pen, ROW};
use crate::panels::row::row_response;
use crate::theme::{icons, ui as ui_font};

/// Minimum width of a box that has a name.
const NAMED: f32 = 24.0;
/// Opacity of boxes that the search did not find; boxes around the zoom root have twice as much.
const PALE: f32 = 0.35;

/// Painter of the boxes.
pub struct FlamePainter<'a> {
    pub pen: Pen<'a>,
    pub cx: &'a PanelContext<'a>,
    pub functions: &'a Arc<FunctionProfile>,
    /// Result of the search.
    pub sought: Option<&'a FunctionMatches>,
    /// Stack that is zoomed to the whole width.
    pub root: u32,
    /// Stack under the cursor.
    pub cursor: u32,
    /// Box on which the menu was opened, if it is too narrow for its own response.
    pub menu: Option<FlameBox>,
}

/// Clicks on the boxes in one frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlameInput {
    /// Stack that was clicked.
    pub node: Option<u32>,
    /// Zoom to it.
    pub is_zoomed: bool,
    /// Travel to its first call.
    pub is_travelling: bool,
    /// Narrow box on which the menu was opened. It is kept because the pointer moves on to the
    /// menu.
    pub menu: Option<FlameBox>,
}

impl FlamePainter<'_> {
    /// Draws the boxes; `tops` returns the upper edge of a depth, or none if it is out of view.
    pub fn ui(
        &self,
        ui: &Ui,
        body: Rect,
        boxes: &[FlameBox],
        tops: impl Fn(u32) -> Option<f32>,
        out: &mut Vec<Action>,
    ) -> FlameInput {
        let ground = ui.interact(body, ui.unique_id().with("flames"), Sense::CLICK);
        ground.widget_info(|| {
            egui::WidgetInfo::labeled(egui::Role::Image, true, say!("flame-flame-graph-2"))
        });
        let mut touched = FlameInput {
            menu: self.menu,
            ..FlameInput::default()
        };
        let pointer = ui
            .input(|input| input.pointer.interact_pos())
            .filter(|at| body.contains(*at));
        let mut narrow = None;
        for drawn in boxes {
            let Some(top) = tops(drawn.depth) else {
                continue;
            };
            let rect = rect_of(body, drawn, top);
            self.box_ui(rect, drawn);
            if rect.width() >= NAMED {
                let response =
                    row_response(ui, rect.intersect(body), ("flame", drawn.node), || {
                        say!("flame-box", name = &*self.name(drawn))
                    });
                self.act(&response, drawn, &mut touched);
                context_menu(&response, |ui| self.menu_ui(ui, drawn, &mut touched, out));
            } else if pointer.is_some_and(|at| rect.expand2(egui::vec2(0.5, 0.0)).contains(at)) {
                narrow = Some(*drawn);
            }
        }
        if let Some(drawn) = narrow {
            self.act(&ground, &drawn, &mut touched);
        } else if let Some(caller) = pointer.and_then(|at| self.box_above(body, boxes, &tops, at)) {
            ground
                .clone()
                .on_hover_text_at_pointer(say!("flame-self", name = self.name(caller)));
        }
        if ground.secondary_clicked() {
            touched.menu = narrow;
        }
        if let Some(drawn) = touched.menu {
            context_menu(&ground, |ui| self.menu_ui(ui, &drawn, &mut touched, out));
        }
        touched
    }

    /// Returns the innermost box above a place without one: the steps there are its own.
    fn box_above<'b>(
        &self,
        body: Rect,
        boxes: &'b [FlameBox],
        tops: impl Fn(u32) -> Option<f32>,
        at: egui::Pos2,
    ) -> Option<&'b FlameBox> {
        let above = boxes.iter().filter(|drawn| {
            tops(drawn.depth).is_some_and(|top| {
                let rect = rect_of(body, drawn, top);
                rect.x_range().contains(at.x) && rect.bottom() <= at.y
            })
        });
        above.max_by_key(|drawn| drawn.depth)
    }

    fn name(&self, drawn: &FlameBox) -> String {
        let who = self
            .functions
            .profile
            .stacks
            .get(drawn.node as usize)
            .map_or(StackNodeKind::Part, |node| node.who);
        match drawn.count {
            1 => box_name(&self.cx.desk.session, self.functions, who),
            count => say!("flame-too-narrow", count = count),
        }
    }

    fn box_ui(&self, rect: Rect, drawn: &FlameBox) {
        let tok = self.cx.tok;
        let Some(node) = self.functions.profile.stacks.get(drawn.node as usize) else {
            return;
        };
        let name = self.name(drawn);
        let is_outer = node.depth < self.depth_of_root();
        let color = match (drawn.count, self.sought) {
            (2.., _) => tok.bg4,
            (_, Some(sought)) if sought.fits(node.who) => tok.hit,
            (_, Some(_)) => tok.flame(&name).gamma_multiply(PALE),
            (_, None) if node.who == StackNodeKind::Part => tok.bg4,
            (_, None) if is_outer => tok.flame(&name).gamma_multiply(2.0 * PALE),
            (_, None) => tok.flame(&name),
        };
        self.pen.fill(rect, color);
        if rect.width() >= NAMED {
            let text = self.text_color(node.who, drawn);
            self.pen.cut_text(
                pos2(rect.left() + 4.0, rect.center().y),
                &name,
                ui_font(11.5),
                text,
                rect.right() - 2.0,
            );
        }
        let is_chosen = matches!(node.who, StackNodeKind::Function(place) if self.functions.function(place).map(|function| function.address) == self.cx.desk.functions.selected());
        if drawn.node == self.cursor && self.cx.has_focus {
            self.pen.frame(rect, 0, tok.focus);
        } else if is_chosen && drawn.count == 1 && rect.width() > 3.0 {
            self.pen.frame(rect, 0, tok.t1);
        }
    }

    fn text_color(&self, who: StackNodeKind, drawn: &FlameBox) -> Color32 {
        let tok = self.cx.tok;
        let is_plain = who == StackNodeKind::Part || drawn.count > 1;
        match self.sought {
            Some(sought) if sought.fits(who) && !is_plain => tok.on_accent,
            Some(_) => tok.t2,
            None if is_plain => tok.t1,
            None => tok.flame_text,
        }
    }

    fn depth_of_root(&self) -> u32 {
        self.functions
            .profile
            .stacks
            .get(self.root as usize)
            .map_or(0, |node| node.depth)
    }

    fn act(&self, response: &egui::Response, drawn: &FlameBox, touched: &mut FlameInput) {
        if response.clicked() || response.double_clicked() {
            let is_travelling = response.double_clicked() && drawn.count == 1;
            *touched = FlameInput {
                node: Some(drawn.node),
                is_zoomed: true,
                is_travelling,
                ..*touched
            };
        }
        response.clone().on_hover_ui_at_pointer(|ui| {
            ui.style_mut().wrap_mode = Some(egui::TextWrapMode::Extend);
            match (
                drawn.count,
                self.functions.profile.stacks.get(drawn.node as usize),
            ) {
                (1, Some(node)) => {
                    let lines = box_lines(
                        &self.cx.desk.session,
                        self.functions,
                        node,
                        self.cx.desk.functions.measure(),
                    );
                    lines.into_iter().for_each(|line| drop(ui.label(line)));
                }
                _ => drop(ui.label(self.name(drawn))),
            }
        });
    }

    fn menu_ui(
        &self,
        ui: &mut Ui,
        drawn: &FlameBox,
        touched: &mut FlameInput,
        out: &mut Vec<Action>,
    ) {
        let (tok, stacks) = (self.cx.tok, &self.functions.profile.stacks);
        let Some(node) = stacks.get(drawn.node as usize) else {
            return;
        };
        menu_head_ui(ui, tok, &self.name(drawn), "");
        if MenuItem::new(say!("flame-zoom-to-it"))
            .icon(icons::SEARCH)
            .key("Enter")
            .ui(ui, tok)
        {
            *touched = FlameInput {
                node: Some(drawn.node),
                is_zoomed: true,
                is_travelling: false,
                ..*touched
            };
        }
        if MenuItem::new(say!("flame-zoom-out"))
            .icon(icons::OUT)
            .ui(ui, tok)
        {
            let parent = stacks.get(self.root as usize).map_or(0, |node| node.parent);
            *touched = FlameInput {
                node: Some(parent),
                is_zoomed: true,
                is_travelling: false,
                ..*touched
            };
        }
        if let StackNodeKind::Function(place) = node.who {
            if MenuItem::new(say!("flame-travel-to-the-first-such"))
                .icon(icons::GO_TO)
                .key("double click")
                .ui(ui, tok)
            {
                out.push(Action::travel(self.cx.desk.windows.active, node.first));
            }
            let address = self
                .functions
                .function(place)
                .map(|function| format!("{:#x}", function.address.0));
            for (words, key, direction) in [
                (say!("flame-next-call"), ".", Direction::Forward),
                (say!("flame-previous-call"), ",", Direction::Back),
            ] {
                if MenuItem::new(words).key(key).ui(ui, tok) {
                    out.push(Action::Travel(TravelAction::GoToCall(
                        address.clone(),
                        direction,
                    )));
                }
            }
        }
        menu_line_ui(ui, tok);
        if MenuItem::new(say!("flame-copy-stack"))
            .icon(icons::COPY)
            .key("Ctrl+C")
            .ui(ui, tok)
        {
            out.push(Action::App(AppAction::Copy(stack_text(
                self.functions,
                drawn.node,
            ))));
        }
    }
}

fn rect_of(body: Rect, drawn: &FlameBox, top: f32) -> Rect {
    let (left, right) = (
        body.left() + drawn.left as f32,
        body.left() + drawn.right as f32,
    );
    // A gap of one pixel separates neighbours if there is room for it.
    let gap = if right - left > 3.0 { 1.0 } else { 0.0 };
    Rect::from_min_max(pos2(left, top), pos2(right - gap, top + ROW - 1.0))
}
