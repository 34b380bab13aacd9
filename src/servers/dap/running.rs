//! Runs of the program: to the next stop point whose condition holds, or by one step.

use serde_json::{Value as Json, json};
use stepback_debugger::analysis::run_control::{RunControl, RunningThreads, Stop, StopReason};
use stepback_debugger::expression::ExpressionError;
use stepback_debugger::model::inlined_frames::begun_inside;
use stepback_debugger::model::program_steps::{StepKind, StepUnit, ThreadSteps};
use stepback_index::answer::{Direction, ThreadId};
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use super::breakpoints::BreakpointOrigin;
use super::conditions::{ConditionOutcome, StopPlace};
use super::output::Output;
use super::program::TracedProgram;

/// A request to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunRequest {
    /// Until a stop point.
    Continue(Direction),
    Step {
        thread: ThreadId,
        kind: StepKind,
        unit: StepUnit,
        direction: Direction,
    },
}

/// Maximum number of messages of log points in a run.
const MESSAGES: usize = 10_000;

/// A stop as clients see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramStop {
    pub position: Position,
    pub thread: ThreadId,
    pub reason: &'static str,
    pub description: Option<String>,
    /// Numbers of the stop points that were hit.
    pub hits: Vec<u64>,
    /// Number of innermost inlined functions that begin at the position and are not entered yet.
    pub hidden: usize,
    /// Direction of the run if it reached an end of the trace.
    pub edge: Option<Direction>,
}

impl ProgramStop {
    /// Returns the stop with the stop points of another one at the same position.
    fn with(mut self, other: Self) -> Self {
        self.hits.extend(other.hits);
        let texts = [self.description, other.description];
        let texts: Vec<String> = texts.into_iter().flatten().collect();
        Self {
            description: (!texts.is_empty()).then(|| texts.join("; ")),
            hidden: self.hidden.min(other.hidden),
            ..self
        }
    }
}

impl TracedProgram {
    /// Runs as requested. The position changes only when the run is complete. `output` receives the
    /// messages of the log points on the way.
    ///
    /// # Errors
    /// The trace cannot be read, or the run was interrupted.
    pub fn run(
        &mut self,
        request: RunRequest,
        output: &Output,
        cancel: &Cancel,
    ) -> Result<ProgramStop, QueryError> {
        // The client may have interrupted the run before it began.
        cancel.check()?;
        let (RunRequest::Continue(direction) | RunRequest::Step { direction, .. }) = request;
        let mut run = ProgramRun {
            program: self,
            direction,
            output,
            message_count: 0,
            cancel,
        };
        let stop = match request {
            RunRequest::Continue(_) => run.run_to(None)?,
            RunRequest::Step {
                thread, kind, unit, ..
            } => run.step(thread, kind, unit)?,
        };
        self.move_to(stop.position)?;
        self.thread = stop.thread;
        self.hidden = stop.hidden;
        Ok(stop)
    }
}

/// A run in progress.
struct ProgramRun<'a> {
    program: &'a TracedProgram,
    direction: Direction,
    output: &'a Output,
    /// Number of messages that were sent.
    message_count: usize,
    cancel: &'a Cancel,
}

impl ProgramRun<'_> {
    /// Runs to the nearest stop point whose condition holds; to the target if there is none before
    /// it, or to the end without a target.
    fn run_to(&mut self, target: Option<ProgramStop>) -> Result<ProgramStop, QueryError> {
        let points = self.program.breakpoints.points();
        let control = RunControl {
            index: self.program.index(),
            points: &points,
            reported: None,
            cancel: self.cancel,
        };
        let (direction, threads) = (self.direction, RunningThreads::All);
        let mut at = self.program.position;
        loop {
            self.cancel.check()?;
            let stops = match &target {
                None => control.run(at, direction, threads)?,
                Some(target) => match control.run_to(target.position, at, direction, threads)? {
                    Some(stops) => stops,
                    None => return Ok(target.clone()),
                },
            };
            at = stops.first.position;
            let mut shown: Option<ProgramStop> = None;
            for stop in [stops.first].into_iter().chain(stops.others) {
                shown = match (shown, self.shown(&stop)?) {
                    (Some(shown), Some(other)) => Some(shown.with(other)),
                    (shown, other) => shown.or(other),
                };
            }
            if let Some(stop) = shown {
                return Ok(stop);
            }
            // The condition of all stop points there is false, or they are log points.
        }
    }

    /// Steps, or runs to a stop point on the way.
    fn step(
        &mut self,
        thread: ThreadId,
        kind: StepKind,
        unit: StepUnit,
    ) -> Result<ProgramStop, QueryError> {
        let (program, direction) = (self.program, self.direction);
        let steps = ThreadSteps {
            session: &program.session,
            thread,
            hidden: program.hidden_in(thread),
            cancel: self.cancel,
        };
        let Some(target) = steps.target(kind, unit, direction, program.position)? else {
            return self.run_to(None);
        };
        let is_end = target.position == program.index().end();
        let stop = ProgramStop {
            position: target.position,
            thread,
            reason: "step",
            description: None,
            hits: Vec::new(),
            hidden: target.hidden,
            edge: (is_end && direction == Direction::Forward).then_some(direction),
        };
        match target.position == program.position {
            // A step into an inlined function does not leave the position.
            true => Ok(stop),
            false => self.run_to(Some(stop)),
        }
    }

    /// Describes a stop; none if the conditions of its stop points do not hold, or if they are log
    /// points, whose messages are sent.
    fn shown(&mut self, stop: &Stop) -> Result<Option<ProgramStop>, QueryError> {
        let (position, thread) = (stop.position, stop.thread);
        let place = StopPlace { position, thread };
        let (program, cancel) = (self.program, self.cancel);
        let session = &program.session;
        let mut hidden = 0;
        let (reason, description, hits) = match stop.reason {
            StopReason::Breakpoint(pc) => {
                let mut at = Vec::new();
                for breakpoint in program.breakpoints.at(pc) {
                    match breakpoint.outcome(session, place, cancel)? {
                        ConditionOutcome::False => continue,
                        ConditionOutcome::True => {}
                        ConditionOutcome::Failed(error) => {
                            self.send(&condition_text(&error), breakpoint.shown_at.as_ref());
                            at.push(breakpoint);
                            continue;
                        }
                    }
                    match &breakpoint.options.log {
                        None => at.push(breakpoint),
                        Some(log) if self.message_count < MESSAGES => {
                            let text = program.log_text(log, place, cancel);
                            cancel.check()?;
                            self.send(&text, breakpoint.shown_at.as_ref());
                        }
                        Some(_) if self.message_count == MESSAGES => {
                            self.send("further messages of this run are left out", None);
                        }
                        Some(_) => {}
                    }
                }
                let Some(first) = at.first() else {
                    return Ok(None);
                };
                let reason = match &first.origin {
                    BreakpointOrigin::File(_) => "breakpoint",
                    BreakpointOrigin::Functions => "function breakpoint",
                    BreakpointOrigin::Instructions => "instruction breakpoint",
                };
                let inside = at.iter().map(|breakpoint| match &breakpoint.function {
                    Some(name) => begun_inside(&session.images, pc, name),
                    None => 0,
                });
                hidden = inside.min().unwrap_or(0);
                let hits: Vec<u64> = at.iter().map(|breakpoint| breakpoint.id).collect();
                (reason, None, hits)
            }
            StopReason::Access(access) => {
                let mut hits = Vec::new();
                for breakpoint in program.breakpoints.of_range(access.watched) {
                    let outcome = breakpoint.condition.outcome(session, place, cancel);
                    cancel.check()?;
                    match outcome {
                        ConditionOutcome::False => continue,
                        ConditionOutcome::True => {}
                        ConditionOutcome::Failed(error) => {
                            self.send(&condition_text(&error), None);
                        }
                    }
                    hits.push(breakpoint.id);
                }
                if hits.is_empty() {
                    return Ok(None);
                }
                let steps = ThreadSteps {
                    session,
                    thread,
                    hidden,
                    cancel,
                };
                hidden = steps.begun_at(position)?;
                let text = program.access_text(&access, cancel)?;
                ("data breakpoint", Some(text), hits)
            }
            StopReason::Step => ("step", None, Vec::new()),
            StopReason::Edge => {
                let text = match self.direction {
                    Direction::Forward => "The trace ends here",
                    Direction::Back => "The trace begins here",
                };
                ("pause", Some(text.to_owned()), Vec::new())
            }
        };
        Ok(Some(ProgramStop {
            position,
            thread,
            reason,
            description,
            hits,
            hidden,
            edge: (stop.reason == StopReason::Edge).then_some(self.direction),
        }))
    }

    /// Sends a message of a stop point, with the source and line of the stop point.
    fn send(&mut self, text: &str, shown_at: Option<&Json>) {
        self.message_count += 1;
        let mut body = json!({"category": "console", "output": format!("{text}\n")});
        if let (Some(fields), Some(Json::Object(place))) = (body.as_object_mut(), shown_at) {
            fields.extend(place.clone());
        }
        // A client that has gone reads no messages.
        drop(self.output.event("output", body));
    }
}

/// Describes why a condition could not be evaluated.
fn condition_text(error: &ExpressionError) -> String {
    format!("a condition could not be evaluated: {error}")
}
