//! The trait of all panels ([`Panel`]), and the read access to the program that they draw from
//! ([`PanelContext`]).
//!
//! While a tooltip about a cell is visible, the key of "Why…" refers to that cell ([`HoverCell`]).

use egui::{Context, Id, Pos2, Rect, Response, RichText, Ui};
use stepback_debugger::action::{Action, CellName, Follow, Moment, PanelId, PanelKind};
use stepback_debugger::action::{TraceId, WindowId};
use stepback_debugger::desk::Desk;
use stepback_debugger::keymap::{CommandId, key_text, shown_text};
use stepback_debugger::messages::say;
use stepback_debugger::model::Windows;
use stepback_index::answer::ThreadId;
use stepback_parsers::Position;

use crate::panels::row::ChosenThread;
use crate::theme::{ThemeColors, ui as ui_font};

/// A panel in a tile of the dock. The defaults suit a panel that shows no single moment.
pub trait Panel {
    /// Creates a panel of a kind. The list of steps belongs to `window`; all others follow the
    /// active window.
    fn make(kind: PanelKind, window: WindowId) -> Self
    where
        Self: Sized;

    /// Kind of the panel. Its name and key are in [`PANELS`](stepback_debugger::keymap::PANELS).
    fn kind(&self) -> PanelKind;

    /// Name on the tab.
    fn title(&self) -> String;

    /// Gives the keyboard to the text field, if the panel is of use only with a text. It is called
    /// when a command opens the panel, so that what the user types next runs no commands.
    fn focus_field(&mut self) {}

    /// Window or moment whose state is shown; none for a panel that shows no single moment.
    fn follow(&self) -> Option<Follow> {
        None
    }

    /// Returns true if the panel can be pinned to one moment.
    fn is_pinnable(&self) -> bool {
        false
    }

    /// Binds the panel to a window or a moment, if it can be bound.
    fn bind(&mut self, _follow: Follow) {}

    /// Trace window whose steps the panel lists. The tab has that window's number and colour.
    fn window(&self) -> Option<WindowId> {
        None
    }

    /// Returns true if the panel has a cursor on registers or memory: the keys of such panels apply
    /// to it.
    fn has_cells(&self) -> bool {
        false
    }

    /// Shows a thread by its name; none: the thread at the position.
    fn choose_thread(&mut self, _thread: ChosenThread) {}

    /// Drops the settings that are meaningless in another trace. Called after another trace was
    /// opened.
    fn leave_trace(&mut self) {}

    /// Cell under the cursor.
    fn selection(&self, _cx: &PanelContext<'_>) -> Option<CellName> {
        None
    }

    /// Position at which the cell under the cursor has the value that is shown; none: that of the
    /// active window.
    fn selection_at(&self, cx: &PanelContext<'_>) -> Option<Position> {
        self.follow()
            .map(|follow| cx.desk.windows.position_of(follow))
    }

    /// Draws the panel.
    fn ui(&mut self, ui: &mut Ui, cx: &PanelContext<'_>, out: &mut Vec<Action>);
}

/// Read access to everything that is open, for one frame of a panel.
#[derive(Clone, Copy)]
pub struct PanelContext<'a> {
    /// The open trace and its queries.
    pub desk: &'a Desk,
    pub tok: &'a ThemeColors,
    /// Number of the dock tile that contains the panel.
    pub tile: PanelId,
    /// The panel has the keyboard.
    pub has_focus: bool,
}

impl PanelContext<'_> {
    /// Returns the number of the trace that is open.
    pub fn trace(&self) -> TraceId {
        self.desk.windows.active().trace
    }

    /// Returns a moment of the open trace.
    pub fn moment(&self, position: Position) -> Moment {
        Moment {
            trace: self.trace(),
            position,
        }
    }
}

/// Badge at the right of a tab strip: `[1] at 1,250`, or a filled pin and a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TabBadge {
    /// Window that is followed; none for a pinned panel.
    pub window: Option<WindowId>,
    pub position: Position,
}

/// Returns the badge of a panel that follows a window or a moment.
pub fn tab_badge(follow: Follow, windows: &Windows) -> TabBadge {
    TabBadge {
        window: windows.shown(follow).map(|window| window.id),
        position: windows.position_of(follow),
    }
}

/// Place of a resting pointer that is hidden from the painters while the user types.
#[derive(Clone, Copy, Debug)]
pub struct HiddenPointer(pub Option<Pos2>);

impl HiddenPointer {
    /// Keeps the place for this frame.
    pub fn put(self, ui: &Ui) {
        ui.data_mut(|data| data.insert_temp(Id::NULL, self));
    }

    /// Returns true if the pointer is in a rectangle, hidden or not.
    pub fn is_within(ui: &Ui, rect: Rect) -> bool {
        let hidden = ui.data(|data| data.get_temp::<Self>(Id::NULL));
        let hidden = hidden.and_then(|Self(place)| place);
        ui.rect_contains_pointer(rect) || hidden.is_some_and(|at| rect.contains(at))
    }
}

/// A cell, and the position at which its tooltip describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoverCell {
    pub cell: CellName,
    /// Position at which the cell has the value in the tooltip.
    pub at: Position,
}

impl HoverCell {
    /// Creates the cell at the position that a panel shows.
    pub fn shown(cell: CellName, follow: Follow, cx: &PanelContext<'_>) -> Self {
        Self {
            cell,
            at: cx.desk.windows.position_of(follow),
        }
    }

    /// Shows a tooltip about the cell while the pointer rests on the response.
    pub fn tip(&self, response: Response, words: String) -> Response {
        response.on_hover_ui(|ui| {
            ui.label(words);
            self.line_ui(ui);
        })
    }

    /// Draws the last, quiet line of a tooltip: the key and its query.
    /// The key refers to this cell for as long as the tooltip shows.
    pub fn line_ui(&self, ui: &mut Ui) {
        let key = CommandId::Why.command().keys().into_iter().next();
        // In a text field the key is a letter.
        let Some(key) = key.filter(|_| !ui.ctx().text_edit_focused()) else {
            return;
        };
        let words = say!(
            "hover-why",
            key = key_text(&key),
            cell = shown_text(&self.cell)
        );
        ui.label(
            RichText::new(words)
                .font(ui_font(11.5))
                .color(ThemeColors::current(ui).t2),
        );
        ui.data_mut(|data| data.insert_temp(Self::place(), Some(self.clone())));
    }

    /// Takes the cell of the tooltip that showed in the previous frame.
    pub fn take(context: &Context) -> Option<Self> {
        context
            .data_mut(|data| data.remove_temp::<Option<Self>>(Self::place()))
            .flatten()
    }

    fn place() -> Id {
        Id::unique("the cell of the hover text")
    }
}

/// Returns a register under the name that commands use, with its thread if the trace has several.
pub fn register_of(thread: ThreadId, name: &str, cx: &PanelContext<'_>) -> CellName {
    let threads = cx.desk.session.index.threads();
    let owner = threads
        .get(usize::from(thread.0))
        .filter(|_| threads.len() > 1);
    CellName::Register(owner.map_or_else(
        || name.to_owned(),
        |owner| format!("{name} of {}", owner.name),
    ))
}
