//! The forms of a command's JSON output, and their JSON Schema.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

/// Version of the JSON output. Fields may be added to a version, but not renamed or removed.
pub const SCHEMA_VERSION: u64 = 1;

/// The forms that the answer of a command can have.
pub struct AnswerForms {
    generator: SchemaGenerator,
    forms: Vec<Value>,
    is_by_line: bool,
}

impl AnswerForms {
    /// Creates forms of a single JSON value.
    pub fn new() -> Self {
        Self {
            generator: SchemaSettings::draft2020_12()
                .for_serialize()
                .into_generator(),
            forms: Vec::new(),
            is_by_line: false,
        }
    }

    /// Adds a form.
    #[must_use]
    pub fn or<T: JsonSchema>(mut self) -> Self {
        let form = self.generator.subschema_for::<T>();
        self.forms.push(form.into());
        self
    }

    /// Adds a form that no type describes, as a schema.
    #[must_use]
    pub fn or_value(mut self, form: Value) -> Self {
        self.forms.push(form);
        self
    }

    /// Marks the answer as one value per line.
    #[must_use]
    pub fn by_line(self) -> Self {
        Self {
            is_by_line: true,
            ..self
        }
    }

    /// Returns the schema of the output of a command.
    pub fn schema(mut self, command: &str) -> Value {
        let extent = match self.is_by_line {
            true => "One value per line.",
            false => "One value.",
        };
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": format!("stepback {command} --json"),
            "description": extent,
            "anyOf": self.forms,
            "$defs": self.generator.take_definitions(true),
        })
    }
}
