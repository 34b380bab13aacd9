//! Scripts: actions from a file, one per line. Skips empty lines and lines that begin with `#`.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::action::Action;
use crate::keymap::{CommandContext, check_line, parse_line};

/// Maximum length of a script in bytes: a device file may never end.
const LIMIT: u64 = 16 << 20;

/// The remaining lines of a script.
#[derive(Debug)]
pub struct Script {
    path: PathBuf,
    /// Line numbers, from 1, and texts.
    lines: VecDeque<(usize, String)>,
    /// Number of the line that was begun last.
    current: Option<usize>,
}

impl Script {
    /// Reads a script and checks that every line names a command.
    ///
    /// # Errors
    /// The file cannot be read or is too long, or a line names no command. The message names the
    /// file and the line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut text = String::new();
        let read = File::open(path).and_then(|file| file.take(LIMIT).read_to_string(&mut text));
        match read {
            Ok(length) if length as u64 == LIMIT => {
                Err(format!("the script is longer than {LIMIT} bytes: {path:?}"))
            }
            Ok(_) => Self::parse(path, &text),
            Err(error) => Err(format!("the script could not be read ({error}): {path:?}")),
        }
    }

    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let lines: VecDeque<(usize, String)> = text
            .lines()
            .enumerate()
            .map(|(place, line)| (place + 1, line.trim().to_owned()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .collect();
        for (number, line) in &lines {
            check_line(line).map_err(|error| format!("{}: {error}", place(path, *number)))?;
        }
        Ok(Self {
            path: path.to_owned(),
            lines,
            current: None,
        })
    }

    /// Returns the action of the next line; none at the end.
    pub fn next(&mut self, situation: &CommandContext) -> Option<Result<Action, String>> {
        let (number, line) = self.lines.pop_front()?;
        self.current = Some(number);
        Some(parse_line(&line, situation))
    }

    /// Returns the file and the line that was begun last, for messages.
    pub fn place(&self) -> Option<String> {
        self.current.map(|number| place(&self.path, number))
    }
}

fn place(path: &Path, number: usize) -> String {
    format!("{}, line {number}", path.display())
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Position;

    use super::*;
    use crate::action::AppAction;
    use crate::action::TravelAction;
    use crate::action::{Direction, ThemeChoice, WindowId};

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let text = "# a comment\n\n  Theme dark\nStep over\n";
        let mut script = Script::parse(Path::new("a.txt"), text).unwrap();
        let situation = CommandContext {
            active: Some((WindowId(1), Position(5))),
            ..CommandContext::default()
        };
        assert_eq!(
            script.next(&situation),
            Some(Ok(Action::App(AppAction::Theme(ThemeChoice::Dark))))
        );
        assert_eq!(
            script.next(&situation),
            Some(Ok(Action::Travel(TravelAction::StepOver(
                Direction::Forward
            ))))
        );
        assert_eq!(script.place().as_deref(), Some("a.txt, line 4"));
        assert_eq!(script.next(&situation), None);
    }

    #[test]
    fn a_line_that_names_no_command_is_refused_before_anything_is_done() {
        let error = Script::parse(Path::new("a.txt"), "Step\nDance\n").unwrap_err();
        assert_eq!(error, "a.txt, line 2: there is no command \"Dance\"");
    }
}
