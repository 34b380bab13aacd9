//! Page of keys, the focused pane's first, built from the key table and the window's commands.

use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use stepback_debugger::action::PanelKind;
use stepback_debugger::keymap;
use stepback_debugger::keymap::{Command, CommandContext};
use stepback_debugger::messages::{say, spoken};
use stepback_debugger::model::TextRole;

use super::key_rows::ROWS;
use super::keys::{PaneKeyScope, has_for_itself};
use super::look::StyleRole;
use super::palette::{asks_for_window, is_of_window};
use super::pen::{CellRun, Pen};
use crate::keys::{sent, sent_here};

/// Width of the key column, in cells.
const KEYS: u16 = 24;

struct HelpLine {
    keys: String,
    words: String,
}

/// Returns the keys of the browser as text, by pane: a title and a line for each key.
pub fn key_table() -> String {
    let mut text = String::new();
    for scope in PaneKeyScope::ALL {
        let mut lines: Vec<HelpLine> = Vec::new();
        for row in ROWS.iter().filter(|row| row.scope == scope) {
            let (keys, words) = (
                row.presses
                    .iter()
                    .map(|press| press.text())
                    .collect::<Vec<_>>()
                    .join(" "),
                spoken(row.words),
            );
            match lines.iter_mut().find(|line| line.words == words) {
                Some(line) => line.keys = format!("{} {keys}", line.keys),
                None => lines.push(HelpLine {
                    keys,
                    words: words.to_owned(),
                }),
            }
        }
        if lines.is_empty() {
            continue;
        }
        text.push_str(&format!("\n{}\n", spoken(title_of(scope))));
        for line in lines {
            text.push_str(&format!("  {:<28} {}\n", line.keys, line.words));
        }
    }
    text
}

/// State of the open page of keys.
pub struct HelpPage {
    kind: PanelKind,
    /// Commands of the window that the terminal has as well.
    commands: Vec<&'static Command>,
    top: usize,
    /// Number of rows drawn in the last frame.
    rows: usize,
}

impl HelpPage {
    /// Creates the page for a kind of pane.
    pub fn new(kind: PanelKind, situation: &CommandContext) -> Self {
        let is_here = |command: &&Command| match command.action(situation) {
            Some(action) => !is_of_window(&action),
            None => !asks_for_window(command),
        };
        Self {
            kind,
            commands: keymap::commands().iter().filter(is_here).collect(),
            top: 0,
            rows: 1,
        }
    }

    /// Scrolls, or closes the page on any other key. Returns true while it is open.
    pub fn press(&mut self, key: KeyEvent) -> bool {
        let last = self.lines().len().saturating_sub(self.rows);
        self.top = match key.code {
            KeyCode::Up => self.top.saturating_sub(1),
            KeyCode::Down => self.top + 1,
            KeyCode::PageUp => self.top.saturating_sub(self.rows),
            KeyCode::PageDown => self.top + self.rows,
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Draws the page over the whole screen.
    pub fn draw(&mut self, area: Rect, pen: &mut Pen<'_>) {
        let title = CellRun::of(area, 0);
        pen.line(title, pen.look.style(StyleRole::TitleFocus));
        pen.role(
            title.after(1),
            &format!(" {} ", say!("terminal-help-title")),
            StyleRole::TitleFocus,
        );
        self.rows = usize::from(area.height.saturating_sub(1)).max(1);
        let lines = self.lines();
        for (row, line) in (1..area.height).zip(lines.iter().skip(self.top)) {
            let run = CellRun::of(area, row).after(1);
            if line.keys.is_empty() {
                pen.role(run, &line.words, StyleRole::Title);
                continue;
            }
            let end = pen.role(run, &line.keys, StyleRole::Key).after(1);
            let words = run.from(end.x.max(run.after(KEYS + 1).x));
            pen.role(words, &line.words, StyleRole::Text(TextRole::Plain));
        }
    }

    fn lines(&self) -> Vec<HelpLine> {
        let mut lines = Vec::new();
        let scopes = PaneKeyScope::ALL
            .into_iter()
            .filter(|scope| scope.has(self.kind));
        for scope in scopes {
            let before = lines.len();
            for row in ROWS.iter().filter(|row| row.scope == scope) {
                let (keys, words) = (row.keys_in(self.kind).join(" "), spoken(row.words));
                if keys.is_empty() {
                    continue;
                }
                // Keys for one command share a line.
                match lines.get_mut(before..).and_then(|lines| {
                    lines
                        .iter_mut()
                        .find(|line: &&mut HelpLine| line.words == words)
                }) {
                    Some(line) => line.keys = format!("{} {keys}", line.keys),
                    None => lines.push(HelpLine {
                        keys,
                        words: words.to_owned(),
                    }),
                }
            }
            if lines.len() > before {
                let (keys, words) = (String::new(), spoken(title_of(scope)).to_owned());
                lines.insert(before, HelpLine { keys, words });
            }
        }
        for part in [
            say!("terminal-help-legend"),
            say!("terminal-help-prompts"),
            say!("terminal-help-always"),
        ] {
            lines.extend(part.lines().map(line_of));
        }
        lines.push(HelpLine {
            keys: String::new(),
            words: say!("terminal-help-window").to_owned(),
        });
        lines.extend(
            self.commands
                .iter()
                .filter_map(|command| self.of_window(command)),
        );
        lines.push(HelpLine {
            keys: String::new(),
            words: say!("terminal-help-differences").to_owned(),
        });
        lines.extend(
            self.commands
                .iter()
                .filter_map(|command| self.shadowed(command)),
        );
        lines
    }

    /// Returns the line of a command with the window's keys that work here too.
    fn of_window(&self, command: &Command) -> Option<HelpLine> {
        let here = sent_here(command, self.kind).join(" ");
        (!here.is_empty()).then(|| HelpLine {
            keys: here,
            words: command.label().to_owned(),
        })
    }

    /// Returns the line of a command whose key has another meaning here.
    fn shadowed(&self, command: &Command) -> Option<HelpLine> {
        let lost = sent(command, |key| has_for_itself(self.kind, key)).join(" ");
        (!lost.is_empty()).then(|| HelpLine {
            keys: lost,
            words: say!("terminal-help-lost", command = command.label()),
        })
    }
}

/// Parses a line of help text: keys, two spaces, words. A line without two spaces is a title.
fn line_of(text: &str) -> HelpLine {
    match text.split_once("  ") {
        Some((keys, words)) => HelpLine {
            keys: keys.to_owned(),
            words: words.trim_start().to_owned(),
        },
        None => HelpLine {
            keys: String::new(),
            words: text.to_owned(),
        },
    }
}

fn title_of(scope: PaneKeyScope) -> &'static str {
    match scope {
        PaneKeyScope::Everywhere => "terminal-help-everywhere",
        PaneKeyScope::Trace => "terminal-help-trace",
        PaneKeyScope::Cells => "terminal-help-cells",
        PaneKeyScope::Registers => "terminal-help-registers",
        PaneKeyScope::Memory => "terminal-help-memory",
        PaneKeyScope::Why => "terminal-help-why",
        PaneKeyScope::Compare => "terminal-help-compare",
        PaneKeyScope::Others => "terminal-help-others",
    }
}
