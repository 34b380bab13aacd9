//! The table of commands.

use std::sync::LazyLock;

use super::arguments;
use super::build::new;
use super::cell_rows::cell_rows;
use super::command::{Area, Command, Indexing, Scope, Situation};
use super::key::Key;
use super::panel_rows::{PANELS, PanelRow};
use super::slice_arguments;
use super::slice_rows::slice_rows;
use super::stroke::Modifiers;
use crate::action::{
    Access, Action, AppAction, CallMeasure, CellName, EffectsOf, FileAction, Fold, Follow, FontChange, FontRole,
    FunctionsOf, MarkAction, OtherCall, PanelAction, PanelKind, SearchAction, ThemeChoice, TimelineFit, TimelineLanes,
    TravelAction, ViewAction, Way, WindowId,
};
use crate::icons;
use crate::messages::LanguageChoice;
use crate::notes::{BookmarkChange, BookmarkColor, BookmarkPlace, WatchChange};

/// All commands, by area and in the order of the menus.
pub fn commands() -> &'static [Command] {
    static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
        [file(), edit(), go(), step(), view(), bookmarks(), window(), help()].into_iter().flatten().collect()
    });
    &COMMANDS
}

/// The command of a name.
pub fn command(name: &str) -> Option<&'static Command> {
    commands().iter().find(|command| command.name == name)
}

const NONE: Modifiers = Modifiers::NONE;
const SHIFT: Modifiers = Modifiers::SHIFT;
const ALT: Modifiers = Modifiers::ALT;
const CTRL: Modifiers = Modifiers::CTRL;
const CTRL_SHIFT: Modifiers = Modifiers::CTRL_SHIFT;

fn file() -> Vec<Command> {
    use Area::File;
    vec![
        new(File, "Open…")
            .icon(icons::OPEN)
            .key(CTRL, Key::O)
            .does(Action::File(FileAction::OpenDialog))
            .asks("ask-path-of-a-trace", arguments::path),
        new(File, "Open directory…").key(CTRL_SHIFT, Key::O).does(Action::File(FileAction::OpenDirectoryDialog)),
        new(File, "Open the demo").icon(icons::PLAY).does(Action::File(FileAction::OpenDemo)),
        new(File, "Open session…")
            .does(Action::File(FileAction::OpenSession(None)))
            .asks("ask-path-of-a-session", arguments::open_session),
        new(File, "Own file browser").does(Action::App(AppAction::ToggleOwnBrowser)),
        new(File, "Save session").key(CTRL, Key::S).in_trace().does(Action::File(FileAction::SaveSessionAgain)),
        new(File, "Save session as…")
            .in_trace()
            .does(Action::File(FileAction::SaveSession(None)))
            .asks("ask-path-of-the-file", arguments::save_session),
        new(File, "Save selection as a trace…")
            .in_trace()
            .does(Action::File(FileAction::SavePart(None, None)))
            .asks("ask-path-of-the-new-trace", arguments::save_part),
        new(File, "Save picture…")
            .does(Action::File(FileAction::SavePicture(None)))
            .asks("ask-path-of-the-picture", arguments::save_picture),
        new(File, "Add image…")
            .icon(icons::SOURCE)
            .in_trace()
            .does(Action::File(FileAction::AddImage(None)))
            .asks("ask-elf-or-elf-offset", arguments::image),
        new(File, "Add directory of images…")
            .in_trace()
            .does(Action::File(FileAction::AddSysroot(None)))
            .asks("ask-directory-with-the-programs-files", arguments::sysroot),
        new(File, "Map sources…").in_trace().asks("ask-from-to-a-directory-in", arguments::mapping),
        new(File, "Forget source directories").in_trace().does(Action::File(FileAction::ForgetSources)),
        new(File, "Reload").icon(icons::RELOAD).key(CTRL, Key::R).in_trace().does(Action::File(FileAction::Reload)),
        new(File, "Follow").icon(icons::END).key(CTRL_SHIFT, Key::End).in_trace().when(|situation| {
            let is_possible = situation.follow_refusal.is_none();
            is_possible.then_some(Action::File(FileAction::FollowTrace))
        }),
        new(File, "Cancel indexing").when(|situation| {
            let is_under_way = matches!(situation.indexing, Indexing::UnderWay | Indexing::Following);
            is_under_way.then_some(Action::File(FileAction::CancelIndexing))
        }),
        new(File, "Continue indexing").in_trace().when(|situation| {
            (situation.indexing == Indexing::Stopped).then_some(Action::File(FileAction::ContinueIndexing))
        }),
        new(File, "Close trace").key(CTRL_SHIFT, Key::W).in_trace().does(Action::File(FileAction::CloseTrace)),
        new(File, "Clear recent list").does(Action::File(FileAction::ClearRecent)),
        new(File, "Quit").key(CTRL, Key::Q).does(Action::App(AppAction::Quit)),
    ]
}

fn edit() -> Vec<Command> {
    use Area::Edit;
    vec![
        new(Edit, "Undo").icon(icons::UNDO).key(CTRL, Key::Z).in_trace().does(Action::Mark(MarkAction::Undo)),
        new(Edit, "Redo")
            .icon(icons::REDO)
            .key(CTRL, Key::Y)
            .key(CTRL_SHIFT, Key::Z)
            .in_trace()
            .does(Action::Mark(MarkAction::Redo)),
        new(Edit, "Copy position")
            .icon(icons::COPY)
            .key(CTRL_SHIFT, Key::C)
            .in_trace()
            .when(|situation| Some(Action::App(AppAction::Copy(situation.position()?.to_string())))),
        new(Edit, "Copy cell name")
            .in_trace()
            .when(|situation| Some(Action::App(AppAction::Copy(arguments::argument_text(situation.cell.as_ref()?))))),
        new(Edit, "Find…")
            .icon(icons::SEARCH)
            .key(CTRL, Key::F)
            .in_trace()
            .does(Action::Search(SearchAction::FocusFind))
            .asks(arguments::SOUGHT, arguments::find),
        new(Edit, "Find next").key(NONE, Key::F3).in_trace().does(Action::Search(SearchAction::FindNext(Way::Forward))),
        new(Edit, "Find previous")
            .key(SHIFT, Key::F3)
            .in_trace()
            .does(Action::Search(SearchAction::FindNext(Way::Back))),
        new(Edit, "Find more hits").in_trace().does(Action::Search(SearchAction::FindMore)),
        new(Edit, "Keep search as…").in_trace().asks("ask-name-of-the-search", arguments::keep_search),
        new(Edit, "Run search…").in_trace().asks(arguments::KEPT_SEARCH, arguments::run_search),
        new(Edit, "Search in a panel of its own…").in_trace().asks(arguments::KEPT_SEARCH, arguments::show_search),
        new(Edit, "Rename search…").in_trace().asks("ask-old-name-new-name", arguments::rename_search),
        new(Edit, "Forget search…").in_trace().asks(arguments::KEPT_SEARCH, arguments::forget_search),
        new(Edit, "Only hits")
            .icon(icons::FILTER)
            .key(NONE, Key::H)
            .in_trace()
            .does(Action::Search(SearchAction::ToggleOnlyHits)),
        new(Edit, "Steps around hits…").in_trace().asks(arguments::AROUND, arguments::around),
        new(Edit, "Clear hits").in_trace().does(Action::Search(SearchAction::ClearFind)),
        new(Edit, "Settings…").key(CTRL, Key::Comma).does(Action::App(AppAction::Settings)),
        new(Edit, "Change keys…").asks("ask-keys", arguments::set_keys),
        new(Edit, "Import keys…")
            .does(Action::App(AppAction::ImportKeys(None)))
            .asks("ask-path-of-keys", arguments::import_keys),
        new(Edit, "Export keys…").does(Action::App(AppAction::ExportKeys)),
        new(Edit, "Reset keys").does(Action::App(AppAction::ResetKeys(None))),
    ]
}

fn go() -> Vec<Command> {
    use Area::Go;
    let access = |access, way| Action::Travel(TravelAction::GoToAccessOfSelection(access, way));
    vec![
        new(Go, "Go to…")
            .icon(icons::GO_TO)
            .key(CTRL, Key::G)
            .in_trace()
            .does(Action::App(AppAction::FocusGoTo))
            .asks("ask-step-50-line-n-i", arguments::place),
        new(Go, "Go to start")
            .icon(icons::START)
            .key(NONE, Key::Home)
            .key(CTRL, Key::Home)
            .in_trace()
            .within(Scope::Steps)
            .does(Action::Travel(TravelAction::Edge(Way::Back))),
        new(Go, "Go to end")
            .icon(icons::END)
            .key(NONE, Key::End)
            .key(CTRL, Key::End)
            .in_trace()
            .within(Scope::Steps)
            .does(Action::Travel(TravelAction::Edge(Way::Forward))),
        new(Go, "Back in history")
            .icon(icons::BACK)
            .key(ALT, Key::ArrowLeft)
            .in_trace()
            .does(Action::Travel(TravelAction::History(Way::Back))),
        new(Go, "Forward in history")
            .icon(icons::FORWARD)
            .key(ALT, Key::ArrowRight)
            .in_trace()
            .does(Action::Travel(TravelAction::History(Way::Forward))),
        new(Go, "Last write")
            .icon(icons::LAST_WRITE)
            .key(CTRL, Key::L)
            .in_trace()
            .does(access(Access::Write, Way::Back))
            .asks(arguments::CELL, arguments::last_write),
        new(Go, "Next write")
            .icon(icons::NEXT_WRITE)
            .key(CTRL_SHIFT, Key::L)
            .in_trace()
            .does(access(Access::Write, Way::Forward))
            .asks(arguments::CELL, arguments::next_write),
        new(Go, "Last read")
            .key(CTRL, Key::U)
            .in_trace()
            .does(access(Access::Read, Way::Back))
            .asks(arguments::CELL, arguments::last_read),
        new(Go, "Next read")
            .key(CTRL_SHIFT, Key::U)
            .in_trace()
            .does(access(Access::Read, Way::Forward))
            .asks(arguments::CELL, arguments::next_read),
        new(Go, "Last external change")
            .key(CTRL, Key::E)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToExternal(None, Way::Back)))
            .asks(arguments::MEMORY, arguments::last_external),
        new(Go, "Next external change")
            .key(CTRL_SHIFT, Key::E)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToExternal(None, Way::Forward)))
            .asks(arguments::MEMORY, arguments::next_external),
        new(Go, "Next exception")
            .key(NONE, Key::I)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToException(Way::Forward))),
        new(Go, "Previous exception")
            .key(SHIFT, Key::I)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToException(Way::Back))),
        new(Go, "Next call of function")
            .key(NONE, Key::Period)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToCall(None, Way::Forward)))
            .asks(arguments::FUNCTION, arguments::next_call),
        new(Go, "Previous call of function")
            .key(NONE, Key::Comma)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToCall(None, Way::Back)))
            .asks(arguments::FUNCTION, arguments::last_call),
        new(Go, "All values…")
            .icon(icons::LIST)
            .key(ALT, Key::A)
            .in_trace()
            .when(|situation| situation.cell.clone().map(|it| Action::View(ViewAction::ListValues(it))))
            .asks(arguments::CELL, arguments::values),
        new(Go, "Why…")
            .icon(icons::WHY)
            .key(NONE, Key::W)
            .in_trace()
            .when(Situation::why)
            .asks(arguments::CELL, slice_arguments::why),
        new(Go, "Why this value").in_trace().when(Situation::why),
        new(Go, "Stop looking").in_trace().does(Action::Travel(TravelAction::StopLookup)),
        new(Go, "Group accesses by call stack").in_trace().does(Action::View(ViewAction::GroupAccesses)),
        new(Go, "All executions…").in_trace().asks(arguments::CODE, arguments::executions),
        new(Go, "Next execution of line…").in_trace().asks("ask-file-line", arguments::next_line),
        new(Go, "Last execution of line…").in_trace().asks("ask-file-line", arguments::last_line),
    ]
}

fn step() -> Vec<Command> {
    use Area::Step;
    vec![
        new(Step, "Step")
            .icon(icons::STEP)
            .key(NONE, Key::F11)
            .key(NONE, Key::S)
            .in_trace()
            .does(Action::Travel(TravelAction::StepInto(Way::Forward))),
        new(Step, "Step back")
            .icon(icons::STEP_BACK)
            .key(SHIFT, Key::F11)
            .key(SHIFT, Key::S)
            .in_trace()
            .does(Action::Travel(TravelAction::StepInto(Way::Back))),
        new(Step, "Step over")
            .icon(icons::OVER)
            .key(NONE, Key::F10)
            .key(NONE, Key::N)
            .in_trace()
            .does(Action::Travel(TravelAction::StepOver(Way::Forward))),
        new(Step, "Step back over")
            .icon(icons::OVER_BACK)
            .key(SHIFT, Key::F10)
            .key(SHIFT, Key::N)
            .in_trace()
            .does(Action::Travel(TravelAction::StepOver(Way::Back))),
        new(Step, "Step out")
            .icon(icons::OUT_FORWARD)
            .key(NONE, Key::F12)
            .key(NONE, Key::F)
            .in_trace()
            .does(Action::Travel(TravelAction::StepOut(Way::Forward))),
        new(Step, "Step back out")
            .icon(icons::OUT)
            .key(SHIFT, Key::F12)
            .key(SHIFT, Key::F)
            .in_trace()
            .does(Action::Travel(TravelAction::StepOut(Way::Back))),
        new(Step, "Step to next line")
            .key(NONE, Key::F9)
            .in_trace()
            .does(Action::Travel(TravelAction::StepLine(Way::Forward))),
        new(Step, "Step to previous line")
            .key(SHIFT, Key::F9)
            .in_trace()
            .does(Action::Travel(TravelAction::StepLine(Way::Back))),
        new(Step, "Step into next line")
            .key(CTRL, Key::F9)
            .in_trace()
            .does(Action::Travel(TravelAction::StepLineInto(Way::Forward))),
        new(Step, "Step back into line")
            .key(CTRL_SHIFT, Key::F9)
            .in_trace()
            .does(Action::Travel(TravelAction::StepLineInto(Way::Back))),
        new(Step, "Next execution of this step")
            .key(NONE, Key::X)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToVisit(Way::Forward))),
        new(Step, "Previous execution of this step")
            .key(SHIFT, Key::X)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToVisit(Way::Back))),
        new(Step, "Next where…")
            .key(NONE, Key::F8)
            .in_trace()
            .when(|_| Some(Action::Travel(TravelAction::GoToWhereAgain(Way::Forward))))
            .asks(arguments::CONDITION, arguments::next_where),
        new(Step, "Previous where…")
            .key(SHIFT, Key::F8)
            .in_trace()
            .when(|_| Some(Action::Travel(TravelAction::GoToWhereAgain(Way::Back))))
            .asks(arguments::CONDITION, arguments::last_where),
        new(Step, "Next step of thread")
            .key(NONE, Key::T)
            .in_trace()
            .does(Action::Travel(TravelAction::StepOfThread(Way::Forward))),
        new(Step, "Previous step of thread")
            .key(SHIFT, Key::T)
            .in_trace()
            .does(Action::Travel(TravelAction::StepOfThread(Way::Back))),
        new(Step, "Stay in thread")
            .key(CTRL_SHIFT, Key::T)
            .in_trace()
            .does(Action::Travel(TravelAction::StayInThread(None)))
            .asks("ask-name-of-a-thread-or", arguments::stay),
        new(Step, "Next row")
            .key(NONE, Key::ArrowDown)
            .in_trace()
            .within(Scope::Trace)
            .does(Action::Travel(TravelAction::StepRow(Way::Forward))),
        new(Step, "Previous row")
            .key(NONE, Key::ArrowUp)
            .in_trace()
            .within(Scope::Trace)
            .does(Action::Travel(TravelAction::StepRow(Way::Back))),
        new(Step, "Next page")
            .key(NONE, Key::PageDown)
            .in_trace()
            .within(Scope::Trace)
            .does(Action::Travel(TravelAction::Page(Way::Forward))),
        new(Step, "Previous page")
            .key(NONE, Key::PageUp)
            .in_trace()
            .within(Scope::Trace)
            .does(Action::Travel(TravelAction::Page(Way::Back))),
    ]
}

fn view() -> Vec<Command> {
    use Area::View;
    let mut list = vec![
        new(View, "Fold call").icon(icons::FOLD).key(NONE, Key::Minus).in_trace().does(Action::Fold(Fold::Containing)),
        new(View, "Unfold call")
            .icon(icons::UNFOLD)
            .key(NONE, Key::Plus)
            .key(NONE, Key::Equals)
            .in_trace()
            .does(Action::Fold(Fold::UnfoldHere)),
        new(View, "Fold calls inside").key(NONE, Key::OpenBracket).in_trace().does(Action::Fold(Fold::Inside)),
        new(View, "Unfold calls inside").key(NONE, Key::CloseBracket).in_trace().does(Action::Fold(Fold::UnfoldInside)),
        new(View, "Fold all").key(NONE, Key::OpenCurlyBracket).in_trace().does(Action::Fold(Fold::All)),
        new(View, "Unfold all").key(NONE, Key::CloseCurlyBracket).in_trace().does(Action::Fold(Fold::UnfoldAll)),
        new(View, "Fold window spills and fills").in_trace().does(Action::Fold(Fold::WindowTraps)),
        new(View, "Raw text").key(NONE, Key::R).in_trace().does(Action::View(ViewAction::ToggleRawText)),
        new(View, "Source lines in rows").in_trace().does(Action::View(ViewAction::ToggleRowLines)),
        new(View, "Watch…")
            .icon(icons::WATCH)
            .key(NONE, Key::O)
            .in_trace()
            .when(|situation| {
                let text = arguments::watch_text(situation.cell.as_ref()?);
                Some(Action::Mark(MarkAction::Watch(WatchChange::Add(text))))
            })
            .asks(arguments::WATCHED, arguments::watch),
        new(View, "Waveform…")
            .key(SHIFT, Key::W)
            .in_trace()
            .when(|situation| {
                let text = arguments::watch_text(situation.cell.as_ref()?);
                Some(Action::Mark(MarkAction::Wave(WatchChange::Add(text))))
            })
            .asks(arguments::WATCHED, arguments::wave),
        new(View, "Show memory…")
            .icon(icons::MEMORY)
            .key(CTRL, Key::M)
            .in_trace()
            .asks("ask-address-numbers-registers-symbols", arguments::address),
    ];
    list.extend(slice_rows());
    list.extend(cell_rows());
    list.extend([
        new(View, "Register lanes…").in_trace().asks(arguments::LANES, arguments::lanes),
        new(View, "Filter registers…").icon(icons::FILTER).in_trace().asks("ask-a-part-of-the-name", arguments::filter),
        new(View, "Find in memory…").in_trace().asks(arguments::IN_MEMORY, arguments::find_in_memory),
    ]);
    list.extend([
        new(View, "Functions of the selection")
            .in_trace()
            .does(Action::View(ViewAction::TellFunctions(FunctionsOf::Selection))),
        new(View, "Functions of the whole trace")
            .in_trace()
            .does(Action::View(ViewAction::TellFunctions(FunctionsOf::Whole))),
        new(View, "Flame graph by steps").in_trace().does(Action::View(ViewAction::MeasureCalls(CallMeasure::Steps))),
        new(View, "Flame graph by time").in_trace().does(Action::View(ViewAction::MeasureCalls(CallMeasure::Time))),
        new(View, "Timeline calls").in_trace().does(Action::View(ViewAction::Timeline(TimelineLanes::Calls))),
        new(View, "Timeline threads").in_trace().does(Action::View(ViewAction::Timeline(TimelineLanes::Threads))),
        new(View, "Timeline cores").in_trace().does(Action::View(ViewAction::Timeline(TimelineLanes::Cores))),
        new(View, "Timeline calls and threads")
            .in_trace()
            .does(Action::View(ViewAction::Timeline(TimelineLanes::CallsAndThreads))),
        new(View, "Timeline calls and cores")
            .in_trace()
            .does(Action::View(ViewAction::Timeline(TimelineLanes::CallsAndCores))),
        new(View, "Timeline without waveforms").in_trace().does(Action::Mark(MarkAction::Wave(WatchChange::Clear))),
        new(View, "Timeline call around the position")
            .key(NONE, Key::Z)
            .in_trace()
            .does(Action::View(ViewAction::FitTimeline(TimelineFit::Call))),
        new(View, "Timeline whole trace")
            .key(SHIFT, Key::Z)
            .in_trace()
            .does(Action::View(ViewAction::FitTimeline(TimelineFit::Whole))),
        new(View, "Timeline to the position")
            .in_trace()
            .does(Action::View(ViewAction::FitTimeline(TimelineFit::Position))),
        new(View, "Timeline to the selection")
            .in_trace()
            .does(Action::View(ViewAction::FitTimeline(TimelineFit::Selection))),
        new(View, "Close messages").does(Action::App(AppAction::DismissToasts)),
        new(View, "Indexing card").does(Action::File(FileAction::ToggleIndexingCard)),
        new(View, "Theme dark").icon(icons::MOON).does(Action::App(AppAction::Theme(ThemeChoice::Dark))),
        new(View, "Theme light").icon(icons::SUN).does(Action::App(AppAction::Theme(ThemeChoice::Light))),
        new(View, "Theme system").icon(icons::DESKTOP).does(Action::App(AppAction::Theme(ThemeChoice::System))),
        new(View, "Theme colour-blind dark").does(Action::App(AppAction::Theme(ThemeChoice::SafeDark))),
        new(View, "Theme colour-blind light").does(Action::App(AppAction::Theme(ThemeChoice::SafeLight))),
        new(View, "Language system").does(Action::App(AppAction::Language(LanguageChoice::System))),
        new(View, "Language English").does(Action::App(AppAction::Language(LanguageChoice::English))),
        new(View, "Language French").does(Action::App(AppAction::Language(LanguageChoice::French))),
        new(View, "Larger text")
            .icon(icons::TEXT_SIZE)
            .key(CTRL, Key::Plus)
            .key(CTRL, Key::Equals)
            .does(Action::App(AppAction::Zoom(1))),
        new(View, "Smaller text").key(CTRL, Key::Minus).does(Action::App(AppAction::Zoom(-1))),
        new(View, "Normal text").key(CTRL, Key::Num0).does(Action::App(AppAction::Zoom(0))),
        new(View, "Larger interface text").does(Action::App(AppAction::Font(FontChange::InterfaceText(1)))),
        new(View, "Smaller interface text").does(Action::App(AppAction::Font(FontChange::InterfaceText(-1)))),
        new(View, "Normal interface text").does(Action::App(AppAction::Font(FontChange::InterfaceText(0)))),
        new(View, "Interface font…")
            .does(Action::App(AppAction::Font(FontChange::File(FontRole::Interface, None))))
            .asks("ask-path-of-font", arguments::interface_font),
        new(View, "Fixed-width font…")
            .does(Action::App(AppAction::Font(FontChange::File(FontRole::FixedWidth, None))))
            .asks("ask-path-of-font", arguments::fixed_width_font),
        new(View, "Built-in interface font")
            .does(Action::App(AppAction::Font(FontChange::BuiltIn(FontRole::Interface)))),
        new(View, "Built-in fixed-width font")
            .does(Action::App(AppAction::Font(FontChange::BuiltIn(FontRole::FixedWidth)))),
    ]);
    list
}

fn bookmarks() -> Vec<Command> {
    use Area::Bookmarks;
    let here = |situation: &Situation| situation.position().map(BookmarkPlace::Position);
    let mut list = vec![
        new(Bookmarks, "Bookmark")
            .icon(icons::BOOKMARK)
            .key(NONE, Key::B)
            .in_trace()
            .when(move |situation| Some(Action::Mark(MarkAction::Bookmark(BookmarkChange::Toggle(here(situation)?)))))
            .asks("ask-name-of-the-bookmark", arguments::bookmark),
        new(Bookmarks, "Bookmark selection")
            .key(SHIFT, Key::B)
            .in_trace()
            .does(Action::Mark(MarkAction::BookmarkSelection(String::new())))
            .asks("ask-name-of-the-bookmark", arguments::bookmark_selection),
        new(Bookmarks, "Bookmark memory…").in_trace().asks("ask-address-length-and-a-name", arguments::bookmark_memory),
        new(Bookmarks, "Note…").in_trace().asks("ask-note-of-the-positions-bookmark", arguments::note),
        new(Bookmarks, "Next bookmark")
            .key(ALT, Key::ArrowDown)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToBookmark(Way::Forward))),
        new(Bookmarks, "Previous bookmark")
            .key(ALT, Key::ArrowUp)
            .in_trace()
            .does(Action::Travel(TravelAction::GoToBookmark(Way::Back))),
        new(Bookmarks, "Delete all bookmarks")
            .in_trace()
            .does(Action::Mark(MarkAction::Bookmark(BookmarkChange::Clear))),
    ];
    let names = ["Colour yellow", "Colour red", "Colour green", "Colour blue", "Colour pink", "Colour grey"];
    list.extend(names.into_iter().zip(BookmarkColor::ALL).map(|(name, color)| {
        new(Bookmarks, name).in_trace().when(move |situation| {
            Some(Action::Mark(MarkAction::Bookmark(BookmarkChange::Color { place: here(situation)?, color })))
        })
    }));
    list
}

fn window() -> Vec<Command> {
    use Area::Window;
    let mut list = vec![
        new(Window, "New trace window")
            .key(CTRL, Key::T)
            .in_trace()
            .when(|situation| situation.moment().map(|it| Action::Panel(PanelAction::OpenWindowAt(it))))
            .asks("ask-step-at-which-it-opens", arguments::window_at),
        new(Window, "Side by side")
            .icon(icons::SIDE_BY_SIDE)
            .key(CTRL, Key::B)
            .in_trace()
            .does(Action::Panel(PanelAction::SideBySide)),
        new(Window, "Windows move together")
            .key(CTRL_SHIFT, Key::D)
            .in_trace()
            .does(Action::Panel(PanelAction::SyncWindows)),
        new(Window, "Compare")
            .icon(icons::COMPARE)
            .key(CTRL, Key::D)
            .in_trace()
            .does(Action::Panel(PanelAction::Compare)),
        new(Window, "Compare with…").in_trace().asks("ask-step-function-address-50-100", arguments::compare_with),
        new(Window, "Effects of this call")
            .icon(icons::SWAP)
            .in_trace()
            .when(|situation| Some(Action::View(ViewAction::ShowEffects(EffectsOf::Call(situation.position()?))))),
        new(Window, "Effects of this round of the loop")
            .in_trace()
            .when(|situation| Some(Action::View(ViewAction::ShowEffects(EffectsOf::Round(situation.position()?))))),
        new(Window, "Effects of steps…").in_trace().asks("ask-first-position-last-position", slice_arguments::effects),
        new(Window, "Compare with the previous call of this function").in_trace().when(|situation| {
            let other = OtherCall::Near(Way::Back);
            Some(Action::View(ViewAction::ShowEffects(EffectsOf::Comparison(situation.position()?, other))))
        }),
        new(Window, "Compare with the next call of this function").in_trace().when(|situation| {
            let other = OtherCall::Near(Way::Forward);
            Some(Action::View(ViewAction::ShowEffects(EffectsOf::Comparison(situation.position()?, other))))
        }),
        new(Window, "Compare with the call around…")
            .in_trace()
            .asks("ask-position-in-another-call", slice_arguments::other_call),
        new(Window, "Compare before and after this call")
            .in_trace()
            .does(Action::Panel(PanelAction::CompareCall(None))),
    ];
    list.extend(PANELS.iter().map(show_panel));
    list.extend(PANELS.iter().filter_map(another_panel));
    list.extend([
        new(Window, "Next panel")
            .key(NONE, Key::F6)
            .in_trace()
            .does(Action::Panel(PanelAction::FocusPanel(Way::Forward))),
        new(Window, "Previous panel")
            .key(SHIFT, Key::F6)
            .in_trace()
            .does(Action::Panel(PanelAction::FocusPanel(Way::Back))),
        new(Window, "Pin panel here").icon(icons::PIN).in_trace().when(|situation| {
            Some(Action::Panel(PanelAction::Bind(situation.tile?, Follow::Pinned(situation.moment()?))))
        }),
        new(Window, "Panel follows window…")
            .icon(icons::LINK)
            .in_trace()
            .asks("ask-number-of-a-trace-window", arguments::follow),
        new(Window, "Panel shows thread…").in_trace().asks("ask-name-of-a-thread-or-for", arguments::thread),
        new(Window, "Duplicate panel")
            .in_trace()
            .when(|situation| situation.tile.map(|it| Action::Panel(PanelAction::DuplicatePanel(it)))),
        new(Window, "Move panel to its own window")
            .in_trace()
            .when(|situation| situation.tile.map(|tile| Action::Panel(PanelAction::TearOff(Some(tile))))),
        new(Window, "Put panels back").in_trace().does(Action::Panel(PanelAction::PutBack(None))),
        new(Window, "Close panel")
            .icon(icons::CLOSE)
            .key(CTRL, Key::W)
            .in_trace()
            .when(|situation| situation.tile.map(|it| Action::Panel(PanelAction::ClosePanel(it)))),
        new(Window, "Layout debug").in_trace().does(Action::Panel(PanelAction::UseLayout("debug".to_owned()))),
        new(Window, "Layout compare").in_trace().does(Action::Panel(PanelAction::UseLayout("compare".to_owned()))),
        new(Window, "Layout profile").in_trace().does(Action::Panel(PanelAction::UseLayout("profile".to_owned()))),
        new(Window, "Layout source").in_trace().does(Action::Panel(PanelAction::UseLayout("source".to_owned()))),
        new(Window, "Use layout…").in_trace().asks("ask-name-of-a-layout", arguments::use_layout),
        new(Window, "Save layout as…").in_trace().asks("ask-name-of-the-layout", arguments::save_layout),
        new(Window, "Forget layout…").in_trace().asks("ask-name-of-a-layout-of", arguments::forget_layout),
        new(Window, "Reset layout").in_trace().does(Action::Panel(PanelAction::ResetLayout)),
    ]);
    let numbers = [Key::Num1, Key::Num2, Key::Num3, Key::Num4];
    let names = ["Trace window 1", "Trace window 2", "Trace window 3", "Trace window 4"];
    for ((number, key), name) in (1..).zip(numbers).zip(names) {
        list.push(
            new(Window, name).key(CTRL, key).in_trace().does(Action::Panel(PanelAction::Activate(WindowId(number)))),
        );
    }
    list
}

/// The command that shows a panel. Those that have a key bear their icon in the menu.
fn show_panel(row: &PanelRow) -> Command {
    let command = new(Area::Window, row.show).in_trace().does(Action::Panel(PanelAction::ShowPanel(row.kind)));
    let command = match row.key {
        Some(key) => command.icon(row.icon).key(ALT, key),
        None if row.kind == PanelKind::Bookmarks => command.icon(row.icon).key(CTRL_SHIFT, Key::B),
        None => command,
    };
    if row.kind == PanelKind::Accesses { accesses(command.icon(row.icon)) } else { command }
}

/// All accesses of the memory under the cursor, or of what is asked for.
fn accesses(command: Command) -> Command {
    let of_cell = |situation: &Situation| match &situation.cell {
        Some(CellName::Memory(address, len_bytes)) => {
            Action::View(ViewAction::ListAccesses(address.clone(), *len_bytes, None))
        }
        Some(register) => Action::View(ViewAction::ListValues(register.clone())),
        None => Action::Panel(PanelAction::ShowPanel(PanelKind::Accesses)),
    };
    command
        .key(CTRL_SHIFT, Key::A)
        .when(move |situation| Some(of_cell(situation)))
        .asks(arguments::ACCESSES, arguments::accesses)
}

/// The command that opens another panel of a kind; that for registers can name a group.
fn another_panel(row: &PanelRow) -> Option<Command> {
    let command = new(Area::Window, row.another?).in_trace().does(Action::Panel(PanelAction::NewPanel(row.kind)));
    Some(match row.kind {
        PanelKind::Registers => command.asks(arguments::GROUPS, arguments::registers),
        _ => command,
    })
}

fn help() -> Vec<Command> {
    use Area::Help;
    vec![
        new(Help, "Commands…")
            .icon(icons::COMMAND)
            .key(CTRL_SHIFT, Key::P)
            .does(Action::App(AppAction::CommandPalette)),
        new(Help, "Keys").icon(icons::KEYBOARD).key(NONE, Key::F1).does(Action::App(AppAction::KeyboardHelp)),
        new(Help, "About Stepback").icon(icons::HELP).does(Action::App(AppAction::About)),
    ]
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

    #[test]
    fn every_command_does_something() {
        for command in commands() {
            assert!(command.plain.is_some() || command.argument.is_some(), "{}", command.name);
        }
    }
}
