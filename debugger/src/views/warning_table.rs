//! Lines and records of the trace that could not be read.

use std::sync::Arc;

use anyhow::Result;
use stepback_index::answer::Warning;
use stepback_index::query::RawLines;
use stepback_index::{Cancel, Query as _};
use stepback_parsers::Line;

use super::table_view::TableSource;
use super::view::{RowGesture, ViewStatus};
use crate::action::{Action, CellName, PanelKind, TravelAction};
use crate::desk::Desk;
use crate::icons;
use crate::messages::say;
use crate::model::so_far::{IndexedPart, so_far};
use crate::model::table::{Table, TableCell, TableRow};
use crate::model::text::thousands;
use crate::model::trace_notes::placed;
use crate::model::{TextRole, TextSpan};
use crate::session::Session;
use crate::views::view::{MenuEntry, RowMenu};
use crate::worker::Slot;

const HEADS: [&str; 4] = ["head-line", "head-byte", "head-times", "head-warning"];
/// Maximum number of characters of a line that are shown.
const LONGEST: usize = 300;

/// One row for all similar warnings. The key of a row is the index of the warning in the trace's
/// index.
#[derive(Default)]
pub struct WarningTable {
    table: Arc<Table>,
    /// Copied text and line of each row.
    texts: Vec<WarningText>,
    /// The trace is text, so that its lines can be shown.
    is_text: bool,
    /// Number of rows and of warnings that the table was made from.
    of: Option<(usize, u64)>,
    /// There may be more warnings.
    is_part: bool,
    /// Texts of the lines in sight.
    lines: Slot<Vec<u64>, Vec<String>>,
}

struct WarningText {
    line: u64,
    copied: String,
}

impl WarningText {
    fn new(warning: &Warning, session: &Session) -> Self {
        let text = placed(warning, &warning.kind.to_string(), &session.index);
        let times = if warning.count > 1 {
            format!(" ×{}", thousands(warning.count))
        } else {
            String::new()
        };
        Self {
            line: warning.line,
            copied: text + &times,
        }
    }
}

impl WarningTable {
    fn text(&self, row: &TableRow) -> Option<&WarningText> {
        self.texts.get(usize::try_from(row.key).ok()?)
    }
}

impl TableSource for WarningTable {
    fn kind(&self) -> PanelKind {
        PanelKind::Warnings
    }

    fn title(&self) -> String {
        say!("warnings-warnings").to_owned()
    }

    fn poll(&mut self, desk: &Desk) -> Result<Arc<Table>, ViewStatus> {
        let index = &desk.session.index;
        let of = Some((index.warnings().len(), index.info().warning_count));
        let is_part = IndexedPart::of(&desk.session).is_some();
        if self.of != of || self.is_part != is_part {
            (self.table, self.of, self.is_part) = (Arc::new(table(&desk.session)), of, is_part);
            self.texts = index
                .warnings()
                .iter()
                .map(|warning| WarningText::new(warning, &desk.session))
                .collect();
            self.is_text = index.source().is_text();
        }
        Ok(Arc::clone(&self.table))
    }

    fn nothing(&self, _: &Desk) -> Option<String> {
        let words = if self.is_part {
            say!("warnings-no-warnings-so-far")
        } else {
            say!("warnings-no-warnings")
        };
        Some(words.to_owned())
    }

    fn advice(&self, _: &Desk) -> String {
        str::to_owned(match (self.is_text, self.is_part) {
            (true, false) => say!("warnings-all-lines-of-the-trace"),
            (true, true) => say!("warnings-all-lines-that-are-indexed"),
            (false, false) => say!("warnings-all-records-of-the-trace"),
            (false, true) => say!("warnings-all-records-that-are-indexed"),
        })
    }

    fn fetch(&mut self, seen: &[TableRow], desk: &Desk) {
        if !self.is_text {
            return;
        }
        let lines: Vec<u64> = seen
            .iter()
            .filter_map(|row| Some(self.text(row)?.line))
            .collect();
        self.lines.poll(&lines, &desk.worker, |lines| {
            let (lines, session) = (lines.clone(), Arc::clone(&desk.session));
            move |cancel: &Cancel| {
                lines
                    .iter()
                    .map(|line| line_text(&session, *line, cancel))
                    .collect()
            }
        });
    }

    /// Returns the text of the line.
    fn detail(&self, row: &TableRow) -> &str {
        let text = || {
            let (wanted, (lines, texts)) = (self.text(row)?.line, self.lines.peek()?);
            texts.get(lines.iter().position(|line| *line == wanted)?)
        };
        text().map_or("", String::as_str)
    }

    /// Goes to the line, if the format has lines.
    fn act(&self, row: &TableRow, gesture: RowGesture, _: &Desk, out: &mut Vec<Action>) -> bool {
        let line = self
            .text(row)
            .filter(|_| gesture == RowGesture::Go && self.is_text)
            .map(|text| text.line);
        out.extend(line.map(|line| Action::Travel(TravelAction::GoTo(format!("line:{line}")))));
        line.is_some()
    }

    fn menu(&self, row: &TableRow, _: &Table, desk: &Desk) -> RowMenu {
        let (mut title, mut entries) = (self.title(), Vec::new());
        if let Some(text) = self.text(row).filter(|_| self.is_text) {
            let mut actions = Vec::new();
            self.act(row, RowGesture::Go, desk, &mut actions);
            title = say!("warnings-line-head", line = text.line);
            entries.push(
                MenuEntry::new(say!("warnings-travel-to-its-line"), actions)
                    .icon(icons::GO_TO)
                    .key("Enter"),
            );
        }
        entries.push(MenuEntry::copy(self.copied(row)));
        RowMenu {
            title,
            note: String::new(),
            entries,
        }
    }

    fn copied(&self, row: &TableRow) -> String {
        self.text(row)
            .map_or_else(|| row.line(), |text| text.copied.clone())
    }

    fn row_cell(&self, _: &TableRow, _: &Table) -> Option<CellName> {
        None
    }

    fn forget(&mut self) {
        *self = Self::default();
    }
}

fn table(session: &Session) -> Table {
    let (warnings, is_text) = (session.index.warnings(), session.index.source().is_text());
    let labeled = |label: &str, number: u64| TableCell::Spans {
        number: Some(number),
        spans: vec![
            TextSpan::new(TextRole::Label, format!("{} ", label.to_lowercase())),
            TextSpan::new(TextRole::Second, thousands(number)),
        ],
    };
    let rows = (0u64..).zip(warnings).map(|(key, warning)| TableRow {
        name: match is_text {
            true => say!("warnings-at-line", line = warning.line.to_string()),
            false => say!("warnings-message", message = warning.kind.to_string()),
        },
        key,
        cells: vec![
            labeled(say!("head-line"), warning.line),
            labeled(say!("head-byte"), warning.offset),
            TableCell::number(warning.count),
            TableCell::new(TextRole::Plain, warning.kind.to_string()),
        ],
        ..TableRow::default()
    });
    let (count, kept) = (session.index.info().warning_count, warnings.len() as u64);
    let words = if is_text {
        say!("warnings-lines", count = count)
    } else {
        say!("warnings-places", count = count)
    };
    let words = so_far(session, &words);
    let words = match kept {
        _ if count <= kept => words,
        1 => format!("{words}, {}", say!("warnings-one-is-listed")),
        _ => format!("{words}, {}", say!("warnings-that-differ", count = kept)),
    };
    let table = Table::new(words, &HEADS, rows.collect());
    if is_text {
        table
    } else {
        table
            .without_columns("head-line")
            .without_columns("head-byte")
    }
}

/// Returns the text of a line, without characters that would break the row.
fn line_text(session: &Session, line: u64, cancel: &Cancel) -> Result<String> {
    let found = RawLines {
        first: Line(line),
        count: 1,
    }
    .run(&session.index, cancel)?;
    let text = found
        .into_iter()
        .next()
        .map(|line| line.text)
        .unwrap_or_default();
    let shown = text
        .trim()
        .chars()
        .take(LONGEST)
        .map(|letter| if letter.is_control() { ' ' } else { letter });
    Ok(shown.collect())
}
