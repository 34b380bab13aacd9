//! A damaged index, or copy of a trace's records, that a question met: it is made again while everything else
//! goes on, and what was asked is asked again.

use std::sync::Arc;

use super::desk::Desk;
use super::lookup::PlaceLookup;
use super::mend_state::RepairState;
use super::news::{DeskEvent, Message, Tone};
use crate::session::Damage;

impl Desk {
    /// Begins to make again what a question found damaged, when nothing is being opened.
    pub(super) fn mend_what_was_met(&mut self) {
        if !self.is_opening
            && let Some(damage) = self.worker.take_damage()
        {
            self.mend(damage);
        }
    }

    /// Begins to make again what is damaged, unless that is under way. False where it is not to be made again.
    pub(super) fn mend(&mut self, damage: Damage) -> bool {
        match self.mending {
            RepairState::UnderWay(_) => return true,
            RepairState::Done => return false,
            RepairState::Unneeded => {}
        }
        // Whatever is being opened makes it again itself.
        let Some(options) = damage.mended(&self.options).filter(|_| !self.is_opening) else {
            return false;
        };
        self.mending = RepairState::UnderWay(None);
        self.say(Message::new(Tone::Info, damage.notice()));
        self.tell(DeskEvent::Mend(Box::new(options)));
        true
    }

    /// Keeps a search until it can be asked again. Gives it back where nothing is being made.
    pub(super) fn hold(&mut self, lookup: PlaceLookup) -> Option<PlaceLookup> {
        match &mut self.mending {
            RepairState::UnderWay(held) => {
                *held = Some(Box::new(lookup));
                None
            }
            _ => Some(lookup),
        }
    }

    /// What was damaged is made again, or could not be: what waited for it is asked again.
    pub fn end_mending(&mut self) {
        let RepairState::UnderWay(held) = &mut self.mending else {
            return;
        };
        let held = held.take();
        self.mending = RepairState::Done;
        self.moving.release();
        if self.lookup.is_none() {
            let session = Arc::clone(&self.session);
            self.lookup = held.map(|lookup| lookup.asked_again(&session, &self.worker));
        }
    }
}
