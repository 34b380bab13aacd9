//! Handles of queued jobs, through which their answers arrive.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, TryRecvError};

use anyhow::anyhow;
use stepback_index::Cancel;

/// Handle of a query that is under way. Dropping it cancels the query.
pub struct Ticket<A> {
    asked: AnyTicket,
    answer: PhantomData<fn() -> A>,
}

impl<A: 'static> Ticket<A> {
    /// Creates a ticket for an answer of type `A`.
    pub(super) fn of(asked: AnyTicket) -> Self {
        Self {
            asked,
            answer: PhantomData,
        }
    }

    /// Takes the answer; none while it is on its way.
    pub fn take(&self) -> Option<anyhow::Result<A>> {
        let answer = self.asked.take()?;
        Some(answer.and_then(|answer| {
            answer
                .downcast()
                .map(|answer| *answer)
                .map_err(|_| anyhow!("internal error: an answer to something else"))
        }))
    }
}

/// A type-erased answer.
pub type AnyAnswer = Box<dyn Any + Send>;

/// A [`Ticket`] for a type-erased answer.
pub struct AnyTicket {
    receiver: Receiver<anyhow::Result<AnyAnswer>>,
    cancel: Cancel,
}

impl AnyTicket {
    /// Creates a ticket. Dropping it cancels the job.
    pub fn new(receiver: Receiver<anyhow::Result<AnyAnswer>>, cancel: Cancel) -> Self {
        Self { receiver, cancel }
    }

    fn take(&self) -> Option<anyhow::Result<AnyAnswer>> {
        match self.receiver.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(anyhow!("cancelled"))),
        }
    }
}

impl Drop for AnyTicket {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
