//! Debug check that no drawing thread reads an index, because a slow disk would block it.
//!
//! A window forbids reads on its own thread, frame by frame, and allows them again for jobs that it
//! runs there. Debug builds, and so all tests, panic on a violation; other builds check nothing.

use std::cell::Cell;

thread_local! {
    static MAY_READ: Cell<bool> = const { Cell::new(true) };
}

/// Guard that allows or forbids index reads on this thread. Dropping it restores the previous
/// state.
#[derive(Debug)]
#[must_use = "the rule ends when this is dropped"]
pub struct ReadGuard {
    before: bool,
}

impl Drop for ReadGuard {
    fn drop(&mut self) {
        MAY_READ.set(self.before);
    }
}

/// Forbids this thread to read an index until the guard is dropped.
pub fn forbid_reads() -> ReadGuard {
    ReadGuard {
        before: MAY_READ.replace(false),
    }
}

/// Allows this thread to read indexes again, for a job, until the guard is dropped.
pub fn allow_reads() -> ReadGuard {
    ReadGuard {
        before: MAY_READ.replace(true),
    }
}

/// Panics in debug builds if this thread may not read.
pub(super) fn check() {
    debug_assert!(
        MAY_READ.get(),
        "an index is read on a thread that draws: the question belongs on a worker"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_ends_with_what_it_was_made_for() {
        let drawing = forbid_reads();
        {
            let _job = allow_reads();
            check();
        }
        assert!(!MAY_READ.get());
        drop(drawing);
        check();
    }

    #[test]
    fn an_index_is_not_read_where_that_is_forbidden() {
        let data = crate::store::data::IndexData::Memory(vec![7; 4]);
        let read = || std::panic::catch_unwind(|| data.get(1..3).is_some());
        assert!(read().is_ok_and(|is_there| is_there));
        let drawing = forbid_reads();
        assert_eq!(read().is_err(), cfg!(debug_assertions));
        drop(drawing);
        assert!(read().is_ok());
    }
}
