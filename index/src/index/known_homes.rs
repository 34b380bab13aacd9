//! Cache of register homes that do not depend on the position. Slices look them up at each step.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::{ExecutionState, RegisterView};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::homes::Homes;

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
