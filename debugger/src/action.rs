//! The one action language: keys, menus, context menus, the command palette, scripts and tests emit these.
//!
//! An action is plain data. Panels push actions into a `Vec` while they draw; they are applied after the frame,
//! first in, first out, all of them.

mod effects;
mod memory;
mod moment;
mod registers;
mod slices;
mod timeline;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use stepback_machine::{LaneFormat, RegisterGroup};

pub use self::effects::{EffectsOf, OtherCall};
pub use self::memory::{MemoryChange, MemoryText};
pub use self::moment::Moment;
pub use self::registers::RegisterFormat;
pub use self::slices::SliceView;
pub use self::timeline::{TimelineFit, TimelineLanes};
use crate::image::ImageSpec;
use crate::messages::LanguageChoice;
use crate::notes::{BookmarkChange, SearchChange, SliceChange, WatchChange};
pub use crate::notes::{FindKind, FindQuestion, FindRange, SliceEdge, SliceEdges, SliceQuestion};
use crate::source::SourceMapping;

/// One of the traces that a window shows, by its number. Where none is named, the first is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TraceId(pub u32);

/// A trace window by its number: 1, 2, … It has a position of its own, which bears the same number,
/// in one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct WindowId(pub u32);

/// Which way in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Way {
    /// Towards the start.
    Back,
    /// Towards the end.
    Forward,
}

/// Which accesses of a cell are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// Stores.
    Write,
    /// Loads.
    Read,
}

/// What can be folded and unfolded, as in the Tarmac browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Fold {
    /// `-`: fold up the call that contains the position.
    Containing,
    /// `+`: unfold the folded call just after the position's step.
    UnfoldHere,
    /// `[`: fold all calls made from the function that contains the position.
    Inside,
    /// `]`: unfold everything inside the function that contains the position.
    UnfoldInside,
    /// `{`: fold the whole trace.
    All,
    /// `}`: unfold the whole trace.
    UnfoldAll,
    /// Fold the handlers that only move register windows to memory and back: spills, fills and what cleans windows.
    WindowTraps,
}

/// A cell as the user names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CellName {
    /// A register by name.
    Register(String),
    /// Memory: an address expression and a length in bytes.
    Memory(String, u64),
}

/// A kind of panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PanelKind {
    /// The list of steps.
    Trace,
    /// The register file.
    Registers,
    /// Memory.
    Memory,
    /// The call tree.
    Calls,
    /// The difference of two positions.
    Compare,
    /// The warnings of the parser.
    Warnings,
    /// The call stack.
    Stack,
    /// The external changes of memory.
    Externals,
    /// A source file.
    Source,
    /// The threads.
    Threads,
    /// All accesses of some memory.
    Accesses,
    /// The blocks of the heap.
    Heap,
    /// The pages of memory by how often they are accessed.
    Heat,
    /// The tasks of an operating system.
    Tasks,
    /// The functions by what they took.
    Functions,
    /// What is wrong with the trace, by rule.
    Findings,
    /// What a search found.
    Find,
    /// What is watched.
    Watches,
    /// The bookmarks.
    Bookmarks,
    /// The functions as a flame graph.
    FlameGraph,
    /// What memory consists of.
    Regions,
    /// The words of the stack.
    StackMemory,
    /// What calls or steps read and write.
    Effects,
    /// Why a cell has its value.
    Why,
}

/// What a register or memory panel shows the state at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Follow {
    /// The position of the trace window that is the active one at the time.
    #[default]
    Active,
    /// The position of a trace window, whichever it is.
    Window(WindowId),
    /// One moment for good.
    Pinned(Moment),
}

/// A part of a trace, from one position to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StepRange {
    /// The first position.
    pub first: u64,
    /// The last position, not before the first.
    pub last: u64,
}

/// Of which part of the trace the functions are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FunctionsOf {
    /// What is selected in the timeline; where nothing is, all of it.
    #[default]
    Selection,
    /// All of it.
    Whole,
}

/// What calls are measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CallMeasure {
    /// Steps of their threads.
    #[default]
    Steps,
    /// The trace's own time.
    Time,
}

/// What a font is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FontRole {
    /// Labels, menus, hints.
    Interface,
    /// Code and every number that is data.
    FixedWidth,
}

/// What changes about the fonts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FontChange {
    /// A file; without a path it is asked for.
    File(FontRole, #[serde(with = "crate::paths")] Option<PathBuf>),
    /// The program's own again.
    BuiltIn(FontRole),
    /// Texts of the interface larger (1), smaller (-1) or normal (0) beside code.
    InterfaceText(i8),
}

/// The theme that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// What the desktop says.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
    /// Dark, without differences between red and green alone.
    SafeDark,
    /// Light, likewise.
    SafeLight,
}

/// Everything that a user can ask for. Without a window named, the active trace window is meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Ask for a trace with the desktop's file dialog.
    OpenDialog,
    /// Ask for a directory with a trace in the same way.
    OpenDirectoryDialog,
    /// Open a trace by its path.
    OpenPath(#[serde(with = "crate::paths")] PathBuf),
    /// Open files that were chosen together: a trace of several, or a trace with its program images.
    OpenFiles(#[serde(with = "crate::paths")] Vec<PathBuf>),
    /// Open the demo that the program carries.
    OpenDemo,
    /// Open a session and its trace, by the path of the session; without one ask for it.
    OpenSession(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// The same with the trace, by its path.
    OpenSessionWith(#[serde(with = "crate::paths")] PathBuf, #[serde(with = "crate::paths")] PathBuf),
    /// Ask where the trace of a session is.
    LocateTrace(#[serde(with = "crate::paths")] PathBuf),
    /// Save all that is kept about the trace in a file of its own; without a path ask for it.
    SaveSession(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// The same in the file that was named last; where there is none ask for it.
    SaveSessionAgain,
    /// Read the trace again and rebuild its index.
    Reload,
    /// Open the trace again with one more program image, `ELF[@OFFSET]`; without one ask for it.
    AddImage(Option<ImageSpec>),
    /// Open the trace again with one more directory where its program images are; without one ask for it.
    AddSysroot(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Ask where the source file is that the image calls so.
    LocateSource(String),
    /// The same, as it was found from a file.
    MoveSources(SourceMapping),
    /// Sources are sought where the images and the command line say, and nowhere else.
    ForgetSources,
    /// Close the trace and show the start screen.
    CloseTrace,
    /// Forget one entry of the recent list.
    ForgetRecent(#[serde(with = "crate::paths")] PathBuf),
    /// Forget the whole recent list.
    ClearRecent,
    /// Stop indexing. What is indexed is kept.
    CancelIndexing,
    /// Index the rest of a trace after that was stopped.
    ContinueIndexing,
    /// Follow the trace as it grows, with the position at its end; a second time: stop following.
    FollowTrace,
    /// Hide or show the indexing card.
    ToggleIndexingCard,
    /// End the program.
    Quit,

    /// One step (or folded call) back or forward.
    StepRow(Way),
    /// One step, into calls, whatever is folded.
    StepInto(Way),
    /// Over the call at the position, or one step where there is none.
    StepOver(Way),
    /// To the call of the function that contains the position (back), or just after its return (forward).
    StepOut(Way),
    /// To the next or last step of the thread that the window stays in, else of that of the position.
    StepOfThread(Way),
    /// Moves by steps stay in a thread, by its name; without a name in that of the position. A second time ends that.
    StayInThread(Option<String>),
    /// A page of rows.
    Page(Way),
    /// The first or last position.
    Edge(Way),
    /// Travel to a position given in the language of the command line: `1250`, `50%`, `line:7`, `time:3`, `pc:main`, `end`.
    GoTo(String),
    /// Travel to a position of a window's trace in that window.
    Travel(WindowId, u64),
    /// Open another trace window at a moment.
    OpenWindowAt(Moment),
    /// The position visited before or after.
    History(Way),
    /// Select a cell: the panels of registers and memory show it, and "last write" means it.
    SelectCell(CellName),
    /// Travel to the last (back) or next (forward) access of a cell.
    GoToAccess(CellName, Access, Way),
    /// Travel to the next access of a cell up to a position; a register is that of the thread there.
    GoToAccessUntil(CellName, Access, u64),
    /// Travel to the last or next access of the cell under the cursor of the active panel.
    GoToAccessOfSelection(Access, Way),
    /// Travel to the last (back) or next (forward) external change, of some memory or of any.
    GoToExternal(Option<CellName>, Way),
    /// Travel to the next or last execution of a source line, by a thread or by any.
    /// The file may be named by the end of its path.
    GoToLine(String, u32, Way, Option<String>),

    /// Travel to the last or next other execution of the instruction just done.
    GoToVisit(Way),
    /// Travel to the last or next line of the source; calls are passed over.
    StepLine(Way),
    /// The same into functions that are called.
    StepLineInto(Way),
    /// Travel to the last or next exception, interrupt, trap or signal.
    GoToException(Way),
    /// Give up what is looked for to travel there.
    StopLookup,
    /// Travel to the last or next position at which a condition becomes true.
    GoToWhere(String, Way),
    /// The same for the condition that was sought last.
    GoToWhereAgain(Way),
    /// Travel to the last or next position at which a watch, as it is typed, has another value.
    GoToChange(String, Way),
    /// Watch another expression, or change what is watched.
    Watch(WatchChange),

    /// The timeline shows another value along the trace, or changes those that it shows.
    Wave(WatchChange),

    /// Put the cursor into the field of the panel "Find".
    FocusFind,
    /// Look for something in the whole trace, and list and mark what is found.
    Find(FindQuestion),
    /// Travel to the last (back) or next (forward) hit of the search.
    FindNext(Way),
    /// List more hits than the search was limited to.
    FindMore,
    /// End the search under way; what was found stays.
    StopFind,
    /// Forget the search and its marks.
    ClearFind,
    /// The active window shows the hits of the search alone, or all steps again.
    ToggleOnlyHits,
    /// The same with so many steps around each hit.
    SurroundHits(u64),
    /// Keep the search under a name.
    KeepSearch(String),
    /// Change the searches that are kept.
    Searches(SearchChange),
    /// Look again for what is kept under a name.
    RunSearch(String),
    /// The same in a panel of its own, beside other searches.
    ShowSearch(String),
    /// A window that shows hits alone shows some other steps, too.
    OpenHidden(WindowId, StepRange),

    /// Why has a cell its value at the position?
    Why(CellName),
    /// The same at another position.
    WhyAt(CellName, u64),
    /// The same as it was asked once, with what is followed.
    WhyAgain(SliceQuestion),
    /// Follow the slice that is shown to where its value comes from, or to where it went.
    TurnSlice(Way),
    /// Follow something besides the data in the slice that is shown, or no longer.
    FollowInSlice(SliceEdge),
    /// How the rows of the slice stand in the panel that has the keyboard, or in the first.
    ViewSlice(SliceView),
    /// Follow more steps of the slice than it was limited to.
    MoreOfSlice,
    /// End the slice under way; what was found stays.
    StopSlice,
    /// Forget the slice and its marks.
    ClearSlice,
    /// The active window shows the steps of the slice alone, or all steps again.
    ToggleOnlySlice,
    /// Keep the slice under a name.
    KeepSlice(String),
    /// Change the slices that are kept.
    Slices(SliceChange),
    /// Ask again what is kept under a name.
    RunSlice(String),
    /// The same in a panel of its own, beside other slices.
    ShowSlice(String),

    /// Mark places, or change marks.
    Bookmark(BookmarkChange),
    /// Mark the part of the trace that is selected in the timeline, under a name.
    BookmarkSelection(String),
    /// Travel to the last (back) or next (forward) bookmark.
    GoToBookmark(Way),
    /// Take back the last change of what is shown or kept: marks, panels.
    Undo,
    /// Do again what was taken back.
    Redo,

    /// Fold or unfold.
    Fold(Fold),
    /// Fold or unfold one call, by its number in the call table.
    ToggleFold(u64),

    /// Make a trace window the active one.
    Activate(WindowId),
    /// Show a panel: bring it to the front, or open it.
    ShowPanel(PanelKind),
    /// Open another panel of a kind.
    NewPanel(PanelKind),
    /// A second trace window beside the first.
    SideBySide,
    /// Windows move together, by as many steps, or each by itself again.
    SyncWindows,
    /// A trace window was scrolled by so many thousandths of a row: the others go along.
    ScrollAlong(WindowId, i64),
    /// Compare the two positions.
    Compare,
    /// Bind the panel under this dock tile number to a window or a moment.
    Bind(u64, Follow),
    /// The panel under this dock tile number shows a thread by its name; none: that of the position.
    ChooseThread(u64, Option<String>),
    /// Close the panel under this dock tile number.
    ClosePanel(u64),
    /// Open another panel like the one under this dock tile number.
    DuplicatePanel(u64),
    /// The next or previous panel gets the keyboard.
    FocusPanel(Way),
    /// The panels as they were at first.
    ResetLayout,
    /// The panels of a layout by its name: debug, compare, profile, source, or one of the user's own.
    UseLayout(String),
    /// Keep the panels as a layout of a name, for all traces.
    SaveLayout(String),
    /// Forget a layout of the user's own.
    ForgetLayout(String),
    /// What the timeline shows.
    Timeline(TimelineLanes),
    /// Which part of the trace the timeline shows.
    FitTimeline(TimelineFit),
    /// Select a part of the trace; none: nothing is selected.
    SelectRange(Option<StepRange>),
    /// Tell the functions of a part of the trace, also where that was given up.
    TellFunctions(FunctionsOf),
    /// Give up telling them.
    StopFunctions,
    /// What the boxes of the flame graph are as wide as.
    MeasureCalls(CallMeasure),
    /// Choose a function by the address of its first step.
    SelectFunction(Option<u64>),
    /// List the calls that are entered in a part of the trace; none: the tree of all.
    ListCalls(Option<StepRange>),
    /// Travel to the last (back) or next (forward) call of a function by name; none: of the chosen one, else of the
    /// one around the position.
    GoToCall(Option<String>, Way),
    /// Compare the positions of two windows: what was before, and what came after.
    CompareWindows(WindowId, WindowId),
    /// Compare the two ends of a part of the trace.
    CompareEnds(StepRange),
    /// Compare the active window's position with another place, which a second window shows.
    CompareWith(String),
    /// Compare before and after a call, by its number in the call table; without it, after the one around the position.
    CompareCall(Option<u64>),
    /// Steps with disassembly, or the raw text of the trace.
    ToggleRawText,
    /// Source lines in the rows of the trace, or none.
    ToggleRowLines,
    /// Show memory at an address expression.
    ShowMemory(String),
    /// List all accesses of some memory: an address expression and a length in bytes; by a thread or by any.
    ListAccesses(String, u64, Option<String>),
    /// List all values that a cell took: its writes.
    ListValues(CellName),
    /// List all executions of code: an address, a function and an offset, or `file:line`.
    ListExecutions(String),
    /// The list of accesses or executions is by call stacks, or by steps again.
    GroupAccesses,
    /// List what steps read and write, or how two calls differ.
    ShowEffects(EffectsOf),
    /// Show a group of registers in the panel of registers that has the keyboard, or in the first.
    ShowRegisters(RegisterGroup),
    /// Open another panel with a group of registers.
    NewRegisters(RegisterGroup),
    /// Read the values of the same panel of registers in another way.
    ReadLanes(LaneFormat),
    /// Write the values of the same panel of registers in another way.
    FormatRegisters(RegisterFormat),
    /// Show the lower halves of registers of 64 bits in the same panel, or all of them.
    HalveRegisters,
    /// Show only the registers whose names contain a text.
    FilterRegisters(String),
    /// Bytes in a group of the memory panel: 1, 2, 4 or 8.
    MemoryGroup(u8),
    /// Change the panel of memory that has the keyboard, or the first.
    Memory(MemoryChange),

    /// Put the cursor into the box "Go to".
    FocusGoTo,
    /// Open the command palette.
    CommandPalette,
    /// Open the command palette with the question for the argument of a command, by its name.
    AskFor(String),
    /// Show the keys.
    KeyboardHelp,
    /// About the program.
    About,
    /// Choose the theme.
    Theme(ThemeChoice),
    /// The language of the window.
    Language(LanguageChoice),
    /// Move a panel into a window of its own; without a number the one that has the keyboard, back if it has one.
    TearOff(Option<u64>),
    /// Put a panel with a window of its own back, or all.
    PutBack(Option<u64>),
    /// Choose files in the browser of our own even where the desktop has a dialog, or no longer.
    ToggleOwnBrowser,
    /// Open the page of settings.
    Settings,
    /// Choose the keys of a command, as they are written in a file; none: it has no key.
    SetKeys(String, Vec<String>),
    /// Give a command the keys that it had at first, or all.
    ResetKeys(Option<String>),
    /// Write the keys that were chosen into a file, which is asked for.
    ExportKeys,
    /// Take over keys from a file; without a path it is asked for.
    ImportKeys(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Larger (1), smaller (-1) or normal (0) text.
    Zoom(i8),
    /// Change the fonts.
    Font(FontChange),
    /// Put a text on the clipboard.
    Copy(String),
    /// Save a part of the trace as a trace of its own; without a part what is selected in the timeline, without a path it is
    /// asked for.
    SavePart(Option<StepRange>, #[serde(with = "crate::paths")] Option<PathBuf>),
    /// Save a picture of the window as it is; without a path it is asked for.
    SavePicture(#[serde(with = "crate::paths")] Option<PathBuf>),
    /// Ask where a text is to be kept, under a name that is suggested, and write it there.
    SaveText(String, String),
    /// Close a toast by its number.
    DismissToast(u64),
    /// Close all toasts.
    DismissToasts,
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn actions_that_name_no_trace_mean_the_first() {
        let read = |text: &str| ron::from_str::<Action>(text).map_err(|error| error.to_string());
        let first = Moment { trace: TraceId(0), position: 1250 };
        assert_eq!(read("OpenWindowAt(1250)"), Ok(Action::OpenWindowAt(first)));
        assert_eq!(read("Bind(3,Pinned(1250))"), Ok(Action::Bind(3, Follow::Pinned(first))));
        assert!(read("OpenWindowAt(true)").is_err());
    }
}
