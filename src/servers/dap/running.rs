//! Runs of the program: to the next stop point whose condition holds, or by one step.

use serde_json::Value as Json;
use stepback_debugger::analysis::run_control::{RunControl, RunningThreads, Stop, StopReason};
use stepback_debugger::expression::ExpressionError;
use stepback_debugger::model::inlined_frames::begun_inside;
use stepback_debugger::model::program_steps::{StepKind, StepTarget, StepUnit, ThreadSteps};
use stepback_index::answer::{Direction, ThreadId};
use stepback_index::{Cancel, QueryError};
use stepback_parsers::Position;

use super::breakpoints::BreakpointOrigin;
use super::conditions::{ConditionOutcome, StopPlace};
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

/// A message of a log point.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedMessage {
    pub text: String,
    /// Source and line of the log point.
    pub shown_at: Option<Json>,
}

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
    /// Messages of the log points on the way.
    pub messages: Vec<LoggedMessage>,
}

impl TracedProgram {
    /// Runs as requested. The position changes only when the run is complete.
    ///
    /// # Errors
    /// The trace cannot be read, or the run was interrupted.
    pub fn run(&mut self, request: RunRequest, cancel: &Cancel) -> Result<ProgramStop, QueryError> {
        let stop = match request {
            RunRequest::Continue(direction) => {
                let mut messages = Vec::new();
                let stop = self.continued(direction, None, &mut messages, cancel)?;
                ProgramStop { messages, ..stop }
            }
            RunRequest::Step {
                thread,
                kind,
                unit,
                direction,
            } => {
                let steps = ThreadSteps {
                    session: &self.session,
                    thread,
                    hidden: self.hidden_in(thread),
                    cancel,
                };
                let target = steps.target(kind, unit, direction, self.position)?;
                self.stepped(target, thread, direction, cancel)?
            }
        };
        self.move_to(stop.position)?;
        self.thread = stop.thread;
        self.hidden = stop.hidden;
        Ok(stop)
    }

    /// Runs to the nearest stop point whose condition holds, to the limit or to the end. Adds the
    /// messages of the log points on the way.
    fn continued(
        &self,
        direction: Direction,
        limit: Option<Position>,
        messages: &mut Vec<LoggedMessage>,
        cancel: &Cancel,
    ) -> Result<ProgramStop, QueryError> {
        let points = self.breakpoints.points();
        let control = RunControl {
            index: self.index(),
            points: &points,
            reported: None,
            cancel,
        };
        let mut at = self.position;
        loop {
            cancel.check()?;
            let stop = control.run(at, direction, RunningThreads::All)?;
            let is_beyond = limit.is_some_and(|limit| match direction {
                Direction::Forward => stop.position > limit,
                Direction::Back => stop.position < limit,
            });
            if is_beyond {
                return Ok(plain_stop(&stop));
            }
            if let Some(stop) = self.shown(&stop, direction, messages, cancel)? {
                return Ok(stop);
            }
            // The condition of all stop points there is false, or they are log points.
            at = stop.position;
        }
    }

    /// Stops at the target of a step, or at a stop point on the way.
    fn stepped(
        &self,
        target: Option<StepTarget>,
        thread: ThreadId,
        direction: Direction,
        cancel: &Cancel,
    ) -> Result<ProgramStop, QueryError> {
        let mut messages = Vec::new();
        let Some(target) = target else {
            let nearest = self.continued(direction, None, &mut messages, cancel)?;
            return Ok(ProgramStop {
                messages,
                ..nearest
            });
        };
        // A step into an inlined function does not leave the position.
        if target.position != self.position {
            let limit = Some(target.position);
            let nearest = self.continued(direction, limit, &mut messages, cancel)?;
            let is_on_the_way = match direction {
                Direction::Forward => nearest.position <= target.position,
                Direction::Back => nearest.position >= target.position,
            };
            // A thread that steps out of the last line may reach the end of the trace as well.
            if is_on_the_way && nearest.edge.is_none() {
                return Ok(ProgramStop {
                    messages,
                    ..nearest
                });
            }
        }
        let end = self.index().end();
        Ok(ProgramStop {
            position: target.position,
            thread,
            reason: "step",
            description: None,
            hits: Vec::new(),
            hidden: target.hidden,
            edge: (target.position == end && direction == Direction::Forward).then_some(direction),
            messages,
        })
    }

    /// Describes a stop; none if the conditions of its stop points do not hold, or if they are log
    /// points, whose messages are added.
    fn shown(
        &self,
        stop: &Stop,
        direction: Direction,
        messages: &mut Vec<LoggedMessage>,
        cancel: &Cancel,
    ) -> Result<Option<ProgramStop>, QueryError> {
        let (position, thread) = (stop.position, stop.thread);
        let place = StopPlace { position, thread };
        let session = &self.session;
        let mut hidden = 0;
        let (reason, description, hits) = match stop.reason {
            StopReason::Breakpoint(pc) => {
                let mut at = Vec::new();
                for breakpoint in self.breakpoints.at(pc) {
                    match breakpoint.outcome(session, place, cancel)? {
                        ConditionOutcome::False => continue,
                        ConditionOutcome::True => {}
                        ConditionOutcome::Failed(error) => {
                            messages.push(condition_message(&error, breakpoint.shown_at.clone()));
                            at.push(breakpoint);
                            continue;
                        }
                    }
                    match &breakpoint.options.log {
                        None => at.push(breakpoint),
                        Some(log) if messages.len() < MESSAGES => messages.push(LoggedMessage {
                            text: self.log_text(log, place, cancel),
                            shown_at: breakpoint.shown_at.clone(),
                        }),
                        Some(_) if messages.len() == MESSAGES => messages.push(LoggedMessage {
                            text: "further messages of this run are left out".to_owned(),
                            shown_at: None,
                        }),
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
                for breakpoint in self.breakpoints.of_range(access.watched) {
                    match breakpoint.condition.outcome(session, place, cancel) {
                        ConditionOutcome::False => continue,
                        ConditionOutcome::True => {}
                        ConditionOutcome::Failed(error) => {
                            messages.push(condition_message(&error, None));
                        }
                    }
                    hits.push(breakpoint.id);
                }
                cancel.check()?;
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
                let text = self.access_text(&access, thread, cancel)?;
                ("data breakpoint", Some(text), hits)
            }
            StopReason::Step => ("step", None, Vec::new()),
            StopReason::Edge => {
                let text = match direction {
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
            edge: (stop.reason == StopReason::Edge).then_some(direction),
            messages: Vec::new(),
        }))
    }
}

/// Returns the message about a condition that could not be evaluated.
fn condition_message(error: &ExpressionError, shown_at: Option<Json>) -> LoggedMessage {
    LoggedMessage {
        text: format!("a condition could not be evaluated: {error}"),
        shown_at,
    }
}

/// Describes a stop that the program passes on its way.
fn plain_stop(stop: &Stop) -> ProgramStop {
    ProgramStop {
        position: stop.position,
        thread: stop.thread,
        reason: "step",
        description: None,
        hits: Vec::new(),
        hidden: 0,
        edge: None,
        messages: Vec::new(),
    }
}
