//! `stepback export`: a trace as Parquet tables, one run of a dataset of many traces.
//!
//! ```text
//! DIR/TABLE/run=NAME/part-00000.parquet    the rows of a part of the trace, or of a sorted table
//! DIR/views.sql, DIR/views.spark.sql       views and functions for DuckDB and Spark
//! DIR/_SUCCESS                             the last export was completed
//! ```
//! Files are written into a temporary directory inside `DIR`, and moved when all are complete. The
//! table `runs` is moved last: a run without a row there is incomplete. Other runs are not touched.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::columns::{
    AccessRow, CallRow, CellRow, CodeRow, Columns, MarkerRow, RegisterWriteRow, RowSink, RunRow,
    StepRow, TableRow, ThreadRow,
};
use stepback_debugger::new_file::{NewDirectory, NewFile};
use stepback_debugger::session::is_demo;
use stepback_index::in_order::map_in_order;
use stepback_parsers::Position;

use crate::cli::answer_forms::AnswerForms;
use crate::cli::cell_order::SortedBlocks;
use crate::cli::error::CommandError;
use crate::cli::interrupt::remove_files_on_signals;
use crate::cli::parquet_file::{NameCells, ParquetFile};
use crate::cli::question::{Command, Question, TraceArguments};
use crate::cli::report::Report;
use crate::cli::text::{counted, size_text};

/// Help text below the options.
pub const HELP: &str = "\
DIR becomes a dataset: a directory for each table, and in it one for each run (trace). Exporting
another trace into DIR adds a run and leaves the others as they are. views.sql in DIR has views and
functions for DuckDB, views.spark.sql the same for Spark. The tables hold what the trace records:
values that Stepback infers are not in them. stepback help columns describes them.";

/// Views and functions for DuckDB.
const DUCKDB_VIEWS: &str = include_str!("../../assets/columns/views.sql");
/// Views and functions for Spark.
const SPARK_VIEWS: &str = include_str!("../../assets/columns/views.spark.sql");
/// All tables, `runs` first.
const TABLES: [&str; 10] = [
    RunRow::TABLE,
    ThreadRow::TABLE,
    StepRow::TABLE,
    CodeRow::TABLE,
    RegisterWriteRow::TABLE,
    RegisterWriteRow::SORTED_TABLE,
    AccessRow::TABLE,
    AccessRow::SORTED_TABLE,
    CallRow::TABLE,
    MarkerRow::TABLE,
];
/// Number of row groups in a file of a sorted table.
const GROUPS_OF_FILE: usize = 4;

/// Returns a description of all tables, for `stepback help columns`.
pub fn tables_help() -> String {
    let mut text = "\
Tables of stepback export --parquet. Types are those of DuckDB; a cell of a type with ? may be missing.
Each table also has the column run, the name of the run, which engines take from the path.
An effect is visible from position coalesce(step + 1, 0) + late on: views.sql adds that column.
"
    .to_owned();
    describe::<RunRow>(&mut text);
    describe::<ThreadRow>(&mut text);
    describe::<StepRow>(&mut text);
    describe::<CodeRow>(&mut text);
    describe::<RegisterWriteRow>(&mut text);
    describe::<AccessRow>(&mut text);
    describe::<CallRow>(&mut text);
    describe::<MarkerRow>(&mut text);
    text
}

fn describe<R: TableRow>(text: &mut String) {
    text.push_str(&format!("\n{}: {}\n", R::TABLE, R::MEANING));
    for column in R::COLUMNS {
        let mark = if column.is_nullable() { "?" } else { "" };
        let of = format!("{}{mark}", column.type_word());
        text.push_str(&format!(
            "  {:<16} {of:<8} {}\n",
            column.name, column.meaning
        ));
    }
}

#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Directory of the dataset; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    pub parquet: PathBuf,
    /// Name of the run (default: the name of the trace without its extension).
    #[arg(long, value_name = "NAME")]
    pub run: Option<String>,
    /// Replace the run of that name if there is one.
    #[arg(long)]
    pub replace: bool,
    /// Also write accesses by address and register writes by register, for fast lookups of one cell.
    #[arg(long)]
    pub sorted: bool,
    #[command(flatten)]
    pub common: TraceArguments,
}

/// Summary of an export.
#[derive(Debug, Serialize, JsonSchema)]
struct ExportJson {
    directory: String,
    run: String,
    bytes: u64,
    tables: Vec<TableJson>,
}

/// A table of an export.
#[derive(Debug, Serialize, JsonSchema)]
struct TableJson {
    table: &'static str,
    rows: u64,
    bytes: u64,
}

/// Returns the forms of the JSON output.
pub fn forms(forms: AnswerForms) -> AnswerForms {
    forms.or::<ExportJson>()
}

impl Command for ExportArguments {
    fn check(&self) -> Result<(), String> {
        match self.run.as_deref() {
            Some(name) if !is_run_name(name) => Err(format!(
                "\"{name}\" is not a name for a run: use letters, digits and any of . _ + -, and begin with a letter or digit"
            )),
            _ => Ok(()),
        }
    }

    fn run(&self) -> Result<()> {
        Question::new(&self.common).ask(|report| export(self, report))
    }
}

/// Returns true for names that every engine reads from a path without escapes.
fn is_run_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || ".+-_".contains(letter))
}

/// Returns the name of the run: as requested, or after the trace.
fn run_name(arguments: &ExportArguments, report: &Report<'_>) -> String {
    if let Some(name) = &arguments.run {
        return name.clone();
    }
    let path = &report.session.path;
    if is_demo(path) {
        return "demo".to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |letter: char| match letter.is_ascii_alphanumeric() || ".+-_".contains(letter) {
        true => letter,
        false => '-',
    };
    let name: String = stem.chars().map(plain).collect();
    match is_run_name(&name) {
        true => name,
        false => format!("run{name}"),
    }
}

fn export(arguments: &ExportArguments, report: &mut Report<'_>) -> Result<()> {
    let dataset = &arguments.parquet;
    let run = run_name(arguments, report);
    check_run(arguments, &run)?;
    let cannot_write = || format!("{}: the dataset could not be written", dataset.display());
    fs::create_dir_all(dataset).with_context(cannot_write)?;
    remove_files_on_signals();
    let writing = NewDirectory::create(dataset, "_writing-").with_context(cannot_write)?;
    let writer = DatasetWriter {
        columns: Columns::new(report.session),
        folder: writing.path(),
        totals: Mutex::default(),
        accesses: sorted_blocks(arguments, writing.path())?,
        writes: sorted_blocks(arguments, writing.path())?,
    };
    write_tables(&writer, report)?;
    let tables = writer.finish(report)?;
    let views = [
        ("views.sql", DUCKDB_VIEWS),
        ("views.spark.sql", SPARK_VIEWS),
    ];
    for (name, text) in views {
        NewFile::write_whole(&dataset.join(name), text.as_bytes()).with_context(cannot_write)?;
    }
    // Only one export moves its files at a time.
    let lock = File::create(dataset.join("_lock")).with_context(cannot_write)?;
    lock.lock().with_context(cannot_write)?;
    check_run(arguments, &run)?;
    writing
        .finish(|writing| move_run(dataset, writing, &run, &tables))
        .with_context(cannot_write)?;
    NewFile::write_whole(&dataset.join("_SUCCESS"), b"").with_context(cannot_write)?;
    print(report, dataset, run, tables)
}

/// Creates the blocks of a sorted table, if it is requested.
fn sorted_blocks<R: CellRow>(
    arguments: &ExportArguments,
    folder: &Path,
) -> Result<Option<SortedBlocks<R>>> {
    let blocks = arguments.sorted.then(|| SortedBlocks::new(folder));
    blocks
        .transpose()
        .with_context(|| format!("{}: rows could not be sorted here", folder.display()))
}

/// Refuses a run that exists, unless it is to be replaced.
fn check_run(arguments: &ExportArguments, run: &str) -> Result<()> {
    let dataset = &arguments.parquet;
    if run_path(dataset, RunRow::TABLE, run).exists() && !arguments.replace {
        bail!(CommandError::Usage(format!(
            "{} already has a run {run}: name this one with --run NAME, or replace it with --replace",
            dataset.display()
        )));
    }
    Ok(())
}

fn print(
    report: &mut Report<'_>,
    dataset: &Path,
    run: String,
    tables: Vec<TableJson>,
) -> Result<()> {
    let bytes = tables.iter().map(|table| table.bytes).sum();
    if report.is_json {
        return report.json(&ExportJson {
            directory: dataset.display().to_string(),
            run,
            bytes,
            tables,
        });
    }
    if report.is_quiet {
        return Ok(());
    }
    for TableJson { table, rows, bytes } in &tables {
        let (rows, size) = (counted(*rows, "row"), size_text(*bytes));
        report.text(&format!("{table:<28} {rows:>20} {size:>12}\n"))?;
    }
    let (dataset, size) = (dataset.display(), size_text(bytes));
    report.text(&format!("{dataset}: run {run}, {size}\n"))
}

/// Reads the parts of the trace in parallel, then what needs all of them.
fn write_tables(writer: &DatasetWriter<'_>, report: &Report<'_>) -> Result<()> {
    let (cancel, progress) = (&report.cancel, report.progress);
    let steps = report.session.index.step_count();
    progress.bytes_total.store(steps, Ordering::Relaxed);
    let parts = writer.columns.parts().into_iter().enumerate();
    let write_part = |(number, part): (usize, Range<Position>)| {
        let steps = part.end.0 - part.start.0;
        let mut sink = PartWriter::new(writer, number);
        writer.columns.read_part(part, &mut sink, cancel)?;
        sink.finish()?;
        anyhow::Ok(steps)
    };
    map_in_order(parts, write_part, |steps| {
        progress.bytes_done.fetch_add(steps, Ordering::Relaxed);
        Ok(())
    })?;
    let mut sink = PartWriter::new(writer, 0);
    writer.columns.read_calls(&mut sink, cancel)?;
    writer.columns.read_rest(&mut sink)?;
    sink.finish()
}

/// Moves a complete run to its place: `runs` last.
fn move_run(dataset: &Path, writing: &Path, run: &str, tables: &[TableJson]) -> Result<()> {
    let is_last = |table: &&TableJson| table.table == RunRow::TABLE;
    let (last, first): (Vec<_>, Vec<_>) = tables.iter().partition(is_last);
    let place = |table: &TableJson| run_path(dataset, table.table, run);
    // The row of `runs` goes first, because without it the others count for nothing.
    for table in TABLES {
        let old = run_path(dataset, table, run);
        if old.exists() {
            fs::rename(old, writing.join(format!("old-{table}")))?;
        }
    }
    for table in first.into_iter().chain(last) {
        fs::create_dir_all(dataset.join(table.table))?;
        fs::rename(writing.join(table.table), place(table))?;
    }
    Ok(())
}

fn run_path(dataset: &Path, table: &str, run: &str) -> PathBuf {
    dataset.join(table).join(format!("run={run}"))
}

/// Writes the tables of one run.
struct DatasetWriter<'a> {
    columns: Columns<'a>,
    /// Directory of the run's tables.
    folder: &'a Path,
    /// Rows and bytes of each table.
    totals: Mutex<HashMap<&'static str, (u64, u64)>>,
    accesses: Option<SortedBlocks<AccessRow>>,
    writes: Option<SortedBlocks<RegisterWriteRow>>,
}

impl DatasetWriter<'_> {
    fn create<R: TableRow>(&self, table: &'static str, number: usize) -> Result<ParquetFile> {
        let folder = self.folder.join(table);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
            _ => {}
        }
        ParquetFile::create::<R>(&folder.join(format!("part-{number:05}.parquet")))
    }

    fn add(&self, table: &'static str, rows: u64, bytes: u64) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        let total = totals.entry(table).or_default();
        (total.0, total.1) = (total.0 + rows, total.1 + bytes);
    }

    /// Writes the sorted tables, and returns the totals of all tables by name.
    fn finish(mut self, report: &Report<'_>) -> Result<Vec<TableJson>> {
        if let Some(writes) = self.writes.take() {
            self.write_sorted(writes, report)?;
        }
        if let Some(accesses) = self.accesses.take() {
            self.write_sorted(accesses, report)?;
        }
        let totals = self.totals.into_inner();
        let totals = totals.unwrap_or_else(PoisonError::into_inner);
        let table = |(table, (rows, bytes))| TableJson { table, rows, bytes };
        let mut tables: Vec<_> = totals.into_iter().map(table).collect();
        tables.sort_unstable_by_key(|table| table.table);
        Ok(tables)
    }

    fn write_sorted<R: CellRow>(&self, blocks: SortedBlocks<R>, report: &Report<'_>) -> Result<()> {
        let mut names = NameCells::default();
        names.refresh(self.columns.names());
        let (mut number, mut groups) = (0, 0);
        let mut file = self.create::<R>(R::SORTED_TABLE, number)?;
        blocks.merge(self.columns.names(), &report.cancel, |rows| {
            if groups == GROUPS_OF_FILE {
                (number, groups) = (number + 1, 0);
                let next = self.create::<R>(R::SORTED_TABLE, number)?;
                self.add(
                    R::SORTED_TABLE,
                    0,
                    std::mem::replace(&mut file, next).finish()?,
                );
            }
            file.write(rows, &names)?;
            groups += 1;
            self.add(R::SORTED_TABLE, rows.len() as u64, 0);
            Ok(())
        })?;
        self.add(R::SORTED_TABLE, 0, file.finish()?);
        Ok(())
    }
}

/// Writes the rows of a part, a file for each table.
struct PartWriter<'a> {
    dataset: &'a DatasetWriter<'a>,
    number: usize,
    files: HashMap<&'static str, ParquetFile>,
    names: NameCells,
}

impl<'a> PartWriter<'a> {
    fn new(dataset: &'a DatasetWriter<'a>, number: usize) -> Self {
        Self {
            dataset,
            number,
            files: HashMap::new(),
            names: NameCells::default(),
        }
    }

    fn finish(self) -> Result<()> {
        for (table, file) in self.files {
            self.dataset.add(table, 0, file.finish()?);
        }
        Ok(())
    }
}

impl RowSink for PartWriter<'_> {
    fn take<R: TableRow>(&mut self, rows: &[R]) -> Result<()> {
        // Every table has a first file, which shows its columns even if it has no row.
        if rows.is_empty() && (self.number > 0 || self.files.contains_key(R::TABLE)) {
            return Ok(());
        }
        self.names.refresh(self.dataset.columns.names());
        let file = match self.files.entry(R::TABLE) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(none) => none.insert(self.dataset.create::<R>(R::TABLE, self.number)?),
        };
        if !rows.is_empty() {
            file.write(rows, &self.names)?;
        }
        self.dataset.add(R::TABLE, rows.len() as u64, 0);
        Ok(())
    }

    fn take_writes(&mut self, rows: Vec<RegisterWriteRow>) -> Result<()> {
        self.take(&rows)?;
        let sorted = self.dataset.writes.as_ref();
        sorted.map_or(Ok(()), |blocks| {
            blocks.add(rows, self.dataset.columns.names())
        })
    }

    fn take_accesses(&mut self, rows: Vec<AccessRow>) -> Result<()> {
        self.take(&rows)?;
        let sorted = self.dataset.accesses.as_ref();
        sorted.map_or(Ok(()), |blocks| {
            blocks.add(rows, self.dataset.columns.names())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_names_need_no_escapes_in_paths() {
        let names = [
            "boot",
            "a.b_c+d-1",
            "0",
            "",
            ".x",
            "_x",
            "a b",
            "a/b",
            "a=b",
            "é",
        ];
        let expected = [
            true, true, true, false, false, false, false, false, false, false,
        ];
        assert_eq!(names.map(is_run_name), expected);
    }
}
