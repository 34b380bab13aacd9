//! Exports tables as text for other programs.

use serde_json::{Map, Value};

use super::table::{Table, TableCell, TableRow};
use super::{TextRole, TextSpan};
use crate::number::without_separators;

/// Export format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// One line per row, headed by the column names, separated by commas (RFC 4180, but lines end
    /// with `\n`).
    Csv,
    /// Array of objects, with the column names in lower case as keys.
    Json,
}

impl TableFormat {
    /// Returns the file name extension.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }

    /// Formats the rows of a table. Numbers have no separators; bars are left out, because they
    /// only repeat other columns.
    pub fn write(self, table: &Table) -> String {
        match self {
            Self::Csv => csv(table),
            Self::Json => json(table),
        }
    }
}

fn csv(table: &Table) -> String {
    let mut text = csv_line(keys(table).iter().map(|key| key.name.clone()));
    for row in &table.rows {
        text += &csv_line(keys(table).iter().map(|key| key.text(row)));
    }
    text
}

fn csv_line(fields: impl Iterator<Item = String>) -> String {
    let quoted = |field: String| match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    };
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

fn json(table: &Table) -> String {
    let keys = keys(table);
    let object = |row: &TableRow| {
        let fields = keys.iter().map(|key| {
            let (cell, text) = (row.cells.get(key.place), key.text(row));
            let number = text.parse::<serde_json::Number>().ok();
            let value = number
                .filter(|_| cell.is_some_and(is_number))
                .map(Value::Number);
            (key.name.clone(), value.unwrap_or(Value::String(text)))
        });
        Value::Object(fields.collect::<Map<_, _>>())
    };
    let rows: Vec<String> = table
        .rows
        .iter()
        .map(|row| object(row).to_string())
        .collect();
    format!("[\n{}\n]\n", rows.join(",\n"))
}

/// Exported column.
struct ExportColumn {
    name: String,
    place: usize,
    /// Exports the provenance of the value instead of the value.
    is_source: bool,
}

/// Columns with values of cells; another column is added for the provenance of each.
const VALUES: [&str; 3] = ["head-before", "head-value", "head-operands"];

impl ExportColumn {
    fn text(&self, row: &TableRow) -> String {
        let cell = row.cells.get(self.place);
        if self.is_source {
            cell.and_then(TableCell::doubt)
                .unwrap_or_default()
                .to_owned()
        } else {
            plain(cell)
        }
    }
}

fn keys(table: &Table) -> Vec<ExportColumn> {
    let is_bar = |place: usize| {
        table
            .rows
            .first()
            .is_some_and(|row| matches!(row.cells.get(place), Some(TableCell::Bar(..))))
    };
    let columns = table
        .columns
        .iter()
        .enumerate()
        .filter(|(place, _)| !is_bar(*place));
    let key = |(place, column): (usize, &super::table::TableColumn)| {
        let name = column
            .name
            .to_lowercase()
            .replace('%', "percent")
            .replace(' ', "_");
        let name = if name.is_empty() {
            "kind".to_owned()
        } else {
            name
        };
        let source = VALUES.contains(&column.id).then(|| ExportColumn {
            name: format!("{name}_source"),
            place,
            is_source: true,
        });
        std::iter::once(ExportColumn {
            name,
            place,
            is_source: false,
        })
        .chain(source)
    };
    columns.flat_map(key).collect()
}

/// True for a cell whose text is a number, not digits of something else.
fn is_number(cell: &TableCell) -> bool {
    match cell {
        TableCell::Text(_) => false,
        TableCell::Spans { number, spans } => number.is_some() && is_labeled(spans),
        TableCell::Number(..) | TableCell::Step(_) | TableCell::Bar(..) => true,
    }
}

/// True for a number with a label before it.
fn is_labeled(spans: &[TextSpan]) -> bool {
    matches!(spans, [label, _] if label.meaning == TextRole::Label)
}

/// Text of a cell without labels and separators, which are only for reading.
fn plain(cell: Option<&TableCell>) -> String {
    match cell {
        Some(TableCell::Text(span)) => span.text.clone(),
        Some(TableCell::Spans {
            number: Some(number),
            spans,
        }) if is_labeled(spans) => number.to_string(),
        Some(cell @ TableCell::Spans { .. }) => cell.text(),
        Some(cell) => without_separators(&cell.text()),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use stepback_parsers::Step;

    use super::*;

    #[test]
    fn values_that_the_trace_does_not_state_are_marked() {
        let row = |meaning| TableRow {
            cells: vec![TableCell::new(meaning, "10")],
            ..TableRow::default()
        };
        let rows = vec![
            row(TextRole::Plain),
            row(TextRole::Inferred),
            row(TextRole::External),
        ];
        let table = Table::new(String::new(), &["head-value"], rows);
        assert_eq!(
            TableFormat::Csv.write(&table),
            "value,value_source\n10,\n10,inferred\n10,external\n"
        );
        let lines: Vec<String> = table.rows.iter().map(TableRow::line).collect();
        assert_eq!(lines, ["10", "10 (inferred)", "10 (external)"]);
    }

    #[test]
    fn bytes_and_names_are_texts_even_where_they_have_only_digits() {
        let label = |number: u64| TableCell::Spans {
            number: Some(number),
            spans: vec![
                TextSpan::new(TextRole::Label, "line "),
                TextSpan::new(TextRole::Second, "1,234"),
            ],
        };
        let bytes = TableCell::Spans {
            number: None,
            spans: vec![TextSpan::new(TextRole::External, "44")],
        };
        let cells = vec![
            label(1234),
            bytes,
            TableCell::ranked(Some(7), TextRole::Plain, "7"),
        ];
        let table = Table::new(
            String::new(),
            &["Line", "Read", "Name"],
            vec![TableRow {
                cells,
                ..TableRow::default()
            }],
        );
        assert_eq!(
            TableFormat::Csv.write(&table),
            "line,read,name\n1234,44,7\n"
        );
        assert_eq!(
            TableFormat::Json.write(&table),
            "[\n{\"line\":1234,\"read\":\"44\",\"name\":\"7\"}\n]\n"
        );
    }

    #[test]
    fn tables_are_written_with_plain_numbers_and_quoted_words() {
        let row = |step: u64, words: &str| TableRow {
            cells: vec![
                TableCell::Step(Step(step)),
                TableCell::new(TextRole::Plain, words),
                TableCell::Bar(1, 2, 3),
                TableCell::number(1_234_567),
            ],
            ..TableRow::default()
        };
        let rows = vec![row(12_345, "ldr x0, [sp]"), row(3, "say \"7\"")];
        let table = Table::new(
            String::new(),
            &["Step", "Instruction", "Share", "Self %"],
            rows,
        );
        let csv = "step,instruction,self_percent\n12345,\"ldr x0, [sp]\",1234567\n3,\"say \"\"7\"\"\",1234567\n";
        assert_eq!(TableFormat::Csv.write(&table), csv);
        let json = "[\n{\"step\":12345,\"instruction\":\"ldr x0, [sp]\",\"self_percent\":1234567},\n\
                    {\"step\":3,\"instruction\":\"say \\\"7\\\"\",\"self_percent\":1234567}\n]\n";
        assert_eq!(TableFormat::Json.write(&table), json);
        assert_eq!(
            TableFormat::Csv.write(&Table {
                rows: Vec::new(),
                ..table
            }),
            "step,instruction,share,self_percent\n"
        );
    }
}
