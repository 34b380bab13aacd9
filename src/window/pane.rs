//! What can stand in a tile of the dock.

use serde::{Deserialize, Serialize};

use crate::action::{Action, CellName, Follow, PanelKind, WindowId};
use crate::panels::{
    CallsPanel, ComparePanel, ExternalsPanel, MemoryPanel, RegistersPanel, SourcePanel, StackPanel, TableKind,
    TablePanel, ThreadsPanel, TracePanel, ViewCx, WarningsPanel,
};
use crate::theme::icons;

/// A panel.
#[derive(Serialize, Deserialize)]
pub enum Pane {
    /// The list of steps.
    Trace(TracePanel),
    /// The register file.
    Registers(RegistersPanel),
    /// Memory.
    Memory(MemoryPanel),
    /// The call tree.
    Calls(CallsPanel),
    /// The difference of two positions.
    Compare(ComparePanel),
    /// The warnings of the parser.
    Warnings(WarningsPanel),
    /// The call stack.
    Stack(StackPanel),
    /// The external changes of memory.
    Externals(ExternalsPanel),
    /// A source file.
    Source(SourcePanel),
    /// The threads.
    Threads(ThreadsPanel),
    /// A list of accesses, of blocks of the heap, or of pages.
    Table(TablePanel),
}

impl Pane {
    /// A panel of a kind that follows a trace window.
    pub fn new(kind: PanelKind, window: WindowId) -> Self {
        let follow = Follow::Window(window);
        match kind {
            PanelKind::Trace => Self::Trace(TracePanel::new(window)),
            PanelKind::Registers => Self::Registers(RegistersPanel::new(follow)),
            PanelKind::Memory => Self::Memory(MemoryPanel::at_stack(follow)),
            PanelKind::Calls => Self::Calls(CallsPanel::new(window)),
            PanelKind::Compare => Self::Compare(ComparePanel::new()),
            PanelKind::Warnings => Self::Warnings(WarningsPanel::new()),
            PanelKind::Stack => Self::Stack(StackPanel::new(follow)),
            PanelKind::Externals => Self::Externals(ExternalsPanel::new()),
            PanelKind::Source => Self::Source(SourcePanel::new(follow)),
            PanelKind::Threads => Self::Threads(ThreadsPanel::new()),
            PanelKind::Accesses => Self::Table(TablePanel::new(TableKind::Accesses)),
            PanelKind::Heap => Self::Table(TablePanel::new(TableKind::Heap)),
            PanelKind::Heat => Self::Table(TablePanel::new(TableKind::Heat)),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> PanelKind {
        match self {
            Self::Trace(_) => PanelKind::Trace,
            Self::Registers(_) => PanelKind::Registers,
            Self::Memory(_) => PanelKind::Memory,
            Self::Calls(_) => PanelKind::Calls,
            Self::Compare(_) => PanelKind::Compare,
            Self::Warnings(_) => PanelKind::Warnings,
            Self::Stack(_) => PanelKind::Stack,
            Self::Externals(_) => PanelKind::Externals,
            Self::Source(_) => PanelKind::Source,
            Self::Threads(_) => PanelKind::Threads,
            Self::Table(panel) => match panel.kind {
                TableKind::Accesses => PanelKind::Accesses,
                TableKind::Heap => PanelKind::Heap,
                TableKind::Heat => PanelKind::Heat,
            },
        }
    }

    /// The name on its tab.
    pub fn title(&self) -> String {
        match self {
            Self::Trace(panel) => panel.title(),
            Self::Registers(panel) => panel.title(),
            Self::Memory(panel) => panel.title(),
            Self::Calls(panel) => panel.title(),
            Self::Compare(panel) => panel.title(),
            Self::Warnings(panel) => panel.title(),
            Self::Stack(panel) => panel.title(),
            Self::Externals(panel) => panel.title(),
            Self::Source(panel) => panel.title(),
            Self::Threads(panel) => panel.title(),
            Self::Table(panel) => panel.title(),
        }
    }

    /// The icon on its tab.
    pub fn icon(&self) -> char {
        match self {
            Self::Trace(_) => icons::LIST,
            Self::Registers(_) => icons::REGISTERS,
            Self::Memory(_) => icons::MEMORY,
            Self::Calls(_) => icons::CALLS,
            Self::Compare(_) => icons::COMPARE,
            Self::Warnings(_) => icons::WARNING,
            Self::Stack(_) => icons::STACK,
            Self::Externals(_) => icons::SWAP,
            Self::Source(_) => icons::SOURCE,
            Self::Threads(_) => icons::THREADS,
            Self::Table(panel) => panel.kind.icon(),
        }
    }

    /// What it shows the state at; none for a panel that shows no one moment.
    pub fn follow(&self) -> Option<Follow> {
        match self {
            Self::Trace(panel) => Some(Follow::Window(panel.window)),
            Self::Registers(panel) => Some(panel.follow),
            Self::Memory(panel) => Some(panel.follow),
            Self::Calls(panel) => Some(Follow::Window(panel.window)),
            Self::Stack(panel) => Some(panel.follow),
            Self::Source(panel) => Some(panel.follow),
            Self::Compare(_) | Self::Warnings(_) | Self::Externals(_) | Self::Threads(_) | Self::Table(_) => None,
        }
    }

    /// Whether it can show one moment for good.
    pub fn is_pinnable(&self) -> bool {
        matches!(self, Self::Registers(_) | Self::Memory(_) | Self::Stack(_) | Self::Source(_))
    }

    /// Binds it to a window or a moment, where it can.
    pub fn bind(&mut self, follow: Follow) {
        match (self, follow) {
            (Self::Registers(panel), follow) => panel.follow = follow,
            (Self::Memory(panel), follow) => panel.follow = follow,
            (Self::Stack(panel), follow) => panel.follow = follow,
            (Self::Source(panel), follow) => panel.follow = follow,
            (Self::Trace(panel), Follow::Window(window)) => panel.window = window,
            (Self::Calls(panel), Follow::Window(window)) => panel.window = window,
            (Self::Trace(_) | Self::Calls(_) | Self::Compare(_), _) => {}
            (Self::Warnings(_) | Self::Externals(_) | Self::Threads(_) | Self::Table(_), _) => {}
        }
    }

    /// Shows a thread by its name, where it can; none: that of the position.
    pub fn choose_thread(&mut self, thread: Option<String>) {
        match self {
            Self::Stack(panel) => panel.thread = thread,
            Self::Registers(panel) => panel.thread = thread,
            Self::Source(panel) => panel.thread = thread,
            _ => {}
        }
    }

    /// The cell under its cursor.
    pub fn selection(&self, cx: &ViewCx<'_>) -> Option<CellName> {
        match self {
            Self::Trace(panel) => panel.selection(cx),
            Self::Registers(panel) => panel.selection(cx),
            Self::Memory(panel) => panel.selection(cx),
            Self::Calls(panel) => panel.selection(cx),
            Self::Compare(panel) => panel.selection(cx),
            Self::Warnings(panel) => panel.selection(cx),
            Self::Stack(panel) => panel.selection(cx),
            Self::Externals(panel) => panel.selection(cx),
            Self::Source(panel) => panel.selection(cx),
            Self::Threads(panel) => panel.selection(cx),
            Self::Table(panel) => panel.selection(cx),
        }
    }

    /// Draws it.
    pub fn ui(&mut self, ui: &mut egui::Ui, cx: &ViewCx<'_>, out: &mut Vec<Action>) {
        match self {
            Self::Trace(panel) => panel.ui(ui, cx, out),
            Self::Registers(panel) => panel.ui(ui, cx, out),
            Self::Memory(panel) => panel.ui(ui, cx, out),
            Self::Calls(panel) => panel.ui(ui, cx, out),
            Self::Compare(panel) => panel.ui(ui, cx, out),
            Self::Warnings(panel) => panel.ui(ui, cx, out),
            Self::Stack(panel) => panel.ui(ui, cx, out),
            Self::Externals(panel) => panel.ui(ui, cx, out),
            Self::Source(panel) => panel.ui(ui, cx, out),
            Self::Threads(panel) => panel.ui(ui, cx, out),
            Self::Table(panel) => panel.ui(ui, cx, out),
        }
    }

    /// Another panel with the same settings and no answers yet.
    pub fn duplicate(&self) -> Option<Self> {
        ron::from_str(&ron::to_string(self).ok()?).ok()
    }
}
