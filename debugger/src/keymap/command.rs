//! What a command is.

use super::stroke::KeyStroke;
use super::table::CommandId;
use crate::action::{Action, CellName, Moment, PanelId, SliceAction, TraceId, WindowId};
use crate::messages::{self, say};
use stepback_parsers::Position;

/// Something that a user can ask for by name.
pub struct Command {
    /// Its identity.
    pub id: CommandId,
    /// As scripts call it, in English. `…` at its end: it asks a question first.
    pub name: &'static str,
    /// Id of its name for menus and the palette in the table of messages.
    pub label_id: String,
    /// The menu that has it.
    pub area: Area,
    /// Its icon, where it has one.
    pub icon: Option<char>,
    /// Its keys unless the user chose others, the one that is shown first.
    pub default_keys: Vec<KeyStroke>,
    /// Where its keys count.
    pub scope: KeyScope,
    /// What it cannot do without.
    pub need: CommandRequirement,
    /// A line separates it from the command above it in the menu.
    pub begins_group: bool,
    /// The submenu that contains it.
    pub submenu: Option<Submenu>,
    /// Submenus below it.
    pub submenus_after: Vec<Submenu>,
    /// It is on the page of settings, in no menu.
    pub is_setting: bool,
    /// It chooses one of several ways to show something: the palette lists it after what shows the thing.
    pub is_presentation: bool,
    /// What it stands for without an argument. None: not possible at the moment.
    pub plain: Option<PlainAction>,
    /// What it stands for with an argument, and how the argument is asked for.
    pub argument: Option<CommandArgument>,
}

/// Makes the action of a command that needs no argument; none where it is not possible.
pub type PlainAction = Box<dyn Fn(&CommandContext) -> Option<Action> + Send + Sync>;

/// A command's argument.
pub struct CommandArgument {
    /// The id of the question that stands in the empty line.
    pub question: &'static str,
    /// Makes the action, or says what is wrong with the argument.
    pub make: fn(&str, &CommandContext) -> Result<Action, String>,
}

impl CommandArgument {
    /// The question that stands in the empty line.
    pub fn question(&self) -> &'static str {
        messages::spoken(self.question)
    }
}

/// The menus, from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    /// Traces.
    File,
    /// The clipboard.
    Edit,
    /// Moves to a place.
    Go,
    /// Moves relative to the position.
    Step,
    /// What is shown, and how.
    View,
    /// Marked places.
    Bookmarks,
    /// Panels.
    Window,
    /// The program itself.
    Help,
}

/// A menu within a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Submenu {
    /// Traces that were opened before.
    Recent,
    /// Bytes in a group of memory.
    MemoryBy,
    /// Groups and formats of registers.
    Registers,
    /// Lanes and range of the timeline.
    Timeline,
    /// Range that functions are counted in.
    Functions,
    /// Measure of the flame graph.
    FlameGraph,
    /// Colours of bookmarks.
    Color,
    /// Layouts.
    Layout,
    /// Themes.
    Theme,
    /// Languages.
    Language,
    /// The list of trace windows, at the end of its menu.
    Windows,
}

impl Submenu {
    /// Returns the title; none for a list without one.
    pub fn title(self) -> Option<&'static str> {
        Some(match self {
            Self::Recent => say!("menu-recent"),
            Self::MemoryBy => say!("menu-memory-by"),
            Self::Registers => say!("menu-registers"),
            Self::Timeline => say!("menu-timeline"),
            Self::Functions => say!("menu-functions"),
            Self::FlameGraph => say!("menu-flame-graph"),
            Self::Color => say!("menu-colour"),
            Self::Layout => say!("menu-layout"),
            Self::Theme => say!("menu-theme"),
            Self::Language => say!("menu-language"),
            Self::Windows => return None,
        })
    }
}

impl Area {
    /// All of them, in the order of the menu bar.
    pub const ALL: [Area; 8] = [
        Area::File,
        Area::Edit,
        Area::Go,
        Area::Step,
        Area::View,
        Area::Bookmarks,
        Area::Window,
        Area::Help,
    ];

    /// The title of the menu.
    pub fn name(self) -> &'static str {
        match self {
            Area::File => say!("area-file"),
            Area::Edit => say!("area-edit"),
            Area::Go => say!("area-go"),
            Area::Step => say!("area-step"),
            Area::View => say!("area-view"),
            Area::Bookmarks => say!("area-bookmarks"),
            Area::Window => say!("area-window"),
            Area::Help => say!("area-help"),
        }
    }
}

/// Where the keys of a command count. No key counts while a text field has the keyboard,
/// unless it holds Ctrl or is a function key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyScope {
    /// Everywhere.
    Everywhere,
    /// While a trace window has the keyboard: the same keys mean the cursor in other panels.
    Trace,
    /// Everywhere; with Ctrl while a trace window has the keyboard: that is the first and last row of other panels.
    Steps,
    /// While a panel of registers or memory has the keyboard.
    Cells,
}

/// What a command cannot do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRequirement {
    /// Nothing.
    Nothing,
    /// An open trace.
    Trace,
}

/// What commands are made for: the state of the window as far as it matters to them.
#[derive(Clone, Debug, Default)]
pub struct CommandContext {
    /// The active trace window and its position, while a trace is open.
    pub active: Option<(WindowId, Position)>,
    /// The trace of that window.
    pub trace: TraceId,
    /// The panel that has the keyboard.
    pub tile: Option<PanelId>,
    /// Whether that panel is a trace window.
    pub is_in_trace: bool,
    /// Whether that panel shows registers or memory.
    pub is_in_cells: bool,
    /// The cell under the cursor, which "last write" means.
    pub cell: Option<CellName>,
    /// The position that it is shown at, where that is not the one of the active window.
    pub cell_at: Option<Position>,
    /// The cell that a hover text tells of, and the position that the text means.
    pub pointed: Option<(CellName, Position)>,
    /// How far the open trace is indexed.
    pub indexing: IndexingState,
    /// What is switched on.
    pub switches: CommandSwitches,
    /// Why the open trace cannot be followed as it grows.
    pub follow_refusal: Option<&'static str>,
}

/// What can be switched on and off, and what is chosen of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandSwitches {
    /// The commands that are on.
    pub on: Vec<CommandId>,
}

impl CommandSwitches {
    /// Whether a command is on.
    pub fn is_on(&self, command: CommandId) -> bool {
        self.on.contains(&command)
    }
}

/// How far a trace is indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexingState {
    /// As a whole.
    #[default]
    Whole,
    /// A part is, and the rest is on its way.
    UnderWay,
    /// A part is, and it goes on as the trace grows.
    Following,
    /// A part is.
    Stopped,
}

impl CommandContext {
    /// The position of the active trace window.
    pub fn position(&self) -> Option<Position> {
        self.active.map(|(_, position)| position)
    }

    /// Why of what a hover text tells, else of the cell under the cursor: where it has the value that is shown.
    pub fn why(&self) -> Option<Action> {
        if let Some((cell, at)) = &self.pointed {
            return Some(Action::Slice(SliceAction::WhyAt(cell.clone(), *at)));
        }
        let cell = self.cell.clone()?;
        Some(match self.cell_at {
            Some(at) => Action::Slice(SliceAction::WhyAt(cell, at)),
            None => Action::Slice(SliceAction::Why(cell)),
        })
    }

    /// The position with its trace.
    pub fn moment(&self) -> Option<Moment> {
        self.position().map(|position| Moment {
            trace: self.trace,
            position,
        })
    }
}

impl Command {
    /// The action without an argument; none where that is not possible.
    pub fn action(&self, situation: &CommandContext) -> Option<Action> {
        if !self.is_possible(situation) {
            return None;
        }
        self.plain.as_ref().and_then(|plain| plain(situation))
    }

    /// Whether it travels to an access of the cell under the cursor.
    pub fn is_access(&self) -> bool {
        matches!(
            self.id,
            CommandId::LastWrite | CommandId::NextWrite | CommandId::LastRead | CommandId::NextRead
        )
    }

    /// Whether what it needs is there.
    pub fn is_possible(&self, situation: &CommandContext) -> bool {
        self.need == CommandRequirement::Nothing || situation.active.is_some()
    }

    /// As menus and the palette call it: the name in the language of the window.
    pub fn label(&self) -> &'static str {
        messages::find(&self.label_id).unwrap_or(self.name)
    }

    /// The same without `…`.
    pub fn bare_label(&self) -> &'static str {
        self.label().trim_end_matches('…')
    }

    /// The name without `…`, as scripts spell it.
    pub fn bare_name(&self) -> &'static str {
        self.name.trim_end_matches('…')
    }

    /// Whether a key of it counts in a situation.
    pub fn is_in_scope(&self, situation: &CommandContext, stroke: &KeyStroke) -> bool {
        match self.scope {
            KeyScope::Everywhere => true,
            KeyScope::Trace => situation.is_in_trace,
            KeyScope::Steps => situation.is_in_trace || !stroke.modifiers.ctrl,
            KeyScope::Cells => situation.is_in_cells,
        }
    }
}
