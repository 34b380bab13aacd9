//! A cache of the meanings of register names that do not depend on the position. Slices ask for them at each step.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use stepback_machine::{ExecutionState, RegisterView};

use crate::answers::error::QueryError;
use crate::answers::thread::ThreadId;
use crate::index::homes::Homes;

/// Maximum number of answers that are kept of a kind.
const KEPT: usize = 1 << 12;

/// Answers that are known.
#[derive(Debug, Default)]
pub(crate) struct HomeCaches {
    /// Meanings of a name in a state.
    pub meant: HomeCache<(ThreadId, RegisterView, ExecutionState)>,
    /// Names under which a register that a line wrote may be written again.
    pub written: HomeCache<(ThreadId, RegisterView)>,
}

/// Answers to one kind of question.
#[derive(Debug)]
pub(crate) struct HomeCache<K>(Mutex<HashMap<K, Arc<Homes>>>);

impl<K> Default for HomeCache<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> HomeCache<K> {
    /// The answer, which `find` finds where it is not known.
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
