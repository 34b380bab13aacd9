//! Register homes: the registers that a name may refer to at a position. [`HomeCaches`] keeps the
//! homes that do not depend on the position, because slices look them up at each step.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::banks::ExecutionState;
use stepback_machine::{RegisterId, RegisterView};

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;

/// Views whose newest writes determine the value of a queried view. There are several if a register
/// has several names.
#[derive(Clone, Debug)]
pub(crate) struct Homes {
    /// Views that the name refers to.
    pub(crate) sure: Vec<RegisterView>,
    /// Views that it may refer to because the mode at the position or at the write is unknown.
    pub(crate) doubtful: Vec<RegisterView>,
    /// Views whose write lists contain writes of several registers: the state at each write decides
    /// which one it wrote ([`crate::read::banks::OpenWrites`]).
    pub(crate) open: Vec<RegisterView>,
}

/// Certainty that a write belongs to a queried register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteCertainty {
    /// It belongs to the register.
    Sure,
    /// It belongs to this register or to another one of the same name.
    Doubtful,
}

/// A write to a register that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HomeWrite {
    /// Written bytes.
    pub view: RegisterView,
    /// Certainty that the name refers to them.
    pub certainty: WriteCertainty,
}

impl Homes {
    /// Returns the homes of a register with one name.
    pub(crate) fn only(view: RegisterView) -> Self {
        Self {
            sure: vec![view],
            doubtful: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Returns true if both names may refer to the same register.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let share = |views: &[RegisterView], others: &[RegisterView]| {
            views
                .iter()
                .any(|view| others.iter().any(|other| other.register == view.register))
        };
        let (sure, doubtful) = (
            share(&self.sure, &other.sure),
            share(&self.doubtful, &other.sure),
        );
        sure || doubtful || share(&self.sure, &other.doubtful)
    }

    /// Returns the only possible register, if there is exactly one.
    pub(crate) fn only_list(&self) -> Option<RegisterId> {
        match (
            self.sure.as_slice(),
            self.doubtful.is_empty() && self.open.is_empty(),
        ) {
            ([only], true) => Some(only.register),
            _ => None,
        }
    }

    /// Removes names that have no writes in the trace. Keeps the first one. Keeps all if the trace
    /// has lines that leave the written register open.
    pub(crate) fn without_unwritten(mut self, is_written: impl Fn(RegisterView) -> bool) -> Self {
        self.open.retain(|view| is_written(*view));
        if self.open.is_empty() {
            let first = self.sure.first().copied();
            self.sure
                .retain(|view| Some(*view) == first || is_written(*view));
            self.doubtful.retain(|view| is_written(*view));
        }
        self
    }

    /// Returns homes in the same registers for another byte range.
    pub(crate) fn of_bytes(&self, offset: u16, size_bytes: u16) -> Self {
        let of = |views: &[RegisterView]| {
            views
                .iter()
                .map(|view| RegisterView {
                    offset,
                    size_bytes,
                    ..*view
                })
                .collect()
        };
        Self {
            sure: of(&self.sure),
            doubtful: of(&self.doubtful),
            open: of(&self.open),
        }
    }

    /// Returns true if all writes in a list certainly belong to the register.
    pub(crate) fn is_sure(&self, list: RegisterView) -> bool {
        self.sure.contains(&list) && !self.open.contains(&list)
    }

    /// Returns the views whose lists contain the writes, possibly among others.
    pub(crate) fn lists(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.closed().chain(self.open())
    }

    /// Returns the views whose lists contain only relevant writes.
    pub(crate) fn closed(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.sure
            .iter()
            .chain(&self.doubtful)
            .copied()
            .filter(|view| !self.open.contains(view))
    }

    /// Returns the views whose lists may contain relevant writes.
    pub(crate) fn open(&self) -> impl Iterator<Item = RegisterView> + '_ {
        self.open.iter().copied()
    }

    /// Returns the write that an event makes to these homes. `home` is the event's own home as
    /// resolved by [`crate::read::banks::OpenWrites::tell`].
    pub(crate) fn written(&self, home: RegisterView) -> Option<HomeWrite> {
        let is_among = |views: &[RegisterView]| views.iter().any(|view| view.overlaps(home));
        let certainty = match (is_among(&self.sure), is_among(&self.doubtful)) {
            (true, _) => WriteCertainty::Sure,
            (false, true) => WriteCertainty::Doubtful,
            (false, false) => return None,
        };
        Some(HomeWrite {
            view: home,
            certainty,
        })
    }
}

/// Maximum number of entries of one kind.
const KEPT: usize = 1 << 12;

/// Cached register homes.
#[derive(Debug, Default)]
pub(crate) struct HomeCaches {
    /// Homes of a name in a processor state.
    pub meant: HomeCache<(ThreadId, RegisterView, ExecutionState)>,
    /// Names under which a written register may be written again.
    pub written: HomeCache<(ThreadId, RegisterView)>,
}

/// Cache for one kind of key. It is cleared when it is full.
#[derive(Debug)]
pub(crate) struct HomeCache<K>(Mutex<HashMap<K, Arc<Homes>>>);

impl<K> Default for HomeCache<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> HomeCache<K> {
    /// Returns the cached value, or computes it with `find`.
    pub fn of(
        &self,
        key: K,
        find: impl FnOnce() -> Result<Homes, QueryError>,
    ) -> Result<Arc<Homes>, QueryError> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&key) {
            return Ok(known.clone());
        }
        let found = Arc::new(find()?);
        let mut known = lock();
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, found.clone());
        Ok(found)
    }
}
