//! A description of either kind ([`Template`]).

use std::str::FromStr;
use std::sync::Arc;

use crate::template::error::{TemplateError, one_line};
use crate::template::line_template::LineTemplate;
use crate::template::record_template::RecordTemplate;

/// A description of a trace that the user wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Template {
    /// Records of a fixed length.
    Records(RecordTemplate),
    /// Lines of text.
    Lines(Arc<LineTemplate>),
}

impl Template {
    /// Returns the description of records, if it is one.
    pub fn records(&self) -> Option<&RecordTemplate> {
        match self {
            Self::Records(template) => Some(template),
            Self::Lines(_) => None,
        }
    }

    /// Returns the description of lines, if it is one.
    pub fn lines(&self) -> Option<&Arc<LineTemplate>> {
        match self {
            Self::Records(_) => None,
            Self::Lines(template) => Some(template),
        }
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let table: toml::Table =
            toml::from_str(text).map_err(|error| TemplateError::Toml(one_line(&error, text)))?;
        let is_records = ["record_bytes", "fields"]
            .iter()
            .any(|key| table.contains_key(*key));
        Ok(match is_records {
            true => Self::Records(text.parse()?),
            false => Self::Lines(Arc::new(text.parse()?)),
        })
    }
}
