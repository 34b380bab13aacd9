//! Repairs a damaged index, or copy of a trace's records, that a query met. Everything else goes on
//! meanwhile, and the query is repeated afterwards.

use std::sync::Arc;

use super::desk::Desk;
use super::lookup::PlaceLookup;
use super::mend_state::RepairState;
use super::news::{DeskEvent, Message, Tone};
use crate::session::Damage;

impl Desk {
    /// Begins to repair the damage that a query met, unless something is being opened.
    pub(super) fn mend_what_was_met(&mut self) {
        if !self.is_opening
            && let Some(damage) = self.worker.take_damage()
        {
            self.mend(damage);
        }
    }

    /// Begins a repair, unless one is under way. Returns false if the damage cannot be repaired.
    pub(super) fn mend(&mut self, damage: Damage) -> bool {
        match self.mending {
            RepairState::UnderWay(_) => return true,
            RepairState::Done => return false,
            RepairState::Unneeded => {}
        }
        // The opening under way repairs the damage itself.
        let Some(options) = damage.mended(&self.options).filter(|_| !self.is_opening) else {
            return false;
        };
        self.mending = RepairState::UnderWay(None);
        self.say(Message::new(Tone::Info, damage.notice()));
        self.tell(DeskEvent::Mend(Box::new(options)));
        true
    }

    /// Holds a search until it can be repeated. Returns the search if no repair is under way.
    pub(super) fn hold(&mut self, lookup: PlaceLookup) -> Option<PlaceLookup> {
        match &mut self.mending {
            RepairState::UnderWay(held) => {
                *held = Some(Box::new(lookup));
                None
            }
            _ => Some(lookup),
        }
    }

    /// Ends the repair, successful or not, and repeats the queries that waited for it.
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
