//! Address ranges of images in memory.

use stepback_machine::Address;

/// A memory range that an image occupies, or a module whose file is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRange {
    pub first: Address,
    /// Length in bytes; never 0.
    pub len_bytes: u64,
    /// The program may write to it.
    pub is_writable: bool,
    pub is_executable: bool,
    /// Its bytes are available. Of a missing file, neither the bytes nor the permissions are known.
    pub is_loaded: bool,
    /// File name.
    pub file: Box<str>,
}

impl MappedRange {
    /// Returns the address of its last byte.
    pub fn last(&self) -> u64 {
        self.first
            .0
            .saturating_add(self.len_bytes.saturating_sub(1))
    }

    /// Returns the permissions as `r-x` or `rw-`; empty if they are unknown.
    pub fn rights(&self) -> &'static str {
        match (self.is_writable, self.is_executable) {
            _ if !self.is_loaded => "",
            (true, true) => "rwx",
            (true, false) => "rw-",
            (false, true) => "r-x",
            (false, false) => "r--",
        }
    }
}
