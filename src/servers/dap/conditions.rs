//! Conditions of stop points ([`StopCondition`]).

use anyhow::{Result, anyhow};
use stepback_debugger::expression::{Expression, ExpressionError, parse};
use stepback_debugger::model::local_names::LocalNames;
use stepback_debugger::session::Session;
use stepback_index::answer::ThreadId;
use stepback_index::query::NearestVisit;
use stepback_index::{Cancel, Query as _};
use stepback_machine::Address;
use stepback_parsers::Position;

/// Place of a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopPlace {
    pub position: Position,
    pub thread: ThreadId,
}

/// A condition of a stop point.
#[derive(Clone, Debug)]
pub struct StopCondition {
    expression: Option<Expression>,
}

/// Result of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionOutcome {
    True,
    False,
    /// It has no value here, and the program stops.
    Failed(ExpressionError),
}

impl StopCondition {
    /// Parses a condition; none is always true.
    ///
    /// # Errors
    /// The text is no expression.
    pub fn parse(text: Option<&str>) -> Result<Self> {
        let text = text.map(str::trim).filter(|text| !text.is_empty());
        Ok(Self {
            expression: text.map(parse).transpose()?,
        })
    }

    /// Evaluates the condition. A value that the trace does not record is not true.
    pub fn outcome(&self, session: &Session, at: StopPlace, cancel: &Cancel) -> ConditionOutcome {
        let Some(expression) = &self.expression else {
            return ConditionOutcome::True;
        };
        let names = LocalNames::new(session, at.position, at.thread, cancel);
        match expression.evaluate(&names) {
            Ok(0) => ConditionOutcome::False,
            Ok(_) => ConditionOutcome::True,
            Err(error) if error.kind.is_unrecorded() => ConditionOutcome::False,
            Err(error) => ConditionOutcome::Failed(error),
        }
    }

    /// Checks the names of a condition where code is first executed.
    ///
    /// # Errors
    /// A name has no value at any of the addresses.
    pub fn check(&self, session: &Session, addresses: &[Address], cancel: &Cancel) -> Result<()> {
        let Some(expression) = &self.expression else {
            return Ok(());
        };
        let mut failure = None;
        for address in addresses {
            let visit = NearestVisit::next(*address, Position(0)).run(&session.index, cancel)?;
            let Some(first) = visit else { continue };
            let (step, thread) = (first.record.step, first.record.thread);
            let names = LocalNames::new(session, step.before(), thread, cancel);
            failure = expression.name_error(&names);
            if failure.is_none() {
                break;
            }
        }
        match failure {
            Some(error) => Err(anyhow!("the condition cannot be evaluated: {error}")),
            None => Ok(()),
        }
    }
}
