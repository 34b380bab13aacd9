//! Where the parts of images lie in memory.

use stepback_machine::Address;

/// A part of memory that an image fills, or a file that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedRange {
    /// Its first byte.
    pub first: Address,
    /// How long it is; never 0.
    pub len_bytes: u64,
    /// The program may change it.
    pub is_writable: bool,
    /// It is code.
    pub is_executable: bool,
    /// Its bytes are here; of what is not loaded, neither they nor its rights are known.
    pub is_loaded: bool,
    /// The name of the file.
    pub file: Box<str>,
}

impl MappedRange {
    /// Its last byte.
    pub fn last(&self) -> u64 {
        self.first
            .0
            .saturating_add(self.len_bytes.saturating_sub(1))
    }

    /// `r-x`, `rw-`.
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
