//! Applies actions, one exhaustive `match` per group, and handles the answers that arrive in
//! between.
//!
//! The lines of a script are performed here too.

use stepback_parsers::Position;

use crate::action::StepRange;
use crate::action::{
    Access, Action, Direction, FoldAction, MarkAction, PanelAction, SearchAction, SliceAction,
    TravelAction, ViewAction,
};
use crate::analysis::line_step::Callees;
use crate::desk::{Desk, DeskEvent, FunctionReference, OpeningMode};
use crate::keymap::CommandContext;
use crate::model::source_view::LineQuestion;
use crate::model::{Stride, WindowMove};
use crate::notes::{BookmarkChange, BookmarkPlace};
use crate::program::files;
use crate::program::files::{keep_session, take_saved};
use crate::program::opening::{begin_held, look_at_change, open_again, report_whole, take_opened};
use crate::program::prompt::Prompt;
use crate::program::shell::{Report, Shell, in_desk, report};
use crate::program::state::{Program, UndoSnapshot};

/// Applies the waiting actions in order, up to one that has to wait for a search or a move.
pub fn apply_queue(shell: &mut dyn Shell) {
    while let Some(action) = next(shell.program_mut()) {
        apply(shell, action);
    }
    take_news(shell);
    shell.program_mut().sync_position();
}

/// Applies an action, after those that wait.
pub fn perform(shell: &mut dyn Shell, action: Action) {
    shell.program_mut().queue.push(action);
    apply_queue(shell);
}

fn next(program: &mut Program) -> Option<Action> {
    program.queue.next(program.desk.as_mut())
}

fn apply(shell: &mut dyn Shell, action: Action) {
    shell.before_action(&action);
    match action {
        Action::File(action) => files::apply(shell, action),
        Action::App(action) => shell.apply_app(action),
        action => match shell.program_mut().desk.is_some() {
            true => apply_to_trace(shell, action),
            false => shell.tell(Report::NoTrace),
        },
    }
    take_news(shell);
}

fn apply_to_trace(shell: &mut dyn Shell, action: Action) {
    match action {
        Action::Travel(action) => apply_travel(shell, action),
        Action::Search(action) => apply_search(shell, action),
        Action::Slice(action) => apply_slice(shell, action),
        Action::Mark(action) => apply_mark(shell, action),
        Action::Fold(fold) => apply_fold(shell, fold),
        Action::Panel(action) => apply_panel(shell, action),
        Action::View(action) => apply_view(shell, action),
        Action::File(action) => files::apply(shell, action),
        Action::App(action) => shell.apply_app(action),
    }
}

fn apply_fold(shell: &mut dyn Shell, fold: FoldAction) {
    in_desk(shell, |desk| desk.begin(WindowMove::Fold(fold)));
}

fn apply_travel(shell: &mut dyn Shell, action: TravelAction) {
    match action {
        TravelAction::Page(direction) => {
            let rows = shell.page_rows();
            in_desk(shell, |desk| {
                desk.begin(WindowMove::Step(Stride::Page(rows.max(1)), direction))
            });
        }
        TravelAction::GoToAccessOfSelection(access, direction) => {
            go_to_access_of_selection(shell, access, direction)
        }
        TravelAction::GoToCall(name, direction) => {
            let selected = shell.selected_function().map(FunctionReference::Address);
            in_desk(shell, |desk| {
                desk.go_to_call(name.map(FunctionReference::Name).or(selected), direction)
            });
        }
        action => in_desk(shell, |desk| travel(desk, action)),
    }
}

/// Moves the active window, or the window that the action names. Moves that depend on panels do
/// nothing.
fn travel(desk: &mut Desk, action: TravelAction) {
    match action {
        TravelAction::StepRow(direction) => desk.begin(WindowMove::Step(Stride::Row, direction)),
        TravelAction::StepInto(direction) => desk.begin(WindowMove::Step(Stride::Into, direction)),
        TravelAction::StepOver(direction) => desk.begin(WindowMove::Step(Stride::Over, direction)),
        TravelAction::StepOut(direction) => desk.begin(WindowMove::Step(Stride::Out, direction)),
        TravelAction::StepOfThread(direction) => desk.begin(WindowMove::StepOfThread(direction)),
        TravelAction::StayInThread(name) => desk.stay_in_thread(name.as_deref()),
        TravelAction::Edge(direction) => desk.begin(WindowMove::Edge(direction)),
        TravelAction::GoTo(text) => desk.go_to(&text),
        TravelAction::Travel(window, to) => desk.begin_in(window, WindowMove::Travel(to)),
        TravelAction::History(direction) => desk.begin(WindowMove::History(direction)),
        TravelAction::GoToAccess(cell, access, direction) => {
            desk.go_to_access(cell, access, direction)
        }
        TravelAction::GoToAccessUntil(cell, access, until) => {
            desk.go_to_access_until(cell, access, until)
        }
        TravelAction::GoToExternal(cell, direction) => desk.go_to_external(cell, direction),
        TravelAction::GoToLine(file, line, direction, thread) => desk.go_to_line(LineQuestion {
            file,
            line,
            direction,
            thread,
        }),
        TravelAction::GoToVisit(direction) => desk.go_to_visit(direction),
        TravelAction::StepLine(direction) => desk.go_to_next_line(Callees::Over, direction),
        TravelAction::StepLineInto(direction) => desk.go_to_next_line(Callees::Into, direction),
        TravelAction::GoToException(direction) => desk.go_to_exception(direction),
        TravelAction::GoToEnding => desk.go_to_ending(),
        TravelAction::GoToDifference(direction) => desk.go_to_difference(direction),
        TravelAction::StopLookup => desk.lookup = None,
        TravelAction::GoToWhere(condition, direction) => desk.go_to_where(condition, direction),
        TravelAction::GoToWhereAgain(direction) => desk.go_to_where_again(direction),
        TravelAction::ForgetCondition => desk.condition = None,
        TravelAction::GoToChange(watch, direction) => desk.go_to_change(watch, direction),
        TravelAction::GoToBookmark(direction) => desk.go_to_bookmark(direction),
        TravelAction::Page(_)
        | TravelAction::GoToAccessOfSelection(..)
        | TravelAction::GoToCall(..) => {}
    }
}

fn go_to_access_of_selection(shell: &mut dyn Shell, access: Access, direction: Direction) {
    let Some((cell, follow)) = shell.selected_cell() else {
        return shell.tell(Report::NoCell);
    };
    let program = shell.program_mut();
    let Some(desk) = program.desk.as_mut() else {
        return;
    };
    // An action on a panel starts from the state that the panel shows, regardless of the active
    // window.
    match follow.and_then(|follow| desk.windows.start_from(follow)) {
        Some(start) => program.queue.extend([
            start,
            TravelAction::GoToAccess(cell, access, direction).into(),
        ]),
        None => desk.go_to_access(cell, access, direction),
    }
}

fn apply_search(shell: &mut dyn Shell, action: SearchAction) {
    match action {
        SearchAction::FocusFind => shell.prompt(Prompt::Search(Direction::Forward)),
        SearchAction::Find(question) => {
            shell.remember_search(&question);
            in_desk(shell, |desk| desk.begin_find(question));
        }
        SearchAction::RunSearch(name) => {
            let kept = shell
                .program_mut()
                .desk
                .as_mut()
                .and_then(|desk| desk.kept_search(&name));
            if let Some(kept) = kept {
                apply_search(shell, SearchAction::Find(kept.search));
            }
        }
        SearchAction::ShowSearch(name) => {
            let kept = shell
                .program_mut()
                .desk
                .as_mut()
                .and_then(|desk| desk.kept_search(&name));
            if let Some(kept) = kept {
                shell.show_search(kept);
            }
        }
        SearchAction::FindNext(direction) => in_desk(shell, |desk| desk.find_next(direction)),
        SearchAction::FindMore => in_desk(shell, Desk::find_more),
        SearchAction::StopFind => in_desk(shell, |desk| _ = desk.find.stop()),
        SearchAction::ClearFind => in_desk(shell, |desk| desk.find.clear()),
        SearchAction::ToggleOnlyHits => in_desk(shell, Desk::toggle_only_hits),
        SearchAction::SurroundHits(context) => in_desk(shell, |desk| desk.surround_hits(context)),
        SearchAction::KeepSearch(name) => in_desk(shell, |desk| desk.keep_search(&name)),
        SearchAction::Searches(change) => in_desk(shell, |desk| desk.change_searches(&change)),
        SearchAction::OpenHidden(window, steps) => {
            in_desk(shell, |desk| desk.open_hidden(window, steps))
        }
    }
}

fn apply_slice(shell: &mut dyn Shell, action: SliceAction) {
    match action {
        SliceAction::ViewSlice(view) => shell.view_slice(view),
        SliceAction::ShowSlice(name) => {
            let kept = shell
                .program_mut()
                .desk
                .as_mut()
                .and_then(|desk| desk.kept_slice(&name));
            if let Some(kept) = kept {
                shell.show_slice(kept);
            }
        }
        SliceAction::Why(cell) => in_desk(shell, |desk| desk.why(&cell, None)),
        SliceAction::WhyAt(cell, at) => in_desk(shell, |desk| desk.why(&cell, Some(at))),
        SliceAction::WhyAgain(question) => in_desk(shell, |desk| desk.why_again(question)),
        SliceAction::TurnSlice(direction) => in_desk(shell, |desk| desk.turn_slice(direction)),
        SliceAction::FollowInSlice(edge) => in_desk(shell, |desk| desk.follow_in_slice(edge)),
        SliceAction::MoreOfSlice => in_desk(shell, Desk::more_of_slice),
        SliceAction::StopSlice => in_desk(shell, |desk| _ = desk.slice.stop()),
        SliceAction::ClearSlice => in_desk(shell, |desk| desk.slice.clear()),
        SliceAction::ToggleOnlySlice => in_desk(shell, Desk::toggle_only_slice),
        SliceAction::KeepSlice(name) => in_desk(shell, |desk| desk.keep_slice(&name)),
        SliceAction::Slices(change) => in_desk(shell, |desk| desk.change_slices(&change)),
        SliceAction::RunSlice(name) => in_desk(shell, |desk| desk.run_slice(&name)),
    }
}

fn apply_mark(shell: &mut dyn Shell, action: MarkAction) {
    match action {
        MarkAction::Watch(change) => in_desk(shell, |desk| desk.change_watches(&change)),
        MarkAction::Wave(change) => in_desk(shell, |desk| desk.change_waves(&change)),
        MarkAction::Bookmark(change) => in_desk(shell, |desk| desk.change_bookmarks(&change)),
        MarkAction::BookmarkSelection(name) => {
            let Some(StepRange { first, last }) = shell.selected_range() else {
                return shell.tell(Report::NothingToBookmark);
            };
            let place = BookmarkPlace::Range {
                first: first.0,
                last: last.0,
            };
            let change = match name.is_empty() {
                true => BookmarkChange::Toggle(place),
                false => BookmarkChange::Put { place, name },
            };
            in_desk(shell, |desk| desk.change_bookmarks(&change));
        }
        MarkAction::Undo => turn_back(shell, Direction::Back),
        MarkAction::Redo => turn_back(shell, Direction::Forward),
    }
}

/// Undoes the last change (back), or redoes it (forward).
fn turn_back(shell: &mut dyn Shell, direction: Direction) {
    let mut undo = std::mem::take(&mut shell.program_mut().undo);
    let exchange = |before| match (before, shell.program_mut().desk.as_mut()) {
        (UndoSnapshot::Marks(marks), Some(desk)) => UndoSnapshot::Marks(desk.exchange(marks)),
        (before, _) => shell.exchange(before),
    };
    let is_done = match direction {
        Direction::Back => undo.undo(exchange),
        Direction::Forward => undo.redo(exchange),
    };
    shell.program_mut().undo = undo;
    match is_done {
        true => keep_session(shell),
        false => shell.tell(Report::NothingToUndo(direction)),
    }
}

fn apply_panel(shell: &mut dyn Shell, action: PanelAction) {
    match action {
        PanelAction::CompareWith(place) => in_desk(shell, |desk| desk.compare_with(&place)),
        PanelAction::CompareCall(call) => in_desk(shell, |desk| desk.compare_call(call)),
        PanelAction::CompareEnds(range) => compare_ends(shell, range),
        PanelAction::SyncWindows => in_desk(shell, |desk| desk.windows.is_synced ^= true),
        action => shell.apply_panel(action),
    }
}

/// Moves two windows to the ends of a range, the one with the lower number to its start, and
/// compares them.
pub(super) fn compare_ends(shell: &mut dyn Shell, StepRange { first, last }: StepRange) {
    let Some(active) = shell
        .program()
        .desk
        .as_ref()
        .map(|desk| desk.windows.active)
    else {
        return;
    };
    let Some(other) = shell.other_window(last) else {
        return;
    };
    let (earlier, later) = (active.min(other), active.max(other));
    shell.program_mut().queue.extend([
        Action::travel(earlier, first),
        Action::travel(later, last),
        PanelAction::CompareWindows(earlier, later).into(),
    ]);
}

/// Moves the other window to a position, and compares the two.
pub(super) fn compare_at(shell: &mut dyn Shell, position: Position) {
    let Some(active) = shell
        .program()
        .desk
        .as_ref()
        .map(|desk| desk.windows.active)
    else {
        return;
    };
    let Some(other) = shell.other_window(position) else {
        return;
    };
    let compare = PanelAction::CompareWindows(active.min(other), active.max(other)).into();
    shell
        .program_mut()
        .queue
        .extend([Action::travel(other, position), compare]);
}

fn apply_view(shell: &mut dyn Shell, action: ViewAction) {
    match action {
        ViewAction::ToggleRawText => {
            in_desk(shell, |desk| desk.windows.active_mut().is_raw ^= true)
        }
        action => shell.apply_view(action),
    }
}

/// Takes the answers that arrived.
pub fn advance(shell: &mut dyn Shell) {
    take_opened(shell);
    let program = shell.program_mut();
    if let Some(desk) = &mut program.desk {
        desk.is_opening = program.opening.is_some();
        desk.take_answers();
    }
    take_news(shell);
    take_saved(shell);
    look_at_change(shell);
    shell.program_mut().sync_position();
}

/// Handles the events that actions and answers caused.
pub fn take_news(shell: &mut dyn Shell) {
    let mut has_changed = false;
    while let Some(news) = shell
        .program_mut()
        .desk
        .as_mut()
        .and_then(|desk| desk.take_news())
    {
        has_changed |= matches!(news, DeskEvent::Changed(_));
        take_one(shell, news);
    }
    if has_changed {
        keep_session(shell);
    }
}

fn take_one(shell: &mut dyn Shell, news: DeskEvent) {
    match news {
        DeskEvent::Message(message) => shell.tell(Report::Message(message)),
        DeskEvent::Failed(why) => report(shell, &why),
        DeskEvent::Arrived => shell.tell(Report::Arrived),
        DeskEvent::Refused { place, error } => {
            shell.program_mut().note_failure(&error);
            shell.tell(Report::Refused { place, error });
        }
        DeskEvent::CompareEnds(range) => compare_ends(shell, range),
        DeskEvent::CompareAt(position) => compare_at(shell, position),
        DeskEvent::Do(action) => shell.program_mut().queue.push(action),
        DeskEvent::Show(kind) => shell.show_panel(kind),
        DeskEvent::Reveal(kind) => shell.reveal_panel(kind),
        DeskEvent::AskWhatToFind => shell.prompt(Prompt::Search(Direction::Forward)),
        DeskEvent::Changed(before) => shell.program_mut().undo.keep(UndoSnapshot::Marks(before)),
        DeskEvent::Part => shell.part_shown(),
        DeskEvent::Whole(stated) => {
            report_whole(shell, &stated);
            begin_held(shell);
        }
        DeskEvent::Mend(options) => open_again(shell, *options, OpeningMode::Whole),
    }
}

/// Performs the next line of the script. Returns false where there is none.
pub fn next_of_script(shell: &mut dyn Shell, situation: &CommandContext) -> bool {
    let Some(script) = shell.program_mut().script.as_mut() else {
        return false;
    };
    match script.next(situation) {
        Some(Ok(action)) => perform(shell, action),
        Some(Err(error)) => report(shell, &error),
        // The script stays: an error of its last line still names that line.
        None => return false,
    }
    true
}

/// Saves what has to be saved at the end of the program.
pub fn close(shell: &mut dyn Shell) {
    keep_session(shell);
    shell.program_mut().finish();
}
