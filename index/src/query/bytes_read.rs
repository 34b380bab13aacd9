//! Cost of queries, measured as bytes read from the trace.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use stepback_parsers::{ReadAt, Tarmac};

use crate::builder::build_index::{BuildOptions, index_in_memory};
use crate::index::Index;

/// A text that counts the bytes read from it.
struct CountedText {
    text: Vec<u8>,
    bytes_read: Arc<AtomicU64>,
}

impl ReadAt for CountedText {
    fn length(&self) -> io::Result<u64> {
        self.text.length()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.text.read_at(offset, buffer)?;
        self.bytes_read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Returns the number of bytes of a Tarmac trace that a query of its index reads.
pub fn bytes_read_by(text: String, ask: impl FnOnce(&Index)) -> u64 {
    let bytes_read = Arc::default();
    let counted = CountedText {
        text: text.into_bytes(),
        bytes_read: Arc::clone(&bytes_read),
    };
    let tarmac = Tarmac::open(Box::new(counted), Default::default()).unwrap();
    let index = index_in_memory(Arc::new(tarmac), &BuildOptions::default()).unwrap();
    bytes_read.store(0, Ordering::Relaxed);
    ask(&index);
    bytes_read.load(Ordering::Relaxed)
}
