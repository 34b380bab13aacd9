//! All kinds of panels: a new one is a file that implements [`Panel`], and what stands of it here.

use std::ops::{Deref, DerefMut};

use egui::Key;
use serde::{Deserialize, Serialize};

use super::calls::CallsPanel;
use super::compare::ComparePanel;
use super::externals::ExternalsPanel;
use super::memory::MemoryPanel;
use super::panel::Panel;
use super::registers::RegistersPanel;
use super::source::SourcePanel;
use super::stack::StackPanel;
use super::table::{TableKind, TablePanel};
use super::threads::ThreadsPanel;
use super::trace::TracePanel;
use super::warnings::WarningsPanel;
use crate::action::{Follow, PanelKind, WindowId};
use crate::theme::icons;

/// A kind of panel.
pub struct PanelRow {
    /// Which.
    pub kind: PanelKind,
    /// The command that shows it.
    pub show: &'static str,
    /// The key of that command, with Alt.
    pub key: Option<Key>,
    /// The icon on its tab.
    pub icon: char,
    /// The command that opens another one beside the first; a trace window has a command of its own.
    pub another: Option<&'static str>,
    /// Makes one that follows a trace window.
    pub make: fn(WindowId) -> Pane,
}

/// A row a kind, in the order of the menu.
pub const PANELS: [PanelRow; 13] = [
    PanelRow {
        kind: PanelKind::Trace,
        show: "Show trace",
        key: Some(Key::Num1),
        icon: icons::LIST,
        another: None,
        make: |window| Pane::Trace(TracePanel::new(window)),
    },
    PanelRow {
        kind: PanelKind::Registers,
        show: "Show registers",
        key: Some(Key::Num2),
        icon: icons::REGISTERS,
        another: Some("New registers panel"),
        make: |window| Pane::Registers(RegistersPanel::new(Follow::Window(window))),
    },
    PanelRow {
        kind: PanelKind::Memory,
        show: "Show memory panel",
        key: Some(Key::Num3),
        icon: icons::MEMORY,
        another: Some("New memory panel"),
        make: |window| Pane::Memory(MemoryPanel::at_stack(Follow::Window(window))),
    },
    PanelRow {
        kind: PanelKind::Calls,
        show: "Show calls",
        key: Some(Key::Num4),
        icon: icons::CALLS,
        another: Some("New calls panel"),
        make: |window| Pane::Calls(CallsPanel::new(window)),
    },
    PanelRow {
        kind: PanelKind::Compare,
        show: "Show comparison",
        key: Some(Key::Num5),
        icon: icons::COMPARE,
        another: None,
        make: |_| Pane::Compare(ComparePanel::new()),
    },
    PanelRow {
        kind: PanelKind::Warnings,
        show: "Show warnings",
        key: Some(Key::Num6),
        icon: icons::WARNING,
        another: None,
        make: |_| Pane::Warnings(WarningsPanel::new()),
    },
    PanelRow {
        kind: PanelKind::Stack,
        show: "Show stack",
        key: Some(Key::Num7),
        icon: icons::STACK,
        another: Some("New stack panel"),
        make: |window| Pane::Stack(StackPanel::new(Follow::Window(window))),
    },
    PanelRow {
        kind: PanelKind::Externals,
        show: "Show external changes",
        key: None,
        icon: icons::SWAP,
        another: None,
        make: |_| Pane::Externals(ExternalsPanel::new()),
    },
    PanelRow {
        kind: PanelKind::Source,
        show: "Show source",
        key: Some(Key::Num8),
        icon: icons::SOURCE,
        another: Some("New source panel"),
        make: |window| Pane::Source(SourcePanel::new(Follow::Window(window))),
    },
    PanelRow {
        kind: PanelKind::Threads,
        show: "Threads",
        key: Some(Key::Num9),
        icon: icons::THREADS,
        another: None,
        make: |_| Pane::Threads(ThreadsPanel::new()),
    },
    PanelRow {
        kind: PanelKind::Accesses,
        show: "Accesses",
        key: None,
        icon: TableKind::Accesses.icon(),
        another: None,
        make: |_| Pane::Table(TablePanel::new(TableKind::Accesses)),
    },
    PanelRow {
        kind: PanelKind::Heap,
        show: "Heap",
        key: None,
        icon: TableKind::Heap.icon(),
        another: None,
        make: |_| Pane::Table(TablePanel::new(TableKind::Heap)),
    },
    PanelRow {
        kind: PanelKind::Heat,
        show: "Heat",
        key: None,
        icon: TableKind::Heat.icon(),
        another: None,
        make: |_| Pane::Table(TablePanel::new(TableKind::Heat)),
    },
];

/// The types of panels, each under the name by which layouts that are kept call it: such a name is for good.
macro_rules! panes {
    ($($(#[$doc:meta])* $name:ident($panel:ty),)*) => {
        /// A panel of any kind.
        #[derive(Serialize, Deserialize)]
        pub enum Pane {
            $($(#[$doc])* $name($panel),)*
        }

        impl Deref for Pane {
            type Target = dyn Panel;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$name(panel) => panel,)*
                }
            }
        }

        impl DerefMut for Pane {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Self::$name(panel) => panel,)*
                }
            }
        }
    };
}

panes! {
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
        (row(kind).make)(window)
    }

    /// Its kind.
    pub fn kind(&self) -> PanelKind {
        (**self).kind()
    }

    /// What it shows the state at; none for a panel that shows no one moment.
    pub fn follow(&self) -> Option<Follow> {
        (**self).follow()
    }

    /// The icon on its tab.
    pub fn icon(&self) -> char {
        row(self.kind()).icon
    }

    /// Another panel with the same settings and no answers yet.
    pub fn duplicate(&self) -> Option<Self> {
        ron::from_str(&ron::to_string(self).ok()?).ok()
    }
}

/// The row of a kind.
fn row(kind: PanelKind) -> &'static PanelRow {
    // A test makes sure that every kind has a row.
    PANELS.iter().find(|row| row.kind == kind).unwrap_or(&PANELS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_makes_panels_of_its_kind() {
        for row in &PANELS {
            assert_eq!((row.make)(WindowId(1)).kind(), row.kind);
            assert_eq!(Pane::new(row.kind, WindowId(1)).icon(), row.icon);
        }
    }

    #[test]
    fn every_kind_has_a_row() {
        // A new kind has to be put into this chain, which is complete as long as this compiles.
        let next = |kind| match kind {
            PanelKind::Trace => Some(PanelKind::Registers),
            PanelKind::Registers => Some(PanelKind::Memory),
            PanelKind::Memory => Some(PanelKind::Calls),
            PanelKind::Calls => Some(PanelKind::Compare),
            PanelKind::Compare => Some(PanelKind::Warnings),
            PanelKind::Warnings => Some(PanelKind::Stack),
            PanelKind::Stack => Some(PanelKind::Externals),
            PanelKind::Externals => Some(PanelKind::Source),
            PanelKind::Source => Some(PanelKind::Threads),
            PanelKind::Threads => Some(PanelKind::Accesses),
            PanelKind::Accesses => Some(PanelKind::Heap),
            PanelKind::Heap => Some(PanelKind::Heat),
            PanelKind::Heat => None,
        };
        for kind in std::iter::successors(Some(PanelKind::Trace), |kind| next(*kind)) {
            assert_eq!(row(kind).kind, kind);
        }
    }

    #[test]
    fn a_duplicate_has_the_settings_of_the_first() {
        let mut first = Pane::new(PanelKind::Stack, WindowId(1));
        first.bind(Follow::Pinned(7));
        assert_eq!(first.duplicate().and_then(|copy| copy.follow()), Some(Follow::Pinned(7)));
    }

    /// Panels as layouts of earlier versions have them.
    #[test]
    fn panels_that_were_kept_by_earlier_versions_are_read() {
        for (text, kind, follow) in [
            ("Trace((window:(2)))", PanelKind::Trace, Some(Follow::Window(WindowId(2)))),
            ("Registers((follow:Window((1))))", PanelKind::Registers, Some(Follow::Window(WindowId(1)))),
            (
                "Registers((follow:Pinned(12),group:Vector,thread:Some(\"cpu1\"),filter:\"v\",\
                 formats:[],open_groups:[\"System\"]))",
                PanelKind::Registers,
                Some(Follow::Pinned(12)),
            ),
            (
                "Memory((follow:Window((1)),address:\"sp\",is_following:true,held:None,group:4))",
                PanelKind::Memory,
                Some(Follow::Window(WindowId(1))),
            ),
            ("Calls((window:(1)))", PanelKind::Calls, Some(Follow::Window(WindowId(1)))),
            ("Compare((before:Some((1)),after:None))", PanelKind::Compare, None),
            ("Compare(())", PanelKind::Compare, None),
            ("Warnings(())", PanelKind::Warnings, None),
            ("Stack((follow:Pinned(3),thread:None))", PanelKind::Stack, Some(Follow::Pinned(3))),
            ("Externals(())", PanelKind::Externals, None),
            ("Source((follow:Window((1))))", PanelKind::Source, Some(Follow::Window(WindowId(1)))),
            ("Threads(())", PanelKind::Threads, None),
            ("Table((kind:Heap))", PanelKind::Heap, None),
        ] {
            let pane: Pane = ron::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((pane.kind(), pane.follow()), (kind, follow), "{text}");
        }
    }
}
