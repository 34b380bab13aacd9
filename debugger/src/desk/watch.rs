//! Detects that another session is shown, so that a panel forgets the answers of the previous one.

use std::sync::{Arc, Weak};

use crate::session::Session;

/// Remembers a session without keeping it open.
#[derive(Debug, Default)]
pub struct SessionWatch {
    lineage: Weak<()>,
    session: Weak<Session>,
}

/// Difference from the session that was shown before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// No difference: this session was shown before.
    Nothing,
    /// Another part of the same trace: slots query again by themselves.
    Part,
    /// Another trace.
    Trace,
}

impl SessionWatch {
    /// Compares the current session with the remembered one, and remembers it.
    pub fn look(&mut self, session: &Arc<Session>) -> SessionChange {
        // Weak references keep the allocations, so that no other session can have their addresses.
        let (lineage, now) = (Arc::downgrade(session.lineage()), Arc::downgrade(session));
        let news = match (self.lineage.ptr_eq(&lineage), self.session.ptr_eq(&now)) {
            (true, true) => SessionChange::Nothing,
            (true, false) => SessionChange::Part,
            (false, _) => SessionChange::Trace,
        };
        *self = Self {
            lineage,
            session: now,
        };
        news
    }

    /// Returns true if the session is of another trace than the remembered one.
    pub fn is_new(&mut self, session: &Arc<Session>) -> bool {
        self.look(session) == SessionChange::Trace
    }
}
