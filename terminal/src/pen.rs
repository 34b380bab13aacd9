//! Draws texts into cells ([`Pen`]). Every text is made safe for the terminal and clipped to its
//! run. [`wrapped`] breaks a text into lines, and [`text_of`] returns a screen as text, for tests
//! and documents.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use stepback_debugger::model::TextSpan;

use crate::clean::{letter_width, width};
use crate::look::{StyleRole, TerminalStyle};

/// Painter of cells.
pub struct Pen<'a> {
    pub buffer: &'a mut Buffer,
    pub look: &'a TerminalStyle,
}

/// A range of cells in one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellRun {
    pub y: u16,
    pub x: u16,
    /// The column after the last.
    pub end: u16,
}

impl CellRun {
    /// Returns a row of an area, counted from its top; empty beyond its bottom.
    pub fn of(area: Rect, row: u16) -> Self {
        let y = area.y.saturating_add(row);
        if y >= area.bottom() {
            Self {
                y,
                x: area.x,
                end: area.x,
            }
        } else {
            Self {
                y,
                x: area.x,
                end: area.right(),
            }
        }
    }

    /// Returns the part from a column on.
    #[must_use]
    pub fn from(self, x: u16) -> Self {
        Self {
            x: x.min(self.end),
            ..self
        }
    }

    /// Returns the part after the first `cells`.
    #[must_use]
    pub fn after(self, cells: u16) -> Self {
        self.from(self.x.saturating_add(cells))
    }

    /// Returns the first `cells`, or all if there are fewer.
    #[must_use]
    pub fn first(self, cells: u16) -> Self {
        Self {
            end: self.x.saturating_add(cells).min(self.end),
            ..self
        }
    }

    /// Returns the number of cells.
    pub fn cells(self) -> u16 {
        self.end.saturating_sub(self.x)
    }
}

impl Pen<'_> {
    /// Draws a text, cut with `…` if it is too long. Returns the rest of the run.
    pub fn text(&mut self, run: CellRun, text: &str, style: Style) -> CellRun {
        let fitted = self.look.signs.fit(text, usize::from(run.cells()));
        self.put(run, &fitted, style)
    }

    /// Draws a text in the style of a role.
    pub fn role(&mut self, run: CellRun, text: &str, role: StyleRole) -> CellRun {
        self.text(run, text, self.look.style(role))
    }

    /// Draws texts in the styles of their meanings, cut if they are too long.
    pub fn spans(&mut self, run: CellRun, spans: &[TextSpan]) -> CellRun {
        let mut rest = run;
        for span in spans {
            if rest.cells() == 0 {
                break;
            }
            rest = self.text(rest, &span.text, self.look.text(span.meaning));
        }
        rest
    }

    /// Draws a text at the end of the run. Returns the part before it.
    pub fn text_right(&mut self, run: CellRun, text: &str, style: Style) -> CellRun {
        let fitted = self
            .look
            .signs
            .fit(text, usize::from(run.cells()))
            .into_owned();
        let start = run.end.saturating_sub(cells(&fitted)).max(run.x);
        self.put(run.from(start), &fitted, style);
        CellRun { end: start, ..run }
    }

    /// Draws a horizontal line across the run.
    pub fn line(&mut self, run: CellRun, style: Style) {
        let sign = self.look.signs.clean("─").into_owned();
        self.put(run, &sign.repeat(usize::from(run.cells())), style);
    }

    /// Adds a style to cells without changing their content.
    pub fn mark(&mut self, run: CellRun, style: Style) {
        let area = Rect {
            x: run.x,
            y: run.y,
            width: run.cells(),
            height: 1,
        };
        self.buffer
            .set_style(area.intersection(self.buffer.area), style);
    }

    /// Returns the width of a text in cells.
    pub fn width(&self, text: &str) -> u16 {
        cells(&self.look.signs.clean(text))
    }

    /// Draws a clean text that fits.
    fn put(&mut self, run: CellRun, clean: &str, style: Style) -> CellRun {
        let mut rest = run;
        let mut letter_bytes = [0; 4];
        for letter in clean.chars() {
            let cells = u16::try_from(letter_width(letter)).unwrap_or_default();
            if cells > rest.cells() {
                break;
            }
            if let Some(cell) = self.buffer.cell_mut((rest.x, rest.y)) {
                cell.set_symbol(letter.encode_utf8(&mut letter_bytes))
                    .set_style(style);
            }
            // Clears the cell under the second half of a wide letter, or it would reappear when the
            // letter goes.
            if let Some(second) = self
                .buffer
                .cell_mut((rest.x.saturating_add(1), rest.y))
                .filter(|_| cells == 2)
            {
                second.reset();
                second.set_style(style);
            }
            rest = rest.after(cells);
        }
        rest
    }
}

fn cells(clean: &str) -> u16 {
    u16::try_from(width(clean)).unwrap_or(u16::MAX)
}

/// Breaks a clean text between words into lines of at most `cells`. A longer word gets its own
/// line.
pub fn wrapped(clean: &str, cells: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // A no-break space is part of a word: French has one before a colon.
    let is_break = |letter: char| letter.is_whitespace() && letter != '\u{a0}';
    for word in clean.split(is_break).filter(|word| !word.is_empty()) {
        match lines
            .last_mut()
            .filter(|line| width(line) + 1 + width(word) <= cells)
        {
            Some(line) => line.extend([" ", word]),
            None => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Returns the text of the cells, one line per row, without trailing spaces.
pub fn text_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let row = |y: u16| -> String {
        let mut line = String::new();
        let mut x = area.x;
        while x < area.right() {
            let symbol = buffer.cell((x, y)).map_or(" ", |cell| cell.symbol());
            line.push_str(symbol);
            // The second half of a wide letter has no symbol.
            x = x.saturating_add(
                u16::try_from(super::clean::width(symbol))
                    .unwrap_or(1)
                    .max(1),
            );
        }
        line.truncate(line.trim_end().len());
        line + "\n"
    };
    (area.y..area.bottom()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CharacterSet, ColorDepth};

    #[track_caller]
    fn check(signs: CharacterSet, draw: impl Fn(&mut Pen<'_>, CellRun), expected: &str) {
        let look = TerminalStyle {
            colors: ColorDepth::None,
            signs,
        };
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        draw(
            &mut Pen {
                buffer: &mut buffer,
                look: &look,
            },
            CellRun {
                y: 0,
                x: 1,
                end: 10,
            },
        );
        let shown: String = (0..12).map(|x| buffer[(x, 0)].symbol()).collect();
        assert_eq!(shown.trim_end(), expected);
    }

    #[test]
    fn texts_stay_in_their_run() {
        check(
            CharacterSet::Unicode,
            |pen, run| _ = pen.text(run, "0123456789", Style::new()),
            " 01234567…",
        );
        check(
            CharacterSet::Ascii,
            |pen, run| _ = pen.text(run, "0123456789", Style::new()),
            " 0123456..",
        );
        check(
            CharacterSet::Unicode,
            |pen, run| _ = pen.text(run, "a\x1b[1mé", Style::new()),
            r" a\x1b[1mé",
        );
        check(
            CharacterSet::Unicode,
            |pen, run| _ = pen.text_right(run, "abc", Style::new()),
            "       abc",
        );
        check(
            CharacterSet::Ascii,
            |pen, run| pen.line(run, Style::new()),
            " ---------",
        );
    }

    #[test]
    fn what_is_left_of_a_run_begins_after_the_text() {
        let draw = |pen: &mut Pen<'_>, run: CellRun| {
            let rest = pen.text(run, "語", Style::new());
            assert_eq!((rest.x, rest.end), (3, 10));
            pen.text(rest, "b", Style::new());
        };
        check(CharacterSet::Unicode, draw, " 語 b");
        check(
            CharacterSet::Ascii,
            |pen, run| _ = pen.text(run, "語", Style::new()),
            " ?",
        );
    }

    #[test]
    fn rows_beyond_the_area_are_empty() {
        let area = Rect::new(2, 3, 10, 2);
        assert_eq!(
            CellRun::of(area, 1),
            CellRun {
                y: 4,
                x: 2,
                end: 12
            }
        );
        assert_eq!(CellRun::of(area, 2).cells(), 0);
        assert_eq!(
            CellRun::of(area, 0).after(4).first(3),
            CellRun { y: 3, x: 6, end: 9 }
        );
    }
}

#[cfg(test)]
mod wrapped_tests {
    use super::*;

    #[test]
    fn texts_are_broken_between_words() {
        assert_eq!(
            wrapped("a load of 0x10 failed", 9),
            ["a load of", "0x10", "failed"]
        );
        assert_eq!(wrapped("unbreakable", 4), ["unbreakable"]);
        assert!(wrapped(" ", 4).is_empty());
        assert_eq!(
            wrapped("Fin, W\u{a0}: pourquoi", 6),
            ["Fin,", "W\u{a0}:", "pourquoi"]
        );
    }

    #[test]
    fn a_wide_letter_takes_two_cells() {
        assert_eq!(
            wrapped("\u{4e2d}\u{6587} \u{5b57}", 6),
            ["\u{4e2d}\u{6587}", "\u{5b57}"]
        );
    }
}
