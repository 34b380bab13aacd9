//! A description of either kind ([`Template`]).

use std::str::FromStr;
use std::sync::Arc;

use crate::template::error::TemplateError;
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
        let is_lines = text
            .parse::<toml::Table>()
            .is_ok_and(|table| table.contains_key("line"));
        Ok(match is_lines {
            true => Self::Lines(Arc::new(text.parse()?)),
            false => Self::Records(text.parse()?),
        })
    }
}
