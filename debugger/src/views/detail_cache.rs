//! Details of rows by a key of the row, kept while the rows scroll.

use std::collections::HashMap;
use std::hash::Hash;

use anyhow::Result;
use stepback_index::Cancel;

use crate::worker::{JobLane, Ticket, Worker};

/// Details that were requested for rows in sight. At most one request is under way.
pub(super) struct DetailCache<K, D> {
    known: HashMap<K, D>,
    pending: Option<Ticket<HashMap<K, D>>>,
    error: Option<String>,
}

impl<K, D> Default for DetailCache<K, D> {
    fn default() -> Self {
        Self {
            known: HashMap::new(),
            pending: None,
            error: None,
        }
    }
}

impl<K: Eq + Hash + Send + 'static, D: Send + 'static> DetailCache<K, D> {
    pub(super) fn get(&self, key: &K) -> Option<&D> {
        self.known.get(key)
    }

    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Returns the error of the last request, which is not repeated before [`DetailCache::retry`].
    pub(super) fn error(&self) -> Option<&String> {
        self.error.as_ref()
    }

    /// Permits requests again after one failed.
    pub(super) fn retry(&mut self) {
        self.error = None;
    }

    /// Takes details that arrived, and requests those of `keys` that are missing.
    pub(super) fn fetch<J>(
        &mut self,
        keys: impl Iterator<Item = K>,
        lane: JobLane,
        worker: &Worker,
        make: impl FnOnce(Vec<K>) -> J,
    ) where
        J: FnOnce(&Cancel) -> Result<HashMap<K, D>> + Send + 'static,
    {
        self.receive();
        let missing: Vec<K> = keys.filter(|key| !self.known.contains_key(key)).collect();
        if !missing.is_empty() && self.pending.is_none() && self.error.is_none() {
            self.pending = Some(worker.spawn(lane, make(missing)));
            self.receive();
        }
    }

    fn receive(&mut self) {
        let Some(answer) = self.pending.as_ref().and_then(Ticket::take) else {
            return;
        };
        self.pending = None;
        match answer {
            Ok(details) => self.known.extend(details),
            Err(error) => self.error = Some(format!("{error:#}")),
        }
    }
}
