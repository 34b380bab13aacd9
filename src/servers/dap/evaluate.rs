//! Expressions and commands that the user types.

use anyhow::{Result, ensure};
use serde_json::{Value as Json, json};
use stepback_debugger::analysis::tracked::known_source;
use stepback_debugger::expression::parse;
use stepback_debugger::image::SymbolKind;
use stepback_debugger::model::frame_place::FrameLevel;
use stepback_debugger::model::local_names::LocalNames;
use stepback_debugger::model::program_steps::{StepKind, StepUnit};
use stepback_index::answer::{Cell, Direction, Value};
use stepback_index::query::RegisterViewsAt;
use stepback_index::{Cancel, Query as _};

use super::adapter::{Answer, Next};
use super::arguments::Arguments;
use super::conditions::StopPlace;
use super::console::{HELP, LINES};
use super::log_points::{LogMessage, MessagePart};
use super::program::{FrameNumber, TracedProgram};
use super::running::RunRequest;
use super::variables::value_text;
use crate::cli::variable_text::NOT_RECORDED;
use crate::servers::viewpoint::{AccessSearch, Viewpoint};

/// Maximum length of an expression.
const EXPRESSION_BYTES: usize = 4096;

/// Maximum size of a variable that is shown as a number.
const NUMBER_BYTES: u64 = 8;

/// A value with the address that it may be.
struct EvaluatedText {
    text: String,
    reference: Option<u64>,
}

impl TracedProgram {
    /// Evaluates an expression at a frame, or performs a command of the console.
    pub fn evaluate(&mut self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Answer> {
        let text = arguments.required_text("expression")?.trim();
        ensure!(
            text.len() <= EXPRESSION_BYTES,
            "an expression has at most {EXPRESSION_BYTES} bytes"
        );
        let context = arguments.text("context")?;
        let frame = self.requested_frame(arguments)?;
        if context == Some("repl")
            && let Some(answer) = self.command(text, frame, cancel)?
        {
            return Ok(answer);
        }
        if let Some(body) = self.evaluated_local(text, frame, cancel)? {
            return Ok(Answer {
                body,
                next: Next::Nothing,
            });
        }
        let variable = match context {
            Some("hover") => self.variable(text, cancel)?,
            _ => None,
        };
        let value = match variable {
            Some(value) => value,
            None => self.value(text, self.view(frame, cancel)?)?,
        };
        let mut body = json!({"result": value.text, "variablesReference": 0});
        if let Some(reference) = value.reference {
            body["memoryReference"] = format!("{reference:#x}").into();
        }
        Ok(Answer {
            body,
            next: Next::Nothing,
        })
    }

    /// Performs a command of the console; none if the text is an expression.
    fn command(
        &mut self,
        text: &str,
        frame: FrameNumber,
        cancel: &Cancel,
    ) -> Result<Option<Answer>> {
        let (name, rest) = text
            .split_once(char::is_whitespace)
            .map_or((text, ""), |(name, rest)| (name, rest.trim()));
        let shown = match (name, AccessSearch::find(name)) {
            (_, Some(search)) => {
                let here = self.view(frame, cancel)?;
                here.access_text(&here.access(rest, search)?)
            }
            ("help", _) => HELP.to_owned(),
            ("position", _) => self.position_text(cancel)?,
            ("why", _) => {
                let here = self.view(frame, cancel)?;
                here.explanation(rest, LINES)?.join("\n")
            }
            ("at", _) => {
                let moved = self.go_to(rest.parse()?, cancel)?;
                return Ok(Some(Answer {
                    body: result(&self.position_text(cancel)?),
                    ..moved
                }));
            }
            ("reverse-step", _) => return Ok(Some(self.step_back(StepKind::Into))),
            ("reverse-finish", _) => return Ok(Some(self.step_back(StepKind::Out))),
            _ => return Ok(None),
        };
        Ok(Some(Answer {
            body: result(&shown),
            next: Next::Nothing,
        }))
    }

    fn step_back(&self, kind: StepKind) -> Answer {
        Answer {
            body: result(""),
            next: Next::Run(RunRequest::Step {
                thread: self.thread,
                kind,
                unit: StepUnit::Line,
                direction: Direction::Back,
            }),
        }
    }

    /// Reads the variable that a symbol names, for a look at it in the source; none if the text
    /// names no variable.
    fn variable(&self, name: &str, cancel: &Cancel) -> Result<Option<EvaluatedText>> {
        let symbol = self.session.images.symbol(name);
        let is_number = |size: u64| (1..=NUMBER_BYTES).contains(&size);
        let symbol = symbol
            .filter(|symbol| symbol.kind == SymbolKind::Object && is_number(symbol.size_bytes));
        let Some(symbol) = symbol else {
            return Ok(None);
        };
        let (address, size) = (symbol.address.0, symbol.size_bytes);
        let states = self.memory(self.thread, address, size, cancel)?;
        let mut bytes: Vec<Option<u8>> = states.iter().map(|state| state.value).collect();
        if self.index().info().is_big_endian {
            bytes.reverse();
        }
        Ok(Some(EvaluatedText {
            text: value_text(&Value(bytes), known_source(&states)),
            reference: Some(address),
        }))
    }

    fn value(&self, text: &str, here: Viewpoint<'_>) -> Result<EvaluatedText> {
        let Viewpoint {
            session,
            frame,
            registers_at,
            cancel,
        } = here;
        if let Some(Cell::Register { thread, view }) = here.names()?.register(text)? {
            let question = RegisterViewsAt {
                position: registers_at,
                thread,
                views: vec![(text.to_owned(), view)],
            };
            let states = question.run(self.index(), cancel)?;
            let state = states.into_iter().next();
            return Ok(EvaluatedText {
                text: state.as_ref().map_or_else(
                    || NOT_RECORDED.to_owned(),
                    |state| value_text(&state.value, state.source),
                ),
                reference: state.and_then(|state| state.value.to_u64()),
            });
        }
        let locals = LocalNames::of_frame(session, frame, registers_at, cancel);
        match parse(text).and_then(|expression| expression.number(&locals)) {
            Ok(number) => Ok(EvaluatedText {
                text: format!("{:#x} ({})", number.shown_bits(), number.shown()),
                reference: Some(number.bits()),
            }),
            Err(error) if error.kind.is_unrecorded() => Ok(EvaluatedText {
                text: NOT_RECORDED.to_owned(),
                reference: None,
            }),
            Err(error) => Err(error.into()),
        }
    }

    /// Formats a message at a place. An expression without a value is shown as its error.
    pub fn log_text(&self, message: &LogMessage, at: StopPlace, cancel: &Cancel) -> String {
        let part = |part: &MessagePart| match part {
            MessagePart::Text(text) => text.clone(),
            MessagePart::Expression(text) => self
                .logged_value(text, at, cancel)
                .unwrap_or_else(|error| format!("<{error:#}>")),
        };
        message.parts.iter().map(part).collect()
    }

    fn logged_value(&self, text: &str, at: StopPlace, cancel: &Cancel) -> Result<String> {
        let frame = FrameNumber::innermost(at.thread);
        if let Some(value) = self.local_text(text, frame, at.position, cancel)? {
            return Ok(value);
        }
        self.value_text_at(text, at, cancel)
    }

    /// Formats the value of an expression where the program would stop.
    fn value_text_at(&self, text: &str, at: StopPlace, cancel: &Cancel) -> Result<String> {
        let here = Viewpoint {
            session: &self.session,
            frame: FrameLevel::innermost(at.thread, at.position),
            registers_at: at.position,
            cancel,
        };
        Ok(self.value(text, here)?.text)
    }
}

fn result(text: &str) -> Json {
    json!({"result": text, "variablesReference": 0})
}
