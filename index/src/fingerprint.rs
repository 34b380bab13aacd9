//! Whether an index belongs to a trace.

use serde::{Deserialize, Serialize};
use stepback_parsers::{Source, SourceError};
use xxhash_rust::xxh3::Xxh3;

/// What a trace looked like when it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Length in bytes.
    pub length: u64,
    /// Modification time in nanoseconds since 1970; 0 where there is none.
    pub modified_nanos: u64,
    /// Hash of head, tail and sampled blocks.
    pub sample_hash: u64,
    /// The options that shape the events ([`stepback_parsers::SourceTraits::options`]).
    pub options: String,
}

const BLOCK: u64 = 4096;
const HEAD: u64 = 64 << 10;
const SAMPLES: u64 = 64;

impl Fingerprint {
    /// The fingerprint of a trace as it is now. Cost: reads at most 400 KiB.
    ///
    /// # Errors
    /// The trace could not be read.
    pub fn of<S: Source>(source: &S, modified_nanos: u64) -> Result<Self, SourceError> {
        let length = source.length();
        let options = source.traits().options.clone();
        Ok(Self { length, modified_nanos, sample_hash: sample_hash(source, length)?, options })
    }

    /// Whether this is the fingerprint of what a trace was before it grew. Cost: reads at most 400 KiB.
    pub fn is_start_of<S: Source>(&self, now: &Self, source: &S) -> bool {
        let is_longer = self.options == now.options && self.length < now.length && now.length <= source.length();
        is_longer && self.is_start_of_input(source)
    }

    /// Whether a trace still begins with what it was. Cost: reads at most 400 KiB.
    pub fn is_start_of_input<S: Source>(&self, source: &S) -> bool {
        sample_hash(source, self.length).is_ok_and(|hash| hash == self.sample_hash)
    }

    /// In which way the other differs, worded to follow "the index was rebuilt: "; none when it does not.
    pub fn difference(&self, now: &Self) -> Option<&'static str> {
        if self.options != now.options {
            Some("it was made with other options")
        } else if self.length != now.length {
            Some("the trace has another length now")
        } else if self.modified_nanos != now.modified_nanos {
            Some("the trace was modified since")
        } else if self.sample_hash != now.sample_hash {
            Some("the trace has other contents now")
        } else {
            None
        }
    }
}

/// The hash of the first `length` bytes.
fn sample_hash<S: Source>(source: &S, length: u64) -> Result<u64, SourceError> {
    let mut bytes = Vec::new();
    let mut hash = Xxh3::new();
    let samples = (0..SAMPLES).map(|number| (length / SAMPLES * number, BLOCK));
    for (start, len) in [(0, HEAD), (length.saturating_sub(HEAD), HEAD)].into_iter().chain(samples) {
        bytes.clear();
        source.read_raw(start..start.saturating_add(len).min(length), &mut bytes)?;
        hash.update(&bytes);
    }
    Ok(hash.digest())
}
