//! Notices that another session is shown, so that a panel forgets the answers of the one before.

use std::sync::{Arc, Weak};

use crate::session::Session;

/// Remembers a session without keeping it open.
#[derive(Debug, Default)]
pub struct SessionWatch {
    lineage: Weak<()>,
    session: Weak<Session>,
}

/// What is shown now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// What was shown before.
    Nothing,
    /// Another part of the same trace: slots ask again by themselves.
    Part,
    /// Another trace.
    Trace,
}

impl SessionWatch {
    /// Looks at the session that is shown.
    pub fn look(&mut self, session: &Arc<Session>) -> SessionChange {
        // Weak references keep their addresses taken, so that no other session can have them.
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

    /// True the first time that it sees a trace.
    pub fn is_new(&mut self, session: &Arc<Session>) -> bool {
        self.look(session) == SessionChange::Trace
    }
}
