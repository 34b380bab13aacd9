//! Rows of the command palette for a query, as plain data.
//!
//! Commands are scored on the drawing thread. Places in the trace that the query may mean are
//! looked up on the worker ([`PlaceSuggestions`]).

use std::sync::Arc;

use stepback_index::Cancel;

use crate::action::{Action, SearchAction, SliceAction, TravelAction};
use crate::desk::{SessionChange, SessionWatch};
use crate::keymap::{Command, CommandContext, CommandId, parse_line};
use crate::messages::{folded, say};
use crate::model::go_to::{Suggestion, suggestions};
use crate::notes::{SavedSearch, SavedSlice};
use crate::session::Session;
use crate::worker::{Slot, Worker};
use crate::{icons, keymap};

/// A row of the palette.
#[derive(Clone)]
pub struct PaletteItem {
    /// Title of the group that begins with this row.
    pub group: Option<&'static str>,
    pub text: String,
    /// Indexes of the characters that the query matched.
    pub matched: Vec<usize>,
    /// Menu of the command, shown at the right.
    pub area: &'static str,
    pub key: PaletteKey,
    pub icon: Option<char>,
    /// Effect of choosing the row.
    pub choice: PaletteChoice,
}

/// The key that a row shows.
#[derive(Clone, Copy)]
pub enum PaletteKey {
    Nothing,
    /// The key that chooses the row.
    Enter,
    /// The command's keys in this front end.
    Of(&'static Command),
}

/// Effect of choosing a row.
#[derive(Clone)]
pub enum PaletteChoice {
    /// Runs an action of a command.
    Run(CommandId, Action),
    /// Prompts for the argument of a command.
    Ask(&'static Command),
    /// Nothing: the command is not possible at the moment.
    Nothing,
}

/// Further sources of rows besides the commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct PaletteSources<'a> {
    /// Names of the most recent commands.
    pub recent: &'a [String],
    /// Places in the trace that the query may mean.
    pub places: &'a [Suggestion],
    /// Saved searches.
    pub searches: &'a [SavedSearch],
    /// Saved slices.
    pub slices: &'a [SavedSlice],
}

/// Returns the rows for a query: a complete command line first, unless a command has a name that
/// begins so, then matching commands, best first, then places in the trace. A function whose name is exactly the query comes before the commands.
pub fn items(
    query: &str,
    situation: &CommandContext,
    PaletteSources {
        recent,
        places,
        searches,
        slices,
    }: PaletteSources<'_>,
) -> Vec<PaletteItem> {
    let query = query.trim();
    if query.is_empty() {
        return without_query(situation, recent);
    }
    let line = line_item(query, situation);
    // A query that is the beginning of another command's name most likely means that command.
    let begun = |command: &Command| {
        let (text, query) = (text_of(command, situation), folded(query));
        folded(&text).starts_with(&query) || folded(command.name).starts_with(&query)
    };
    let is_name = line.is_some() && keymap::commands().iter().any(begun);
    let (mut list, late) = match is_name {
        true => (Vec::new(), line),
        false => (line.into_iter().collect::<Vec<_>>(), None),
    };
    let has_line = late.is_some() || !list.is_empty();
    let new = |place: &&Suggestion| {
        let is_step = matches!(&place.action, Action::Travel(TravelAction::GoTo(text)) if text.bytes().all(|digit| digit.is_ascii_digit()));
        !(is_step && has_line)
    };
    let (exact, others): (Vec<&Suggestion>, Vec<&Suggestion>) = places
        .iter()
        .filter(new)
        .partition(|place| place.title == query);
    list.extend(place_items(&exact));
    // Users type three dots for the ellipsis after commands that need an argument.
    let words = query
        .strip_suffix("...")
        .filter(|words| !words.is_empty())
        .unwrap_or(query);
    let mut fitting: Vec<(i32, PaletteItem)> = keymap::commands()
        .iter()
        .filter_map(|command| {
            let text = text_of(command, situation);
            let (score, matched) = fit_either(words, &text, command)?;
            let penalty = if command.is_possible(situation) {
                0
            } else {
                100
            };
            // A panel's name without a verb means the panel.
            let bonus = if is_panel_of(words, command) { 1000 } else { 0 };
            // Commands that change a presentation come after those that show something.
            let penalty = penalty + if command.is_presentation { 25 } else { 0 };
            Some((
                score + bonus - penalty,
                PaletteItem {
                    matched,
                    ..item(command, text, situation)
                },
            ))
        })
        .collect();
    fitting.extend(searches.iter().filter_map(|kept| {
        let text = say!("palette-search", name = kept.name.as_str());
        let (score, matched) = fit(words, &text)?;
        let choice = PaletteChoice::Run(
            CommandId::RunSearch,
            Action::Search(SearchAction::RunSearch(kept.name.clone())),
        );
        let (key, icon) = (PaletteKey::Nothing, Some(icons::SEARCH));
        Some((
            score,
            PaletteItem {
                group: None,
                text,
                matched,
                area: keymap::Area::Edit.name(),
                key,
                icon,
                choice,
            },
        ))
    }));
    fitting.extend(slices.iter().filter_map(|kept| {
        let text = say!("palette-slice", name = kept.name.as_str());
        let (score, matched) = fit(words, &text)?;
        let choice = PaletteChoice::Run(
            CommandId::RunSlice,
            Action::Slice(SliceAction::RunSlice(kept.name.clone())),
        );
        let (key, icon) = (PaletteKey::Nothing, Some(icons::WHY));
        Some((
            score,
            PaletteItem {
                group: None,
                text,
                matched,
                area: keymap::Area::View.name(),
                key,
                icon,
                choice,
            },
        ))
    }));
    // Of equal scores, the name of which the query is the larger part comes first. The sort is
    // stable: otherwise commands stay in the order of the menus.
    fitting.sort_by_key(|(score, item)| (std::cmp::Reverse(*score), item.text.chars().count()));
    list.extend(fitting.into_iter().map(|(_, item)| item));
    list.extend(late);
    list.extend(place_items(&others));
    list
}

/// Returns rows of places, under a heading.
fn place_items(places: &[&Suggestion]) -> Vec<PaletteItem> {
    let item = |(number, place): (usize, &&Suggestion)| PaletteItem {
        group: (number == 0).then(|| say!("palette-in-the-trace")),
        text: format!("{}   {}", place.title, place.note),
        matched: Vec::new(),
        area: keymap::Area::Go.name(),
        key: PaletteKey::Nothing,
        icon: Some(icons::GO_TO),
        choice: PaletteChoice::Run(CommandId::GoTo, place.action.clone()),
    };
    places.iter().enumerate().map(item).collect()
}

fn without_query(situation: &CommandContext, recent: &[String]) -> Vec<PaletteItem> {
    let as_item = |command: &'static Command| item(command, text_of(command, situation), situation);
    let mut list: Vec<PaletteItem> = recent
        .iter()
        .filter_map(|name| keymap::command(name))
        .map(as_item)
        .collect();
    if let Some(first) = list.first_mut() {
        first.group = Some(say!("palette-recent"));
    }
    for area in keymap::Area::ALL {
        let mut of_area: Vec<PaletteItem> = keymap::commands()
            .iter()
            .filter(|command| command.area == area)
            .map(as_item)
            .collect();
        if let Some(first) = of_area.first_mut() {
            first.group = Some(area.name());
        }
        list.append(&mut of_area);
    }
    list
}

/// Interprets the query as a complete command line (`last write x2`), or as a position to go to
/// (`1250`, `line:7`).
fn line_item(query: &str, situation: &CommandContext) -> Option<PaletteItem> {
    let is_place = query.starts_with(|first: char| first.is_ascii_digit())
        || ["line:", "time:", "pc:"]
            .iter()
            .any(|prefix| query.starts_with(prefix));
    if is_place && situation.active.is_some() {
        let action = parse_line(&format!("Go to {query}"), situation).ok()?;
        let command = CommandId::GoTo.command();
        return Some(argument_item(
            command,
            format!("{} {query}", command.bare_label()),
            action,
        ));
    }
    let (command, argument) = keymap::split_line(query)?;
    if argument.is_empty() || !command.is_possible(situation) {
        return None;
    }
    let action = parse_line(query, situation).ok()?;
    Some(argument_item(
        command,
        format!("{} ⟨{argument}⟩", command.bare_label()),
        action,
    ))
}

fn argument_item(command: &'static Command, text: String, action: Action) -> PaletteItem {
    PaletteItem {
        group: None,
        matched: Vec::new(),
        area: command.area.name(),
        key: PaletteKey::Enter,
        icon: command.icon,
        choice: PaletteChoice::Run(command.id, action),
        text,
    }
}

fn item(command: &'static Command, text: String, situation: &CommandContext) -> PaletteItem {
    let choice = match command.action(situation) {
        Some(action) if command.argument.is_none() || has_subject(command, situation) => {
            PaletteChoice::Run(command.id, action)
        }
        _ if command.argument.is_some() && command.is_possible(situation) => {
            PaletteChoice::Ask(command)
        }
        _ => PaletteChoice::Nothing,
    };
    let text = match situation.refusal(command.id) {
        Some(reason) => say!("palette-refused", command = text, reason = reason),
        None => text,
    };
    PaletteItem {
        group: None,
        text,
        matched: Vec::new(),
        area: command.area.name(),
        key: PaletteKey::Of(command),
        icon: command.icon,
        choice,
    }
}

/// Returns true if a command with an optional argument can run without it. All can, except
/// accesses, which need a cell under the cursor.
fn has_subject(command: &Command, situation: &CommandContext) -> bool {
    !command.is_access() && command.id != CommandId::GoTo
        || command.is_access() && situation.cell.is_some()
}

fn text_of(command: &Command, situation: &CommandContext) -> String {
    match situation.cell.as_ref().filter(|_| command.is_access()) {
        Some(cell) => keymap::of_cell(command.label(), cell),
        None if command.is_access() => format!("{}…", command.label()),
        None => command.text(situation),
    }
}

/// Scores a query against a command: against the displayed text or, in another language, its
/// English name. Matches in the English name have no characters to highlight.
fn fit_either(query: &str, text: &str, command: &Command) -> Option<(i32, Vec<usize>)> {
    let also = |name: &str| fit(query, name).map(|(score, _)| (score, Vec::new()));
    let other_name = || {
        let (_, name) = OTHER_NAMES.iter().find(|(id, _)| *id == command.id)?;
        also(name)
    };
    let shown = fit(query, text).or_else(|| also(command.name));
    // Of equal scores the last one counts.
    other_name()
        .into_iter()
        .chain(shown)
        .max_by_key(|(score, _)| *score)
}

/// Further names of commands: a language by its own name, and panels by the names on their tabs.
const OTHER_NAMES: [(CommandId, &str); 2] = [
    (CommandId::LanguageFrench, "Français"),
    (CommandId::ShowFindPanel, "Show find"),
];

/// Returns true if a query is the name of the panel that a command shows, without the verb and the
/// article.
fn is_panel_of(query: &str, command: &Command) -> bool {
    let Some(name) = command.name.strip_prefix("Show ") else {
        return false;
    };
    let is_translated = command.label() != command.name;
    name.eq_ignore_ascii_case(query)
        || is_translated && folded(command.label()).ends_with(&format!(" {}", folded(query)))
}

/// Scores a query against a text. All its letters must occur in order. Runs of letters and
/// beginnings of words score higher, and the complete name scores highest. Returns the indexes of
/// the matched characters.
fn fit(query: &str, text: &str) -> Option<(i32, Vec<usize>)> {
    let text = folded(text);
    let letters: Vec<char> = text.chars().collect();
    let query = folded(query);
    if let Some(place) = text.find(&query) {
        let start = text.get(..place)?.chars().count();
        let is_word = start == 0 || letters.get(start.checked_sub(1)?) == Some(&' ');
        let is_whole = text.chars().count() == query.chars().count();
        let begins = if start == 0 { 20 } else { 0 } + if is_whole { 10 } else { 0 };
        let score = 60 + if is_word { 30 } else { 0 } + begins;
        return Some((score, (start..start + query.chars().count()).collect()));
    }
    let mut places = Vec::new();
    let mut score = 0;
    let mut from = 0;
    for wanted in query.chars().filter(|letter| !letter.is_whitespace()) {
        let place = from
            + letters
                .get(from..)?
                .iter()
                .position(|letter| *letter == wanted)?;
        let is_start =
            place == 0 || place.checked_sub(1).and_then(|before| letters.get(before)) == Some(&' ');
        score += if is_start { 8 } else { 0 } + if place == from && from > 0 { 5 } else { 0 };
        places.push(place);
        from = place + 1;
    }
    // Letters that are scattered over the text match by chance.
    (score >= i32::try_from(4 * places.len()).unwrap_or(i32::MAX)).then_some((score, places))
}

/// The newest text and its suggestions.
#[derive(Debug, Default)]
pub struct PlaceSuggestions {
    session: SessionWatch,
    found: Slot<String, Vec<Suggestion>>,
}

impl PlaceSuggestions {
    /// Returns the suggestions for a text; none while the answer for exactly this text is under
    /// way.
    pub fn poll(&mut self, text: &str, session: &Arc<Session>, worker: &Worker) -> &[Suggestion] {
        // Another part of the trace has other answers.
        if self.session.look(session) != SessionChange::Nothing {
            self.found.clear();
        }
        let text = text.trim().to_owned();
        let requested = Arc::clone(session);
        self.found.poll(&text, worker, |text| {
            let text = text.clone();
            move |cancel: &Cancel| suggestions(&requested, &text, cancel)
        });
        self.found
            .peek()
            .filter(|(of, _)| **of == text)
            .map_or(&[], |(_, found)| found.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::action::WindowId;

    fn first(query: &str) -> String {
        let situation = CommandContext {
            active: Some((WindowId(1), Position(5))),
            ..CommandContext::default()
        };
        items(query, &situation, PaletteSources::default())
            .first()
            .map_or_else(String::new, |item| item.text.clone())
    }

    #[test]
    fn panels_are_found_by_the_names_on_their_tabs() {
        assert_eq!(first("show why"), "Show why panel");
        assert_eq!(first("show find"), "Show find panel");
        assert_eq!(first("find"), "Find…");
    }

    #[test]
    fn the_best_fit_comes_first() {
        assert_eq!(first("last wr"), "Last write…");
        assert_eq!(first("sbs"), "Side by side");
        assert_eq!(first("comp"), "Compare");
        assert_eq!(first("zzz"), "");
    }

    #[test]
    fn what_shows_something_comes_before_how_and_points_and_accents_do_not_matter() {
        assert_eq!(first("flame"), "Show flame graph");
        assert_eq!(first("francais"), "Language French");
        assert_eq!(first("Note..."), "Note…");
    }

    /// "Compare with" takes an argument, and another command is called "Compare with the previous
    /// call".
    #[test]
    fn a_name_wins_over_another_command_with_an_argument() {
        assert_eq!(
            first("compare with the previous call"),
            "Compare with the previous call of this function"
        );
        assert_eq!(first("compare with 1250"), "Compare with ⟨1250⟩");
        assert_eq!(first("bookmark sel"), "Bookmark selection");
    }

    #[test]
    fn a_whole_command_line_comes_before_commands() {
        assert_eq!(first("last write x2"), "Last write ⟨x2⟩");
        assert_eq!(first("1,250"), "Go to 1,250");
        assert_eq!(first("theme dark"), "Theme dark");
    }

    #[test]
    fn a_command_without_its_argument_asks_for_it() {
        let situation = CommandContext {
            active: Some((WindowId(1), Position(5))),
            ..CommandContext::default()
        };
        let list = items("show memory", &situation, PaletteSources::default());
        assert!(matches!(
            list.first().map(|item| &item.choice),
            Some(PaletteChoice::Ask(_))
        ));
    }

    #[test]
    fn without_a_trace_its_commands_are_not_possible() {
        let list = items(
            "step over",
            &CommandContext::default(),
            PaletteSources::default(),
        );
        assert!(matches!(
            list.first().map(|item| &item.choice),
            Some(PaletteChoice::Nothing)
        ));
    }
}
