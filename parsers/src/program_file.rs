//! Files of the traced program, for traces that do not contain its instructions.

use std::sync::Arc;

/// A file of the traced program, at its load address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFile {
    /// Name without folders, for messages.
    pub name: String,
    /// Entry point of the program; `None` for a library.
    pub entry: Option<u64>,
    /// Code of the file.
    pub parts: Vec<CodePart>,
}

/// A contiguous range of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePart {
    /// Load address.
    pub address: u64,
    /// Contents.
    pub bytes: Arc<[u8]>,
}
