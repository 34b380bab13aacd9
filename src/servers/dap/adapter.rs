//! Requests by name ([`Adapter`]).

use std::sync::Arc;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value as Json, json};
use stepback_debugger::model::program_steps::{StepKind, StepUnit};
use stepback_debugger::place::PositionName;
use stepback_debugger::session::{OpenOptions, open};
use stepback_index::answer::Direction;
use stepback_index::build::BuildProgress;
use stepback_index::{Cancel, QueryError};

use super::arguments::Arguments;
use super::launch::{LaunchedTrace, position_of, with_key};
use super::message::Request;
use super::output::Output;
use super::program::{TracedProgram, number_of};
use super::progress::reported;
use super::running::{ProgramStop, RunRequest};
use super::sources::PathFormat;

/// Events with their bodies.
pub type Events = Vec<(&'static str, Json)>;

/// Answer to a request, and what follows it.
#[derive(Debug)]
pub struct Answer {
    pub body: Json,
    pub next: Next,
}

/// Events and actions to perform after an answer was sent.
#[derive(Debug)]
pub enum Next {
    Nothing,
    Events(Events),
    Run(RunRequest),
    /// The session ends.
    End,
}

/// The state of a client's session.
pub struct Adapter {
    /// Options of the command line, with an empty path if it names no trace.
    named: OpenOptions,
    program: Option<TracedProgram>,
    /// Number of the first line in messages: 0 or 1.
    first_line: i64,
    path_format: PathFormat,
    /// Receives events while a request is answered, and during a run.
    output: Arc<Output>,
    /// The client shows progress.
    shows_progress: bool,
}

impl Answer {
    fn of(body: Json) -> Self {
        Self {
            body,
            next: Next::Nothing,
        }
    }
}

impl Adapter {
    pub fn new(named: OpenOptions, output: Arc<Output>) -> Self {
        Self {
            named,
            program: None,
            first_line: 1,
            path_format: PathFormat::default(),
            output,
            shows_progress: false,
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// The request is invalid, or the trace could not be read.
    pub fn answer(&mut self, request: &Request, cancel: &Cancel) -> Result<Answer> {
        let arguments = Arguments(&request.arguments);
        match request.command.as_str() {
            "initialize" => self.initialize(arguments),
            "launch" | "attach" => self.launch(request, cancel),
            "disconnect" | "terminate" => Ok(Answer {
                body: json!({}),
                next: Next::End,
            }),
            command => {
                let program = self
                    .program
                    .as_mut()
                    .context("no trace is open: a launch request names it")?;
                program.answer(command, arguments, cancel)
            }
        }
    }

    /// Runs the program and returns the events of its stop.
    ///
    /// # Errors
    /// The trace cannot be read, or the run was interrupted.
    pub fn run(&mut self, run: RunRequest, cancel: &Cancel) -> Result<Events, QueryError> {
        match &mut self.program {
            Some(program) => Ok(stop_events(&program.run(run, &self.output, cancel)?)),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the events of a run that ended where it began.
    pub fn paused(&self, description: &str) -> Events {
        let program = self.program.iter();
        program
            .map(|program| program.stopped("pause", Some(description)))
            .collect()
    }

    fn initialize(&mut self, arguments: Arguments<'_>) -> Result<Answer> {
        let is_from_zero = arguments.0.get("linesStartAt1") == Some(&Json::Bool(false));
        self.first_line = if is_from_zero { 0 } else { 1 };
        self.path_format = match arguments.text("pathFormat")? {
            Some("uri") => PathFormat::Uri,
            _ => PathFormat::Path,
        };
        self.shows_progress = arguments.is_set("supportsProgressReporting")?;
        Ok(Answer::of(json!({
            "supportsConfigurationDoneRequest": true,
            "supportsStepBack": true,
            "supportsSteppingGranularity": true,
            "supportsFunctionBreakpoints": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsGotoTargetsRequest": true,
            "supportsSetVariable": false,
            "supportsWriteMemoryRequest": false,
            "supportsInstructionBreakpoints": true,
            "supportsDataBreakpoints": true,
            "supportsDisassembleRequest": true,
            "supportsReadMemoryRequest": true,
            "supportsEvaluateForHovers": true,
            "supportsDelayedStackTraceLoading": true,
            "supportsBreakpointLocationsRequest": true,
            "supportsCancelRequest": true,
            "supportsTerminateRequest": true,
        })))
    }

    /// Opens the trace. The client sends its breakpoints after the event `initialized`.
    fn launch(&mut self, request: &Request, cancel: &Cancel) -> Result<Answer> {
        ensure!(self.program.is_none(), "a trace is open already");
        let launched = LaunchedTrace::read(&request.arguments, &self.named)?;
        let open = |progress: &BuildProgress| open(&launched.options, progress, cancel);
        let session = match self.shows_progress {
            true => reported(&self.output, &request.seq, open),
            false => open(&BuildProgress::default()),
        };
        let session = session.map_err(with_key)?;
        let position = launched.position.resolve(&session, cancel)?;
        let mut events = Events::new();
        let unknown = launched.unknown.iter();
        let unknown = unknown.map(|name| format!("the argument {name:?} has no meaning"));
        let notices = session.notices.iter().map(|notice| notice.to_string());
        for text in unknown.chain(notices) {
            events.push(note(&text));
        }
        let mut program = TracedProgram::new(session, position)?;
        program.first_line = self.first_line;
        program.sources.format = self.path_format;
        self.program = Some(program);
        events.push(("initialized", json!({})));
        Ok(Answer {
            body: json!({}),
            next: Next::Events(events),
        })
    }
}

impl TracedProgram {
    fn answer(
        &mut self,
        command: &str,
        arguments: Arguments<'_>,
        cancel: &Cancel,
    ) -> Result<Answer> {
        let (forward, back) = (Direction::Forward, Direction::Back);
        let body = match command {
            "configurationDone" => {
                return Ok(Answer {
                    body: json!({}),
                    next: Next::Events(vec![self.stopped("entry", None)]),
                });
            }
            "continue" => return Ok(running(RunRequest::Continue(forward))),
            "reverseContinue" => return Ok(running(RunRequest::Continue(back))),
            "next" => return self.step(StepKind::Over, forward, arguments),
            "stepIn" => return self.step(StepKind::Into, forward, arguments),
            "stepOut" => return self.step(StepKind::Out, forward, arguments),
            "stepBack" => return self.step(StepKind::Over, back, arguments),
            "stepback/stepBackIn" => return self.step(StepKind::Into, back, arguments),
            "stepback/stepBackOut" => return self.step(StepKind::Out, back, arguments),
            "stepback/goTo" => {
                let position = position_of(arguments.0.get("position"))?;
                return self.go_to(position, cancel);
            }
            "goto" => return self.go_to_target(arguments),
            "evaluate" => return self.evaluate(arguments, cancel),
            // A run is interrupted before this is answered.
            "pause" => json!({}),
            "setExceptionBreakpoints" => self.set_exception_breakpoints(arguments)?,
            "setBreakpoints" => self.set_breakpoints(arguments, cancel)?,
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments, cancel)?,
            "setInstructionBreakpoints" => self.set_instruction_breakpoints(arguments, cancel)?,
            "breakpointLocations" => self.breakpoint_locations(arguments, cancel)?,
            "dataBreakpointInfo" => self.data_breakpoint_info(arguments, cancel)?,
            "setDataBreakpoints" => self.set_data_breakpoints(arguments)?,
            "threads" => self.threads(),
            "stackTrace" => self.stack_trace(arguments, cancel)?,
            "scopes" => self.scopes(arguments, cancel)?,
            "variables" => self.variables(arguments, cancel)?,
            "source" => self.source(arguments, cancel)?,
            "disassemble" => self.disassemble(arguments, cancel)?,
            "readMemory" => self.read_memory(arguments, cancel)?,
            "gotoTargets" => self.goto_targets(arguments, cancel)?,
            "setVariable" | "setExpression" | "writeMemory" => {
                bail!("a recorded trace cannot be changed; its values are read-only")
            }
            "stepback/lastWrite" => self.last_write(arguments, cancel)?,
            "stepback/why" => self.why(arguments, cancel)?,
            _ => bail!("there is no request {command:?}"),
        };
        Ok(Answer::of(body))
    }

    fn step(
        &self,
        kind: StepKind,
        direction: Direction,
        arguments: Arguments<'_>,
    ) -> Result<Answer> {
        let unit = match arguments.text("granularity")? {
            Some("instruction") => StepUnit::Instruction,
            Some("line" | "statement") | None => StepUnit::Line,
            Some(other) => bail!("there is no granularity {other:?}"),
        };
        let thread = self.requested_thread(arguments)?;
        Ok(running(RunRequest::Step {
            thread,
            kind,
            unit,
            direction,
        }))
    }

    fn threads(&self) -> Json {
        let threads = self.index().threads().iter();
        let threads: Vec<Json> = threads
            .zip(1_u64..)
            .map(|(thread, id)| json!({"id": id, "name": thread.name}))
            .collect();
        json!({"threads": threads})
    }

    /// Moves to a position by name.
    ///
    /// # Errors
    /// There is no such position.
    pub fn go_to(&mut self, place: PositionName, cancel: &Cancel) -> Result<Answer> {
        let position = place.resolve_from(&self.session, self.position, cancel)?;
        self.move_to(position)?;
        Ok(Answer {
            body: json!({"position": self.position.0}),
            next: Next::Events(vec![self.stopped("goto", None)]),
        })
    }

    /// Returns the event that the program stopped at the position.
    pub fn stopped(&self, reason: &str, description: Option<&str>) -> (&'static str, Json) {
        let mut body = json!({
            "reason": reason,
            "threadId": number_of(self.thread),
            "allThreadsStopped": true,
        });
        if let (Some(text), Some(fields)) = (description, body.as_object_mut()) {
            fields.insert("description".to_owned(), text.into());
        }
        ("stopped", body)
    }

    fn source(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let source = arguments.object("source")?;
        let source = source.context("the argument \"source\" is missing")?;
        let path = source.required_text("path")?;
        let content = self.sources.content(path, &self.session, cancel)?;
        Ok(json!({"content": content}))
    }
}

fn running(run: RunRequest) -> Answer {
    Answer {
        body: json!({"allThreadsContinued": true}),
        next: Next::Run(run),
    }
}

/// Returns the event that shows a line on the client's console.
fn note(text: &str) -> (&'static str, Json) {
    (
        "output",
        json!({"category": "console", "output": format!("{text}\n")}),
    )
}

fn stop_events(stop: &ProgramStop) -> Events {
    let mut body = json!({
        "reason": stop.reason,
        "threadId": number_of(stop.thread),
        "allThreadsStopped": true,
    });
    if let Some(fields) = body.as_object_mut() {
        if let Some(text) = &stop.description {
            fields.insert("description".to_owned(), text.as_str().into());
        }
        if !stop.hits.is_empty() {
            fields.insert("hitBreakpointIds".to_owned(), stop.hits.clone().into());
        }
    }
    let edge = stop.edge.map(|direction| match direction {
        Direction::Forward => note("the trace ends here"),
        Direction::Back => note("the trace begins here"),
    });
    edge.into_iter().chain([("stopped", body)]).collect()
}
