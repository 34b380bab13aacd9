//! Constructors of all kinds of list.

use super::list::{ListPane, ListView};
use crate::pane::Pane;
use stepback_debugger::action::PanelKind;
use stepback_debugger::views::{
    AccessTable, BookmarkTable, CallsView, CompareView, EffectsTable, ExternalTable, FindTable,
    FindingsView, FunctionTable, MemoryTable, SourceView, StackView, TableSource, TableView,
    ThreadTable, WarningTable, WatchTable, WhyView,
};

/// Opens a list of a kind. Returns none if the kind is no list.
pub fn open_list(kind: PanelKind) -> Option<Box<dyn Pane>> {
    Some(match kind {
        PanelKind::Accesses => table(AccessTable::default()),
        PanelKind::Bookmarks => table(BookmarkTable::default()),
        PanelKind::Calls => list(CallsView::default()),
        PanelKind::Compare => list(CompareView::default()),
        PanelKind::Externals => table(ExternalTable::default()),
        PanelKind::Effects => table(EffectsTable::default()),
        PanelKind::Find => table(FindTable),
        PanelKind::Findings => list(FindingsView::default()),
        PanelKind::Functions => table(FunctionTable::default()),
        PanelKind::Heap
        | PanelKind::Heat
        | PanelKind::Tasks
        | PanelKind::Regions
        | PanelKind::StackMemory => table(MemoryTable::of(kind)),
        PanelKind::Source => list(SourceView::default()),
        PanelKind::Stack => list(StackView::default()),
        PanelKind::Threads => table(ThreadTable::default()),
        PanelKind::Why => list(WhyView::default()),
        PanelKind::Warnings => table(WarningTable::default()),
        PanelKind::Watches => table(WatchTable::default()),
        PanelKind::FlameGraph | PanelKind::Memory | PanelKind::Registers | PanelKind::Trace => {
            return None;
        }
    })
}

fn list(listing: impl ListView + 'static) -> Box<dyn Pane> {
    Box::new(ListPane::new(listing))
}

fn table(source: impl TableSource + 'static) -> Box<dyn Pane> {
    list(TableView::new(source))
}
