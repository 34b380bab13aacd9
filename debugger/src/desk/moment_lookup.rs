//! Moves that need a search over moments: another visit, another line, a change of a condition or
//! value.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::anyhow;
use stepback_parsers::Position;

use crate::action::{Action, AppAction, Direction};
use crate::analysis::condition::next_true;
use crate::analysis::ending::bad_ending;
use crate::analysis::exceptions::next_exception;
use crate::analysis::line_step::Callees;
use crate::analysis::names::NameError;
use crate::analysis::step_places::{LineWalk, LinelessCallers, next_visit};
use crate::analysis::tracked::{EvaluationContext, thread_of};
use crate::desk::desk::Desk;
use crate::desk::found::LookupResult;
use crate::desk::news::DeskEvent;
use crate::keymap::CommandId;
use crate::messages::say;
use crate::model::watch_state::next_change;
use crate::notes::Watch;
use crate::session::Session;
use crate::worker::JobLane;

impl Desk {
    /// Travels to another execution of the step just done.
    pub fn go_to_visit(&mut self, direction: Direction) {
        self.seek(JobLane::Long, move |session, from, cancel| {
            let found = next_visit(&session.index, from, direction, cancel)?;
            let words = || {
                str::to_owned(match direction {
                    Direction::Back => say!("lookup-instruction-before"),
                    Direction::Forward => say!("lookup-instruction-after"),
                })
            };
            Ok(found_or(found, session, direction, words))
        });
    }

    /// Travels to another exception, interrupt, trap or signal.
    pub fn go_to_exception(&mut self, direction: Direction) {
        self.seek(JobLane::Long, move |session, from, cancel| {
            let found = next_exception(&session.index, from, direction, cancel)?;
            let words = || {
                str::to_owned(match direction {
                    Direction::Back => say!("lookup-no-exception-before"),
                    Direction::Forward => say!("lookup-no-exception-after"),
                })
            };
            Ok(found_or(found, session, direction, words))
        });
    }

    /// Travels to the step at which the trace ends badly.
    pub fn go_to_ending(&mut self) {
        self.seek(JobLane::Long, |session, _, cancel| {
            let found = bad_ending(session, cancel)?.map(|ending| ending.step.after());
            let words = || say!("lookup-no-bad-end").to_owned();
            Ok(found_or(found, session, Direction::Forward, words))
        });
    }

    /// Travels to another source line.
    pub fn go_to_next_line(&mut self, callees: Callees, direction: Direction) {
        self.seek(JobLane::Long, move |session, from, cancel| {
            let (index, images) = (&session.index, &session.images);
            let walk = LineWalk {
                index,
                images,
                thread: thread_of(index, from)?,
                callees,
                lineless_callers: LinelessCallers::Skip,
                hidden: 0,
                cancel,
            };
            let found = walk.next_line(from, direction)?.map(|stop| stop.position);
            let words = || {
                str::to_owned(match (images.has_lines(), direction) {
                    (Ok(true), Direction::Back) => say!("lookup-no-line-before"),
                    (Ok(true), Direction::Forward) => say!("lookup-no-line-after"),
                    _ => say!("lookup-no-lines"),
                })
            };
            Ok(found_or(found, session, direction, words))
        });
    }

    /// Travels to where a condition becomes true.
    pub fn go_to_where(&mut self, condition: String, direction: Direction) {
        self.condition = Some(condition.clone());
        let reached = Arc::<AtomicU64>::default();
        let passed = Arc::clone(&reached);
        self.seek(JobLane::Long, move |session, from, cancel| {
            let (index, images) = (&session.index, &session.images);
            let scene = EvaluationContext {
                index,
                images,
                thread: thread_of(index, from)?,
                cancel,
            };
            let looked = |at: Position| passed.store(at.0.abs_diff(from.0), Ordering::Relaxed);
            let found = next_true(&scene, &condition, from, direction, &looked).map_err(plain)?;
            let words = || match direction {
                Direction::Back => say!("lookup-not-true-before", condition = &condition),
                Direction::Forward => say!("lookup-not-true-after", condition = &condition),
            };
            let readings: Vec<String> = scene
                .readings(&condition, from)
                .iter()
                .map(ToString::to_string)
                .collect();
            Ok(match (found, readings.is_empty()) {
                (Some(position), false) => LookupResult::Noted(position, readings.join("; ")),
                _ => found_or(found, session, direction, words),
            })
        });
        if let Some(lookup) = self.lookup.as_mut() {
            lookup.reached = Some(reached);
        }
    }

    /// Repeats the last search for a condition in a direction. Prompts for a condition if there is
    /// none.
    pub fn go_to_where_again(&mut self, direction: Direction) {
        match self.condition.clone() {
            Some(condition) => self.go_to_where(condition, direction),
            None => {
                let command = if direction == Direction::Back {
                    CommandId::PreviousWhere
                } else {
                    CommandId::NextWhere
                };
                self.tell(DeskEvent::Do(Action::App(AppAction::AskFor(
                    command.into(),
                ))));
            }
        }
    }

    /// Travels to where a watch changes its value.
    pub fn go_to_change(&mut self, watch: String, direction: Direction) {
        self.seek(JobLane::Long, move |session, from, cancel| {
            let found = next_change(session, &Watch::parse(&watch), from, direction, cancel)?;
            let words = || match direction {
                Direction::Back => say!("lookup-no-change-before", watch = &watch),
                Direction::Forward => say!("lookup-no-change-after", watch = &watch),
            };
            Ok(found_or(found, session, direction, words))
        });
    }
}

/// Creates a result from a position, or from a sentence that says why there is none.
fn found_or(
    found: Option<Position>,
    session: &Session,
    direction: Direction,
    words: impl FnOnce() -> String,
) -> LookupResult {
    found.map_or_else(
        || LookupResult::nothing(session, direction, words()),
        LookupResult::Position,
    )
}

/// Returns what is wrong with an expression without its place, since the user has just typed it.
fn plain(error: NameError) -> anyhow::Error {
    match error {
        NameError::Expression { error, .. } if error.cause().is_none() => {
            anyhow!("{}", error.kind)
        }
        error => error.into(),
    }
}
