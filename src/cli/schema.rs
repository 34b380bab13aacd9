//! `stepback schema`: the JSON Schema of a command's output.

use std::io;
use std::io::Write as _;

use anyhow::Result;
use clap::Args;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};

use crate::cli::cells::UsageError;
use crate::cli::commands::answer_forms;
use crate::cli::question::AboutProgram;
use crate::cli::report::{OutputError, STANDARD_OUTPUT};

/// Version of the JSON output. Fields may be added to a version, but not renamed or removed.
pub const SCHEMA_VERSION: u64 = 1;

/// Help text below the options.
pub const HELP: &str = "\
The schema describes a JSON value: the whole output, or for commands that print a value per line, each line.
Fields may be added later; none is renamed or removed while `info` prints \"schema\": 1.";

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

    /// Adds a form without a type of its own.
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

    fn schema(mut self, command: &str) -> Value {
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

#[derive(Debug, Args)]
pub struct SchemaArguments {
    /// The command whose output is described.
    #[arg(value_name = "COMMAND")]
    pub command: String,
}

impl AboutProgram for SchemaArguments {
    fn write(&self, _: clap::Command) -> Result<()> {
        let Some(forms) = answer_forms(&self.command) else {
            return Err(UsageError(format!("no command {:?} prints JSON", self.command)).into());
        };
        let schema = forms.schema(&self.command);
        writeln!(io::stdout().lock(), "{schema:#}")
            .map_err(|error| OutputError::new(error, STANDARD_OUTPUT.to_owned()))?;
        Ok(())
    }
}
