//! All kinds of panels. A new one is a file that implements [`Panel`], a line here, and a row in
//! [`PANELS`](stepback_debugger::keymap::PANELS).

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};
use stepback_debugger::action::WindowId;
use stepback_debugger::action::{Follow, PanelKind};
use stepback_debugger::keymap::panel_row;
use stepback_debugger::views::{
    BothStatesTable, DifferenceTable, ExternalTable, ThreadTable, WarningTable,
};

use super::bookmarks::BookmarksPanel;
use super::both_traces::BothTracesPanel;
use super::calls::CallsPanel;
use super::compare::ComparePanel;
use super::find::FindPanel;
use super::findings::FindingsPanel;
use super::functions::{FlamePanel, FunctionsPanel};
use super::memory::MemoryPanel;
use super::panel::Panel;
use super::registers::RegistersPanel;
use super::source::SourcePanel;
use super::stack::StackPanel;
use super::table::{ListPanel, TablePanel};
use super::trace::TracePanel;
use super::watches::WatchesPanel;
use super::why::WhyPanel;
use crate::theme::icons;

/// Declares [`Pane`]: the panel types, each with the kinds that it shows. Saved layouts contain the
/// variant names, so these never change.
macro_rules! panes {
    ($($(#[$doc:meta])* $name:ident($panel:ty): $($kind:ident)|+;)*) => {
        /// A panel of any kind.
        #[derive(Serialize, Deserialize)]
        pub enum Pane {
            $($(#[$doc])* $name($panel),)*
        }

        impl Pane {
            /// Creates a panel of a kind: the steps of a trace window, or a panel that follows the
            /// active window.
            pub fn new(kind: PanelKind, window: WindowId) -> Self {
                match kind {
                    $($(PanelKind::$kind)|+ => Self::$name(<$panel>::make(kind, window)),)*
                }
            }
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
    Trace(TracePanel): Trace;
    Registers(RegistersPanel): Registers;
    Memory(MemoryPanel): Memory;
    Calls(CallsPanel): Calls;
    /// Difference of two positions.
    Compare(ComparePanel): Compare;
    /// Warnings of the parser.
    Warnings(ListPanel<WarningTable>): Warnings;
    Stack(StackPanel): Stack;
    /// External changes of memory.
    Externals(ListPanel<ExternalTable>): Externals;
    /// A source file.
    Source(SourcePanel): Source;
    Threads(ListPanel<ThreadTable>): Threads;
    /// A list of accesses, effects, heap blocks, pages or regions of memory, words of the stack, or
    /// tasks.
    Table(TablePanel): Accesses | Heap | Heat | Tasks | Regions | StackMemory | Effects;
    /// Violations of rules.
    Findings(FindingsPanel): Findings;
    /// Differences of two traces.
    Differences(ListPanel<DifferenceTable>): Differences;
    /// Steps of two traces side by side.
    BothTraces(BothTracesPanel): BothTraces;
    /// Registers and memory of two traces.
    BothStates(ListPanel<BothStatesTable>): BothStates;
    /// Hits of a search.
    Find(FindPanel): Find;
    /// Watched expressions.
    Watches(WatchesPanel): Watches;
    Bookmarks(BookmarksPanel): Bookmarks;
    Functions(FunctionsPanel): Functions;
    /// Functions as a flame graph.
    FlameGraph(FlamePanel): FlameGraph;
    /// Slice of a cell: the reason for its value.
    Why(WhyPanel): Why;
}

impl Pane {
    pub fn kind(&self) -> PanelKind {
        (**self).kind()
    }

    /// Window or moment whose state is shown; none for a panel that shows no single moment.
    pub fn follow(&self) -> Option<Follow> {
        (**self).follow()
    }

    /// Converts a panel of earlier layouts, which have the functions among the table panels.
    pub fn renew(&mut self) {
        if matches!(self, Self::Table(_)) && self.kind() == PanelKind::Functions {
            *self = Self::Functions(FunctionsPanel::default());
        }
    }

    pub fn icon(&self) -> char {
        // A test checks that every kind has a row.
        panel_row(self.kind()).map_or(icons::LIST, |row| row.icon)
    }

    /// Creates another panel with this panel's settings and no answers yet.
    pub fn duplicate(&self) -> Option<Self> {
        ron::from_str(&ron::to_string(self).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepback_debugger::keymap::PANELS;
    use stepback_debugger::messages::Language;

    #[test]
    fn every_row_makes_panels_of_its_kind() {
        for row in &PANELS {
            let pane = Pane::new(row.kind, WindowId(1));
            assert_eq!((pane.kind(), pane.icon()), (row.kind, row.icon));
        }
    }

    #[test]
    fn the_command_that_shows_a_panel_has_its_name() {
        for language in [Language::French, Language::English] {
            language.speak();
            for row in &PANELS {
                let title = Pane::new(row.kind, WindowId(1)).title().to_lowercase();
                let label = row.show.command().label().to_lowercase();
                assert!(label.contains(&title), "{label}: {title}");
            }
        }
    }

    #[test]
    fn every_kind_has_a_row() {
        // A new kind must be added to this chain; the compiler enforces that.
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
            PanelKind::Heat => Some(PanelKind::Tasks),
            PanelKind::Tasks => Some(PanelKind::Functions),
            PanelKind::Functions => Some(PanelKind::Findings),
            PanelKind::Findings => Some(PanelKind::Find),
            PanelKind::Find => Some(PanelKind::Watches),
            PanelKind::Watches => Some(PanelKind::Bookmarks),
            PanelKind::Bookmarks => Some(PanelKind::FlameGraph),
            PanelKind::FlameGraph => Some(PanelKind::Regions),
            PanelKind::Regions => Some(PanelKind::StackMemory),
            PanelKind::StackMemory => Some(PanelKind::Effects),
            PanelKind::Effects => Some(PanelKind::Why),
            PanelKind::Why => Some(PanelKind::Differences),
            PanelKind::Differences => Some(PanelKind::BothTraces),
            PanelKind::BothTraces => Some(PanelKind::BothStates),
            PanelKind::BothStates => None,
        };
        for kind in std::iter::successors(Some(PanelKind::Trace), |kind| next(*kind)) {
            assert_eq!(panel_row(kind).map(|row| row.kind), Some(kind));
        }
    }

    #[test]
    fn a_duplicate_has_the_settings_of_the_first() {
        let mut first = Pane::new(PanelKind::Stack, WindowId(1));
        first.bind(Follow::Pinned(7.into()));
        assert_eq!(
            first.duplicate().and_then(|copy| copy.follow()),
            Some(Follow::Pinned(7.into()))
        );
    }

    #[test]
    fn a_duplicate_of_a_list_has_its_filter_order_and_arrangement() {
        for text in [
            "Table((kind:Accesses,view:(filter:\"sp\",column:Some(1),is_falling:true),arrangement:CallStacks))",
            "Table((kind:Heap,view:(filter:\"\",column:Some(2),is_falling:false),arrangement:Steps))",
            "Functions((view:(filter:\"main\",column:None,is_falling:false)))",
        ] {
            let pane: Pane = ron::from_str(text).expect("a panel");
            assert_eq!(ron::to_string(&pane).as_deref(), Ok(text));
        }
    }

    #[test]
    fn the_functions_among_other_lists_become_a_panel_of_their_own() {
        let mut pane: Pane =
            ron::from_str("Table((kind:Functions))").expect("a panel of an earlier version");
        pane.renew();
        assert!(matches!(pane, Pane::Functions(_)));
    }

    /// Reads panels as layouts of earlier versions contain them.
    #[test]
    fn panels_that_were_kept_by_earlier_versions_are_read() {
        for (text, kind, follow) in [
            (
                "Trace((window:(2)))",
                PanelKind::Trace,
                Some(Follow::Window(WindowId(2))),
            ),
            (
                "Registers((follow:Window((1))))",
                PanelKind::Registers,
                Some(Follow::Window(WindowId(1))),
            ),
            (
                "Registers((follow:Pinned(12),group:Vector,thread:Some(\"cpu1\"),filter:\"v\",\
                 formats:[],open_groups:[\"System\"]))",
                PanelKind::Registers,
                Some(Follow::Pinned(12.into())),
            ),
            (
                "Memory((follow:Window((1)),address:\"sp\",is_following:true,held:None,group:4))",
                PanelKind::Memory,
                Some(Follow::Window(WindowId(1))),
            ),
            (
                "Calls((window:(1)))",
                PanelKind::Calls,
                Some(Follow::Active),
            ),
            (
                "Compare((before:Some((1)),after:None))",
                PanelKind::Compare,
                None,
            ),
            ("Compare(())", PanelKind::Compare, None),
            ("Warnings(())", PanelKind::Warnings, None),
            (
                "Stack((follow:Pinned(3),thread:None))",
                PanelKind::Stack,
                Some(Follow::Pinned(3.into())),
            ),
            ("Externals(())", PanelKind::Externals, None),
            (
                "Source((follow:Window((1))))",
                PanelKind::Source,
                Some(Follow::Window(WindowId(1))),
            ),
            ("Threads(())", PanelKind::Threads, None),
            ("Table((kind:Heap))", PanelKind::Heap, None),
            (
                "Table((kind:Accesses,view:(filter:\"sp\",column:Some(1),is_falling:true),arrangement:CallStacks))",
                PanelKind::Accesses,
                None,
            ),
            ("Findings(())", PanelKind::Findings, None),
            ("Find(())", PanelKind::Find, None),
            ("Bookmarks(())", PanelKind::Bookmarks, None),
            ("Functions(())", PanelKind::Functions, None),
            ("FlameGraph(())", PanelKind::FlameGraph, None),
            ("Why(())", PanelKind::Why, None),
            (
                "Why((view:Tree,own:Some((name:\"p\",slice:(cell:\"x2\",at:7)))))",
                PanelKind::Why,
                None,
            ),
        ] {
            let pane: Pane = ron::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((pane.kind(), pane.follow()), (kind, follow), "{text}");
        }
    }
}
