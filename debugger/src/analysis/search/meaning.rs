//! Interprets a search text: words, a number, bytes, a code location, a cell, a function.

use std::fmt;

use stepback_index::answer::{AccessKinds, Cell, Number};
use stepback_index::query::{NearestVisit, PatternFault, SOUGHT_BYTES, TextPattern};
use stepback_index::{Cancel, Index, Query as _, QueryError};
use stepback_machine::Address;
use stepback_parsers::Position;

use crate::action::{FindKind, FindQuery};
use crate::analysis::names::{NameError, NameResolver, code_address};
use crate::analysis::search::stream::Search;
use crate::analysis::search::wide_number;
use crate::expression::{
    AddressSpace, BareNumber, ExampleRegisters, LONG_HEX, bare_hex, decimal, split_range,
    split_space,
};
use crate::image::{Images, Symbol, line_code};
use crate::messages::say;

/// Maximum number of functions with a common part of their name that are searched.
pub const FUNCTIONS: usize = 256;

/// Prefixes that state how a text is read.
const PREFIXES: [(&str, FindKind); 12] = [
    ("text:", FindKind::Text),
    ("regex:", FindKind::Regex),
    ("re:", FindKind::Regex),
    ("value:", FindKind::Value),
    ("bytes:", FindKind::Bytes),
    ("pc:", FindKind::Address),
    ("address:", FindKind::Address),
    ("line:", FindKind::Address),
    ("access:", FindKind::Accesses),
    ("accesses:", FindKind::Accesses),
    ("function:", FindKind::Function),
    ("fn:", FindKind::Function),
];

/// An interpreted search text.
#[derive(Clone, Debug)]
pub struct ParsedSearch {
    /// Kind that it was read as; never [`FindKind::Auto`].
    pub kind: FindKind,
    /// The text without its prefix.
    pub text: String,
    pub search: Search,
    /// Reason why a text that looks like a cell or a source line was read as words.
    pub not_read: Option<String>,
    /// Another number that a cell's value may mean: read as decimal, or as a name.
    other_value: Option<u64>,
    /// Functions whose names contain the text, if it was read as words. Set by
    /// [`Self::with_functions`].
    pub functions: Vec<Address>,
}

impl ParsedSearch {
    /// Returns this with the functions whose names contain the text. Cost: looks at every name.
    pub fn with_functions(mut self, images: &Images) -> Self {
        if self.kind == FindKind::Text {
            self.functions = functions_with(images, &self.text);
        }
        self
    }

    /// Returns the text, with `0x` before a cell's value that was read as hexadecimal.
    pub fn stated(&self) -> String {
        match with_value(&self.text) {
            Some((cell, value)) if shown_value(value).is_some() => {
                format!("{} = 0x{}", cell.trim(), value.trim())
            }
            _ => self.text.clone(),
        }
    }

    /// Returns the other possible meanings of the text.
    pub fn others(&self) -> Vec<FindQuery> {
        let question = |kind, text: String| FindQuery {
            text,
            kind,
            ..FindQuery::default()
        };
        if let Some((cell, value)) = with_value(&self.text) {
            let other = self
                .other_value
                .map(|number| question(self.kind, format!("{} = {number:#x}", cell.trim())));
            return other
                .into_iter()
                .filter(|_| shown_value(value).is_some())
                .collect();
        }
        let bare = bare_hex(&self.text).map(|_| format!("0x{}", self.text));
        let hex = bare
            .clone()
            .or_else(|| typed_hex(&self.text).map(|_| self.text.clone()));
        let is_decimal = self.text.bytes().all(|byte| byte.is_ascii_digit());
        match (self.kind, hex) {
            (FindKind::Value, Some(hex)) if is_decimal => {
                let value = self
                    .other_value
                    .map_or(hex.clone(), |number| format!("{number:#x}"));
                let kinds =
                    [FindKind::Accesses, FindKind::Address].map(|kind| question(kind, hex.clone()));
                [question(FindKind::Value, value)]
                    .into_iter()
                    .chain(kinds)
                    .collect()
            }
            (FindKind::Value, Some(hex)) => {
                vec![
                    question(FindKind::Address, hex.clone()),
                    question(FindKind::Accesses, hex),
                ]
            }
            (FindKind::Address, Some(hex)) => {
                vec![
                    question(FindKind::Value, hex.clone()),
                    question(FindKind::Accesses, hex),
                ]
            }
            (FindKind::Accesses, Some(hex)) => {
                vec![
                    question(FindKind::Value, hex.clone()),
                    question(FindKind::Address, hex),
                ]
            }
            (FindKind::Function, _) => vec![question(FindKind::Text, self.text.clone())],
            (FindKind::Text, _) if (1..=FUNCTIONS).contains(&self.functions.len()) => {
                vec![question(FindKind::Function, self.text.clone())]
            }
            _ => Vec::new(),
        }
    }
}

/// Reason that a text has no meaning.
#[derive(Debug)]
pub enum SearchParseError {
    /// The text is empty.
    Empty,
    /// It is not a regular expression.
    Pattern(PatternFault),
    /// It is too long for a pattern.
    TooLong,
    /// It is neither a number nor an expression with a value here.
    Value(NameError, ExampleRegisters),
    /// It is not a run of bytes (the text).
    Bytes(String),
    /// It names no code location.
    Code(NameError),
    /// It names no cell.
    Cell(NameError, ExampleRegisters),
    /// No image has such a function (the text).
    NoFunction(String),
    /// Too many functions match (their number).
    Functions(usize),
    /// The trace or its index could not be read.
    Trace(QueryError),
}

impl From<QueryError> for SearchParseError {
    fn from(error: QueryError) -> Self {
        Self::Trace(error)
    }
}

impl std::error::Error for SearchParseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Trace(error) | Self::Value(NameError::Trace(error), _) => Some(error),
            Self::Code(NameError::Trace(error)) | Self::Cell(NameError::Trace(error), _) => {
                Some(error)
            }
            _ => None,
        }
    }
}

impl fmt::Display for SearchParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str(say!("meaning-empty")),
            Self::Pattern(fault) => f.write_str(&say!(
                "meaning-pattern",
                at = fault.at.to_string(),
                what = fault.what.to_string()
            )),
            Self::TooLong => f.write_str(say!("meaning-too-long")),
            Self::Value(error, registers) => {
                f.write_str(&registers.spoken_with("meaning-value", error))
            }
            Self::Bytes(text) => f.write_str(&say!("meaning-bytes", text = format!("{text:?}"))),
            Self::Code(error) => f.write_str(&say!("meaning-code", error = error.to_string())),
            Self::Cell(error, registers) => {
                f.write_str(&registers.spoken_with("meaning-cell", error))
            }
            Self::NoFunction(text) => {
                f.write_str(&say!("meaning-no-function", text = format!("{text:?}")))
            }
            Self::Functions(count) => f.write_str(&say!(
                "meaning-functions",
                count = count.to_string(),
                most = FUNCTIONS.to_string()
            )),
            Self::Trace(error) => write!(f, "{error}"),
        }
    }
}

/// Parser of search texts at a position, where names have their meaning.
pub struct SearchParser<'a> {
    names: NameResolver<'a>,
    index: &'a Index,
    images: &'a Images,
    cancel: &'a Cancel,
}

impl<'a> SearchParser<'a> {
    /// Creates a parser. Registers and memory have their values at `at`, in the thread of the step
    /// before it.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn new(
        index: &'a Index,
        images: &'a Images,
        at: Position,
        cancel: &'a Cancel,
    ) -> Result<Self, QueryError> {
        Ok(Self {
            names: NameResolver::new(index, images, at, None, cancel)?,
            index,
            images,
            cancel,
        })
    }

    /// Interprets a text. Blocks: may query the trace.
    ///
    /// # Errors
    /// The text has no meaning, or the trace could not be read.
    pub fn read(&self, text: &str, kind: FindKind) -> Result<ParsedSearch, SearchParseError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SearchParseError::Empty);
        }
        let (requested, typed) = (kind, text);
        let (kind, text) = match kind {
            FindKind::Auto => self.kind_of(text)?,
            FindKind::Regex => (kind, between_slashes(text).unwrap_or(text)),
            _ => (kind, text),
        };
        if text.is_empty() {
            return Err(SearchParseError::Empty);
        }
        let not_read = match (requested, kind) {
            (FindKind::Auto, FindKind::Text) if typed == text => self.reason_for_words(text)?,
            _ => None,
        };
        let search = self.search(kind, text)?;
        let other_value = match (&search, with_value(text)) {
            (Search::Accesses(_, _, Some(taken)), Some((_, value))) => {
                let other = decimal(value).or_else(|| self.names.number(value.trim()).ok());
                other.filter(|other| Number::from(*other) != *taken)
            }
            (Search::Value(taken), None) => {
                let readings = [bare_hex(text), decimal(text)].into_iter().flatten();
                readings
                    .into_iter()
                    .find(|other| Number::from(*other) != *taken)
            }
            _ => None,
        };
        Ok(ParsedSearch {
            kind,
            functions: Vec::new(),
            text: text.to_owned(),
            search,
            not_read,
            other_value,
        })
    }

    /// Returns the reason why a text that looks like a cell or a source line is none.
    fn reason_for_words(&self, text: &str) -> Result<Option<String>, SearchParseError> {
        let is_line = text
            .rsplit_once(':')
            .is_some_and(|(file, line)| file.contains('.') && decimal(line.trim()).is_some());
        if is_line {
            return Ok(Some(say!("meaning-no-code-of-line", line = text)));
        }
        if with_value(text).is_none() && split_range(text).1.is_none() {
            return Ok(None);
        }
        match self.cell(text) {
            Err(error @ SearchParseError::Trace(_)) => Err(error),
            found => Ok(found.err().map(|error| error.to_string())),
        }
    }

    fn search(&self, kind: FindKind, text: &str) -> Result<Search, SearchParseError> {
        match kind {
            FindKind::Auto | FindKind::Text => {
                TextPattern::of_words(text, &|name| self.shown_address(name))
                    .map(Search::Text)
                    .map_err(|_| SearchParseError::TooLong)
            }
            FindKind::Regex => match TextPattern::fault(text) {
                Some(fault) => Err(SearchParseError::Pattern(fault)),
                None => text
                    .parse()
                    .map(Search::Text)
                    .map_err(|_| SearchParseError::TooLong),
            },
            FindKind::Value => self.value(text).map(Search::Value),
            FindKind::Bytes => bytes_of(text)
                .map(Search::Bytes)
                .ok_or_else(|| SearchParseError::Bytes(text.to_owned())),
            FindKind::Address => self.code(text).map(Search::Visits),
            FindKind::Accesses => self.cell(text),
            FindKind::Function => self.functions(text).map(Search::Visits),
        }
    }

    /// Returns the symbol of a name, or a function whose name ends with it.
    fn symbol(&self, name: &str) -> Option<&'a Symbol> {
        let symbol = self.images.symbol(name);
        symbol.or_else(|| self.images.functions_called(name).first().copied())
    }

    /// Returns the address of a name as lists show it: `main`, `main+50`.
    fn shown_address(&self, name: &str) -> Option<u64> {
        // The name of a C++ operator may itself end with a plus.
        if let Some(symbol) = self.images.symbol(name) {
            return Some(symbol.address.0);
        }
        let (name, offset) = name.rsplit_once('+')?;
        let offset = bare_hex(offset.strip_prefix("0x").unwrap_or(offset))?;
        self.images.symbol(name)?.address.0.checked_add(offset)
    }

    /// Determines the kind of a text. Prefixes come first, then names and numbers with a meaning in
    /// this trace, then words.
    fn kind_of<'t>(&self, text: &'t str) -> Result<(FindKind, &'t str), SearchParseError> {
        let said = PREFIXES
            .iter()
            .find_map(|(prefix, kind)| Some((*kind, text.strip_prefix(prefix)?.trim())));
        // `reg::x0` and `sym::main` are expressions, not prefixes.
        if let Some((kind, rest)) = said.filter(|(_, rest)| !rest.starts_with(':')) {
            return Ok((kind, rest));
        }
        if let Some(pattern) = between_slashes(text) {
            return Ok((FindKind::Regex, pattern));
        }
        if let Some(words) = text
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'))
        {
            return Ok((FindKind::Text, words));
        }
        if text.contains(' ') && is_pairs(text) {
            return Ok((FindKind::Bytes, text));
        }
        if let Some(symbol) = self.symbol(text) {
            return Ok((
                if symbol.is_code() {
                    FindKind::Function
                } else {
                    FindKind::Accesses
                },
                text,
            ));
        }
        if typed_hex(text).is_some() {
            let address = self
                .names
                .number(text)
                .map_err(|error| self.no_value(error))?;
            return Ok((
                if self.is_executed(address)? {
                    FindKind::Address
                } else {
                    FindKind::Value
                },
                text,
            ));
        }
        if text.bytes().all(|byte| byte.is_ascii_digit()) || wide_number(text).is_some() {
            return Ok((FindKind::Value, text));
        }
        if with_value(text).is_some() && self.cell(text).is_ok() {
            return Ok((FindKind::Accesses, text));
        }
        if text.contains(':') {
            if !line_code(self.images, text, self.cancel)?.is_empty() {
                return Ok((FindKind::Address, text));
            }
            let is_whole =
                split_range(text).1.is_some() || split_space(text).0 == AddressSpace::Physical;
            let is_range = is_whole && self.cell(text).is_ok();
            return Ok((
                if is_range {
                    FindKind::Accesses
                } else {
                    FindKind::Text
                },
                text,
            ));
        }
        Ok((FindKind::Text, text))
    }

    fn is_executed(&self, number: u64) -> Result<bool, QueryError> {
        let pc = code_address(number, self.index, self.cancel)?;
        Ok(NearestVisit::next(pc, Position(0))
            .run(self.index, self.cancel)?
            .is_some())
    }

    /// Parses a number as people write it. Bare digits that include a hexadecimal letter are
    /// hexadecimal, as lists show values. That also holds for the name of a register (`b6`): write
    /// `reg::b6` for the register.
    fn value(&self, text: &str) -> Result<Number, SearchParseError> {
        let shown = bare_hex(text)
            .filter(|_| BareNumber::of(text).is_none())
            .map(Number::from);
        match shown.filter(|_| decimal(text).is_none()) {
            Some(number) => Ok(number),
            None => self
                .names
                .sought_value(text)
                .map_err(|error| self.no_value(error)),
        }
    }

    /// Parses the value of a cell. Bare digits are hexadecimal, as panels show values.
    fn value_of_cell(&self, text: &str) -> Result<Number, SearchParseError> {
        shown_value(text).map_or_else(|| self.value(text), Ok)
    }

    /// Resolves code addresses; several for static functions of one name.
    fn code(&self, text: &str) -> Result<Vec<Address>, SearchParseError> {
        let of_line = line_code(self.images, text, self.cancel)?;
        if !of_line.is_empty() {
            return Ok(of_line);
        }
        let code = self
            .names
            .numbers(text)
            .map_err(SearchParseError::Code)?
            .into_iter();
        Ok(code
            .map(|number| code_address(number, self.index, self.cancel))
            .collect::<Result<_, _>>()?)
    }

    /// Parses `x0`, `0x80020010:8` or `writes of x0`. Bare digits are an address as lists show it.
    fn cell(&self, text: &str) -> Result<Search, SearchParseError> {
        let words = [
            ("reads of ", AccessKinds::Reads),
            ("writes of ", AccessKinds::Writes),
        ];
        let said = words
            .iter()
            .find_map(|(words, kinds)| Some((text.strip_prefix(words)?, *kinds)));
        let (text, kinds) = said.unwrap_or((text, AccessKinds::All));
        if let Some((cell, value)) = with_value(text) {
            let value = self.value_of_cell(value.trim())?;
            return Ok(match self.cell(cell.trim())? {
                Search::Accesses(cell, _, _) => Search::Accesses(cell, kinds, Some(value)),
                other => other,
            });
        }
        let cell = match self.names.cell(text) {
            Ok(Cell::Memory { len_bytes, .. }) if self.object(text).is_some() && len_bytes == 1 => {
                self.object(text)
            }
            cell => Some(cell.map_err(|error| self.no_cell(error))?),
        };
        let cell = cell.ok_or_else(|| self.no_cell(NameError::EmptyRange(text.to_owned())))?;
        Ok(Search::Accesses(cell, kinds, None))
    }

    fn no_value(&self, error: NameError) -> SearchParseError {
        SearchParseError::Value(error, ExampleRegisters::of_index(self.index))
    }

    fn no_cell(&self, error: NameError) -> SearchParseError {
        SearchParseError::Cell(error, ExampleRegisters::of_index(self.index))
    }

    /// Returns all bytes of a variable.
    fn object(&self, name: &str) -> Option<Cell> {
        let symbol = self.images.symbol(name)?;
        Some(Cell::Memory {
            address: symbol.address,
            len_bytes: symbol.size_bytes.max(1),
        })
    }

    /// Returns the start addresses of the functions with a name, else of those whose names contain
    /// it.
    fn functions(&self, text: &str) -> Result<Vec<Address>, SearchParseError> {
        let named = self
            .images
            .symbols_named(text)
            .into_iter()
            .filter(|symbol| symbol.is_code());
        let named: Vec<Address> = named.map(|symbol| symbol.address).collect();
        if !named.is_empty() {
            return Ok(named);
        }
        let found = functions_with(self.images, text);
        match found.len() {
            0 => match self.code(text) {
                // Without images, a function is identified by its start address.
                Ok(code) => Ok(code),
                Err(SearchParseError::Trace(error)) => Err(SearchParseError::Trace(error)),
                Err(_) => Err(SearchParseError::NoFunction(text.to_owned())),
            },
            count if count > FUNCTIONS => Err(SearchParseError::Functions(count)),
            _ => Ok(found),
        }
    }
}

/// Returns the start addresses of the functions whose names contain a text.
fn functions_with(images: &Images, text: &str) -> Vec<Address> {
    let mut found: Vec<Address> = images
        .functions(text)
        .map(|symbol| symbol.address)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Parses a value as panels show it: hexadecimal digits only, of any number.
fn shown_value(text: &str) -> Option<Number> {
    let text = text.trim();
    Number::from_hex(text).filter(|_| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Splits `x0 = 0x1f` into a cell and the value that was read or written; `None` for comparisons.
fn with_value(text: &str) -> Option<(&str, &str)> {
    let (cell, value) = text.split_once('=')?;
    let is_plain = !cell.ends_with(['!', '<', '>']) && !value.starts_with('=');
    (is_plain && !cell.trim().is_empty() && !value.trim().is_empty()).then_some((cell, value))
}

fn between_slashes(text: &str) -> Option<&str> {
    text.strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'))
        .filter(|pattern| !pattern.is_empty())
}

/// Parses `0x1f`, or long bare digits of which at least one is decimal: `add` is a word.
fn typed_hex(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => bare_hex(digits),
        None => bare_hex(text)
            .filter(|_| text.len() >= LONG_HEX && text.bytes().any(|byte| byte.is_ascii_digit())),
    }
}

fn is_pairs(text: &str) -> bool {
    text.split_whitespace()
        .all(|pair| pair.len() == 2 && bare_hex(pair).is_some())
}

/// Parses `67 64 62`, `676462` or `"gdb"`; `None` for other text, no bytes, or too many bytes.
pub fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let quoted = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    let bytes: Vec<u8> = match quoted {
        Some(words) => words.bytes().collect(),
        None => {
            let text = text.strip_prefix("0x").unwrap_or(text);
            let digits: Vec<u8> = text
                .bytes()
                .filter(|byte| !byte.is_ascii_whitespace())
                .collect();
            let nibble = |digit: u8| {
                char::from(digit)
                    .to_digit(16)
                    .and_then(|digit| u8::try_from(digit).ok())
            };
            let (pairs, rest) = digits.as_chunks::<2>();
            let bytes = pairs
                .iter()
                .map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?));
            bytes
                .collect::<Option<Vec<u8>>>()
                .filter(|_| rest.is_empty())?
        }
    };
    (!bytes.is_empty() && bytes.len() <= SOUGHT_BYTES).then_some(bytes)
}
