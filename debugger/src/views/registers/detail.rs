//! Queries about the writers of a register, and their number.

use std::sync::Arc;

use stepback_index::{Cancel, ThreadId};
use stepback_parsers::Position;

use super::view::RegistersView;
use crate::analysis::register_part::RegisterPart;
use crate::desk::Desk;
use crate::model::register_detail::{RegisterDetail, register_detail, write_columns, write_count};
use crate::worker::{Answer, Slot};

/// Answers about the register that is described.
#[derive(Default)]
pub(super) struct DetailSlots {
    detail: Slot<(RegisterPart, Position), RegisterDetail>,
    columns: Slot<(RegisterPart, ThreadId, u32), Vec<u32>>,
    count: Slot<(RegisterPart, ThreadId), u64>,
}

impl RegistersView {
    /// Returns the writes of a register or lane around the position.
    pub fn detail(&mut self, name: &str, desk: &Desk) -> Option<&RegisterDetail> {
        let key = (self.part(name), desk.windows.position_of(self.follow));
        let answer = self
            .state
            .details
            .detail
            .poll(&key, &desk.worker, |(part, position)| {
                let (part, position, session) =
                    (part.clone(), *position, Arc::clone(&desk.session));
                move |cancel: &Cancel| register_detail(&session, &part, position, cancel)
            });
        answer.any()
    }

    /// Returns the number of writes of a register or lane in the whole trace, once it is known.
    pub fn write_count(&mut self, name: &str, desk: &Desk) -> Option<u64> {
        let key = (self.part(name), self.board()?.thread);
        let answer = self
            .state
            .details
            .count
            .poll_long(&key, &desk.worker, |(part, thread)| {
                let (part, thread, session) = (part.clone(), *thread, Arc::clone(&desk.session));
                move |cancel: &Cancel| write_count(&session, &part, thread, cancel)
            });
        if let Answer::Fresh(count) = answer {
            Some(*count)
        } else {
            None
        }
    }

    /// Divides the trace into equal `columns`, and returns those in which a register or lane is
    /// written.
    pub fn write_columns(&mut self, name: &str, columns: u32, desk: &Desk) -> Option<&[u32]> {
        let key = (self.part(name), self.board()?.thread, columns);
        let answer =
            self.state
                .details
                .columns
                .poll(&key, &desk.worker, |(part, thread, columns)| {
                    let (part, thread, columns, session) =
                        (part.clone(), *thread, *columns, Arc::clone(&desk.session));
                    move |cancel: &Cancel| write_columns(&session, &part, thread, columns, cancel)
                });
        if let Answer::Fresh(written) = answer {
            Some(written)
        } else {
            None
        }
    }

    fn part(&self, name: &str) -> RegisterPart {
        RegisterPart {
            thread: self.thread.clone(),
            ..RegisterPart::parse(name)
        }
    }
}
