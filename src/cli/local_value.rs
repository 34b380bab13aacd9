//! The value of a variable or of an expression in a frame, for `stepback locals`.

use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::Serialize;
use stepback_debugger::analysis::names::NameError;
use stepback_debugger::expression::{TypedNumber, parse};
use stepback_debugger::image::TypeShape;
use stepback_debugger::model::local_names::{FoundValue, FrameExpression, LocalNames, find_value};
use stepback_debugger::model::typed_value::TypedValue;
use stepback_debugger::model::variable_values::ValueReader;

use super::json::hex;
use super::report::Report;
use super::text::{grouped, printable};
use super::variable_json::{ValueJson, ValueJsonWriter};
use super::variable_text::ValueText;

/// Maximum number of members and elements, each on a line.
const LINES: u64 = 256;

/// The place of a frame.
#[derive(Serialize, JsonSchema)]
pub struct FrameJson {
    position: u64,
    thread: String,
    frame: u64,
    /// Position at which the registers are read: that of the call for a caller.
    registers_at: u64,
    /// Address of the next instruction, or of the call that the frame waits for.
    pc: Option<String>,
    /// Source line there.
    source: Option<String>,
}

/// The value of a variable or of an expression.
#[derive(Serialize, JsonSchema)]
pub struct LocalValueJson {
    #[serde(flatten)]
    frame: FrameJson,
    expression: String,
    /// Number that an expression with operators has, with the sign of its type in C; null for a
    /// variable or a part of one.
    number: Option<i128>,
    /// The variable or the part of one.
    variable: Option<ValueJson>,
}

impl FrameJson {
    /// Describes the frame of a reader.
    pub fn of(values: &ValueReader<'_>) -> Self {
        let place = values.place;
        Self {
            position: place.position.0,
            thread: values.session.index.thread_name(place.thread).to_owned(),
            frame: place.level as u64,
            registers_at: place.registers_at.0,
            pc: place.address.map(hex),
            source: source(values),
        }
    }
}

fn source(values: &ValueReader<'_>) -> Option<String> {
    let line = values.session.images.source_at(values.place.address?)?;
    Some(line.short())
}

/// Formats the place of a frame.
pub fn frame_line(values: &ValueReader<'_>) -> String {
    let place = values.place;
    let code = match (place.address, source(values)) {
        (Some(address), Some(source)) => format!("{address}, {source}"),
        (Some(address), None) => address.to_string(),
        (None, _) => "unknown code".to_owned(),
    };
    format!(
        "position {} of {}, {}, frame {} at {}\n",
        grouped(place.position.0),
        grouped(values.session.index.step_count()),
        printable(values.session.index.thread_name(place.thread)),
        place.level,
        printable(&code)
    )
}

/// The answer to a question about one value.
pub struct LocalValueReport<'a> {
    pub text: &'a str,
    pub values: &'a ValueReader<'a>,
}

/// Meaning of the text.
enum LocalValue {
    Variable(TypedValue),
    Number(TypedNumber),
}

impl LocalValueReport<'_> {
    /// Prints the value.
    ///
    /// # Errors
    /// The text has no meaning here, or the trace cannot be read.
    pub fn print(&self, report: &mut Report<'_>) -> Result<()> {
        let value = self.find()?;
        match report.is_json {
            true => report.json(&self.json(&value)?),
            false => report.text(&self.lines(&value)?),
        }
    }

    fn find(&self) -> Result<LocalValue> {
        let place = self.values.place;
        let (session, cancel) = (self.values.session, self.values.cancel);
        let names = LocalNames::of_frame(session, place.frame(), place.registers_at, cancel);
        let failed = |error| NameError::Expression {
            text: self.text.to_owned(),
            error,
        };
        let path = match FrameExpression::parse(self.text, &names).map_err(failed)? {
            FrameExpression::Path(path) => path,
            FrameExpression::Other(expression) => {
                let number = expression.number(&names).map_err(failed)?;
                return Ok(LocalValue::Number(number));
            }
        };
        match find_value(self.values, &path)? {
            FoundValue::Known(value) => Ok(LocalValue::Variable(value)),
            // A register or a symbol, or an error that says what is missing.
            FoundValue::NoVariable => {
                let number = parse(self.text).and_then(|expression| expression.number(&names));
                let number = number.map_err(failed)?;
                Ok(LocalValue::Number(number))
            }
            FoundValue::NoPart(reason) => bail!("{reason}"),
        }
    }

    fn json(&self, value: &LocalValue) -> Result<LocalValueJson> {
        let mut writer = ValueJsonWriter::new(self.values);
        let (number, variable) = match value {
            LocalValue::Variable(value) => (None, Some(writer.opened(value)?)),
            LocalValue::Number(number) => (Some(number.shown()), None),
        };
        Ok(LocalValueJson {
            frame: FrameJson::of(self.values),
            expression: self.text.to_owned(),
            number,
            variable,
        })
    }

    fn lines(&self, value: &LocalValue) -> Result<String> {
        let mut text = frame_line(self.values);
        let value = match value {
            LocalValue::Variable(value) => value,
            LocalValue::Number(number) => {
                let (shown, bits) = (number.shown(), number.shown_bits());
                let line = format!("{} = {shown} ({bits:#x})", self.text);
                text.push_str(&format!("\n{}\n", printable(&line)));
                return Ok(text);
            }
        };
        text.push('\n');
        text.push_str(&self.line(self.text, value)?);
        let opened = match value.is_pointer() {
            true => self.values.pointed(value)?,
            false => Some(value.clone()),
        };
        let opened = opened.filter(|value| !value.is_pointer());
        let Some(opened) = opened else {
            return Ok(text);
        };
        let members = self.values.members(&opened, 0, LINES)?;
        // The target of a pointer to a number.
        if members.is_empty() && value.is_pointer() && is_number(&opened) {
            text.push_str("  ");
            text.push_str(&self.line(&format!("*{}", self.text), &opened)?);
        }
        for member in &members {
            // The variant of an enumeration may have only a name, which the value shows.
            if is_empty_variant(&opened, &member.value) {
                continue;
            }
            text.push_str("  ");
            text.push_str(&self.line(&member.name, &member.value)?);
        }
        let all = self.values.member_count(&opened)?;
        if all > members.len() as u64 {
            text.push_str("  …\n");
        }
        Ok(text)
    }

    fn line(&self, name: &str, value: &TypedValue) -> Result<String> {
        let shown = ValueText(self.values).with_source(value)?;
        let line = match name.is_empty() {
            true => format!("{} = {shown}", value.type_name()),
            false => format!("{} {name} = {shown}", value.type_name()),
        };
        Ok(format!("{}\n", printable(&line)))
    }
}

/// Returns true for the only variant of a value that has no members.
fn is_empty_variant(value: &TypedValue, member: &TypedValue) -> bool {
    let has_variants = matches!(
        value.description().shape,
        TypeShape::Record {
            variants: Some(_),
            ..
        }
    );
    let is_empty = match member.description().shape {
        TypeShape::Record { members, variants } => members.is_empty() && variants.is_none(),
        _ => false,
    };
    has_variants && is_empty
}

fn is_number(value: &TypedValue) -> bool {
    matches!(
        value.description().shape,
        TypeShape::Integer(_)
            | TypeShape::Character(_)
            | TypeShape::Boolean
            | TypeShape::Float(_)
            | TypeShape::Enumeration { .. }
    )
}
