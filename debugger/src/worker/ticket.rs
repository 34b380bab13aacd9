//! What a job will answer.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::mpsc::{Receiver, TryRecvError};

use anyhow::anyhow;
use stepback_index::Cancel;

/// A question that was asked and not yet answered.
pub struct Ticket<A> {
    asked: AnyTicket,
    answer: PhantomData<fn() -> A>,
}

impl<A: 'static> Ticket<A> {
    /// One whose answer is of a type.
    pub(super) fn of(asked: AnyTicket) -> Self {
        Self {
            asked,
            answer: PhantomData,
        }
    }

    /// The answer, once: none while it is on its way.
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

/// An answer of any type.
pub type AnyAnswer = Box<dyn Any + Send>;

/// A [`Ticket`] whose answer may be of any type.
pub struct AnyTicket {
    receiver: Receiver<anyhow::Result<AnyAnswer>>,
    cancel: Cancel,
}

impl AnyTicket {
    /// Dropped, it cancels.
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
