//! Arguments of a call, checked for names and types ([`ToolArguments`]).

use serde_json::{Map, Value as Json};
use stepback_debugger::place::PositionName;

use super::failure::{ErrorKind, ToolError};

/// Maximum length of a text argument in bytes.
const TEXT_BYTES: usize = 1024;
/// Maximum number of elements of a list.
const LIST_LENGTH: usize = 32;
/// Maximum number of rows of a page.
const MOST_ROWS: u64 = 50;

/// The arguments of a call. Null counts as missing.
#[derive(Clone, Copy, Debug)]
pub struct ToolArguments<'a>(&'a Map<String, Json>);

impl<'a> ToolArguments<'a> {
    /// Accepts arguments whose names are properties of the tool's input schema.
    ///
    /// # Errors
    /// There is another argument.
    pub fn new(given: &'a Map<String, Json>, known: &Map<String, Json>) -> Result<Self, ToolError> {
        match given.keys().find(|name| !known.contains_key(*name)) {
            None => Ok(Self(given)),
            Some(name) => {
                let names: Vec<&str> = known.keys().map(String::as_str).collect();
                Err(ToolError::new(
                    ErrorKind::BadArgument,
                    format!("there is no argument {name:?}"),
                    format!("the arguments are {}", names.join(", ")),
                ))
            }
        }
    }

    /// Returns an optional text.
    ///
    /// # Errors
    /// It is no text, or too long.
    pub fn text(self, name: &str) -> Result<Option<&'a str>, ToolError> {
        self.get(name).map(|value| text(name, value)).transpose()
    }

    /// Returns a text that must be given.
    ///
    /// # Errors
    /// It is missing, no text, or too long.
    pub fn needed_text(self, name: &str) -> Result<&'a str, ToolError> {
        self.text(name)?
            .ok_or_else(|| wrong(format!("the argument {name:?} is missing")))
    }

    /// Returns a list of texts, empty if it is missing.
    ///
    /// # Errors
    /// It is no list of texts, or too long.
    pub fn texts(self, name: &str) -> Result<Vec<&'a str>, ToolError> {
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Json::Array(values)) if values.len() <= LIST_LENGTH => {
                values.iter().map(|value| text(name, value)).collect()
            }
            Some(_) => Err(wrong(format!(
                "{name:?} must be a list of at most {LIST_LENGTH} strings"
            ))),
        }
    }

    /// Returns a switch, off if it is missing.
    ///
    /// # Errors
    /// It is neither true nor false.
    pub fn is_on(self, name: &str) -> Result<bool, ToolError> {
        match self.get(name) {
            None => Ok(false),
            Some(Json::Bool(is_on)) => Ok(*is_on),
            Some(_) => Err(wrong(format!("{name:?} must be true or false"))),
        }
    }

    /// Returns an optional number.
    ///
    /// # Errors
    /// It is no integer, or negative.
    pub fn number(self, name: &str) -> Result<Option<u64>, ToolError> {
        self.get(name)
            .map(|value| {
                value
                    .as_u64()
                    .ok_or_else(|| wrong(format!("{name:?} must be an integer from 0 on")))
            })
            .transpose()
    }

    /// Returns the maximum number of rows.
    ///
    /// # Errors
    /// It is no integer, or outside 1 to 50.
    pub fn limit(self) -> Result<u64, ToolError> {
        let Some(value) = self.get("limit") else {
            return Ok(MOST_ROWS);
        };
        match value.as_u64() {
            Some(limit) if (1..=MOST_ROWS).contains(&limit) => Ok(limit),
            _ => Err(wrong(format!(
                "\"limit\" must be an integer from 1 to {MOST_ROWS}"
            ))),
        }
    }

    /// Returns an optional position: a number, or a name as the command line takes it.
    ///
    /// # Errors
    /// It is malformed.
    pub fn position(self, name: &str) -> Result<Option<PositionName>, ToolError> {
        let text = match self.get(name) {
            None => return Ok(None),
            Some(Json::Number(number)) => number.to_string(),
            Some(value) => text(name, value)?.to_owned(),
        };
        let position = text.parse().map_err(|error: anyhow::Error| {
            ToolError::of_kind(ErrorKind::BadPosition, format!("{error:#}"))
        })?;
        Ok(Some(position))
    }

    /// Returns true if an argument is given.
    pub fn has(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn get(self, name: &str) -> Option<&'a Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }
}

fn text<'a>(name: &str, value: &'a Json) -> Result<&'a str, ToolError> {
    match value.as_str() {
        Some(text) if text.len() <= TEXT_BYTES => Ok(text),
        Some(_) => Err(wrong(format!("{name:?} is longer than {TEXT_BYTES} bytes"))),
        None => Err(wrong(format!("{name:?} must be a string"))),
    }
}

fn wrong(message: String) -> ToolError {
    ToolError::of_kind(ErrorKind::BadArgument, message)
}
