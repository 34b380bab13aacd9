//! Where an index may be read: not on a thread that draws, which would stand still while a disk is slow.
//!
//! A window forbids reads on its own thread, frame by frame, and allows them again in what it runs there as a job.
//! Debug builds, and so all tests, panic where that is broken; other builds check nothing.

use std::cell::Cell;

thread_local! {
    static MAY_READ: Cell<bool> = const { Cell::new(true) };
}

/// While it lives, this thread may or may not read indexes; then it is as before.
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

/// From here on this thread may not read an index.
pub fn forbid_reads() -> ReadGuard {
    ReadGuard {
        before: MAY_READ.replace(false),
    }
}

/// From here on this thread may read indexes again: what runs is a job.
pub fn allow_reads() -> ReadGuard {
    ReadGuard {
        before: MAY_READ.replace(true),
    }
}

/// Panics in debug builds where this thread may not read.
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
