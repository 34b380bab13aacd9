//! The table of commands.
//!
//! A row names the menu, the identity and the English name of a command. The order is that of the
//! menus.

use std::sync::LazyLock;

use stepback_machine::RegisterGroup;

use super::command::{Area, Command, CommandContext, IndexingState, KeyScope, Submenu};
use super::key::Key;
use super::{arguments, slice_arguments};
use crate::action::WindowId;
use crate::action::{
    Access, Action, AppAction, CallMeasure, CellName, CommandName, Direction, EffectsOf,
    FileAction, FoldAction, Follow, FontChange, FontRole, FunctionsOf, MarkAction, MemoryChange,
    MemoryText, OtherCall, PanelAction, PanelKind, RegisterFormat, SearchAction, SliceAction,
    SliceEdge, SliceView, ThemeChoice, TimelineFit, TimelineLanes, TravelAction, ViewAction,
};
use crate::icons;
use crate::keymap::key::Modifiers;
use crate::messages::LanguageChoice;
use crate::notes::{BookmarkChange, BookmarkColor, BookmarkPlace, WatchChange};

/// All commands, by area and in the order of the menus.
pub fn commands() -> &'static [Command] {
    static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(rows);
    &COMMANDS
}

/// Returns the command with a name.
pub fn command(name: &str) -> Option<&'static Command> {
    let name = match FORMER_NAMES.iter().find(|(former, _)| *former == name) {
        Some((_, id)) => id.command().name,
        None => name,
    };
    commands().iter().find(|command| command.name == name)
}

/// Names that commands had in version 0.1.0, which scripts and settings may still contain.
pub(super) static FORMER_NAMES: [(&str, CommandId); 17] = [
    ("Own file browser", CommandId::OwnFileBrowser),
    ("Keep search as…", CommandId::KeepSearchAs),
    (
        "Search in a panel of its own…",
        CommandId::SearchInAPanelOfItsOwn,
    ),
    ("Forget search…", CommandId::ForgetSearch),
    ("Stop looking", CommandId::StopLooking),
    ("Keep slice as…", CommandId::KeepSliceAs),
    (
        "Slice in a panel of its own…",
        CommandId::SliceInAPanelOfItsOwn,
    ),
    ("Forget slice…", CommandId::ForgetSlice),
    (
        "Timeline call around the position",
        CommandId::TimelineCallAroundThePosition,
    ),
    ("Close messages", CommandId::CloseMessages),
    ("Indexing card", CommandId::IndexingCard),
    (
        "Effects of this round of the loop",
        CommandId::EffectsOfThisRoundOfTheLoop,
    ),
    (
        "Compare with the call around…",
        CommandId::CompareWithTheCallAround,
    ),
    ("Show regions of memory", CommandId::ShowRegionsOfMemory),
    ("Forget layout…", CommandId::ForgetLayout),
    ("Show slice", CommandId::ShowWhyPanel),
    ("Show hits", CommandId::ShowFindPanel),
];

/// Makes the enum of all commands, and their rows.
macro_rules! commands {
    ($($area:ident::$id:ident($name:literal) $(.$method:ident($($argument:expr),*))*),* $(,)?) => {
        /// Identity of a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum CommandId {
            $(#[doc = $name] $id,)*
        }

        fn rows() -> Vec<Command> {
            vec![$(Command::new(Area::$area, CommandId::$id, $name)$(.$method($($argument),*))*),*]
        }
    };
}

impl From<CommandId> for CommandName {
    fn from(id: CommandId) -> Self {
        Self(id.command().name.to_owned())
    }
}

impl CommandId {
    pub fn command(self) -> &'static Command {
        // The variants are in the order of the rows.
        &commands()[self as usize]
    }
}

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CTRL;
const CTRL_SHIFT: Modifiers = Modifiers::CTRL_SHIFT;

commands![
    // File
    File::Open("Open…")
        .anytime()
        .icon(icons::OPEN)
        .key(CTRL, Key::O)
        .does(FileAction::OpenDialog)
        .asks("ask-path-of-a-trace", arguments::path),
    File::OpenDirectory("Open directory…")
        .anytime()
        .key(CTRL_SHIFT, Key::O)
        .does(FileAction::OpenDirectoryDialog),
    File::OpenTheDemo("Open the demo")
        .anytime()
        .icon(icons::PLAY)
        .does(FileAction::OpenDemo)
        .then([Submenu::Recent]),
    File::OpenSession("Open session…")
        .anytime()
        .separated()
        .does(FileAction::OpenSession(None))
        .asks("ask-path-of-a-session", arguments::open_session),
    File::OwnFileBrowser("Built-in file browser")
        .anytime()
        .does(AppAction::ToggleOwnBrowser),
    File::SaveSession("Save session")
        .key(CTRL, Key::S)
        .does(FileAction::SaveSessionAgain),
    File::SaveSessionAs("Save session as…")
        .does(FileAction::SaveSession(None))
        .asks("ask-path-of-the-file", arguments::save_session),
    File::SaveSelectionAsATrace("Save selection as a trace…")
        .does(FileAction::SavePart(None, None))
        .asks("ask-path-of-the-new-trace", arguments::save_part),
    File::SavePicture("Save picture…")
        .anytime()
        .does(FileAction::SavePicture(None))
        .asks("ask-path-of-the-picture", arguments::save_picture),
    File::AddImage("Add image…")
        .separated()
        .icon(icons::SOURCE)
        .does(FileAction::AddImage(None))
        .asks("ask-elf-or-elf-offset", arguments::image),
    File::AddDirectoryOfImages("Add directory of images…")
        .does(FileAction::AddSysroot(None))
        .asks("ask-directory-with-the-programs-files", arguments::sysroot),
    File::MapSources("Map sources…").asks("ask-from-to-a-directory-in", arguments::mapping),
    File::ForgetSourceDirectories("Forget source directories").does(FileAction::ForgetSources),
    File::Reload("Reload")
        .icon(icons::RELOAD)
        .key(CTRL, Key::R)
        .does(FileAction::Reload),
    File::CompareWithTrace("Compare with trace…")
        .icon(icons::COMPARE)
        .does(FileAction::CompareTrace(None))
        .asks("ask-path-of-a-trace", arguments::compare_trace),
    File::CompareByRules("Compare by rules…")
        .does(FileAction::CompareRules(None))
        .asks("ask-path-of-rules", arguments::comparison_rules),
    File::SyncPrograms("Sync other programs").does(FileAction::SyncPrograms),
    File::ServeToGdb("Serve to gdb").does(FileAction::ServeToGdb),
    File::Follow("Follow")
        .separated()
        .icon(icons::END)
        .key(CTRL_SHIFT, Key::End)
        .when(|situation| {
            let is_possible = situation.follow_refusal.is_none();
            is_possible.then_some(FileAction::FollowTrace)
        }),
    File::CancelIndexing("Cancel indexing")
        .anytime()
        .when(|situation| {
            let is_under_way = matches!(
                situation.indexing,
                IndexingState::UnderWay | IndexingState::Following
            );
            is_under_way.then_some(FileAction::CancelIndexing)
        }),
    File::ContinueIndexing("Continue indexing").when(|situation| {
        (situation.indexing == IndexingState::Stopped).then_some(FileAction::ContinueIndexing)
    }),
    File::CloseTrace("Close trace")
        .separated()
        .key(CTRL_SHIFT, Key::W)
        .does(FileAction::CloseTrace),
    File::ClearRecentList("Clear recent list")
        .anytime()
        .does(FileAction::ClearRecent),
    File::Quit("Quit")
        .anytime()
        .separated()
        .key(CTRL, Key::Q)
        .does(AppAction::Quit),
    // Edit
    Edit::Undo("Undo")
        .icon(icons::UNDO)
        .key(CTRL, Key::Z)
        .does(MarkAction::Undo),
    Edit::Redo("Redo")
        .icon(icons::REDO)
        .key(CTRL, Key::Y)
        .key(CTRL_SHIFT, Key::Z)
        .does(MarkAction::Redo),
    Edit::CopyPosition("Copy position")
        .separated()
        .icon(icons::COPY)
        .key(CTRL_SHIFT, Key::C)
        .when(|situation| Some(AppAction::Copy(situation.position()?.0.to_string()))),
    Edit::CopyCellName("Copy cell name")
        .when(|situation| Some(AppAction::Copy(situation.cell.as_ref()?.to_string()))),
    Edit::Find("Find…")
        .separated()
        .icon(icons::SEARCH)
        .key(CTRL, Key::F)
        .does(SearchAction::FocusFind)
        .asks(arguments::SOUGHT, arguments::find),
    Edit::FindNext("Find next")
        .key(NONE, Key::F3)
        .does(SearchAction::FindNext(Direction::Forward)),
    Edit::FindPrevious("Find previous")
        .key(SHIFT, Key::F3)
        .does(SearchAction::FindNext(Direction::Back)),
    Edit::FindMoreHits("Find more hits").does(SearchAction::FindMore),
    Edit::KeepSearchAs("Save search as…")
        .separated()
        .asks("ask-name-of-the-search", arguments::keep_search),
    Edit::RunSearch("Run search…").asks(arguments::KEPT_SEARCH, arguments::run_search),
    Edit::SearchInAPanelOfItsOwn("Search in a new panel…")
        .asks(arguments::KEPT_SEARCH, arguments::show_search),
    Edit::RenameSearch("Rename search…").asks("ask-old-name-new-name", arguments::rename_search),
    Edit::ForgetSearch("Delete search…").asks(arguments::KEPT_SEARCH, arguments::forget_search),
    Edit::OnlyHits("Only hits")
        .separated()
        .icon(icons::FILTER)
        .key(NONE, Key::H)
        .does(SearchAction::ToggleOnlyHits),
    Edit::StepsAroundHits("Steps around hits…").asks(arguments::AROUND, arguments::around),
    Edit::ClearHits("Clear hits").does(SearchAction::ClearFind),
    Edit::Settings("Settings…")
        .anytime()
        .separated()
        .key(CTRL, Key::Comma)
        .does(AppAction::Settings),
    Edit::ChangeKeys("Change keys…")
        .anytime()
        .asks("ask-keys", arguments::set_keys),
    Edit::ImportKeys("Import keys…")
        .anytime()
        .does(AppAction::ImportKeys(None))
        .asks("ask-path-of-keys", arguments::import_keys),
    Edit::ExportKeys("Export keys…")
        .anytime()
        .does(AppAction::ExportKeys),
    Edit::ResetKeys("Reset keys")
        .anytime()
        .does(AppAction::ResetKeys(None)),
    // Go
    Go::GoTo("Go to…")
        .icon(icons::GO_TO)
        .key(CTRL, Key::G)
        .does(AppAction::FocusGoTo)
        .asks("ask-step-50-line-n-i", arguments::place),
    Go::GoToStart("Go to start")
        .icon(icons::START)
        .key(NONE, Key::Home)
        .key(CTRL, Key::Home)
        .within(KeyScope::Steps)
        .does(TravelAction::Edge(Direction::Back)),
    Go::GoToEnd("Go to end")
        .icon(icons::END)
        .key(NONE, Key::End)
        .key(CTRL, Key::End)
        .within(KeyScope::Steps)
        .does(TravelAction::Edge(Direction::Forward)),
    Go::BackInHistory("Back in history")
        .separated()
        .icon(icons::BACK)
        .key(ALT, Key::ArrowLeft)
        .does(TravelAction::History(Direction::Back)),
    Go::ForwardInHistory("Forward in history")
        .icon(icons::FORWARD)
        .key(ALT, Key::ArrowRight)
        .does(TravelAction::History(Direction::Forward)),
    Go::LastWrite("Last write")
        .separated()
        .icon(icons::LAST_WRITE)
        .key(CTRL, Key::L)
        .does(TravelAction::GoToAccessOfSelection(
            Access::Write,
            Direction::Back
        ))
        .asks(arguments::CELL, arguments::last_write),
    Go::NextWrite("Next write")
        .icon(icons::NEXT_WRITE)
        .key(CTRL_SHIFT, Key::L)
        .does(TravelAction::GoToAccessOfSelection(
            Access::Write,
            Direction::Forward
        ))
        .asks(arguments::CELL, arguments::next_write),
    Go::LastRead("Last read")
        .key(CTRL, Key::U)
        .does(TravelAction::GoToAccessOfSelection(
            Access::Read,
            Direction::Back
        ))
        .asks(arguments::CELL, arguments::last_read),
    Go::NextRead("Next read")
        .key(CTRL_SHIFT, Key::U)
        .does(TravelAction::GoToAccessOfSelection(
            Access::Read,
            Direction::Forward
        ))
        .asks(arguments::CELL, arguments::next_read),
    Go::LastExternalChange("Last external change")
        .separated()
        .key(CTRL, Key::E)
        .does(TravelAction::GoToExternal(None, Direction::Back))
        .asks(arguments::MEMORY, arguments::last_external),
    Go::NextExternalChange("Next external change")
        .key(CTRL_SHIFT, Key::E)
        .does(TravelAction::GoToExternal(None, Direction::Forward))
        .asks(arguments::MEMORY, arguments::next_external),
    Go::NextException("Next exception")
        .key(NONE, Key::I)
        .does(TravelAction::GoToException(Direction::Forward)),
    Go::PreviousException("Previous exception")
        .key(SHIFT, Key::I)
        .does(TravelAction::GoToException(Direction::Back)),
    Go::WhereItWentWrong("Where it went wrong").does(TravelAction::GoToEnding),
    Go::NextDifference("Next difference")
        .key(NONE, Key::J)
        .does(TravelAction::GoToDifference(Direction::Forward)),
    Go::PreviousDifference("Previous difference")
        .key(SHIFT, Key::J)
        .does(TravelAction::GoToDifference(Direction::Back)),
    Go::NextCallOfFunction("Next call of function")
        .key(NONE, Key::Period)
        .does(TravelAction::GoToCall(None, Direction::Forward))
        .asks(arguments::FUNCTION, arguments::next_call),
    Go::PreviousCallOfFunction("Previous call of function")
        .key(NONE, Key::Comma)
        .does(TravelAction::GoToCall(None, Direction::Back))
        .asks(arguments::FUNCTION, arguments::last_call),
    Go::AllValues("All values…")
        .separated()
        .icon(icons::LIST)
        .key(ALT, Key::A)
        .when(|situation| situation.cell.clone().map(ViewAction::ListValues))
        .asks(arguments::CELL, arguments::values),
    Go::Why("Why…")
        .icon(icons::WHY)
        .key(NONE, Key::W)
        .when(CommandContext::why)
        .asks(arguments::CELL, slice_arguments::why),
    Go::WhyThisValue("Why this value").when(CommandContext::why),
    Go::StopLooking("Cancel search").does(TravelAction::StopLookup),
    Go::GroupAccessesByCallStack("Group accesses by call stack").does(ViewAction::GroupAccesses),
    Go::AllExecutions("All executions…").asks(arguments::CODE, arguments::executions),
    Go::NextExecutionOfLine("Next execution of line…").asks("ask-file-line", arguments::next_line),
    Go::LastExecutionOfLine("Last execution of line…").asks("ask-file-line", arguments::last_line),
    // Step
    Step::Step("Step")
        .icon(icons::STEP)
        .key(NONE, Key::F11)
        .key(NONE, Key::S)
        .does(TravelAction::StepInto(Direction::Forward)),
    Step::StepBack("Step back")
        .icon(icons::STEP_BACK)
        .key(SHIFT, Key::F11)
        .key(SHIFT, Key::S)
        .does(TravelAction::StepInto(Direction::Back)),
    Step::StepOver("Step over")
        .icon(icons::OVER)
        .key(NONE, Key::F10)
        .key(NONE, Key::N)
        .does(TravelAction::StepOver(Direction::Forward)),
    Step::StepBackOver("Step back over")
        .icon(icons::OVER_BACK)
        .key(SHIFT, Key::F10)
        .key(SHIFT, Key::N)
        .does(TravelAction::StepOver(Direction::Back)),
    Step::StepOut("Step out")
        .icon(icons::OUT_FORWARD)
        .key(NONE, Key::F12)
        .key(NONE, Key::F)
        .does(TravelAction::StepOut(Direction::Forward)),
    Step::StepBackOut("Step back out")
        .icon(icons::OUT)
        .key(SHIFT, Key::F12)
        .key(SHIFT, Key::F)
        .does(TravelAction::StepOut(Direction::Back)),
    Step::StepToNextLine("Step to next line")
        .separated()
        .key(NONE, Key::F9)
        .does(TravelAction::StepLine(Direction::Forward)),
    Step::StepToPreviousLine("Step to previous line")
        .key(SHIFT, Key::F9)
        .does(TravelAction::StepLine(Direction::Back)),
    Step::StepIntoNextLine("Step into next line")
        .key(CTRL, Key::F9)
        .does(TravelAction::StepLineInto(Direction::Forward)),
    Step::StepBackIntoLine("Step back into line")
        .key(CTRL_SHIFT, Key::F9)
        .does(TravelAction::StepLineInto(Direction::Back)),
    Step::NextExecutionOfThisStep("Next execution of this step")
        .key(NONE, Key::X)
        .does(TravelAction::GoToVisit(Direction::Forward)),
    Step::PreviousExecutionOfThisStep("Previous execution of this step")
        .key(SHIFT, Key::X)
        .does(TravelAction::GoToVisit(Direction::Back)),
    Step::NextWhere("Next where…")
        .separated()
        .key(NONE, Key::F8)
        .when(|_| Some(TravelAction::GoToWhereAgain(Direction::Forward)))
        .asks(arguments::CONDITION, arguments::next_where),
    Step::PreviousWhere("Previous where…")
        .key(SHIFT, Key::F8)
        .when(|_| Some(TravelAction::GoToWhereAgain(Direction::Back)))
        .asks(arguments::CONDITION, arguments::last_where),
    Step::NextWhereNew("Next where, new condition…")
        .key(CTRL, Key::F8)
        .asks(arguments::CONDITION, arguments::next_where),
    Step::ForgetCondition("Forget condition").when(|situation| situation
        .condition
        .as_ref()
        .map(|_| TravelAction::ForgetCondition)),
    Step::NextStepOfThread("Next step of thread")
        .separated()
        .key(NONE, Key::T)
        .does(TravelAction::StepOfThread(Direction::Forward)),
    Step::PreviousStepOfThread("Previous step of thread")
        .key(SHIFT, Key::T)
        .does(TravelAction::StepOfThread(Direction::Back)),
    Step::StayInThread("Stay in thread")
        .key(CTRL_SHIFT, Key::T)
        .does(TravelAction::StayInThread(None))
        .asks("ask-name-of-a-thread-or", arguments::stay),
    Step::NextRow("Next row")
        .separated()
        .key(NONE, Key::ArrowDown)
        .within(KeyScope::Trace)
        .does(TravelAction::StepRow(Direction::Forward)),
    Step::PreviousRow("Previous row")
        .key(NONE, Key::ArrowUp)
        .within(KeyScope::Trace)
        .does(TravelAction::StepRow(Direction::Back)),
    Step::NextPage("Next page")
        .key(NONE, Key::PageDown)
        .within(KeyScope::Trace)
        .does(TravelAction::Page(Direction::Forward)),
    Step::PreviousPage("Previous page")
        .key(NONE, Key::PageUp)
        .within(KeyScope::Trace)
        .does(TravelAction::Page(Direction::Back)),
    // View
    View::FoldCall("Fold call")
        .in_submenu(Submenu::Folding)
        .icon(icons::FOLD)
        .key(NONE, Key::Minus)
        .does(FoldAction::Containing),
    View::UnfoldCall("Unfold call")
        .in_submenu(Submenu::Folding)
        .icon(icons::UNFOLD)
        .key(NONE, Key::Plus)
        .key(NONE, Key::Equals)
        .does(FoldAction::UnfoldHere),
    View::FoldCallsInside("Fold calls inside")
        .in_submenu(Submenu::Folding)
        .key(NONE, Key::OpenBracket)
        .does(FoldAction::Inside),
    View::UnfoldCallsInside("Unfold calls inside")
        .in_submenu(Submenu::Folding)
        .key(NONE, Key::CloseBracket)
        .does(FoldAction::UnfoldInside),
    View::FoldAll("Fold all")
        .in_submenu(Submenu::Folding)
        .key(NONE, Key::OpenCurlyBracket)
        .does(FoldAction::All),
    View::UnfoldAll("Unfold all")
        .in_submenu(Submenu::Folding)
        .key(NONE, Key::CloseCurlyBracket)
        .does(FoldAction::UnfoldAll),
    View::FoldWindowSpillsAndFills("Fold window spills and fills")
        .in_submenu(Submenu::Folding)
        .does(FoldAction::WindowTraps),
    View::RawText("Raw text")
        .key(NONE, Key::R)
        .when(|situation| (!situation.is_without_text).then_some(ViewAction::ToggleRawText)),
    View::SourceLinesInRows("Source lines in rows").does(AppAction::ToggleRowLines),
    View::Watch("Watch…")
        .icon(icons::WATCH)
        .key(NONE, Key::O)
        .when(|situation| {
            let text = arguments::watch_text(situation.cell.as_ref()?);
            Some(MarkAction::Watch(WatchChange::Add(text)))
        })
        .asks(arguments::WATCHED, arguments::watch),
    View::Waveform("Waveform…")
        .key(SHIFT, Key::W)
        .when(|situation| {
            let text = arguments::watch_text(situation.cell.as_ref()?);
            Some(MarkAction::Wave(WatchChange::Add(text)))
        })
        .asks(arguments::WATCHED, arguments::wave),
    View::ShowMemory("Show memory…")
        .icon(icons::MEMORY)
        .key(CTRL, Key::M)
        .asks("ask-address-numbers-registers-symbols", arguments::address)
        .then([
            Submenu::Memory,
            Submenu::MemoryBy,
            Submenu::Registers,
            Submenu::Slice,
            Submenu::Folding,
            Submenu::Timeline,
            Submenu::Functions,
            Submenu::FlameGraph
        ]),
    View::SliceFollowsAddresses("Slice follows addresses")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::FollowInSlice(SliceEdge::Addresses)),
    View::SliceFollowsFlags("Slice follows flags")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::FollowInSlice(SliceEdge::Flags)),
    View::SliceFollowsControl("Slice follows control")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::FollowInSlice(SliceEdge::Control)),
    View::SliceBackToWhereTheValueComesFrom("Slice back to where the value comes from")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::TurnSlice(Direction::Back)),
    View::SliceForwardToWhereTheValueWent("Slice forward to where the value went")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::TurnSlice(Direction::Forward)),
    View::SliceAsAChain("Slice as a chain")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::ViewSlice(SliceView::Chain)),
    View::SliceAsATree("Slice as a tree")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::ViewSlice(SliceView::Tree)),
    View::SliceWithEverything("Slice with everything")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::ViewSlice(SliceView::Everything)),
    View::MoreOfTheSlice("More of the slice")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::MoreOfSlice),
    View::OnlyStepsOfTheSlice("Only steps of the slice")
        .in_submenu(Submenu::Slice)
        .icon(icons::FILTER)
        .key(Modifiers::SHIFT, Key::H)
        .does(SliceAction::ToggleOnlySlice),
    View::KeepSliceAs("Save slice as…")
        .in_submenu(Submenu::Slice)
        .asks("ask-name-of-the-slice", slice_arguments::keep_slice),
    View::RunSlice("Run slice…")
        .in_submenu(Submenu::Slice)
        .asks(slice_arguments::KEPT_SLICE, slice_arguments::run_slice),
    View::SliceInAPanelOfItsOwn("Slice in a new panel…")
        .in_submenu(Submenu::Slice)
        .asks(slice_arguments::KEPT_SLICE, slice_arguments::show_slice),
    View::RenameSlice("Rename slice…")
        .in_submenu(Submenu::Slice)
        .asks("ask-old-name-new-name", slice_arguments::rename_slice),
    View::ForgetSlice("Delete slice…")
        .in_submenu(Submenu::Slice)
        .asks(slice_arguments::KEPT_SLICE, slice_arguments::forget_slice),
    View::ClearSlice("Clear slice")
        .in_submenu(Submenu::Slice)
        .does(SliceAction::ClearSlice),
    View::RegistersCore("Registers core")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::ShowRegisters(RegisterGroup::Core)),
    View::RegistersSinglePrecision("Registers single precision")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::ShowRegisters(RegisterGroup::Single)),
    View::RegistersDoublePrecision("Registers double precision")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::ShowRegisters(RegisterGroup::Double)),
    View::RegistersVector("Registers vector")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::ShowRegisters(RegisterGroup::Vector)),
    View::RegistersSVE("Registers SVE")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::ShowRegisters(RegisterGroup::Scalable)),
    View::RegistersSystem("Registers system")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::ShowRegisters(RegisterGroup::System)),
    View::RegistersAsHex("Registers as hex")
        .in_submenu(Submenu::Registers)
        .presents()
        .does(ViewAction::FormatRegisters(RegisterFormat::Hex)),
    View::RegistersAsUnsigned("Registers as unsigned")
        .in_submenu(Submenu::Registers)
        .presents()
        .does(ViewAction::FormatRegisters(RegisterFormat::Unsigned)),
    View::RegistersAsSigned("Registers as signed")
        .in_submenu(Submenu::Registers)
        .presents()
        .does(ViewAction::FormatRegisters(RegisterFormat::Signed)),
    View::RegistersAsFloatingPoint("Registers as floating point")
        .in_submenu(Submenu::Registers)
        .presents()
        .does(ViewAction::FormatRegisters(RegisterFormat::Float)),
    View::RegistersAsText("Registers as text")
        .in_submenu(Submenu::Registers)
        .presents()
        .does(ViewAction::FormatRegisters(RegisterFormat::Text)),
    View::LowerHalvesOfRegisters("Lower halves of registers")
        .in_submenu(Submenu::Registers)
        .does(ViewAction::HalveRegisters),
    View::MemoryBy1Byte("Memory by 1 byte")
        .in_submenu(Submenu::MemoryBy)
        .presents()
        .does(ViewAction::MemoryGroup(1)),
    View::MemoryBy2Bytes("Memory by 2 bytes")
        .in_submenu(Submenu::MemoryBy)
        .presents()
        .does(ViewAction::MemoryGroup(2)),
    View::MemoryBy4Bytes("Memory by 4 bytes")
        .in_submenu(Submenu::MemoryBy)
        .presents()
        .does(ViewAction::MemoryGroup(4)),
    View::MemoryBy8Bytes("Memory by 8 bytes")
        .in_submenu(Submenu::MemoryBy)
        .presents()
        .does(ViewAction::MemoryGroup(8)),
    View::MemoryRowsAsWideAsThereIsRoom("Memory rows as wide as there is room")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Width(None))),
    View::MemoryRowsOf8Bytes("Memory rows of 8 bytes")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Width(Some(8)))),
    View::MemoryRowsOf16Bytes("Memory rows of 16 bytes")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Width(Some(16)))),
    View::MemoryRowsOf32Bytes("Memory rows of 32 bytes")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Width(Some(32)))),
    View::MemoryRowsOf64Bytes("Memory rows of 64 bytes")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Width(Some(64)))),
    View::MemoryAsFloatingPoint("Memory as floating point")
        .in_submenu(Submenu::Memory)
        .does(ViewAction::Memory(MemoryChange::Floats)),
    View::MemoryTextAsASCII("Memory text as ASCII")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Text(MemoryText::Ascii))),
    View::MemoryTextAsUTF8("Memory text as UTF-8")
        .in_submenu(Submenu::Memory)
        .presents()
        .does(ViewAction::Memory(MemoryChange::Text(MemoryText::Utf8))),
    View::MemoryComparedInPlace("Memory compared in place")
        .in_submenu(Submenu::Memory)
        .does(ViewAction::Memory(MemoryChange::ToggleCompare)),
    View::NextChangedByte("Next changed byte")
        .in_submenu(Submenu::Memory)
        .does(ViewAction::Memory(MemoryChange::GoToChanged(
            Direction::Forward
        ))),
    View::PreviousChangedByte("Previous changed byte")
        .in_submenu(Submenu::Memory)
        .does(ViewAction::Memory(MemoryChange::GoToChanged(
            Direction::Back
        ))),
    View::FindNextInMemory("Find next in memory")
        .in_submenu(Submenu::Memory)
        .does(ViewAction::Memory(MemoryChange::FindAgain(
            Direction::Forward
        ))),
    View::FindPreviousInMemory("Find previous in memory")
        .in_submenu(Submenu::Memory)
        .does(ViewAction::Memory(MemoryChange::FindAgain(Direction::Back))),
    View::RegisterLanes("Register lanes…")
        .in_submenu(Submenu::Registers)
        .asks(arguments::LANES, arguments::lanes),
    View::FilterRegisters("Filter registers…")
        .in_submenu(Submenu::Registers)
        .icon(icons::FILTER)
        .asks("ask-a-part-of-the-name", arguments::filter),
    View::FindInMemory("Find in memory…")
        .in_submenu(Submenu::Memory)
        .asks(arguments::IN_MEMORY, arguments::find_in_memory),
    View::FunctionsOfTheSelection("Functions of the selection")
        .in_submenu(Submenu::Functions)
        .presents()
        .does(ViewAction::TellFunctions(FunctionsOf::Selection)),
    View::FunctionsOfTheWholeTrace("Functions of the whole trace")
        .in_submenu(Submenu::Functions)
        .presents()
        .does(ViewAction::TellFunctions(FunctionsOf::Whole)),
    View::FlameGraphBySteps("Flame graph by steps")
        .in_submenu(Submenu::FlameGraph)
        .presents()
        .does(ViewAction::MeasureCalls(CallMeasure::Steps)),
    View::FlameGraphByTime("Flame graph by time")
        .in_submenu(Submenu::FlameGraph)
        .presents()
        .does(ViewAction::MeasureCalls(CallMeasure::Time)),
    View::TimelineCalls("Timeline calls")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::Timeline(TimelineLanes::Calls)),
    View::TimelineThreads("Timeline threads")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::Timeline(TimelineLanes::Threads)),
    View::TimelineCores("Timeline cores")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::Timeline(TimelineLanes::Cores)),
    View::TimelineCallsAndThreads("Timeline calls and threads")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::Timeline(TimelineLanes::CallsAndThreads)),
    View::TimelineCallsAndCores("Timeline calls and cores")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::Timeline(TimelineLanes::CallsAndCores)),
    View::TimelineWithoutWaveforms("Timeline without waveforms")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(MarkAction::Wave(WatchChange::Clear)),
    View::TimelineCallAroundThePosition("Zoom timeline to current call")
        .in_submenu(Submenu::Timeline)
        .presents()
        .key(NONE, Key::Z)
        .does(ViewAction::FitTimeline(TimelineFit::Call)),
    View::TimelineWholeTrace("Timeline whole trace")
        .in_submenu(Submenu::Timeline)
        .presents()
        .key(SHIFT, Key::Z)
        .does(ViewAction::FitTimeline(TimelineFit::Whole)),
    View::TimelineToThePosition("Timeline to the position")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::FitTimeline(TimelineFit::Position)),
    View::TimelineToTheSelection("Timeline to the selection")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::FitTimeline(TimelineFit::Selection)),
    View::TimelineWithoutSelection("Timeline without selection")
        .in_submenu(Submenu::Timeline)
        .presents()
        .does(ViewAction::SelectRange(None)),
    View::CloseMessages("Dismiss notifications")
        .anytime()
        .separated()
        .does(AppAction::DismissToasts),
    View::IndexingCard("Show indexing progress")
        .anytime()
        .does(FileAction::ToggleIndexingCard),
    View::ThemeDark("Theme dark")
        .anytime()
        .in_submenu(Submenu::Theme)
        .icon(icons::MOON)
        .does(AppAction::Theme(ThemeChoice::Dark)),
    View::ThemeLight("Theme light")
        .anytime()
        .in_submenu(Submenu::Theme)
        .icon(icons::SUN)
        .does(AppAction::Theme(ThemeChoice::Light)),
    View::ThemeSystem("Theme system")
        .anytime()
        .in_submenu(Submenu::Theme)
        .icon(icons::DESKTOP)
        .does(AppAction::Theme(ThemeChoice::System)),
    View::ThemeColourBlindDark("Theme colour-blind dark")
        .anytime()
        .in_submenu(Submenu::Theme)
        .does(AppAction::Theme(ThemeChoice::SafeDark)),
    View::ThemeColourBlindLight("Theme colour-blind light")
        .anytime()
        .in_submenu(Submenu::Theme)
        .does(AppAction::Theme(ThemeChoice::SafeLight)),
    View::LanguageSystem("Language system")
        .anytime()
        .in_submenu(Submenu::Language)
        .does(AppAction::Language(LanguageChoice::System)),
    View::LanguageEnglish("Language English")
        .anytime()
        .in_submenu(Submenu::Language)
        .does(AppAction::Language(LanguageChoice::English)),
    View::LanguageFrench("Language French")
        .anytime()
        .in_submenu(Submenu::Language)
        .does(AppAction::Language(LanguageChoice::French)),
    View::LargerText("Larger text")
        .anytime()
        .separated()
        .icon(icons::TEXT_SIZE)
        .key(CTRL, Key::Plus)
        .key(CTRL, Key::Equals)
        .does(AppAction::Zoom(1)),
    View::SmallerText("Smaller text")
        .anytime()
        .key(CTRL, Key::Minus)
        .does(AppAction::Zoom(-1)),
    View::NormalText("Normal text")
        .anytime()
        .key(CTRL, Key::Num0)
        .does(AppAction::Zoom(0))
        .then([Submenu::Theme, Submenu::Language]),
    View::LargerInterfaceText("Larger interface text")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::InterfaceText(1))),
    View::SmallerInterfaceText("Smaller interface text")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::InterfaceText(-1))),
    View::NormalInterfaceText("Normal interface text")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::InterfaceText(0))),
    View::InterfaceFont("Interface font…")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::File(FontRole::Interface, None)))
        .asks("ask-path-of-font", arguments::interface_font),
    View::FixedWidthFont("Fixed-width font…")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::File(
            FontRole::FixedWidth,
            None
        )))
        .asks("ask-path-of-font", arguments::fixed_width_font),
    View::BuiltInInterfaceFont("Built-in interface font")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::BuiltIn(FontRole::Interface))),
    View::BuiltInFixedWidthFont("Built-in fixed-width font")
        .anytime()
        .in_settings()
        .does(AppAction::Font(FontChange::BuiltIn(FontRole::FixedWidth))),
    // Bookmarks
    Bookmarks::Bookmark("Bookmark")
        .icon(icons::BOOKMARK)
        .key(NONE, Key::B)
        .when(
            |situation| Some(MarkAction::Bookmark(BookmarkChange::Toggle(
                BookmarkPlace::Position(situation.position()?.0)
            )))
        )
        .asks("ask-name-of-the-bookmark", arguments::bookmark),
    Bookmarks::BookmarkSelection("Bookmark selection")
        .key(SHIFT, Key::B)
        .does(MarkAction::BookmarkSelection(String::new()))
        .asks("ask-name-of-the-bookmark", arguments::bookmark_selection),
    Bookmarks::BookmarkMemory("Bookmark memory…")
        .asks("ask-address-length-and-a-name", arguments::bookmark_memory),
    Bookmarks::Note("Note…")
        .asks("ask-note-of-the-positions-bookmark", arguments::note)
        .then([Submenu::Color]),
    Bookmarks::NextBookmark("Next bookmark")
        .separated()
        .key(ALT, Key::ArrowDown)
        .does(TravelAction::GoToBookmark(Direction::Forward)),
    Bookmarks::PreviousBookmark("Previous bookmark")
        .key(ALT, Key::ArrowUp)
        .does(TravelAction::GoToBookmark(Direction::Back)),
    Bookmarks::DeleteAllBookmarks("Delete all bookmarks")
        .separated()
        .does(MarkAction::Bookmark(BookmarkChange::Clear)),
    Bookmarks::ColourYellow("Colour yellow")
        .in_submenu(Submenu::Color)
        .when(|situation| color(situation, BookmarkColor::Yellow)),
    Bookmarks::ColourRed("Colour red")
        .in_submenu(Submenu::Color)
        .when(|situation| color(situation, BookmarkColor::Red)),
    Bookmarks::ColourGreen("Colour green")
        .in_submenu(Submenu::Color)
        .when(|situation| color(situation, BookmarkColor::Green)),
    Bookmarks::ColourBlue("Colour blue")
        .in_submenu(Submenu::Color)
        .when(|situation| color(situation, BookmarkColor::Blue)),
    Bookmarks::ColourPink("Colour pink")
        .in_submenu(Submenu::Color)
        .when(|situation| color(situation, BookmarkColor::Pink)),
    Bookmarks::ColourGrey("Colour grey")
        .in_submenu(Submenu::Color)
        .when(|situation| color(situation, BookmarkColor::Grey)),
    // Window
    Window::NewTraceWindow("New trace window")
        .key(CTRL, Key::T)
        .when(|situation| situation.moment().map(PanelAction::OpenWindowAt))
        .asks("ask-step-at-which-it-opens", arguments::window_at),
    Window::SideBySide("Side by side")
        .icon(icons::SIDE_BY_SIDE)
        .key(CTRL, Key::B)
        .does(PanelAction::SideBySide),
    Window::WindowsMoveTogether("Windows move together")
        .key(CTRL_SHIFT, Key::D)
        .does(PanelAction::SyncWindows),
    Window::Compare("Compare")
        .icon(icons::COMPARE)
        .key(CTRL, Key::D)
        .does(PanelAction::Compare),
    Window::CompareWith("Compare with…")
        .asks("ask-step-function-address-50-100", arguments::compare_with),
    Window::EffectsOfThisCall("Effects of this call")
        .in_submenu(Submenu::Effects)
        .icon(icons::SWAP)
        .when(|situation| Some(ViewAction::ShowEffects(EffectsOf::Call(
            situation.position()?
        )))),
    Window::EffectsOfThisRoundOfTheLoop("Effects of this iteration")
        .in_submenu(Submenu::Effects)
        .when(|situation| Some(ViewAction::ShowEffects(EffectsOf::Round(
            situation.position()?
        )))),
    Window::EffectsOfSteps("Effects of steps…")
        .in_submenu(Submenu::Effects)
        .asks("ask-first-position-last-position", slice_arguments::effects),
    Window::CompareWithThePreviousCallOfThisFunction(
        "Compare with the previous call of this function"
    )
    .in_submenu(Submenu::CompareCalls)
    .when(|situation| {
        let other = OtherCall::Near(Direction::Back);
        Some(ViewAction::ShowEffects(EffectsOf::Comparison(
            situation.position()?,
            other,
        )))
    }),
    Window::CompareWithTheNextCallOfThisFunction("Compare with the next call of this function")
        .in_submenu(Submenu::CompareCalls)
        .when(|situation| {
            let other = OtherCall::Near(Direction::Forward);
            Some(ViewAction::ShowEffects(EffectsOf::Comparison(
                situation.position()?,
                other,
            )))
        }),
    Window::CompareWithTheCallAround("Compare with the call at…")
        .in_submenu(Submenu::CompareCalls)
        .asks("ask-position-in-another-call", slice_arguments::other_call),
    Window::CompareBeforeAndAfterThisCall("Compare before and after this call")
        .does(PanelAction::CompareCall(None))
        .then([
            Submenu::Effects,
            Submenu::CompareCalls,
            Submenu::Panels,
            Submenu::NewPanel
        ]),
    Window::ShowTrace("Show trace")
        .in_submenu(Submenu::Panels)
        .icon(icons::LIST)
        .key(ALT, Key::Num1)
        .does(PanelAction::ShowPanel(PanelKind::Trace)),
    Window::ShowRegisters("Show registers")
        .in_submenu(Submenu::Panels)
        .icon(icons::REGISTERS)
        .key(ALT, Key::Num2)
        .does(PanelAction::ShowPanel(PanelKind::Registers)),
    Window::ShowMemoryPanel("Show memory panel")
        .in_submenu(Submenu::Panels)
        .icon(icons::MEMORY)
        .key(ALT, Key::Num3)
        .does(PanelAction::ShowPanel(PanelKind::Memory)),
    Window::ShowCalls("Show calls")
        .in_submenu(Submenu::Panels)
        .icon(icons::CALLS)
        .key(ALT, Key::Num4)
        .does(PanelAction::ShowPanel(PanelKind::Calls)),
    Window::ShowComparison("Show comparison")
        .in_submenu(Submenu::Panels)
        .icon(icons::COMPARE)
        .key(ALT, Key::Num5)
        .does(PanelAction::ShowPanel(PanelKind::Compare)),
    Window::ShowWarnings("Show warnings")
        .in_submenu(Submenu::Panels)
        .icon(icons::WARNING)
        .key(ALT, Key::Num6)
        .does(PanelAction::ShowPanel(PanelKind::Warnings)),
    Window::ShowStack("Show stack")
        .in_submenu(Submenu::Panels)
        .icon(icons::STACK)
        .key(ALT, Key::Num7)
        .does(PanelAction::ShowPanel(PanelKind::Stack)),
    Window::ShowExternalChanges("Show external changes")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Externals)),
    Window::ShowSource("Show source")
        .in_submenu(Submenu::Panels)
        .icon(icons::SOURCE)
        .key(ALT, Key::Num8)
        .does(PanelAction::ShowPanel(PanelKind::Source)),
    Window::ShowThreads("Show threads")
        .in_submenu(Submenu::Panels)
        .icon(icons::THREADS)
        .key(ALT, Key::Num9)
        .does(PanelAction::ShowPanel(PanelKind::Threads)),
    Window::ShowTasks("Show tasks")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Tasks)),
    Window::ShowAccesses("Show accesses")
        .in_submenu(Submenu::Panels)
        .icon(icons::ACCESSES)
        .key(CTRL_SHIFT, Key::A)
        .when(accesses)
        .asks(arguments::ACCESSES, arguments::accesses),
    Window::ShowWatches("Show watches")
        .in_submenu(Submenu::Panels)
        .icon(icons::WATCH)
        .key(ALT, Key::W)
        .does(PanelAction::ShowPanel(PanelKind::Watches)),
    Window::ShowWhyPanel("Show why panel")
        .in_submenu(Submenu::Panels)
        .icon(icons::WHY)
        .key(ALT, Key::Y)
        .does(PanelAction::ShowPanel(PanelKind::Why)),
    Window::ShowHeap("Show heap")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Heap)),
    Window::ShowRegionsOfMemory("Show memory regions")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Regions)),
    Window::ShowStackMemory("Show stack memory")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::StackMemory)),
    Window::ShowEffects("Show effects")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Effects)),
    Window::ShowHeat("Show heat")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Heat)),
    Window::ShowFunctions("Show functions")
        .in_submenu(Submenu::Panels)
        .icon(icons::CALLS)
        .key(ALT, Key::Num0)
        .does(PanelAction::ShowPanel(PanelKind::Functions)),
    Window::ShowFlameGraph("Show flame graph")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::FlameGraph)),
    Window::ShowFindings("Show findings")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Findings)),
    Window::ShowDifferences("Show differences")
        .in_submenu(Submenu::Panels)
        .icon(icons::COMPARE)
        .does(PanelAction::ShowPanel(PanelKind::Differences)),
    Window::ShowBothTraces("Show both traces")
        .in_submenu(Submenu::Panels)
        .icon(icons::COMPARE)
        .does(PanelAction::ShowPanel(PanelKind::BothTraces)),
    Window::ShowBothStates("Show state of both traces")
        .in_submenu(Submenu::Panels)
        .icon(icons::COMPARE)
        .does(PanelAction::ShowPanel(PanelKind::BothStates)),
    Window::ShowFindPanel("Show find panel")
        .in_submenu(Submenu::Panels)
        .does(PanelAction::ShowPanel(PanelKind::Find)),
    Window::ShowBookmarks("Show bookmarks")
        .in_submenu(Submenu::Panels)
        .icon(icons::BOOKMARK)
        .key(CTRL_SHIFT, Key::B)
        .does(PanelAction::ShowPanel(PanelKind::Bookmarks)),
    Window::NewRegistersPanel("New registers panel")
        .in_submenu(Submenu::NewPanel)
        .does(PanelAction::NewPanel(PanelKind::Registers))
        .asks(arguments::GROUPS, arguments::registers),
    Window::NewMemoryPanel("New memory panel")
        .in_submenu(Submenu::NewPanel)
        .does(PanelAction::NewPanel(PanelKind::Memory)),
    Window::NewCallsPanel("New calls panel")
        .in_submenu(Submenu::NewPanel)
        .does(PanelAction::NewPanel(PanelKind::Calls)),
    Window::NewStackPanel("New stack panel")
        .in_submenu(Submenu::NewPanel)
        .does(PanelAction::NewPanel(PanelKind::Stack)),
    Window::NewSourcePanel("New source panel")
        .in_submenu(Submenu::NewPanel)
        .does(PanelAction::NewPanel(PanelKind::Source)),
    Window::NewWatchesPanel("New watches panel")
        .in_submenu(Submenu::NewPanel)
        .does(PanelAction::NewPanel(PanelKind::Watches)),
    Window::NextPanel("Next panel")
        .separated()
        .key(NONE, Key::F6)
        .does(PanelAction::FocusPanel(Direction::Forward)),
    Window::PreviousPanel("Previous panel")
        .key(SHIFT, Key::F6)
        .does(PanelAction::FocusPanel(Direction::Back)),
    Window::PinPanelHere("Pin panel here")
        .separated()
        .icon(icons::PIN)
        .when(|situation| {
            Some(PanelAction::Bind(
                situation.tile?,
                Follow::Pinned(situation.moment()?),
            ))
        }),
    Window::PanelFollowsWindow("Panel follows window…")
        .icon(icons::LINK)
        .asks("ask-number-of-a-trace-window", arguments::follow),
    Window::PanelShowsThread("Panel shows thread…")
        .asks("ask-name-of-a-thread-or-for", arguments::thread),
    Window::DuplicatePanel("Duplicate panel")
        .when(|situation| situation.tile.map(PanelAction::DuplicatePanel)),
    Window::MovePanelToItsOwnWindow("Move panel to its own window")
        .when(|situation| situation.tile.map(|tile| PanelAction::TearOff(Some(tile)))),
    Window::PutPanelsBack("Put panels back").does(PanelAction::PutBack(None)),
    Window::ClosePanel("Close panel")
        .icon(icons::CLOSE)
        .key(CTRL, Key::W)
        .when(|situation| situation.tile.map(PanelAction::ClosePanel))
        .then([Submenu::Layout]),
    Window::LayoutDebug("Layout debug")
        .in_submenu(Submenu::Layout)
        .does(PanelAction::UseLayout("debug".to_owned())),
    Window::LayoutCompare("Layout compare")
        .in_submenu(Submenu::Layout)
        .does(PanelAction::UseLayout("compare".to_owned())),
    Window::LayoutProfile("Layout profile")
        .in_submenu(Submenu::Layout)
        .does(PanelAction::UseLayout("profile".to_owned())),
    Window::LayoutSource("Layout source")
        .in_submenu(Submenu::Layout)
        .does(PanelAction::UseLayout("source".to_owned())),
    Window::UseLayout("Use layout…").asks("ask-name-of-a-layout", arguments::use_layout),
    Window::SaveLayoutAs("Save layout as…").asks("ask-name-of-the-layout", arguments::save_layout),
    Window::ForgetLayout("Delete layout…")
        .asks("ask-name-of-a-layout-of", arguments::forget_layout),
    Window::ResetLayout("Reset layout")
        .separated()
        .does(PanelAction::ResetLayout),
    Window::TraceWindow1("Trace window 1")
        .in_submenu(Submenu::Windows)
        .key(CTRL, Key::Num1)
        .does(PanelAction::Activate(WindowId(1))),
    Window::TraceWindow2("Trace window 2")
        .in_submenu(Submenu::Windows)
        .key(CTRL, Key::Num2)
        .does(PanelAction::Activate(WindowId(2))),
    Window::TraceWindow3("Trace window 3")
        .in_submenu(Submenu::Windows)
        .key(CTRL, Key::Num3)
        .does(PanelAction::Activate(WindowId(3))),
    Window::TraceWindow4("Trace window 4")
        .in_submenu(Submenu::Windows)
        .key(CTRL, Key::Num4)
        .does(PanelAction::Activate(WindowId(4))),
    // Help
    Help::Commands("Commands…")
        .anytime()
        .icon(icons::COMMAND)
        .key(CTRL_SHIFT, Key::P)
        .does(AppAction::CommandPalette),
    Help::Keys("Keys")
        .anytime()
        .icon(icons::KEYBOARD)
        .key(NONE, Key::F1)
        .does(AppAction::KeyboardHelp),
    Help::AboutStepback("About Stepback")
        .anytime()
        .icon(icons::HELP)
        .does(AppAction::About),
];

fn color(situation: &CommandContext, color: BookmarkColor) -> Option<MarkAction> {
    let place = BookmarkPlace::Position(situation.position()?.0);
    Some(MarkAction::Bookmark(BookmarkChange::Color { place, color }))
}

/// Lists the accesses to the memory under the cursor, or all values of the register there.
fn accesses(situation: &CommandContext) -> Option<Action> {
    Some(match &situation.cell {
        Some(CellName::Memory(address, len_bytes)) => {
            ViewAction::ListAccesses(address.clone(), *len_bytes, None).into()
        }
        Some(register) => ViewAction::ListValues(register.clone()).into(),
        None => PanelAction::ShowPanel(PanelKind::Accesses).into(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_commands_share_a_name_or_a_key() {
        let mut names = HashSet::new();
        let mut keys = HashSet::new();
        for command in commands() {
            assert!(names.insert(command.name), "{} twice", command.name);
            for key in &command.default_keys {
                assert!(keys.insert(*key), "{} shares {key:?}", command.name);
            }
        }
    }

    /// A row has 24 points and a line 6; the menu bar has 48.
    #[test]
    fn menus_fit_800_points() {
        let is_entry = |command: &&Command| command.submenu.is_none() && !command.is_setting;
        for area in Area::ALL {
            let entries = || {
                commands()
                    .iter()
                    .filter(is_entry)
                    .filter(|row| row.area == area)
            };
            let rows = entries().map(|command| 1 + command.submenus_after.len());
            let lines = entries().filter(|command| command.begins_group).count();
            // The menu of windows ends with a line and four windows.
            let windows = if area == Area::Window { 4 } else { 0 };
            let height = 48 + 24 * (rows.sum::<usize>() + windows) + 6 * (lines + 1);
            assert!(height <= 800, "{area:?}: {height}");
        }
    }

    #[test]
    fn every_command_is_in_a_menu() {
        let shown: Vec<Submenu> = commands()
            .iter()
            .flat_map(|command| command.submenus_after.clone())
            .chain([Submenu::Windows])
            .collect();
        for submenu in commands().iter().filter_map(|command| command.submenu) {
            assert!(shown.contains(&submenu), "{submenu:?}");
        }
    }

    #[test]
    fn every_command_does_something() {
        for command in commands() {
            assert!(
                command.plain.is_some() || command.argument.is_some(),
                "{}",
                command.name
            );
        }
    }
}
