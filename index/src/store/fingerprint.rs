//! Identity of a trace, to detect an outdated index.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use stepback_parsers::{ReadAt, Source, SourceError};
use xxhash_rust::xxh3::Xxh3;

/// Identity of a trace when it was indexed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Length of the file in bytes, of the compressed file if it is compressed.
    pub length: u64,
    /// Modification time in nanoseconds since 1970; 0 without one.
    pub modified_nanos: u64,
    /// Hash of head, tail and sampled blocks.
    pub sample_hash: u64,
    /// Options that affect the events ([`stepback_parsers::SourceTraits::options`]).
    #[serde(deserialize_with = "stepback_parsers::decoded_text::text")]
    pub options: String,
}

const BLOCK: u64 = 4096;
const HEAD: u64 = 64 << 10;
const SAMPLES: u64 = 64;

impl Fingerprint {
    /// Returns the fingerprint of a trace in its current state. Reads at most 400 KiB.
    ///
    /// # Errors
    /// The trace could not be read.
    pub fn of(source: &dyn Source, modified_nanos: u64) -> Result<Self, SourceError> {
        let length = source.length();
        let sample_hash = sample_hash(length, |range, bytes| source.read_raw(range, bytes))?;
        Ok(Self {
            length,
            modified_nanos,
            sample_hash,
            options: source.traits().options.clone(),
        })
    }

    /// Returns the fingerprint of a trace's file, without interpreting its contents. Cost as for
    /// [`Self::of`].
    ///
    /// # Errors
    /// The file could not be read.
    pub fn of_file(
        file: &dyn ReadAt,
        modified_nanos: u64,
        options: String,
    ) -> Result<Self, SourceError> {
        let failed = |offset| move |error| SourceError::Read { offset, error };
        let length = file.length().map_err(failed(0))?;
        let sample_hash = sample_hash(length, |range, bytes| {
            let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0);
            bytes.resize(len, 0);
            let count = file
                .read_at(range.start, bytes)
                .map_err(failed(range.start))?;
            bytes.truncate(count);
            Ok(())
        })?;
        Ok(Self {
            length,
            modified_nanos,
            sample_hash,
            options,
        })
    }

    /// Returns the fingerprint of a trace of several files, by their names.
    pub fn of_parts(parts: &BTreeMap<String, Self>) -> Self {
        let mut hash = Xxh3::new();
        for (name, part) in parts {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
            for number in [part.length, part.modified_nanos, part.sample_hash] {
                hash.update(&number.to_le_bytes());
            }
        }
        Self {
            length: parts
                .values()
                .fold(0, |sum, part| sum.saturating_add(part.length)),
            modified_nanos: parts
                .values()
                .map(|part| part.modified_nanos)
                .max()
                .unwrap_or(0),
            sample_hash: hash.digest(),
            options: String::new(),
        }
    }

    /// Returns true if `now` is the same trace, grown since. Reads at most 400 KiB.
    pub fn is_start_of(&self, now: &Self, source: &dyn Source) -> bool {
        let is_longer = self.options == now.options
            && self.length < now.length
            && now.length <= source.length();
        is_longer && self.is_start_of_input(source)
    }

    /// Returns true if the trace still begins with the fingerprinted bytes. Reads at most 400 KiB.
    pub fn is_start_of_input(&self, source: &dyn Source) -> bool {
        sample_hash(self.length, |range, bytes| source.read_raw(range, bytes))
            .is_ok_and(|hash| hash == self.sample_hash)
    }

    /// Returns the fingerprint of the first `length` bytes with the same modification time. Reads
    /// at most 400 KiB.
    ///
    /// # Errors
    /// The trace could not be read.
    pub(crate) fn up_to(self, length: u64, source: &dyn Source) -> Result<Self, SourceError> {
        if length == self.length {
            return Ok(self);
        }
        Ok(Self {
            length,
            sample_hash: sample_hash(length, |range, bytes| source.read_raw(range, bytes))?,
            ..self
        })
    }

    /// Returns the difference, in words that complete "the index was rebuilt: "; `None` if there is
    /// none.
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

/// Returns a hash of the head, the tail and sampled blocks of the first `length` bytes.
fn sample_hash(
    length: u64,
    read: impl Fn(Range<u64>, &mut Vec<u8>) -> Result<(), SourceError>,
) -> Result<u64, SourceError> {
    let mut bytes = Vec::new();
    let mut hash = Xxh3::new();
    let samples = (0..SAMPLES).map(|number| (length / SAMPLES * number, BLOCK));
    for (start, len) in [(0, HEAD), (length.saturating_sub(HEAD), HEAD)]
        .into_iter()
        .chain(samples)
    {
        bytes.clear();
        read(start..start.saturating_add(len).min(length), &mut bytes)?;
        hash.update(&bytes);
    }
    Ok(hash.digest())
}
