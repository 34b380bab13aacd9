//! Writes rows as Parquet files: row groups of one block, zstd, page index.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Error, Result};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use stepback_debugger::columns::{
    BLOCK_ROWS, Cell, Column, ColumnEncoding, NameId, Names, TableRow,
};

/// Maximum size of a dictionary: above it, the rest of the row group is written without one. A
/// block of different 64-bit numbers fits.
const DICTIONARY_BYTES: usize = 8 * BLOCK_ROWS;

/// The shared texts as cells.
#[derive(Debug, Default)]
pub struct NameCells(Vec<ByteArray>);

impl NameCells {
    /// Takes the texts that are new.
    pub fn refresh(&mut self, names: &Names) {
        let new = names.texts_from(self.0.len());
        self.0
            .extend(new.iter().map(|text| ByteArray::from(&**text)));
    }

    fn get(&self, id: NameId) -> ByteArray {
        let text = self.0.get(id.0 as usize);
        text.cloned().unwrap_or_else(|| ByteArray::from(""))
    }
}

/// A Parquet file that is being written.
pub struct ParquetFile {
    writer: SerializedFileWriter<BufWriter<File>>,
    path: PathBuf,
}

impl ParquetFile {
    /// Creates a file for a table.
    pub fn create<R: TableRow>(path: &Path) -> Result<Self> {
        let file = File::create_new(path).with_context(|| not_written(path))?;
        let properties = Arc::new(properties::<R>()?);
        let file = BufWriter::new(file);
        let writer = SerializedFileWriter::new(file, schema::<R>()?, properties)
            .with_context(|| not_written(path))?;
        let path = path.to_owned();
        Ok(Self { writer, path })
    }

    /// Writes the rows as one row group.
    pub fn write<R: TableRow>(&mut self, rows: &[R], names: &NameCells) -> Result<()> {
        let mut written = || {
            let mut group = self.writer.next_row_group()?;
            R::COLUMNS
                .iter()
                .try_for_each(|column| write_column(&mut group, column, rows, names))?;
            group.close()?;
            anyhow::Ok(())
        };
        written()
            .map_err(system_cause)
            .with_context(|| not_written(&self.path))
    }

    /// Writes the end of the file, and returns its size in bytes.
    pub fn finish(self) -> Result<u64> {
        let Self { writer, path } = self;
        let finished = || {
            let file = writer.into_inner()?.into_inner()?;
            file.sync_data()?;
            anyhow::Ok(file.metadata()?.len())
        };
        finished()
            .map_err(system_cause)
            .with_context(|| not_written(&path))
    }
}

/// Returns the error of the system that an error of the library wraps.
fn system_cause(error: Error) -> Error {
    match error.downcast() {
        Ok(ParquetError::External(cause)) => match cause.downcast::<io::Error>() {
            Ok(cause) => Error::new(*cause),
            Err(cause) => Error::msg(cause.to_string()),
        },
        Ok(other) => other.into(),
        Err(error) => error,
    }
}

fn not_written(path: &Path) -> String {
    format!("{}: the file could not be written", path.display())
}

fn write_column<R: TableRow>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<File>>,
    column: &Column<R>,
    rows: &[R],
    names: &NameCells,
) -> Result<()> {
    match column.cell {
        Cell::Count(read) | Cell::Bits(read) => {
            all_cells::<R, Int64Type>(group, rows, |row| read(row).cast_signed())
        }
        Cell::MaybeCount(read) | Cell::MaybeBits(read) => {
            some_cells::<R, Int64Type>(group, rows, |row| read(row).map(u64::cast_signed))
        }
        Cell::Small(read) => all_cells::<R, Int32Type>(group, rows, |row| read(row).cast_signed()),
        Cell::MaybeSmall(read) => {
            some_cells::<R, Int32Type>(group, rows, |row| read(row).map(u32::cast_signed))
        }
        Cell::Flag(read) => all_cells::<R, BoolType>(group, rows, read),
        Cell::Word(read) => all_cells::<R, ByteArrayType>(group, rows, |row| {
            Bytes::from_static(read(row).as_bytes()).into()
        }),
        Cell::Name(read) => all_cells::<R, ByteArrayType>(group, rows, |row| names.get(read(row))),
        Cell::MaybeName(read) => {
            some_cells::<R, ByteArrayType>(group, rows, |row| read(row).map(|name| names.get(name)))
        }
        Cell::MaybeText(read) => {
            some_cells::<R, ByteArrayType>(group, rows, |row| read(row).map(ByteArray::from))
        }
        Cell::MaybeBytes(read) => some_cells::<R, ByteArrayType>(group, rows, |row| {
            read(row).map(|bytes| bytes.to_vec().into())
        }),
    }
}

/// Number of rows that are converted at once, so that the cells stay in the processor's cache.
const CONVERTED_ROWS: usize = 1 << 11;

/// Writes a column in which no cell is missing.
fn all_cells<R, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<File>>,
    rows: &[R],
    read: impl Fn(&R) -> T::T,
) -> Result<()> {
    // The schema has a column for each entry of the same list.
    let Some(mut column) = group.next_column()? else {
        return Ok(());
    };
    let mut cells = Vec::with_capacity(CONVERTED_ROWS);
    for rows in rows.chunks(CONVERTED_ROWS) {
        cells.clear();
        cells.extend(rows.iter().map(&read));
        column.typed::<T>().write_batch(&cells, None, None)?;
    }
    column.close()?;
    Ok(())
}

/// Writes a column in which cells may be missing.
fn some_cells<R, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, BufWriter<File>>,
    rows: &[R],
    read: impl Fn(&R) -> Option<T::T>,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else {
        return Ok(());
    };
    let mut cells = Vec::with_capacity(CONVERTED_ROWS);
    let mut levels = Vec::with_capacity(CONVERTED_ROWS);
    for rows in rows.chunks(CONVERTED_ROWS) {
        cells.clear();
        levels.clear();
        for row in rows {
            let cell = read(row);
            levels.push(i16::from(cell.is_some()));
            cells.extend(cell);
        }
        column
            .typed::<T>()
            .write_batch(&cells, Some(&levels), None)?;
    }
    column.close()?;
    Ok(())
}

fn properties<R: TableRow>() -> Result<WriterProperties> {
    let producer = concat!("stepback version ", env!("CARGO_PKG_VERSION"));
    let table = KeyValue::new("stepback.table".to_owned(), R::TABLE.to_owned());
    let start = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_max_row_group_row_count(Some(BLOCK_ROWS))
        .set_dictionary_page_size_limit(DICTIONARY_BYTES)
        .set_created_by(producer.to_owned())
        .set_key_value_metadata(Some(vec![table]));
    let encoded = |builder: WriterPropertiesBuilder, column: &Column<R>| {
        let path = ColumnPath::from(column.name);
        match column.encoding {
            ColumnEncoding::Dictionary => builder,
            ColumnEncoding::Plain => builder.set_column_dictionary_enabled(path, false),
            ColumnEncoding::Delta => builder
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED),
        }
    };
    Ok(R::COLUMNS.iter().fold(start, encoded).build())
}

fn schema<R: TableRow>() -> Result<TypePtr> {
    let fields = R::COLUMNS.iter().map(|column| Ok(Arc::new(field(column)?)));
    let fields = fields.collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(
        Type::group_type_builder(R::TABLE)
            .with_fields(fields)
            .build()?,
    ))
}

fn field<R>(column: &Column<R>) -> Result<Type> {
    let unsigned = Some(LogicalType::integer(64, false));
    let (physical, logical) = match column.cell {
        Cell::Count(_) | Cell::MaybeCount(_) => (Physical::INT64, None),
        Cell::Bits(_) | Cell::MaybeBits(_) => (Physical::INT64, unsigned),
        Cell::Small(_) | Cell::MaybeSmall(_) => (Physical::INT32, None),
        Cell::Flag(_) => (Physical::BOOLEAN, None),
        Cell::Word(_) | Cell::Name(_) | Cell::MaybeName(_) | Cell::MaybeText(_) => {
            (Physical::BYTE_ARRAY, Some(LogicalType::String))
        }
        Cell::MaybeBytes(_) => (Physical::BYTE_ARRAY, None),
    };
    let repetition = match column.is_nullable() {
        true => Repetition::OPTIONAL,
        false => Repetition::REQUIRED,
    };
    Ok(Type::primitive_type_builder(column.name, physical)
        .with_logical_type(logical)
        .with_repetition(repetition)
        .build()?)
}
