//! What a file of the traced program brings to traces that leave out what it tells.

use std::sync::Arc;

/// The code of a file of the traced program, where it was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramFile {
    /// Its name without folders, for messages.
    pub name: String,
    /// Where the program begins; none for a library.
    pub entry: Option<u64>,
    /// Its code.
    pub parts: Vec<CodePart>,
}

/// Code that lies together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodePart {
    /// Where it was loaded.
    pub address: u64,
    /// What stands there.
    pub bytes: Arc<[u8]>,
}
