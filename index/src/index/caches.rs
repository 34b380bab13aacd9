//! Results that the readers of an index keep: each is computed by the first query that needs it.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use stepback_machine::banks::ExecutionState;
use stepback_machine::{Address, RegisterView};
use stepback_parsers::MarkerKind;

use crate::answers::cell::ThreadId;
use crate::answers::error::QueryError;
use crate::index::homes::Homes;
use crate::index::memories::Memories;
use crate::index::operand_table::{OperandTable, UntracedRegisters};
use crate::index::page_mappings::PageMappings;
use crate::index::shared_memory::SharedMemory;
use crate::index::system_call_gaps::CallGaps;
use crate::store::calls::table::CallTable;

/// Maximum number of homes of one kind of key.
const HOMES: usize = 1 << 12;

/// Caches of an index. None changes an answer.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// For each segment, a bit for each section whose checksum was verified.
    pub sections: Vec<AtomicU8>,
    /// For each key map, a bit for each part whose checksum was verified.
    pub key_maps: Vec<AtomicU8>,
    /// Calls including tail calls; the inner `None` means that there are no tail calls.
    pub tail_calls: OnceLock<Result<Option<CallTable>, QueryError>>,
    /// Register operands by instruction address.
    pub operands: OnceLock<OperandTable>,
    /// Homes of a name in a processor state.
    pub homes: HomeCache<(ThreadId, RegisterView, ExecutionState)>,
    /// Names under which a written register may be written again.
    pub written_homes: HomeCache<(ThreadId, RegisterView)>,
    /// Addresses of instructions that store more than their records show.
    pub unshown_stores: OnceLock<Vec<Address>>,
    /// True if the trace records accesses to memory.
    pub records_accesses: OnceLock<bool>,
    /// Memory of each thread.
    pub memories: OnceLock<Memories>,
    /// Registers that the trace leaves out.
    pub untraced: Mutex<HashMap<ThreadId, UntracedRegisters>>,
    /// True if the trace leaves the vector registers out.
    pub leaves_vectors_out: Mutex<HashMap<ThreadId, bool>>,
    /// Memory that changes without steps.
    pub shared: Mutex<SharedMemory>,
    /// Recorded page mappings; never set if there are too many to keep.
    pub pages: OnceLock<Arc<PageMappings>>,
    /// Segments with markers of each kind, ascending.
    pub marker_segments: OnceLock<BTreeMap<MarkerKind, Vec<u32>>>,
    /// System calls of each segment; the inner `None` means that they would take too much memory.
    pub call_gaps: Vec<OnceLock<Option<CallGaps>>>,
    /// Total size of `call_gaps` in bytes.
    call_gap_bytes: AtomicUsize,
}

impl Caches {
    /// Creates empty caches for this many segments and key maps.
    pub fn new(segments: usize, key_maps: usize) -> Self {
        Self {
            sections: (0..segments).map(|_| AtomicU8::new(0)).collect(),
            key_maps: (0..key_maps).map(|_| AtomicU8::new(0)).collect(),
            call_gaps: (0..segments).map(|_| OnceLock::new()).collect(),
            ..Self::default()
        }
    }

    /// Reserves `bytes` for system calls if the total stays within `limit`, and returns whether it
    /// did.
    pub fn reserve_call_gaps(&self, bytes: usize, limit: usize) -> bool {
        let add = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= limit);
        self.call_gap_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }
}

/// Register homes that do not depend on the position, for one kind of key: slices look them up at
/// each step. It is cleared when it is full.
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
        if known.len() >= HOMES {
            known.clear();
        }
        known.insert(key, found.clone());
        Ok(found)
    }
}
