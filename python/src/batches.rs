//! Rows as Arrow record batches.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, DictionaryArray, Int32Array,
    Int64Array, PrimitiveArray, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use stepback_debugger::columns::{Cell, Column, NameId, Names, TableRow};

/// Key of the metadata of a field that holds the meaning of the column.
pub const MEANING: &str = "meaning";

/// Returns the columns of a table.
pub fn schema<R: TableRow>() -> Schema {
    Schema::new(R::COLUMNS.iter().map(field).collect::<Vec<_>>())
}

fn field<R>(column: &Column<R>) -> Field {
    let kind = match column.cell {
        Cell::Count(_) | Cell::MaybeCount(_) => DataType::Int64,
        Cell::Bits(_) | Cell::MaybeBits(_) => DataType::UInt64,
        Cell::Small(_) | Cell::MaybeSmall(_) => DataType::Int32,
        Cell::Flag(_) => DataType::Boolean,
        // pandas reads only dictionaries with signed keys.
        Cell::Word(_) | Cell::Name(_) | Cell::MaybeName(_) => {
            DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
        }
        Cell::MaybeText(_) => DataType::Utf8,
        Cell::MaybeBytes(_) => DataType::Binary,
    };
    let meaning = (MEANING.to_owned(), column.meaning.to_owned());
    Field::new(column.name, kind, column.is_nullable()).with_metadata(HashMap::from([meaning]))
}

/// Maker of the record batches of a table.
pub struct BatchMaker {
    schema: SchemaRef,
    /// The shared texts, by number.
    names: Vec<Arc<str>>,
    /// The texts of each column, by its place.
    dictionaries: Vec<TextDictionary>,
}

impl BatchMaker {
    /// Creates a maker of batches with these columns.
    pub fn new(schema: SchemaRef) -> Self {
        let dictionaries = schema.fields().iter().map(|_| TextDictionary::default());
        Self {
            dictionaries: dictionaries.collect(),
            schema,
            names: Vec::new(),
        }
    }

    /// Converts rows to a batch.
    ///
    /// # Errors
    /// The rows are not of the table.
    pub fn batch<R: TableRow>(&mut self, rows: &[R], names: &Names) -> Result<RecordBatch> {
        self.names.extend(names.texts_from(self.names.len()));
        let columns = R::COLUMNS.iter().zip(&mut self.dictionaries);
        let arrays = columns.map(|(column, texts)| array(&column.cell, rows, texts, &self.names));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), arrays)?)
    }
}

fn array<R>(
    cell: &Cell<R>,
    rows: &[R],
    texts: &mut TextDictionary,
    names: &[Arc<str>],
) -> Result<ArrayRef> {
    let all = || rows.iter();
    Ok(match cell {
        Cell::Count(read) => Arc::new(Int64Array::from_iter_values(
            all().map(|row| read(row).cast_signed()),
        )),
        Cell::MaybeCount(read) => Arc::new(numbers::<Int64Type>(
            all().map(|row| read(row).map(u64::cast_signed)),
        )),
        Cell::Bits(read) => Arc::new(UInt64Array::from_iter_values(all().map(read))),
        Cell::MaybeBits(read) => Arc::new(numbers::<UInt64Type>(all().map(read))),
        Cell::Small(read) => Arc::new(Int32Array::from_iter_values(
            all().map(|row| read(row).cast_signed()),
        )),
        Cell::MaybeSmall(read) => Arc::new(numbers::<Int32Type>(
            all().map(|row| read(row).map(u32::cast_signed)),
        )),
        Cell::Flag(read) => Arc::new(BooleanArray::from_iter(all().map(|row| Some(read(row))))),
        Cell::Word(read) => {
            let keys = Int32Array::from_iter_values(all().map(|row| texts.word(read(row))));
            Arc::new(texts.array(keys)?)
        }
        Cell::Name(read) => {
            let keys = Int32Array::from_iter_values(all().map(|row| texts.name(read(row), names)));
            Arc::new(texts.array(keys)?)
        }
        Cell::MaybeName(read) => {
            let key = |row| read(row).map(|name| texts.name(name, names));
            let keys = Int32Array::from_iter(all().map(key));
            Arc::new(texts.array(keys)?)
        }
        Cell::MaybeText(read) => Arc::new(StringArray::from_iter(all().map(read))),
        Cell::MaybeBytes(read) => Arc::new(BinaryArray::from_iter(all().map(read))),
    })
}

/// Returns the cells as an array, which needs no list of missing ones if all are known.
fn numbers<T: ArrowPrimitiveType>(
    cells: impl Iterator<Item = Option<T::Native>> + Clone,
) -> PrimitiveArray<T> {
    let mut is_whole = true;
    let known = cells.clone().map(|cell| {
        is_whole &= cell.is_some();
        cell.unwrap_or_default()
    });
    let known: Vec<T::Native> = known.collect();
    match is_whole {
        true => PrimitiveArray::new(known.into(), None),
        false => cells.collect(),
    }
}

/// The different texts of a column. Later batches keep the keys of earlier ones.
#[derive(Default)]
struct TextDictionary {
    texts: Vec<Box<str>>,
    /// Keys of shared texts, by their number.
    keys: Vec<Option<i32>>,
    /// The texts as an array, if it is up to date.
    values: Option<ArrayRef>,
}

impl TextDictionary {
    /// Returns the key of a word. There are only a few different ones.
    fn word(&mut self, word: &str) -> i32 {
        match self.texts.iter().position(|text| **text == *word) {
            Some(place) => i32::try_from(place).unwrap_or(i32::MAX),
            None => self.add(word),
        }
    }

    /// Returns the key of a shared text.
    fn name(&mut self, id: NameId, names: &[Arc<str>]) -> i32 {
        let place = id.0 as usize;
        if let Some(Some(key)) = self.keys.get(place) {
            return *key;
        }
        let key = self.add(names.get(place).map_or("", |text| text));
        if self.keys.len() <= place {
            self.keys.resize(place + 1, None);
        }
        if let Some(known) = self.keys.get_mut(place) {
            *known = Some(key);
        }
        key
    }

    fn add(&mut self, text: &str) -> i32 {
        self.values = None;
        self.texts.push(text.into());
        i32::try_from(self.texts.len() - 1).unwrap_or(i32::MAX)
    }

    fn array(&mut self, keys: Int32Array) -> Result<DictionaryArray<Int32Type>> {
        let texts = &self.texts;
        let made = || Arc::new(StringArray::from_iter_values(texts)) as ArrayRef;
        let values = self.values.get_or_insert_with(made);
        Ok(DictionaryArray::try_new(keys, Arc::clone(values))?)
    }
}
