//! Command lines: the name of a command and its argument, for scripts and the palette.

use stepback_machine::RegisterGroup;
use stepback_machine::display::LaneFormat;
use stepback_parsers::Position;

use super::command::{Command, CommandContext};
use super::table::{FORMER_NAMES, commands};
use crate::action::WindowId;
use crate::action::{
    Access, Action, AppAction, CellName, Direction, FileAction, FindQuery, Follow, FontChange,
    FontRole, MarkAction, MemoryChange, Moment, PanelAction, PanelId, SearchAction, TravelAction,
    ViewAction,
};
use crate::analysis::register_part::RegisterPart;
use crate::expression::{parse, split_range};
use crate::image::ImageSpec;
use crate::keymap::key::read_key;
use crate::messages::{folded_letter, say, spoken};
use crate::notes::{BookmarkChange, BookmarkPlace, SavedQueryChange, WatchChange};
use crate::number::{number, whole_digits};
use crate::paths::{from_home, typed_path};
use crate::source::SourceMapping;

/// Prompt for a cell.
pub const CELL: &str = "ask-register-or-address-length";

/// Prompt for the format of vector lanes.
pub const LANES: &str = "ask-hex-unsigned-signed-or-float";
/// Prompt for a group of registers.
pub const GROUPS: &str = "ask-core-single-double-vector-sve";
/// Prompt for a memory range.
pub const MEMORY: &str = "ask-address-length-or-nothing-for";

/// Prompt for a search text.
pub const SOUGHT: &str = "ask-word-regex-0x1f-address-length";

/// Prompt for the name of a saved search.
pub const KEPT_SEARCH: &str = "ask-name-of-a-kept-search";

/// Prompt for the number of steps around each hit.
pub const AROUND: &str = "ask-steps-around-each-hit";

/// Prompt for a function.
pub const FUNCTION: &str = "ask-name-of-a-function-or";

/// Prompt for a condition.
pub const CONDITION: &str = "ask-condition-x0-0-u8-sp";

/// Prompt for an expression to watch.
pub const WATCHED: &str = "ask-register-address-or-sum-and";

/// Prompt for a code address or source file.
pub const CODE: &str = "ask-address-function-offset-or-file";

/// Prompt for the memory range of a list of accesses.
pub const ACCESSES: &str = "ask-address-length-or-address-length";

/// Parses a command line: the name of a command in any case, with or without accents and its `…`,
/// then its argument.
///
/// The longest matching name wins: `Go to start` is a command, `Go to 12` another with an argument.
/// English names are accepted in every language, in addition to those of the window's language.
///
/// # Errors
/// A phrase that says what is wrong.
pub fn parse_line(line: &str, situation: &CommandContext) -> Result<Action, String> {
    let line = line.trim();
    let (command, argument) = split_line(line)
        .ok_or_else(|| say!("line-there-is-no-command", line = format!("{line:?}")))?;
    if !command.is_possible(situation) {
        return Err(say!("line-needs-an-open-trace", command = quoted(command)));
    }
    match (&command.argument, argument) {
        (Some(requested), argument) if !argument.is_empty() => {
            (requested.make)(argument, situation)
        }
        (_, "") if command.plain.is_some() => {
            command
                .action(situation)
                .ok_or_else(|| match situation.refusal(command.id) {
                    Some(reason) => reason.to_owned(),
                    None => say!("line-is-not-possible-here", command = quoted(command)),
                })
        }
        (Some(requested), _) => Err(say!(
            "line-needs-an-argument",
            command = quoted(command),
            question = requested.question(situation.registers)
        )),
        (None, argument) => Err(say!(
            "line-takes-no-argument-but-follows",
            command = quoted(command),
            argument = format!("{argument:?}")
        )),
    }
}

/// Checks that a line names a command and has an argument if it needs one, independent of the
/// situation.
///
/// # Errors
/// A phrase that says what is wrong.
pub fn check_line(line: &str) -> Result<(), String> {
    let (command, argument) = split_line(line.trim())
        .ok_or_else(|| say!("line-there-is-no-command", line = format!("{line:?}")))?;
    match (&command.argument, argument.is_empty(), &command.plain) {
        (None, false, _) | (Some(_), true, None) => parse_line(line, &everything()).map(|_| ()),
        _ => Ok(()),
    }
}

/// Returns a command's name in the language of the window, in quotation marks.
fn quoted(command: &Command) -> String {
    say!("line-quoted", text = command.bare_label())
}

/// Returns a situation in which every command is possible.
fn everything() -> CommandContext {
    CommandContext {
        active: Some((WindowId(1), Position(0))),
        tile: Some(PanelId(0)),
        ..CommandContext::default()
    }
}

/// Splits a line into the command with the longest matching name and the rest.
pub fn split_line(line: &str) -> Option<(&'static Command, &str)> {
    let begins = |name: &str| {
        let mut typed = line.chars();
        let has_name = name
            .chars()
            .all(|letter| typed.next().map(folded_letter) == Some(folded_letter(letter)));
        let rest = typed.as_str().trim_start_matches('…');
        let is_whole = rest.is_empty() || rest.starts_with(char::is_whitespace);
        (has_name && is_whole).then(|| rest.trim())
    };
    let fits = |command: &'static Command| {
        let name = command.bare_name();
        // A panel's name without "Show" also shows it.
        let short = name.strip_prefix("Show ").unwrap_or(name);
        let spellings = [name, short, command.bare_label()];
        let (length, rest) = spellings
            .into_iter()
            .find_map(|name| Some((name.len(), begins(name)?)))?;
        Some((length, (command, rest)))
    };
    let formerly = FORMER_NAMES.iter().filter_map(|(name, id)| {
        let name = name.trim_end_matches('…');
        Some((name.len(), (id.command(), begins(name)?)))
    });
    commands()
        .iter()
        .filter_map(fits)
        .chain(formerly)
        .max_by_key(|(length, _)| *length)
        .map(|(_, found)| found)
}

/// Formats a cell for display: `x2`, `[80020015:8]`.
pub fn shown_text(cell: &CellName) -> String {
    match cell {
        CellName::Register(name) => name.clone(),
        CellName::Memory(address, 1) => format!("[{}]", address.trim_start_matches("0x")),
        CellName::Memory(address, length) => {
            format!("[{}:{length}]", address.trim_start_matches("0x"))
        }
    }
}

/// Formats a command on a cell: `Last write of x2`.
pub fn of_cell(label: &str, cell: &CellName) -> String {
    say!("line-of-cell", command = label, cell = cell.to_string())
}

/// Formats a cell as the expression of a watch.
pub fn watch_text(cell: &CellName) -> String {
    match cell {
        CellName::Register(name) => name.clone(),
        CellName::Memory(address, 1) => format!("u8[{address}]"),
        CellName::Memory(address, length @ (2 | 4 | 8)) => format!("u{}[{address}]", 8 * length),
        CellName::Memory(address, length) => format!("{address}:{length}"),
    }
}

pub fn path(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::OpenPath(from_home(text))))
}

pub fn compare_trace(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::CompareTrace(Some(from_home(
        text,
    )))))
}

pub fn comparison_rules(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::CompareRules(Some(from_home(
        text,
    )))))
}

/// Parses `Step over = F10, N`. Nothing after the `=` removes all keys of the command.
pub fn set_keys(text: &str, _: &CommandContext) -> Result<Action, String> {
    let (name, keys) = text
        .split_once('=')
        .ok_or_else(|| say!("line-no-equals").to_owned())?;
    let (command, rest) = split_line(name.trim()).ok_or_else(|| {
        say!(
            "line-there-is-no-command",
            line = format!("{:?}", name.trim())
        )
    })?;
    if !rest.is_empty() {
        return Err(say!(
            "line-there-is-no-command",
            line = format!("{:?}", name.trim())
        ));
    }
    let keys: Vec<String> = keys
        .split(',')
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty())
        .collect();
    keys.iter().try_for_each(|key| read_key(key).map(|_| ()))?;
    Ok(Action::App(AppAction::SetKeys(command.id.into(), keys)))
}

pub fn import_keys(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::App(AppAction::ImportKeys(Some(typed_path(text)))))
}

pub fn interface_font(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::App(AppAction::Font(FontChange::File(
        FontRole::Interface,
        Some(typed_path(text)),
    ))))
}

pub fn fixed_width_font(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::App(AppAction::Font(FontChange::File(
        FontRole::FixedWidth,
        Some(typed_path(text)),
    ))))
}

pub fn open_session(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::OpenSession(Some(typed_path(
        text,
    )))))
}

pub fn save_session(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::SaveSession(Some(typed_path(
        text,
    )))))
}

pub fn save_part(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::SavePart(
        None,
        Some(typed_path(text)),
    )))
}

pub fn save_picture(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::SavePicture(Some(typed_path(
        text,
    )))))
}

pub fn use_layout(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Panel(PanelAction::UseLayout(text.to_owned())))
}

pub fn save_layout(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Panel(PanelAction::SaveLayout(text.to_owned())))
}

pub fn forget_layout(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Panel(PanelAction::ForgetLayout(text.to_owned())))
}

pub fn sysroot(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::File(FileAction::AddSysroot(Some(from_home(text)))))
}

pub fn place(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoTo(place_text(text))))
}

pub fn compare_with(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Panel(PanelAction::CompareWith(place_text(text))))
}

/// Normalises a position name: also accepts `step 5`, `line 5`, `time 5` and `pc main`.
pub fn place_text(text: &str) -> String {
    let text = text.trim();
    let spelled = |word: &str, prefix: &str| {
        let rest = text.strip_prefix(word)?;
        rest.starts_with(char::is_whitespace)
            .then(|| format!("{prefix}{}", rest.trim()))
    };
    let place = spelled("step", "")
        .or_else(|| spelled("line", "line:"))
        .or_else(|| spelled("time", "time:"))
        .or_else(|| spelled("pc", "pc:"));
    place.unwrap_or_else(|| text.to_owned())
}

pub fn bookmark(text: &str, situation: &CommandContext) -> Result<Action, String> {
    Ok(Action::Mark(MarkAction::Bookmark(BookmarkChange::Put {
        place: marked(situation)?,
        name: text.to_owned(),
    })))
}

pub fn note(text: &str, situation: &CommandContext) -> Result<Action, String> {
    Ok(Action::Mark(MarkAction::Bookmark(
        BookmarkChange::Annotate {
            place: marked(situation)?,
            note: text.to_owned(),
        },
    )))
}

pub fn bookmark_selection(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Mark(MarkAction::BookmarkSelection(text.to_owned())))
}

/// Parses `0x80020340:8 the handler`. The address is hexadecimal, as the window shows it.
pub fn bookmark_memory(text: &str, _: &CommandContext) -> Result<Action, String> {
    let (range, name) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (address, length) = range.split_once(':').unwrap_or((range, "1"));
    let address = shown_address(address)?;
    let len_bytes = number(length).ok().filter(|length| *length > 0);
    let len_bytes = len_bytes
        .ok_or_else(|| say!("line-not-a-number-of-bytes", length = format!("{length:?}")))?;
    let place = BookmarkPlace::Memory { address, len_bytes };
    Ok(Action::Mark(MarkAction::Bookmark(BookmarkChange::Put {
        place,
        name: name.trim().to_owned(),
    })))
}

/// Parses a hexadecimal address, with or without `0x`.
fn shown_address(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    u64::from_str_radix(digits, 16)
        .map_err(|_| say!("line-not-an-address-in-hex", text = format!("{text:?}")))
}

/// Returns the active window's position as a place to mark.
fn marked(situation: &CommandContext) -> Result<BookmarkPlace, String> {
    situation
        .position()
        .map(|at| BookmarkPlace::Position(at.0))
        .ok_or_else(|| say!("line-no-trace-is-open").to_owned())
}

pub fn stay(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::StayInThread(Some(
        text.to_owned(),
    ))))
}

pub fn last_write(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToAccess(
        cell_name(text)?,
        Access::Write,
        Direction::Back,
    )))
}

pub fn next_write(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToAccess(
        cell_name(text)?,
        Access::Write,
        Direction::Forward,
    )))
}

pub fn last_read(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToAccess(
        cell_name(text)?,
        Access::Read,
        Direction::Back,
    )))
}

pub fn next_read(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToAccess(
        cell_name(text)?,
        Access::Read,
        Direction::Forward,
    )))
}

pub fn last_external(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToExternal(
        Some(cell_name(text)?),
        Direction::Back,
    )))
}

pub fn next_external(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToExternal(
        Some(cell_name(text)?),
        Direction::Forward,
    )))
}

pub fn address(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::View(ViewAction::ShowMemory(text.to_owned())))
}

pub fn accesses(text: &str, _: &CommandContext) -> Result<Action, String> {
    let (range, thread) = match text.rsplit_once(" of ") {
        Some((range, thread)) => (range, Some(thread.trim().to_owned())),
        None => (text, None),
    };
    let (address, length) = split_range(range);
    let length = length.map_or(Ok(1), |length| length_of(length, text))?;
    Ok(Action::View(ViewAction::ListAccesses(
        address.trim().to_owned(),
        length,
        thread,
    )))
}

pub fn watch(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Mark(MarkAction::Watch(WatchChange::Add(
        text.to_owned(),
    ))))
}

pub fn wave(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Mark(MarkAction::Wave(WatchChange::Add(
        text.to_owned(),
    ))))
}

pub fn next_where(text: &str, _: &CommandContext) -> Result<Action, String> {
    condition(text, Direction::Forward)
}

pub fn last_where(text: &str, _: &CommandContext) -> Result<Action, String> {
    condition(text, Direction::Back)
}

fn condition(text: &str, direction: Direction) -> Result<Action, String> {
    parse(text).map_err(|error| error.to_string())?;
    Ok(Action::Travel(TravelAction::GoToWhere(
        text.to_owned(),
        direction,
    )))
}

pub fn values(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::View(ViewAction::ListValues(cell_name(text)?)))
}

pub fn executions(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::View(ViewAction::ListExecutions(text.to_owned())))
}

pub fn find(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Search(SearchAction::Find(FindQuery {
        text: text.to_owned(),
        ..FindQuery::default()
    })))
}

pub fn keep_search(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Search(SearchAction::KeepSearch(text.to_owned())))
}

pub fn run_search(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Search(SearchAction::RunSearch(text.to_owned())))
}

pub fn show_search(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Search(SearchAction::ShowSearch(text.to_owned())))
}

pub fn forget_search(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Search(SearchAction::Searches(
        SavedQueryChange::Forget(text.to_owned()),
    )))
}

pub fn rename_search(text: &str, _: &CommandContext) -> Result<Action, String> {
    let (old, new) = text
        .split_once('=')
        .ok_or_else(|| say!("line-old-new", text = format!("{text:?}")))?;
    Ok(Action::Search(SearchAction::Searches(
        SavedQueryChange::Rename(old.trim().to_owned(), new.trim().to_owned()),
    )))
}

pub fn around(text: &str, _: &CommandContext) -> Result<Action, String> {
    number(text)
        .map(|it| Action::Search(SearchAction::SurroundHits(it)))
        .map_err(|error| format!("{text:?} is {error}"))
}

pub fn image(text: &str, _: &CommandContext) -> Result<Action, String> {
    let image: ImageSpec = text
        .parse()
        .map_err(|error: anyhow::Error| format!("{error:#}"))?;
    Ok(Action::File(FileAction::AddImage(Some(ImageSpec {
        path: from_home(image.path),
        ..image
    }))))
}

pub fn mapping(text: &str, _: &CommandContext) -> Result<Action, String> {
    let mapping = text
        .parse::<SourceMapping>()
        .map_err(|error| error.to_string())?;
    Ok(Action::File(FileAction::MoveSources(SourceMapping {
        to: from_home(&mapping.to),
        ..mapping
    })))
}

pub fn next_call(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToCall(
        Some(text.to_owned()),
        Direction::Forward,
    )))
}

pub fn last_call(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::Travel(TravelAction::GoToCall(
        Some(text.to_owned()),
        Direction::Back,
    )))
}

pub fn next_line(text: &str, _: &CommandContext) -> Result<Action, String> {
    source_line(text, Direction::Forward)
}

pub fn last_line(text: &str, _: &CommandContext) -> Result<Action, String> {
    source_line(text, Direction::Back)
}

fn source_line(text: &str, direction: Direction) -> Result<Action, String> {
    let (file, line) = text.rsplit_once(':').unwrap_or((text, ""));
    match line.trim().parse() {
        Ok(line) if line > 0 && !file.trim().is_empty() => Ok(Action::Travel(
            TravelAction::GoToLine(file.trim().to_owned(), line, direction, None),
        )),
        _ => Err(say!(
            "line-a-source-line-is-given",
            text = format!("{text:?}")
        )),
    }
}

pub fn lanes(text: &str, _: &CommandContext) -> Result<Action, String> {
    let is_meant = |format: &&LaneFormat| format.key().eq_ignore_ascii_case(text);
    let format = LaneFormat::ALL.iter().find(is_meant);
    format
        .map(|format| Action::View(ViewAction::ReadLanes(*format)))
        .ok_or_else(|| {
            say!(
                "line-is-no-way-to-read",
                text = format!("{text:?}"),
                ways = spoken(LANES)
            )
        })
}

/// Prompt for bytes to find in memory.
pub const IN_MEMORY: &str = "ask-bytes-a-number-or-a-text";

pub fn find_in_memory(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::View(ViewAction::Memory(MemoryChange::Find(
        text.to_owned(),
        Direction::Forward,
    ))))
}

pub fn filter(text: &str, _: &CommandContext) -> Result<Action, String> {
    Ok(Action::View(ViewAction::FilterRegisters(if text == "-" {
        String::new()
    } else {
        text.to_owned()
    })))
}

pub fn registers(text: &str, _: &CommandContext) -> Result<Action, String> {
    let group = match text.to_lowercase().as_str() {
        "core" => RegisterGroup::Core,
        "single" => RegisterGroup::Single,
        "double" => RegisterGroup::Double,
        "vector" => RegisterGroup::Vector,
        "sve" => RegisterGroup::Scalable,
        "system" => RegisterGroup::System,
        _ => {
            return Err(say!(
                "line-is-no-group",
                text = format!("{text:?}"),
                groups = spoken(GROUPS)
            ));
        }
    };
    Ok(Action::View(ViewAction::NewRegisters(group)))
}

/// Parses the number of a position, with or without separators between thousands.
pub(super) fn position_number(text: &str) -> Option<Position> {
    whole_digits(text)?.parse().map(Position).ok()
}

pub fn window_at(text: &str, situation: &CommandContext) -> Result<Action, String> {
    let position = position_number(text)
        .ok_or_else(|| say!("line-is-no-step-number", text = format!("{text:?}")))?;
    Ok(Action::Panel(PanelAction::OpenWindowAt(Moment {
        trace: situation.trace,
        position,
    })))
}

pub fn follow(text: &str, situation: &CommandContext) -> Result<Action, String> {
    let tile = situation
        .tile
        .ok_or(say!("line-no-panel-has-the-keyboard"))?;
    if text == "active" {
        return Ok(Action::Panel(PanelAction::Bind(tile, Follow::Active)));
    }
    let number = text
        .parse()
        .map_err(|_| say!("line-is-neither-active-nor-the", text = format!("{text:?}")))?;
    Ok(Action::Panel(PanelAction::Bind(
        tile,
        Follow::Window(WindowId(number)),
    )))
}

pub fn thread(text: &str, situation: &CommandContext) -> Result<Action, String> {
    let tile = situation
        .tile
        .ok_or(say!("line-no-panel-has-the-keyboard"))?;
    Ok(Action::Panel(PanelAction::ChooseThread(
        tile,
        (text != "-").then(|| text.to_owned()),
    )))
}

/// Parses the name of a cell: `x2`, `0x80020340:8`.
///
/// A plain word is a register or, if the trace has no such register, a symbol. Anything else is an
/// address expression, with its length after a colon.
///
/// # Errors
/// The length is not a number above 0.
pub fn cell_name(text: &str) -> Result<CellName, String> {
    let is_word = text
        .chars()
        .all(|letter| letter.is_alphanumeric() || "_%.$".contains(letter));
    let is_register = is_word && !text.starts_with(|first: char| first.is_ascii_digit());
    if is_register || RegisterPart::is_part(text) {
        return Ok(CellName::Register(text.to_owned()));
    }
    match split_range(text) {
        (address, Some(length)) => Ok(CellName::Memory(
            address.trim().to_owned(),
            length_of(length, text)?,
        )),
        (address, None) => match address.strip_prefix("reg::") {
            Some(name) => Ok(CellName::Register(name.to_owned())),
            None => Ok(CellName::Memory(address.to_owned(), 1)),
        },
    }
}

fn length_of(length: &str, text: &str) -> Result<u64, String> {
    let length = length.trim();
    let length = length
        .parse()
        .ok()
        .or_else(|| number(length).ok())
        .filter(|length| *length > 0);
    length.ok_or_else(|| {
        say!(
            "line-the-length-after-the-colon",
            text = format!("{text:?}")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::ThemeChoice;

    #[track_caller]
    fn check(line: &str, expected: Action) {
        assert_eq!(parse_line(line, &everything()), Ok(expected));
    }

    #[test]
    fn the_longest_name_is_meant() {
        check(
            "Go to start",
            Action::Travel(TravelAction::Edge(Direction::Back)),
        );
        check(
            "Go to 50%",
            Action::Travel(TravelAction::GoTo("50%".to_owned())),
        );
        check(
            "step back over",
            Action::Travel(TravelAction::StepOver(Direction::Back)),
        );
    }

    #[test]
    fn places_may_be_spelled_out() {
        check(
            "Go to line 12",
            Action::Travel(TravelAction::GoTo("line:12".to_owned())),
        );
        check(
            "Go to… step 1,250",
            Action::Travel(TravelAction::GoTo("1,250".to_owned())),
        );
    }

    #[test]
    fn a_cell_is_a_register_or_a_piece_of_memory() {
        let write = |cell| {
            Action::Travel(TravelAction::GoToAccess(
                cell,
                Access::Write,
                Direction::Back,
            ))
        };
        check("Last write x2", write(CellName::Register("x2".to_owned())));
        check(
            "Last write 0x80:8",
            write(CellName::Memory("0x80".to_owned(), 8)),
        );
        check(
            "Last write sp+8",
            write(CellName::Memory("sp+8".to_owned(), 1)),
        );
        check(
            "Last write [sp+8]:4",
            write(CellName::Memory("[sp+8]".to_owned(), 4)),
        );
        check(
            "Last write reg::x2",
            write(CellName::Register("x2".to_owned())),
        );
        check(
            "Last write sym::`a::b`",
            write(CellName::Memory("sym::`a::b`".to_owned(), 1)),
        );
    }

    #[test]
    fn accesses_are_those_of_a_range_by_a_thread_or_by_any() {
        let list = |address: &str, length, thread: Option<&str>| {
            Action::View(ViewAction::ListAccesses(
                address.to_owned(),
                length,
                thread.map(str::to_owned),
            ))
        };
        check("Accesses 0x80:8", list("0x80", 8, None));
        check("Accesses buffer", list("buffer", 1, None));
        check(
            "Accesses sp + 8:0x1000 of 101",
            list("sp + 8", 4096, Some("101")),
        );
        let error = parse_line("Accesses 0x80:0", &everything()).unwrap_err();
        assert!(error.contains("must be a number above 0"), "{error}");
    }

    #[test]
    fn a_source_line_is_a_file_and_a_number() {
        check(
            "Next execution of line main.c:12",
            Action::Travel(TravelAction::GoToLine(
                "main.c".to_owned(),
                12,
                Direction::Forward,
                None,
            )),
        );
        check(
            "Last execution of line C:\\a.c:7",
            Action::Travel(TravelAction::GoToLine(
                "C:\\a.c".to_owned(),
                7,
                Direction::Back,
                None,
            )),
        );
        for line in [
            "Next execution of line main.c",
            "Next execution of line :3",
            "Next execution of line a.c:0",
        ] {
            assert!(
                parse_line(line, &everything()).is_err_and(|error| error.contains("FILE:LINE")),
                "{line}"
            );
        }
    }

    #[test]
    fn a_name_alone_is_enough_where_nothing_is_asked() {
        check(
            "theme dark",
            Action::App(AppAction::Theme(ThemeChoice::Dark)),
        );
        check("Open…", Action::File(FileAction::OpenDialog));
    }

    #[test]
    fn commands_keep_their_former_names() {
        let line = split_line("keep search as… all writes");
        let (command, rest) = line.unwrap();
        assert_eq!((command.name, rest), ("Save search as…", "all writes"));
        let by_name = crate::keymap::command("Stop looking").unwrap();
        assert_eq!(by_name.name, "Cancel search");
        for (former, _) in &FORMER_NAMES {
            let is_free = commands().iter().all(|command| command.name != *former);
            assert!(is_free, "{former}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        let said = |line| parse_line(line, &everything()).unwrap_err();
        assert_eq!(said("Dance"), "no command matches \"Dance\"");
        assert_eq!(said("Stepper"), "no command matches \"Stepper\"");
        assert!(said("Theme dark blue").contains("takes no argument"));
        assert!(said("Show memory").contains("needs an argument"));
        let without_trace = parse_line("Copy position", &CommandContext::default()).unwrap_err();
        assert_eq!(without_trace, "\"Copy position\" needs an open trace");
    }
}
