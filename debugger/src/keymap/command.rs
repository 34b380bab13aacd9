//! A command, the context in which it runs, and the builder methods of its row in the table of
//! commands.

use stepback_parsers::Position;

use crate::action::{Action, CellName, Moment, PanelId, SliceAction};
use crate::action::{TraceId, WindowId};
use crate::expression::ExampleRegisters;
use crate::keymap::key::{Key, KeyStroke, Modifiers};
use crate::keymap::table::CommandId;
use crate::messages;
use crate::messages::say;

/// An operation that users call by name.
pub struct Command {
    pub id: CommandId,
    /// English name, which scripts use. `…` at its end: it prompts for an argument.
    pub name: &'static str,
    /// Message id of its name for menus and the palette.
    pub label_id: String,
    /// Menu that contains it.
    pub area: Area,
    pub icon: Option<char>,
    /// Default keys; the first one is shown.
    pub default_keys: Vec<KeyStroke>,
    /// Scope of its keys.
    pub scope: KeyScope,
    /// The command is possible only while a trace is open.
    pub needs_trace: bool,
    /// A line separates it from the command above it in the menu.
    pub begins_group: bool,
    /// Submenu that contains it.
    pub submenu: Option<Submenu>,
    /// Submenus below it.
    pub submenus_after: Vec<Submenu>,
    /// It is on the page of settings, in no menu.
    pub is_setting: bool,
    /// It chooses one of several ways to show something. The palette lists it after commands that
    /// show things.
    pub is_presentation: bool,
    /// Action without an argument; none if it needs one.
    pub plain: Option<PlainAction>,
    /// Argument and the action with it.
    pub argument: Option<CommandArgument>,
}

/// Makes the action of a command without an argument; none if it is not possible in the situation.
pub type PlainAction = Box<dyn Fn(&CommandContext) -> Option<Action> + Send + Sync>;

pub struct CommandArgument {
    /// Message id of the prompt.
    pub question: &'static str,
    /// Makes the action, or returns what is wrong with the argument.
    pub make: fn(&str, &CommandContext) -> Result<Action, String>,
}

impl CommandArgument {
    /// Returns the prompt, with examples of the trace's architecture.
    pub fn question(&self, registers: ExampleRegisters) -> String {
        registers.spoken(self.question)
    }
}

/// Menus, from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    File,
    Edit,
    /// Moves to a position.
    Go,
    /// Moves relative to the position.
    Step,
    /// Contents and presentation of panels.
    View,
    Bookmarks,
    /// Panels and layouts.
    Window,
    /// The program itself.
    Help,
}

/// A menu within a menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Submenu {
    /// Traces that were opened before.
    Recent,
    /// Rows, texts and searches of memory.
    Memory,
    /// Bytes in a group of memory.
    MemoryBy,
    /// Groups and formats of registers.
    Registers,
    /// Contents and presentation of the slice.
    Slice,
    /// Folding of calls.
    Folding,
    /// Lanes and range of the timeline.
    Timeline,
    /// Range that functions are counted in.
    Functions,
    /// Measure of the flame graph.
    FlameGraph,
    /// Colours of bookmarks.
    Color,
    Layout,
    /// Reads and writes of calls, loops and ranges.
    Effects,
    /// Comparison of two calls of one function.
    CompareCalls,
    /// All panels.
    Panels,
    /// Further panels of a kind.
    NewPanel,
    Theme,
    Language,
    /// The list of trace windows, at the end of its menu.
    Windows,
}

impl Submenu {
    /// Returns the title; none for a list without one.
    pub fn title(self) -> Option<&'static str> {
        Some(match self {
            Self::Recent => say!("menu-recent"),
            Self::Memory => say!("menu-memory"),
            Self::MemoryBy => say!("menu-memory-by"),
            Self::Registers => say!("menu-registers"),
            Self::Slice => say!("menu-slice"),
            Self::Folding => say!("menu-folding"),
            Self::Timeline => say!("menu-timeline"),
            Self::Functions => say!("menu-functions"),
            Self::FlameGraph => say!("menu-flame-graph"),
            Self::Color => say!("menu-colour"),
            Self::Layout => say!("menu-layout"),
            Self::Effects => say!("menu-effects"),
            Self::CompareCalls => say!("menu-compare-calls"),
            Self::Panels => say!("menu-panels"),
            Self::NewPanel => say!("menu-new-panel"),
            Self::Theme => say!("menu-theme"),
            Self::Language => say!("menu-language"),
            Self::Windows => return None,
        })
    }
}

impl Area {
    /// All menus, in the order of the menu bar.
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

    /// Returns the title of the menu.
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

/// Scope in which the keys of a command work. While a text field has the keyboard focus, only keys
/// with Ctrl and function keys work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyScope {
    Everywhere,
    /// While a trace window has the focus: the same keys move the cursor of other panels.
    Trace,
    /// Everywhere; with Ctrl only while a trace window has the focus: in other panels Ctrl goes to
    /// the first and last row.
    Steps,
    /// While a panel of registers or memory has the focus.
    Cells,
}

/// Context of a command: the parts of the window's state that commands depend on.
#[derive(Clone, Debug, Default)]
pub struct CommandContext {
    /// Active trace window and its position, while a trace is open.
    pub active: Option<(WindowId, Position)>,
    /// Trace of that window.
    pub trace: TraceId,
    /// Panel with the keyboard focus.
    pub tile: Option<PanelId>,
    /// The panel is a trace window.
    pub is_in_trace: bool,
    /// The panel shows registers or memory.
    pub is_in_cells: bool,
    /// Cell under the cursor, the subject of "last write".
    pub cell: Option<CellName>,
    /// Position at which the cell is shown, if it differs from the active window's.
    pub cell_at: Option<Position>,
    /// Cell that a tooltip describes, and the position of its value.
    pub pointed: Option<(CellName, Position)>,
    /// Cell that explains how the trace ends, and the position of its value: the subject of "why"
    /// as long as the user has chosen no other cell.
    pub culprit: Option<(CellName, Position)>,
    /// Indexing state of the open trace.
    pub indexing: IndexingState,
    /// Condition that "next where" repeats.
    pub condition: Option<String>,
    pub switches: CommandSwitches,
    /// Registers of the open trace's architecture for examples.
    pub registers: ExampleRegisters,
    /// Reason why the open trace cannot be followed while it grows.
    pub follow_refusal: Option<&'static str>,
    /// The open trace is binary: there is no raw text.
    pub is_without_text: bool,
}

/// State of commands that are switches or choices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandSwitches {
    pub on: Vec<CommandId>,
}

impl CommandSwitches {
    pub fn is_on(&self, command: CommandId) -> bool {
        self.on.contains(&command)
    }
}

/// Indexing state of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexingState {
    /// The whole trace is indexed.
    #[default]
    Whole,
    /// A part is indexed, and indexing continues.
    UnderWay,
    /// A part is indexed, and indexing continues as the trace grows.
    Following,
    /// A part is indexed, and indexing was stopped.
    Stopped,
}

impl CommandContext {
    /// Returns the position of the active trace window.
    pub fn position(&self) -> Option<Position> {
        self.active.map(|(_, position)| position)
    }

    /// Returns the action for the slice of the cell that a tooltip describes, else of the cell that
    /// explains how the trace ends, else of the cell under the cursor, at the position of the shown
    /// value.
    pub fn why(&self) -> Option<Action> {
        if let Some((cell, at)) = self.pointed.as_ref().or(self.culprit.as_ref()) {
            return Some(Action::Slice(SliceAction::WhyAt(cell.clone(), *at)));
        }
        let cell = self.cell.clone()?;
        Some(match self.cell_at {
            Some(at) => Action::Slice(SliceAction::WhyAt(cell, at)),
            None => Action::Slice(SliceAction::Why(cell)),
        })
    }

    /// Returns the reason why the open trace does not allow a command.
    pub fn refusal(&self, command: CommandId) -> Option<&'static str> {
        match command {
            CommandId::Follow => self.follow_refusal,
            CommandId::RawText if self.is_without_text => Some(say!("command-no-raw-text")),
            _ => None,
        }
    }

    /// Returns the position with its trace.
    pub fn moment(&self) -> Option<Moment> {
        self.position().map(|position| Moment {
            trace: self.trace,
            position,
        })
    }
}

impl Command {
    /// Returns the action without an argument; none if that is not possible.
    pub fn action(&self, situation: &CommandContext) -> Option<Action> {
        if !self.is_possible(situation) {
            return None;
        }
        self.plain.as_ref().and_then(|plain| plain(situation))
    }

    /// Returns true if it travels to an access of the cell under the cursor.
    pub fn is_access(&self) -> bool {
        matches!(
            self.id,
            CommandId::LastWrite | CommandId::NextWrite | CommandId::LastRead | CommandId::NextRead
        )
    }

    /// Returns true if its requirement is met.
    pub fn is_possible(&self, situation: &CommandContext) -> bool {
        !self.needs_trace || situation.active.is_some()
    }

    /// Returns the text for menus: the name, with the condition that the command would repeat.
    pub fn text(&self, situation: &CommandContext) -> String {
        let is_repeated = matches!(self.id, CommandId::NextWhere | CommandId::PreviousWhere);
        match situation.condition.as_ref().filter(|_| is_repeated) {
            Some(condition) => format!("{} {condition}", self.bare_label()),
            None => self.label().to_owned(),
        }
    }

    /// Returns the name for menus and the palette, in the language of the window.
    pub fn label(&self) -> &'static str {
        messages::find(&self.label_id).unwrap_or(self.name)
    }

    /// Returns the label without `…`.
    pub fn bare_label(&self) -> &'static str {
        self.label().trim_end_matches('…')
    }

    /// Returns the English name without `…`, as in scripts.
    pub fn bare_name(&self) -> &'static str {
        self.name.trim_end_matches('…')
    }

    /// Returns true if a key of it works in a situation.
    pub fn is_in_scope(&self, situation: &CommandContext, stroke: &KeyStroke) -> bool {
        match self.scope {
            KeyScope::Everywhere => true,
            KeyScope::Trace => situation.is_in_trace,
            KeyScope::Steps => situation.is_in_trace || !stroke.modifiers.ctrl,
            KeyScope::Cells => situation.is_in_cells,
        }
    }
}

/// Returns the id of a command's name in the table of messages: `command-go-to` for `Go to…`.
fn label_id(name: &str) -> String {
    let words = name
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    words.fold("command".to_owned(), |id, word| {
        id + "-" + &word.to_ascii_lowercase()
    })
}

impl Command {
    /// Makes a command that needs a trace and does nothing yet.
    pub(super) fn new(area: Area, id: CommandId, name: &'static str) -> Self {
        Self {
            id,
            name,
            label_id: label_id(name),
            area,
            icon: None,
            default_keys: Vec::new(),
            scope: KeyScope::Everywhere,
            needs_trace: true,
            begins_group: false,
            submenu: None,
            submenus_after: Vec::new(),
            is_setting: false,
            is_presentation: false,
            plain: None,
            argument: None,
        }
    }

    /// Makes the command possible without a trace.
    pub(super) fn anytime(mut self) -> Self {
        self.needs_trace = false;
        self
    }

    /// Separates the command from the one above it in the menu.
    pub(super) fn separated(mut self) -> Self {
        self.begins_group = true;
        self
    }

    pub(super) fn in_submenu(mut self, submenu: Submenu) -> Self {
        self.submenu = Some(submenu);
        self
    }

    /// Adds submenus below the command.
    pub(super) fn then(mut self, submenus: impl Into<Vec<Submenu>>) -> Self {
        self.submenus_after = submenus.into();
        self
    }

    /// Shows the command on the page of settings instead of in a menu.
    pub(super) fn in_settings(mut self) -> Self {
        self.is_setting = true;
        self
    }

    /// Marks a command that chooses one of several ways to show something.
    pub(super) fn presents(mut self) -> Self {
        self.is_presentation = true;
        self
    }

    pub(super) fn icon(mut self, icon: char) -> Self {
        self.icon = Some(icon);
        self
    }

    pub(super) fn key(mut self, modifiers: Modifiers, key: Key) -> Self {
        self.default_keys.push(KeyStroke::new(modifiers, key));
        self
    }

    pub(super) fn within(mut self, scope: KeyScope) -> Self {
        self.scope = scope;
        self
    }

    pub(super) fn does(self, action: impl Into<Action>) -> Self {
        let action: Action = action.into();
        self.when(move |_| Some(action.clone()))
    }

    pub(super) fn when<A: Into<Action>>(
        mut self,
        plain: impl Fn(&CommandContext) -> Option<A> + Send + Sync + 'static,
    ) -> Self {
        self.plain = Some(Box::new(move |situation| plain(situation).map(Into::into)));
        self
    }

    pub(super) fn asks(
        mut self,
        question: &'static str,
        make: fn(&str, &CommandContext) -> Result<Action, String>,
    ) -> Self {
        self.argument = Some(CommandArgument { question, make });
        self
    }
}
