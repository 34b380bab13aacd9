//! The address expression of a memory view, which is held or evaluated again at every move.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_index::answer::ThreadId;
use stepback_machine::Address;
use stepback_parsers::Position;

use super::view::MemoryView;
use crate::desk::Desk;
use crate::expression::shown_address;
use crate::model::address_text::{AddressResult, STACK, STACK_POINTER, address_of};
use crate::worker::{Answer, Slot};

/// Values of the address expression.
#[derive(Debug, Default)]
pub(super) struct AddressValues {
    value: Slot<(String, Position), AddressResult>,
    /// Value at the shown position, while the view holds an address.
    here: Slot<(String, Position), AddressResult>,
    /// The stack pointer at a position.
    pointer: Slot<(String, Position), AddressResult>,
    /// The held address is the value of the expression.
    is_meant: bool,
    /// Position at which the expression was entered, until its value is known.
    entered_at: Option<Position>,
    /// Value that was last scrolled to.
    shown: Option<u64>,
}

impl AddressValues {
    /// Forgets the values in another trace.
    pub fn forget(&mut self) {
        (self.value, self.here) = Default::default();
    }
}

impl MemoryView {
    /// Returns the expression as typed.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns true if the expression is evaluated at every move; otherwise its first value is
    /// held.
    pub fn is_following(&self) -> bool {
        self.is_following
    }

    /// Returns the expression if its value is shown, else the shown address.
    pub fn address_text(&self) -> String {
        match self
            .held
            .filter(|_| !self.is_following && !self.state.address.is_meant)
        {
            Some(held) => format!("{held:x}"),
            None => self.address.clone(),
        }
    }

    /// Returns the distance of the end of the stack, which is shown, from the stack pointer, if they
    /// differ: SPARC has such a bias in 64-bit programs.
    pub fn stack_bias(&mut self, end: u64, desk: &Desk) -> Option<u64> {
        if self.address != STACK {
            return None;
        }
        let here = desk.windows.position_of(self.follow);
        let slot = &mut self.state.address.pointer;
        let pointer = poll_value(slot, STACK_POINTER, here, desk);
        let pointer = *pointer.any()?.as_ref().ok()?;
        let set = desk.session.index.instruction_set(ThreadId(0));
        let is_of_end = pointer != end && set.stack_end(pointer) == end;
        is_of_end.then(|| end.wrapping_sub(pointer))
    }

    /// Shows the value that an expression has at the position.
    pub fn show(&mut self, address: &str, desk: &Desk) {
        address.trim().clone_into(&mut self.address);
        (self.is_following, self.held) = (false, None);
        self.state.address.entered_at = Some(desk.windows.position_of(self.follow));
        self.scroll_back();
    }

    /// Scrolls to the value of the expression again.
    pub fn scroll_back(&mut self) {
        self.state.address.shown = None;
    }

    /// Puts the cursor on an address and brings it into view. Returns false if the text is no
    /// address.
    pub fn select(&mut self, address: &str) -> bool {
        let address = shown_address(address);
        if let Some(address) = address {
            self.hold_at(Address(address));
        }
        address.is_some()
    }

    /// Holds an address instead of following the expression, and puts the cursor on it.
    pub(super) fn hold_at(&mut self, address: Address) {
        (self.is_following, self.held) = (false, Some(address.0));
        // Keep the rows in sight if possible: the value counts as scrolled to.
        (self.state.address.shown, self.state.address.is_meant) = (Some(address.0), false);
        (self.state.cursor, self.state.is_revealing) = (Some(address), true);
    }

    /// Stops following the expression, so that the bytes stay in sight.
    pub fn hold(&mut self) {
        if self.is_following {
            (self.is_following, self.held) = (false, self.state.address.shown);
        }
    }

    /// Follows the expression, or holds the shown address.
    pub fn toggle_following(&mut self) {
        if self.is_following {
            self.hold();
        } else {
            self.is_following = true;
        }
    }

    /// Determines if the held address is the value of the expression here.
    pub fn poll_meaning(&mut self, desk: &Desk) {
        if let Some(held) = self.held.filter(|_| !self.is_following) {
            let here = desk.windows.position_of(self.follow);
            let answer = poll_value(&mut self.state.address.here, &self.address, here, desk);
            if let Some(value) = answer.any() {
                self.state.address.is_meant = *value == Ok(held);
            }
        }
    }

    /// Evaluates the expression. Goes to a new value; the user may scroll away from it. An
    /// expression without a value here is evaluated again at each new position.
    pub(super) fn evaluate(&mut self, lead: usize, desk: &Desk) -> Option<AddressResult> {
        if let Some(held) = self.held.filter(|_| !self.is_following) {
            self.go_to_value(held, lead);
            return Some(Ok(held));
        }
        let here = desk.windows.position_of(self.follow);
        let values = &mut self.state.address;
        let position = values
            .entered_at
            .filter(|_| !self.is_following)
            .unwrap_or(here);
        let answer = poll_value(&mut values.value, &self.address, position, desk);
        let is_fresh = matches!(answer, Answer::Fresh(_));
        let evaluated = match answer {
            Answer::Failed(error) => Some(Err(error.to_owned())),
            answer => answer.any().cloned(),
        };
        if let Some(value) = evaluated.as_ref().filter(|_| is_fresh) {
            // Until the value at the other position is known.
            (values.entered_at, values.is_meant) = (None, true);
            self.held = value.as_ref().ok().copied();
            if let Some(held) = self.held {
                self.go_to_value(held, lead);
            }
        }
        evaluated
    }

    fn go_to_value(&mut self, value: u64, lead: usize) {
        if self.state.address.shown != Some(value) {
            (self.state.address.shown, self.state.cursor) = (Some(value), Some(Address(value)));
            self.state.scroll.go_to(Address(value), lead);
        }
    }
}

/// Requests the value of an expression at a position.
fn poll_value<'a>(
    slot: &'a mut Slot<(String, Position), AddressResult>,
    text: &str,
    position: Position,
    desk: &Desk,
) -> Answer<'a, AddressResult> {
    slot.poll(
        &(text.to_owned(), position),
        &desk.worker,
        |(text, position)| {
            let (text, position, session) = (text.clone(), *position, Arc::clone(&desk.session));
            move |cancel: &Cancel| address_of(&session, &text, position, cancel)
        },
    )
}
