//! Notices that another session is shown, so that a panel forgets the answers of the one before.

use std::sync::{Arc, Weak};

use crate::session::Session;

/// Remembers a session without keeping it open.
#[derive(Debug, Default)]
pub struct SessionWatch(Weak<Session>);

impl SessionWatch {
    /// True the first time that it sees a session.
    pub fn is_new(&mut self, session: &Arc<Session>) -> bool {
        let now = Arc::downgrade(session);
        // The weak reference keeps the address taken, so that no other session can have it.
        let is_new = !self.0.ptr_eq(&now);
        self.0 = now;
        is_new
    }
}
